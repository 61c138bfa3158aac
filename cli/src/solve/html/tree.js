// A node is [parent, branch, kind, queens, removed, detail]. Squares are indices: column * n + row. A branch is the square of
// its queen, or -1 - square if it excludes the square. `queens` are those placed by propagation. `removed` is a list of lists,
// each with a cause followed by squares. `detail` is the reason for a failure, the number of folded failures, or the next square.
const nodes = data.nodes;
const count = nodes.length;
const parentOf = nodes.map((node) => node[0]);
const kindOf = nodes.map((node) => node[2]);
// Names and shapes by kind of node. "k" is a folded subtree with a solution, and "d" is a dense subtree.
const KINDS = {
  c: ["choice", '<circle r="7"/>'],
  o: ["unfinished choice", '<circle r="7"/>'],
  f: ["failure", '<rect x="-6" y="-6" width="12" height="12"/>'],
  s: ["solution", '<path d="M0-9l9 9l-9 9l-9-9z"/>'],
  x: ["failed subtree, folded", '<path d="M0-8l9 16h-18z"/>'],
  k: ["folded, with solutions", '<path d="M0-8l9 16h-18z"/>'],
  d: ["narrow subtree with its solutions", '<path d="M-3-8h6l6 16h-18z"/>'],
};
const CAUSES = ["the branch", "found to be attacked", "all-different rows", "all-different rising diagonals", "all-different falling diagonals"];

const children = nodes.map(() => []);
const level = new Int32Array(count);
// Index one past the subtree of each node. Subtrees are contiguous.
const end = new Int32Array(count);
// Prefix sums over the nodes. The counts of a subtree are differences of two prefix sums.
const before = { nodes: new Float64Array(count + 1), choices: new Float64Array(count + 1), failures: new Float64Array(count + 1), solutions: new Float64Array(count + 1) };
for (let i = 0; i < count; i++) {
  const kind = kindOf[i];
  // A folded failed subtree is a binary tree whose leaves are its failures.
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
  if (typeof branch === "string") return branch; // a split
  return branch === null ? "root" : branch < 0 ? `not ${nameOf(-1 - branch)}` : nameOf(branch);
}

function kindName(i) {
  const detail = nodes[i][5];
  if (kindOf[i] === "f") return `failure: ${detail}`;
  if (kindOf[i] === "x") return `left out, ${plural(detail, "failure")}`;
  return KINDS[kindOf[i]][0];
}

// Leaves are laid out side by side, and other nodes are centred above their leaves. Steps are in pixels at zoom 1, and are
// wide enough for labels. The margin is in pixels at any zoom.
const STEP_X = 2 + 6 * Math.max(...nodes.map((_, i) => branchName(i).length));
const STEP_Y = 48;
const MARGIN = 36;
// Shapes are 12 to 18 pixels wide at zoom 1, and never shrink below LEAST_SCALE. Narrower subtrees are drawn as triangles.
const LEAST_SCALE = 0.55;
const DENSE = 14;
let visible = [];
const array = () => new Float64Array(count);
// First leaf, last leaf and lowest level of each node's subtree.
const place = { first: array(), last: array(), lowest: array() };
// Size of the tree, its left margin, and the distance between levels, in pixels.
const extent = { width: 0, height: 0, left: 0, step: 0 };
const zoom = () => 2 ** byId("zoom").value;
// Minimum zoom at which labels fit between nodes. Below it, the levels are spaced to fill the window.
const READABLE = 0.85;
const isReadable = () => zoom() >= READABLE;
const isLeaf = (i) => folded[i] || !children[i].length;
const widthOf = (i) => (place.last[i] - place.first[i]) * STEP_X * zoom();
const isDense = (i) => place.first[i] < place.last[i] && widthOf(i) < DENSE && !isReadable();

function layOut() {
  visible = [];
  let leaves = 0;
  for (let i = 0; i < count; i = folded[i] ? end[i] : i + 1) {
    visible.push(i);
    place.lowest[i] = level[i];
    if (isLeaf(i)) place.first[i] = place.last[i] = leaves++;
  }
  for (const i of visible.toReversed()) {
    if (isLeaf(i)) continue;
    const [left, right] = [children[i][0], children[i].at(-1)];
    place.first[i] = place.first[left];
    place.last[i] = place.last[right];
    place.lowest[i] = Math.max(place.lowest[left], place.lowest[right]);
  }
  const { clientWidth, clientHeight } = byId("stage");
  const available = (clientHeight - 2 * MARGIN) / Math.max(1, place.lowest[0]);
  extent.step = Math.max(Math.min(available, 2 * STEP_Y), isReadable() ? STEP_Y * zoom() : 0);
  extent.width = 2 * MARGIN + widthOf(0);
  extent.height = 2 * MARGIN + place.lowest[0] * extent.step;
  // A tree narrower than its window is centred.
  extent.left = MARGIN + Math.max(0, (clientWidth - extent.width) / 2);
}

const pixelOf = (i) => [extent.left + place.first[i] * STEP_X * zoom() + widthOf(i) / 2, MARGIN + level[i] * extent.step];

// Scroll position at the last redraw.
let drawn = {};

function short(number) {
  return number < 10000 ? String(number) : number.toLocaleString("en", { notation: "compact" });
}

// Returns the SVG of a node. If `dense` is set, the subtree is drawn as a triangle.
function item(i, x, y, dense = false) {
  const isFolded = folded[i] || kindOf[i] === "x";
  // A folded subtree is green if it has a solution. A dense one also shows its solutions, so it is green only without failures.
  const isGreen = below(dense ? "failures" : "solutions", i) > 0 !== dense;
  const kind = isFolded || dense ? (isGreen ? "k" : "x") : kindOf[i];
  const expanded = children[i].length ? ` aria-expanded="${!folded[i]}"` : "";
  const siblings = i > 0 ? children[parentOf[i]] : [0];
  const inside = `${plural(below("failures", i), "failure")}, ${plural(below("solutions", i), "solution")}`;
  const hidden = folded[i] ? `, folded: ${inside}` : dense ? `, zoom in to see ${inside}` : "";
  const label = `${branchName(i)}, ${kindName(i)}${hidden}`;
  const scale = dense ? 1 : Math.max(zoom(), i === chosen ? 2 * LEAST_SCALE : LEAST_SCALE);
  const [half, height] = [widthOf(i) / 2 + 3, (place.lowest[i] - level[i]) * extent.step];
  const shape = dense ? `<path d="M-2 0h4L${half} ${height}H${-half}z"/>` : KINDS[kind][1];
  const caption = isFolded && isReadable() ? `<text y="21">${short(below("failures", i))}</text>` : "";
  const edge = i > 0 && isReadable() ? `<text class="edge" y="-12">${branchName(i)}</text>` : "";
  return (
    `<g id="node-${i}" class="node ${kind}${dense ? " d" : ""}${i === chosen ? " chosen" : ""}" role="treeitem" ` +
    `aria-level="${level[i] + 1}" aria-setsize="${siblings.length}" aria-posinset="${siblings.indexOf(i) + 1}" ` +
    `aria-selected="${i === chosen}"${expanded} aria-label="${escaped(label)}" ` +
    `transform="translate(${x} ${y}) scale(${scale})"><title>${escaped(label)}</title>${shape}${edge}${caption}</g>`
  );
}

// Draws the visible part of the tree. A dense subtree is drawn as a triangle with its solutions.
function draw() {
  const [stage, tree] = [byId("stage"), byId("tree")];
  const { scrollLeft: left, scrollTop: top, clientWidth: width, clientHeight: height } = stage;
  const [right, bottom] = [left + width, top + height];
  tree.setAttribute("viewBox", `${left} ${top} ${width} ${height}`);
  tree.style.fontSize = `${11 / Math.min(1, zoom())}px`;
  let edges = "";
  // Layers from back to front: dense subtrees, nodes, solutions, the selected node.
  const layers = ["", "", "", ""];
  const occupied = new Set();
  let denseEnd = 0;
  for (const i of visible) {
    const [x, y] = pixelOf(i);
    const isInside = i < denseEnd;
    const isSolved = kindOf[i] === "s" || (folded[i] && below("solutions", i) > 0);
    const dense = !isInside && isDense(i);
    if (dense) denseEnd = end[i];
    if (y < top - extent.step || y > bottom + extent.step) continue;
    if (i > 0 && !isInside) {
      const [px, py] = pixelOf(parentOf[i]);
      if (Math.max(x, px) >= left && Math.min(x, px) <= right) edges += `M${px} ${py}L${x} ${y}`;
    }
    if (x < left - STEP_X * zoom() - DENSE || x > right + STEP_X * zoom() + DENSE) continue;
    if (dense) layers[0] += item(i, x, y, true);
    else if (i === chosen) layers[3] = item(i, x, y);
    else if (isSolved) {
      // If several would cover the same pixels, only one is drawn.
      const pixels = `${Math.round(x / 3)},${Math.round(y / 3)}`;
      if (!occupied.has(pixels)) layers[2] += item(i, x, y);
      occupied.add(pixels);
    } else if (!isInside) layers[1] += item(i, x, y);
  }
  tree.innerHTML = `<path class="edges" d="${edges}"/>${layers.join("")}`;
  tree.setAttribute("aria-activedescendant", `node-${chosen}`);
  drawn = { left, top };
}

// Scrolls so that the selected node is visible. If `isCentred` is set, centres it.
function bringIntoView(isCentred) {
  const stage = byId("stage");
  byId("extent").style.width = `${Math.floor(extent.width)}px`;
  byId("extent").style.height = `${Math.floor(extent.height)}px`;
  const [x, y] = pixelOf(chosen);
  const isOff = (position, from, size) => isCentred || position < from + MARGIN || position > from + size - MARGIN;
  if (isOff(x, stage.scrollLeft, stage.clientWidth)) stage.scrollLeft = x - stage.clientWidth / 2;
  if (isOff(y, stage.scrollTop, stage.clientHeight)) stage.scrollTop = y - stage.clientHeight / 2;
}

// Returns the board at a node, which is computed from the nodes on the path from the root.
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
  const [, , kind, placed, removed, detail] = nodes[chosen];
  const drawn = [...marks].map(([number, what]) => [what, ...square(number)]);
  if (kind === "c" && detail !== null) drawn.push(["next", ...square(detail)]);
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

// Lays out and redraws everything after a change.
function update(isCentred = false) {
  layOut();
  bringIntoView(isCentred);
  draw();
  show();
}

// Zooms so that the whole tree fits its window. A small tree is enlarged.
function fit() {
  layOut();
  const { clientWidth, clientHeight } = byId("stage");
  const across = (clientWidth - 2 * MARGIN) / STEP_X / Math.max(1, place.last[0]);
  const down = (clientHeight - 2 * MARGIN) / STEP_Y / Math.max(1, place.lowest[0]);
  byId("zoom").value = Math.log2(Math.min(across, down < READABLE ? READABLE - 0.01 : down));
  update();
}

// Selects a node. If `isRead` is set, centres it and makes the labels readable.
function choose(i, isRead = true) {
  chosen = i;
  updateAddress({ node: i });
  for (let above = parentOf[i]; above !== null; above = parentOf[above]) folded[above] = 0;
  if (isRead && !isReadable()) byId("zoom").value = 0;
  update(isRead);
  byId("status").textContent = "";
}

function toggle(i) {
  if (children[i].length) folded[i] = 1 - folded[i];
  choose(i, false);
}

// Selects the next node that places a queen on the square in the text field, or whose branch is named there, such as
// "not c5". The search wraps around.
function findSquare() {
  const name = byId("square").value.trim().toLowerCase();
  const isThere = (i) => branchName(i) === name || nodes[i][3].some((number) => nameOf(number) === name);
  const found = nodes.map((_, k) => (chosen + 1 + k) % count).find(isThere);
  if (found === undefined) byId("status").textContent = `No node has a queen on ${name}.`;
  else choose(found);
}

function nextSolution() {
  const next = kindOf.indexOf("s", chosen + 1);
  if (next >= 0) choose(next);
  else byId("status").textContent = below("solutions", 0) ? "No solutions after this node." : "No solutions in this tree.";
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
  if (isReadable()) update();
  else fit();
}

// Returns the visible node that is `distance` places after the selected node in search order.
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

// Selects the node that is named in the address.
function applyAddress() {
  const node = addressParameters().get("node");
  if (node in nodes) choose(Number(node));
}

byId("about").textContent = [data.cut, `${numbers(0)}.`].filter(Boolean).join(" ");
const occurs = (kind) => kind !== "o" || kindOf.includes(kind);
const kindSign = (kind) => sign("-11 -11 22 22", `<g class="${kind}">${KINDS[kind][1]}</g>`, KINDS[kind][0]);
byId("legend").innerHTML = Object.keys(KINDS).filter(occurs).map(kindSign).join("");
byId("signs").innerHTML = boardLegend({
  queen: "placed by a branch", forced: "placed by propagation", preplaced: "preplaced", new: "removed at this node", gone: "removed earlier", blocked: "blocked", next: "next choice",
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
  // If the selected node is now hidden, select its outermost folded ancestor.
  for (let i = parentOf[chosen]; i !== null; i = parentOf[i]) if (folded[i]) chosen = i;
  choose(chosen, false);
  fit();
};
byId("square").onkeydown = (event) => {
  if (event.key === "Enter") findSquare();
};
byId("fit").onclick = fit;
byId("zoom").oninput = () => update();
byId("stage").onscroll = () => {
  const { scrollLeft, scrollTop } = byId("stage");
  if (drawn.left !== scrollLeft || drawn.top !== scrollTop) draw();
};
window.onresize = () => (isReadable() ? update() : fit());
byId("tree").onclick = (event) => {
  const node = event.target.closest(".node");
  if (!node) return;
  const i = Number(node.id.slice("node-".length));
  if (i === chosen) toggle(i);
  else choose(i, isDense(i));
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
window.onhashchange = applyAddress;
foldFailures();
fit();
applyAddress();
