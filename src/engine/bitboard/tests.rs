//! Tests that compare every kernel with known results and with plain recursion.

use super::*;
use crate::engine::Engine;
use crate::known;
use proptest::prelude::*;

/// Returns the kernels that this CPU can run.
fn kernels() -> Vec<Kernel> {
    crate::engine::tests::kernels(Engine::Bitboard)
}

/// Returns all positions with queens in the first `queens` columns.
pub(super) fn positions(squares: &Squares, queens: u32) -> Vec<Position> {
    (0..queens).fold(vec![Position::EMPTY], |positions, _| {
        let children = |position: Position| position.children(squares);
        positions.into_iter().flat_map(children).collect()
    })
}

/// Counts the solutions of a board, which is divided into at least `least` subproblems.
fn count(
    board: &Board,
    kernel: Kernel,
    symmetry: Symmetry,
    call_depth: u32,
    min_len: usize,
) -> u64 {
    let subproblems = Subproblems::with_min_len(min_len, board, symmetry);
    let len = subproblems.len();
    let (isa, call_depth) = (Isa::detect(kernel).unwrap(), call_depth.min(board.n()));
    let solver = Solver { subproblems, isa, call_depth, cancel: CancelToken::new() };
    let mut lists = StateLists::default();
    let mut sum = 0;
    for index in 0..len {
        sum = add(sum, solver.count(index, &mut lists).unwrap());
    }
    sum
}

#[test]
fn every_kernel_reaches_known_answers_with_every_symmetry_depth_and_division() {
    for n in 0..=13 {
        let board = Board::new(n).unwrap();
        let solutions = known::values(n).unwrap().solutions;
        for kernel in kernels() {
            for symmetry in [Symmetry::None, Symmetry::Mirror, Symmetry::Eightfold] {
                let slow = kernel == Kernel::Reference || symmetry != Symmetry::Eightfold;
                if slow && n > 10 {
                    continue;
                }
                for (depth, min_len) in [(2, 1), (2, 3_000), (5, 1)] {
                    let counted = count(&board, kernel, symmetry, depth, min_len);
                    let counted = u128::from(counted);
                    assert_eq!(counted, solutions, "{kernel} {symmetry} N = {n} {depth}");
                }
            }
        }
    }
}

#[test]
#[should_panic(expected = "fits 64 bits")]
fn overflow_panics() {
    add(u64::MAX, 1);
}

/// Places a queen in each of the first columns, as long as there are free rows. Each choice selects
/// one of these rows.
fn place_some(squares: &Squares, choices: &[u32]) -> Position {
    choices.iter().fold(Position::EMPTY, |position, &choice| {
        if position.column == squares.n {
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
    count_to(reference::count(squares, position), squares, position)
}

/// Checks that every kernel returns `truth`.
fn count_to(truth: u64, squares: &Squares, position: Position) -> Result<(), TestCaseError> {
    let mut lists = StateLists::default();
    for kernel in kernels() {
        let count = complete(Isa::detect(kernel).unwrap(), squares, &[position], &mut lists);
        prop_assert_eq!(count, truth, "{}", kernel);
    }
    Ok(())
}

proptest! {
    #[test]
    fn random_positions_and_blocked_squares(
        n in 1..13_u32,
        blocked in prop::collection::vec((0..12_u32, 0..12_u32), 0..40),
        choices in prop::collection::vec(any::<u32>(), 0..13),
    ) {
        let mut squares = Squares::for_board(&Board::new(n).unwrap());
        same_as_reference(&squares, place_some(&squares, &choices))?;
        for (column, row) in blocked {
            squares.block(column % n, row % n);
        }
        same_as_reference(&squares, place_some(&squares, &choices))?;
    }

    /// Tests the largest boards, with some queens placed and few open rows in each remaining
    /// column.
    #[test]
    fn large_boards(
        n in 28..=MAX_N,
        choices in prop::collection::vec(any::<u32>(), 12..20),
        open in prop::collection::vec(any::<u32>(), 32),
        more in prop::collection::vec(any::<u32>(), 32),
    ) {
        let mut squares = Squares::for_board(&Board::new(n).unwrap());
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
        let mut forced = Squares::for_board(&board);
        forced.force(column, row);
        let mut alone = Squares::for_board(&board);
        (0..n).filter(|&other| other != row).for_each(|other| alone.block(column, other));
        let truth = reference::count(&alone, Position::EMPTY);
        count_to(truth, &forced, Position::EMPTY)?;
    }
}
