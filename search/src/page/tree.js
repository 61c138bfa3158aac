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
const [BLUE, RED, GREEN] = ["#4f83cc", "#d1495b", "#3a9d5d"];
// Names, shapes and colours by kind of node. "k" is a folded subtree with a solution, and "d" is one that is too narrow to draw.
// Everything is in attributes, so that a drawing is the same in a file.
const KINDS = {
  c: ["choice", '<circle r="7"/>', BLUE],
  o: ["unexplored choice", `<circle r="7" fill="var(--ground)" stroke="${BLUE}" stroke-dasharray="3 2"/>`, BLUE],
  f: ["failure", '<path d="M-6-6h12v12h-12z"/>', RED],
  s: ["solution", '<path d="M0-9l9 9l-9 9l-9-9z"/>', GREEN],
  x: ["failed subtree, folded", '<path d="M0-8l9 16h-18z"/>', RED],
  k: ["folded, with solutions", '<path d="M0-8l9 16h-18z"/>', GREEN],
  d: ["narrow subtree: zoom in", '<path d="M-3-8h6l6 16h-18z" fill-opacity="0.55"/>', RED],
};
const LINES = ["rows", "rising diagonals", "falling diagonals"];

// For each node: its children, its level, its rank in search order, and the rank one past its subtree.
let [children, level] = [[], new Int32Array(0)];
let rank, end;
// Nodes in search order, and for each rank the numbers of what the search has met before it.
let order;
const SUMS = ["nodes", "failures", "solutions", "open", "tests", "lookups"];
const sums = {};
let folded = new Uint8Array(0);
const below = (what, i) => sums[what][end[i]] - sums[what][rank[i]];
// What the search has met when it reaches a node, or when it leaves the node's folded subtree.
const upTo = (what, i) => sums[what][rank[i] + 1];
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
  // A child comes after its parent in `nodes`. At first, `end` has the sizes of subtrees.
  for (let i = count - 1; i >= 0; i--) {
    end[i] += 1;
    if (i > 0) end[parentOf(i)] += end[i];
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
  for (const what of SUMS) sums[what] = new Float64Array(count + 1);
  order.forEach((i, r) => {
    const [, , kind, , , detail, tests, lookups] = nodes[i];
    // A folded failed subtree is a binary tree whose leaves are its failures.
    const leaves = kind === "x" ? detail : 1;
    const met = [2 * leaves - 1, kind === "f" || kind === "x" ? leaves : 0, kind === "s", kind === "o", tests ?? 0, lookups ?? 0];
    SUMS.forEach((what, j) => (sums[what][r + 1] = sums[what][r] + Number(met[j])));
  });
}

let chosen = 0;
let playing = null;

// Whether the children of a node are not known yet, but can be computed.
const isClosed = (i) => source.open && "ox".includes(kindOf(i));
const canFold = (i) => i > 0 && children[i].length > 0; // the root stays open
const isFailed = (i) => i > 0 && kindOf(i) === "c" && children[i].length > 0 && !below("solutions", i) && !below("open", i);
const foldFailures = () => folded.forEach((_, i) => (folded[i] = isFailed(i) ? 1 : 0));
const place = (number) => [Math.floor(number / n), number % n];
const nameOf = (number) => squareName(...place(number));
const namesOf = (squares) => squares.map(nameOf).join(" ");

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

// Leaves are laid out side by side, and other nodes are centred above their leaves. Zooming changes the distances between nodes,
// and not the size of texts, which appear wherever they have room. All sizes are in pixels.
const [MARGIN_X, MARGIN_Y, FONT] = [34, 34, 13];
const widthOfText = (text) => 7.4 * text.length + 6;
// Distances between leaves at which all labels have room, and at which nodes hardly overlap.
const readable = () => Math.max(26, widthOfText("x".repeat(longest)));
const SEPARATE = 12;
// Distances between levels: in a whole tree, with labels, and in a part of a tree.
const [MOST_Y, LABELLED_Y, PART_Y] = [88, 26, 40];
// Subtrees narrower than this are drawn as triangles, unless leaves are at least SHAPES apart.
const [DENSE, SHAPES] = [14, 5];
// Number of nodes up to which a tree is shown unfolded at once.
const SMALL = 400;
let visible = [];
// First leaf, last leaf and lowest level of each node's subtree, and the number of leaves.
let first, last, lowest, leaves;
// Distance between leaves, and whether it follows from the size of the window, so that the whole tree fits.
let scale = 40;
let isWhole = true;
// Size of the tree, its left margin, and the distance between levels.
const extent = { width: 0, height: 0, left: 0, step: 0 };
const isLeaf = (i) => folded[i] || !children[i].length;
const widthOf = (i) => (last[i] - first[i]) * scale;
const isDense = (i) => first[i] < last[i] && widthOf(i) < DENSE && scale < SHAPES;

// Size of the window of the tree. One pixel less than rounded, so that a tree that fits needs no scroll bars.
const stageSize = () => [byId("stage").clientWidth - 1, byId("stage").clientHeight - 1];
const scaleToFit = (number) => (stageSize()[0] - 2 * MARGIN_X) / Math.max(1, number - 1);
const limitedScale = (wanted) => Math.max(Math.min(scaleToFit(leaves), 2 * readable()), Math.min(wanted, 3 * readable()));

function layOut() {
  visible = [];
  leaves = 0;
  [first, last, lowest] = [0, 1, 2].map(() => new Float64Array(nodes.length));
  for (let next = 0; next < order.length; ) {
    const i = order[next];
    next = folded[i] ? end[i] : next + 1;
    visible.push(i);
    lowest[i] = level[i];
    if (isLeaf(i)) first[i] = last[i] = leaves++;
  }
  for (const i of visible.toReversed()) {
    if (isLeaf(i)) continue;
    first[i] = first[children[i][0]];
    last[i] = last[children[i].at(-1)];
    lowest[i] = Math.max(...children[i].map((child) => lowest[child]));
  }
}

// Computes the size of the tree from its scale.
function measure() {
  const [width, height] = stageSize();
  scale = limitedScale(isWhole ? 0 : scale);
  isWhole ||= scale <= scaleToFit(leaves);
  const available = Math.min(MOST_Y, (height - 2 * MARGIN_Y) / Math.max(1, lowest[0]));
  extent.step = isWhole ? available : Math.max(available, PART_Y);
  extent.width = 2 * MARGIN_X + widthOf(0);
  extent.height = 2 * MARGIN_Y + lowest[0] * extent.step;
  extent.left = MARGIN_X + Math.max(0, (width - extent.width) / 2); // a tree narrower than its window is centred
  byId("zoom").value = Math.log(scale / limitedScale(0)) / Math.log(limitedScale(Infinity) / limitedScale(0));
  byId("extent").style.width = `${Math.floor(extent.width)}px`;
  byId("extent").style.height = `${Math.floor(extent.height)}px`;
}

const pixelOf = (i) => [extent.left + first[i] * scale + widthOf(i) / 2, MARGIN_Y + level[i] * extent.step];

// Zooms so that the selected node and its children are in view, with labels if they fit. A tree whose nodes hardly overlap stays
// in view as a whole.
function reveal() {
  const [from, to] = isLeaf(chosen) ? [chosen, chosen] : [children[chosen][0], children[chosen].at(-1)];
  const middle = (i) => (first[i] + last[i]) / 2;
  const most = scaleToFit(middle(to) - middle(from) + 1);
  isWhole = scaleToFit(leaves) >= SEPARATE || most <= scaleToFit(leaves);
  scale = Math.min(most, Math.max(scale, readable()));
  measure();
  const stage = byId("stage");
  const [x, y] = pixelOf(chosen);
  const [left, right] = [pixelOf(from)[0], pixelOf(to)[0]];
  const margin = Math.min(2 * MARGIN_X, stage.clientWidth / 4);
  if (left < stage.scrollLeft + margin || right > stage.scrollLeft + stage.clientWidth - margin) {
    stage.scrollLeft = (Math.min(left, x) + Math.max(right, x) - stage.clientWidth) / 2;
  }
  if (y < stage.scrollTop + MARGIN_Y || y > stage.scrollTop + stage.clientHeight - extent.step - MARGIN_Y) {
    stage.scrollTop = y - stage.clientHeight / 2;
  }
}

// Lays out and redraws everything after a change.
function update() {
  layOut();
  reveal();
  draw();
  show();
}

// Shows the whole tree.
function fit() {
  layOut();
  isWhole = true;
  measure();
  draw();
  show();
}

// Scroll position at the last redraw.
let drawn = {};

function draw() {
  const { scrollLeft, scrollTop, clientWidth, clientHeight } = byId("stage");
  const [tree, part] = [byId("tree"), [scrollLeft, scrollTop, clientWidth, clientHeight]];
  tree.setAttribute("viewBox", part.join(" "));
  tree.setAttribute("aria-activedescendant", `node-${chosen}`);
  tree.innerHTML = drawing(...part, chosen);
  drawn = { left: scrollLeft, top: scrollTop };
}

const short = (number) => (number < 10000 ? String(number) : number.toLocaleString("en", { notation: "compact" }));
const textAt = (y, text) => `<text y="${y}" fill="var(--ink)" stroke="var(--ground)" stroke-width="3" paint-order="stroke">${text}</text>`;

// Returns the SVG of a node, with its texts if it has room for them. A dense subtree is drawn as a triangle.
function item(i, hasRoom, selected) {
  const [[x, y], dense] = [pixelOf(i), i !== selected && isDense(i)];
  const isFolded = folded[i] || kindOf(i) === "x";
  const kind = isFolded || dense ? (below("solutions", i) ? "k" : "x") : kindOf(i);
  const expanded = children[i].length || isClosed(i) ? ` aria-expanded="${!folded[i] && !isClosed(i)}"` : "";
  const siblings = i > 0 ? children[parentOf(i)] : [0];
  const inside = `${plural(below("failures", i), "failure")}, ${plural(below("solutions", i), "solution")}`;
  const label = `${branchName(i)}, ${kindName(i)}${folded[i] ? `, folded: ${inside}` : dense ? `, zoom in to see ${inside}` : ""}`;
  const size = dense ? 1 : i === selected ? 1.2 : Math.min(1, Math.max(0.5, scale / 16));
  const [half, height] = [widthOf(i) / 2 + 3, (lowest[i] - level[i]) * extent.step];
  const shape = dense ? `<path d="M-2 0h4L${half} ${height}H${-half}z" fill-opacity="0.55" stroke="none"/>` : KINDS[kind][1];
  const texts = hasRoom && i > 0 ? textAt(-12, branchName(i)) : "";
  const caption = hasRoom && isFolded && extent.step > PART_Y ? textAt(21, short(below("failures", i))) : "";
  return (
    `<g id="node-${i}" class="node${i === selected ? " chosen" : ""}" role="treeitem" aria-level="${level[i] + 1}" ` +
    `aria-setsize="${siblings.length}" aria-posinset="${siblings.indexOf(i) + 1}" aria-selected="${i === selected}"${expanded} ` +
    `transform="translate(${x.toFixed(1)} ${y.toFixed(1)})" fill="${KINDS[kind][2]}" stroke="var(--ground)">` +
    `<title>${escaped(label)}</title><g transform="scale(${size.toFixed(2)})">${shape}</g>${texts}${caption}</g>`
  );
}

// Returns the SVG of the part of the tree inside a rectangle.
function drawing(left, top, width, height, selected) {
  const [right, bottom] = [left + width, top + height];
  let [edges, items] = ["", ""];
  // On each level, the end of the last label. The selected node has one in any case.
  const labelled = [];
  const halfOf = (i) => widthOfText(branchName(i)) / 2;
  const isFree = (i, x, half) => {
    const isApart = selected < 0 || level[i] !== level[selected] || Math.abs(x - pixelOf(selected)[0]) > half + halfOf(selected);
    return isApart && x - half > (labelled[level[i]] ?? -Infinity) && x - half >= left && x + half <= right;
  };
  for (let next = 0; next < order.length; ) {
    const i = order[next];
    const [x, y] = pixelOf(i);
    const isOutside = x + widthOf(i) / 2 < left - readable() || x - widthOf(i) / 2 > right + readable() || y > bottom + extent.step;
    next = folded[i] || isOutside || isDense(i) ? end[i] : next + 1;
    if (y < top - extent.step || y > bottom + extent.step) continue;
    if (i > 0) {
      const [px, py] = pixelOf(parentOf(i));
      if (Math.max(x, px) >= left && Math.min(x, px) <= right) edges += `M${px.toFixed(1)} ${py.toFixed(1)}L${x.toFixed(1)} ${y.toFixed(1)}`;
    }
    if (i === selected || x < left - readable() || x > right + readable()) continue;
    const half = halfOf(i);
    const hasRoom = extent.step >= LABELLED_Y && y - 26 >= top && y <= bottom && !isDense(i) && isFree(i, x, half);
    if (hasRoom) labelled[level[i]] = x + half;
    items += item(i, hasRoom, selected);
  }
  const edge = `<path fill="none" stroke="var(--faint)" stroke-opacity="0.6" d="${edges}"/>`;
  return edge + items + (selected >= 0 ? item(selected, true, selected) : "");
}

// Returns an SVG document with the whole tree, as it is folded and zoomed, in light colours and without a selection.
function documentOfTree() {
  const [left, width, height] = [extent.left - MARGIN_X, extent.width, extent.height].map(Math.ceil);
  const colours = { ground: "#ffffff", ink: "#20242c", faint: "#5d6470" };
  const plain = drawing(left, 0, width, height, -1)
    .replace(/ (?:id|class|role|aria-\w+)="[^"]*"/g, "")
    .replace(/<g (?=[^>]*fill)/g, "\n<g ")
    .replace(/var\(--(\w+)\)/g, (_, name) => colours[name]);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${left} 0 ${width} ${height}"` +
    ` font-family="sans-serif" font-size="${FONT}" text-anchor="middle">
<title>${escaped(source.title())}</title>
<rect x="${left}" width="100%" height="100%" fill="${colours.ground}"/>
${plain}
</svg>
`;
}
const saveTree = () => save("tree.svg", "image/svg+xml", documentOfTree());

// Returns the shapes on the board at a node, and the reasons for removed squares, from the nodes on the path from the root.
function stateOf(node) {
  const path = [];
  for (let i = node; i !== null; i = parentOf(i)) path.unshift(i);
  const marks = new Map();
  const reasons = new Map();
  for (const number of data.forbidden) marks.set(number, "gone");
  const queens = new Map(data.preplaced.map(([column, row]) => [column * n + row, "preplaced"]));
  for (const i of path) {
    const branch = nodes[i][1];
    const [placed, removed] = source.state(i);
    for (const [cause, ...squares] of removed) {
      for (const number of squares) {
        marks.set(number, i === node ? "new" : "gone");
        reasons.set(number, `${nameOf(number)} was removed ${i === node ? "at this node" : `at ${branchName(i)}`}: ${reasonOf(cause)}.`);
      }
    }
    if (branch >= 0 && branch !== null && !queens.has(branch)) queens.set(branch, "queen");
    for (const number of placed) if (!queens.has(number)) queens.set(number, "forced");
  }
  for (const [column, row] of data.blocked) marks.set(column * n + row, "wall");
  for (const queen of queens.keys()) {
    for (let row = 0; row < n; row++) {
      const number = place(queen)[0] * n + row;
      if (!marks.has(number)) marks.set(number, "gone");
      if (!reasons.has(number)) reasons.set(number, `${nameOf(number)} is in the column of the queen on ${nameOf(queen)}.`);
    }
    reasons.delete(queen);
  }
  for (const [number, what] of queens) marks.set(number, what);
  return { path, marks, reasons };
}

// Says why squares with a cause are removed.
function reasonOf(cause) {
  if (cause >= 0) return `the queen on ${nameOf(cause)} attacks it`;
  if (cause === -1) return "the branch excludes it";
  return cause === -2 ? "a test found that it is attacked" : `a queen there would leave too few ${LINES[-3 - cause]} for the other columns`;
}

// Returns what happens at a node, step by step.
function explanation(i) {
  const [, branch, kind, , , detail] = nodes[i];
  const [placed, removed] = source.state(i);
  const columnOf = (number) => columnName(place(number)[0]);
  const forced = new Set(placed);
  const given = new Set(data.preplaced.map(([column, row]) => column * n + row));
  const force = (queen) => (given.has(queen)
    ? `The queen on ${nameOf(queen)} is given.`
    : `Column ${columnOf(queen)} has only one square left, so a queen goes on ${nameOf(queen)}.`);
  const steps = [];
  if (branch === null) steps.push("The search starts here.");
  else if (branch >= 0) steps.push(`The search places a queen on ${nameOf(branch)}.`);
  else steps.push(`All with a queen on ${nameOf(-1 - branch)} is done, so this branch excludes the square.`);
  for (const [cause, ...squares] of removed) {
    if (forced.delete(cause)) steps.push(force(cause));
    if (cause >= 0) steps.push(`Queen ${nameOf(cause)} attacks ${namesOf(squares)}.`);
    else if (cause === -2) steps.push(`Tests find that ${namesOf(squares)} ${squares.length === 1 ? "is" : "are"} attacked.`);
    else if (cause < -2) steps.push(`A queen on ${squares.map(nameOf).join(" or ")} would leave too few ${LINES[-3 - cause]} for the other columns.`);
  }
  steps.push(...[...forced].map(force));
  if (kind === "f") steps.push(`${detail[0].toUpperCase()}${detail.slice(1)}: a failure. The search goes back to the last choice with a branch left.`);
  else if (kind === "s") steps.push("Every column has its queen: a solution.");
  else if (kind === "x") steps.push(`Below here are ${plural(detail, "failure")} and no solution.`);
  else if (detail !== null) steps.push(`Next choice: a queen on ${nameOf(detail)}, or none there.`);
  return steps;
}

// Says how many branches, failures and solutions the search has met.
function figures(sum) {
  const list = [plural(sum("nodes") - 1, "branch", "branches"), plural(sum("failures"), "failure"), plural(sum("solutions"), "solution")];
  if (sum("tests")) list.push(plural(sum("tests"), "square tested", "squares tested"), plural(sum("lookups"), "table look-up"));
  return list.join(", ");
}

function show() {
  const { path, marks, reasons } = stateOf(chosen);
  const [, , kind, , , detail] = nodes[chosen];
  // On a solved board, all squares that have no queen were removed.
  const shown = [...marks].filter(([, what]) => kind !== "s" || what !== "gone");
  const shapes = shown.map(([number, what]) => [what, ...place(number), reasons.get(number)]);
  if ((kind === "c" || kind === "o") && detail !== null) shapes.push(["next", ...place(detail), `Next choice: ${nameOf(detail)}`]);
  const names = namesOf([...marks].filter(([, what]) => /queen|forced|preplaced/.test(what)).map(([number]) => number));
  byId("name").textContent = `${branchName(chosen)}: ${kindName(chosen)}`;
  byId("board").innerHTML = boardSvg(shapes, names ? `Board with queens on ${names}` : "Board without queens");
  byId("steps").innerHTML = explanation(chosen).map((step) => `<li>${escaped(step)}</li>`).join("");
  byId("why").textContent = "";
  byId("path").textContent = chosen ? `Path: ${path.slice(1).map(branchName).join(", ")}` : "";
  const isKnown = upTo("open", chosen) === Number(kind === "o");
  const soFar = isKnown ? `Search up to here: ${figures((what) => upTo(what, chosen))}.` : "Some branches before this node are unexplored.";
  const isAll = !below("open", 0) && !data.cut;
  byId("about").textContent = `${soFar} ${isAll ? `Complete tree: ${figures((what) => below(what, 0))}.` : data.cut || ""}`;
  byId("fold").disabled = !canFold(chosen) && !isClosed(chosen);
  byId("fold").textContent = folded[chosen] || isClosed(chosen) ? "Open" : "Fold";
}

// Selects a node.
function choose(i) {
  chosen = i;
  updateAddress({ node: source.name(i) });
  for (let above = parentOf(i); above !== null; above = parentOf(above)) folded[above] = 0;
  byId("status").textContent = "";
  update();
}

// Computes the children of a node, if they are not known yet.
function open(i) {
  if (!isClosed(i)) return;
  source.open(i);
  index();
  folded[i] = 0;
}

// Folds or unfolds a node.
function toggle(i) {
  if (isClosed(i)) open(i);
  else if (canFold(i)) folded[i] = 1 - folded[i];
  choose(i);
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
  choose(order[Math.min(Math.max(rank[chosen] + distance, 0), order.length - 1)]);
}

function play() {
  const isPlaying = playing !== null;
  clearInterval(playing);
  playing = isPlaying ? null : setInterval(() => (isClosed(chosen) || rank[chosen] + 1 < nodes.length ? step(1) : play()), 900);
  byId("play").innerHTML = isPlaying ? "▶<span> Play</span>" : "❚❚<span> Pause</span>";
  byId("play").setAttribute("aria-pressed", String(!isPlaying));
}

async function unfoldBelow() {
  if (source.search && (below("open", chosen) || isClosed(chosen))) await source.search("all", chosen);
  for (const i of order.subarray(rank[chosen], end[chosen])) folded[i] = 0;
  update();
}

// Returns the visible node that is `distance` places after the selected node in search order.
const neighbour = (distance) => visible[visible.indexOf(chosen) + distance] ?? chosen;

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
const zoomBy = (factor) => zoomAt(...pixelOf(chosen).map((at, axis) => at - byId("stage")[axis ? "scrollTop" : "scrollLeft"]), factor);
const SHORTCUTS = {
  ".": () => step(1),
  ",": () => step(-1),
  n: nextSolution,
  x: nextFailure,
  p: play,
  f: fit,
  s: saveTree,
  "+": () => zoomBy(Math.SQRT2),
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
  const leaf = (stage.scrollLeft + x - extent.left) / scale;
  const depth = (stage.scrollTop + y - MARGIN_Y) / extent.step;
  scale = limitedScale(scale * factor);
  isWhole = false;
  measure();
  stage.scrollTo(extent.left + leaf * scale - x, MARGIN_Y + depth * extent.step - y);
  draw();
}

// Shows a tree. `source` has its nodes and its title, and functions that return the state of a node, its name in the address and
// the node with a name. If nodes can be computed, it also has `open` for the children of a node, and `search`, which continues from
// a node until the next "solution" or "failure", or through "all" nodes below it. It returns the node that it found, -1 if there is
// none, or null if it was stopped.
function showTree(from) {
  [source, nodes, folded, chosen] = [from, from.nodes, new Uint8Array(0), 0];
  [children, level, longest] = [[], new Int32Array(0), 0];
  index();
  const occurs = (kind) => kind !== "o" || source.open || nodes.some((node) => node[2] === kind);
  const kindSign = (kind) => sign("-11 -11 22 22", `<g fill="${KINDS[kind][2]}">${KINDS[kind][1]}</g>`, KINDS[kind][0]);
  byId("legend").innerHTML = Object.keys(KINDS).filter(occurs).map(kindSign).join("");
  data.wall = data.blocked;
  byId("signs").innerHTML = boardLegend({
    queen: "placed by a branch", forced: "placed by propagation", preplaced: "preplaced", new: "removed here", gone: "removed earlier", wall: "blocked", next: "next choice",
  });
  if (!source.open && nodes.length > SMALL) foldFailures();
  fit();
  applyAddress();
}

const CLICKS = {
  first: KEYS.Home, back: SHORTCUTS[","], on: SHORTCUTS["."], play, solution: nextSolution, failure: nextFailure, fold: KEYS.Enter, unfold: unfoldBelow, fit, save: saveTree,
};
for (const [id, act] of Object.entries(CLICKS)) byId(id).onclick = act;
byId("more").onclick = (event) => event.target.closest("button") && (byId("more").open = false);
addEventListener("pointerdown", ({ target }) => byId("more").contains(target) || (byId("more").open = false));
addEventListener("keydown", ({ key }) => key === "Escape" && (byId("more").open = false));
byId("zoom").oninput = () => zoomBy(limitedScale(0) * (limitedScale(Infinity) / limitedScale(0)) ** byId("zoom").value / scale);
byId("board").onclick = ({ target }) => (byId("why").textContent = target.querySelector("title")?.textContent ?? "");
byId("stage").onscroll = () => {
  const { scrollLeft, scrollTop } = byId("stage");
  if (drawn.left !== scrollLeft || drawn.top !== scrollTop) draw();
};
new ResizeObserver(() => source && byId("stage").clientWidth && (isWhole ? fit() : update())).observe(byId("stage"));
byId("stage").addEventListener("wheel", (event) => {
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return; // scrolls sideways
  const { left, top } = byId("stage").getBoundingClientRect();
  zoomAt(event.clientX - left, event.clientY - top, 2 ** Math.max(-0.5, Math.min(0.5, -event.deltaY / 300)));
  event.preventDefault();
}, { passive: false });
// Dragging with a mouse scrolls the tree; a finger does so anyway.
let dragged = 0;
byId("tree").onpointerdown = () => (dragged = 0);
byId("tree").onpointermove = ({ buttons, pointerType, movementX, movementY }) => {
  if (!buttons || pointerType !== "mouse") return;
  dragged += Math.abs(movementX) + Math.abs(movementY);
  byId("stage").scrollBy(-movementX, -movementY);
};
byId("tree").onclick = ({ target }) => {
  const node = target.closest(".node");
  if (!node || dragged > 4) return;
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
  const act = source && byId("stage").clientWidth && !isTyping(event) && SHORTCUTS[event.key];
  if (act) act();
};
if (data) {
  window.onhashchange = applyAddress;
  showTree({
    nodes: data.nodes,
    title: () => document.title,
    state: (i) => nodes[i].slice(3, 5),
    name: (i) => i,
    find: (name) => name ?? -1,
  });
}
