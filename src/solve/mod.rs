//! Solutions by construction, by enumeration and by search.
//!
//! [`construct()`] computes one solution of an empty board of any size directly. [`Solutions`]
//! enumerates the solutions of any [`Board`](crate::Board) in lexicographic order. [`Restarts`]
//! finds some of them on boards where enumeration would take too long. [`Search`] is a backtracking
//! search with a configurable [`Strategy`]. It counts branches and failures, and reports each step
//! to its caller. A [`Tree`](tree::Tree) records the steps for drawing. [`find()`] chooses among
//! these methods.

mod construct;
mod enumerate;
mod find;
mod matching;
mod random;
mod search;
pub mod tree;

pub use construct::construct;
pub use enumerate::{MAX_ENUMERATED, Solutions, solutions};
pub use find::{Selection, Source, find};
pub use random::{RandomSolutions, Restarts};
pub use search::{
    Branch, Cause, Failure, Limit, Limits, Lines, Propagation, Removal, Search, SearchError,
    Statistics, Step, Strategy, UnknownStrategy, Value, Variable,
};
