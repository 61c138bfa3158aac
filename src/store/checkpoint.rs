//! The checkpoint of a count: its ledger in a file, from which any later run can go on, with any number of threads, any
//! kernel, on any machine.
//!
//! Beside `FILE` stand `FILE.previous`, the previous checkpoint; `FILE.lock`, which keeps a second process away; and, for
//! moments, `FILE.tmp`. A file that is found damaged becomes `FILE.damaged`. There is a good file at all times: a new one
//! is complete and synced before it takes the name, and the one that had the name is kept. Paths that are not regular files
//! or were not written by this program are refused, and never modified.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

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
    /// Held until dropped.
    lock: Lock,
}

/// What was found under a name: the ledger in it, if there is such a file.
type Found = Result<Option<Ledger>, FileError>;

impl Checkpoint {
    /// Opens the checkpoint of a count by `plan`: locks the file and reads what is done, which is nothing where there is no
    /// file. Beside both, it gives what a user should be told, in whole sentences: that a file was damaged, say.
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
    pub fn open(path: &Path, plan: &Plan) -> Result<(Self, Ledger, Vec<String>), FileError> {
        Self::open_on(Box::new(Disk), path, plan)
    }

    pub(super) fn open_on(
        storage: Box<dyn Storage>,
        path: &Path,
        plan: &Plan,
    ) -> Result<(Self, Ledger, Vec<String>), FileError> {
        if path.file_name().is_none() || path.is_dir() {
            let error = io::Error::from(io::ErrorKind::IsADirectory);
            return Err(Problem::from(error).of(path));
        }
        let mut notices = Vec::new();
        let mut checkpoint = Self {
            storage,
            path: path.to_owned(),
            plan: plan.clone(),
            lock: Lock::default(),
        };
        // A file that is refused must not even get a lock beside it; what is true of it is known only once it is locked.
        let _ = checkpoint.read_both()?;
        checkpoint.lock = checkpoint.lock()?;
        let unlocked = checkpoint.lock.unsupported.take();
        notices.extend(unlocked.map(|error| {
            format!("no lock ({error}): make sure that no other process uses the checkpoint")
        }));
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
        assert_eq!(*ledger.fingerprint(), self.plan.fingerprint(), "one plan");
        let contents = Contents {
            fingerprint: ledger.fingerprint().clone(),
            subproblems: ledger.len(),
            done: ledger.done(),
            solutions: ledger.sum(),
            seconds: (ledger.earlier() + elapsed).as_secs_f64(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            counts: packed::pack(ledger.entries(), ledger.len()),
        };
        if let Ok(true) = self.left_over() {
            self.storage.remove(&self.temporary())?;
        }
        files::replace(
            &*self.storage,
            &self.path,
            &self.temporary(),
            Some(&self.previous()),
            &document::seal(KIND, &contents),
        )
    }

    /// Takes the subproblems at these places of the plan, which were found to be wrong, out of what is saved, so that the
    /// next run counts them anew: the number of those left. The previous checkpoint, which has them too, is replaced
    /// likewise.
    ///
    /// # Errors
    ///
    /// I/O errors. What was found to be wrong may still be in the files then.
    pub(super) fn forget(&self, places: &[usize]) -> io::Result<usize> {
        let saved = self.read(&self.path).map_err(io::Error::other)?;
        let saved = saved.unwrap_or_else(|| Ledger::new(&self.plan));
        let kept = saved.entries().filter(|(index, _)| !places.contains(index));
        let left = Ledger::resumed_from(&self.plan, kept, saved.earlier());
        let left = left.map_err(io::Error::other)?;
        self.save(&left, Duration::ZERO)?;
        self.save(&left, Duration::ZERO)?;
        Ok(left.done())
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
    fn load(&self, notices: &mut Vec<String>) -> Result<Ledger, FileError> {
        // Only now, with every refusal behind us, is anything changed.
        let mut is_lost = false;
        for (found, path) in self
            .read_both()?
            .into_iter()
            .zip([&self.path, &self.previous()])
        {
            match found {
                Ok(Some(ledger)) => {
                    if *path != self.path {
                        let path = path.display();
                        notices.push(format!("going on from the previous checkpoint, '{path}'"));
                    }
                    return Ok(ledger);
                }
                Ok(None) => {}
                Err(damaged) => {
                    is_lost = true;
                    notices.push(self.set_aside(&damaged)?);
                }
            }
        }
        if is_lost {
            notices.push(format!(
                "neither '{}' nor the previous checkpoint can be used: counting from the start",
                self.path.display()
            ));
        }
        Ok(Ledger::new(&self.plan))
    }

    /// Reads the checkpoint and the previous one: each is good, missing or damaged. Anything else is refused.
    fn read_both(&self) -> Result<[Found; 2], FileError> {
        let older = self.read(&self.previous());
        let newest = self.read(&self.path);
        // A file of ours that lost its beginning has the previous one beside it; others are left alone.
        let has_previous = !matches!(older, Ok(None));
        let refuse = |found: Found, may_lack_beginning| match &found {
            Err(FileError { problem, .. }) => match problem {
                Problem::Damaged(_) => Ok(found),
                Problem::Foreign if may_lack_beginning => Ok(found),
                _ => found.map(Ok),
            },
            Ok(_) => Ok(found),
        };
        let both = [refuse(newest, has_previous)?, refuse(older, false)?];
        let left = self.left_over();
        left.map_err(|problem| problem.of(&self.temporary()))?;
        Ok(both)
    }

    /// The file of the previous checkpoint.
    fn previous(&self) -> PathBuf {
        with_suffix(&self.path, ".previous")
    }

    /// Where a new file is written.
    fn temporary(&self) -> PathBuf {
        with_suffix(&self.path, ".tmp")
    }

    /// Whether there is a temporary file, left by a killed process. An error if another program wrote it.
    fn left_over(&self) -> Result<bool, Problem> {
        const ENOUGH: usize = 64;
        match self.storage.read(&self.temporary(), ENOUGH)? {
            None => Ok(false),
            Some(bytes) if document::is_left_over(&bytes) => Ok(true),
            Some(_) => Err(Problem::Foreign),
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
            let (found, expected) = (&contents.fingerprint, self.plan.fingerprint());
            if *found != expected {
                let count = |fingerprint: &dyn Display| {
                    let fingerprint = fingerprint.to_string();
                    let n = fingerprint.split('-').next().unwrap_or_default();
                    let n = n.trim_start_matches('n');
                    format!("a count of N = {n} (plan {fingerprint})")
                };
                return Err(Problem::other(count(found), count(&expected)));
            }
            let ledger = contents.into_ledger(&self.plan);
            let ledger = ledger.ok_or_else(|| Problem::damaged("its counts do not add up"))?;
            Ok(Some(ledger))
        };
        read().map_err(|problem| problem.of(path))
    }

    /// Gives a damaged file another name, and says so.
    fn set_aside(&self, damaged: &FileError) -> Result<String, FileError> {
        let mut aside = with_suffix(&damaged.path, ".damaged");
        if !matches!(self.storage.read(&aside, 0), Ok(None)) {
            let chance = fastrand::u32(..);
            aside = with_suffix(&damaged.path, &format!(".damaged-{chance:08x}"));
        }
        match self.storage.rename(&damaged.path, &aside) {
            Ok(()) => Ok(format!("{damaged}; renamed to '{}'", aside.display())),
            Err(error) => Err(Problem::from(error).of(&damaged.path)),
        }
    }
}

impl Contents {
    /// The ledger, or `None` if the parts contradict each other or the plan.
    fn into_ledger(self, plan: &Plan) -> Option<Ledger> {
        let elapsed = Duration::try_from_secs_f64(self.seconds).ok()?;
        let entries = packed::unpack(&self.counts, plan.len())?;
        let ledger = Ledger::resumed_from(plan, entries, elapsed).ok()?;
        let found = (ledger.len(), ledger.done(), ledger.sum());
        (found == (self.subproblems, self.done, self.solutions)).then_some(ledger)
    }
}

#[cfg(test)]
mod tests;
