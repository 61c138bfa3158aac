//! Destinations of results: standard output, or a file that appears once it is complete.

use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use queens::store::{LedgerFile, NewFile};

use crate::exit::{Failure, Result};
use crate::message::{eprint_line, printable};
use crate::startup::expect_stdout;

/// Prints lines to standard output, and escapes control characters.
pub(crate) fn print(lines: impl Display) -> Result<()> {
    print_all(&format!("{}\n", printable(&lines.to_string())))
}

/// Prints a string to standard output without escaping it.
pub(crate) fn print_all(text: &str) -> Result<()> {
    let mut output = Output::standard();
    output.write_all(text.as_bytes())?;
    output.finish()
}

/// An open destination. Write errors include its name.
pub(crate) struct Output {
    /// Stream or new file.
    out: Box<dyn Write>,
    /// New file and its path. [`finish`](Output::finish) makes the file appear, so that a failed
    /// run leaves no partial result and keeps an older file intact.
    new: Option<(NewFile, PathBuf)>,
    /// Name used in errors: the option and the file, or `standard output`.
    name: String,
    /// Whether the result is only a part of what was requested, which does not become a file.
    pub(crate) is_partial: bool,
}

impl Output {
    /// Returns standard output.
    pub(crate) fn standard() -> Self {
        let name = "standard output".to_owned();
        Self { out: Box::new(io::stdout()), new: None, name, is_partial: false }
    }

    /// Creates the file given by `--output`, before any work is done; `-` is standard output.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        match path == Path::new("-") {
            true => Ok(Self::standard()),
            false => Self::create_for("--output", path),
        }
    }

    /// Creates the file given by another option.
    pub(crate) fn create_for(option: &str, path: &Path) -> Result<Self> {
        let name = format!("{option}: '{}'", path.display());
        open(path, name.clone()).map_err(|error| {
            let accepted = "a file that can be created or replaced; > writes to anything else";
            Failure::from_io(format_args!("{name}: {error}"), &error, accepted)
        })
    }

    /// Writes a result and finishes the output. If it does not become a file, the summary of each
    /// total that `write` adds goes to standard error, so that no count is lost.
    pub(crate) fn write_totals(
        mut self,
        write: impl FnOnce(&mut Self, &mut Vec<String>) -> Result<()>,
    ) -> Result<()> {
        let mut totals = Vec::new();
        let mut is_lost = false;
        let written = write(&mut self, &mut totals).and_then(|()| {
            is_lost = self.is_partial && self.new.is_some();
            self.finish()
        });
        if is_lost || written.as_ref().is_err_and(|error| !error.is_closed_pipe()) {
            totals.iter().for_each(eprint_line);
        }
        written
    }

    /// Flushes the output. A new file appears if the result is complete, and standard error says
    /// so.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.flush()?;
        if !self.is_partial
            && let Some((new, path)) = self.new.take()
        {
            let failed = |error| Failure::new(format!("{}: {error}", self.name));
            reject_checkpoint(&path).and_then(|()| new.replace(&path)).map_err(failed)?;
            eprint_line(format_args!("saved in '{}'", path.display()));
        }
        Ok(())
    }

    /// Whether the output is a new file, which appears only if it is complete.
    pub(crate) fn is_file(&self) -> bool {
        self.new.is_some()
    }

    /// Adds the name to an error. The kind is kept, because a broken pipe is not a failure.
    fn named(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: {error}", self.name))
    }
}

/// Says what became of a file whose result is incomplete or has failed.
impl Drop for Output {
    fn drop(&mut self) {
        if let Some((_, path)) = &self.new {
            let what = if path.exists() { "replaced" } else { "written" };
            eprint_line(format_args!("'{}' is not {what}", path.display()));
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let open = if self.new.is_none() { expect_stdout() } else { Ok(()) };
        open.and_then(|()| self.out.write(bytes)).map_err(|error| self.named(&error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush().map_err(|error| self.named(&error))
    }
}

/// Creates the folder given by an option, unless it exists.
pub(crate) fn create_folder(option: &str, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| {
        let message = format!("{option}: '{}': {error}", folder.display());
        Failure::from_io(message, &error, "a folder that files can be written to")
    })
}

/// Creates a new file. An existing one keeps its permissions, and a link its target.
fn open(path: &Path, name: String) -> io::Result<Output> {
    let replaced = match path.metadata() {
        Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(found) if !found.is_file() => return Err(io::Error::other("not a regular file")),
        Ok(found) => OpenOptions::new().write(true).open(path).map(|_| Some(found))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let path = if path.is_symlink() { path.canonicalize() } else { Ok(path.to_owned()) };
    let path = path.map_err(|_| io::Error::other("a link to a file that does not exist"))?;
    if path.file_name().is_none() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    reject_checkpoint(&path)?;
    let new = NewFile::create(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => io::Error::other("no such folder"),
        _ => error,
    })?;
    if let Some(replaced) = replaced {
        new.file.set_permissions(replaced.permissions())?;
    }
    let out = Box::new(new.file.try_clone()?);
    Ok(Output { out, new: Some((new, path)), name, is_partial: false })
}

/// Keeps a report from replacing a checkpoint, such as that of the same count.
fn reject_checkpoint(path: &Path) -> io::Result<()> {
    match LedgerFile::is_ledger(path) {
        true => Err(io::Error::other("a checkpoint, which is kept")),
        false => Ok(()),
    }
}
