//! Why a file cannot be used.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// The version of the form of files. A program reads files of this version and no other.
pub(super) const FORMAT: u64 = 3;

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
    /// Neither a ledger nor a plan, whichever was asked for.
    #[error("is not a {0} (accepted: one that this program wrote, or a new file)")]
    Foreign(&'static str),
    /// A ledger or plan in the form of another version of the program.
    #[error(
        "was written by {age} version of the program (format {found}, accepted: {FORMAT}): use that version, or another file",
        found = .0, age = if *.0 < FORMAT { "an earlier" } else { "a later" }
    )]
    Version(u64),
    /// Its parts contradict each other or the plan, or nothing of it is whole.
    #[error("is damaged: {0}")]
    Damaged(String),
    /// It is of another plan or another shard.
    #[error("holds {found}; this is {expected}")]
    Other {
        /// First fact that differs, as the file has it.
        found: String,
        /// The same fact as asked for.
        expected: String,
    },
    /// Reading it was cancelled.
    #[error("was not read to its end: cancelled")]
    Cancelled,
    /// Another process has locked it.
    #[error("is in use by another process")]
    InUse,
}

impl Problem {
    pub(super) fn damaged(reason: impl ToString) -> Self {
        Self::Damaged(reason.to_string())
    }

    pub(super) fn other([found, expected]: [String; 2]) -> Self {
        Self::Other { found, expected }
    }

    pub(super) fn of(self, path: &Path) -> FileError {
        FileError {
            path: path.to_owned(),
            problem: self,
        }
    }
}
