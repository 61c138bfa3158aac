// The view that counts, fills a table and runs the benchmark.
"use strict";

// Last rows of the table that fills itself, and of the one that the button fills.
const [ROWS_AT_ONCE, ROWS] = [14, 18];
// Fastest count by N.
const rows = {};
const counting = new Work();

const workersWanted = () => Math.max(1, Math.min(64, Number(ui.workers.value) || 1));

// Counts a board, up to three times if that is short, because the first run on workers is slow. Resolves to the fastest count. The
// table has the fastest of all.
async function fastestCount(size, workers, onProgress) {
  const counts = [];
  do counts.push(await counting.pool.count(taskOf(size), workers, onProgress, 20));
  while (counts.length < 3 && counts[0].workers > 1 && counts.at(-1).seconds < 0.1);
  const fastest = (counts) => counts.reduce((one, other) => (one.seconds <= other.seconds ? one : other));
  rows[size] = fastest([rows[size] ?? counts[0], ...counts]);
  drawTable();
  return fastest(counts);
}

function showTotal({ n, total, check, seconds, engine, workers }) {
  ui.countTotal.innerHTML = `<b>${grouped(BigInt(total))}</b> solution${total === "1" ? "" : "s"} for N = ${n}<br>${escaped(check)}`;
  return `${duration(seconds)}, ${si(Number(total) / seconds)} solutions/s, engine ${engine}, ${plural(workers, "worker")}`;
}

const startCount = counting.starts(ui.countStart, ui.countStatus, async (progress) => {
  const workers = numberIn(ui.workers);
  const size = workers && numberIn(ui.countN);
  if (!size) return;
  updateAddress({ n: size, workers });
  ui.countTotal.innerHTML = "";
  return showTotal(await fastestCount(size, workers, countProgress(progress)));
});

// Counts the rows of the table that are missing, up to N = `last`.
const fillTable = counting.starts(ui.tableStart, ui.tableStatus, async (progress, last = ROWS) => {
  for (let size = 1; size <= last; size++) {
    progress(`N = ${size}`);
    if (size in rows) continue;
    await fastestCount(size, workersWanted(), countProgress(progress, `N = ${size}: `));
    await new Promise((resolve) => setTimeout(resolve)); // paints the row
  }
});

// Returns the seconds of the OR-Tools guide, if it has them.
const guideOf = (n) => wasm_bindgen.guide(n) / 1000;

function drawTable() {
  const line = ({ n, total, seconds, label }) => {
    const guide = guideOf(n);
    const cells = [grouped(BigInt(total)), duration(seconds), label, guide ? duration(guide) : "", guide ? `${digits(guide / seconds)} ×` : ""];
    return `<tr><th scope="row">${n}</th>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  };
  ui.table.innerHTML = Object.values(rows).map(line).join("");
  show(ui.tableStart, Object.keys(rows).filter((n) => n <= ROWS).length < ROWS, ui.tableCsv);
  drawChart();
}

// Draws the times on a logarithmic scale. The drawing has the size of its box, so that text keeps its size.
function drawChart() {
  const page = Object.values(rows).map(({ n, seconds }) => [n, seconds]);
  ui.chartFigure.hidden = page.length < 2;
  const [width, height] = [Math.max(280, ui.chartFigure.clientWidth), 300];
  const [left, right, top, bottom] = [58, 12, 10, 40];
  const last = Math.max(ROWS_AT_ONCE, ...page.map(([n]) => n));
  const guide = page.map(([n]) => [n, guideOf(n)]).filter(([, seconds]) => seconds);
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
  for (const [name, points] of Object.entries({ guide, page })) {
    const at = points.map(([n, seconds]) => [x(n), y(Math.log10(seconds))]);
    if (at.length) svg += `<path class="line ${name}" d="M${at.map((point) => point.join(" ")).join("L")}"/>`;
    svg += at.map(([cx, cy]) => `<circle class="${name}" r="3.5" cx="${cx}" cy="${cy}"/>`).join("");
  }
  ui.chart.setAttribute("viewBox", `0 0 ${width} ${height}`);
  ui.chart.innerHTML = svg;
}

// Times the board of the program's score with one worker and with all.
counting.starts(ui.benchStart, ui.benchStatus, async (progress) => {
  const [size, engine, kernel] = wasm_bindgen.scored().split(" ");
  const rates = [];
  const started = performance.now();
  for (const workers of new Set([1, workersWanted()])) {
    let [name, done] = ["warming up", 0];
    const report = () => progress(`N = ${size}, ${plural(workers, "worker")}, ${name}, ${Math.round((performance.now() - started) / 1000)} s so far`);
    const count = () => counting.pool.count(taskOf(Number(size), { engine, kernel }), workers, report);
    const { total } = await count();
    const times = [];
    for (; done < 1; done = wasm_bindgen.progress(Float64Array.from(times))) {
      name = `run ${times.length + 1}, ${Math.round(100 * done)} %`;
      times.push((await count()).seconds);
    }
    rates.push(`<b>${si(Number(total) / Math.min(...times))}</b> solutions/s with ${plural(workers, "worker")}`);
    ui.score.innerHTML = `${rates.join(", ")} (engine ${engine}, N = ${size})`;
  }
});

ui.tableCsv.onclick = () => {
  const lines = Object.values(rows).map(({ n, total, seconds, label, engine, workers }) => [n, total, seconds, label, engine, workers]);
  save("table.csv", "text/csv", ["n,solutions,seconds,check,engine,workers", ...lines, ""].join("\n"));
};
ui.counting.onkeydown = (event) => {
  if (event.key === "Enter" && event.target.matches("input")) startCount();
};
window.addEventListener("resize", () => ui["view-count"].hidden || drawChart());
ui.workers.value = Math.min(64, navigator.hardwareConcurrency || 2);

const countView = {
  title: "Count",

  open(settings) {
    counting.pool.resize(workersWanted()).catch(() => {}); // counting says what fails
    // A count that was linked to is done at once, unless it takes long.
    const isLinked = settings.values.has("n");
    settings.set("n", ui.countN);
    settings.set("workers", ui.workers);
    const example = new Squares(8);
    ui.example.innerHTML = example.svg([0, 12, 23, 29, 34, 46, 49, 59].map((square) => ["queen", square]), "A solution for N = 8", false);
    updateAddress({ n: ui.countN.value, workers: workersWanted() });
    drawTable();
    if (counting.running) return;
    const fill = ROWS_AT_ONCE in rows ? Promise.resolve() : fillTable(ROWS_AT_ONCE);
    fill.then(() => {
      if (counting.running || (ui.countTotal.innerHTML && !isLinked)) return;
      const size = ui.countN.value;
      if (size in rows) ui.countStatus.textContent = showTotal(rows[size]);
      else if (isLinked && size <= ROWS) startCount();
    });
  },
};
