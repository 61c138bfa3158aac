//! All integration tests, in one binary so that the library is linked once. The first two need no feature.

mod counts;
mod layers;

#[cfg(feature = "cli")]
mod bench;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod long_runs;
#[cfg(feature = "cli")]
mod program;
#[cfg(feature = "cli")]
mod solve;
