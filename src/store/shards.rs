//! Many machines: a folder that all of them see holds `plan.json` and one result for each shard that has been counted.
//!
//! A result is a pure function of the plan and the shard's number. It is put in place at once or not at all, so that two
//! tasks that count the same shard at the same moment do no harm: whichever is last leaves what the other left. What is
//! counted is what has a valid result here, whatever a scheduler says.

use std::collections::BTreeSet;
use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::document::{self, DocumentError};
use super::storage::{self, Storage, with_suffix};
use crate::board::Board;
use crate::count::ShardCount;
use crate::count::plan::{Fingerprint, PLAN_VERSION, Plan, Shard};
use crate::count::verify::{self, Check, Mismatch};
use crate::engine::Engine;

/// The kinds of documents.
const PLAN: &str = "plan";
const RESULT: &str = "shard";

/// What is in `plan.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFile {
    fingerprint: Fingerprint,
    n: u32,
    engine: Engine,
    plan_version: u32,
    /// Number of shards.
    shards: usize,
    /// Number of subproblems.
    subproblems: usize,
}

/// The result of one shard, as in its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ShardResult {
    /// The plan.
    pub fingerprint: Fingerprint,
    /// Number of the shard, from 0.
    pub shard: usize,
    /// Number of shards in all.
    pub shards: usize,
    /// Number of subproblems in the shard.
    pub subproblems: usize,
    /// Solutions, weights of symmetry included: a string, since it can exceed the 2^53 of exact JSON numbers.
    pub solutions: String,
    /// Wall time.
    pub seconds: f64,
    /// Number of threads.
    pub threads: usize,
    /// Kernel.
    pub kernel: String,
    /// Machine.
    pub host: String,
    /// Version of the program.
    pub version: String,
}

/// A folder with a plan cut in shards.
///
/// ```
/// use queens::store::{Disk, Shards};
/// use queens::{Board, Counter, Engine, Plan};
///
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path();
/// let plan = Plan::new(Board::new(8)?, Engine::Bitboard)?;
/// Shards::create(&Disk, folder, &plan, 3)?;
///
/// let shards = Shards::open(&Disk, folder)?; // on another machine, perhaps
/// for index in shards.missing() {
///     let counter = Counter::following(shards.plan().clone());
///     shards.put(index, &counter.run_shard(shards.shard(index)?)?)?;
/// }
/// assert_eq!(shards.merge()?.solutions, 92);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Shards<'a> {
    storage: &'a dyn Storage,
    folder: PathBuf,
    plan: Plan,
    fingerprint: Fingerprint,
    count: usize,
}

/// What all shards come to.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Merged {
    /// The number of solutions.
    pub solutions: u128,
    /// How it was checked.
    pub check: Check,
    /// Number of shards.
    pub shards: usize,
    /// Number of subproblems.
    pub subproblems: usize,
    /// Wall time of all shards together.
    pub seconds: f64,
    /// The machines.
    pub hosts: BTreeSet<String>,
    /// The kernels.
    pub kernels: BTreeSet<String>,
}

/// Why a folder of shards cannot be used as asked.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ShardsError {
    /// The system does not let a file be used.
    #[error("'{}': {error}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system reports.
        error: io::Error,
    },
    /// There is no plan.
    #[error("'{}' has no plan.json (accepted: a folder that `queens plan` has prepared)", folder.display())]
    NoPlan {
        /// The folder.
        folder: PathBuf,
    },
    /// The plan is not one that this program can follow.
    #[error("'{}' {error}", path.display())]
    NotOurs {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: DocumentError,
    },
    /// The plan's file is whole, but this program would cut the board otherwise.
    #[error("'{}' has plan {found}, for which this program has {expected}: use the program that wrote it", path.display())]
    OtherProgram {
        /// The file.
        path: PathBuf,
        /// Its plan.
        found: Fingerprint,
        /// This program's.
        expected: String,
    },
    /// Another plan is there.
    #[error(
        "'{}' holds plan {found} in {found_shards} shards, not plan {expected} in {shards}: use another folder", path.display()
    )]
    DifferentPlan {
        /// The file.
        path: PathBuf,
        /// Its plan.
        found: Fingerprint,
        /// Its number of shards.
        found_shards: usize,
        /// The plan asked for.
        expected: Fingerprint,
        /// The number of shards asked for.
        shards: usize,
    },
    /// The number of shards does not fit the plan.
    #[error(
        "{shards} shards of a plan of {subproblems} subproblems ({})", accepted_shards(*subproblems)
    )]
    Count {
        /// The number asked for.
        shards: usize,
        /// Subproblems of the plan.
        subproblems: usize,
    },
    /// A shard number is out of range.
    #[error("there is no shard {index} in '{}' (accepted: 0 to {})", folder.display(), shards - 1)]
    Shard {
        /// The folder.
        folder: PathBuf,
        /// The number asked for.
        index: usize,
        /// The number of shards.
        shards: usize,
    },
    /// Shards have no result yet.
    #[error("no total: {} of {shards} shards have no result: {}", missing.len(), some(missing))]
    Gaps {
        /// Their numbers.
        missing: Vec<usize>,
        /// The number of shards.
        shards: usize,
    },
    /// Results are there that cannot be used.
    #[error("no total: {} of the results cannot be used: {}", faults.len(), some(faults))]
    Faults {
        /// What is wrong.
        faults: Vec<Fault>,
    },
    /// The total contradicts a published value.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
}

/// A result that cannot be used.
#[derive(Debug, Error)]
#[error("'{file}' {wrong}")]
pub struct Fault {
    /// The name of its file.
    pub file: String,
    /// What is wrong with it.
    pub wrong: Wrong,
}

/// What can be wrong with a result.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Wrong {
    /// There is none.
    #[error("is missing")]
    Missing,
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(io::Error),
    /// It is damaged, or something else.
    #[error(transparent)]
    Document(DocumentError),
    /// It belongs to another plan.
    #[error("is of plan {found}, not of {expected}")]
    OtherPlan {
        /// Its plan.
        found: Fingerprint,
        /// The folder's plan.
        expected: Fingerprint,
    },
    /// It is another shard's.
    #[error(
        "holds shard {shard} of {shards}: that shard would be added twice, or this one not at all"
    )]
    OtherShard {
        /// The shard in it.
        shard: usize,
        /// Of how many.
        shards: usize,
    },
    /// Its number of subproblems or solutions cannot be.
    #[error(
        "has {subproblems} subproblems with {solutions} solutions, where {expected} subproblems belong"
    )]
    Numbers {
        /// Subproblems in it.
        subproblems: usize,
        /// Solutions in it.
        solutions: String,
        /// Subproblems of the shard.
        expected: usize,
    },
    /// No shard of the plan has that file.
    #[error("is no shard of the plan: it would be added besides")]
    Stray,
}

/// In how many shards a plan can be cut.
fn accepted_shards(subproblems: usize) -> String {
    match subproblems {
        0 => "there is nothing to cut for this N: count it without shards".to_owned(),
        most => format!("accepted: 1 to {most}"),
    }
}

/// The first few of a list.
fn some(list: &[impl fmt::Display]) -> String {
    const MOST: usize = 10;
    let mut texts: Vec<_> = list.iter().take(MOST).map(ToString::to_string).collect();
    if list.len() > MOST {
        texts.push("...".to_owned());
    }
    texts.join(", ")
}

impl<'a> Shards<'a> {
    /// Prepares a folder, which is made if only it is missing, to count `plan` in `shards` shards. Where the same plan is
    /// there already, nothing is done.
    ///
    /// # Errors
    ///
    /// [`ShardsError`], and nothing is changed.
    pub fn create(
        storage: &'a dyn Storage,
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
        let path = folder.join("plan.json");
        match read_plan(storage, folder) {
            Ok(there) if there.fingerprint == plan.fingerprint() && there.shards == shards => {}
            Ok(there) => {
                return Err(ShardsError::DifferentPlan {
                    path,
                    found: there.fingerprint,
                    found_shards: there.shards,
                    expected: plan.fingerprint(),
                    shards,
                });
            }
            Err(ShardsError::NoPlan { .. }) => {
                let contents = PlanFile {
                    fingerprint: plan.fingerprint(),
                    n: plan.board().n(),
                    engine: plan.engine(),
                    plan_version: PLAN_VERSION,
                    shards,
                    subproblems: plan.len(),
                };
                storage
                    .create_folder(folder)
                    .and_then(|()| put(storage, &path, &document::seal(PLAN, &contents)))
                    .map_err(|error| ShardsError::Io { path, error })?;
            }
            Err(error) => return Err(error),
        }
        Ok(Self::new(storage, folder, plan.clone(), shards))
    }

    /// Opens a folder that was prepared.
    ///
    /// # Errors
    ///
    /// [`ShardsError`].
    pub fn open(storage: &'a dyn Storage, folder: &Path) -> Result<Self, ShardsError> {
        let found = read_plan(storage, folder)?;
        let other_program = |expected| ShardsError::OtherProgram {
            path: folder.join("plan.json"),
            found: found.fingerprint.clone(),
            expected,
        };
        let plan = Board::new(found.n)
            .map_err(|error| other_program(error.to_string()))
            .and_then(|board| {
                Plan::new(board, found.engine).map_err(|error| other_program(error.to_string()))
            })?;
        let expected = plan.fingerprint();
        let fits = found.subproblems == plan.len() && (1..=plan.len()).contains(&found.shards);
        if found.fingerprint != expected || !fits {
            return Err(other_program(expected.to_string()));
        }
        Ok(Self::new(storage, folder, plan, found.shards))
    }

    fn new(storage: &'a dyn Storage, folder: &Path, plan: Plan, count: usize) -> Self {
        Self {
            storage,
            folder: folder.to_owned(),
            fingerprint: plan.fingerprint(),
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
        Shard::new(index, self.count).map_err(|_| ShardsError::Shard {
            folder: self.folder.clone(),
            index,
            shards: self.count,
        })
    }

    /// The file that the result of a shard is in.
    #[must_use]
    pub fn path(&self, index: usize) -> PathBuf {
        self.folder.join(file_name(index))
    }

    /// The result of a shard.
    ///
    /// # Errors
    ///
    /// What is wrong with it, or that it is missing.
    pub fn get(&self, index: usize) -> Result<ShardResult, Wrong> {
        let bytes = match self.storage.read(&self.path(index)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Wrong::Missing),
            Err(error) => return Err(Wrong::Unreadable(error)),
        };
        let result: ShardResult = document::unseal(RESULT, &bytes).map_err(Wrong::Document)?;
        if result.fingerprint != self.fingerprint {
            return Err(Wrong::OtherPlan {
                found: result.fingerprint,
                expected: self.fingerprint.clone(),
            });
        }
        if (result.shard, result.shards) != (index, self.count) {
            let ShardResult { shard, shards, .. } = result;
            return Err(Wrong::OtherShard { shard, shards });
        }
        let expected =
            Shard::new(index, self.count).map_or(0, |shard| self.plan.shard(shard).len());
        if result.subproblems != expected || result.count().is_none() {
            let ShardResult {
                subproblems,
                solutions,
                ..
            } = result;
            return Err(Wrong::Numbers {
                subproblems,
                solutions,
                expected,
            });
        }
        Ok(result)
    }

    /// Makes sure, before a shard is counted, that its result can be put in its place.
    ///
    /// # Errors
    ///
    /// [`ShardsError::Io`].
    pub fn expect_writable(&self, index: usize) -> Result<(), ShardsError> {
        let path = self.path(index);
        let probe = unique(&path);
        let created = self.storage.create(&probe).map(drop);
        created
            .and_then(|()| self.storage.remove(&probe))
            .map_err(|error| ShardsError::Io { path, error })
    }

    /// Puts the result of a shard in its place, at once or not at all.
    ///
    /// # Errors
    ///
    /// [`ShardsError::Io`].
    pub fn put(&self, index: usize, count: &ShardCount) -> Result<(), ShardsError> {
        let result = ShardResult {
            fingerprint: self.fingerprint.clone(),
            shard: index,
            shards: self.count,
            subproblems: count.subproblems,
            solutions: count.solutions.to_string(),
            seconds: count.elapsed.as_secs_f64(),
            threads: count.threads.count(),
            kernel: count.kernel.to_string(),
            host: storage::host(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let path = self.path(index);
        put(self.storage, &path, &document::seal(RESULT, &result))
            .map_err(|error| ShardsError::Io { path, error })
    }

    /// The shards without a valid result, in order.
    pub fn missing(&self) -> impl Iterator<Item = usize> {
        (0..self.count).filter(|&index| self.get(index).is_err())
    }

    /// Adds all shards up.
    ///
    /// # Errors
    ///
    /// [`ShardsError::Faults`] if anything is there that cannot be used, or that would be added twice;
    /// [`ShardsError::Gaps`] if shards are missing and nothing else is wrong; [`ShardsError::Mismatch`] if the total
    /// contradicts a published value.
    pub fn merge(&self) -> Result<Merged, ShardsError> {
        let mut faults = self.strays()?;
        let mut missing = Vec::new();
        let mut total: u128 = 0;
        let mut subproblems = 0;
        let mut seconds = 0.0;
        let (mut hosts, mut kernels) = (BTreeSet::new(), BTreeSet::new());
        for index in 0..self.count {
            match self.get(index) {
                Ok(result) => {
                    // Shards are below 2^64 each, and fewer than 2^64: a u128 cannot overflow.
                    total += u128::from(result.count().expect("it has been checked"));
                    subproblems += result.subproblems;
                    seconds += result.seconds;
                    hosts.insert(result.host);
                    kernels.insert(result.kernel);
                }
                Err(Wrong::Missing) => missing.push(index),
                Err(wrong) => {
                    let file = file_name(index);
                    faults.push(Fault { file, wrong });
                }
            }
        }
        let shards = self.count;
        if !faults.is_empty() {
            return Err(ShardsError::Faults { faults });
        }
        if !missing.is_empty() {
            return Err(ShardsError::Gaps { missing, shards });
        }
        assert_eq!(subproblems, self.plan.len(), "shards make up the plan");
        Ok(Merged {
            solutions: total,
            check: verify::check(self.plan.board(), total)?,
            shards,
            subproblems,
            seconds,
            hosts,
            kernels,
        })
    }

    /// Files that are called like results, but no shard's.
    fn strays(&self) -> Result<Vec<Fault>, ShardsError> {
        let names = self.storage.list(&self.folder);
        let mut names = names.map_err(|error| ShardsError::Io {
            path: self.folder.clone(),
            error,
        })?;
        names.sort();
        let ours = |name: &str| {
            let index = name.strip_prefix("shard-")?.strip_suffix(".json")?;
            let index: usize = index.parse().ok()?;
            (index < self.count && name == file_name(index)).then_some(())
        };
        let is_stray = |name: &String| {
            name.starts_with("shard-") && name.ends_with(".json") && ours(name).is_none()
        };
        let wrong = |file| Fault {
            file,
            wrong: Wrong::Stray,
        };
        Ok(names.into_iter().filter(is_stray).map(wrong).collect())
    }
}

impl ShardResult {
    /// The number of solutions, unless the text is not what this program writes.
    fn count(&self) -> Option<u64> {
        let count: u64 = self.solutions.parse().ok()?;
        (count.to_string() == self.solutions).then_some(count)
    }
}

/// The name of the file for a shard's result.
fn file_name(index: usize) -> String {
    format!("shard-{index:06}.json")
}

fn read_plan(storage: &dyn Storage, folder: &Path) -> Result<PlanFile, ShardsError> {
    let path = folder.join("plan.json");
    match storage.read(&path) {
        Ok(bytes) => {
            document::unseal(PLAN, &bytes).map_err(|error| ShardsError::NotOurs { path, error })
        }
        Err(error) => Err(match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ShardsError::NoPlan {
                folder: folder.to_owned(),
            },
            _ => ShardsError::Io { path, error },
        }),
    }
}

/// Puts a file in place, by way of a temporary file that no other process writes to.
fn put(storage: &dyn Storage, path: &Path, bytes: &[u8]) -> io::Result<()> {
    storage::replace(storage, path, &unique(path), None, bytes)
}

/// A name beside `path` that no other process uses.
fn unique(path: &Path) -> PathBuf {
    let chance = RandomState::new().build_hasher().finish();
    let (host, process) = (storage::host(), std::process::id());
    with_suffix(path, &format!(".{host}-{process}-{chance:016x}.tmp"))
}

#[cfg(test)]
mod tests {
    use super::super::faulty::{Faulty, Rng, damages};
    use super::*;
    use crate::count::Counter;

    const FOLDER: &str = "/shared";
    const N: u32 = 7;
    const SHARDS: usize = 4;

    fn plan(n: u32) -> Plan {
        Plan::new(Board::new(n).unwrap(), Engine::Bitboard).unwrap()
    }

    fn create(disk: &Faulty) -> Shards<'_> {
        Shards::create(disk, Path::new(FOLDER), &plan(N), SHARDS).unwrap()
    }

    fn count(shards: &Shards<'_>, index: usize) -> ShardCount {
        let counter = Counter::following(shards.plan().clone()).threads(1);
        counter.run_shard(shards.shard(index).unwrap()).unwrap()
    }

    /// A folder with all results.
    fn complete() -> Faulty {
        let disk = Faulty::new();
        let shards = create(&disk);
        for index in 0..SHARDS {
            shards.put(index, &count(&shards, index)).unwrap();
        }
        disk
    }

    fn shard_file(index: usize) -> PathBuf {
        Path::new(FOLDER).join(file_name(index))
    }

    /// The files of shard 1, written by a plan with other values.
    fn forge(disk: &Faulty, change: impl FnOnce(&mut ShardResult)) {
        let mut result = Shards::open(disk, Path::new(FOLDER))
            .unwrap()
            .get(1)
            .unwrap();
        change(&mut result);
        disk.put(shard_file(1), &document::seal(RESULT, &result));
    }

    fn merge(disk: &Faulty) -> Result<Merged, ShardsError> {
        Shards::open(disk, Path::new(FOLDER)).unwrap().merge()
    }

    fn faults(disk: &Faulty) -> Vec<Fault> {
        match merge(disk) {
            Err(ShardsError::Faults { faults }) => faults,
            other => panic!("no faults: {other:?}"),
        }
    }

    #[test]
    fn all_shards_make_the_total() {
        let merged = merge(&complete()).unwrap();
        let expected = crate::known::known(N).unwrap().solutions;
        assert_eq!(merged.solutions, expected);
        assert_eq!(merged.check.word(), "verified");
        assert_eq!((merged.shards, merged.subproblems), (SHARDS, plan(N).len()));
    }

    #[test]
    fn gaps_are_named() {
        let disk = complete();
        for index in [2, 0] {
            disk.remove(&shard_file(index)).unwrap();
        }
        match merge(&disk) {
            Err(ShardsError::Gaps { missing, .. }) => assert_eq!(missing, [0, 2]),
            other => panic!("{other:?}"),
        }
        let shards = Shards::open(&disk, Path::new(FOLDER)).unwrap();
        assert_eq!(shards.missing().collect::<Vec<_>>(), [0, 2]);
    }

    #[test]
    fn a_shard_is_never_added_twice() {
        let disk = complete();
        let second = disk.files()[&shard_file(2)].clone();
        disk.put(shard_file(1), &second);
        assert!(matches!(
            faults(&disk)[0].wrong,
            Wrong::OtherShard { shard: 2, .. }
        ));
        for stray in [
            "shard-000004.json",
            "shard-2.json",
            "shard-000002 (copy).json",
        ] {
            let disk = complete();
            disk.put(Path::new(FOLDER).join(stray), &second);
            assert!(matches!(faults(&disk)[0].wrong, Wrong::Stray), "{stray}");
        }
    }

    #[test]
    fn what_a_mad_program_might_write_is_refused() {
        let changes: [fn(&mut ShardResult); 6] = [
            |result| result.fingerprint = plan(8).fingerprint(),
            |result| result.shards += 1,
            |result| result.subproblems += 1,
            |result| result.solutions.insert(0, '0'),
            |result| result.solutions = "-4".to_owned(),
            |result| result.solutions = format!("{}0", u64::MAX),
        ];
        for change in changes {
            let disk = complete();
            forge(&disk, change);
            assert_eq!(faults(&disk).len(), 1);
            let shards = Shards::open(&disk, Path::new(FOLDER)).unwrap();
            assert_eq!(shards.missing().collect::<Vec<_>>(), [1]);
        }
        let disk = complete();
        forge(&disk, |result| result.solutions = "5".to_owned());
        assert!(matches!(merge(&disk), Err(ShardsError::Mismatch(_))));
    }

    #[test]
    fn every_flip_and_cut_of_a_result_is_seen() {
        let disk = complete();
        let good = disk.files()[&shard_file(1)].clone();
        for bytes in damages(&good) {
            disk.put(shard_file(1), &bytes);
            assert_eq!(faults(&disk).len(), 1);
        }
        let shards = Shards::open(&disk, Path::new(FOLDER)).unwrap();
        shards.put(1, &count(&shards, 1)).unwrap();
        merge(&disk).unwrap();
    }

    #[test]
    fn a_different_plan_is_refused_and_the_same_is_welcome() {
        let disk = Faulty::new();
        create(&disk);
        let before = disk.files();
        create(&disk);
        for (n, shards) in [(8, SHARDS), (N, SHARDS + 1)] {
            let refused = Shards::create(&disk, Path::new(FOLDER), &plan(n), shards);
            assert!(matches!(refused, Err(ShardsError::DifferentPlan { .. })));
        }
        assert_eq!(disk.files(), before);
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_is_known_beforehand() {
        let disk = Faulty::new();
        let shards = Shards::create(&disk, Path::new(FOLDER), &plan(N), SHARDS).unwrap();
        let before = disk.files();
        shards.expect_writable(1).unwrap();
        disk.fail_writes(io::ErrorKind::ReadOnlyFilesystem);
        let error = shards.expect_writable(1).unwrap_err();
        assert!(matches!(error, ShardsError::Io { .. }), "{error}");
        assert_eq!(disk.files(), before);
    }

    #[test]
    fn no_shards_and_too_many_are_refused() {
        let disk = Faulty::new();
        for shards in [0, plan(N).len() + 1] {
            let refused = Shards::create(&disk, Path::new(FOLDER), &plan(N), shards);
            assert!(matches!(refused, Err(ShardsError::Count { .. })));
        }
        assert!(disk.files().is_empty());
        Shards::create(&disk, Path::new(FOLDER), &plan(N), plan(N).len()).unwrap();
    }

    #[test]
    fn the_plan_of_another_program_is_refused() {
        let changes: [fn(&mut PlanFile); 4] = [
            |file| file.fingerprint = plan(8).fingerprint(),
            |file| file.subproblems += 1,
            |file| file.shards = 0,
            |file| file.n = 99,
        ];
        for change in changes {
            let disk = Faulty::new();
            create(&disk);
            let mut file = read_plan(&disk, Path::new(FOLDER)).unwrap();
            change(&mut file);
            disk.put("/shared/plan.json", &document::seal(PLAN, &file));
            let refused = Shards::open(&disk, Path::new(FOLDER));
            assert!(matches!(refused, Err(ShardsError::OtherProgram { .. })));
        }
    }

    /// Each step of writing a result fails, or loses power: the old result or the new is there, or none; never another.
    #[test]
    fn a_result_is_there_or_not() {
        for kind in [io::ErrorKind::StorageFull, io::ErrorKind::Other] {
            for step in 0.. {
                let disk = Faulty::new();
                let shards = create(&disk);
                let result = count(&shards, 1);
                disk.fail_at_step(step, kind);
                let outcome = shards.put(1, &result);
                if !disk.has_failed() {
                    outcome.unwrap();
                    assert!(step > 4, "only {step} steps were tried");
                    break;
                }
                assert!(outcome.is_err());
                assert!(matches!(shards.get(1), Err(Wrong::Missing) | Ok(_)));
                disk.heal();
                shards.put(1, &result).unwrap();
                assert_eq!(
                    shards.get(1).unwrap().solutions,
                    result.solutions.to_string()
                );
                let rubbish = |name: &PathBuf| name.to_string_lossy().ends_with(".tmp");
                assert!(!disk.files().keys().any(rubbish), "step {step}");
            }
        }
    }

    #[test]
    fn a_result_that_was_put_survives_a_loss_of_power() {
        let mut losses = 0;
        for step in 0.. {
            let disk = Faulty::new();
            let shards = create(&disk);
            let result = count(&shards, 1);
            disk.lose_power_at_step(step);
            let outcome = shards.put(1, &result);
            let failed = disk.has_failed();
            for seed in 0..100 {
                let after = disk.after_power_loss(&mut Rng(seed));
                let shards = Shards::open(&after, Path::new(FOLDER)).unwrap();
                match shards.get(1) {
                    Ok(found) => assert_eq!(found.solutions, result.solutions.to_string()),
                    Err(Wrong::Missing) => assert!(outcome.is_err()),
                    Err(wrong) => panic!("step {step}, seed {seed}: {wrong}"),
                }
                losses += 1;
            }
            if !failed {
                outcome.unwrap();
                break;
            }
        }
        assert!(losses > 400, "{losses}");
    }
}
