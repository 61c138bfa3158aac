//! Solutions as boards: find one, enumerate all, compare search strategies, sort by symmetry.
//!
//! A [`Puzzle`] is a board of any size with its closed squares and the queens that stand already; a [`Placement`] is a
//! solution. [`construct()`] writes down one solution of an empty board, [`Solutions`] runs through all of any board in
//! lexicographic order, and [`Search`] does either with a [`Strategy`] whose branches and failures are counted and can
//! be drawn as a [`tree`]. [`classes`] says how many solutions are really different.

mod construct;
mod enumerate;
mod puzzle;
mod strategy;
pub mod tree;

pub use crate::board::placement::{Placement, PlacementError, Symmetry};
pub use construct::{construct, construct_torus};
pub use enumerate::{MAX_ENUMERATED, Solutions, solutions};
pub use puzzle::Puzzle;
pub use strategy::{Limit, Limits, MAX_SEARCHED, Search, Statistics, Step, Strategy};
