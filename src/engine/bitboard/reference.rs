//! Plain recursion, as everyone writes it: the yardstick that the other kernels are timed against, and the truth that
//! they are tested against. It alone counts the nodes of the search.

use super::position::Position;
use crate::engine::squares::Squares;
use crate::engine::tally::Tally;

/// Counts the ways to complete `position`, and the queens placed on the way, whether or not they led anywhere.
pub(super) fn count(squares: &Squares, position: Position) -> Tally {
    let columns = &squares.blocked[position.column as usize..squares.n() as usize];
    let Position {
        rows,
        falling,
        rising,
        ..
    } = position;
    let mut nodes = 0;
    let count = descend(columns, rows, falling, rising, &mut nodes);
    Tally { count, nodes }
}

/// Fills `columns`, given by their blocked rows. The masks are separate words, so that they travel in registers.
fn descend(columns: &[u32], rows: u32, falling: u32, rising: u32, nodes: &mut u64) -> u64 {
    let Some((blocked, columns)) = columns.split_first() else {
        return 1;
    };
    let mut free = !(rows | falling | rising | blocked);
    let mut solutions = 0;
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        *nodes += 1;
        solutions += descend(
            columns,
            rows | queen,
            (falling | queen) << 1,
            (rising | queen) >> 1,
            nodes,
        );
    }
    solutions
}
