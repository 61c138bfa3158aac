//! Error types for counting.

use thiserror::Error;

use super::ledger::LedgerError;
use crate::board::BoardError;
use crate::engine::{EngineError, Interruption};
use crate::machine::ThreadsError;

/// Formats a number of bytes, rounded up to MiB or, if there are many, in GiB.
fn size(bytes: u64) -> String {
    match bytes.div_ceil(1 << 20) {
        mib @ 0..10_000 => format!("{mib} MiB"),
        mib => format!("{:.1} GiB", mib as f64 / 1024.0),
    }
}

/// Error from preparing or running a count.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CountError {
    /// The board is invalid.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// The engine does not support the request.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The number of threads is out of range.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    /// The threads could not be started.
    #[error("cannot start threads ({threads} needed): {source}")]
    Pool {
        /// Number of threads.
        threads: usize,
        /// Error from the operating system.
        source: std::io::Error,
    },
    /// There is not enough memory for the plan.
    #[error(
        "not enough memory: {} needed, {} available or allowed",
        size(*needed), size(*available)
    )]
    Memory {
        /// Number of bytes needed.
        needed: u64,
        /// Number of bytes available or allowed.
        available: u64,
    },
    /// A memory allocation failed during the count.
    #[error("not enough memory: cannot allocate another {} KiB", asked.div_ceil(1 << 10))]
    Exhausted {
        /// Size of the allocation in bytes.
        asked: u64,
    },
    /// The count was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// No sample was completed for an estimate.
    #[error("0 samples are too few for an estimate: allow more time or more samples")]
    Unsampled,
    /// The ledger belongs to a different plan or shard.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// Subproblems have no result, so there is no total.
    #[error("no total: {missing} subproblems have no result")]
    Incomplete {
        /// Number of subproblems without a result.
        missing: usize,
    },
    /// The total contradicts a published value.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
}

impl From<Interruption> for CountError {
    fn from(interruption: Interruption) -> Self {
        match interruption {
            Interruption::Cancelled => Self::Cancelled,
            Interruption::OutOfMemory { asked } => Self::Exhausted { asked },
        }
    }
}

/// Total that contradicts a published value. The library cannot determine which of the two is
/// wrong, so it never returns such a total as a result.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "the count for N = {n} is {total}, but {source_name} has {published}: one of them is wrong, so no total is reported"
)]
#[non_exhaustive]
pub struct Mismatch {
    /// Board size.
    pub n: u32,
    /// Total obtained by the count.
    pub total: u128,
    /// Published value.
    pub published: u128,
    /// Source of the published value.
    pub source_name: &'static str,
}
