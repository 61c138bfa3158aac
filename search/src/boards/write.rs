//! Solutions as text: boards, matrices, lists of rows and JSON.

use std::fmt::Write as _;

use queens::{Board, Placement, Square};
use serde::Serialize;

/// Returns a drawing of a solution, with a line per row. Queens are `Q`, blocked squares `#` and
/// other squares `_`.
#[must_use]
pub fn drawn(solution: &Placement, board: &Board) -> String {
    let mut text = solution.to_string();
    for Square { column, row } in board.blocked_squares() {
        // Each square takes two bytes, with the blank or the end of the line after it.
        let at = 2 * (row * board.n() + column) as usize;
        text.replace_range(at..=at, "#");
    }
    text
}

/// Returns a matrix with a line per row. Queens are ones and other squares zeros.
#[must_use]
pub fn matrix(solution: &Placement) -> String {
    solution.to_string().replace('Q', "1").replace('_', "0")
}

/// Returns a line with the row of the queen in each column.
#[must_use]
pub fn listed(solution: &Placement) -> String {
    let mut line = String::with_capacity(4 * solution.rows().len() + 1);
    for (i, row) in solution.rows().iter().enumerate() {
        let separator = if i == 0 { "" } else { " " };
        // Faster than `join`, which would allocate a string for each number.
        let _ = write!(line, "{separator}{row}");
    }
    line + "\n"
}

/// Returns a JSON object in one line without its end, for a solution with a number and the seconds
/// until it was found.
#[must_use]
pub fn json_object(solution: &Placement, number: u64, seconds: f64) -> String {
    #[derive(Serialize)]
    struct Record<'a> {
        n: u32,
        solution: u64,
        seconds: f64,
        rows: &'a [u32],
    }
    let record = Record { n: solution.n(), solution: number, seconds, rows: solution.rows() };
    serde_json::to_string(&record).expect("numbers are valid JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solution_in_each_format() {
        let solution = crate::solutions(4).unwrap().next().unwrap();
        let mut board = Board::new(4).unwrap();
        board.block(Square::new(3, 3)).unwrap();
        assert_eq!(drawn(&solution, &board), "_ _ Q _\nQ _ _ _\n_ _ _ Q\n_ Q _ #\n");
        assert_eq!(matrix(&solution), "0 0 1 0\n1 0 0 0\n0 0 0 1\n0 1 0 0\n");
        assert_eq!(listed(&solution), "1 3 0 2\n");
        let json = json_object(&solution, 2, 0.0015);
        assert_eq!(json, "{\"n\":4,\"solution\":2,\"seconds\":0.0015,\"rows\":[1,3,0,2]}");
    }

    #[test]
    fn the_empty_board_is_a_solution() {
        let solution = crate::solutions(0).unwrap().next().unwrap();
        assert_eq!(listed(&solution), "\n");
        assert!(json_object(&solution, 1, 0.0).contains("\"rows\":[]"));
    }
}
