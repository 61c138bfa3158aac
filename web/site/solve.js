// The view with a board to place queens on.
"use strict";

// Largest board whose completions are counted at once.
const AT_ONCE = 12;
const LARGEST_FUNDAMENTAL = 20;
let queens = new Set();
let blocked = new Set();
let active = 0;
let attacked = new Set();
let conflicts = new Set();
// Hinted square, number of completions if it is known, and position among the solutions.
let hinted = null;
let completions = null;
let shownSolution = null;
let counting_soon;

class TooLong extends Error {}

const solver = {
  worker: null,
  job: 0,
  stop: () => {},

  // Asks the worker for a solution by its index, or for their number if `index` is null. Ends it after some seconds.
  async ask(board, index, seconds) {
    this.stop();
    const job = ++this.job;
    this.worker ??= newWorker();
    const worker = await this.worker;
    byId("stop").disabled = false;
    let timer;
    const answer = new Promise((resolve, reject) => {
      const end = (error) => {
        worker.terminate();
        this.worker = null;
        reject(error);
      };
      this.stop = () => end(new Cancelled("stopped"));
      timer = setTimeout(() => end(new TooLong(`not finished within ${seconds} s`)), 1000 * seconds);
      worker.onerror = ({ message }) => end(new Error(`the worker failed: ${message}`));
      worker.onmessage = ({ data }) => {
        if (data.job === job) data.error ? end(new Error(data.error)) : resolve(data.result);
      };
      worker.postMessage({ job, board, index });
    });
    return answer.finally(() => {
      clearTimeout(timer);
      if (job !== this.job) return;
      this.stop = () => {};
      byId("stop").disabled = true;
    });
  },
};

const puzzle = (fundamental = false) => [n, [...queens], [...blocked], fundamental];
const limit = () => Number(byId("limit").value);
const nameOfSquare = (number) => squareName(Math.floor(number / n), number % n);

function squareNumber(name) {
  const [, letters, digits] = /^([a-z]+)(\d+)$/.exec(name) ?? [];
  const column = letters === undefined ? -1 : [...letters].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 96, 0) - 1;
  const row = n - Number(digits);
  return column >= 0 && column < n && row >= 0 && row < n ? column * n + row : null;
}

function describeCell(number) {
  const words = [nameOfSquare(number)];
  if (queens.has(number)) words.push("queen");
  if (blocked.has(number)) words.push("blocked");
  if (conflicts.has(number) || (attacked.has(number) && !blocked.has(number))) words.push("attacked");
  if (hinted === number) words.push("hint");
  return words.join(", ");
}

function drawCell(number) {
  const cell = byId(`cell-${number}`);
  const [column, row] = [Math.floor(number / n), number % n];
  const isShaded = byId("shade").checked && attacked.has(number) && !blocked.has(number);
  cell.className = `cell${(column + n - 1 - row) % 2 ? "" : " dark"}${isShaded ? " attacked" : ""}${conflicts.has(number) ? " conflict" : ""}${hinted === number ? " hinted" : ""}`;
  const shape = queens.has(number) ? "queen" : blocked.has(number) ? "blocked" : "";
  cell.innerHTML = shape && `<svg viewBox="0 0 10 10" aria-hidden="true"><use href="#${shape}"/></svg>`;
  cell.setAttribute("aria-label", describeCell(number));
  cell.tabIndex = number === active ? 0 : -1;
}

function drawGrid() {
  let html = "";
  for (let row = 0; row < n; row++) {
    html += '<div role="row">';
    for (let column = 0; column < n; column++) html += `<button type="button" role="gridcell" id="cell-${column * n + row}"></button>`;
    html += "</div>";
  }
  byId("grid").style.setProperty("--n", n);
  byId("grid").innerHTML = html;
}

// Recomputes and shows everything after a change of the board.
function changed() {
  hinted = completions = shownSolution = null;
  solver.stop();
  const list = [...wasm_bindgen.attacks(n, [...queens])];
  const split = list.indexOf(n * n);
  [attacked, conflicts] = [new Set(list.slice(0, split)), new Set(list.slice(split + 1))];
  for (let number = 0; number < n * n; number++) drawCell(number);
  byId("found").innerHTML = "";
  byId("solve-status").innerHTML = "&nbsp;";
  byId("solution-previous").disabled = byId("solution-next").disabled = true;
  byId("solution-fundamental").disabled = n > LARGEST_FUNDAMENTAL;
  const entries = { n };
  if (queens.size) entries.queens = [...queens].map(nameOfSquare).join(" ");
  if (blocked.size) entries.blocked = [...blocked].map(nameOfSquare).join(" ");
  updateAddress(entries);
  clearTimeout(counting_soon);
  if (conflicts.size) say("completions", "Queens attack each other, so there is no completion.");
  else if (n > AT_ONCE) say("completions", "Press Count completions to count them.");
  else counting_soon = setTimeout(countCompletions, 100);
}

// Shows a line, and a second line in lighter text. Both always take up space.
function say(id, text, more = "") {
  byId(id).innerHTML = id === "completions" ? `${escaped(text)}<br><span class="hint">${escaped(more) || "&nbsp;"}</span>` : escaped(text) || "&nbsp;";
}

// Runs an action that asks the solver, and shows errors in a line.
async function asking(id, act) {
  try {
    await act();
  } catch (error) {
    if (error instanceof Cancelled) return;
    say(id, error instanceof TooLong ? `No result: ${error.message}.` : `Error: ${error.message}`);
  }
}

const countCompletions = () => asking("completions", async () => {
  if (conflicts.size) return;
  const [total, , check] = await solver.ask(puzzle(), null, limit());
  completions = total;
  const things = queens.size || blocked.size ? "completion" : "solution";
  say("completions", `${grouping(total)} ${things}${total === "1" ? "" : "s"}`, check);
  if (shownSolution) drawSolution();
});

const showSolution = (fundamental, index) => asking("solve-status", async () => {
  if (conflicts.size) return say("solve-status", "Queens attack each other, so there is no solution.");
  const squares = await solver.ask(puzzle(fundamental), index, limit());
  if (!squares) return say("solve-status", index ? "There are no more solutions." : "There is no solution.");
  shownSolution = { fundamental, index, squares: [...squares] };
  drawSolution();
});

function drawSolution() {
  const { fundamental, index, squares } = shownSolution;
  const marks = [...blocked].map((number) => ["blocked", Math.floor(number / n), number % n]);
  for (const number of squares) marks.push([queens.has(number) ? "preplaced" : "queen", Math.floor(number / n), number % n]);
  byId("found").innerHTML = boardSvg(marks, `Solution with queens on ${squares.map(nameOfSquare).join(" ")}`);
  const of = completions !== null && !fundamental ? ` of ${grouping(completions)}` : "";
  say("solve-status", `${fundamental ? "Fundamental solution" : "Solution"} ${grouping(String(index + 1))}${of}`);
  byId("solution-previous").disabled = index === 0;
  byId("solution-next").disabled = false;
}

// Returns a solution of the board, or undefined if there is none.
const anySolution = () => solver.ask(puzzle(), 0, limit());

const hint = () => asking("solve-status", async () => {
  if (conflicts.size) return say("solve-status", "Queens attack each other: remove one of the red ones.");
  const solution = await anySolution();
  if (!solution) return say("solve-status", "No hint: these queens and blocks leave no solution. Remove one.");
  hinted = [...solution].find((number) => !queens.has(number)) ?? null;
  if (hinted === null) return say("solve-status", "The board is solved.");
  drawCell(hinted);
  say("solve-status", `Hint: a queen on ${nameOfSquare(hinted)}.`);
});

const check = () => asking("solve-status", async () => {
  if (conflicts.size) return say("solve-status", `Wrong: ${[...conflicts].map(nameOfSquare).join(", ")} attack each other.`);
  if (queens.size === n) return say("solve-status", "Right: this is a solution.");
  const solution = await anySolution();
  say("solve-status", solution ? "Right so far: the board can be completed." : "Wrong: no queens attack each other, but the board cannot be completed.");
});

function mark(number, tool) {
  const [set, other] = tool === "queen" ? [queens, blocked] : [blocked, queens];
  if (!set.delete(number)) set.add(number);
  other.delete(number);
  active = number;
  changed();
}

function resizeBoard() {
  const size = Math.max(1, Math.min(32, Math.floor(Number(byId("solve-n").value)) || 8));
  useBoard({ n: size, preplaced: [], blocked: [] });
  [queens, blocked, active] = [new Set(), new Set(), 0];
  drawGrid();
}

byId("solving").onsubmit = () => false;
byId("solve-n").onchange = () => {
  resizeBoard();
  changed();
};
byId("shade").onchange = changed;
byId("clear").onclick = () => {
  [queens, blocked] = [new Set(), new Set()];
  changed();
};
byId("complete").onclick = countCompletions;
byId("check").onclick = check;
byId("hint").onclick = hint;
byId("stop").onclick = () => solver.stop();
byId("solution-first").onclick = () => showSolution(false, 0);
byId("solution-fundamental").onclick = () => showSolution(true, 0);
byId("solution-previous").onclick = () => showSolution(shownSolution.fundamental, shownSolution.index - 1);
byId("solution-next").onclick = () => showSolution(shownSolution.fundamental, shownSolution.index + 1);
const cellOf = (event) => {
  const cell = event.target.closest(".cell");
  return cell ? Number(cell.id.slice("cell-".length)) : null;
};
byId("grid").onclick = (event) => {
  const number = cellOf(event);
  if (number !== null) mark(number, byId("tool").value);
};
byId("grid").oncontextmenu = (event) => {
  const number = cellOf(event);
  if (number === null) return;
  event.preventDefault();
  mark(number, "blocked");
};
byId("grid").onkeydown = (event) => {
  const number = cellOf(event);
  if (number === null || event.ctrlKey || event.metaKey || event.altKey) return;
  const [column, row] = [Math.floor(number / n), number % n];
  const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  if (event.key === "b") mark(number, "blocked");
  else if (event.key in moves) {
    const [x, y] = moves[event.key];
    if (column + x < 0 || column + x >= n || row + y < 0 || row + y >= n) return;
    const before = active;
    active = (column + x) * n + row + y;
    drawCell(before);
    drawCell(active);
  } else return;
  byId(`cell-${active}`).focus();
  event.preventDefault();
};

const solveView = {
  open(parameters) {
    if (parameters.get("n")) byId("solve-n").value = parameters.get("n");
    resizeBoard();
    const squares = (name) => (parameters.get(name) ?? "").split(/[ ,]/).map(squareNumber).filter((number) => number !== null);
    [queens, blocked] = [new Set(squares("queens")), new Set(squares("blocked"))];
    changed();
  },
};
