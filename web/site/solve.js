// The view with a board to place queens on.
"use strict";

// Largest board whose solutions are counted after each change, and the largest one whose fundamental solutions are listed.
const AT_ONCE = 12;
const LARGEST_LISTED = 20;
let boardSize;
let queens = new Set();
let blocked = new Set();
let active = 0;
// The hinted square, the number of solutions with its check, the reason why there is none, each if it is known, and the solution that
// is shown: { fundamental, index, squares, total }.
let [hinted, counted, deadEnd, shown] = [];

const boardTask = (placed = queens) => taskOf(n, "", "", ...[placed, blocked].map((squares) => [...squares].map(nameOf).join(" ")));
const say = (text) => (byId("solve-status").textContent = text);
const allSquares = () => [...Array(n * n).keys()];

// Returns the line on which two squares attack each other, if any.
function lineOf(one, other) {
  const [across, down] = [0, 1].map((axis) => Math.abs(place(one)[axis] - place(other)[axis]));
  return one === other ? null : across === 0 ? "column" : down === 0 ? "row" : across === down ? "diagonal" : null;
}
const attackersOf = (number) => [...queens].filter((queen) => lineOf(queen, number));
// Returns the last queen that another one attacks, if any.
const attackedQueen = () => [...queens].findLast((queen) => attackersOf(queen).length);

// Says why no queen can stand on a square, or how many solutions have one there.
function explainCell(number) {
  const name = nameOf(number);
  const attackers = attackersOf(number).map((queen) => `${nameOf(queen)} (same ${lineOf(queen, number)})`);
  if (blocked.has(number)) return `${name} is blocked.`;
  if (attackers.length) return `${name} is attacked by ${new Intl.ListFormat("en").format(attackers)}.`;
  if (queens.has(number) || deadEnd || n > AT_ONCE || attackedQueen() !== undefined) return "";
  const task = boardTask([...queens, number]);
  const [total] = wasm_bindgen.count_small(task, 0);
  if (total === "0") return `${name} is free, but with a queen there, ${wasm_bindgen.dead_end(task) ?? "there is no solution."}`;
  return `${name} is free, and ${total === "1" ? "one solution has" : `${grouped(BigInt(total))} solutions have`} a queen there.`;
}

function drawCell(number) {
  const cell = byId(`cell-${number}`);
  const [column, row] = place(number);
  const isSolution = shown?.squares.includes(number);
  const isAttacked = !shown && !blocked.has(number) && attackersOf(number).length > 0;
  const [shape, name] = queens.has(number) ? [shown ? "preplaced" : "queen", "queen"]
    : blocked.has(number) ? ["blocked", "blocked"] : isSolution ? ["queen", "queen of the solution"] : [];
  const classes = { dark: (column + n - 1 - row) % 2 === 0, attacked: isAttacked && !shape, conflict: isAttacked && shape, hinted: hinted === number };
  cell.className = ["cell", ...Object.keys(classes).filter((name) => classes[name])].join(" ");
  cell.innerHTML = shape ? `<svg viewBox="0 0 10 10" aria-hidden="true"><use href="#${shape}"/></svg>` : "";
  cell.ariaLabel = [nameOf(number), name, isAttacked && "attacked", hinted === number && "hint"].filter(Boolean).join(", ");
  cell.tabIndex = number === active ? 0 : -1;
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

// Returns what is known about the board: a word or number, what it means, and a sentence.
function verdict() {
  const kinds = [[queens.size, "queen"], [blocked.size, "blocked square"]].filter(([size]) => size);
  const placed = kinds.length && `with ${kinds.map(([size, name]) => (size === 1 ? `this ${name}` : `these ${name}s`)).join(" and ")}`;
  const attacked = attackedQueen();
  if (shown) {
    const { fundamental, index, total } = shown;
    const name = `${fundamental ? "Fundamental solution" : "Solution"} ${grouped(index + 1)}`;
    return [name, total === undefined ? "" : `of ${grouped(total)}`, queens.size ? "Your queens are blue." : fundamental ? "None of these is a rotation or reflection of another." : ""];
  }
  if (attacked !== undefined) return ["Attacked", "", explainCell(attacked)];
  if (queens.size === n) return ["Solved!", "", "No queen attacks another."];
  if (placed && deadEnd) return ["0", "solutions left", `W${placed.slice(1)}, ${deadEnd}`];
  if (!counted) return [queens.size, `of ${plural(n, "queen")} placed`, ""];
  const things = counted.total === "1" ? "solution" : "solutions";
  return [grouped(BigInt(counted.total)), placed ? `${things} left` : things, placed ? `${placed}.` : counted.check];
}

// Shows everything, and saves it in the address.
function drawBoard() {
  allSquares().forEach(drawCell);
  const [word, meaning, sentence] = verdict();
  byId("verdict").innerHTML = `<b>${word}</b> ${meaning}<br>${escaped(sentence)}`;
  byId("pager").hidden = !shown;
  byId("lists").hidden = Boolean(shown);
  byId("solution-previous").disabled = shown?.index === 0;
  byId("solution-next").disabled = shown?.index + 1 === shown?.total;
  byId("solution-fundamental").disabled = n > LARGEST_LISTED;
  byId("complete").hidden = n <= AT_ONCE;
  const entries = { n };
  if (queens.size) entries.queens = [...queens].map(nameOf).join(" ");
  if (blocked.size) entries.blocked = [...blocked].map(nameOf).join(" ");
  if (shown) entries[shown.fundamental ? "fundamental" : "solution"] = shown.index + 1;
  updateAddress(entries);
}

// Recomputes and shows everything after a change of the board.
function changed() {
  stop();
  say("");
  [hinted, counted, deadEnd, shown] = [];
  if (attackedQueen() === undefined) {
    deadEnd = wasm_bindgen.dead_end(boardTask());
    const [total, , check] = n <= AT_ONCE ? wasm_bindgen.count_small(boardTask(), 0) : [];
    if (total) counted = { total, check };
  }
  drawBoard();
}

starts("complete", "solve-status", async (progress) => {
  counted = await pool.count(boardTask(), workersWanted(), countProgress(progress));
  drawBoard();
});

const CONFLICT = "First remove one of the queens that attack each other.";

starts("hint", "solve-status", async () => {
  if (attackedQueen() !== undefined) return CONFLICT;
  const { squares } = await pool.solution(boardTask(), false, 0);
  if (!squares) return "There is no solution.";
  [shown, hinted] = [null, [...squares].find((number) => !queens.has(number))];
  drawBoard();
  return hinted === undefined ? "The board is solved." : `Hint: a queen on ${nameOf(hinted)}.`;
});

async function showSolution(fundamental, index) {
  if (attackedQueen() !== undefined) return CONFLICT;
  say("Searching …");
  const { squares, total } = await pool.solution(boardTask(), fundamental, index);
  // Without a number of solutions, the last one is noticed when the next one is asked for.
  if (!squares && shown) shown.total = index;
  if (squares) shown = { fundamental, index, squares: [...squares], total: total ?? (fundamental || !counted ? undefined : Number(counted.total)) };
  hinted = null;
  drawBoard();
  return squares ? "" : index ? `There is no solution ${grouped(index + 1)}.` : "There is no solution.";
}

// Puts a queen on a square, blocks it, or frees it. If a solution is shown, only hides that.
function mark(number, what) {
  active = number;
  if (shown) return changed();
  for (const [set, name] of [[queens, "queen"], [blocked, "blocked"]]) name === what ? set.add(number) : set.delete(number);
  changed();
}

function useSize(size) {
  boardSize = size;
  useBoard({ n: size });
  [queens, blocked, active] = [new Set(), new Set(), 0];
  drawGrid();
}

byId("solving").onsubmit = () => false;
byId("solve-n").onchange = () => {
  const size = numberIn(byId("solve-n"));
  if (size === null) return;
  useSize(size);
  changed();
};
byId("clear").onclick = () => {
  [queens, blocked] = [new Set(), new Set()];
  changed();
};
const openSolution = starts("solution-all", "solve-status", (_, fundamental = false, index = 0) => showSolution(fundamental, index));
starts("solution-fundamental", "solve-status", () => showSolution(true, 0));
starts("solution-previous", "solve-status", () => showSolution(shown.fundamental, shown.index - 1));
starts("solution-next", "solve-status", () => showSolution(shown.fundamental, shown.index + 1));
byId("solution-close").onclick = changed;
// Calls a function with the square of an event, if it has one.
const onCell = (act) => (event) => {
  const cell = event.target.closest(".cell");
  if (cell) act(Number(cell.id.slice("cell-".length)), event);
};
byId("grid").onclick = onCell((number) => mark(number, queens.has(number) ? "blocked" : blocked.has(number) ? "" : "queen"));
const describe = onCell((number) => shown || running || say(explainCell(number)));
byId("grid").onpointerover = describe;
byId("grid").addEventListener("focusin", describe);
byId("grid").onpointerleave = () => running || say("");
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
        const number = allSquares().find((number) => nameOf(number) === square);
        const isWrong = number === undefined || queens.has(number);
        if (isWrong) settings.ignored.push(`${name}=${square} (${number === undefined ? "no square of the board" : "it has a queen"})`);
        else set.add(number);
      }
    }
    byId("solve-legend").innerHTML = boardLegend({ queen: "queen", preplaced: "your queen in a solution", blocked: "blocked" })
      + sign("0 0 10 10", '<rect width="10" height="10" fill="#bdb5a9"/>', "attacked");
    changed();
    for (const name of ["solution", "fundamental"]) {
      const text = settings.take(name);
      if (/^[1-9]\d{0,8}$/.test(text) && (name === "solution" || n <= LARGEST_LISTED)) openSolution(name === "fundamental", text - 1);
      else if (text !== null) settings.ignored.push(`${name}=${text}`);
    }
  },
};
