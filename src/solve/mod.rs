//! Solutions by construction, by enumeration and by search.
//!
//! [`construct()`] computes one solution of an empty board of any size directly. [`Solutions`]
//! enumerates the solutions of any [`Board`](crate::Board) in lexicographic order. [`Restarts`]
//! finds some of them on boards where enumeration would take too long. [`Search`] is a backtracking
//! search with configurable [`Settings`]; a [`Strategy`] is a named preset. The search counts
//! branches and failures, and reports each step to its caller. A [`Tree`](tree::Tree) records the
//! steps for drawing.

mod construct;
mod enumerate;
mod random;
mod search;
pub mod tree;

pub use construct::{construct, construct_torus};
pub use enumerate::{MAX_ENUMERATED, Solutions, solutions};
pub use random::{Restarts, random};
pub use search::{
    Branch, Cause, Failure, Limit, Limits, Lines, Propagation, Removal, Search, SearchError,
    Settings, Statistics, Step, Strategy, Value, Variable,
};
