// The view that grows a search tree as the search goes on.
"use strict";

const SETTINGS = ["strategy", "variable", "value", "propagation"];
// Milliseconds of search between updates of the page, and number of branches at which the search for the first view ends.
const SLICE = 40;
const FIRST = 10_000;

// A search whose tree grows while it goes on. It is a source of a tree view.
class GrowingTree {
  isSearching = false;

  constructor(task, title) {
    this.title = title;
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
    return `${this.hasEnded ? "Whole tree" : this.isSearching ? "Searching" : "Searched so far"}: ${figures(...this.explorer.statistics())}.`;
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

// The board on which the search starts, and the task of the tree that is shown.
let startBoard = taskOf(0);
let exploredTask = "";

const exploreTask = () => ({ ...startBoard, ...Object.fromEntries(SETTINGS.map((name) => [name, ui[name].value || undefined])) });

// Uses the choices of the strategy.
const resetChoices = () => SETTINGS.slice(1).forEach((name) => (ui[name].value = ""));

// Shows the tree of the settings in the form, a new one if they have changed, at the node with a path. Returns whether the search has
// got there.
async function startTree(path = "") {
  const size = numberIn(ui.exploreN);
  if (size === null) return true;
  if (size !== startBoard.n) startBoard = taskOf(size);
  const task = exploreTask();
  // What a search cannot have is disabled.
  for (const name of SETTINGS.slice(1)) {
    for (const option of ui[name].options) option.disabled = !wasm_bindgen.is_strategy({ ...task, [name]: option.value || undefined });
  }
  const board = new Squares(size).entries({ queens: startBoard.queens, blocked: startBoard.blocked });
  const position = board.slice(1).map((list) => list.join(" "));
  const settings = SETTINGS.filter((name) => task[name]).map((name) => [name, task[name]]);
  const title = [`N = ${size}`, ...position, ...settings.map(([, value]) => value)].join(", ");
  addressPrefix = `explore&${new URLSearchParams([...board, ...settings])}&`;
  document.title = `Search tree, ${title} – N queens`;
  // The title of an option says what it means.
  ui.meaning.textContent = settings.map(([name, value]) => `${name} ${value}: ${ui[name].selectedOptions[0].title}`).join(". ");
  ui.settings.querySelector("summary").textContent = title;
  ui.position.textContent = position.join(", ");
  show(ui.empty, position.length, ui.exploreN);
  const isNew = exploredTask !== (exploredTask = JSON.stringify(task));
  if (isNew) tree.show(new GrowingTree(task, `Search tree, ${title}`), "");
  updateAddress({ node: path });
  return path === tree.state.path || tree.follow(path);
}

const exploreView = {
  async open(settings) {
    const isNew = settings.values.size > 0 || !exploredTask;
    const path = isNew ? (settings.take("node") ?? "") : tree.state.path;
    if (isNew) {
      settings.set("n", ui.exploreN);
      resetChoices();
      for (const name of SETTINGS) settings.set(name, ui[name]);
      const n = ui.exploreN.valueAsNumber;
      const queens = settings.squares("queens", n);
      startBoard = taskOf(n, { queens, blocked: settings.squares("blocked", n, queens) });
      if (queens.some((queen) => wasm_bindgen.attacked(startBoard).includes(queen))) {
        settings.ignore("queens", new Squares(n).namesOf(queens), "they attack each other");
        startBoard.queens = [];
      }
      for (const name of ["propagation", "variable"]) {
        if (wasm_bindgen.is_strategy(exploreTask())) break;
        settings.ignore(name, ui[name].value, "does not fit the others");
        ui[name].value = "";
      }
    }
    if (matchMedia("(max-width: 44rem)").matches) ui.settings.open = false;
    if ((await startTree(path)) === false) settings.ignore("node", path);
  },
};

ui.strategy.onchange = resetChoices; // before the form starts the tree
ui.exploring.onchange = () => startTree();
onSize(ui.exploreN, () => startTree());
ui.empty.onclick = () => {
  startBoard = taskOf(startBoard.n);
  startTree();
};
