//! Errors for files that contain ledgers.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::count::LedgerError;

/// Version of the file format. Files with other versions are rejected.
pub(super) const FORMAT: u64 = 3;

/// Error for a file that cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
#[error("'{}' {kind}", path.display())]
pub struct FileError {
    /// Path of the file or folder. For the third of several ledgers in memory, this is `part 3`.
    pub path: PathBuf,
    /// Reason why it cannot be used.
    #[source]
    pub kind: FileErrorKind,
}

/// Reason why a file cannot be used. The file is left unchanged.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileErrorKind {
    /// An I/O operation failed.
    #[error("cannot be used: {0}")]
    Io(#[from] io::Error),
    /// The file is not a ledger.
    #[error("is not a checkpoint")]
    Foreign,
    /// The ledger has another version of the format.
    #[error("has format {0} (accepted: format {FORMAT})")]
    Version(u64),
    /// Intact lines do not fit the plan, or the first line is damaged.
    #[error("is damaged: {0}")]
    Damaged(String),
    /// The file belongs to another plan or shard.
    #[error("is for {found}, not {expected}")]
    Other {
        /// First property that differs, as given in the file.
        found: String,
        /// The same property, as expected.
        expected: String,
    },
    /// There are two counts for a subproblem, so one of them is wrong.
    #[error("contradicts {with}: {source}")]
    Contradiction {
        /// File that has the other count, or `itself`.
        with: String,
        /// Subproblem and counts.
        source: LedgerError,
    },
    /// The file is locked by another process.
    #[error("is in use by another process")]
    InUse,
    /// The file was changed since this process opened it.
    #[error("was {0} by another program")]
    Changed(&'static str),
}

impl FileErrorKind {
    pub(super) fn damaged(reason: impl ToString) -> Self {
        Self::Damaged(reason.to_string())
    }

    pub(super) fn contradiction(source: LedgerError, with: impl ToString) -> Self {
        Self::Contradiction { with: with.to_string(), source }
    }

    pub(super) fn other([found, expected]: [String; 2]) -> Self {
        Self::Other { found, expected }
    }

    /// Adds the path of the file.
    pub(super) fn at(self, path: &Path) -> FileError {
        let path = path.to_owned();
        FileError { path, kind: self }
    }
}
