//! The benchmark and its results. `docs/FORMATS.md` describes their JSON format.
//!
//! Figures that are derived from the runs are recomputed when a benchmark is loaded; those in the
//! file are ignored.

use std::path::Path;
use std::time::Instant;

use queens::board::MAX_N;
use queens::count::Mismatch;
use queens::workloads::{self, Purpose, Workload};
use queens::{CancelToken, CountError, known};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::stats::{median, quantile};
use crate::environment::Environment;
use crate::human::significant;
use crate::text;

/// Version of the JSON format, stored in the field `schema_version`.
const SCHEMA_VERSION: u32 = 5;

/// Maximum size of a saved file in bytes. Typical files are hundreds of times smaller.
const LARGEST: u64 = 4 << 20;

/// Assumed resolution of the clock, in seconds. Shorter times are rounded up to it.
const SHORTEST: f64 = 1e-9;
/// Time in seconds up to which the first run of a workload is only a warm-up.
const WARM_UP: f64 = 1.0;

/// Results of a benchmark, created by [`Benchmark::run`] or read by [`Benchmark::load`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "schema", rename = "queens-bench")]
pub(crate) struct Benchmark {
    schema_version: u32,
    /// Version of the workloads, [`workloads::VERSION`].
    pub(crate) workload: u32,
    /// Program and machine that were measured. A loaded one may have other fields.
    environment: Value,
    /// Number of threads of measurements on all threads.
    pub(crate) threads: usize,
    /// Scores, one for each engine.
    #[serde(skip_deserializing)]
    pub(crate) scores: Vec<Score>,
    /// All timed workloads.
    pub(crate) measurements: Vec<Measurement>,
}

/// A workload with its runs and the figures derived from them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Measurement {
    /// Workload.
    #[serde(flatten)]
    pub(crate) workload: Workload,
    /// Published number of solutions Q(N).
    #[serde(with = "text")]
    pub(crate) solutions: u128,
    /// Whether every run gave the published total.
    pub(crate) correct: bool,
    /// Wall time of each run in seconds, in chronological order.
    pub(crate) runs: Vec<f64>,
    /// Time of the fastest run in seconds. Other load can only slow runs down.
    #[serde(skip_deserializing)]
    pub(crate) fastest: f64,
    /// Median time of the runs in seconds.
    #[serde(skip_deserializing)]
    pub(crate) median: f64,
    /// Solutions per second in the fastest run; `None` if there are no solutions.
    #[serde(skip_deserializing)]
    pub(crate) solutions_per_second: Option<f64>,
}

/// Score of a CPU with one engine, in solutions per second with the best kernel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Score {
    /// Workload on all threads.
    #[serde(flatten)]
    pub(crate) workload: Workload,
    /// Solutions per second on one thread. `None` if the score is void because a count of this
    /// engine was wrong.
    pub(crate) one_thread: Option<f64>,
    /// Solutions per second on all threads. `None` if the score is void.
    pub(crate) all_threads: Option<f64>,
}

/// Function that counts a workload once and returns the wall time in seconds, and the total. It is
/// also passed the number of the round, from 0 on, and the completed fraction of the benchmark.
pub(crate) type Timer<'a> =
    dyn FnMut(&Workload, usize, f64) -> Result<(f64, u128), CountError> + 'a;

/// Counts the solutions of a workload's board. Returns the wall time in seconds, and the total,
/// which may be wrong.
///
/// # Errors
///
/// Returns the same errors as [`Counter::run`](queens::Counter::run), except for a wrong total.
pub(crate) fn time(workload: &Workload, cancel: &CancelToken) -> Result<(f64, u128), CountError> {
    let run = workload.counter()?.prepare()?.cancel_with(cancel.clone());
    let started = Instant::now();
    match run.run() {
        Ok(count) => Ok((count.elapsed.as_secs_f64(), count.total)),
        Err(CountError::Mismatch(Mismatch { total, .. })) => {
            Ok((started.elapsed().as_secs_f64(), total))
        }
        Err(error) => Err(error),
    }
}

impl Benchmark {
    /// Measures workloads of published boards with `time`. A round runs each workload once, so that
    /// interference affects all of them. Rounds are repeated until each workload has enough runs:
    /// `runs` or, without this number, as many as [`workloads::progress`] requires. The first run
    /// of a workload is checked but not timed unless it takes more than a second.
    ///
    /// If `time` returns [`CountError::Cancelled`], the benchmark has the measurements completed so
    /// far.
    ///
    /// # Errors
    ///
    /// Returns the first error of `time`. A cancellation is an error only before the first
    /// measurement.
    pub(crate) fn run(
        workloads: &[Workload],
        threads: usize,
        runs: Option<usize>,
        time: &mut Timer<'_>,
    ) -> Result<Self, CountError> {
        let mut measurements: Vec<_> = workloads.iter().map(Measurement::new).collect();
        let outcome = measure(&mut measurements, runs, time);
        measurements.retain(|one| !one.runs.is_empty());
        match outcome {
            Err(CountError::Cancelled) if !measurements.is_empty() => {}
            outcome => outcome?,
        }
        let benchmark = Self {
            schema_version: SCHEMA_VERSION,
            workload: workloads::VERSION,
            environment: json!(Environment::here()),
            threads,
            scores: Vec::new(),
            measurements,
        };
        Ok(benchmark.computed())
    }

    /// Reads a saved benchmark. The times themselves cannot be verified: a file can claim any
    /// speed.
    ///
    /// # Errors
    ///
    /// Returns the reason why the file cannot be read or is not a valid benchmark, to follow the
    /// name of the file.
    pub(crate) fn load(path: &Path) -> Result<Self, String> {
        let unread = |error: std::io::Error| format!("cannot be read: {error}");
        // Opening a pipe blocks until someone writes to it.
        let found = path.metadata().map_err(unread)?;
        if !found.is_file() {
            return Err("is not a regular file (accepted: a saved benchmark)".to_owned());
        } else if found.len() > LARGEST {
            return Err("is damaged: it is larger than 4 MiB".to_owned());
        }
        let bytes = std::fs::read(path).map_err(unread)?;
        let damaged = |error: serde_json::Error| format!("is damaged: {error}");
        let value: Value = serde_json::from_slice(&bytes).map_err(damaged)?;
        let version = &value["schema_version"];
        if value["schema"] != "queens-bench" {
            let accepted = "accepted: files written by `queens bench --save`";
            return Err(format!("is not a benchmark ({accepted})"));
        } else if *version != SCHEMA_VERSION {
            return Err(format!("has schema version {version} (accepted: {SCHEMA_VERSION})"));
        }
        let benchmark: Self = serde_json::from_value(value).map_err(damaged)?;
        // These checks ensure that the figures can be computed.
        for one in &benchmark.measurements {
            let (n, runs) = (one.workload.n, &one.runs);
            if n > MAX_N || runs.is_empty() || !runs.iter().all(|run| (1e-9..=1e9).contains(run)) {
                let accepted = format!("n up to {MAX_N}, and runs of 1e-9 to 1e9 seconds each");
                return Err(format!("is damaged: n {n}, runs {runs:?} (accepted: {accepted})"));
            }
        }
        Ok(benchmark.computed())
    }

    /// Computes all figures that are derived from the runs.
    fn computed(mut self) -> Self {
        self.measurements.iter_mut().for_each(Measurement::compute);
        let all = self.measurements.iter();
        let scored = all.filter(|one| one.workload.purpose == Purpose::Score);
        let alone = scored.filter(|one| one.workload.threads == 1);
        self.scores = alone.filter_map(|one| self.score(one)).collect();
        self
    }

    /// Computes the score of an engine from its measurements on one thread and on all threads. The
    /// score is void if any count of the engine was wrong, because no result of the engine on this
    /// machine can then be trusted.
    fn score(&self, one: &Measurement) -> Option<Score> {
        let mut workload = one.workload;
        workload.threads = self.threads;
        let all = self.measurements.iter().find(|one| one.workload == workload)?;
        let is_void = self.wrong().any(|one| one.workload.engine == workload.engine);
        let [one_thread, all_threads] =
            [one, all].map(|one| one.solutions_per_second.filter(|_| !is_void));
        Some(Score { workload, one_thread, all_threads })
    }

    /// Returns the measurements with a wrong total.
    pub(crate) fn wrong(&self) -> impl Iterator<Item = &Measurement> {
        self.measurements.iter().filter(|one| !one.correct)
    }

    /// Returns a field of the environment, such as `cpu`.
    pub(crate) fn about(&self, field: &str) -> &str {
        self.environment[field].as_str().unwrap_or("unknown")
    }
}

/// Adds runs to the measurements until all have enough.
fn measure(
    all: &mut [Measurement],
    runs: Option<usize>,
    time: &mut Timer<'_>,
) -> Result<(), CountError> {
    let progress = |one: &Measurement| match runs {
        Some(runs) => one.runs.len() as f64 / runs as f64,
        None => workloads::progress(&one.runs),
    };
    for round in 0.. {
        if all.iter().all(|one| progress(one) >= 1.0) {
            break;
        }
        let fraction = all.iter().map(progress).sum::<f64>() / all.len() as f64;
        for one in all.iter_mut().filter(|one| progress(one) < 1.0) {
            let (seconds, total) = time(&one.workload, round, fraction)?;
            one.correct &= total == one.solutions;
            if round > 0 || seconds > WARM_UP {
                one.runs.push(significant(seconds.max(SHORTEST)));
            }
        }
    }
    Ok(())
}

impl Measurement {
    /// Creates a measurement without runs.
    fn new(workload: &Workload) -> Self {
        let published = known::values(workload.n).expect("only published sizes are measured");
        Self {
            workload: *workload,
            solutions: published.solutions,
            correct: true,
            runs: Vec::new(),
            fastest: 0.0,
            median: 0.0,
            solutions_per_second: None,
        }
    }

    /// Computes the figures that are derived from the runs.
    fn compute(&mut self) {
        self.fastest = quantile(&self.runs, 0.0);
        self.median = significant(median(&self.runs));
        let rate = significant(self.solutions as f64 / self.fastest);
        self.solutions_per_second = (self.solutions > 0).then_some(rate);
    }

    /// Returns the time of the slowest run in seconds.
    pub(super) fn slowest(&self) -> f64 {
        quantile(&self.runs, 1.0)
    }
}
