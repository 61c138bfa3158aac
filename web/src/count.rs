//! Counting at once or on several workers, and the workloads of the benchmark.

use std::time::Duration;

use queens::workloads::{self, Purpose};
use queens::{Counter, Engine, Kernel, Ledger, Plan, Shard};
use wasm_bindgen::prelude::*;
use web_time::Instant;

use super::{Task, board, described, parsed};

/// Memory in bytes that a worker may use. WebAssembly can address 4 GiB.
const MEMORY: u64 = 2 << 30;

/// Counts a board that the library counts on one thread, because starting more takes longer.
/// Returns what [`described`] does and the time in seconds, or nothing if the board is larger. The
/// count is repeated for some milliseconds; the time is the mean of the fastest quarter.
#[wasm_bindgen]
pub fn count_small(task: &Task, ms: u32) -> Result<Option<Vec<String>>, JsError> {
    let board = board(task)?;
    if workloads::Workload::row(board.n(), 2)?.threads > 1 {
        return Ok(None);
    }
    let count = || Counter::on(board.clone()).threads(1).run();
    let mut fastest = f64::INFINITY;
    for _ in 0..4 {
        let (start, mut runs) = (Instant::now(), 0);
        while runs == 0 || start.elapsed() < Duration::from_millis(ms.into()) / 4 {
            count()?;
            runs += 1;
        }
        fastest = fastest.min(start.elapsed().as_secs_f64() / f64::from(runs));
    }
    let queens::Count { total, check, method, .. } = count()?;
    Ok(Some([described(total, &check, method.engine), vec![fastest.to_string()]].concat()))
}

/// Builds the plan of a task. A kernel that is named is used as in the benchmark.
fn plan(task: &Task) -> Result<(Plan, Kernel), JsError> {
    let board = board(task)?;
    let wanted = parsed(task.kernel())?;
    let engine = parsed(task.engine())?.unwrap_or_else(|| Engine::auto(&board, wanted));
    let kernel = engine.choose_kernel(&board, wanted)?;
    let plan = Plan::with_symmetry(board, engine, wanted.and_then(workloads::symmetry))?;
    if plan.memory(1, u64::MAX) > MEMORY {
        return Err(JsError::new("the board needs more memory than a page can use"));
    }
    Ok((plan, kernel))
}

/// A count whose subproblems are counted elsewhere. It distributes them and collects the results.
#[wasm_bindgen]
pub struct Count {
    ledger: Ledger,
    memory: u64,
    /// Runs of subproblems that no worker has yet.
    runs: Vec<Vec<u32>>,
}

#[wasm_bindgen]
impl Count {
    #[wasm_bindgen(constructor)]
    pub fn new(task: &Task, workers: usize) -> Result<Self, JsError> {
        let (plan, _) = plan(task)?;
        let runs = plan.stretches(Shard::WHOLE, workers);
        let runs = runs.map(|run| run.map(|i| i as u32).collect()).collect();
        let (ledger, memory) = (Ledger::new(&plan, Shard::WHOLE), plan.memory(1, u64::MAX));
        Ok(Self { ledger, memory, runs })
    }

    /// Returns the memory in bytes that each worker needs.
    pub fn memory(&self) -> f64 {
        self.memory as f64
    }

    /// Returns the next subproblems for one of several workers. They become fewer towards the end,
    /// so that all workers finish at about the same time.
    pub fn next(&mut self, workers: usize) -> Vec<u32> {
        let batch = (self.runs.len() / (4 * workers)).clamp(1, 64).min(self.runs.len());
        self.runs.drain(..batch).flatten().collect()
    }

    /// Records results. Returns the fraction of subproblems that are done, and the approximate
    /// number of solutions found so far.
    pub fn enter(&mut self, indices: &[u32], counts: &[u64]) -> Result<Vec<f64>, JsError> {
        if indices.len() != counts.len() {
            return Err(JsError::new("a worker returned the wrong number of results"));
        }
        let (mut results, ledger) = (indices.iter().zip(counts), &mut self.ledger);
        results.try_for_each(|(&index, &count)| ledger.enter(index as usize, count))?;
        Ok(vec![ledger.done() as f64 / ledger.len() as f64, ledger.sum() as f64])
    }

    /// Verifies the complete count as the program does. Returns the total, its check in a
    /// word and in a sentence, and the engine.
    pub fn finish(self) -> Result<Vec<String>, JsError> {
        let (total, check) = self.ledger.total()?;
        Ok(described(total, &check, self.ledger.plan().engine))
    }
}

/// A worker's tables for one plan.
#[wasm_bindgen]
pub struct Solver(queens::engine::Solver);

#[wasm_bindgen]
impl Solver {
    #[wasm_bindgen(constructor)]
    pub fn new(task: &Task) -> Result<Self, JsError> {
        let (plan, kernel) = plan(task)?;
        Ok(Self(plan.solver(kernel, 1)?))
    }

    /// Counts subproblems.
    pub fn count(&self, indices: &[u32]) -> Result<Vec<u64>, JsError> {
        let mut worker = self.0.worker();
        let counts = indices.iter().map(|&index| Ok(worker.try_count(index as usize)?));
        counts.collect()
    }
}

/// Returns the board size, engine and kernel of the score of the fastest engine.
#[wasm_bindgen]
pub fn scored() -> String {
    let mut all = workloads::workloads(1).into_iter();
    let one = all.find(|one| (one.purpose, one.engine) == (Purpose::Score, Engine::Join));
    one.map(|one| format!("{} {} {}", one.n, one.engine, one.kernel)).expect("there are scores")
}

/// Returns the completed fraction of the runs that a workload needs, given their times in seconds.
#[wasm_bindgen]
pub fn progress(runs: &[f64]) -> f64 {
    workloads::progress(runs)
}
