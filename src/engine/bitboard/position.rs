//! Boards and partial placements as the kernels see them.

use crate::board::{Board, MAX_N, rows_below};

/// A board as the kernels see it: the rows of each column that no queen may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Squares {
    n: u32,
    /// Rows from N on are always blocked, so that a free row is just a clear bit.
    pub(super) blocked: [u32; MAX_N as usize],
}

impl Squares {
    /// The squares of a board.
    #[must_use]
    pub fn of(board: &Board) -> Self {
        Self {
            n: board.n(),
            blocked: board.blocked().map(|rows| rows | !board.rows()),
        }
    }

    /// Board size N.
    #[must_use]
    pub fn n(&self) -> u32 {
        self.n
    }

    /// All rows of the board.
    #[must_use]
    pub fn rows(&self) -> u32 {
        rows_below(self.n)
    }

    /// The rows of a column that no queen may use, those outside of the board among them.
    #[must_use]
    pub fn blocked(&self, column: u32) -> u32 {
        self.blocked[column as usize]
    }

    /// Blocks a square of the board.
    pub(super) fn block(&mut self, column: u32, row: u32) {
        debug_assert!(column < self.n && row < self.n);
        self.blocked[column as usize] |= 1 << row;
    }

    /// Puts a queen on a square of the board by blocking all that it attacks, so that its column has no other to offer.
    pub(super) fn force(&mut self, column: u32, row: u32) {
        debug_assert!(column < self.n && row < self.n);
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

/// Queens in the first columns, one in each, seen from the column to fill next. Bit r of a mask is row r.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// Number of columns filled, which is the index of the next one.
    pub column: u32,
    /// Rows that hold a queen.
    pub rows: u32,
    /// Rows attacked in the next column along diagonals whose row number grows with the column.
    pub falling: u32,
    /// Rows attacked in the next column along diagonals whose row number shrinks as the column grows.
    pub rising: u32,
}

impl Position {
    /// No queen placed.
    pub const EMPTY: Self = Self {
        column: 0,
        rows: 0,
        falling: 0,
        rising: 0,
    };

    /// The rows of the next column that are neither attacked nor blocked. There must be a next column.
    #[must_use]
    #[inline(always)]
    pub fn free(&self, squares: &Squares) -> u32 {
        !(self.rows | self.falling | self.rising | squares.blocked(self.column))
    }

    /// The position with one more queen, in the next column at `row`, if it is free there.
    #[must_use]
    pub fn place(&self, squares: &Squares, row: u32) -> Option<Self> {
        let queen = 1 << row;
        (self.free(squares) & queen != 0).then(|| self.with_queen(queen))
    }

    /// All positions with one more queen in the next column, from row 0 on.
    pub fn children(self, squares: &Squares) -> impl Iterator<Item = Self> + use<> {
        let mut free = self.free(squares);
        std::iter::from_fn(move || {
            let queen = free & free.wrapping_neg();
            free ^= queen;
            (queen != 0).then(|| self.with_queen(queen))
        })
    }

    #[inline(always)]
    fn with_queen(&self, queen: u32) -> Self {
        Self {
            column: self.column + 1,
            rows: self.rows | queen,
            falling: (self.falling | queen) << 1,
            rising: (self.rising | queen) >> 1,
        }
    }
}
