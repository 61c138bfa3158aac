//! The command line of [`queens`]: its commands, reports and the CPU benchmark.
//!
//! The program `src/main.rs`, the Python module and the tests use this library.
//!
//! - [`measure`] times counts.
//! - [`report`] writes results as text, JSON, CSV, Markdown and pages.
//! - [`solve`] writes solutions and searches as boards, drawings and pages.

mod checkpoint;
mod cli;
mod commands;
mod exit;
mod forecast;
mod human;
pub mod measure;
mod options;
mod output;
mod progress;
pub mod report;
mod signals;
pub mod solve;

pub use cli::run;
pub use commands::check::check_line;
pub use options::sizes;
