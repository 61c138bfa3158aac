//! The modular problem: queens on a torus, where diagonals wrap around.
//!
//! Engine `bitboard`'s way, column by column over bit masks, with diagonal masks that are rotated instead of shifted. An
//! empty torus looks the same from each of its rows, so the first column's queen is kept in row 0 and its solutions count
//! N times; reflecting rows in row 0 then halves the second column. Marked squares spoil both.

use std::sync::Arc;

use crate::board::Board;
use crate::engine::CancelToken;
use crate::engine::Kernel;
use crate::engine::Tally;
use crate::known::torus_is_solvable;

/// The kernel that this is: there is no other for a torus.
pub(crate) const KERNEL: Kernel = Kernel::Scalar;

/// Queens in the first columns, one in each, seen from the column to fill next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) column: u32,
    pub(crate) rows: u32,
    pub(crate) up: u32,
    pub(crate) down: u32,
}

/// One independent piece of the count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Subproblem {
    pub(crate) position: Position,
    pub(crate) weight: u32,
}

/// Columns that are filled in a subproblem, on boards that have as many.
const DEPTH: u32 = 3;

impl Position {
    const EMPTY: Self = Self {
        column: 0,
        rows: 0,
        up: 0,
        down: 0,
    };

    /// The rows of the next column that are neither attacked nor closed.
    fn free(&self, board: &Board) -> u32 {
        let closed = board.blocked()[self.column as usize];
        board.rows() & !(self.rows | self.up | self.down | closed)
    }

    /// The position with one more queen, at the row of the next column whose bit is `queen`.
    fn with_queen(&self, queen: u32, board: &Board) -> Self {
        let (up, down) = (self.up | queen, self.down | queen);
        let last = board.n() - 1;
        Self {
            column: self.column + 1,
            rows: self.rows | queen,
            up: up >> 1 | (up & 1) << last,
            down: board.rows() & (down << 1) | down >> last,
        }
    }

    fn children(self, board: &Board) -> impl Iterator<Item = Self> + '_ {
        let free = self.free(board);
        let rows = (0..board.n()).filter(move |row| free >> row & 1 == 1);
        rows.map(move |row| self.with_queen(1 << row, board))
    }
}

/// The independent subproblems of a torus, in their fixed order; none where no queens can be placed, whatever is marked.
pub(crate) fn subproblems(board: &Board) -> Vec<Subproblem> {
    if torus_is_solvable(board.n()) {
        cut(board)
    } else {
        Vec::new()
    }
}

/// Queens in the first three columns, by row.
fn cut(board: &Board) -> Vec<Subproblem> {
    let n = board.n();
    let symmetric = !board.has_constraints();
    let mut list = vec![Subproblem {
        position: Position::EMPTY,
        weight: 1,
    }];
    for column in 0..DEPTH.min(n) {
        let expand = |parent: Subproblem| {
            let children = parent.position.children(board).map(move |position| {
                let row = (position.rows ^ parent.position.rows).trailing_zeros();
                let images = match column {
                    0 if symmetric => translations(row, n),
                    1 if symmetric => reflections(row, n),
                    _ => 1,
                };
                let weight = parent.weight * images;
                Subproblem { position, weight }
            });
            children.filter(|child| child.weight > 0)
        };
        list = list.into_iter().flat_map(expand).collect();
    }
    list
}

/// For how many placements of the first queen the one in this row stands: row 0 for all.
fn translations(row: u32, n: u32) -> u32 {
    if row == 0 { n } else { 0 }
}

/// For how many placements of the second queen the one in this row stands, the first being in row 0: rows r and N - r
/// are mirror images.
fn reflections(row: u32, n: u32) -> u32 {
    match (2 * row).cmp(&n) {
        std::cmp::Ordering::Less => 2,
        std::cmp::Ordering::Equal => 1,
        std::cmp::Ordering::Greater => 0,
    }
}

/// The estimated work of a subproblem: the ways to fill one more column, and one for itself.
pub(crate) fn estimate(board: &Board, subproblem: &Subproblem) -> f64 {
    let position = subproblem.position;
    if position.column == board.n() {
        return 1.0;
    }
    1.0 + f64::from(position.free(board).count_ones())
}

/// The subproblems made ready.
#[derive(Debug)]
pub(crate) struct Torus {
    board: Board,
    subproblems: Arc<[Subproblem]>,
}

impl Torus {
    pub(crate) fn new(board: &Board, subproblems: Arc<[Subproblem]>) -> Self {
        let board = board.clone();
        Self { board, subproblems }
    }

    /// What subproblem `index` contributes to the total, or `None` if told to stop.
    pub(crate) fn count(&self, index: usize, cancel: &CancelToken) -> Option<Tally> {
        let Subproblem { position, weight } = self.subproblems[index];
        let count = complete(&self.board, position, cancel)?;
        Some(Tally::of(count).times(u64::from(weight)))
    }
}

/// Columns so few that no look-out for the order to stop is kept while they are filled: that takes microseconds.
const UNWATCHED: u32 = 10;

/// Counts the ways to complete a position.
fn complete(board: &Board, position: Position, cancel: &CancelToken) -> Option<u64> {
    let left = board.n() - position.column;
    if left == 0 {
        return Some(1);
    }
    if left > UNWATCHED && cancel.is_cancelled() {
        return None;
    }
    let mut free = position.free(board);
    if left == 1 {
        return Some(u64::from(free.count_ones()));
    }
    let mut count = 0;
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        count += complete(board, position.with_queen(queen, board), cancel)?;
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Square;
    use crate::board::Placement;
    use crate::solve::Solutions;
    use proptest::prelude::*;

    /// Counts by search even where it is known that there is nothing to be found.
    fn count(board: &Board) -> u64 {
        let torus = Torus::new(board, cut(board).into());
        let never = CancelToken::new();
        let parts = 0..torus.subproblems.len();
        parts
            .map(|index| torus.count(index, &never).unwrap().count)
            .sum()
    }

    /// Solutions of the ordinary board that no wrapped diagonal spoils: no symmetry, no rotation of masks.
    #[test]
    fn counts_are_those_of_the_filtered_ordinary_board() {
        for n in 0..=12 {
            let ordinary = crate::solutions(n).unwrap();
            let filtered = ordinary.filter(Placement::is_torus_solution).count() as u64;
            assert_eq!(count(&Board::torus(n).unwrap()), filtered, "N = {n}");
        }
    }

    #[test]
    fn nothing_is_searched_where_nothing_is_to_be_found() {
        for n in 0..=32 {
            let has_subproblems = !subproblems(&Board::torus(n).unwrap()).is_empty();
            assert_eq!(has_subproblems, torus_is_solvable(n), "N = {n}");
        }
    }

    #[test]
    fn published_values_are_met() {
        for n in 0..=18 {
            let published = crate::known::torus_solutions(n).unwrap();
            assert_eq!(
                u128::from(count(&Board::torus(n).unwrap())),
                published,
                "N = {n}"
            );
        }
    }

    #[test]
    fn an_order_to_stop_is_heard() {
        let board = Board::torus(25).unwrap();
        let torus = Torus::new(&board, subproblems(&board).into());
        let cancel = CancelToken::new();
        cancel.cancel();
        assert_eq!(torus.count(0, &cancel), None);
    }

    proptest! {
        #[test]
        fn marks_are_kept_to(
            (n, queen, closed) in (1..=11_u32).prop_flat_map(|n| {
                (Just(n), (0..n, 0..n), proptest::collection::vec((0..n, 0..n), 0..8))
            })
        ) {
            let queen = Square::new(queen.0, queen.1);
            let mut board = Board::torus(n).unwrap();
            board.place(queen).unwrap();
            for (column, row) in closed {
                let _ = board.block(Square::new(column, row)); // refused where the queen stands
            }
            let fits = |p: &Placement| {
                p.squares().all(|s| board.blocked()[s.column as usize] >> s.row & 1 == 0)
            };
            let truth = Solutions::new(&Board::torus(n).unwrap()).unwrap().filter(fits).count();
            prop_assert_eq!(count(&board), truth as u64);
        }
    }
}
