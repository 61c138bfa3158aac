//! The board that is counted: its size, the squares that are closed, the queens that stand on it already.
//!
//! A queen that stands already closes all other squares of its column, its row and its diagonals. Nothing else has to
//! know of it: every column needs a queen, and its column has no other square left.
//!
//! Columns run from left to right and rows from top to bottom, both from 0. A set of rows is a `u32` mask in which bit
//! `r` stands for row `r`, which is why boards that are counted end at [`MAX_N`] rows.

pub mod placement;
mod square;

pub use placement::{Placement, PlacementError};
pub use square::*;

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
    /// N is above [`MAX_ENUMERATED`](crate::solve::MAX_ENUMERATED).
    #[error(
        "a board of N = {n} is too large to enumerate (accepted: 0 to {})",
        crate::solve::MAX_ENUMERATED
    )]
    TooLargeToEnumerate {
        /// The size asked for.
        n: u32,
    },
    /// N is above [`MAX_SEARCHED`](crate::solve::MAX_SEARCHED).
    #[error(
        "a board of N = {n} is too large to search (accepted: 0 to {})",
        crate::solve::MAX_SEARCHED
    )]
    TooLargeToSearch {
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
    /// Two queens cannot both stand.
    #[error("the queens on {} and {} attack each other", queen.name(*n), other.name(*n))]
    Attacked {
        /// Board size.
        n: u32,
        /// The later queen.
        queen: Square,
        /// The earlier one.
        other: Square,
    },
    /// A square cannot both hold a queen and be closed.
    #[error("square {} cannot both hold a queen and be closed", square.name(*n))]
    Occupied {
        /// Board size.
        n: u32,
        /// The square.
        square: Square,
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
/// assert_eq!(queens::Counter::on(board).run()?.total, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Board {
    n: u32,
    torus: bool,
    blocked: [u32; MAX_N as usize],
    queens: [u32; MAX_N as usize],
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
            torus: false,
            blocked: [0; MAX_N as usize],
            queens: [0; MAX_N as usize],
        })
    }

    /// A board of N by N open squares whose diagonals wrap around: the modular problem.
    ///
    /// ```
    /// use queens::{Board, Counter};
    /// assert_eq!(Counter::on(Board::torus(7)?).run()?.total, 28);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`BoardError::TooLarge`] if N is above [`MAX_N`].
    pub fn torus(n: u32) -> Result<Self, BoardError> {
        Ok(Self {
            torus: true,
            ..Self::new(n)?
        })
    }

    /// The board with queens on these squares, so that only the ways to complete them are counted.
    ///
    /// ```
    /// use queens::{Board, Counter, Square};
    /// let board = Board::new(8)?.with_queens([Square::new(0, 0)])?;
    /// assert_eq!(Counter::on(board).run()?.total, 4); // few solutions have a queen in a corner
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`BoardError`] if a square is off the board or closed, or two queens attack each other.
    pub fn with_queens(
        mut self,
        queens: impl IntoIterator<Item = Square>,
    ) -> Result<Self, BoardError> {
        for queen in queens {
            self.place(queen)?;
        }
        Ok(self)
    }

    /// Puts a queen on one square and closes all that it attacks; the same queen twice is the same as once.
    fn place(&mut self, queen: Square) -> Result<(), BoardError> {
        let Self { n, torus, .. } = *self;
        let Square { column, row } = queen;
        if column >= n || row >= n {
            return Err(BoardError::OffBoard { n, column, row });
        }
        if let Some(other) = self.queens().find(|other| other.attacks(queen, n, torus)) {
            return Err(BoardError::Attacked { n, queen, other });
        }
        if self.blocked[column as usize] & 1 << row != 0 {
            let square = queen;
            return Err(BoardError::Occupied { n, square });
        }
        self.queens[column as usize] |= 1 << row;
        for square in queen.attacked(n, torus) {
            self.blocked[square.column as usize] |= 1 << square.row;
        }
        Ok(())
    }

    /// The queens that stand already, from left to right.
    pub fn queens(&self) -> impl Iterator<Item = Square> {
        let columns = (0..).zip(self.queens).filter(|&(_, rows)| rows != 0);
        columns.map(|(column, rows)| Square::new(column, rows.trailing_zeros()))
    }

    /// Whether the diagonals wrap around.
    #[must_use]
    pub fn is_torus(&self) -> bool {
        self.torus
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
    /// [`BoardError::OffBoard`] if there is no such square, [`BoardError::Occupied`] if a queen stands on it.
    pub fn block(&mut self, column: u32, row: u32) -> Result<(), BoardError> {
        let n = self.n;
        if column >= n || row >= n {
            return Err(BoardError::OffBoard { n, column, row });
        }
        if self.queens[column as usize] & 1 << row != 0 {
            let square = Square::new(column, row);
            return Err(BoardError::Occupied { n, square });
        }
        self.blocked[column as usize] |= 1 << row;
        Ok(())
    }

    /// The closed rows of each column, those that queens attack among them; columns from N on are all zero.
    #[must_use]
    pub fn blocked(&self) -> &[u32; MAX_N as usize] {
        &self.blocked
    }

    /// Whether this is the ordinary problem: no square is closed, no queen stands already, no diagonal wraps around.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.torus && !self.has_marks()
    }

    /// Whether a square is closed or holds a queen.
    #[must_use]
    pub fn has_marks(&self) -> bool {
        // On a board of N = 1 a queen has nothing to close.
        let marked = |rows: &[u32]| rows.iter().any(|&rows| rows != 0);
        marked(&self.blocked) || marked(&self.queens)
    }

    /// What is special about the board, in words: that it is a torus, the queens that stand already, the other squares that
    /// are closed. `None` for the ordinary problem.
    ///
    /// ```
    /// use queens::{Board, Square};
    /// let mut board = Board::torus(8)?.with_queens([Square::parse("c5", 8)?])?;
    /// board.block(0, 0)?;
    /// assert_eq!(board.marks().as_deref(), Some("torus, queen c5, closed a8"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn marks(&self) -> Option<String> {
        let Self { n, torus, .. } = *self;
        let names = |squares: &[Square]| {
            let names: Vec<_> = squares.iter().map(|square| square.name(n)).collect();
            names.join(" ")
        };
        let queens: Vec<_> = self.queens().collect();
        let attacked = |square: Square| queens.iter().any(|q| q.attacks(square, n, torus));
        let all = (0..n).flat_map(|column| (0..n).map(move |row| Square::new(column, row)));
        let closed: Vec<_> = all
            .filter(|square| self.blocked[square.column as usize] >> square.row & 1 == 1)
            .filter(|&square| !attacked(square))
            .collect();
        let mut parts = Vec::new();
        if torus {
            parts.push("torus".to_owned());
        }
        if !queens.is_empty() {
            let plural = if queens.len() == 1 { "" } else { "s" };
            parts.push(format!("queen{plural} {}", names(&queens)));
        }
        if !closed.is_empty() {
            parts.push(format!("closed {}", names(&closed)));
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// Whether all eight symmetries of the square leave the closed squares where they are.
    #[must_use]
    pub fn has_all_symmetries(&self) -> bool {
        // Mirroring and reflection in a diagonal generate the other six.
        let closed = |column: u32, row: u32| self.blocked[column as usize] >> row & 1;
        let mut squares = (0..self.n).flat_map(|c| (0..c).map(move |r| (c, r)));
        self.is_mirror_symmetric() && squares.all(|(c, r)| closed(c, r) == closed(r, c))
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
    fn full_symmetry_needs_both_reflections() {
        let board = |squares: &[(u32, u32)]| {
            let mut board = Board::new(5).unwrap();
            for &(column, row) in squares {
                board.block(column, row).unwrap();
            }
            board
        };
        assert!(board(&[]).has_all_symmetries());
        assert!(board(&[(2, 2)]).has_all_symmetries());
        assert!(board(&[(0, 0), (0, 4), (4, 0), (4, 4)]).has_all_symmetries());
        assert!(!board(&[(0, 0), (4, 4)]).has_all_symmetries());
        assert!(!board(&[(0, 0), (0, 4)]).has_all_symmetries());
        assert!(!board(&[(2, 0), (2, 4)]).has_all_symmetries());
    }

    #[test]
    fn a_queen_closes_what_it_attacks_and_nothing_else() {
        let square = |name| Square::parse(name, 5).unwrap();
        for torus in [false, true] {
            let board = if torus {
                Board::torus(5)
            } else {
                Board::new(5)
            };
            let queen = square("b4");
            let board = board.unwrap().with_queens([queen, queen]).unwrap();
            assert_eq!(board.queens().collect::<Vec<_>>(), [queen]);
            assert!(board.has_marks() && !board.is_open());
            for column in 0..5 {
                for row in 0..5 {
                    let closed = board.blocked()[column as usize] >> row & 1 == 1;
                    let attacked = queen.attacks(Square::new(column, row), 5, torus);
                    assert_eq!(closed, attacked, "{column},{row} torus {torus}");
                }
            }
        }
        let one = Board::new(1).unwrap();
        assert!(!one.with_queens([Square::new(0, 0)]).unwrap().is_open());
    }

    #[test]
    fn conflicts_name_the_squares() {
        let square = |name| Square::parse(name, 8).unwrap();
        let board = Board::new(8).unwrap();
        let attacked = board.clone().with_queens([square("c5"), square("e3")]);
        let message = attacked.unwrap_err().to_string();
        assert!(
            message.contains("c5") && message.contains("e3"),
            "{message}"
        );
        let mut board = board.with_queens([square("c5")]).unwrap();
        let message = board.block(2, 3).unwrap_err().to_string();
        assert!(message.contains("c5"), "{message}");
        board.block(0, 0).unwrap();
        assert!(board.clone().with_queens([square("a8")]).is_err());
        assert!(board.with_queens([Square::new(8, 0)]).is_err());
        // g1 and c5 are on one diagonal; c5 and h8 share none unless diagonals wrap: 5 + 3 = 8.
        let queens = [square("c5"), square("h8")];
        assert!(Board::new(8).unwrap().with_queens(queens).is_ok());
        assert!(Board::torus(8).unwrap().with_queens(queens).is_err());
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
