//! The plain recursion that everyone writes: the yardstick for speed, and the truth that other kernels are tested
//! against. It alone counts the nodes of the search.

use super::super::tally::Tally;
use super::Position;
use crate::board::Board;

/// Counts the ways to complete `position`, and the queens placed in trying.
pub(super) fn count(board: &Board, position: Position) -> Tally {
    let mut tally = Tally::default();
    place(board, position, &mut tally);
    tally
}

fn place(board: &Board, position: Position, tally: &mut Tally) {
    if position.column == board.n() {
        tally.count += 1;
        return;
    }
    let mut free = position.free(board);
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        tally.nodes += 1;
        place(board, position.with_queen(queen), tally);
    }
}
