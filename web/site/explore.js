// The view that grows a search tree as the search goes on.
"use strict";

const SETTINGS = ["strategy", "variable", "value", "propagation"];
// Milliseconds of search between updates of the page, and number of branches at which the search for the first view ends.
const SLICE = 40;
const FIRST = 10_000;

let explorer = null;
let isSearching = false;
let isStopped = false;
// Settings of the tree that is shown, and the timer of a size that is being typed.
let started = "";
let typed;

const chosenSettings = () => SETTINGS.map((name) => byId(name).value);
const form = () => [byId("explore-n").value, ...chosenSettings()].join();
const useTree = () => useBoard(JSON.parse(explorer.data()));

function setSearching(isOn) {
  isSearching = isOn;
  byId("halt").hidden = !isOn;
  byId("status").textContent = "";
}

// Lets the search go on to the next solution or to its end. Returns whether it got there, or null if it cannot go on.
async function searchOn(isWhole) {
  if (isSearching || explorer.has_ended()) return null;
  if (!isWhole && !explorer.grows()) {
    byId("status").textContent = "The tree is full.";
    return null;
  }
  const tree = explorer;
  isStopped = false;
  setSearching(true);
  while (!tree.search(isWhole, Infinity, SLICE) && !isStopped) {
    byId("status").textContent = `Searching: ${si(tree.statistics()[0])} branches …`;
    await new Promise((resolve) => setTimeout(resolve));
    if (tree !== explorer) return null;
  }
  setSearching(false);
  if (isStopped) byId("status").textContent = `Stopped after ${figures(...tree.statistics().slice(0, 3))}.`;
  useTree();
  return !isStopped;
}

// Begins a new tree with the settings of the form, at the node with a path.
async function startTree(path = "") {
  const size = numberIn(byId("explore-n"));
  if (size === null) return;
  const settings = chosenSettings();
  const make = () => new wasm_bindgen.Explorer(size, settings);
  let fresh;
  try {
    fresh = make();
  } catch (error) {
    return notice(`${error.message}.`);
  }
  if (isPlaying) play();
  explorer?.free();
  explorer = fresh;
  // A small tree is shown as a whole, and a larger one up to the first solution.
  explorer.search(true, SMALL, 1000);
  if (!explorer.has_ended()) {
    explorer.free();
    explorer = make();
    explorer.search(false, FIRST, 1000);
  }
  started = form();
  setSearching(false);
  const names = settings.filter(Boolean);
  const entries = SETTINGS.filter((_, i) => settings[i]).map((name) => [name, byId(name).value]);
  addressPrefix = `explore&${new URLSearchParams([["n", size], ...entries])}&`;
  // A sentence about each setting is the title of its option.
  byId("meaning").textContent = SETTINGS.map((name) => byId(name).selectedOptions[0].title).filter(Boolean).join(" ");
  byId("settings").querySelector("summary").textContent = `N = ${size}, ${names.join(", ")}`;
  useTree();
  const total = () => explorer.has_ended() && explorer.statistics();
  showTree({ title: `Search tree, N = ${size}, ${names.join(", ")}`, search: searchOn, total });
  updateAddress({ node: path });
  await follow(path);
}

// Selects the node with a path, and searches on until it is there.
async function follow(path) {
  while (path !== pathName(findPath(path)) && "oc".includes(kindOf(findPath(path))) && (await goOn()));
  if (path) choose(findPath(path));
}

const exploreView = {
  async open(settings) {
    const isNew = settings.values.has("n") || !explorer;
    const path = settings.take("node") ?? "";
    settings.set("n", byId("explore-n"));
    if (isNew) for (const name of SETTINGS.slice(1)) byId(name).value = "";
    for (const name of SETTINGS) settings.set(name, byId(name));
    if (matchMedia("(max-width: 44rem)").matches) byId("settings").open = false;
    await startTree(path);
    if (pathName(chosen) !== path) settings.ignored.push(`node=${path}`);
  },
};

const restart = () => form() !== started && startTree();
byId("exploring").onchange = restart;
// A size that is typed is taken after a moment.
byId("explore-n").oninput = () => {
  clearTimeout(typed);
  typed = setTimeout(restart, 600);
};
byId("exploring").onsubmit = () => false;
byId("halt").onclick = () => (isStopped = true);
