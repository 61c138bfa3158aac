//! Durable and atomic file operations.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempPath;

/// Returns the identity and length of a regular file, or `None` if the file does not exist. All
/// other kinds of files are rejected, because reading from a pipe may block, and reading from a
/// device may never end.
pub(super) fn regular(path: &Path) -> io::Result<Option<FileIdentity>> {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    match fs::metadata(path) {
        Ok(found) if found.is_file() => Ok(Some(FileIdentity::from_metadata(&found))),
        Ok(found) if found.is_dir() => Err(IsADirectory.into()),
        Ok(_) => Err(io::Error::other("not a regular file")),
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Identity and length of a file, which reveal most changes by other programs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FileIdentity {
    /// Device and inode numbers, which distinguish files that exist at the same time. Both are zero
    /// on Windows.
    pub(super) id: [u64; 2],
    pub(super) len: u64,
}

impl FileIdentity {
    pub(super) fn from_metadata(found: &Metadata) -> Self {
        #[cfg(unix)]
        let id = {
            use std::os::unix::fs::MetadataExt;
            [found.dev(), found.ino()]
        };
        #[cfg(not(unix))]
        let id = [0; 2];
        Self { id, len: found.len() }
    }
}

/// Returns the folder that contains the file.
fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Syncs the folder that contains the file, so that the name of the file survives a power failure.
pub(super) fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = folder_of(path);
    if cfg!(unix) {
        sync(&File::open(&folder)?)?; // elsewhere, folders cannot be opened as files
    }
    Ok(())
}

/// Waits until the contents of a file or folder survive a power failure.
pub(super) fn sync(file: &File) -> io::Result<()> {
    let synced = file.sync_all();
    #[cfg(all(test, target_os = "linux"))]
    super::tests::record(file, &synced);
    synced
}

/// File that appears under its name once it is complete. Until then, it has a temporary name.
#[derive(Debug)]
#[non_exhaustive]
pub struct NewFile {
    /// The open file.
    pub file: File,
    temporary: TempPath,
}

impl NewFile {
    /// Creates a file in the folder of `path`, with the permissions of an ordinary new file.
    ///
    /// # Errors
    ///
    /// Returns an error if no file can be created in the folder.
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        let name = format!(".queens-{:016x}.tmp", fastrand::u64(..));
        let name = folder_of(path.as_ref()).join(name);
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&name)?;
        Ok(Self { file, temporary: TempPath::try_from_path(name)? })
    }

    /// Syncs the file and gives it the name `path`. A file that already has this name is replaced.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be synced or renamed.
    pub fn replace(self, path: impl AsRef<Path>) -> io::Result<()> {
        // If the name reached the disk before the contents, a power failure could leave an empty
        // file.
        sync(&self.file)?;
        self.temporary.persist(&path).map_err(|error| error.error)?;
        sync_folder_of(path.as_ref())
    }
}
