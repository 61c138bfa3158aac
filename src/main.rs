//! The command-line tool `queens`.

use std::process::ExitCode;

/// Memory that cannot be had is an error like others, not an abort.
#[global_allocator]
static MEMORY: queens::cli::Memory = queens::cli::Memory;

fn main() -> ExitCode {
    queens::cli::run()
}
