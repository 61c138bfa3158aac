//! How far a folder of shards is, and the total once all is done.

use std::fs::File;
use std::time::Duration;

use super::files::expect_regular;
use super::format::{Begin, Completion, Contents, Form};
use super::ledger_file::read;
use super::problem::{FileError, Problem};
use super::shards::{Shards, ShardsError};
use crate::count::check::check_total;
use crate::count::{Check, Shard};
use crate::engine::CancelToken;
use crate::machine::Threads;

/// What a folder of shards holds.
#[derive(Debug)]
#[non_exhaustive]
pub struct Status {
    /// The shards that are done.
    pub done: Vec<Done>,
    /// The others, in order.
    pub missing: Vec<usize>,
    /// Ledgers of these that cannot be used.
    pub unusable: Vec<FileError>,
    /// Those of the missing shards that have been begun.
    pub begun: Vec<Begun>,
}

/// A shard that is done.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Done {
    /// Who finished it; `None` if that is damaged.
    pub by: Option<Begin>,
    /// What it comes to, and how it was counted.
    pub completion: Completion,
}

/// A shard that has been begun and is not done.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Begun {
    /// Its number.
    pub shard: usize,
    /// Who counts it, or did; `None` if nothing is in the file yet.
    pub by: Option<Begin>,
    /// The time since its file was written to.
    pub silent: Duration,
}

/// A ledger that is older than this is of a task that was killed, or cannot write: others are touched every 5 seconds.
const SILENT: Duration = Duration::from_secs(150);

/// `ERROR_LOCK_VIOLATION`.
const LOCKED: i32 = 33;

impl Begun {
    /// Whether its file was written to so lately that it is taken to be at work.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.silent < SILENT
    }
}

/// What all shards come to.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Merged {
    /// The number of solutions.
    pub total: u128,
    /// How it was checked.
    pub check: Check,
    /// The shards.
    pub shards: Vec<Done>,
}

impl Shards {
    /// Looks at what the folder holds.
    #[must_use]
    pub fn status(&self) -> Status {
        let mut status = Status {
            done: Vec::new(),
            missing: Vec::new(),
            unusable: Vec::new(),
            begun: Vec::new(),
        };
        for shard in 0..self.count() {
            match self.look(shard) {
                Ok(None) => {}
                Ok(Some((contents, silent))) => match (contents.begin, contents.completion) {
                    (by, Some(completion)) => {
                        status.done.push(Done { by, completion });
                        continue;
                    }
                    (by, None) => status.begun.push(Begun { shard, by, silent }),
                },
                Err(problem) => status.unusable.push(problem.of(&self.path(shard))),
            }
            status.missing.push(shard);
        }
        status
    }

    /// What is in the ledger of a shard, if there is one, and the time since it was written to.
    fn look(&self, shard: usize) -> Result<Option<(Contents, Duration)>, Problem> {
        let path = self.path(shard);
        if !expect_regular(&path)? {
            return Ok(None);
        }
        let file = File::open(&path)?;
        let form = Form::new(
            self.plan(),
            Shard::new(shard, self.count()).expect("one of them"),
        );
        let contents = match read(&file, &form, &CancelToken::new()) {
            // On Windows what a task has locked cannot be read: it is at work.
            Err(Problem::Io(error)) if cfg!(windows) && error.raw_os_error() == Some(LOCKED) => {
                Contents::default()
            }
            contents => contents?,
        };
        let (done, len) = (contents.counts.len(), form.len());
        if contents.completion.is_some() && done != len {
            let reason =
                format!("it is marked as done, but only {done} of its {len} counts are intact");
            return Err(Problem::Damaged(reason));
        }
        // A clock that is behind the file server's makes it zero.
        let silent = file.metadata()?.modified()?.elapsed().unwrap_or_default();
        Ok(Some((contents, silent)))
    }

    /// Adds all shards up.
    ///
    /// # Errors
    ///
    /// [`ShardsError::File`] if any ledger cannot be read; [`ShardsError::Unusable`] if any cannot be used;
    /// [`ShardsError::Gaps`] if shards are missing and nothing else is wrong; [`ShardsError::Total`] if the total
    /// contradicts a published value or, where there is none, the number of symmetric solutions.
    pub fn merge(&self) -> Result<Merged, ShardsError> {
        let Status {
            done,
            missing,
            mut unusable,
            ..
        } = self.status();
        let is_unreadable = |wrong: &FileError| matches!(wrong.problem, Problem::Io(_));
        if let Some(at) = unusable.iter().position(is_unreadable) {
            return Err(unusable.swap_remove(at).into());
        } else if !unusable.is_empty() {
            return Err(ShardsError::Unusable(unusable));
        } else if !missing.is_empty() {
            let shards = self.count();
            return Err(ShardsError::Gaps { missing, shards });
        }
        let subproblems: usize = done.iter().map(|done| done.completion.subproblems).sum();
        assert_eq!(subproblems, self.plan().len(), "shards make up the plan");
        let total = done.iter().map(|done| done.completion.solutions).sum();
        let threads = Threads::usable().count();
        let (check, _) = check_total(self.plan(), total, threads, &CancelToken::new())?;
        Ok(Merged {
            total,
            check,
            shards: done,
        })
    }
}
