// Switches between the views. The address has the view and its settings.
"use strict";

const VIEWS = { count: countView, solve: solveView, explore: exploreView };

// Sentences above the view, by what has caused them.
const notices = new Map();

// Shows a sentence about something, in place of an earlier one, or hides that.
function notice(cause, text) {
  notices.delete(cause);
  if (text) notices.set(cause, text);
  ui.notice.hidden = !notices.size;
  ui.notice.textContent = [...notices.values()].join(" ");
}

// Returns the number in a field. If it is out of range, says so and returns null.
function numberIn(input) {
  const isValid = input.value !== "" && input.validity.valid;
  notice(input, !isValid && `${input.labels[0].textContent.trim()}: type a whole number from ${input.min} to ${input.max}.`);
  return isValid ? input.valueAsNumber : null;
}

// Settings of the address, and those that are ignored.
class Settings {
  ignored = [];

  constructor(parameters) {
    this.values = new Map(parameters);
  }

  take(name) {
    const text = this.values.get(name) ?? null;
    this.values.delete(name);
    return text;
  }

  // Sets a form control to a setting, if there is one and the control accepts it.
  set(name, control) {
    const [text, before] = [this.take(name), control.value];
    if (text === null) return;
    control.value = text;
    if (text && control.value === text && control.validity.valid) return;
    control.value = before;
    this.ignore(name, text, control.max && `accepted: ${control.min} to ${control.max}`);
  }

  // Takes a list of squares of a board, without those that are already in other lists.
  squares(name, n, ...others) {
    const names = (this.take(name) ?? "").split(/[ ,]+/).filter(Boolean);
    return names.flatMap((square) => {
      const number = wasm_bindgen.square(square, n);
      const isTaken = others.flat().includes(number);
      if (number !== undefined && !isTaken) return [number];
      this.ignore(name, square, isTaken ? "the square is taken" : "no square of the board");
      return [];
    });
  }

  ignore(name, text, reason) {
    this.ignored.push(`${name}${text && `=${text}`}${reason ? ` (${reason})` : ""}`);
    if (visit === this) notice("address", `Ignored in the address: ${this.ignored.join("; ")}.`);
  }
}

// Settings of the view that is shown.
let visit;

function showView() {
  visit = new Settings(addressParameters());
  const name = Object.keys(VIEWS).find((view) => visit.take(view) !== null) ?? "count";
  notices.clear();
  notice();
  clearTimeout(pending);
  address = null;
  for (const view of Object.keys(VIEWS)) ui[`view-${view}`].hidden = view !== name;
  for (const link of document.querySelectorAll("nav a")) link.ariaCurrent = link.hash === `#${name}` ? "page" : null;
  addressPrefix = `${name}&`;
  document.title = `${VIEWS[name].title} – N queens`;
  VIEWS[name].open(visit);
  for (const [name, value] of visit.values) visit.ignore(name, value);
}

compiled.then(() => {
  document.body.insertAdjacentHTML("beforeend", `<svg class="definitions" aria-hidden="true">${wasm_bindgen.shapes()}</svg>`);
  window.onhashchange = showView;
  showView();
  document.body.dataset.ready = "true";
}).catch((error) => notice("start", `This page cannot run: ${error.message}. It needs a browser with WebAssembly SIMD, and a web server.`));
// Without the service worker, the page needs the network. A new one waits, because files of two builds do not work together.
navigator.serviceWorker?.register("service.js").then((worker) => {
  worker.onupdatefound = () => worker.active && notice("update", "A new version of this page appears once all its tabs are closed.");
}, () => {});
