//! Timed counts: repeated runs of one board, and the CPU benchmark.
//!
//! [`Repeat`] decides how often a count is run, for `queens count`, `queens table` and the benchmark alike.
//!
//! [`Suite`] lists the [`Workload`]s of the benchmark. [`Suite::run`] measures them in rounds, so that interference
//! slows all of them down. The first round warms up and is discarded. Each workload yields a [`Measurement`] and each
//! engine a [`Score`]; both are part of a [`Benchmark`], which is saved, compared ([`Benchmark::compare_with`]) and
//! reported. The function that times a run is a parameter: [`Suite::time`] counts, and tests supply planned times.

mod model;
pub(crate) mod stats;
mod suite;

use crate::human::significant;

pub(crate) use model::text;
pub use model::{Benchmark, Figures, Measurement, Purpose, Score, Settings, Workload, load};
pub use suite::{Level, Next, Suite, Timer, WORKLOAD};

/// Resolution of a clock in seconds: no run is shorter.
const SHORTEST: f64 = 1e-9;

/// The number of runs of a count.
#[derive(Debug, Clone, Copy)]
pub struct Repeat {
    least: usize,
    most: usize,
    /// Total seconds after which the minimum suffices.
    seconds: f64,
    /// Total seconds after which fewer runs suffice.
    longest: f64,
}

impl Repeat {
    /// Returns a fixed number of runs.
    #[must_use]
    pub fn times(runs: usize) -> Self {
        Self {
            least: runs,
            most: runs,
            seconds: 0.0,
            longest: f64::INFINITY,
        }
    }

    /// Returns one run of a long count, and up to 25 runs of a short one, as many as fit in a fifth of a second.
    #[must_use]
    pub fn short_counts() -> Self {
        Self {
            least: 1,
            most: 25,
            seconds: 0.2,
            longest: f64::INFINITY,
        }
    }

    /// Returns the completed fraction of the runs, from 0 to 1.
    fn progress(&self, runs: &[f64]) -> f64 {
        let (number, seconds) = (runs.len() as f64, runs.iter().sum::<f64>());
        let enough = (number / self.least as f64).max(seconds / self.longest);
        let ample = (number / self.most as f64).max(seconds / self.seconds);
        enough.min(ample).min(1.0)
    }

    /// Whether these runs, given by their times in seconds, are enough.
    #[must_use]
    pub fn is_complete(&self, runs: &[f64]) -> bool {
        self.progress(runs) >= 1.0
    }
}

/// Rounds a time in seconds to the precision that is saved.
fn rounded(seconds: f64) -> f64 {
    significant(seconds.max(SHORTEST))
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
