//! A ledger in a file, that a running count is appended to.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::files::{expect_regular, is_in_place, replace, write_new};
use super::format::{Completion, Contents, Form, Line};
use super::problem::{FileError, Problem};
use crate::count::{DoubleCheck, Ledger, Plan, Progress, Shard};
use crate::engine::{CancelToken, Kernel};
use crate::machine::now;

/// The ledger of a shard in a file, or of a whole plan, which is shard 0 of 1: locked for this process until dropped.
///
/// Results are appended as they come and nothing is written twice. A process may be killed at any moment: what it had
/// saved is there, and what it had not is counted again, by any number of threads, any kernel, on any machine.
///
/// ```
/// use std::time::Duration;
///
/// use queens::store::LedgerFile;
/// use queens::{CancelToken, Counter, Shard};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("twelve.ckpt");
/// let run = Counter::new(12)?.prepare()?;
/// let every = Duration::from_secs(5);
/// let cancel = CancelToken::new(); // ends the reading of a large file
/// let (mut file, mut ledger, _notices) = LedgerFile::open(&path, run.plan(), Shard::WHOLE, every, &cancel)?;
/// let count = run
///     .on_progress(|progress| {
///         if let Err(error) = file.update(progress) {
///             eprintln!("not saved: {error}");
///         }
///     })
///     .resume(&mut ledger)?;
/// file.finish(&ledger, count.kernel, count.threads.count(), None)?;
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
    /// Number of subproblems in the file.
    saved: usize,
    /// Results that are not in the file yet.
    results: Vec<(usize, u64)>,
    /// Whether this process has written its `begin`.
    has_begun: bool,
    is_rewritten: bool,
    completion: Option<Completion>,
    /// Counting time of earlier runs, and since when this one counts.
    earlier: Duration,
    opened: Instant,
    every: Duration,
    /// When it was saved the last time, or could not be.
    last_save: Instant,
}

impl LedgerFile {
    /// Opens the ledger of a shard of `plan` or, for [`Shard::WHOLE`], of all of it: locks the file, which is created
    /// if it is missing, and reads what is done. Beside both, it gives what a user should be told, in whole sentences:
    /// that lines were damaged, say. [`update`](Self::update) will save `every` so often.
    ///
    /// # Errors
    ///
    /// [`FileError`]. A file that is refused is left as it is.
    pub fn open(
        path: &Path,
        plan: &Plan,
        shard: Shard,
        every: Duration,
        cancel: &CancelToken,
    ) -> Result<(Self, Ledger, Vec<String>), FileError> {
        let form = Form::new(plan, shard);
        let opened = open(path, &form, cancel).map_err(|problem| problem.of(path));
        let (file, contents, notices) = opened?;
        let is_done = form.is_done(&contents);
        let saved = contents.counts.len();
        let ledger = match saved {
            0 => Ledger::new(plan),
            _ => Ledger::resumed_from(plan, contents.counts, contents.elapsed)
                .expect("subproblems of the plan, each once"),
        };
        let opened = Self {
            path: path.to_owned(),
            file,
            form,
            end: contents.end,
            saved,
            results: Vec::new(),
            has_begun: false,
            is_rewritten: false,
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

    /// Whether the file was removed, replaced or truncated by others and has been written again.
    #[must_use]
    pub fn is_rewritten(&self) -> bool {
        self.is_rewritten
    }

    /// Takes the news of a count, and saves it when it is time: whether all of it has just been saved.
    ///
    /// # Errors
    ///
    /// I/O errors: it is tried again when it is time again. [`io::ErrorKind::InvalidInput`] if the count is of another
    /// plan or shard.
    pub fn update(&mut self, progress: &Progress<'_>) -> io::Result<bool> {
        self.expect(progress.ledger)?;
        for &(index, count) in progress.solved {
            self.expect_one(index)?;
            self.results.push((index, count));
        }
        let is_due = self.last_save.elapsed() >= self.every;
        if is_due {
            self.save(progress.ledger)?;
        }
        Ok(is_due)
    }

    /// Writes what is new in the ledger, and makes sure that it survives a loss of power. Where nothing is new, it
    /// touches the file: its age says whether somebody is at work. A file that was removed, replaced or truncated in
    /// the meantime is written again as a whole.
    ///
    /// # Errors
    ///
    /// I/O errors; [`io::ErrorKind::InvalidInput`] if the ledger is of another plan or shard. A file of another plan,
    /// or one that another process uses, is not replaced.
    pub fn save(&mut self, ledger: &Ledger) -> io::Result<()> {
        self.last_save = Instant::now();
        self.expect(ledger)?;
        let is_in_place = is_in_place(&self.file, &self.path, self.end)?;
        if !is_in_place || self.saved + self.results.len() < ledger.done() {
            self.rewrite(ledger)?;
            self.is_rewritten |= !is_in_place;
        } else if self.results.is_empty() && (self.has_begun || self.completion.is_some()) {
            let _ = self.file.set_modified(SystemTime::now()); // which nothing else depends on
        } else {
            self.write(None)?;
        }
        Ok(())
    }

    /// Appends the completion record: how all was counted, and the sum. The file is read again and compared with the
    /// ledger. A file that has the record already gets no other.
    ///
    /// # Errors
    ///
    /// I/O errors, and what is wrong with the file; [`io::ErrorKind::InvalidInput`] if not all is done.
    pub fn finish(
        &mut self,
        ledger: &Ledger,
        kernel: Kernel,
        threads: usize,
        double_check: Option<&DoubleCheck>,
    ) -> io::Result<()> {
        self.save(ledger)?;
        if self.completion.is_some() {
            return Ok(());
        }
        let (done, len) = (ledger.done(), self.form.len());
        if done != len {
            return Err(self.misfit(format!("{done} of {len} subproblems are not all")));
        }
        let found = read(&self.file, &self.form, &CancelToken::new());
        let is_whole = found.is_ok_and(|found| found.counts.into_iter().eq(ledger.entries()));
        if !is_whole {
            self.rewrite(ledger)?;
            self.is_rewritten = true;
        }
        let completion = Completion {
            subproblems: len,
            solutions: ledger.sum(),
            date: now(),
            seconds: self.elapsed().as_secs_f64(),
            threads,
            kernel: kernel.to_string(),
            double_check: double_check.cloned(),
        };
        self.write(Some(&completion))?;
        self.completion = Some(completion);
        Ok(())
    }

    /// Takes these subproblems out, which were found to be wrong, so that the next run counts them anew: puts another
    /// file in the place of this one. To be called at the end, since that file is not locked.
    ///
    /// # Errors
    ///
    /// I/O errors. What was found to be wrong may still be in the file then.
    pub fn forget(mut self, places: &[usize]) -> io::Result<()> {
        let mut found =
            read(&self.file, &self.form, &CancelToken::new()).map_err(io::Error::other)?;
        found.counts.extend(self.results.drain(..));
        found.counts.retain(|index, _| !places.contains(index));
        self.completion = None;
        self.put(found.counts)
    }

    /// Replaces the file by one with the ledger and what else is in the file.
    fn rewrite(&mut self, ledger: &Ledger) -> io::Result<()> {
        let mut counts = BTreeMap::new();
        if expect_regular(&self.path)? {
            let there = File::open(&self.path)?;
            let is_ours = is_in_place(&self.file, &self.path, 0)?;
            if !is_ours && matches!(there.try_lock(), Err(TryLockError::WouldBlock)) {
                return Err(io::Error::other("another process uses it"));
            }
            match read(&there, &self.form, &CancelToken::new()) {
                Err(Problem::Foreign(_)) if is_ours => {} // nothing of it is left
                found => counts = found.map_err(io::Error::other)?.counts,
            }
        }
        for (index, count) in ledger.entries() {
            self.expect_one(index)?;
            if counts
                .insert(index, count)
                .is_some_and(|other| other != count)
            {
                let reason = format!("it has another count of subproblem {index}");
                return Err(io::Error::other(reason));
            }
        }
        self.put(counts)
    }

    /// Replaces the file by one with these counts.
    fn put(&mut self, counts: BTreeMap<usize, u64>) -> io::Result<()> {
        let path = self
            .path
            .canonicalize()
            .unwrap_or_else(|_| self.path.clone()); // links stay
        let counts: Vec<_> = counts.into_iter().collect();
        let text = self
            .form
            .seal(0, self.lines(false, &counts, self.completion.as_ref()));
        self.file = replace(&path, text.as_bytes())?;
        (self.saved, self.end) = (counts.len(), text.len() as u64);
        (self.results, self.has_begun) = (Vec::new(), true);
        Ok(())
    }

    /// Appends what is new, and what all comes to. After an error the same is written again, to the same place.
    fn write(&mut self, completion: Option<&Completion>) -> io::Result<()> {
        let lines = self.lines(self.has_begun, &self.results, completion);
        let text = self.form.seal(self.end, lines);
        // What an earlier run, or an earlier attempt, left of a line goes first.
        self.file.set_len(self.end)?;
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(text.as_bytes())?;
        self.file.sync_data()?;
        self.end += text.len() as u64;
        self.saved += self.results.len();
        self.results.clear();
        self.has_begun = true;
        Ok(())
    }

    /// Lines with these counts, after a `begin` unless this process has written one.
    fn lines(
        &self,
        has_begun: bool,
        counts: &[(usize, u64)],
        completion: Option<&Completion>,
    ) -> impl Iterator<Item = Line> {
        /// In a line: what a damaged byte costs at most.
        const COUNTS: usize = 64;
        let elapsed = u64::try_from(self.elapsed().as_micros()).unwrap_or(u64::MAX);
        let begin = (!has_begun).then(|| self.form.begin());
        let counts = counts.chunks(COUNTS);
        let counts = counts.map(move |counts| Line::Counts(elapsed, counts.to_vec()));
        let done = completion.cloned().map(Line::Done);
        begin.into_iter().chain(counts).chain(done)
    }

    /// Counting time of all runs.
    fn elapsed(&self) -> Duration {
        self.earlier.saturating_add(self.opened.elapsed())
    }

    /// An error if a ledger is of another plan.
    fn expect(&self, ledger: &Ledger) -> io::Result<()> {
        if ledger.plan() == self.form.plan.id() {
            return Ok(());
        }
        let [found, _] = ledger.plan().difference(self.form.plan.id());
        Err(self.misfit(format!("results of {found} are none")))
    }

    /// An error if a subproblem is not one of the plan and shard.
    fn expect_one(&self, index: usize) -> io::Result<()> {
        match self.form.contains(index) {
            true => Ok(()),
            false => Err(self.misfit(format!("subproblem {index} is not one"))),
        }
    }

    fn misfit(&self, reason: String) -> io::Error {
        let reason = format!("{reason} of {}", self.form.name);
        io::Error::new(io::ErrorKind::InvalidInput, reason)
    }
}

/// Opens a file, which is created if it is missing, locks and reads it. Beside both, what a user should be told.
fn open(
    path: &Path,
    form: &Form,
    cancel: &CancelToken,
) -> Result<(File, Contents, Vec<String>), Problem> {
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
    let (locked, contents) = (file.try_lock(), read(&file, form, cancel));
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
pub(super) fn read(
    mut file: &File,
    form: &Form,
    cancel: &CancelToken,
) -> Result<Contents, Problem> {
    let (len, most) = (file.metadata()?.len(), form.most());
    if len > most {
        let reason = format!("it has {len} bytes, its plan needs {most} at most");
        return Err(Problem::Damaged(reason));
    }
    file.rewind()?;
    form.read(BufReader::new(file), cancel)
}
