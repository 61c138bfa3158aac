//! Native part of the Python package `n_queens`: thin wrappers around the libraries. The public
//! names, defaults and documentation are in `n_queens`.

mod arguments;
mod attend;
mod boards;
mod count;
mod errors;
mod search;
mod steps;

#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::arguments::size;
    #[pymodule_export]
    use crate::boards::{Enumeration, board, check, draw, images, solution, symmetry};
    #[pymodule_export]
    use crate::count::{Counter, merge, missing, published};
    #[pymodule_export]
    use crate::errors::{Cancelled, Contradiction};
    #[pymodule_export]
    use crate::search::{Found, solve};

    #[pymodule_export]
    const LARGEST: u32 = queens::board::MAX_BOARD;
    #[pymodule_export]
    const LARGEST_COUNTED: u32 = queens::board::MAX_N;
    #[pymodule_export]
    const LARGEST_ENUMERATED: u32 = queens_search::MAX_ENUMERATED;
    #[pymodule_export]
    const LARGEST_DRAWN: u32 = crate::boards::LARGEST_DRAWN;
}
