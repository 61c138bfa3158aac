//! Boards and partial placements as bit masks over the rows, for use in kernels. Bit r stands for
//! row r.

use crate::board::{Board, MAX_N, rows_below};

/// A board, represented by the blocked rows of each column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Squares {
    pub(super) n: u32,
    /// Blocked rows of each column. Rows outside the board are always blocked, so every clear bit
    /// is a usable square.
    pub(super) blocked: [u32; MAX_N as usize],
}

impl Squares {
    pub(super) fn for_board(board: &Board) -> Self {
        Self { n: board.n(), blocked: board.unusable_rows().map(|rows| rows | !board.rows()) }
    }

    /// Returns the mask of all rows of the board.
    pub(super) fn rows(&self) -> u32 {
        rows_below(self.n)
    }

    pub(super) fn block(&mut self, column: u32, row: u32) {
        debug_assert!(column < self.n && row < self.n);
        self.blocked[column as usize] |= 1 << row;
    }

    /// Forces a queen onto a square by blocking all squares that the queen attacks, including the
    /// rest of the column.
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

/// Queens in the first columns, one in each, represented by masks over the rows of the next column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Position {
    /// Number of filled columns. This is also the index of the next column.
    pub(super) column: u32,
    /// Rows that have a queen.
    pub(super) rows: u32,
    /// Rows of the next column that are attacked along falling diagonals (down to the right).
    pub(super) falling: u32,
    /// Rows of the next column that are attacked along rising diagonals (up to the right).
    pub(super) rising: u32,
}

impl Position {
    /// The position without queens.
    pub(super) const EMPTY: Self = Self { column: 0, rows: 0, falling: 0, rising: 0 };

    /// Returns the rows of the next column that are neither attacked nor blocked. At least one
    /// column must be left.
    pub(super) fn free(&self, squares: &Squares) -> u32 {
        !(self.rows | self.falling | self.rising | squares.blocked[self.column as usize])
    }

    /// Places queens in the given rows of the next columns. Returns `None` if one of the squares is
    /// not free.
    pub(super) fn place_all(self, squares: &Squares, rows: &[u8]) -> Option<Self> {
        rows.iter().try_fold(self, |position, &row| {
            let queen = 1 << row;
            (position.free(squares) & queen != 0).then(|| position.with_queen(queen))
        })
    }

    /// Returns the positions with a queen added in the next column, in ascending order of the
    /// queen's row.
    pub(super) fn children(self, squares: &Squares) -> impl Iterator<Item = Self> {
        let mut free = self.free(squares);
        std::iter::from_fn(move || {
            let queen = free & free.wrapping_neg();
            free ^= queen;
            (queen != 0).then(|| self.with_queen(queen))
        })
    }

    /// Advances by one column. Places a queen in the row whose bit is set in `queen`, or no queen
    /// if `queen` is zero.
    pub(super) fn with_queen(&self, queen: u32) -> Self {
        Self {
            column: self.column + 1,
            rows: self.rows | queen,
            falling: (self.falling | queen) << 1,
            rising: (self.rising | queen) >> 1,
        }
    }
}
