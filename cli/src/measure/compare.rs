//! Comparison of two benchmarks.

use queens::workloads::Workload;
use serde::Serialize;

use super::{Benchmark, Measurement};
use crate::human::significant;

/// Comparison of two benchmarks: the workloads that both have.
#[derive(Debug, Serialize)]
pub(crate) struct Comparison {
    pub(crate) workloads: Vec<Difference>,
}

/// Difference between two measurements of a workload.
#[derive(Debug, Serialize)]
pub(crate) struct Difference {
    #[serde(flatten)]
    pub(crate) workload: Workload,
    /// Fastest old run in seconds.
    pub(crate) old: f64,
    /// Fastest new run in seconds.
    pub(crate) new: f64,
    /// Speedup of the fastest run.
    pub(crate) ratio: f64,
    /// Ratio of the fastest old run to the slowest new run.
    pub(crate) ratio_low: f64,
    /// Ratio of the slowest old run to the fastest new run.
    pub(crate) ratio_high: f64,
    /// `faster` if all new runs were faster than all old ones, `slower` if all were slower, and
    /// otherwise `no difference`.
    pub(crate) result: &'static str,
}

impl Comparison {
    /// Compares two benchmarks.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`check`](Self::check).
    pub(crate) fn new(old: &Benchmark, new: &Benchmark) -> Result<Self, String> {
        let workloads: Vec<_> = new.measurements.iter().map(|one| one.workload).collect();
        Self::check(old, new.workload, &workloads)?;
        let both = new.measurements.iter().filter_map(|new| {
            let mut old = old.measurements.iter();
            old.find(|old| old.workload == new.workload).map(|old| Difference::new(old, new))
        });
        Ok(Self { workloads: both.collect() })
    }

    /// Returns the workloads that are slower, by more than this percentage.
    pub(crate) fn slower_than(&self, percent: f64) -> impl Iterator<Item = &Difference> {
        let all = self.workloads.iter();
        all.filter(move |one| one.result == "slower" && 1.0 / one.ratio > 1.0 + percent / 100.0)
    }

    /// Checks that a benchmark can be compared with these workloads of a version.
    ///
    /// # Errors
    ///
    /// Fails if the benchmark's workloads have another version, or if none of them is in the list.
    pub(crate) fn check(
        benchmark: &Benchmark,
        version: u32,
        workloads: &[Workload],
    ) -> Result<(), String> {
        let found = benchmark.workload;
        if found != version {
            let accepted = format!("accepted: {version}, like the other benchmark");
            return Err(format!("has workload version {found} ({accepted})"));
        }
        let mut measured = benchmark.measurements.iter();
        if !measured.any(|one| workloads.contains(&one.workload)) {
            let accepted = "accepted: one of the same engines, kernels, boards and threads";
            let nothing = "has no measurement in common with the other benchmark";
            return Err(format!("{nothing} ({accepted})"));
        }
        Ok(())
    }
}

impl Difference {
    fn new(old: &Measurement, new: &Measurement) -> Self {
        let ratio_low = significant(old.fastest / new.slowest());
        let ratio_high = significant(old.slowest() / new.fastest);
        Self {
            workload: new.workload,
            old: old.fastest,
            new: new.fastest,
            ratio: significant(old.fastest / new.fastest),
            ratio_low,
            ratio_high,
            result: match () {
                () if ratio_low > 1.0 => "faster",
                () if ratio_high < 1.0 => "slower",
                () => "no difference",
            },
        }
    }
}
