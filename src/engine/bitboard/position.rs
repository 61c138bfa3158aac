//! Queens in the first columns of a board, as the kernels see them.

use crate::board::{Board, MAX_N, rows_below};

/// A board as the kernels see it: the rows of each column that no queen may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Squares {
    pub(super) n: u32,
    /// Rows from N on are always closed, so that a free row is just a clear bit.
    pub(super) closed: [u32; MAX_N as usize],
}

impl Squares {
    /// The squares of a board.
    pub(crate) fn of(board: &Board) -> Self {
        Self {
            n: board.n(),
            closed: board.blocked().map(|closed| closed | !board.rows()),
        }
    }

    /// Board size N.
    pub(crate) fn n(&self) -> u32 {
        self.n
    }

    /// All rows of the board.
    pub(crate) fn rows(&self) -> u32 {
        rows_below(self.n)
    }

    /// The rows of a column that no queen may use, those outside of the board among them.
    pub(crate) fn closed(&self, column: u32) -> u32 {
        self.closed[column as usize]
    }

    /// Closes a square of the board.
    pub(super) fn close(&mut self, column: u32, row: u32) {
        debug_assert!(column < self.n && row < self.n);
        self.closed[column as usize] |= 1 << row;
    }

    /// Puts a queen on a square of the board by closing all that it attacks, so that its column has no other to offer.
    pub(super) fn force(&mut self, column: u32, row: u32) {
        debug_assert!(column < self.n && row < self.n);
        for (other, closed) in (0..self.n).zip(&mut self.closed) {
            let distance = other.abs_diff(column);
            *closed |= if distance == 0 {
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
pub(crate) struct Position {
    /// Number of columns filled, which is the index of the next one.
    pub(crate) column: u32,
    /// Rows that hold a queen.
    pub(crate) rows: u32,
    /// Rows attacked in the next column along diagonals whose row number grows with the column.
    pub(crate) falling: u32,
    /// Rows attacked in the next column along diagonals whose row number shrinks as the column grows.
    pub(crate) rising: u32,
}

impl Position {
    /// No queen placed.
    pub(crate) const EMPTY: Self = Self {
        column: 0,
        rows: 0,
        falling: 0,
        rising: 0,
    };

    /// The rows of the next column that are neither attacked nor closed. There must be a next column.
    #[inline(always)]
    pub(crate) fn free(&self, squares: &Squares) -> u32 {
        !(self.rows | self.falling | self.rising | squares.closed(self.column))
    }

    /// The position with one more queen, in the next column at `row`, if it is free there.
    pub(crate) fn place(&self, squares: &Squares, row: u32) -> Option<Self> {
        let queen = 1 << row;
        (self.free(squares) & queen != 0).then(|| self.with_queen(queen))
    }

    /// All positions with one more queen in the next column, from row 0 on.
    pub(crate) fn children(self, squares: &Squares) -> impl Iterator<Item = Self> + use<> {
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
