//! `queens solve`: solutions as boards.

use std::collections::HashSet;
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::known::torus_is_solvable;
use crate::report::{BoardFormat, BoardWriter, Caption, human, tree_dot, tree_svg};
use crate::solve::tree::Tree;
use crate::solve::{Limit, Limits, MAX_ENUMERATED, Search, Strategy, construct, construct_torus};
use crate::{CancelToken, Placement, Puzzle, Solutions};
use anyhow::Result;
use clap::{Args, value_parser};

use super::exit::{Signalled, UsageError};
use super::marks::Marks;
use super::options;
use super::output::{Output, tell};
use super::paths::are_same;
use super::signals;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Board size N, 0 to 1000000; to 5000 with marked squares, several solutions or a search option
    #[arg(value_name = "N", value_parser = value_parser!(u32).range(0..=1_000_000))]
    n: u32,

    /// Print every solution, in lexicographic order unless the strategy has another
    #[arg(long)]
    all: bool,

    /// Print the first K solutions
    #[arg(long, value_name = "K", value_parser = value_parser!(u64).range(1..))]
    limit: Option<u64>,

    /// Print one solution of each class under the eight symmetries of the square, whatever is marked: the first of it that
    /// is met
    #[arg(long)]
    fundamental: bool,

    #[command(flatten)]
    marks: Marks,

    #[command(flatten)]
    searching: Searching,

    #[command(flatten)]
    reporting: Reporting,
}

/// How to search.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
struct Searching {
    /// How to pick columns and rows [default: first-fail for one solution, backtrack for several; without any search
    /// option, one solution of an empty board is constructed instead]
    #[arg(long, value_name = "STRATEGY", value_parser = options::one_of::<Strategy>())]
    strategy: Option<Strategy>,

    /// Print branches, failures, wall time and solutions found on standard error
    #[arg(long)]
    stats: bool,

    /// Stop after this many branches
    #[arg(long, value_name = "B", value_parser = value_parser!(u64).range(1..))]
    max_branches: Option<u64>,

    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = options::seconds)]
    timeout: Option<Duration>,

    /// Draw the search tree into a file that ends in .svg or .dot; failed subtrees are folded, and it is cut at 5,000
    /// nodes, which it says then
    #[arg(long, value_name = "FILE")]
    tree: Option<PathBuf>,
}

/// How to report.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct Reporting {
    /// Form of the solutions; rows in `list`, `json` and `csv` count from 0 at the top; an `svg` sheet has 1000 boards at
    /// most, of N up to 200, and `board` and `unicode` go up to N = 2000 [default: board, or list above N = 64]
    #[arg(long, value_name = "FORMAT", value_parser = options::one_of::<BoardFormat>())]
    format: Option<BoardFormat>,

    /// Write the solutions to a file, which appears when it is complete; `-` is standard output
    #[arg(long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

/// Boards above this are printed as lists unless asked otherwise: they would not fit a screen.
const LARGEST_SHOWN: u32 = 64;
/// Nodes of a tree that is drawn.
const MAX_TREE: usize = 5_000;
/// Solutions appear within this time of being found, while more of them come.
const FLUSH_EVERY: Duration = Duration::from_millis(20);

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let puzzle = arguments.marks.puzzle(arguments.n)?;
    let format = arguments.format()?;
    let tree_format = arguments.searching.tree_format()?;
    if let Some(tree) = &arguments.searching.tree
        && are_same(tree, &arguments.reporting.output)
    {
        let reason = format!(
            "'{}' is the file of --output too (accepted: another file)",
            tree.display()
        );
        return Err(UsageError::new("--tree", reason).into());
    }
    let cancel = CancelToken::new();
    let mut source = arguments.source(&puzzle, &cancel)?;
    let mut output = Output::create(&arguments.reporting.output)?;
    let mut tree_output = match &arguments.searching.tree {
        Some(path) => Some(Output::create_for("--tree", path)?),
        None => None,
    };

    // Only now, since opening may wait for whoever is at the other end of a pipe, and a signal ends that at once.
    signals::on_interrupt(&cancel)?;

    let started = Instant::now();
    let mut writer = BoardWriter::new(format, &puzzle);
    let written = arguments.write(
        &puzzle,
        &mut source,
        &mut writer,
        &mut output,
        started,
        &cancel,
    );
    let elapsed = started.elapsed();
    // The figures and the drawing are worth having even where nobody reads the boards any more.
    if arguments.searching.stats {
        source.print_statistics(elapsed);
    }
    if let (Some(out), Some(draw)) = (&mut tree_output, tree_format) {
        let drawing = draw(source.tree_nodes(), &source.caption(arguments));
        out.write_all(drawing.as_bytes())?;
    }
    let written = written?;
    if let Some(out) = tree_output {
        out.finish()?; // it says itself where a search was stopped
    }
    // A file appears only if all that was asked for is in it; what has been printed is printed.
    match arguments.verdict(&puzzle, &source, &writer, written, elapsed, &cancel) {
        Ok(()) => output.finish(),
        Err(why) => {
            output.flush()?;
            Err(why)
        }
    }
}

impl Arguments {
    /// Whether more than one solution is asked for.
    fn several(&self) -> bool {
        self.all || self.fundamental || self.limit.is_some()
    }

    /// How many solutions are asked for.
    fn wanted(&self) -> u64 {
        let most = if self.several() { u64::MAX } else { 1 };
        self.limit.unwrap_or(most)
    }

    fn format(&self) -> Result<BoardFormat, UsageError> {
        let usual = if self.n > LARGEST_SHOWN {
            BoardFormat::List
        } else {
            BoardFormat::Board
        };
        let format = self.reporting.format.unwrap_or(usual);
        let largest = format.largest();
        if self.n > largest {
            let reason = format!(
                "'{format}' cannot show a board of N = {} (accepted: 0 to {largest})",
                self.n
            );
            return Err(UsageError::new("--format", reason));
        }
        Ok(format)
    }

    /// Where the solutions come from: the simplest source that can do what was asked for.
    fn source(&self, puzzle: &Puzzle, cancel: &CancelToken) -> Result<Source, UsageError> {
        let Searching {
            strategy,
            stats,
            max_branches,
            timeout,
            tree,
        } = &self.searching;
        let search_is_shown = strategy.is_some() || *stats || tree.is_some();
        let searching = search_is_shown || max_branches.is_some() || timeout.is_some();
        if puzzle.is_torus() && !torus_is_solvable(puzzle.n()) && !search_is_shown {
            return Ok(Source::Constructed(None));
        }
        if !searching && !self.several() && !puzzle.has_marks() {
            let construct = if puzzle.is_torus() {
                construct_torus
            } else {
                construct
            };
            return Ok(Source::Constructed(construct(puzzle.n())));
        }
        if !searching && self.several() && puzzle.n() <= MAX_ENUMERATED {
            let solutions = Solutions::new(puzzle).map_err(|error| UsageError::new("N", error))?;
            return Ok(Source::Enumerated(solutions.cancel_with(cancel.clone())));
        }
        let usual = if self.several() {
            Strategy::Backtrack
        } else {
            Strategy::FirstFail
        };
        let strategy = strategy.unwrap_or(usual);
        let limits = Limits {
            branches: *max_branches,
            time: *timeout,
            cancel: cancel.clone(),
        };
        // Large boards are solved without a search, so what is in the way is an option that asks for one.
        let too_large = |error| {
            let hint = "without a search option, one solution is found for any N";
            UsageError::new("N", format!("{error}; {hint}"))
        };
        Ok(Source::Searched {
            search: Search::new(puzzle, strategy, limits).map_err(too_large)?,
            strategy,
            tree: tree.as_ref().map(|_| Tree::new(MAX_TREE)),
        })
    }

    /// Writes the solutions as they come, and says how many.
    fn write(
        &self,
        puzzle: &Puzzle,
        source: &mut Source,
        writer: &mut BoardWriter<'_>,
        output: &mut Output,
        started: Instant,
        cancel: &CancelToken,
    ) -> io::Result<u64> {
        let mut out = BufWriter::with_capacity(1 << 16, output);
        let mut flushed = None::<Instant>;
        let mut written = 0;
        // A class whose first solution comes first needs no memory.
        let mut classes_met = HashSet::new();
        let in_order = source.is_in_order();
        writer.begin(&mut out)?;
        while written < self.wanted() && !writer.is_full() {
            let Some(placement) = source.next() else {
                break;
            };
            let is_wanted = if !self.fundamental {
                true
            } else if in_order {
                placement.is_first_of_class(puzzle)
            } else {
                classes_met.insert(placement.canonical())
            };
            if !is_wanted {
                continue;
            }
            writer.solution(&mut out, &placement, started.elapsed())?;
            written += 1;
            if flushed.is_none_or(|flushed| flushed.elapsed() >= FLUSH_EVERY) {
                out.flush()?;
                flushed = Some(Instant::now());
            }
        }
        let was_stopped = source.limit().is_some() || cancel.is_cancelled();
        let is_whole = written < self.wanted() && !writer.is_full() && !was_stopped;
        writer.end(&mut out, &self.title(written, is_whole))?;
        out.flush()?;
        Ok(written)
    }

    /// The heading of a sheet, which has all that there is if it is whole.
    fn title(&self, written: u64, is_whole: bool) -> String {
        let solutions = if written == 1 {
            "solution"
        } else {
            "solutions"
        };
        let kind = if self.fundamental { "fundamental " } else { "" };
        let marks = self.marks.words();
        let first = match (is_whole, written) {
            (true, _) => String::new(),
            (false, 1) => "a ".to_owned(),
            (false, _) => "first ".to_owned(),
        };
        let number = match (is_whole, written) {
            (false, 1) => String::new(),
            _ => format!("{} ", human::integer(written.into())),
        };
        format!("N = {}{marks}: {first}{number}{kind}{solutions}", self.n)
    }

    /// What is to be said when all is written: nothing, or why it is not what was asked for.
    fn verdict(
        &self,
        puzzle: &Puzzle,
        source: &Source,
        writer: &BoardWriter<'_>,
        written: u64,
        elapsed: Duration,
        cancel: &CancelToken,
    ) -> Result<()> {
        if written >= self.wanted() {
            return Ok(());
        }
        let stopped = |why: &str| {
            let found = human::integer(written.into());
            let time = human::seconds(elapsed.as_secs_f64());
            let message =
                format!("{why} after {time} with {found} found: the search is not complete");
            Err(anyhow::Error::msg(message))
        };
        match source.limit() {
            Some(Limit::Branches) => return stopped("--max-branches: stopped"),
            Some(Limit::Time) => return stopped("--timeout: stopped"),
            _ if cancel.is_cancelled() => return Err(Signalled("interrupted".to_owned()).into()),
            _ => {}
        }
        if writer.is_full() {
            return stopped("--format: stopped at a full sheet");
        }
        if written == 0 {
            let torus = if self.marks.torus { "on a torus " } else { "" };
            let message = format!("there is no solution {torus}for N = {}", self.n);
            let marked = if puzzle.has_marks() {
                " and these squares"
            } else {
                ""
            };
            return Err(anyhow::Error::msg(message + marked));
        }
        Ok(())
    }
}

/// Draws nodes under a caption.
type Draw = fn(&[crate::solve::tree::Node], &Caption) -> String;

impl Searching {
    /// How to draw the tree, by the name of its file.
    fn tree_format(&self) -> Result<Option<Draw>, UsageError> {
        let Some(path) = &self.tree else {
            return Ok(None);
        };
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("svg") => Ok(Some(tree_svg)),
            Some("dot") => Ok(Some(tree_dot)),
            _ => Err(bad_tree_name(path)),
        }
    }
}

fn bad_tree_name(path: &Path) -> UsageError {
    let reason = format!(
        "'{}' (accepted: a file that ends in .svg or .dot)",
        path.display()
    );
    UsageError::new("--tree", reason)
}

/// Where solutions come from.
enum Source {
    Constructed(Option<Placement>),
    Enumerated(Solutions),
    Searched {
        search: Search,
        strategy: Strategy,
        tree: Option<Tree>,
    },
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").finish_non_exhaustive()
    }
}

impl Iterator for Source {
    type Item = Placement;

    fn next(&mut self) -> Option<Placement> {
        match self {
            Self::Constructed(placement) => placement.take(),
            Self::Enumerated(solutions) => solutions.next(),
            Self::Searched { search, tree, .. } => match tree {
                Some(tree) => tree.next_solution(search),
                None => search.next(),
            },
        }
    }
}

impl Source {
    /// Whether solutions come in lexicographic order.
    fn is_in_order(&self) -> bool {
        match self {
            Self::Searched { strategy, .. } => strategy.is_lexicographic(),
            Self::Constructed(_) | Self::Enumerated(_) => true,
        }
    }

    fn limit(&self) -> Option<Limit> {
        match self {
            Self::Searched { search, .. } => search.limit(),
            Self::Constructed(_) | Self::Enumerated(_) => None,
        }
    }

    /// What a constraint solver prints at its end.
    fn print_statistics(&self, elapsed: Duration) {
        if let Self::Searched {
            search, strategy, ..
        } = self
        {
            let statistics = search.statistics();
            let lines = [
                ("strategy", strategy.to_string()),
                ("branches", human::integer(statistics.branches.into())),
                ("failures", human::integer(statistics.failures.into())),
                ("wall time", human::seconds(elapsed.as_secs_f64())),
                (
                    "solutions found",
                    human::integer(statistics.solutions.into()),
                ),
            ];
            for (name, value) in lines {
                tell(format_args!("{:<16} {value}", format!("{name}:")));
            }
        }
    }

    fn tree_nodes(&self) -> &[crate::solve::tree::Node] {
        match self {
            Self::Searched {
                tree: Some(tree), ..
            } => tree.nodes(),
            _ => &[],
        }
    }

    fn caption(&self, arguments: &Arguments) -> Caption {
        let (mut title, mut left_out) = (String::new(), 0);
        if let Self::Searched {
            search,
            strategy,
            tree,
        } = self
        {
            let statistics = search.statistics();
            let number = |number: u64| human::integer(number.into());
            let marks = arguments.marks.words();
            let kind = if arguments.fundamental {
                "fundamental "
            } else {
                ""
            };
            let extent = match arguments.wanted() {
                1 => format!("first {kind}solution"),
                u64::MAX => format!("all {kind}solutions"),
                most => format!("first {} {kind}solutions", number(most)),
            };
            let stopped = if search.limit().is_some() {
                ", stopped early"
            } else {
                ""
            };
            title = format!(
                "N = {}{marks}, {strategy}, {extent}{stopped}: branches {}, failures {}, solutions {}",
                arguments.n,
                number(statistics.branches),
                number(statistics.failures),
                number(statistics.solutions)
            );
            left_out = tree.as_ref().map_or(0, Tree::left_out);
        }
        let n = arguments.n;
        Caption { n, title, left_out }
    }
}
