//! Commands of the program, and the parser for its arguments.

use std::ffi::OsString;

use anstream::ColorChoice;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use queens::board::{MAX_BOARD, MAX_N};
use queens::machine::Environment;
use queens::{Board, Engine};

use crate::commands::{bench, check, count, estimate, report, selftest, shards, shell, table};
use crate::message::one_line;
use crate::options::{AUTO, When, sizes};
use crate::output::print_all;
use crate::{exit, signals, solve};

const ABOUT: &str = "Count the solutions of the N-queens problem exactly, using every core and vector unit of the CPU";

#[derive(Debug, Parser)]
#[group(skip)]
#[command(
    name = "queens",
    version,
    about = ABOUT,
    max_term_width = 100,
    override_usage = "queens N [OPTIONS]\n       queens COMMAND [OPTIONS]",
    after_help = EXAMPLES,
    after_long_help = format!("{EXAMPLES}\n\n{}", exit::CODES),
    arg_required_else_help = true,
    disable_version_flag = true
)]
pub(crate) struct Cli {
    /// Print version (with --verbose, also the build and this machine)
    #[arg(long, short = 'V', action = ArgAction::Version, display_order = 999)]
    version: (),

    /// Colour help, errors, results and traces: auto (on a terminal, unless NO_COLOR is set),
    /// always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = AUTO, hide_possible_values = true, display_order = 900, help_heading = "Advanced")]
    color: When,

    #[command(subcommand)]
    pub(crate) command: Command,
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
  queens count 14 --runs 5               time five runs
  queens count 8 --queen c5 --block a8   preplace a queen and block a square
  queens count 12 --checkpoint q12.ckpt  save progress, or resume
  queens count 20 --timeout 5m           stop after five minutes
  queens count 15 -t 2 -o q15.json       use two threads and write JSON")]
    Count(count::Arguments),

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
  queens table 8..=12 --runs 5      time five runs of each size
  queens table 1-10 -o table.csv    write CSV for a spreadsheet")]
    Table(table::Arguments),

    /// Benchmark this CPU
    #[command(after_help = "\
Examples:
  queens bench                       print a score after about a minute
  queens bench --quick -v            print all measurements after ten seconds
  queens bench --save results/       save a file named after this CPU
  queens bench --baseline mine.json  compare with a saved benchmark")]
    Bench(bench::Arguments),

    /// Rank saved benchmarks on a page with charts
    #[command(after_help = "\
Examples:
  queens report results/                         rank all benchmarks in a folder
  queens report mine.json yours.json --out page  rank two, in the folder `page`")]
    Report(report::Arguments),

    /// Find solutions and print them as boards
    #[command(after_help = "\
Examples:
  queens solve 6 --all -f list                 print every solution, one per line
  queens solve 8 --fundamental -o eight.html   write a page to browse
  queens solve 6 --all --tree six.html --open  show the search tree in the browser
  queens solve 6 --trace --step                show a search board by board")]
    Solve(solve::Arguments),

    /// Check whether boards are solutions
    #[command(after_help = "\
Examples:
  queens check 0,4,7,5,2,6,1,3                 check a board
  queens solve 8 --all -f list | queens check  check one board per line")]
    Check(check::Arguments),

    /// Count one board on several machines through a shared folder
    #[command(
        subcommand,
        after_help = "\
Examples:
  queens shards plan q14 14 --shards 4  split N = 14 into four shards
  queens shards run q14 0               count the first shard
  queens shards status q14              show progress and time left
  queens shards merge q14               print the total"
    )]
    Shards(shards::Command),

    /// Check that every kernel counts correctly on this machine, and optionally stress the hardware
    #[command(after_help = "\
Examples:
  queens selftest               check every kernel, in seconds
  queens selftest --minutes 10  then stress all cores for ten minutes")]
    Selftest(selftest::Arguments),

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

    /// Print a manual page, or write all pages to a folder
    #[command(after_help = "\
Examples:
  queens man count | man -l -               read the page of one command
  queens man --out ~/.local/share/man/man1  install all pages")]
    Man(shell::Man),
}

/// Runs a command line and returns the exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    #[cfg(all(unix, target_env = "gnu"))]
    map_large_memory();
    signals::survive_file_limits();
    let (mut program, mut arguments) = (program(), Vec::from_iter(arguments));
    choose_color(&arguments);
    if let [_, _, word] = &mut arguments[..]
        && word == "help"
    {
        *word = "--help".into();
    }
    if is_long_version(&arguments) {
        return exit::of_outcome(print_build(), &program);
    }
    let is_misplaced = insert_count(&program, &mut arguments);
    let parsed = program.try_get_matches_from_mut(&arguments);
    let command = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(Cli { command, .. }) => command,
        Err(mut error) => {
            if is_misplaced && error.use_stderr() {
                let message = "options must follow the command: queens COMMAND [OPTIONS]";
                error = program.error(ErrorKind::ArgumentConflict, message);
            }
            improve(&mut error);
            return exit::of_usage(&error, &program);
        }
    };
    let outcome = match &command {
        Command::Count(arguments) => count::run(arguments),
        Command::Estimate(arguments) => estimate::run(arguments),
        Command::Table(arguments) => table::run(arguments),
        Command::Bench(arguments) => bench::run(arguments),
        Command::Report(arguments) => report::run(arguments),
        Command::Solve(arguments) => solve::run(arguments),
        Command::Check(arguments) => check::run(arguments),
        Command::Shards(command) => command.run(),
        Command::Selftest(arguments) => selftest::run(arguments),
        Command::Completions { shell } => shell::completions(*shell, self::program()),
        Command::Man(arguments) => shell::man(arguments, self::program()),
    };
    exit::of_outcome(outcome, &program)
}

/// Whether the arguments are `--version --verbose`. The parser would stop at the first one.
fn is_long_version(arguments: &[OsString]) -> bool {
    let mut words = Vec::from_iter(arguments.iter().skip(1).filter_map(|word| word.to_str()));
    words.sort_unstable();
    matches!(words[..], ["--verbose", "--version" | "-V"] | ["--version" | "-V", "-v"])
}

/// Prints what a bug report needs to know about the build and this machine.
fn print_build() -> anyhow::Result<()> {
    let here = Environment::here();
    let mut text = format!(
        "queens {}\ncommit: {}\ncompiler: {}\nsystem: {}, {}\nCPU: {}\n",
        here.version,
        env!("QUEENS_COMMIT"),
        here.compiler,
        here.os,
        here.platform,
        here.machine()
    );
    for engine in Engine::all_for(&Board::new(8)?) {
        let kernels = Vec::from_iter(engine.available_kernels().map(|kernel| kernel.to_string()));
        text += &format!("engine {engine}: {}\n", kernels.join(", "));
    }
    print_all(&text)
}

/// Applies `--color` before anything is printed, so that it also applies to argument errors.
fn choose_color(arguments: &[OsString]) {
    for (when, choice) in [("never", ColorChoice::Never), ("always", ColorChoice::Always)] {
        let word = OsString::from(format!("--color={when}"));
        let pair = |words: &[OsString]| words[0] == "--color" && words[1] == when;
        if arguments.contains(&word) || arguments.windows(2).any(pair) {
            choice.write_global();
        }
    }
}

/// Inserts `count` if there is no command: `queens 16` is short for `queens count 16`. Other words
/// are left to the parser, which suggests similar commands. Returns whether options precede a
/// command.
fn insert_count(program: &clap::Command, arguments: &mut Vec<OsString>) -> bool {
    let is_color = |word: &OsString| {
        let word = word.to_string_lossy();
        word.starts_with("--color") || When::from_str(&word, false).is_ok()
    };
    let Some(first) = (1..arguments.len()).find(|&i| !is_color(&arguments[i])) else {
        return false;
    };
    let parsed = (program.clone()).try_get_matches_from([&arguments[0], &arguments[first]]);
    let is_word = arguments[first].to_string_lossy().starts_with(char::is_alphabetic);
    let is_no_command = arguments[first] == "--"
        || parsed.is_err_and(|error| match error.kind() {
            ErrorKind::InvalidSubcommand => !is_word,
            kind => kind == ErrorKind::UnknownArgument,
        });
    let is_command = |word: &OsString| program.find_subcommand(word).is_some();
    let is_misplaced = is_no_command && arguments[first..].iter().any(is_command);
    if is_no_command {
        arguments.insert(first, "count".into());
    }
    is_misplaced
}

/// Commands and options that users may know from other programs, and their equivalents here.
const TIPS: [(&str, &str); 10] = [
    ("draw", DRAW),
    ("show", DRAW),
    ("print", DRAW),
    ("list", "'queens solve N --all' prints all solutions"),
    ("tree", "'queens solve N --tree FILE.html' draws the search tree"),
    ("--all", "'queens N' counts all solutions, 'queens solve N --all' prints them"),
    ("--count", "'queens N' counts all solutions"),
    ("--first", "'queens solve N' prints one solution, 'queens solve N --limit K' the first K"),
    ("--json", "'--format json'"),
    ("-j", "'--threads'"),
];

const DRAW: &str = "'queens solve N' draws a solution";

/// Improves an error message of the argument parser: adds tips and removes misleading hints.
fn improve(error: &mut clap::Error) {
    use ContextKind::{InvalidArg, InvalidSubcommand, InvalidValue};
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        _ => String::new(),
    };
    let (argument, value) = (text(InvalidArg), text(InvalidValue));
    let typed = [&argument, &text(InvalidSubcommand)].map(String::to_owned).concat();
    let known = TIPS.iter().find(|tip| tip.0 == typed).map(|tip| tip.1.to_owned());
    let mut tip = None;
    match error.kind() {
        // The usage line shows only one of the two conflicting options.
        ErrorKind::ArgumentConflict => _ = error.remove(ContextKind::Usage),
        ErrorKind::UnknownArgument => {
            // clap suggests passing the option as a value, but no argument accepts it.
            error.remove(ContextKind::Suggested);
            tip = known;
        }
        ErrorKind::InvalidSubcommand => tip = known,
        ErrorKind::ValueValidation if argument == "[N]" && sizes(&value).is_ok() => {
            tip = Some(format!("'queens table {value}' counts several sizes"));
        }
        ErrorKind::ValueValidation if argument == "[N]" => {
            let n = value.parse().ok();
            tip = n.filter(|n| (MAX_N..=MAX_BOARD).contains(n)).map(|_| exit::LARGER.to_owned());
        }
        _ => {}
    }
    if let Some(tip) = tip {
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::Usage);
        let tip = ContextValue::StyledStrs(vec![StyledStr::from(tip)]);
        error.insert(ContextKind::Suggested, tip);
    }
    // The message quotes the command line, which may contain control characters.
    for kind in [InvalidArg, InvalidValue, InvalidSubcommand] {
        if let Some(ContextValue::String(text)) = error.get(kind) {
            let shown = ContextValue::String(one_line(text));
            error.insert(kind, shown);
        }
    }
}

/// Makes `malloc` map allocations of 1 MiB or more separately, so that freed memory returns to the
/// system.
///
/// By default, glibc raises the threshold to as much as 32 MiB. Lists of that size that grow at the
/// same time then fragment the heap, and a count of N = 28 uses 50 % more memory.
#[cfg(all(unix, target_env = "gnu"))]
fn map_large_memory() {
    // SAFETY: this sets an allocator threshold that no other code depends on.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20) };
}

/// Returns the parser for the command line. It treats negative numbers as values, so that an error
/// reports an invalid value instead of an unknown option. Short help has no advanced options.
fn program() -> clap::Command {
    shell::mut_args(Cli::command(), &|arg| {
        let has_value = arg.get_action().takes_values();
        let is_hidden = arg.get_help_heading().is_some() || arg.is_hide_short_help_set();
        arg.allow_negative_numbers(has_value).hide_short_help(is_hidden)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Arg;
    use rstest::rstest;
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

    fn parse(line: &str) -> Result<Command, clap::Error> {
        let mut arguments = line.split_whitespace().map(OsString::from).collect();
        insert_count(&program(), &mut arguments);
        let matches = program().try_get_matches_from(arguments)?;
        Ok(Cli::from_arg_matches(&matches)?.command)
    }

    fn assert_parses(line: &str) {
        if let Err(error) = parse(line) {
            panic!("{line}: {error}");
        }
    }

    #[test]
    fn the_arguments_are_well_formed() {
        program().debug_assert();
    }

    /// Returns the command and all its subcommands, each with the words of its full name.
    fn commands(command: clap::Command, path: &[String]) -> Vec<(Vec<String>, clap::Command)> {
        let path = [path, &[command.get_name().to_owned()]].concat();
        let below = command.get_subcommands().cloned();
        let below = below.flat_map(|command| commands(command, &path));
        let below: Vec<_> = below.collect();
        [vec![(path, command)], below].concat()
    }

    fn refused(line: &[String]) -> Option<clap::Error> {
        program().try_get_matches_from(line).err()
    }

    /// Returns command-line words that set an argument to a valid value.
    fn set(arg: &Arg, line: &[String]) -> Vec<String> {
        let name: Vec<_> = arg.get_long().map(|long| format!("--{long}")).into_iter().collect();
        if !arg.get_action().takes_values() {
            return name;
        }
        let named = arg.get_possible_values().into_iter();
        let named = named.map(|value| value.get_name().to_owned());
        let others = ["8", "a1", "1h", "1MiB", "tree.svg"].map(str::to_owned);
        let mut words = named.chain(others).map(|value| [&name[..], &[value]].concat());
        let is_accepted = |words: &Vec<String>| {
            let error = refused(&[line, words].concat());
            let kind = error.map(|error| error.kind());
            !matches!(kind, Some(ErrorKind::InvalidValue | ErrorKind::ValueValidation))
        };
        words.find(is_accepted).unwrap_or_else(|| panic!("no value for {arg}"))
    }

    /// If option A requires B and B conflicts with a given option C, clap waives the requirement. A
    /// is then silently ignored, unless A also conflicts with C.
    #[test]
    fn an_option_without_the_option_that_it_requires_is_refused() {
        let (mut requirements, mut waived) = (0, Vec::new());
        let mut program = program().disable_help_subcommand(true);
        program.build();
        for (mut line, command) in commands(program, &[]) {
            let asks_for_help = |arg: &&Arg| ["help", "version"].contains(&arg.get_id().as_str());
            let args = command.get_arguments().filter(|arg| !asks_for_help(arg));
            let (required, options): (Vec<_>, Vec<_>) = args.partition(|arg| arg.is_required_set());
            for arg in required {
                line.extend(set(arg, &line));
            }
            let options = options.into_iter().map(|arg| (arg.to_string(), set(arg, &line)));
            let options: Vec<_> = options.collect();
            let refused =
                |options: [&[String]; 2]| refused(&[&line, options[0], options[1]].concat());
            let conflict = |a: &[String], b: &[String]| {
                refused([a, b]).is_some_and(|error| error.kind() == ErrorKind::ArgumentConflict)
            };
            for (name, option) in &options {
                let error = refused([option, &[]]);
                let missing =
                    error.filter(|error| error.kind() == ErrorKind::MissingRequiredArgument);
                let missing = missing.and_then(|error| error.get(ContextKind::InvalidArg).cloned());
                let Some(ContextValue::Strings(missing)) = missing else {
                    continue;
                };
                let is_missing = |(name, _): &&(String, Vec<String>)| missing.contains(name);
                for (required, words) in options.iter().filter(is_missing) {
                    requirements += 1;
                    let others = options.iter().filter(|(other, _)| other != required);
                    for (other, other_words) in others {
                        if conflict(words, other_words) && !conflict(option, other_words) {
                            waived.push(format!("{line:?} {name} without {required}, by {other}"));
                        }
                    }
                }
            }
        }
        assert!(requirements > 0 && waived.is_empty(), "{waived:#?}");
    }

    #[test]
    fn every_command_has_examples_that_parse() {
        let program = program();
        let commands = program.get_subcommands();
        for command in commands.flat_map(|command| command.get_subcommands().chain([command])) {
            let help = command.get_after_help().map(ToString::to_string);
            let help = help.unwrap_or_default();
            assert!(command_lines(&help).next().is_some(), "{}", command.get_name());
            command_lines(&help).for_each(assert_parses);
        }
        command_lines(EXAMPLES).for_each(assert_parses);
    }

    /// Every option used in an example is explained in the short help.
    #[test]
    fn short_help_has_the_options_of_all_examples() {
        let mut program = program();
        program.build();
        let help_of = |command: &clap::Command| command.clone().render_help().to_string();
        let mut options = 0;
        for (_, command) in commands(program.clone(), &[]) {
            for line in command_lines(&help_of(&command)) {
                let mut command = &program;
                for word in line.split_whitespace().skip(1) {
                    command = command.find_subcommand(word).unwrap_or(command);
                    if word.starts_with('-') {
                        let help = help_of(command);
                        let mut words = help.split([' ', ',', '\n', '[']);
                        assert!(words.any(|shown| shown == word), "{line}: {word} in {help}");
                        options += 1;
                    }
                }
            }
        }
        assert!(options > 30, "{options}");
    }

    /// Short help must show essential options, such as both members of a pair if one of them is
    /// required.
    #[rstest]
    #[case("shards plan", &["--shards", "--shard-time"])]
    #[case("bench", &["--engine"])]
    #[case("solve", &["--stats", "--strategy"])]
    fn short_help_has_essential_options(#[case] command: &str, #[case] options: &[&str]) {
        let line = format!("queens {command} -h");
        let help = program().try_get_matches_from(line.split(' ')).unwrap_err();
        for option in options {
            assert!(help.to_string().contains(option), "{option} in {help}");
        }
    }

    #[test]
    fn command_lines_in_the_documents_parse() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        if !root.join("docs").exists() {
            return; // a package from a registry has no documents
        }
        for page in
            ["README", "docs/GUIDE", "docs/FAQ", "docs/CHECKPOINTS", "docs/CLUSTER", "docs/SOLVERS"]
        {
            let text = std::fs::read_to_string(root.join(format!("{page}.md"))).unwrap();
            for block in text.split("```").skip(1).step_by(2) {
                let lines = command_lines(block).filter(|line| !line.contains(['"', '\\', '[']));
                lines.for_each(assert_parses);
            }
        }
    }
}
