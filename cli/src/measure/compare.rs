//! Comparison of two benchmarks.

use queens::workloads::{Purpose, Workload};
use serde::Serialize;

use super::stats::{self, Estimate, estimate_median, geometric_mean};
use super::{Benchmark, Measurement, Score};
use crate::environment::Environment;
use crate::human::significant;

/// Comparison of two benchmarks: of the counts that both have.
#[derive(Debug, Serialize)]
pub(crate) struct Comparison {
    pub(crate) old_file: Source,
    pub(crate) new_file: Source,
    /// Numbers of counts that only one of them has.
    pub(crate) only_old: usize,
    pub(crate) only_new: usize,
    /// Geometric mean of the ratios, for each purpose.
    pub(crate) means: Vec<Mean>,
    pub(crate) workloads: Vec<Difference>,
}

/// Origin of the times of one side.
#[derive(Debug, Serialize)]
pub(crate) struct Source {
    /// Name of the file, or `this run`.
    #[serde(rename = "value")]
    pub(crate) name: String,
    pub(crate) environment: Environment,
    pub(crate) threads: usize,
    pub(crate) workload: u32,
    pub(crate) scores: Vec<Score>,
}

/// Geometric mean of the ratios of several counts.
#[derive(Debug, Serialize)]
pub(crate) struct Mean {
    pub(crate) purpose: Purpose,
    pub(crate) counts: usize,
    pub(crate) ratio: f64,
}

/// Difference between two measurements of a workload.
#[derive(Debug, Serialize)]
pub(crate) struct Difference {
    #[serde(flatten)]
    pub(crate) workload: Workload,
    pub(crate) old: Side,
    pub(crate) new: Side,
    /// Old median divided by the new one, with the interval of the ratio of the times.
    pub(crate) ratio: Estimate,
    /// Probability that times of equal distributions differ at least as much.
    pub(crate) p: f64,
    /// `faster` or `slower` if the interval excludes 1, otherwise `~`.
    pub(crate) result: &'static str,
}

/// Times of a workload in one of the benchmarks.
#[derive(Debug, Serialize)]
pub(crate) struct Side {
    /// Median in seconds, with its interval.
    #[serde(flatten)]
    pub(crate) seconds: Estimate,
    pub(crate) runs: usize,
    pub(crate) core_share: Option<f64>,
    pub(crate) busy: bool,
}

impl Comparison {
    /// Compares two benchmarks, each with the name of its file.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`check`](Self::check).
    pub(crate) fn new(old: (&str, &Benchmark), new: (&str, &Benchmark)) -> Result<Self, String> {
        let workloads: Vec<_> = new.1.measurements.iter().map(|one| one.workload).collect();
        Self::check(old.1, &workloads)?;
        let both = new
            .1
            .measurements
            .iter()
            .filter_map(|new| old.1.find(&new.workload).map(|old| Difference::new(old, new)));
        let workloads: Vec<_> = both.collect();
        let means = [Purpose::Score, Purpose::Kernels, Purpose::Table].map(|purpose| {
            let of_it = workloads.iter().filter(|one| one.workload.purpose == purpose);
            let ratios: Vec<_> = of_it.map(|one| one.ratio.value).collect();
            let ratio = geometric_mean(&ratios).map(significant)?;
            Some(Mean { purpose, counts: ratios.len(), ratio })
        });
        let only = |one: &Benchmark, other: &Benchmark| {
            let all = one.measurements.iter();
            all.filter(|row| other.find(&row.workload).is_none()).count()
        };
        Ok(Self {
            old_file: old.1.source(old.0),
            new_file: new.1.source(new.0),
            only_old: only(old.1, new.1),
            only_new: only(new.1, old.1),
            means: means.into_iter().flatten().collect(),
            workloads,
        })
    }

    /// Returns the workloads that are certainly slower, by more than this percentage, and those
    /// that may be: their times vary too much, are too few, or were measured on a busy machine.
    pub(crate) fn slower_than(&self, percent: f64) -> [Vec<String>; 2] {
        let limit = 1.0 / (1.0 + percent / 100.0);
        let is_busy = |one: &Difference| one.old.busy || one.new.busy;
        let may_be = |one: &&Difference| one.ratio.low.is_none_or(|low| low < limit);
        let is_slower =
            |one: &&Difference| one.ratio.high.is_some_and(|high| high < limit) && !is_busy(one);
        let (slower, others): (Vec<_>, _) = self.workloads.iter().partition(is_slower);
        let unclear = others.into_iter().filter(may_be).collect();
        [slower, unclear].map(|all| all.iter().map(|one| one.workload.to_string()).collect())
    }

    /// Checks that a benchmark has one of these workloads.
    ///
    /// # Errors
    ///
    /// Returns what it lacks.
    pub(crate) fn check(benchmark: &Benchmark, workloads: &[Workload]) -> Result<(), String> {
        if workloads.iter().any(|one| benchmark.find(one).is_some()) {
            return Ok(());
        }
        let accepted = "accepted: one with the same engine, kernel, board and threads";
        Err(format!("there is no measurement in common ({accepted})"))
    }
}

impl Difference {
    fn new(old: &Measurement, new: &Measurement) -> Self {
        let (ratio, p) = stats::compare(&old.seconds(), &new.seconds());
        let result = match ratio {
            Estimate { low: Some(low), .. } if low > 1.0 => "faster",
            Estimate { high: Some(high), .. } if high < 1.0 => "slower",
            _ => "~",
        };
        let (workload, ratio) = (new.workload, rounded(ratio));
        Self {
            workload,
            old: Side::new(old),
            new: Side::new(new),
            ratio,
            p: significant(p),
            result,
        }
    }
}

impl Side {
    fn new(of: &Measurement) -> Self {
        let seconds = rounded(estimate_median(&of.seconds()));
        Self { seconds, runs: of.runs.len(), core_share: of.core_share, busy: of.busy }
    }
}

fn rounded(of: Estimate) -> Estimate {
    let [low, high] = [of.low, of.high].map(|bound| bound.map(significant));
    Estimate { value: significant(of.value), low, high }
}
