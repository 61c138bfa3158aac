//! What the Python package `queens` is made of: thin functions over the library. Names, defaults and documentation are in
//! `queens/__init__.py`.

mod attend;
mod boards;
mod count;
mod errors;
mod search;

#[pyo3::pymodule]
mod _queens {
    #[pymodule_export]
    use crate::boards::{Enumeration, check, constructed, draw, images, special, symmetry, text};
    #[pymodule_export]
    use crate::count::{Counter, classes, published};
    #[pymodule_export]
    use crate::search::solve;
}
