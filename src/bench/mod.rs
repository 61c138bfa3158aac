//! The CPU benchmark: fixed counts, timed with care, with a score that is void if a count was wrong.
//!
//! [`Suite`] says which [`Workload`]s there are. [`Suite::run`] measures them in rounds, one workload after another, so
//! that whatever slows the machine down for a while slows all of them down; the first round warms up and is not kept.
//! Each workload becomes a [`Measurement`] with its median and spread, each engine a [`Score`], all of it together with
//! the [`Environment`] a [`Benchmark`], which is what is saved, compared
//! ([`Benchmark::compare_with`]) and reported.
//!
//! How a workload is timed is a function that is handed in: [`Suite::time`] counts for real, tests plant what they like.

mod compare;
mod consistent;
mod saved;
mod score;
mod stats;
mod suite;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::count::CountError;
use crate::engine::{Engine, Kernel};
use crate::machine::Environment;

pub use compare::{BaselineError, Comparison, Verdict};
pub(crate) use consistent::{check_environment, check_runs};
pub use saved::{LoadError, SCHEMA, SCHEMA_VERSION, load};
pub(crate) use saved::{check_schema, parse, read};
pub use score::{Mark, Score, Status};
pub use suite::{Level, Suite, SuiteError};

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

impl Purpose {
    /// The name as reports have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Score => "score",
            Self::Kernels => "kernels",
            Self::Scaling => "scaling",
            Self::Table => "table",
        }
    }
}

/// One count that is timed again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Workload {
    /// What for.
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

/// One timed count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Wall time in seconds.
    pub seconds: f64,
    /// What was counted.
    pub total: u128,
    /// The symmetry used, where it is a choice.
    pub symmetry: Option<&'static str>,
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
    /// Median of the runs in seconds.
    pub seconds: f64,
    /// Distance from the 10th to the 90th percentile of the runs, as a part of the median.
    pub spread: f64,
    /// Solutions per second, by the median.
    pub solutions_per_second: f64,
    /// The same for each thread.
    pub per_thread: f64,
    /// How many times as fast as one thread; none where one thread was not measured on the same board.
    pub speedup: Option<f64>,
    /// Speed-up for each thread.
    pub efficiency: Option<f64>,
    /// Why the figures should not be quoted as they are.
    pub marks: Vec<Mark>,
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

/// A whole benchmark as it is saved; `docs/BENCH-FORMAT.md` describes the JSON form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Benchmark {
    /// [`SCHEMA`].
    pub schema: String,
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Program and machine.
    pub environment: Environment,
    /// How the benchmark was set.
    pub settings: Settings,
    /// One for each engine.
    pub scores: Vec<Score>,
    /// Everything that was timed.
    pub measurements: Vec<Measurement>,
    /// How it compares with an older benchmark, where that was asked for.
    pub comparison: Option<Vec<Comparison>>,
}

impl Benchmark {
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

    /// The engines measured, in order.
    #[must_use]
    pub fn engines(&self) -> Vec<&str> {
        let mut seen = HashSet::new();
        let all = self.measurements.iter().map(|measured| &*measured.engine);
        all.filter(|&engine| seen.insert(engine)).collect()
    }
}

impl Measurement {
    /// Engine, kernel, board and threads: what makes two measurements comparable.
    #[must_use]
    pub fn key(&self) -> (&str, &str, u32, usize) {
        (&self.engine, &self.kernel, self.n, self.threads)
    }
}

/// News from a running benchmark.
#[derive(Debug, Clone, Copy)]
pub struct News {
    /// What is timed next.
    pub workload: Workload,
    /// The round, from 0, which warms up; none for the table.
    pub round: Option<usize>,
    /// The part of the work that is done, from 0 to 1, as well as it can be told.
    pub fraction: f64,
}

/// Times one workload once.
pub type Timer<'a> = dyn FnMut(&Workload) -> Result<Sample, CountError> + 'a;
