//! All integration tests of the program, in one binary so that the library is linked only once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

mod bench;
mod cli;
mod docs;
#[cfg(target_os = "linux")]
mod limits;
mod long_runs;
mod program;
mod refused;
mod solve;
mod unwritable;

/// Returns the root folder of the repository.
fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().expect("a package in the repository")
}

/// Returns all files and folders below a folder.
fn paths_below(folder: &Path) -> BTreeSet<PathBuf> {
    let (mut found, mut folders) = (BTreeSet::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            folders.extend(path.is_dir().then(|| path.clone()));
            found.insert(path);
        }
    }
    found
}
