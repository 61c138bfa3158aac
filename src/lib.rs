//! Exact N-queens counting with every core and vector unit of a CPU.
//!
//! Q(N) is the number of ways to place N queens on an N by N board so that none attacks another. [`count()`] gives it
//! in one call; [`Counter`] lets engine, kernel, threads, progress and cancellation be chosen.
//!
//! ```
//! let count = queens::count(10)?;
//! assert_eq!(count.total, 724);
//! println!("Q(10) = {} in {:?} ({})", count.total, count.elapsed, count.check);
//! # Ok::<(), queens::CountError>(())
//! ```
//!
//! - [`Board`], [`Square`], [`Placement`]: the problem; [`known`]: what is published about it.
//! - [`Engine`], [`Kernel`]: how subproblems are counted; [`Plan`], [`Shard`], [`Ledger`]: what there is to count, and
//!   what is done.
//! - [`solutions`] runs through the solutions themselves; [`solve`] constructs and searches them; [`Classes`] sorts
//!   their number by symmetry.
//! - With feature `store`, [`store`] keeps counts in files: checkpoints for one machine, shards for many.
//!
//! The program `queens` with its reports and its benchmark is package `queens-cli`. The order of the layers is in
//! `docs/ARCHITECTURE.md`.

pub mod board;
pub mod count;
pub mod engine;
pub mod known;
pub mod machine;
pub mod solve;
#[cfg(feature = "store")]
pub mod store;

pub use board::{Board, BoardError, Placement, PlacementError, Square};
pub use count::{
    Check, Classes, Count, CountError, Counter, Estimate, Ledger, Plan, PlanId, Progress, Run,
    Sampling, Shard, ShardError, count,
};
pub use engine::{CancelToken, Engine, EngineError, Kernel, Symmetry};
pub use solve::{Solutions, solutions};

/// The examples of the README are tested like all others.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
