// Distributes subproblems over workers. All numbers are added and verified in WebAssembly.
"use strict";

// Seconds without a message after which a worker is taken to be dead. A subproblem takes much less.
let patience = 60;

// The compiled module, which all workers share.
const compiled = WebAssembly.compileStreaming(fetch("queens_bg.wasm")).then((module) => {
  wasm_bindgen.initSync({ module });
  return module;
});

async function newWorker() {
  const worker = new Worker("worker.js");
  worker.postMessage({ module: await compiled });
  return worker;
}

class Cancelled extends Error {}

const pool = {
  workers: [],
  job: 0,
  fail: null,

  // Starts workers until there are `size`, and ends the others.
  async resize(size) {
    while (this.workers.length < size) this.workers.push(newWorker());
    this.workers.splice(size).forEach(async (worker) => (await worker).terminate());
    return Promise.all(this.workers);
  },

  // Ends the current count, if there is one.
  cancel() {
    this.fail?.(new Cancelled("cancelled"));
  },

  // Counts N = `n` and resolves to { total, label, check, engine, seconds }. An empty engine or kernel stands for the fastest.
  async count(n, engine, kernel, size, onProgress = () => {}) {
    this.cancel();
    const job = ++this.job;
    const workers = await this.resize(size);
    if (job !== this.job) throw new Cancelled("cancelled");
    const started = performance.now();
    const count = new wasm_bindgen.Count(n, engine, kernel, size);
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
          if (busy[i]) workers[i].postMessage({ job, plan: [n, engine, kernel], indices });
        };
        workers.forEach((worker, i) => {
          worker.onerror = ({ message }) => reject(new Error(`a worker failed: ${message}`));
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
      const [total, label, check, used] = count.finish();
      return { n, total, label, check, engine: used, workers: size, seconds: (performance.now() - started) / 1000 };
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

function duration(seconds) {
  if (seconds < 1) return `${Math.max(seconds * 1000, 0.1).toFixed(seconds < 0.1 ? 1 : 0)} ms`;
  if (seconds < 100) return `${seconds.toPrecision(3)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}

// Formats an approximate number, as in 1.23 M.
function si(number) {
  const power = Math.max(0, Math.min(4, Math.floor(Math.log10(Math.max(number, 1)) / 3)));
  return `${(number / 1000 ** power).toPrecision(3)} ${["", "k", "M", "G", "T"][power]}`.trim();
}

function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
