// The view with a board to place queens on.
"use strict";

// Largest board whose solutions are counted after each change, and the largest one whose fundamental solutions are listed.
const AT_ONCE = 12;
const LARGEST_LISTED = 20;
let boardSize;
let queens = new Set();
let blocked = new Set();
let active = 0;
let attacked = new Set();
let conflicts = new Set();
// Hinted square, number of solutions if it is known, and the solution that is shown: { fundamental, index, squares }.
let hinted = null;
let completions = null;
let shown = null;

// A worker that searches for solutions, and can be ended at any time.
const solver = {
  worker: null,
  job: 0,
  stop: () => {},

  // Asks for the solution with an index. If `isCounted` is set, asks also how many there are.
  async ask(fundamental, index, isCounted = false) {
    this.stop();
    const job = ++this.job;
    this.worker ??= newWorker();
    const worker = await this.worker;
    const answer = new Promise((resolve, reject) => {
      const end = (error) => {
        worker.terminate();
        this.worker = null;
        reject(error);
      };
      this.stop = () => end(new Cancelled("cancelled"));
      worker.onerror = (event) => end(failureOf(event));
      worker.onmessage = ({ data }) => {
        if (data.job === job) data.error ? end(new Error(data.error)) : resolve(data.result);
      };
      worker.postMessage({ job, board: boardTask(), fundamental, index, isCounted });
    });
    return answer.finally(() => job === this.job && (this.stop = () => {}));
  },
};

const boardTask = (placed = queens) => taskOf(n, "", "", ...[placed, blocked].map((squares) => [...squares].map(nameOf).join(" ")));
const say = (text) => (byId("solve-status").textContent = text);

function squareNumber(name) {
  const [, letters, digits] = /^([a-z]+)(\d+)$/.exec(name) ?? [];
  const column = letters === undefined ? -1 : [...letters].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 96, 0) - 1;
  const row = n - Number(digits);
  return column >= 0 && column < n && row >= 0 && row < n ? column * n + row : null;
}

// Returns the line on which two squares attack each other, if any.
function lineOf(one, other) {
  const [across, down] = [0, 1].map((axis) => Math.abs(place(one)[axis] - place(other)[axis]));
  return one === other ? null : across === 0 ? "column" : down === 0 ? "row" : across === down ? "diagonal" : null;
}

function describeCell(number) {
  const words = [nameOf(number)];
  if (queens.has(number)) words.push("queen");
  else if (shown?.squares.includes(number)) words.push("queen of the solution");
  if (blocked.has(number)) words.push("blocked");
  if (conflicts.has(number) || (attacked.has(number) && !blocked.has(number))) words.push("attacked");
  if (hinted === number) words.push("hint");
  return words.join(", ");
}

// Says why no queen can stand on a square, or how many solutions have one there.
function explainCell(number) {
  const name = nameOf(number);
  const attackers = [...queens].filter((queen) => lineOf(queen, number)).map((queen) => `${nameOf(queen)} (same ${lineOf(queen, number)})`);
  if (blocked.has(number)) return `${name} is blocked.`;
  if (attackers.length) return `${name} is attacked by ${attackers.join(" and ")}.`;
  if (queens.has(number) || conflicts.size || n > AT_ONCE) return "";
  const [total] = wasm_bindgen.count_small(boardTask([...queens, number]), 0);
  return `${name} is free, ${total === "0" ? "but no solution has" : total === "1" ? "and one solution has" : `and ${grouping(total)} solutions have`} a queen there.`;
}

function drawCell(number) {
  const cell = byId(`cell-${number}`);
  const [column, row] = place(number);
  const isShaded = byId("shade").checked && !shown && attacked.has(number) && !blocked.has(number);
  const classes = { dark: (column + n - 1 - row) % 2 === 0, attacked: isShaded, conflict: conflicts.has(number), hinted: hinted === number };
  cell.className = ["cell", ...Object.keys(classes).filter((name) => classes[name])].join(" ");
  const shape = queens.has(number) ? (shown ? "preplaced" : "queen") : blocked.has(number) ? "blocked" : shown?.squares.includes(number) ? "queen" : "";
  cell.innerHTML = shape && `<svg viewBox="0 0 10 10" aria-hidden="true"><use href="#${shape}"/></svg>`;
  cell.setAttribute("aria-label", describeCell(number));
  cell.tabIndex = number === active ? 0 : -1;
}

function drawCells() {
  for (let number = 0; number < n * n; number++) drawCell(number);
}

function drawGrid() {
  // On large boards, every fifth row and column has its name.
  const named = (i, name) => `<span class="name" aria-hidden="true">${n <= 20 || (i + 1) % 5 === 0 ? name : ""}</span>`;
  let html = "";
  for (let row = 0; row < n; row++) {
    html += `<div role="row">${named(n - 1 - row, n - row)}`;
    for (let column = 0; column < n; column++) html += `<button type="button" role="gridcell" id="cell-${column * n + row}"></button>`;
    html += "</div>";
  }
  html += "<span></span>" + Array.from({ length: n }, (_, column) => named(column, columnName(column))).join("");
  byId("grid").style.setProperty("--n", n);
  byId("grid").innerHTML = html;
}

// Recomputes and shows everything after a change of the board.
function changed() {
  hinted = completions = null;
  solver.stop();
  pool.cancel();
  const all = Array.from({ length: n * n }, (_, number) => number);
  const isAttacked = (number) => [...queens].some((queen) => lineOf(queen, number));
  attacked = new Set(all.filter((number) => !queens.has(number) && isAttacked(number)));
  conflicts = new Set([...queens].filter(isAttacked));
  closeSolutions();
  say("");
  byId("cell-why").textContent = "";
  byId("solution-fundamental").disabled = n > LARGEST_LISTED;
  const entries = { n };
  if (queens.size) entries.queens = [...queens].map(nameOf).join(" ");
  if (blocked.size) entries.blocked = [...blocked].map(nameOf).join(" ");
  updateAddress(entries);
  byId("complete").hidden = n <= AT_ONCE || conflicts.size > 0;
  if (conflicts.size) byId("completions").innerHTML = `<b>Attacked</b><br>${[...conflicts].map(nameOf).join(", ")} attack each other.`;
  else if (queens.size === n) byId("completions").innerHTML = "<b>Solved!</b><br>No queen attacks another.";
  else if (n > AT_ONCE) byId("completions").innerHTML = `<b>${queens.size}</b> of ${plural(n, "queen")} placed`;
  else countCompletions();
}

// Runs something that searches, and shows that it can be cancelled, and errors.
async function searching(act) {
  byId("stop").disabled = false;
  const job = (searching.job = {});
  say("Searching …");
  try {
    const text = await act();
    if (job === searching.job) say(text ?? "");
  } catch (error) {
    if (job === searching.job) say(error instanceof Cancelled ? "Cancelled." : `Error: ${error.message}`);
  }
  if (job === searching.job) byId("stop").disabled = true;
}

const countCompletions = () => searching(async () => {
  const { total, check } = await pool.count(boardTask(), workersWanted(), progressTo(byId("solve-status"), null));
  completions = Number(total);
  const isPuzzle = queens.size || blocked.size;
  const left = isPuzzle ? (total === "0" ? "Remove a queen or free a square." : `with these ${[queens.size && "queens", blocked.size && "blocked squares"].filter(Boolean).join(" and ")}`) : check;
  byId("completions").innerHTML = `<b>${grouping(total)}</b> solution${total === "1" ? "" : "s"}${isPuzzle ? " left" : ""}<br>${escaped(left)}`;
  drawPager();
});

const showSolution = (fundamental, index) => searching(async () => {
  if (conflicts.size) return "Queens attack each other, so there is no solution.";
  const { squares, total } = await solver.ask(fundamental, index, true);
  if (!squares && index === 0) return "There is no solution.";
  // Without a number of solutions, the last one is noticed when the next one is asked for.
  if (!squares) shown.total = index;
  else shown = { fundamental, index, squares: [...squares], total: total ?? (fundamental ? undefined : completions ?? undefined) };
  drawCells();
  drawPager();
});

function drawPager() {
  byId("pager").hidden = !shown;
  if (!shown) return;
  const { fundamental, index, total } = shown;
  const of = total === undefined ? "" : ` of ${grouped(total)}`;
  byId("position").textContent = `${fundamental ? "Fundamental solution" : "Solution"} ${grouped(index + 1)}${of}`;
  byId("solution-previous").disabled = index === 0;
  byId("solution-next").disabled = index + 1 === total;
}

function closeSolutions() {
  shown = null;
  drawCells();
  drawPager();
}

const hint = () => searching(async () => {
  if (conflicts.size) return "Queens attack each other: remove one of the red ones.";
  const { squares } = await solver.ask(false, 0);
  if (!squares) return queens.size + blocked.size ? "These queens and blocked squares leave no solution: remove one." : "There is no solution.";
  hinted = [...squares].find((number) => !queens.has(number)) ?? null;
  if (hinted === null) return "The board is solved.";
  drawCell(hinted);
  return `Hint: a queen on ${nameOf(hinted)}.`;
});

// Puts a queen on a square, blocks it, or frees it. If a solution is shown, only hides that.
function mark(number, what) {
  if (shown) return closeSolutions();
  for (const [set, name] of [[queens, "queen"], [blocked, "blocked"]]) name === what ? set.add(number) : set.delete(number);
  active = number;
  changed();
  byId("cell-why").textContent = explainCell(number);
}

function useSize(size) {
  boardSize = size;
  useBoard({ n: size });
  [queens, blocked, active, shown] = [new Set(), new Set(), 0, null];
  drawGrid();
}

byId("solving").onsubmit = () => false;
byId("solve-n").onchange = () => {
  const size = numberIn(byId("solve-n"));
  if (size === null) return;
  useSize(size);
  changed();
};
byId("shade").onchange = drawCells;
byId("clear").onclick = () => {
  [queens, blocked] = [new Set(), new Set()];
  changed();
};
byId("complete").onclick = countCompletions;
byId("hint").onclick = hint;
byId("stop").onclick = () => {
  solver.stop();
  pool.cancel();
};
byId("solution-all").onclick = () => showSolution(false, 0);
byId("solution-fundamental").onclick = () => showSolution(true, 0);
byId("solution-previous").onclick = () => showSolution(shown.fundamental, shown.index - 1);
byId("solution-next").onclick = () => showSolution(shown.fundamental, shown.index + 1);
byId("solution-close").onclick = closeSolutions;
// Calls a function with the square of an event, if it has one.
const onCell = (act) => (event) => {
  const cell = event.target.closest(".cell");
  if (cell) act(Number(cell.id.slice("cell-".length)), event);
};
byId("grid").onclick = onCell((number) => mark(number, queens.has(number) ? "blocked" : blocked.has(number) ? "" : "queen"));
const describe = onCell((number) => (byId("cell-why").textContent = explainCell(number)));
byId("grid").onpointerover = describe;
byId("grid").onkeydown = onCell((number, event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const [column, row] = place(number);
  const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  if (event.key === "b") mark(number, blocked.has(number) ? "" : "blocked");
  else if (event.key in moves) {
    const [x, y] = moves[event.key];
    if (column + x < 0 || column + x >= n || row + y < 0 || row + y >= n) return;
    active = (column + x) * n + row + y;
    [number, active].forEach(drawCell);
  } else return;
  byId(`cell-${active}`).focus();
  event.preventDefault();
});
byId("grid").addEventListener("focusin", describe);

const solveView = {
  open(settings) {
    const isNew = settings.values.size > 0 || !byId("grid").innerHTML;
    settings.set("n", byId("solve-n"));
    if (!isNew) {
      useBoard({ n: boardSize });
      return changed();
    }
    useSize(byId("solve-n").valueAsNumber);
    for (const [name, set] of [["queens", queens], ["blocked", blocked]]) {
      for (const square of (settings.take(name) ?? "").split(/[ ,]+/).filter(Boolean)) {
        const number = squareNumber(square);
        if (number === null || queens.has(number)) settings.ignored.push(`${name}=${square} (${number === null ? `no square of the board` : "it has a queen"})`);
        else set.add(number);
      }
    }
    byId("solve-legend").innerHTML = boardLegend({ queen: "queen", preplaced: "your queen in a solution", blocked: "blocked" })
      + sign("0 0 10 10", '<rect width="10" height="10" fill="#bdb5a9"/>', "attacked");
    changed();
  },
};
