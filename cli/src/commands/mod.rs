//! The command line: one file per command, and what they share.

mod bench;
mod board;
mod check;
mod checkpoint;
mod classes;
mod closing;
mod count;
mod estimate;
mod examples;
mod exit;
mod folder;
mod merge;
mod missing;
mod options;
mod output;
mod paths;
mod plan;
mod progress;
mod repeat;
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

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::Result;
pub use closing::Memory;
pub use sizes::Sizes;

use clap::error::{ContextKind, ErrorKind};
use clap::{Arg, CommandFactory, FromArgMatches, Parser, Subcommand};

use options::When;

/// Count the solutions of the N-queens problem exactly, with every core and vector unit of the CPU
#[derive(Debug, Parser)]
#[command(
    name = "queens",
    version,
    max_term_width = 100,
    override_usage = "queens N [OPTIONS]\n       queens COMMAND [OPTIONS]",
    after_help = format!("{}\n\n{}", examples::help(""), exit::help()),
    subcommand_required = true,
    arg_required_else_help = true
)]
struct Cli {
    /// Colours in help, errors and traces; `auto` has them on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = When::Auto, hide_possible_values = true, display_order = 900)]
    color: When,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Count all solutions of one board; `queens N` is short for `queens count N` and takes the same options
    Count(count::Arguments),
    /// Estimate from a sample how long a count takes, and how many solutions there are
    Estimate(estimate::Arguments),
    /// Print the table of solutions against board size
    Table(table::Arguments),
    /// Measure how fast this CPU is
    Bench(bench::Arguments),
    /// Rank saved benchmarks on a page with charts
    Report(report::Arguments),
    /// Count the solutions of one board that differ by more than a turn or a reflection
    Classes(classes::Arguments),
    /// Find solutions and print them as boards
    Solve(solve::Arguments),
    /// Check whether boards are solutions
    Check(check::Arguments),
    /// Prepare a folder of shards, with which many machines count together
    Plan(plan::Arguments),
    /// Count one shard of a folder, unless it has been counted
    Shard(shard::Arguments),
    /// List the shards of a folder that have no valid result, one a line
    Missing(missing::Arguments),
    /// Show how many shards of a folder are done, and the time left
    Status(status::Arguments),
    /// Add up the shards of a folder
    Merge(merge::Arguments),
    /// Check in a few seconds that this CPU counts right with every kernel
    Selftest,
    /// Check the hardware with known counts on all cores, for as long as asked
    Stress(stress::Arguments),
    /// Print a completion script for a shell
    Completions(shell::Completions),
    /// Print a manual page, or write all of them
    Man(shell::Man),
}

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    #[cfg(all(unix, target_env = "gnu"))]
    closing::map_large_memory();
    closing::panic_once();
    signals::survive_file_limits();
    let mut program = program();
    let arguments = with_command(std::env::args_os());
    choose_colours(&arguments);
    let parsed = program
        .try_get_matches_from_mut(arguments)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let outcome = match parsed {
        Ok(cli) => cli.command.run(),
        Err(mut error) => {
            if error.kind() == ErrorKind::ArgumentConflict {
                // It would show one of the two options alone.
                error.remove(ContextKind::Usage);
            }
            return exit::of_usage(&error, &program);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::of_error(&error, &program),
    }
}

/// The arguments with the command named: a number in its place, or what begins like one, stands for the count of that board.
/// Options may stand before it.
fn with_command(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<_> = arguments.collect();
    let program = Cli::command();
    let words = || arguments.iter().skip(1).filter_map(|word| word.to_str());
    let is_number = |word: &str| {
        let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
        digits.starts_with(|first: char| first.is_ascii_digit())
    };
    let has_options = words().next().is_some_and(|word| word.starts_with('-'));
    let looked_at = if has_options { usize::MAX } else { 1 };
    let mut words = words().take(looked_at);
    let first = words.find(|word| is_number(word) || program.find_subcommand(word).is_some());
    if first.is_some_and(is_number) {
        arguments.insert(1, "count".into());
    } else if arguments.get(1).is_some_and(|word| word == "help") {
        // The parser's own command, which has no options.
        arguments.retain(|word| word != "--help" && word != "-h");
    }
    arguments
}

/// Sets colours for all that is printed, what is wrong with the other arguments included.
fn choose_colours(arguments: &[OsString]) {
    let line = arguments.join(OsStr::new(" "));
    let line = line.to_string_lossy().replace('=', " ");
    for (asked, choice) in [
        ("--color always", ColorChoice::Always),
        ("--color never", ColorChoice::Never),
    ] {
        if line.contains(asked) {
            choice.write_global();
        }
    }
}

/// The program's arguments. Each command's help ends with examples. A number below zero is a value like others, so that it is refused for what it is, and not as an
/// unknown option.
fn program() -> clap::Command {
    let below_zero = |arg: Arg| {
        let has_value = arg.get_action().takes_values();
        arg.allow_negative_numbers(has_value)
    };
    Cli::command().mut_subcommands(|command| {
        let examples = examples::help(command.get_name());
        command.mut_args(below_zero).after_help(examples)
    })
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
            Self::Completions(arguments) => shell::completions(arguments, program()),
            Self::Man(arguments) => shell::man(arguments, program()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// The command lines of the program in a text: what stands before a pipe or goes into a file.
    fn command_lines(text: &str) -> impl Iterator<Item = &str> {
        let lines = text.lines().filter_map(|line| {
            let line = line.trim().trim_start_matches("$ ");
            line.starts_with("queens ").then_some(line)
        });
        lines.map(|line| {
            line.split([';', '|', '>', '#'])
                .next()
                .expect("a first part")
        })
    }

    fn assert_parses(line: &str) {
        let words = with_command(line.split_whitespace().map(OsString::from));
        let parsed = program().try_get_matches_from(words);
        assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
    }

    #[test]
    fn every_command_has_examples_that_can_be_asked_for() {
        assert_eq!(examples::of("").len(), 3);
        for command in program().get_subcommands() {
            let examples = examples::of(command.get_name());
            assert!(!examples.is_empty(), "{}", command.get_name());
            for line in examples.iter().flat_map(|(line, _)| command_lines(line)) {
                assert_parses(line);
            }
        }
    }

    #[test]
    fn every_command_line_in_the_pages_can_be_asked_for() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for page in [
            "README",
            "docs/GUIDE",
            "docs/CHECKPOINTS",
            "docs/CLUSTER",
            "docs/SOLVERS",
        ] {
            let text = std::fs::read_to_string(root.join(format!("{page}.md"))).unwrap();
            for block in text.split("```").skip(1).step_by(2) {
                let lines = command_lines(block).filter(|line| !line.contains(['"', '\\', '[']));
                lines.for_each(assert_parses);
            }
        }
    }

    #[test]
    fn a_number_is_a_command() {
        let words = |line: &str| with_command(line.split(' ').map(OsString::from));
        for line in [
            "-q 16",
            "--color always 8",
            "--queen c5 8",
            "27x",
            "3.5",
            "-5",
        ] {
            let full = words(&format!("queens count {line}"));
            assert_eq!(words(&format!("queens {line}")), full);
        }
        assert_eq!(
            words("queens help count --help"),
            words("queens help count")
        );
        for line in ["table 16", "--color never table 16", "cuont 8"] {
            let line = format!("queens {line}");
            assert_eq!(words(&line).len(), line.split(' ').count());
        }
    }
}
