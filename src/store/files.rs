//! What files need of the operating system beyond reading and writing.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use tempfile::TempPath;

/// The name of this machine.
pub(super) fn host() -> String {
    sysinfo::System::host_name().unwrap_or_else(|| "unknown".to_owned())
}

/// An error if the path leads to something other than a regular file: a pipe may keep its reader waiting, and a device may
/// never end. Whether there is a file.
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
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Makes sure that the name of a file survives a loss of power.
pub(super) fn sync_name(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder_of(path))?.sync_all()
    } else {
        Ok(()) // a folder cannot be opened as a file elsewhere
    }
}

/// Writes a file that is not there yet, all of it or nothing, whatever fails and whenever the power goes:
/// [`io::ErrorKind::AlreadyExists`] if it is.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = format!(".{}-{:016x}.tmp", std::process::id(), fastrand::u64(..));
    let temporary = folder_of(path).join(name);
    let mut file = File::create_new(&temporary)?;
    let temporary = TempPath::try_from_path(temporary)?; // which removes it after an error
    file.write_all(bytes)?;
    // The content must be safe before the name is: else a loss of power may leave an empty file under it.
    file.sync_all()?;
    let renamed = temporary.persist_noclobber(path);
    renamed.map_err(|error| error.error)?;
    sync_name(path)
}
