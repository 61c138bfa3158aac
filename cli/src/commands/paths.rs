//! Files that options name, and whether two names are one file's.

use std::path::{Path, PathBuf, absolute};

/// The file that a symbolic link leads to, or the path as it is: a file has one lock whatever it is called, and links stay.
pub(crate) fn through_links(path: &Path) -> PathBuf {
    let Ok(target) = path.read_link() else {
        return path.to_owned();
    };
    let found = path.canonicalize();
    found.unwrap_or_else(|_| path.with_file_name(target)) // of a file that is not there yet
}

/// Whether two paths lead to the same file, be it there or not.
pub(crate) fn are_same(one: &Path, other: &Path) -> bool {
    place(one) == place(other)
}

/// The one name of a file.
fn place(path: &Path) -> Option<PathBuf> {
    let path = absolute(through_links(path)).ok()?;
    let folder = path.parent()?.canonicalize().ok()?;
    Some(folder.join(path.file_name()?))
}
