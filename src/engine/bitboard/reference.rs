//! Plain recursion, the baseline for tests and benchmarks of all other kernels. Only this kernel
//! supports the torus.

use super::position::{Position, Squares, wrap};

/// Returns the number of ways to complete `position`.
pub(super) fn count(squares: &Squares, position: Position) -> u64 {
    let columns = &squares.blocked[position.column as usize..squares.n as usize];
    let descend = if squares.torus { descend::<true> } else { descend::<false> };
    let Position { rows, falling, rising, .. } = position;
    descend(squares.n, columns, rows, falling, rising)
}

/// Counts the ways to fill `columns`, which contains the blocked rows of each column. The other
/// masks are separate arguments so that they stay in registers.
fn descend<const TORUS: bool>(
    n: u32,
    columns: &[u32],
    rows: u32,
    falling: u32,
    rising: u32,
) -> u64 {
    let Some((blocked, columns)) = columns.split_first() else {
        return 1;
    };
    let mut free = !(rows | falling | rising | blocked);
    let mut solutions = 0;
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        let (falling, rising) = (falling | queen, rising | queen);
        let (falling, rising) =
            if TORUS { wrap(falling, rising, n) } else { (falling << 1, rising >> 1) };
        solutions += descend::<TORUS>(n, columns, rows | queen, falling, rising);
    }
    solutions
}
