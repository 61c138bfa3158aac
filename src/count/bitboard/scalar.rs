//! One position at a time, without a branch that a predictor could miss.
//!
//! A stack holds positions with a free row each. A step takes the topmost, places a queen in its lowest free row, and
//! writes both what is left of the position and the new one back; whether a write counts is decided by how far the
//! stack pointer moves, which is arithmetic, not a branch.

use super::super::tally::Tally;
use super::Position;
use crate::board::{Board, MAX_N};

/// A position on the stack, with the rows of its next column that are still to be tried.
#[derive(Clone, Copy, Default)]
struct Open {
    column: u32,
    free: u32,
    rows: u32,
    up: u32,
    down: u32,
}

/// Counts the ways to complete `position`.
pub(super) fn count(board: &Board, position: Position) -> Tally {
    let n = board.n();
    if position.column == n {
        return Tally::of(1);
    }
    let all = board.rows();
    let last = n - 1;
    // The masks of column N are those of no column: a position there has no free row, and ends.
    let mut closed = [u32::MAX; MAX_N as usize + 1];
    closed[..n as usize].copy_from_slice(&board.blocked()[..n as usize]);

    // Each column has at most one position on the stack, besides the two slots that the last write may scribble on.
    let mut stack = [Open::default(); MAX_N as usize + 2];
    stack[0] = Open {
        column: position.column,
        free: position.free(board),
        rows: position.rows,
        up: position.up,
        down: position.down,
    };
    let mut height = usize::from(stack[0].free != 0);
    let mut solutions = 0;
    while height != 0 {
        let mut open = stack[height - 1];
        let queen = open.free & open.free.wrapping_neg();
        open.free ^= queen;
        let column = open.column + 1;
        let rows = open.rows | queen;
        let up = (open.up | queen) >> 1;
        let down = (open.down | queen) << 1;
        let free = all & !(rows | up | down | closed[column as usize]);
        solutions += u64::from(open.column == last);

        stack[height - 1] = open;
        height -= usize::from(open.free == 0);
        stack[height] = Open {
            column,
            free,
            rows,
            up,
            down,
        };
        height += usize::from(free != 0);
    }
    Tally::of(solutions)
}
