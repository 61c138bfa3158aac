//! Solutions as boards: find one, enumerate all, compare search strategies.
//!
//! A [`Board`](crate::Board) may be of any size, with preplaced queens and blocked squares; a
//! [`Placement`](crate::Placement) is a solution. [`construct()`] writes down one solution of an empty board,
//! [`Solutions`] runs through all of any board in lexicographic order, and [`Search`] does either with a [`Strategy`]
//! whose branches and failures are counted and can be drawn as a [`tree`].

mod construct;
mod enumerate;
mod search;
pub mod tree;

pub use construct::{construct, construct_torus};
pub use enumerate::{MAX_ENUMERATED, Solutions, solutions};
pub use search::{Limit, Limits, MAX_SEARCHED, Search, Statistics, Step, Strategy};
