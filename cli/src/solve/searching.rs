//! Search options of `queens solve`.

use std::time::Duration;

use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};
use queens::Board;
use queens::solve::{
    Limits, Propagation, Search, SearchError, Settings, Strategy, Value, Variable,
};

use super::source::TreeSearch;
use super::tree_file::TreeFile;
use crate::exit::Failure;
use crate::options;

/// Search settings that are set individually; the others have defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct SearchOptions {
    /// Search by a strategy: naive, backtrack, first-unbound or first-fail
    ///
    /// A preset of --variable, --value and --propagation, each of which overrides its part. `naive` is the textbook's
    /// first program: variable first, value min, propagation none, with a loop over the earlier queens for each square.
    /// `backtrack` is the same with look-up tables; `first-unbound` is variable first, value min, propagation value;
    /// `first-fail` is variable smallest, value middle, propagation value [default: no search if solutions can be
    /// constructed or enumerated; for a trace, tree or model, first-fail for one solution and backtrack for several]
    #[arg(long, value_name = "STRATEGY", hide_possible_values = true, value_parser = options::one_of::<Strategy>())]
    pub strategy: Option<Strategy>,

    /// Column to branch on next: the first one without a queen, the one with the fewest or most free rows, with the
    /// lowest first or highest last free row, or a random one [default without --strategy: first]
    ///
    /// `smallest-lowest-min` breaks ties of `smallest` by the lowest first free row. Rows count from the top.
    #[arg(long, value_name = "WHICH", value_parser = options::one_of::<Variable>(), help_heading = "Advanced", hide_short_help = true)]
    pub variable: Option<Variable>,

    /// Free row of that column to try first, counted from the top [default without --strategy: min]
    ///
    /// `middle` is the row nearest to the midpoint of the first and last free row, `median` the median of the free
    /// rows. `split` tries no single row: it branches on the upper and the lower half.
    #[arg(long, value_name = "WHICH", value_parser = options::one_of::<Value>(), help_heading = "Advanced", hide_short_help = true)]
    pub value: Option<Value>,

    /// Propagation before each choice: `none` tests a square when it is tried; `value` removes attacked squares and
    /// places the queen of a column with one row left; `bounds` and `domain` add all-different constraints on rows and
    /// diagonals, bounds consistent (Puget 1998) or domain consistent (Régin 1994) [default without --strategy: value]
    #[arg(long, value_name = "STRENGTH", value_parser = options::one_of::<Propagation>(), help_heading = "Advanced", hide_short_help = true)]
    pub propagation: Option<Propagation>,

    /// Seed of random choices: the same seed gives the same search on every machine [default: 0; with --random, a new
    /// seed]
    #[arg(long, value_name = "SEED", value_parser = options::whole::<u64>(0, Some(u64::MAX)), help_heading = "Advanced", hide_short_help = true)]
    pub seed: Option<u64>,
}

impl SearchOptions {
    /// Whether any option is set.
    #[must_use]
    pub fn are_chosen(&self) -> bool {
        *self != Self::default()
    }

    /// Returns the settings of a search for one or several solutions. The default strategy is first-fail for one
    /// solution and backtrack for several, or first-unbound if any option is set.
    ///
    /// ```
    /// use queens::solve::{Strategy, Value};
    /// use queens_cli::solve::SearchOptions;
    ///
    /// let last_row_first = SearchOptions { value: Some(Value::Max), ..SearchOptions::default() };
    /// assert_eq!(last_row_first.settings(true)?.to_string(), "variable first, value max, propagation value");
    /// assert_eq!(SearchOptions::default().settings(false)?, Strategy::FirstFail.into());
    /// # Ok::<(), queens::solve::SearchError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SearchError::Setting`] if there is a seed but no random choice.
    pub fn settings(&self, several: bool) -> Result<Settings, SearchError> {
        let default = match several {
            _ if self.are_chosen() => Strategy::FirstUnbound,
            true => Strategy::Backtrack,
            false => Strategy::FirstFail,
        };
        let preset = Settings::from(self.strategy.unwrap_or(default));
        let settings = Settings {
            variable: self.variable.unwrap_or(preset.variable),
            value: self.value.unwrap_or(preset.value),
            propagation: self.propagation.unwrap_or(preset.propagation),
            seed: self.seed.unwrap_or(preset.seed),
            ..preset
        };
        match self.seed {
            Some(seed) if !settings.is_random() => {
                let accepted = "accepted: with variable random or value random";
                let reason = format!("'{seed}': nothing is random ({accepted})");
                Err(SearchError::Setting("seed", reason))
            }
            _ => Ok(settings),
        }
    }
}

/// Options of a search and its limits, and of traces and trees.
#[derive(Debug, Args)]
pub(super) struct SearchArguments {
    #[command(flatten)]
    pub(super) options: SearchOptions,

    /// Print branches, failures, wall time and solutions found on standard error
    ///
    /// Each choice is a square with two branches, a queen there and none there. A failure is a node found to have no
    /// solution
    #[arg(long)]
    pub(super) stats: bool,

    /// Print the constraint model instead of solutions: variables, domains and constraints
    ///
    /// With --propagation bounds or domain it has three all-different constraints, otherwise a disequality for each
    /// pair of columns and each kind of lines
    #[arg(long, conflicts_with_all = ["limit", "random", "fundamental", "trace", "tree", "stats", "max_branches", "timeout", "format", "width"], help_heading = "Advanced", hide_short_help = true)]
    pub(super) model: bool,

    /// Stop after this many branches
    #[arg(long, value_name = "B", value_parser = options::whole::<u64>(1, None), help_heading = "Advanced", hide_short_help = true)]
    max_branches: Option<u64>,

    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = options::seconds, help_heading = "Advanced", hide_short_help = true)]
    timeout: Option<Duration>,

    /// Print the search step by step instead of the solutions
    ///
    /// Each node is a board that shows the changes by its branch and by propagation, for N up to 64. Formats are
    /// `unicode`, the default, `board` and `json`
    #[arg(long, conflicts_with_all = ["fundamental", "tree"])]
    pub(super) trace: bool,

    /// Cut the trace after this many steps; its last line, in `json` with `cut_after`, states the cut
    #[arg(long, value_name = "STEPS", default_value = "1000", requires = "trace", conflicts_with_all = ["fundamental", "tree", "random", "model"], value_parser = options::whole::<u64>(1, None), help_heading = "Advanced", hide_short_help = true)]
    pub(super) trace_limit: u64,

    /// Write the search tree to a file, .html or .svg
    ///
    /// An .html file is an interactive page to fold, unfold and step through the tree, with the board at each node, for
    /// N up to 64. An .svg drawing fits a landscape A4 page, with failed subtrees folded. Both are cut at 20,000 nodes,
    /// and state the cut
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(TreeFile::new))]
    pub(super) tree: Option<TreeFile>,
}

impl SearchArguments {
    /// Whether an option requires a search.
    pub(super) fn is_requested(&self) -> bool {
        self.options.are_chosen() || self.trace || self.model || self.tree.is_some()
    }

    /// Whether statistics or limits are requested.
    pub(super) fn is_measured(&self) -> bool {
        self.stats || self.max_branches.is_some() || self.timeout.is_some()
    }

    /// Returns the limits of the search.
    pub(super) fn limits(&self) -> Limits {
        Limits {
            branches: self.max_branches,
            time: self.timeout,
            ..Limits::default()
        }
    }

    /// Creates the search for one or several solutions of a board.
    pub(super) fn tree_search(
        &self,
        board: &Board,
        several: bool,
        limits: Limits,
    ) -> Result<TreeSearch, Failure> {
        let settings = self.options.settings(several).map_err(failure)?;
        let search = Search::new(board, settings, limits).map_err(failure)?;
        let tree = self.tree.as_ref().map(|file| file.empty_tree(board.n()));
        Ok(TreeSearch {
            search,
            settings,
            tree: tree.transpose()?,
        })
    }
}

/// Converts the error of a search into one that names the option.
pub(super) fn failure(error: SearchError) -> Failure {
    match error {
        // Larger boards can be solved without a search.
        SearchError::Board(error) => {
            let hint = "without a search option, one solution is constructed for N up to 1000000";
            Failure::usage("N", format!("{error}; {hint}"))
        }
        error => Failure::usage(None, format!("--{error}")),
    }
}
