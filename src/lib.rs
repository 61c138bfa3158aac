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
//! - [`Board`], [`Square`], [`Placement`]: the problem; [`known`]: what is published about it.
//! - [`Engine`], [`Kernel`]: how subproblems are counted; [`Plan`], [`Shard`], [`Ledger`]: what there is to count, and what
//!   is done.
//! - [`solutions`] runs through the solutions themselves; [`solve`] constructs and searches them; [`Classes`] sorts their
//!   number by symmetry.
//! - With feature `store`, [`store`] keeps counts in files: checkpoints for one machine, shards for many.
//! - With feature `report`, [`mod@bench`] measures a CPU and [`report`] writes results as text, JSON, CSV, Markdown and drawings.
//!
//! The command-line tool is feature `cli`, on by default; a library user leaves it out with `default-features = false`. The
//! order of the layers is in `docs/ARCHITECTURE.md`.

#[cfg(feature = "report")]
pub mod bench;
mod board;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
mod count;
mod engine;
#[cfg(feature = "report")]
mod human;
pub mod known;
mod machine;
#[cfg(feature = "report")]
pub mod report;
pub mod solve;
#[cfg(feature = "store")]
pub mod store;

pub use board::{
    Board, BoardError, MAX_BOARD, MAX_CONSTRAINED, MAX_N, Placement, PlacementError, Square,
    SymmetryClass,
};
pub use count::{
    Check, Classes, Contradiction, Count, CountError, Counter, Disagreement, Dispute, DoubleCheck,
    Estimate, Fingerprint, Interval, Ledger, LedgerError, Mismatch, Plan, Progress, Resumed, Run,
    Sampling, Shard, ShardCount, ShardError, Solver, Symmetric, Until, Worker, count,
};
#[doc(hidden)]
pub use engine::RowSetCounter;
pub use engine::{CancelToken, Engine, EngineError, Kernel, Phase, Stats, Symmetry, Tally};
#[cfg(any(feature = "report", feature = "store"))]
pub use machine::Environment;
#[cfg(feature = "faults")]
pub use machine::faults;
pub use machine::{Pin, Threads, ThreadsError};
pub use solve::{Solutions, solutions};

/// The examples of the README are tested like all others.
#[cfg(all(doctest, feature = "cli"))]
#[doc = include_str!("../README.md")]
struct Readme;
