//! The command line: one file per sub-command, and what they share.

mod bench;
mod board;
mod checkpoint;
mod classes;
mod count;
mod exit;
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
mod stress;
mod table;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

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
    /// Cut a count in shards for many machines: prepare a folder that all of them see
    Plan(plan::Arguments),
    /// Count one shard of a folder, unless it has been counted
    Shard(shard::Arguments),
    /// List the shards of a folder that have no valid result, one a line
    Missing(missing::Arguments),
    /// Add up the shards of a folder
    Merge(merge::Arguments),
    /// Check in some seconds that every kernel that this CPU can run counts right
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
    signals::survive_file_limits();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return exit::of_usage(&error, &Cli::command()),
    };
    let outcome = match cli.command {
        Command::Count(arguments) => count::run(&arguments),
        Command::Table(arguments) => table::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Classes(arguments) => classes::run(&arguments),
        Command::Solve(arguments) => solve::run(&arguments),
        Command::Plan(arguments) => plan::run(&arguments),
        Command::Shard(arguments) => shard::run(&arguments),
        Command::Missing(arguments) => missing::run(&arguments),
        Command::Merge(arguments) => merge::run(&arguments),
        Command::Selftest => selftest::run(),
        Command::Stress(arguments) => stress::run(&arguments),
        Command::Completions(arguments) => shell::completions(&arguments),
        Command::Man(arguments) => shell::man(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::of_error(&error),
    }
}
