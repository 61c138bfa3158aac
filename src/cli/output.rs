//! Where results go: standard output, or a file that appears when it is complete.

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::NamedTempFile;

use super::exit::UsageError;
use super::paths::through_links;

/// Says something on standard error, if anybody listens: that nobody does is no reason to do anything else.
pub(crate) fn tell(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// What an error in writing there is about.
pub(crate) const STANDARD_OUTPUT: &str = "standard output";

/// Prints a line on standard output.
pub(crate) fn print(line: impl Display) -> Result<()> {
    writeln!(io::stdout(), "{line}").context(STANDARD_OUTPUT)
}

/// An open place for results. A regular file is written beside its final name and takes it in [`finish`](Self::finish),
/// so that a run that fails leaves no half of a result behind, nor destroys an older one.
#[derive(Debug)]
pub(crate) enum Output {
    Standard(io::Stdout),
    File {
        path: PathBuf,
        temporary: NamedTempFile,
    },
    /// A pipe or a device, which cannot be replaced.
    Special(File),
}

impl Output {
    /// Opens the place, so that what is wrong with it is known before any work is done; `-` is standard output.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::Standard(io::stdout()));
        }
        let accepted = "a file that can be created or replaced, or - for standard output";
        Self::create_file("--output", path, accepted)
    }

    /// Opens the file that another option names.
    pub(crate) fn create_for(option: &'static str, path: &Path) -> Result<Self> {
        Self::create_file(option, path, "a file that can be created or replaced")
    }

    fn create_file(option: &'static str, path: &Path, accepted: &str) -> Result<Self> {
        Self::open(path).map_err(|error| {
            let reason = format!("'{}': {error} (accepted: {accepted})", path.display());
            UsageError::new(option, reason).into()
        })
    }

    fn open(path: &Path) -> io::Result<Self> {
        let path = through_links(path);
        match OpenOptions::new().write(true).open(&path) {
            Ok(file) if !file.metadata()?.is_file() => return Ok(Self::Special(file)),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        if path.file_name().is_none() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let temporary = temporary_file(folder)?;
        Ok(Self::File { path, temporary })
    }

    /// Makes sure that everything is written.
    pub(crate) fn finish(self) -> Result<()> {
        match self {
            Self::Standard(mut stdout) => Ok(stdout.flush()?),
            Self::Special(mut file) => Ok(file.flush()?),
            Self::File { path, temporary } => {
                let context = || format!("'{}' could not be written", path.display());
                temporary.as_file().sync_all().with_context(context)?;
                temporary.persist(&path).with_context(context)?;
                Ok(())
            }
        }
    }
}

/// A temporary file with the permissions that a new file has by default, which is not what temporary files have.
fn temporary_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".queens-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    // The name of the temporary file, which the error would give, means nothing to the user.
    builder
        .tempfile_in(folder)
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => io::Error::other("there is no such folder"),
            kind => kind.into(),
        })
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Standard(stdout) => stdout.write(bytes),
            Self::File { temporary, .. } => temporary.write(bytes),
            Self::Special(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Standard(stdout) => stdout.flush(),
            Self::File { temporary, .. } => temporary.flush(),
            Self::Special(file) => file.flush(),
        }
    }
}
