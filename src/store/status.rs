//! Status of the shards of a plan, and their total once all of them are complete.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Duration;

use super::files::regular;
use super::format::{Codec, Header};
use super::problem::{FileError, Problem};
use super::shards::{Shards, ShardsError, expect_shards};
use crate::count::check::check_total;
use crate::count::{Check, Ledger, Plan, Shard};
use crate::engine::CancelToken;
use crate::machine;

/// Status of the shards in a folder or in memory.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Status {
    /// All shards that have been started, by number, except for those whose ledgers cannot be used.
    pub shards: BTreeMap<usize, ShardStatus>,
    /// Numbers of the shards that are not complete, in ascending order.
    pub missing: Vec<usize>,
    /// Errors for ledgers that cannot be used.
    pub unusable: Vec<FileError>,
}

/// Status of a shard that has been started.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ShardStatus {
    /// Number of its subproblems.
    pub subproblems: usize,
    /// Number of its subproblems that are counted.
    pub counted: usize,
    /// Sum of their counts, including symmetry weights.
    pub solutions: u128,
    /// Wall time of all runs.
    pub elapsed: Duration,
    /// Number of damaged lines in its ledger.
    pub damaged: usize,
}

/// Total of all shards.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Merged {
    /// Number of solutions.
    pub total: u128,
    /// Verification of the total.
    pub check: Check,
    /// Number of shards.
    pub shards: usize,
    /// Sum of the wall times of all shards.
    pub elapsed: Duration,
}

/// Windows error code `ERROR_LOCK_VIOLATION`.
const LOCKED: i32 = 33;

impl ShardStatus {
    /// Reads a ledger.
    fn read(codec: &Codec, input: impl BufRead) -> Result<Self, Problem> {
        let contents = codec.read(input)?;
        let ledger = contents.ledger;
        Ok(Self {
            subproblems: ledger.len(),
            counted: ledger.done(),
            solutions: ledger.sum(),
            elapsed: ledger.resumed().map_or(Duration::ZERO, |run| run.elapsed),
            damaged: contents.damaged,
        })
    }

    /// Whether all subproblems are counted.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.counted == self.subproblems
    }
}

impl Shards {
    /// Reads the status of all shards.
    #[must_use]
    pub fn status(&self) -> Status {
        let mut status = Status::default();
        for index in 0..self.count() {
            match self.inspect(index) {
                Ok(None) => {}
                Ok(Some(shard)) => drop(status.shards.insert(index, shard)),
                Err(problem) => status.unusable.push(problem.at(&self.path(index))),
            }
        }
        status.with_missing(self.count())
    }

    /// Reads the ledger of a shard, if it exists.
    fn inspect(&self, index: usize) -> Result<Option<ShardStatus>, Problem> {
        let path = self.path(index);
        if regular(&path)?.is_none() {
            return Ok(None);
        }
        let shard = Shard::new(index, self.count()).expect("a valid number");
        let file = BufReader::new(File::open(path)?);
        match ShardStatus::read(&Codec::new(self.plan(), shard), file) {
            // On Windows, a file locked by a running task cannot be read.
            Err(Problem::Io(error)) if cfg!(windows) && error.raw_os_error() == Some(LOCKED) => {
                Ok(None)
            }
            shard => shard.map(Some),
        }
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

impl Plan {
    /// Returns the ledger of a finished shard, in the format of the files in a folder of
    /// [`Shards`]. The count took `elapsed`.
    ///
    /// ```
    /// use queens::{Board, Counter, Engine, Ledger, Plan, Shard};
    ///
    /// let plan = Plan::new(Board::new(8)?, Engine::Bitboard)?;
    /// let mut parts = Vec::new();
    /// for index in 0..3 {
    ///     let shard = Shard::new(index, 3)?; // for example, on another machine
    ///     let mut ledger = Ledger::of_shard(&plan, shard);
    ///     let mut run = Counter::following(plan.clone()).prepare()?;
    ///     let done = run.count(run.missing(&ledger)?, |results| ledger.record(results))?;
    ///     parts.push(plan.shard_to_bytes(&ledger, done));
    /// }
    /// assert_eq!(plan.merge(3, &parts)?.total, 92);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Panics unless the ledger belongs to this plan and is complete.
    #[must_use]
    pub fn shard_to_bytes(&self, ledger: &Ledger, elapsed: Duration) -> Vec<u8> {
        assert!(ledger.plan() == self.id() && ledger.is_complete(), "not a complete shard");
        let codec = Codec::new(self, ledger.shard());
        (codec.header() + &codec.encode(ledger.entries(), elapsed)).into_bytes()
    }

    /// Reads ledgers of a plan with `shards` shards, in any order. Ledgers are
    /// [`unusable`](Status::unusable) if they are damaged, repeat a shard, or belong to another
    /// plan or another number of shards.
    ///
    /// # Errors
    ///
    /// Returns [`ShardsError::Split`] if the plan cannot be split into this many shards.
    pub fn status(
        &self,
        shards: usize,
        parts: impl IntoIterator<Item = impl AsRef<[u8]>>,
    ) -> Result<Status, ShardsError> {
        expect_shards(self, shards)?;
        let mut status = Status::default();
        for (part, bytes) in parts.into_iter().enumerate() {
            if let Err(problem) = self.enter(shards, bytes.as_ref(), &mut status.shards) {
                status.unusable.push(problem.at(Path::new(&format!("part {part}"))));
            }
        }
        Ok(status.with_missing(shards))
    }

    /// Merges the ledgers of all `shards` shards, which may be in any order.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Shards::merge`](super::Shards::merge), and
    /// [`ShardsError::Split`].
    pub fn merge(
        &self,
        shards: usize,
        parts: impl IntoIterator<Item = impl AsRef<[u8]>>,
    ) -> Result<Merged, ShardsError> {
        self.status(shards, parts)?.merge(self, shards)
    }

    /// Reads the ledger of a finished shard and adds it to `done`.
    fn enter(
        &self,
        shards: usize,
        bytes: &[u8],
        done: &mut BTreeMap<usize, ShardStatus>,
    ) -> Result<(), Problem> {
        // The header is compared in full below.
        let index = Header::parse("ledger", bytes)?.shard.unwrap_or(0).min(shards - 1);
        let codec = Codec::new(self, Shard::new(index, shards).expect("in range"));
        let shard = ShardStatus::read(&codec, bytes)?;
        let ShardStatus { counted, subproblems, damaged, .. } = shard;
        if damaged > 0 || !shard.is_complete() || !bytes.ends_with(b"\n") {
            return Err(Problem::damaged(format!(
                "{counted} of its {subproblems} counts are intact, and {damaged} lines damaged"
            )));
        }
        done.insert(index, shard).map_or(Ok(()), |_| Err(Problem::Repeated(index)))
    }
}

impl Status {
    /// Lists the missing ones of `shards` shards.
    fn with_missing(mut self, shards: usize) -> Self {
        let is_missing =
            |shard: &usize| !self.shards.get(shard).is_some_and(ShardStatus::is_complete);
        self.missing = (0..shards).filter(is_missing).collect();
        self
    }

    /// Merges the shards of a plan that is split into `shards` shards.
    fn merge(self, plan: &Plan, shards: usize) -> Result<Merged, ShardsError> {
        let Self { shards: done, missing, mut unusable } = self;
        let is_unreadable = |wrong: &FileError| matches!(wrong.problem, Problem::Io(_));
        if let Some(at) = unusable.iter().position(is_unreadable) {
            return Err(unusable.swap_remove(at).into());
        } else if !unusable.is_empty() {
            return Err(ShardsError::Unusable(unusable));
        } else if !missing.is_empty() {
            return Err(ShardsError::Gaps { missing, shards });
        }
        let subproblems: usize = done.values().map(|shard| shard.counted).sum();
        assert_eq!(subproblems, plan.len(), "shards cover the plan");
        let total = done.values().map(|shard| shard.solutions).sum();
        let elapsed = done.values().map(|shard| shard.elapsed);
        let elapsed = elapsed.fold(Duration::ZERO, Duration::saturating_add);
        let threads = machine::threads(None).unwrap_or(1);
        let (check, _) = check_total(plan, total, threads, &CancelToken::new())?;
        Ok(Merged { total, check, shards, elapsed })
    }
}
