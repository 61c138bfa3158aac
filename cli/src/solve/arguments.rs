//! Arguments of `queens solve`, `queens trace` and `queens tree`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::ArgPredicate;
use queens::board::MAX_BOARD;
use queens::{Board, CancelToken};
use queens_search::{Limits, Search, SearchError, Selection, Source, Strategy, find};

use super::BoardFormat;
use crate::exit::{Failure, Result};
use crate::options::{self, BoardOptions, whole};
use crate::signals;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Board size N, 0 to 1000000; to 5000 for several solutions, constraints or a strategy
    #[arg(value_name = "N", value_parser = whole(0, Some(MAX_BOARD)), default_value = "8", default_value_if("board", ArgPredicate::IsPresent, None))]
    n: Option<u32>,

    /// Print all solutions
    #[arg(long)]
    all: bool,

    /// Print at most K solutions: the first in lexicographic order up to N = 20, or 14 with
    /// preplaced queens or blocked squares; above, a random search finds the same ones on every run
    #[arg(long, value_name = "K", value_parser = whole::<u64>(1, None))]
    pub(super) limit: Option<u64>,

    /// Print only the first solution found in each symmetry class
    #[arg(long)]
    pub(super) fundamental: bool,

    /// Print a random solution, or K with --limit K; all are equally likely up to N = 12. The same
    /// SEED gives the same solutions
    #[arg(long, value_name = "SEED", num_args = 0..=1, require_equals = true, conflicts_with_all = ["all", "fundamental", "strategy", "stats", "max_branches"], value_parser = whole::<u64>(0, Some(u64::MAX)))]
    random: Option<Option<u64>>,

    #[command(flatten)]
    board: BoardOptions,

    #[command(flatten)]
    pub(super) search: SearchOptions,

    /// Print the numbers of branches, failures and solutions, and the wall time, to standard error
    #[arg(long)]
    pub(super) stats: bool,

    /// Set the output format: board, matrix, list, json, svg or html [default: from FILE's
    /// extension, or board, or list above N = 64]; list and json number rows from 0 at the top
    #[arg(long, short, value_name = "FORMAT", hide_possible_values = true, value_parser = options::one_of::<BoardFormat>())]
    format: Option<BoardFormat>,

    /// Write the solutions to a file, once they are complete
    #[arg(long, short, value_name = "FILE", default_value = "-", value_parser = options::file(true))]
    pub(super) output: PathBuf,
}

/// The strategy of a search, and its limits.
#[derive(Debug, Args)]
pub(crate) struct SearchOptions {
    /// Set the search strategy: naive, backtrack, first-unbound, first-fail, or three choices such
    /// as smallest,middle,bounds: the column (first, smallest, smallest-lowest-min,
    /// smallest-lowest-max), its free row (min is the topmost, middle, median, max), and the
    /// propagation (none, value, bounds) [default: first-unbound, where a search is shown]
    #[arg(long, value_name = "STRATEGY", value_parser = str::parse::<Strategy>)]
    strategy: Option<Strategy>,

    /// Stop after TIME, in seconds or as in 1h30m
    #[arg(long, value_name = "TIME", value_parser = options::time)]
    timeout: Option<Duration>,

    /// Stop after B branches
    #[arg(long, value_name = "B", value_parser = whole::<u64>(1, None))]
    max_branches: Option<u64>,
}

impl SearchOptions {
    /// Returns the limits of the search.
    pub(super) fn limits(&self) -> Limits {
        Limits { branches: self.max_branches, ..Limits::default() }
    }

    /// Cancels the token at the time limit or at Ctrl-C.
    pub(super) fn interrupt(&self, token: &CancelToken) -> Result<()> {
        signals::on_interrupt(token)?;
        signals::cancel_after(self.timeout, token)
    }
}

/// Largest board size that fits on a screen. Solutions of larger boards are printed as lists by
/// default, and larger searches are not shown.
pub(crate) const LARGEST_SHOWN: u32 = 64;

impl Arguments {
    /// Returns the board.
    pub(super) fn board(&self) -> Result<Board, Failure> {
        self.board.board(self.n)
    }

    /// Whether more than one solution is requested.
    pub(super) fn several(&self) -> bool {
        self.all || self.fundamental || self.limit.is_some()
    }

    /// Returns the maximum number of solutions to print.
    pub(super) fn max_solutions(&self) -> u64 {
        self.limit.unwrap_or(if self.several() { u64::MAX } else { 1 })
    }

    /// Returns the output format. Fails if the format cannot show the solutions.
    pub(super) fn format(&self, board: &Board) -> Result<BoardFormat, Failure> {
        let n = board.n();
        let default = if n <= LARGEST_SHOWN { BoardFormat::Board } else { BoardFormat::List };
        let format = options::format_of(self.format, &self.output)?.unwrap_or(default);
        let largest = format.largest();
        match n <= largest {
            true => Ok(format),
            false => {
                let accepted = format!("accepted: 0 to {largest}");
                let reason = format!("'{format}' cannot show a board of N = {n} ({accepted})");
                Err(Failure::usage("--format", reason))
            }
        }
    }

    /// Chooses the simplest source that can produce the requested solutions.
    pub(super) fn source(&self, board: &Board, limits: &Limits) -> Result<Source, Failure> {
        let selection = match (self.random, self.limit) {
            (Some(seed), _) => Selection::Random(seed.unwrap_or_else(|| fastrand::u64(..))),
            // Several solutions of each class may have to be found.
            (None, Some(_)) if self.fundamental => Selection::First(u64::MAX),
            (None, None) if self.several() => Selection::All,
            (None, limit) => Selection::First(limit.unwrap_or(1)),
        };
        let must_search = self.stats || limits.branches.is_some();
        find(board, selection, self.search.strategy, must_search, limits)
            .map_err(|error| not_searched("--strategy", error))
    }
}

fn not_searched(option: &str, error: SearchError) -> Failure {
    match error {
        SearchError::Board(error) => Failure::usage("N", error),
        error => Failure::usage(option, error),
    }
}

/// Starts a search with the strategy of an option.
pub(super) fn start(
    board: &Board,
    limits: &Limits,
    option: &str,
    strategy: Strategy,
) -> Result<Search, Failure> {
    Search::new(board, strategy, limits.clone()).map_err(|error| not_searched(option, error))
}

/// Arguments that describe a search to show.
#[derive(Debug, Args)]
pub(crate) struct SearchArguments {
    /// Board size N, 0 to 64
    #[arg(value_name = "N", value_parser = whole(0, Some(LARGEST_SHOWN)), default_value = "8", default_value_if("board", ArgPredicate::IsPresent, None))]
    n: Option<u32>,

    /// Search for all solutions, not only for the first one
    #[arg(long)]
    pub(super) all: bool,

    #[command(flatten)]
    board: BoardOptions,

    #[command(flatten)]
    pub(super) options: SearchOptions,
}

impl SearchArguments {
    /// Returns the board.
    pub(super) fn board(&self) -> Result<Board, Failure> {
        let board = self.board.board(self.n)?;
        match board.n() {
            0..=LARGEST_SHOWN => Ok(board),
            n => {
                let reason = format!("a board of N = {n} is too large to show");
                let accepted = format!("accepted: 0 to {LARGEST_SHOWN}");
                Err(Failure::usage("N", format!("{reason} ({accepted})")))
            }
        }
    }

    /// Starts the search.
    pub(super) fn search(&self, board: &Board, limits: &Limits) -> Result<Search, Failure> {
        start(board, limits, "--strategy", self.options.strategy.unwrap_or_default())
    }

    /// Whether a search goes on after its first solution.
    pub(super) fn goes_on(&self, search: &Search) -> bool {
        self.all || search.statistics().solutions == 0
    }
}
