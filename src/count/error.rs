//! Why there is no total.

use std::fmt;

use thiserror::Error;

use crate::board::BoardError;
use crate::engine::{EngineError, Kernel, Stopped};
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
        "not enough memory: needs {} MiB, {} MiB available or allowed (engine bitboard takes 1 MiB a thread)",
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
    },
    /// It was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// Too few draws were completed in the time for an estimate.
    #[error("{draws} sampled subproblems are too few for an estimate: give it more time")]
    Unsampled {
        /// Number of draws completed.
        draws: usize,
    },
    /// The ledger to resume from belongs to another plan.
    #[error("the ledger is for {found}, not {expected}")]
    ForeignLedger {
        /// First fact of this count's plan that differs.
        expected: String,
        /// The same fact of the ledger's plan.
        found: String,
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

impl From<Stopped> for CountError {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Cancelled => Self::Cancelled,
            Stopped::OutOfMemory { asked } => Self::Exhausted { asked },
        }
    }
}

/// A total that contradicts a published value. Which of the two is wrong, the program cannot say; it never prints such
/// a total as a result.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "the count for N = {n} came to {total}, but {source_name} has {published}: one of them is wrong, and no total is reported"
)]
pub struct Mismatch {
    /// Board size.
    pub n: u32,
    /// What was counted.
    pub total: u128,
    /// What is published.
    pub published: u128,
    /// Where.
    pub source_name: &'static str,
}

/// Numbers that cannot be those of one board.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{solutions} solutions for N = {n}, {half_turn} unchanged by the half turn and {quarter_turn} by a quarter turn contradict \
     each other: orbits of 8, 4 and 2 do not add up to them, and nothing is reported"
)]
pub struct Contradiction {
    /// Board size.
    pub n: u32,
    /// All solutions.
    pub solutions: u128,
    /// Those unchanged by the half turn.
    pub half_turn: u64,
    /// Those unchanged by a quarter turn.
    pub quarter_turn: u64,
}

/// A subproblem whose counts differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispute {
    /// Its place in the plan.
    pub index: usize,
    /// The first count and its repetition by the first kernel.
    pub first: [u64; 2],
    /// The count of the mirror image and its repetition by the second kernel.
    pub second: [u64; 2],
}

impl Dispute {
    /// Whether a kernel contradicts itself, which looks like a hardware fault. Where each repeats its count, one of
    /// them is wrong.
    #[must_use]
    pub fn is_hardware(&self) -> bool {
        self.first[0] != self.first[1] || self.second[0] != self.second[1]
    }
}

/// Subproblems came to different counts when counted twice. No total is given.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct Disagreement {
    /// The kernel that counted first.
    pub kernel: Kernel,
    /// The kernel that counted the mirror images.
    pub second: Kernel,
    /// How many subproblems were counted twice.
    pub checked: usize,
    /// Those that differ, never none.
    pub disputes: Vec<Dispute>,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kernel, second) = (self.kernel, self.second);
        let (wrong, checked) = (self.disputes.len(), self.checked);
        write!(
            f,
            "{wrong} of {checked} subproblems counted twice disagree, and no total is reported: "
        )?;
        let Dispute {
            index,
            first: [first, first_again],
            second: [other, other_again],
        } = self.disputes[0];
        write!(
            f,
            "subproblem {index} is {first}, then {first_again} with kernel {kernel}, and its mirror image is {other}, \
             then {other_again} with kernel {second}; "
        )?;
        f.write_str(if self.disputes.iter().any(Dispute::is_hardware) {
            "a kernel contradicts itself: this looks like a hardware fault, or like a damaged file"
        } else {
            "each kernel repeats its answer: this looks like a mistake in the program, please report it"
        })
    }
}
