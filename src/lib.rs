//! Exact N-queens counting, multithreaded and vectorized.
//!
//! Q(N) is the number of ways to place N queens on an N by N board so that no two attack each
//! other. [`count()`] computes it in one call. [`Counter`] lets you choose the engine, the kernel
//! and the number of threads, and its [`Run`] reports progress and can be cancelled.
//!
//! ```
//! let count = queens::count(10)?;
//! assert_eq!(count.total, 724);
//! println!("Q(10) = {} in {:?} ({})", count.total, count.elapsed, count.check);
//! # Ok::<(), queens::CountError>(())
//! ```
//!
//! - [`Board`], [`Square`] and [`Placement`] describe the problem, and [`known`] contains the
//!   published values.
//! - A [`Plan`] splits a count into subproblems, a [`Shard`] is a subset of them, and a [`Ledger`]
//!   has their results. [`Engine`] and [`Kernel`] select the algorithm and its implementation.
//! - [`store`] (feature `store`) saves ledgers in files, so that a count can be resumed or split
//!   between machines.
//! - [`workloads`] lists the counts that the benchmark times.
//!
//! The crate `queens-search` finds the solutions themselves, and `queens-cli` is the program.
//! `docs/ARCHITECTURE.md` describes the layers of the code.

#![cfg_attr(docsrs, feature(doc_cfg))] // docs.rs shows which items need a feature

#[macro_use]
pub mod names;

pub mod board;
pub mod count;
pub mod engine;
pub mod known;
pub mod machine;
#[cfg(feature = "store")]
pub mod store;
pub mod workloads;

pub use board::{Board, BoardError, Placement, PlacementError, Square};
pub use count::{
    Check, Count, CountError, Counter, Estimate, Ledger, LedgerError, Plan, PlanId, Progress, Run,
    Sampling, Shard, ShardError,
};
pub use engine::{CancelToken, Engine, EngineError, Kernel, Symmetry};

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
