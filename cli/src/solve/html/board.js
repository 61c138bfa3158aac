"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const n = data.n;
const byId = (id) => document.getElementById(id);

// The letters of a column: a, b, ... z, aa, ab, ...
function columnName(column) {
  const letter = String.fromCharCode(97 + (column % 26));
  return column < 26 ? letter : columnName(Math.floor(column / 26) - 1) + letter;
}

const squareName = (column, row) => columnName(column) + (n - row);
const grouped = (number) => number.toLocaleString("en");
const plural = (number, thing) => `${grouped(number)} ${thing}${number === 1 ? "" : "s"}`;

// Text as HTML has it between tags and in attributes.
function escaped(text) {
  const names = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return String(text).replace(/[&<>"]/g, (sign) => names[sign]);
}

// A board with its coordinates, as SVG. A square is 10 units wide. `marks` are [what, column, row], where `what` is one of
// the shapes that the page defines; `label` says the same in words.
function boardSvg(marks, label) {
  const size = 10 * n;
  const every = n <= 20 ? 1 : 5;
  const font = 0.4 * n;
  const gutter = 1.5 + font * (n < 10 ? 1 : n < 100 ? 1.5 : 2);
  // The last column and the top row have their names in the middle, which may be wider than the squares.
  const margin = Math.max(1, 0.6 * font - 5);
  let svg = `<svg class="board" viewBox="${-gutter} ${-margin} ${size + gutter + margin} ${size + 1.8 * font + margin}" role="img" `;
  svg += `aria-label="${escaped(label)}"><rect width="${size}" height="${size}" fill="url(#squares)" stroke="#6b4a2b" `;
  svg += `stroke-width="0.5"/><g font-size="${font}" class="coordinates" aria-hidden="true">`;
  for (let i = every - 1; i < n; i += every) {
    const middle = 10 * i + 5;
    svg += `<text x="${middle}" y="${size + font * 1.3}" text-anchor="middle">${columnName(i)}</text>`;
    svg += `<text x="-1.5" y="${size - middle + font / 3}" text-anchor="end">${i + 1}</text>`;
  }
  svg += "</g>";
  for (const [what, column, row] of marks) {
    svg += `<use href="#${what}" x="${10 * column}" y="${10 * row}"/>`;
  }
  return svg + "</svg>";
}

// A sign with its meaning.
const sign = (box, shape, words) => `<span><svg class="sign" viewBox="${box}" aria-hidden="true">${shape}</svg>${words}</span>`;

// What may stand on the boards, with its meaning, but for what this board has none of.
function boardLegend(signs) {
  const isThere = ([what]) => data[what]?.length !== 0;
  return Object.entries(signs).filter(isThere).map(([what, words]) => sign("0 0 10 10", `<use href="#${what}"/>`, words)).join("");
}

// Whether a key was meant for a control that uses it itself.
const isTyping = (event) => event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);

// What the address asks for after its #.
const asked = () => new URLSearchParams(location.hash.slice(1));

// Keeps what is shown in the address, so that a link leads to it. Browsers refuse many changes in a short time, and a page
// within another one, as in a notebook, has no address.
let keeping;
function keepInAddress(entries) {
  if (location.protocol === "about:") return;
  clearTimeout(keeping);
  keeping = setTimeout(() => history.replaceState(null, "", `#${new URLSearchParams(entries)}`), 250);
}
