//! Why a file cannot be used.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// The version of the form of files and of everything in them. A program reads files of this version and no other.
pub(super) const FORMAT: u64 = 1;

/// A file that cannot be used as asked. It has not been changed.
#[derive(Debug, Error)]
#[error("'{}' {problem}", path.display())]
pub struct FileError {
    /// The file, or the folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Problem {
    /// An I/O error.
    #[error("cannot be used: {0}")]
    Io(#[from] io::Error),
    /// It does not begin like a file of this program.
    #[error("was not written by this program")]
    Foreign,
    /// It has been changed or cut, or holds what no version of the program would write.
    #[error("is damaged: {0}")]
    Damaged(String),
    /// It is whole, but of another version of the form.
    #[error("has format {0}, written by another version of this program (accepted: {FORMAT})")]
    Format(u64),
    /// It is whole, but of another kind, of another plan, or of another shard: what it holds, and what it should hold.
    #[error("{0}")]
    Other(String),
    /// Another process, which this names, has locked it.
    #[error("is in use by {0}")]
    InUse(String),
}

impl Problem {
    pub(super) fn damaged(reason: impl ToString) -> Self {
        Self::Damaged(reason.to_string())
    }

    pub(super) fn other(found: impl Display, expected: impl Display) -> Self {
        Self::Other(format!("holds {found}, not {expected}"))
    }

    pub(super) fn of(self, path: &Path) -> FileError {
        FileError {
            path: path.to_owned(),
            problem: self,
        }
    }
}
