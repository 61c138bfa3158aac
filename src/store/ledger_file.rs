//! Ledger files, to which a running count appends its results.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::error::{FileError, FileErrorKind};
use super::files::{FileIdentity, regular, sync, sync_folder_of};
use super::format::{Codec, Contents, START};
use crate::count::{Ledger, Plan, Shard};

/// Longest interval between saves.
const SAVE_EVERY: Duration = Duration::from_secs(5);

/// Ledger of a plan or of one of its shards, in a file. The file is locked until this value is
/// dropped.
///
/// The process may be killed at any time. The next run counts what was not saved, and may use a
/// different number of threads, a different kernel or another machine.
///
/// ```
/// use std::error::Error;
///
/// use queens::store::LedgerFile;
/// use queens::{Counter, Shard};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("twelve.ckpt");
/// let mut run = Counter::new(12)?.prepare()?;
/// let mut file = LedgerFile::open(&path, run.plan(), Shard::WHOLE)?;
/// run.fill(&mut file, |file| file.save_when_due().map(drop).map_err(Box::<dyn Error>::from))?;
/// file.save()?;
/// assert_eq!(run.verify(file.ledger())?.total, 14_200);
/// # Ok::<(), Box<dyn Error>>(())
/// ```
#[derive(Debug)]
pub struct LedgerFile {
    path: PathBuf,
    file: File,
    codec: Codec,
    ledger: Ledger,
    /// Identity and length of the file after the last change by this process.
    identity: FileIdentity,
    /// Offset of the next line.
    end: u64,
    damaged: usize,
    unlocked: Option<io::Error>,
    pub(super) opened: Instant,
    /// Time of the next save.
    pub(super) due: Instant,
}

impl AsMut<Ledger> for LedgerFile {
    fn as_mut(&mut self) -> &mut Ledger {
        &mut self.ledger
    }
}

impl LedgerFile {
    /// Opens the ledger of a shard of `plan`, or of the whole plan for [`Shard::WHOLE`]. Locks the
    /// file and reads it. Creates it if it does not exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be used. The file is then left unchanged.
    pub fn open(path: impl AsRef<Path>, plan: &Plan, shard: Shard) -> Result<Self, FileError> {
        let path = path.as_ref();
        Self::try_open(path, plan, shard).map_err(|kind| kind.at(path))
    }

    fn try_open(path: &Path, plan: &Plan, shard: Shard) -> Result<Self, FileErrorKind> {
        regular(path)?;
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(path)?;
        let unlocked = match file.try_lock() {
            Ok(()) => None,
            Err(TryLockError::WouldBlock) => return Err(FileErrorKind::InUse),
            Err(TryLockError::Error(error)) => Some(error),
        };
        let (now, identity) = (Instant::now(), FileIdentity::from_metadata(&file.metadata()?));
        let mut ledger = Ledger::new(plan, shard);
        let codec = Codec::new(ledger.clone());
        let (mut damaged, mut end) = (0, 0);
        if let Some((_, contents)) = Codec::read(BufReader::new(&file), Some(plan))? {
            let mut other = [&contents.ledger, &ledger].map(|ledger| ledger.shard().describe());
            if contents.ledger.plan() != plan.id() {
                other = contents.ledger.plan().difference(plan.id());
            }
            if other[0] != other[1] {
                return Err(FileErrorKind::other(other));
            }
            Contents { ledger, damaged, end } = contents;
        }
        let mut opened = Self {
            path: path.to_owned(),
            file,
            ledger,
            identity,
            end,
            damaged,
            unlocked,
            opened: now,
            due: now,
            codec,
        };
        if opened.end == 0 {
            let header = opened.codec.header().to_owned();
            opened.append(&header)?;
            sync_folder_of(&path.canonicalize()?)?; // follows links
        }
        Ok(opened)
    }

    /// Whether there is a file at this path that starts as a ledger does.
    #[must_use]
    pub fn is_ledger(path: impl AsRef<Path>) -> bool {
        let mut start = [0; START.len()];
        let file = regular(path.as_ref()).ok().flatten().and_then(|_| File::open(path).ok());
        file.is_some_and(|mut file| file.read_exact(&mut start).is_ok() && start == *START)
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

    /// Saves the ledger if this is due: at the first call, and then at intervals that grow with the
    /// running time, up to 5 seconds. A process that is killed thus loses at most about a twentieth
    /// of its work. Returns whether the ledger was saved.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`save`](Self::save).
    pub fn save_when_due(&mut self) -> Result<bool, FileError> {
        if Instant::now() < self.due || self.ledger.unsaved().next().is_none() {
            return Ok(false);
        }
        let saved = self.save();
        self.due = Instant::now() + (self.opened.elapsed() / 20).min(SAVE_EVERY);
        saved.map(|()| true)
    }

    /// Appends the new results to the file and syncs it.
    ///
    /// # Errors
    ///
    /// Returns [`FileErrorKind::Io`] if the file cannot be written, for example because the disk is
    /// full. The next call tries again. Returns [`FileErrorKind::Changed`] if another program has
    /// removed, replaced or changed the file, which is then left as it is.
    pub fn save(&mut self) -> Result<(), FileError> {
        if self.ledger.unsaved().next().is_none() {
            return Ok(());
        }
        let text = self.codec.encode(self.ledger.unsaved(), self.ledger.elapsed());
        self.append(&text).map_err(|kind| kind.at(&self.path))?;
        self.ledger.mark_saved();
        Ok(())
    }

    /// Appends lines to the file and syncs it. Removes a partial line left by an earlier run or by
    /// a failed call.
    fn append(&mut self, text: &str) -> Result<(), FileErrorKind> {
        match regular(&self.path)? {
            Some(found) if found == self.identity => {}
            Some(found) if found.id == self.identity.id => {
                return Err(FileErrorKind::Changed("changed"));
            }
            Some(_) => return Err(FileErrorKind::Changed("replaced")),
            None => return Err(FileErrorKind::Changed("removed")),
        }
        if let Err(error) = self.write(text.as_bytes()) {
            let _ = self.file.set_len(self.end); // frees the space of a partial line
            self.identity.len = self.file.metadata()?.len();
            return Err(error.into());
        }
        self.end += text.len() as u64;
        // The length on disk may already differ, if another program has changed the file since.
        self.identity.len = self.end;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.set_len(self.end)?;
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(bytes)?;
        sync(&self.file)
    }
}
