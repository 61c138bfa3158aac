//! Bipartite matching of columns and rows.
//!
//! Every solution matches each column to a row of its own. If the usable squares allow no such
//! matching, some columns have their usable squares in fewer rows than there are columns, and the
//! board has no solution, however the diagonals are (P. Hall 1935).

use std::collections::VecDeque;

use queens::board::{Board, Square};

/// Whether each column can have a usable square in a row of its own. An empty board has no need of
/// a test.
pub(super) fn has_matching(board: &Board) -> bool {
    let n = board.n();
    if !board.has_constraints() {
        return true;
    }
    let mut matching =
        Matching { column_in: vec![None; n as usize], row_of: vec![None; n as usize] };
    (0..n).all(|column| matching.add(board, column))
}

struct Matching {
    /// For each row, the column that is matched to it.
    column_in: Vec<Option<u32>>,
    /// For each column, the row that it is matched to.
    row_of: Vec<Option<u32>>,
}

impl Matching {
    /// Matches another column to a row, along a shortest augmenting path on which columns take over
    /// each other's rows. Returns false if there is no such path.
    fn add(&mut self, board: &Board, column: u32) -> bool {
        let rows =
            |column| (0..board.n()).filter(move |&row| board.allows(Square::new(column, row)));
        // For each row reached, the column from which it was reached.
        let mut reached_from = vec![None; board.n() as usize];
        let mut columns = VecDeque::from([column]);
        while let Some(from) = columns.pop_front() {
            // Usually, a row is left, and no other columns need to be visited.
            let left = rows(from).find(|&row| self.column_in[row as usize].is_none());
            if let Some(mut row) = left {
                let mut column = from;
                while let Some(before) = self.row_of[column as usize].replace(row) {
                    self.column_in[row as usize] = Some(column);
                    row = before;
                    column = reached_from[row as usize].expect("a row on the path");
                }
                self.column_in[row as usize] = Some(column);
                return true;
            }
            for row in rows(from) {
                if reached_from[row as usize].is_none() {
                    reached_from[row as usize] = Some(from);
                    columns.extend(self.column_in[row as usize]);
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// Whether the columns from `column` on have usable squares in different rows.
    fn fits(board: &Board, column: u32, used: u32) -> bool {
        let is_left = |row: &u32| used >> row & 1 == 0 && board.allows(Square::new(column, *row));
        column == board.n()
            || (0..board.n()).filter(is_left).any(|row| fits(board, column + 1, used | 1 << row))
    }

    #[test]
    fn matchings_are_found_if_there_are_any() {
        let mut rng = Rng::with_seed(1);
        let mut counts = [0; 2];
        for _ in 0..2_000 {
            let n = rng.u32(0..=7);
            let mut board = Board::new(n).unwrap();
            let density = rng.f64();
            for square in (0..n * n).map(|i| Square::new(i / n, i % n)) {
                if rng.f64() < density {
                    board.block(square).unwrap();
                }
            }
            let has = fits(&board, 0, 0);
            assert_eq!(has_matching(&board), has, "{board}");
            let none = vec![None; n as usize];
            let mut matching = Matching { column_in: none.clone(), row_of: none };
            let matched = (0..n).take_while(|&column| matching.add(&board, column)).count();
            for (column, row) in (0..).zip(&matching.row_of[..matched]) {
                let row = row.unwrap();
                assert!(board.allows(Square::new(column, row)), "{board}");
                assert_eq!(matching.column_in[row as usize], Some(column), "{board}");
            }
            counts[usize::from(has)] += 1;
        }
        assert!(counts.iter().all(|&count| count > 300), "{counts:?}");
    }
}
