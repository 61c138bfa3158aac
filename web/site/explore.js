// The view that grows a search tree as it is explored.
"use strict";

let explorer = null;
let isSearching = false;
let isStopped = false;
const SETTINGS = ["strategy", "variable", "value", "propagation"];
// Milliseconds of search between updates of the page, and number of nodes after which a search stops, since they make the page
// slow.
const SLICE = 40;
const MOST = 300_000;

// When the page is next updated during a search.
let pause = 0;

// Explores below the choice at a node. Waits between slices, and returns null if the tree was replaced meanwhile.
async function explore(i, goal, most) {
  const [tree, path] = [explorer, pathName(i)];
  for (;;) {
    const part = explorer.explore(path, goal, isStopped ? 0 : most, SLICE);
    if (performance.now() > pause) {
      await new Promise((resolve) => setTimeout(resolve));
      pause = performance.now() + SLICE;
    }
    if (tree !== explorer) return null;
    if (part) return JSON.parse(part);
  }
}

// Adds the nodes that were explored below a node, and returns the index of the last one.
function grow(i, { found, rows }) {
  // The root's tests are known, since it is not reached again.
  nodes[i] = [...nodes[i].slice(0, 2), ...rows[0].slice(2, 6), ...(i === 0 ? nodes : rows)[0].slice(6)];
  const offset = nodes.length - 1;
  const indexOf = (row) => (row === 0 ? i : offset + row);
  for (const [parent, ...node] of rows.slice(1)) nodes.push([indexOf(parent), ...node]);
  return indexOf(found);
}

// Searches on from a node. Returns the node that was found, -1 if there is none, or null if the search was stopped.
async function searchOn(goal, from) {
  if (isSearching) return null;
  [isSearching, isStopped] = [true, false];
  byId("halt").hidden = false;
  byId("status").textContent = "Searching …";
  const kinds = { solution: "s", failure: "fx", all: "" }[goal];
  let [found, ended, most] = [-1, "end", MOST];
  for (const i of order.slice(rank[from], goal === "all" ? end[from] : order.length)) {
    if (i !== from && kinds.includes(kindOf(i))) {
      found = i;
      break;
    }
    // The subtree of a folded choice is shown if that is asked for.
    const isUnfolded = goal === "all" && i === from && kindOf(i) === "x";
    if (kindOf(i) !== "o" && !isUnfolded) continue;
    const part = await explore(i, isUnfolded ? "unfolded" : goal, most);
    if (!part) return null;
    const reached = grow(i, part);
    [ended, most] = [part.ended, Math.max(0, most - part.rows.length)];
    if (ended === "found") found = reached;
    if (ended !== "end") break;
  }
  isSearching = false;
  byId("halt").hidden = true;
  byId("status").textContent = "";
  index();
  if (ended === "full") {
    update();
    byId("status").textContent = isStopped ? "Stopped." : `Stopped at ${grouped(nodes.length)} nodes. The same button goes on.`;
    return null;
  }
  return found;
}

// Returns the queens placed by propagation, and the removed squares by cause.
function stateAt(i) {
  const [placed, list] = JSON.parse(explorer.state(pathName(i)));
  const removed = [];
  for (const [cause, square] of list) {
    if (removed.at(-1)?.[0] === cause) removed.at(-1).push(square);
    else removed.push([cause, square]);
  }
  return [placed, removed];
}

// Returns the path to a node: a digit per branch.
function pathName(i) {
  let path = "";
  for (; i > 0; i = parentOf(i)) path = children[parentOf(i)].indexOf(i) + path;
  return path;
}

function findPath(path) {
  let i = 0;
  for (const branch of path ?? "") {
    open(i);
    i = children[i][branch] ?? i;
  }
  return path === null ? -1 : i;
}

// Shows a sentence about each setting, which is the title of its option.
function describeSettings(size, names) {
  byId("meaning").textContent = SETTINGS.map((name) => byId(name).selectedOptions[0].title).filter(Boolean).join(" ");
  byId("settings").querySelector("summary").textContent = `N = ${size}, ${names.filter(Boolean).join(", ")}`;
}

// Settings of the tree that is shown, and the timer of a size that is being typed.
let started = "";
let typed = null;

const exploreView = {
  open(settings) {
    const isNew = settings.values.has("n") || !explorer;
    const node = settings.take("node");
    settings.set("n", byId("explore-n"));
    if (isNew) for (const name of SETTINGS.slice(1)) byId(name).value = "";
    for (const name of SETTINGS) settings.set(name, byId(name));
    if (matchMedia("(max-width: 44rem)").matches) byId("settings").open = false;
    exploreView.start(node);
  },

  // Begins a new tree with the settings of the form, at the node with a path.
  start(node) {
    const size = numberIn(byId("explore-n"));
    if (size === null) return;
    const settings = SETTINGS.map((name) => byId(name).value);
    let fresh;
    try {
      fresh = new wasm_bindgen.Explorer(size, settings);
    } catch (error) {
      return notice(`${error.message}.`);
    }
    explorer?.free();
    explorer = fresh;
    started = form();
    isSearching = false;
    byId("halt").hidden = true;
    const chosen = SETTINGS.filter((name) => byId(name).value).map((name) => [name, byId(name).value]);
    addressPrefix = `explore&${new URLSearchParams([["n", size], ...chosen])}&`;
    useBoard({ n: size, preplaced: [], blocked: [], forbidden: [] });
    nodes = [[null, ...JSON.parse(explorer.root()).slice(1)]];
    const part = (goal, most) => {
      for (;;) {
        const json = explorer.explore("", goal, most, 1000);
        if (json) return JSON.parse(json);
      }
    };
    if (kindOf(0) === "o") {
      const whole = part("unfolded", SMALL);
      grow(0, whole.ended === "end" ? whole : part("open", 0));
    }
    describeSettings(size, settings);
    showTree({
      nodes,
      title: () => `Search tree, N = ${size}, ${settings.filter(Boolean).join(", ")}`,
      state: stateAt,
      name: pathName,
      find: () => findPath(node),
      search: searchOn,
      open(i) {
        if (!isSearching) grow(i, JSON.parse(explorer.explore(pathName(i), "open", 0, 1000)));
      },
    });
    updateAddress({ node: pathName(0) });
  },
};

const form = () => ["explore-n", ...SETTINGS].map((id) => byId(id).value).join();
const restart = () => form() !== started && exploreView.start(null);
byId("exploring").onchange = restart;
// A size that is typed is taken after a moment.
byId("explore-n").oninput = () => {
  clearTimeout(typed);
  typed = setTimeout(restart, 600);
};
byId("exploring").onsubmit = () => false;
byId("halt").onclick = () => (isStopped = true);
