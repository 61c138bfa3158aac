//! The command-line tool `queens`.

use std::process::ExitCode;

/// Memory that cannot be had is an error like others, not an abort.
#[global_allocator]
static MEMORY: queens_cli::Memory = queens_cli::Memory;

fn main() -> ExitCode {
    queens_cli::run()
}
