//! Counting: from a board to an exact, checked total.
//!
//! [`Counter`] is the way in: it checks what was chosen, makes the [`Plan`], the fixed list of independent subproblems,
//! and gives a [`Run`]. That has the subproblems counted on all threads, enters each in a [`Ledger`] as it is done, and
//! checks the total against what is known.

pub(crate) mod check;
mod classes;
mod counter;
mod double_check;
mod error;
mod estimate;
pub(crate) mod ledger;
mod order;
pub(crate) mod plan;
mod pool;
mod run;
#[cfg(test)]
pub(crate) mod tests;

pub use check::Check;
pub use classes::{Classes, Symmetric};
pub use counter::Counter;
pub use double_check::DoubleCheck;
pub use error::{Contradiction, CountError, Disagreement, Dispute, Mismatch};
pub use estimate::{Estimate, Interval, Sampling};
pub use ledger::{Ledger, LedgerError, Resumed};
pub use plan::{Plan, PlanId, Shard, ShardError};
pub use run::{Count, Progress, Run, ShardCount};

/// Q(N): the number of ways to place N queens on an N by N board so that none attacks another, on all cores.
///
/// ```
/// assert_eq!(queens::count(8)?.total, 92);
/// # Ok::<(), queens::CountError>(())
/// ```
///
/// # Errors
///
/// [`CountError::Board`] if N is too large; [`CountError::Mismatch`] if the total contradicts the published one.
pub fn count(n: u32) -> Result<Count, CountError> {
    Counter::new(n)?.run()
}
