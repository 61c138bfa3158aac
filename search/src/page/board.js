"use strict";
// The elements of the page by their names.
const ui = new Proxy({}, { get: (_, id) => document.getElementById(id) });

// A page in a file contains its board and all that is shown about it.
const data = JSON.parse(ui.data?.textContent ?? null);

// Returns the name of a column: a, b, ... z, aa, ab, ...
function columnName(column) {
  const letter = String.fromCharCode(97 + (column % 26));
  return column < 26 ? letter : columnName(Math.floor(column / 26) - 1) + letter;
}

const grouped = (number) => number.toLocaleString("en");
const plural = (number, thing, things = `${thing}s`) => `${grouped(number)} ${number === 1 ? thing : things}`;

// Escapes text for use in HTML elements and attributes.
function escaped(text) {
  const names = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return String(text).replace(/[&<>"]/g, (sign) => names[sign]);
}

// A board of a size. Squares have numbers: column * n + row.
class Squares {
  constructor(n) {
    this.n = n;
  }

  place = (number) => [Math.floor(number / this.n), number % this.n];
  nameOf = (number) => columnName(this.place(number)[0]) + (this.n - this.place(number)[1]);
  namesOf = (squares) => [...squares].map(this.nameOf).join(" ");
  // Returns the size and lists of squares for the address, without empty lists.
  entries(lists) {
    return [["n", this.n], ...Object.entries(lists).map(([name, list]) => [name, this.namesOf(list)]).filter(([, names]) => names)];
  }

  // Returns the SVG of the board. Squares are 10 units wide. `marks` are pairs of a shape, which the page must define, and a square.
  // `label` describes the board for screen readers. Without names of rows and columns, the board has no margin.
  svg(marks, label, isNamed = true) {
    const size = 10 * this.n;
    const every = this.n <= 20 ? 1 : 5;
    const font = isNamed ? 0.48 * this.n : 0;
    const gutter = isNamed ? 1.5 + font * (this.n < 10 ? 1 : this.n < 100 ? 1.5 : 2) : 1;
    // Names are centred and may be wider than a square, so the last column and the top row need a margin.
    const margin = Math.max(1, 0.6 * font - 5);
    // The square at the bottom left is dark, so the pattern is shifted if the number of rows is odd.
    const shift = 10 * (this.n % 2);
    let svg = `<svg class="board" role="img" aria-label="${escaped(label)}" ` +
      `viewBox="${-gutter} ${-margin} ${size + gutter + margin} ${size + 1.8 * font + 2 * margin}" font-family="sans-serif" font-size="${font}">` +
      `<rect width="${size}" height="${size}" y="${-shift}" transform="translate(0 ${shift})" fill="url(#squares)" stroke="#6b4a2b" stroke-width="0.5"/>`;
    for (let i = every - 1; i < this.n && isNamed; i += every) {
      const middle = 10 * i + 5;
      svg += `<text x="${middle}" y="${size + font * 1.3}" text-anchor="middle">${columnName(i)}</text>`;
      svg += `<text x="-1.5" y="${size - middle + font / 3}" text-anchor="end">${i + 1}</text>`;
    }
    for (const [shape, number] of marks) {
      const [x, y] = this.place(number);
      svg += `<use href="#${shape}" x="${10 * x}" y="${10 * y}"/>`;
    }
    return svg + "</svg>";
  }

  // Saves the board as a file that needs nothing of the page.
  save(marks, label) {
    const definitions = [...document.querySelectorAll(".definitions")];
    const [begin, shapes] = [`<svg xmlns="${definitions[0].namespaceURI}" `, definitions.map((one) => one.innerHTML).join("")];
    save("board.svg", "image/svg+xml", this.svg(marks, label).replace("<svg ", begin).replace("<rect", `${shapes}<rect`));
  }
}

// Returns a legend entry: a shape with its meaning.
const sign = (box, shape, words) => `<span><svg class="sign" viewBox="${box}" aria-hidden="true">${shape}</svg>${words}</span>`;

// Returns the legend for the shapes that can occur on a board.
function boardLegend(signs, board = {}) {
  const occurs = ([shape]) => board[shape]?.length !== 0;
  return Object.entries(signs).filter(occurs).map(([shape, words]) => sign("0 0 10 10", `<use href="#${shape}"/>`, words)).join("");
}

// Whether a key press is a browser shortcut or is meant for a form control.
const isTyping = (event) => event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT)$/.test(event.target.tagName);

// Buttons that do nothing for now keep the focus.
const enable = (button, isOn) => (button.ariaDisabled = !isOn);
addEventListener("click", (event) => event.target.closest?.("[aria-disabled=true]") && (event.stopPropagation(), event.preventDefault()), true);

// Returns the parameters in the fragment of the address.
const addressParameters = () => new URLSearchParams(location.hash.slice(1));

// Saves the current view in the address, so that it can be linked to. Updates are delayed because browsers limit their rate, unless
// the Back button is to lead back. A page that is embedded in another, for example in a notebook, has no address of its own.
let pending;
let address = null;
let addressPrefix = "";
function saveAddress(isNew = false) {
  clearTimeout(pending);
  if (address !== null && location.protocol !== "about:") history[isNew ? "pushState" : "replaceState"](null, "", address);
  address = null;
}
function updateAddress(entries, isNew = false) {
  if (isNew) saveAddress();
  clearTimeout(pending);
  address = `#${addressPrefix}${new URLSearchParams(entries)}`;
  pending = setTimeout(saveAddress, 250);
  if (isNew) saveAddress(true);
}

// Saves a text as a file.
function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
