//! Reads boards: drawings, lists of rows, and JSON.
//!
//! The first character of a text decides among these forms, and all boards of the text have the
//! same form. Headings and summaries of `queens solve` are skipped, as are the brackets of an array
//! in JSON.

use std::fmt::Display;
use std::io::{self, Read};

use queens::{Placement, PlacementError, Square};
use serde::Deserialize;
use thiserror::Error;

/// A board before validation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParsedBoard {
    /// Number of rows.
    pub n: u32,
    /// Queens.
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
    /// Reason why the line cannot be read, with a quotation of it.
    pub reason: String,
}

/// A line without surrounding blanks, and its number.
type Line<'a> = (usize, &'a str);

/// Maximum length of the input in MiB.
const LONGEST: u64 = 256;

/// Forms of boards, for messages.
const ACCEPTED: &str = "accepted: a board drawn with Q, _, . and #, or on each line row numbers such \
    as 1,3,0,2 or JSON such as [1,3,0,2]";

/// Reads the whole input.
///
/// # Errors
///
/// Returns the cause if the input cannot be read, is not UTF-8, or is longer than 256 MiB.
pub fn read_text(input: impl Read) -> io::Result<String> {
    let mut text = String::new();
    let length = input.take((LONGEST << 20) + 1).read_to_string(&mut text)? as u64;
    match length > LONGEST << 20 {
        true => {
            let reason = format!("too long (accepted: up to {LONGEST} MiB)");
            Err(io::Error::new(io::ErrorKind::FileTooLarge, reason))
        }
        false => Ok(text),
    }
}

/// Parses boards. There is at least one.
///
/// # Errors
///
/// Returns an error if the text has no board, or if a line cannot be read.
pub fn parse(text: &str) -> Result<Vec<ParsedBoard>, ReadError> {
    // An array in JSON has one element per line.
    let is_bracket = |line: &str| ["[", "]"].contains(&line);
    let is_heading = |line: &str| line.starts_with("Solution ") || line.starts_with("N = ");
    let lines = (1..).zip(text.lines().map(str::trim));
    let lines: Vec<Line> = lines
        .filter(|(_, line)| !line.is_empty() && !is_bracket(line) && !is_heading(line))
        .collect();
    let last = text.lines().count().max(1);
    let count = |bracket| text.lines().filter(|line| line.trim() == bracket).count();
    if count("[") != count("]") {
        return Err(ReadError { line: last, reason: "the array in JSON has no end".to_owned() });
    }
    let Some(&first) = lines.first() else {
        return Err(ReadError { line: last, reason: format!("no board found ({ACCEPTED})") });
    };
    let each = |board: fn(&str) -> Result<ParsedBoard, String>| {
        let board = |&line: &Line| board(line.1).map_err(|reason| unreadable(line, reason));
        lines.iter().map(board).collect()
    };
    match first.1.chars().next().unwrap_or_default() {
        'Q' | '_' | '.' | '#' => drawings(&lines, last),
        '0'..='9' => each(rows),
        '[' | '{' => each(json),
        _ => Err(unreadable(first, format!("not a board ({ACCEPTED})"))),
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
fn drawings(mut lines: &[Line], last: usize) -> Result<Vec<ParsedBoard>, ReadError> {
    let mut boards = Vec::new();
    while let [first, ..] = lines {
        let squares = |line: &Line| line.1.chars().filter(|c| !c.is_whitespace()).count();
        let n = squares(first);
        let mut board = ParsedBoard { n: n as u32, queens: Vec::new(), blocked: Vec::new() };
        for (row, line) in (0..board.n).zip(lines) {
            let cells = line.1.chars().filter(|c| !c.is_whitespace());
            for (column, cell) in (0..).zip(cells) {
                match cell {
                    'Q' => board.queens.push(Square::new(column, row)),
                    '#' => board.blocked.push(Square::new(column, row)),
                    '_' | '.' => {}
                    _ => {
                        let reason = format!("'{cell}' is not a square (accepted: Q, _, . and #)");
                        return Err(unreadable(*line, reason));
                    }
                }
            }
            if squares(line) != n {
                let found = squares(line);
                let s = if found == 1 { "" } else { "s" };
                let reason = format!("{found} square{s}, but line {} has {n}", first.0);
                return Err(unreadable(*line, reason));
            }
        }
        let Some(below) = lines.get(n..) else {
            let reason = format!("the {n} x {n} board ends after {} of its rows", lines.len());
            return Err(ReadError { line: last, reason });
        };
        boards.push(board);
        lines = below;
    }
    Ok(boards)
}

/// Splits a list at commas and blanks.
fn words(list: &str) -> impl Iterator<Item = &str> {
    list.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty())
}

/// Parses the row of the queen in each column.
fn rows(line: &str) -> Result<ParsedBoard, String> {
    let row = |word: &str| {
        let error = |_| format!("{} is not a row (accepted: whole numbers from 0)", quoted(word));
        word.parse().map_err(error)
    };
    let rows: Vec<_> = words(line).map(row).collect::<Result<_, _>>()?;
    Ok(ParsedBoard::in_rows(&rows))
}

/// A board in JSON.
#[derive(Deserialize)]
#[serde(untagged)]
enum JsonBoard {
    Rows(Vec<u32>),
    Solution { n: Option<usize>, rows: Vec<u32> },
}

/// Parses a list of rows, or an object with the field `rows`, which may be an element of an array.
fn json(line: &str) -> Result<ParsedBoard, String> {
    let accepted = "accepted: a list of rows such as [1,3,0,2], or an object with the field rows";
    match serde_json::from_str(line.trim_end_matches(',')) {
        Ok(JsonBoard::Solution { n: Some(n), rows }) if n != rows.len() => {
            Err(format!("{} rows, but n is {n}", rows.len()))
        }
        Ok(JsonBoard::Rows(rows) | JsonBoard::Solution { rows, .. }) => {
            Ok(ParsedBoard::in_rows(&rows))
        }
        Err(_) => Err(format!("not a board in JSON ({accepted})")),
    }
}

impl ParsedBoard {
    /// Returns the board with a queen in each column, in the given rows.
    fn in_rows(rows: &[u32]) -> Self {
        let queens = (0..).zip(rows).map(|(column, &row)| Square::new(column, row));
        Self { n: rows.len() as u32, queens: queens.collect(), blocked: Vec::new() }
    }

    /// Checks that the board is a solution.
    ///
    /// # Errors
    ///
    /// Returns the reason why it is not.
    pub fn check(&self) -> Result<(), String> {
        let (n, mut queens) = (self.n, self.queens.clone());
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
            let headed = |solution: &Placement| {
                format!("Solution 1\n{}\nN = 8: 1 solution\n", drawn(solution, &board))
            };
            for text in [
                text(&|solution| drawn(solution, &board)),
                text(&|solution| drawn(solution, &board).replace(' ', "").replace('_', ".")),
                text(&headed),
                text(&listed),
                text(&|solution| json_line(solution, 1, 0.5)),
                format!("[\n{}]", text(&|solution| format!("{:?},\n", solution.rows()))).replace(",\n]", "\n]"),
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
        let board = parse("_#\nQ.\n").unwrap().remove(0);
        assert_eq!((board.n, board.queens), (2, vec![Square::new(0, 1)]));
        assert_eq!(board.blocked, [Square::new(1, 0)]);
    }

    /// Each error names the first line that cannot be read, quotes it, and gives the reason.
    #[rstest]
    #[case("", "line 1: no board found (accepted: a board drawn with")]
    #[case("Solution 1\n\n", "line 2: no board found")]
    #[case("\n*\n", "line 2: '*': not a board (accepted: a board drawn with")]
    #[case("Q _\n_ x\n", "line 2: '_ x': 'x' is not a square (accepted: Q, _, . and #)")]
    #[case("\nQ _ _\n_ _\n", "line 3: '_ _': 2 squares, but line 2 has 3")]
    #[case("Q _\n_ _\n_ _ _\n_ Q\n", "line 4: '_ Q': 2 squares, but line 3 has 3")]
    #[case("Q _ _\n_ _ Q\n\n", "line 3: the 3 x 3 board ends after 2 of its rows")]
    #[case("1,3,0,2\n0 x\n", "line 2: '0 x': 'x' is not a row (accepted: whole numbers from 0)")]
    #[case("a2,b4,c1,d3\n", "line 1: 'a2,b4,c1,d3': not a board (accepted: a board drawn with")]
    #[case("{\"n\":5,\"rows\":[1,3,0,2]}\n", "4 rows, but n is 5")]
    #[case("[\n[1,3,0,2],\n", "line 2: the array in JSON has no end")]
    #[case("[0]\n[1,\n", "line 2: '[1,': not a board in JSON (accepted: a list of rows such as")]
    #[case(
        "[\n{\"rows\":[0]},\n[-1]\n]",
        "line 3: '[-1]': not a board in JSON (accepted: a list of"
    )]
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
    #[case("Q_\nQ_", "a2 and a1 attack each other along a column")]
    #[case("0 0 3 1", "a4 and b4 attack each other along a row")]
    #[case("2,4,1,3", "column b: row 4 is not on the 4 x 4 board (accepted: 0 to 3)")]
    #[case("Q_\n__", "column b has no queen")]
    #[case("_", "column a has no queen")]
    fn a_wrong_board_has_a_reason(#[case] text: &str, #[case] reason: &str) {
        assert_eq!(parse(text).unwrap()[0].check(), Err(reason.to_owned()));
    }
}
