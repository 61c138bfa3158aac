//! The CPU benchmark: fixed counts, timed with care, with a score that is void if a count was wrong.
//!
//! [`Suite`] says which [`Workload`]s there are. [`Suite::run`] measures them in rounds, one workload after another, so
//! that whatever slows the machine down for a while slows all of them down; the first round warms up and is not kept.
//! Each workload becomes a [`Measurement`] with its median and spread, each engine a [`Score`], all of it together with
//! the [`Environment`](queens::machine::Environment) a [`Benchmark`], which is what is saved, compared
//! ([`Benchmark::compare_with`]) and reported.
//!
//! How a run is timed is a function that is handed in: [`Suite::time`] counts for real, tests plant what they like.

mod model;
mod saved;
pub(crate) mod stats;
mod suite;

pub use model::{Benchmark, Figures, Measurement, Purpose, Score, Settings, Workload};
pub use saved::load;
pub use suite::{Level, Next, Suite, Timer, WORKLOAD};
