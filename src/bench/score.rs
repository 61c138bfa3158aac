//! From measurements to a score that can be quoted, or to the reasons why it cannot.

use std::collections::HashMap;

use super::model::{Mark, Measurement, Purpose, Score, Settings, Status};
use crate::human::{self, plural, significant};

/// A run shorter than this is as much about starting threads as about counting, in seconds.
const SHORT: f64 = 0.01;
/// Runs that differ by more than this part of their median say little.
const NOISY: f64 = 0.1;

/// What speaks against quoting a measurement.
pub(super) fn marks(measured: &Measurement) -> Vec<Mark> {
    let mark = |kind: &str, reason: String, hint: &str| Mark {
        kind: kind.to_owned(),
        reason,
        hint: hint.to_owned(),
    };
    let mut marks = Vec::new();
    if measured.seconds < SHORT {
        let [median, least] = [measured.seconds, SHORT].map(human::seconds);
        marks.push(mark(
            "short",
            format!("a run took {median}, less than {least}"),
            "measure a larger board, or at level full",
        ));
    }
    if measured.spread > NOISY {
        let (spread, most) = (100.0 * measured.spread, 100.0 * NOISY);
        marks.push(mark(
            "noisy",
            format!("runs spread over {spread:.0} % of their median (at most {most:.0} % is fine)"),
            "stop other work on the machine, pin threads to cores, and take longer: level full",
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
        .map(|(threads, Mark { reason, hint, .. })| {
            format!("{}: {reason} ({hint})", plural(threads, "thread"))
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
