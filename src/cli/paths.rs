//! Files that options name, and whether two names are one file's.

use std::path::{Path, PathBuf};

use queens::store::storage::folder_of;

/// Symbolic links that are followed at most: as many as Linux follows.
const MOST_LINKS: usize = 40;

/// The file that a path leads to through symbolic links, be it there or not: a file has one lock whatever it is called, and
/// links stay.
pub(crate) fn through_links(path: &Path) -> PathBuf {
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = target.read_link() else { break };
        target.pop();
        target.push(next);
    }
    target
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
