// Draws a search tree and lets the user explore it. Its nodes are in the file, or they are computed when they are first seen.
//
// A node is [parent, branch, kind, queens, removed, detail, tests, lookups]. Squares are indices: column * n + row. A branch is the
// square of its queen, or -1 - square if it excludes the square. `queens` are those placed by propagation. `removed` is a list of
// lists, each with a cause followed by squares. `detail` is the reason for a failure, the number of folded failures, or the next
// square. Computed nodes have the numbers of tests and lookups, with those of the whole subtree if it is folded.
let source;
let nodes = [];
const parentOf = (i) => nodes[i][0];
const kindOf = (i) => nodes[i][2];
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

// For each node: its children, its level, its rank in search order, and the rank one past its subtree.
let [children, level] = [[], new Int32Array(0)];
let rank, end;
// Nodes in search order.
let order;
// Numbers of nodes, choices, failures, solutions, unexplored choices, tests and lookups in the subtree of each node.
const SUMS = ["nodes", "choices", "failures", "solutions", "open", "tests", "lookups"];
const sums = {};
let folded = new Uint8Array(0);
const below = (what, i) => sums[what][i];
// Length of the longest label.
let longest = 0;

// Updates everything that is computed from the nodes. Earlier nodes keep their parents and branches.
function index() {
  const [count, known] = [nodes.length, children.length];
  const grown = (array) => {
    const copy = new array.constructor(count);
    copy.set(array);
    return copy;
  };
  [folded, level] = [grown(folded), grown(level)];
  for (let i = known; i < count; i++) {
    const parent = parentOf(i);
    children.push([]);
    if (parent !== null) {
      children[parent].push(i);
      level[i] = level[parent] + 1;
    }
    longest = Math.max(longest, branchName(i).length);
  }
  [rank, end, order] = [0, 1, 2].map(() => new Int32Array(count));
  for (const what of SUMS) sums[what] = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const [, , kind, , , detail, tests, lookups] = nodes[i];
    // A folded failed subtree is a binary tree whose leaves are its failures.
    const leaves = kind === "x" ? detail : 1;
    sums.nodes[i] = 2 * leaves - 1;
    sums.choices[i] = (kind === "c" || kind === "o") + leaves - 1;
    sums.failures[i] = kind === "f" || kind === "x" ? leaves : 0;
    sums.solutions[i] = kind === "s";
    sums.open[i] = kind === "o";
    sums.tests[i] = tests ?? 0;
    sums.lookups[i] = lookups ?? 0;
  }
  // A child comes after its parent in `nodes`.
  for (let i = count - 1; i >= 0; i--) {
    end[i] += 1; // the size of the subtree for now
    if (i === 0) break;
    end[parentOf(i)] += end[i];
    for (const what of SUMS) sums[what][parentOf(i)] += sums[what][i];
  }
  for (let i = 0; i < count; i++) {
    order[rank[i]] = i;
    let next = rank[i] + 1;
    for (const child of children[i]) {
      rank[child] = next;
      next += end[child];
    }
    end[i] += rank[i];
  }
}

let chosen = 0;
let playing = null;

// Whether the children of a node are not known yet, but can be computed.
const isClosed = (i) => source.open && "ox".includes(kindOf(i));
const canFold = (i) => i > 0 && children[i].length > 0; // the root stays open
const isFailed = (i) => i > 0 && kindOf(i) === "c" && children[i].length > 0 && !below("solutions", i) && !below("open", i);
const foldFailures = () => folded.forEach((_, i) => (folded[i] = isFailed(i) ? 1 : 0));
const square = (number) => [Math.floor(number / n), number % n];
const nameOf = (number) => squareName(...square(number));

function branchName(i) {
  const branch = nodes[i][1];
  return branch === null ? "root" : branch < 0 ? `not ${nameOf(-1 - branch)}` : nameOf(branch);
}

function kindName(i) {
  const detail = nodes[i][5];
  if (kindOf(i) === "f") return `failure: ${detail}`;
  if (kindOf(i) === "x") return `${source.open ? "failed subtree" : "left out"}, ${plural(detail, "failure")}`;
  return KINDS[kindOf(i)][0];
}

// Leaves are laid out side by side, and other nodes are centred above their leaves. Steps are in pixels at zoom 1, and are
// wide enough for labels. The margin is in pixels at any zoom.
const stepX = () => 2 + 6 * longest;
const STEP_Y = 48;
const MARGIN = 36;
// Shapes are 12 to 18 pixels wide at zoom 1, and never shrink below LEAST_SCALE. Narrower subtrees are drawn as triangles.
const LEAST_SCALE = 0.55;
const DENSE = 14;
// Distance between leaves from which on their shapes hardly overlap, so that no subtree is too narrow.
const SEPARATE = 5;
// Number of nodes up to which a tree is shown unfolded at once.
const SMALL = 400;
let visible = [];
// First leaf, last leaf and lowest level of each node's subtree.
let place = {};
// Size of the tree, its left margin, and the distance between levels, in pixels.
const extent = { width: 0, height: 0, left: 0, step: 0 };
let zoomed = 1;
const zoom = () => zoomed;
function setZoom(power) {
  byId("zoom").value = power;
  zoomed = 2 ** byId("zoom").value; // within the slider's limits
}
// Minimum zoom at which labels fit between nodes. Below it, the levels are spaced to fill the window.
const READABLE = 0.85;
const isReadable = () => zoom() >= READABLE;
const isLeaf = (i) => folded[i] || !children[i].length;
const widthOf = (i) => (place.last[i] - place.first[i]) * stepX() * zoom();
const isDense = (i) => place.first[i] < place.last[i] && widthOf(i) < DENSE && stepX() * zoom() < SEPARATE;

// Size of the window of the tree. One pixel less than rounded, so that a tree that fits needs no scroll bars.
function stageSize() {
  const { clientWidth, clientHeight } = byId("stage");
  return { clientWidth: clientWidth - 1, clientHeight: clientHeight - 1 };
}

function layOut() {
  visible = [];
  let leaves = 0;
  for (const what of ["first", "last", "lowest"]) place[what] = new Float64Array(nodes.length);
  for (let next = 0; next < nodes.length; ) {
    const i = order[next];
    next = folded[i] ? end[i] : next + 1;
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
  const { clientWidth, clientHeight } = stageSize();
  const available = (clientHeight - 2 * MARGIN) / Math.max(1, place.lowest[0]);
  extent.step = Math.max(Math.min(available, 2 * STEP_Y), isReadable() ? STEP_Y * zoom() : 0);
  extent.width = 2 * MARGIN + widthOf(0);
  extent.height = 2 * MARGIN + place.lowest[0] * extent.step;
  // A tree narrower than its window is centred.
  extent.left = MARGIN + Math.max(0, (clientWidth - extent.width) / 2);
}

const pixelOf = (i) => [extent.left + place.first[i] * stepX() * zoom() + widthOf(i) / 2, MARGIN + level[i] * extent.step];

// Scroll position at the last redraw.
let drawn = {};

function short(number) {
  return number < 10000 ? String(number) : number.toLocaleString("en", { notation: "compact" });
}

// Returns the SVG of a node. If `dense` is set, the subtree is drawn as a triangle.
function item(i, x, y, dense = false) {
  const isFolded = folded[i] || kindOf(i) === "x";
  // A folded subtree is green if it has a solution. A dense one also shows its solutions, so it is green only without failures.
  const isGreen = below(dense ? "failures" : "solutions", i) > 0 !== dense;
  const kind = isFolded || dense ? (isGreen ? "k" : "x") : kindOf(i);
  const expanded = children[i].length || isClosed(i) ? ` aria-expanded="${!folded[i] && !isClosed(i)}"` : "";
  const siblings = i > 0 ? children[parentOf(i)] : [0];
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
    `transform="translate(${x} ${y}) scale(${scale})">${shape}${edge}${caption}</g>`
  );
}

// Draws the visible part of the tree.
function draw() {
  const { scrollLeft, scrollTop, clientWidth, clientHeight } = byId("stage");
  drawPart(scrollLeft, scrollTop, clientWidth, clientHeight);
}

// Draws the part of the tree inside a rectangle. A dense subtree is drawn as a triangle with its solutions.
function drawPart(left, top, width, height) {
  const tree = byId("tree");
  const [right, bottom] = [left + width, top + height];
  tree.setAttribute("viewBox", `${left} ${top} ${width} ${height}`);
  tree.style.fontSize = `${11 / Math.min(1, zoom())}px`;
  let edges = "";
  // Layers from back to front: dense subtrees, nodes, solutions, the selected node.
  const layers = ["", "", "", ""];
  const occupied = new Set();
  let denseEnd = 0;
  // Width of a label.
  const around = stepX() * zoom() + DENSE;
  for (let next = 0; next < nodes.length; ) {
    const i = order[next];
    const [x, y] = pixelOf(i);
    const isInside = rank[i] < denseEnd;
    const isSolved = kindOf(i) === "s" || (folded[i] && below("solutions", i) > 0);
    const dense = !isInside && isDense(i);
    if (dense) denseEnd = end[i];
    const isOutside = x + widthOf(i) / 2 < left - around || x - widthOf(i) / 2 > right + around || y > bottom + extent.step;
    // In a dense subtree, only solutions and the selected node are drawn.
    const isEmpty = (dense || isInside) && !below("solutions", i) && !(rank[i] <= rank[chosen] && rank[chosen] < end[i]);
    next = folded[i] || isOutside || isEmpty ? end[i] : next + 1;
    if (y < top - extent.step || y > bottom + extent.step) continue;
    if (i > 0 && !isInside) {
      const [px, py] = pixelOf(parentOf(i));
      if (Math.max(x, px) >= left && Math.min(x, px) <= right) edges += `M${px} ${py}L${x} ${y}`;
    }
    if (x < left - around || x > right + around) continue;
    if (dense) layers[0] += item(i, x, y, true);
    else if (i === chosen) layers[3] = item(i, x, y);
    else if (isSolved) {
      // If several would cover nearly the same pixels, only one is drawn.
      const pixels = isReadable() ? i : `${Math.round(x / 5)},${Math.round(y / 5)}`;
      if (!occupied.has(pixels)) layers[2] += item(i, x, y);
      occupied.add(pixels);
    } else if (!isInside) layers[1] += item(i, x, y);
  }
  tree.innerHTML = `<path class="edges" d="${edges}"/>${layers.join("")}`;
  tree.setAttribute("aria-activedescendant", `node-${chosen}`);
  drawn = { left, top };
}

// Properties that styles set, which a file needs as attributes, with their defaults.
const PAINT = {
  fill: "", stroke: "none", "stroke-width": "1px", "stroke-opacity": "1", "stroke-dasharray": "none", "paint-order": "normal", "text-anchor": "start",
};

// Returns an SVG document with the whole tree, as it is folded and zoomed, without a selection.
function drawing() {
  const tree = byId("tree");
  // The outermost labels may need more than the margin.
  const pad = (stepX() * zoom()) / 2;
  const left = Math.floor(extent.left - MARGIN - pad);
  const [width, height] = [extent.width + 2 * pad, extent.height].map(Math.ceil);
  const selected = chosen;
  chosen = -1;
  drawPart(left, 0, width, height);
  chosen = selected;
  const copy = tree.cloneNode(true);
  const shown = tree.querySelectorAll("*");
  // Few other programs know mixed colours, which have components from 0 to 1.
  const plain = (paint) => paint.replace(/^color\(srgb (\S+) (\S+) (\S+)\)$/, (_, ...parts) => `rgb(${parts.slice(0, 3).map((part) => Math.round(255 * part))})`);
  copy.querySelectorAll("*").forEach((element, i) => {
    const label = element.getAttribute("aria-label");
    for (const name of element.getAttributeNames()) if (/^(id|class|role|aria-.*)$/.test(name)) element.removeAttribute(name);
    if (label) element.insertAdjacentHTML("afterbegin", `<title>${escaped(label)}</title>`);
    if (element.tagName === "g") return;
    const style = getComputedStyle(shown[i]);
    for (const [name, usual] of Object.entries(PAINT)) {
      const value = plain(style.getPropertyValue(name));
      if (value !== usual) element.setAttribute(name, value);
    }
  });
  const ground = getComputedStyle(document.body).backgroundColor;
  const size = `width="${width}" height="${height}" viewBox="${left} 0 ${width} ${height}"`;
  const font = `font-family="sans-serif" font-size="${parseFloat(tree.style.fontSize)}"`;
  const parts = [...copy.children].map((child) => new XMLSerializer().serializeToString(child).replace(/ xmlns="[^"]*"/, ""));
  draw();
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${font}>
<title>${escaped(document.title)}</title>
<rect x="${left}" width="100%" height="100%" fill="${ground}"/>
${parts.join("\n").replace(/\d+\.\d{3,}/g, (number) => Number(number).toFixed(2))}
</svg>
`;
}

// Saves a drawing of the tree as a file.
function save() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([drawing()], { type: "image/svg+xml" }));
  link.download = "tree.svg";
  link.click();
  URL.revokeObjectURL(link.href);
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
  for (let i = chosen; i !== null; i = parentOf(i)) path.unshift(i);
  const marks = new Map(data.forbidden.map((number) => [number, "gone"]));
  const queens = new Map(data.preplaced.map(([column, row]) => [column * n + row, "preplaced"]));
  for (const i of path) {
    const branch = nodes[i][1];
    const [placed, removed] = source.state(i);
    for (const [, ...squares] of removed) {
      for (const number of squares) marks.set(number, i === chosen ? "new" : "gone");
    }
    if (branch >= 0 && branch !== null && !queens.has(branch)) queens.set(branch, "queen");
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
  if (typeof cause === "string") return cause;
  return cause >= 0 ? `queen ${nameOf(cause)}` : CAUSES[-1 - cause];
}

function show() {
  const { path, marks, queens, taken } = stateOf(chosen);
  const [, , kind, , , detail] = nodes[chosen];
  const [placed, removed] = source.state(chosen);
  // On a solved board, all squares that have no queen were removed.
  const shown = [...marks].filter(([, what]) => kind !== "s" || what !== "gone");
  const drawn = shown.map(([number, what]) => [what, ...square(number)]);
  if ((kind === "c" || kind === "o") && detail !== null) drawn.push(["next", ...square(detail)]);
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
  byId("fold").disabled = !canFold(chosen) && !isClosed(chosen);
  byId("fold").textContent = folded[chosen] || isClosed(chosen) ? "Unfold" : "Fold";
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
  const { clientWidth, clientHeight } = stageSize();
  const across = (clientWidth - 2 * MARGIN) / stepX() / Math.max(1, place.last[0]);
  const down = (clientHeight - 2 * MARGIN) / STEP_Y / Math.max(1, place.lowest[0]);
  setZoom(Math.log2(Math.min(across, down < READABLE ? READABLE - 0.01 : down)));
  update();
}

// Selects a node. If `isRead` is set, centres it and makes the labels readable.
function choose(i, isRead = true) {
  chosen = i;
  updateAddress({ node: source.name(i) });
  for (let above = parentOf(i); above !== null; above = parentOf(above)) folded[above] = 0;
  if (isRead && !isReadable()) setZoom(0);
  update(isRead);
  byId("status").textContent = "";
}

// Computes the children of a node, if they are not known yet.
function open(i) {
  if (!isClosed(i)) return;
  source.open(i);
  index();
  folded[i] = 0;
  byId("about").textContent = source.about();
}

const isWhole = () => extent.width <= byId("stage").clientWidth && extent.height <= byId("stage").clientHeight;

// Folds or unfolds a node. A tree that fits its window before or after that fills it, as long as its labels stay readable.
function toggle(i) {
  const [wasWhole, wasReadable] = [isWhole(), isReadable()];
  if (isClosed(i)) open(i);
  else if (canFold(i)) folded[i] = 1 - folded[i];
  layOut();
  const fits = wasWhole || isWhole();
  if (fits) fit();
  choose(i, fits && wasReadable);
}

// Selects the next node that places a queen on the square in the text field, or whose branch is named there, such as
// "not c5". The search wraps around.
function findSquare() {
  const name = byId("square").value.trim().toLowerCase();
  const isThere = (i) => branchName(i) === name || nodes[i][3]?.some((number) => nameOf(number) === name);
  const found = nodes.map((_, k) => order[(rank[chosen] + 1 + k) % nodes.length]).find(isThere);
  if (found === undefined) byId("status").textContent = `No node has a queen on ${name}.`;
  else choose(found);
}

// Selects the next node of some kinds, and searches for it if not all nodes are known.
async function next(kinds, name) {
  const from = source.search && (await source.search(name, chosen));
  if (from === null) return; // cancelled
  const found = from ?? order.subarray(rank[chosen] + 1).find((i) => kinds.includes(kindOf(i)));
  if (found >= 0) choose(found);
  else byId("status").textContent = below(`${name}s`, 0) ? `No ${name}s after this node.` : `No ${name}s in this tree.`;
}
const nextSolution = () => next("s", "solution");
const nextFailure = () => next("fx", "failure");

// Goes one step forward or back in search order.
function step(distance) {
  if (distance > 0) open(chosen);
  choose(order[Math.min(Math.max(rank[chosen] + distance, 0), nodes.length - 1)]);
}

function play() {
  const isPlaying = playing !== null;
  clearInterval(playing);
  playing = isPlaying ? null : setInterval(() => (isClosed(chosen) || rank[chosen] + 1 < nodes.length ? step(1) : play()), 700);
  byId("play").textContent = isPlaying ? "Play" : "Pause";
  byId("play").setAttribute("aria-pressed", String(!isPlaying));
}

async function unfoldBelow() {
  if (source.search && (below("open", chosen) || isClosed(chosen))) await source.search("all", chosen);
  for (const i of order.subarray(rank[chosen], end[chosen])) folded[i] = 0;
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
  ArrowRight: () => (folded[chosen] || isClosed(chosen) ? toggle(chosen) : choose(children[chosen][0] ?? chosen)),
  ArrowLeft: () => (canFold(chosen) && !folded[chosen] ? toggle(chosen) : choose(parentOf(chosen) ?? 0)),
  Home: () => choose(0),
  End: () => choose(visible.at(-1)),
  Enter: () => toggle(chosen),
  " ": () => toggle(chosen),
  "*": unfoldBelow,
};
const showKeys = () => (byId("keys").open ? byId("keys").close() : byId("keys").showModal());
const SHORTCUTS = {
  ".": () => step(1),
  ",": () => step(-1),
  n: nextSolution,
  x: nextFailure,
  "?": showKeys,
  p: play,
  f: fit,
  s: save,
  "+": () => zoomBy(Math.SQRT2),
  "=": () => zoomBy(Math.SQRT2),
  "-": () => zoomBy(Math.SQRT1_2),
};

// Selects the node that is named in the address.
function applyAddress() {
  const node = source.find(addressParameters().get("node"));
  if (node in nodes) choose(node);
}

// Zooms by a factor and keeps the given point of the window in place.
function zoomAt(x, y, factor) {
  const stage = byId("stage");
  const leaf = (stage.scrollLeft + x - extent.left) / (stepX() * zoom());
  const depth = (stage.scrollTop + y - MARGIN) / extent.step;
  setZoom(Math.log2(zoom() * factor));
  update();
  stage.scrollLeft = extent.left + leaf * stepX() * zoom() - x;
  stage.scrollTop = MARGIN + depth * extent.step - y;
}

// Zooms by a factor and keeps the selected node in place, if it is visible.
function zoomBy(factor) {
  const { scrollLeft, scrollTop, clientWidth, clientHeight } = byId("stage");
  const [x, y] = pixelOf(chosen);
  const within = (position, size) => Math.min(Math.max(position, 0), size);
  zoomAt(within(x - scrollLeft, clientWidth), within(y - scrollTop, clientHeight), factor);
}

// Shows a tree. `source` has its nodes, and functions that return the state of a node, its name in the address, the node with a
// name, and a line about the tree. If nodes can be computed, it also has `open` for the children of a node, and `search`, which
// continues from a node until the next "solution" or "failure", or through "all" nodes below it. It returns the node that it found,
// -1 if there is none, or null if it was stopped.
function showTree(from) {
  [source, nodes, folded, chosen] = [from, from.nodes, new Uint8Array(0), 0];
  [children, level, longest] = [[], new Int32Array(0), 0];
  index();
  byId("about").textContent = source.about();
  const occurs = (kind) => kind !== "o" || source.open || nodes.some((node) => node[2] === kind);
  const kindSign = (kind) => sign("-11 -11 22 22", `<g class="${kind}">${KINDS[kind][1]}</g>`, KINDS[kind][0]);
  byId("legend").innerHTML = Object.keys(KINDS).filter(occurs).map(kindSign).join("");
  byId("signs").innerHTML = boardLegend({
    queen: "placed by a branch", forced: "placed by propagation", preplaced: "preplaced", new: "removed at this node", gone: "removed earlier", blocked: "blocked", next: "next choice",
  });
  if (!source.open && nodes.length > SMALL) foldFailures();
  fit();
  applyAddress();
}

byId("first").onclick = KEYS.Home;
byId("back").onclick = SHORTCUTS[","];
byId("on").onclick = SHORTCUTS["."];
byId("play").onclick = play;
byId("solution").onclick = nextSolution;
byId("failure").onclick = nextFailure;
byId("help").onclick = showKeys;
byId("fold").onclick = KEYS.Enter;
byId("unfold").onclick = unfoldBelow;
byId("failures").onclick = () => {
  foldFailures();
  // If the selected node is now hidden, select its outermost folded ancestor.
  for (let i = parentOf(chosen); i !== null; i = parentOf(i)) if (folded[i]) chosen = i;
  choose(chosen, false);
  fit();
};
byId("square").onkeydown = (event) => {
  if (event.key === "Enter") findSquare();
};
byId("fit").onclick = fit;
byId("save").onclick = save;
byId("zoom").oninput = () => {
  setZoom(byId("zoom").value);
  update();
};
byId("stage").onscroll = () => {
  const { scrollLeft, scrollTop } = byId("stage");
  if (drawn.left !== scrollLeft || drawn.top !== scrollTop) draw();
};
window.addEventListener("resize", () => source && byId("stage").clientWidth && (isReadable() ? update() : fit()));
byId("stage").addEventListener("wheel", (event) => {
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return; // scrolls sideways
  const { left, top } = byId("stage").getBoundingClientRect();
  zoomAt(event.clientX - left, event.clientY - top, 2 ** Math.max(-0.5, Math.min(0.5, -event.deltaY / 300)));
  event.preventDefault();
}, { passive: false });
// Dragging with a mouse scrolls the tree; a finger does so anyway.
let drag = null;
byId("tree").onpointerdown = ({ clientX, clientY, pointerType }) => {
  if (pointerType === "mouse") drag = { x: clientX, y: clientY, left: byId("stage").scrollLeft, top: byId("stage").scrollTop, moved: false };
};
window.addEventListener("pointermove", ({ clientX, clientY, buttons }) => {
  if (!drag || !buttons) return;
  const [x, y] = [clientX - drag.x, clientY - drag.y];
  drag.moved ||= Math.abs(x) + Math.abs(y) > 4;
  if (drag.moved) byId("stage").scrollTo(drag.left - x, drag.top - y);
});
byId("tree").onpointerover = ({ target }) => {
  byId("hover").textContent = target.closest(".node")?.getAttribute("aria-label") ?? "";
};
byId("tree").onpointerleave = () => (byId("hover").textContent = "");
byId("tree").onclick = (event) => {
  const node = event.target.closest(".node");
  const isDrag = drag?.moved;
  drag = null;
  if (!node || isDrag) return;
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
  const act = source && byId("stage").clientWidth && !isTyping(event) && SHORTCUTS[event.key];
  if (act) act();
};
if (data) {
  window.onhashchange = applyAddress;
  showTree({
    nodes: data.nodes,
    state: (i) => nodes[i].slice(3, 5),
    name: (i) => i,
    find: (name) => name ?? -1,
    about: () => data.cut || `${numbers(0)}.`,
  });
}
