//! Writes solutions as boards, text, JSON, CSV, drawings and pages.

use std::fmt;
use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;
use strum::{Display, EnumString, VariantNames};

use super::{html, sheet};
use crate::human;
use queens::{Board, Placement};

/// Output format for solutions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "lowercase")]
#[non_exhaustive]
pub enum BoardFormat {
    /// `Q` and `_`, one line per row, below the solution's number.
    Board,
    /// Like `Board`, with chess pieces and dots.
    Unicode,
    /// `1` and `0`, one line per row, with an empty line between boards.
    Matrix,
    /// Row of the queen in each column, one line per solution.
    List,
    /// Like `List`, as assignments: `x0 = 0 x1 = 4`.
    Named,
    /// One JSON object per line and solution.
    Json,
    /// Comma-separated values with a header line.
    Csv,
    /// Drawings on one sheet, with preplaced queens and blocked squares marked.
    Svg,
    /// Self-contained page to browse boards and their symmetries.
    Html,
}

impl BoardFormat {
    /// Returns the largest board size. Formats that show every square have a limit, to keep files small.
    #[must_use]
    pub fn largest(self) -> u32 {
        match self {
            Self::Board | Self::Unicode | Self::Matrix => 2_000,
            Self::Svg | Self::Html => 200,
            Self::List | Self::Named | Self::Json | Self::Csv => u32::MAX,
        }
    }

    /// Returns the maximum number of solutions in one file, if limited.
    #[must_use]
    pub fn most(self) -> Option<u64> {
        match self {
            Self::Svg => Some(1_000),
            Self::Html => Some(20_000),
            _ => None,
        }
    }

    /// Whether the format is meant for reading in a terminal.
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

/// Writer of solutions in any format.
///
/// ```
/// use queens::Board;
/// use queens_cli::solve::{BoardFormat, BoardWriter};
///
/// let board = Board::new(4)?;
/// let mut out = Vec::new();
/// let mut writer = BoardWriter::new(BoardFormat::List, &board);
/// writer.begin(&mut out)?;
/// for solution in queens::solutions(4)? {
///     writer.solution(&mut out, &solution, Default::default())?;
/// }
/// writer.end(&mut out, "N = 4")?;
/// assert_eq!(String::from_utf8(out)?, "1 3 0 2\n2 0 3 1\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct BoardWriter<'a> {
    format: BoardFormat,
    board: &'a Board,
    written: u64,
    /// Solutions of a sheet or page, which is written at the end.
    sheet: Vec<Placement>,
    width: u32,
    timed: bool,
}

impl<'a> BoardWriter<'a> {
    /// Creates a writer for solutions of `board`.
    #[must_use]
    pub fn new(format: BoardFormat, board: &'a Board) -> Self {
        Self {
            format,
            board,
            written: 0,
            sheet: Vec::new(),
            width: sheet::WIDTH,
            timed: false,
        }
    }

    /// Sets the width of a sheet in pixels, by default 1,100. A sheet fits at least one board, and is wider if it would
    /// be more than 16,000 pixels high.
    #[must_use]
    pub fn width(self, width: Option<u32>) -> Self {
        let width = width.unwrap_or(self.width);
        Self { width, ..self }
    }

    /// Sets whether headings contain the time. Solutions are then numbered from 0, as in OR-Tools' guide.
    #[must_use]
    pub fn timed(self, timed: bool) -> Self {
        Self { timed, ..self }
    }

    /// Whether the format's maximum number of solutions has been written.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.format.most().is_some_and(|most| self.written >= most)
    }

    /// Writes the header, if the format has one.
    ///
    /// # Errors
    ///
    /// I/O errors of `out`.
    pub fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.format == BoardFormat::Csv {
            let columns = (0..self.board.n()).map(|column| format!(",column_{column}"));
            writeln!(out, "solution,seconds{}", columns.collect::<String>())?;
        }
        Ok(())
    }

    /// Writes a solution that was found after `elapsed`.
    ///
    /// # Errors
    ///
    /// I/O errors of `out`.
    pub fn solution(
        &mut self,
        out: &mut dyn Write,
        placement: &Placement,
        elapsed: Duration,
    ) -> io::Result<()> {
        self.written += 1;
        let (number, rows) = (self.written, placement.rows());
        let seconds = elapsed.as_micros() as f64 / 1e6;
        let (queen, free) = match self.format {
            BoardFormat::Unicode => ("♛", "·"),
            BoardFormat::Matrix => ("1", "0"),
            _ => ("Q", "_"),
        };
        let board = || {
            let board = placement.to_string();
            board.replace('Q', queen).replace('_', free)
        };
        match self.format {
            BoardFormat::Board | BoardFormat::Unicode => {
                let heading = match self.timed {
                    true => format!("{}, time = {}", number - 1, human::duration(elapsed)),
                    false => human::integer(number.into()),
                };
                writeln!(out, "Solution {heading}\n{}", board())
            }
            BoardFormat::Matrix => {
                let between = if number > 1 { "\n" } else { "" };
                write!(out, "{between}{}", board())
            }
            BoardFormat::List => {
                // Faster than `join`, which allocates a string per number.
                let mut line = String::with_capacity(4 * rows.len());
                for row in rows {
                    let _ = fmt::Write::write_fmt(&mut line, format_args!(" {row}"));
                }
                line.push('\n');
                out.write_all(line.trim_start_matches(' ').as_bytes())
            }
            BoardFormat::Named => {
                let named = (0..).zip(rows).map(|(i, row)| format!("x{i} = {row}"));
                writeln!(out, "{}", named.collect::<Vec<_>>().join(" "))
            }
            BoardFormat::Json => {
                serde_json::to_writer(
                    &mut *out,
                    &SolutionReport {
                        n: self.board.n(),
                        solution: number,
                        seconds,
                        rows,
                    },
                )?;
                writeln!(out)
            }
            BoardFormat::Csv => {
                let rows = rows.iter().map(|row| format!(",{row}"));
                writeln!(out, "{number},{seconds}{}", rows.collect::<String>())
            }
            BoardFormat::Svg | BoardFormat::Html => {
                self.sheet.push(placement.clone());
                Ok(())
            }
        }
    }

    /// Writes the sheet or page with a title, unless there is no solution. A sheet of one board shows no title.
    ///
    /// # Errors
    ///
    /// I/O errors of `out`.
    pub fn end(&mut self, out: &mut dyn Write, title: &str) -> io::Result<()> {
        if self.sheet.is_empty() {
            return Ok(());
        }
        let text = match self.format {
            BoardFormat::Html => html::solutions(&self.sheet, self.board, title),
            _ => sheet::sheet(&self.sheet, self.board, title, self.width),
        };
        out.write_all(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::super::sheet::side;
    use super::*;
    use queens::Square;
    use queens::solve::{Solutions, solutions};
    use rstest::rstest;

    fn written(format: BoardFormat, board: &Board) -> String {
        let mut out = Vec::new();
        let mut writer = BoardWriter::new(format, board);
        writer.begin(&mut out).unwrap();
        let elapsed = Duration::from_micros(1_500);
        for placement in Solutions::new(board).unwrap() {
            writer.solution(&mut out, &placement, elapsed).unwrap();
        }
        writer.end(&mut out, "all of them").unwrap();
        String::from_utf8(out).unwrap()
    }

    #[rstest]
    #[case(BoardFormat::List, "1 3 0 2\n2 0 3 1\n")]
    #[case(
        BoardFormat::Named,
        "x0 = 1 x1 = 3 x2 = 0 x3 = 2\nx0 = 2 x1 = 0 x2 = 3 x3 = 1\n"
    )]
    #[case(
        BoardFormat::Matrix,
        "0 0 1 0\n1 0 0 0\n0 0 0 1\n0 1 0 0\n\n0 1 0 0\n0 0 0 1\n1 0 0 0\n0 0 1 0\n"
    )]
    #[case(
        BoardFormat::Csv,
        "solution,seconds,column_0,column_1,column_2,column_3\n1,0.0015,1,3,0,2\n2,0.0015,2,0,3,1\n"
    )]
    #[case(
        BoardFormat::Json,
        "{\"n\":4,\"solution\":1,\"seconds\":0.0015,\"rows\":[1,3,0,2]}\n\
         {\"n\":4,\"solution\":2,\"seconds\":0.0015,\"rows\":[2,0,3,1]}\n"
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
    fn the_solutions_of_four_queens(#[case] format: BoardFormat, #[case] expected: &str) {
        assert_eq!(written(format, &Board::new(4).unwrap()), expected);
    }

    /// The heading is that of OR-Tools' guide.
    #[test]
    fn headings_have_the_time_if_requested() {
        let board = Board::new(1).unwrap();
        let mut writer = BoardWriter::new(BoardFormat::Board, &board).timed(true);
        let (mut out, elapsed) = (Vec::new(), Duration::from_millis(7));
        let placement = solutions(1).unwrap().next().unwrap();
        writer.solution(&mut out, &placement, elapsed).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "Solution 0, time = 7.00 ms\nQ\n\n");
    }

    #[test]
    fn queens_are_drawn_where_they_stand() {
        for n in [1, 4, 8] {
            let all: Vec<_> = solutions(n).unwrap().collect();
            let side = side(n, all.len() == 1);
            let queens = all.iter().flat_map(Placement::squares).map(|square| {
                let (x, y) = (square.column * side, square.row * side);
                format!(r##"<use href="#queen" x="{x}" y="{y}"/>"##)
            });
            let svg = written(BoardFormat::Svg, &Board::new(n).unwrap());
            assert!(
                svg.lines()
                    .filter(|line| line.starts_with("<use href"))
                    .eq(queens)
            );
        }
    }

    /// A board of N = 8 takes 200 by 222 pixels. Rows have equal lengths that fit the width, up to 16,000 pixels of
    /// height.
    #[rstest]
    #[case(12, 1_100, 4)]
    #[case(92, 1_100, 5)]
    #[case(92, 2_500, 12)]
    #[case(4, 1, 1)]
    #[case(1_000, 1_100, 15)]
    fn a_sheet_fits_its_width(#[case] boards: usize, #[case] width: u32, #[case] across: usize) {
        let all: Vec<_> = solutions(8).unwrap().collect();
        let all: Vec<_> = all.into_iter().cycle().take(boards).collect();
        let svg = sheet::sheet(&all, &Board::new(8).unwrap(), "all", width);
        assert_eq!(svg.matches(" 56)\"><rect").count(), across);
    }

    #[test]
    fn the_empty_board_is_a_solution_and_no_solution_makes_no_sheet() {
        assert_eq!(written(BoardFormat::Svg, &Board::new(3).unwrap()), "");
        let written = |format| written(format, &Board::new(0).unwrap());
        assert_eq!(written(BoardFormat::List), "\n");
        assert!(written(BoardFormat::Json).contains("\"rows\":[]"));
        assert_eq!(written(BoardFormat::Csv), "solution,seconds\n1,0.0015\n");
        assert!(written(BoardFormat::Svg).ends_with("</svg>\n"));
    }

    #[test]
    fn a_sheet_shows_preplaced_queens_and_blocked_squares() {
        let square = |name| Square::parse(name, 6).unwrap();
        let mut board = Board::new(6).unwrap();
        board.place(square("b6")).unwrap();
        board.block(square("d1")).unwrap();
        let svg = written(BoardFormat::Svg, &board);
        let boards = svg.matches("<g ").count();
        assert_eq!(svg.matches("href=\"#queen\"").count(), 5 * boards);
        // Column b is the second from the left, rank 6 at the top; column d is the fourth, rank 1 at the bottom.
        assert!(boards > 0);
        let side = side(6, boards == 1);
        for (what, column, row) in [("preplaced", 1, 0), ("blocked", 3, 5)] {
            let place = format!(r#"{what}" x="{}" y="{}""#, column * side, row * side);
            assert_eq!(svg.matches(&format!("\"#{place}")).count(), boards);
        }
    }
}
