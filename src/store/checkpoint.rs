//! The checkpoint of a count: its ledger in a file, from which any later run can go on, with any number of threads, any
//! kernel, on any machine.
//!
//! Beside `FILE` stand `FILE.previous`, the previous checkpoint; `FILE.lock`, which keeps a second process away; and, for
//! moments, `FILE.tmp`. A file that is found damaged becomes `FILE.damaged`. There is a good file at all times: a new one
//! is complete and synced before it takes the name, and the one that had the name is kept. Paths that are not regular files
//! or were not written by this program are refused, and never modified.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::document;
use super::files::{self, Disk, Lock, Storage, with_suffix};
use super::packed;
use super::problem::{FileError, Problem};
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
    #[serde(with = "document::decimal")]
    solutions: u128,
    /// Wall time of all runs so far.
    seconds: f64,
    /// Version of the program.
    version: String,
    /// Which subproblems are done and what each contributed: see [`packed`].
    counts: String,
}

/// A checkpoint file, locked for this process until dropped. [`Autosave`](super::Autosave) saves it while a count runs.
#[derive(Debug)]
pub struct Checkpoint {
    storage: Box<dyn Storage>,
    path: PathBuf,
    plan: Plan,
    fingerprint: Fingerprint,
    /// Held until dropped.
    lock: Lock,
}

/// Something to tell about a checkpoint that could be used nevertheless.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Notice {
    /// A damaged file has been given another name.
    #[error("{damaged}; renamed to '{}'", aside.display())]
    SetAside {
        /// The file.
        damaged: FileError,
        /// Its new name.
        aside: PathBuf,
    },
    /// The count goes on from the previous checkpoint, which is this file.
    #[error("going on from the previous checkpoint, '{}'", .0.display())]
    Previous(PathBuf),
    /// Neither this checkpoint nor the previous one could be used.
    #[error("neither '{}' nor the previous checkpoint can be used: counting from the start", .0.display())]
    Lost(PathBuf),
    /// The file system has no locks.
    #[error("no lock ({0}): make sure that no other process uses the checkpoint")]
    Unlocked(io::Error),
}

/// What was found under a name: the ledger in it, if there is such a file.
type Found = Result<Option<Ledger>, FileError>;

impl Checkpoint {
    /// Opens the checkpoint of a count by `plan`: locks the file and reads what is done, which is nothing where there is no
    /// file.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use queens::Counter;
    /// use queens::store::Checkpoint;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let file = folder.path().join("ten.ckpt");
    /// let run = Counter::new(10)?.prepare()?;
    /// let (checkpoint, ledger, notices) = Checkpoint::open(&file, run.plan())?;
    /// assert!(ledger.done() == 0 && notices.is_empty());
    /// checkpoint.save(&ledger, Duration::ZERO)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`FileError`]. Files that are refused, and whatever is beside them, are left as they are.
    pub fn open(path: &Path, plan: &Plan) -> Result<(Self, Ledger, Vec<Notice>), FileError> {
        Self::open_on(Box::new(Disk), path, plan)
    }

    pub(super) fn open_on(
        storage: Box<dyn Storage>,
        path: &Path,
        plan: &Plan,
    ) -> Result<(Self, Ledger, Vec<Notice>), FileError> {
        if path.file_name().is_none() || path.is_dir() {
            let error = io::Error::from(io::ErrorKind::IsADirectory);
            return Err(Problem::from(error).of(path));
        }
        let mut notices = Vec::new();
        let mut checkpoint = Self {
            storage,
            path: path.to_owned(),
            plan: plan.clone(),
            fingerprint: plan.fingerprint(),
            lock: Lock::default(),
        };
        // A file that is refused must not even get a lock beside it; what is true of it is known only once it is locked.
        let _ = checkpoint.read_both()?;
        checkpoint.lock = checkpoint.lock()?;
        let unlocked = checkpoint.lock.unsupported.take();
        notices.extend(unlocked.map(Notice::Unlocked));
        let ledger = checkpoint.load(&mut notices)?;
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

    /// Saves the ledger of a run that has lasted for `elapsed`.
    ///
    /// # Errors
    ///
    /// I/O errors. The last good file, if there has ever been one, is there nevertheless.
    ///
    /// # Panics
    ///
    /// If the ledger is of another plan than the checkpoint.
    pub fn save(&self, ledger: &Ledger, elapsed: Duration) -> io::Result<()> {
        self.save_without(ledger, elapsed, &[]).map(drop)
    }

    /// Takes the subproblems at these places of the plan, which were found to be wrong, out of what is saved, so that the
    /// next run counts them anew: the number of those left. The previous checkpoint, which has them too, is replaced
    /// likewise.
    ///
    /// # Errors
    ///
    /// I/O errors. What was found to be wrong may still be in the files then.
    pub fn forget(&self, places: &[usize]) -> io::Result<usize> {
        let saved = self.read(&self.path).map_err(io::Error::other)?;
        let ledger = saved.unwrap_or_else(|| Ledger::new(&self.plan));
        self.save_without(&ledger, Duration::ZERO, places)?;
        self.save_without(&ledger, Duration::ZERO, places)
    }

    /// Saves the ledger without the subproblems at some places: the number of those saved.
    fn save_without(
        &self,
        ledger: &Ledger,
        elapsed: Duration,
        places: &[usize],
    ) -> io::Result<usize> {
        assert_eq!(ledger.fingerprint(), &self.fingerprint, "one plan");
        let kept = |index| ledger.get(index).filter(|_| !places.contains(&index));
        let entries: Vec<Option<u64>> = (0..ledger.len()).map(kept).collect();
        let earlier = ledger
            .resumed()
            .map_or(Duration::ZERO, |resumed| resumed.elapsed);
        let done = entries.iter().flatten().count();
        let contents = Contents {
            fingerprint: ledger.fingerprint().clone(),
            subproblems: ledger.len(),
            done,
            solutions: entries.iter().flatten().map(|&c| u128::from(c)).sum(),
            seconds: (earlier + elapsed).as_secs_f64(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            counts: packed::pack(entries.into_iter()),
        };
        self.clear_temporary()?;
        files::replace(
            &*self.storage,
            &self.path,
            &self.temporary(),
            Some(&self.previous()),
            &document::seal(KIND, &contents),
        )?;
        Ok(done)
    }

    /// Locks it against other processes.
    fn lock(&self) -> Result<Lock, FileError> {
        let file = with_suffix(&self.path, ".lock");
        self.storage.lock(&file).map_err(|problem| match problem {
            Problem::InUse(_) => problem.of(&self.path),
            _ => problem.of(&file),
        })
    }

    /// What the newest good file holds, or an empty ledger. Damaged files in its way are set aside.
    fn load(&self, notices: &mut Vec<Notice>) -> Result<Ledger, FileError> {
        // Only now, with every refusal behind us, is anything changed.
        let (newest, older) = self.read_both()?;
        let earlier = notices.len();
        let mut usable = |found: Found| match found {
            Ok(ledger) => Ok(ledger),
            Err(damaged) => {
                notices.push(self.set_aside(damaged)?);
                Ok(None)
            }
        };
        if let Some(ledger) = usable(newest)? {
            return Ok(ledger);
        }
        if let Some(ledger) = usable(older)? {
            notices.push(Notice::Previous(self.previous()));
            return Ok(ledger);
        }
        if notices.len() > earlier {
            notices.push(Notice::Lost(self.path.clone()));
        }
        Ok(Ledger::new(&self.plan))
    }

    /// Reads the checkpoint and the previous one: each is good, missing or damaged. Anything else is refused.
    fn read_both(&self) -> Result<(Found, Found), FileError> {
        let older = self.read(&self.previous());
        let newest = self.read(&self.path);
        // A file of ours that lost its beginning has the previous one beside it; others are left alone.
        let has_previous = !matches!(older, Ok(None));
        let is_damage = |problem: &Problem| match problem {
            Problem::Foreign => has_previous,
            problem => matches!(problem, Problem::Damaged(_)),
        };
        let older = refuse_unless(|problem| matches!(problem, Problem::Damaged(_)), older)?;
        let newest = refuse_unless(is_damage, newest)?;
        let path = self.temporary();
        match self.left_over() {
            Ok(Some(false)) => Err(Problem::Foreign.of(&path)),
            Ok(_) => Ok((newest, older)),
            Err(error) => Err(Problem::from(error).of(&path)),
        }
    }

    /// The file of the previous checkpoint.
    fn previous(&self) -> PathBuf {
        with_suffix(&self.path, ".previous")
    }

    /// Where a new file is written.
    fn temporary(&self) -> PathBuf {
        with_suffix(&self.path, ".tmp")
    }

    /// Whether the temporary file, if there is one, is what a killed process may have left.
    fn left_over(&self) -> io::Result<Option<bool>> {
        const ENOUGH: usize = 64;
        let bytes = files::read_start(&*self.storage, &self.temporary(), ENOUGH)?;
        Ok(bytes.map(|bytes| document::is_left_over(&bytes)))
    }

    /// Removes what a killed process has left of a new file.
    fn clear_temporary(&self) -> io::Result<()> {
        match self.left_over() {
            Ok(Some(true)) => self.storage.remove(&self.temporary()),
            _ => Ok(()), // whatever else is there makes creating the file fail
        }
    }

    /// Reads one file.
    fn read(&self, path: &Path) -> Found {
        // Packed, an entry takes up to 12 bytes, in base 64 up to 16.
        let most = 4096 + 16 * self.plan.len();
        let read = || -> Result<Option<Ledger>, Problem> {
            let Some(bytes) = files::read_all(&*self.storage, path, most)? else {
                return Ok(None);
            };
            let contents: Contents = document::unseal(KIND, &bytes)?;
            if contents.fingerprint != self.fingerprint {
                return Err(Problem::Other {
                    found: format!("plan {}", contents.fingerprint),
                    expected: format!("plan {}", self.fingerprint),
                });
            }
            let ledger = contents.into_ledger(&self.plan);
            let ledger = ledger.ok_or_else(|| Problem::damaged("its counts do not add up"))?;
            Ok(Some(ledger))
        };
        read().map_err(|problem| problem.of(path))
    }

    /// Gives a damaged file another name.
    fn set_aside(&self, damaged: FileError) -> Result<Notice, FileError> {
        let mut names = (0..100).map(|attempt| match attempt {
            0 => with_suffix(&damaged.path, ".damaged"),
            _ => with_suffix(&damaged.path, &format!(".damaged-{attempt}")),
        });
        let is_free =
            |name: &PathBuf| matches!(files::read_start(&*self.storage, name, 0), Ok(None));
        // A folder with that many damaged files has other worries than which of them are kept.
        let aside = names.clone().find(is_free).or(names.next()).expect("names");
        match self.storage.rename(&damaged.path, &aside) {
            Ok(()) => Ok(Notice::SetAside { damaged, aside }),
            Err(error) => Err(Problem::from(error).of(&damaged.path)),
        }
    }
}

/// Makes an error of what was found if it has a problem that is not of the kind `is_damage`.
fn refuse_unless(is_damage: impl Fn(&Problem) -> bool, found: Found) -> Result<Found, FileError> {
    match found {
        Err(error) if !is_damage(&error.problem) => Err(error),
        found => Ok(found),
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
        let adds_up = ledger.done() == self.done && ledger.sum() == self.solutions;
        adds_up.then_some(ledger)
    }
}

#[cfg(test)]
mod tests;
