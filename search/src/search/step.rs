//! Steps of a search, and the causes of failures and removals.

use queens::board::{Placement, Square};
use queens::named_enum;

/// One of the two branches of a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Branch {
    /// Square of the choice.
    pub square: Square,
    /// Whether the branch places a queen on the square. True for the first branch.
    pub queen: bool,
}

impl Branch {
    /// Returns the name of the branch on a board of size `n`: `c5` or `not c5`.
    #[must_use]
    pub fn name(self, n: u32) -> String {
        let square = self.square.name(n);
        if self.queen { square } else { format!("not {square}") }
    }
}

/// One step of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Reached a choice.
    Choice,
    /// Reached a failure.
    Failure(FailureCause),
    /// Reached a solution.
    Solution(Placement),
    /// Left a choice after exploring both of its branches.
    Up,
    /// Reached a limit, which ended the search.
    Limit(Limit),
    /// Explored the whole tree.
    End,
}

/// Limit that ended or paused a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// Maximum number of branches.
    Branches,
    /// Maximum time.
    Time,
    /// The search was cancelled.
    Cancelled,
}

impl From<FailureCause> for Step {
    fn from(failure: FailureCause) -> Self {
        Self::Failure(failure)
    }
}

impl From<Limit> for Step {
    fn from(limit: Limit) -> Self {
        Self::Limit(limit)
    }
}

named_enum! {
    /// Kind of line. For each kind, an all-different constraint allows at most one queen per line.
    #[derive(Hash)]
    pub enum Direction {
        /// Rows.
        Rows = "rows",
        /// Diagonals that rise from left to right.
        Rising = "rising diagonals",
        /// Diagonals that fall from left to right.
        Falling = "falling diagonals",
    }
}

/// Reason why a node has no solution. The message names columns as in chess: `column e has no free
/// square`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum FailureCause {
    /// A column has no free row left.
    #[error("column {} has no free square", Square::new(*column, 0).column_name())]
    NoRow {
        /// Zero-based column from the left.
        column: u32,
    },
    /// There are fewer lines of this kind left than the columns need.
    #[error("too few {0} are left for the columns")]
    TooFew(Direction),
}

/// Reason why a square was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The branch excludes the square.
    Branch,
    /// This queen attacks the square.
    Queen(Square),
    /// The square was about to be tried, but a test found an attack.
    Tested,
    /// A queen on the square would leave too few of these lines for the other columns.
    AllDifferent(Direction),
}

impl Cause {
    /// Returns the name of the cause on a board of size `n`.
    #[must_use]
    pub fn name(self, n: u32) -> String {
        match self {
            Self::Branch => "branch".to_owned(),
            Self::Queen(queen) => format!("queen {}", queen.name(n)),
            Self::Tested => "tested".to_owned(),
            Self::AllDifferent(lines) => format!("all-different {lines}"),
        }
    }
}

/// A removed square and the reason for its removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Removal {
    /// Removed square.
    pub square: Square,
    /// Reason for the removal.
    pub cause: Cause,
}
