//! Errors of counts.

use std::fmt;

use thiserror::Error;

use crate::board::BoardError;
use crate::engine::{EngineError, Kernel, Stopped};
use crate::machine::ThreadsError;

/// Error from a count.
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
    #[error("threads could not be started ({threads} needed): {source}")]
    Pool {
        /// Number of threads.
        threads: usize,
        /// Error from the operating system.
        source: std::io::Error,
    },
    /// Not enough memory for the plan.
    #[error(
        "not enough memory: needs {} MiB, {} MiB available or allowed (engine bitboard takes 1 MiB a thread)",
        needed.div_ceil(1 << 20), available >> 20
    )]
    Memory {
        /// Bytes needed.
        needed: u64,
        /// Bytes available.
        available: u64,
    },
    /// A memory allocation failed during the count.
    #[error("not enough memory: cannot allocate {} KiB more", asked.div_ceil(1 << 10))]
    Exhausted {
        /// Bytes requested.
        asked: u64,
    },
    /// Cancelled.
    #[error("cancelled")]
    Cancelled,
    /// Too few subproblems were sampled in the given time for an estimate.
    #[error("{samples} sampled subproblems are too few for an estimate: give it more time")]
    Unsampled {
        /// Number of samples.
        samples: usize,
    },
    /// The ledger to resume from belongs to another plan.
    #[error("the ledger is for {found}, not {expected}")]
    ForeignLedger {
        /// First difference, according to this count's plan.
        expected: String,
        /// The same according to the ledger's plan.
        found: String,
    },
    /// The percentage of subproblems to count twice is out of range.
    #[error(
        "{0} percent of the subproblems cannot be counted twice (accepted: above 0, up to 100)"
    )]
    Percent(f64),
    /// Subproblems counted twice have different counts.
    #[error(transparent)]
    Disagreement(#[from] Disagreement),
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

/// A total that contradicts a published value. The program cannot determine which of the two is wrong, and never prints
/// such a total as a result.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "the count for N = {n} is {total}, but {source_name} has {published}: one of them is wrong, and no total is reported"
)]
pub struct Mismatch {
    /// Board size.
    pub n: u32,
    /// Counted total.
    pub total: u128,
    /// Published value.
    pub published: u128,
    /// Source of the published value.
    pub source_name: &'static str,
}

impl Mismatch {
    /// Compares a total with a published value.
    pub(super) fn expect_equal(
        n: u32,
        total: u128,
        (published, source_name): (u128, &'static str),
    ) -> Result<(), Self> {
        if total == published {
            return Ok(());
        }
        Err(Self {
            n,
            total,
            published,
            source_name,
        })
    }
}

/// Numbers of solutions and of symmetric solutions that cannot belong to one board.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{solutions} solutions for N = {n}, {half_turn} unchanged by the half turn and {quarter_turn} by a quarter turn \
     contradict each other: they do not split into orbits of 8, 4 and 2, and no total is reported"
)]
pub struct Contradiction {
    /// Board size.
    pub n: u32,
    /// Number of all solutions.
    pub solutions: u128,
    /// Solutions unchanged by the half turn, including those unchanged by a quarter turn.
    pub half_turn: u64,
    /// Solutions unchanged by a quarter turn.
    pub quarter_turn: u64,
}

/// A subproblem with different counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispute {
    /// Index in the plan.
    pub index: usize,
    /// First count and its repetition by the first kernel.
    pub first: [u64; 2],
    /// Count of the mirror image and its repetition by the second kernel.
    pub second: [u64; 2],
}

impl Dispute {
    /// Whether a kernel contradicts itself, which suggests a hardware fault. Otherwise one of the kernels is wrong.
    #[must_use]
    pub fn is_hardware(&self) -> bool {
        self.first[0] != self.first[1] || self.second[0] != self.second[1]
    }
}

/// Subproblems counted twice with different counts.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct Disagreement {
    /// Kernel of the first count.
    pub kernel: Kernel,
    /// Kernel that counted the mirror images.
    pub second: Kernel,
    /// Number of subproblems counted twice.
    pub checked: usize,
    /// Subproblems that differ, at least one.
    pub disputes: Vec<Dispute>,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kernel, second) = (self.kernel, self.second);
        let (wrong, checked) = (self.disputes.len(), self.checked);
        let Dispute {
            index,
            first: [first, first_again],
            second: [other, other_again],
        } = self.disputes[0];
        let cause = if self.disputes.iter().any(Dispute::is_hardware) {
            "a kernel contradicts itself: this looks like a hardware fault, or like a damaged file"
        } else {
            "each kernel repeats its answer: this looks like a mistake in the program, please report it"
        };
        write!(
            f,
            "{wrong} of {checked} subproblems counted twice disagree, and no total is reported: \
             subproblem {index} is {first}, then {first_again} with kernel {kernel}, and its mirror image is {other}, \
             then {other_again} with kernel {second}; {cause}"
        )
    }
}
