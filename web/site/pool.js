// Runs jobs on workers, one at a time. All numbers are added and verified in WebAssembly.
"use strict";

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

// Returns a task for the library: a board, and how to count or search it.
const taskOf = (n, more = {}) => ({ n, queens: [], blocked: [], ...more });

class Pool {
  workers = [];
  job = 0;
  fail = null;

  // Starts workers until there are `size`, and ends the others.
  async resize(size) {
    while (this.workers.length < size) this.workers.push(newWorker());
    this.workers.splice(size).forEach((worker) => worker.then((worker) => worker.terminate(), () => {}));
    return Promise.all(this.workers).catch((error) => {
      this.workers = [];
      throw error;
    });
  }

  // Ends the current job, if there is one. Workers cannot be interrupted, so they are replaced.
  cancel() {
    this.job++;
    if (!this.fail) return;
    this.fail(new Cancelled("cancelled"));
    this.fail = null;
    this.resize(0);
  }

  // Runs a job and resolves to its result. `begin` gets three functions, which send a message to a worker by its index and end the
  // job with a result or an error. It returns the function that takes the answers.
  async run(size, begin) {
    this.cancel();
    const job = this.job;
    const workers = await this.resize(size);
    if (job !== this.job) throw new Cancelled("cancelled");
    try {
      return await new Promise((resolve, reject) => {
        this.fail = reject;
        const receive = begin((i, message) => workers[i].postMessage({ job, ...message }), resolve, reject);
        workers.forEach((worker, i) => {
          worker.onerror = (event) => reject(failureOf(event));
          worker.onmessage = ({ data }) => {
            if (data.job !== this.job || !this.fail) return;
            try {
              receive(i, data);
            } catch (error) {
              reject(error);
            }
          };
        });
      });
    } catch (error) {
      if (job === this.job) this.cancel();
      throw error;
    } finally {
      if (job === this.job) this.fail = null;
    }
  }

  // Counts a task and resolves to { n, total, label, check, engine, workers, seconds }. Small boards are counted at once, and repeated
  // for `ms` milliseconds. `onProgress` gets the fraction that is done, the solutions found, the seconds and the memory in bytes.
  async count(task, size, onProgress = () => {}, ms = 0) {
    this.cancel();
    const result = ([total, label, check, engine], workers, seconds) => ({ n: task.n, total, label, check, engine, workers, seconds: Number(seconds) });
    const small = !task.engine && wasm_bindgen.count_small(task, ms);
    if (small) return result(small, 1, small[4]);
    let count, started, timer;
    await this.run(size, (send, resolve, reject) => {
      started = performance.now();
      count = new wasm_bindgen.Count(task, size);
      let done = [0, 0];
      const report = () => onProgress(...done, (performance.now() - started) / 1000, size * count.memory());
      report();
      const give = (i) => {
        const indices = count.next(size);
        if (indices.length) send(i, { task, indices });
        return indices.length;
      };
      if (!Array.from({ length: size }, (_, i) => give(i)).some(Boolean)) resolve(); // a plan without subproblems
      timer = setInterval(report, 1000);
      return (i, { error, indices, counts, isLast }) => {
        if (error) throw new Error(`a worker failed: ${error}`);
        done = count.enter(indices, counts);
        if (isLast) give(i);
        if (done[0] === 1) resolve();
        else report();
      };
    }).catch((error) => {
      count?.free();
      throw error;
    }).finally(() => clearInterval(timer));
    return result(count.finish(), size, (performance.now() - started) / 1000);
  }

  // Searches for the solution of a task with some index, and resolves to { squares, total }: its squares, unless there are not so
  // many solutions, and how many there are, if that is soon known.
  solution(task, fundamental, index) {
    return this.run(this.workers.length || 1, (send, resolve) => {
      send(0, { task, fundamental, index });
      return (_, { error, ...found }) => {
        if (error) throw new Error(error);
        resolve(found);
      };
    });
  }
}
