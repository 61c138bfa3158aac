// The view that grows a search tree as the search goes on.
"use strict";

// Menus of the first search and of one beside it.
const SETTINGS = ["strategy", "against"];
// Milliseconds of search between updates of the page, and number of branches at which the search for the first view ends.
const SLICE = 40;
const FIRST = 10_000;

// A search whose tree grows while it goes on. It is a source of a tree view.
class GrowingTree {
  isSearching = false;

  constructor(task, title) {
    this.title = title;
    this.strategy = task.strategy;
    const begin = () => (this.explorer = new wasm_bindgen.Explorer(task));
    // A small tree is shown as a whole, and a larger one up to the first solution.
    begin().search(true, SMALL, 1000);
    if (!this.hasEnded) begin().search(false, FIRST, 1000);
  }

  get data() {
    return JSON.parse(this.explorer.data());
  }

  get hasEnded() {
    return this.explorer.has_ended();
  }

  summary() {
    return `${this.strategy}. ${this.hasEnded ? "Whole tree" : this.isSearching ? "Searching" : "Searched so far"}: ${figures(...this.explorer.statistics())}.`;
  }

  async search(isWhole, onProgress) {
    if (this.isSearching || !(isWhole ? !this.hasEnded : this.explorer.grows())) return null;
    this.isSearching = true;
    while (this.isSearching && !this.explorer.search(isWhole, Infinity, SLICE)) {
      onProgress();
      await new Promise((resolve) => setTimeout(resolve));
    }
    const isThere = this.isSearching;
    this.isSearching = false;
    return isThere;
  }

  stop() {
    this.isSearching = false;
  }
}

// The board on which the searches start, and the tasks of the trees that are shown.
let startBoard = taskOf(0);
let exploredTasks = "";

// Shows the trees of the settings in the form, new ones if they have changed, at the nodes with some paths. Returns for each tree
// whether the search has got there.
async function startTrees(paths = []) {
  const size = numberIn(ui.exploreN);
  if (size === null) return [];
  if (size !== startBoard.n) startBoard = taskOf(size);
  const board = new Squares(size).entries({ queens: startBoard.queens, blocked: startBoard.blocked });
  const position = board.slice(1).map((list) => list.join(" "));
  const settings = SETTINGS.map((name) => [name, ui[name].value]).filter(([, strategy]) => strategy);
  const tasks = settings.map(([, strategy]) => ({ ...startBoard, strategy }));
  const place = [`N = ${size}`, ...position];
  const title = [...place, tasks.map(({ strategy }) => strategy).join(" against ")].join(", ");
  addressPrefix = `explore&${new URLSearchParams([...board, ...settings])}&`;
  document.title = `Search tree, ${title} – N queens`;
  ui.meaning.textContent = tasks.map(({ strategy }) => `${strategy} ${wasm_bindgen.meaning(strategy)}.`).join(" ");
  ui.settings.querySelector("summary").textContent = title;
  ui.position.textContent = position.join(", ");
  show(ui.empty, position.length, ui.exploreN);
  const isNew = exploredTasks !== (exploredTasks = JSON.stringify(tasks));
  if (isNew) showTrees(tasks.map((task) => new GrowingTree(task, ["Search tree", ...place, task.strategy].join(", "))), []);
  updateAddress(trees.map((_, i) => [NODES[i], paths[i] ?? ""]));
  return Promise.all(trees.map((one, i) => (paths[i] ?? "") === one.state.path || one.follow(paths[i] ?? "")));
}

const exploreView = {
  async open(settings) {
    if (!ui.strategy.value) {
      const options = wasm_bindgen.strategies().map((name) => `<option>${name}</option>`).join("");
      for (const name of SETTINGS) ui[name].innerHTML += options;
      ui.strategy.value = "first-unbound";
    }
    const isNew = settings.values.size > 0 || !exploredTasks;
    const paths = isNew ? NODES.map((name) => settings.take(name) ?? "") : trees.map(({ state }) => state.path);
    if (isNew) {
      settings.set("n", ui.exploreN);
      ui.against.value = "";
      for (const name of SETTINGS) settings.set(name, ui[name]);
      const n = ui.exploreN.valueAsNumber;
      const queens = settings.squares("queens", n);
      startBoard = taskOf(n, { queens, blocked: settings.squares("blocked", n, queens) });
      if (queens.some((queen) => wasm_bindgen.attacked(startBoard).includes(queen))) {
        settings.ignore("queens", new Squares(n).namesOf(queens), "they attack each other");
        startBoard.queens = [];
      }
    }
    if (matchMedia("(max-width: 44rem)").matches) ui.settings.open = false;
    const found = await startTrees(paths);
    found.forEach((isThere, i) => isThere === false && settings.ignore(NODES[i], paths[i]));
  },
};

ui.exploring.onchange = () => startTrees();
onSize(ui.exploreN, () => startTrees());
ui.empty.onclick = () => {
  startBoard = taskOf(startBoard.n);
  startTrees();
};
