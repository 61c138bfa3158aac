//! Error types for counting.

use thiserror::Error;

use crate::board::BoardError;
use crate::engine::{EngineError, Stopped};
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
    #[error("cannot start threads ({threads} needed): {error}")]
    Pool {
        /// Number of threads.
        threads: usize,
        /// Error from the operating system.
        error: std::io::Error,
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
    /// The destination of the results failed.
    #[error("the count was stopped: {0}")]
    Sink(std::io::Error),
    /// No sample was completed for an estimate.
    #[error("0 samples are too few for an estimate: allow more time or more samples")]
    Unsampled,
    /// The ledger to resume from belongs to a different plan.
    #[error("the ledger is for {found}, not {expected}")]
    ForeignLedger {
        /// First property that differs, as given in the plan of this count.
        expected: String,
        /// The same property, as given in the plan of the ledger.
        found: String,
    },
    /// The total contradicts a published value.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// The total contradicts the number of symmetric solutions.
    #[error(transparent)]
    Contradiction(#[from] Contradiction),
}

impl From<Stopped> for CountError {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Cancelled => Self::Cancelled,
            Stopped::OutOfMemory { asked } => Self::Exhausted { asked },
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

impl Mismatch {
    /// Checks that a total equals the published value.
    pub(super) fn expect_equal(
        n: u32,
        total: u128,
        (published, source_name): (u128, &'static str),
    ) -> Result<(), Self> {
        if total == published {
            return Ok(());
        }
        Err(Self { n, total, published, source_name })
    }
}

/// Numbers of solutions and of symmetric solutions that contradict each other.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "the counts for N = {n} contradict each other, so no total is reported: {solutions} solutions, {half_turn} unchanged by \
     a half turn and {quarter_turn} by a quarter turn, cannot be divided into orbits of 8, 4 and 2"
)]
#[non_exhaustive]
pub struct Contradiction {
    /// Board size.
    pub n: u32,
    /// Number of solutions.
    pub solutions: u128,
    /// Number of solutions unchanged by a half turn.
    pub half_turn: u64,
    /// Number of solutions unchanged by a quarter turn.
    pub quarter_turn: u64,
}
