//! Errors from reading boards.

use std::io;

use thiserror::Error;

/// Error from reading boards.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// A line that cannot be read.
    #[error("line {line}: {reason}")]
    Line {
        /// Line number, from one.
        line: usize,
        /// Reason why the line cannot be read, with a quotation of it.
        reason: String,
    },
    /// The input failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl ReadError {
    pub(super) fn new(line: usize, reason: impl Into<String>) -> Self {
        Self::Line { line, reason: reason.into() }
    }
}
