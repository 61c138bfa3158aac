//! Time measurements: repeated runs of a count, and the CPU benchmark.
//!
//! [`Repeat`] decides how many times `queens count` and `queens table` run a count.
//!
//! [`Benchmark::run`] measures the workloads of [`queens::suite`]. The result has a [`Measurement`]
//! for each workload and a [`Score`] for each engine. It can be saved, reported, and compared with
//! another ([`Comparison`]). The function that times a run is a parameter: the program passes
//! [`time`], and tests pass functions that return preset times.

mod benchmark;
mod compare;
pub(crate) mod stats;

use anyhow::Result;
use queens::Count;

pub use benchmark::{Benchmark, Measurement, Score, Timer, time};
pub use compare::Comparison;

/// Rule that determines how many times a count is run.
#[derive(Debug, Clone, Copy)]
pub struct Repeat {
    most: usize,
    /// Total time in seconds after which fewer runs suffice.
    seconds: f64,
}

impl Repeat {
    /// Returns a rule for a fixed number of runs.
    #[must_use]
    pub fn times(runs: usize) -> Self {
        Self { most: runs, seconds: f64::INFINITY }
    }

    /// Returns a rule that repeats short counts for 0.2 seconds, but at most 25 times. Longer
    /// counts are run only once.
    #[must_use]
    pub fn short_counts() -> Self {
        Self { most: 25, seconds: 0.2 }
    }

    /// Counts as often as this rule requires or, if `runs` is given, that many times after a run to
    /// warm up. Returns the last count, and the time of each run in seconds.
    pub(crate) fn run(
        self,
        runs: Option<usize>,
        mut count: impl FnMut() -> Result<Count>,
    ) -> Result<(Count, Vec<f64>)> {
        let rule = runs.map_or(self, Self::times);
        let mut times = Vec::new();
        if runs.is_some() {
            count()?;
        }
        loop {
            let count = count()?;
            times.push(count.elapsed.as_secs_f64());
            if rule.is_complete(&times) {
                return Ok((count, times));
            }
        }
    }

    /// Whether the given runs are enough. `runs` contains the time of each run in seconds.
    #[must_use]
    pub fn is_complete(&self, runs: &[f64]) -> bool {
        runs.len() >= self.most || runs.iter().sum::<f64>() >= self.seconds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::fixed(Repeat::times(5), 0.001, 5)]
    #[case::long(Repeat::short_counts(), 3.0, 1)]
    #[case::short(Repeat::short_counts(), 0.05, 4)]
    #[case::tiny(Repeat::short_counts(), 1e-9, 25)]
    fn counts_are_repeated(#[case] repeat: Repeat, #[case] seconds: f64, #[case] expected: usize) {
        let is_complete = |runs: &usize| repeat.is_complete(&vec![seconds; *runs]);
        assert_eq!((1..).find(is_complete), Some(expected));
    }
}
