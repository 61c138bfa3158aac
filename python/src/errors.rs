//! The library's errors as Python's.

use std::fmt::Display;
use std::str::FromStr;

use pyo3::import_exception;
use pyo3::prelude::*;
use queens::CountError;
use strum::VariantNames;

import_exception!(queens, QueensError);
import_exception!(queens, InvalidArgument);
import_exception!(queens, NotEnoughMemory);
import_exception!(queens, MachineError);
import_exception!(queens, Contradiction);
import_exception!(queens, Cancelled);

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
        E::Memory { .. } | E::Exhausted { .. } => NotEnoughMemory::new_err(why),
        E::Pool { .. } => MachineError::new_err(why),
        E::Mismatch(_) | E::Contradiction(_) | E::Disagreement(_) => Contradiction::new_err(why),
        E::Cancelled { .. } => Cancelled::new_err(why),
        _ => QueensError::new_err(why),
    }
}

/// What has this name, if one is given.
pub(crate) fn named<T>(option: &str, name: Option<&str>) -> PyResult<Option<T>>
where
    T: FromStr + VariantNames,
{
    let Some(name) = name else { return Ok(None) };
    let accepted = T::VARIANTS.join(", ");
    let refused = |_| {
        invalid(format!(
            "{option}: '{name}' is unknown (accepted: {accepted})"
        ))
    };
    name.parse().map(Some).map_err(refused)
}
