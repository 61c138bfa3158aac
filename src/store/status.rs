//! Status of the shards of a plan, and their total once all of them are complete.

use std::fs::File;
use std::io;
use std::time::Duration;

use super::files::regular;
use super::format::{Codec, Completion, Contents, Header};
use super::ledger_file::read;
use super::problem::{FileError, Problem};
use super::shards::{Shards, ShardsError};
use crate::count::check::check_total;
use crate::count::{Check, Plan, Shard};
use crate::engine::CancelToken;
use crate::machine::Threads;

/// Status of the shards in a folder or in memory.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Status {
    /// Completed shards.
    pub done: Vec<Done>,
    /// Numbers of all other shards, in ascending order.
    pub missing: Vec<usize>,
    /// Errors for missing shards whose ledgers cannot be used.
    pub unusable: Vec<FileError>,
    /// Missing shards that have been started.
    pub begun: Vec<Begun>,
}

/// Completed shard.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Done {
    /// Header of the shard's last run, unless it is damaged.
    pub by: Option<Header>,
    /// Completion record.
    pub completion: Completion,
}

/// Shard that has been started but is not complete.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Begun {
    /// Shard number.
    pub shard: usize,
    /// Header of the shard's last run, unless it is missing or damaged.
    pub by: Option<Header>,
    /// Time since the shard's ledger was last modified.
    pub silent: Duration,
}

/// Time without changes after which a ledger counts as abandoned. Running tasks modify their
/// ledgers every 5 seconds.
const SILENT: Duration = Duration::from_secs(150);

/// Windows error code `ERROR_LOCK_VIOLATION`.
const LOCKED: i32 = 33;

impl Begun {
    /// Whether the ledger was modified recently, which means that a task is probably still running.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.silent < SILENT
    }
}

/// Total of all shards.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Merged {
    /// Number of solutions.
    pub total: u128,
    /// Verification of the total.
    pub check: Check,
    /// All shards.
    pub shards: Vec<Done>,
}

impl Shards {
    /// Reads the status of all shards.
    #[must_use]
    pub fn status(&self) -> Status {
        let mut status = Status::default();
        for shard in 0..self.count() {
            match self.inspect(shard) {
                Ok(None) => {}
                Ok(Some((mut contents, silent))) => {
                    match (contents.headers.pop(), contents.completions.pop()) {
                        (by, Some(completion)) => {
                            status.done.push(Done { by, completion });
                            continue;
                        }
                        (by, None) => status.begun.push(Begun { shard, by, silent }),
                    }
                }
                Err(problem) => status.unusable.push(problem.at(&self.path(shard))),
            }
            status.missing.push(shard);
        }
        status
    }

    /// Reads the ledger of a shard, if it exists. Returns its contents and the time since its last
    /// modification.
    pub(super) fn inspect(&self, shard: usize) -> Result<Option<(Contents, Duration)>, Problem> {
        let path = self.path(shard);
        if regular(&path)?.is_none() {
            return Ok(None);
        }
        let file = File::open(&path)?;
        let shard = Shard::new(shard, self.count()).expect("a valid number");
        let codec = Codec::new(self.plan(), shard);
        let contents = match read(&file, &codec, &CancelToken::new()) {
            // On Windows, a file locked by a running task cannot be read.
            Err(Problem::Io(error)) if cfg!(windows) && error.raw_os_error() == Some(LOCKED) => {
                codec.read(io::empty(), &CancelToken::new())?
            }
            contents => contents?,
        };
        let (done, len) = (contents.ledger.done(), contents.ledger.len());
        if !contents.completions.is_empty() && done != len {
            return Err(Problem::damaged(format!(
                "it is marked as done, but only {done} of its {len} counts are intact"
            )));
        }
        // This is zero if this machine's clock is behind the file server's.
        let silent = file.metadata()?.modified()?.elapsed().unwrap_or_default();
        Ok(Some((contents, silent)))
    }

    /// Adds up all shards and verifies the total.
    ///
    /// # Errors
    ///
    /// Returns [`ShardsError::File`] if a ledger cannot be read, [`ShardsError::Unusable`] if one
    /// cannot be used, and [`ShardsError::Gaps`] if shards are missing but nothing else is wrong.
    /// Returns [`ShardsError::Total`] if the total contradicts a published value or, if there is
    /// none, the number of symmetric solutions.
    pub fn merge(&self) -> Result<Merged, ShardsError> {
        self.status().merge(self.plan(), self.count())
    }
}

impl Status {
    /// Merges the shards of a plan that is split into `shards` shards.
    pub(super) fn merge(self, plan: &Plan, shards: usize) -> Result<Merged, ShardsError> {
        let Self { done, missing, mut unusable, .. } = self;
        let is_unreadable = |wrong: &FileError| matches!(wrong.problem, Problem::Io(_));
        if let Some(at) = unusable.iter().position(is_unreadable) {
            return Err(unusable.swap_remove(at).into());
        } else if !unusable.is_empty() {
            return Err(ShardsError::Unusable(unusable));
        } else if !missing.is_empty() {
            return Err(ShardsError::Gaps { missing, shards });
        }
        let subproblems: usize = done.iter().map(|done| done.completion.subproblems).sum();
        assert_eq!(subproblems, plan.len(), "shards cover the plan");
        let total = done.iter().map(|done| done.completion.solutions).sum();
        let threads = Threads::usable().count();
        let (check, _) = check_total(plan, total, threads, &CancelToken::new())?;
        Ok(Merged { total, check, shards: done })
    }
}
