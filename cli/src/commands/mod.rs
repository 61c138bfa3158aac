//! Commands, each with its arguments and the function that runs it. `solve`, `trace` and `tree` are
//! in [`crate::solve`].

pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod count;
pub(crate) mod estimate;
pub(crate) mod merge;
pub(crate) mod shell;
pub(crate) mod table;
