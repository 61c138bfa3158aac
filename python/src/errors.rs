//! Conversion of the library's errors to Python exceptions.

use std::fmt::Display;
use std::str::FromStr;

use pyo3::import_exception;
use pyo3::prelude::*;
use pyo3::types::PyString;
use queens::CountError;
use queens::store::ShardsError;
use strum::VariantNames;

import_exception!(queens, QueensError);
import_exception!(queens, InvalidArgument);
import_exception!(queens, NotEnoughMemory);
import_exception!(queens, Contradiction);
import_exception!(queens, Cancelled);
import_exception!(queens, Timeout);

pub(crate) fn invalid(why: impl Display) -> PyErr {
    InvalidArgument::new_err(why.to_string())
}

pub(crate) fn not_counted(error: CountError) -> PyErr {
    use CountError as E;
    let why = error.to_string();
    match error {
        E::Board(_) | E::Engine(_) => invalid(why),
        E::Threads(_) => invalid(format!("threads: {why}")),
        E::Memory { .. } | E::Exhausted { .. } => NotEnoughMemory::new_err(why),
        E::Mismatch(_) | E::Contradiction(_) => Contradiction::new_err(why),
        E::Unsampled => invalid(format!("seconds: {why}")),
        _ => QueensError::new_err(why),
    }
}

pub(crate) fn not_merged(error: ShardsError) -> PyErr {
    match error {
        ShardsError::Total(error) => not_counted(error),
        error => invalid(error),
    }
}

/// String from Python that is valid Unicode. Python strings may also contain lone surrogates, which
/// are rejected.
pub(crate) struct Text(pub(crate) String);

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl<'py> FromPyObject<'_, 'py> for Text {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let text = object.cast::<PyString>()?;
        let why = |_| {
            let shown = text.repr()?;
            Err(invalid(format!(
                "{shown} is not Unicode text (accepted: text without lone surrogates)"
            )))
        };
        text.to_cow().map(|text| Self(text.into_owned())).or_else(why)
    }
}

/// Parses the name of an option's value, if one is given.
pub(crate) fn named<T>(option: &str, name: Option<Text>) -> PyResult<Option<T>>
where
    T: FromStr + VariantNames,
{
    let Some(Text(name)) = name else {
        return Ok(None);
    };
    let accepted = T::VARIANTS.join(", ");
    let why = format!("{option}: '{name}' is unknown (accepted: {accepted})");
    name.parse().map(Some).map_err(|_| invalid(why))
}
