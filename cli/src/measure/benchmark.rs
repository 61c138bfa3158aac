//! The benchmark and its results. `docs/FORMATS.md` describes their JSON format.
//!
//! Figures that are derived from the runs are recomputed when a benchmark is loaded; those in the
//! file are ignored.

use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

use queens::count::Mismatch;
use queens::workloads::{self, Purpose, Workload};
use queens::{CancelToken, CountError, known};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Source;
use super::stats::{median, quantile};
use crate::environment::Environment;
use crate::human::significant;
use crate::text;

/// Version of the JSON format, stored in the field `schema_version`.
const SCHEMA_VERSION: u32 = 6;

/// Maximum size of a saved file in bytes. Typical files are hundreds of times smaller.
const LARGEST: u64 = 4 << 20;

/// Assumed resolution of the clock, in seconds. Shorter times are rounded up to it.
const SHORTEST: f64 = 1e-9;
/// Time in seconds up to which the first run of a workload is only a warm-up.
const WARM_UP: f64 = 1.0;
/// Maximum number of runs of a workload. Comparing more would take noticeable time.
pub(crate) const MAX_RUNS: usize = 50;
/// Time in seconds for which a system usually lets a thread run. In shorter runs, a thread may wait
/// for a core before it has any work.
const TIME_SLICE: f64 = 0.005;
/// Share of the cores, without which a machine counts as busy.
const QUIET: f64 = 0.95;

/// Results of a benchmark, created by [`Benchmark::run`] or read by [`Benchmark::load`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "schema", rename = "queens-bench")]
pub(crate) struct Benchmark {
    schema_version: u32,
    /// Version of the workloads, [`workloads::VERSION`].
    pub(crate) workload: u32,
    /// Program and machine that were measured.
    environment: Environment,
    /// Number of threads of measurements on all threads.
    pub(crate) threads: usize,
    /// Scores, one for each engine, the fastest first.
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
    /// Times of each run, in chronological order.
    pub(crate) runs: Vec<Times>,
    /// Time of the fastest run in seconds. Other load can only slow runs down.
    #[serde(skip_deserializing)]
    pub(crate) fastest: f64,
    /// Median time of the runs in seconds.
    #[serde(skip_deserializing)]
    pub(crate) median: f64,
    /// Share of the cores that the threads got while they had work: CPU time divided by thread
    /// time, in the median run. `None` if the runs are too short to tell.
    #[serde(skip_deserializing)]
    pub(crate) core_share: Option<f64>,
    /// Whether the machine was busy with other work: the threads got less than 95 % of the cores.
    #[serde(skip_deserializing)]
    pub(crate) busy: bool,
    /// Solutions per second in the fastest run; `None` if there are no solutions.
    #[serde(skip_deserializing)]
    pub(crate) solutions_per_second: Option<f64>,
}

/// Times of a run in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Times {
    /// Wall time.
    pub(crate) seconds: f64,
    /// CPU time of the threads.
    pub(crate) cpu_seconds: f64,
    /// Wall time for which threads had work, summed over them.
    pub(crate) thread_seconds: f64,
}

impl Times {
    /// Rounds the times, of which none is zero.
    fn rounded(self) -> Self {
        let round = |seconds: f64| significant(seconds.max(SHORTEST));
        Self {
            seconds: round(self.seconds),
            cpu_seconds: round(self.cpu_seconds),
            thread_seconds: round(self.thread_seconds),
        }
    }

    fn are_possible(&self) -> bool {
        let all = [self.seconds, self.cpu_seconds, self.thread_seconds];
        all.iter().all(|time| (1e-9..=1e9).contains(time))
    }
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
    /// Least known share of the cores that the threads got in the two measurements.
    pub(crate) core_share: Option<f64>,
    /// Whether the machine was busy in one of them.
    pub(crate) busy: bool,
}

/// Function that counts a workload once and returns the times and the total. It is also passed how
/// far the benchmark is.
pub(crate) type Timer<'a> = dyn FnMut(&Workload, Pace) -> Result<(Times, u128), CountError> + 'a;

/// Progress of a benchmark.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    /// Number of the round, from 0 on.
    pub(crate) round: usize,
    /// Completed fraction.
    pub(crate) fraction: f64,
    /// Expected duration in seconds of all runs after the first round. It is complete when this
    /// round is.
    pub(crate) expected: f64,
}

/// Counts the solutions of a workload's board. Returns the times, and the total, which may be
/// wrong.
///
/// # Errors
///
/// Returns the same errors as [`Counter::run`](queens::Counter::run), except for a wrong total.
pub(crate) fn time(workload: &Workload, cancel: &CancelToken) -> Result<(Times, u128), CountError> {
    let run = workload.counter()?.prepare()?.cancel_with(cancel.clone());
    let started = Instant::now();
    match run.run() {
        Ok(count) => {
            let times = [count.elapsed, count.cpu_time, count.thread_time];
            let [seconds, cpu_seconds, thread_seconds] = times.map(|time| time.as_secs_f64());
            Ok((Times { seconds, cpu_seconds, thread_seconds }, count.total))
        }
        Err(CountError::Mismatch(Mismatch { total, .. })) => {
            let seconds = started.elapsed().as_secs_f64();
            let times = Times { seconds, cpu_seconds: seconds, thread_seconds: seconds };
            Ok((times, total))
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
            environment: Environment::here(),
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
        let unread = |error: std::io::Error| {
            format!("cannot be read: {error} (accepted: a saved benchmark)")
        };
        // Opening a pipe blocks until someone writes to it.
        let found = path.metadata().map_err(unread)?;
        if !found.is_file() {
            return Err("is not a regular file (accepted: a saved benchmark)".to_owned());
        } else if found.len() > LARGEST {
            return Err("is damaged: it is larger than 4 MiB".to_owned());
        }
        let bytes = std::fs::read(path).map_err(unread)?;
        let is_marked = |text: &str| text.contains("\"queens-bench\"");
        let damaged = |error: serde_json::Error| format!("is damaged: {error}");
        let value = match serde_json::from_slice::<Value>(&bytes) {
            Ok(value) if value["schema"] == "queens-bench" => value,
            Err(error) if is_marked(&String::from_utf8_lossy(&bytes)) => {
                return Err(damaged(error));
            }
            _ => {
                let accepted = "accepted: a file written by `queens bench --save`";
                return Err(format!("is not a saved benchmark ({accepted})"));
            }
        };
        let version = &value["schema_version"];
        if *version != SCHEMA_VERSION {
            return Err(format!("has schema version {version} (accepted: {SCHEMA_VERSION})"));
        }
        let benchmark: Self = serde_json::from_value(value).map_err(damaged)?;
        // These checks ensure that the figures can be computed.
        let mut seen = HashSet::new();
        for one in &benchmark.measurements {
            if !seen.insert(one.workload) {
                return Err(format!("is damaged: {} (accepted: each once)", one.workload));
            }
            let (n, runs) = (one.workload.n, &one.runs);
            let is_published = known::values(n).is_some_and(|row| row.solutions == one.solutions);
            let are_counted = (1..=MAX_RUNS).contains(&runs.len());
            if !is_published || !are_counted || !runs.iter().all(Times::are_possible) {
                let accepted = format!(
                    "published numbers of solutions, and 1 to {MAX_RUNS} runs of 1e-9 to 1e9 seconds each"
                );
                return Err(format!("is damaged: {} (accepted: {accepted})", one.workload));
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
        let rate = |score: &Score| score.all_threads.unwrap_or(-1.0);
        self.scores.sort_by(|one, other| rate(other).total_cmp(&rate(one)));
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
        let shares = [one.core_share, all.core_share].into_iter().flatten();
        let core_share = shares.min_by(f64::total_cmp);
        Some(Score { workload, one_thread, all_threads, core_share, busy: one.busy || all.busy })
    }

    /// Returns the measurements with a wrong total.
    pub(crate) fn wrong(&self) -> impl Iterator<Item = &Measurement> {
        self.measurements.iter().filter(|one| !one.correct)
    }

    /// Returns the measurement of the same count, if possible with the same purpose.
    pub(super) fn find(&self, workload: &Workload) -> Option<&Measurement> {
        let key = |of: &Workload| (of.engine, of.kernel, of.n, of.threads);
        let same = self.measurements.iter().filter(|one| key(&one.workload) == key(workload));
        same.max_by_key(|one| one.workload.purpose == workload.purpose)
    }

    /// Describes the origin of the times, from a file of this name.
    pub(crate) fn source(&self, name: &str) -> Source {
        Source {
            name: name.to_owned(),
            environment: self.environment.clone(),
            threads: self.threads,
            workload: self.workload,
            scores: self.scores.clone(),
        }
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
        None => workloads::progress(&one.seconds()),
    };
    let mut expected = 0.0;
    for round in 0.. {
        if all.iter().all(|one| progress(one) >= 1.0) {
            break;
        }
        let fraction = all.iter().map(progress).sum::<f64>() / all.len() as f64;
        for one in all.iter_mut().filter(|one| progress(one) < 1.0) {
            let pace = Pace { round, fraction, expected };
            let (times, total) = time(&one.workload, pace)?;
            one.correct &= total == one.solutions;
            if round == 0 {
                let runs = runs.unwrap_or_else(|| workloads::needed_runs(times.seconds));
                expected += times.seconds * runs as f64;
            }
            if round > 0 || times.seconds > WARM_UP {
                one.runs.push(times.rounded());
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
            core_share: None,
            busy: false,
            solutions_per_second: None,
        }
    }

    /// Computes the figures that are derived from the runs.
    fn compute(&mut self) {
        let seconds = self.seconds();
        self.fastest = quantile(&seconds, 0.0);
        self.median = significant(median(&seconds));
        // Starting and ending threads takes CPU time, too, in which they have no work.
        let share = |run: &Times| (run.cpu_seconds / run.thread_seconds).min(1.0);
        let shares: Vec<_> = self.runs.iter().map(share).collect();
        self.core_share = (self.median >= TIME_SLICE).then(|| significant(median(&shares)));
        self.busy = self.core_share.is_some_and(|share| share < QUIET);
        let rate = significant(self.solutions as f64 / self.fastest);
        self.solutions_per_second = (self.solutions > 0).then_some(rate);
    }

    /// Returns the wall time of each run in seconds.
    pub(super) fn seconds(&self) -> Vec<f64> {
        self.runs.iter().map(|run| run.seconds).collect()
    }
}
