// Names of the symmetries that map the first solution of a class to the others.
const SYMMETRIES = ["", "rotated by 90°", "rotated by 180°", "rotated by 270°"];
for (const rotated of [...SYMMETRIES]) SYMMETRIES.push(("mirrored, " + rotated).replace(/, $/, ""));

const preplaced = new Set(data.preplaced.map(([column, row]) => squareName(column, row)));
// Indices of the solutions in each class.
const members = [];
data.classes.forEach(([kind], i) => (members[kind] ??= []).push(i));
const all = data.solutions.map((_, i) => i);
let shown = all;
let chosen = null;

const form = document.querySelector("form");
const size = () => Number(byId("size").value) || 12;
const pages = () => Math.max(1, Math.ceil(shown.length / size()));
const page = () => Math.min(pages(), Math.max(1, Math.floor(Number(byId("page").value)) || 1));
// Consecutive classes have clearly different colours.
const colour = (kind) => `hsl(${Math.round(kind * 137.5) % 360} 60% 45%)`;

function describe(i) {
  const [kind, symmetry] = data.classes[i];
  const first = members[kind][0];
  const image = i === first ? "" : `: solution ${grouped(first + 1)} ${SYMMETRIES[symmetry]}`;
  return `class ${grouped(kind + 1)}${image}`;
}

function figure(i) {
  const marks = data.blocked.map((square) => ["blocked", ...square]);
  const names = data.solutions[i].map((row, column) => {
    const name = squareName(column, row);
    marks.push([preplaced.has(name) ? "preplaced" : "queen", column, row]);
    return name;
  });
  const number = grouped(i + 1);
  const label = `Solution ${number}, queens on ${names.join(" ")}`;
  const [kind] = data.classes[i];
  return `<figure tabindex="0" data-solution="${i}" style="--class: ${colour(kind)}">${boardSvg(marks, label)}
<figcaption><b>${number}</b> ${describe(i)}</figcaption></figure>`;
}

function draw() {
  shown = members[byId("class").value - 1] ?? all;
  const first = (page() - 1) * size();
  byId("page").value = page();
  byId("page").max = pages();
  byId("pages").textContent = `of ${grouped(pages())}`;
  byId("previous").disabled = page() === 1;
  byId("next").disabled = page() === pages();
  byId("boards").className = Math.min(size(), shown.length) === 1 ? "single" : "";
  byId("boards").innerHTML = shown.slice(first, first + size()).map(figure).join("");
  outline();
  updateAddress(new FormData(form));
}

// Applies the parameters in the address.
function applyAddress() {
  for (const [name, value] of addressParameters()) {
    const control = form.elements.namedItem(name);
    if (control) control.value = value;
  }
  draw();
}

// Outlines the selected board and its images.
function outline() {
  const kind = chosen === null ? null : data.classes[chosen][0];
  for (const figure of byId("boards").children) {
    const i = Number(figure.dataset.solution);
    figure.classList.toggle("chosen", i === chosen);
    figure.classList.toggle("image", kind === data.classes[i][0]);
  }
  if (kind === null) {
    byId("status").textContent = "";
    return;
  }
  const numbers = members[kind].map((i) => grouped(i + 1)).join(", ");
  byId("status").textContent = `Class ${grouped(kind + 1)}, ${plural(members[kind].length, "solution")}: ${numbers}`;
}

function turn(pages) {
  byId("page").value = page() + pages;
  draw();
}

function choose(event) {
  const figure = event.target.closest("figure");
  if (!figure) return;
  const i = Number(figure.dataset.solution);
  chosen = chosen === i ? null : i;
  outline();
}

byId("about").textContent =
  `${plural(data.solutions.length, "board")}, ${grouped(members.length)} symmetry ${members.length === 1 ? "class" : "classes"}.`;
byId("signs").innerHTML = boardLegend({ preplaced: "preplaced", blocked: "blocked" });
members.forEach((list, kind) => {
  byId("class").append(new Option(`class ${grouped(kind + 1)} (${plural(list.length, "solution")})`, kind + 1));
});
byId("previous").onclick = () => turn(-1);
byId("next").onclick = () => turn(1);
byId("page").onchange = draw;
byId("size").onchange = byId("class").onchange = () => {
  byId("page").value = 1;
  draw();
};
byId("boards").onclick = choose;
form.onsubmit = () => false;
document.onkeydown = (event) => {
  if (isTyping(event)) return;
  if (event.key === "ArrowRight") turn(1);
  else if (event.key === "ArrowLeft") turn(-1);
  else if (event.key === "Enter" || event.key === " ") {
    if (!event.target.closest("figure")) return;
    choose(event);
  } else return;
  event.preventDefault();
};
window.onhashchange = applyAddress;
applyAddress();
