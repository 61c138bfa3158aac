"use strict";
const byId = (id) => document.getElementById(id);

// The board that is shown, and its size. A page in a file contains its board and all that is shown about it.
let data, n;
function useBoard(board) {
  data = board;
  n = data.n;
  // The square at the bottom left is dark.
  byId("squares").setAttribute("y", 10 * (n % 2));
}
if (byId("data")) useBoard(JSON.parse(byId("data").textContent));

// Returns the name of a column: a, b, ... z, aa, ab, ...
function columnName(column) {
  const letter = String.fromCharCode(97 + (column % 26));
  return column < 26 ? letter : columnName(Math.floor(column / 26) - 1) + letter;
}

const squareName = (column, row) => columnName(column) + (n - row);
// Squares have numbers: column * n + row.
const place = (number) => [Math.floor(number / n), number % n];
const nameOf = (number) => squareName(...place(number));
const grouped = (number) => number.toLocaleString("en");
const plural = (number, thing, things = `${thing}s`) => `${grouped(number)} ${number === 1 ? thing : things}`;

// Escapes text for use in HTML elements and attributes.
function escaped(text) {
  const names = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return String(text).replace(/[&<>"]/g, (sign) => names[sign]);
}

// Returns the SVG of a board with coordinates. Squares are 10 units wide. `marks` are [shape, column, row], and the page must
// define the shapes. A fourth element is a text that appears under the pointer. `label` describes the board for screen readers.
// Without names of rows and columns, the board has no margin.
function boardSvg(marks, label, isNamed = true) {
  const size = 10 * n;
  const every = n <= 20 ? 1 : 5;
  const font = isNamed ? 0.4 * n : 0;
  const gutter = isNamed ? 1.5 + font * (n < 10 ? 1 : n < 100 ? 1.5 : 2) : 1;
  // Names are centred and may be wider than a square, so the last column and the top row need a margin.
  const margin = Math.max(1, 0.6 * font - 5);
  let svg = `<svg class="board" viewBox="${-gutter} ${-margin} ${size + gutter + margin} ${size + 1.8 * font + 2 * margin}" role="img" `;
  svg += `aria-label="${escaped(label)}"><rect width="${size}" height="${size}" fill="url(#squares)" stroke="#6b4a2b" `;
  svg += `stroke-width="0.5"/><g font-size="${font}" class="coordinates" aria-hidden="true">`;
  for (let i = every - 1; i < n && isNamed; i += every) {
    const middle = 10 * i + 5;
    svg += `<text x="${middle}" y="${size + font * 1.3}" text-anchor="middle">${columnName(i)}</text>`;
    svg += `<text x="-1.5" y="${size - middle + font / 3}" text-anchor="end">${i + 1}</text>`;
  }
  svg += "</g>";
  for (const [shape, column, row, title] of marks) {
    svg += `<use href="#${shape}" x="${10 * column}" y="${10 * row}">${title ? `<title>${escaped(title)}</title>` : ""}</use>`;
  }
  return svg + "</svg>";
}

// Returns a legend entry: a shape with its meaning.
const sign = (box, shape, words) => `<span><svg class="sign" viewBox="${box}" aria-hidden="true">${shape}</svg>${words}</span>`;

// Returns the legend for the shapes that can occur on the boards.
function boardLegend(signs) {
  const occurs = ([shape]) => data[shape]?.length !== 0;
  return Object.entries(signs).filter(occurs).map(([shape, words]) => sign("0 0 10 10", `<use href="#${shape}"/>`, words)).join("");
}

// Whether a key press is a browser shortcut or is meant for a form control.
const isTyping = (event) => event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);

// Returns the parameters in the fragment of the address.
const addressParameters = () => new URLSearchParams(location.hash.slice(1));

// Saves the current view in the address, so that it can be linked to. Updates are delayed because browsers limit their rate.
// A page that is embedded in another, for example in a notebook, has no address of its own.
let pending;
let address = null;
let addressPrefix = "";
function saveAddress() {
  clearTimeout(pending);
  if (address !== null && location.protocol !== "about:") history.replaceState(null, "", address);
  address = null;
}
function updateAddress(entries) {
  clearTimeout(pending);
  address = `#${addressPrefix}${new URLSearchParams(entries)}`;
  pending = setTimeout(saveAddress, 250);
}

// Saves a text as a file.
function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
