//! The command-line tool `queens`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(queens_cli::run(std::env::args_os()))
}
