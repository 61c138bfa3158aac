//! All integration tests of the program, in one binary so that the library is linked only once.

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

/// Root folder of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
