//! All integration tests, in one binary so that the library is linked once.

mod counts;

#[cfg(feature = "cli")]
mod bench;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod long_runs;
#[cfg(feature = "cli")]
mod solve;
