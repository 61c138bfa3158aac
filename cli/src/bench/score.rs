//! From measurements to a score that can be quoted, or to the reasons why it cannot.

use std::collections::HashMap;

use super::model::{Mark, Measurement, Purpose, Score, Settings, Status};
use super::stats::quantile;
use crate::human::{self, plural, significant};

/// A run shorter than this is as much about starting threads as about counting, in seconds.
const SHORT: f64 = 0.01;
/// The least time stands for more than itself if a quarter of the runs exceed it by no more than this part.
const NOISY: f64 = 0.1;

/// What speaks against quoting a measurement.
pub(super) fn marks(measured: &Measurement) -> Vec<Mark> {
    let mark = |kind: &str, reason: String, hint: &str| Mark {
        kind: kind.to_owned(),
        reason,
        hint: hint.to_owned(),
    };
    let mut marks = Vec::new();
    if measured.least < SHORT {
        let [took, least] = [measured.least, SHORT].map(human::seconds);
        marks.push(mark(
            "short",
            format!("a run took {took}, less than {least}"),
            "try a larger board or a full benchmark",
        ));
    }
    let apart = quantile(&measured.runs, 0.25) / measured.least - 1.0;
    if apart > NOISY {
        let apart = 100.0 * apart;
        marks.push(mark(
            "noisy",
            format!("most runs took {apart:.0} % longer than the fastest"),
            "try a full benchmark with pinned threads on an idle machine",
        ));
    }
    marks
}

/// Fills in the speed-up wherever one thread was measured on the same board.
pub(super) fn speedups(measurements: &mut [Measurement]) {
    let alone: HashMap<_, _> = measurements
        .iter()
        .filter(|measured| measured.threads == 1)
        .map(|one| ((one.engine.clone(), one.kernel.clone(), one.n), one.least))
        .collect();
    for measured in measurements {
        let key = (measured.engine.clone(), measured.kernel.clone(), measured.n);
        measured.speedup = alone
            .get(&key)
            .map(|alone| significant(alone / measured.least));
    }
}

/// A score for each engine.
pub(super) fn scores(measurements: &[Measurement], settings: &Settings) -> Vec<Score> {
    let scored = || {
        let all = measurements.iter();
        all.filter(|measured| measured.purpose == Purpose::Score)
    };
    let one_thread = scored().filter(|measured| measured.threads == 1);
    one_thread
        .filter_map(|one| {
            let is_all =
                |all: &&Measurement| all.engine == one.engine && all.threads == settings.threads;
            Some(score(one, scored().find(is_all)?, measurements))
        })
        .collect()
}

/// The score of an engine, by its runs on one thread and on all. One wrong total anywhere, and nothing that this engine
/// did on this machine can be trusted.
fn score(one: &Measurement, all: &Measurement, measurements: &[Measurement]) -> Score {
    let of_engine = measurements.iter().filter(|row| row.engine == one.engine);
    let wrong: Vec<_> = of_engine
        .filter(|row| !row.correct)
        .map(|row| {
            let threads = plural(row.threads, "thread");
            format!(
                "wrong total with kernel {} at N = {} on {threads}",
                row.kernel, row.n
            )
        })
        .collect();
    let mut both = vec![one, all];
    both.dedup_by_key(|row| row.threads);
    let marked: Vec<_> = both
        .into_iter()
        .flat_map(|row| row.marks.iter().map(|mark| (row.threads, mark)))
        .map(|(threads, Mark { kind, reason, hint })| {
            format!("{kind} on {}: {reason}; {hint}", plural(threads, "thread"))
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
        status,
        reasons,
    }
}
