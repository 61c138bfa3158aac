//! The CPU benchmark.
//!
//! [`Benchmark::run`] measures the workloads of [`queens::workloads`]. The result has a
//! [`Measurement`] for each workload and a [`Score`] for each engine. It can be saved, reported,
//! and compared with another ([`Comparison`]). The function that times a run is a parameter: the
//! program passes [`time`], and tests pass functions that return preset times.

mod benchmark;
mod compare;
pub(crate) mod stats;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use benchmark::Times;
pub(crate) use benchmark::{Benchmark, MAX_RUNS, Measurement, Score, Timer, time};
pub(crate) use compare::{Comparison, Side, Source};
