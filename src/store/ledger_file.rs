//! Ledger files, to which a running count appends its results.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::iter;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use thiserror::Error;

use super::files::{Stamp, regular, replace, write_new};
use super::format::{Codec, Completion, Contents, expect_sum};
use super::problem::{FileError, Problem};
use crate::count::{DoubleCheck, Ledger, Method, Plan, Shard};
use crate::engine::CancelToken;

/// Ledger of a shard, or of a whole plan, which is shard 0 of 1, in a file. The file is locked
/// until this value is dropped.
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
/// let mut run = Counter::new(12)?.prepare()?;
/// let every = Duration::from_secs(5);
/// let cancel = CancelToken::new(); // can cancel reading a large file
/// let mut file = LedgerFile::open(&path, run.plan(), Shard::WHOLE, every, &cancel)?;
/// let done = run.count(run.missing(file.ledger())?, |results| file.record(results))?;
/// let count = run.verify(file.ledger(), done)?;
/// file.finish(&count.method, count.double_check.as_ref())?;
/// assert_eq!(count.total, 14_200);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LedgerFile {
    pub(super) ledger: Ledger,
    pub(super) log: Log,
}

/// Event in the life of a ledger file. Its text completes a sentence that starts with the path.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Event {
    /// All results so far have been saved.
    #[error("was saved")]
    Saved,
    /// Results could not be saved. The same error is reported only once in a row.
    #[error("could not be saved: {0} (will retry)")]
    Failed(io::Error),
    /// Results were saved after a failure.
    #[error("could be saved again")]
    Recovered,
    /// The file cannot be locked.
    #[error("cannot be locked ({0}): make sure that no other process uses it")]
    Unlocked(io::Error),
    /// This number of lines was damaged when the file was opened.
    #[error("has damaged lines ({0}): their subproblems will be counted again")]
    Damaged(usize),
    /// The file was rewritten because another program had changed it.
    #[error("was removed, replaced or changed by another program; it has been written again")]
    Rewritten,
}

/// File to which the results of a ledger are appended.
#[derive(Debug)]
pub(super) struct Log {
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
    /// Completion records of earlier runs.
    recorded: Vec<Completion>,
    events: Vec<Event>,
    /// Error of the last attempt to save, if it failed.
    failure: Option<String>,
    opened: Instant,
    interval: Duration,
    /// Time of the last attempt to save.
    last_save: Instant,
}

impl LedgerFile {
    /// Opens the ledger of a shard of `plan`, or of the whole plan for [`Shard::WHOLE`]. Creates
    /// the file if it does not exist, locks it and reads it. A run saves its results once per
    /// `interval`.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be used. The file is then left unchanged.
    pub fn open(
        path: impl AsRef<Path>,
        plan: &Plan,
        shard: Shard,
        interval: Duration,
        cancel: &CancelToken,
    ) -> Result<Self, FileError> {
        let (path, codec) = (path.as_ref(), Codec::new(plan, shard));
        Self::open_codec(path, codec, interval, cancel).map_err(|problem| problem.at(path))
    }

    fn open_codec(
        path: &Path,
        codec: Codec,
        interval: Duration,
        cancel: &CancelToken,
    ) -> Result<Self, Problem> {
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
        let mut events = Vec::new();
        match locked {
            Ok(()) => {}
            // Complete ledgers are never written to again, so several processes may read them at
            // once.
            Err(TryLockError::WouldBlock) if contents.as_ref().is_ok_and(Contents::is_complete) => {
            }
            Err(TryLockError::WouldBlock) => return Err(Problem::InUse),
            Err(TryLockError::Error(error)) => events.push(Event::Unlocked(error)),
        }
        let contents = contents?;
        if contents.damaged > 0 {
            events.push(Event::Damaged(contents.damaged));
        }
        let log = Log {
            path: path.to_owned(),
            file,
            codec,
            stamp,
            end: contents.end,
            saved: contents.ledger.done(),
            has_header: false,
            completion: contents
                .completions
                .last()
                .filter(|_| contents.ledger.is_complete())
                .cloned(),
            recorded: contents.completions,
            events,
            failure: None,
            opened: Instant::now(),
            interval,
            last_save: Instant::now(),
        };
        Ok(Self { ledger: contents.ledger, log })
    }

    /// Records new results, and saves all results if the interval has passed.
    ///
    /// # Errors
    ///
    /// Returns an error if a subproblem already has a result or does not belong to the ledger.
    pub fn record(&mut self, results: impl IntoIterator<Item = (usize, u64)>) -> io::Result<()> {
        self.ledger.record(results)?;
        self.log.update(&self.ledger);
        Ok(())
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.log.path
    }

    /// Returns the ledger, including results that are not saved yet.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Returns the completion record, if the ledger is [finished](Self::finish).
    #[must_use]
    pub fn completion(&self) -> Option<&Completion> {
        self.log.completion.as_ref()
    }

    /// Returns the events since the last call, except for those that a run has reported.
    pub fn events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.log.events)
    }

    /// Appends new results, and syncs the file. If there are no new results, only updates the
    /// modification time, which shows that the process is still running. If another program has
    /// removed, replaced or changed the file, rewrites the whole file.
    ///
    /// # Errors
    ///
    /// Returns I/O errors. If the file belongs to another plan or is in use by another process,
    /// returns an error instead of replacing it.
    pub fn save(&mut self) -> io::Result<()> {
        self.log.save(&self.ledger)
    }

    /// Saves the ledger and appends the completion record, unless the file already has one.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`save`](Self::save), and [`io::ErrorKind::InvalidInput`] if the
    /// ledger is not complete. Also returns an error if the file already records another sum.
    pub fn finish(
        &mut self,
        method: &Method,
        double_check: Option<&DoubleCheck>,
    ) -> io::Result<()> {
        let Self { ledger, log } = self;
        log.save(ledger)?;
        if log.completion.is_some() {
            return Ok(());
        }
        if !ledger.is_complete() {
            let (done, len) = (ledger.done(), ledger.len());
            let reason = format!("only {done} of {len} subproblems are done");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        expect_sum(ledger, &log.recorded).map_err(io::Error::other)?;
        let completion = Completion::new(ledger, log.elapsed(ledger), method, double_check);
        log.append(ledger, Some(completion.clone()))?;
        log.completion = Some(completion);
        Ok(())
    }

    /// Saves the ledger without the results of the `wrong` subproblems, so that the next run counts
    /// them again.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`save`](Self::save). After an error, the file may still contain
    /// wrong results.
    pub fn discard(mut self, wrong: &[usize]) -> io::Result<()> {
        self.log.completion = None;
        self.log.rewrite(&self.ledger, wrong)
    }

    /// Whether the file exists and contains all results that were saved, with nothing after them.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        self.log.is_intact(&self.ledger)
    }
}

impl Log {
    /// Saves the ledger of a running count if the interval has passed.
    pub(super) fn update(&mut self, ledger: &Ledger) {
        if self.last_save.elapsed() < self.interval {
            return;
        }
        let saved = self.save(ledger);
        let failure = saved.as_ref().err().map(ToString::to_string);
        match saved {
            Ok(()) if self.failure.is_some() => {
                self.events.extend([Event::Recovered, Event::Saved]);
            }
            Ok(()) => self.events.push(Event::Saved),
            Err(error) if failure != self.failure => self.events.push(Event::Failed(error)),
            Err(_) => {}
        }
        self.failure = failure;
    }

    fn save(&mut self, ledger: &Ledger) -> io::Result<()> {
        self.last_save = Instant::now();
        if regular(&self.path)? != Some(self.stamp) && !self.is_intact(ledger) {
            self.rewrite(ledger, &[])
        } else if self.saved == ledger.done() && (self.has_header || self.completion.is_some()) {
            let _ = self.file.set_modified(SystemTime::now()); // a failure is harmless
            self.mark(self.stamp.len)
        } else {
            self.append(ledger, None)
        }
    }

    fn is_intact(&self, ledger: &Ledger) -> bool {
        let there = regular(&self.path).ok().flatten();
        if there.is_none_or(|there| there.id != self.stamp.id) {
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
        let mut counts: BTreeMap<_, _> = ledger.entries().collect();
        if let Some(found) = regular(&self.path)? {
            let there = File::open(&self.path)?;
            let is_ours = found.id == self.stamp.id;
            if !is_ours && matches!(there.try_lock(), Err(TryLockError::WouldBlock)) {
                return Err(io::Error::other("another process is using it"));
            }
            let found = match read(&there, &self.codec, &CancelToken::new()) {
                Err(Problem::Foreign(_)) if is_ours => None, // was overwritten
                found => Some(found.map_err(io::Error::other)?.ledger),
            };
            for (index, count) in found.iter().flat_map(Ledger::entries) {
                if *counts.entry(index).or_insert(count) != count {
                    let reason = format!("it has a different count for subproblem {index}");
                    return Err(io::Error::other(reason));
                }
            }
        }
        counts.retain(|index, _| !except.contains(index));
        let completion = self.completion.clone();
        let lines = Codec::lines(self.elapsed(ledger), counts.into_iter(), completion);
        let text = self.codec.encode(0, iter::once(self.codec.header()).chain(lines));
        let path = self.path.canonicalize(); // follows symlinks
        self.file = replace(path.as_deref().unwrap_or(&self.path), text.as_bytes())?;
        (self.end, self.saved, self.has_header) = (text.len() as u64, ledger.done(), true);
        self.mark(self.end)?;
        self.events.push(Event::Rewritten);
        Ok(())
    }

    /// Appends new results and the completion record, if any. After an error, the next call writes
    /// to the same offset.
    fn append(&mut self, ledger: &Ledger, completion: Option<Completion>) -> io::Result<()> {
        let header = (!self.has_header).then(|| self.codec.header());
        let unsaved = ledger.entered_after(self.saved);
        let lines = Codec::lines(self.elapsed(ledger), unsaved, completion);
        let text = self.codec.encode(self.end, header.into_iter().chain(lines));
        if let Err(error) = self.write(text.as_bytes()) {
            let _ = self.file.set_len(self.end); // removes a partial line
            return Err(error);
        }
        self.end += text.len() as u64;
        (self.saved, self.has_header) = (ledger.done(), true);
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
