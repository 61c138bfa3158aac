//! The boards that must be searched for each subproblem if a symmetry is used, and the weights of
//! their solutions.
//!
//! *Mirror.* Top-to-bottom reflection maps solutions to solutions, so the queen in the first column
//! is restricted to the upper half. If it is in the middle row of an odd board, the queen in the
//! second column is restricted instead. Each solution found counts twice.
//!
//! *Eightfold.* This uses all rotations and reflections. Each edge of the board has one queen. The
//! *rank* of that queen is its distance from the nearer end of the edge: 0 in a corner, and at most
//! (N-1)/2 in the middle. Rotations and reflections map edges to edges and preserve ranks. So every
//! solution has an image whose west queen (first column, row a) has the highest rank of the four
//! and is in the upper half, a <= (N-1)/2. Only such images are counted. On the other three edges,
//! the squares of higher rank are blocked. This prunes the search and works with every kernel.
//!
//! Several edges may be tied for the highest rank a < (N-1)/2. Each of the other edges has two
//! squares of rank a, and a west queen at (row a, column 0) attacks one of them. So the queen of a
//! tied edge is on the other square, which is the image of the west queen's square under a
//! rotation:
//!
//! | tied edge | square (row, column) |
//! | --- | --- |
//! | north | (0, N-1-a) |
//! | east | (N-1-a, N-1) |
//! | south | (N-1, a) |
//!
//! A solution with t tied edges, including the west edge, has t images with the highest rank in the
//! west, one for each rotation that moves a tied edge there. If a rotation maps the solution to
//! itself, its orbit and the number of these images shrink by the same factor. So each image has
//! weight 8/t. If the images differ in *which* edges are tied, it is enough to count one of them
//! with weight 8. The table gives the number of images for an orbit of eight:
//!
//! | tied with west | images | counted | weight |
//! | --- | --- | --- | --- |
//! | none | 1 | the only one | 8 |
//! | north or south | 2, one tied with each | south | 8 |
//! | east | 2, with the same ties | both | 4 |
//! | two edges | 3, one for each pair of tied edges | south and east | 8 |
//! | all edges | 4, with the same ties | all | 2 |
//!
//! If N is odd and the west queen is in the middle row, it attacks the middle squares of all other
//! edges, so there are no ties. Top-to-bottom reflection maps such solutions to each other, so the
//! queen in the second column is restricted to the upper half. The weight is 8.

use super::position::Squares;
use crate::board::Board;
use crate::engine::choice::Symmetry;

impl Symmetry {
    /// Returns the default symmetry for a board. On a symmetric board with blocked squares, more
    /// symmetry could be used. But totals of such boards are verified by counting their symmetric
    /// solutions, and this detects fewer errors if the count itself uses more symmetry.
    pub(super) fn for_board(board: &Board) -> Self {
        if !board.has_constraints() {
            Self::Eightfold
        } else if board.is_mirror_symmetric() {
            Self::Mirror
        } else {
            Self::None
        }
    }

    /// Whether a board has this symmetry.
    pub(super) fn fits(self, board: &Board) -> bool {
        match self {
            Self::None => true,
            Self::Mirror => board.is_mirror_symmetric(),
            Self::Eightfold => board.has_all_symmetries(),
        }
    }

    /// Whether to keep subproblems whose first queens are in the given rows. Otherwise, their
    /// images under the symmetry are counted instead. A single queen in the middle row is its own
    /// mirror image and is kept.
    pub(super) fn keeps(self, n: u32, rows: &[u8]) -> bool {
        match (self, rows) {
            (Self::None, _) | (_, []) => true,
            (Self::Mirror | Self::Eightfold, [a, rest @ ..]) => {
                let middle = 2 * u32::from(*a) + 1;
                middle < n || (middle == n && rest.first().is_none_or(|b| b < a))
            }
        }
    }
}

/// A board to search and the weight of its solutions. Subproblems with the first queen in the same
/// row share their cases.
#[derive(Debug, Clone, Copy)]
pub(super) struct Case {
    /// The board, with additional squares blocked to exclude solutions that other cases cover.
    pub(super) squares: Squares,
    /// Number of solutions that each solution found stands for.
    pub(super) weight: u64,
}

/// Returns the cases of all subproblems whose first queen is in row `a`, or of the only subproblem
/// if N < 2.
///
/// The number of solutions of the board is the sum, over all cases of all subproblems, of the
/// number of completions times the weight.
pub(super) fn cases(board: &Board, symmetry: Symmetry, a: u32) -> Vec<Case> {
    let (n, squares) = (board.n(), Squares::for_board(board));
    let one = |weight| vec![Case { squares, weight }];
    match symmetry {
        _ if n < 2 => one(1),
        Symmetry::None => one(1),
        Symmetry::Mirror => one(2),
        // A west queen in the middle row is never tied with another edge.
        Symmetry::Eightfold if 2 * a + 1 == n => one(8),
        Symmetry::Eightfold => {
            let case = |&(tied, weight): &(&[Edge], u64)| Case {
                squares: no_edge_ranks_higher(squares, a, tied),
                weight,
            };
            TIES.iter().map(case).collect()
        }
    }
}

/// Restricts a board to solutions in which the queens of the `tied` edges have rank `a`, like the
/// west queen, and the others have lower ranks.
fn no_edge_ranks_higher(mut squares: Squares, a: u32, tied: &[Edge]) -> Squares {
    let n = squares.n;
    for edge in [Edge::North, Edge::East, Edge::South] {
        if tied.contains(&edge) {
            let i = if edge == Edge::South { a } else { n - 1 - a };
            let (column, row) = edge.square(n, i);
            squares.force(column, row);
            continue;
        }
        for (column, row) in (a..n - a).map(|i| edge.square(n, i)) {
            // The west queen is in the first column.
            if column > 0 {
                squares.block(column, row);
            }
        }
    }
    squares
}

/// Edges tied with the west edge, and the weight of each solution, as in the last table above.
const TIES: [(&[Edge], u64); 5] = [
    (&[], 8),
    (&[Edge::South], 8),
    (&[Edge::East], 4),
    (&[Edge::South, Edge::East], 8),
    (&[Edge::North, Edge::South, Edge::East], 2),
];

/// An edge of the board other than the west edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edge {
    North,
    East,
    South,
}

impl Edge {
    /// Returns square `i` of this edge as (column, row), counting from the top or from the left.
    fn square(self, n: u32, i: u32) -> (u32, u32) {
        match self {
            Self::North => (i, 0),
            Self::East => (n - 1, i),
            Self::South => (i, n - 1),
        }
    }
}
