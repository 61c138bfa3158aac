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

// Explores below the choice at a node. Waits between slices, and returns null if the tree was replaced meanwhile.
async function explore(i, goal, most) {
  const [tree, path] = [explorer, pathName(i)];
  for (;;) {
    const part = explorer.explore(path, goal, isStopped ? 0 : most, SLICE);
    if (part) return JSON.parse(part);
    await new Promise((resolve) => setTimeout(resolve));
    if (tree !== explorer) return null;
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
  byId("explore-stop").disabled = false;
  byId("status").textContent = "Searching …";
  const kinds = { solution: "s", failure: "fx", all: "" }[goal];
  const parts = [];
  let [found, most, paused] = [-1, MOST, performance.now()];
  for (const i of order.slice(rank[from], goal === "all" ? end[from] : nodes.length)) {
    if (i !== from && kinds.includes(kindOf(i))) {
      found = i;
      break;
    }
    // The subtree of a folded choice is shown if that is asked for.
    const isUnfolded = goal === "all" && i === from && kindOf(i) === "x";
    if (kindOf(i) !== "o" && !isUnfolded) continue;
    const part = await explore(i, isUnfolded ? "unfolded" : goal, most);
    if (!part) return null;
    parts.push([i, part]);
    most = Math.max(0, most - part.rows.length);
    if (part.ended !== "end") break;
    if (performance.now() > paused + SLICE) {
      await new Promise((resolve) => setTimeout(resolve));
      paused = performance.now();
    }
  }
  const { ended } = parts.at(-1)?.[1] ?? {};
  for (const [i, part] of parts) {
    const last = grow(i, part);
    if (part.ended === "found") found = last;
  }
  isSearching = false;
  byId("explore-stop").disabled = true;
  byId("status").textContent = "";
  index();
  byId("about").textContent = source.about();
  if (ended === "full") {
    update();
    byId("status").textContent = isStopped ? "Stopped." : `Stopped at ${grouped(nodes.length)} nodes. The same button goes on.`;
    return null;
  }
  return found;
}

function statisticsLine() {
  const numbers = { branches: below("nodes", 0) - 1, failures: below("failures", 0), solutions: below("solutions", 0) };
  if (below("tests", 0)) Object.assign(numbers, { "squares tested": below("tests", 0), "table look-ups": below("lookups", 0) });
  const list = Object.entries(numbers).map(([name, number]) => `${grouped(number)} ${name}`);
  return `${list.join(", ")}${below("open", 0) ? " so far" : " (complete)"}`;
}

// Returns the queens placed by propagation, and the removed squares by cause.
function stateAt(i) {
  const [placed, list] = JSON.parse(explorer.state(pathName(i)));
  const removed = [];
  for (const [cause, square] of list) {
    const name = { branch: "the branch", tested: "found to be attacked" }[cause] ?? cause;
    if (removed.at(-1)?.[0] === name) removed.at(-1).push(square);
    else removed.push([name, square]);
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

const exploreView = {
  open(parameters) {
    if (parameters.has("n")) {
      byId("explore-n").value = parameters.get("n");
      for (const name of SETTINGS) byId(name).value = parameters.get(name) ?? (name === "strategy" ? "backtrack" : "");
    }
    exploreView.start();
  },

  // Begins a new tree with the settings of the form.
  start() {
    const size = Math.max(0, Math.min(30, Math.floor(Number(byId("explore-n").value))));
    const settings = SETTINGS.map((name) => byId(name).value);
    let fresh;
    try {
      fresh = new wasm_bindgen.Explorer(size, settings);
    } catch (error) {
      byId("status").textContent = `Error: ${error.message}`;
      return;
    }
    explorer?.free();
    explorer = fresh;
    isSearching = false;
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
    showTree({
      nodes,
      state: stateAt,
      name: pathName,
      find: findPath,
      about: statisticsLine,
      search: searchOn,
      open(i) {
        if (!isSearching) grow(i, JSON.parse(explorer.explore(pathName(i), "open", 0, 1000)));
      },
    });
    byId("status").textContent = "";
  },
};

byId("exploring").onchange = () => {
  history.replaceState(null, "", "#explore");
  exploreView.start();
};
byId("exploring").onsubmit = () => false;
byId("explore-stop").onclick = () => (isStopped = true);
