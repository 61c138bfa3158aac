//! Partial placements as the kernels see them.

use crate::engine::squares::{Squares, upside_down};

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

    /// The rows of the next column that are neither attacked nor blocked. There must be a next column.
    #[inline(always)]
    pub(crate) fn free(&self, squares: &Squares) -> u32 {
        !(self.rows | self.falling | self.rising | squares.blocked(self.column))
    }

    /// The position with one more queen, in the next column at `row`, if it is free there.
    pub(crate) fn place(&self, squares: &Squares, row: u32) -> Option<Self> {
        let queen = 1 << row;
        (self.free(squares) & queen != 0).then(|| self.with_queen(queen))
    }

    /// The position with queens in these rows of the next columns, if all of them are free.
    pub(crate) fn place_all(self, squares: &Squares, rows: &[u8]) -> Option<Self> {
        let mut rows = rows.iter();
        rows.try_fold(self, |position, &row| position.place(squares, row.into()))
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

    /// The same position on a board of size `n` upside down.
    pub(crate) fn upside_down(self, n: u32) -> Self {
        Self {
            column: self.column,
            rows: upside_down(self.rows, n),
            falling: upside_down(self.rising, n),
            rising: upside_down(self.falling, n),
        }
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
