//! Ledger files, to which a running count appends its results.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::iter;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::files::{Stamp, regular, replace, write_new};
use super::format::{Codec, Completion, Contents};
use super::problem::{FileError, Problem};
use crate::count::{DoubleCheck, Ledger, Plan, Shard};
use crate::engine::{CancelToken, Kernel};

/// Ledger file of a shard, or of a whole plan, which is shard 0 of 1. The file is locked until this
/// value is dropped.
///
/// Results are appended as they arrive. The process may be killed at any time. The next run
/// recounts what was not saved, and may use a different number of threads, a different kernel or
/// another machine.
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
/// let (mut file, mut ledger) = LedgerFile::open(&path, run.plan(), Shard::WHOLE, every, &cancel)?;
/// let count = run
///     .on_progress(|progress| {
///         if let Err(error) = file.update(progress.ledger) {
///             eprintln!("not saved: {error}");
///         }
///     })
///     .resume(&mut ledger)?;
/// file.finish(&ledger, count.method.kernel, count.method.threads.count(), None)?;
/// assert_eq!(count.total, 14_200);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LedgerFile {
    path: PathBuf,
    file: File,
    codec: Codec,
    /// State of the file after the last change by this process.
    stamp: Stamp,
    /// Offset of the next line.
    end: u64,
    /// Number of results in the file, which are the first results of the ledger.
    saved: usize,
    /// Whether this process has written a header.
    has_header: bool,
    completion: Option<Completion>,
    warnings: Vec<String>,
    opened: Instant,
    interval: Duration,
    /// Time of the last attempt to save.
    last_save: Instant,
}

impl LedgerFile {
    /// Opens the ledger of a shard of `plan`, or of the whole plan for [`Shard::WHOLE`]. Creates
    /// the file if it does not exist, locks it and reads it.
    ///
    /// [`update`](Self::update) saves the ledger once per `interval`.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be used. The file is then left unchanged.
    pub fn open(
        path: &Path,
        plan: &Plan,
        shard: Shard,
        interval: Duration,
        cancel: &CancelToken,
    ) -> Result<(Self, Ledger), FileError> {
        let opened = Self::open_codec(path, Codec::new(plan, shard), interval, cancel);
        opened.map_err(|problem| problem.at(path))
    }

    fn open_codec(
        path: &Path,
        codec: Codec,
        interval: Duration,
        cancel: &CancelToken,
    ) -> Result<(Self, Ledger), Problem> {
        if regular(path)?.is_none() {
            let header = codec.encode(0, [codec.header()]);
            match write_new(path, header.as_bytes()) {
                // Another process created the file first, or the path is a dangling symlink.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                written => written?,
            }
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(path)?;
        let locked = file.try_lock();
        let stamp = Stamp::of(&file.metadata()?);
        let contents = read(&file, &codec, cancel);
        let is_complete = |found: &Contents| codec.is_complete(found);
        let mut warnings = Vec::new();
        match locked {
            Ok(()) => {}
            // Complete ledgers are never written to again, so several processes may read them at
            // once.
            Err(TryLockError::WouldBlock) if contents.as_ref().is_ok_and(is_complete) => {}
            Err(TryLockError::WouldBlock) => return Err(Problem::InUse),
            Err(TryLockError::Error(error)) => warnings.push(format!(
                "'{}' cannot be locked ({error}): make sure that no other process uses it",
                path.display()
            )),
        }
        let contents = contents?;
        if contents.damaged > 0 {
            warnings.push(format!(
                "'{}' has damaged lines ({}): their subproblems will be counted again",
                path.display(),
                contents.damaged
            ));
        }
        let is_complete = is_complete(&contents);
        let opened = Self {
            path: path.to_owned(),
            file,
            codec,
            stamp,
            end: contents.end,
            saved: contents.ledger.done(),
            has_header: false,
            completion: contents.completion.filter(|_| is_complete),
            warnings,
            opened: Instant::now(),
            interval,
            last_save: Instant::now(),
        };
        Ok((opened, contents.ledger))
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

    /// Returns the warnings for the user since the last call. Each warning is a complete message.
    pub fn warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// Saves the ledger of a running count if the interval has passed. Returns whether the ledger
    /// was saved.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`save`](Self::save). Saving is retried after the next interval.
    pub fn update(&mut self, ledger: &Ledger) -> io::Result<bool> {
        self.validated(ledger, self.saved)?;
        let is_due = self.last_save.elapsed() >= self.interval;
        if is_due {
            self.save(ledger)?;
        }
        Ok(is_due)
    }

    /// Appends the new results of the ledger that [`open`](Self::open) returned, and syncs the
    /// file. If there are no new results, only updates the modification time, which shows that the
    /// process is still running. If another program has removed, replaced or changed the file,
    /// rewrites the whole file and adds a [warning](Self::warnings).
    ///
    /// # Errors
    ///
    /// Returns I/O errors, and [`io::ErrorKind::InvalidInput`] if the ledger belongs to another
    /// plan or shard. If the file belongs to another plan or is in use by another process, returns
    /// an error instead of replacing it.
    pub fn save(&mut self, ledger: &Ledger) -> io::Result<()> {
        self.last_save = Instant::now();
        let unsaved = self.validated(ledger, self.saved)?;
        let there = regular(&self.path)?.as_ref().map(Stamp::of);
        if there != Some(self.stamp) && !self.is_intact(ledger) {
            self.rewrite(ledger, &[])?;
        } else if unsaved.is_empty() && (self.has_header || self.completion.is_some()) {
            let _ = self.file.set_modified(SystemTime::now()); // a failure is harmless
            self.mark(self.stamp.len)?;
        } else {
            self.append(ledger, &unsaved, None)?;
        }
        Ok(())
    }

    /// Saves the ledger and appends the completion record, unless the file already has one. If the
    /// file does not match the ledger, it is rewritten first.
    ///
    /// # Errors
    ///
    /// Returns I/O errors, and [`io::ErrorKind::InvalidInput`] if the ledger is not complete.
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
        if !self.is_intact(ledger) {
            self.rewrite(ledger, &[])?;
        }
        let elapsed = self.elapsed(ledger);
        let completion = Completion::new(ledger, elapsed, kernel, threads, double_check);
        self.append(ledger, &[], Some(&completion))?;
        self.completion = Some(completion);
        Ok(())
    }

    /// Saves the ledger without the results of the `wrong` subproblems, so that the next run counts
    /// them again.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`save`](Self::save). After an error, the file may still contain
    /// wrong results.
    pub fn discard(mut self, ledger: &Ledger, wrong: &[usize]) -> io::Result<()> {
        self.completion = None;
        self.rewrite(ledger, wrong)
    }

    /// Whether the file exists and contains all results of the ledger that were saved, with nothing
    /// after them.
    #[must_use]
    pub fn is_intact(&self, ledger: &Ledger) -> bool {
        let there = regular(&self.path).ok().flatten();
        if there.is_none_or(|there| Stamp::of(&there).id != self.stamp.id) {
            return false;
        }
        let Ok(found) = read(&self.file, &self.codec, &CancelToken::new()) else {
            return false;
        };
        let mut saved = ledger.entered_after(0).take(self.saved);
        found.end == self.end && saved.all(|(index, count)| found.ledger.get(index) == Some(count))
    }

    /// Replaces the file with one that merges the results of the ledger with those of the file that
    /// is now at this path. The results of the subproblems in `except` are left out.
    fn rewrite(&mut self, ledger: &Ledger, except: &[usize]) -> io::Result<()> {
        let mut counts: BTreeMap<_, _> = self.validated(ledger, 0)?.into_iter().collect();
        if let Some(found) = regular(&self.path)? {
            let there = File::open(&self.path)?;
            let is_ours = Stamp::of(&found).id == self.stamp.id;
            if !is_ours && matches!(there.try_lock(), Err(TryLockError::WouldBlock)) {
                return Err(io::Error::other("another process is using it"));
            }
            let found = match read(&there, &self.codec, &CancelToken::new()) {
                Err(Problem::Foreign(_)) if is_ours => Ledger::new(&self.codec.plan), // was overwritten
                found => found.map_err(io::Error::other)?.ledger,
            };
            for (index, count) in found.entries() {
                if *counts.entry(index).or_insert(count) != count {
                    let reason = format!("it has a different count for subproblem {index}");
                    return Err(io::Error::other(reason));
                }
            }
        }
        counts.retain(|index, _| !except.contains(index));
        let counts: Vec<_> = counts.into_iter().collect();
        let lines = Codec::lines(self.elapsed(ledger), &counts, self.completion.as_ref());
        let lines = iter::once(self.codec.header()).chain(lines);
        let text = self.codec.encode(0, lines);
        let path = self.path.canonicalize(); // follows symlinks
        self.file = replace(path.as_deref().unwrap_or(&self.path), text.as_bytes())?;
        (self.end, self.saved, self.has_header) = (text.len() as u64, ledger.done(), true);
        self.mark(self.end)?;
        self.warnings.push(format!(
            "'{}' was removed, replaced or changed by another program; it has been written again",
            self.path.display()
        ));
        Ok(())
    }

    /// Appends new results and the completion record, if any. After an error, the next call writes
    /// to the same offset.
    fn append(
        &mut self,
        ledger: &Ledger,
        unsaved: &[(usize, u64)],
        completion: Option<&Completion>,
    ) -> io::Result<()> {
        let header = (!self.has_header).then(|| self.codec.header());
        let lines = Codec::lines(self.elapsed(ledger), unsaved, completion);
        let text = self.codec.encode(self.end, header.into_iter().chain(lines));
        if let Err(error) = self.write(text.as_bytes()) {
            let _ = self.file.set_len(self.end); // removes a partial line
            return Err(error);
        }
        self.end += text.len() as u64;
        self.saved += unsaved.len();
        self.has_header = true;
        Ok(())
    }

    /// Writes bytes at the end of the file and syncs it. Removes any partial line left by an
    /// earlier run.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.set_len(self.end)?;
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(bytes)?;
        self.file.sync_data()?;
        self.mark(self.end + bytes.len() as u64)
    }

    /// Records the state of the file, which this process has written up to offset `len`. The length
    /// in the metadata may be different, because another program may have truncated the file since.
    fn mark(&mut self, len: u64) -> io::Result<()> {
        self.stamp = Stamp::of(&self.file.metadata()?);
        self.stamp.len = len;
        Ok(())
    }

    /// Returns the counting time of all runs.
    fn elapsed(&self, ledger: &Ledger) -> Duration {
        let earlier = ledger.resumed().map_or(Duration::ZERO, |run| run.elapsed);
        earlier.saturating_add(self.opened.elapsed())
    }

    /// Returns the results of the ledger except for the first `skipped`. The ledger must belong to
    /// this plan and shard.
    fn validated(&self, ledger: &Ledger, skipped: usize) -> io::Result<Vec<(usize, u64)>> {
        if ledger.plan() != self.codec.plan.id() {
            let [found, _] = ledger.plan().difference(self.codec.plan.id());
            return Err(self.invalid(format!("the results are for {found}")));
        }
        let results: Vec<_> = ledger.entered_after(skipped).collect();
        match results.iter().find(|(index, _)| !self.codec.contains(*index)) {
            Some((index, _)) => {
                Err(self.invalid(format!("subproblem {index} belongs to another shard")))
            }
            None => Ok(results),
        }
    }

    fn invalid(&self, reason: String) -> io::Error {
        let reason = format!("{}: {reason}", self.codec.name);
        io::Error::new(io::ErrorKind::InvalidInput, reason)
    }
}

/// Reads a ledger file from the start.
pub(super) fn read(
    mut file: &File,
    codec: &Codec,
    cancel: &CancelToken,
) -> Result<Contents, Problem> {
    let (len, most) = (file.metadata()?.len(), codec.max_len());
    if len > most {
        let reason = format!("it has {len} bytes, but its plan needs at most {most}");
        return Err(Problem::Damaged(reason));
    }
    file.rewind()?;
    codec.read(BufReader::new(file), cancel)
}
