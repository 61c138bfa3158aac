//! The command-line tool `queens`: the commands, the reports and the CPU benchmark, over the
//! libraries [`queens`] and [`queens_search`].

mod checkpoint;
mod cli;
mod commands;
mod environment;
mod exit;
mod human;
mod measure;
mod message;
mod options;
mod output;
mod progress;
mod report;
mod signals;
mod solve;
mod startup;
mod text;

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(cli::run(std::env::args_os()))
}
