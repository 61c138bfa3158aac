//! A ledger in a file, that a running count is appended to.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::files::{expect_regular, replace, write_new};
use super::format::{Completion, Contents, Form, Line};
use super::problem::{FileError, Problem};
use crate::count::{DoubleCheck, Ledger, Plan, Progress, Shard};
use crate::engine::Kernel;
use crate::machine::Environment;

/// The ledger of a shard in a file, or of a whole plan, which is shard 0 of 1: locked for this process until dropped.
///
/// Results are appended as they come and nothing is written twice. A process may be killed at any moment: what it had saved is
/// there, and what it had not is counted again, by any number of threads, any kernel, on any machine.
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
/// let every = Duration::from_secs(5);
/// let (mut file, mut ledger, _notices) = LedgerFile::open(&path, run.plan(), Shard::WHOLE, every)?;
/// let count = run
///     .on_progress(|progress| {
///         if let Err(error) = file.update(progress) {
///             eprintln!("not saved: {error}");
///         }
///     })
///     .resume(&mut ledger)?;
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
    /// Where the next line goes.
    end: u64,
    /// Results that are not in the file yet.
    results: Vec<(usize, u64)>,
    /// Whether this process has said that it writes.
    has_begun: bool,
    completion: Option<Completion>,
    /// Counting time of earlier runs, and since when this one counts.
    earlier: Duration,
    opened: Instant,
    every: Duration,
    /// When it was saved the last time, or could not be.
    last_save: Instant,
}

impl LedgerFile {
    /// Opens the ledger of a shard of `plan` or, for [`Shard::WHOLE`], of all of it: locks the file, which is created if it is
    /// missing, and reads what is done. Beside both, it gives what a user should be told, in whole sentences: that lines were
    /// damaged, say. [`update`](Self::update) will save `every` so often.
    ///
    /// # Errors
    ///
    /// [`FileError`]. A file that is refused is left as it is.
    pub fn open(
        path: &Path,
        plan: &Plan,
        shard: Shard,
        every: Duration,
    ) -> Result<(Self, Ledger, Vec<String>), FileError> {
        let form = Form::new(plan, shard);
        let opened = open(path, &form).map_err(|problem| problem.of(path));
        let (file, contents, notices) = opened?;
        let is_done = form.is_done(&contents);
        let ledger = match contents.counts.len() {
            0 => Ledger::new(plan),
            _ => Ledger::resumed_from(plan, contents.counts, contents.elapsed)
                .expect("subproblems of the plan, each once"),
        };
        let opened = Self {
            path: path.to_owned(),
            file,
            form,
            end: contents.end,
            results: Vec::new(),
            has_begun: false,
            completion: contents.completion.filter(|_| is_done),
            earlier: contents.elapsed,
            opened: Instant::now(),
            every,
            last_save: Instant::now(),
        };
        Ok((opened, ledger, notices))
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
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
            return Err(self.misfit(format!("subproblem {index} is not one")));
        }
        self.results.push((index, count));
        Ok(())
    }

    /// Takes the news of a count, and saves it when it is time: whether all of it has just been saved.
    ///
    /// # Errors
    ///
    /// I/O errors: it is tried again when it is time again. [`io::ErrorKind::InvalidInput`] if the count is of another plan or
    /// shard.
    pub fn update(&mut self, progress: &Progress<'_>) -> io::Result<bool> {
        let (found, ours) = (progress.ledger.plan(), self.form.plan.id());
        if found != ours {
            let [found, _] = found.difference(ours);
            return Err(self.misfit(format!("results of {found} are none")));
        }
        for &(index, count) in progress.solved {
            self.append(index, count)?;
        }
        let is_due = self.last_save.elapsed() >= self.every;
        if is_due {
            self.save()?;
        }
        Ok(is_due)
    }

    /// Writes what is new, and makes sure that it survives a loss of power. Where nothing is new, it touches the file: its age says
    /// whether somebody is at work.
    ///
    /// # Errors
    ///
    /// I/O errors.
    pub fn save(&mut self) -> io::Result<()> {
        self.last_save = Instant::now();
        if self.results.is_empty() && (self.has_begun || self.completion.is_some()) {
            let _ = self.file.set_modified(SystemTime::now()); // which nothing else depends on
            return Ok(());
        }
        self.write(None)
    }

    /// Says in the file that all is done and how it was counted, and saves it. What it comes to is read from the file again. A
    /// file that says so already stays as it is.
    ///
    /// # Errors
    ///
    /// I/O errors, and what is wrong with the file; [`io::ErrorKind::InvalidInput`] if not all is done.
    pub fn finish(
        &mut self,
        kernel: Kernel,
        threads: usize,
        double_check: Option<&DoubleCheck>,
    ) -> io::Result<()> {
        if self.completion.is_some() {
            return Ok(());
        }
        self.save()?;
        let found = read(&self.file, &self.form).map_err(io::Error::other)?;
        let (done, len) = (found.counts.len(), self.form.len());
        if done != len {
            return Err(self.misfit(format!("{done} of {len} subproblems are not all")));
        }
        let completion = Completion {
            subproblems: len,
            solutions: found.sum(),
            date: Environment::here().date,
            seconds: (self.earlier + self.opened.elapsed()).as_secs_f64(),
            threads,
            kernel: kernel.to_string(),
            double_check: double_check.cloned(),
        };
        self.write(Some(&completion))?;
        self.completion = Some(completion);
        Ok(())
    }

    /// Takes these subproblems out, which were found to be wrong, so that the next run counts them anew: puts another file in the
    /// place of this one. To be called at the end, since that file is not locked.
    ///
    /// # Errors
    ///
    /// I/O errors. What was found to be wrong may still be in the file then.
    pub fn forget(mut self, places: &[usize]) -> io::Result<()> {
        let found = read(&self.file, &self.form).map_err(io::Error::other)?;
        self.results.extend(found.counts);
        self.results.retain(|(index, _)| !places.contains(index));
        (self.end, self.has_begun) = (0, false);
        let text = self.lines(None);
        replace(&self.path.canonicalize()?, text.as_bytes()) // links stay
    }

    /// Appends what is new, and what all comes to. After an error the same is written again, to the same place.
    fn write(&mut self, completion: Option<&Completion>) -> io::Result<()> {
        let text = self.lines(completion);
        // What an earlier run, or an earlier attempt, left of a line goes first.
        self.file.set_len(self.end)?;
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(text.as_bytes())?;
        self.file.sync_data()?;
        self.end += text.len() as u64;
        self.results.clear();
        self.has_begun = true;
        Ok(())
    }

    /// What is new, and what all comes to, as lines.
    fn lines(&self, completion: Option<&Completion>) -> String {
        /// In a line: what a damaged byte costs at most.
        const COUNTS: usize = 64;
        let elapsed = (self.earlier + self.opened.elapsed()).as_micros() as u64;
        let begin = (!self.has_begun).then(|| self.form.begin());
        let counts = self.results.chunks(COUNTS);
        let counts = counts.map(|counts| Line::Counts(elapsed, counts.to_vec()));
        let done = completion.cloned().map(Line::Done);
        let lines = begin.into_iter().chain(counts).chain(done);
        self.form.seal(self.end, lines)
    }

    fn misfit(&self, reason: String) -> io::Error {
        let reason = format!("{reason} of {}", self.form.name);
        io::Error::new(io::ErrorKind::InvalidInput, reason)
    }
}

/// Opens a file, which is created if it is missing, locks and reads it. Beside both, what a user should be told.
fn open(path: &Path, form: &Form) -> Result<(File, Contents, Vec<String>), Problem> {
    if !expect_regular(path)? {
        let begin = form.seal(0, [form.begin()]);
        match write_new(path, begin.as_bytes()) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
            _ => {} // written, be it by another process; or a link that leads nowhere yet
        }
    }
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).create(true);
    let file = options.truncate(false).open(path)?;
    let (locked, contents) = (file.try_lock(), read(&file, form));
    let (path, mut notices) = (path.display(), Vec::new());
    match locked {
        Ok(()) => {}
        // Nothing is written to a file that is done: it can be read by many.
        Err(TryLockError::WouldBlock)
            if contents.as_ref().is_ok_and(|found| form.is_done(found)) => {}
        Err(TryLockError::WouldBlock) => return Err(Problem::InUse),
        Err(TryLockError::Error(error)) => notices.push(format!(
            "'{path}' cannot be locked here ({error}): make sure that no other process uses it"
        )),
    }
    let contents = contents?;
    if contents.damaged > 0 {
        let damaged = contents.damaged;
        notices.push(format!(
            "'{path}' has damaged lines ({damaged}): what they held is counted again"
        ));
    }
    Ok((file, contents, notices))
}

/// Reads a file from its beginning.
fn read(mut file: &File, form: &Form) -> Result<Contents, Problem> {
    file.rewind()?;
    form.read(BufReader::new(file))
}
