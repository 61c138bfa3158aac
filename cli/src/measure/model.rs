//! Benchmark results. `docs/FORMATS.md` describes their JSON format.
//!
//! Figures that are derived from the runs are recomputed when a benchmark is loaded; those in the
//! file are ignored.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use queens::board::MAX_N;
use queens::known;
use queens::machine::Environment;
use queens::{CountError, Engine, Kernel};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Timer;
use super::stats::{median, percentile_range, quantile};
use crate::human::{percent, plural, seconds, significant};
use crate::report::text;

/// Version of the JSON format, stored in the field `schema_version`.
pub(crate) const SCHEMA_VERSION: u32 = 4;

/// Oldest supported version. It is the first that contains the individual runs, from which all
/// figures are recomputed.
const OLDEST_VERSION: u32 = 2;

/// Maximum size of a saved file in bytes. Typical files are hundreds of times smaller.
const LARGEST: u64 = 4 << 20;

/// Assumed resolution of the clock, in seconds. Shorter times are rounded up to it.
const SHORTEST: f64 = 1e-9;
/// Time in seconds below which thread startup is a large part of a run.
const SHORT: f64 = 0.01;
/// Tolerance relative to the fastest run. Runs are noisy if fewer than a quarter of them are within
/// it.
const NOISY: f64 = 0.1;
/// Cores are considered shared if the fastest run got less CPU time than its threads could have
/// used, by more than this fraction.
const SHARED: f64 = 0.15;

/// Results of a benchmark, created by [`Suite::run`](super::Suite::run) or read by [`load`].
///
/// ```no_run
/// use queens_cli::measure::load;
///
/// let benchmark = load("tests/fixtures/bench-one.json".as_ref())?;
/// assert_eq!(benchmark.wrong().count(), 0);
/// println!("{:?}", benchmark.scores);
/// # anyhow::Ok(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "schema", rename = "queens-bench")]
pub struct Benchmark {
    /// Version of the JSON format.
    pub schema_version: u32,
    /// Version of the workload, [`WORKLOAD`](super::suite::WORKLOAD). Scores of different versions
    /// are not comparable.
    pub workload: u32,
    /// Program and machine that were measured.
    pub environment: Environment,
    /// Settings of the benchmark.
    pub settings: Settings,
    /// Scores, one for each engine.
    #[serde(skip_deserializing)]
    pub scores: Vec<Score>,
    /// All timed workloads.
    pub measurements: Vec<Measurement>,
    /// Whether the text report is limited to the scores and the comparison.
    #[serde(skip)]
    pub brief: bool,
}

/// Settings of a benchmark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Level: `quick`, `default` or `full`.
    pub level: String,
    /// Number of threads used for measurements on "all threads".
    pub threads: usize,
    /// Reason for the number of threads.
    pub threads_reason: String,
}

/// Purpose of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// Score of an engine: its best kernel on one thread and on all threads, and also on 2, 4, 8,
    /// ... threads with `--scaling`.
    #[serde(alias = "scaling")]
    Score,
    /// Comparison of kernels, on a board that does not take the slowest kernel too long.
    Kernels,
    /// Table of the number of solutions by board size.
    Table,
}

/// A count that is timed repeatedly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Workload {
    /// Purpose.
    pub purpose: Purpose,
    /// Engine.
    pub engine: Engine,
    /// Kernel.
    pub kernel: Kernel,
    /// Board size.
    pub n: u32,
    /// Threads.
    pub threads: usize,
}

impl Display for Workload {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (engine, kernel, n) = (self.engine, self.kernel, self.n);
        let threads = plural(self.threads, "thread");
        write!(f, "engine {engine}, kernel {kernel}, N = {n}, {threads}")
    }
}

/// A workload with its runs and the figures derived from them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Workload.
    #[serde(flatten)]
    pub workload: Workload,
    /// Published number of solutions Q(N).
    #[serde(with = "text")]
    pub solutions: u128,
    /// Whether every run gave the published total.
    pub correct: bool,
    /// Wall time of each run in seconds, in chronological order.
    pub runs: Vec<f64>,
    /// CPU time of each run in seconds, summed over all threads. Empty in older files.
    #[serde(default)]
    pub cpu_seconds: Vec<f64>,
    /// Figures derived from the runs.
    #[serde(flatten, skip_deserializing)]
    pub figures: Figures,
}

/// Figures derived from the runs of a measurement. They are computed when it is created or read.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Figures {
    /// Time of the fastest run in seconds. Other load can only slow runs down.
    pub least: f64,
    /// Median time of the runs in seconds.
    pub seconds: f64,
    /// Distance from the 10th to the 90th percentile of the runs, as a fraction of the median.
    pub spread: f64,
    /// Solutions per second in the fastest run; `None` if there are no solutions.
    pub solutions_per_second: Option<f64>,
    /// Speedup over one thread, based on the fastest runs. `None` in the table, and if one thread
    /// was not measured on the same board.
    pub speedup: Option<f64>,
    /// Whether the figures are unreliable. This is so if three out of four runs took over 10 %
    /// longer than the fastest, or if the fastest run had its cores for less than 85 % of the time
    /// or took less than 10 ms. Always false for table entries, because small boards take less than
    /// 10 ms anyway.
    pub noisy: bool,
    /// Why the figures are unreliable, by how much, and how to get better ones.
    #[serde(skip)]
    pub noise: Option<String>,
    /// Median time of the baseline's runs in seconds. This and the next two fields are `None`
    /// without a baseline.
    pub baseline_seconds: Option<f64>,
    /// Speedup over the baseline.
    pub baseline_ratio: Option<f64>,
    /// Sum of the `spread` values of both benchmarks. Smaller differences are not significant.
    pub baseline_spread: Option<f64>,
}

/// Score of a CPU with one engine, in solutions per second with the best kernel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Score {
    /// Workload on all threads.
    #[serde(flatten)]
    pub workload: Workload,
    /// Solutions per second on one thread. `None` if the score is void because a count of this
    /// engine was wrong.
    pub one_thread: Option<f64>,
    /// Solutions per second on all threads. `None` if the score is void.
    pub all_threads: Option<f64>,
    /// Whether either of the two measurements is noisy.
    pub noisy: bool,
}

/// Reads a saved benchmark.
///
/// A benchmark that passes validation can be plotted and compared. The times themselves cannot be
/// verified: a file can claim any speed.
///
/// # Errors
///
/// Fails if the file cannot be read or is not a valid benchmark. The error names the invalid field.
pub fn load(path: &Path) -> Result<Benchmark> {
    // Opening a pipe blocks until someone writes to it.
    let found = path.metadata().context("cannot be read")?;
    ensure!(found.is_file(), "is not a regular file (accepted: a saved benchmark)");
    ensure!(found.len() <= LARGEST, "is damaged: it is larger than 4 MiB");
    let bytes = std::fs::read(path).context("cannot be read")?;
    let value: Value = serde_json::from_slice(&bytes).context("is damaged")?;
    ensure!(
        value["schema"] == "queens-bench",
        "is not a benchmark (accepted: files written by `queens bench --save`)"
    );
    let version = &value["schema_version"];
    ensure!(
        (OLDEST_VERSION..=SCHEMA_VERSION).any(|known| *version == known),
        "has schema version {version} (accepted: {OLDEST_VERSION} to {SCHEMA_VERSION})"
    );
    let benchmark: Benchmark = serde_json::from_value(value).context("is damaged")?;
    // These checks ensure that the figures can be computed and drawn.
    for one in &benchmark.measurements {
        let (n, runs) = (one.workload.n, &one.runs);
        ensure!(
            n <= MAX_N && !runs.is_empty() && runs.iter().all(|run| (1e-9..=1e9).contains(run)),
            "is damaged: n {n}, runs {runs:?} (accepted: n up to {MAX_N}, and runs of 1e-9 to 1e9 seconds each)"
        );
    }
    Ok(benchmark.computed())
}

impl Benchmark {
    /// Computes all figures that are derived from the runs.
    pub(super) fn computed(mut self) -> Self {
        let all = self.measurements.clone();
        for one in &mut self.measurements {
            let mut alone = one.workload;
            alone.threads = 1;
            let alone = all.iter().find(|other| other.workload == alone);
            one.figures = Figures::of(one, alone);
        }
        let scored = self.of(Purpose::Score);
        let alone = scored.filter(|one| one.workload.threads == 1);
        self.scores = alone.filter_map(|one| self.score(one)).collect();
        self
    }

    /// Computes the score of an engine from its measurements on one thread and on all threads. The
    /// score is void if any count of the engine was wrong, because no result of the engine on this
    /// machine can then be trusted.
    fn score(&self, one: &Measurement) -> Option<Score> {
        let mut workload = one.workload;
        workload.threads = self.settings.threads;
        let all = self.of(Purpose::Score).find(|one| one.workload == workload)?;
        let mut wrong = self.wrong().map(|one| one.workload.engine);
        let is_void = wrong.any(|engine| engine == workload.engine);
        let rate = |row: &Measurement| row.figures.solutions_per_second.filter(|_| !is_void);
        Some(Score {
            workload,
            one_thread: rate(one),
            all_threads: rate(all),
            noisy: one.figures.noisy || all.figures.noisy,
        })
    }

    /// Returns the measurements with a wrong total.
    pub fn wrong(&self) -> impl Iterator<Item = &Measurement> {
        self.measurements.iter().filter(|one| !one.correct)
    }

    /// Returns the measurements with the given purpose.
    pub fn of(&self, purpose: Purpose) -> impl Iterator<Item = &Measurement> {
        let all = self.measurements.iter();
        all.filter(move |one| one.workload.purpose == purpose)
    }

    /// Returns the fastest correct measurement for each board size in the table.
    #[must_use]
    pub fn fastest(&self) -> BTreeMap<u32, &Measurement> {
        let mut fastest = BTreeMap::<_, &Measurement>::new();
        for row in self.of(Purpose::Table).filter(|row| row.correct) {
            let best = fastest.entry(row.workload.n).or_insert(row);
            if row.figures.least < best.figures.least {
                *best = row;
            }
        }
        fastest
    }

    /// Compares the workloads that both benchmarks share. Table entries are skipped because they
    /// have few runs.
    pub fn compare_with(&mut self, baseline: &Self) {
        for now in &mut self.measurements {
            let mut older = baseline.measurements.iter();
            if now.workload.purpose != Purpose::Table
                && let Some(then) = older.find(|then| then.workload == now.workload)
            {
                let (now, then) = (&mut now.figures, &then.figures);
                now.baseline_seconds = Some(then.seconds);
                now.baseline_ratio = Some(significant(then.seconds / now.seconds));
                now.baseline_spread = Some(significant(now.spread + then.spread));
            }
        }
    }
}

impl Measurement {
    /// Creates a measurement without runs.
    pub(super) fn new(workload: Workload) -> Self {
        let published = known::values(workload.n).expect("the suite has only published sizes");
        Self {
            workload,
            solutions: published.solutions,
            correct: true,
            runs: Vec::new(),
            cpu_seconds: Vec::new(),
            figures: Figures::default(),
        }
    }

    /// Runs the workload once with `time` and checks the total. Records the time unless this is the
    /// warm-up, round 0.
    pub(super) fn time(
        &mut self,
        round: usize,
        fraction: f64,
        time: &mut Timer<'_>,
    ) -> Result<(), CountError> {
        let (seconds, cpu_seconds, total) = time(&self.workload, round, fraction)?;
        self.correct &= total == self.solutions;
        if round > 0 {
            let rounded = |seconds: f64| significant(seconds.max(SHORTEST));
            self.runs.push(rounded(seconds));
            self.cpu_seconds.push(rounded(cpu_seconds));
        }
        Ok(())
    }
}

impl Score {
    /// Returns the speedup on all threads as a fraction of linear speedup, or `None` if the score
    /// is void.
    #[must_use]
    pub fn efficiency(&self) -> Option<f64> {
        Some(self.all_threads? / self.one_thread? / self.workload.threads as f64)
    }
}

impl Figures {
    /// Computes the figures of a measurement, which must have at least one run. `alone` is the same
    /// workload measured on one thread.
    fn of(one: &Measurement, alone: Option<&Measurement>) -> Self {
        let (runs, least) = (&one.runs, quantile(&one.runs, 0.0));
        let is_table = one.workload.purpose == Purpose::Table;
        let noise = (!is_table).then(|| noise(one, least)).flatten();
        let rate = (one.solutions > 0).then(|| significant(one.solutions as f64 / least));
        let speedup = |alone: &Measurement| significant(quantile(&alone.runs, 0.0) / least);
        Self {
            least,
            seconds: significant(median(runs)),
            spread: significant(percentile_range(runs)),
            solutions_per_second: rate,
            speedup: alone.filter(|_| !is_table).map(speedup),
            noisy: noise.is_some(),
            noise,
            ..Self::default()
        }
    }
}

const REPEAT: &str = "close other programs and repeat";

/// Returns why the figures of a measurement are unreliable, and what to do about it.
fn noise(one: &Measurement, least: f64) -> Option<String> {
    let slower = quantile(&one.runs, 0.25) / least - 1.0;
    // If threads share cores, the fastest run gets less CPU time than it could have used.
    let fastest = (one.runs.iter().zip(&one.cpu_seconds)).find(|&(&run, _)| run == least);
    let got = fastest.map_or(1.0, |(_, cpu)| cpu / least / one.workload.threads as f64);
    if least < SHORT {
        Some(format!("runs of {} are too short; use a larger --n", seconds(least)))
    } else if slower > NOISY {
        let slower = percent(slower);
        Some(format!("three of four runs took over {slower} longer than the fastest; {REPEAT}"))
    } else {
        let got = (got < 1.0 - SHARED).then(|| percent(got));
        got.map(|got| format!("each thread got {got} of a core; {REPEAT}"))
    }
}
