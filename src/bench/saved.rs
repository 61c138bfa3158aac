//! Reading a saved benchmark back, with distrust: the file may be anything.

use std::path::Path;

use serde_json::Value;
use thiserror::Error;

use super::{Benchmark, Measurement};

/// What the file is, in its field `schema`.
pub const SCHEMA: &str = "queens-bench";

/// The version of the form, in the field `schema_version`: another number, another form.
pub const SCHEMA_VERSION: u32 = 1;

/// Why a file is not taken for a saved benchmark.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Read(#[from] std::io::Error),
    /// It is something else.
    #[error("it is no saved benchmark (accepted: files that `queens bench --save` wrote)")]
    Foreign,
    /// It is of another version of the program.
    #[error("it has schema version {found} (accepted: {SCHEMA_VERSION})")]
    Version {
        /// Its version.
        found: String,
    },
    /// It is not what it says.
    #[error("it is damaged: {0}")]
    Damaged(String),
}

/// Reads a benchmark that was saved as JSON.
///
/// # Errors
///
/// [`LoadError`], whatever the file holds.
pub fn load(path: &Path) -> Result<Benchmark, LoadError> {
    let bytes = std::fs::read(path)?;
    parse(&bytes)
}

pub(crate) fn parse(bytes: &[u8]) -> Result<Benchmark, LoadError> {
    let damaged = |error: serde_json::Error| LoadError::Damaged(error.to_string());
    let value: Value = serde_json::from_slice(bytes).map_err(damaged)?;
    check_schema(&value, SCHEMA, SCHEMA_VERSION)?;
    let benchmark: Benchmark = serde_json::from_value(value).map_err(damaged)?;
    for measured in &benchmark.measurements {
        check(measured).map_err(|what| {
            let (engine, kernel, n, threads) = measured.key();
            LoadError::Damaged(format!(
                "{what} of engine {engine}, kernel {kernel}, N = {n}, {threads} thread(s)"
            ))
        })?;
    }
    Ok(benchmark)
}

/// Whether a file says that it is of this schema and version.
pub(crate) fn check_schema(value: &Value, schema: &str, version: u32) -> Result<(), LoadError> {
    if value["schema"] != schema {
        return Err(LoadError::Foreign);
    }
    match &value["schema_version"] {
        found if *found == version => Ok(()),
        found => Err(LoadError::Version {
            found: found.to_string(),
        }),
    }
}

/// What no benchmark writes and no chart could show.
fn check(measured: &Measurement) -> Result<(), &'static str> {
    let positive = |number: f64| number.is_finite() && number > 0.0;
    if measured.threads == 0 {
        Err("no threads")
    } else if measured.solutions.parse::<u128>().is_err() {
        Err("no number of solutions")
    } else if measured.runs.is_empty() || !measured.runs.iter().copied().all(positive) {
        Err("no valid runs")
    } else if !positive(measured.seconds) || measured.spread < 0.0 {
        Err("no valid time")
    } else {
        Ok(())
    }
}
