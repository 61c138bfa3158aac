// Draws search trees and lets the user explore them, one or two at a time. A tree is in the file, or it grows while its search goes on.
//
// A node is [parent, branch, kind, queens, removed, detail], and nodes are in search order. Squares are indices: column * n + row. A
// branch is the square of its queen, or -1 - square if it excludes the square. `queens` are those placed by propagation. `removed` is
// a list of lists, each with a cause followed by squares. `detail` is the reason for a failure, the number of failures that were left
// out, or the next square.
const [BLUE, RED, GREEN] = ["#4f83cc", "#d1495b", "#3a9d5d"];
// Names, shapes and colours by kind of node. "o" is a choice with a branch that the search has not taken, "x" a folded failed subtree,
// "k" one with a solution, and "d" one that is too narrow to draw.
// Everything is in attributes, so that a drawing is the same in a file.
const KINDS = {
  c: ["choice", '<circle r="7"/>', BLUE],
  o: ["choice with a branch left", `<circle r="7" fill="var(--ground)" stroke="${BLUE}" stroke-width="2.5"/>`, BLUE],
  f: ["failure", '<path d="M-6-6h12v12h-12z"/>', RED],
  s: ["solution", '<path d="M0-9l9 9l-9 9l-9-9z"/>', GREEN],
  x: ["failed subtree, folded", '<path d="M0-8l9 16h-18z"/>', RED],
  k: ["folded, with solutions", '<path d="M0-8l9 16h-18z"/>', GREEN],
  d: ["narrow subtree: zoom in", '<path d="M-3-8h6l6 16h-18z" fill-opacity="0.55"/>', RED],
};
// Number of nodes up to which a tree is shown unfolded at once.
const SMALL = 400;
const LINES = ["rows", "rising diagonals", "falling diagonals"];
// Shapes on the board.
const SIGNS = {
  queen: "placed by a branch", forced: "placed by propagation", preplaced: "preplaced", new: "removed here", gone: "removed earlier",
  blocked: "blocked", next: "next choice",
};

// Says how many branches, failures and solutions the search has met.
function figures(branches, failures, solutions, tests, lookups) {
  const list = [plural(branches, "branch", "branches"), plural(failures, "failure"), plural(solutions, "solution")];
  if (tests) list.push(plural(tests, "square tested", "squares tested"), plural(lookups, "look-up"));
  return list.join(", ");
}

// Returns a view of trees, in elements with certain names.
function treeView(ui) {
  let [source, data, squares] = [];
  let nodes = [];
  const parentOf = (i) => nodes[i][0];
  const kindOf = (i) => (nodes[i][2] === "c" && children[i].length < 2 ? "o" : nodes[i][2]);
  // For each node: its children, its level, and the index one past its subtree.
  let children, level, end;
  // For each index the numbers of what the search has met before that node. "open" nodes have branches that were not taken yet.
  const SUMS = ["nodes", "failures", "solutions", "open"];
  const sums = {};
  let folded = new Uint8Array(0);
  const below = (what, i) => sums[what][end[i]] - sums[what][i];
  // What the search has met when it reaches a node, or when it leaves a subtree that was left out.
  const upTo = (what, i) => sums[what][i + 1];
  // Length of the longest label.
  let longest;

  // Computes everything that follows from the nodes.
  function index() {
    data = source.data;
    nodes = data.nodes;
    squares = new Squares(data.n);
    children = nodes.map(() => []);
    [level, end] = [0, 1].map(() => new Int32Array(nodes.length));
    folded = new Uint8Array(nodes.length);
    nodes.forEach(([parent], i) => {
      if (i) children[parent].push(i);
      if (i) level[i] = level[parent] + 1;
    });
    longest = Math.max(...nodes.map((_, i) => branchName(i).length));
    for (let i = nodes.length - 1; i >= 0; i--) end[i] = Math.max(i + 1, ...children[i].map((child) => end[child]));
    for (const what of SUMS) sums[what] = new Float64Array(nodes.length + 1);
    nodes.forEach(([, , , , , detail], i) => {
      const kind = kindOf(i);
      // A failed subtree is a binary tree whose leaves are its failures.
      const leaves = kind === "x" ? detail : 1;
      const met = [2 * leaves - 1, kind === "f" || kind === "x" ? leaves : 0, kind === "s", kind === "o"];
      SUMS.forEach((what, j) => (sums[what][i + 1] = sums[what][i] + Number(met[j])));
    });
  }

  let chosen = 0;
  // Shapes on the board of the selected node, its description, and a function that says why a square has its shape.
  let shapes, label, whyOf;
  // Whether the search is followed step by step, so that later nodes are pale.
  let isStepping = false;
  const idOf = (i) => `${ui.tree.id.replace("tree", "node")}-${i}`;

  const canFold = (i) => i > 0 && children[i].length > 0; // the root stays open
  const isFailed = (i) => canFold(i) && !below("solutions", i) && !below("open", i);
  const nameOf = (number) => squares.nameOf(number);
  const namesOf = (numbers) => squares.namesOf(numbers);
  const columnOf = (number) => Math.floor(number / data.n);

  function branchName(i) {
    const branch = nodes[i][1];
    return branch === null ? "root" : branch < 0 ? `not ${nameOf(-1 - branch)}` : nameOf(branch);
  }

  function kindName(i) {
    const detail = nodes[i][5];
    if (kindOf(i) === "f") return `failure: ${detail}`;
    if (kindOf(i) === "x") return `failed subtree, ${plural(detail, "failure")} left out`;
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
  const stageSize = () => [ui.stage.clientWidth - 1, ui.stage.clientHeight - 1];
  const scaleToFit = (number) => (stageSize()[0] - 2 * MARGIN_X) / Math.max(1, number - 1);
  const limitedScale = (wanted) => Math.max(Math.min(scaleToFit(leaves), 2 * readable()), Math.min(wanted, 3 * readable()));

  function layOut() {
    visible = [];
    leaves = 0;
    [first, last, lowest] = [0, 1, 2].map(() => new Float64Array(nodes.length));
    for (let i = 0, next; i < nodes.length; i = next) {
      next = folded[i] ? end[i] : i + 1;
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
    ui.extent.style.width = `${Math.floor(extent.width)}px`;
    ui.extent.style.height = `${Math.floor(extent.height)}px`;
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
    const stage = ui.stage;
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

  // Lays out and redraws everything after a change. Shows the selected node, or the whole tree.
  function update(isFitted = false) {
    if (!ui.stage.clientWidth) return; // the tree is hidden
    layOut();
    isWhole = isFitted;
    if (isFitted) measure();
    else reveal();
    draw();
    show();
  }
  const fit = () => update(true);

  // Scroll position at the last redraw.
  let drawn = {};

  function draw() {
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = ui.stage;
    const [tree, part] = [ui.tree, [scrollLeft, scrollTop, clientWidth, clientHeight]];
    tree.setAttribute("viewBox", part.join(" "));
    tree.setAttribute("aria-activedescendant", idOf(chosen));
    tree.innerHTML = drawing(...part, chosen);
    drawn = { left: scrollLeft, top: scrollTop };
  }

  const textAt = (y, text) => `<text y="${y}" fill="var(--ink)" stroke="var(--ground)" stroke-width="3" paint-order="stroke">${text}</text>`;

  // Returns the SVG of a node, with its texts if it has room for them. A dense subtree is drawn as a triangle.
  function item(i, hasRoom, selected) {
    const [[x, y], dense] = [pixelOf(i), i !== selected && isDense(i)];
    const isFolded = folded[i] || kindOf(i) === "x";
    const kind = isFolded || dense ? (below("solutions", i) ? "k" : "x") : kindOf(i);
    const expanded = children[i].length ? ` aria-expanded="${!folded[i]}"` : "";
    const siblings = i > 0 ? children[parentOf(i)] : [0];
    const inside = `${plural(below("failures", i), "failure")}, ${plural(below("solutions", i), "solution")}`;
    const label = `${branchName(i)}, ${kindName(i)}${folded[i] ? `, folded: ${inside}` : dense ? `, zoom in to see ${inside}` : ""}`;
    const size = dense ? 1 : i === selected ? 1.2 : Math.min(1, Math.max(0.5, scale / 16));
    const [half, height] = [widthOf(i) / 2 + 3, (lowest[i] - level[i]) * extent.step];
    const shape = dense ? `<path d="M-2 0h4L${half} ${height}H${-half}z" fill-opacity="0.55" stroke="none"/>` : KINDS[kind][1];
    const texts = hasRoom && i > 0 ? textAt(-12, branchName(i)) : "";
    const caption = hasRoom && isFolded && extent.step > PART_Y ? textAt(21, below("failures", i).toLocaleString("en", { notation: "compact" })) : "";
    return (
      `<g id="${idOf(i)}" class="node${i === selected ? " chosen" : ""}" role="treeitem" aria-level="${level[i] + 1}" ` +
      `aria-setsize="${siblings.length}" aria-posinset="${siblings.indexOf(i) + 1}" aria-selected="${i === selected}"${expanded} ` +
      `transform="translate(${x.toFixed(1)} ${y.toFixed(1)})" fill="${KINDS[kind][2]}" stroke="var(--ground)"` +
      `${isStepping && selected >= 0 && i > selected ? ' opacity="0.3"' : ""}>` +
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
    for (let i = 0, next; i < nodes.length; i = next) {
      const [x, y] = pixelOf(i);
      const isOutside = x + widthOf(i) / 2 < left - readable() || x - widthOf(i) / 2 > right + readable() || y > bottom + extent.step;
      next = folded[i] || isOutside || isDense(i) ? end[i] : i + 1;
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
      .replace(/var\(--(\w+)\)/g, (_, name) => colours[name]);
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${left} 0 ${width} ${height}"` +
      ` font-family="sans-serif" font-size="${FONT}" text-anchor="middle">
  <title>${escaped(source.title)}</title>
  <rect x="${left}" width="100%" height="100%" fill="${colours.ground}"/>
  ${plain}
  </svg>
  `;
  }

  // Returns the shape on each square of the board at a node, and the reason for it, from the nodes on the path from the root.
  function stateOf(node) {
    const marks = new Map(data.forbidden.map((number) => [number, ["gone", "a preplaced queen attacks it"]]));
    const queens = new Map(data.preplaced.map((queen) => [queen, "preplaced"]));
    for (const i of pathTo(node)) {
      const [, branch, , placed, removed] = nodes[i];
      for (const [cause, ...numbers] of removed) {
        for (const number of numbers) marks.set(number, [i === node ? "new" : "gone", `${reasonOf(cause)} (${branchName(i)})`]);
      }
      if (branch >= 0 && branch !== null) queens.set(branch, "queen");
      for (const queen of placed) if (!queens.has(queen)) queens.set(queen, "forced");
    }
    for (const number of data.blocked) marks.set(number, ["blocked", "blocked"]);
    for (const [queen, shape] of queens) {
      for (let row = 0; row < data.n; row++) {
        const number = columnOf(queen) * data.n + row;
        if (!marks.has(number)) marks.set(number, ["gone", `it is in the column of the queen on ${nameOf(queen)}`]);
      }
      marks.set(queen, [shape, SIGNS[shape]]);
    }
    return marks;
  }

  // Returns the nodes on the path from the root.
  function pathTo(node) {
    const path = [];
    for (let i = node; i !== null; i = parentOf(i)) path.unshift(i);
    return path;
  }

  // Says why squares with a cause are removed.
  function reasonOf(cause) {
    if (cause >= 0) return `the queen on ${nameOf(cause)} attacks it`;
    if (cause === -1) return "the branch excludes it";
    return cause === -2 ? "a test found that it is attacked" : `a queen there leaves too few ${LINES[-3 - cause]} to other columns`;
  }

  // Returns what happens at a node, step by step.
  function explanation(i) {
    const [, branch, kind, placed, removed, detail] = nodes[i];
    const forced = new Set(placed);
    const force = (queen) => (data.preplaced.includes(queen)
      ? `The queen on ${nameOf(queen)} is given.`
      : `Column ${columnName(columnOf(queen))} has only one square left, so a queen goes on ${nameOf(queen)}.`);
    const steps = [];
    if (branch === null) steps.push("The search starts here.");
    else if (branch >= 0) steps.push(`The search places a queen on ${nameOf(branch)}.`);
    else steps.push(`Boards with a queen on ${nameOf(-1 - branch)} are done, so this branch excludes it.`);
    for (const [cause, ...numbers] of removed) {
      if (forced.delete(cause)) steps.push(force(cause));
      if (cause >= 0) steps.push(`Queen ${nameOf(cause)} attacks ${namesOf(numbers)}.`);
      else if (cause === -2) steps.push(`Tests find that ${namesOf(numbers)} ${numbers.length === 1 ? "is" : "are"} attacked.`);
      else if (cause < -2) steps.push(`A queen on ${numbers.map(nameOf).join(" or ")} leaves too few ${LINES[-3 - cause]} to other columns.`);
    }
    steps.push(...[...forced].map(force));
    if (kind === "f") steps.push(`${detail[0].toUpperCase()}${detail.slice(1)}: a failure. The search goes back.`);
    else if (kind === "s") steps.push("Every column has its queen: a solution.");
    else if (kind === "x") steps.push(`${plural(detail, "failure")} below here, and no solution, are left out.`);
    else if (detail !== null) steps.push(`Next choice: a queen on ${nameOf(detail)}, or none there.`);
    if (folded[i]) steps.push(`Folded: ${plural(below("failures", i), "failure")} and ${plural(below("solutions", i), "solution")} below here.`);
    return steps;
  }

  const foundAt = (i) => figures(upTo("nodes", i) - 1, upTo("failures", i), upTo("solutions", i));
  const say = (text) => (ui.status.textContent = text);

  // Says what the search has met.
  function summarize() {
    ui.about.innerHTML = [source.summary(), chosen && `Up to here: ${foundAt(chosen)}.`, data.cut]
      .filter(Boolean).map((part) => `<span>${part}</span>`).join(" ");
    renewTools();
  }

  function show() {
    const marks = stateOf(chosen);
    const [, , kind, , , detail] = nodes[chosen];
    shapes = [...marks].map(([number, [shape]]) => [shape, number]);
    // On a solved board, all squares that have no queen were removed.
    if (kind === "s") shapes = shapes.filter(([shape]) => !/gone|new/.test(shape));
    if (kind === "c" && detail !== null) shapes.push(["next", detail]);
    const names = namesOf(shapes.filter(([shape]) => /queen|forced|preplaced/.test(shape)).map(([, number]) => number));
    label = names ? `Board with queens on ${names}` : "Board without queens";
    whyOf = (number) => `${nameOf(number)}: ${marks.get(number)?.[1] ?? "free"}.`;
    ui.name.textContent = `${branchName(chosen)}: ${kindName(chosen)}`;
    ui.board.innerHTML = squares.svg(shapes, label);
    ui.steps.innerHTML = explanation(chosen).map((step) => `<li>${escaped(step)}</li>`).join("");
    ui.why.textContent = "Tap or point at a square to see why.";
    summarize();
  }

  // Selects a node.
  function choose(i, isStep = false) {
    [chosen, isStepping] = [i, isStep];
    // While the tree is hidden, the address is that of another view.
    if (ui.stage.clientWidth) savePaths();
    for (let above = parentOf(i); above !== null; above = parentOf(above)) folded[above] = 0;
    say("");
    update();
  }

  // Folds or unfolds a node.
  function toggle(i) {
    if (canFold(i)) folded[i] = 1 - folded[i];
    choose(i);
  }

  // Returns the path to a node: a digit per branch, 0 for the first one of a choice.
  function pathName(i) {
    let path = "";
    for (; i > 0; i = parentOf(i)) path = children[parentOf(i)].indexOf(i) + path;
    return path;
  }

  // Returns the node with a path, or the last one on its way.
  function findPath(path) {
    let i = 0;
    for (const branch of path) {
      if (!(branch in children[i])) break;
      i = children[i][branch];
    }
    return i;
  }

  // Indexes a tree that is new or has grown. A large one is folded. Selects the node with a path.
  function renew(path) {
    index();
    if (nodes.length > SMALL) folded.forEach((_, i) => (folded[i] = Number(isFailed(i))));
    chosen = findPath(path);
  }

  // Lets the search go on to the next solution or to its end. Returns whether it got there, or null if it cannot go on or if another
  // tree is shown now.
  async function goOn(isWhole = false) {
    const from = source;
    say("");
    const isThere = (await source.search?.(isWhole, summarize)) ?? null;
    if (source !== from || isThere === null) return null;
    renew(pathName(chosen));
    update(isWhole);
    if (!isThere) say("Stopped.");
    return isThere;
  }

  // Selects the next node of some kinds, and searches on if there is none yet.
  async function next(kinds, name) {
    const isNext = ([, , kind], i) => i > chosen && kinds.includes(kind);
    const from = source;
    let found, isThere;
    while ((found = nodes.findIndex(isNext)) < 0 && (isThere = await goOn()));
    if (source !== from || isThere === false) return;
    if (found >= 0) choose(found);
    else if (!source.isSearching) say(data.cut ? "The tree is full." : `No ${name}s ${below(`${name}s`, 0) ? "after this node" : "in this tree"}.`);
  }
  const nextSolution = () => next("s", "solution");
  const nextFailure = () => next("fx", "failure");
  const searchAll = () => (source.isSearching ? source.stop() : goOn(true));

  // Goes some steps forward or back in search order, and returns whether there is a step forward.
  async function step(distance) {
    const goesOn = chosen + distance < nodes.length || (await goOn());
    if (goesOn) choose(Math.min(Math.max(chosen + distance, 0), nodes.length - 1), true);
    return goesOn;
  }

  function unfoldBelow() {
    folded.fill(0, chosen, end[chosen]);
    update();
  }

  // Returns the visible node that is `distance` places after the selected node in search order.
  const neighbour = (distance) => visible[visible.indexOf(chosen) + distance] ?? chosen;

  // Zooms with the selected node in the middle.
  function zoomBy(factor) {
    const [stage, wanted] = [ui.stage, limitedScale(scale * factor)];
    [scale, isWhole] = [wanted, false];
    measure();
    const [x, y] = pixelOf(chosen);
    stage.scrollTo(x - stage.clientWidth / 2, y - stage.clientHeight / 2);
    draw();
  }
  // Shows a tree at the node with a path. The source has its title and its data. If the tree grows, it also has `search`, which goes on
  // to the next solution or to the end and returns whether it got there, or null if it cannot go on, `stop`, `isSearching`, `hasEnded`,
  // and `summary`, which says what the search has met.
  function showTree(from, path) {
    source?.stop?.();
    source = from;
    isStepping = false;
    say("");
    const kindSign = (kind) => sign("-11 -11 22 22", `<g fill="${KINDS[kind][2]}">${KINDS[kind][1]}</g>`, KINDS[kind][0]);
    ui.legend.innerHTML = Object.keys(KINDS).map(kindSign).join("");
    ui.signs.innerHTML = boardLegend(SIGNS, source.data);
    renew("");
    fit();
    if (path) choose(findPath(path));
  }

  // Selects the node with a path, and searches on until it is there. Returns whether it is, or null if another tree is shown now.
  async function follow(path) {
    const from = source;
    const isOnWay = () => path !== pathName(findPath(path)) && "oc".includes(kindOf(findPath(path)));
    while (isOnWay() && (await goOn()));
    if (source !== from) return null;
    choose(findPath(path));
    return pathName(chosen) === path;
  }

  // Keys with a meaning only in the tree.
  const MOVES = {
    ArrowDown: () => choose(neighbour(1)),
    ArrowUp: () => choose(neighbour(-1)),
    ArrowRight: () => (folded[chosen] ? toggle(chosen) : choose(children[chosen][0] ?? chosen)),
    ArrowLeft: () => (canFold(chosen) && !folded[chosen] ? toggle(chosen) : choose(parentOf(chosen) ?? 0)),
    Home: () => choose(0),
    End: () => choose(visible.at(-1)),
    Enter: () => toggle(chosen),
    " ": () => toggle(chosen),
  };
  ui.board.onclick = ui.board.onpointermove = ({ clientX, clientY }) => {
    const board = ui.board.firstElementChild;
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(board.getScreenCTM().inverse());
    const [column, row] = [x, y].map((length) => Math.floor(length / 10));
    const isInside = Math.min(column, row) >= 0 && Math.max(column, row) < data.n;
    if (isInside) ui.why.textContent = whyOf(column * data.n + row);
  };
  ui.stage.onscroll = () => {
    const { scrollLeft, scrollTop } = ui.stage;
    if (drawn.left !== scrollLeft || drawn.top !== scrollTop) draw();
  };
  new ResizeObserver(() => source && update(isWhole)).observe(ui.stage);
  ui.tree.onclick = ({ target }) => {
    const node = target.closest(".node");
    const i = node && Number(node.id.split("-")[1]);
    if (node) (i === chosen ? toggle : choose)(i);
  };
  ui.tree.onkeydown = (event) => {
    const act = !isTyping(event) && MOVES[event.key];
    if (!act) return;
    act();
    event.preventDefault();
  };

  return {
    show: showTree, follow, choose, kindOf, upTo, below, extent, step,
    // What buttons do.
    acts: {
      back: () => step(-1), on: () => step(1), solution: nextSolution, failure: nextFailure, all: searchAll, fit,
      fold: () => toggle(chosen), unfold: unfoldBelow, in: () => zoomBy(Math.SQRT2), out: () => zoomBy(Math.SQRT1_2),
      save: () => save("tree.svg", "image/svg+xml", documentOfTree()), saveBoard: () => squares.save(shapes, label),
    },
    get state() {
      return { source, nodes, chosen, visible, path: pathName(chosen), canFold: canFold(chosen), isFolded: folded[chosen] };
    },
  };
}

// The second tree is in a copy of the elements, and its legends are those of the first one.
const clone = ui.explorer.cloneNode(true);
clone.querySelectorAll(".legend").forEach((one) => one.remove());
for (const one of [clone, ...clone.querySelectorAll("[id]")]) one.id += 2;
ui.views.append(clone);
const tree = treeView(ui);
const second = treeView(new Proxy({}, { get: (_, id) => ui[`${id}2`] ?? ui[id] }));
// The trees that are shown, the one that the visitor used last, and the timer of the next step, if they are played.
let trees = [];
let usedTree = tree;
let timer = null;

// Names of their nodes in the address.
const NODES = ["node", "node2"];
const savePaths = () => updateAddress(trees.map(({ state }, i) => [NODES[i], state.path]));

// Shows one or two trees, each at the node with a path.
function showTrees(sources, paths) {
  trees = [tree, second].slice(0, sources.length);
  usedTree = tree;
  ui.views.classList.toggle("pair", sources.length > 1);
  ui.all.hidden = !sources[0].search;
  if (timer) play();
  trees.forEach((one, i) => one.show(sources[i], paths[i] ?? ""));
}

// Makes the buttons fit the trees.
function renewTools() {
  const states = trees.map(({ state }) => state).filter(({ source }) => source);
  ui.all.textContent = states.some(({ source }) => source.isSearching) ? "Stop" : "Search all";
  enable(ui.all, states.some(({ source }) => !source.hasEnded));
  enable(ui.fold, usedTree.state.canFold);
  ui.fold.textContent = usedTree.state.isFolded ? "Open" : "Fold";
}

// Begins or ends to go on step by step, in both trees together, until no tree goes on.
function play() {
  const advance = async () => {
    const goOn = await Promise.all(trees.map((one) => one.step(1)));
    if (!timer) return;
    if (goOn.some(Boolean)) timer = setTimeout(advance, ui.speed.value);
    else play();
  };
  clearTimeout(timer);
  timer = timer ? null : setTimeout(advance);
  ui.play.innerHTML = timer ? "❚❚<span> Pause</span>" : "▶<span> Play</span>";
}

// Buttons act on all trees, or on the one that was used last. Their titles get the names of their keys.
const ONE = ["fold", "unfold", "in", "out", "save", "saveBoard"];
const keys = {};
for (const id of ["play", ...Object.keys(tree.acts)]) {
  const button = ui[id];
  const key = button.getAttribute("aria-keyshortcuts");
  button.onclick = id === "play" ? play : () => (ONE.includes(id) ? [usedTree] : trees).forEach((one) => one.acts[id]());
  if (key) button.title = `${button.title || button.textContent} (${key})`;
  keys[key] = button;
}
[tree, second].forEach((one, i) => {
  ui.views.children[i].onpointerdown = () => (usedTree = one);
});
const closeMenu = () => {
  if (ui.more.contains(document.activeElement)) ui.more.firstElementChild.focus();
  ui.more.open = false;
};
ui.more.onclick = (event) => event.target.closest("#save, #saveBoard") && closeMenu();
addEventListener("pointerdown", ({ target }) => ui.more.contains(target) || (ui.more.open = false));
ui.more.onkeydown = ({ key }) => key === "Escape" && closeMenu();
addEventListener("keydown", (event) => {
  if (ui.stage.clientWidth && !isTyping(event) && event.key.length === 1) keys[event.key]?.click();
});

if (data) {
  window.onhashchange = () => {
    const paths = addressParameters();
    showTrees(data.map(([title, data]) => ({ title, data, summary: () => `${title}.` })), NODES.map((name) => paths.get(name)));
  };
  window.onhashchange();
}
