//! A ledger in a file, that a running count is appended to.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::files::{expect_regular, host, sync_name};
use super::format::{Completion, Contents, CountedTwice, Form, Writer, misfit};
use super::problem::{FileError, Problem};
use crate::count::{DoubleCheck, Ledger, Plan, Progress, Shard};
use crate::engine::Kernel;
use crate::machine::Environment;

/// The ledger of a shard in a file, or of a whole plan, which is shard 0 of 1: locked for this process until dropped.
///
/// Results are appended as they come and nothing is written twice. A process may be killed at any moment: what it appended is
/// there, and a line that it had begun is counted again, by any number of threads, any kernel, on any machine.
///
/// ```
/// use std::time::Duration;
///
/// use queens::store::LedgerFile;
/// use queens::{Counter, Shard};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("twelve.ckpt");
/// let run = Counter::new(12)?.prepare()?;
/// let (mut file, ledger, _notices) = LedgerFile::open(&path, run.plan(), Shard::WHOLE, Duration::from_secs(5))?;
/// let count = run
///     .on_progress(|progress| {
///         if let Err(error) = file.update(progress) {
///             eprintln!("not saved: {error}");
///         }
///     })
///     .resume(ledger)?;
/// file.finish(count.kernel, count.threads.count(), None)?;
/// assert_eq!(count.total, 14_200);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LedgerFile {
    path: PathBuf,
    /// Locked, where the file system has locks.
    file: File,
    form: Form,
    /// Where the next line goes; and up to where the content is known to survive a loss of power.
    end: u64,
    synced: u64,
    /// Results that no line has been made of yet, and lines that could not be written yet.
    results: Vec<(usize, u64)>,
    unwritten: String,
    /// Subproblems in the file, and with `results` and `unwritten`; and the sum of the latter.
    saved: usize,
    done: usize,
    sum: u128,
    completion: Option<Completion>,
    /// Counting time of earlier runs, and since when this one counts.
    earlier: Duration,
    opened: Instant,
    has_written: bool,
    sync_every: Duration,
    /// When lines were written the last time, or could not be, and when they were synced.
    tried: Instant,
    last_sync: Instant,
}

impl LedgerFile {
    /// How often lines are written, at most.
    const WRITE_EVERY: Duration = Duration::from_millis(250);

    /// How old the file of a running count becomes, about: its age says whether somebody is at work.
    pub(super) const TOUCH_EVERY: Duration = Duration::from_secs(30);

    /// Opens the ledger of a shard of `plan` or, for [`Shard::WHOLE`], of all of it: locks the file, which is created if it is
    /// missing, and reads what is done. Beside both, it gives what a user should be told, in whole sentences: that lines were
    /// damaged, say. [`update`](Self::update) makes sure every so often that what was written survives a loss of power.
    ///
    /// Nothing is written yet.
    ///
    /// # Errors
    ///
    /// [`FileError`]. A file that is refused is left as it is.
    pub fn open(
        path: &Path,
        plan: &Plan,
        shard: Shard,
        sync_every: Duration,
    ) -> Result<(Self, Ledger, Vec<String>), FileError> {
        let form = Form::new(plan, shard);
        let read = || -> Result<(File, Option<io::Error>, Contents), Problem> {
            let (file, unlocked) = lock(path, &form)?;
            let contents = form.read(BufReader::new(&file))?;
            Ok((file, unlocked, contents))
        };
        let (file, unlocked, contents) = read().map_err(|problem| problem.of(path))?;
        let mut notices = Vec::new();
        if let Some(error) = unlocked {
            let path = path.display();
            notices.push(format!(
                "'{path}' cannot be locked here ({error}): make sure that no other process uses it"
            ));
        }
        if contents.damaged > 0 {
            let (path, damaged) = (path.display(), contents.damaged);
            notices.push(format!(
                "'{path}' has damaged lines ({damaged}): what they held is counted again"
            ));
        }
        let (done, len) = (contents.entries.len(), form.len());
        let ledger = match done {
            0 => Ledger::new(plan),
            _ => Ledger::resumed_from(plan, contents.entries, contents.elapsed)
                .expect("entries of the plan, each once"),
        };
        let now = Instant::now();
        let opened = Self {
            path: path.to_owned(),
            file,
            form,
            end: contents.end,
            synced: contents.end,
            results: Vec::new(),
            unwritten: String::new(),
            saved: done,
            done,
            sum: contents.sum,
            completion: contents.completion.filter(|_| done == len),
            earlier: contents.elapsed,
            opened: now,
            has_written: false,
            sync_every,
            tried: now,
            last_sync: now,
        };
        Ok((opened, ledger, notices))
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of subproblems that have been written.
    #[must_use]
    pub fn saved(&self) -> usize {
        self.saved
    }

    /// What the file says of itself since it was [finished](Self::finish).
    #[must_use]
    pub fn completion(&self) -> Option<&Completion> {
        self.completion.as_ref()
    }

    /// Takes what a subproblem contributes, weights of symmetry included, to be written later.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::InvalidInput`] if it is not one of the plan and shard.
    pub fn append(&mut self, index: usize, count: u64) -> io::Result<()> {
        if !self.form.contains(index) {
            return Err(misfit(format!(
                "subproblem {index} is not in {}",
                self.form.header
            )));
        }
        self.results.push((index, count));
        self.done += 1;
        self.sum += u128::from(count);
        Ok(())
    }

    /// Takes the news of a count. Writes what is new a few times a second, and syncs it when it is time or everything is done.
    /// Gives whether it has just been synced.
    ///
    /// # Errors
    ///
    /// I/O errors: it is tried again the next time. [`io::ErrorKind::InvalidInput`] if the count is of another plan.
    pub fn update(&mut self, progress: &Progress<'_>) -> io::Result<bool> {
        let (plan, found) = (self.form.plan.fingerprint(), progress.ledger.fingerprint());
        if *found != plan {
            return Err(misfit(format!(
                "results of plan {found} are not of plan {plan}"
            )));
        }
        for &(index, tally) in progress.solved {
            self.append(index, tally.count)?;
        }
        let is_complete = self.done == self.form.len() && self.saved < self.done;
        if !is_complete && self.tried.elapsed() < Self::WRITE_EVERY.min(self.sync_every) {
            return Ok(false);
        }
        self.write()?;
        if self.synced == self.end || !is_complete && self.last_sync.elapsed() < self.sync_every {
            return Ok(false);
        }
        self.sync()?;
        Ok(true)
    }

    /// Writes everything, and makes sure that it survives a loss of power.
    ///
    /// # Errors
    ///
    /// I/O errors. Then [`saved`](Self::saved) subproblems are in the file.
    pub fn sync(&mut self) -> io::Result<()> {
        self.last_sync = Instant::now();
        self.write()?;
        if self.synced < self.end {
            self.file.sync_data()?;
            sync_name(&self.path)?;
            self.synced = self.end;
        }
        Ok(())
    }

    /// Says in the file that all is done and how it was counted, and syncs it. A file that says so already stays as it is.
    ///
    /// # Errors
    ///
    /// I/O errors; [`io::ErrorKind::InvalidInput`] if not all is done.
    pub fn finish(
        &mut self,
        kernel: Kernel,
        threads: usize,
        double_check: Option<&DoubleCheck>,
    ) -> io::Result<()> {
        let len = self.form.len();
        if self.done != len {
            return Err(misfit(format!(
                "{} of {len} subproblems are done",
                self.done
            )));
        }
        if self.completion.is_none() {
            let completion = Completion {
                subproblems: len,
                solutions: self.sum.to_string(),
                date: Environment::here().date,
                seconds: (self.earlier + self.opened.elapsed()).as_secs_f64(),
                threads,
                kernel: kernel.to_string(),
                double_check: double_check.map(|check| CountedTwice {
                    subproblems: check.checked,
                    kernel: check.second.to_string(),
                }),
            };
            self.make_lines();
            self.add_record("done", &completion);
            self.completion = Some(completion);
        }
        self.sync()
    }

    /// Strikes out the lines with these subproblems, which were found to be wrong, so that the next run counts them anew, and
    /// what else is in these lines.
    ///
    /// # Errors
    ///
    /// I/O errors. What was found to be wrong may still be in the file then.
    pub fn strike_out(&mut self, places: &[usize]) -> io::Result<()> {
        self.write()?;
        let mut lines = Vec::new();
        self.file.seek(SeekFrom::Start(0))?;
        let read = self
            .form
            .for_each_line(BufReader::new(&self.file), |offset, line, text| {
                let is_wrong = |text: &str| {
                    let entries = self.form.entries(text).map(|(_, entries)| entries);
                    let mut places_of = entries.iter().flatten().map(|(index, _)| index);
                    text.starts_with("done ") || places_of.any(|index| places.contains(index))
                };
                if text.is_some_and(is_wrong) {
                    lines.push((offset, line.len() - 1));
                }
                Ok(true)
            });
        read.map_err(io::Error::other)?;
        // The last first: a file must not say that it is done with other counts than these.
        for (offset, length) in lines.into_iter().rev() {
            self.file.seek(SeekFrom::Start(offset))?;
            self.file.write_all(&vec![b'#'; length])?;
        }
        self.file.sync_data()
    }

    /// Makes lines of the results.
    fn make_lines(&mut self) {
        if self.end == 0 && self.unwritten.is_empty() {
            self.add_line(&self.form.header.clone());
        }
        if !self.has_written {
            let Environment {
                date, cpu, version, ..
            } = Environment::here();
            let (process, host) = (std::process::id(), host());
            self.has_written = true;
            self.add_record(
                "by",
                &Writer {
                    date,
                    process,
                    host,
                    cpu,
                    version,
                },
            );
        }
        let elapsed = self.earlier + self.opened.elapsed();
        let results = std::mem::take(&mut self.results);
        for text in self.form.texts(results, elapsed) {
            self.add_line(&text);
        }
    }

    fn add_record(&mut self, kind: &str, record: &impl serde::Serialize) {
        let json = serde_json::to_string(record).expect("a record of texts and numbers");
        self.add_line(&format!("{kind} {json}"));
    }

    fn add_line(&mut self, text: &str) {
        let offset = self.end + self.unwritten.len() as u64;
        self.unwritten += &self.form.seal(offset, text);
    }

    /// Writes what is new. After an error the same is written again, to the same place.
    fn write(&mut self) -> io::Result<()> {
        let is_new = !self.has_written && self.completion.is_none();
        if is_new || !self.results.is_empty() {
            self.make_lines();
        }
        let idle = self.tried.elapsed();
        if self.unwritten.is_empty() {
            if idle >= Self::TOUCH_EVERY {
                self.tried = Instant::now();
                let _ = self.file.set_modified(SystemTime::now()); // only a sign of life
            }
            return Ok(());
        }
        self.tried = Instant::now();
        // What an earlier run, or an earlier attempt, left of a line goes first.
        self.file.set_len(self.end)?;
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(self.unwritten.as_bytes())?;
        self.end += self.unwritten.len() as u64;
        self.unwritten.clear();
        self.saved = self.done;
        Ok(())
    }
}

/// Opens a file, which is created if it is missing, and locks it: the file, and why it is not locked, where the file system has
/// no locks.
fn lock(path: &Path, form: &Form) -> Result<(File, Option<io::Error>), Problem> {
    expect_regular(path)?;
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).create(true);
    let file = options.truncate(false).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok((file, None)),
        Err(TryLockError::Error(error)) => Ok((file, Some(error))),
        Err(TryLockError::WouldBlock) => {
            let contents = form.read(BufReader::new(&file)).ok();
            let process = contents.and_then(|contents| contents.writer).map_or_else(
                || "another process".to_owned(),
                |by| format!("process {} on {}", by.process, by.host),
            );
            Err(Problem::InUse(process))
        }
    }
}
