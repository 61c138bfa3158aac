//! Error type for boards and squares.

use thiserror::Error;

/// Error from creating or using a [`Board`](crate::Board).
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BoardError {
    /// The board is too large for an operation.
    #[error("the {n} x {n} board is too large to {purpose} (accepted: N = 0 to {max_n})")]
    TooLarge {
        /// Requested size.
        n: u32,
        /// Largest accepted size.
        max_n: u32,
        /// The operation: a verb phrase that completes "too large to".
        purpose: &'static str,
    },
    /// The text does not name a square.
    #[error("'{text}' is not a square (accepted: a letter and a number such as c5)")]
    Malformed {
        /// The text.
        text: String,
    },
    /// A square is not on the board.
    #[error("square {square} is not on the {n} x {n} board (accepted: {accepted})")]
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
        /// Square of the queen to place.
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
    /// Checks a board size for a purpose, such as "be searched".
    ///
    /// # Errors
    ///
    /// Returns [`TooLarge`](Self::TooLarge) if `n` exceeds `most`.
    pub fn check_size(n: u32, max_n: u32, purpose: &'static str) -> Result<(), Self> {
        if n <= max_n { Ok(()) } else { Err(Self::TooLarge { n, max_n, purpose }) }
    }
}
