//! What can be wrong with a board.

use thiserror::Error;

use super::square::Square;

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
    /// A square lies outside the board.
    #[error("the square in column {column}, row {row} is not on a board of N = {n}")]
    OffBoard {
        /// Board size.
        n: u32,
        /// Column of the square, from 0.
        column: u32,
        /// Row of the square, from 0.
        row: u32,
    },
    /// Two preplaced queens attack each other.
    #[error("the queens on {} and {} attack each other", queen.name(*n), other.name(*n))]
    Attacked {
        /// Board size.
        n: u32,
        /// The later queen.
        queen: Square,
        /// The earlier one.
        other: Square,
    },
    /// A square cannot both hold a queen and be blocked.
    #[error("square {} cannot both hold a queen and be blocked", square.name(*n))]
    Occupied {
        /// Board size.
        n: u32,
        /// The square.
        square: Square,
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
