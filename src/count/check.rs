//! Verification of totals.

use std::fmt;

use super::error::{CountError, Mismatch};
use super::ledger::{Ledger, LedgerError};
use super::plan::Shard;
use crate::board::Board;
use crate::known;

/// Result of verifying a total.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Check {
    /// The total equals the published value.
    Verified {
        /// Source of the published value.
        source: &'static str,
    },
    /// There is no published value to compare with.
    Unverified {
        /// Reason.
        reason: &'static str,
    },
}

impl Check {
    /// Returns `verified` or `unverified`.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Verified { .. } => "verified",
            Self::Unverified { .. } => "unverified",
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Verified { source } => write!(f, "{}: equals {source}", self.label()),
            Self::Unverified { reason } => write!(f, "{}: {reason}", self.label()),
        }
    }
}

/// Returns the published number of solutions of a board and its source, if any.
pub(super) fn published(board: &Board) -> Option<(u128, &'static str)> {
    match board.has_constraints() {
        true => None,
        false => Some((known::values(board.n())?.solutions, known::SOLUTIONS_SOURCE)),
    }
}

/// Compares the total of a board with the published value, if there is one.
fn check_total(board: &Board, total: u128) -> Result<Check, Mismatch> {
    let reason = match published(board) {
        Some((published, source)) if published == total => return Ok(Check::Verified { source }),
        Some((published, source_name)) => {
            return Err(Mismatch { n: board.n(), total, published, source_name });
        }
        None if board.has_constraints() => {
            "no values are published for boards with blocked squares or preplaced queens"
        }
        None => "no value is published for this N",
    };
    Ok(Check::Unverified { reason })
}

impl Ledger {
    /// Verifies the total of a complete ledger, and returns it with the result of the check.
    ///
    /// # Errors
    ///
    /// Returns [`CountError::Incomplete`] if results are missing, [`CountError::Ledger`] if the
    /// ledger is that of a shard, and [`CountError::Mismatch`] if the total is wrong.
    pub fn total(&self) -> Result<(u128, Check), CountError> {
        if self.shard() != Shard::WHOLE {
            let pair = [self.shard(), Shard::WHOLE].map(Shard::describe);
            return Err(LedgerError::foreign(pair).into());
        }
        match self.len() - self.done() {
            0 => Ok((self.sum(), check_total(&self.plan().board, self.sum())?)),
            missing => Err(CountError::Incomplete { missing }),
        }
    }
}
