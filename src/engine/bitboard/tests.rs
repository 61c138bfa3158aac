//! Tests that compare every kernel with known results and with plain recursion.

use super::*;
use crate::engine::Engine;
use crate::known::{self, torus_solutions};
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
fn count(board: &Board, kernel: Kernel, symmetry: Symmetry, call_depth: u32, least: usize) -> u64 {
    let cut = Cut::of_at_least(least, board, symmetry);
    let subproblems = cut.len();
    let (isa, call_depth) = (Isa::of_words(kernel).unwrap(), call_depth.min(board.n()));
    let solver = Solver { cut, isa, mirrored: false, call_depth, cancel: CancelToken::new() };
    let mut lists = StateLists::default();
    let mut sum = 0;
    for index in 0..subproblems {
        sum = add(sum, solver.count(index, &mut lists).unwrap());
    }
    sum
}

#[test]
fn every_kernel_reaches_known_answers_with_every_symmetry_depth_and_cut() {
    for n in 0..=13 {
        let board = Board::new(n).unwrap();
        let solutions = known::values(n).unwrap().solutions;
        for kernel in kernels() {
            for symmetry in [Symmetry::None, Symmetry::Mirror, Symmetry::Eightfold] {
                let slow = kernel == Kernel::Reference || symmetry != Symmetry::Eightfold;
                if slow && n > 10 {
                    continue;
                }
                for (depth, least) in [(2, 1), (2, 3_000), (5, 1)] {
                    let counted = count(&board, kernel, symmetry, depth, least);
                    let counted = u128::from(counted);
                    assert_eq!(counted, solutions, "{kernel} {symmetry} N = {n} {depth}");
                }
            }
        }
    }
}

/// Also searches boards that are known to have no solutions.
#[test]
fn the_torus_reaches_known_answers_with_every_symmetry() {
    for n in 0..=17 {
        let board = Board::torus(n).unwrap();
        let count = |symmetry, least| count(&board, Kernel::Reference, symmetry, 2, least);
        let counted = count(Symmetry::Translation, 100);
        let published = torus_solutions(n).unwrap();
        assert_eq!(u128::from(counted), published, "N = {n}");
        if n <= 11 {
            assert_eq!(count(Symmetry::None, 1), counted, "N = {n}");
            assert_eq!(count(Symmetry::Mirror, 300), counted, "N = {n}");
        }
    }
}

#[test]
#[should_panic(expected = "fits 64 bits")]
fn overflow_panics() {
    add(u64::MAX, 1);
}

#[test]
fn an_unsolvable_torus_has_no_subproblems() {
    for n in 0..=32 {
        let board = Board::torus(n).unwrap();
        let cut = Cut::new(&board, None).unwrap();
        assert_eq!(cut.len() > 0, torus_is_solvable(n), "N = {n}");
    }
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
        let count = complete(Isa::of_words(kernel).unwrap(), squares, &[position], &mut lists);
        prop_assert_eq!(count, truth, "{}", kernel);
    }
    Ok(())
}

proptest! {
    /// Checks that flipping a position is the same as placing the flipped queens on the flipped
    /// board.
    #[test]
    fn positions_turn_upside_down_with_their_queens(
        n in 1..=MAX_N,
        blocked in prop::collection::vec((0..MAX_N, 0..MAX_N), 0..40),
        rows in prop::collection::vec(0..MAX_N, 0..32),
    ) {
        let mut squares = [Squares::of(&Board::new(n).unwrap()); 2];
        for (column, row) in blocked {
            squares[0].block(column % n, row % n);
            squares[1].block(column % n, n - 1 - row % n);
        }
        prop_assert_eq!(squares[0].upside_down(), squares[1]);
        let mut positions = [Position::EMPTY; 2];
        for row in rows {
            if positions[0].column == n {
                break;
            }
            let placed = [
                positions[0].place_all(&squares[0], &[(row % n) as u8]),
                positions[1].place_all(&squares[1], &[(n - 1 - row % n) as u8]),
            ];
            prop_assert_eq!(placed[0].is_some(), placed[1].is_some());
            if let [Some(one), Some(other)] = placed {
                positions = [one, other];
            }
            let (turned, other) = (positions[0].upside_down(n), positions[1]);
            let on_board = |p: Position| [p.column, p.rows, p.falling & squares[0].rows(), p.rising];
            prop_assert_eq!(on_board(turned), on_board(other));
        }
    }

    #[test]
    fn random_positions_and_blocked_squares(
        n in 1..13_u32,
        blocked in prop::collection::vec((0..12_u32, 0..12_u32), 0..40),
        choices in prop::collection::vec(any::<u32>(), 0..13),
    ) {
        let mut squares = Squares::of(&Board::new(n).unwrap());
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
        let truth = reference::count(&alone, Position::EMPTY);
        count_to(truth, &forced, Position::EMPTY)?;
    }
}
