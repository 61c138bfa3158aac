//! How far a folder of shards is, found in one listing of it, and the total once all is done.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::time::Duration;

use super::files::expect_regular;
use super::format::{Completion, Contents, Form};
use super::ledger_file::LedgerFile;
use super::problem::{FileError, Problem};
use super::shards::{Shards, ShardsError};
use crate::count::check::check_total;
use crate::count::{Check, Shard};
use crate::engine::CancelToken;
use crate::machine::Threads;

/// What a folder of shards holds.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Status {
    /// What the shards that are done come to.
    pub done: Sum,
    /// The shards that are not done, in order.
    pub missing: Vec<usize>,
    /// Ledgers that cannot be used, and files that are called like ledgers, but are not those of a shard.
    pub unusable: Vec<FileError>,
    /// Those of the missing shards that have been begun.
    pub begun: Vec<Begun>,
    /// Which shards are done.
    is_done: Vec<bool>,
}

/// What shards come to.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Sum {
    /// Number of shards.
    pub shards: usize,
    /// Subproblems in them.
    pub subproblems: usize,
    /// Solutions, weights of symmetry included.
    pub solutions: u128,
    /// Wall time of the tasks, one after the other.
    pub seconds: f64,
    /// The same for each thread of each.
    pub thread_seconds: f64,
    /// When the last of them was done, in UTC.
    pub latest: Option<String>,
    /// How many shards were finished by each machine, CPU and kernel.
    pub hosts: BTreeMap<String, usize>,
    /// See `hosts`.
    pub cpus: BTreeMap<String, usize>,
    /// See `hosts`.
    pub kernels: BTreeMap<String, usize>,
    /// How many subproblems were counted twice, by mirror image, with which kernel; all of them agreed.
    pub counted_twice: BTreeMap<String, usize>,
}

impl Sum {
    /// Adds a shard that is done.
    fn add(&mut self, shard: Contents, completion: Completion) {
        self.shards += 1;
        self.subproblems += shard.entries.len();
        self.solutions += shard.sum; // of fewer than 2^64 subproblems of fewer than 2^64 solutions
        let unknown = || ("unknown".to_owned(), "unknown".to_owned());
        let writer = shard.writer.map(|writer| (writer.host, writer.cpu));
        let (host, cpu) = writer.unwrap_or_else(unknown);
        self.seconds += completion.seconds;
        self.thread_seconds += completion.seconds * completion.threads as f64;
        self.latest = self.latest.take().max(Some(completion.date));
        for (names, name) in [
            (&mut self.hosts, host),
            (&mut self.cpus, cpu),
            (&mut self.kernels, completion.kernel),
        ] {
            *names.entry(name).or_default() += 1;
        }
        if let Some(twice) = completion.double_check {
            *self.counted_twice.entry(twice.kernel).or_default() += twice.subproblems;
        }
    }
}

/// A shard that has been begun and is not done.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Begun {
    /// Its number.
    pub shard: usize,
    /// The machine that counts it, or did.
    pub host: String,
    /// The time since its file has been written to.
    pub silent: Duration,
}

impl Begun {
    /// Whether its file was written to so lately that it is taken to be at work.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.silent < 5 * LedgerFile::TOUCH_EVERY
    }
}

/// What all shards come to.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Merged {
    /// All shards together: the number of solutions, and who counted them.
    pub sum: Sum,
    /// How it was checked.
    pub check: Check,
}

/// A shard, as its ledger has it.
enum Found {
    Nothing,
    Begun(Begun),
    Done(Contents, Completion),
}

impl Shards {
    /// Looks at what the folder holds.
    ///
    /// # Errors
    ///
    /// [`FileError`] if it cannot be listed.
    pub fn status(&self) -> Result<Status, FileError> {
        let mut status = Status::default();
        self.update(&mut status)?;
        Ok(status)
    }

    /// Looks again, but not into the ledgers that are known to be done.
    ///
    /// # Errors
    ///
    /// Those of [`status`](Self::status).
    pub fn update(&self, status: &mut Status) -> Result<(), FileError> {
        let names = self.ledgers();
        let mut names = names.map_err(|error| Problem::from(error).of(&self.folder))?;
        names.sort();
        status.is_done.resize(self.count(), false);
        status.unusable.clear();
        status.begun.clear();
        let mut known = 0;
        for name in names {
            let path = self.folder.join(&name);
            let index = index_of(&name).filter(|&index| index < self.count());
            let Some(index) = index.filter(|&index| path == self.path(index)) else {
                status.unusable.push(Problem::Stray.of(&path));
                continue;
            };
            if status.is_done[index] {
                known += 1;
                continue;
            }
            match self.look(index) {
                Ok(Found::Nothing) => {} // removed meanwhile
                Ok(Found::Begun(begun)) => status.begun.push(begun),
                Ok(Found::Done(contents, completion)) => {
                    known += 1;
                    status.is_done[index] = true;
                    status.done.add(contents, completion);
                }
                Err(problem) => status.unusable.push(problem.of(&path)),
            }
        }
        if known < status.done.shards {
            // Ledgers have been taken away.
            *status = Status::default();
            return self.update(status);
        }
        status.missing = (0..self.count()).filter(|&i| !status.is_done[i]).collect();
        Ok(())
    }

    /// The names in the folder that are those of ledgers, in no order.
    fn ledgers(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.starts_with(BEFORE) && name.ends_with(AFTER) {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// Looks into the ledger of a shard.
    fn look(&self, index: usize) -> Result<Found, Problem> {
        let path = self.path(index);
        if !expect_regular(&path)? {
            return Ok(Found::Nothing);
        }
        let shard = Shard::new(index, self.count()).expect("one of the shards");
        let form = Form::new(self.plan(), shard);
        let file = File::open(&path)?;
        let mut contents = form.read(BufReader::new(&file))?;
        let (done, len) = (contents.entries.len(), form.len());
        match contents.completion.take() {
            Some(completion) if done == len => Ok(Found::Done(contents, completion)),
            Some(_) => Err(Problem::damaged(format!(
                "of its {len} subproblems {done} are left"
            ))),
            None => Ok(Found::Begun(Begun {
                shard: index,
                host: contents
                    .writer
                    .map_or_else(|| "unknown".to_owned(), |writer| writer.host),
                // A clock that is behind the file server's makes it zero.
                silent: file.metadata()?.modified()?.elapsed().unwrap_or_default(),
            })),
        }
    }

    /// Adds all shards up.
    ///
    /// # Errors
    ///
    /// [`ShardsError::File`] if any ledger cannot be read; [`ShardsError::Unusable`] if any cannot be used, or would be added
    /// twice; [`ShardsError::Gaps`] if shards are missing and nothing else is wrong; [`ShardsError::Total`] if the total contradicts a published value or, where there is
    /// none, the number of symmetric solutions.
    pub fn merge(&self) -> Result<Merged, ShardsError> {
        let mut status = self.status()?;
        let unreadable = |wrong: &FileError| matches!(wrong.problem, Problem::Io(_));
        if let Some(at) = status.unusable.iter().position(unreadable) {
            return Err(status.unusable.swap_remove(at).into());
        }
        if !status.unusable.is_empty() {
            return Err(ShardsError::Unusable(status.unusable));
        }
        if !status.missing.is_empty() {
            let (missing, shards) = (status.missing, self.count());
            return Err(ShardsError::Gaps { missing, shards });
        }
        let (plan, sum) = (self.plan(), status.done);
        assert_eq!(sum.subproblems, plan.len(), "shards make up the plan");
        let threads = Threads::usable().count();
        let (check, _) = check_total(plan, sum.solutions, threads, &CancelToken::new())?;
        Ok(Merged { sum, check })
    }
}

/// How the names of ledgers begin and end.
const BEFORE: &str = "shard-";
const AFTER: &str = ".ledger";

/// The number of the shard whose ledger has this name.
fn index_of(name: &str) -> Option<usize> {
    name.strip_prefix(BEFORE)?.strip_suffix(AFTER)?.parse().ok()
}
