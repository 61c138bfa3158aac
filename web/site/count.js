// The view that counts, fills a table and runs the benchmark.
"use strict";

// Seconds of the OR-Tools guide by N.
const GUIDE = { 8: 0.009, 9: 0.035, 10: 0.095, 11: 0.378, 12: 2.198, 13: 11.628, 14: 62.427, 15: 410.701 };
// Last rows of the table that fills itself, and of the one that the button fills.
const [ROWS_AT_ONCE, ROWS] = [14, 18];
// Counts of the table by N.
const rows = {};

const workersWanted = () => Math.max(1, Math.min(64, Number(byId("workers").value) || 1));

// Returns a function that shows the progress of a count, at most ten times a second.
function countProgress(progress, prefix = "") {
  let last = 0;
  return (fraction, found, seconds) => {
    if (seconds - last < 0.1) return;
    last = seconds;
    const left = fraction > 0.02 ? `, ${duration((seconds * (1 - fraction)) / fraction)} left` : "";
    progress(fraction, `${prefix}${(100 * fraction).toFixed(1)} %, ${si(found / seconds)} solutions/s${left}`);
  };
}

// Counts a board, up to three times if that is short, because the first run on workers is slow. Resolves to the fastest count.
async function fastestCount(size, workers, onProgress) {
  const counts = [];
  do counts.push(await pool.count(taskOf(size), workers, onProgress, 20));
  while (counts.length < 3 && counts[0].workers > 1 && counts.at(-1).seconds < 0.1);
  return counts.reduce((one, other) => (one.seconds <= other.seconds ? one : other));
}

function showTotal({ n, total, check, seconds, engine, workers }) {
  byId("count-total").innerHTML = `<b>${grouped(BigInt(total))}</b> solution${total === "1" ? "" : "s"} for N = ${n}<br>${escaped(check)}`;
  return `${duration(seconds)}, ${si(Number(total) / seconds)} solutions/s, engine ${engine}, ${plural(workers, "worker")}`;
}

const startCount = starts("count-start", "count-status", async (progress) => {
  const workers = numberIn(byId("workers"));
  const size = workers && numberIn(byId("count-n"));
  if (!size) return "";
  updateAddress({ n: size, workers });
  byId("count-total").innerHTML = "";
  return showTotal(await fastestCount(size, workers, countProgress(progress)));
});

// Counts the rows of the table that are missing, up to N = `last`.
const fillTable = starts("table-start", "table-status", async (progress, last = ROWS) => {
  for (let size = 1; size <= last; size++) {
    rows[size] ??= await fastestCount(size, workersWanted(), countProgress(progress, `N = ${size}: `));
    drawTable();
    await new Promise((resolve) => setTimeout(resolve)); // paints the row
  }
});

function drawTable() {
  const line = ({ n, total, seconds, label }) => {
    const guide = GUIDE[n];
    const cells = [grouped(BigInt(total)), duration(seconds), label, guide ? duration(guide) : "", guide ? `${digits(guide / seconds)} ×` : ""];
    return `<tr><th scope="row">${n}</th>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  };
  byId("table").innerHTML = Object.values(rows).map(line).join("");
  byId("table-start").hidden = ROWS in rows;
  drawChart();
}

// Draws the times on a logarithmic scale. The drawing has the size of its box, so that text keeps its size.
function drawChart() {
  const page = Object.values(rows).map(({ n, seconds }) => [n, seconds]);
  byId("chart-figure").hidden = page.length < 2;
  const [width, height] = [Math.max(280, byId("chart-figure").clientWidth), 300];
  const [left, right, top, bottom] = [58, 12, 34, 40];
  const last = Math.max(ROWS_AT_ONCE, ...page.map(([n]) => n));
  const guide = Object.entries(GUIDE).filter(([n]) => n in rows);
  const powers = [...page, ...guide].map(([, seconds]) => Math.log10(seconds));
  const [low, high] = [Math.floor(Math.min(...powers)), Math.ceil(Math.max(...powers))];
  const x = (n) => left + ((n - 1) / (last - 1)) * (width - left - right);
  const y = (power) => top + ((high - power) / (high - low)) * (height - top - bottom);
  let svg = "";
  for (let power = low; power <= high; power++) {
    const name = duration(10 ** power).replace(/\.0+/, "");
    svg += `<path class="grid" d="M${left} ${y(power)}H${width - right}"/><text x="${left - 6}" y="${y(power) + 4}" text-anchor="end">${name}</text>`;
  }
  for (let n = 2; n <= last; n += 2) svg += `<text x="${x(n)}" y="${height - bottom + 18}" text-anchor="middle">${n}</text>`;
  svg += `<text x="${(width + left) / 2}" y="${height - 4}" text-anchor="middle">N</text>`;
  for (const [name, points, words, legend] of [["guide", guide, "OR-Tools guide", left + 110], ["page", page, "this page", left + 10]]) {
    const at = points.map(([n, seconds]) => [x(n), y(Math.log10(seconds))]);
    if (at.length) svg += `<path class="line ${name}" d="M${at.map((point) => point.join(" ")).join("L")}"/>`;
    svg += at.map(([cx, cy]) => `<circle class="${name}" r="3.5" cx="${cx}" cy="${cy}"/>`).join("");
    svg += `<circle class="${name}" r="5" cx="${legend}" cy="14"/><text x="${legend + 10}" y="18">${words}</text>`;
  }
  byId("chart").setAttribute("viewBox", `0 0 ${width} ${height}`);
  byId("chart").innerHTML = svg;
}

// Times the board of the program's score with one worker and with all, and compares with saved results of the program.
starts("bench-start", "bench-status", async (progress) => {
  const [size, engine, kernel] = wasm_bindgen.scored().split(" ");
  const rates = {};
  for (const workers of new Set([1, workersWanted()])) {
    const count = () => pool.count(taskOf(size, engine, kernel), workers);
    const { total } = await count(); // only warms up
    const times = [];
    for (let done = 0; done < 1; done = wasm_bindgen.progress(Float64Array.from(times))) {
      progress(done, `N = ${size}, ${plural(workers, "worker")}, run ${times.length + 1}`);
      times.push((await count()).seconds);
    }
    const rate = (rates[`<b>this browser</b>, ${plural(workers, "worker")}`] = Number(total) / Math.min(...times));
    byId("score").innerHTML = `<b>${si(rate)}</b> solutions/s (engine ${engine}, N = ${size})`;
  }
  for (const { environment, measurements } of await fetch("results.json").then((file) => file.json())) {
    for (const line of measurements.filter((line) => line.engine === engine && line.n === Number(size))) {
      const name = `program, ${escaped(environment.cpu)}, ${plural(line.threads, "thread")}`;
      rates[name] = Math.max(rates[name] ?? 0, line.solutions_per_second);
    }
  }
  const most = Math.max(...Object.values(rates));
  byId("comparison").innerHTML = Object.entries(rates).map(([name, rate]) =>
    `<tr><td>${name}</td><td>${si(rate)} solutions/s</td><td><span class="bar" style="width: ${(100 * rate) / most}%"></span></td></tr>`).join("");
  byId("bench").hidden = false;
});

byId("counting").onsubmit = () => false;
byId("counting").onkeydown = (event) => {
  if (event.key === "Enter" && event.target.matches("input")) startCount();
};
window.addEventListener("resize", () => byId("view-count").hidden || drawChart());
byId("workers").value = Math.min(64, navigator.hardwareConcurrency || 2);

const countView = {
  open(settings) {
    pool.resize(workersWanted()).catch(() => {}); // counting says what fails
    // A count that was linked to is done at once, unless it takes long.
    const isLinked = settings.values.has("n");
    settings.set("n", byId("count-n"));
    settings.set("workers", byId("workers"));
    useBoard({ n: 8 });
    byId("example").innerHTML = boardSvg([0, 4, 7, 5, 2, 6, 1, 3].map((row, column) => ["queen", column, row]), "A solution for N = 8", false);
    if (ROWS_AT_ONCE in rows) drawChart();
    else fillTable(ROWS_AT_ONCE).then(() => showRow() || !isLinked || running || byId("count-n").value > ROWS || startCount());
  },
};

// Shows the result of the table's row for the N of the field, and returns whether there is one.
function showRow() {
  const row = rows[byId("count-n").value];
  if (row && !running && !byId("count-total").innerHTML) byId("count-status").textContent = showTotal(row);
  return Boolean(row);
}
