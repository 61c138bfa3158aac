//! Errors of ledgers and plans in files.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Version of the file formats. Files of other versions are rejected.
pub(super) const FORMAT: u64 = 3;

/// A file that cannot be used. It is left unchanged.
#[derive(Debug, Error)]
#[error("'{}' {problem}", path.display())]
pub struct FileError {
    /// Path of the file or folder; `part 3` for the ledger in memory with index 3.
    pub path: PathBuf,
    /// Reason.
    pub problem: Problem,
}

/// Reason why a file cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Problem {
    /// An I/O error.
    #[error("cannot be used: {0}")]
    Io(#[from] io::Error),
    /// A file that is not the expected `ledger` or `plan`.
    #[error("is not a {0} (accepted: one that this program wrote, or a new file)")]
    Foreign(&'static str),
    /// A ledger or plan in another version of the format.
    #[error(
        "was written by {age} version of the program (format {found}, accepted: {FORMAT}): use that version, or another file",
        found = .0, age = if *.0 < FORMAT { "an earlier" } else { "a later" }
    )]
    Version(u64),
    /// A file that contradicts itself or the plan, or has no intact line.
    #[error("is damaged: {0}")]
    Damaged(String),
    /// A file of another plan or shard.
    #[error("is for {found}, not {expected}")]
    Other {
        /// First difference, according to the file.
        found: String,
        /// Expected value.
        expected: String,
    },
    /// A second ledger of this shard.
    #[error("repeats shard {0} (accepted: each shard once)")]
    Repeated(usize),
    /// Cancelled while reading.
    #[error("was not read completely: cancelled")]
    Cancelled,
    /// Locked by another process.
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

    /// Adds the path of the file.
    pub(super) fn at(self, path: &Path) -> FileError {
        let path = path.to_owned();
        FileError {
            path,
            problem: self,
        }
    }
}
