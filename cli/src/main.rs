//! The command-line tool `queens`.

use std::process::ExitCode;

fn main() -> ExitCode {
    queens_cli::run()
}
