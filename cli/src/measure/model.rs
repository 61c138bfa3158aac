//! A saved benchmark, whose JSON form `docs/FORMATS.md` describes.
//!
//! Figures derived from the runs are computed when a benchmark is built or read, regardless of the file.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use queens::board::MAX_N;
use queens::known::known;
use queens::machine::Environment;
use queens::{CountError, Engine, Kernel};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::stats::{median, quantile, spread};
use super::{Next, Timer, rounded};
use crate::human::{plural, significant};

/// Version of the JSON form, in the field `schema_version`.
pub(crate) const SCHEMA_VERSION: u32 = 4;

/// Oldest supported version: the first with single runs, from which all figures are recomputed.
const OLDEST_VERSION: u32 = 2;

/// Maximum size of a saved file in bytes, hundreds of times that of a typical one.
const LARGEST: u64 = 4 << 20;

/// Seconds below which starting the threads is a large part of a run.
const SHORT: f64 = 0.01;
/// Runs are noisy if fewer than a quarter of them are within this fraction of the fastest.
const NOISY: f64 = 0.1;
/// Cores are shared if the threads lacked more than this fraction of the possible CPU time in the fastest run.
const SHARED: f64 = 0.15;

/// A saved benchmark, created by [`Suite::run`](super::Suite::run).
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
    /// Version of the JSON form.
    pub schema_version: u32,
    /// Version of the workload, [`WORKLOAD`](super::suite::WORKLOAD). Scores of different versions are not comparable.
    pub workload: u32,
    /// Program and machine.
    pub environment: Environment,
    /// Settings of the benchmark.
    pub settings: Settings,
    /// One for each engine.
    #[serde(skip_deserializing)]
    pub scores: Vec<Score>,
    /// All timed workloads.
    pub measurements: Vec<Measurement>,
    /// Whether the text shows only scores and comparison.
    #[serde(skip)]
    pub brief: bool,
}

/// Settings of a benchmark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// `quick`, `default` or `full`.
    pub level: String,
    /// Number of threads that "all threads" stands for.
    pub threads: usize,
    /// Reason for that number.
    pub threads_reason: String,
}

/// Purpose of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// The engine's score: its best kernel on one thread and on all, and with `--scaling` on numbers between.
    #[serde(alias = "scaling")]
    Score,
    /// Kernels side by side, on a board that the slowest counts in reasonable time.
    Kernels,
    /// The table of solutions against board size.
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

/// A workload with its runs, and the figures that follow from them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Workload.
    #[serde(flatten)]
    pub workload: Workload,
    /// Q(N) as published.
    #[serde(with = "text")]
    pub solutions: u128,
    /// Whether every run had this total.
    pub correct: bool,
    /// Wall time of each run in seconds, in chronological order.
    pub runs: Vec<f64>,
    /// CPU time of each run in seconds, of all threads together; empty in older files.
    #[serde(default)]
    pub cpu_seconds: Vec<f64>,
    /// Figures that follow from the runs.
    #[serde(flatten, skip_deserializing)]
    pub figures: Figures,
}

/// Figures derived from the runs of a measurement whenever it is built or read.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Figures {
    /// Fastest run in seconds. Other load can only slow runs down.
    pub least: f64,
    /// Median of the runs in seconds.
    pub seconds: f64,
    /// Distance from the 10th to the 90th percentile of the runs, as a fraction of the median.
    pub spread: f64,
    /// Solutions per second in the fastest run; `None` if there are no solutions.
    pub solutions_per_second: Option<f64>,
    /// Speed-up over one thread, by the fastest runs; `None` in the table, and if one thread was not measured on the
    /// same board.
    pub speedup: Option<f64>,
    /// Whether the figures are unreliable: three runs of four took over 10 % longer than the fastest, the fastest had
    /// its cores for less than 85 % of its time, or it took under 10 ms. Always false in the table, whose small boards
    /// take less.
    pub noisy: bool,
    /// Median of the baseline's runs in seconds; like the two fields below, `None` without a baseline.
    pub baseline_seconds: Option<f64>,
    /// Speed-up over the baseline.
    pub baseline_ratio: Option<f64>,
    /// Sum of both spreads; smaller differences are not significant.
    pub baseline_spread: Option<f64>,
}

/// Score of a CPU with an engine: solutions per second with its best kernel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Score {
    /// Workload on all threads.
    #[serde(flatten)]
    pub workload: Workload,
    /// Solutions per second on one thread; `None` if void, because a count of this engine was wrong.
    pub one_thread: Option<f64>,
    /// Solutions per second on all threads; `None` if void.
    pub all_threads: Option<f64>,
    /// Whether one of its two measurements is noisy.
    pub noisy: bool,
}

/// Serialization of numbers as text, because many programs read JSON numbers exactly only up to 2^53.
pub(crate) mod text {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(number: &u128, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(number)
    }

    /// Serializes a number that may be missing.
    #[allow(clippy::ref_option, reason = "serde passes fields by reference")]
    pub(crate) fn optional<S>(number: &Option<u128>, to: S) -> Result<S::Ok, S::Error>
    where
        S: Serializer,
    {
        number.map(|number| number.to_string()).serialize(to)
    }

    pub(crate) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<u128, D::Error> {
        String::deserialize(from)?.parse().map_err(Error::custom)
    }
}

/// Reads a saved benchmark.
///
/// A benchmark that passes the checks can be drawn and compared. Its runs cannot be verified: a file can claim any
/// speed.
///
/// # Errors
///
/// Fails if the file cannot be read or is not a benchmark, naming the field that is wrong.
pub fn load(path: &Path) -> Result<Benchmark> {
    let mut bytes = Vec::new();
    let file = File::open(path).context("cannot be read")?;
    let read = file.take(LARGEST + 1).read_to_end(&mut bytes);
    if read.context("cannot be read")? as u64 > LARGEST {
        bail!("is damaged: it is larger than 4 MiB");
    }
    let value: Value = serde_json::from_slice(&bytes).context("is damaged")?;
    ensure!(
        value["schema"] == "queens-bench",
        "is not a benchmark (accepted: files that `queens bench --save` wrote)"
    );
    let version = &value["schema_version"];
    ensure!(
        (OLDEST_VERSION..=SCHEMA_VERSION).any(|known| *version == known),
        "has schema version {version} (accepted: {OLDEST_VERSION} to {SCHEMA_VERSION})"
    );
    let benchmark: Benchmark = serde_json::from_value(value).context("is damaged")?;
    // Valid runs can be drawn, and figures can be computed from them.
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
    /// Computes all figures that follow from the runs.
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

    /// Returns the score of an engine from its runs on one thread and on all. It is void if any count of the engine was
    /// wrong, because no result of the engine on this machine can then be trusted.
    fn score(&self, one: &Measurement) -> Option<Score> {
        let mut workload = one.workload;
        workload.threads = self.settings.threads;
        let all = self
            .of(Purpose::Score)
            .find(|one| one.workload == workload)?;
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

    /// Returns the measurements of a purpose.
    pub fn of(&self, purpose: Purpose) -> impl Iterator<Item = &Measurement> {
        let all = self.measurements.iter();
        all.filter(move |one| one.workload.purpose == purpose)
    }

    /// Returns the fastest correct measurement of each board size in the table.
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

    /// Compares the workloads that both benchmarks share, except those of the table, which have few runs.
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
    /// Returns a workload without runs.
    pub(super) fn new(workload: Workload) -> Self {
        let published = known(workload.n).expect("the suite has only published sizes");
        Self {
            workload,
            solutions: published.solutions,
            correct: true,
            runs: Vec::new(),
            cpu_seconds: Vec::new(),
            figures: Figures::default(),
        }
    }

    /// Runs the workload once with `time` and checks the total. The time is recorded unless the run is a warm-up, in
    /// round 0.
    pub(super) fn time(
        &mut self,
        round: usize,
        fraction: f64,
        time: &mut Timer<'_>,
    ) -> Result<(), CountError> {
        let workload = self.workload;
        let (seconds, cpu_seconds, total) = time(&Next {
            workload,
            round,
            fraction,
        })?;
        self.correct &= total == self.solutions;
        if round > 0 {
            self.runs.push(rounded(seconds));
            self.cpu_seconds.push(rounded(cpu_seconds));
        }
        Ok(())
    }
}

impl Score {
    /// Returns the fraction of linear speed-up on all threads; `None` if void.
    #[must_use]
    pub fn efficiency(&self) -> Option<f64> {
        Some(self.all_threads? / self.one_thread? / self.workload.threads as f64)
    }
}

impl Figures {
    /// Computes the figures of a measurement, which must have a run; `alone` is the same workload on one thread.
    fn of(one: &Measurement, alone: Option<&Measurement>) -> Self {
        let (runs, least) = (&one.runs, quantile(&one.runs, 0.0));
        let is_table = one.workload.purpose == Purpose::Table;
        let is_unsteady = quantile(runs, 0.25) / least - 1.0 > NOISY;
        // Threads that share cores: the fastest run had less CPU time than possible.
        let fastest = (runs.iter().zip(&one.cpu_seconds)).find(|&(&run, _)| run == least);
        let least_cpu = (1.0 - SHARED) * least * one.workload.threads as f64;
        let is_shared = fastest.is_some_and(|(_, &cpu_seconds)| cpu_seconds < least_cpu);
        let rate = (one.solutions > 0).then(|| significant(one.solutions as f64 / least));
        let speedup = |alone: &Measurement| significant(quantile(&alone.runs, 0.0) / least);
        Self {
            least,
            seconds: significant(median(runs)),
            spread: significant(spread(runs)),
            solutions_per_second: rate,
            speedup: alone.filter(|_| !is_table).map(speedup),
            noisy: !is_table && (is_unsteady || is_shared || least < SHORT),
            ..Self::default()
        }
    }
}
