//! Why there is no total.

use std::time::Duration;

use thiserror::Error;

use super::check::Mismatch;
use super::classes::Contradiction;
use super::double_check::Disagreement;
use super::ledger::{Ledger, LedgerError};
use super::plan::Fingerprint;
use crate::board::BoardError;
use crate::engine::EngineError;
use crate::machine::ThreadsError;

/// Why there is no total.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CountError {
    /// The board cannot be made.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// The engine cannot do what was asked of it.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The number of threads is out of range.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    /// The threads could not be started.
    #[error("threads could not be started ({threads} needed): {source}")]
    Pool {
        /// How many were asked for.
        threads: usize,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// Not enough memory.
    #[error(
        "not enough memory: needs {} MiB, {} MiB available or allowed (engine bitboard needs next to none)",
        needed.div_ceil(1 << 20), available >> 20
    )]
    Memory {
        /// Bytes needed.
        needed: u64,
        /// Bytes available.
        available: u64,
    },
    /// Memory that was available, or not looked for, could not be had after all.
    #[error("not enough memory: cannot allocate {} KiB more", asked.div_ceil(1 << 10))]
    Exhausted {
        /// Bytes asked for.
        asked: u64,
        /// What a count had done until then.
        ledger: Option<Box<Ledger>>,
    },
    /// The count was cancelled.
    #[error("cancelled with {} of {} subproblems done", ledger.done(), ledger.len())]
    Cancelled {
        /// What had been done until then.
        ledger: Box<Ledger>,
    },
    /// Too few draws for an estimate were made in the time that it may take.
    #[error(
        "a sample of {draws} in {:.1} s is too small for an estimate: subproblems of this board take longer, give it more time",
        limit.as_secs_f64()
    )]
    Unsampled {
        /// Number of draws made.
        draws: usize,
        /// The time that they might take.
        limit: Duration,
    },
    /// A subproblem came twice or is not in the plan: a mistake of the program, so no total is given.
    #[error("internal error, no total is given: {0}")]
    Ledger(#[from] LedgerError),
    /// Subproblems are missing though the run has ended: a mistake of the program, so no total is given.
    #[error("internal error, no total is given: only {done} of {len} subproblems were counted")]
    Incomplete {
        /// Subproblems done.
        done: usize,
        /// Subproblems to be done.
        len: usize,
    },
    /// The ledger to resume from belongs to another plan.
    #[error("the results to resume from belong to plan {found}, this count has plan {expected}")]
    ForeignLedger {
        /// The plan of this count.
        expected: Fingerprint,
        /// The plan of the ledger.
        found: Fingerprint,
    },
    /// The percentage of subproblems to count twice is out of range.
    #[error(
        "{0} percent of the subproblems cannot be counted twice (accepted: above 0, up to 100)"
    )]
    Percent(f64),
    /// Subproblems counted twice gave different counts.
    #[error(transparent)]
    Disagreement(#[from] Disagreement),
    /// The total contradicts a published value.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// The total contradicts the number of symmetric solutions.
    #[error(transparent)]
    Contradiction(#[from] Contradiction),
}
