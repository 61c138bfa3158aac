//! Conversion of arguments, with errors that name the argument, its value and what is accepted.

use std::ops::RangeInclusive;
use std::time::Duration;

use bytesize::ByteSize;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFrozenSet, PySet, PyString};
use queens::names::Named;

use crate::errors::invalid;

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
    T: Named,
{
    let Some(Text(name)) = name else {
        return Ok(None);
    };
    let accepted = T::NAMES.join(", ");
    let why = format!("{option}: '{name}' is unknown (accepted: {accepted})");
    name.parse().map(Some).map_err(|_| invalid(why))
}

/// Numbers of 64 bits.
pub(crate) const ANY: RangeInclusive<u64> = 0..=u64::MAX;

/// Returns a whole number in a range.
pub(crate) fn whole(
    name: &str,
    value: &Bound<'_, PyAny>,
    range: RangeInclusive<u64>,
) -> PyResult<u64> {
    let number = value.call_method0("__index__").map_err(|_| unlike(name, value, "an integer"))?;
    let in_range = number.extract().ok().filter(|whole| range.contains(whole));
    in_range.ok_or_else(|| {
        let most = match *range.end() {
            u64::MAX => "2^64 - 1".to_owned(),
            most => most.to_string(),
        };
        let accepted = format!("accepted: {} to {most}", range.start());
        invalid(format!("{name}: {number} is out of range ({accepted})"))
    })
}

/// Returns a whole number in a range, if one is given.
pub(crate) fn optional(
    name: &str,
    value: Option<&Bound<'_, PyAny>>,
    range: RangeInclusive<u64>,
) -> PyResult<Option<u64>> {
    value.map(|value| whole(name, value, range)).transpose()
}

/// Returns a number of bytes, which may be a string with a unit, such as "64MiB".
pub(crate) fn bytes(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u64> {
    if !value.is_instance_of::<PyString>() {
        return whole(name, value, 1..=u64::MAX);
    }
    let Text(text) = value.extract()?;
    let size = text.parse::<ByteSize>().ok().filter(|_| !text.ends_with(char::is_numeric));
    let bytes = size.map(|size| size.as_u64()).filter(|&bytes| bytes > 0);
    bytes.ok_or_else(|| {
        let accepted = "accepted: a number of bytes, or a size with its unit, such as '512MiB'";
        invalid(format!("{name}: {text:?} is not a size ({accepted})"))
    })
}

/// Returns a board size.
#[pyfunction]
pub(crate) fn size(n: &Bound<'_, PyAny>, most: u64) -> PyResult<u64> {
    whole("n", n, 0..=most)
}

/// Returns a positive time in seconds as a duration.
pub(crate) fn seconds(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Duration> {
    const MOST: f64 = 1e9;
    let number = match value.hasattr("__len__")? {
        true => None,
        false => value.call_method0("__float__").ok(),
    };
    let number = number.ok_or_else(|| unlike(name, value, "a number"))?;
    let number: f64 = number.extract()?;
    if !(number > 0.0 && number <= MOST) {
        let accepted = "accepted: above 0 and up to 1e9 seconds";
        return Err(invalid(format!("{name}: {value} is out of range ({accepted})")));
    }
    Ok(Duration::from_secs_f64(number))
}

/// Returns the elements of an iterable that has an order and is not a string. Stops after `most`.
pub(crate) fn several<'py>(
    name: &str,
    values: &Bound<'py, PyAny>,
    most: usize,
    accepted: &str,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let is_text = values.is_instance_of::<PyString>() || values.is_instance_of::<PyBytes>();
    let is_set = values.is_instance_of::<PySet>() || values.is_instance_of::<PyFrozenSet>();
    // Asking abstract classes would lose a Ctrl-C that arrives meanwhile.
    let is_dict = values.is_instance_of::<PyDict>();
    if is_text || is_set || is_dict || !values.hasattr("__iter__")? {
        return Err(unlike(name, values, &format!("a list (accepted: {accepted})")));
    }
    values.try_iter()?.take(most).collect()
}

/// Returns the rows of queens.
pub(crate) fn rows(values: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    let accepted = "the row in each column, such as [1, 3, 0, 2]";
    let rows = several("rows", values, usize::MAX, accepted)?;
    let row = |row| Ok(whole("row", &row, 0..=queens::board::MAX_BOARD.into())? as u32);
    rows.into_iter().map(row).collect()
}

/// Returns an error about a value of the wrong type.
pub(crate) fn unlike(name: &str, value: &Bound<'_, PyAny>, wanted: &str) -> PyErr {
    let shown = value.repr().map_or_else(|_| "the value".to_owned(), |shown| shown.to_string());
    PyTypeError::new_err(format!("{name}: {shown} is not {wanted}"))
}
