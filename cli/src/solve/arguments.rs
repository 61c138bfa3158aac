//! Arguments of `queens solve`, and the choice of output format and solution source.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::{ArgPredicate, PathBufValueParser, TypedValueParser};
use queens::Board;
use queens::board::MAX_BOARD;
use queens::known;
use queens::solve::{Limits, SearchError, Source, Wanted, find};

use super::sheet::Paper;
use super::tree_file::TreeFile;
use super::{BoardFormat, OptionError, SearchOptions};
use crate::exit::Failure;
use crate::human;
use crate::options::{self, BoardOptions, whole};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Board size N, 0 to 1000000
    ///
    /// The maximum is 5000 if several solutions are requested, or with preplaced queens, blocked
    /// squares or a search option
    #[arg(value_name = "N", value_parser = whole(0, Some(MAX_BOARD)), default_value = "8", default_value_if("board", ArgPredicate::IsPresent, None))]
    n: Option<u32>,

    /// Print all solutions
    ///
    /// Solutions are printed in lexicographic order, unless a search option selects another order
    #[arg(long)]
    all: bool,

    /// Print at most K solutions
    ///
    /// By default, these are the first K in lexicographic order. Above N = 29, or above N = 14 with
    /// preplaced queens, blocked squares or --torus, enumeration can take a very long time. Unless
    /// a search option is given, solutions then come from a construction and a random search with
    /// restarts, and are the same on every run. If the random search makes no progress on a board
    /// with queens or blocked squares, a conflict-weighted search takes over; --stats names it
    #[arg(long, value_name = "K", value_parser = whole::<u64>(1, None))]
    pub(super) limit: Option<u64>,

    /// Print only the first solution found in each symmetry class
    ///
    /// Rotations and reflections of a solution are in the same class, even if the preplaced queens
    /// and blocked squares are not symmetric
    #[arg(long)]
    pub(super) fundamental: bool,

    /// Print a random solution, or K with --limit K
    ///
    /// For N up to 12, all solutions are equally likely. For larger N, up to 5000, a search picks
    /// rows at random, and the distribution is not uniform. Use --seed to repeat a result
    #[arg(long, conflicts_with_all = ["all", "fundamental", "strategy", "variable", "value", "propagation", "stats",
        "max_branches", "timeout", "tree", "trace"])]
    random: bool,

    #[command(flatten)]
    board: BoardOptions,

    #[command(flatten)]
    search: SearchOptions,

    /// Print the numbers of branches, failures and solutions, and the wall time, to standard error
    ///
    /// Each choice selects a square and has two branches, with and without a queen on it. A failure
    /// is a node at which the search detects that no solution is possible
    #[arg(long)]
    pub(super) stats: bool,

    /// Print the constraint model (variables, domains and constraints) instead of solutions
    ///
    /// With --propagation bounds or domain, the model has three all-different constraints.
    /// Otherwise, it has a disequality for each pair of columns and each kind of line
    #[arg(long, conflicts_with_all = ["limit", "random", "fundamental", "trace", "tree", "stats", "max_branches", "timeout", "format", "width"], help_heading = "Advanced", hide_short_help = true)]
    pub(super) model: bool,

    /// Stop after this many branches
    #[arg(long, value_name = "B", value_parser = options::whole::<u64>(1, None), help_heading = "Advanced", hide_short_help = true)]
    max_branches: Option<u64>,

    /// Stop after TIME, in seconds or with units such as 30m
    #[arg(long, value_name = "TIME", value_parser = options::time_limit, help_heading = "Advanced", hide_short_help = true)]
    timeout: Option<Duration>,

    /// Print the search step by step instead of the solutions
    ///
    /// Each node is printed as a board that shows the changes made by its branch and by
    /// propagation. N must be at most
    /// 64. The format is `unicode` (default), `board` or `json`
    #[arg(long, conflicts_with_all = ["fundamental", "tree"])]
    pub(super) trace: bool,

    /// Truncate the trace after this many steps; its last line then says so, in `json` as
    /// `cut_after`
    #[arg(long, value_name = "STEPS", default_value = "1000", requires = "trace", conflicts_with_all = ["fundamental", "tree", "random", "model", "width"], value_parser = options::whole::<u64>(1, None), help_heading = "Advanced", hide_short_help = true)]
    pub(super) trace_limit: u64,

    /// Show the trace one board at a time, each after a key on standard input
    ///
    /// Space or Enter shows the next board, `s` the next solution, `f` the next failure; `q` quits.
    /// On a terminal, keys act at once. In a pipe, each character is a key
    #[arg(long, requires = "trace", conflicts_with_all = ["output", "trace_limit", "fundamental", "tree", "open", "random", "model", "width", "paper"], help_heading = "Advanced", hide_short_help = true)]
    pub(super) step: bool,

    /// Write the search tree to an .html or .svg file; solutions are printed only with --format or
    /// --output
    ///
    /// An .html file is an interactive page on which you can fold, unfold and step through the
    /// tree, and see the board at each node. N must be at most 64. An .svg drawing fits on a
    /// landscape A4 page, with failed subtrees folded. Both are truncated at 20,000 nodes and say
    /// so
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(TreeFile::new))]
    pub(super) tree: Option<TreeFile>,

    /// Open the written tree in the browser, or in the program for its file type
    #[arg(long, requires = "tree", conflicts_with_all = ["random", "model", "trace", "trace_limit"])]
    pub(super) open: bool,

    /// Set the output format: board, unicode, matrix, list, named, json, leetcode, csv, svg or html
    ///
    /// In `list`, `named`, `json` and `csv`, rows are numbered from 0 at the top. `matrix` prints 1
    /// for a queen and 0 for an empty square. `named` prints x0 = 0 x1 = 4 ... The formats `board`,
    /// `unicode`, `matrix` and `leetcode` are limited to N = 2000, `svg` and `html` to N = 200. An
    /// `svg` sheet is limited to 1000 boards, an `html` page to 20000 [default: inferred from
    /// FILE's extension, otherwise board, or list above N = 64]
    #[arg(long, short, value_name = "FORMAT", hide_possible_values = true, value_parser = options::one_of::<BoardFormat>())]
    format: Option<BoardFormat>,

    /// Set the maximum width of an `svg` sheet in pixels, which limits the boards per row [default:
    /// 1100]
    #[arg(long, value_name = "PIXELS", conflicts_with = "trace", hide_short_help = true, value_parser = options::whole::<u32>(1, None))]
    pub(super) width: Option<u32>,

    /// Divide an `svg` or `html` sheet into numbered pages for printing: a4 or letter
    ///
    /// Each page has margins and a title. With --fundamental, boards are labelled with their
    /// symmetry. The pages of an `svg` file are one below the other; browsers print both files as
    /// these pages
    #[arg(long, value_name = "SIZE", hide_possible_values = true, conflicts_with_all = ["width", "model", "trace", "trace_limit"], ignore_case = true, value_parser = options::one_of::<Paper>())]
    pub(super) paper: Option<Paper>,

    /// Write the solutions to a file
    ///
    /// The file appears once it is complete. `-` stands for standard output, the default without
    /// --tree
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Largest board size that fits on a screen. Solutions of larger boards are printed as lists by
/// default.
const LARGEST_SHOWN: u32 = 64;

impl Arguments {
    /// Returns the board.
    pub(super) fn board(&self) -> Result<Board, Failure> {
        if self.step && self.board.is_standard_input() {
            let reason = "keys come from standard input, as --board does (accepted: --board FILE)";
            return Err(Failure::usage("--step", reason));
        }
        self.board.board(self.n)
    }

    /// Whether more than one solution is requested.
    pub(super) fn several(&self) -> bool {
        self.all || self.fundamental || self.limit.is_some()
    }

    /// Returns the number of solutions requested.
    pub(super) fn wanted(&self) -> u64 {
        let most = if self.several() { u64::MAX } else { 1 };
        self.limit.unwrap_or(most)
    }

    /// Whether solutions or steps are written. If a tree is, they are only written on request.
    pub(super) fn has_output(&self) -> bool {
        self.tree.is_none() || self.format.is_some() || self.output.is_some()
    }

    /// Returns the file that solutions are written to.
    pub(super) fn output(&self) -> &Path {
        self.output.as_deref().unwrap_or(Path::new("-"))
    }

    /// Returns the name of the requested kind of solution.
    pub(super) fn kind(&self) -> &'static str {
        if self.fundamental { "fundamental solution" } else { "solution" }
    }

    /// Returns the limits of the search.
    pub(super) fn limits(&self) -> Limits {
        Limits { branches: self.max_branches, time: self.timeout, ..Limits::default() }
    }

    /// Returns the output format. Fails if the format cannot show the model, the trace or the
    /// solutions.
    pub(super) fn format(&self, board: &Board) -> Result<BoardFormat, Failure> {
        let n = board.n();
        let default = match n {
            _ if self.trace => BoardFormat::Unicode,
            _ if self.model => BoardFormat::Board,
            0..=LARGEST_SHOWN => BoardFormat::Board,
            _ => BoardFormat::List,
        };
        let format = options::format_of(self.format, self.output())?.unwrap_or(default);
        let refuse = |option, why: &str| Err(Failure::usage(option, format!("'{format}' {why}")));
        if self.model {
            return match format {
                BoardFormat::Board => Ok(format),
                _ => refuse("--output", "cannot show a model (accepted with --model: txt)"),
            };
        }
        if self.width.is_some() && format != BoardFormat::Svg {
            return refuse("--width", "has no width (accepted with --format svg)");
        }
        if self.paper.is_some() && !matches!(format, BoardFormat::Svg | BoardFormat::Html) {
            return refuse("--paper", "has no pages (accepted with --format svg or html)");
        }
        if self.trace && n > LARGEST_SHOWN {
            let accepted = format!("accepted: 0 to {LARGEST_SHOWN}");
            let reason = format!("a board of N = {n} does not fit on a screen ({accepted})");
            return Err(Failure::usage("--trace", reason));
        }
        let can_trace = format == BoardFormat::Json && !self.step || format.is_for_people();
        if self.trace && !can_trace {
            let accepted = match self.step {
                true => "with --step: board, unicode",
                false => "with --trace: board, unicode, json",
            };
            return refuse("--format", &format!("cannot show steps (accepted {accepted})"));
        }
        let largest = format.largest();
        if n > largest {
            let why = format!("cannot show a board of N = {n} (accepted: 0 to {largest})");
            return refuse("--format", &why);
        }
        // If a count is not published, it is larger than the limit of any format.
        let known = known::values(n).map_or(u128::MAX, |row| match self.fundamental {
            true => row.fundamental,
            false => row.solutions,
        });
        match format.most() {
            Some(most) if board.is_standard() && known.min(self.wanted().into()) > most.into() => {
                let boards = human::integer(most.into());
                let accepted = format!("accepted: --limit up to {most}");
                refuse("--format", &format!("is limited to {boards} boards ({accepted})"))
            }
            _ => Ok(format),
        }
    }

    /// Chooses the simplest source that can produce the requested solutions.
    pub(super) fn source(&self, board: &Board, limits: &Limits) -> Result<Source, Failure> {
        let failure = |error: OptionError| match error {
            // Boards above the limit of the search can still be solved by construction.
            OptionError::Search(SearchError::Board(error)) if !self.random => {
                let hint =
                    "without a search option, one solution is constructed for N up to 1000000";
                Failure::usage("N", format!("{error}; {hint}"))
            }
            error => Failure::usage(error.option().unwrap_or("N"), error),
        };
        let wanted = match self.limit {
            _ if self.random => {
                Wanted::Random(self.search.seed.unwrap_or_else(|| fastrand::u64(..)))
            }
            // Several solutions of each class may have to be found.
            Some(_) if self.fundamental => Wanted::First(u64::MAX),
            Some(most) => Wanted::First(most),
            None if self.several() => Wanted::All,
            None => Wanted::Any,
        };
        let is_requested =
            self.search.are_chosen() || self.trace || self.model || self.tree.is_some();
        let strategy = match is_requested && !self.random {
            true => Some(self.search.resolve(self.several()).map_err(failure)?),
            false => None,
        };
        let is_measured = self.stats || self.max_branches.is_some() || self.timeout.is_some();
        find(board, wanted, strategy, is_measured, limits).map_err(|error| failure(error.into()))
    }
}
