//! Validates saved benchmarks: a file may hold anything.
//!
//! The types say which fields there are; [`RANGES`] says, in one place, which numbers a measurement can give. Whatever
//! passes can be drawn and compared. Whether the figures follow from the runs is not judged: who saves a benchmark can
//! claim any speed.

use std::fs::File;
use std::io::Read;
use std::ops::RangeInclusive;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

use super::model::{Benchmark, SCHEMA, SCHEMA_VERSION, SOLVERS_SCHEMA, Solvers};
use queens::MAX_N;
use queens::Threads;

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
    #[error("it has schema version {0} (accepted: {SCHEMA_VERSION})")]
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

/// Bytes that a saved file may have: hundreds of times as many as any has.
const LARGEST: u64 = 64 << 20;

/// Letters that a text may have.
const LONGEST_TEXT: usize = 1_000;

/// Entries that a list may have: 10,000 runs, say.
const LONGEST_LIST: usize = 10_000;

/// The numbers that a field may hold, which for all others are [`OTHERS`]. Entries of a list are of the field's range.
const RANGES: [(&str, RangeInclusive<f64>); 10] = [
    ("n", 0.0..=MAX_N as f64),
    ("threads", 1.0..=Threads::MAX as f64),
    ("cores", 1.0..=1e6),
    ("hardware_threads", 1.0..=1e6),
    ("usable_threads", 1.0..=1e6),
    ("runs", 1e-9..=1e9),
    ("least", 1e-9..=1e9),
    ("seconds", 1e-9..=1e9),
    ("steal", 0.0..=1.0),
    ("baseline_seconds", 1e-9..=1e9),
];

/// Rates, ratios and versions: the rate of Q(27) in a nanosecond is 2.3e26.
const OTHERS: RangeInclusive<f64> = 0.0..=1e30;

impl Saved {
    /// Reads a saved file of either kind.
    ///
    /// # Errors
    ///
    /// [`LoadError`], whatever the file holds.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        let mut bytes = Vec::new();
        let read = File::open(path)?
            .take(LARGEST + 1)
            .read_to_end(&mut bytes)?;
        if read as u64 > LARGEST {
            return Err(LoadError::Damaged("it is larger than 64 MiB".to_owned()));
        }
        let value: Value = serde_json::from_slice(&bytes).map_err(damaged)?;
        match value["schema"].as_str() {
            Some(SCHEMA) => Ok(Self::Benchmark(Box::new(parse(value)?))),
            Some(SOLVERS_SCHEMA) => Ok(Self::Solvers(Box::new(parse(value)?))),
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
    if *version != SCHEMA_VERSION {
        return Err(LoadError::Version(version.to_string()));
    }
    check("file", &value).map_err(LoadError::Damaged)?;
    serde_json::from_value(value).map_err(damaged)
}

fn damaged(error: serde_json::Error) -> LoadError {
    LoadError::Damaged(error.to_string())
}

/// Whether the value of a field is one that a benchmark can contain.
fn check(field: &str, value: &Value) -> Result<(), String> {
    match value {
        Value::Null | Value::Bool(_) => Ok(()),
        Value::Number(number) => {
            let known = RANGES.iter().find(|(name, _)| *name == field);
            let range = known.map_or(&OTHERS, |(_, range)| range);
            let (least, most) = (range.start(), range.end());
            match number.as_f64() {
                Some(number) if range.contains(&number) => Ok(()),
                _ => Err(format!("{field} {number} (accepted: {least} to {most})")),
            }
        }
        Value::String(text) => {
            let is_long = text.chars().count() > LONGEST_TEXT;
            if is_long || text.contains(char::is_control) {
                return Err(format!(
                    "{field} has control characters or more than {LONGEST_TEXT} letters"
                ));
            }
            Ok(())
        }
        Value::Array(values) => {
            if values.len() > LONGEST_LIST || (field == "runs" && values.is_empty()) {
                let length = values.len();
                return Err(format!(
                    "{field} has {length} entries (accepted: 1 to {LONGEST_LIST})"
                ));
            }
            values.iter().try_for_each(|value| check(field, value))
        }
        Value::Object(fields) => fields
            .iter()
            .try_for_each(|(name, value)| check(name, value)),
    }
}
