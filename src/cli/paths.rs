//! Files that options name, and whether two names are one file's.

use std::path::{Path, PathBuf};

use crate::store::folder_of;

/// Symbolic links that are followed at most: as many as Linux follows.
const MOST_LINKS: usize = 40;

/// A path and where its last part leads through symbolic links, one after the other.
fn hops(path: &Path) -> impl Iterator<Item = PathBuf> {
    let next = |path: &PathBuf| Some(path.with_file_name(path.read_link().ok()?));
    std::iter::successors(Some(path.to_owned()), next).take(1 + MOST_LINKS)
}

/// The file that a path leads to through symbolic links, be it there or not: a file has one lock whatever it is called, and
/// links stay.
pub(crate) fn through_links(path: &Path) -> PathBuf {
    hops(path).last().expect("the path itself")
}

/// The number of the open file of this process that a path stands for, be it through symbolic links: /dev/stdout is 1.
pub(crate) fn descriptor(path: &Path) -> Option<u32> {
    let process = format!("/proc/{}", std::process::id());
    hops(path).find_map(|hop| {
        let folder = folder_of(&hop).canonicalize().ok()?;
        let is_ours = folder.starts_with(&process) && folder.iter().any(|part| part == "fd");
        is_ours
            .then(|| hop.file_name()?.to_str()?.parse().ok())
            .flatten()
    })
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
