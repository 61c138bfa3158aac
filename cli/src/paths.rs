//! Files of options, and whether two paths lead to the same file.

use std::path::{Path, PathBuf, absolute};

use crate::exit::Failure;

/// Returns the target of a symbolic link, or else the path itself. A file thus has one lock under all its names.
pub(crate) fn through_links(path: &Path) -> PathBuf {
    let Ok(target) = path.read_link() else {
        return path.to_owned();
    };
    let found = path.canonicalize();
    found.unwrap_or_else(|_| path.with_file_name(target)) // of a file that is not there yet
}

/// Rejects an output file that is also the file of another option. Standard output is no file.
pub(crate) fn keep_apart(
    option: &'static str,
    path: &Path,
    other: &str,
    other_path: &Path,
) -> Result<(), Failure> {
    if path == Path::new("-") || place(path) != place(other_path) {
        return Ok(());
    }
    let path = path.display();
    let reason = format!("'{path}' is the file of {other} too (accepted: another file)");
    Err(Failure::usage(option, reason))
}

/// Returns the canonical path of a file, which need not exist.
fn place(path: &Path) -> Option<PathBuf> {
    let path = absolute(through_links(path)).ok()?;
    let folder = path.parent()?.canonicalize().ok()?;
    Some(folder.join(path.file_name()?))
}
