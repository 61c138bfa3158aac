//! A benchmark beside an older one.

use thiserror::Error;

use super::model::{Benchmark, Comparison, Measurement, Purpose, Verdict};
use super::suite::{WORKLOAD, Workload};
use crate::human::significant;

/// Differences below this part are never told apart: the clock of the CPU alone drifts that much.
const LEAST_NOISE: f64 = 0.05;

/// A baseline that cannot be compared with.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// It has none of an engine's workloads.
    #[error(
        "it has no run of engine {engine} at N = {n} (accepted: a benchmark of the same engines and boards; it has {has})"
    )]
    Missing {
        /// The engine.
        engine: String,
        /// The board.
        n: u32,
        /// What it has.
        has: String,
    },
    /// It measured something else.
    #[error("its scores are of workload {0} (accepted: {WORKLOAD})")]
    Workload(u32),
    /// One of its counts was wrong.
    #[error("a count in it was wrong, so its times mean nothing")]
    Void,
}

impl Benchmark {
    /// Whether this benchmark can be a baseline for these workloads.
    ///
    /// # Errors
    ///
    /// [`BaselineError`] if it lacks an engine on a board or if it is void.
    pub fn is_baseline_for(&self, workloads: &[Workload]) -> Result<(), BaselineError> {
        if self.is_void() {
            return Err(BaselineError::Void);
        }
        if self.workload != WORKLOAD {
            return Err(BaselineError::Workload(self.workload));
        }
        let measured = || self.measurements.iter().filter(|one| is_timed(one));
        for wanted in workloads {
            let (engine, n) = (wanted.engine.to_string(), wanted.n);
            if !measured().any(|one| one.engine == engine && one.n == n) {
                let mut has: Vec<_> = measured()
                    .map(|one| format!("{} at N = {}", one.engine, one.n))
                    .collect();
                has.dedup();
                let has = has.join(", ");
                return Err(BaselineError::Missing { engine, n, has });
            }
        }
        Ok(())
    }

    /// Every workload that both benchmarks timed, the table left out.
    #[must_use]
    pub fn compare_with(&self, baseline: &Self) -> Vec<Comparison> {
        let timed = self.measurements.iter().filter(|now| is_timed(now));
        timed
            .filter_map(|now| {
                let mut older = baseline.measurements.iter().filter(|then| is_timed(then));
                let then = older.find(|then| then.key() == now.key())?;
                Some(compare(now, then))
            })
            .collect()
    }
}

/// Whether it was timed in rounds, with runs enough to know its spread.
fn is_timed(measured: &Measurement) -> bool {
    measured.purpose != Purpose::Table
}

fn compare(now: &Measurement, then: &Measurement) -> Comparison {
    let noise = (now.spread + then.spread).max(LEAST_NOISE);
    let ratio = then.seconds / now.seconds;
    // A few runs know their own spread badly, so the runs must not overlap either.
    let apart = is_below(&now.runs, &then.runs) || is_below(&then.runs, &now.runs);
    let verdict = if apart && ratio > 1.0 + noise {
        Verdict::Faster
    } else if apart && ratio < 1.0 / (1.0 + noise) {
        Verdict::Slower
    } else {
        Verdict::Same
    };
    Comparison {
        engine: now.engine.clone(),
        kernel: now.kernel.clone(),
        n: now.n,
        threads: now.threads,
        baseline_seconds: then.seconds,
        seconds: now.seconds,
        ratio: significant(ratio),
        noise: significant(noise),
        verdict,
    }
}

/// Whether each of these times is less than each of those.
fn is_below(these: &[f64], those: &[f64]) -> bool {
    those
        .iter()
        .all(|that| these.iter().all(|this| this < that))
}
