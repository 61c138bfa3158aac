// The view with a board to place queens on.
"use strict";

// Largest board whose fundamental solutions are listed.
const LARGEST_LISTED = 20;
const solving = new Work();
let squares;
// Squares with queens that the visitor cannot move, with the visitor's own queens, and blocked ones.
let [given, queens, blocked] = [[], [], []].map((none) => new Set(none));
let active = 0;
// Attacked squares, what is known about the board, and the hinted square and the solution that is shown, if there is one:
// { fundamental, index, squares, total }.
let [attacked, known, hinted, shown] = [];
// Earlier boards, as in the address, and the one that was drawn last.
const past = [];
let drawn = {};

const allQueens = () => [...given, ...queens];
const boardTask = () => taskOf(squares.n, { queens: allQueens(), blocked: [...blocked] });
const say = (text) => (ui.solveStatus.textContent = text);
const allSquares = () => [...Array(squares.n ** 2).keys()];
// Returns the shape on a square and its meaning, if there is one.
const shapeOf = (number) =>
  given.has(number) ? ["preplaced", "given queen"]
  : queens.has(number) ? ["queen", "queen"]
  : blocked.has(number) ? ["blocked", "blocked"]
  : shown?.squares.includes(number) ? ["forced", "queen of the solution"] : [];

function drawCell(number) {
  const cell = ui[`cell-${number}`];
  const [column, row] = squares.place(number);
  const isAttacked = !shown && !blocked.has(number) && attacked.has(number);
  const [shape, name] = shapeOf(number);
  const classes = { dark: (column + squares.n - 1 - row) % 2 === 0, attacked: isAttacked && !shape, conflict: isAttacked && shape, hinted: hinted === number };
  cell.className = ["cell", ...Object.keys(classes).filter((name) => classes[name])].join(" ");
  cell.innerHTML = shape ? `<svg viewBox="0 0 10 10" aria-hidden="true"><use href="#${shape}"/></svg>` : "";
  cell.ariaLabel = [squares.nameOf(number), name, isAttacked && "attacked", hinted === number && "hint"].filter(Boolean).join(", ");
  cell.tabIndex = number === active ? 0 : -1;
}

function drawGrid() {
  const { n } = squares;
  // On large boards, every fifth row and column has its name.
  const named = (i, name) => `<span class="name" aria-hidden="true">${n <= 20 || (i + 1) % 5 === 0 ? name : ""}</span>`;
  let html = "";
  for (let row = 0; row < n; row++) {
    html += `<div role="row">${named(n - 1 - row, n - row)}`;
    for (let column = 0; column < n; column++) html += `<button type="button" role="gridcell" id="cell-${column * n + row}"></button>`;
    html += "</div>";
  }
  html += "<span></span>" + Array.from({ length: n }, (_, column) => named(column, columnName(column))).join("");
  ui.grid.style.setProperty("--n", n);
  ui.grid.innerHTML = html;
}

// Returns the solution that is shown: its name, how many there are, and its squares.
function solutionTexts({ fundamental, index, squares: found, total }) {
  return [`${fundamental ? "Fundamental solution" : "Solution"} ${grouped(index + 1)}`, total === undefined ? "" : `of ${grouped(total)}`, squares.namesOf(found)];
}

// Saves the board in the address. If it has changed, the Back button and Undo lead back.
function saveBoard() {
  if (ui["view-solve"].hidden) return; // the address is that of another view
  const entries = squares.entries({ given, queens, blocked });
  const position = new URLSearchParams(entries).toString();
  if (shown) entries.push([shown.fundamental ? "fundamental" : "solution", shown.index + 1]);
  const isChanged = drawn.position !== undefined && drawn.position !== position;
  if (isChanged) past.push(drawn.position);
  updateAddress(entries, isChanged || (Boolean(shown) && !drawn.isShown));
  drawn = { position, isShown: Boolean(shown) };
}

// Shows everything, and saves it in the address.
function drawBoard() {
  saveBoard();
  allSquares().forEach(drawCell);
  const [word, meaning, sentence] = shown ? solutionTexts(shown) : known;
  ui.verdict.innerHTML = `<b>${word}</b> ${meaning}<br>${escaped(sentence)}`;
  show(ui.pager, shown, ui.solutionAll);
  show(ui.lists, !shown, ui.solutionNext);
  ui.solutionK.value = shown ? shown.index + 1 : "";
  ui.solutionK.max = shown?.total ?? 1e9;
  enable(ui.solutionPrevious, shown?.index);
  enable(ui.solutionNext, shown?.index + 1 !== shown?.total);
  enable(ui.solutionFundamental, squares.n <= LARGEST_LISTED);
  enable(ui.undo, past.length);
  enable(ui.clear, given.size + queens.size + blocked.size);
  enable(ui.fix, allQueens().length);
  ui.fix.textContent = given.size && !queens.size ? "Free the given queens" : "Make queens given";
  enable(ui.toExplore, squares.n <= ui.exploreN.max && !isAttacked());
  ui.toExplore.href = `#explore&${new URLSearchParams(squares.entries({ queens: allQueens(), blocked }))}`;
  show(ui.complete, !known[3], ui.hint);
}

// Recomputes and shows everything after a change of the board, or when it was counted.
function changed(count = {}) {
  attacked = new Set(wasm_bindgen.attacked(boardTask()));
  known = wasm_bindgen.verdict(boardTask(), count.total, count.check);
  showBoard();
}

// Shows the board without a hint or a solution.
function showBoard() {
  solving.stop();
  say("");
  [hinted, shown] = [];
  drawBoard();
}

solving.starts(ui.complete, ui.solveStatus, async (progress) => changed(await solving.pool.count(boardTask(), workersWanted(), countProgress(progress))));

const isAttacked = () => known[0] === "Attacked";
const CONFLICT = "First remove one of the queens that attack each other.";

solving.starts(ui.hint, ui.solveStatus, async () => {
  if (isAttacked()) return CONFLICT;
  const found = await solving.pool.solution(boardTask(), false, 0);
  if (!found.squares) return "There is no solution.";
  [shown, hinted] = [null, [...found.squares].find((number) => !allQueens().includes(number))];
  drawBoard();
  return hinted === undefined ? "The board is solved." : `Hint: a queen on ${squares.nameOf(hinted)}.`;
});

async function showSolution(fundamental, index) {
  if (isAttacked()) return CONFLICT;
  const found = await solving.pool.solution(boardTask(), fundamental, index);
  // Without a number of solutions, the last one is noticed when the next one is asked for.
  if (!found.squares && shown?.index === index - 1) shown.total = index;
  if (found.squares) {
    const total = found.total ?? (fundamental || !known[3] ? undefined : Number(known[3]));
    shown = { fundamental, index, squares: [...found.squares], total };
  }
  hinted = null;
  drawBoard();
  return found.squares ? "" : index ? `There is no solution ${grouped(index + 1)}.` : "There is no solution.";
}

// Puts a queen on a square, blocks it, or frees it. If a solution is shown, only hides that.
function mark(number, what) {
  active = number;
  if (shown) return showBoard();
  if (given.has(number)) return say(`${squares.nameOf(number)} is given. Without other queens, a button frees it.`);
  for (const [set, name] of [[queens, "queen"], [blocked, "blocked"]]) name === what ? set.add(number) : set.delete(number);
  changed();
}

// Shows a board of a size.
function useBoard(size, ...lists) {
  const isNew = size !== squares?.n;
  squares = new Squares(size);
  [given, queens, blocked] = lists.map((list) => new Set(list));
  if (isNew) {
    active = 0;
    drawGrid();
  }
  changed();
}

function undo() {
  if (past.length) location.hash = `solve&${past.at(-1)}`;
}

onSize(ui.solveN, () => {
  const size = numberIn(ui.solveN);
  if (size !== null && size !== squares.n) useBoard(size, [], [], []);
});
ui.undo.onclick = undo;
ui.clear.onclick = () => useBoard(squares.n, queens.size + blocked.size ? given : [], [], []);
ui.fix.onclick = () => useBoard(squares.n, ...(queens.size ? [allQueens(), []] : [[], given]), blocked);
ui.savePosition.onclick = () => {
  const shapes = allSquares().map((number) => [shapeOf(number)[0], number]).filter(([shape]) => shape);
  squares.save(shapes, `Board with queens on ${squares.namesOf(shown?.squares ?? allQueens())}`);
};
const openAll = solving.starts(ui.solutionAll, ui.solveStatus, (_, index = 0) => showSolution(false, index));
const openFundamental = solving.starts(ui.solutionFundamental, ui.solveStatus, (_, index = 0) => showSolution(true, index));
const goTo = solving.starts(ui.solutionNext, ui.solveStatus, (_, index = shown.index + 1) => showSolution(shown.fundamental, index));
ui.solutionPrevious.onclick = () => goTo(shown.index - 1);
ui.solutionK.onchange = () => {
  const number = numberIn(ui.solutionK);
  if (number) goTo(number - 1);
};
ui.solutionClose.onclick = showBoard;
// Calls a function with the square of an event, if it has one.
const onCell = (act) => (event) => {
  const cell = event.target.closest(".cell");
  if (cell) act(Number(cell.id.slice("cell-".length)), event);
};
ui.grid.onclick = onCell((number) => mark(number, queens.has(number) ? "blocked" : blocked.has(number) ? "" : "queen"));
const describe = onCell((number) => shown || solving.running || say(wasm_bindgen.explain(boardTask(), number)));
ui.grid.onpointerover = describe;
ui.grid.addEventListener("focusin", describe);
ui.grid.onpointerleave = () => solving.running || say("");
ui.grid.onkeydown = onCell((number, event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { n, place } = squares;
  const move = { ArrowLeft: -n, ArrowRight: n, ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (event.key === "b") mark(number, blocked.has(number) ? "" : "blocked");
  else if (!move) return;
  else if (number + move >= 0 && number + move < n * n && (Math.abs(move) === n || place(number)[0] === place(number + move)[0])) {
    active = number + move;
    [number, active].forEach(drawCell);
  }
  ui[`cell-${active}`].focus();
  event.preventDefault();
});
addEventListener("keydown", (event) => {
  if (ui["view-solve"].hidden || /^(INPUT|SELECT)$/.test(event.target.tagName)) return;
  if (event.key === "z" && (event.ctrlKey || event.metaKey)) undo();
  else if (shown && !isTyping(event) && !event.target.closest("#grid")) {
    const button = { ArrowLeft: "solutionPrevious", ArrowRight: "solutionNext" }[event.key];
    if (button) ui[button].click();
  }
});

const solveView = {
  title: "Solve",

  open(settings) {
    if (!settings.values.size && squares) return drawBoard();
    settings.set("n", ui.solveN);
    const size = ui.solveN.valueAsNumber;
    const lists = [];
    for (const name of ["given", "queens", "blocked"]) lists.push(settings.squares(name, size, ...lists));
    ui.solveLegend.innerHTML = boardLegend({ queen: "queen", preplaced: "given queen", forced: "queen of a solution", blocked: "blocked" })
      + sign("0 0 10 10", '<rect width="10" height="10" fill="#bdb5a9"/>', "attacked");
    // The board of an earlier address is one to undo to no longer.
    const { position } = drawn;
    drawn = {};
    useBoard(size, ...lists);
    const at = past.lastIndexOf(drawn.position);
    if (at >= 0) past.length = at;
    else if (position && position !== drawn.position) past.push(position);
    enable(ui.undo, past.length);
    for (const [name, openSolution] of [["solution", openAll], ["fundamental", openFundamental]]) {
      const text = settings.take(name);
      if (text === null) continue;
      if (/^[1-9]\d{0,8}$/.test(text) && (name === "solution" || size <= LARGEST_LISTED)) openSolution(text - 1);
      else settings.ignore(name, text);
    }
  },
};
