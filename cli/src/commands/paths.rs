//! Files that options name, and whether two names are one file's.

use std::path::{Path, PathBuf};

use queens::internals::folder_of;

/// The file that a path leads to through symbolic links, be it there or not: a file has one lock whatever it is called, and
/// links stay.
pub(crate) fn through_links(path: &Path) -> PathBuf {
    /// As many as Linux follows.
    const MOST: usize = 40;
    let next = |path: &PathBuf| Some(path.with_file_name(path.read_link().ok()?));
    let hops = std::iter::successors(Some(path.to_owned()), next);
    hops.take(1 + MOST).last().expect("the path itself")
}

/// Whether two paths lead to the same file, be it there or not.
pub(crate) fn are_same(one: &Path, other: &Path) -> bool {
    place(one) == place(other)
}

/// The one name of a file.
fn place(path: &Path) -> PathBuf {
    let path = through_links(path);
    match (folder_of(&path).canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}
