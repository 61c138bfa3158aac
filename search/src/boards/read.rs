//! Reads boards: drawings, lists of rows, lists of squares, and JSON.
//!
//! The first character of a text decides among these forms, and all boards of the text have the
//! same form. Headings and summaries of `queens solve` are skipped.

use std::fmt::Display;
use std::io::{BufRead, Read};

use queens::{BoardError, Placement, PlacementError, Square};
use serde::Deserialize;
use thiserror::Error;

/// A board before validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedBoard {
    /// Line on which the board begins, numbered from one.
    line: usize,
    /// Number of rows.
    pub n: u32,
    /// Queens, at most `n + 1` of a drawn board.
    pub queens: Vec<Square>,
    /// Blocked squares.
    pub blocked: Vec<Square>,
}

/// Error about the first line that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {reason}")]
pub struct ReadError {
    /// Line number, from one.
    pub line: usize,
    /// What is wrong with the line, which it quotes.
    pub reason: String,
}

/// A line without surrounding blanks, and its number.
type Line<'a> = (usize, &'a str);

/// Maximum length of a line in bytes. The longest line needed, the list of the largest board, is
/// 7 MB long.
const LONGEST_LINE: u64 = 16 << 20;

/// Maximum length of the input in bytes.
const LONGEST_INPUT: usize = 1 << 30;

/// Forms of boards, for messages.
const ACCEPTED: &str = "accepted: a board drawn with Q, _, . and #, or on each line row numbers such \
    as 1,3,0,2, squares such as a2,b4,c1,d3, or JSON such as [1,3,0,2]";

/// Reads the whole input.
///
/// # Errors
///
/// Returns the cause if the input cannot be read, is not UTF-8, or is too long.
pub fn read_text(input: &mut dyn BufRead) -> Result<String, ReadError> {
    let mut text = String::new();
    for line in 1.. {
        let error = |reason: &str| ReadError { line, reason: reason.to_owned() };
        let read = input.take(LONGEST_LINE).read_line(&mut text);
        match read.map_err(|cause| error(&cause.to_string()))? as u64 {
            0 => break,
            LONGEST_LINE => return Err(error("too long (accepted: lines shorter than 16 MiB)")),
            _ if text.len() > LONGEST_INPUT => {
                return Err(error("the input is too long (accepted: up to 1 GiB)"));
            }
            _ => {}
        }
    }
    Ok(text)
}

/// Checks a board given on one line. The inner error is the reason why it is not a solution.
///
/// # Errors
///
/// Returns the reason why the line is not one board.
pub fn check_line(line: &str) -> Result<Result<(), String>, String> {
    let board = parse_one(line).map_err(|error| error.reason)?;
    Ok(board.check())
}

/// Parses boards. There is at least one.
///
/// # Errors
///
/// Returns an error if the text has no board, or if a line cannot be read.
pub fn parse(text: &str) -> Result<Vec<ParsedBoard>, ReadError> {
    let is_heading = |line: &str| line.starts_with("Solution ") || line.starts_with("N = ");
    let lines = (1..).zip(text.lines().map(str::trim));
    let lines: Vec<Line> =
        lines.filter(|(_, line)| !line.is_empty() && !is_heading(line)).collect();
    let Some(&(first, line)) = lines.first() else {
        let reason = format!("no board found ({ACCEPTED})");
        return Err(ReadError { line: text.lines().count().max(1), reason });
    };
    match line.chars().next().unwrap_or_default() {
        'Q' | '_' | '.' | '#' => drawings(&lines, text.lines().count()),
        '0'..='9' => lines.iter().map(|&line| rows(line)).collect(),
        'a'..='z' | 'A'..='Z' => lines.iter().map(|&line| squares(line)).collect(),
        '[' | '{' => lines.iter().map(|&line| json(line)).collect(),
        _ => Err(unreadable((first, line), format!("not a board ({ACCEPTED})"))),
    }
}

/// Parses one board.
///
/// # Errors
///
/// Returns the errors of [`parse`], and an error if there are several boards.
pub fn parse_one(text: &str) -> Result<ParsedBoard, ReadError> {
    let mut boards = parse(text)?;
    match boards.get(1) {
        Some(&ParsedBoard { line, .. }) => {
            let text = text.lines().nth(line - 1).unwrap_or_default();
            Err(unreadable((line, text), "a second board (accepted: one)"))
        }
        None => Ok(boards.remove(0)),
    }
}

/// Returns an error that quotes a line.
fn unreadable((line, text): Line, reason: impl Display) -> ReadError {
    ReadError { line, reason: format!("{}: {reason}", quoted(text)) }
}

/// Quotes the beginning of a text.
fn quoted(text: &str) -> String {
    const MOST: usize = 40;
    let rest = if text.chars().nth(MOST).is_some() { "..." } else { "" };
    format!("'{}{rest}'", text.chars().take(MOST).collect::<String>())
}

/// Parses drawn boards. The first row of a board decides its size.
fn drawings(lines: &[Line], last: usize) -> Result<Vec<ParsedBoard>, ReadError> {
    let mut boards = Vec::new();
    let mut rest = lines;
    while let [first, ..] = rest {
        let n = cells(*first)?.len();
        let mut board = ParsedBoard::new(first.0, Vec::new());
        board.n = n as u32;
        for (row, line) in (0..board.n).zip(rest) {
            let cells = cells(*line)?;
            if cells.len() != n {
                let reason = format!("{} squares, but the first row has {n}", cells.len());
                return Err(unreadable(*line, reason));
            }
            for (column, cell) in (0..).zip(cells) {
                match cell {
                    // A board with more than n queens is wrong, so at most n + 1 are kept.
                    'Q' if board.queens.len() <= n => board.queens.push(Square::new(column, row)),
                    '#' => board.blocked.push(Square::new(column, row)),
                    _ => {}
                }
            }
        }
        let Some(below) = rest.get(n..) else {
            let reason = format!("the {n} x {n} board ends after {} of its rows", rest.len());
            return Err(ReadError { line: last, reason });
        };
        boards.push(board);
        rest = below;
    }
    Ok(boards)
}

/// Returns the squares of a drawn row, which may be separated by blanks.
fn cells(line: Line) -> Result<Vec<char>, ReadError> {
    let cells = line.1.chars().filter(|c| !c.is_whitespace());
    let cell = |c| match c {
        'Q' | '_' | '.' | '#' => Ok(c),
        _ => Err(unreadable(line, format!("'{c}' is not a square (accepted: Q, _, . and #)"))),
    };
    cells.map(cell).collect()
}

/// Splits a list at commas and blanks.
fn words(list: &str) -> impl Iterator<Item = &str> {
    list.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty())
}

/// Parses the row of the queen in each column.
fn rows(line: Line) -> Result<ParsedBoard, ReadError> {
    let row = |word: &str| {
        word.parse::<u32>().map_err(|_| {
            let accepted = "accepted: whole numbers from 0";
            unreadable(line, format!("{} is not a row ({accepted})", quoted(word)))
        })
    };
    let rows: Vec<_> = words(line.1).map(row).collect::<Result<_, _>>()?;
    Ok(ParsedBoard::in_rows(line.0, &rows))
}

/// Parses the names of the squares of all queens.
fn squares(line: Line) -> Result<ParsedBoard, ReadError> {
    let n = words(line.1).count() as u32;
    let square = |word: &str| {
        Square::parse(word, n).map_err(|error| match error {
            BoardError::OffBoard { .. } if word.len() < 20 => unreadable(line, error),
            _ => {
                let accepted = "accepted: squares such as c5";
                unreadable(line, format!("{} is not a square ({accepted})", quoted(word)))
            }
        })
    };
    let queens = words(line.1).map(square).collect::<Result<_, _>>()?;
    Ok(ParsedBoard::new(line.0, queens))
}

/// A board in JSON.
#[derive(Deserialize)]
#[serde(untagged)]
enum JsonBoard {
    Rows(Vec<u32>),
    Solution { rows: Vec<u32> },
}

/// Parses a list of rows, or an object with the field `rows`.
fn json(line: Line) -> Result<ParsedBoard, ReadError> {
    let accepted = "accepted: a list of rows such as [1,3,0,2], or an object with the field rows";
    match serde_json::from_str(line.1) {
        Ok(JsonBoard::Rows(rows) | JsonBoard::Solution { rows }) => {
            Ok(ParsedBoard::in_rows(line.0, &rows))
        }
        Err(_) => Err(unreadable(line, format!("not a board in JSON ({accepted})"))),
    }
}

impl ParsedBoard {
    /// Returns a board with as many columns as queens.
    fn new(line: usize, queens: Vec<Square>) -> Self {
        Self { line, n: queens.len() as u32, queens, blocked: Vec::new() }
    }

    /// Returns the board with a queen in each column, in the given rows.
    fn in_rows(line: usize, rows: &[u32]) -> Self {
        let queens = (0..).zip(rows).map(|(column, &row)| Square::new(column, row));
        Self::new(line, queens.collect())
    }

    /// Checks that the board is a solution.
    ///
    /// # Errors
    ///
    /// Returns the reason why it is not.
    pub fn check(mut self) -> Result<(), String> {
        let (n, queens) = (self.n, &mut self.queens);
        queens.sort_unstable();
        let mut pairs = queens.windows(2);
        if let Some(pair) = pairs.find(|pair| pair[0].column == pair[1].column) {
            let attack =
                PlacementError::Attack { left: pair[0], right: pair[1], line: "column", n };
            return Err(attack.to_string());
        }
        // Queens are sorted by column, and no column has two. If none is missing, each queen's
        // index is its column.
        let columns = queens.iter().map(|queen| Some(queen.column)).chain([None]);
        if let Some((column, _)) = (0..n).zip(columns).find(|&(i, column)| column != Some(i)) {
            let column = Square::new(column, 0).column_name();
            return Err(format!("column {column} has no queen"));
        }
        let placement = Placement::new(queens.iter().map(|queen| queen.row).collect());
        let checked = placement.and_then(|placement| placement.check());
        checked.map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boards::write::{drawn, json_line, listed};
    use proptest::prelude::*;
    use queens::Board;
    use rstest::rstest;

    /// Returns the rows of the queens of each board.
    fn read(text: &str) -> Result<Vec<Vec<u32>>, String> {
        let rows = |mut board: ParsedBoard| {
            board.queens.sort_unstable();
            assert!(board.queens.iter().map(|queen| queen.column).eq(0..board.n), "{text}");
            board.queens.iter().map(|queen| queen.row).collect()
        };
        let boards = parse(text).map_err(|error| error.to_string())?;
        Ok(boards.into_iter().map(rows).collect())
    }

    proptest! {
        /// Boards of any form are read as they are written, in any number.
        #[test]
        fn written_boards_are_read(
            boards in (1..12_u32, 1..4_usize).prop_flat_map(|(n, count)| {
                let board = Just((0..n).collect::<Vec<_>>()).prop_shuffle();
                prop::collection::vec(board, count)
            })
        ) {
            let board = Board::new(boards[0].len() as u32).unwrap();
            let text = |write: &dyn Fn(&Placement) -> String| -> String {
                boards.iter().map(|rows| write(&Placement::new(rows.clone()).unwrap())).collect()
            };
            let names = |solution: &Placement| {
                let n = solution.n();
                solution.squares().map(|square| square.name(n)).collect::<Vec<_>>().join(",") + "\n"
            };
            let headed = |solution: &Placement| {
                format!("Solution 1\n{}\nN = 8: 1 solution\n", drawn(solution, &board))
            };
            for text in [
                text(&|solution| drawn(solution, &board)),
                text(&|solution| drawn(solution, &board).replace(' ', "").replace('_', ".")),
                text(&headed),
                text(&listed),
                text(&names),
                text(&|solution| json_line(solution, 1, 0.5)),
                text(&|solution| format!("{:?}\n", solution.rows())),
            ] {
                prop_assert_eq!(read(&text), Ok(boards.clone()), "{}", text);
            }
        }

        #[test]
        fn no_text_panics(text in "(\\PC|[ \n,]|[0-9a-cQ_.#\\[\\]{}\"]){0,40}") {
            for board in parse(&text).into_iter().flatten() {
                let _ = board.check();
            }
        }
    }

    #[test]
    fn blocked_squares_are_read() {
        let board = parse_one("_#\nQ.\n").unwrap();
        assert_eq!((board.n, board.queens), (2, vec![Square::new(0, 1)]));
        assert_eq!(board.blocked, [Square::new(1, 0)]);
    }

    /// Each error names the first line that cannot be read, quotes it, and gives the reason.
    #[rstest]
    #[case("", "line 1: no board found (accepted: a board drawn with")]
    #[case("Solution 1\n\n", "line 2: no board found")]
    #[case("\n*\n", "line 2: '*': not a board (accepted: a board drawn with")]
    #[case("Q _\n_ x\n", "line 2: '_ x': 'x' is not a square (accepted: Q, _, . and #)")]
    #[case("Q _ _\n_ _\n", "line 2: '_ _': 2 squares, but the first row has 3")]
    #[case("Q _ _\n_ _ Q\n\n", "line 3: the 3 x 3 board ends after 2 of its rows")]
    #[case("Q\n1\n", "line 2: '1': '1' is not a square")]
    #[case("1,3,0,2\n0 x\n", "line 2: '0 x': 'x' is not a row (accepted: whole numbers from 0)")]
    #[case("0,-1", "line 1: '0,-1': '-1' is not a row")]
    #[case("a1,b\n", "line 1: 'a1,b': 'b' is not a square (accepted:")]
    #[case("a1,b3\n", "line 1: 'a1,b3': square b3 is not on the 2 x 2 board")]
    #[case("[0]\n[1,\n", "line 2: '[1,': not a board in JSON (accepted: a list of rows such as")]
    #[case("[0]\n\n{\"n\":2}\n", "line 3: '{\"n\":2}': not a board in JSON")]
    fn errors_quote_the_line(#[case] text: &str, #[case] says: &str) {
        let error = read(text).unwrap_err();
        assert!(error.contains(says), "{error}");
    }

    #[test]
    fn long_lines_are_quoted_in_part() {
        let error = read(&format!("0 {}x", "1 ".repeat(1_000))).unwrap_err();
        assert!(error.starts_with("line 1: '0 1 1 1") && error.len() < 150, "{error}");
    }

    #[rstest]
    #[case("a2,a4,c1,d3", "a4 and a2 attack each other along a column")]
    #[case("0 0 3 1", "a4 and b4 attack each other along a row")]
    #[case("2,4,1,3", "column b: row 4 is not on the 4 x 4 board (accepted: 0 to 3)")]
    #[case("Q_\n__", "column b has no queen")]
    fn a_wrong_board_has_a_reason(#[case] text: &str, #[case] reason: &str) {
        assert_eq!(parse_one(text).unwrap().check(), Err(reason.to_owned()));
    }
}
