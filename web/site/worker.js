// Counts subproblems and solves boards on a thread of its own.
"use strict";
importScripts("queens.js");

// Time in milliseconds after which results are sent even if more are to come.
const REPORT_EVERY = 100;

// The solver or puzzle of the last message, and what it is for.
let [made, madeOf] = [null, ""];

function make(what, create) {
  if (madeOf !== what) {
    made?.free();
    [made, madeOf] = [null, ""];
    [made, madeOf] = [create(), what];
  }
  return made;
}

function count({ task, indices }, send) {
  const solver = make(JSON.stringify(task), () => new wasm_bindgen.Solver(task));
  for (let begin = 0, size = Math.min(64, indices.length); begin < indices.length; ) {
    const part = indices.subarray(begin, begin + size);
    const started = performance.now();
    const counts = solver.count(part);
    const elapsed = performance.now() - started;
    begin += part.length;
    size = Math.max(1, Math.min(2 * size, Math.floor((size * REPORT_EVERY) / Math.max(elapsed, 1))));
    send({ indices: part, counts, isLast: begin >= indices.length });
  }
}

function solve({ task, fundamental, index }, send) {
  const puzzle = make(JSON.stringify([task, fundamental]), () => new wasm_bindgen.Puzzle(task, fundamental));
  send({ squares: puzzle.solution(index), total: puzzle.total(300) });
}

onmessage = ({ data }) => {
  const send = (message) => postMessage({ job: data.job, ...message });
  try {
    if (data.module) {
      wasm_bindgen.initSync({ module: data.module });
      send({});
    } else if (data.indices) count(data, send);
    else solve(data, send);
  } catch (error) {
    send({ error: error.message || String(error) });
  }
};
