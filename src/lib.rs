//! Exact N-queens counting with every core and vector unit of a CPU.
//!
//! Q(N) is the number of ways to place N queens on an N by N board so that none attacks another. [`count()`] gives it in
//! one call; [`Counter`] lets engine, kernel, threads, progress and cancellation be chosen.
//!
//! ```
//! let count = queens::count(10)?;
//! assert_eq!(count.total, 724);
//! println!("Q(10) = {} in {:?} ({})", count.total, count.elapsed, count.check);
//! # Ok::<(), queens::CountError>(())
//! ```
//!
//! [`solutions`] runs through the solutions themselves, and [`solve`] finds, searches and sorts them.
//!
//! The modules point one way: [`count`](mod@count) knows the [`board`] and nothing of files, threads' progress or
//! output; [`store`] keeps what is done in files; [`known`] says what is published; [`report`] writes results down.

#[cfg(feature = "report")]
pub mod bench;
pub mod board;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub mod count;
pub mod engine;
#[cfg(feature = "report")]
mod human;
pub mod known;
pub mod machine;
#[cfg(feature = "report")]
pub mod report;
pub mod solve;
#[cfg(feature = "store")]
pub mod store;

pub use board::{Board, BoardError, Placement, Square};
pub use count::{
    Check, Count, CountError, Counter, Fingerprint, Ledger, Plan, Progress, Resumed, Run, Shard,
    ShardCount, Solver, count,
};
pub use engine::{CancelToken, Engine, EngineError, Kernel, Stats, Symmetry};
pub use machine::{Pin, Threads};
pub use solve::{Solutions, solutions};

/// The examples of the README are tested like all others.
#[cfg(all(doctest, feature = "cli"))]
#[doc = include_str!("../README.md")]
struct Readme;
