//! From measurements to a score that can be quoted, or to the reasons why it cannot.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::suite::SCORE_RUNS;
use super::{Measurement, Purpose, Settings};
use crate::report::human;
use crate::report::human::significant;

/// A run shorter than this is as much about starting threads as about counting, in seconds.
const SHORT: f64 = 0.01;
/// Runs that differ by more than this part of their median say little.
const NOISY: f64 = 0.1;

/// Why a figure should not be quoted as it is, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// One word: `short`, `noisy` or `few`.
    pub kind: String,
    /// What is wrong.
    pub reason: String,
    /// What to do about it.
    pub hint: String,
}

/// What a score is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It can be quoted.
    Quotable,
    /// It can be quoted with its marks.
    Marked,
    /// It means nothing: a count was wrong.
    Void,
}

impl Status {
    /// The name as reports have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Quotable => "quotable",
            Self::Marked => "marked",
            Self::Void => "void",
        }
    }
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
    /// Speed-up for each thread; none if void.
    pub efficiency: Option<f64>,
    /// What it is worth.
    pub status: Status,
    /// Why it is not quotable, and what to do about it.
    pub reasons: Vec<String>,
}

impl Score {
    /// The score in one line.
    #[must_use]
    pub fn quote(&self) -> String {
        let Self {
            engine,
            kernel,
            n,
            threads,
            ..
        } = self;
        let what = format!("engine {engine} ({kernel}) at N = {n}");
        let (Some(one), Some(all)) = (self.one_thread, self.all_threads) else {
            return format!("{what}: void");
        };
        let mut line = format!("{what}: {} solutions/s on 1 thread", human::si(one));
        if *threads > 1 {
            line += &format!(", {} solutions/s on {threads} threads", human::si(all));
        }
        if let Some(efficiency) = self.efficiency.filter(|_| *threads > 1) {
            line += &format!(", efficiency {:.0} %", 100.0 * efficiency);
        }
        line
    }
}

/// What speaks against quoting a measurement.
pub(super) fn marks(measured: &Measurement) -> Vec<Mark> {
    let mark = |kind: &str, reason: String, hint: &str| Mark {
        kind: kind.to_owned(),
        reason,
        hint: hint.to_owned(),
    };
    let mut marks = Vec::new();
    if measured.seconds < SHORT {
        let median = human::seconds(measured.seconds);
        let least = human::seconds(SHORT);
        marks.push(mark(
            "short",
            format!("a run took {median}, less than {least}"),
            "take a larger board: --full, or --n",
        ));
    }
    if measured.spread > NOISY {
        let (spread, most) = (100.0 * measured.spread, 100.0 * NOISY);
        marks.push(mark(
            "noisy",
            format!("runs spread over {spread:.0} % of their median, more than {most:.0} %"),
            "stop other work on the machine, try --pin cores, and take longer: --full",
        ));
    }
    if measured.purpose == Purpose::Score && measured.runs.len() < SCORE_RUNS {
        let runs = measured.runs.len();
        marks.push(mark(
            "few",
            format!("{runs} runs, less than {SCORE_RUNS}"),
            "let it run to its end",
        ));
    }
    marks
}

/// Fills in speed-up and efficiency wherever one thread was measured on the same board.
pub(super) fn efficiencies(measurements: &mut [Measurement]) {
    let alone: HashMap<_, _> = measurements
        .iter()
        .filter(|measured| measured.threads == 1)
        .map(|one| ((one.engine.clone(), one.kernel.clone(), one.n), one.seconds))
        .collect();
    for measured in measurements {
        let key = (measured.engine.clone(), measured.kernel.clone(), measured.n);
        let speedup = alone.get(&key).map(|alone| alone / measured.seconds);
        measured.speedup = speedup.map(significant);
        measured.efficiency = speedup.map(|speedup| significant(speedup / measured.threads as f64));
    }
}

/// A score for each engine.
pub(super) fn scores(measurements: &[Measurement], settings: &Settings) -> Vec<Score> {
    let scored = measurements
        .iter()
        .filter(|measured| measured.purpose == Purpose::Score);
    let one_thread = scored.clone().filter(|measured| measured.threads == 1);
    one_thread
        .filter_map(|one| {
            let all = scored
                .clone()
                .find(|all| all.engine == one.engine && all.threads == settings.threads)?;
            Some(score(one, all, measurements))
        })
        .collect()
}

/// The score of an engine, by its runs on one thread and on all. One wrong total anywhere, and nothing that this engine
/// did on this machine can be trusted.
fn score(one: &Measurement, all: &Measurement, measurements: &[Measurement]) -> Score {
    let wrong: Vec<_> = measurements
        .iter()
        .filter(|measured| measured.engine == one.engine && !measured.correct)
        .map(|measured| {
            let (kernel, n, threads) = (&measured.kernel, measured.n, measured.threads);
            format!("wrong total with kernel {kernel} at N = {n} on {threads} thread(s)")
        })
        .collect();
    let both = if all.threads == 1 {
        vec![all]
    } else {
        vec![one, all]
    };
    let marked: Vec<_> = both
        .iter()
        .flat_map(|measured| measured.marks.iter().map(|mark| (measured.threads, mark)))
        .map(|(threads, mark)| {
            let plural = if threads == 1 { "" } else { "s" };
            format!("{threads} thread{plural}: {} ({})", mark.reason, mark.hint)
        })
        .collect();
    let (status, reasons) = match (wrong.is_empty(), marked.is_empty()) {
        (false, _) => (Status::Void, wrong),
        (true, false) => (Status::Marked, marked),
        (true, true) => (Status::Quotable, Vec::new()),
    };
    let worth = status != Status::Void;
    Score {
        engine: one.engine.clone(),
        kernel: one.kernel.clone(),
        n: one.n,
        one_thread: worth.then_some(one.solutions_per_second),
        threads: all.threads,
        all_threads: worth.then_some(all.solutions_per_second),
        efficiency: all.efficiency.filter(|_| worth),
        status,
        reasons,
    }
}
