//! Solutions of the N-queens problem, and how they are found.
//!
//! [`construct()`] computes one solution of an empty board of any size directly. [`Solutions`]
//! enumerates the solutions of any [`Board`](queens::Board) in lexicographic order. [`Restarts`]
//! finds some of them on boards where enumeration would take too long. [`Search`] is a backtracking
//! search with a configurable [`Strategy`]. It counts branches and failures, and reports each step
//! to its caller. [`find()`] chooses among these methods.
//!
//! [`boards`] reads and writes boards as text, JSON and SVG. A [`TraceWriter`] prints each step of
//! a search, a [`Tree`](tree::Tree) records them, and [`page`] makes HTML pages of trees and
//! solutions.
//!
//! ```
//! let first = queens_search::solutions(8)?.next().expect("92 solutions");
//! assert_eq!(first.rows(), [0, 4, 7, 5, 2, 6, 1, 3]);
//! # Ok::<(), queens::BoardError>(())
//! ```

pub mod boards;
mod construct;
mod enumerate;
mod find;
mod matching;
pub mod page;
mod random;
mod search;
mod trace;
pub mod tree;

pub use construct::construct;
pub use enumerate::{MAX_ENUMERATED, Solutions, solutions};
pub use find::{Selection, Source, find};
pub use random::{RandomSolutions, Restarts};
pub use search::{
    Branch, Cause, Direction, FailureCause, Limit, Limits, Propagation, Removal, Search,
    SearchError, Statistics, Step, Strategy, UnknownStrategy, Value, Variable,
};
pub use trace::TraceWriter;

/// Runs the examples in the README as doctests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
