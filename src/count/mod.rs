//! Exact counting with verified totals.
//!
//! [`Counter`] is the entry point. It validates the options and builds a [`Plan`], which is a fixed
//! list of independent subproblems. The resulting [`Run`] counts the subproblems on all threads,
//! enters the results into a [`Ledger`], and verifies the total.

mod check;
mod counter;
mod error;
mod estimate;
mod interval;
mod ledger;
mod order;
mod plan;
mod pool;
mod run;
mod time_left;

pub use check::Check;
pub use counter::Counter;
pub use error::{CountError, Mismatch};
pub use estimate::{Estimate, Sampling};
pub use interval::Interval;
pub use ledger::{Ledger, LedgerError, Resumed};
#[cfg(all(test, feature = "store"))]
pub(crate) use plan::tests::plan;
pub use plan::{Plan, PlanId, Shard, ShardError};
pub(crate) use pool::SMALL_N;
pub use run::{Count, Method, Progress, Run};
