// The view that counts, fills a table and runs the benchmark.
"use strict";

// Seconds of the OR-Tools guide by N.
const GUIDE = { 8: 0.009, 9: 0.035, 10: 0.095, 11: 0.378, 12: 2.198, 13: 11.628, 14: 62.427, 15: 410.701 };
// Last rows of the table that fills itself, and of the one that the button fills.
const [ROWS_AT_ONCE, ROWS] = [14, 18];
// Milliseconds for which short counts are repeated.
const REPEATED = 20;
// Counts of the table by N.
const rows = {};
let benchmark = null;

const workersWanted = () => Math.max(1, Math.min(64, Number(byId("workers").value) || 1));

// Runs something that counts. Disables the buttons that would start another, and shows errors.
async function counting(status, act) {
  pool.cancel();
  // The buttons of an earlier count are enabled when it has ended.
  await counting.last;
  const starts = ["table-start", "bench-start"].map(byId);
  counting.last = (async () => {
    status.classList.remove("error");
    starts.forEach((button) => (button.disabled = true));
    byId("count-cancel").disabled = false;
    try {
      await act();
    } catch (error) {
      status.textContent = error instanceof Cancelled ? "Cancelled." : `Error: ${error.message}`;
      status.classList.toggle("error", !(error instanceof Cancelled));
    }
    starts.forEach((button) => (button.disabled = false));
    byId("count-cancel").disabled = true;
    byId("count-progress").value = 0;
  })();
  return counting.last;
}

// Counts a board of some size, and repeats a short count, whose first run on workers is slow. The time is that of the fastest run.
async function repeated(size, workers, onProgress) {
  let [fastest, sum] = [Infinity, 0];
  for (let runs = 1; ; runs++) {
    const count = await pool.count(taskOf(size), workers, onProgress, REPEATED);
    [fastest, sum] = [Math.min(fastest, count.seconds), sum + count.seconds];
    if (count.workers === 1 || count.seconds > 0.1 || (runs > 2 && sum > REPEATED / 1000)) return { ...count, seconds: fastest };
  }
}

// Shows the progress of a count, at most ten times a second.
function progressTo(status, bar, prefix = "") {
  let last = 0;
  return ({ fraction, found, seconds }) => {
    if (bar) bar.value = fraction;
    if (seconds - last < 0.1) return;
    last = seconds;
    const left = fraction > 0.02 ? `, ${duration((seconds * (1 - fraction)) / fraction)} left` : "";
    status.textContent = `${prefix}${(100 * fraction).toFixed(1)} %, ${si(found / seconds)} solutions/s, ${duration(seconds)}${left}`;
  };
}

function showTotal({ n, total, check, seconds, engine, workers }) {
  byId("count-total").innerHTML = `<b>${grouping(total)}</b> solution${total === "1" ? "" : "s"} for N = ${n}<br>${escaped(check)}`;
  byId("count-status").textContent = `${duration(seconds)}, ${si(Number(total) / seconds)} solutions/s, engine ${engine}, ${plural(workers, "worker")}`;
}

function startCount() {
  const [size, workers] = [numberIn(byId("count-n")), byId("workers").checkValidity() ? workersWanted() : numberIn(byId("workers"))];
  if (size === null || workers === null) return;
  updateAddress({ n: size, workers });
  const status = byId("count-status");
  return counting(status, async () => {
    byId("count-total").innerHTML = "";
    status.textContent = `Counting N = ${size} …`;
    showTotal(await repeated(size, workers, progressTo(status, byId("count-progress"))));
  });
}

function drawTable() {
  const line = ({ n, total, seconds, label }) => {
    const guide = GUIDE[n];
    const cells = [grouping(total), duration(seconds), label, guide ? duration(guide) : "", guide ? `${digits(guide / seconds)} ×` : ""];
    return `<tr><th scope="row">${n}</th>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  };
  const list = Object.values(rows);
  byId("table").innerHTML = list.map(line).join("");
  byId("table-csv").disabled = list.length === 0;
  byId("table-start").hidden = ROWS in rows;
  drawChart();
}

// Draws the times on a logarithmic scale. The drawing has the size of its box, so that text keeps its size.
function drawChart() {
  const [width, height] = [Math.max(280, byId("chart-figure").clientWidth), 300];
  const [left, right, top, bottom] = [58, 12, 34, 40];
  const page = Object.values(rows).map(({ n, seconds }) => [n, seconds]);
  byId("chart-figure").hidden = page.length < 2;
  if (page.length < 2) return;
  const last = Math.max(ROWS_AT_ONCE, ...page.map(([n]) => n));
  const guide = Object.entries(GUIDE).filter(([n]) => n in rows);
  const powers = [...page, ...guide].map(([, seconds]) => Math.log10(seconds));
  const [low, high] = [Math.floor(Math.min(...powers)), Math.ceil(Math.max(...powers))];
  const x = (n) => left + ((n - 1) / (last - 1)) * (width - left - right);
  const y = (power) => top + ((high - power) / (high - low)) * (height - top - bottom);
  let svg = "";
  for (let power = low; power <= high; power++) {
    const name = power < -3 ? `${10 ** (power + 6)} µs` : power < 0 ? `${10 ** (power + 3)} ms` : `${10 ** power} s`;
    svg += `<path class="grid" d="M${left} ${y(power)}H${width - right}"/><text x="${left - 6}" y="${y(power) + 4}" text-anchor="end">${name}</text>`;
  }
  for (let n = 2; n <= last; n += 2) svg += `<text x="${x(n)}" y="${height - bottom + 18}" text-anchor="middle">${n}</text>`;
  svg += `<text x="${(width + left) / 2}" y="${height - 4}" text-anchor="middle">N</text>`;
  for (const [name, points] of [["guide", guide], ["page", page]]) {
    const at = points.map(([n, seconds]) => [x(n), y(Math.log10(seconds))]);
    if (at.length) svg += `<path class="line ${name}" d="M${at.map((point) => point.join(" ")).join("L")}"/>`;
    svg += at.map(([cx, cy]) => `<circle class="${name}" r="3.5" cx="${cx}" cy="${cy}"/>`).join("");
  }
  svg += `<circle class="page" r="5" cx="${left + 10}" cy="14"/><text x="${left + 20}" y="18">this page</text>`;
  svg += `<circle class="guide" r="5" cx="${left + 110}" cy="14"/><text x="${left + 120}" y="18">OR-Tools guide</text>`;
  byId("chart").setAttribute("viewBox", `0 0 ${width} ${height}`);
  byId("chart").setAttribute("aria-label", "Time for all solutions by N, as in the table");
  byId("chart").innerHTML = svg;
}

// Counts the rows of the table that are missing, up to N = `last`.
function fillTable(last) {
  const status = byId("count-status");
  return counting(status, async () => {
    for (let size = 1; size <= last; size++) {
      if (size in rows) continue;
      rows[size] = await repeated(size, workersWanted(), progressTo(status, byId("count-progress"), `N = ${size}: `));
      showTotal(rows[size]);
      drawTable();
      await new Promise((resolve) => setTimeout(resolve)); // paints the row
    }
  });
}

function saveTable() {
  const lines = Object.values(rows).map(({ n, total, seconds, label, engine, workers }) => [n, total, seconds.toPrecision(4), label, engine, workers, GUIDE[n] ?? ""]);
  const heading = ["n", "solutions", "seconds", "check", "engine", "workers", "ortools_guide_seconds"];
  save("queens.csv", "text/csv", [heading, ...lines].map((line) => line.join(",")).join("\n") + "\n");
}

// Name of the browser, as far as it tells.
const browserName = () => /(Firefox|Edg|OPR|Chrome)\/\d+/.exec(navigator.userAgent)?.[0] ?? /Version\/[\d.]+ .*Safari/.exec(navigator.userAgent)?.[0] ?? "a browser";

const cellsOf = (cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
const rateOf = ({ runs, solutions }) => Number(solutions) / Math.min(...runs);

// Shows the score, and the rates of saved results of the program for the same board, which are in `saved`.
function showScore(measurements, threads, saved) {
  const of = (size) => measurements.find(({ purpose, engine, threads }) => purpose === "score" && engine === "join" && threads === size);
  const [one, all] = [of(1), of(threads)];
  byId("score").innerHTML = `<b>${si(rateOf(all))}</b> solutions/s with ${plural(threads, "worker")} (engine ${all.engine}, N = ${all.n})`;
  const lines = [...new Set([one, all])].map((line) => [`<b>this browser</b>, ${plural(line.threads, "worker")}`, rateOf(line)]);
  for (const { environment, measurements } of saved) {
    const same = measurements.filter(({ engine, n }) => engine === all.engine && n === all.n);
    for (const size of new Set(same.map((line) => line.threads))) {
      const rates = same.filter((line) => line.threads === size).map((line) => line.solutions_per_second);
      lines.push([`program, ${escaped(environment.cpu)}, ${plural(size, "thread")}`, Math.max(...rates)]);
    }
  }
  const most = Math.max(...lines.map(([, rate]) => rate));
  const bar = (rate) => `<span class="bar" style="width: ${(100 * rate) / most}%"></span>`;
  byId("comparison").innerHTML = lines.map(([name, rate]) => cellsOf([name, `${si(rate)} solutions/s`, bar(rate)])).join("");
}

function startBenchmark() {
  const [status, threads] = [byId("bench-status"), workersWanted()];
  return counting(status, async () => {
    byId("bench-save").disabled = true;
    const saved = await fetch("results.json").then((file) => file.json());
    const [workload, ...lines] = wasm_bindgen.workloads(threads);
    const measurements = lines.map((line) => {
      const [purpose, engine, kernel, n, solutions, count] = line.split(" ");
      return { purpose, engine, kernel, n: Number(n), threads: Number(count), solutions, correct: true, runs: [] };
    });
    const done = ({ runs }) => wasm_bindgen.progress(Float64Array.from(runs));
    const isDue = (one) => done(one) < 1;
    for (let round = 0; measurements.some(isDue); round++) {
      for (const { n, engine, kernel, threads: size, runs } of measurements.filter(isDue)) {
        const fraction = measurements.reduce((sum, one) => sum + done(one), 0) / measurements.length;
        status.textContent = `${Math.round(100 * fraction)} %: engine ${engine}, kernel ${kernel}, N = ${n}, ${plural(size, "worker")}`;
        const { seconds } = await pool.count(taskOf(n, engine, kernel), size);
        if (round) runs.push(seconds); // the first run of each only warms up
      }
    }
    const [version, compiler] = wasm_bindgen.build();
    benchmark = {
      schema: "queens-bench", schema_version: 5, workload: Number(workload),
      environment: {
        version, compiler, date: new Date().toISOString().replace(/\.\d+/, ""), cpu: `WebAssembly in ${browserName()}, ${navigator.platform}`,
        cores: navigator.hardwareConcurrency || 1,
      },
      threads, measurements,
    };
    showScore(measurements, threads, saved);
    byId("bench").hidden = byId("bench-save").disabled = false;
    status.textContent = `Suite ${workload} of queens ${version}.`;
  });
}

byId("counting").onsubmit = (event) => {
  event.preventDefault();
  startCount();
};
byId("count-cancel").onclick = () => pool.cancel();
byId("table-start").onclick = () => fillTable(ROWS);
byId("table-csv").onclick = saveTable;
byId("bench-start").onclick = startBenchmark;
byId("bench-save").onclick = () => save("queens-webassembly.json", "application/json", JSON.stringify(benchmark, null, 2) + "\n");
window.addEventListener("resize", () => byId("view-count").hidden || drawChart());
byId("workers").value = Math.min(64, navigator.hardwareConcurrency || 2);

const countView = {
  open(settings) {
    pool.resize(workersWanted()).catch(() => {}); // counting says what fails
    settings.set("n", byId("count-n"));
    settings.set("workers", byId("workers"));
    if (!byId("example").innerHTML) {
      useBoard({ n: 8 });
      byId("example").innerHTML = boardSvg([0, 4, 7, 5, 2, 6, 1, 3].map((row, column) => ["queen", column, row]), "A solution for N = 8", false);
    }
    if (!Object.keys(rows).length) fillTable(ROWS_AT_ONCE);
    else drawChart();
  },
};
