//! What a search can be told: which column next, which row first, how much is propagated, and when to give up; and the
//! strategies by name.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use strum::{Display, EnumString, VariantArray, VariantNames};

use super::step::Limit;
use crate::board::{Board, BoardError};
use crate::engine::CancelToken;

/// Column to branch on next, among those without a queen. The leftmost one wins ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, EnumString, VariantArray, VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
pub enum Variable {
    /// The leftmost.
    First,
    /// The one with the fewest free rows: first fail (Haralick and Elliott 1980).
    Smallest,
    /// The one with the fewest free rows and, among those, the one whose first free row is nearest to the top.
    SmallestLowestMin,
    /// The one with the most free rows.
    Largest,
    /// The one whose first free row is nearest to the top.
    LowestMin,
    /// The one whose last free row is nearest to the bottom.
    HighestMax,
    /// Any, each as likely as the others.
    Random,
}

/// Free row of that column to try first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, EnumString, VariantArray, VariantNames)]
#[strum(serialize_all = "lowercase")]
#[non_exhaustive]
pub enum Value {
    /// The lowest number: the one nearest to the top.
    Min,
    /// The one nearest to the middle between the first and the last, the upper one of two.
    Middle,
    /// The median of the free rows, the upper one of two. Rows that are no longer free move it, but not the middle.
    Median,
    /// The highest number: the one nearest to the bottom.
    Max,
    /// None alone: one branch keeps the free rows down to the middle between the first and the last, the other the
    /// rest.
    Split,
    /// Any, each as likely as the others.
    Random,
}

/// What is concluded at a node before the search branches on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, EnumString, VariantArray, VariantNames)]
#[strum(serialize_all = "lowercase")]
#[non_exhaustive]
pub enum Propagation {
    /// Nothing: a square is tested for an attack when it is about to be tried.
    None,
    /// Value elimination, which is forward checking here: a queen takes the squares that it attacks from all open
    /// columns, and a column that is left with one row gets its queen at once.
    Value,
    /// The same, and bounds consistency of the three all-different constraints, on rows, rising and falling diagonals
    /// (J.-F. Puget 1998), to a fixpoint.
    Bounds,
    /// The same, and domain consistency of these constraints (J.-C. Régin 1994), to a fixpoint.
    Domain,
}

/// How to search.
///
/// ```
/// use queens::solve::{Limits, Propagation, Search, Settings, Strategy};
///
/// let settings = Settings { propagation: Propagation::Bounds, ..Strategy::FirstUnbound.into() };
/// let mut search = Search::new(&queens::Board::new(8)?, settings, Limits::default())?;
/// assert_eq!(search.by_ref().count(), 92);
/// assert_eq!(search.statistics().failures, 304); // as OR-Tools' original constraint solver
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Which column next.
    pub variable: Variable,
    /// Which of its rows first.
    pub value: Value,
    /// What is concluded before.
    pub propagation: Propagation,
    /// Where nothing is propagated, whether a square is tested by three tables that say which rows and which diagonals
    /// hold a queen; else by a loop over the earlier queens.
    pub tables: bool,
    /// Where random choices begin: the same seed gives the same search on every machine.
    pub seed: u64,
}

/// A search that cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// The board is too large.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// A setting that does not go with the others: which, its value and what is accepted.
    #[error("{0}: {1}")]
    Setting(&'static str, String),
}

/// A search by name: a preset of [`Settings`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, EnumString, VariantArray, VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
pub enum Strategy {
    /// Columns from left to right, rows from the top, each square tested by a loop over the earlier queens: the
    /// textbook's first program.
    Naive,
    /// The same search with three look-up tables: the textbook's second program.
    Backtrack,
    /// The column with the fewest free rows and its middle row, after value elimination: as the n-queens script of Oz,
    /// whose finite domains Alice ML took over, does. Most large boards take hardly a failure; in some it loses its
    /// way, N = 48 being the first.
    FirstFail,
    /// The leftmost open column and its lowest row, after value elimination. With [`Propagation::Bounds`] instead it is
    /// the search of OR-Tools' original constraint solver in its guide, failure by failure.
    FirstUnbound,
}

impl From<Strategy> for Settings {
    fn from(strategy: Strategy) -> Self {
        let (variable, value, propagation) = match strategy {
            Strategy::Naive | Strategy::Backtrack => {
                (Variable::First, Value::Min, Propagation::None)
            }
            Strategy::FirstFail => (Variable::Smallest, Value::Middle, Propagation::Value),
            Strategy::FirstUnbound => (Variable::First, Value::Min, Propagation::Value),
        };
        Self {
            variable,
            value,
            propagation,
            tables: strategy != Strategy::Naive,
            seed: 0,
        }
    }
}

impl Settings {
    /// The strategy whose preset this is, if there is one.
    #[must_use]
    pub fn strategy(self) -> Option<Strategy> {
        let preset = Self { seed: 0, ..self };
        let mut strategies = <Strategy as VariantArray>::VARIANTS.iter().copied();
        strategies.find(|&strategy| Self::from(strategy) == preset)
    }

    /// Whether any choice is random.
    #[must_use]
    pub fn is_random(self) -> bool {
        self.variable == Variable::Random || self.value == Value::Random
    }

    /// Whether solutions are met in lexicographic order.
    #[must_use]
    pub fn is_lexicographic(self) -> bool {
        self.variable == Variable::First && matches!(self.value, Value::Min | Value::Split)
    }

    /// Refuses what does not go together.
    pub(super) fn check(self, board: &Board) -> Result<(), SearchError> {
        let (name, reason) = match self.propagation {
            Propagation::None if !matches!(self.variable, Variable::First | Variable::Random) => (
                "variable",
                format!(
                    "'{}': without propagation all columns have the same free rows (accepted: first, random; or propagation)",
                    self.variable
                ),
            ),
            Propagation::None if self.value == Value::Split => (
                "value",
                "'split': without propagation only one row can be tried at a time (accepted: with propagation)".to_owned(),
            ),
            Propagation::Bounds if board.is_torus() => (
                "propagation",
                "'bounds': the diagonals of a torus wrap around and have no bounds (accepted: none, value, domain)".to_owned(),
            ),
            Propagation::None => return Ok(()),
            _ if self.tables => return Ok(()),
            _ => (
                "strategy",
                "'naive': it loops over queens and propagates nothing (accepted: with propagation none)".to_owned(),
            ),
        };
        Err(SearchError::Setting(name, reason))
    }
}

/// The parts, and the seed where it matters: `variable first, value min, propagation bounds`.
impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            variable,
            value,
            propagation,
            ..
        } = self;
        write!(
            f,
            "variable {variable}, value {value}, propagation {propagation}"
        )?;
        if !self.tables {
            write!(f, ", each square tested by a loop")?;
        }
        if self.is_random() {
            write!(f, ", seed {}", self.seed)?;
        }
        Ok(())
    }
}

/// When to give up.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Branches taken.
    pub branches: Option<u64>,
    /// Time since the search was made.
    pub time: Option<Duration>,
    /// Cancels the search from elsewhere.
    pub cancel: CancelToken,
    /// Branches taken so far, for another thread to read.
    pub taken: Arc<AtomicU64>,
}

/// The clock and cancellation, looked at now and then.
#[derive(Debug)]
pub(super) struct Watch {
    pub(super) limits: Limits,
    started: Instant,
    /// Calls until the next look.
    patience: u32,
}

impl Watch {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            started: Instant::now(),
            patience: 0,
        }
    }

    /// Says that a step is about to be taken.
    ///
    /// # Errors
    ///
    /// That time is up or the search was cancelled.
    #[inline]
    pub(super) fn look(&mut self) -> Result<(), Limit> {
        // Steps between two looks, each of one branch or of one column in a propagation. On large boards a step takes
        // longer than a look.
        const STEPS_BETWEEN_LOOKS: u32 = 64;
        if self.patience > 0 {
            self.patience -= 1;
            return Ok(());
        }
        self.patience = STEPS_BETWEEN_LOOKS;
        if self.limits.cancel.is_cancelled() {
            return Err(Limit::Cancelled);
        }
        match self.limits.time {
            Some(most) if self.started.elapsed() >= most => Err(Limit::Time),
            _ => Ok(()),
        }
    }
}
