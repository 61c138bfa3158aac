//! All integration tests of the library, in one binary so that it is linked once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

mod counts;
mod layers;

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
