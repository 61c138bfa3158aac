// Names of the symmetries that map the first solution of a class to the others.
const SYMMETRIES = ["", "rotated by 90°", "rotated by 180°", "rotated by 270°"];
for (const rotated of [...SYMMETRIES]) SYMMETRIES.push(("mirrored, " + rotated).replace(/, $/, ""));

const squares = new Squares(data.n);
// Indices of the solutions in each class.
const members = [];
data.classes.forEach(([kind], i) => (members[kind] ??= []).push(i));
const all = data.solutions.map((_, i) => i);
let shown = all;
let chosen = null;

const form = document.querySelector("form");
const size = () => Number(ui.size.value) || 12;
const pages = () => Math.max(1, Math.ceil(shown.length / size()));
const page = () => Math.min(pages(), Math.max(1, Math.floor(Number(ui.page.value)) || 1));
// Consecutive classes have clearly different colours.
const colour = (kind) => `hsl(${Math.round(kind * 137.5) % 360} 60% 45%)`;

function describe(i) {
  const [kind, symmetry] = data.classes[i];
  const first = members[kind][0];
  const image = i === first ? "" : `: solution ${grouped(first + 1)} ${SYMMETRIES[symmetry]}`;
  return `class ${grouped(kind + 1)}${image}`;
}

function figure(i) {
  const queens = data.solutions[i].map((row, column) => column * data.n + row);
  const marks = queens.map((queen) => [data.preplaced.includes(queen) ? "preplaced" : "queen", queen]);
  marks.push(...data.blocked.map((square) => ["blocked", square]));
  const number = grouped(i + 1);
  const label = `Solution ${number}, queens on ${squares.namesOf(queens)}`;
  const [kind] = data.classes[i];
  return `<figure tabindex="0" data-solution="${i}" style="--class: ${colour(kind)}">${squares.svg(marks, label)}
<figcaption><b>${number}</b> ${describe(i)}</figcaption></figure>`;
}

function draw() {
  shown = members[ui.class.value - 1] ?? all;
  const first = (page() - 1) * size();
  ui.page.value = page();
  ui.page.max = pages();
  ui.pages.textContent = `of ${grouped(pages())}`;
  enable(ui.previous, page() > 1);
  enable(ui.next, page() < pages());
  ui.boards.className = Math.min(size(), shown.length) === 1 ? "single" : "";
  ui.boards.innerHTML = shown.slice(first, first + size()).map(figure).join("");
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
  for (const figure of ui.boards.children) {
    const i = Number(figure.dataset.solution);
    figure.classList.toggle("chosen", i === chosen);
    figure.classList.toggle("image", kind === data.classes[i][0]);
  }
  if (kind === null) {
    ui.status.textContent = "";
    return;
  }
  const numbers = members[kind].map((i) => grouped(i + 1)).join(", ");
  ui.status.textContent = `Class ${grouped(kind + 1)}, ${plural(members[kind].length, "solution")}: ${numbers}`;
}

function turn(pages) {
  ui.page.value = page() + pages;
  draw();
}

function choose(event) {
  const figure = event.target.closest("figure");
  if (!figure) return;
  const i = Number(figure.dataset.solution);
  chosen = chosen === i ? null : i;
  outline();
}

ui.about.textContent =
  `${plural(data.solutions.length, "board")}, ${grouped(members.length)} symmetry ${members.length === 1 ? "class" : "classes"}.`;
ui.signs.innerHTML = boardLegend({ preplaced: "preplaced", blocked: "blocked" }, data);
members.forEach((list, kind) => {
  ui.class.append(new Option(`class ${grouped(kind + 1)} (${plural(list.length, "solution")})`, kind + 1));
});
ui.previous.onclick = () => turn(-1);
ui.next.onclick = () => turn(1);
ui.page.onchange = draw;
ui.size.onchange = ui.class.onchange = () => {
  ui.page.value = 1;
  draw();
};
ui.boards.onclick = choose;
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
