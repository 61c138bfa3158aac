//! What is saved: a benchmark, and the times of several solvers. `docs/FORMATS.md` describes the JSON form.
//!
//! Only runs are believed. Whatever follows from them is computed when a benchmark is made and when one is read.

use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};

use queens::machine::Environment;
use queens::{Engine, Kernel};
use serde::{Deserialize, Serialize};

use super::stats::{median, quantile, spread};
use crate::human::{plural, significant};

/// What a saved benchmark is, in its field `schema`.
pub(crate) const SCHEMA: &str = "queens-bench";

/// What a file of times of several solvers is, in its field `schema`; `scripts/compare-solvers` writes it.
pub(crate) const SOLVERS_SCHEMA: &str = "queens-solvers";

/// The version of a benchmark's form, in the field `schema_version`: another number, another form.
pub(crate) const SCHEMA_VERSION: u32 = 3;

/// A run shorter than this is as much about starting threads as about counting, in seconds.
const SHORT: f64 = 0.01;
/// Runs are noisy if less than a quarter of them exceed the least by no more than this part.
const NOISY: f64 = 0.1;

/// A whole benchmark as it is saved; [`Suite::run`](super::Suite::run) makes one.
///
/// ```no_run
/// use queens_cli::bench::load;
///
/// let benchmark = load("tests/fixtures/bench-one.json".as_ref())?;
/// assert!(!benchmark.is_void());
/// println!("{:?}", benchmark.best());
/// # anyhow::Ok(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Benchmark {
    /// `queens-bench`.
    pub schema: String,
    /// The version of the form.
    pub schema_version: u32,
    /// The version of the workload, [`WORKLOAD`](super::suite::WORKLOAD): scores of different ones do not compare.
    pub workload: u32,
    /// Program and machine.
    pub environment: Environment,
    /// How the benchmark was set.
    pub settings: Settings,
    /// The part of the CPU time, from 0 to 1, that the host of a virtual machine kept for others meanwhile; none where the
    /// system does not tell.
    pub steal: Option<f64>,
    /// One for each engine.
    #[serde(skip_deserializing)]
    pub scores: Vec<Score>,
    /// Everything that was timed.
    pub measurements: Vec<Measurement>,
    /// How it compares with an older benchmark, where that was asked for.
    #[serde(skip_deserializing)]
    pub comparison: Option<Vec<Comparison>>,
}

/// How the benchmark was set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// `quick`, `default` or `full`.
    pub level: String,
    /// The number of threads that "all threads" stands for.
    pub threads: usize,
    /// Why that many.
    pub threads_reason: String,
}

/// What a workload is measured for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// The engine's score: its best kernel, one thread and all.
    Score,
    /// The kernels side by side, on a board that the slowest still does in reasonable time.
    Kernels,
    /// Speed-up against threads.
    Scaling,
    /// The table of solutions against board size.
    Table,
}

/// One count that is timed again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Workload {
    /// What for.
    pub purpose: Purpose,
    /// Engine.
    #[serde(with = "text")]
    pub engine: Engine,
    /// Kernel.
    #[serde(with = "text")]
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

/// A workload, its runs, and the figures that follow from them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// What was counted.
    #[serde(flatten)]
    pub workload: Workload,
    /// Symmetry, where it is a choice.
    pub symmetry: Option<String>,
    /// Q(N) as published.
    #[serde(with = "text")]
    pub solutions: u128,
    /// Whether every run came to that.
    pub correct: bool,
    /// Wall time of each run in seconds, in the order in which they were made.
    pub runs: Vec<f64>,
    /// The least of the runs in seconds: what this machine can do. Others on the machine only ever add to it.
    #[serde(skip_deserializing)]
    pub least: f64,
    /// Median of the runs in seconds.
    #[serde(skip_deserializing)]
    pub seconds: f64,
    /// Distance from the 10th to the 90th percentile of the runs, as a part of the median.
    #[serde(skip_deserializing)]
    pub spread: f64,
    /// Solutions per second, by the least time.
    #[serde(skip_deserializing)]
    pub solutions_per_second: f64,
    /// How many times as fast as one thread, by the least times; none where one thread was not measured on the same board,
    /// and in the table.
    #[serde(skip_deserializing)]
    pub speedup: Option<f64>,
    /// Whether the figures should not be quoted: three runs of four took over 10 % longer than the least, or the least is
    /// under 10 ms. Never in the table, whose small boards take less.
    #[serde(skip_deserializing)]
    pub noisy: bool,
}

/// How fast a CPU is with an engine: solutions per second with its best kernel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Score {
    /// Engine.
    #[serde(with = "text")]
    pub engine: Engine,
    /// Kernel.
    #[serde(with = "text")]
    pub kernel: Kernel,
    /// Board size.
    pub n: u32,
    /// Solutions per second on one thread; none if void: a count of this engine was wrong.
    pub one_thread: Option<f64>,
    /// The threads that "all" stands for.
    pub threads: usize,
    /// Solutions per second on all threads; none if void.
    pub all_threads: Option<f64>,
    /// Whether one of its two measurements is noisy.
    pub noisy: bool,
}

/// A workload now and then.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// What was counted.
    #[serde(flatten)]
    pub workload: Workload,
    /// Median of the baseline's runs in seconds.
    pub baseline_seconds: f64,
    /// Median of the runs in seconds.
    pub seconds: f64,
    /// How many times as fast as the baseline.
    pub ratio: f64,
    /// The spreads of both added, a part of the ratio: a difference below that says nothing.
    pub spread: f64,
}

/// Times of several solvers for the same boards on the same machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Solvers {
    /// Machine, and this program.
    pub environment: Environment,
    /// The solvers, in the order in which they are shown; the last one is what the others are compared with.
    pub solvers: Vec<Solver>,
    /// Their times.
    pub rows: Vec<SolverTime>,
}

/// A solver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Solver {
    /// Its name, with its version.
    pub name: String,
    /// How it was run and what its time covers.
    pub how: String,
}

/// The time of a solver for all solutions of a board.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SolverTime {
    /// The solver's name.
    pub solver: String,
    /// Board size.
    pub n: u32,
    /// Solutions found.
    #[serde(with = "text")]
    pub solutions: u128,
    /// Seconds of each run.
    pub runs: Vec<f64>,
}

/// A name, or a number that may exceed the 2^53 up to which JSON numbers are exact everywhere, as text.
mod text {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(what: &impl Display, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(what)
    }

    pub(super) fn deserialize<'a, T: FromStr, D: Deserializer<'a>>(from: D) -> Result<T, D::Error> {
        let text = String::deserialize(from)?;
        text.parse()
            .map_err(|_| Error::custom(format_args!("{text:?} is not known")))
    }
}

impl Benchmark {
    /// The same with every figure that follows from the runs.
    pub(super) fn computed(mut self) -> Self {
        for one in &mut self.measurements {
            one.compute();
        }
        let mut alone = HashMap::new();
        let timed = |one: &&mut Measurement| one.workload.purpose != Purpose::Table;
        for one in self.measurements.iter_mut().filter(timed) {
            let key = (one.workload.engine, one.workload.kernel, one.workload.n);
            // One thread comes first.
            if one.workload.threads == 1 {
                alone.insert(key, one.least);
            }
            let alone = alone.get(&key);
            one.speedup = alone.map(|alone| significant(alone / one.least));
        }
        let scored = self.of(Purpose::Score);
        let alone = scored.filter(|one| one.workload.threads == 1);
        self.scores = alone.filter_map(|one| self.score(one)).collect();
        self
    }

    /// The score of an engine, by its runs on one thread and on all. One wrong total anywhere, and nothing that this engine
    /// did on this machine can be trusted.
    fn score(&self, one: &Measurement) -> Option<Score> {
        let (workload, threads) = (one.workload, self.settings.threads);
        let all = Workload {
            threads,
            ..workload
        };
        let all = self.of(Purpose::Score).find(|one| one.workload == all)?;
        let mut wrong = self.wrong().map(|one| one.workload.engine);
        let is_void = wrong.any(|engine| engine == workload.engine);
        let rate = |row: &Measurement| (!is_void).then_some(row.solutions_per_second);
        Some(Score {
            engine: workload.engine,
            kernel: workload.kernel,
            n: workload.n,
            one_thread: rate(one),
            threads,
            all_threads: rate(all),
            noisy: one.noisy || all.noisy,
        })
    }

    /// The score to quote: that of the engine that counts fastest, or a void one if all are.
    #[must_use]
    pub fn best(&self) -> Option<&Score> {
        let rate = |score: &Score| score.all_threads.unwrap_or(-1.0);
        let scores = self.scores.iter();
        scores.max_by(|one, other| rate(one).total_cmp(&rate(other)))
    }

    /// Whether some run came to a wrong total.
    #[must_use]
    pub fn is_void(&self) -> bool {
        self.wrong().next().is_some()
    }

    /// The measurements with a run that came to a wrong total.
    pub fn wrong(&self) -> impl Iterator<Item = &Measurement> {
        self.measurements
            .iter()
            .filter(|measured| !measured.correct)
    }

    /// The measurements made for a purpose.
    pub fn of(&self, purpose: Purpose) -> impl Iterator<Item = &Measurement> {
        let all = self.measurements.iter();
        all.filter(move |measured| measured.workload.purpose == purpose)
    }

    /// Everything that both benchmarks timed in rounds: the table is left out, whose rows have few runs.
    #[must_use]
    pub fn compare_with(&self, baseline: &Self) -> Vec<Comparison> {
        let mut compared = Vec::new();
        for now in &self.measurements {
            let mut older = baseline.measurements.iter();
            if now.workload.purpose != Purpose::Table
                && let Some(then) = older.find(|then| then.workload == now.workload)
            {
                compared.push(Comparison {
                    workload: now.workload,
                    baseline_seconds: then.seconds,
                    seconds: now.seconds,
                    ratio: significant(then.seconds / now.seconds),
                    spread: significant(now.spread + then.spread),
                });
            }
        }
        compared
    }
}

impl SolverTime {
    /// Median of the runs, of which there must be one, in seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        median(&self.runs)
    }
}

impl Score {
    /// The part of linear speed-up that all threads reach, from 0 to 1; none if void.
    #[must_use]
    pub fn efficiency(&self) -> Option<f64> {
        Some(self.all_threads? / self.one_thread? / self.threads as f64)
    }
}

impl Measurement {
    /// Computes the figures that follow from the runs, of which there must be one.
    fn compute(&mut self) {
        let runs = &self.runs;
        self.least = quantile(runs, 0.0);
        self.seconds = significant(median(runs));
        self.spread = significant(spread(runs));
        self.solutions_per_second = significant(self.solutions as f64 / self.least);
        let is_unsteady = quantile(runs, 0.25) / self.least - 1.0 > NOISY;
        self.noisy = self.workload.purpose != Purpose::Table && (is_unsteady || self.least < SHORT);
    }
}
