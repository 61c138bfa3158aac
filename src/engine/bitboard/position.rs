//! A board and a partial placement as the kernels see them: masks over the rows, bit r for row r.

use crate::board::{Board, MAX_N, rows_below};

/// A board: the rows of each column that no queen may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Squares {
    pub(super) n: u32,
    /// Whether diagonals wrap around.
    pub(super) torus: bool,
    /// Rows from N on are always blocked, so that a free row is just a clear bit.
    pub(super) blocked: [u32; MAX_N as usize],
}

impl Squares {
    /// The squares of a board.
    pub(super) fn of(board: &Board) -> Self {
        Self {
            n: board.n(),
            torus: board.is_torus(),
            blocked: board.blocked().map(|rows| rows | !board.rows()),
        }
    }

    /// All rows of the board.
    pub(super) fn rows(&self) -> u32 {
        rows_below(self.n)
    }

    /// The same board upside down.
    pub(super) fn upside_down(mut self) -> Self {
        for blocked in &mut self.blocked[..self.n as usize] {
            *blocked = upside_down(*blocked, self.n) | !rows_below(self.n);
        }
        self
    }

    /// Blocks a square of the board.
    pub(super) fn block(&mut self, column: u32, row: u32) {
        debug_assert!(column < self.n && row < self.n);
        self.blocked[column as usize] |= 1 << row;
    }

    /// Puts a queen on a square of an ordinary board by blocking all that it attacks, so that its column has no other
    /// to offer.
    pub(super) fn force(&mut self, column: u32, row: u32) {
        debug_assert!(column < self.n && row < self.n && !self.torus);
        for (other, blocked) in (0..self.n).zip(&mut self.blocked) {
            let distance = other.abs_diff(column);
            *blocked |= if distance == 0 {
                !(1 << row)
            } else {
                let diagonals = (1_u64 << row << distance) | (1_u64 << row >> distance);
                1 << row | diagonals as u32
            };
        }
    }
}

/// Queens in the first columns, one in each, seen from the column to fill next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Position {
    /// Number of columns filled, which is the index of the next one.
    pub(super) column: u32,
    /// Rows that hold a queen.
    pub(super) rows: u32,
    /// Rows attacked in the next column along diagonals whose row number grows with the column.
    pub(super) falling: u32,
    /// Rows attacked in the next column along diagonals whose row number shrinks as the column grows.
    pub(super) rising: u32,
}

impl Position {
    /// No queen placed.
    pub(super) const EMPTY: Self = Self {
        column: 0,
        rows: 0,
        falling: 0,
        rising: 0,
    };

    /// The rows of the next column that are neither attacked nor blocked. There must be a next column.
    pub(super) fn free(&self, squares: &Squares) -> u32 {
        !(self.rows | self.falling | self.rising | squares.blocked[self.column as usize])
    }

    /// The position with queens in these rows of the next columns, if all of them are free.
    pub(super) fn place_all(self, squares: &Squares, rows: &[u8]) -> Option<Self> {
        rows.iter().try_fold(self, |position, &row| {
            let queen = 1 << row;
            (position.free(squares) & queen != 0).then(|| position.with_queen(squares, queen))
        })
    }

    /// All positions with one more queen in the next column, from row 0 on.
    pub(super) fn children(self, squares: &Squares) -> impl Iterator<Item = Self> {
        let mut free = self.free(squares);
        std::iter::from_fn(move || {
            let queen = free & free.wrapping_neg();
            free ^= queen;
            (queen != 0).then(|| self.with_queen(squares, queen))
        })
    }

    /// The same position on a board of size `n` upside down.
    pub(super) fn upside_down(self, n: u32) -> Self {
        Self {
            column: self.column,
            rows: upside_down(self.rows, n),
            falling: upside_down(self.rising, n),
            rising: upside_down(self.falling, n),
        }
    }

    /// The position one column on, with a queen in the column passed, or without one if it is no row.
    pub(super) fn with_queen(&self, squares: &Squares, queen: u32) -> Self {
        let (falling, rising) = (self.falling | queen, self.rising | queen);
        let (falling, rising) = if squares.torus {
            wrap(falling, rising, squares.n)
        } else {
            (falling << 1, rising >> 1)
        };
        Self {
            column: self.column + 1,
            rows: self.rows | queen,
            falling,
            rising,
        }
    }
}

/// The diagonals of a torus of size `n`, one column on: rotated where those of an ordinary board are shifted. Of
/// `falling`, bits from `n` on mean nothing.
#[inline]
pub(super) fn wrap(falling: u32, rising: u32, n: u32) -> (u32, u32) {
    let last = n - 1;
    (
        falling << 1 | falling >> last & 1,
        rising >> 1 | (rising & 1) << last,
    )
}

/// Rows of a board of size `n`, numbered from the other end; rows outside of it are dropped.
fn upside_down(rows: u32, n: u32) -> u32 {
    // No shift of a board without rows.
    rows.reverse_bits().checked_shr(32 - n).unwrap_or(0)
}
