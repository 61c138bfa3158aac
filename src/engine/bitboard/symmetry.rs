//! Symmetry, used before any search: which boards a subproblem has to count, and with which weight.
//!
//! *Mirror.* Turning the board top for bottom maps solutions to solutions. The queen of the first column is kept in the
//! upper half, or, when it stands in the middle row of an odd board, the queen of the second column is; all that is
//! found counts twice.
//!
//! *Eightfold.* All rotations and reflections together: the rest of this text.
//!
//! Every side of the board holds one queen. Its *rank* is its distance from the nearer end of the side: 0 in a corner,
//! at most (N-1)/2 in the middle. Rotations and reflections move sides to sides and keep ranks, so every solution has
//! an image whose west queen (first column, row a) ranks highest of the four and sits in the upper half,
//! a <= (N-1)/2. It is enough to count those images: the other three sides then have a blocked stretch of squares in
//! the middle, which prunes the search, and they are just blocked squares, which every kernel handles.
//!
//! What is left is to count each orbit once where several sides share the highest rank a < (N-1)/2. A west queen at
//! (row a, column 0) attacks one of the two squares of rank a on each other side, so a tie puts the queen on the
//! square that is the west queen's image under a rotation:
//!
//! | tied side | square (row, column) |
//! | --- | --- |
//! | north | (0, N-1-a) |
//! | east | (N-1-a, N-1) |
//! | south | (N-1, a) |
//!
//! A solution with t tied sides (west included) has t images among those counted, one for each rotation that brings a
//! tied side to the west; a rotation that maps the solution to itself makes orbit and images shrink by the same
//! factor. So the images weigh 8/t, and where they differ in *which* sides are tied, all but one may be skipped and the
//! one counted with weight 8:
//!
//! | tied with west | images (of full orbit) | counted | weight |
//! | --- | --- | --- | --- |
//! | none | 1 | itself | 8 |
//! | one neighbour | 2: north or south | south | 8 |
//! | east | 2, alike | both | 4 |
//! | two of three | 3: all pairs | south and east | 8 |
//! | all | 4, alike | all | 2 |
//!
//! Odd N, west queen in the middle row: no other side can have its queen in the middle (the west queen attacks all
//! three), so it always ranks highest, alone. The reflection that swaps rows maps such solutions to each other: take
//! the second queen above the middle, weight 8.
//!
//! *Translation.* An empty torus looks the same from each of its rows: the queen of the first column is kept in row 0.
//! That is what moving all queens up or down leaves; reflection in row 0 then keeps the queen of the second column in
//! the upper half, where N is odd, as it is wherever there are solutions. All that is found counts 2N times.

use super::position::Squares;
use crate::board::Board;
use crate::engine::choice::Symmetry;

/// A board to search, and how often each of its solutions counts. It is the same for all subproblems whose first queen
/// has the same row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Case {
    /// The squares, those blocked that the case leaves to others.
    pub(super) squares: Squares,
    /// Solutions of the whole problem for each one found.
    pub(super) weight: u64,
}

/// What to count for the subproblems whose first queen is in row `a`; on a board of N < 2, for the only one.
///
/// The sum over all subproblems and their cases of weight times completions is the number of solutions of the board.
pub(super) fn cases(board: &Board, symmetry: Symmetry, a: u32) -> Vec<Case> {
    let (n, squares) = (board.n(), Squares::of(board));
    let one = |weight| vec![Case { squares, weight }];
    match symmetry {
        _ if n < 2 => one(1),
        Symmetry::None => one(1),
        Symmetry::Mirror => one(2),
        Symmetry::Translation => one(2 * u64::from(n)),
        // With the west queen in the middle row there are no ties, and no other side can reach its rank.
        Symmetry::Eightfold if 2 * a + 1 == n => one(8),
        Symmetry::Eightfold => {
            let case = |&(tied, weight): &(&[Side], u64)| Case {
                squares: no_side_ranks_higher(squares, a, tied),
                weight,
            };
            TIES.iter().map(case).collect()
        }
    }
}

/// The board where the queens of these sides are of rank `a`, as the west queen, and those of the others are not as
/// high.
fn no_side_ranks_higher(mut squares: Squares, a: u32, tied: &[Side]) -> Squares {
    let n = squares.n;
    for side in [Side::North, Side::East, Side::South] {
        if tied.contains(&side) {
            let i = if side == Side::South { a } else { n - 1 - a };
            let (column, row) = side.square(n, i);
            squares.force(column, row);
            continue;
        }
        for (column, row) in (a..n - a).map(|i| side.square(n, i)) {
            // The first column holds the west queen.
            if column > 0 {
                squares.block(column, row);
            }
        }
    }
    squares
}

/// The sides that tie with the west queen in each case of the table above, and the weight.
const TIES: [(&[Side], u64); 5] = [
    (&[], 8),
    (&[Side::South], 8),
    (&[Side::East], 4),
    (&[Side::South, Side::East], 8),
    (&[Side::North, Side::South, Side::East], 2),
];

/// A side of the board other than the first column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    North,
    East,
    South,
}

impl Side {
    /// The square (column, row) of this side that has `i` others above it or to its left.
    fn square(self, n: u32, i: u32) -> (u32, u32) {
        match self {
            Self::North => (i, 0),
            Self::East => (n - 1, i),
            Self::South => (i, n - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::Cut;
    use super::*;
    use crate::board::{Placement, Square};

    /// The different images of a solution under a symmetry, itself among them.
    fn orbit(solution: &Placement, symmetry: Symmetry) -> BTreeSet<Placement> {
        match symmetry {
            Symmetry::None => [solution.clone()].into(),
            Symmetry::Mirror => [solution.clone(), solution.mirrored()].into(),
            Symmetry::Eightfold => solution.symmetries().into(),
            Symmetry::Translation => unreachable!("for a torus alone"),
        }
    }

    /// The weights of all cases that find the solution.
    fn weight(cut: &Cut, solution: &[u32]) -> u64 {
        let solution: Vec<_> = solution.iter().map(|&row| row as u8).collect();
        let of = (0..cut.len).filter(|index| cut.rows(*index) == &solution[..cut.depth]);
        of.flat_map(|index| cut.cases(index))
            .filter(|(case, position)| {
                let left = &solution[cut.depth..];
                position.place_all(&case.squares, left).is_some()
            })
            .map(|(case, _)| case.weight)
            .sum()
    }

    /// What the symmetry gives, case by case, must be what a search of the whole board finds, however fine the cut.
    #[test]
    fn every_orbit_is_counted_once() {
        let all = [Symmetry::None, Symmetry::Mirror, Symmetry::Eightfold];
        for (symmetry, n) in (1..=9).flat_map(|n| all.map(move |symmetry| (symmetry, n))) {
            let board = Board::new(n).unwrap();
            let solutions: Vec<_> = crate::solutions(n).unwrap().collect();
            for least in [1, 100, 1_000] {
                let cut = Cut::of_at_least(least, &board, symmetry);
                for solution in &solutions {
                    let orbit = orbit(solution, symmetry);
                    let found = orbit.iter().map(|s| weight(&cut, s.rows()));
                    let orbit = orbit.len() as u64;
                    assert_eq!(found.sum::<u64>(), orbit, "{symmetry} {solution:?}");
                }
            }
        }
    }

    /// Boards that all symmetries leave as they are: with the images of one square blocked, or a queen in the centre.
    #[test]
    fn every_orbit_of_a_symmetric_board_is_counted_once() {
        for n in 4..=8 {
            let squares = (0..n * n).map(|i| Square::new(i / n, i % n));
            for (least, blocked) in squares.flat_map(|square| [(1, square), (100, square)]) {
                let mut board = Board::new(n).unwrap();
                let orbit = images(n, blocked);
                for (column, row) in orbit {
                    board.block(Square::new(column, row)).unwrap();
                }
                assert!(Symmetry::Eightfold.fits(&board));
                let cut = Cut::of_at_least(least, &board, Symmetry::Eightfold);
                let solutions = crate::solutions(n).unwrap();
                for solution in solutions.filter(|solution| board.is_solved_by(solution)) {
                    let orbit = solution.symmetries();
                    let orbit: BTreeSet<_> = orbit.into_iter().collect();
                    let found = orbit.iter().map(|s| weight(&cut, s.rows()));
                    assert_eq!(found.sum::<u64>(), orbit.len() as u64, "{solution:?}");
                }
            }
        }
        let mut board = Board::new(5).unwrap();
        board.place(Square::new(2, 2)).unwrap();
        assert!(Symmetry::Eightfold.fits(&board));
    }

    /// The images of a square under the eight symmetries.
    fn images(n: u32, square: Square) -> BTreeSet<(u32, u32)> {
        let turned = |&(column, row): &(u32, u32)| (n - 1 - row, column);
        let start = [(square.column, square.row), (square.row, square.column)];
        let turns =
            start.map(|square| std::iter::successors(Some(square), move |s| Some(turned(s))));
        turns.into_iter().flat_map(|turns| turns.take(4)).collect()
    }

    #[test]
    fn blocked_squares_break_symmetry() {
        let mut board = Board::new(6).unwrap();
        assert_eq!(Symmetry::of(&board), Symmetry::Eightfold);
        board.block(Square::new(2, 0)).unwrap();
        assert_eq!(Symmetry::of(&board), Symmetry::None);
        board.block(Square::new(2, 5)).unwrap();
        assert_eq!(Symmetry::of(&board), Symmetry::Mirror);
        assert!(!Symmetry::Eightfold.fits(&board));
    }
}
