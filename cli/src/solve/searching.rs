//! Search options of `queens solve`.

use clap::Args;
use queens::solve::{Propagation, SearchError, Strategy, Value, Variable};
use thiserror::Error;

use crate::options;

/// Options that select a search strategy. Anything that is not selected has a default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct SearchOptions {
    /// Set the search strategy: naive, backtrack, first-unbound or first-fail
    ///
    /// A strategy is a preset for --variable, --value and --propagation, which override it
    /// individually. `naive` is the program that most textbooks show first: variable first, value
    /// min, propagation none, with a loop over earlier queens for each square. `backtrack` is the
    /// same with look-up tables. `first-unbound` is variable first, value min, propagation value.
    /// `first-fail` is variable smallest, value middle, propagation value. The last two have the
    /// branches and failures of OR-Tools' original solver, for its not-equal constraints, and for
    /// all-different ones with propagation bounds [default: no search if solutions can be
    /// constructed or enumerated; for a trace, tree or model, first-fail for one solution and
    /// backtrack for several]
    #[arg(long, value_name = "STRATEGY", hide_possible_values = true, value_parser = options::one_of::<Strategy>())]
    pub strategy: Option<Strategy>,

    /// Set the column to branch on next: the first without a queen, the one with the fewest or most
    /// free rows, the one with the lowest first or highest last free row, or a random one [default
    /// without --strategy: first]
    ///
    /// `smallest-lowest-min` breaks ties in `smallest` by the lowest first free row, and
    /// `smallest-lowest-max` by the lowest last free row. Rows are numbered from the top
    #[arg(long, value_name = "WHICH", value_parser = options::one_of::<Variable>(), help_heading = "Advanced", hide_short_help = true)]
    pub variable: Option<Variable>,

    /// Set the free row to try first in that column; rows are numbered from the top [default
    /// without --strategy: min]
    ///
    /// `middle` is the row nearest to the midpoint between the first and last free row, and
    /// `median` is the median of the free rows. `split` branches on the upper and lower halves of
    /// the free rows instead of on a single row
    #[arg(long, value_name = "WHICH", value_parser = options::one_of::<Value>(), help_heading = "Advanced", hide_short_help = true)]
    pub value: Option<Value>,

    /// Set the strength of propagation before each choice [default without --strategy: value]
    ///
    /// `none` only tests each square when it is tried. `value` removes attacked squares, and places
    /// a queen if a column has one free row left. `bounds` and `domain` add all-different
    /// constraints on rows and diagonals, with bounds consistency (Puget 1998) or domain
    /// consistency (Régin 1994)
    #[arg(long, value_name = "STRENGTH", value_parser = options::one_of::<Propagation>(), help_heading = "Advanced", hide_short_help = true)]
    pub propagation: Option<Propagation>,

    /// Set the seed of random choices; the same seed gives the same search on every machine
    /// [default: 0; with --random, a new seed]
    #[arg(long, value_name = "SEED", value_parser = options::whole::<u64>(0, Some(u64::MAX)), help_heading = "Advanced", hide_short_help = true)]
    pub seed: Option<u64>,
}

impl SearchOptions {
    /// Whether any option is set.
    #[must_use]
    pub fn are_chosen(&self) -> bool {
        *self != Self::default()
    }

    /// Returns the strategy of a search for one solution or for `several`. The options override a
    /// preset: by default, first-unbound if any option is set. Otherwise, it is first-fail for one
    /// solution and backtrack for several.
    ///
    /// ```
    /// use queens::solve::{Strategy, Value};
    /// use queens_cli::solve::SearchOptions;
    ///
    /// let last_row_first = SearchOptions { value: Some(Value::Max), ..SearchOptions::default() };
    /// let strategy = last_row_first.resolve(true)?.to_string();
    /// assert_eq!(strategy, "variable first, value max, propagation value");
    /// assert_eq!(SearchOptions::default().resolve(false)?, Strategy::FIRST_FAIL);
    /// # Ok::<(), queens_cli::solve::OptionError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if a seed is set but no choice is random, or if the strategy is `naive` and
    /// a propagation is set.
    pub fn resolve(&self, several: bool) -> Result<Strategy, OptionError> {
        let default = match several {
            _ if self.are_chosen() => Strategy::FIRST_UNBOUND,
            true => Strategy::BACKTRACK,
            false => Strategy::FIRST_FAIL,
        };
        let preset = self.strategy.unwrap_or(default);
        let propagation = match (preset, self.propagation) {
            (_, None) | (Strategy::NAIVE, Some(Propagation::None { .. })) => preset.propagation,
            (Strategy::NAIVE, _) => return Err(OptionError::Naive),
            (_, Some(propagation)) => propagation,
        };
        let strategy = Strategy {
            variable: self.variable.unwrap_or(preset.variable),
            value: self.value.unwrap_or(preset.value),
            propagation,
            seed: self.seed.unwrap_or(preset.seed),
        };
        match self.seed {
            Some(seed) if !strategy.is_random() => Err(OptionError::Seed(seed)),
            _ => Ok(strategy),
        }
    }
}

/// Error about a search option.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OptionError {
    /// The search cannot be created.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// A seed is set, but no choice is random.
    #[error(
        "'{0}': nothing is random (accepted with --random, --variable random or --value random)"
    )]
    Seed(u64),
    /// The naive strategy has no propagation.
    #[error("'naive' does not propagate (accepted: any other strategy, or propagation none)")]
    Naive,
}

impl OptionError {
    /// Returns the invalid option, or `None` if the board is too large.
    #[must_use]
    pub fn option(&self) -> Option<&'static str> {
        Some(match self {
            Self::Search(SearchError::Variable(_)) => "--variable",
            Self::Search(SearchError::Split) => "--value",
            Self::Search(SearchError::Bounds) => "--propagation",
            Self::Search(_) => return None,
            Self::Seed(_) => "--seed",
            Self::Naive => "--strategy",
        })
    }
}
