//! Engine `bitboard`: the classic, column by column over bit masks.
//!
//! The queens of the first columns are a [`Position`]: three masks over the rows of the next column, one for the rows
//! that are taken and one for each direction of diagonal. The first two columns are split into independent subproblems
//! ([`subproblems`]), a queen in the first column at row a and one in the second at row b. What a subproblem has to count
//! depends on the [`Symmetry`] that is used: it is a handful of [`Case`]s, each a position on a board, some squares of
//! which are closed, and a weight. A kernel counts in how many ways such a position can be completed.
//!
//! All kernels but [`mod@reference`] are one algorithm, [`mod@batch`], on different vectors.

mod batch;
mod position;
mod reference;
pub mod symmetry;

use std::sync::Arc;

use crate::board::{Board, MAX_N};
use crate::engine::CancelToken;
use crate::engine::Tally;
use crate::engine::simd::{Nothing, with_words};
use crate::engine::{Engine, Kernel};

pub(crate) use batch::StateLists as Scratch;
pub use position::{Position, Squares};
pub use symmetry::{Case, Subproblem, Symmetry, cases};

/// The independent subproblems of a board, in their fixed order: by the rows of the queens in the first two columns.
/// Those whose solutions are images of others' under the symmetry are left out.
#[must_use]
pub fn subproblems(board: &Board, symmetry: Symmetry) -> Vec<Subproblem> {
    let n = board.n();
    if n < 2 {
        return vec![Subproblem { queens: None }];
    }
    let squares = Squares::of(board);
    let pairs = (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
    pairs
        .filter(|&(a, b)| {
            let first = Position::EMPTY.place(&squares, a);
            first.is_some_and(|first| first.place(&squares, b).is_some())
        })
        .filter(|&pair| symmetry.keeps(n, pair))
        .map(|pair| Subproblem { queens: Some(pair) })
        .collect()
}

/// The estimated work of a subproblem: the ways to fill two more columns in each of its cases, and one for itself.
#[must_use]
pub fn estimate(board: &Board, symmetry: Symmetry, subproblem: Subproblem) -> f64 {
    let ways = |case: &Case| -> u32 {
        if case.position.column + 2 > board.n() {
            return 0;
        }
        let children = case.position.children(&case.squares);
        children
            .map(|child| child.free(&case.squares).count_ones())
            .sum()
    };
    let cases = cases(board, symmetry, subproblem);
    1.0 + f64::from(cases.map(|case| ways(&case)).sum::<u32>())
}

/// Nodes of the plain search above the subproblems, mirror images among them: the placements in the first two columns.
#[must_use]
pub fn nodes_above(board: &Board) -> u64 {
    if board.n() < 2 {
        return 0;
    }
    let squares = Squares::of(board);
    Position::EMPTY
        .children(&squares)
        .map(|first| 1 + u64::from(first.free(&squares).count_ones()))
        .sum()
}

/// The kernels, the best one last.
pub(super) const KERNELS: &[Kernel] = &[
    Kernel::Reference,
    Kernel::Scalar,
    Kernel::Portable,
    Kernel::Avx2,
    Kernel::Avx512,
];

/// Whether this CPU has the instructions of a kernel.
pub(super) fn can_run(kernel: Kernel) -> bool {
    kernel == Kernel::Reference || with_words(kernel, Nothing).is_some()
}

/// Counts the ways to complete positions, on this thread. Only kernel `reference` counts nodes.
///
/// # Panics
///
/// If this CPU cannot run the kernel, if the positions have not all as many columns filled, or if there are more than 256
/// of them.
#[must_use]
pub(crate) fn complete(
    kernel: Kernel,
    squares: &Squares,
    positions: &[Position],
    scratch: &mut Scratch,
) -> Tally {
    if kernel == Kernel::Reference {
        let mut sum = Tally::default();
        for &position in positions {
            sum += reference::count(squares, position);
        }
        return sum;
    }
    let task = batch::Complete {
        squares,
        positions,
        lists: scratch,
    };
    match with_words(kernel, task) {
        Some(count) => Tally::of(count),
        None => panic!("this CPU cannot run kernel '{kernel}'"),
    }
}

/// The engine made ready for one plan and one kernel.
#[derive(Debug)]
pub(crate) struct Bitboard {
    board: Board,
    symmetry: Symmetry,
    subproblems: Arc<[Subproblem]>,
    kernel: Kernel,
    /// Kernels are called with this many columns filled at least, so that no call takes long.
    call_depth: u32,
    /// Whether a subproblem is handed out in parts, one for each row of the third column.
    in_parts: bool,
}

impl Bitboard {
    pub(crate) fn new(
        board: &Board,
        symmetry: Symmetry,
        subproblems: Arc<[Subproblem]>,
        kernel: Kernel,
        threads: usize,
    ) -> Self {
        debug_assert!(Engine::Bitboard.kernels().contains(&kernel));
        let in_parts = board.n() > 3 && subproblems.len() < threads * SUBPROBLEMS_PER_THREAD;
        Self {
            board: board.clone(),
            symmetry,
            subproblems,
            kernel,
            call_depth: call_depth(kernel, board.n()),
            in_parts,
        }
    }

    /// Into how many parts subproblem `index` is cut.
    pub(crate) fn parts(&self, _index: usize) -> usize {
        if self.in_parts {
            self.board.n() as usize
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
        let mut sum = Tally::default();
        for case in cases(&self.board, self.symmetry, self.subproblems[index]) {
            let Case {
                squares,
                position,
                weight,
            } = case;
            let tally = if self.in_parts {
                match position.place(&squares, part as u32) {
                    Some(child) => {
                        let below = self.descend(&squares, &[child], scratch, cancel)?;
                        below.with_nodes(1)
                    }
                    None => Tally::default(),
                }
            } else {
                self.descend(&squares, &[position], scratch, cancel)?
            };
            sum += tally.times(weight);
        }
        Some(sum)
    }

    /// Counts the completions of positions of one column, looking out for the order to stop on the way down to the depth
    /// at which kernels are called. The children of a position go to the kernel together: it likes company.
    fn descend(
        &self,
        squares: &Squares,
        positions: &[Position],
        scratch: &mut Scratch,
        cancel: &CancelToken,
    ) -> Option<Tally> {
        match positions.first() {
            None => Some(Tally::default()),
            Some(_) if cancel.is_cancelled() => None,
            Some(first) if first.column >= self.call_depth => {
                Some(complete(self.kernel, squares, positions, scratch))
            }
            Some(_) => {
                let mut sum = Tally::default();
                for position in positions {
                    let mut children = [Position::EMPTY; MAX_N as usize];
                    let mut count = 0;
                    for child in position.children(squares) {
                        children[count] = child;
                        count += 1;
                    }
                    let below = self.descend(squares, &children[..count], scratch, cancel)?;
                    sum += below.with_nodes(count as u64);
                }
                Some(sum)
            }
        }
    }
}

/// Fewer subproblems for each thread than this leave threads idle at the end of a count.
const SUBPROBLEMS_PER_THREAD: usize = 16;

/// The columns that are filled before a kernel is called. An order to stop is seen only between calls; one over as many
/// open columns as this leaves takes a tenth of a second or so, and still fills the vectors.
fn call_depth(kernel: Kernel, n: u32) -> u32 {
    let open = match kernel {
        Kernel::Reference => 14,
        Kernel::Scalar | Kernel::Portable => 15,
        Kernel::Avx2 | Kernel::Avx512 => 17,
    };
    n.saturating_sub(open).max(2).min(n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::known;
    use proptest::prelude::*;

    /// The kernels to test; one that the CPU lacks is named.
    fn kernels() -> Vec<Kernel> {
        let (run, left_out) = KERNELS.iter().copied().partition(|&kernel| can_run(kernel));
        let left_out: Vec<_> = left_out;
        if !left_out.is_empty() {
            eprintln!("left out, since this CPU cannot run them: {left_out:?}");
        }
        run
    }

    #[test]
    fn every_kernel_counts_the_empty_board_from_any_depth() {
        let mut scratch = Scratch::default();
        for n in 0..=10 {
            let squares = Squares::of(&Board::new(n).unwrap());
            for kernel in kernels() {
                let mut positions = vec![Position::EMPTY];
                for depth in 0..=n {
                    let sum: u64 = positions
                        .chunks(MAX_N as usize)
                        .map(|few| complete(kernel, &squares, few, &mut scratch).count)
                        .sum();
                    let solutions = known(n).unwrap().solutions;
                    assert_eq!(u128::from(sum), solutions, "{kernel} N = {n} depth {depth}");
                    if depth < n {
                        positions = positions
                            .iter()
                            .flat_map(|position| position.children(&squares))
                            .collect();
                    }
                }
            }
        }
    }

    #[test]
    fn every_kernel_reaches_known_answers_with_every_symmetry() {
        let never = CancelToken::new();
        for n in 0..=16 {
            let board = Board::new(n).unwrap();
            for kernel in kernels() {
                for symmetry in Symmetry::ALL {
                    let slow = kernel == Kernel::Reference || symmetry != Symmetry::Eightfold;
                    if slow && n > 13 {
                        continue;
                    }
                    let list = subproblems(&board, symmetry);
                    let len = list.len();
                    let ready = Bitboard::new(&board, symmetry, list.into(), kernel, 1);
                    let mut scratch = Scratch::default();
                    let mut sum = Tally::default();
                    for index in 0..len {
                        for part in 0..ready.parts(index) {
                            sum += ready.count(index, part, &mut scratch, &never).unwrap();
                        }
                    }
                    let solutions = known(n).unwrap().solutions;
                    let what = format!("{kernel} {symmetry} N = {n}");
                    assert_eq!(u128::from(sum.count), solutions, "{what}");
                }
            }
        }
    }

    /// Queens on the first columns, each on one of the free rows as long as there are any.
    fn place_some(squares: &Squares, choices: &[u32]) -> Position {
        choices.iter().fold(Position::EMPTY, |position, &choice| {
            if position.column == squares.n() {
                return position;
            }
            let children: Vec<_> = position.children(squares).collect();
            match children.len() {
                0 => position,
                len => children[choice as usize % len],
            }
        })
    }

    fn same_as_reference(squares: &Squares, position: Position) -> Result<(), TestCaseError> {
        let mut scratch = Scratch::default();
        let truth = reference::count(squares, position).count;
        for kernel in kernels() {
            let count = complete(kernel, squares, &[position], &mut scratch).count;
            prop_assert_eq!(count, truth, "{}", kernel);
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn random_closed_squares(
            n in 1..12_u32,
            closed in prop::collection::vec((0..12_u32, 0..12_u32), 0..40),
            choices in prop::collection::vec(any::<u32>(), 0..12),
        ) {
            let mut squares = Squares::of(&Board::new(n).unwrap());
            for (column, row) in closed {
                squares.block(column % n, row % n);
            }
            same_as_reference(&squares, place_some(&squares, &choices))?;
        }

        #[test]
        fn random_positions(
            n in 1..13_u32,
            choices in prop::collection::vec(any::<u32>(), 0..13),
        ) {
            let squares = Squares::of(&Board::new(n).unwrap());
            same_as_reference(&squares, place_some(&squares, &choices))?;
        }

        /// The largest boards: some queens placed, and after them few rows open in each column.
        #[test]
        fn large_boards(
            n in 28..=MAX_N,
            choices in prop::collection::vec(any::<u32>(), 12..20),
            open in prop::collection::vec(any::<u32>(), 32),
            more in prop::collection::vec(any::<u32>(), 32),
        ) {
            let mut squares = Squares::of(&Board::new(n).unwrap());
            let position = place_some(&squares, &choices);
            for column in position.column..n {
                let keep = open[column as usize] & more[column as usize];
                for row in (0..n).filter(|row| keep >> row & 1 == 0) {
                    squares.block(column, row);
                }
            }
            same_as_reference(&squares, position)?;
        }

        #[test]
        fn a_forced_queen_is_in_every_solution(n in 4..11_u32, column in 0..11_u32, row in 0..11_u32) {
            let (column, row) = (column % n, row % n);
            let board = Board::new(n).unwrap();
            let mut forced = Squares::of(&board);
            forced.force(column, row);
            let mut alone = Squares::of(&board);
            (0..n).filter(|&other| other != row).for_each(|other| alone.block(column, other));
            let truth = reference::count(&alone, Position::EMPTY).count;
            let mut scratch = Scratch::default();
            for kernel in kernels() {
                let count = complete(kernel, &forced, &[Position::EMPTY], &mut scratch).count;
                prop_assert_eq!(count, truth, "{}", kernel);
            }
        }
    }
}
