//! What files need of the operating system beyond reading and writing.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// An error if the path leads to something other than a regular file: a pipe may keep its reader waiting, and a device
/// may never end. Whether there is a file.
pub(super) fn expect_regular(path: &Path) -> io::Result<bool> {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    match fs::metadata(path) {
        Ok(found) if found.is_file() => Ok(true),
        Ok(found) if found.is_dir() => Err(IsADirectory.into()),
        Ok(_) => Err(io::Error::other("not a regular file")),
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The folder that a file is in.
fn folder_of(path: &Path) -> &Path {
    let folder = path.parent();
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Makes sure that the name of a file survives a loss of power.
fn sync_name(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder_of(path))?.sync_all()
    } else {
        Ok(()) // a folder cannot be opened as a file elsewhere
    }
}

/// Whether a path leads to this open file, which still has `length` bytes or more.
pub(super) fn is_in_place(file: &File, path: &Path, length: u64) -> io::Result<bool> {
    if !expect_regular(path)? {
        return Ok(false);
    }
    let [ours, there] = [file.metadata()?, fs::metadata(path)?];
    #[cfg(unix)]
    let is_same = {
        use std::os::unix::fs::MetadataExt;
        (ours.dev(), ours.ino()) == (there.dev(), there.ino())
    };
    #[cfg(not(unix))]
    let is_same = true;
    Ok(is_same && ours.len().min(there.len()) >= length)
}

/// Puts `bytes` in place of the file `path`, or leaves it as it was, whatever fails and whenever the power goes. The
/// new file is locked where the file system has locks.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<File> {
    let file = write_beside(path, bytes)?;
    let _ = file.as_file().try_lock(); // nobody else knows it yet
    let file = file.persist(path).map_err(|error| error.error)?;
    sync_name(path)?;
    Ok(file)
}

/// The same for a file that is not there yet: [`io::ErrorKind::AlreadyExists`] if it is.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = write_beside(path, bytes)?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    sync_name(path)
}

/// Writes a file that is to get this name.
fn write_beside(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let folder = folder_of(path);
    #[cfg(unix)] // where temporary files are for their owner alone
    let mut file = tempfile::Builder::new()
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666))
        .tempfile_in(folder)?;
    #[cfg(not(unix))]
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    // The content must be safe before the name is: else a loss of power may leave an empty file under it.
    file.as_file().sync_all()?;
    Ok(file)
}
