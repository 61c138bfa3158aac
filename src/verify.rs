//! What can be checked about a total, and how much the check says.

use std::fmt;

use serde::Serialize;
use thiserror::Error;

use crate::board::Board;
use crate::known::{self, known};

/// How a total was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "result", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Check {
    /// It equals the published value.
    Verified {
        /// Where that value is published.
        source: &'static str,
    },
    /// Nothing could be checked.
    Unverified {
        /// Why not.
        reason: &'static str,
    },
}

impl Check {
    /// One word: `verified` or `unverified`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Verified { .. } => "verified",
            Self::Unverified { .. } => "unverified",
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Verified { source } => write!(f, "verified: equals {source}"),
            Self::Unverified { reason } => write!(f, "unverified: {reason}"),
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

/// Checks the total of a board against what is published.
///
/// ```
/// use queens::{Board, verify};
///
/// assert_eq!(verify::check(&Board::new(8)?, 92)?.word(), "verified");
/// assert!(verify::check(&Board::new(8)?, 93).is_err());
/// assert_eq!(verify::check(&Board::new(28)?, 1)?.word(), "unverified");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`Mismatch`] if the total is not the published one.
pub fn check(board: &Board, total: u128) -> Result<Check, Mismatch> {
    let n = board.n();
    if board.has_marks() {
        let reason = "nothing is published for a board with closed squares";
        return Ok(Check::Unverified { reason });
    }
    let (published, source) = if board.is_torus() {
        (known::torus_solutions(n), known::TORUS_SOURCE)
    } else {
        (known(n).map(|row| row.solutions), known::SOLUTIONS_SOURCE)
    };
    match published {
        Some(published) if published == total => Ok(Check::Verified { source }),
        Some(published) => Err(Mismatch {
            n,
            total,
            published,
            source_name: source,
        }),
        None => Ok(Check::Unverified {
            reason: "no value is published for this N",
        }),
    }
}
