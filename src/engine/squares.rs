//! A board as kernels see it.

use crate::board::{Board, MAX_N, rows_below};

/// Rows of a board of size `n`, numbered from the other end; rows outside of it are dropped.
pub(crate) fn upside_down(rows: u32, n: u32) -> u32 {
    // No shift of a board without rows.
    rows.reverse_bits().checked_shr(32 - n).unwrap_or(0)
}

/// A board as the kernels see it: the rows of each column that no queen may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Squares {
    n: u32,
    /// Rows from N on are always blocked, so that a free row is just a clear bit.
    pub(crate) blocked: [u32; MAX_N as usize],
}

impl Squares {
    /// The squares of a board.
    pub(crate) fn of(board: &Board) -> Self {
        Self {
            n: board.n(),
            blocked: board.blocked().map(|rows| rows | !board.rows()),
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
    pub(crate) fn blocked(&self, column: u32) -> u32 {
        self.blocked[column as usize]
    }

    /// The same board upside down.
    pub(crate) fn upside_down(mut self) -> Self {
        for blocked in &mut self.blocked[..self.n as usize] {
            *blocked = upside_down(*blocked, self.n) | !rows_below(self.n);
        }
        self
    }

    /// Blocks a square of the board.
    pub(crate) fn block(&mut self, column: u32, row: u32) {
        debug_assert!(column < self.n && row < self.n);
        self.blocked[column as usize] |= 1 << row;
    }

    /// Puts a queen on a square of the board by blocking all that it attacks, so that its column has no other to offer.
    pub(crate) fn force(&mut self, column: u32, row: u32) {
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
