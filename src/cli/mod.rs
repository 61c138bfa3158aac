//! The command line: one file per command, and what they share.

mod bench;
mod board;
mod check;
mod checkpoint;
mod classes;
mod closing;
mod count;
mod estimate;
mod exit;
mod folder;
mod merge;
mod missing;
mod options;
mod output;
mod paths;
mod plan;
mod progress;
mod report;
mod selftest;
mod shard;
mod shell;
mod signals;
mod sizes;
mod solve;
mod status;
mod streams;
mod stress;
mod table;

use std::process::ExitCode;

use anyhow::Result;
pub use closing::Memory;
pub use sizes::Sizes;

use clap::{Arg, CommandFactory, FromArgMatches, Parser, Subcommand};

/// Exact N-queens counter that uses every core and vector unit of the CPU.
#[derive(Debug, Parser)]
#[command(
    name = "queens",
    version,
    max_term_width = 100,
    after_help = exit::help(),
    subcommand_required = true,
    arg_required_else_help = true
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Count all solutions of one board
    Count(count::Arguments),
    /// Estimate from a sample how long a count takes, and how many solutions there are
    Estimate(estimate::Arguments),
    /// Print the table of solutions against board size
    Table(table::Arguments),
    /// Measure how fast this CPU is
    Bench(bench::Arguments),
    /// Make a page with charts from saved benchmarks
    Report(report::Arguments),
    /// Sort the solutions of one board by symmetry: how many are really different
    Classes(classes::Arguments),
    /// Find solutions and print them as boards
    Solve(solve::Arguments),
    /// Check boards: valid, or which two queens attack each other
    Check(check::Arguments),
    /// Cut a count into shards for many machines: prepare a folder that all of them see
    Plan(plan::Arguments),
    /// Count one shard of a folder, unless it has been counted
    Shard(shard::Arguments),
    /// List the shards of a folder that have no valid result, one a line
    Missing(missing::Arguments),
    /// Tell how far a folder of shards is: what is done, missing, damaged and being counted, and how long it will take
    Status(status::Arguments),
    /// Add up the shards of a folder
    Merge(merge::Arguments),
    /// Check in a few seconds that every kernel that this CPU can run counts right
    Selftest,
    /// Check the hardware: count subproblems with known counts on all cores
    Stress(stress::Arguments),
    /// Print a completion script for a shell
    Completions(shell::Completions),
    /// Print a manual page, or write all of them
    Man(shell::Man),
}

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    closing::panic_once();
    signals::survive_file_limits();
    let mut program = program();
    let parsed = program
        .try_get_matches_from_mut(std::env::args_os())
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let outcome = match parsed {
        Ok(cli) => cli.command.run(),
        Err(error) => return exit::of_usage(&error, &program),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::of_error(&error, &program),
    }
}

/// The program's arguments. A number below zero is a value like others, so that it is refused for what it is, and not as an
/// unknown option.
fn program() -> clap::Command {
    let below_zero = |arg: Arg| {
        let has_value = arg.get_action().takes_values();
        arg.allow_negative_numbers(has_value)
    };
    Cli::command().mut_subcommands(|command| command.mut_args(below_zero))
}

impl Command {
    fn run(&self) -> Result<()> {
        match self {
            Self::Count(arguments) => count::run(arguments),
            Self::Estimate(arguments) => estimate::run(arguments),
            Self::Table(arguments) => table::run(arguments),
            Self::Bench(arguments) => bench::run(arguments),
            Self::Report(arguments) => report::run(arguments),
            Self::Classes(arguments) => classes::run(arguments),
            Self::Solve(arguments) => solve::run(arguments),
            Self::Check(arguments) => check::run(arguments),
            Self::Plan(arguments) => plan::run(arguments),
            Self::Shard(arguments) => shard::run(arguments),
            Self::Missing(arguments) => missing::run(arguments),
            Self::Status(arguments) => status::run(arguments),
            Self::Merge(arguments) => merge::run(arguments),
            Self::Selftest => selftest::run(),
            Self::Stress(arguments) => stress::run(arguments),
            Self::Completions(arguments) => shell::completions(arguments, Cli::command()),
            Self::Man(arguments) => shell::man(arguments, Cli::command()),
        }
    }
}
