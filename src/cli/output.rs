//! Where results go: standard output, or a file that appears when it is complete.

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::NamedTempFile;

use super::exit::UsageError;
use super::paths::{descriptor, through_links};
use crate::store::folder_of;

/// Writes a line on standard error; if that fails, there is nobody to tell.
pub(crate) fn tell(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Prints a line on standard output.
pub(crate) fn print(line: impl Display) -> Result<()> {
    print_all(&format!("{line}\n"))
}

/// Prints a text as it is on standard output.
pub(crate) fn print_all(text: &str) -> Result<()> {
    let mut output = Output::standard();
    output.write_all(text.as_bytes())?;
    output.finish()
}

/// An open place for results. An error in writing there names the place.
#[derive(Debug)]
pub(crate) struct Output {
    place: Place,
    /// The option and the file, or that it is standard output.
    name: String,
}

/// What results are written to.
#[derive(Debug)]
enum Place {
    Standard(io::Stdout),
    /// A regular file is written beside its final name and takes it in [`finish`](Output::finish), so that a run that
    /// fails leaves no half of a result behind, nor destroys an older one.
    File {
        path: PathBuf,
        temporary: NamedTempFile,
    },
    /// Standard error, where an option names it.
    Errors(io::Stderr),
    /// A pipe or a device, which cannot be replaced.
    Special(File),
}

impl Output {
    /// Standard output.
    pub(crate) fn standard() -> Self {
        let place = Place::Standard(io::stdout());
        let name = "standard output".to_owned();
        Self { place, name }
    }

    /// Opens the place, so that what is wrong with it is known before any work is done; `-` is standard output.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::standard());
        }
        let accepted = "a file that can be created or replaced, or - for standard output";
        Self::create_file("--output", path, accepted)
    }

    /// Opens the file that another option names.
    pub(crate) fn create_for(option: &'static str, path: &Path) -> Result<Self> {
        Self::create_file(option, path, "a file that can be created or replaced")
    }

    fn create_file(option: &'static str, path: &Path, accepted: &str) -> Result<Self> {
        let file = path.display();
        let name = format!("{option}: '{file}'");
        let place = Place::open(path).map_err(|error| {
            UsageError::new(option, format!("'{file}': {error} (accepted: {accepted})"))
        })?;
        Ok(Self { place, name })
    }

    /// Makes sure that everything is written.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.flush()?;
        if let Place::File { path, temporary } = self.place {
            temporary.as_file().sync_all().context(self.name.clone())?;
            temporary.persist(&path).context(self.name)?;
        }
        Ok(())
    }

    /// Writes, or flushes; an error says where. Its kind stays, for what a closed pipe means depends on it.
    fn with_name<T>(&mut self, act: impl Fn(&mut dyn Write) -> io::Result<T>) -> io::Result<T> {
        let outcome = match &mut self.place {
            Place::Standard(stdout) => act(stdout),
            // Not the temporary file itself, whose errors give a name that means nothing to the user.
            Place::File { temporary, .. } => act(temporary.as_file_mut()),
            Place::Errors(stderr) => act(stderr),
            Place::Special(file) => act(file),
        };
        outcome.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", self.name)))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.with_name(|place| place.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.with_name(|place| place.flush())
    }
}

impl Place {
    fn open(path: &Path) -> io::Result<Self> {
        // What a descriptor leads to is written on, not replaced: others may have written there, and go on.
        match descriptor(path) {
            Some(1) => return Ok(Self::Standard(io::stdout())),
            Some(2) => return Ok(Self::Errors(io::stderr())),
            Some(_) => {
                let file = OpenOptions::new().write(true).open(path)?;
                if file.metadata()?.is_file() {
                    let reason = "an open file would be written over; name the file itself";
                    return Err(io::Error::other(reason));
                }
                return Ok(Self::Special(file));
            }
            None => {}
        }
        let path = through_links(path);
        let replaced = match OpenOptions::new().write(true).open(&path) {
            Ok(file) if file.metadata()?.is_file() => Some(file),
            Ok(file) => return Ok(Self::Special(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if path.file_name().is_none() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let temporary = temporary_file(folder_of(&path))?;
        if let Some(replaced) = replaced {
            let permissions = replaced.metadata()?.permissions();
            temporary.as_file().set_permissions(permissions)?;
        }
        Ok(Self::File { path, temporary })
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
