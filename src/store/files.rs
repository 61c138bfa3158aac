//! Durable and atomic file operations.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::Path;
use std::time::SystemTime;

use tempfile::NamedTempFile;

/// Returns the metadata of a regular file, or `None` if the file does not exist. All other kinds of
/// files are rejected, because reading from a pipe may block, and reading from a device may never
/// end.
pub(super) fn regular(path: &Path) -> io::Result<Option<Metadata>> {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    match fs::metadata(path) {
        Ok(found) if found.is_file() => Ok(Some(found)),
        Ok(found) if found.is_dir() => Err(IsADirectory.into()),
        Ok(_) => Err(io::Error::other("not a regular file")),
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Identity and state of a file, which reveal changes by other programs unless the clock is too
/// coarse.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stamp {
    /// Device and inode numbers, which distinguish files that exist at the same time. Both are zero
    /// on Windows.
    pub(super) id: [u64; 2],
    pub(super) len: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    pub(super) fn of(found: &Metadata) -> Self {
        #[cfg(unix)]
        let id = {
            use std::os::unix::fs::MetadataExt;
            [found.dev(), found.ino()]
        };
        #[cfg(not(unix))]
        let id = [0; 2];
        let (len, modified) = (found.len(), found.modified().ok());
        Self { id, len, modified }
    }
}

/// Returns the folder that contains the file.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Syncs the folder that contains the file, so that the name of the file survives a power failure.
pub(super) fn sync_folder_of(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder_of(path))?.sync_all()
    } else {
        Ok(()) // folders cannot be opened as files
    }
}

/// Replaces a file atomically, even if the power fails. The new file is locked if the file system
/// supports locks.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<File> {
    let file = write_temporary(path, bytes)?;
    let _ = file.as_file().try_lock(); // no other process has opened it yet
    let file = file.persist(path).map_err(|error| error.error)?;
    sync_folder_of(path)?;
    Ok(file)
}

/// Creates a file atomically. Returns [`io::ErrorKind::AlreadyExists`] if the file exists.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = write_temporary(path, bytes)?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    sync_folder_of(path)
}

/// Writes a temporary file in the same folder and syncs it.
fn write_temporary(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)] // by default, only the owner has access
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder_of(path))?;
    file.write_all(bytes)?;
    // If the file's name reached the disk before its contents, a power failure could leave an empty
    // file.
    file.as_file().sync_all()?;
    Ok(file)
}
