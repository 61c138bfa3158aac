//! What can be wrong with a board.

use thiserror::Error;

/// Why a [`Board`](crate::Board) could not be made or used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BoardError {
    /// N is too large for something.
    #[error("a board of N = {n} is too large to {purpose} (accepted: 0 to {most})")]
    TooLarge {
        /// The size asked for.
        n: u32,
        /// The largest size that is accepted.
        most: u32,
        /// What cannot be done with a board of that size.
        purpose: &'static str,
    },
    /// A text does not name a square.
    #[error(
        "'{text}' is not a square (accepted: a letter and a number as in c5, or column,row from the top left as in 2,3)"
    )]
    Malformed {
        /// The text.
        text: String,
    },
    /// A square lies outside the board.
    #[error("square {square} is not on a board of N = {n} (accepted: {accepted})")]
    OffBoard {
        /// The square, as it was given.
        square: String,
        /// Board size.
        n: u32,
        /// The squares of the board.
        accepted: String,
    },
    /// Two preplaced queens attack each other.
    #[error("the queens on {queen} and {other} attack each other")]
    Attacked {
        /// The square of the later queen.
        queen: String,
        /// That of the earlier one.
        other: String,
    },
    /// A square cannot both hold a queen and be blocked.
    #[error("square {square} cannot both hold a queen and be blocked")]
    Occupied {
        /// The square.
        square: String,
    },
}

impl BoardError {
    /// Refuses a board of more than `most` rows, which is too large to do this with.
    pub(crate) fn check_size(n: u32, most: u32, purpose: &'static str) -> Result<(), Self> {
        if n <= most {
            Ok(())
        } else {
            Err(Self::TooLarge { n, most, purpose })
        }
    }
}
