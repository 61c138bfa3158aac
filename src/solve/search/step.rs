//! What a search says of itself: its steps, and why squares were removed.

use strum::Display;

use crate::board::{Placement, Square};

/// A branch: one side of a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Branch {
    /// Square of the choice.
    pub square: Square,
    /// Whether the column's queen is on this square or, of a split, there or above. In the second branch it is not.
    pub queen: bool,
    /// Whether the choice splits the free rows of its column, as [`Value::Split`](super::Value::Split) does.
    pub split: bool,
}

impl Branch {
    /// Returns the branch in words, on a board of size `n`: `c5` or `not c5`; of a split `c5 or above` or `below c5`.
    #[must_use]
    pub fn name(self, n: u32) -> String {
        let square = self.square.name(n);
        match (self.split, self.queen) {
            (false, true) => square,
            (false, false) => format!("not {square}"),
            (true, true) => format!("{square} or above"),
            (true, false) => format!("below {square}"),
        }
    }

    /// Whether the branch places a queen on its square.
    #[must_use]
    pub fn places_queen(self) -> bool {
        self.queen && !self.split
    }
}

/// One step of a walk through the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The root or, along a branch, another node was reached. It is a choice.
    Choice(Option<Branch>),
    /// The same, and it is a failure.
    Failure(Option<Branch>, Failure),
    /// The same, and it is a solution.
    Solution(Option<Branch>, Placement),
    /// Both branches of a choice have been walked, and it is left.
    Up,
    /// A limit was reached; the walk goes no further.
    Limit(Limit),
    /// The whole tree has been walked.
    End,
}

/// Why a search gave up before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// As many branches as allowed.
    Branches,
    /// As much time as allowed.
    Time,
    /// It was cancelled.
    Cancelled,
}

/// What ends the work on a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    Failure(Failure),
    Limit(Limit),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Self {
        Self::Limit(limit)
    }
}

/// The lines of the board of which each can hold one queen: those of one all-different constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display)]
pub enum Lines {
    /// Rows.
    #[strum(serialize = "rows")]
    Rows,
    /// Diagonals that rise from left to right.
    #[strum(serialize = "rising diagonals")]
    Rising,
    /// Diagonals that fall from left to right.
    #[strum(serialize = "falling diagonals")]
    Falling,
}

impl Lines {
    pub(super) const ALL: [Self; 3] = [Self::Rows, Self::Rising, Self::Falling];
}

/// Why a node has no solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Failure {
    /// A column has no free row left.
    NoRow {
        /// The column, from 0 at the left.
        column: u32,
    },
    /// There are more columns than lines of this kind that they could use.
    TooFew(Lines),
}

/// In words, columns named as in chess: `column e has no free square`.
impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoRow { column } => {
                let column = Square::new(*column, 0).column_name();
                write!(f, "column {column} has no free square")
            }
            Self::TooFew(lines) => write!(f, "too few {lines} are left for the columns"),
        }
    }
}

/// Why a square was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The search chose to place no queen there.
    Branch,
    /// This queen attacks it.
    Queen(Square),
    /// It was about to be tried, and some queen attacks it.
    Tested,
    /// The all-different constraint on these lines: no queen there leaves enough of them for the other columns.
    AllDifferent(Lines),
}

impl Cause {
    /// The cause in words, on a board of size `n`.
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

/// A square that was removed, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Removal {
    /// The square.
    pub square: Square,
    /// Why.
    pub cause: Cause,
}
