//! Conversion of the library's errors to Python exceptions.

use std::fmt::Display;

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use queens::CountError;
use queens::store::{FileError, FileErrorKind};

create_exception!(n_queens, Cancelled, PyException, "Raised if `Counter.cancel` ended the count.");
create_exception!(
    n_queens,
    Contradiction,
    PyException,
    "Raised instead of returning a total that contradicts a published value or a second count."
);

pub(crate) fn invalid(why: impl Display) -> PyErr {
    PyValueError::new_err(why.to_string())
}

pub(crate) fn not_counted(error: CountError) -> PyErr {
    use CountError as E;
    let why = error.to_string();
    match error {
        E::Board(_) | E::Engine(_) => invalid(why),
        E::Threads(_) => invalid(format!("threads: {why}")),
        E::Memory { .. } | E::Exhausted { .. } => PyMemoryError::new_err(why),
        E::Incomplete { .. } | E::Ledger(_) => invalid(why),
        E::Mismatch(_) => Contradiction::new_err(why),
        E::Unsampled => invalid(format!("seconds: {why}")),
        _ => PyRuntimeError::new_err(why),
    }
}

pub(crate) fn not_merged(error: FileError) -> PyErr {
    match error.kind {
        FileErrorKind::Contradiction { .. } => Contradiction::new_err(error.to_string()),
        _ => invalid(error),
    }
}
