//! Exact counting with verified totals.
//!
//! [`Counter`] is the entry point. It validates the options and builds a [`Plan`], which is a fixed
//! list of independent subproblems. The resulting [`Run`] counts the subproblems on all threads,
//! records the results in a [`Ledger`], and verifies the total.

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
mod time_left;

pub use check::Check;
pub use classes::{Classes, Symmetric};
pub use counter::Counter;
pub use double_check::DoubleCheck;
pub use error::{Contradiction, CountError, Disagreement, Dispute, Mismatch};
pub use estimate::{Estimate, Interval, Sampling};
pub use ledger::{Ledger, LedgerError, Resumed};
pub use plan::{Plan, PlanId, Shard, ShardError};
pub use run::{Count, Method, Progress, Run, ShardCount};

/// Counts the ways to place N queens on an N by N board so that no two attack each other. Uses all
/// cores if N > 12.
///
/// ```
/// assert_eq!(queens::count(8)?.total, 92);
/// # Ok::<(), queens::CountError>(())
/// ```
///
/// # Errors
///
/// Returns [`CountError::Board`] if N is too large, and [`CountError::Mismatch`] if the total is
/// wrong.
pub fn count(n: u32) -> Result<Count, CountError> {
    Counter::new(n)?.run()
}
