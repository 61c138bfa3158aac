//! Ledger files, to which a running count appends its results.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::files::{Stamp, regular, sync_folder_of};
use super::format::Codec;
use super::problem::{FileError, Problem};
use crate::count::{Ledger, Plan, Shard};

/// Ledger of a shard, or of a whole plan, which is shard 0 of 1, in a file. The file is locked
/// until this value is dropped.
///
/// The process may be killed at any time. The next run counts what was not saved, and may use a
/// different number of threads, a different kernel or another machine.
///
/// ```
/// use queens::store::LedgerFile;
/// use queens::{Counter, Shard};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("twelve.ckpt");
/// let mut run = Counter::new(12)?.prepare()?;
/// let mut file = LedgerFile::open(&path, run.plan(), Shard::WHOLE)?;
/// let done = run.count(run.missing(file.ledger())?, |results| {
///     file.record(results)?;
///     Ok(file.save()?)
/// })?;
/// assert_eq!(run.verify(file.ledger(), done)?.total, 14_200);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LedgerFile {
    path: PathBuf,
    file: File,
    codec: Codec,
    ledger: Ledger,
    /// Results that are not in the file.
    unsaved: Vec<(usize, u64)>,
    /// Identity and length of the file after the last change by this process.
    stamp: Stamp,
    /// Offset of the next line.
    end: u64,
    damaged: usize,
    unlocked: Option<io::Error>,
    opened: Instant,
}

impl LedgerFile {
    /// Opens the ledger of a shard of `plan`, or of the whole plan for [`Shard::WHOLE`]. Locks the
    /// file and reads it. Creates it if it does not exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be used. The file is then left unchanged.
    pub fn open(path: impl AsRef<Path>, plan: &Plan, shard: Shard) -> Result<Self, FileError> {
        let (path, codec) = (path.as_ref(), Codec::new(plan, shard));
        Self::open_codec(path, codec).map_err(|problem| problem.at(path))
    }

    fn open_codec(path: &Path, codec: Codec) -> Result<Self, Problem> {
        regular(path)?;
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(path)?;
        let unlocked = match file.try_lock() {
            Ok(()) => None,
            Err(TryLockError::WouldBlock) => return Err(Problem::InUse),
            Err(TryLockError::Error(error)) => Some(error),
        };
        let stamp = Stamp::of(&file.metadata()?);
        let contents = codec.read(BufReader::new(&file))?;
        let mut opened = Self {
            path: path.to_owned(),
            file,
            ledger: contents.ledger,
            unsaved: Vec::new(),
            stamp,
            end: contents.end,
            damaged: contents.damaged,
            unlocked,
            opened: Instant::now(),
            codec,
        };
        if opened.end == 0 {
            opened.append(&opened.codec.header())?;
            sync_folder_of(&path.canonicalize()?)?; // follows links
        }
        Ok(opened)
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns all results, including those that are not saved yet.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Returns the number of lines that were damaged when the file was opened. Their subproblems
    /// have to be counted again.
    #[must_use]
    pub fn damaged(&self) -> usize {
        self.damaged
    }

    /// Returns the reason why the file is not locked, if the file system does not support locks.
    #[must_use]
    pub fn unlocked(&self) -> Option<&io::Error> {
        self.unlocked.as_ref()
    }

    /// Records new results, which [`save`](Self::save) writes to the file.
    ///
    /// # Errors
    ///
    /// Returns an error if a subproblem already has a result or does not belong to the ledger.
    pub fn record(&mut self, results: impl IntoIterator<Item = (usize, u64)>) -> io::Result<()> {
        let unsaved = &mut self.unsaved;
        self.ledger.record(results.into_iter().inspect(|&result| unsaved.push(result)))
    }

    /// Appends the new results to the file and syncs it.
    ///
    /// # Errors
    ///
    /// Returns [`Problem::Io`] if the file cannot be written, for example because the disk is full.
    /// The next call tries again. Returns [`Problem::Changed`] if another program has removed,
    /// replaced or changed the file, which is then left as it is.
    pub fn save(&mut self) -> Result<(), FileError> {
        if self.unsaved.is_empty() {
            return Ok(());
        }
        let earlier = self.ledger.resumed().map_or(Duration::ZERO, |run| run.elapsed);
        let elapsed = earlier.saturating_add(self.opened.elapsed());
        let text = self.codec.encode(self.unsaved.iter().copied(), elapsed);
        self.append(&text).map_err(|problem| problem.at(&self.path))?;
        self.unsaved.clear();
        Ok(())
    }

    /// Appends lines to the file and syncs it. Removes a partial line left by an earlier run or by
    /// a failed call.
    fn append(&mut self, text: &str) -> Result<(), Problem> {
        match regular(&self.path)? {
            Some(found) if found == self.stamp => {}
            Some(found) if found.id == self.stamp.id => return Err(Problem::Changed("changed")),
            Some(_) => return Err(Problem::Changed("replaced")),
            None => return Err(Problem::Changed("removed")),
        }
        if let Err(error) = self.write(text.as_bytes()) {
            let _ = self.file.set_len(self.end); // frees the space of a partial line
            self.stamp.len = self.file.metadata()?.len();
            return Err(error.into());
        }
        self.end += text.len() as u64;
        // The length on disk may already differ, if another program has changed the file since.
        self.stamp.len = self.end;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.set_len(self.end)?;
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(bytes)?;
        self.file.sync_data()
    }
}
