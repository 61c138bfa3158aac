//! Reads saved benchmarks: a file may hold anything.
//!
//! Whatever is read can be drawn and compared. Whether its runs were ever made is not known: who saves a benchmark can
//! claim any speed.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

use super::model::{Benchmark, SCHEMA, SCHEMA_VERSION, SOLVERS_SCHEMA, Solvers};
use queens::Environment;
use queens::MAX_N;
use queens::internals::MAX_THREADS;

/// Why a file is not taken for a saved benchmark.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Read(#[from] std::io::Error),
    /// It is something else.
    #[error(
        "it is not a benchmark of this program (accepted: files that this program or scripts/compare-solvers saved)"
    )]
    Foreign,
    /// It is of another version of the program.
    #[error("it has schema version {0} (accepted: {OLDEST_VERSION} to {SCHEMA_VERSION})")]
    Version(String),
    /// It is not what it says.
    #[error("it is damaged: {0}")]
    Damaged(String),
}

/// A saved file of either kind.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Saved {
    /// A benchmark of this program.
    Benchmark(Box<Benchmark>),
    /// What `scripts/compare-solvers` saved.
    Solvers(Box<Solvers>),
}

/// Version 2 had remarks in words where version 3 has one flag; the runs are the same.
const OLDEST_VERSION: u32 = 2;

/// Bytes that a saved file may have: hundreds of times as many as any has.
const LARGEST: u64 = 16 << 20;

impl Saved {
    /// Reads a saved file of either kind.
    ///
    /// # Errors
    ///
    /// [`LoadError`], whatever the file holds.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        let mut bytes = Vec::new();
        let mut file = File::open(path)?.take(LARGEST + 1);
        if file.read_to_end(&mut bytes)? as u64 > LARGEST {
            return Err(LoadError::Damaged("it is larger than 16 MiB".to_owned()));
        }
        let value: Value = serde_json::from_slice(&bytes).map_err(damaged)?;
        match value["schema"].as_str() {
            Some(SCHEMA) => {
                let benchmark: Benchmark = parse(value)?;
                check_date(&benchmark.environment)?;
                for one in &benchmark.measurements {
                    check(one.n, one.threads, &one.runs)?;
                }
                Ok(Self::Benchmark(Box::new(benchmark.computed())))
            }
            Some(SOLVERS_SCHEMA) => {
                let solvers: Solvers = parse(value)?;
                check_date(&solvers.environment)?;
                for row in &solvers.rows {
                    check(row.n, 1, &row.runs)?;
                }
                Ok(Self::Solvers(Box::new(solvers)))
            }
            _ => Err(LoadError::Foreign),
        }
    }
}

/// Reads a benchmark that was saved as JSON.
///
/// # Errors
///
/// [`LoadError`], whatever the file holds.
pub fn load(path: &Path) -> Result<Benchmark, LoadError> {
    match Saved::load(path)? {
        Saved::Benchmark(benchmark) => Ok(*benchmark),
        Saved::Solvers(_) => Err(LoadError::Foreign),
    }
}

fn parse<T: DeserializeOwned>(value: Value) -> Result<T, LoadError> {
    let version = &value["schema_version"];
    if !(OLDEST_VERSION..=SCHEMA_VERSION).any(|known| *version == known) {
        return Err(LoadError::Version(version.to_string()));
    }
    serde_json::from_value(value).map_err(damaged)
}

fn damaged(error: serde_json::Error) -> LoadError {
    LoadError::Damaged(error.to_string())
}

/// Whether there are runs, and these and what was counted are possible.
fn check(n: u32, threads: usize, runs: &[f64]) -> Result<(), LoadError> {
    let wrong = if n > MAX_N {
        format!("n {n} (accepted: 0 to {MAX_N})")
    } else if !(1..=MAX_THREADS).contains(&threads) {
        format!("threads {threads} (accepted: 1 to {MAX_THREADS})")
    } else if runs.is_empty() || runs.iter().any(|run| !(1e-9..=1e9).contains(run)) {
        "runs (accepted: one or more, of 1e-9 to 1e9 seconds each)".to_owned()
    } else {
        return Ok(());
    };
    Err(LoadError::Damaged(wrong))
}

/// Whether the date is one: files are named after it.
fn check_date(environment: &Environment) -> Result<(), LoadError> {
    let date = &environment.date;
    let wrong = |_| LoadError::Damaged(format!("date {date:?} (accepted: 2026-01-31T23:59:59Z)"));
    humantime::parse_rfc3339(date).map(drop).map_err(wrong)
}
