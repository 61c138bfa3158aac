//! Ledgers in files that a running count appends to.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::files::{expect_regular, is_in_place, replace, write_new};
use super::format::{Codec, Completion, Contents, Line};
use super::problem::{FileError, Problem};
use crate::count::{DoubleCheck, Ledger, Plan, Progress, Shard};
use crate::engine::{CancelToken, Kernel};
use crate::machine::now;

/// The ledger file of a shard, or of a whole plan, which is shard 0 of 1. It is locked until dropped.
///
/// Results are appended as they arrive. The process may be killed at any time: unsaved results are counted again, with
/// any number of threads, any kernel, and on any machine.
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
/// let cancel = CancelToken::new(); // can cancel reading a large file
/// let (mut file, mut ledger, _warnings) = LedgerFile::open(&path, run.plan(), Shard::WHOLE, every, &cancel)?;
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
    file: File,
    codec: Codec,
    /// Offset of the next line.
    end: u64,
    /// Number of subproblems in the file.
    saved: usize,
    /// Results that are not in the file yet.
    unsaved: Vec<(usize, u64)>,
    /// Whether this process has written a header.
    has_header: bool,
    is_rewritten: bool,
    completion: Option<Completion>,
    /// Counting time of earlier runs.
    earlier: Duration,
    opened: Instant,
    interval: Duration,
    /// Time of the last attempt to save.
    last_save: Instant,
}

impl LedgerFile {
    /// Opens the ledger of a shard of `plan`, or of the whole plan for [`Shard::WHOLE`]. Creates the file if it is
    /// missing, locks it and reads it. Also returns warnings for the user, as whole sentences.
    ///
    /// [`update`](Self::update) saves once per `interval`.
    ///
    /// # Errors
    ///
    /// [`FileError`]. A rejected file is left unchanged.
    pub fn open(
        path: &Path,
        plan: &Plan,
        shard: Shard,
        interval: Duration,
        cancel: &CancelToken,
    ) -> Result<(Self, Ledger, Vec<String>), FileError> {
        let codec = Codec::new(plan, shard);
        let opened = open(path, &codec, cancel).map_err(|problem| problem.at(path));
        let (file, contents, warnings) = opened?;
        let is_complete = codec.is_complete(&contents);
        let saved = contents.counts.len();
        let ledger = match saved {
            0 => Ledger::new(plan),
            _ => Ledger::resumed_from(plan, contents.counts, contents.elapsed)
                .expect("distinct subproblems of the plan"),
        };
        let opened = Self {
            path: path.to_owned(),
            file,
            codec,
            end: contents.end,
            saved,
            unsaved: Vec::new(),
            has_header: false,
            is_rewritten: false,
            completion: contents.completion.filter(|_| is_complete),
            earlier: contents.elapsed,
            opened: Instant::now(),
            interval,
            last_save: Instant::now(),
        };
        Ok((opened, ledger, warnings))
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the completion record, if the ledger is [finished](Self::finish).
    #[must_use]
    pub fn completion(&self) -> Option<&Completion> {
        self.completion.as_ref()
    }

    /// Whether the whole file was written again because another program had removed, replaced or truncated it.
    #[must_use]
    pub fn is_rewritten(&self) -> bool {
        self.is_rewritten
    }

    /// Takes new results from a running count and saves them if the interval has passed. Returns whether it saved.
    ///
    /// # Errors
    ///
    /// I/O errors, after which the next call that is due tries again. [`io::ErrorKind::InvalidInput`] if the count is
    /// of another plan or shard.
    pub fn update(&mut self, progress: &Progress<'_>) -> io::Result<bool> {
        self.validate(progress.ledger, progress.solved)?;
        self.unsaved.extend(progress.solved);
        let is_due = self.last_save.elapsed() >= self.interval;
        if is_due {
            self.save(progress.ledger)?;
        }
        Ok(is_due)
    }

    /// Appends new results and syncs the file. Without new results, only updates the modification time, which shows
    /// that the process is alive. If another program has removed, replaced or truncated the file, writes all of it
    /// again.
    ///
    /// # Errors
    ///
    /// I/O errors. [`io::ErrorKind::InvalidInput`] if the ledger belongs to another plan or shard. A file of another
    /// plan, or one in use by another process, is not replaced.
    pub fn save(&mut self, ledger: &Ledger) -> io::Result<()> {
        self.last_save = Instant::now();
        self.validate(ledger, &[])?;
        let is_in_place = is_in_place(&self.file, &self.path, self.end)?;
        if !is_in_place || self.saved + self.unsaved.len() < ledger.done() {
            self.rewrite(ledger)?;
            self.is_rewritten |= !is_in_place;
        } else if self.unsaved.is_empty() && (self.has_header || self.completion.is_some()) {
            let _ = self.file.set_modified(SystemTime::now()); // informative only
        } else {
            self.append(None)?;
        }
        Ok(())
    }

    /// Compares the file with the ledger and appends the completion record, unless it has one.
    ///
    /// # Errors
    ///
    /// I/O errors, and [`io::ErrorKind::InvalidInput`] if the ledger is not complete.
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
        let (done, len) = (ledger.done(), self.codec.len());
        if done != len {
            return Err(self.invalid(format!("only {done} of {len} subproblems are done")));
        }
        let found = read(&self.file, &self.codec, &CancelToken::new());
        if !found.is_ok_and(|found| found.counts.into_iter().eq(ledger.entries())) {
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
        self.append(Some(&completion))?;
        self.completion = Some(completion);
        Ok(())
    }

    /// Removes wrong results of subproblems, so that the next run counts them again. Replaces the file by one that is
    /// not locked, so this must be the last operation.
    ///
    /// # Errors
    ///
    /// I/O errors, after which the file may still contain wrong results.
    pub fn discard(mut self, indices: &[usize]) -> io::Result<()> {
        let mut found =
            read(&self.file, &self.codec, &CancelToken::new()).map_err(io::Error::other)?;
        found.counts.extend(self.unsaved.drain(..));
        found.counts.retain(|index, _| !indices.contains(index));
        self.completion = None;
        self.replace(found.counts)
    }

    /// Replaces the file with one that has the results of the ledger and of the file now at this path.
    fn rewrite(&mut self, ledger: &Ledger) -> io::Result<()> {
        let entries: Vec<_> = ledger.entries().collect();
        self.validate(ledger, &entries)?;
        let mut counts = BTreeMap::new();
        if expect_regular(&self.path)? {
            let there = File::open(&self.path)?;
            let is_ours = is_in_place(&self.file, &self.path, 0)?;
            if !is_ours && matches!(there.try_lock(), Err(TryLockError::WouldBlock)) {
                return Err(io::Error::other("another process uses it"));
            }
            match read(&there, &self.codec, &CancelToken::new()) {
                Err(Problem::Foreign(_)) if is_ours => {} // overwritten completely
                found => counts = found.map_err(io::Error::other)?.counts,
            }
        }
        for (index, count) in entries {
            if *counts.entry(index).or_insert(count) != count {
                let reason = format!("it has another count of subproblem {index}");
                return Err(io::Error::other(reason));
            }
        }
        self.replace(counts)
    }

    /// Replaces the file with one that has these results.
    fn replace(&mut self, counts: BTreeMap<usize, u64>) -> io::Result<()> {
        let path = self.path.canonicalize(); // follows symlinks
        let path = path.as_deref().unwrap_or(&self.path);
        let counts: Vec<_> = counts.into_iter().collect();
        let lines = self.lines(false, &counts, self.completion.as_ref());
        let text = self.codec.encode(0, lines);
        self.file = replace(path, text.as_bytes())?;
        (self.saved, self.end) = (counts.len(), text.len() as u64);
        (self.unsaved, self.has_header) = (Vec::new(), true);
        Ok(())
    }

    /// Appends new results and the completion record. After an error, the next call writes to the same offset.
    fn append(&mut self, completion: Option<&Completion>) -> io::Result<()> {
        let lines = self.lines(self.has_header, &self.unsaved, completion);
        let text = self.codec.encode(self.end, lines);
        // Removes a partial line left by an earlier run or attempt.
        self.file.set_len(self.end)?;
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(text.as_bytes())?;
        self.file.sync_data()?;
        self.end += text.len() as u64;
        self.saved += self.unsaved.len();
        self.unsaved.clear();
        self.has_header = true;
        Ok(())
    }

    /// Returns the lines for these results, with a header unless `has_header`.
    fn lines(
        &self,
        has_header: bool,
        counts: &[(usize, u64)],
        completion: Option<&Completion>,
    ) -> impl Iterator<Item = Line> {
        let header = (!has_header).then(|| self.codec.header());
        let lines = Codec::lines(self.elapsed(), counts, completion);
        header.into_iter().chain(lines)
    }

    /// Returns the counting time of all runs.
    fn elapsed(&self) -> Duration {
        self.earlier.saturating_add(self.opened.elapsed())
    }

    /// Checks that the ledger is of this plan and the results are of this shard.
    fn validate(&self, ledger: &Ledger, results: &[(usize, u64)]) -> io::Result<()> {
        if ledger.plan() != self.codec.plan.id() {
            let [found, _] = ledger.plan().difference(self.codec.plan.id());
            return Err(self.invalid(format!("the results are for {found}")));
        }
        match results
            .iter()
            .find(|(index, _)| !self.codec.contains(*index))
        {
            Some((index, _)) => {
                Err(self.invalid(format!("subproblem {index} is in another shard")))
            }
            None => Ok(()),
        }
    }

    fn invalid(&self, reason: String) -> io::Error {
        let reason = format!("{}: {reason}", self.codec.name);
        io::Error::new(io::ErrorKind::InvalidInput, reason)
    }
}

/// Opens, locks and reads a file, which is created if it is missing. Also returns warnings for the user.
fn open(
    path: &Path,
    codec: &Codec,
    cancel: &CancelToken,
) -> Result<(File, Contents, Vec<String>), Problem> {
    if !expect_regular(path)? {
        let header = codec.encode(0, [codec.header()]);
        match write_new(path, header.as_bytes()) {
            // Another process was faster, or the path is a dangling symlink.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            written => written?,
        }
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let file = options.open(path)?;
    let (locked, contents) = (file.try_lock(), read(&file, codec, cancel));
    let (path, mut warnings) = (path.display(), Vec::new());
    match (locked, &contents) {
        (Ok(()), _) => {}
        // Complete ledgers are never written, so several processes may read them.
        (Err(TryLockError::WouldBlock), Ok(found)) if codec.is_complete(found) => {}
        (Err(TryLockError::WouldBlock), _) => return Err(Problem::InUse),
        (Err(TryLockError::Error(error)), _) => warnings.push(format!(
            "'{path}' cannot be locked here ({error}): make sure that no other process uses it"
        )),
    }
    let contents = contents?;
    if contents.damaged > 0 {
        warnings.push(format!(
            "'{path}' has damaged lines ({}): their subproblems are counted again",
            contents.damaged
        ));
    }
    Ok((file, contents, warnings))
}

/// Reads a file from the start.
pub(super) fn read(
    mut file: &File,
    codec: &Codec,
    cancel: &CancelToken,
) -> Result<Contents, Problem> {
    let (len, most) = (file.metadata()?.len(), codec.max_len());
    if len > most {
        let reason = format!("it has {len} bytes, its plan needs {most} at most");
        return Err(Problem::Damaged(reason));
    }
    file.rewind()?;
    codec.read(BufReader::new(file), cancel)
}
