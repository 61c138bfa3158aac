//! Counting: from a board to an exact, checked total.
//!
//! [`Counter`] is the way in: it checks what was chosen, makes the [`Plan`], the fixed list of independent subproblems, and
//! gives a [`Run`]. That has the subproblems counted on all threads, enters each in a [`Ledger`] as it is done, and
//! checks the total against what is known.

pub(crate) mod classes;
mod counter;
pub(crate) mod crew;
pub(crate) mod double_check;
mod error;
pub(crate) mod estimate;
mod forecast;
pub(crate) mod ledger;
mod order;
mod outcome;
pub(crate) mod plan;
pub(crate) mod pool;
mod run;
mod solver;
pub(crate) mod symmetric;
pub(crate) mod verify;

pub use classes::{Classes, Contradiction, Symmetric};
pub use counter::Counter;
pub use double_check::{Disagreement, Dispute, DoubleCheck};
pub use error::CountError;
pub use estimate::{Estimate, Interval, Sampling, Until};
pub use ledger::{Ledger, LedgerError, Resumed};
pub use outcome::{Count, ShardCount};
pub use plan::{Fingerprint, Plan, Shard, ShardError};
pub use run::{Progress, Run};
pub use solver::{Solver, Worker};
pub use verify::{Check, Mismatch};

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
