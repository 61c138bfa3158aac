//! Files that options name, and whether two names are one file's.

use std::path::{Path, PathBuf};

use crate::store::storage::folder_of;

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

/// The number of the open file of this process that a path stands for, be it through symbolic links: /dev/stdout is 1.
pub(crate) fn descriptor(path: &Path) -> Option<u32> {
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        let folder = folder_of(&target).canonicalize().ok()?;
        let mut parts = folder.iter().skip(1).map(|part| part.to_str());
        let process = std::process::id().to_string();
        if parts.next() == Some(Some("proc"))
            && parts.next() == Some(Some(&process))
            && parts.any(|part| part == Some("fd"))
        {
            return target.file_name()?.to_str()?.parse().ok();
        }
        let next = target.read_link().ok()?;
        target.pop();
        target.push(next);
    }
    None
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
