//! The library's errors as Python's.

use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use pyo3::import_exception;
use pyo3::prelude::*;
use queens::CountError;
use strum::VariantNames;

import_exception!(queens._errors, QueensError);
import_exception!(queens._errors, InvalidArgument);
import_exception!(queens._errors, NotEnoughMemory);
import_exception!(queens._errors, MachineError);
import_exception!(queens._errors, Contradiction);
import_exception!(queens._errors, Cancelled);

pub(crate) fn invalid(why: impl Display) -> PyErr {
    InvalidArgument::new_err(why.to_string())
}

pub(crate) fn not_counted(error: CountError) -> PyErr {
    use CountError as E;
    let why = error.to_string();
    match error {
        E::Board(_) | E::Engine(_) => invalid(why),
        E::Threads(_) => invalid(format!("threads: {why}")),
        E::Percent(_) => invalid(format!("double_check: {why}")),
        E::Memory { .. } => NotEnoughMemory::new_err(why),
        E::Pool { .. } | E::Pin { .. } => MachineError::new_err(why),
        E::Mismatch(_) | E::Contradiction(_) | E::Disagreement(_) => Contradiction::new_err(why),
        E::Cancelled { .. } => Cancelled::new_err(why),
        _ => QueensError::new_err(why),
    }
}

/// What has this name, if one is given.
pub(crate) fn named<T: FromStr + VariantNames>(
    option: &str,
    name: Option<&str>,
) -> PyResult<Option<T>> {
    let refuse = |name| {
        let accepted = T::VARIANTS.join(", ");
        invalid(format!(
            "{option}: '{name}' is unknown (accepted: {accepted})"
        ))
    };
    name.map(|name| name.parse().map_err(|_| refuse(name)))
        .transpose()
}

/// A time above zero.
pub(crate) fn seconds(option: &str, given: f64) -> PyResult<Duration> {
    let is_time = given > 0.0 && given <= 1e9;
    let time = is_time.then(|| Duration::from_secs_f64(given));
    let accepted = "accepted: seconds above 0, up to 1e9";
    time.ok_or_else(|| invalid(format!("{option}: {given:?} is out of range ({accepted})")))
}
