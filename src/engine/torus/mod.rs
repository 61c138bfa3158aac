//! Engine `torus`: the modular problem, where diagonals wrap around.
//!
//! Engine `bitboard`'s way, column by column over bit masks, with diagonal masks that are rotated instead of shifted. An
//! empty torus looks the same from each of its rows, so the first column's queen is kept in row 0 and its solutions count
//! N times; reflecting rows in row 0 then halves the second column. Blocked squares and preplaced queens spoil both.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::algorithm::{Algorithm, Setup, Solve, Subproblems, Work};
use super::choice::{Engine, EngineError, Kernel, Symmetry};
use crate::board::{Board, MAX_N};
use crate::engine::cancel::CancelToken;
use crate::engine::squares::{Squares, upside_down};
use crate::engine::tally::Tally;
use crate::known::torus_is_solvable;

/// The engine.
pub(super) struct Torus;

impl Algorithm for Torus {
    fn sizes(&self) -> RangeInclusive<u32> {
        0..=MAX_N
    }

    fn kernels(&self) -> &'static [Kernel] {
        &[Kernel::Reference]
    }

    fn can_run(&self, _: Kernel) -> bool {
        true
    }

    fn accepts(&self, board: &Board) -> Result<(), EngineError> {
        if board.is_torus() {
            return Ok(());
        }
        Err(EngineError::Board {
            engine: Engine::Torus,
            board: "a board whose diagonals end at the edges",
            accepted: "boards whose diagonals wrap around",
        })
    }

    fn cut(&self, board: &Board, _: Option<Symmetry>) -> Result<Arc<dyn Subproblems>, EngineError> {
        // Where it is known that there are no solutions there is nothing to count, whatever squares are blocked.
        let solvable = torus_is_solvable(board.n());
        Ok(Arc::new(if solvable {
            Cut::new(board)
        } else {
            Cut {
                squares: Squares::of(board),
                subproblems: Arc::default(),
            }
        }))
    }
}

/// Queens in the first columns, one in each, seen from the column to fill next.
#[derive(Debug, Clone, Copy)]
struct Position {
    column: u32,
    rows: u32,
    up: u32,
    down: u32,
}

/// One independent piece of the count.
#[derive(Debug, Clone, Copy)]
struct Subproblem {
    position: Position,
    weight: u32,
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

    /// The rows of the next column that are neither attacked nor blocked.
    fn free(&self, squares: &Squares) -> u32 {
        !(self.rows | self.up | self.down | squares.blocked(self.column))
    }

    /// The position with one more queen, at the row of the next column whose bit is `queen`.
    fn with_queen(&self, queen: u32, squares: &Squares) -> Self {
        let (up, down) = (self.up | queen, self.down | queen);
        let last = squares.n() - 1;
        Self {
            column: self.column + 1,
            rows: self.rows | queen,
            up: up >> 1 | (up & 1) << last,
            down: squares.rows() & (down << 1) | down >> last,
        }
    }

    /// The same position on a board of size `n` upside down.
    fn upside_down(self, n: u32) -> Self {
        Self {
            column: self.column,
            rows: upside_down(self.rows, n),
            up: upside_down(self.down, n),
            down: upside_down(self.up, n),
        }
    }

    fn children(self, squares: &Squares) -> impl Iterator<Item = Self> + '_ {
        let free = self.free(squares);
        let rows = (0..squares.n()).filter(move |row| free >> row & 1 == 1);
        rows.map(move |row| self.with_queen(1 << row, squares))
    }
}

/// A torus cut by the queens of the first three columns, by row.
#[derive(Debug, Clone)]
struct Cut {
    squares: Squares,
    subproblems: Arc<[Subproblem]>,
}

impl Cut {
    fn new(board: &Board) -> Self {
        let (n, squares) = (board.n(), Squares::of(board));
        let symmetric = !board.has_constraints();
        let mut list = vec![Subproblem {
            position: Position::EMPTY,
            weight: 1,
        }];
        for column in 0..DEPTH.min(n) {
            let expand = |parent: Subproblem| {
                let children = parent.position.children(&squares).map(move |position| {
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
        Self {
            squares,
            subproblems: list.into(),
        }
    }

    /// The mirror image of each subproblem, top for bottom.
    fn upside_down(&self) -> Self {
        let n = self.squares.n();
        let image = |&Subproblem { position, weight }: &Subproblem| Subproblem {
            position: position.upside_down(n),
            weight,
        };
        Self {
            squares: self.squares.upside_down(),
            subproblems: self.subproblems.iter().map(image).collect(),
        }
    }
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

impl Subproblems for Cut {
    fn len(&self) -> usize {
        self.subproblems.len()
    }

    /// The ways to fill one more column, and one for the subproblem itself.
    fn weight(&self, index: usize) -> f64 {
        let position = self.subproblems[index].position;
        if position.column == self.squares.n() {
            return 1.0;
        }
        1.0 + f64::from(position.free(&self.squares).count_ones())
    }

    fn memory(&self, _: usize, _: u64) -> u64 {
        0
    }

    fn name(&self) -> String {
        "bitboard-torus".to_owned() // as it was called when it was a part of that engine
    }

    fn hash(&self, checksum: &mut crc32fast::Hasher) {
        for Subproblem { position, weight } in self.subproblems.iter() {
            for word in [position.rows, position.up, position.down, *weight] {
                checksum.update(&word.to_le_bytes());
            }
        }
    }

    fn ready(&self, setup: Setup, _: &CancelToken) -> Box<dyn Solve> {
        Box::new(match setup.mirrored {
            true => self.upside_down(),
            false => self.clone(),
        })
    }
}

impl Solve for Cut {
    fn worker(&self) -> Box<dyn Work + '_> {
        Box::new(Worker(self))
    }
}

/// One thread's share, which needs no memory.
struct Worker<'a>(&'a Cut);

impl Work for Worker<'_> {
    fn count(&mut self, index: usize, _: usize, cancel: &CancelToken) -> Option<Tally> {
        let Subproblem { position, weight } = self.0.subproblems[index];
        let count = complete(&self.0.squares, position, cancel)?;
        Some(Tally::of(count).times(u64::from(weight)))
    }
}

/// Columns so few that cancellation is not looked out for while they are filled: that takes microseconds.
const UNWATCHED: u32 = 10;

/// Counts the ways to complete a position.
fn complete(squares: &Squares, position: Position, cancel: &CancelToken) -> Option<u64> {
    let left = squares.n() - position.column;
    if left == 0 {
        return Some(1);
    }
    if left > UNWATCHED && cancel.is_cancelled() {
        return None;
    }
    let mut free = position.free(squares);
    if left == 1 {
        return Some(u64::from(free.count_ones()));
    }
    let mut count = 0;
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        count += complete(squares, position.with_queen(queen, squares), cancel)?;
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Square;
    use crate::solve::Solutions;
    use proptest::prelude::*;

    /// Counts by search even where it is known that there is nothing to be found.
    fn count(board: &Board) -> u64 {
        let (cut, never) = (Cut::new(board), CancelToken::new());
        let mut worker = cut.worker();
        (0..cut.len())
            .map(|index| worker.count(index, 0, &never).unwrap().count)
            .sum()
    }

    #[test]
    fn nothing_is_searched_where_nothing_is_to_be_found() {
        for n in 0..=32 {
            let cut = Torus.cut(&Board::torus(n).unwrap(), None).unwrap();
            assert_eq!(cut.len() > 0, torus_is_solvable(n), "N = {n}");
        }
    }

    #[test]
    fn published_values_are_met() {
        for n in 0..=18 {
            let published = crate::known::torus_solutions(n).unwrap();
            let counted = count(&Board::torus(n).unwrap());
            assert_eq!(u128::from(counted), published, "N = {n}");
        }
    }

    #[test]
    fn cancellation_is_seen() {
        let board = Board::torus(25).unwrap();
        let cut = Cut::new(&board);
        let cancel = CancelToken::new();
        cancel.cancel();
        assert_eq!(cut.worker().count(0, 0, &cancel), None);
    }

    proptest! {
        #[test]
        fn blocked_squares_and_preplaced_queens_are_kept_to(
            (n, queen, blocked) in (1..=11_u32).prop_flat_map(|n| {
                (Just(n), (0..n, 0..n), proptest::collection::vec((0..n, 0..n), 0..8))
            })
        ) {
            let queen = Square::new(queen.0, queen.1);
            let mut board = Board::torus(n).unwrap();
            board.place(queen).unwrap();
            for (column, row) in blocked {
                let _ = board.block(Square::new(column, row)); // refused where the queen stands
            }
            let truth = Solutions::new(&board).unwrap().count();
            prop_assert_eq!(count(&board), truth as u64);
        }
    }
}
