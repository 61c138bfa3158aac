//! The few things that files must be able to do, as a trait: the real [`Disk`], and in tests one that fails on demand and
//! loses power.

use std::fmt::Debug;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A place for files.
pub trait Storage: Debug + Send + Sync {
    /// All bytes of a file.
    ///
    /// # Errors
    ///
    /// What the system reports; [`io::ErrorKind::NotFound`] if there is no such file, and an error as well if it is not a
    /// regular one: a pipe may keep its reader waiting, and a device may never end.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Creates a file.
    ///
    /// # Errors
    ///
    /// What the system reports; [`io::ErrorKind::AlreadyExists`] if anything has that name, be it a link to nowhere.
    fn create(&self, path: &Path) -> io::Result<Box<dyn Writable>>;

    /// Gives a file another name in the same folder, in place of the file that has it.
    ///
    /// # Errors
    ///
    /// What the system reports; [`io::ErrorKind::NotFound`] if there is no such file.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    ///
    /// What the system reports.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Makes sure that the names in a folder survive a loss of power.
    ///
    /// # Errors
    ///
    /// What the system reports.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;

    /// Makes a folder in one that is there, unless it is there already.
    ///
    /// # Errors
    ///
    /// What the system reports.
    fn create_folder(&self, folder: &Path) -> io::Result<()>;

    /// The names in a folder, in no order.
    ///
    /// # Errors
    ///
    /// What the system reports.
    fn list(&self, folder: &Path) -> io::Result<Vec<String>>;

    /// Locks a file against other processes, and creates it if need be, until the lock is dropped.
    ///
    /// # Errors
    ///
    /// [`LockError`].
    fn lock(&self, path: &Path) -> Result<Lock, LockError>;
}

/// A file that is being written.
pub trait Writable: Write {
    /// Makes sure that what was written survives a loss of power.
    ///
    /// # Errors
    ///
    /// What the system reports.
    fn sync(&mut self) -> io::Result<()>;
}

/// A lock that is held until dropped.
#[derive(Debug, Default)]
pub struct Lock {
    /// None where nothing needs to be held.
    _file: Option<File>,
}

/// Why a file could not be locked.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LockError {
    /// Another process holds the lock.
    #[error("in use by {holder}")]
    Held {
        /// What it wrote of itself.
        holder: String,
    },
    /// The file system knows no locks.
    #[error("this file system has no locks: {0}")]
    Unsupported(io::Error),
    /// There is a file that no process wrote that locked it.
    #[error("is no lock of this program")]
    Foreign,
    /// The file could not be opened.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The file system of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct Disk;

impl Storage for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        expect_regular(path)?;
        std::fs::read(path)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn Writable>> {
        Ok(Box::new(File::create_new(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        if cfg!(unix) {
            File::open(folder)?.sync_all()
        } else {
            Ok(()) // a folder cannot be opened as a file elsewhere
        }
    }

    fn create_folder(&self, folder: &Path) -> io::Result<()> {
        match std::fs::create_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
            outcome => outcome,
        }
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let name = |entry: io::Result<std::fs::DirEntry>| {
            Ok(entry?.file_name().to_string_lossy().into_owned())
        };
        std::fs::read_dir(folder)?.map(name).collect()
    }

    fn lock(&self, path: &Path) -> Result<Lock, LockError> {
        match expect_regular(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        let mut options = OpenOptions::new();
        // Opened for writing and not emptied: what the holder wrote must still be there for others to read.
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path)?;
        let mut holder = Vec::new();
        (&file).take(200).read_to_end(&mut holder)?;
        let holder = String::from_utf8_lossy(&holder);
        let written = holder.trim_matches('\0'); // which a loss of power leaves in the place of text
        if !written.is_empty() && !written.starts_with(HOLDER) {
            return Err(LockError::Foreign);
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = match written.trim() {
                    "" => "another process".to_owned(),
                    named => named.to_owned(),
                };
                return Err(LockError::Held { holder });
            }
            Err(TryLockError::Error(error)) => return Err(LockError::Unsupported(error)),
        }
        // Only a help for whoever is refused: not being able to write it is no reason to refuse.
        let _ = file.set_len(0);
        let _ = file.rewind();
        let _ = writeln!(file, "{HOLDER}{} on {}", std::process::id(), host());
        Ok(Lock { _file: Some(file) })
    }
}

/// How a lock file begins, once its holder has written in it.
const HOLDER: &str = "process ";

/// An error if there is something other than a regular file, or nothing.
fn expect_regular(path: &Path) -> io::Result<()> {
    let kind = std::fs::metadata(path)?.file_type();
    if kind.is_file() {
        Ok(())
    } else if kind.is_dir() {
        Err(io::ErrorKind::IsADirectory.into())
    } else {
        Err(io::Error::other("not a regular file"))
    }
}

impl Writable for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

/// The name of this machine.
#[must_use]
pub fn host() -> String {
    let kernel = std::fs::read_to_string("/proc/sys/kernel/hostname");
    let name = kernel.or_else(|_| std::env::var("HOSTNAME").map_err(io::Error::other));
    name.map_or_else(|_| "unknown".to_owned(), |name| name.trim().to_owned())
}

/// The folder that a file is in.
#[must_use]
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// The path with `suffix` put after its last part: `run.ckpt` with `.lock` is `run.ckpt.lock`.
#[must_use]
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Puts `bytes` in place of the file `path`, which holds either its old content or all of the new, whatever fails and
/// whenever the power goes. The old content is kept as `previous`, where given.
///
/// # Errors
///
/// What the storage reports. The file may have its new content then, its old, or, where `previous` is given, be there
/// under that name only.
pub(crate) fn replace(
    storage: &dyn Storage,
    path: &Path,
    temporary: &Path,
    previous: Option<&Path>,
    bytes: &[u8],
) -> io::Result<()> {
    let mut file = storage.create(temporary)?;
    let put = || {
        file.write_all(bytes)?;
        // The content must be safe before the name is: else a loss of power may leave an empty file under it.
        file.sync()?;
        drop(file);
        if let Some(previous) = previous {
            match storage.rename(path, previous) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        storage.rename(temporary, path)
    };
    put().inspect_err(|_| {
        let _ = storage.remove(temporary);
    })?;
    storage.sync_folder(folder_of(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = Disk.lock(&path).unwrap();
        match Disk.lock(&path) {
            Err(LockError::Held { holder }) => {
                let me = format!("process {}", std::process::id());
                assert!(holder.contains(&me), "{holder}");
            }
            other => panic!("{other:?}"),
        }
        drop(held);
        Disk.lock(&path).unwrap();
    }

    #[test]
    fn a_file_is_replaced_and_its_predecessor_kept() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for text in ["one", "two", "three"] {
            let previous = at("file.previous");
            let (file, temporary) = (at("file"), at("file.tmp"));
            replace(&Disk, &file, &temporary, Some(&previous), text.as_bytes()).unwrap();
        }
        assert_eq!(Disk.read(&at("file")).unwrap(), b"three");
        assert_eq!(Disk.read(&at("file.previous")).unwrap(), b"two");
        let mut names = Disk.list(folder.path()).unwrap();
        names.sort();
        assert_eq!(names, ["file", "file.previous"]);
    }
}
