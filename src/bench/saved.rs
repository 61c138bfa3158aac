//! Reading a saved benchmark back, with distrust: the file may be anything.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::Value;
use thiserror::Error;

use super::Benchmark;
use super::consistent::check;

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
    #[error(
        "it is no saved benchmark (accepted: files that `queens bench --save` or scripts/compare-solvers wrote)"
    )]
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

/// Bytes that a saved file may have: hundreds of times as many as any has.
const LARGEST: u64 = 64 << 20;

/// Reads a benchmark that was saved as JSON.
///
/// # Errors
///
/// [`LoadError`], whatever the file holds.
pub fn load(path: &Path) -> Result<Benchmark, LoadError> {
    parse(read(path)?)
}

/// The JSON that a saved file holds, which may be anything but has no odd characters that charts or pages could trip over.
pub(crate) fn read(path: &Path) -> Result<Value, LoadError> {
    let mut bytes = Vec::new();
    let read = File::open(path)?
        .take(LARGEST + 1)
        .read_to_end(&mut bytes)?;
    if read as u64 > LARGEST {
        return Err(LoadError::Damaged("it is larger than 64 MiB".to_owned()));
    }
    let value =
        serde_json::from_slice(&bytes).map_err(|error| LoadError::Damaged(error.to_string()))?;
    match odd_text(&value) {
        None => Ok(value),
        Some(text) => Err(LoadError::Damaged(format!(
            "the text {text:?} has control characters or more than {LONGEST_TEXT} letters"
        ))),
    }
}

pub(crate) fn parse(value: Value) -> Result<Benchmark, LoadError> {
    check_schema(&value, SCHEMA, SCHEMA_VERSION)?;
    let benchmark: Benchmark =
        serde_json::from_value(value).map_err(|error| LoadError::Damaged(error.to_string()))?;
    check(&benchmark).map_err(LoadError::Damaged)?;
    Ok(benchmark)
}

/// Whether a file says that it is of this schema and version.
pub(crate) fn check_schema(value: &Value, schema: &str, version: u32) -> Result<(), LoadError> {
    if value["schema"] != schema {
        return Err(LoadError::Foreign);
    }
    match &value["schema_version"] {
        found if *found == version => Ok(()),
        Value::Null => Err(LoadError::Version {
            found: "none".to_owned(),
        }),
        found => Err(LoadError::Version {
            found: found.to_string(),
        }),
    }
}

/// Letters that a text may have.
const LONGEST_TEXT: usize = 1_000;

/// A text in a file that no record has.
fn odd_text(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => {
            let is_odd = text.chars().any(char::is_control) || text.chars().count() > LONGEST_TEXT;
            is_odd.then_some(text)
        }
        Value::Array(values) => values.iter().find_map(odd_text),
        Value::Object(fields) => fields.values().find_map(odd_text),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}
