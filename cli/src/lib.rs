//! The command line of [`queens`]: its commands, reports and the CPU benchmark.
//!
//! The program is `src/main.rs`; this library is for it, for the Python module, which writes the same reports, and for
//! tests.
//!
//! - [`mod@bench`] measures a CPU.
//! - [`report`] writes results as text, JSON, CSV, Markdown and drawings.

pub mod bench;
mod commands;
mod human;
pub mod report;

pub use commands::{Sizes, run};
