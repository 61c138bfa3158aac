//! Native part of the Python package `queens`: thin wrappers around the library. The public names,
//! defaults and documentation are in `queens/__init__.py`.

mod attend;
mod boards;
mod count;
mod errors;
mod search;

#[pyo3::pymodule]
mod _queens {
    use std::ffi::OsString;

    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::boards::{Enumeration, check, check_line, draw, images, special, symmetry};
    #[pymodule_export]
    use crate::count::{Counter, published};
    #[pymodule_export]
    use crate::search::solve;

    /// Runs the program with these arguments and returns its exit code.
    #[pyfunction]
    fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
        py.detach(|| queens_cli::run(arguments))
    }
}
