// Distributes subproblems over workers. All numbers are added and verified in WebAssembly.
"use strict";

// Seconds without a message after which a worker is taken to be dead. A subproblem takes much less.
let patience = 60;

// The compiled module, which all workers share. Streaming would need a server that sends the right type.
const compiled = (async () => {
  const response = await fetch("queens_bg.wasm");
  if (!response.ok) throw new Error(`the server answers ${response.status} for queens_bg.wasm`);
  const module = await WebAssembly.compile(await response.arrayBuffer());
  wasm_bindgen.initSync({ module });
  return module;
})();
// Browsers give no reason when a worker's script does not load.
const failureOf = ({ message }) => new Error(message ? `a worker failed: ${message}` : "a worker cannot start, because its script does not load");

// Resolves to a worker that is ready to count.
async function newWorker() {
  const [worker, module] = [new Worker("worker.js"), await compiled];
  await new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => (data.error ? reject(new Error(`a worker failed: ${data.error}`)) : resolve());
    worker.onerror = (event) => reject(failureOf(event));
    worker.postMessage({ module });
  });
  return worker;
}

class Cancelled extends Error {}

// Returns the text of a task for the library.
const taskOf = (size, engine = "", kernel = "", queens = "", blocked = "") => [size, queens, blocked, engine, kernel].join("|");

const pool = {
  workers: [],
  job: 0,
  fail: null,

  // Starts workers until there are `size`, and ends the others.
  async resize(size) {
    while (this.workers.length < size) this.workers.push(newWorker());
    this.workers.splice(size).forEach((worker) => worker.then((worker) => worker.terminate(), () => {}));
    return Promise.all(this.workers).catch((error) => {
      this.workers = [];
      throw error;
    });
  },

  // Ends the current count, if there is one. Before its workers are ready, it ends by itself.
  cancel() {
    if (this.fail) this.fail(new Cancelled("cancelled"));
    else this.job++;
  },

  // Counts a task and resolves to { n, total, label, check, engine, workers, seconds }. Small boards are counted at once, and repeated
  // for `ms` milliseconds.
  async count(task, size, onProgress = () => {}, ms = 0) {
    this.cancel();
    const job = ++this.job;
    const result = ([total, label, check, engine], workers, seconds) => ({ n: parseInt(task), total, label, check, engine, workers, seconds: Number(seconds) });
    const small = task.endsWith("||") && wasm_bindgen.count_small(task, ms);
    if (small) return result(small, 1, small[4]);
    const workers = await this.resize(size);
    if (job !== this.job) throw new Cancelled("cancelled");
    const started = performance.now();
    const count = new wasm_bindgen.Count(task, size);
    let isFree = false;
    let timer;
    try {
      await new Promise((resolve, reject) => {
        this.fail = reject;
        const heard = workers.map(() => performance.now());
        // Whether the worker has subproblems to count.
        const busy = workers.map(() => false);
        const give = (i) => {
          const indices = count.next(size);
          busy[i] = indices.length > 0;
          if (busy[i]) workers[i].postMessage({ job, task, indices });
        };
        workers.forEach((worker, i) => {
          worker.onerror = (event) => reject(failureOf(event));
          worker.onmessageerror = () => reject(new Error("a message of a worker was damaged"));
          worker.onmessage = ({ data }) => {
            if (data.job !== job || isFree) return;
            heard[i] = performance.now();
            try {
              if (data.error) throw new Error(`a worker failed: ${data.error}`);
              const [fraction, found] = count.enter(data.indices, data.counts);
              if (data.isLast) give(i);
              if (fraction === 1) return resolve();
              onProgress({ fraction, found, seconds: (performance.now() - started) / 1000 });
            } catch (error) {
              reject(error);
            }
          };
        });
        workers.forEach((_, i) => give(i));
        if (!busy.includes(true)) resolve(); // a plan without subproblems
        // After the machine has slept, messages may be late, so silence has to last for two ticks.
        let silent = 0;
        timer = setInterval(() => {
          const isLate = (i) => busy[i] && performance.now() - heard[i] > 1000 * patience;
          silent = workers.some((_, i) => isLate(i)) ? silent + 1 : 0;
          if (silent > 1) reject(new Error(`a worker has not answered for ${patience} s`));
        }, 1000);
      });
      isFree = true;
      return result(count.finish(), size, (performance.now() - started) / 1000);
    } catch (error) {
      // Workers cannot be interrupted, so they are replaced.
      if (!isFree) count.free();
      isFree = true;
      if (job === this.job) await this.resize(0);
      throw error;
    } finally {
      clearInterval(timer);
      if (job === this.job) this.fail = null;
    }
  },
};

// Inserts separators between groups of three digits.
const grouping = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ",");

const digits = (number) => number.toLocaleString("en", { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });

function duration(seconds) {
  if (seconds < 1e-3) return `${digits(seconds * 1e6)} µs`;
  if (seconds < 1) return `${digits(seconds * 1000)} ms`;
  if (seconds < 100) return `${digits(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}

// Formats an approximate number, as in 1.23 M.
function si(number) {
  const power = Math.max(0, Math.min(4, Math.floor(Math.log10(Math.max(number, 1)) / 3)));
  return `${digits(number / 1000 ** power)} ${["", "k", "M", "G", "T"][power]}`.trim();
}
