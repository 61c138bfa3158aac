//! The few calls of the system by which files are read and written, as a trait: the real [`Disk`], and in tests one that fails
//! at any of them and loses power. All that is made of these calls is the same code on both.

use std::fmt::Debug;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use super::problem::Problem;

/// A place for files. Every method gives the I/O errors of the system.
pub(super) trait Storage: Debug + Send + Sync {
    /// The first `most` bytes of a file, or `None` if there is none. An error if it is not a regular one: a pipe may keep
    /// its reader waiting, and a device may never end.
    fn read(&self, path: &Path, most: usize) -> io::Result<Option<Vec<u8>>>;

    /// Creates an empty file. [`io::ErrorKind::AlreadyExists`] if anything has that name, be it a link to nowhere.
    fn create(&self, path: &Path) -> io::Result<Box<dyn NewFile>>;

    /// Gives a file another name in the same folder, in place of the file that has it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// The same, but an error if something has the new name: [`io::ErrorKind::AlreadyExists`].
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;

    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Makes sure that the names in a folder survive a loss of power.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;

    /// Makes a folder in an existing one, unless it is there already: whether it has been made.
    fn create_folder(&self, folder: &Path) -> io::Result<bool>;

    /// Removes a folder in which there is nothing.
    fn remove_folder(&self, folder: &Path) -> io::Result<()>;

    /// The names in a folder, in no order.
    fn list(&self, folder: &Path) -> io::Result<Vec<String>>;

    /// Locks a file against other processes, and creates it if need be, until the lock is dropped.
    fn lock(&self, path: &Path) -> Result<Lock, Problem>;
}

/// A file that is being written.
pub(super) trait NewFile: Write {
    /// Makes sure that its content survives a loss of power.
    fn sync(&self) -> io::Result<()>;
}

impl NewFile for File {
    fn sync(&self) -> io::Result<()> {
        self.sync_all()
    }
}

/// A lock that is held until dropped.
#[derive(Debug, Default)]
pub(super) struct Lock {
    _file: Option<File>,
    /// Why nothing is locked, where the file system has no locks.
    pub(super) unsupported: Option<io::Error>,
}

/// The file system of the machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Disk;

impl Storage for Disk {
    fn read(&self, path: &Path, most: usize) -> io::Result<Option<Vec<u8>>> {
        use io::ErrorKind::{NotADirectory, NotFound};
        let mut bytes = Vec::new();
        let open = || expect_regular(path).and_then(|()| File::open(path));
        match open().and_then(|file| file.take(most as u64).read_to_end(&mut bytes)) {
            Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(None),
            outcome => outcome.map(|_| Some(bytes)),
        }
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn NewFile>> {
        Ok(Box::new(File::create_new(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        let renamed = TempPath::try_from_path(from)?.persist_noclobber(to);
        renamed.map_err(|error| error.error)
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

    fn create_folder(&self, folder: &Path) -> io::Result<bool> {
        match std::fs::create_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {
                Ok(false)
            }
            outcome => outcome.map(|()| true),
        }
    }

    fn remove_folder(&self, folder: &Path) -> io::Result<()> {
        std::fs::remove_dir(folder)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let name = |entry: io::Result<std::fs::DirEntry>| {
            Ok(entry?.file_name().to_string_lossy().into_owned())
        };
        std::fs::read_dir(folder)?.map(name).collect()
    }

    fn lock(&self, path: &Path) -> Result<Lock, Problem> {
        let holder = self.read(path, 200)?.unwrap_or_default();
        let holder = String::from_utf8_lossy(&holder);
        // A loss of power leaves the beginning of a text, or zeros in its place.
        let written = holder.trim_matches('\0');
        if !written.starts_with(HOLDER) && !HOLDER.starts_with(written) {
            return Err(Problem::Foreign);
        }
        // Opened for writing and not emptied: what the holder wrote must still be there for others to read.
        let mut options = OpenOptions::new();
        let mut file = options
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let unsupported = match file.try_lock() {
            Ok(()) => None,
            Err(TryLockError::Error(error)) => Some(error),
            Err(TryLockError::WouldBlock) => {
                let named = written.trim();
                let holder = if named.is_empty() {
                    "another process"
                } else {
                    named
                };
                return Err(Problem::InUse(holder.to_owned()));
            }
        };
        if unsupported.is_some() {
            return Ok(Lock {
                _file: None,
                unsupported,
            });
        }
        // Only a help for whoever is refused: not being able to write it is no reason to refuse.
        let _ = file.set_len(0);
        let _ = file.rewind();
        let _ = writeln!(file, "{HOLDER}{} on {}", std::process::id(), host());
        Ok(Lock {
            _file: Some(file),
            unsupported,
        })
    }
}

/// How a lock file begins, once its holder has written in it.
const HOLDER: &str = "process ";

/// An error if the path leads to something other than a regular file, or nowhere.
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

/// All bytes of a file, or `None` if there is none. An error if there are more than `most`: no file of this program is
/// read that is longer than it can be.
pub(super) fn read_all(
    storage: &dyn Storage,
    path: &Path,
    most: usize,
) -> io::Result<Option<Vec<u8>>> {
    let bytes = storage.read(path, most + 1)?;
    if bytes.as_ref().is_some_and(|bytes| bytes.len() > most) {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

/// The name of this machine.
pub(super) fn host() -> String {
    sysinfo::System::host_name().unwrap_or_else(|| "unknown".to_owned())
}

/// The folder that a file is in.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// The path with `suffix` put after its last part: `run.ckpt` with `.lock` is `run.ckpt.lock`.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// A name beside `path` that no other process uses.
pub(super) fn unique(path: &Path) -> PathBuf {
    let chance = fastrand::u64(..);
    let (host, process) = (host(), std::process::id());
    with_suffix(path, &format!(".{host}-{process}-{chance:016x}.tmp"))
}

/// Creates a file and writes it such that its content survives a loss of power. After any error but that something has the
/// name a part of the file may be there.
pub(super) fn create(storage: &dyn Storage, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = storage.create(path)?;
    file.write_all(bytes)?;
    file.sync()
}

/// Puts `bytes` in place of the file `path`, which holds either its old content or all of the new, whatever fails and
/// whenever the power goes. The old content is kept as `previous`, where given.
///
/// After an error the file may have its new content, its old, or, where `previous` is given, be there under that name
/// only.
pub(super) fn replace(
    storage: &dyn Storage,
    path: &Path,
    temporary: &Path,
    previous: Option<&Path>,
    bytes: &[u8],
) -> io::Result<()> {
    by_way_of(storage, path, temporary, bytes, || {
        if let Some(previous) = previous {
            match storage.rename(path, previous) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        storage.rename(temporary, path)
    })
}

/// Writes a file that is not there yet, all of it or nothing; [`io::ErrorKind::AlreadyExists`] if it is.
pub(super) fn write_new(storage: &dyn Storage, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = unique(path);
    by_way_of(storage, path, &temporary, bytes, || {
        storage.rename_new(&temporary, path)
    })
}

/// Writes `bytes` in the file `temporary` and has it renamed. The content must be safe before the name is: else a loss of
/// power may leave an empty file under it.
fn by_way_of(
    storage: &dyn Storage,
    path: &Path,
    temporary: &Path,
    bytes: &[u8],
    rename: impl FnOnce() -> io::Result<()>,
) -> io::Result<()> {
    match create(storage, temporary, bytes) {
        // Somebody else's file: not ours to remove.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
        outcome => outcome.and_then(|()| rename()).inspect_err(|_| {
            let _ = storage.remove(temporary);
        })?,
    }
    storage.sync_folder(folder_of(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_loss_of_power_leaves_of_a_lock_is_ours() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lock");
        for left in [
            "",
            "pro",
            "process ",
            "process 12\0\0\0",
            "proc\0\0",
            "\0\0",
        ] {
            std::fs::write(&file, left).unwrap();
            assert!(Disk.lock(&file).is_ok(), "{left:?}");
        }
        std::fs::write(&file, "prose").unwrap();
        assert!(matches!(Disk.lock(&file), Err(Problem::Foreign)));
    }

    #[test]
    fn a_file_is_replaced_and_its_predecessor_kept() {
        let folder = tempfile::tempdir().unwrap();
        let [file, temporary, previous] =
            ["file", "file.tmp", "file.previous"].map(|name| folder.path().join(name));
        for text in ["one", "two", "three"] {
            replace(&Disk, &file, &temporary, Some(&previous), text.as_bytes()).unwrap();
        }
        let read = |path, most| Disk.read(path, most).unwrap().unwrap();
        assert_eq!(
            (read(&file, 9), read(&file, 2)),
            ("three".into(), "th".into())
        );
        assert_eq!(read(&previous, 9), b"two");
        let mut names = Disk.list(folder.path()).unwrap();
        names.sort();
        assert_eq!(names, ["file", "file.previous"]);
    }
}
