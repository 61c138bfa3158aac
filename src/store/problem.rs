//! Why a file cannot be used.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// The version of the form of files. A program reads files of this version and no other.
pub(super) const FORMAT: u64 = 2;

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
    /// It is not a ledger, or a plan, in this version's form.
    #[error(
        "is not a {0} of this version of the program: use the version that wrote it, or another file"
    )]
    Foreign(&'static str),
    /// Its parts contradict each other or the plan, or nothing of it is whole.
    #[error("is damaged: {0}")]
    Damaged(String),
    /// It is of another plan or another shard: what it holds, and what it should hold.
    #[error("holds {found}, not {expected}: a file is of one board, engine and symmetry")]
    Other {
        /// What it holds.
        found: String,
        /// What it should hold.
        expected: String,
    },
    /// Another process has locked it.
    #[error("is in use by another process")]
    InUse,
}

impl Problem {
    pub(super) fn damaged(reason: impl ToString) -> Self {
        Self::Damaged(reason.to_string())
    }

    pub(super) fn other(found: impl ToString, expected: impl ToString) -> Self {
        let (found, expected) = (found.to_string(), expected.to_string());
        Self::Other { found, expected }
    }

    pub(super) fn of(self, path: &Path) -> FileError {
        FileError {
            path: path.to_owned(),
            problem: self,
        }
    }
}
