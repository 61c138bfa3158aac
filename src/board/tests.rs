use super::*;

/// Returns all solutions of a board, by placing one queen after another.
pub(crate) fn solutions(board: &Board) -> Vec<Placement> {
    fn extend(board: &Board, rows: &mut Vec<u32>, found: &mut Vec<Placement>) {
        if rows.len() == board.n() as usize {
            found.extend(Placement::new(rows.clone()));
            return;
        }
        for row in 0..board.n() {
            let queen = Square::new(rows.len() as u32, row);
            let mut earlier = (0..).zip(&*rows).map(|(column, &row)| Square::new(column, row));
            if board.allows(queen) && !earlier.any(|other| other.attacks(queen)) {
                rows.push(row);
                extend(board, rows, found);
                rows.pop();
            }
        }
    }
    let mut found = Vec::new();
    extend(board, &mut Vec::new(), &mut found);
    found
}

fn board(n: u32, blocked: &[(u32, u32)]) -> Board {
    let mut board = Board::new(n).unwrap();
    for &(column, row) in blocked {
        board.block(Square::new(column, row)).unwrap();
    }
    board
}

#[test]
fn symmetries_depend_on_the_blocked_squares() {
    let is_mirrored = |blocked: &[_]| board(5, blocked).is_mirror_symmetric();
    assert!(is_mirrored(&[]) && is_mirrored(&[(1, 2)])); // the middle row is its own mirror image
    assert!(!is_mirrored(&[(3, 0)]) && is_mirrored(&[(3, 0), (3, 4)]));

    let has_all = |blocked: &[_]| board(5, blocked).has_all_symmetries();
    assert!(has_all(&[]) && has_all(&[(2, 2)]));
    assert!(has_all(&[(0, 0), (0, 4), (4, 0), (4, 4)]));
    assert!(!has_all(&[(0, 0), (4, 4)]) && !has_all(&[(0, 0), (0, 4)]));
    assert!(!has_all(&[(2, 0), (2, 4)]));
}

/// Covers boards with one word per column and boards with several.
#[test]
fn a_preplaced_queen_makes_attacked_squares_unusable() {
    for n in [1, 5, 32, 70] {
        let mut board = Board::new(n).unwrap();
        assert!(!board.has_constraints());
        let queen = Square::new(n / 3, n - 1 - n / 4);
        board.place(queen).unwrap();
        board.place(queen).unwrap();
        assert!(board.queens().eq([queen]) && board.has_constraints());
        for square in (0..=n).flat_map(|c| (0..=n).map(move |r| Square::new(c, r))) {
            let is_on_board = square.column.max(square.row) < n;
            let is_attacked = queen.attacks(square);
            let is_usable = is_on_board && !is_attacked;
            assert_eq!(board.allows(square), is_usable, "{square:?} of {n}");
            assert_eq!(board.clone().place(square).is_ok(), is_usable, "{square:?} of {n}");
            if n <= MAX_N && is_on_board {
                let rows = board.unusable_rows()[square.column as usize];
                assert_eq!(rows >> square.row & 1 == 1, is_attacked, "{square:?}");
            }
        }
    }
}

#[test]
fn a_rejected_square_leaves_the_board_unchanged() {
    let square = |name: &str| Square::parse(name, 8).unwrap();
    let occupied = |name: &str| {
        let square = name.to_owned();
        Err(BoardError::Occupied { square })
    };
    let mut board = Board::new(8).unwrap().with_blocked(["a8"]).unwrap();
    board.place(square("c5")).unwrap();
    let before = board.clone();
    assert_eq!(board.block(square("c5")), occupied("c5"));
    assert_eq!(board.place(square("a8")), occupied("a8"));
    assert_eq!(board, before);
}

#[test]
fn limits_of_squares_and_sizes() {
    for (column, row) in [(4, 0), (0, 4)] {
        let square = Square::new(column, row);
        let is_off = |outcome| matches!(outcome, Err(BoardError::OffBoard { .. }));
        assert!(is_off(board(4, &[]).block(square)) && is_off(board(4, &[]).place(square)));
    }
    assert!(Board::new(MAX_BOARD).is_ok() && Board::new(MAX_BOARD + 1).is_err());
    let corner = Square::new(0, 0);
    assert!(board(MAX_CONSTRAINED, &[]).block(corner).is_ok());
    assert!(board(MAX_CONSTRAINED + 1, &[]).block(corner).is_err());
    let rows = [0, 5, 32].map(|n| board(n, &[]).rows());
    assert_eq!(rows, [0, 0b1_1111, u32::MAX]);
}
