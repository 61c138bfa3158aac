//! Command-line interface of [`queens`]: the commands, the reports and the CPU benchmark.
//!
//! This library is shared by the program (`src/main.rs`), the Python module and the tests.
//!
//! - [`measure`] times counts.
//! - [`report`] writes results as text, JSON, CSV and Markdown.

mod checkpoint;
mod cli;
mod commands;
mod environment;
mod exit;
mod human;
pub mod measure;
mod message;
mod options;
mod output;
mod progress;
pub mod report;
mod signals;
mod solve;
mod text;

pub use cli::run;
pub use options::sizes;
