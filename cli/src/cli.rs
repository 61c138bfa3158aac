//! Commands of the program, and the parser for its arguments.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;

use crate::commands::{bench, check, count, estimate, merge, shell, table};
use crate::{exit, solve};

const ABOUT: &str = "Count the solutions of the N-queens problem exactly, using every core and vector unit of the CPU";

const BUILD: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\ncommit ",
    env!("QUEENS_COMMIT"),
    "\n",
    env!("QUEENS_COMPILER")
);

#[derive(Debug, Parser)]
#[command(
    name = "queens",
    version,
    long_version = BUILD,
    about = ABOUT,
    max_term_width = 100,
    override_usage = "queens N [OPTIONS]\n       queens COMMAND [OPTIONS]",
    after_help = format!("{EXAMPLES}\n\n{}", exit::CODES),
    arg_required_else_help = true,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// `queens N` is short for `queens count N`.
    #[command(flatten)]
    count: count::Arguments,
}

const EXAMPLES: &str = "\
Examples:
  queens 16          count all solutions for N = 16
  queens table 1-12  count them for N = 1 to 12
  queens solve 8     print one solution as a board";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Count all solutions of a board; `queens N` is short for `queens count N`
    #[command(after_help = "\
Examples:
  queens count 14                        count all solutions for N = 14
  queens count 8 --queen c5 --block a8   preplace a queen and block a square
  queens count 12 --checkpoint q12.ckpt  save progress, or resume
  queens count 15 -t 2 -o q15.json       use two threads and write JSON")]
    Count(count::Arguments),

    /// Add up checkpoints of one count, whole ones and those of shards
    #[command(after_help = "\
Examples:
  queens 14 --shard 1/2 --checkpoint q14/1  count half of N = 14
  queens 14 --shard 2/2 --checkpoint q14/2  count the other half, on any machine
  queens merge q14                          add up all files in the folder
  queens merge q14 --missing                list the shards that are missing")]
    Merge(merge::Arguments),

    /// Estimate the time for a count and the number of solutions by sampling
    #[command(after_help = "\
Examples:
  queens estimate 20              estimate time, memory and solutions
  queens estimate 15 --seconds 1  take a smaller sample")]
    Estimate(estimate::Arguments),

    /// Print a table of the number of solutions by board size
    #[command(after_help = "\
Examples:
  queens table                      count N = 1 to 15
  queens table 8,10,12 --reference  compare with the OR-Tools guide
  queens table 1-10 -o table.csv    write CSV for a spreadsheet")]
    Table(table::Arguments),

    /// Benchmark this CPU
    #[command(after_help = "\
Examples:
  queens bench --save mine.json             measure for half a minute, and save the result
  queens bench --compare mine.json          measure again, and compare
  queens bench --compare old.json new.json  compare two saved benchmarks")]
    Bench(bench::Arguments),

    /// Find solutions and print them as boards
    #[command(after_help = "\
Examples:
  queens solve 6 --all -f list                  print every solution, one per line
  queens solve 8 --fundamental -o eight.html    write a page to browse
  queens solve 8 --queen d5 --all               solve a puzzle
  queens solve 8 --strategy first-fail --stats  count the branches of a search")]
    Solve(solve::Arguments),

    /// Print every step of a search
    #[command(after_help = "\
Examples:
  queens trace 4                    print a board for each step
  queens trace 28 --max-branches 9  print the beginning of a long search")]
    Trace(solve::SearchArguments),

    /// Write a search tree as a page to explore
    #[command(after_help = "\
Examples:
  queens tree 6 --all -o six.html              show the search for all solutions
  queens tree 8 --against first-fail -o 8.html  compare the search with another one")]
    Tree(solve::tree::Arguments),

    /// Check whether boards are solutions
    #[command(after_help = "\
Examples:
  queens check 0,4,7,5,2,6,1,3                 check a board
  queens solve 8 --all -f list | queens check  check one board per line")]
    Check(check::Arguments),

    /// Print a shell completion script
    #[command(after_help = "\
Examples:
  queens completions bash > ~/.local/share/bash-completion/completions/queens
  queens completions zsh > ~/.zfunc/_queens
  queens completions fish > ~/.config/fish/completions/queens.fish
  queens completions powershell >> $PROFILE")]
    Completions {
        /// Shell to generate the script for
        #[arg(value_enum)]
        shell: Shell,
    },

    /// Write the manual pages of the program and its commands to a folder
    #[command(after_help = "\
Examples:
  queens man ~/.local/share/man/man1")]
    Man {
        /// Folder for the pages, which is created if missing
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

/// Runs a command line and returns the exit code.
pub(crate) fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    match parse(arguments) {
        Ok(command) => exit::print_outcome(command.run(), &program()),
        Err(error) => exit::print_parsed(&error, &program()),
    }
}

fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, clap::Error> {
    let arguments: Vec<_> = arguments.into_iter().collect();
    let parsed = program().try_get_matches_from(&arguments).map_err(|error| {
        // A mistyped command is taken for N, which conflicts with what follows.
        match program().try_get_matches_from(arguments.into_iter().take(2)) {
            Err(first) if first.kind() == ErrorKind::ValueValidation => first,
            _ => error,
        }
    });
    let Cli { command, count } = Cli::from_arg_matches(&parsed?)?;
    Ok(command.unwrap_or(Command::Count(count)))
}

impl Command {
    fn run(&self) -> exit::Result<()> {
        match self {
            Self::Count(arguments) => count::run(arguments),
            Self::Merge(arguments) => merge::run(arguments),
            Self::Estimate(arguments) => estimate::run(arguments),
            Self::Table(arguments) => table::run(arguments),
            Self::Bench(arguments) => bench::run(arguments),
            Self::Solve(arguments) => solve::run(arguments),
            Self::Trace(arguments) => solve::trace::run(arguments),
            Self::Tree(arguments) => solve::tree::run(arguments),
            Self::Check(arguments) => check::run(arguments),
            Self::Completions { shell } => shell::completions(*shell, program()),
            Self::Man { folder } => shell::man(folder, program()),
        }
    }
}

/// Returns the parser for the command line. Options without a command are those of `count`, and its
/// help lists them.
pub(crate) fn program() -> clap::Command {
    Cli::command().mut_args(|arg| {
        let is_of_program = ["help", "version"].contains(&arg.get_id().as_str());
        arg.hide(!is_of_program)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// Returns the `queens` command lines in a string, each without what follows `;`, `|`, `>`, `#`
    /// or two spaces.
    fn command_lines(text: &str) -> impl Iterator<Item = &str> {
        let lines = text.lines().filter_map(|line| {
            let line = line.trim().trim_start_matches("$ ");
            line.starts_with("queens ").then_some(line)
        });
        let ends = [';', '|', '>', '#'];
        lines.filter_map(move |line| line.split("  ").next()?.split(ends).next())
    }

    fn assert_parses(line: &str) {
        if let Err(error) = parse(line.split_whitespace().map(OsString::from)) {
            panic!("{line}: {error}");
        }
    }

    #[test]
    fn the_arguments_are_well_formed() {
        program().debug_assert();
    }

    #[test]
    fn every_command_has_examples_that_parse() {
        let program = program();
        for command in program.get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string);
            let help = help.unwrap_or_default();
            assert!(command_lines(&help).next().is_some(), "{}", command.get_name());
            command_lines(&help).for_each(assert_parses);
        }
        command_lines(EXAMPLES).for_each(assert_parses);
    }

    #[test]
    fn command_lines_in_the_documents_parse() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        if !root.join("docs").exists() {
            return; // a package from a registry has no documents
        }
        for page in ["README", "docs/GUIDE", "docs/CLUSTER", "docs/SOLVERS"] {
            let text = std::fs::read_to_string(root.join(format!("{page}.md"))).unwrap();
            for block in text.split("```").skip(1).step_by(2) {
                let lines = command_lines(block).filter(|line| !line.contains(['"', '\\', '[']));
                lines.for_each(assert_parses);
            }
        }
    }
}
