//! Counts that are split across several machines through a shared folder.
//!
//! The folder contains `plan.json` and a ledger for each shard that has been started. Only the
//! ledgers show which shards are complete, whatever a scheduler reports.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::files::{NewFile, regular, sync_folder_of};
use super::format::{Header, MAX_HEADER};
use super::ledger_file::LedgerFile;
use super::problem::{FileError, Problem};
use crate::count::{CountError, Plan, Shard, ShardError};

/// A plan that is split into shards, in a folder that several machines may share.
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
/// let shards = Shards::open(folder)?; // for example, on another machine
/// for index in shards.status().missing {
///     let mut file = shards.open_shard(index)?;
///     let mut run = Counter::following(shards.plan().clone()).prepare()?;
///     run.count(run.missing(file.ledger())?, |results| {
///         file.record(results)?;
///         Ok(file.save()?)
///     })?;
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

/// Error from creating, opening or merging shards.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ShardsError {
    /// A file or the folder cannot be used. [`Problem::Other`] for `plan.json` means that it
    /// contains a different plan from the one requested, or that this version of the program splits
    /// the board differently.
    #[error(transparent)]
    File(#[from] FileError),
    /// The folder has no plan.
    #[error("'{}' has no plan.json (accepted: a folder with a plan)", .0.display())]
    NoPlan(PathBuf),
    /// The number of shards does not fit the plan.
    #[error(
        "a plan of {subproblems} subproblems cannot be split into {shards} shards ({})", accepted_shards(*subproblems)
    )]
    Split {
        /// Requested number of shards.
        shards: usize,
        /// Number of subproblems.
        subproblems: usize,
    },
    /// A shard number is out of range.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// Some shards are not complete.
    #[error("no total: {}", not_done(missing, *shards))]
    Gaps {
        /// Numbers of the missing shards.
        missing: Vec<usize>,
        /// Number of shards.
        shards: usize,
    },
    /// Some ledgers cannot be used.
    #[error("no total: {} of the ledgers cannot be used: {}", .0.len(), first_few(.0))]
    Unusable(Vec<FileError>),
    /// The total is wrong, or could not be verified.
    #[error(transparent)]
    Total(#[from] CountError),
}

/// Describes missing shards for an error message.
fn not_done(missing: &[usize], shards: usize) -> String {
    let (are, s) = if missing.len() == 1 { ("is", "") } else { ("are", "s") };
    let list = first_few(missing);
    format!("{} of {shards} shards {are} not done: shard{s} {list}", missing.len())
}

/// Checks that the plan can be split into this many shards.
pub(super) fn expect_shards(plan: &Plan, shards: usize) -> Result<(), ShardsError> {
    let subproblems = plan.len();
    if (1..=subproblems).contains(&shards) {
        return Ok(());
    }
    Err(ShardsError::Split { shards, subproblems })
}

/// Describes the accepted numbers of shards for an error message.
fn accepted_shards(subproblems: usize) -> String {
    match subproblems {
        0 => "there is nothing to split: count this N without shards".to_owned(),
        most => format!("accepted: 1 to {most}"),
    }
}

/// Joins the first ten elements of a list for an error message.
fn first_few(list: &[impl fmt::Display]) -> String {
    const MOST: usize = 10;
    let more = (list.len() > MOST).then(|| "...".to_owned());
    let texts = list.iter().take(MOST).map(ToString::to_string).chain(more);
    texts.collect::<Vec<_>>().join(", ")
}

/// Returns the path of `plan.json`.
pub(super) fn plan_path(folder: &Path) -> PathBuf {
    folder.join("plan.json")
}

/// Writes `plan.json`, unless it already exists. Creates the folder if only the last component of
/// its path is missing.
fn write_plan(folder: &Path, plan: &Header) -> io::Result<()> {
    let created = fs::create_dir(folder);
    if !folder.is_dir() {
        return created;
    }
    let path = plan_path(folder);
    let written = NewFile::create(&path).and_then(|mut new| {
        new.file.write_all(plan.line().as_bytes())?;
        new.appear(&path)
    });
    match written {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            if created.is_ok() {
                let _ = fs::remove_dir(folder); // fails if another process uses it
            }
            Err(error)
        }
        _ => created.map_or(Ok(()), |()| sync_folder_of(folder)),
    }
}

impl Shards {
    /// Prepares a folder for counting `plan`, split into `shards` shards. Creates the folder if
    /// only the last component of its path is missing. Does nothing if the folder already contains
    /// the same plan.
    ///
    /// # Errors
    ///
    /// Returns an error if the plan cannot be split into this many shards, or if the folder cannot
    /// be used or contains another plan. An existing plan is never replaced.
    pub fn create(
        folder: impl AsRef<Path>,
        plan: &Plan,
        shards: usize,
    ) -> Result<Self, ShardsError> {
        expect_shards(plan, shards)?;
        let folder = folder.as_ref();
        let (path, wanted) = (plan_path(folder), Header::new(plan.id(), None, shards));
        let there = match Self::open(folder) {
            Err(ShardsError::NoPlan(_)) => {
                write_plan(folder, &wanted).map_err(|error| Problem::from(error).at(&path))?;
                Self::open(folder)?
            }
            there => there?,
        };
        let found = Header::new(there.plan.id(), None, there.count);
        match found == wanted {
            true => Ok(there),
            false => Err(Problem::other(found.difference(&wanted)).at(&path).into()),
        }
    }

    /// Opens a folder that [`create`](Self::create) has prepared.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder contains no plan or cannot be used.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, ShardsError> {
        let folder = folder.as_ref();
        let there = Self::read(folder).map_err(|problem| problem.at(&plan_path(folder)))?;
        there.ok_or_else(|| ShardsError::NoPlan(folder.to_owned()))
    }

    /// Reads `plan.json`, if it exists.
    fn read(folder: &Path) -> Result<Option<Self>, Problem> {
        let path = plan_path(folder);
        if regular(&path)?.is_none() {
            return Ok(None);
        }
        let mut text = Vec::new();
        File::open(path)?.take(MAX_HEADER).read_to_end(&mut text)?;
        let Header { plan: id, of: count, .. } = Header::parse("plan", &text)?;
        let plan = id.plan().map_err(Problem::damaged)?;
        if *plan.id() != id {
            return Err(Problem::other(id.difference(plan.id())));
        }
        let len = plan.len();
        if !(1..=len.max(1)).contains(&count) {
            return Err(Problem::damaged(format!(
                "it splits {len} subproblems into {count} shards"
            )));
        }
        let folder = folder.to_owned();
        Ok(Some(Self { folder, plan, count }))
    }

    /// Returns the plan.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the number of shards.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the shard with number `index`.
    ///
    /// # Errors
    ///
    /// Returns [`ShardsError::Shard`] if `index` is out of range.
    pub fn shard(&self, index: usize) -> Result<Shard, ShardsError> {
        Ok(Shard::new(index, self.count)?)
    }

    /// Returns the path of a shard's ledger.
    #[must_use]
    pub fn path(&self, index: usize) -> PathBuf {
        self.folder.join(format!("shard-{index:06}.ledger"))
    }

    /// Opens the ledger of a shard. See [`LedgerFile::open`].
    ///
    /// # Errors
    ///
    /// Returns [`ShardsError::Shard`] if `index` is out of range, and [`ShardsError::File`] if the
    /// file is unusable or a symbolic link.
    pub fn open_shard(&self, index: usize) -> Result<LedgerFile, ShardsError> {
        let (path, shard) = (self.path(index), self.shard(index)?);
        // In a shared folder, others could direct the results to any file of this user.
        if path.is_symlink() {
            let reason = "a symbolic link (accepted: a regular file in the folder)";
            return Err(Problem::from(io::Error::other(reason)).at(&path).into());
        }
        Ok(LedgerFile::open(&path, &self.plan, shard)?)
    }
}
