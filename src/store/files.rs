//! Durable and atomic file operations.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::Path;
use std::time::SystemTime;

use tempfile::TempPath;

/// Returns the state of a regular file, or `None` if the file does not exist. All other kinds of
/// files are rejected, because reading from a pipe may block, and reading from a device may never
/// end.
pub(super) fn regular(path: &Path) -> io::Result<Option<Stamp>> {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    match fs::metadata(path) {
        Ok(found) if found.is_file() => Ok(Some(Stamp::of(&found))),
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
    let mut new = NewFile::create(path)?;
    new.file.write_all(bytes)?;
    let _ = new.file.try_lock(); // no other process has opened it yet
    new.replace(path)
}

/// Creates a file atomically. Returns [`io::ErrorKind::AlreadyExists`] if the file exists.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut new = NewFile::create(path)?;
    new.file.write_all(bytes)?;
    new.appear(path)
}

/// A file that appears in its folder once it is complete.
///
/// On Linux, it has no name until then if the file system supports that, so that a killed process
/// leaves nothing behind. Elsewhere, it has a temporary name.
#[derive(Debug)]
#[non_exhaustive]
pub struct NewFile {
    /// The open file.
    pub file: File,
    temporary: Option<TempPath>,
}

impl NewFile {
    /// Creates a file in the folder of `path`, with the permissions of an ordinary new file.
    ///
    /// # Errors
    ///
    /// Returns an error if no file can be created in the folder.
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        let folder = folder_of(path.as_ref());
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{Mode, OFlags};
            use rustix::io::Errno;
            let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
            match rustix::fs::open(folder, flags, Mode::from_raw_mode(0o666)) {
                // Without /proc, the file could not get a name later.
                Ok(file) if Path::new(&name_in_proc(&file)).exists() => {
                    return Ok(Self { file: file.into(), temporary: None });
                }
                // The file system does not support files without a name.
                Ok(_) | Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".queens-").suffix(".tmp");
        #[cfg(unix)] // by default, only the owner has access
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        // The original error names the temporary file, which the user does not know about.
        let named = builder.tempfile_in(folder).map_err(|error| {
            let source = error.get_ref().and_then(|error| error.source());
            let io = source.and_then(|error| error.downcast_ref::<io::Error>());
            match io.and_then(io::Error::raw_os_error) {
                Some(code) => io::Error::from_raw_os_error(code),
                None => error.kind().into(),
            }
        });
        let (file, temporary) = named?.into_parts();
        Ok(Self { file, temporary: Some(temporary) })
    }

    /// Syncs the file and gives it a name that does not exist yet.
    fn appear(self, path: &Path) -> io::Result<()> {
        // If the name reached the disk before the contents, a power failure could leave an empty
        // file.
        self.file.sync_all()?;
        match self.temporary {
            Some(temporary) => temporary.persist_noclobber(path).map_err(|error| error.error)?,
            None => link(&self.file, path)?,
        }
        sync_folder_of(path)
    }

    /// Syncs the file and replaces the file at `path`, if there is one.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written or renamed.
    pub fn replace(self, path: impl AsRef<Path>) -> io::Result<File> {
        let path = path.as_ref();
        self.file.sync_all()?;
        let temporary = match self.temporary {
            Some(temporary) => temporary,
            // Only a file with a name can replace another one.
            None => loop {
                let name = format!(".queens-{:016x}.tmp", fastrand::u64(..));
                let name = folder_of(path).join(name);
                match link(&self.file, &name) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    linked => break linked.and_then(|()| TempPath::try_from_path(name))?,
                }
            },
        };
        temporary.persist(path).map_err(|error| error.error)?;
        sync_folder_of(path)?;
        Ok(self.file)
    }
}

/// Gives a name to an open file that has none.
#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    Ok(linkat(CWD, name_in_proc(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

/// Returns the path by which Linux gives access to an open file.
#[cfg(target_os = "linux")]
fn name_in_proc(file: &impl std::os::fd::AsRawFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// Never called, because every file has a name.
#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
