//! All integration tests, in one binary so that the library is linked once. The first two need no feature.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

mod counts;
#[cfg(feature = "cli")]
mod fuzz;
mod layers;

#[cfg(feature = "cli")]
mod bench;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod docs;
#[cfg(all(feature = "cli", target_os = "linux"))]
mod limits;
#[cfg(feature = "cli")]
mod long_runs;
#[cfg(feature = "cli")]
mod program;
#[cfg(feature = "cli")]
mod solve;

/// All files and folders below a folder.
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
