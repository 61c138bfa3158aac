// Tests the module of the web page in Node: node test-web.js SITE KNOWN_VALUES
"use strict";
const assert = require("assert");
const fs = require("fs");

const [site, known] = process.argv.slice(2);
const load = new Function(`${fs.readFileSync(`${site}/queens.js`)}; return wasm_bindgen;`);
const queens = load();
queens.initSync({ module: fs.readFileSync(`${site}/queens_bg.wasm`) });

const published = new Map();
for (const line of fs.readFileSync(known, "utf8").split("\n")) {
  const [n, total] = line.split(",");
  if (/^\d+$/.test(n)) published.set(Number(n), total);
}

// Counts with several solvers in turn, as workers do.
function count(n, workers, engine = "", kernel = "") {
  const sum = new queens.Count(n, engine, kernel, workers);
  const solvers = Array.from({ length: workers }, () => new queens.Solver(n, engine, kernel));
  for (let turn = 0, indices; (indices = sum.next(workers)).length; turn++) {
    sum.enter(indices, solvers[turn % workers].count(indices));
  }
  solvers.forEach((solver) => solver.free());
  return sum.finish();
}

for (let n = 1; n <= 17; n++) {
  for (const workers of [1, 2, 5]) {
    const [total, label] = count(n, workers);
    assert.deepStrictEqual([total, label], [published.get(n), "verified"], `N = ${n} with ${workers} workers`);
  }
}
for (const kernel of ["reference", "scalar", "wasm"]) assert.equal(count(12, 2, "bitboard", kernel)[0], published.get(12));
assert.equal(count(12, 2, "join", "wasm")[0], published.get(12));

// A count without all results, or with a wrong one, has no total.
const unfinished = new queens.Count(8, "", "", 1);
assert.throws(() => unfinished.finish(), /no result/);
const wrong = new queens.Count(8, "", "", 1);
const solver = new queens.Solver(8, "", "");
for (let indices, turn = 0; (indices = wrong.next(1)).length; turn++) {
  const counts = solver.count(indices);
  assert.throws(() => wrong.enter(indices, counts.subarray(1)), /wrong number/);
  if (turn === 0) counts[0] += 2n;
  wrong.enter(indices, counts);
  assert.throws(() => wrong.enter(indices, counts), /already has a result/);
}
assert.throws(() => wrong.finish(), /OEIS|published/);
assert.throws(() => new queens.Solver(8, "", "avx2"), /avx2/);
assert.throws(() => new queens.Count(40, "", "", 1), /40/);

// The library's own entry point works on WebAssembly.
const board = new queens.Puzzle(8, false, [], [], false);
assert.deepStrictEqual(board.count().slice(0, 2), ["92", "verified"]);
console.log("counts in Node are right");
