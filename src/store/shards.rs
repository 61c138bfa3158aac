//! Many machines: a folder that all of them see holds `plan.json` and a ledger for each shard that has been begun.
//!
//! What is counted is what is in these ledgers, whatever a scheduler says.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::files::{expect_regular, write_new};
use super::ledger_file::LedgerFile;
use super::problem::{FORMAT, FileError, Problem};
use crate::board::Board;
use crate::count::{CountError, Fingerprint, Ledger, Plan, Shard, ShardError};
use crate::engine::Engine;

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
///     let (mut file, ledger, _notices) = shards.open_shard(index)?;
///     let run = Counter::following(shards.plan().clone()).prepare()?;
///     let run = run.on_progress(|progress| drop(file.update(progress)));
///     let count = run.resume_shard(shards.shard(index)?, ledger)?;
///     file.finish(count.kernel, count.threads.count(), count.double_check.as_ref())?;
/// }
/// assert_eq!(shards.merge()?.sum.solutions, 92);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Shards {
    pub(super) folder: PathBuf,
    plan: Plan,
    count: usize,
}

/// What is in `plan.json`. It needs no checksum: it follows from N, engine and the number of shards, and every ledger names
/// plan and number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFile {
    queens: String,
    format: u64,
    n: u32,
    engine: Engine,
    shards: usize,
    subproblems: usize,
    fingerprint: Fingerprint,
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
    /// Shards are not done yet.
    #[error("no total: {} of {shards} shards have no result: {}", missing.len(), first_few(missing))]
    Gaps {
        /// Their numbers.
        missing: Vec<usize>,
        /// The number of shards.
        shards: usize,
    },
    /// Ledgers are there that cannot be used.
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

impl PlanFile {
    fn new(plan: &Plan, shards: usize) -> Self {
        Self {
            queens: "shards".to_owned(),
            format: FORMAT,
            n: plan.board().n(),
            engine: plan.engine(),
            shards,
            subproblems: plan.len(),
            fingerprint: plan.fingerprint(),
        }
    }

    fn path(folder: &Path) -> PathBuf {
        folder.join("plan.json")
    }

    /// The plan of a folder, if there is one.
    fn read(folder: &Path) -> Result<Option<Self>, FileError> {
        let read = |path: &Path| -> Result<Option<Self>, Problem> {
            /// More bytes than it has.
            const LONGEST: u64 = 1 << 16;
            if !expect_regular(path)? {
                return Ok(None);
            }
            let text = io::read_to_string(io::Read::take(File::open(path)?, LONGEST))?;
            let value: Value = serde_json::from_str(&text).map_err(|error| {
                if text.trim_start().starts_with('{') {
                    Problem::damaged(error)
                } else {
                    Problem::Foreign("plan")
                }
            })?;
            match value["format"].as_u64() {
                None if value["queens"].is_null() => Err(Problem::Foreign("plan")),
                Some(format) if format != FORMAT => Err(Problem::Format(format)),
                _ => serde_json::from_value(value)
                    .map(Some)
                    .map_err(Problem::damaged),
            }
        };
        let path = Self::path(folder);
        read(&path).map_err(|problem| problem.of(&path))
    }

    /// Writes it in its folder, which is made if only it is missing, unless another process is quicker.
    fn write(&self, folder: &Path) -> Result<(), FileError> {
        use io::ErrorKind::AlreadyExists;
        let is_new = match fs::create_dir(folder) {
            Err(error) if error.kind() == AlreadyExists && folder.is_dir() => false,
            made => made
                .map(|()| true)
                .map_err(|error| Problem::from(error).of(folder))?,
        };
        let json = serde_json::to_string_pretty(self).expect("a record with named fields");
        let path = Self::path(folder);
        match write_new(&path, (json + "\n").as_bytes()) {
            Err(error) if error.kind() != AlreadyExists => {
                if is_new {
                    let _ = fs::remove_dir(folder); // unless another process has put something there
                }
                Err(Problem::from(error).of(&path))
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for PlanFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (plan, shards) = (&self.fingerprint, self.shards);
        let number = self.subproblems;
        write!(f, "plan {plan} of {number} subproblems in {shards} shards")
    }
}

impl Shards {
    /// Prepares a folder, which is made if only it is missing, to count `plan` in `shards` shards. Where the same plan is
    /// there already, nothing is done.
    ///
    /// # Errors
    ///
    /// [`ShardsError`]. A plan that is there is never replaced.
    pub fn create(folder: &Path, plan: &Plan, shards: usize) -> Result<Self, ShardsError> {
        if !(1..=plan.len()).contains(&shards) {
            let subproblems = plan.len();
            return Err(ShardsError::Count {
                shards,
                subproblems,
            });
        }
        let asked = PlanFile::new(plan, shards);
        let mut found = PlanFile::read(folder)?;
        if found.is_none() {
            asked.write(folder)?;
            found = PlanFile::read(folder)?;
        }
        if found.as_ref() != Some(&asked) {
            let found = found.map_or("no plan".to_owned(), |found| found.to_string());
            let other = Problem::other(found, format!("{asked}: use another folder"));
            return Err(other.of(&PlanFile::path(folder)).into());
        }
        Ok(Self {
            folder: folder.to_owned(),
            plan: plan.clone(),
            count: shards,
        })
    }

    /// Opens a folder that was prepared.
    ///
    /// # Errors
    ///
    /// [`ShardsError`].
    pub fn open(folder: &Path) -> Result<Self, ShardsError> {
        let found = PlanFile::read(folder)?;
        let found = found.ok_or_else(|| ShardsError::NoPlan(folder.to_owned()))?;
        let path = PlanFile::path(folder);
        let board = Board::new(found.n).map_err(|error| Problem::damaged(error).of(&path))?;
        let plan =
            Plan::new(board, found.engine).map_err(|error| Problem::damaged(error).of(&path))?;
        let expected = PlanFile::new(&plan, found.shards);
        if found != expected || !(1..=plan.len()).contains(&found.shards) {
            let other = Problem::other(found, format!("{expected}: use the program that wrote it"));
            return Err(other.of(&path).into());
        }
        Ok(Self {
            folder: folder.to_owned(),
            plan,
            count: found.shards,
        })
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

    /// The file that the ledger of a shard is in.
    #[must_use]
    pub fn path(&self, index: usize) -> PathBuf {
        self.folder.join(format!("shard-{index:06}.ledger"))
    }

    /// Opens the ledger of a shard, to count what is missing in it: see [`LedgerFile::open`].
    ///
    /// # Errors
    ///
    /// [`ShardsError::Shard`] if there is no such shard, [`ShardsError::File`].
    pub fn open_shard(
        &self,
        index: usize,
    ) -> Result<(LedgerFile, Ledger, Vec<String>), ShardsError> {
        const SYNC_EVERY: Duration = Duration::from_secs(5);
        let shard = self.shard(index)?;
        Ok(LedgerFile::open(
            &self.path(index),
            &self.plan,
            shard,
            SYNC_EVERY,
        )?)
    }
}
