// The view that counts, fills a table and runs the benchmark.
"use strict";

// Seconds of the OR-Tools guide by N.
const GUIDE = { 8: 0.009, 9: 0.035, 10: 0.095, 11: 0.378, 12: 2.198, 13: 11.628, 14: 62.427, 15: 410.701 };
const ROWS = 18;
// Counts of the table by N.
let rows = {};
let benchmark = null;

const workersWanted = () => Math.max(1, Math.min(64, Number(byId("workers").value) || 1));

// Runs something that counts. Disables the buttons that would start another, and shows errors.
async function counting(status, act) {
  pool.cancel();
  // The buttons of an earlier count are enabled when it has ended.
  await counting.last;
  const starts = ["table-start", "bench-start"].map(byId);
  counting.last = (async () => {
    try {
      starts.forEach((button) => (button.disabled = true));
      byId("count-cancel").disabled = false;
      await act();
    } catch (error) {
      status.textContent = error instanceof Cancelled ? "Cancelled." : `Error: ${error.message}`;
      status.classList.toggle("error", !(error instanceof Cancelled));
    }
    starts.forEach((button) => (button.disabled = false));
    byId("count-cancel").disabled = true;
  })();
  return counting.last;
}

// Shows the progress of a count, at most once per frame.
function progressTo(status, prefix = "") {
  let last = 0;
  return ({ fraction, found, seconds }) => {
    byId("count-progress").value = fraction;
    if (seconds - last < 0.1) return;
    last = seconds;
    const left = fraction > 0.02 ? `, ${duration((seconds * (1 - fraction)) / fraction)} left` : "";
    status.textContent = `${prefix}${(100 * fraction).toFixed(1)} %, ${si(found / seconds)} solutions/s, ${duration(seconds)}${left}`;
  };
}

function showTotal({ n, total, check, seconds, engine, workers }) {
  byId("count-total").innerHTML = `<b>Q(${n}) = ${grouping(total)}</b><br>${escaped(check)}`;
  byId("count-progress").value = 1;
  const rate = seconds > 0 ? `${si(Number(total) / seconds)} solutions/s, ` : "";
  byId("count-status").textContent = `${duration(seconds)}, ${rate}engine ${engine}, ${plural(workers, "worker")}`;
}

function startCount() {
  const n = Number(byId("count-n").value);
  updateAddress({ n, workers: workersWanted() });
  const status = byId("count-status");
  return counting(status, async () => {
    status.classList.remove("error");
    byId("count-total").innerHTML = "<b>&nbsp;</b><br>&nbsp;";
    byId("count-progress").value = 0;
    status.textContent = `Counting N = ${n} …`;
    showTotal(await pool.count(n, "", "", workersWanted(), progressTo(status)));
  });
}

function drawTable() {
  let body = "";
  for (let n = 1; n <= ROWS; n++) {
    const row = rows[n];
    const cells = row ? [grouping(row.total), duration(row.seconds), row.label] : ["–", "–", "–"];
    body += `<tr><th scope="row">${n}</th>${[...cells, GUIDE[n] ? duration(GUIDE[n]) : "–"].map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  }
  byId("table").innerHTML = body;
  const isEmpty = Object.keys(rows).length === 0;
  byId("table-csv").disabled = byId("table-markdown").disabled = isEmpty;
  drawChart();
}

// Draws the times on a logarithmic scale. The drawing has the size of its box, so that text keeps its size.
function drawChart() {
  const width = Math.max(280, byId("chart-figure").clientWidth);
  const height = 400;
  const [left, right, top, bottom] = [58, 12, 34, 40];
  const [low, high] = [-4, 3];
  const x = (n) => left + ((n - 1) / (ROWS - 1)) * (width - left - right);
  const y = (seconds) => top + ((high - Math.log10(Math.max(seconds, 1e-4))) / (high - low)) * (height - top - bottom);
  const series = { guide: GUIDE, page: Object.fromEntries(Object.entries(rows).map(([n, row]) => [n, row.seconds])) };
  let svg = "";
  for (let power = low; power <= high; power++) {
    const at = y(10 ** power);
    svg += `<path class="grid" d="M${left} ${at}H${width - right}"/><text x="${left - 6}" y="${at + 4}" text-anchor="end">${power > 1 ? `${10 ** power} s` : duration(10 ** power)}</text>`;
  }
  for (let n = 2; n <= ROWS; n += 2) svg += `<text x="${x(n)}" y="${height - bottom + 18}" text-anchor="middle">${n}</text>`;
  svg += `<text x="${(width + left) / 2}" y="${height - 4}" text-anchor="middle">N</text>`;
  for (const [name, points] of Object.entries(series)) {
    const at = Object.entries(points).map(([n, seconds]) => `${x(n)} ${y(seconds)}`);
    svg += `<path class="line ${name}" d="M${at.join("L")}"/>`.repeat(at.length > 1);
    svg += at.map((point) => `<circle class="${name}" r="3.5" cx="${point.replace(" ", '" cy="')}"/>`).join("");
  }
  svg += `<circle class="page" r="5" cx="${left + 10}" cy="14"/><text x="${left + 20}" y="18">this page</text>`;
  svg += `<circle class="guide" r="5" cx="${left + 110}" cy="14"/><text x="${left + 120}" y="18">OR-Tools guide</text>`;
  byId("chart").setAttribute("viewBox", `0 0 ${width} ${height}`);
  byId("chart").setAttribute("aria-label", "Seconds for all solutions by N, as in the table");
  byId("chart").innerHTML = svg;
}

function startTable() {
  const status = byId("count-status");
  return counting(status, async () => {
    status.classList.remove("error");
    rows = {};
    drawTable();
    for (let n = 1; n <= ROWS; n++) {
      const count = await pool.count(n, "", "", workersWanted(), progressTo(status, `N = ${n}: `));
      rows[n] = count;
      showTotal(count);
      drawTable();
    }
  });
}

function saveTable(isCsv) {
  const lines = Object.values(rows).map(({ n, total, seconds, label, engine, workers }) => [n, total, seconds.toFixed(6), label, engine, workers, GUIDE[n] ?? ""]);
  const heading = ["n", "solutions", "seconds", "check", "engine", "workers", "ortools_guide_seconds"];
  if (isCsv) return save("queens.csv", "text/csv", [heading, ...lines].map((line) => line.join(",")).join("\n") + "\n");
  const line = (cells) => `| ${cells.join(" | ")} |`;
  save("queens.md", "text/markdown", [line(heading), line(heading.map((name) => (/check|engine/.test(name) ? "---" : "---:"))), ...lines.map(line)].join("\n") + "\n");
}

// Names of the browser and the system, as far as the browser tells.
function machine() {
  const agent = navigator.userAgent;
  const [, name, version] = /(Firefox|Edg|OPR|Chrome)\/([\d]+)/.exec(agent) ?? /(Version)\/([\d.]+).*Safari/.exec(agent) ?? [, "browser", ""];
  const browser = `${{ Edg: "Edge", OPR: "Opera", Version: "Safari" }[name] ?? name} ${version}`.trim();
  return { browser, system: navigator.userAgentData?.platform || /\(([^;)]+(?:; [^;)]+)?)/.exec(agent)?.[1] || "unknown" };
}

function measured({ engine, kernel, n, threads, runs, solutions }) {
  const least = Math.min(...runs);
  const cells = [`${engine} ${kernel}`, n, threads, duration(least), runs.length, si(Number(solutions) / least)];
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

function startBenchmark() {
  const [status, threads] = [byId("bench-status"), workersWanted()];
  return counting(status, async () => {
    status.classList.remove("error");
    byId("bench-save").disabled = true;
    const [workload, ...lines] = wasm_bindgen.workloads(threads);
    const measurements = lines.map((line) => {
      const [purpose, engine, kernel, n, solutions, count] = line.split(" ");
      return { purpose, engine, kernel, n: Number(n), threads: Number(count), solutions, correct: true, runs: [] };
    });
    const isDue = ({ runs }) => wasm_bindgen.progress(Float64Array.from(runs)) < 1;
    const time = async ({ n, engine, kernel, threads: size }, round) => {
      status.textContent = `${round ? `round ${round}` : "warm-up"}: engine ${engine}, kernel ${kernel}, N = ${n}, ${plural(size, "worker")}`;
      return (await pool.count(n, engine, kernel, size)).seconds;
    };
    for (let round = 0; measurements.some(isDue); round++) {
      for (const one of measurements.filter(isDue)) {
        const seconds = await time(one, round);
        if (round || seconds > 1) one.runs.push(seconds);
      }
      byId("bench").innerHTML = measurements.filter(({ runs }) => runs.length).map(measured).join("");
    }
    const [version, compiler] = wasm_bindgen.build();
    const { browser, system } = machine();
    const cores = navigator.hardwareConcurrency || 1;
    benchmark = {
      schema: "queens-bench", schema_version: 5, workload: Number(workload),
      environment: {
        version, compiler, date: new Date().toISOString().replace(/\.\d+/, ""), cpu: `WebAssembly in ${browser}, ${system}`, cores,
      },
      threads, measurements,
    };
    const score = (engine) => {
      const rate = (size) => {
        const { runs, solutions } = measurements.find((one) => one.purpose === "score" && one.engine === engine && one.threads === size);
        return si(Number(solutions) / Math.min(...runs));
      };
      return `${rate(1)} solutions/s on 1 worker, ${rate(threads)} on ${threads} (${engine})`;
    };
    status.textContent = `Score: ${score("join")}; ${score("bitboard")}; workload ${workload}`;
    byId("bench-save").disabled = false;
  });
}

byId("counting").onsubmit = (event) => {
  event.preventDefault();
  startCount();
};
byId("count-cancel").onclick = () => pool.cancel();
byId("table-start").onclick = startTable;
byId("table-csv").onclick = () => saveTable(true);
byId("table-markdown").onclick = () => saveTable(false);
byId("bench-start").onclick = startBenchmark;
byId("bench-save").onclick = () => save("queens-webassembly.json", "application/json", JSON.stringify(benchmark, null, 2) + "\n");
window.addEventListener("resize", () => byId("view-count").hidden || drawChart());
byId("workers").value = Math.min(64, navigator.hardwareConcurrency || 2);

const countView = {
  async open(parameters) {
    if (parameters.get("n")) byId("count-n").value = parameters.get("n");
    if (parameters.get("workers")) byId("workers").value = parameters.get("workers");
    drawTable();
    await pool.resize(workersWanted());
  },
};
