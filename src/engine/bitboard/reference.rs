//! Plain recursion, the baseline for tests and benchmarks of all other kernels.

use super::position::{Position, Squares};

/// Returns the number of ways to complete `position`.
pub(super) fn count(squares: &Squares, position: Position) -> u64 {
    let columns = &squares.blocked[position.column as usize..squares.n as usize];
    let Position { rows, falling, rising, .. } = position;
    descend(columns, rows, falling, rising)
}

/// Counts the ways to fill `columns`, which contains the blocked rows of each column. The other
/// masks are separate arguments so that they stay in registers.
fn descend(columns: &[u32], rows: u32, falling: u32, rising: u32) -> u64 {
    let Some((blocked, columns)) = columns.split_first() else {
        return 1;
    };
    let mut free = !(rows | falling | rising | blocked);
    let mut solutions = 0;
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        solutions += descend(columns, rows | queen, (falling | queen) << 1, (rising | queen) >> 1);
    }
    solutions
}
