//! Many machines: a folder that all of them see holds `plan.json` and a ledger for each shard that has been begun.
//!
//! What is counted is what is in these ledgers, whatever a scheduler says.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::files::{expect_regular, write_new};
use super::ledger_file::LedgerFile;
use super::problem::{FORMAT, FileError, Problem};
use crate::count::{CountError, Ledger, Plan, PlanId, Shard, ShardError};
use crate::engine::CancelToken;

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
/// for index in shards.status().missing {
///     let (mut file, mut ledger, _notices) = shards.open_shard(index)?;
///     let run = Counter::following(shards.plan().clone()).prepare()?;
///     let run = run.on_progress(|progress| drop(file.update(progress)));
///     let count = run.resume_shard(shards.shard(index)?, &mut ledger)?;
///     file.finish(&ledger, count.kernel, count.threads.count(), count.double_check.as_ref())?;
/// }
/// assert_eq!(shards.merge()?.total, 92);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Shards {
    pub(super) folder: PathBuf,
    plan: Plan,
    count: usize,
}

/// Content of `plan.json`. The fingerprint serves as the checksum of the plan, and every ledger names plan and shard.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFile {
    format: u64,
    fingerprint: String,
    plan: PlanId,
    shards: usize,
}

/// Why a folder of shards cannot be used as asked.
#[derive(Debug, Error)]
pub enum ShardsError {
    /// A file or the folder cannot be used. Where it is the plan's, and of [`Problem::Other`]: this program would cut
    /// the board otherwise, or another plan was asked for.
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
    #[error("no total: {} of {shards} shards are not done: {}", missing.len(), first_few(missing))]
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
    /// Reads the plan in a file, if there is one.
    fn read(path: &Path) -> Result<Option<Self>, Problem> {
        if !expect_regular(path)? {
            return Ok(None);
        }
        let mut text = Vec::new();
        File::open(path)?.take(1 << 16).read_to_end(&mut text)?;
        let value: Value = serde_json::from_slice(&text).map_err(Problem::damaged)?;
        match value["format"].as_u64() {
            Some(FORMAT) => serde_json::from_value(value)
                .map(Some)
                .map_err(Problem::damaged),
            Some(format) => Err(Problem::Version(format)),
            None => Err(Problem::Foreign("plan")),
        }
    }

    /// Writes it, unless another process is quicker, in its folder, which is made if only it is missing.
    fn write(&self, path: &Path, folder: &Path) -> io::Result<()> {
        let made = fs::create_dir(folder);
        let is_new = made.is_ok();
        if !folder.is_dir() {
            return made;
        }
        let json = serde_json::to_string_pretty(self).expect("numbers and texts") + "\n";
        let written = write_new(path, json.as_bytes());
        if written.is_err() && is_new {
            let _ = fs::remove_dir(folder); // unless another process has put something there
        }
        match written {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            written => written,
        }
    }
}

impl Shards {
    /// Prepares a folder, which is made if only it is missing, to count `plan` in `shards` shards. Where the same plan
    /// is there already, nothing is done.
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
        let path = folder.join("plan.json");
        let there = match Self::open(folder) {
            Err(ShardsError::NoPlan(_)) => {
                let file = PlanFile {
                    format: FORMAT,
                    fingerprint: plan.fingerprint(),
                    plan: plan.id().clone(),
                    shards,
                };
                let written = file.write(&path, folder);
                written.map_err(|error| Problem::from(error).of(&path))?;
                Self::open(folder)?
            }
            there => there?,
        };
        let difference = if there.plan.id() != plan.id() {
            there.plan.id().difference(plan.id())
        } else if there.count != shards {
            [there.count, shards].map(|shards| format!("a plan in {shards} shards"))
        } else {
            return Ok(there);
        };
        Err(Problem::other(difference).of(&path).into())
    }

    /// Opens a folder that was prepared.
    ///
    /// # Errors
    ///
    /// [`ShardsError`].
    pub fn open(folder: &Path) -> Result<Self, ShardsError> {
        let path = folder.join("plan.json");
        let made = |there: PlanFile| -> Result<Self, Problem> {
            if there.fingerprint != there.plan.fingerprint() {
                return Err(Problem::damaged(
                    "plan and fingerprint contradict each other",
                ));
            }
            let plan = there.plan.plan().map_err(Problem::damaged)?;
            if *plan.id() != there.plan {
                return Err(Problem::other(there.plan.difference(plan.id())));
            }
            let (shards, len) = (there.shards, plan.len());
            if !(1..=len.max(1)).contains(&shards) {
                let reason = format!("it cuts {len} subproblems in {shards} shards");
                return Err(Problem::damaged(reason));
            }
            Ok(Self::new(folder, plan, shards))
        };
        match PlanFile::read(&path).and_then(|there| there.map(made).transpose()) {
            Ok(shards) => shards.ok_or_else(|| ShardsError::NoPlan(folder.to_owned())),
            Err(problem) => Err(problem.of(&path).into()),
        }
    }

    fn new(folder: &Path, plan: Plan, count: usize) -> Self {
        let folder = folder.to_owned();
        Self {
            folder,
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

    /// The file that the ledger of a shard is in.
    #[must_use]
    pub fn path(&self, index: usize) -> PathBuf {
        self.folder.join(format!("shard-{index:06}.ledger"))
    }

    /// Opens the ledger of a shard, to count what is missing in it and save it every 5 seconds: see
    /// [`LedgerFile::open`].
    ///
    /// # Errors
    ///
    /// [`ShardsError::Shard`] if there is no such shard, [`ShardsError::File`].
    pub fn open_shard(
        &self,
        index: usize,
    ) -> Result<(LedgerFile, Ledger, Vec<String>), ShardsError> {
        const EVERY: Duration = Duration::from_secs(5);
        let shard = self.shard(index)?;
        Ok(LedgerFile::open(
            &self.path(index),
            &self.plan,
            shard,
            EVERY,
            &CancelToken::new(),
        )?)
    }
}
