//! Output formats for solutions, and the writers for boards, lists, JSON and CSV.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;
use strum::{Display, EnumString, VariantNames};

use crate::human;
use queens::{Board, Placement, Square};

/// Output format for solutions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "lowercase")]
#[non_exhaustive]
pub enum BoardFormat {
    /// Board of `Q` and `_`, one line per row, below the number of the solution.
    Board,
    /// Like `Board`, but with chess pieces and dots.
    Unicode,
    /// Board of `1` and `0`, one line per row, with an empty line between boards.
    Matrix,
    /// Row of the queen in each column, one line per solution.
    List,
    /// Like `List`, but written as assignments: `x0 = 0 x1 = 4`.
    Named,
    /// JSON Lines, one object per solution.
    Json,
    /// Nested JSON arrays of strings, as in exercise 51 of LeetCode.
    LeetCode,
    /// Comma-separated values, with a header line.
    Csv,
    /// Drawing of all boards on one sheet. Preplaced queens and blocked squares are marked.
    Svg,
    /// Self-contained HTML page for browsing boards and their symmetries.
    Html,
}

impl BoardFormat {
    /// Returns the largest supported board size. Formats that show every square have a limit that
    /// keeps files small.
    #[must_use]
    pub fn largest(self) -> u32 {
        match self {
            Self::Board | Self::Unicode | Self::Matrix | Self::LeetCode => 2_000,
            Self::Svg | Self::Html => 200,
            Self::List | Self::Named | Self::Json | Self::Csv => u32::MAX,
        }
    }

    /// Returns the maximum number of solutions in a file, or `None` if it is unlimited.
    #[must_use]
    pub fn most(self) -> Option<u64> {
        match self {
            Self::Svg => Some(1_000),
            Self::Html => Some(20_000),
            _ => None,
        }
    }

    /// Whether the format is meant to be read by people in a terminal.
    #[must_use]
    pub fn is_for_people(self) -> bool {
        matches!(self, Self::Board | Self::Unicode)
    }
}

/// JSON report of a solution.
#[derive(Serialize)]
struct SolutionReport<'a> {
    n: u32,
    solution: u64,
    seconds: f64,
    rows: &'a [u32],
}

/// A solution, with its number and the time at which it was found.
pub(super) struct Found {
    pub(super) placement: Placement,
    pub(super) number: u64,
    pub(super) elapsed: Duration,
    /// Whether headings show the time. If so, solution numbers are zero-based, as in the OR-Tools
    /// guide.
    pub(super) is_timed: bool,
}

impl BoardFormat {
    /// Returns the header line of the output for boards of size `n`, which is empty except in CSV.
    pub(super) fn header(self, n: u32) -> String {
        if self != Self::Csv {
            return String::new();
        }
        let columns = (0..n).map(|column| format!(",column_{column}"));
        format!("n,solution,seconds{}\n", columns.collect::<String>())
    }

    /// Returns the end of the output after the given number of solutions.
    pub(super) fn end(self, solutions: u64) -> &'static str {
        match (self, solutions) {
            (Self::Json | Self::LeetCode, 0) => "[]\n",
            (Self::LeetCode, _) => "]\n",
            _ => "",
        }
    }

    /// Writes a solution of a board. Does nothing if the format draws all solutions on one sheet or
    /// page.
    pub(super) fn write(self, out: &mut dyn Write, found: &Found, board: &Board) -> io::Result<()> {
        let (number, rows) = (found.number, found.placement.rows());
        let seconds = found.elapsed.as_micros() as f64 / 1e6;
        let drawn = |symbols| drawn(&found.placement, board, symbols);
        let heading = || match found.is_timed {
            true => format!("{}, time = {}", number - 1, human::duration(found.elapsed)),
            false => human::integer(number.into()),
        };
        match self {
            Self::Board => writeln!(out, "Solution {}\n{}", heading(), drawn(['Q', '_', 'P', '#'])),
            Self::Unicode => {
                writeln!(out, "Solution {}\n{}", heading(), drawn(['♛', '·', '♔', '▒']))
            }
            Self::Matrix => {
                let between = if number > 1 { "\n" } else { "" };
                write!(out, "{between}{}", drawn(['1', '0', '1', '0']))
            }
            Self::List => writeln!(out, "{}", listed(rows, ' ').trim_start()),
            Self::Named => {
                let named = (0..).zip(rows).map(|(i, row)| format!("x{i} = {row}"));
                writeln!(out, "{}", named.collect::<Vec<_>>().join(" "))
            }
            Self::Json => {
                let report =
                    SolutionReport { n: found.placement.n(), solution: number, seconds, rows };
                serde_json::to_writer(&mut *out, &report)?;
                writeln!(out)
            }
            Self::LeetCode => {
                let drawn = drawn(['Q', '.', 'Q', '.']).replace(' ', "");
                let rows: Vec<_> = drawn.lines().map(|row| format!("\"{row}\"")).collect();
                let before = if number > 1 { ',' } else { '[' };
                write!(out, "{before}[{}]", rows.join(","))
            }
            Self::Csv => writeln!(out, "{},{number},{seconds}{}", rows.len(), listed(rows, ',')),
            Self::Svg | Self::Html => Ok(()),
        }
    }
}

/// Writes a separator before each row number. This is faster than `join`, which would allocate a
/// string for each number.
fn listed(rows: &[u32], separator: char) -> String {
    let mut line = String::with_capacity(4 * rows.len());
    for row in rows {
        let _ = write!(line, "{separator}{row}");
    }
    line
}

/// Draws a solution, one line per row, with symbols for queens, free squares, preplaced queens and
/// blocked squares.
fn drawn(solution: &Placement, board: &Board, symbols: [char; 4]) -> String {
    let [queen, free, preplaced, blocked] = symbols;
    let n = solution.n();
    let mut text = String::with_capacity(2 * (n * n) as usize);
    for row in 0..n {
        for (column, &queen_row) in (0..).zip(solution.rows()) {
            let square = Square::new(column, row);
            text.push(match queen_row == row {
                true if board.has_queen(square) => preplaced,
                true => queen,
                false if board.is_blocked(square) => blocked,
                false => free,
            });
            text.push(if column + 1 == n { '\n' } else { ' ' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::solutions;
    use rstest::rstest;

    fn written(format: BoardFormat, n: u32, is_timed: bool) -> String {
        let mut out = format.header(n).into_bytes();
        for (number, placement) in (1..).zip(solutions(n).unwrap()) {
            let found =
                Found { placement, number, elapsed: Duration::from_micros(1_500), is_timed };
            format.write(&mut out, &found, &Board::new(n).unwrap()).unwrap();
        }
        out.extend(format.end(1).as_bytes());
        String::from_utf8(out).unwrap()
    }

    #[rstest]
    #[case(BoardFormat::List, "1 3 0 2\n2 0 3 1\n")]
    #[case(BoardFormat::Named, "x0 = 1 x1 = 3 x2 = 0 x3 = 2\nx0 = 2 x1 = 0 x2 = 3 x3 = 1\n")]
    #[case(
        BoardFormat::Matrix,
        "0 0 1 0\n1 0 0 0\n0 0 0 1\n0 1 0 0\n\n0 1 0 0\n0 0 0 1\n1 0 0 0\n0 0 1 0\n"
    )]
    #[case(
        BoardFormat::Csv,
        "n,solution,seconds,column_0,column_1,column_2,column_3\n4,1,0.0015,1,3,0,2\n4,2,0.0015,2,0,3,1\n"
    )]
    #[case(
        BoardFormat::Json,
        "{\"n\":4,\"solution\":1,\"seconds\":0.0015,\"rows\":[1,3,0,2]}\n\
         {\"n\":4,\"solution\":2,\"seconds\":0.0015,\"rows\":[2,0,3,1]}\n"
    )]
    #[case(
        BoardFormat::LeetCode,
        "[[\"..Q.\",\"Q...\",\"...Q\",\".Q..\"],[\".Q..\",\"...Q\",\"Q...\",\"..Q.\"]]\n"
    )]
    #[case(
        BoardFormat::Board,
        "Solution 1\n_ _ Q _\nQ _ _ _\n_ _ _ Q\n_ Q _ _\n\n\
         Solution 2\n_ Q _ _\n_ _ _ Q\nQ _ _ _\n_ _ Q _\n\n"
    )]
    #[case(
        BoardFormat::Unicode,
        "Solution 1\n· · ♛ ·\n♛ · · ·\n· · · ♛\n· ♛ · ·\n\n\
         Solution 2\n· ♛ · ·\n· · · ♛\n♛ · · ·\n· · ♛ ·\n\n"
    )]
    fn solutions_for_four_queens(#[case] format: BoardFormat, #[case] expected: &str) {
        assert_eq!(written(format, 4, false), expected);
    }

    /// The OR-Tools guide uses the same heading.
    #[test]
    fn headings_show_the_time_if_requested() {
        let text = written(BoardFormat::Board, 1, true);
        assert_eq!(text, "Solution 0, time = 1.50 ms\nQ\n\n");
    }

    #[test]
    fn the_empty_board_is_a_solution() {
        assert_eq!(written(BoardFormat::List, 0, false), "\n");
        assert!(written(BoardFormat::Json, 0, false).contains("\"rows\":[]"));
        assert_eq!(written(BoardFormat::Csv, 0, false), "n,solution,seconds\n0,1,0.0015\n");
    }
}
