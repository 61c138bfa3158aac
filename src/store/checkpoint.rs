//! The checkpoint of a count: its ledger in a file, from which any later run can go on, with any number of threads, any
//! kernel, on any machine.
//!
//! Beside `FILE` stand `FILE.previous`, the generation before; `FILE.lock`, which keeps a second process away; and, for
//! moments, `FILE.tmp`. A file that is found damaged becomes `FILE.damaged`. There is a good generation at all times: a
//! new one is complete and synced before it takes the name, and the one that had the name is kept. Whatever else has one
//! of these names is left alone, and `FILE` refused.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::document::{self, DocumentError};
use super::packed;
use super::storage::{self, Lock, LockError, Storage, with_suffix};
use crate::count::ledger::Ledger;
use crate::count::plan::{Fingerprint, Plan};

/// The kind of document.
const KIND: &str = "checkpoint";

/// What is in the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    fingerprint: Fingerprint,
    /// Subproblems of the plan.
    subproblems: usize,
    /// How many of them are done, and the sum of their counts: for people, and as a check of `counts`.
    done: usize,
    solutions: String,
    /// Wall time of all runs so far.
    seconds: f64,
    /// Version of the program.
    version: String,
    /// Which subproblems are done and what each contributed: see [`packed`].
    counts: String,
}

/// A checkpoint file, locked for this process until dropped.
#[derive(Debug)]
pub struct Checkpoint {
    storage: Box<dyn Storage>,
    path: PathBuf,
    fingerprint: Fingerprint,
    /// Held until dropped.
    lock: Lock,
}

/// Why a file cannot be used as the checkpoint of a count. Nothing has been changed then.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The system does not let it be used.
    #[error("'{}': {error} (accepted: a regular file, or a new one in a folder that can be written to)", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system reports.
        error: io::Error,
    },
    /// Another process counts with it.
    #[error("'{}' is {holder}'s at this moment", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
        /// The process.
        holder: String,
    },
    /// It belongs to another plan.
    #[error("'{}' is of plan {found}, this count has plan {expected}", path.display())]
    OtherPlan {
        /// The file.
        path: PathBuf,
        /// Its plan.
        found: Fingerprint,
        /// The plan to count.
        expected: Fingerprint,
    },
    /// It is not a checkpoint, or another version's.
    #[error("'{}' {error}", path.display())]
    NotOurs {
        /// The file.
        path: PathBuf,
        /// What it is.
        error: DocumentError,
    },
}

/// Something to tell about a checkpoint that could be used nevertheless.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Notice {
    /// A damaged file has been given another name.
    #[error("'{}' {reason}; it has been set aside as '{}'", path.display(), aside.display())]
    SetAside {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: DocumentError,
        /// Its new name.
        aside: PathBuf,
    },
    /// The generation before the last one was used.
    #[error("going on from the generation before, '{}'", path.display())]
    Older {
        /// Its file.
        path: PathBuf,
    },
    /// No generation could be used.
    #[error("no good generation of '{}' is left: counting from the start", path.display())]
    Lost {
        /// The file.
        path: PathBuf,
    },
    /// The file system cannot keep others away.
    #[error("'{}' cannot be locked ({error}): make sure that no other process uses it", path.display())]
    Unlocked {
        /// The file.
        path: PathBuf,
        /// What the system reports.
        error: String,
    },
}

/// What one generation's file holds.
enum Generation {
    Good(Ledger),
    Missing,
    Damaged(DocumentError),
}

impl Checkpoint {
    /// Opens the checkpoint of a count by `plan`: locks the file and reads what is done, which is nothing where there is no
    /// file.
    ///
    /// ```
    /// use queens::store::{Checkpoint, Disk};
    /// use queens::{Counter, Engine};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let file = folder.path().join("ten.ckpt");
    /// let counter = Counter::new(10)?.engine(Engine::Bitboard);
    /// let (checkpoint, ledger, _notices) = Checkpoint::open(Box::new(Disk), &file, &counter.plan()?)?;
    /// let count = counter
    ///     .resume(ledger)
    ///     .on_progress(|progress| checkpoint.save(progress.ledger, progress.elapsed).unwrap())
    ///     .run()?;
    /// assert_eq!(count.total, 724);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CheckpointError`], and nothing is changed.
    pub fn open(
        storage: Box<dyn Storage>,
        path: &Path,
        plan: &Plan,
    ) -> Result<(Self, Ledger, Vec<Notice>), CheckpointError> {
        let mut notices = Vec::new();
        if path.file_name().is_none() || path.is_dir() {
            let error = io::ErrorKind::IsADirectory.into();
            let path = path.to_owned();
            return Err(CheckpointError::Io { path, error });
        }
        let mut checkpoint = Self {
            storage,
            path: path.to_owned(),
            fingerprint: plan.fingerprint(),
            lock: Lock::default(),
        };
        // A file that is refused must not even get a lock beside it; what is true of it is known only once it is locked.
        checkpoint.generations(plan)?;
        checkpoint.lock = lock(&*checkpoint.storage, path, &mut notices)?;
        let ledger = checkpoint.load(plan, &mut notices)?;
        Ok((checkpoint, ledger, notices))
    }

    /// The files that the checkpoint `path` may use, itself the first.
    #[must_use]
    pub fn files_of(path: &Path) -> [PathBuf; 4] {
        ["", ".previous", ".lock", ".tmp"].map(|suffix| with_suffix(path, suffix))
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file of the generation before.
    #[must_use]
    pub fn previous(&self) -> PathBuf {
        with_suffix(&self.path, ".previous")
    }

    /// Saves the ledger of a run that has lasted for `elapsed`.
    ///
    /// # Errors
    ///
    /// What the storage reports. A good generation is there nevertheless, if there has ever been one.
    ///
    /// # Panics
    ///
    /// If the ledger is of another plan than the checkpoint.
    pub fn save(&self, ledger: &Ledger, elapsed: Duration) -> io::Result<()> {
        assert_eq!(ledger.fingerprint(), &self.fingerprint, "one plan");
        let earlier = ledger
            .resumed()
            .map_or(Duration::ZERO, |resumed| resumed.elapsed);
        let entries = (0..ledger.len()).map(|index| ledger.get(index));
        let contents = Contents {
            fingerprint: ledger.fingerprint().clone(),
            subproblems: ledger.len(),
            done: ledger.done(),
            solutions: ledger.sum().to_string(),
            seconds: (earlier + elapsed).as_secs_f64(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            counts: packed::pack(entries),
        };
        self.clear_temporary()?;
        storage::replace(
            &*self.storage,
            &self.path,
            &self.temporary(),
            Some(&self.previous()),
            &document::seal(KIND, &contents),
        )
    }

    /// The newest good generation, or an empty ledger. Damaged generations in its way are set aside.
    fn load(&self, plan: &Plan, notices: &mut Vec<Notice>) -> Result<Ledger, CheckpointError> {
        let (current, previous) = (self.path.clone(), self.previous());
        let (newest, older) = match self.generations(plan)? {
            (Generation::Good(ledger), _) => return Ok(ledger),
            both => both,
        };
        // Only now, with every refusal behind us, is anything changed.
        let damaged = [(&current, &newest), (&previous, &older)];
        let mut nothing_lost = true;
        for (path, generation) in damaged {
            if let Generation::Damaged(reason) = generation {
                nothing_lost = false;
                notices.push(self.set_aside(path, reason)?);
            }
        }
        match older {
            Generation::Good(ledger) => {
                notices.push(Notice::Older { path: previous });
                Ok(ledger)
            }
            _ => {
                if !nothing_lost {
                    notices.push(Notice::Lost { path: current });
                }
                Ok(Ledger::new(plan))
            }
        }
    }

    /// Reads both generations, the newest first, and makes sure that nothing else is in the way.
    fn generations(&self, plan: &Plan) -> Result<(Generation, Generation), CheckpointError> {
        let older = self.read(&self.previous(), plan)?;
        let newest = match self.read(&self.path, plan) {
            // A file of ours that lost its beginning has an older generation beside it; others are left alone.
            Err(CheckpointError::NotOurs {
                error: reason @ DocumentError::Foreign,
                ..
            }) if !matches!(older, Generation::Missing) => Generation::Damaged(reason),
            outcome => outcome?,
        };
        let temporary = self.temporary();
        match self.storage.read(&temporary) {
            Ok(bytes) if !document::is_left_over(&bytes) => Err(CheckpointError::NotOurs {
                path: temporary,
                error: DocumentError::Foreign,
            }),
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(self.io(&temporary, error))
            }
            _ => Ok((newest, older)),
        }
    }

    /// Where a new generation is written.
    fn temporary(&self) -> PathBuf {
        with_suffix(&self.path, ".tmp")
    }

    /// Removes what a process that was killed has left of a new generation.
    fn clear_temporary(&self) -> io::Result<()> {
        let temporary = self.temporary();
        match self.storage.read(&temporary) {
            Ok(bytes) if document::is_left_over(&bytes) => self.storage.remove(&temporary),
            _ => Ok(()), // whatever else is there makes creating the file fail
        }
    }

    /// Reads one generation.
    fn read(&self, path: &Path, plan: &Plan) -> Result<Generation, CheckpointError> {
        let bytes = match self.storage.read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Generation::Missing);
            }
            Err(error) => return Err(self.io(path, error)),
        };
        let contents: Contents = match document::unseal(KIND, &bytes) {
            Ok(contents) => contents,
            Err(reason @ DocumentError::Damaged(_)) => return Ok(Generation::Damaged(reason)),
            Err(error) => {
                let path = path.to_owned();
                return Err(CheckpointError::NotOurs { path, error });
            }
        };
        if contents.fingerprint != self.fingerprint {
            return Err(CheckpointError::OtherPlan {
                path: path.to_owned(),
                found: contents.fingerprint,
                expected: self.fingerprint.clone(),
            });
        }
        Ok(contents.into_ledger(plan).map_or_else(
            || {
                let reason = "its counts do not add up".to_owned();
                Generation::Damaged(DocumentError::Damaged(reason))
            },
            Generation::Good,
        ))
    }

    /// Gives a damaged file another name.
    fn set_aside(&self, path: &Path, reason: &DocumentError) -> Result<Notice, CheckpointError> {
        let names = (0_u32..).map(|attempt| match attempt {
            0 => with_suffix(path, ".damaged"),
            _ => with_suffix(path, &format!(".damaged-{attempt}")),
        });
        let free = |path: &PathBuf| {
            let found = self.storage.read(path);
            found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
        };
        // A folder with that many damaged files has other worries than which of them are kept.
        let aside = names.take(100).find(free);
        let aside = aside.unwrap_or_else(|| with_suffix(path, ".damaged"));
        self.storage
            .rename(path, &aside)
            .map_err(|error| self.io(path, error))?;
        Ok(Notice::SetAside {
            path: path.to_owned(),
            reason: reason.clone(),
            aside,
        })
    }

    fn io(&self, path: &Path, error: io::Error) -> CheckpointError {
        let path = path.to_owned();
        CheckpointError::Io { path, error }
    }
}

impl Contents {
    /// The ledger, or `None` if the parts contradict each other or the plan.
    fn into_ledger(self, plan: &Plan) -> Option<Ledger> {
        if self.subproblems != plan.len() {
            return None;
        }
        let elapsed = Duration::try_from_secs_f64(self.seconds).ok()?;
        let ledger = Ledger::resumed_from(plan, packed::unpack(&self.counts, plan.len())?, elapsed);
        let adds_up = ledger.done() == self.done && ledger.sum().to_string() == self.solutions;
        adds_up.then_some(ledger)
    }
}

/// Locks the checkpoint `path` against other processes.
fn lock(
    storage: &dyn Storage,
    path: &Path,
    notices: &mut Vec<Notice>,
) -> Result<Lock, CheckpointError> {
    let path = path.to_owned();
    match storage.lock(&with_suffix(&path, ".lock")) {
        Ok(lock) => Ok(lock),
        Err(LockError::Held { holder }) => Err(CheckpointError::InUse { path, holder }),
        Err(LockError::Foreign) => Err(CheckpointError::NotOurs {
            path: with_suffix(&path, ".lock"),
            error: DocumentError::Foreign,
        }),
        Err(LockError::Io(error)) => Err(CheckpointError::Io { path, error }),
        Err(LockError::Unsupported(error)) => {
            let error = error.to_string();
            notices.push(Notice::Unlocked { path, error });
            Ok(Lock::default())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::faulty::{Faulty, Rng, damages};
    use super::*;
    use crate::board::Board;
    use crate::count::Finished;
    use crate::engine::Engine;
    use crate::engine::Tally;

    const FILE: &str = "/run/six.ckpt";

    fn plan(n: u32) -> Plan {
        Plan::new(Board::new(n).unwrap(), Engine::Bitboard).unwrap()
    }

    /// The ledger of a count that has done the first `done` subproblems of a plan.
    fn ledger(plan: &Plan, done: usize) -> Ledger {
        let mut ledger = Ledger::new(plan);
        for index in 0..done {
            enter(&mut ledger, index);
        }
        ledger
    }

    fn enter(ledger: &mut Ledger, index: usize) {
        let finished = Finished {
            index,
            tally: Tally::of(1000 + index as u64),
            busy: Duration::from_millis(1),
        };
        ledger.enter(&finished).unwrap();
    }

    fn open(
        disk: &Faulty,
        plan: &Plan,
    ) -> Result<(Checkpoint, Ledger, Vec<Notice>), CheckpointError> {
        Checkpoint::open(Box::new(disk.clone()), Path::new(FILE), plan)
    }

    fn save(disk: &Faulty, plan: &Plan, done: usize) {
        let (checkpoint, ..) = open(disk, plan).unwrap();
        checkpoint
            .save(&ledger(plan, done), Duration::from_secs(done as u64))
            .unwrap();
    }

    /// Whether the ledger is that of a count with the first `done` subproblems done.
    fn holds(found: &Ledger, plan: &Plan, done: usize) -> bool {
        let expected = ledger(plan, done);
        found.done() == done && (0..plan.len()).all(|i| found.get(i) == expected.get(i))
    }

    #[test]
    fn what_is_saved_comes_back() {
        let (disk, plan) = (Faulty::new(), plan(6));
        let (_, found, notices) = open(&disk, &plan).unwrap();
        assert!(found.resumed().is_none() && notices.is_empty());
        save(&disk, &plan, 4);
        let (_, found, notices) = open(&disk, &plan).unwrap();
        assert!(holds(&found, &plan, 4));
        assert_eq!(notices, []);
        assert_eq!(found.resumed().unwrap().elapsed, Duration::from_secs(4));
    }

    #[test]
    fn time_adds_up_over_runs() {
        let (disk, plan) = (Faulty::new(), plan(6));
        save(&disk, &plan, 4);
        let (checkpoint, ledger, _) = open(&disk, &plan).unwrap();
        checkpoint.save(&ledger, Duration::from_secs(3)).unwrap();
        let (_, ledger, _) = open(&disk, &plan).unwrap();
        assert_eq!(ledger.resumed().unwrap().elapsed, Duration::from_secs(7));
    }

    #[test]
    fn another_plan_is_refused_and_both_are_named() {
        let disk = Faulty::new();
        save(&disk, &plan(6), 4);
        let before = disk.files();
        let error = open(&disk, &plan(7)).unwrap_err().to_string();
        for n in [6, 7] {
            assert!(
                error.contains(&plan(n).fingerprint().to_string()),
                "{error}"
            );
        }
        assert_eq!(disk.files(), before);
    }

    #[test]
    fn a_file_of_something_else_is_left_alone() {
        let disk = Faulty::new();
        disk.put(FILE, b"Dear diary");
        assert!(matches!(
            open(&disk, &plan(6)),
            Err(CheckpointError::NotOurs { .. })
        ));
        disk.put(FILE, &document::seal("shard", &serde_json::json!({})));
        assert!(matches!(
            open(&disk, &plan(6)),
            Err(CheckpointError::NotOurs { .. })
        ));
        assert_eq!(disk.files().len(), 1);
    }

    /// Every byte of the newest generation flipped in every bit, and every length that it can be cut to: the generation
    /// before is used, and the damaged one kept under another name.
    #[test]
    fn a_damaged_generation_gives_way_to_the_one_before() {
        let (disk, plan) = (Faulty::new(), plan(6));
        save(&disk, &plan, 4);
        save(&disk, &plan, 5);
        let good = disk.files()[Path::new(FILE)].clone();
        for bytes in damages(&good) {
            let disk = disk.deep_clone();
            disk.put(FILE, &bytes);
            let (checkpoint, found, notices) = open(&disk, &plan).unwrap();
            assert!(holds(&found, &plan, 4));
            assert_eq!(notices.len(), 2, "{notices:?}");
            let files = disk.files();
            assert_eq!(files[Path::new("/run/six.ckpt.damaged")], bytes);
            assert!(!files.contains_key(Path::new(FILE)));
            // A second damaged file does not push out the first.
            checkpoint.save(&found, Duration::ZERO).unwrap();
            disk.put(FILE, b"");
            drop(open(&disk, &plan).unwrap());
            assert_eq!(disk.files()[Path::new("/run/six.ckpt.damaged")], bytes);
        }
    }

    #[test]
    fn with_both_generations_damaged_the_count_starts_again_and_says_so() {
        let (disk, plan) = (Faulty::new(), plan(6));
        save(&disk, &plan, 4);
        save(&disk, &plan, 5);
        for name in [FILE.to_owned(), format!("{FILE}.previous")] {
            let mut bytes = disk.files()[Path::new(&name)].clone();
            bytes[100] ^= 1;
            disk.put(&name, &bytes);
        }
        let (_, found, notices) = open(&disk, &plan).unwrap();
        assert!(holds(&found, &plan, 0));
        assert!(matches!(notices.last(), Some(Notice::Lost { .. })));
        assert_eq!(notices.len(), 3);
    }

    #[test]
    fn counts_that_do_not_add_up_are_damage() {
        let (disk, plan) = (Faulty::new(), plan(6));
        let seal = |done, solutions: &str, entries: Vec<Option<u64>>| {
            let contents = Contents {
                fingerprint: plan.fingerprint(),
                subproblems: plan.len(),
                done,
                solutions: solutions.to_owned(),
                seconds: 1.0,
                version: "1".to_owned(),
                counts: packed::pack(entries.into_iter()),
            };
            document::seal(KIND, &contents)
        };
        let mut entries = vec![None; plan.len()];
        entries[1] = Some(9);
        let mut longer = entries.clone();
        longer.push(None);
        for (bytes, good) in [
            (seal(1, "9", entries.clone()), true),
            (seal(1, "8", entries.clone()), false),
            (seal(2, "9", entries.clone()), false),
            (seal(1, "9", longer), false),
        ] {
            disk.put(FILE, &bytes);
            let (_, found, notices) = open(&disk, &plan).unwrap();
            assert_eq!((found.done() == 1, notices.is_empty()), (good, good));
        }
    }

    /// Saves one generation after another until a step fails; then saving works again.
    #[test]
    fn whatever_step_fails_the_last_good_generation_is_there() {
        let plan = plan(6);
        let kinds = [io::ErrorKind::StorageFull, io::ErrorKind::Other];
        for kind in kinds {
            for step in 0.. {
                let disk = Faulty::new();
                save(&disk, &plan, 1);
                save(&disk, &plan, 2);
                let (checkpoint, ..) = open(&disk, &plan).unwrap();
                disk.fail_at_step(step, kind);
                let third = checkpoint.save(&ledger(&plan, 3), Duration::ZERO);
                if !disk.has_failed() {
                    third.unwrap();
                    assert!(step > 5, "only {step} steps were tried");
                    break;
                }
                assert_eq!(third.unwrap_err().kind(), kind, "step {step}");
                let (_, found, _) = open(&disk.deep_clone(), &plan).unwrap();
                assert!(found.done() >= 2, "step {step}: {} left", found.done());
                assert!(holds(&found, &plan, found.done()));

                disk.heal();
                checkpoint.save(&ledger(&plan, 4), Duration::ZERO).unwrap();
                let (_, found, notices) = open(&disk, &plan).unwrap();
                assert!(holds(&found, &plan, 4));
                assert_eq!(notices, []);
            }
        }
    }

    #[test]
    fn a_disk_that_stays_full_keeps_the_last_good_generation() {
        let plan = plan(6);
        let disk = Faulty::new();
        save(&disk, &plan, 1);
        save(&disk, &plan, 2);
        let (checkpoint, ..) = open(&disk, &plan).unwrap();
        disk.fail_writes(io::ErrorKind::StorageFull);
        for done in 3..6 {
            assert!(
                checkpoint
                    .save(&ledger(&plan, done), Duration::ZERO)
                    .is_err()
            );
            let (_, found, _) = open(&disk.deep_clone(), &plan).unwrap();
            assert!(holds(&found, &plan, 2));
        }
        disk.heal();
        checkpoint.save(&ledger(&plan, 6), Duration::ZERO).unwrap();
        assert!(holds(&open(&disk, &plan).unwrap().1, &plan, 6));
    }

    /// The power goes at every step of a series of saves, and what was not synced survives in part, in any combination.
    #[test]
    fn after_a_loss_of_power_no_saved_generation_is_missing() {
        let plan = plan(6);
        let mut losses = 0;
        for step in 0.. {
            let disk = Faulty::new();
            disk.lose_power_at_step(step);
            let mut saved = 0;
            let opened = open(&disk, &plan);
            if let Ok((checkpoint, ..)) = opened {
                for done in 1..=4 {
                    match checkpoint.save(&ledger(&plan, done), Duration::ZERO) {
                        Ok(()) => saved = done,
                        Err(_) => break,
                    }
                }
            }
            if !disk.has_failed() {
                assert_eq!(saved, 4);
                break;
            }
            for seed in 0..200 {
                let after = disk.after_power_loss(&mut Rng(seed));
                let (checkpoint, found, notices) = open(&after, &plan).unwrap();
                let done = found.done();
                assert!(
                    (saved..=saved + 1).contains(&done) && holds(&found, &plan, done),
                    "step {step}, seed {seed}: {saved} saved, {done} found, {notices:?}"
                );
                checkpoint.save(&ledger(&plan, 5), Duration::ZERO).unwrap();
                assert!(holds(&open(&after, &plan).unwrap().1, &plan, 5));
                losses += 1;
            }
        }
        assert!(losses > 1000, "{losses}");
    }
}
