//! How `queens solve` is told to search.

use std::time::Duration;

use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};
use queens::Board;
use queens::solve::{
    Limits, Propagation, Search, SearchError, Settings, Strategy, Value, Variable,
};

use super::source::Searched;
use super::tree_file::TreeFile;
use crate::exit::Failure;
use crate::options;

/// Settings of a search that can be chosen one by one; the others have defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct SearchOptions {
    /// Search by a strategy: naive, backtrack, first-unbound or first-fail
    ///
    /// A preset of the three options --variable, --value and --propagation, each of which overrides its part: `naive`
    /// is the textbook's first program, variable first, value min, propagation none, with a loop over the earlier
    /// queens at each square; `backtrack` the same with look-up tables; `first-unbound` variable first, value min,
    /// propagation value; `first-fail` variable smallest, value middle, propagation value [default: no search where
    /// solutions can be constructed or enumerated; first-fail for one solution, backtrack for several, where a trace or
    /// tree is asked for]
    #[arg(long, value_name = "STRATEGY", hide_possible_values = true, value_parser = options::one_of::<Strategy>())]
    pub strategy: Option<Strategy>,

    /// Which column to branch on next: the first one without a queen, the one with the smallest or largest number of
    /// free rows, the lowest first or highest last free row, or a random one [default without --strategy: first]
    ///
    /// `smallest-lowest-min` prefers the lowest first free row among the smallest. Rows count from the top.
    #[arg(long, value_name = "WHICH", value_parser = options::one_of::<Variable>(), help_heading = "Advanced", hide_short_help = true)]
    pub variable: Option<Variable>,

    /// Which of its free rows to try first, counted from the top [default without --strategy: min]
    ///
    /// `middle` is the free row nearest to the middle between the first and the last, `median` the middle one of the
    /// list of free rows. `split` tries no single row: it branches on the upper and the lower half.
    #[arg(long, value_name = "WHICH", value_parser = options::one_of::<Value>(), help_heading = "Advanced", hide_short_help = true)]
    pub value: Option<Value>,

    /// What to deduce before each choice: `none` tests a square when it is tried; `value` removes attacked squares from
    /// all columns and places the queen of a column that is left with one row; `bounds` and `domain` add
    /// all-different constraints on rows, rising and falling diagonals, bounds consistent (Puget 1998) or
    /// domain consistent (Régin 1994) [default without --strategy: value]
    #[arg(long, value_name = "STRENGTH", value_parser = options::one_of::<Propagation>(), help_heading = "Advanced", hide_short_help = true)]
    pub propagation: Option<Propagation>,

    /// Seed of random choices: the same seed gives the same search on every machine [default: 0; with --random a new
    /// one]
    #[arg(long, value_name = "SEED", value_parser = options::whole::<u64>(0, Some(u64::MAX)), help_heading = "Advanced", hide_short_help = true)]
    pub seed: Option<u64>,
}

impl SearchOptions {
    /// Whether any of them is chosen.
    #[must_use]
    pub fn are_chosen(&self) -> bool {
        *self != Self::default()
    }

    /// Returns the settings for one or several solutions. The preset is first-fail for one solution, backtrack for
    /// several, and first-unbound where something is chosen.
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
    /// [`SearchError::Setting`] if there is a seed and nothing random.
    pub fn settings(&self, several: bool) -> Result<Settings, SearchError> {
        let usual = match several {
            _ if self.are_chosen() => Strategy::FirstUnbound,
            true => Strategy::Backtrack,
            false => Strategy::FirstFail,
        };
        let preset = Settings::from(self.strategy.unwrap_or(usual));
        let settings = Settings {
            variable: self.variable.unwrap_or(preset.variable),
            value: self.value.unwrap_or(preset.value),
            propagation: self.propagation.unwrap_or(preset.propagation),
            seed: self.seed.unwrap_or(preset.seed),
            ..preset
        };
        match self.seed {
            Some(seed) if !settings.is_random() => {
                let accepted = "accepted: where something is, such as with value random";
                let reason = format!("'{seed}': nothing is random ({accepted})");
                Err(SearchError::Setting("seed", reason))
            }
            _ => Ok(settings),
        }
    }
}

/// How to search.
#[derive(Debug, Args)]
pub(super) struct Searching {
    #[command(flatten)]
    pub(super) options: SearchOptions,

    /// Print branches, failures, wall time and solutions found on standard error
    ///
    /// Each choice is a square and has two
    /// branches, a queen there and no queen there, and a failure is a dead end, a node that is found to have no
    /// solution
    #[arg(long)]
    pub(super) stats: bool,

    /// Print the model that is searched in place of solutions: variables, domains and constraints
    ///
    /// With --propagation bounds or domain there are three all-different constraints, otherwise a disequality for each
    /// pair of columns and each kind of lines
    #[arg(long, conflicts_with_all = ["random", "fundamental", "trace", "tree", "stats", "format"], help_heading = "Advanced", hide_short_help = true)]
    pub(super) model: bool,

    /// Stop after this many branches
    #[arg(long, value_name = "B", value_parser = options::whole::<u64>(1, None), help_heading = "Advanced", hide_short_help = true)]
    max_branches: Option<u64>,

    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = options::seconds, help_heading = "Advanced", hide_short_help = true)]
    timeout: Option<Duration>,

    /// Print the search step by step in place of the solutions
    ///
    /// Each node as a board, with what its branch and propagation
    /// changed, for N up to 64; forms are `unicode`, the default, `board` and `json`, which has the steps as data
    #[arg(long, conflicts_with_all = ["fundamental", "tree"])]
    pub(super) trace: bool,

    /// Cut the trace after this many steps, and say so; `json` has a last line with `cut_after`
    #[arg(long, value_name = "STEPS", default_value = "1000", requires = "trace", conflicts_with_all = ["fundamental", "tree", "random", "model"], value_parser = options::whole::<u64>(1, None), help_heading = "Advanced", hide_short_help = true)]
    pub(super) trace_limit: u64,

    /// Show the search tree in a file, .html or .svg
    ///
    /// One that ends in .html is a page for the browser: a tree to fold, unfold and step
    /// through, with the board at each node, N up to 64. A drawing, .svg, fits a landscape A4 page, with failed
    /// subtrees folded. Either is cut at 20,000 nodes, and says so
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(TreeFile::new))]
    pub(super) tree: Option<TreeFile>,
}

impl Searching {
    /// Whether a search is asked for, and not only solutions.
    pub(super) fn is_asked_for(&self) -> bool {
        self.options.are_chosen() || self.trace || self.model || self.tree.is_some()
    }

    /// Whether branches are counted or limited.
    pub(super) fn is_measured(&self) -> bool {
        self.stats || self.max_branches.is_some() || self.timeout.is_some()
    }

    /// When to give up.
    pub(super) fn limits(&self) -> Limits {
        Limits {
            branches: self.max_branches,
            time: self.timeout,
            ..Limits::default()
        }
    }

    /// The failure of a search that cannot be made.
    pub(super) fn refuse(&self, error: SearchError) -> Failure {
        match error {
            // Large boards are solved without a search, so what is in the way is an option that asks for one.
            SearchError::Board(error) => {
                let hint =
                    "without a search option, one solution is constructed for N up to 1000000";
                Failure::usage("N", format!("{error}; {hint}"))
            }
            error => Failure::usage(None, format!("--{error}")),
        }
    }

    /// The search for one or several solutions of a board.
    pub(super) fn search(
        &self,
        board: &Board,
        several: bool,
        limits: Limits,
    ) -> Result<Searched, Failure> {
        let refuse = |error| self.refuse(error);
        let settings = self.options.settings(several).map_err(refuse)?;
        Ok(Searched {
            search: Search::new(board, settings, limits).map_err(refuse)?,
            settings,
            tree: self
                .tree
                .as_ref()
                .map(|file| file.empty_tree(board.n()))
                .transpose()?,
        })
    }
}
