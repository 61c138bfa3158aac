//! Many machines: a folder that all of them see holds `plan.json` and one result for each shard that has been counted.
//!
//! A result is a pure function of the plan and the shard's number. It is put in place at once or not at all, so that two
//! tasks that count the same shard at the same moment do no harm: whichever is last leaves what the other left. What is
//! counted is what has a valid result here, whatever a scheduler says.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::document;
use super::files::{self, Disk, Storage};
use super::heartbeat::Heartbeat;
use super::problem::{FileError, Problem};
use super::records::{PlanFile, ShardResult};
use crate::board::Board;
use crate::count::plan::{Plan, Shard, ShardError};
use crate::count::{CountError, ShardCount};

/// More bytes than a plan or a result has.
const MOST_BYTES: usize = 1 << 16;

/// A folder with a plan cut in shards.
///
/// ```
/// use queens::store::Shards;
/// use queens::{Board, Counter, Engine, Plan};
///
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path();
/// let plan = Plan::new(Board::new(8)?, Engine::Bitboard)?;
/// Shards::create(folder, &plan, 3)?;
///
/// let shards = Shards::open(folder)?; // on another machine, perhaps
/// for index in shards.status()?.missing {
///     let counter = Counter::following(shards.plan().clone());
///     shards.put(index, &counter.run_shard(shards.shard(index)?)?)?;
/// }
/// assert_eq!(shards.merge()?.sum.solutions, 92);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Shards {
    pub(super) storage: Box<dyn Storage>,
    pub(super) folder: PathBuf,
    plan: Plan,
    count: usize,
}

/// Why a folder of shards cannot be used as asked.
#[derive(Debug, Error)]
pub enum ShardsError {
    /// A file or the folder cannot be used. Where it is the plan's, and of [`Problem::Other`]: this program would cut the
    /// board otherwise, or another plan was asked for.
    #[error(transparent)]
    File(#[from] FileError),
    /// This folder has no plan.
    #[error("'{}' has no plan.json (accepted: a folder with a plan)", .0.display())]
    NoPlan(PathBuf),
    /// The number of shards does not fit the plan.
    #[error(
        "a plan of {subproblems} subproblems cannot be cut in {shards} shards ({})", accepted_shards(*subproblems)
    )]
    Count {
        /// The number asked for.
        shards: usize,
        /// Subproblems of the plan.
        subproblems: usize,
    },
    /// A shard number is out of range.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// Shards have no result yet.
    #[error("no total: {} of {shards} shards have no result: {}", missing.len(), first_few(missing))]
    Gaps {
        /// Their numbers.
        missing: Vec<usize>,
        /// The number of shards.
        shards: usize,
    },
    /// Results are there that cannot be used.
    #[error("no total: {} of the results cannot be used: {}", .0.len(), first_few(.0))]
    Unusable(Vec<FileError>),
    /// The total contradicts a published value or the number of symmetric solutions, or these could not be counted.
    #[error(transparent)]
    Total(#[from] CountError),
}

/// In how many shards a plan can be cut.
fn accepted_shards(subproblems: usize) -> String {
    match subproblems {
        0 => "there is nothing to cut for this N: count it without shards".to_owned(),
        most => format!("accepted: 1 to {most}"),
    }
}

/// The first few of a list.
fn first_few(list: &[impl fmt::Display]) -> String {
    const MOST: usize = 10;
    let mut texts: Vec<_> = list.iter().take(MOST).map(ToString::to_string).collect();
    if list.len() > MOST {
        texts.push("...".to_owned());
    }
    texts.join(", ")
}

impl Shards {
    /// Prepares a folder, which is made if only it is missing, to count `plan` in `shards` shards. Where the same plan is
    /// there already, nothing is done.
    ///
    /// # Errors
    ///
    /// [`ShardsError`]. A plan that is there is never replaced.
    pub fn create(folder: &Path, plan: &Plan, shards: usize) -> Result<Self, ShardsError> {
        Self::create_on(Box::new(Disk), folder, plan, shards)
    }

    pub(super) fn create_on(
        storage: Box<dyn Storage>,
        folder: &Path,
        plan: &Plan,
        shards: usize,
    ) -> Result<Self, ShardsError> {
        if !(1..=plan.len()).contains(&shards) {
            let subproblems = plan.len();
            return Err(ShardsError::Count {
                shards,
                subproblems,
            });
        }
        let asked = PlanFile::new(plan, shards);
        let mut found = read_plan(&*storage, folder)?;
        if found.is_none() {
            write_plan(&*storage, folder, &asked)?;
            found = read_plan(&*storage, folder)?;
        }
        if found.as_ref() != Some(&asked) {
            let found = found.map_or("no plan".to_owned(), |found| found.to_string());
            let other = Problem::other(found, format!("{asked}: use another folder"));
            return Err(other.of(&plan_path(folder)).into());
        }
        Ok(Self::new(storage, folder, plan.clone(), shards))
    }

    /// Opens a folder that was prepared.
    ///
    /// # Errors
    ///
    /// [`ShardsError`].
    pub fn open(folder: &Path) -> Result<Self, ShardsError> {
        Self::open_on(Box::new(Disk), folder)
    }

    pub(super) fn open_on(storage: Box<dyn Storage>, folder: &Path) -> Result<Self, ShardsError> {
        let found = read_plan(&*storage, folder)?;
        let found = found.ok_or_else(|| ShardsError::NoPlan(folder.to_owned()))?;
        let path = plan_path(folder);
        let damaged = |error: &dyn fmt::Display| Problem::damaged(error).of(&path);
        let board = Board::new(found.n).map_err(|error| damaged(&error))?;
        let plan = Plan::new(board, found.engine).map_err(|error| damaged(&error))?;
        let expected = PlanFile::new(&plan, found.shards);
        if found != expected || !(1..=plan.len()).contains(&found.shards) {
            let other = Problem::other(found, format!("{expected}: use the program that wrote it"));
            return Err(other.of(&path).into());
        }
        Ok(Self::new(storage, folder, plan, found.shards))
    }

    fn new(storage: Box<dyn Storage>, folder: &Path, plan: Plan, count: usize) -> Self {
        Self {
            storage,
            folder: folder.to_owned(),
            plan,
            count,
        }
    }

    /// The plan.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The number of shards.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Shard number `index`.
    ///
    /// # Errors
    ///
    /// [`ShardsError::Shard`] if there is no such shard.
    pub fn shard(&self, index: usize) -> Result<Shard, ShardsError> {
        Ok(Shard::new(index, self.count)?)
    }

    /// The file that the result of a shard is in.
    #[must_use]
    pub fn path(&self, index: usize) -> PathBuf {
        self.folder.join(format!("shard-{index:06}.json"))
    }

    /// The result of a shard, or `None` if there is no file for it, or the shard is out of range.
    ///
    /// # Errors
    ///
    /// [`FileError`]: it is damaged, cannot be read, or belongs to another plan or shard.
    pub fn get(&self, index: usize) -> Result<Option<ShardResult>, FileError> {
        let path = self.path(index);
        let read = || -> Result<Option<ShardResult>, Problem> {
            let Ok(shard) = self.shard(index) else {
                return Ok(None);
            };
            let Some(bytes) = files::read_all(&*self.storage, &path, MOST_BYTES)? else {
                return Ok(None);
            };
            let result: ShardResult = document::unseal(ShardResult::KIND, &bytes)?;
            result.check(&self.plan, shard)?;
            Ok(Some(result))
        };
        read().map_err(|problem| problem.of(&path))
    }

    /// Makes sure, before a shard is counted, that its result can be put in its place.
    ///
    /// # Errors
    ///
    /// [`FileError`]: the folder cannot be written to, or what has the name is not a regular file.
    pub fn expect_writable(&self, index: usize) -> Result<(), FileError> {
        let path = self.path(index);
        let probe = files::unique(&path);
        self.storage
            .read(&path, 0)
            .and_then(|_| files::create(&*self.storage, &probe, b""))
            .and_then(|()| self.storage.remove(&probe))
            .map_err(|error| Problem::from(error).of(&path))
    }

    /// Lets others know, until dropped, that a shard is being counted.
    #[must_use]
    pub fn begin(&self, index: usize) -> Heartbeat {
        Heartbeat::start(&self.path(index))
    }

    /// Puts the result of a shard in its place, at once or not at all.
    ///
    /// # Errors
    ///
    /// [`ShardsError::Shard`] if there is no such shard, [`ShardsError::File`].
    pub fn put(&self, index: usize, count: &ShardCount) -> Result<(), ShardsError> {
        let result = ShardResult::new(&self.plan, self.shard(index)?, count);
        let bytes = document::seal(ShardResult::KIND, &result);
        let path = self.path(index);
        files::replace(&*self.storage, &path, &files::unique(&path), None, &bytes)
            .map_err(|error| Problem::from(error).of(&path).into())
    }
}

fn plan_path(folder: &Path) -> PathBuf {
    folder.join("plan.json")
}

/// The plan of a folder, if there is one.
fn read_plan(storage: &dyn Storage, folder: &Path) -> Result<Option<PlanFile>, FileError> {
    let path = plan_path(folder);
    let read = || match files::read_all(storage, &path, MOST_BYTES)? {
        Some(bytes) => document::unseal(PlanFile::KIND, &bytes).map(Some),
        None => Ok(None),
    };
    read().map_err(|problem| problem.of(&path))
}

/// Writes the plan of a folder, unless another process is quicker.
fn write_plan(storage: &dyn Storage, folder: &Path, plan: &PlanFile) -> Result<(), FileError> {
    let path = plan_path(folder);
    let made = storage.create_folder(folder);
    let is_new = made.map_err(|error| Problem::from(error).of(folder))?;
    match files::write_new(storage, &path, &document::seal(PlanFile::KIND, plan)) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            if is_new {
                let _ = storage.remove_folder(folder); // unless another process has put something there
            }
            Err(Problem::from(error).of(&path))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
