//! Ledger files: checkpoints of a count or of a shard of it, and their sum.
//!
//! All have the same format (see [`LedgerFile`]): text lines, each with the index of a subproblem,
//! its count and a checksum. A damaged line costs the time to count its subproblem again, but it
//! never changes a total. [`Merged`] adds up the files that several machines have written.

mod error;
mod files;
mod format;
mod ledger_file;
mod merge;

pub use error::{FileError, FileErrorKind};
pub use files::NewFile;
pub use ledger_file::LedgerFile;
pub use merge::{Merged, Part};

#[cfg(test)]
mod tests;
