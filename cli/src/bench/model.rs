//! What is saved: a benchmark, and the times of several solvers. `docs/FORMATS.md` describes the JSON form.

use serde::{Deserialize, Serialize};
use strum::Display;

use queens::Environment;

/// What a saved benchmark is, in its field `schema`.
pub(crate) const SCHEMA: &str = "queens-bench";

/// What a file of times of several solvers is, in its field `schema`; `scripts/compare-solvers` writes it.
pub(crate) const SOLVERS_SCHEMA: &str = "queens-solvers";

/// The version of both forms, in the field `schema_version`: another number, another form.
pub(crate) const SCHEMA_VERSION: u32 = 2;

/// A whole benchmark as it is saved; [`Suite::run`](super::Suite::run) makes one.
///
/// ```no_run
/// use queens_cli::bench::load;
///
/// let benchmark = load("tests/fixtures/bench-one.json".as_ref())?;
/// assert!(!benchmark.is_void());
/// println!("{:?}", benchmark.best());
/// # Ok::<(), queens_cli::bench::LoadError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Benchmark {
    /// `queens-bench`.
    pub schema: String,
    /// 2.
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
    pub scores: Vec<Score>,
    /// Everything that was timed.
    pub measurements: Vec<Measurement>,
    /// How it compares with an older benchmark, where that was asked for.
    pub comparison: Option<Vec<Comparison>>,
}

/// How the benchmark was set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// `quick`, `default` or `full`.
    pub level: String,
    /// How threads were tied to processors: `none`, `cores` or `all`.
    pub pin: String,
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

/// A workload and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measurement {
    /// What it was measured for.
    pub purpose: Purpose,
    /// Engine.
    pub engine: String,
    /// Kernel, which is named after its instruction set.
    pub kernel: String,
    /// Symmetry, where it is a choice.
    pub symmetry: Option<String>,
    /// Board size.
    pub n: u32,
    /// Threads.
    pub threads: usize,
    /// Q(N) as published.
    pub solutions: String,
    /// Whether every run came to that.
    pub correct: bool,
    /// Wall time of each run in seconds, in the order in which they were made.
    pub runs: Vec<f64>,
    /// The least of the runs in seconds: what this machine can do. Others on the machine only ever add to it.
    pub least: f64,
    /// Median of the runs in seconds.
    pub seconds: f64,
    /// Distance from the 10th to the 90th percentile of the runs, as a part of the median.
    pub spread: f64,
    /// Solutions per second, by the least time.
    pub solutions_per_second: f64,
    /// How many times as fast as one thread, by the least times; none where one thread was not measured on the same board.
    pub speedup: Option<f64>,
    /// Why the figures should not be quoted as they are.
    pub marks: Vec<Mark>,
}

/// Why a figure should not be quoted as it is, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// One word: `short` or `noisy`.
    pub kind: String,
    /// What is wrong.
    pub reason: String,
    /// What to do about it.
    pub hint: String,
}

/// What a score is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Status {
    /// It can be quoted.
    Quotable,
    /// It can be quoted with its marks.
    Marked,
    /// It means nothing: a count was wrong.
    Void,
}

/// How fast a CPU is with an engine: solutions per second with its best kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// Engine.
    pub engine: String,
    /// Kernel.
    pub kernel: String,
    /// Board size.
    pub n: u32,
    /// Solutions per second on one thread; none if void.
    pub one_thread: Option<f64>,
    /// The threads that "all" stands for.
    pub threads: usize,
    /// Solutions per second on all threads; none if void.
    pub all_threads: Option<f64>,
    /// What it is worth.
    pub status: Status,
    /// Why it is not quotable, and what to do about it.
    pub reasons: Vec<String>,
}

/// What can be said of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Verdict {
    /// Faster than the baseline by more than the noise.
    Faster,
    /// Slower than the baseline by more than the noise.
    Slower,
    /// No difference that the noise would not explain.
    Same,
}

/// A workload now and then.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// Engine.
    pub engine: String,
    /// Kernel.
    pub kernel: String,
    /// Board size.
    pub n: u32,
    /// Threads.
    pub threads: usize,
    /// Median of the baseline's runs in seconds.
    pub baseline_seconds: f64,
    /// Median of the runs in seconds.
    pub seconds: f64,
    /// How many times as fast as the baseline.
    pub ratio: f64,
    /// The part by which the times may differ for no reason: the sum of both spreads, or 5 % if that is more.
    pub noise: f64,
    /// What can be said of the difference.
    pub verdict: Verdict,
}

/// Times of several solvers for the same boards on the same machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Solvers {
    /// `queens-solvers`.
    pub schema: String,
    /// 2.
    pub schema_version: u32,
    /// Machine, and this program.
    pub environment: Environment,
    /// The solvers, in the order in which they are shown; the last one is what the others are compared with.
    pub solvers: Vec<Solver>,
    /// Their times.
    pub rows: Vec<SolverTime>,
}

/// A solver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Solver {
    /// Its name, with its version.
    pub name: String,
    /// How it was run and what its time covers.
    pub how: String,
}

/// The time of a solver for all solutions of a board.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolverTime {
    /// The solver's name.
    pub solver: String,
    /// Board size.
    pub n: u32,
    /// Solutions found.
    pub solutions: String,
    /// Seconds of each run.
    pub runs: Vec<f64>,
    /// Their median.
    pub seconds: f64,
}

impl Benchmark {
    /// The score to quote: that of the engine that counts fastest, or a void one if all are.
    #[must_use]
    pub fn best(&self) -> Option<&Score> {
        let rate = |score: &&Score| score.all_threads.unwrap_or(-1.0);
        self.scores
            .iter()
            .max_by(|one, other| rate(one).total_cmp(&rate(other)))
    }

    /// Whether some run came to a wrong total.
    #[must_use]
    pub fn is_void(&self) -> bool {
        self.measurements.iter().any(|measured| !measured.correct)
    }

    /// The measurements made for a purpose.
    pub fn of(&self, purpose: Purpose) -> impl Iterator<Item = &Measurement> {
        let all = self.measurements.iter();
        all.filter(move |measured| measured.purpose == purpose)
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
    /// Engine, kernel, board and threads: what makes two measurements comparable.
    #[must_use]
    pub fn key(&self) -> (&str, &str, u32, usize) {
        (&self.engine, &self.kernel, self.n, self.threads)
    }
}

impl Comparison {
    /// Engine, kernel, board and threads of the two measurements.
    #[must_use]
    pub fn key(&self) -> (&str, &str, u32, usize) {
        (&self.engine, &self.kernel, self.n, self.threads)
    }
}
