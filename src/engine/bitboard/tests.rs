//! Tests that compare every kernel with known results and with plain recursion.

use super::*;
use crate::engine::Engine;
use crate::engine::tests::kernels;
use crate::known;
use proptest::prelude::*;

/// Returns all positions with queens in the first `queens` columns.
pub(super) fn positions(squares: &Squares, queens: u32) -> Vec<Position> {
    (0..queens).fold(vec![Position::EMPTY], |positions, _| {
        let children = |position: Position| position.children(squares);
        positions.into_iter().flat_map(children).collect()
    })
}

#[test]
fn known_answers_with_every_kernel_symmetry_depth_and_division() {
    let symmetries = [Symmetry::None, Symmetry::Mirror, Symmetry::Eightfold];
    let divisions = [(2, 1), (2, 3_000), (5, 1)];
    let ways = symmetries.into_iter().flat_map(|symmetry| divisions.map(|way| (symmetry, way)));
    for (kernel, (symmetry, (depth, min_len))) in kernels(Engine::Bitboard)
        .into_iter()
        .flat_map(|kernel| ways.clone().map(move |way| (kernel, way)))
    {
        let is_slow = kernel == Kernel::Reference || symmetry != Symmetry::Eightfold;
        for n in 0..=if is_slow { 10 } else { 13 } {
            let board = Board::new(n).unwrap();
            let subproblems = Subproblems::with_min_len(min_len, &board, symmetry);
            let (len, isa) = (subproblems.len(), Isa::detect(kernel).unwrap());
            let (call_depth, cancel) = (depth.min(n), CancelToken::new());
            let solver = Solver { subproblems, isa, call_depth, cancel };
            let mut lists = StateLists::default();
            let counts = (0..len).map(|index| solver.count(index, &mut lists).unwrap());
            let total = u128::from(counts.fold(0, add));
            let published = known::values(n).unwrap().solutions;
            assert_eq!(total, published, "{kernel} {symmetry} N = {n} {depth} {min_len}");
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

/// Checks that every kernel counts as the plain recursion does.
fn same_as_reference(squares: &Squares, position: Position) -> Result<(), TestCaseError> {
    let (truth, mut lists) = (reference::count(squares, position), StateLists::default());
    for kernel in kernels(Engine::Bitboard) {
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

}
