//! Workloads of the benchmark. The program and the web page time the same counts.

use std::fmt::{self, Display, Formatter};

use crate::count::SMALL_N;
use crate::{Board, BoardError, Counter, Engine, Kernel, Symmetry};

/// Version of the workloads. It changes when scores are measured on other boards, or on purpose
/// with another algorithm. A program that becomes faster does not change it.
pub const VERSION: u32 = 2;

named_enum! {
    /// Purpose of a workload.
    #[derive(Hash)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
    pub enum Purpose {
        /// Score of an engine with its best kernel, on one thread and on all threads.
        Score = "score",
        /// Comparison of kernels, on a board that does not take the slowest kernel too long.
        Kernels = "kernels",
        /// Row of the table of solutions by board size.
        Table = "table",
    }
}

/// A count that is timed repeatedly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Workload {
    /// Purpose.
    pub purpose: Purpose,
    /// Engine.
    pub engine: Engine,
    /// Kernel.
    pub kernel: Kernel,
    /// Board size.
    pub n: u32,
    /// Number of threads.
    pub threads: usize,
}

impl Workload {
    /// Returns a row of the table: N on the engine and the number of threads that a count uses by
    /// default, if `threads` are available.
    ///
    /// # Errors
    ///
    /// Returns an error if N is too large.
    pub fn row(n: u32, threads: usize) -> Result<Self, BoardError> {
        let engine = Engine::auto(&Board::new(n)?, None);
        let threads = if n <= SMALL_N { 1 } else { threads };
        Ok(Self { purpose: Purpose::Table, engine, kernel: engine.fastest_kernel(), n, threads })
    }

    /// Returns a counter with the settings of the workload.
    ///
    /// # Errors
    ///
    /// Returns an error if N is too large.
    pub fn counter(&self) -> Result<Counter, BoardError> {
        let counter = Counter::on(Board::new(self.n)?).engine(self.engine).kernel(self.kernel);
        Ok(counter.symmetry(symmetry(self.kernel)).threads(self.threads))
    }
}

impl Display for Workload {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { engine, kernel, n, threads, .. } = self;
        let s = if *threads == 1 { "" } else { "s" };
        write!(f, "engine {engine}, kernel {kernel}, N = {n}, {threads} thread{s}")
    }
}

/// Returns the symmetry that the benchmark uses with a kernel. Other kernels are compared with the
/// plain recursion, which uses only the mirror symmetry; `None` is the default of the engine.
#[must_use]
pub fn symmetry(kernel: Kernel) -> Option<Symmetry> {
    (kernel == Kernel::Reference).then_some(Symmetry::Mirror)
}

/// Returns all workloads, on one thread and on `threads` threads. The boards are the same on all
/// machines, which makes scores comparable. A run of a score takes about half a second on one
/// thread of a CPU of 2022.
///
/// ```
/// use queens::workloads::{Purpose, workloads};
///
/// assert!(workloads(2).iter().any(|one| one.purpose == Purpose::Score && one.threads == 2));
/// ```
#[must_use]
pub fn workloads(threads: usize) -> Vec<Workload> {
    let mut all = Vec::new();
    for engine in Engine::ALL {
        let (score, kernels) = match engine {
            Engine::Bitboard => (17, 15),
            // A faster engine needs a larger board to run for as long.
            Engine::Join => (18, 16),
        };
        let best = (Purpose::Score, engine.fastest_kernel(), score);
        let compared = engine.available_kernels().map(|one| (Purpose::Kernels, one, kernels));
        for (purpose, kernel, n) in std::iter::once(best).chain(compared) {
            let each = |threads| Workload { purpose, engine, kernel, n, threads };
            all.push(each(1));
            all.extend((threads > 1).then(|| each(threads)));
        }
    }
    all.sort_by_key(|one| one.purpose != Purpose::Score);
    all
}

/// Returns the number of runs of a count that takes this many seconds. Six runs, the fewest from
/// which a confidence interval of the median follows, are enough if they take half a second in
/// total. Shorter ones are repeated up to 25 times, and longer ones only until they take 40
/// seconds.
#[must_use]
pub fn needed_runs(seconds: f64) -> usize {
    let runs_in = |total: f64| (total / seconds).ceil().max(1.0) as usize;
    runs_in(40.0).min(6).max(runs_in(0.5).min(25))
}

/// Returns the completed fraction of the runs that a workload needs, from 0 to 1. `runs` has the
/// time of each run in seconds.
#[must_use]
pub fn progress(runs: &[f64]) -> f64 {
    let mean = runs.iter().sum::<f64>() / runs.len() as f64;
    (runs.len() as f64 / needed_runs(mean) as f64).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_is_timed_on_one_thread_and_on_all() {
        let all = workloads(4);
        for engine in Engine::ALL {
            for kernel in engine.available_kernels() {
                for threads in [1, 4] {
                    let is_it = |one: &&Workload| {
                        (one.engine, one.kernel, one.threads) == (engine, kernel, threads)
                    };
                    let found = all.iter().filter(is_it).count();
                    assert_eq!(found, 1 + usize::from(kernel == engine.fastest_kernel()));
                }
            }
        }
        assert!(all.is_sorted_by_key(|one| one.purpose != Purpose::Score), "scores come first");
        assert!(workloads(1).iter().all(|one| one.threads == 1));
        assert_eq!([12, 13].map(|n| Workload::row(n, 4).unwrap().threads), [1, 4]);
    }

    #[test]
    fn short_runs_are_repeated_and_long_ones_are_not() {
        assert_eq!(progress(&[]), 0.0);
        for (seconds, expected) in
            [(1e-9, 25), (0.0625, 8), (0.06, 9), (0.3, 6), (12.0, 4), (41.0, 1)]
        {
            let is_enough = |runs: &usize| progress(&vec![seconds; *runs]) >= 1.0;
            assert_eq!((1..).find(is_enough), Some(expected), "{seconds}");
            assert_eq!(needed_runs(seconds), expected, "{seconds}");
        }
    }
}
