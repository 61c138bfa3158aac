//! The boards that a subproblem has to count under a symmetry, and their weights.
//!
//! *Mirror.* Reflection top to bottom maps solutions to solutions. The queen of the first column is restricted to the
//! upper half. If it is in the middle row of an odd board, the queen of the second column is restricted instead. Each
//! solution found counts twice.
//!
//! *Translation.* An empty torus looks the same from each of its rows, so the queen of the first column is restricted
//! to row 0. Reflection in row 0 then restricts the queen of the second column to the upper half. This needs odd N, and
//! only odd N have solutions. Each solution found counts 2N times.
//!
//! *Eightfold.* This uses all rotations and reflections. Every side of the board holds one queen. The *rank* of that
//! queen is its distance from the nearer end of the side: 0 in a corner, at most (N-1)/2 in the middle. Rotations and
//! reflections map sides to sides and preserve ranks. So every solution has an image whose west queen (first column,
//! row a) has the highest rank of the four and is in the upper half, a <= (N-1)/2. Only those images are counted. On
//! the other three sides, the squares of higher rank are blocked, which prunes the search and works with every kernel.
//!
//! Several sides may share the highest rank a < (N-1)/2. A west queen at (row a, column 0) attacks one of the two
//! squares of rank a on each other side. So in a tie, the other side's queen is on the image of the west queen under a
//! rotation:
//!
//! | tied side | square (row, column) |
//! | --- | --- |
//! | north | (0, N-1-a) |
//! | east | (N-1-a, N-1) |
//! | south | (N-1, a) |
//!
//! A solution with t tied sides, including west, has t images with the highest rank in the west, one for each rotation
//! that moves a tied side there. A rotation that maps the solution to itself shrinks its orbit and these images by the
//! same factor. So each image has weight 8/t. If the images differ in *which* sides are tied, it is enough to count one
//! of them with weight 8:
//!
//! | tied with west | images (of full orbit) | counted | weight |
//! | --- | --- | --- | --- |
//! | none | 1 | itself | 8 |
//! | one neighbour | 2: north or south | south | 8 |
//! | east | 2, alike | both | 4 |
//! | two of three | 3: all pairs | south and east | 8 |
//! | all | 4, alike | all | 2 |
//!
//! If N is odd and the west queen is in the middle row, it attacks the middle squares of all other sides. So it has the
//! highest rank alone. Reflection top to bottom maps such solutions to each other, so the queen of the second column is
//! restricted to the upper half. The weight is 8.

use super::position::Squares;
use crate::board::Board;
use crate::engine::choice::Symmetry;

/// A board to search and the weight of its solutions. Subproblems with the same row of the first queen share their
/// cases.
#[derive(Debug, Clone, Copy)]
pub(super) struct Case {
    /// The board, with squares blocked that belong to other cases.
    pub(super) squares: Squares,
    /// Number of solutions of the whole problem per solution found.
    pub(super) weight: u64,
}

/// Returns the cases of all subproblems with the first queen in row `a`, or of the only subproblem if N < 2.
///
/// The number of solutions of the board is the sum of weight times completions over all subproblems and their cases.
pub(super) fn cases(board: &Board, symmetry: Symmetry, a: u32) -> Vec<Case> {
    let (n, squares) = (board.n(), Squares::of(board));
    let one = |weight| vec![Case { squares, weight }];
    match symmetry {
        _ if n < 2 => one(1),
        Symmetry::None => one(1),
        Symmetry::Mirror => one(2),
        Symmetry::Translation => one(2 * u64::from(n)),
        // No other side can have the rank of a west queen in the middle row.
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

/// Restricts a board to solutions where the `tied` sides have rank `a`, like the west side, and the others a lower
/// rank.
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

/// Sides tied with the west side, and the weight, for each row of the table above.
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
    /// Returns the square (column, row) with index `i` on this side, from the top or from the left.
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
    use super::*;
    use crate::board::Square;

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
