// Counts subproblems and solves boards on a thread of its own.
"use strict";
importScripts("queens.js");

// Time in milliseconds after which results are sent even if more are to come.
const REPORT_EVERY = 100;

let solver = null;
let solverOf = "";
let puzzle = null;
let puzzleOf = "";

function count({ plan, indices }, send) {
  if (solverOf !== JSON.stringify(plan)) {
    solver?.free();
    [solver, solverOf] = [null, ""];
    solver = new wasm_bindgen.Solver(...plan);
    solverOf = JSON.stringify(plan);
  }
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

function solve({ board, index, isCounted }, send) {
  if (puzzleOf !== JSON.stringify(board)) {
    puzzle?.free();
    [puzzle, puzzleOf] = [null, ""];
    puzzle = new wasm_bindgen.Puzzle(...board);
    puzzleOf = JSON.stringify(board);
  }
  const squares = puzzle.solution(index);
  send({ result: { squares, total: isCounted ? puzzle.total(300) : undefined } });
}

onmessage = ({ data }) => {
  const send = (message) => postMessage({ job: data.job, ...message });
  try {
    if (data.module) {
      wasm_bindgen.initSync({ module: data.module });
      send({});
    } else if (data.plan) count(data, send);
    else solve(data, send);
  } catch (error) {
    send({ error: error.message || String(error) });
  }
};
