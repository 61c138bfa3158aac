//! Engine `bitboard`: the classic, column by column over bit masks.
//!
//! The queens of the first columns are a [`Position`]: three masks over the rows of the next column, one for the rows
//! that are taken and one for each direction of diagonal. The first two columns are split into independent subproblems
//! ([`subproblems`]), a queen in the first column at row a and one in the second at row b; a kernel counts in how many
//! ways each can be completed. Turning the board top for bottom maps the subproblems on one another, so that only half
//! of them is counted, with weight two.

mod reference;
mod scalar;

use std::sync::Arc;

use super::engine::Kernel;
use super::run::CancelToken;
use super::tally::Tally;
use crate::board::Board;

/// Queens in the first columns, one in each, seen from the column to fill next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// Number of columns filled, which is the index of the next one.
    pub column: u32,
    /// Rows that hold a queen.
    pub rows: u32,
    /// Rows attacked in the next column along diagonals that rise from left to right (towards row 0).
    pub up: u32,
    /// Rows attacked in the next column along diagonals that fall from left to right.
    pub down: u32,
}

impl Position {
    /// The empty board.
    pub const EMPTY: Self = Self {
        column: 0,
        rows: 0,
        up: 0,
        down: 0,
    };

    /// The rows of the next column that are neither attacked nor closed.
    #[must_use]
    #[inline]
    pub fn free(&self, board: &Board) -> u32 {
        let closed = board.blocked()[self.column as usize];
        board.rows() & !(self.rows | self.up | self.down | closed)
    }

    /// The position with one more queen, in the next column at the row whose bit is `queen`.
    #[must_use]
    #[inline]
    pub fn with_queen(&self, queen: u32) -> Self {
        Self {
            column: self.column + 1,
            rows: self.rows | queen,
            up: (self.up | queen) >> 1,
            down: (self.down | queen) << 1,
        }
    }

    /// All positions with one more queen in the next column, from row 0 on.
    pub fn children(self, board: &Board) -> impl Iterator<Item = Self> + use<> {
        bits(self.free(board)).map(move |queen| self.with_queen(queen))
    }
}

/// The bits of a mask one by one, the lowest first.
pub(crate) fn bits(mut mask: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lowest = mask & mask.wrapping_neg();
        mask ^= lowest;
        (lowest != 0).then_some(lowest)
    })
}

/// One independent piece of the count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Subproblem {
    /// Queens in the first two columns; the empty board where N < 2.
    pub position: Position,
    /// How often its solutions count: twice where the mirror image is left out.
    pub weight: u32,
}

/// The independent subproblems of a board, in their fixed order: queens in the first two columns, by row.
///
/// Where the board is its own mirror image (top for bottom), the mirror image of a subproblem that is listed is not: the
/// queen of the first column is kept in the upper half, or, when it stands in the middle row of an odd board, the queen
/// of the second column is.
#[must_use]
pub fn subproblems(board: &Board) -> Vec<Subproblem> {
    let n = board.n();
    if n < 2 {
        let weight = 1;
        let position = Position::EMPTY;
        return vec![Subproblem { position, weight }];
    }
    let half = board.is_mirror_symmetric();
    let in_upper_half = |row: u32| 2 * row + 1 < n;
    let in_middle = |row: u32| 2 * row + 1 == n;
    let mut list = Vec::new();
    for first in Position::EMPTY.children(board) {
        let a = first.rows.trailing_zeros();
        for position in first.children(board) {
            let b = (position.rows ^ first.rows).trailing_zeros();
            let keep = !half || in_upper_half(a) || (in_middle(a) && in_upper_half(b));
            if keep {
                let weight = if half { 2 } else { 1 };
                list.push(Subproblem { position, weight });
            }
        }
    }
    list
}

/// Nodes of the plain search above the subproblems, mirror images among them: the placements in the first two columns.
#[must_use]
pub fn nodes_above(board: &Board) -> u64 {
    if board.n() < 2 {
        return 0;
    }
    Position::EMPTY
        .children(board)
        .map(|first| 1 + u64::from(first.free(board).count_ones()))
        .sum()
}

/// The estimated work of a subproblem: the ways to fill two more columns, and one for itself.
#[must_use]
pub fn estimate(board: &Board, subproblem: &Subproblem) -> f64 {
    let position = subproblem.position;
    if position.column + 2 > board.n() {
        return 1.0;
    }
    let grandchildren: u32 = position
        .children(board)
        .filter(|child| child.column < board.n())
        .map(|child| child.free(board).count_ones())
        .sum();
    1.0 + f64::from(grandchildren)
}

/// The engine made ready for one board and one kernel.
#[derive(Debug)]
pub(crate) struct Bitboard {
    board: Board,
    kernel: Kernel,
    subproblems: Arc<[Subproblem]>,
    /// Kernels are called with this many columns filled at least, so that no call takes long: see [`call_depth`].
    call_depth: u32,
    /// Whether a subproblem is handed out in parts, one for each queen in its next column.
    in_parts: bool,
}

/// A worker's memory for this engine.
#[derive(Debug, Default)]
pub(crate) struct Scratch {}

impl Bitboard {
    pub(crate) fn new(
        board: &Board,
        subproblems: Arc<[Subproblem]>,
        kernel: Kernel,
        threads: usize,
    ) -> Self {
        let in_parts = board.n() > 3 && subproblems.len() < threads * SUBPROBLEMS_PER_THREAD;
        Self {
            board: board.clone(),
            kernel,
            subproblems,
            call_depth: call_depth(board.n()),
            in_parts,
        }
    }

    pub(crate) fn scratch(&self) -> Scratch {
        Scratch::default()
    }

    /// Into how many parts subproblem `index` is cut.
    pub(crate) fn parts(&self, index: usize) -> usize {
        if self.in_parts {
            let position = self.subproblems[index].position;
            position.free(&self.board).count_ones() as usize
        } else {
            1
        }
    }

    /// What part `part` of subproblem `index` contributes to the total, or `None` if told to stop.
    pub(crate) fn count(
        &self,
        index: usize,
        part: usize,
        scratch: &mut Scratch,
        cancel: &CancelToken,
    ) -> Option<Tally> {
        let Subproblem { position, weight } = self.subproblems[index];
        let tally = if self.in_parts {
            let child = position.children(&self.board).nth(part)?;
            let mut tally = self.complete(child, scratch, cancel)?;
            tally.nodes += 1;
            tally
        } else {
            self.complete(position, scratch, cancel)?
        };
        Some(tally.times(u64::from(weight)))
    }

    #[expect(
        clippy::only_used_in_recursion,
        reason = "the kernels so far need no memory"
    )]
    /// Counts the completions of a position, looking out for the order to stop on the way down to the kernel's depth.
    fn complete(
        &self,
        position: Position,
        scratch: &mut Scratch,
        cancel: &CancelToken,
    ) -> Option<Tally> {
        if position.column < self.call_depth {
            let mut sum = Tally::default();
            for child in position.children(&self.board) {
                sum += self.complete(child, scratch, cancel)?;
                sum.nodes += 1;
            }
            Some(sum)
        } else if cancel.is_cancelled() {
            None
        } else {
            Some(count_position(self.kernel, &self.board, position))
        }
    }
}

/// Fewer subproblems for each thread than this leave threads idle at the end of a count.
const SUBPROBLEMS_PER_THREAD: usize = 16;

/// The columns that are filled before a kernel is called. A call over sixteen open columns takes about 0.1 s in the
/// slowest kernel, and an order to stop is seen only between calls.
fn call_depth(n: u32) -> u32 {
    n.saturating_sub(14).max(2).min(n)
}

/// Counts the ways to complete a position, on this thread.
///
/// # Panics
///
/// If the kernel is not available on this CPU.
#[must_use]
pub fn count_position(kernel: Kernel, board: &Board, position: Position) -> Tally {
    match kernel {
        Kernel::Reference => reference::count(board, position),
        Kernel::Scalar => scalar::count(board, position),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::known;
    use proptest::prelude::*;

    const KERNELS: &[Kernel] = &[Kernel::Reference, Kernel::Scalar];

    #[test]
    fn mirror_images_of_subproblems_are_counted_not_listed() {
        for n in 2..=12 {
            let board = Board::new(n).unwrap();
            let weight: u32 = subproblems(&board).iter().map(|s| s.weight).sum();
            let pairs = (0..n)
                .flat_map(|a| (0..n).map(move |b| a.abs_diff(b)))
                .filter(|&distance| distance > 1)
                .count();
            assert_eq!(weight as usize, pairs, "N = {n}");
        }
    }

    #[test]
    fn every_kernel_counts_the_empty_board_from_any_depth() {
        for n in 0..=10 {
            let board = Board::new(n).unwrap();
            for &kernel in KERNELS {
                let mut positions = vec![Position::EMPTY];
                for depth in 0..=n {
                    let sum: u64 = positions
                        .iter()
                        .map(|&p| count_position(kernel, &board, p).count)
                        .sum();
                    let solutions = known(n).unwrap().solutions;
                    assert_eq!(u128::from(sum), solutions, "{kernel} N = {n} depth {depth}");
                    if depth < n {
                        positions = positions.iter().flat_map(|p| p.children(&board)).collect();
                    }
                }
            }
        }
    }

    /// A board with random closed squares and a random position on it.
    fn random_position() -> impl Strategy<Value = (Board, Position)> {
        (1..=13_u32).prop_flat_map(|n| {
            let squares = proptest::collection::vec((0..n, 0..n), 0..12);
            let choices = proptest::collection::vec(any::<proptest::sample::Index>(), n as usize);
            (Just(n), squares, choices, 0..=n).prop_map(|(n, squares, choices, depth)| {
                let mut board = Board::new(n).unwrap();
                for (column, row) in squares {
                    board.block(column, row).unwrap();
                }
                let mut position = Position::EMPTY;
                for choice in &choices[..depth as usize] {
                    let children: Vec<_> = position.children(&board).collect();
                    if children.is_empty() {
                        break;
                    }
                    position = *choice.get(&children);
                }
                (board, position)
            })
        })
    }

    proptest! {
        #[test]
        fn every_kernel_agrees_with_the_reference((board, position) in random_position()) {
            let truth = count_position(Kernel::Reference, &board, position).count;
            for &kernel in KERNELS {
                let count = count_position(kernel, &board, position).count;
                prop_assert_eq!(count, truth, "{}", kernel);
            }
        }
    }
}
