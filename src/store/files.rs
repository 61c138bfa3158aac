//! Durable and atomic file operations.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Returns whether the file exists.
///
/// # Errors
///
/// I/O errors, and an error if the path is not a regular file. Reading a pipe may block, and a device may never end.
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

/// Returns the folder that contains the file.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Syncs the folder that contains the file, so that its name survives a power failure.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder_of(path))?.sync_all()
    } else {
        Ok(()) // folders cannot be opened as files
    }
}

/// Returns whether the path still leads to this open file, and the file has at least `length` bytes.
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

/// Replaces the file atomically, even if the power fails. The new file is locked if the file system supports locks.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<File> {
    let file = write_temporary(path, bytes)?;
    let _ = file.as_file().try_lock(); // no other process knows it yet
    let file = file.persist(path).map_err(|error| error.error)?;
    sync_folder_of(path)?;
    Ok(file)
}

/// Creates a file atomically.
///
/// # Errors
///
/// I/O errors, such as [`io::ErrorKind::AlreadyExists`].
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = write_temporary(path, bytes)?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    sync_folder_of(path)
}

/// Writes and syncs a temporary file in the same folder.
fn write_temporary(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)] // by default only the owner has access
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder_of(path))?;
    file.write_all(bytes)?;
    // If the name reached the disk first, a power failure could leave an empty file.
    file.as_file().sync_all()?;
    Ok(file)
}
