// A node is [parent, branch, kind, queens, removed, why]. A square is a number, column * n + row; a branch is the square of
// its queen, or below zero, -1 - square, where none is to stand. `queens` are those that propagation placed, `removed` has
// lists that begin with a cause, `why` is what failed, how many failures a fold left out, or the square to choose next.
const nodes = data.nodes;
const count = nodes.length;
const parentOf = nodes.map((node) => node[0]);
const kindOf = nodes.map((node) => node[2]);
// What is drawn of a node: its words and its shape; "k" is a folded subtree with a solution.
const KINDS = {
  c: ["choice", '<circle r="7"/>'],
  o: ["unfinished choice", '<circle r="7"/>'],
  f: ["failure", '<rect x="-6" y="-6" width="12" height="12"/>'],
  s: ["solution", '<path d="M0-9l9 9l-9 9l-9-9z"/>'],
  x: ["failed subtree, folded, with number of failures", '<path d="M0-8l9 16h-18z"/>'],
  k: ["folded, with solutions", '<path d="M0-8l9 16h-18z"/>'],
};
const CAUSES = ["the branch", "found to be attacked", "all-different rows", "all-different rising diagonals", "all-different falling diagonals"];

const children = nodes.map(() => []);
const level = new Int32Array(count);
// The first node after the subtree of each node, since a subtree is listed as a whole.
const end = new Int32Array(count);
// What the nodes before each one add up to, so that a subtree's numbers are a difference.
const before = { nodes: new Float64Array(count + 1), choices: new Float64Array(count + 1), failures: new Float64Array(count + 1), solutions: new Float64Array(count + 1) };
for (let i = 0; i < count; i++) {
  const kind = kindOf[i];
  // A failed subtree that was left out: a binary tree, whose leaves are its failures.
  const leaves = kind === "x" ? nodes[i][5] : 1;
  before.nodes[i + 1] = before.nodes[i] + 2 * leaves - 1;
  before.choices[i + 1] = before.choices[i] + (kind === "c" || kind === "o") + leaves - 1;
  before.failures[i + 1] = before.failures[i] + (kind === "f" || kind === "x" ? leaves : 0);
  before.solutions[i + 1] = before.solutions[i] + (kind === "s");
  if (i > 0) {
    children[parentOf[i]].push(i);
    level[i] = level[parentOf[i]] + 1;
  }
}
for (let i = count - 1; i >= 0; i--) {
  end[i] = children[i].length ? end[children[i].at(-1)] : i + 1;
}
const below = (what, i) => before[what][end[i]] - before[what][i];

const folded = new Uint8Array(count);
let chosen = 0;
let playing = null;

const isFailed = (i) => i > 0 && kindOf[i] === "c" && children[i].length > 0 && below("solutions", i) === 0;
const foldFailures = () => folded.forEach((_, i) => (folded[i] = isFailed(i) ? 1 : 0));
const square = (number) => [Math.floor(number / n), number % n];
const nameOf = (number) => squareName(...square(number));

function branchName(i) {
  const branch = nodes[i][1];
  if (typeof branch === "string") return branch; // of a split
  return branch === null ? "root" : branch < 0 ? `not ${nameOf(-1 - branch)}` : nameOf(branch);
}

function kindName(i) {
  const why = nodes[i][5];
  if (kindOf[i] === "f") return `failure: ${why}`;
  if (kindOf[i] === "x") return `left out, ${plural(why, "failure")}`;
  return KINDS[kindOf[i]][0];
}

// The tree laid out: leaves side by side, every other node above the middle of its branches.
const STEP_X = n < 10 ? 28 : 36;
const STEP_Y = 44;
const MARGIN = 24;
let visible = [];
const place = { x: new Float64Array(count), y: new Float64Array(count) };
const extent = { width: 0, height: 0, depth: 0 };
const zoom = () => 2 ** byId("zoom").value;

function layOut() {
  visible = [];
  let leaves = 0;
  for (let i = 0; i < count; i = folded[i] ? end[i] : i + 1) {
    visible.push(i);
    if (folded[i] || !children[i].length) place.x[i] = MARGIN + leaves++ * STEP_X;
  }
  extent.depth = visible.reduce((most, i) => Math.max(most, level[i]), 0);
  // A wide tree that is drawn small uses the height of its window.
  const room = (byId("stage").clientHeight / zoom() - 2 * MARGIN - 12) / extent.depth;
  const step = Math.max(STEP_Y, Math.min(room, STEP_Y / zoom()));
  for (const i of visible.toReversed()) {
    place.y[i] = MARGIN + level[i] * step;
    if (folded[i] || !children[i].length) continue;
    place.x[i] = (place.x[children[i][0]] + place.x[children[i].at(-1)]) / 2;
  }
  extent.width = 2 * MARGIN + Math.max(0, leaves - 1) * STEP_X;
  extent.height = 2 * MARGIN + extent.depth * step + 12;
}

// How far the stage was scrolled when it was drawn.
let drawn = {};

function short(number) {
  return number < 10000 ? String(number) : number.toLocaleString("en", { notation: "compact" });
}

function item(i) {
  const isFolded = folded[i] || kindOf[i] === "x";
  const kind = isFolded ? (below("solutions", i) ? "k" : "x") : kindOf[i];
  const expanded = children[i].length ? ` aria-expanded="${!folded[i]}"` : "";
  const siblings = i > 0 ? children[parentOf[i]] : [0];
  const hidden = folded[i] ? `, folded: ${plural(below("failures", i), "failure")}, ${plural(below("solutions", i), "solution")}` : "";
  const label = `${branchName(i)}, ${kindName(i)}${hidden}`;
  // In a small tree nobody could read words, and shapes are drawn larger than to scale.
  const isSmall = zoom() < 0.45;
  const grown = isSmall ? ` scale(${Math.min(2, 0.5 / zoom())})` : "";
  const caption = isFolded && !isSmall ? `<text class="hidden" y="19">${short(below("failures", i))}</text>` : "";
  const edge = i > 0 && !isSmall ? `<text class="edge" y="-11">${branchName(i)}</text>` : "";
  return (
    `<g id="node-${i}" class="node ${kind}${i === chosen ? " chosen" : ""}" role="treeitem" aria-level="${level[i] + 1}" ` +
    `aria-setsize="${siblings.length}" aria-posinset="${siblings.indexOf(i) + 1}" aria-selected="${i === chosen}"${expanded} ` +
    `aria-label="${escaped(label)}" transform="translate(${place.x[i]} ${place.y[i]})${grown}"><title>${escaped(label)}</title>` +
    `${KINDS[kind][1]}${edge}${caption}</g>`
  );
}

// Draws what can be seen of the tree, or all of it.
function draw(whole = false) {
  const [stage, tree, scale] = [byId("stage"), byId("tree"), zoom()];
  const width = whole ? extent.width : stage.clientWidth / scale;
  const height = whole ? extent.height : stage.clientHeight / scale;
  // A tree that is narrower than its window stands in the middle.
  const spare = whole ? 0 : Math.max(0, (width - extent.width) / 2);
  const [left, top] = whole ? [0, 0] : [stage.scrollLeft / scale - spare, stage.scrollTop / scale];
  const [right, bottom] = [left + width, top + height];
  tree.setAttribute("viewBox", `${left} ${top} ${width} ${height}`);
  let edges = "";
  let items = "";
  for (const i of visible) {
    const [x, y] = [place.x[i], place.y[i]];
    if (y < top - STEP_Y || y > bottom + STEP_Y) continue;
    if (i > 0) {
      const [px, py] = [place.x[parentOf[i]], place.y[parentOf[i]]];
      if (Math.max(x, px) >= left && Math.min(x, px) <= right) edges += `M${px} ${py}L${x} ${y}`;
    }
    if (x >= left - STEP_X && x <= right + STEP_X) items += item(i);
  }
  tree.innerHTML = `<path class="edges" d="${edges}"/>${items}`;
  tree.setAttribute("aria-activedescendant", `node-${chosen}`);
  drawn = { left: stage.scrollLeft, top: stage.scrollTop };
}

// Scrolls so that the chosen node can be seen.
function bringIntoView() {
  const [stage, scale] = [byId("stage"), zoom()];
  byId("extent").style.width = `${Math.floor(extent.width * scale)}px`;
  byId("extent").style.height = `${Math.floor(extent.height * scale)}px`;
  const [x, y] = [place.x[chosen] * scale, place.y[chosen] * scale];
  const room = 60;
  if (x < stage.scrollLeft + room || x > stage.scrollLeft + stage.clientWidth - room) {
    stage.scrollLeft = x - stage.clientWidth / 2;
  }
  if (y < stage.scrollTop + room || y > stage.scrollTop + stage.clientHeight - room) {
    stage.scrollTop = y - stage.clientHeight / 2;
  }
}

// The board at a node: what each square is, by the branches from the root.
function stateOf(chosen) {
  const path = [];
  for (let i = chosen; i !== null; i = parentOf[i]) path.unshift(i);
  const marks = new Map(data.forbidden.map((number) => [number, "gone"]));
  const queens = new Map(data.preplaced.map(([column, row]) => [column * n + row, "preplaced"]));
  for (const i of path) {
    const [, branch, , placed, removed] = nodes[i];
    for (const [, ...squares] of removed) {
      for (const number of squares) marks.set(number, i === chosen ? "new" : "gone");
    }
    if (branch !== null && branch >= 0 && !queens.has(branch)) queens.set(branch, "queen");
    for (const number of placed) if (!queens.has(number)) queens.set(number, "forced");
  }
  for (const [column, row] of data.blocked) marks.set(column * n + row, "blocked");
  const taken = new Map([...queens.keys()].map((number) => square(number)));
  for (const [column, queen] of taken) {
    for (let row = 0; row < n; row++) {
      const number = column * n + row;
      if (row !== queen && !marks.has(number)) marks.set(number, "gone");
    }
  }
  for (const [number, what] of queens) marks.set(number, what);
  return { path, marks, queens, taken };
}

function causeName(cause) {
  return cause >= 0 ? `queen ${nameOf(cause)}` : CAUSES[-1 - cause];
}

function show() {
  const { path, marks, queens, taken } = stateOf(chosen);
  const [, , kind, placed, removed, why] = nodes[chosen];
  const drawn = [...marks].map(([number, what]) => [what, ...square(number)]);
  if (kind === "c" && why !== null) drawn.push(["next", ...square(why)]);
  const names = [...queens.keys()].map(nameOf).join(" ");
  byId("name").textContent = `${branchName(chosen)}: ${kindName(chosen)}`;
  byId("board").innerHTML = boardSvg(drawn, names ? `Queens on ${names}` : "No queen yet");
  byId("path").textContent = path.map(branchName).join(" › ");
  const lines = removed.map(([cause, ...squares]) => `<li>${causeName(cause)}: ${squares.map(nameOf).join(" ")}</li>`);
  if (placed.length) lines.push(`<li>only one row left: queens on ${placed.map(nameOf).join(" ")}</li>`);
  byId("removed").innerHTML = lines.length ? `<ul>${lines.join("")}</ul>` : "nothing";
  let rows = "";
  for (let column = 0; column < n; column++) {
    const left = [];
    for (let row = n - 1; row >= 0; row--) {
      if (taken.has(column) ? taken.get(column) === row : !marks.has(column * n + row)) left.push(n - row);
    }
    const text = taken.has(column) ? `queen on ${left[0]}` : left.join(" ") || "none";
    rows += `<tr><th scope="row">${columnName(column)}</th><td>${text}</td></tr>`;
  }
  byId("domains").innerHTML = rows;
  byId("numbers").textContent = numbers(chosen);
  byId("fold").disabled = !children[chosen].length;
  byId("fold").textContent = folded[chosen] ? "Unfold" : "Fold";
}

function numbers(i) {
  return `${plural(below("nodes", i), "node")}: ${plural(below("choices", i), "choice")}, ${plural(below("failures", i), "failure")}, ${plural(below("solutions", i), "solution")}`;
}

// Everything anew after a change of what is folded.
function update() {
  layOut();
  bringIntoView();
  draw();
  show();
}

// The whole tree in its window, no larger than usual.
function fit() {
  layOut();
  const { clientWidth, clientHeight } = byId("stage");
  const height = 2 * MARGIN + extent.depth * STEP_Y + 12;
  byId("zoom").value = Math.log2(Math.min(1, clientWidth / extent.width, clientHeight / height));
  update();
}

function choose(i) {
  chosen = i;
  keepInAddress({ node: i });
  for (let above = parentOf[i]; above !== null; above = parentOf[above]) folded[above] = 0;
  update();
  byId("said").textContent = "";
}

function toggle(i) {
  if (children[i].length) folded[i] = 1 - folded[i];
  choose(i);
}

function nextSolution() {
  const next = kindOf.indexOf("s", chosen + 1);
  if (next >= 0) choose(next);
  else byId("said").textContent = below("solutions", 0) ? "No solution comes after this node." : "There is no solution in this tree.";
}

function play() {
  const isPlaying = playing !== null;
  clearInterval(playing);
  playing = isPlaying ? null : setInterval(() => (chosen + 1 < count ? choose(chosen + 1) : play()), 700);
  byId("play").textContent = isPlaying ? "Play" : "Pause";
  byId("play").setAttribute("aria-pressed", String(!isPlaying));
}

function unfoldBelow() {
  folded.fill(0, chosen, end[chosen]);
  update();
}

// The node that is drawn next to the chosen one in the order of the search.
function neighbour(distance) {
  return visible[visible.indexOf(chosen) + distance] ?? chosen;
}

const KEYS = {
  ArrowDown: () => choose(neighbour(1)),
  ArrowUp: () => choose(neighbour(-1)),
  ArrowRight: () => (folded[chosen] ? toggle(chosen) : choose(children[chosen][0] ?? chosen)),
  ArrowLeft: () => (children[chosen].length && !folded[chosen] ? toggle(chosen) : choose(parentOf[chosen] ?? 0)),
  Home: () => choose(0),
  End: () => choose(visible.at(-1)),
  Enter: () => toggle(chosen),
  " ": () => toggle(chosen),
  "*": unfoldBelow,
};
const SHORTCUTS = {
  ".": () => choose(Math.min(chosen + 1, count - 1)),
  ",": () => choose(Math.max(chosen - 1, 0)),
  n: nextSolution,
  p: play,
  f: fit,
};

// Chooses the node that the address asks for.
function follow() {
  const node = Number(asked().get("node"));
  if (node in nodes) choose(node);
}

byId("about").textContent = [data.cut, `${numbers(0)}.`].filter(Boolean).join(" ");
const isThere = (kind) => kind !== "o" || kindOf.includes(kind);
const kindSign = (kind) => sign("-11 -11 22 22", `<g class="${kind}">${KINDS[kind][1]}</g>`, KINDS[kind][0]);
byId("legend").innerHTML = Object.keys(KINDS).filter(isThere).map(kindSign).join("");
byId("signs").innerHTML = boardLegend({
  queen: "chosen", forced: "by propagation", preplaced: "preplaced", new: "removed here", gone: "removed before", blocked: "blocked", next: "next choice",
});
byId("first").onclick = KEYS.Home;
byId("back").onclick = SHORTCUTS[","];
byId("on").onclick = SHORTCUTS["."];
byId("play").onclick = play;
byId("solution").onclick = nextSolution;
byId("fold").onclick = KEYS.Enter;
byId("unfold").onclick = unfoldBelow;
byId("failures").onclick = () => {
  foldFailures();
  // The chosen node may be in a fold now: its outermost folded ancestor stands for it.
  for (let i = parentOf[chosen]; i !== null; i = parentOf[i]) if (folded[i]) chosen = i;
  choose(chosen);
};
byId("fit").onclick = fit;
byId("zoom").oninput = update;
byId("stage").onscroll = () => {
  const { scrollLeft, scrollTop } = byId("stage");
  if (drawn.left !== scrollLeft || drawn.top !== scrollTop) draw();
};
window.onresize = () => draw();
// A wide tree would be too small on paper: of that, what is in view.
window.onbeforeprint = () => draw(extent.width < 1500);
window.onafterprint = () => draw();
byId("tree").onclick = (event) => {
  const node = event.target.closest(".node");
  if (!node) return;
  const i = Number(node.id.slice("node-".length));
  if (i === chosen) toggle(i);
  else choose(i);
};
byId("tree").onkeydown = (event) => {
  const act = !isTyping(event) && KEYS[event.key];
  if (!act) return;
  act();
  event.preventDefault();
};
document.onkeydown = (event) => {
  const act = !isTyping(event) && SHORTCUTS[event.key];
  if (act) act();
};
window.onhashchange = follow;
foldFailures();
follow();
fit();
