//! All integration tests of the program, in one binary so that the library is linked only once.

use std::path::Path;

mod bench;
mod checkpoint;
mod cli;
mod docs;
#[cfg(target_os = "linux")]
mod limits;
mod program;
mod refused;
mod shards;
mod solve;
mod unwritable;

/// Returns the root folder of the repository.
fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().expect("a package in the repository")
}
