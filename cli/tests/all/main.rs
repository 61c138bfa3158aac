//! All integration tests of the program, in one binary so that the library is linked only once.
#![cfg_attr(
    not(target_os = "linux"),
    allow(unused_imports, dead_code, reason = "some tests run on Linux alone")
)]

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
#[cfg(target_os = "linux")]
mod unwritable;

/// Root folder of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
