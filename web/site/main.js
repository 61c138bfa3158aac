// Switches between the views. The address has the view and its settings.
"use strict";

const VIEWS = { count: countView, solve: solveView, explore: exploreView };
let shownView = null;

function problem(text) {
  byId("problem").hidden = false;
  byId("problem").textContent = text;
}

async function showView() {
  const parameters = addressParameters();
  const [first] = parameters.keys();
  const name = first in VIEWS ? first : "count";
  clearTimeout(pending);
  if (name !== shownView) {
    for (const view of Object.keys(VIEWS)) byId(`view-${view}`).hidden = view !== name;
    for (const link of document.querySelectorAll("nav a")) {
      if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    shownView = name;
  }
  addressPrefix = `${name}&`;
  await VIEWS[name].open(parameters);
}

compiled.then(showView).then(() => {
  document.body.dataset.ready = "true";
  window.onhashchange = showView;
}, (error) => problem(`This page cannot run: ${error.message}. It needs a browser with WebAssembly SIMD, and a web server.`));
