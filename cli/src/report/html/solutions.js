// How an image comes from the first solution of its class.
const SYMMETRIES = ["", "turned by 90°", "turned by 180°", "turned by 270°"];
for (const turned of [...SYMMETRIES]) SYMMETRIES.push(("mirrored, " + turned).replace(/, $/, ""));

const preplaced = new Set(data.preplaced.map(([column, row]) => squareName(column, row)));
// The solutions of each class, by their places in the list.
const members = [];
data.classes.forEach(([kind], i) => (members[kind] ??= []).push(i));
let shown = data.solutions.map((_, i) => i);
let chosen = null;

const size = () => Number(byId("size").value);
const pages = () => Math.max(1, Math.ceil(shown.length / size()));
const page = () => Math.min(pages(), Math.max(1, Math.floor(Number(byId("page").value)) || 1));
// Colours of neighbouring classes are far apart.
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
  const first = (page() - 1) * size();
  byId("page").value = page();
  byId("page").max = pages();
  byId("pages").textContent = `of ${grouped(pages())}`;
  byId("previous").disabled = page() === 1;
  byId("next").disabled = page() === pages();
  byId("boards").className = Math.min(size(), shown.length) === 1 ? "single" : "";
  byId("boards").innerHTML = shown.slice(first, first + size()).map(figure).join("");
  mark();
}

// Outlines the images of the chosen board.
function mark() {
  const kind = chosen === null ? null : data.classes[chosen][0];
  for (const figure of byId("boards").children) {
    const i = Number(figure.dataset.solution);
    figure.classList.toggle("chosen", i === chosen);
    figure.classList.toggle("image", kind === data.classes[i][0]);
  }
  if (kind === null) {
    byId("said").textContent = "";
    return;
  }
  const numbers = members[kind].map((i) => grouped(i + 1)).join(", ");
  const are = members[kind].length === 1 ? "The only solution here" : `The ${members[kind].length} solutions here`;
  byId("said").textContent = `${are} of class ${grouped(kind + 1)}: ${numbers}`;
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
  mark();
}

byId("about").textContent =
  `${plural(data.solutions.length, "board")}, ${grouped(members.length)} ` +
  `${members.length === 1 ? "class" : "classes"} of images under turns and reflections.` +
  (data.legend && ` ${data.legend[0].toUpperCase()}${data.legend.slice(1)}.`);
members.forEach((list, kind) => {
  byId("class").append(new Option(`class ${grouped(kind + 1)} (${plural(list.length, "solution")})`, kind));
});
byId("previous").onclick = () => turn(-1);
byId("next").onclick = () => turn(1);
byId("page").onchange = () => turn(0);
byId("size").onchange = () => {
  byId("page").value = 1;
  draw();
};
byId("class").onchange = (event) => {
  const kind = event.target.value;
  shown = kind === "" ? data.solutions.map((_, i) => i) : members[kind];
  byId("page").value = 1;
  draw();
};
byId("boards").onclick = choose;
document.querySelector("form").onsubmit = () => false;
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
draw();
