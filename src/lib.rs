//! Exact N-queens counting, multithreaded and vectorized.
//!
//! Q(N) is the number of ways to place N queens on an N by N board so that no two attack each other. [`count()`]
//! computes it in one call. [`Counter`] has options for the engine, the kernel, threads, progress and cancellation.
//!
//! ```
//! let count = queens::count(10)?;
//! assert_eq!(count.total, 724);
//! println!("Q(10) = {} in {:?} ({})", count.total, count.elapsed, count.check);
//! # Ok::<(), queens::CountError>(())
//! ```
//!
//! - [`Board`], [`Square`] and [`Placement`] describe the problem; [`known`] has published values.
//! - A [`Plan`] splits a count into subproblems, a [`Shard`] is a subset of them, and a [`Ledger`] records their
//!   results. [`Engine`] and [`Kernel`] select the algorithm and its implementation.
//! - [`solutions`] iterates over solutions, [`solve`] constructs or searches for them, and [`Classes`] counts them by
//!   symmetry.
//! - [`store`] (feature `store`) keeps ledgers in files: checkpoints for one machine, shards for several.
//!
//! The command-line program is package `queens-cli`. `docs/ARCHITECTURE.md` describes the layers.

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

/// Runs the examples of the README as doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
