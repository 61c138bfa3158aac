//! Strategies and limits of a search.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::step::Limit;
use queens::CancelToken;
use queens::board::BoardError;
use queens::machine::Instant;
use queens::named_enum;
use queens::names::{NameError, Named};

named_enum! {
    /// Choice of the column to branch on next, among the columns without a queen. Ties go to the
    /// leftmost column.
    #[non_exhaustive]
    pub enum Variable {
        /// Leftmost column.
        First = "first",
        /// Column with the fewest free rows: first fail (Haralick and Elliott 1980).
        Smallest = "smallest",
        /// Column with the fewest free rows; ties go to the column whose first free row is nearest
        /// to the top.
        SmallestLowestMin = "smallest-lowest-min",
        /// Column with the fewest free rows; ties go to the column whose last free row is nearest
        /// to the top.
        SmallestLowestMax = "smallest-lowest-max",
    }
}

named_enum! {
    /// Choice of the row to try first, among the free rows of the chosen column.
    #[non_exhaustive]
    pub enum Value {
        /// Topmost row.
        Min = "min",
        /// Free row nearest to the midpoint between the first and the last free row; ties go to the
        /// upper row.
        Middle = "middle",
        /// Median of the free rows; the upper one if there are two.
        Median = "median",
        /// Bottommost row.
        Max = "max",
    }
}

/// Strength of the propagation at each node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Propagation {
    /// No propagation: a square is tested for attacks just before it is tried.
    None {
        /// Whether a loop over the earlier queens tests each square, rather than three tables of
        /// occupied rows and diagonals.
        by_loop: bool,
    },
    /// Value elimination, which is the same as forward checking here: a queen removes the squares
    /// it attacks from all other columns, and a column with only one free row gets its queen
    /// immediately.
    Value,
    /// Value elimination, and bounds consistency of the three all-different constraints on rows,
    /// rising diagonals and falling diagonals (J.-F. Puget 1998), to a fixpoint.
    Bounds,
}

impl Named for Propagation {
    const NAMES: &'static [&'static str] = &["none", "value", "bounds"];
}

impl fmt::Display for Propagation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None { .. } => "none",
            Self::Value => "value",
            Self::Bounds => "bounds",
        })
    }
}

impl FromStr for Propagation {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        match text {
            "none" => Ok(Self::None { by_loop: false }),
            "value" => Ok(Self::Value),
            "bounds" => Ok(Self::Bounds),
            _ => Err(NameError(text.to_owned())),
        }
    }
}

/// Choices that a search makes, either a named preset or any other combination.
///
/// ```
/// use queens_search::{Limits, Propagation, Search, Strategy};
///
/// let strategy = Strategy { propagation: Propagation::Bounds, ..Strategy::FIRST_UNBOUND };
/// let mut search = Search::new(&queens::Board::new(8)?, strategy, Limits::default())?;
/// assert_eq!(search.by_ref().count(), 92);
/// assert_eq!(search.statistics().failures, 304); // same as OR-Tools' original constraint solver
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strategy {
    /// Choice of the next column.
    pub variable: Variable,
    /// Choice of the row to try first.
    pub value: Value,
    /// Propagation at each node.
    pub propagation: Propagation,
}

/// Error from creating a search.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The board is too large.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// The choice of the column needs propagation.
    #[error(
        "'{0}' needs propagation, because without it all columns have the same free rows (accepted: first)"
    )]
    Variable(Variable),
}

impl Strategy {
    /// The first program in most textbooks: columns from left to right, rows from the top. A loop
    /// over the earlier queens tests each square.
    pub const NAIVE: Self = Self {
        variable: Variable::First,
        value: Value::Min,
        propagation: Propagation::None { by_loop: true },
    };
    /// The second program in most textbooks: the same search with three look-up tables.
    pub const BACKTRACK: Self =
        Self { propagation: Propagation::None { by_loop: false }, ..Self::NAIVE };
    /// Picks the column with the fewest free rows and tries its middle row first, with value
    /// elimination, as in the n-queens script of Oz. Most large boards are solved with hardly any
    /// failures. The search thrashes on a few sizes, starting with N = 48.
    pub const FIRST_FAIL: Self =
        Self { variable: Variable::Smallest, value: Value::Middle, ..Self::FIRST_UNBOUND };
    /// Leftmost column and its topmost free row, with value elimination. This is the default. With
    /// [`Propagation::Bounds`], it has as many failures as the example in OR-Tools' guide to its
    /// original constraint solver.
    pub const FIRST_UNBOUND: Self = Self { propagation: Propagation::Value, ..Self::NAIVE };

    /// Presets, in the order of their names.
    pub(crate) const PRESETS: [Self; 4] =
        [Self::NAIVE, Self::BACKTRACK, Self::FIRST_FAIL, Self::FIRST_UNBOUND];

    /// Returns the name of the preset with these choices, if there is one.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        let index = Self::PRESETS.iter().position(|preset| *preset == self)?;
        Some(Self::NAMES[index])
    }

    /// Returns the name, if there is one, and the choices.
    #[must_use]
    pub fn described(self) -> String {
        let name = self.name().map_or_else(String::new, |name| format!("{name}: "));
        format!("{name}{self}")
    }

    /// Whether solutions are found in lexicographic order.
    #[must_use]
    pub fn is_lexicographic(self) -> bool {
        self.variable == Variable::First && self.value == Value::Min
    }

    /// Rejects choices that conflict with each other.
    pub(super) fn check(self) -> Result<(), SearchError> {
        match self.propagation {
            Propagation::None { .. } if self.variable != Variable::First => {
                Err(SearchError::Variable(self.variable))
            }
            _ => Ok(()),
        }
    }
}

impl Default for Strategy {
    /// Returns [`Strategy::FIRST_UNBOUND`].
    fn default() -> Self {
        Self::FIRST_UNBOUND
    }
}

impl Named for Strategy {
    const NAMES: &'static [&'static str] = &["naive", "backtrack", "first-fail", "first-unbound"];
}

/// Error from parsing a [`Strategy`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{name}' is not a {kind} (accepted: {accepted})")]
pub struct UnknownStrategy {
    name: String,
    kind: &'static str,
    accepted: String,
}

/// Parses the name of a preset, or the three choices in the order of the fields, also as they are
/// displayed.
///
/// ```
/// use queens_search::Strategy;
///
/// assert_eq!("smallest,middle,value".parse(), Ok(Strategy::FIRST_FAIL));
/// let error = "smallest,least,value".parse::<Strategy>().unwrap_err();
/// assert_eq!(error.to_string(), "'least' is not a value (accepted: min, middle, median, max)");
/// ```
impl FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(text: &str) -> Result<Self, UnknownStrategy> {
        if let Some(index) = Self::NAMES.iter().position(|name| *name == text) {
            return Ok(Self::PRESETS[index]);
        }
        let unknown = || UnknownStrategy {
            name: text.to_owned(),
            kind: "strategy",
            accepted: Self::NAMES.join(", ")
                + ", or VARIABLE,VALUE,PROPAGATION such as smallest,middle,bounds",
        };
        let (choices, by_loop) = match text.strip_suffix(BY_LOOP) {
            Some(choices) => (choices, true),
            None => (text, false),
        };
        let parts: Vec<_> = choices.split(',').map(str::trim).collect();
        let [variable, value, propagation] = parts[..] else {
            return Err(unknown());
        };
        Ok(Self {
            variable: choice("variable", variable)?,
            value: choice("value", value)?,
            propagation: match choice("propagation", propagation)? {
                Propagation::None { .. } => Propagation::None { by_loop },
                _ if by_loop => return Err(unknown()),
                propagation => propagation,
            },
        })
    }
}

/// End of the description of a strategy with [`by_loop`](Propagation::None::by_loop).
const BY_LOOP: &str = ", each square tested by a loop";

/// Parses one of the choices, which may follow the name of its field.
fn choice<T: Named>(kind: &'static str, text: &str) -> Result<T, UnknownStrategy> {
    let named = text.strip_prefix(kind).and_then(|name| name.strip_prefix(' '));
    let name = named.unwrap_or(text);
    let unknown =
        |_| UnknownStrategy { name: name.to_owned(), kind, accepted: T::NAMES.join(", ") };
    name.parse().map_err(unknown)
}

/// Lists the choices, as in `variable first, value min, propagation bounds`.
impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { variable, value, propagation } = self;
        write!(f, "variable {variable}, value {value}, propagation {propagation}")?;
        match propagation {
            Propagation::None { by_loop: true } => f.write_str(BY_LOOP),
            _ => Ok(()),
        }
    }
}

/// Limits of a search.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Maximum number of branches.
    pub branches: Option<u64>,
    /// Maximum time since the search was created.
    pub time: Option<Duration>,
    /// Token that cancels the search.
    pub cancel: CancelToken,
}

/// Limits of a running search. The clock and the token are checked only at intervals.
#[derive(Debug)]
pub(super) struct ActiveLimits {
    limits: Limits,
    started: Instant,
    /// Number of calls between two checks.
    interval: u32,
    /// Number of calls until the next check.
    countdown: u32,
}

impl ActiveLimits {
    /// Starts the clock of a search on a board of size `n`. A step takes longer on larger boards,
    /// so the limits are then checked more often, and on each call above N = 2,048.
    pub(super) fn new(limits: Limits, n: u32) -> Self {
        Self { limits, started: Instant::now(), interval: 2_048 / n.max(1), countdown: 0 }
    }

    /// Checks all limits before the next branch, given the number of branches so far. Returns the
    /// limit that was reached as an error.
    #[inline]
    pub(super) fn check_branch(&mut self, branches: u64) -> Result<(), Limit> {
        if self.limits.branches.is_some_and(|max| branches >= max) {
            return Err(Limit::Branches);
        }
        self.check_interrupt()
    }

    /// Checks the time and the token at intervals. Returns the limit that was reached as an error.
    #[inline]
    pub(super) fn check_interrupt(&mut self) -> Result<(), Limit> {
        if self.countdown > 0 {
            self.countdown -= 1;
            return Ok(());
        }
        self.countdown = self.interval;
        if self.limits.cancel.is_cancelled() {
            Err(Limit::Cancelled)
        } else if self.limits.time.is_some_and(|max| self.started.elapsed() >= max) {
            Err(Limit::Time)
        } else {
            Ok(())
        }
    }
}
