//! Errors of boards and squares.

use thiserror::Error;

/// Error from building or using a [`Board`](crate::Board).
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BoardError {
    /// The board is too large for an operation.
    #[error("a board of N = {n} is too large to {purpose} (accepted: 0 to {most})")]
    TooLarge {
        /// Requested size.
        n: u32,
        /// Largest accepted size.
        most: u32,
        /// The operation: a verb phrase that completes "too large to".
        purpose: &'static str,
    },
    /// Text that is not a square.
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
        /// The square, as given.
        square: String,
        /// Board size.
        n: u32,
        /// Range of accepted squares.
        accepted: String,
    },
    /// Two preplaced queens attack each other.
    #[error("the queens on {queen} and {other} attack each other")]
    Attacked {
        /// Square of the queen placed last.
        queen: String,
        /// Square of the other queen.
        other: String,
    },
    /// A square would be both blocked and occupied by a queen.
    #[error("square {square} cannot be both blocked and occupied by a queen")]
    Occupied {
        /// The square.
        square: String,
    },
}

impl BoardError {
    /// Returns [`TooLarge`](Self::TooLarge) if `n` exceeds `most`.
    pub(crate) fn check_size(n: u32, most: u32, purpose: &'static str) -> Result<(), Self> {
        if n <= most {
            Ok(())
        } else {
            Err(Self::TooLarge { n, most, purpose })
        }
    }
}
