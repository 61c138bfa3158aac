//! The command line of [`queens`]: its commands, reports and the CPU benchmark.
//!
//! The program is `src/main.rs`; this library is for it, for the Python module, which writes the same reports, and for
//! tests.
//!
//! - [`measure`] times counts.
//! - [`report`] writes results as text, JSON, CSV, Markdown and drawings.

mod commands;
mod human;
pub mod measure;
pub mod report;

pub use commands::{SearchOptions, Sizes, check_line, run};
