//! Commands of the program, and the parser for its arguments.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::{ContextKind, ErrorKind};
use clap::{Arg, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;

use crate::commands::{bench, check, count, estimate, merge, shell, table};
use crate::{exit, signals, solve};

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
  queens bench --save mine.json             measure for 40 seconds, and save the result
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
    signals::ignore_file_limit();
    match parse(arguments) {
        Ok(command) => exit::print_outcome(command.run(), &program()),
        Err(error) => exit::print_parsed(&error, &program()),
    }
}

fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, clap::Error> {
    let arguments: Vec<_> = arguments.into_iter().collect();
    let is_number = |text: &OsString| text.to_str().is_some_and(|text| text.parse::<u64>().is_ok());
    let mut pairs = arguments.windows(2);
    if let Some([_, n]) = pairs.find(|pair| pair[0] == "--random" && is_number(&pair[1])) {
        let n = n.display();
        let why =
            format!("'--random {n}': accepted: --random={n} for a seed, or N before --random\n");
        return Err(clap::Error::raw(ErrorKind::ValueValidation, why).with_cmd(&program()));
    }
    let parsed = program().try_get_matches_from(&arguments);
    let matches = parsed.map_err(|error| explained(error, &arguments[..arguments.len().min(2)]))?;
    let Cli { command, count } = Cli::from_arg_matches(&matches)?;
    Ok(command.unwrap_or(Command::Count(count)))
}

/// Improves an error of the argument parser. `start` has the first argument.
fn explained(mut error: clap::Error, start: &[OsString]) -> clap::Error {
    // This advises to pass options of other commands as values, which fails, too.
    error.remove(ContextKind::Suggested);
    // A mistyped command is taken for N, which conflicts with what follows.
    match program().try_get_matches_from(start) {
        Err(mut first) if first.kind() == ErrorKind::ValueValidation => {
            let commands = Command::augment_subcommands(clap::Command::new("queens"));
            let unknown = commands.try_get_matches_from(start).err();
            let similar = unknown.and_then(|mut it| it.remove(ContextKind::SuggestedSubcommand));
            similar.map(|similar| first.insert(ContextKind::SuggestedSubcommand, similar));
            first
        }
        _ => error,
    }
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
    let program = Cli::command().mut_args(|arg| {
        let is_of_program = ["help", "version"].contains(&arg.get_id().as_str());
        arg.hide(!is_of_program)
    });
    let program = program.mut_args(with_hyphens);
    program.mut_subcommands(|command| command.mut_args(with_hyphens))
}

/// Makes an option take whatever follows as its value, and arguments take negative numbers, so that
/// errors name them.
fn with_hyphens(arg: Arg) -> Arg {
    let takes_one = arg.get_num_args().is_none_or(|values| values.max_values() == 1);
    match arg.is_positional() {
        true => arg.allow_negative_numbers(true),
        false if arg.get_action().takes_values() && takes_one => arg.allow_hyphen_values(true),
        false => arg,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    /// Returns the `queens` command lines in a string, each without what follows `;`, `|`, `>`, `#`
    /// or two spaces.
    fn command_lines(text: &str) -> impl Iterator<Item = &str> {
        let lines = text.lines().filter_map(|line| {
            let line = line.trim().trim_start_matches("$ ");
            line.starts_with("queens ").then_some(line)
        });
        lines.filter_map(|line| line.split("  ").next()?.split([';', '|', '>', '#']).next())
    }

    fn assert_parses(line: &str) {
        if let Err(error) = parse(line.split_whitespace().map(OsString::from)) {
            panic!("{line}: {error}");
        }
    }

    #[test]
    fn documented_command_lines_parse() {
        let program = program();
        program.clone().debug_assert();
        for command in program.get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(command_lines(&help).next().is_some(), "{}", command.get_name());
            command_lines(&help).for_each(assert_parses);
        }
        command_lines(EXAMPLES).for_each(assert_parses);
        for page in ["README", "docs/GUIDE", "docs/CLUSTER", "docs/SOLVERS"] {
            // A package from a registry has no documents.
            let text = std::fs::read_to_string(format!("../{page}.md")).unwrap_or_default();
            for block in text.split("```").skip(1).step_by(2) {
                let lines = command_lines(block).filter(|line| !line.contains(['"', '\\', '[']));
                lines.for_each(assert_parses);
            }
        }
    }

    const WHOLE: &str = "-1|-1-4|8.5|1e3|0x8|ten|--all||99999999999999999999";
    const NAME: &str = "turbo|-1|--quiet|0|";
    const FILE: &str = "-x|--quiet|no/such/file";
    const SQUARES: &str = "a8-|a1 b2|a1;b2|2,3|-a1|5|a|--all|a1,,b2||é1|c5-e|a1,";
    const TIME: &str = "-3|0|0s|ten|1d|nan|-1h|--all|5M|50ms|1m30|s|30m1h||1000000001|inf|300000h";
    const RANGE: &str = "-1|10-8|4..14|1..=4|1,,2|x|a-b|1-||1-33";

    /// Command lines with `@` for each of several invalid values, and the option or argument that
    /// errors name, unless they name only the file.
    const REFUSED: [(&str, &str, &str); 37] = [
        ("@", "[N]", "-1|-5|33|8.5|-0.5|eight|0x8|99999999999"),
        ("count|estimate @", "[N]", "-1|-5|33|8.5|-0.5|eight|0x8|1-5"),
        ("solve @", "[N]", "-1|1000001|8.5|eight"),
        ("trace @", "[N]", "-1|65|8.5|eight"),
        ("tree -o t.html @", "[N]", "-1|65|8.5|eight"),
        ("table @", "[RANGE]", RANGE),
        ("count|estimate|table 8 --threads @", "--threads", WHOLE),
        ("bench --threads @", "--threads", WHOLE),
        ("bench --size @", "--size", WHOLE),
        ("bench --runs @", "--runs", WHOLE),
        ("bench --table @", "--table", RANGE),
        ("bench --compare b --fail-if-slower @", "--fail-if-slower", "-5%|fast|--all|5 %|nan"),
        ("bench --save @", "--save", FILE),
        ("bench --compare @", "--compare", "no/such/file|/"),
        ("count|estimate|table 8 --engine @", "--engine", NAME),
        ("count|estimate|table 8 --kernel @", "--kernel", NAME),
        ("count|estimate|table 8 --symmetry @", "--symmetry", NAME),
        ("count|estimate|table 8 --memory @", "--memory", "512|-1|-1GiB|0|0MiB|lots|1.5|--all|"),
        ("count|estimate|table|solve 8 --format @", "--format", NAME),
        ("bench|merge|8 --format @", "--format", NAME),
        ("count|estimate|table|solve|tree 8 -o @", "--output", FILE),
        ("count|table|solve 8 -o @", "--output", "r.png|r.x"),
        ("tree 8 -o @", "--output", "t.svg|t|/"),
        ("count|estimate|solve|trace 8 --board @", "--board", FILE),
        ("count|estimate|solve|trace 8 --queen @", "--queen", SQUARES),
        ("count|estimate|solve|trace 8 --block @", "--block", SQUARES),
        ("8 --checkpoint @", "--checkpoint", "-x|-|--quiet|no/such/file|/"),
        (
            "8 --shard @",
            "--shard",
            "-1/3|0/3|4/3|0/0|1/4294967296|1|1/|/2|a/b|+1/2|1/+2|1/2/3|1 /2|--quiet|3-5|",
        ),
        ("estimate 8 --seconds @", "--seconds", TIME),
        ("estimate 8 --seed @", "--seed", WHOLE),
        ("solve|trace 8 --timeout @", "--timeout", TIME),
        ("solve 8 --limit @", "--limit", "-1|0|8.5|x|--all|"),
        ("solve 8 --max-branches @", "--max-branches", "-1|0|8.5|x|--all|"),
        ("solve --random=@", "--random", "-1|8.5|x|99999999999999999999"),
        ("solve|trace 8 --strategy @", "--strategy", "luck|-1|--all|first,min,x|x,min,value|"),
        ("merge @", "", "no/such/file"),
        ("check @", "BOARD", "no/such/file|1,3,0|Q?"),
    ];

    /// Returns the error for a command line.
    fn error(arguments: &[impl AsRef<str>]) -> String {
        let arguments = ["queens"].into_iter().chain(arguments.iter().map(AsRef::as_ref));
        match parse(arguments.clone().map(OsString::from)).map(|command| command.run()) {
            Err(error) => error.to_string(),
            Ok(Err(error)) if error.code() == 2 => error.to_string(),
            Ok(other) => panic!("{:?}: {other:?}", arguments.collect::<Vec<_>>()),
        }
    }

    #[test]
    fn errors_name_the_option_the_value_and_what_is_accepted() {
        let (mut refused, mut faults) = (0, Vec::new());
        for (line, option, values) in REFUSED {
            let (commands, rest) = line.split_once(' ').unwrap_or((line, ""));
            let pairs =
                commands.split('|').flat_map(|it| values.split('|').map(move |to| (it, to)));
            for (command, value) in pairs {
                let words = [command].into_iter().chain(rest.split_whitespace());
                let words: Vec<_> = words.map(|word| word.replace('@', value)).collect();
                let error = error(&words);
                let accepted =
                    ["accepted", "possible values", "did you mean", "a value is required"];
                let is_complete = accepted.iter().any(|text| error.contains(text));
                let is_named = error.contains(option) && error.contains(value);
                if !is_complete || !is_named || error.contains("-- ") {
                    faults.push(format!("{words:?}: {error}"));
                }
                refused += 1;
            }
        }
        assert_eq!(faults, [""; 0]);
        assert!(refused >= 300, "{refused}");
    }

    #[rstest]
    #[case("count", &["<N>", "Usage: queens count"])]
    #[case("-q table 5", &["cannot be used with", "--quiet"])]
    #[case("tabel 1-5", &["'tabel'", "'table'"])]
    #[case("8 --threds 2", &["'--threads'"])]
    #[case("table 10-8", &["did you mean 8-10?"])]
    #[case("table 4-6 -f json -o r.csv", &["--format", "'json'", "'r.csv'", "accepted: csv"])]
    #[case("tree 8", &["--output"])]
    #[case("estimate 8 --seconds 1e300", &["too large"])]
    #[case("count 8 --block a1 --symmetry eightfold", &["--symmetry", "does not have"])]
    #[case("4 --engine join", &["--engine: ", "accepted: 5 to 32"])]
    #[case("12 --engine join --kernel scalar", &["--kernel: ", "accepted: portable"])]
    #[case("count 8 --queen a1-i9", &["square i9 is not on the 8 x 8 board"])]
    #[case("count 8 --queen c5 --queen e3", &["--queen", "c5", "e3"])]
    #[case("count 8 --queen c5 --block c5", &["--block", "c5"])]
    #[case("solve 20000 --all", &["20000", "5000"])]
    #[case("solve 20000 --queen a1", &["20000", "5000"])]
    #[case("solve 5001 --random", &["5001", "0 to 5000"])]
    #[case("solve 8 --random 5", &["--random=5"])]
    #[case("solve 8 --random --all", &["--random", "--all"])]
    #[case("solve 8 -o board.png", &["--output", "'board.png'", "svg", "html"])]
    #[case("solve 500 -o board.SVG", &["--format", "500", "200"])]
    #[case("solve --strategy x,min,value", &["'x' is not a variable", "smallest-lowest-min"])]
    #[case("solve --strategy first,x,value", &["'x' is not a value", "min, middle, median, max"])]
    #[case("solve --strategy first,min,x", &["'x' is not a propagation", "none, value, bounds"])]
    #[case("solve --strategy smallest,min,none", &["'smallest' needs propagation", "first"])]
    #[case("tree -o t --against luck", &["--against", "'luck'"])]
    #[case("tree -o t --against smallest,min,none", &["--against: 'smallest' needs propagation"])]
    #[case("bench --fail-if-slower 5%", &["--compare"])]
    #[case("bench --compare a --fail-if-slower fast", &["--fail-if-slower", "such as 5%"])]
    fn errors_help(#[case] line: &str, #[case] parts: &[&str]) {
        let error = error(&line.split(' ').collect::<Vec<_>>());
        for part in parts {
            assert!(error.contains(part), "{part:?} in {error}");
        }
    }

    #[rstest]
    fn tips_lead_to_accepted_command_lines(#[values("8 --timeout 3", "x", "merge -x")] line: &str) {
        let error = error(&line.split(' ').collect::<Vec<_>>());
        assert!(!error.contains("tip"), "{error}");
    }
}
