// Switches between the views. The address has the view and its settings.
"use strict";

const VIEWS = { count: countView, solve: solveView, explore: exploreView };

// Shows a sentence above the view, or hides it.
function notice(text) {
  byId("notice").hidden = !text;
  byId("notice").textContent = text;
}

// Returns the number in a field. If it is out of range, says so and returns null.
function numberIn(input) {
  const isValid = input.value !== "" && input.validity.valid;
  notice(isValid ? "" : `${input.name} must be a whole number from ${input.min} to ${input.max}.`);
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
    this.ignored.push(`${name}=${text}${control.max ? ` (accepted: ${control.min} to ${control.max})` : ""}`);
  }
}

async function showView() {
  const settings = new Settings(addressParameters());
  const name = Object.keys(VIEWS).find((view) => settings.take(view) !== null) ?? "count";
  notice("");
  clearTimeout(pending);
  address = null;
  for (const view of Object.keys(VIEWS)) byId(`view-${view}`).hidden = view !== name;
  for (const link of document.querySelectorAll("nav a")) link.ariaCurrent = link.hash === `#${name}` ? "page" : null;
  addressPrefix = `${name}&`;
  await VIEWS[name].open(settings);
  for (const [name, value] of settings.values) settings.ignored.push(value ? `${name}=${value}` : name);
  if (settings.ignored.length) notice(`Ignored in the address: ${settings.ignored.join("; ")}.`);
}

byId("share").onclick = async () => {
  const usual = byId("share").innerHTML;
  saveAddress();
  await navigator.clipboard.writeText(location.href).then(
    () => (byId("share").textContent = "Copied"),
    () => notice(`The browser does not copy; this is the address: ${location.href}`),
  );
  setTimeout(() => (byId("share").innerHTML = usual), 2000);
};

compiled.then(showView).then(() => {
  document.body.dataset.ready = "true";
  window.onhashchange = showView;
}, (error) => notice(`This page cannot run: ${error.message}. It needs a browser with WebAssembly SIMD, and a web server.`));
// Without the service worker, the page needs the network. A new one waits, because files of two builds do not work together.
navigator.serviceWorker?.register("service.js").then((worker) => {
  worker.onupdatefound = () => worker.active && notice("A new version of this page appears once all its tabs are closed.");
}, () => {});
