//! Where results go: standard output, or a file that appears when it is complete.

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::{NamedTempFile, TempPath};

use super::exit::UsageError;
use super::paths::{descriptor, through_links};
use super::streams::expect_output;
pub(crate) use super::streams::tell;
use crate::human;
use crate::store::folder_of;

/// Prints a line, or several, on standard output.
pub(crate) fn print(lines: impl Display) -> Result<()> {
    print_all(&format!("{}\n", human::printable(&lines.to_string())))
}

/// Prints a text as it is on standard output.
pub(crate) fn print_all(text: &str) -> Result<()> {
    let mut output = Output::standard()?;
    output.write_all(text.as_bytes())?;
    output.finish()
}

/// An open place for results. An error in writing there names the place.
pub(crate) struct Output {
    out: Box<dyn Write>,
    /// The file to appear, and the temporary one beside it that is written. It takes the name in [`finish`](Self::finish),
    /// so that a run that fails leaves no half of a result behind, nor destroys an older one.
    unfinished: Option<(TempPath, PathBuf)>,
    /// The option and the file, or that it is standard output.
    name: String,
}

impl Output {
    /// Standard output; an error if it was closed before the process began.
    pub(crate) fn standard() -> Result<Self> {
        let name = "standard output".to_owned();
        expect_output().context(name.clone())?;
        Ok(Self::to(io::stdout(), name))
    }

    fn to(out: impl Write + 'static, name: String) -> Self {
        let (out, unfinished) = (Box::new(out), None);
        Self {
            out,
            unfinished,
            name,
        }
    }

    /// Opens the place, so that what is wrong with it is known before any work is done; `-` is standard output.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        if path == Path::new("-") {
            return Self::standard();
        }
        let accepted = "a file that can be created or replaced, or - for standard output";
        Self::create_file("--output", path, accepted)
    }

    /// Opens the file that another option names.
    pub(crate) fn create_for(option: &'static str, path: &Path) -> Result<Self> {
        Self::create_file(option, path, "a file that can be created or replaced")
    }

    /// Opens a file in a folder that the program fills: one that is not there yet or, as `is_ours` tells of what it holds, one
    /// that it made. Never what a link leads to.
    pub(crate) fn create_own(
        option: &'static str,
        path: &Path,
        is_ours: impl FnOnce(&str) -> bool,
    ) -> Result<Self> {
        const ENOUGH: u64 = 1 << 16;
        let is_free = match path.symlink_metadata() {
            Err(_) => true,
            Ok(found) if !found.is_file() => false,
            Ok(_) => {
                let mut bytes = Vec::new();
                let read =
                    File::open(path).and_then(|file| file.take(ENOUGH).read_to_end(&mut bytes));
                read.is_ok() && is_ours(&String::from_utf8_lossy(&bytes))
            }
        };
        if !is_free {
            let file = path.display();
            let accepted = "a folder that has no file of that name, or one that this command made";
            let reason = format!("'{file}' was not made by this command (accepted: {accepted})");
            return Err(UsageError::new(option, reason).into());
        }
        Self::create_for(option, path)
    }

    fn create_file(option: &'static str, path: &Path, accepted: &str) -> Result<Self> {
        let file = path.display();
        let name = format!("{option}: '{file}'");
        open(path, name).map_err(|error| {
            UsageError::new(option, format!("'{file}': {error} (accepted: {accepted})")).into()
        })
    }

    /// Makes sure that everything is written.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.flush()?;
        if let Some((temporary, path)) = self.unfinished {
            let file = OpenOptions::new().write(true).open(&temporary);
            let synced = file.and_then(|file| file.sync_all());
            synced.context(self.name.clone())?;
            temporary.persist(path).context(self.name)?;
        }
        Ok(())
    }

    /// An error in writing, with the place. Its kind stays, for what a closed pipe means depends on it.
    fn named(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: {error}", self.name))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes).map_err(|error| self.named(&error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush().map_err(|error| self.named(&error))
    }
}

/// Opens the file, pipe or device of this name.
fn open(path: &Path, name: String) -> io::Result<Output> {
    let writable = |path: &Path| OpenOptions::new().write(true).open(path);
    // What a descriptor leads to is written on, not replaced: others may have written there, and go on.
    match descriptor(path) {
        Some(1) => return Ok(Output::to(io::stdout(), name)),
        Some(2) => return Ok(Output::to(io::stderr(), name)),
        Some(_) => {
            let file = writable(path)?;
            if file.metadata()?.is_file() {
                let reason = "an open file would be written over; name the file itself";
                return Err(io::Error::other(reason));
            }
            return Ok(Output::to(file, name));
        }
        None => {}
    }
    let path = through_links(path);
    let replaced = match writable(&path) {
        Ok(file) if file.metadata()?.is_file() => Some(file),
        Ok(pipe_or_device) => return Ok(Output::to(pipe_or_device, name)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if path.file_name().is_none() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let (file, temporary) = temporary_file(folder_of(&path))?.into_parts();
    if let Some(replaced) = replaced {
        file.set_permissions(replaced.metadata()?.permissions())?;
    }
    let mut output = Output::to(file, name);
    output.unfinished = Some((temporary, path));
    Ok(output)
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
