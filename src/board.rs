//! The board that is counted: its size and the squares that are closed.
//!
//! Columns run from left to right and rows from top to bottom, both from 0. A set of rows is a `u32` mask in which bit
//! `r` stands for row `r`, which is why boards that are counted end at [`MAX_N`] rows.

use thiserror::Error;

/// The largest board that can be counted: one bit of a 32-bit mask for each row.
pub const MAX_N: u32 = 32;

/// Why a [`Board`] could not be made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BoardError {
    /// N is above [`MAX_N`].
    #[error("a board of N = {n} is too large to count (accepted: 0 to {MAX_N})")]
    TooLarge {
        /// The size asked for.
        n: u32,
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
}

/// An N by N board, some of whose squares may be closed to queens.
///
/// ```
/// use queens::Board;
///
/// let mut board = Board::new(4)?;
/// assert!(board.is_open());
/// board.block(1, 3)?; // one of the two solutions has a queen there
/// assert_eq!(queens::Counter::on(board).run()?.total(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Board {
    n: u32,
    blocked: [u32; MAX_N as usize],
}

impl Board {
    /// A board of N by N open squares.
    ///
    /// # Errors
    ///
    /// [`BoardError::TooLarge`] if N is above [`MAX_N`].
    pub fn new(n: u32) -> Result<Self, BoardError> {
        if n > MAX_N {
            return Err(BoardError::TooLarge { n });
        }
        Ok(Self {
            n,
            blocked: [0; MAX_N as usize],
        })
    }

    /// Board size N.
    #[must_use]
    pub fn n(&self) -> u32 {
        self.n
    }

    /// The set of all rows.
    #[must_use]
    pub fn rows(&self) -> u32 {
        rows_below(self.n)
    }

    /// Closes one square; closing it twice is the same as once.
    ///
    /// # Errors
    ///
    /// [`BoardError::OffBoard`] if there is no such square.
    pub fn block(&mut self, column: u32, row: u32) -> Result<(), BoardError> {
        let n = self.n;
        if column >= n || row >= n {
            return Err(BoardError::OffBoard { n, column, row });
        }
        self.blocked[column as usize] |= 1 << row;
        Ok(())
    }

    /// The closed rows of each column; columns from N on are all zero.
    #[must_use]
    pub fn blocked(&self) -> &[u32; MAX_N as usize] {
        &self.blocked
    }

    /// Whether no square is closed.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.blocked.iter().all(|&rows| rows == 0)
    }

    /// Whether the board stays the same when its rows are reversed, top for bottom.
    #[must_use]
    pub fn is_mirror_symmetric(&self) -> bool {
        self.blocked[..self.n as usize]
            .iter()
            .all(|&rows| rows == reverse_rows(rows, self.n))
    }
}

/// The set of the rows 0 to n - 1.
#[inline]
pub(crate) fn rows_below(n: u32) -> u32 {
    debug_assert!(n <= MAX_N);
    ((1_u64 << n) - 1) as u32
}

/// A set of rows of an N by N board turned top for bottom.
fn reverse_rows(rows: u32, n: u32) -> u32 {
    if n == 0 {
        0
    } else {
        rows.reverse_bits() >> (MAX_N - n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_end_at_the_mask() {
        assert_eq!(Board::new(0).unwrap().rows(), 0);
        assert_eq!(Board::new(5).unwrap().rows(), 0b1_1111);
        assert_eq!(Board::new(32).unwrap().rows(), u32::MAX);
        assert_eq!(Board::new(33), Err(BoardError::TooLarge { n: 33 }));
    }

    #[test]
    fn mirror_symmetry_follows_the_blocked_squares() {
        let mut board = Board::new(5).unwrap();
        assert!(board.is_mirror_symmetric());
        board.block(1, 2).unwrap(); // the middle row is its own mirror image
        assert!(board.is_mirror_symmetric());
        board.block(3, 0).unwrap();
        assert!(!board.is_mirror_symmetric());
        board.block(3, 4).unwrap();
        assert!(board.is_mirror_symmetric());
        assert!(!board.is_open());
    }

    #[test]
    fn squares_off_the_board_are_refused() {
        let mut board = Board::new(4).unwrap();
        let off = |column, row| BoardError::OffBoard { n: 4, column, row };
        assert_eq!(board.block(4, 0), Err(off(4, 0)));
        assert_eq!(board.block(0, 4), Err(off(0, 4)));
        assert!(board.is_open());
    }
}
