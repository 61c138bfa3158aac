//! Propagation against its definition: what is left at the root, on small boards with blocked squares.

use super::*;
use proptest::prelude::{Just, Strategy as _, any, prop_assert, prop_assert_eq, proptest};

type Rows = Vec<Vec<u32>>;

/// The lines of three kinds of a square.
fn lines(board: &Board, column: u32, row: u32) -> [u32; 3] {
    let n = board.n();
    let lines = [row, row + column, row + n - column];
    match board.is_torus() {
        true => lines.map(|line| line % n),
        false => lines,
    }
}

/// Whether columns from one on can each have a row of theirs, with no line of this kind twice.
fn fits(board: &Board, rows: &Rows, kind: usize, column: u32, used: &mut Vec<u32>) -> bool {
    let Some(own) = rows.get(column as usize) else {
        return true;
    };
    own.iter().any(|&row| {
        let line = lines(board, column, row)[kind];
        if used.contains(&line) {
            return false;
        }
        used.push(line);
        let fits = fits(board, rows, kind, column + 1, used);
        used.pop();
        fits
    })
}

/// Whether a row of a column has a support: rows for all columns with it among them, where a column may use all rows
/// between its bounds if `hulls`.
fn is_supported(
    board: &Board,
    rows: &Rows,
    kind: usize,
    (column, row): (u32, u32),
    hulls: bool,
) -> bool {
    let hull = |own: &Vec<u32>| match hulls {
        true => (own[0]..=own[own.len() - 1]).collect(),
        false => own.clone(),
    };
    let mut rows: Rows = rows.iter().map(hull).collect();
    rows[column as usize] = vec![row];
    fits(board, &rows, kind, 0, &mut Vec::new())
}

/// The rows that the definition leaves; none where a column is left without.
fn fixpoint(board: &Board, propagation: Propagation) -> Option<Rows> {
    let n = board.n();
    let allowed = |column| (0..n).filter(move |&row| board.allows(Square::new(column, row)));
    let mut rows: Rows = (0..n).map(|column| allowed(column).collect()).collect();
    loop {
        let before = rows.clone();
        if rows.iter().any(Vec::is_empty) {
            return None;
        }
        for column in 0..n as usize {
            if let [row] = rows[column][..] {
                let queen = Square::new(column as u32, row);
                for (other, rows) in (0..).zip(&mut rows) {
                    rows.retain(|&row| {
                        !queen.attacks(Square::new(other, row), n, board.is_torus())
                    });
                }
            }
        }
        for kind in 0..3 {
            for column in 0..n {
                if rows.iter().any(Vec::is_empty) {
                    return None;
                }
                let own = &rows[column as usize];
                let (first, last) = (own[0], own[own.len() - 1]);
                let stays = |row: &u32| match propagation {
                    Propagation::Bounds => {
                        (*row != first && *row != last)
                            || is_supported(board, &rows, kind, (column, *row), true)
                    }
                    Propagation::Domain => is_supported(board, &rows, kind, (column, *row), false),
                    _ => true,
                };
                let own = own.iter().copied().filter(stays).collect();
                rows[column as usize] = own;
            }
        }
        if rows == before {
            return Some(rows);
        }
    }
}

proptest! {
    #[test]
    fn propagation_leaves_what_its_definition_leaves(
        (n, torus, blocked) in (3..=6_u32).prop_flat_map(|n| {
            let square = (0..n, 0..n).prop_map(|(column, row)| Square::new(column, row));
            (Just(n), any::<bool>(), proptest::collection::vec(square, 0..(n * n) as usize))
        })
    ) {
        let mut board = if torus { Board::torus(n) } else { Board::new(n) }.unwrap();
        for square in blocked {
            board.block(square).unwrap();
        }
        for propagation in [Propagation::Value, Propagation::Bounds, Propagation::Domain] {
            let settings = Settings { propagation, ..Strategy::FirstUnbound.into() };
            let Ok(mut search) = Search::new(&board, settings, Limits::default()) else {
                prop_assert!(torus && propagation == Propagation::Bounds);
                continue;
            };
            let is_failure = matches!(search.step(), Step::Failure(..));
            let left = || (0..n).map(|column| search.free_rows(column).collect()).collect();
            let left: Option<Rows> = (!is_failure).then(left);
            prop_assert_eq!(left, fixpoint(&board, propagation), "{} {:?}", propagation, &board);
        }
    }
}
