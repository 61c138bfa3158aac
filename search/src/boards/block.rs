//! Boards in a block of lines: a drawing, or lists of rows.
//!
//! A block is read in each possible way, and refused unless exactly one of them fits. Two rules
//! decide between ways that often fit together: N lines of N squares are a drawing, and zeros and
//! ones in several lines are never lists.

use std::fmt::Display;

use queens::Square;
use queens::board::{MAX_BOARD, MAX_CONSTRAINED};

use super::error::ReadError;
use super::parsed::ParsedBoard;

/// Forms of boards, for messages.
pub(super) const ACCEPTED: &str =
    "accepted: a board drawn with Q, _, . and #, or row numbers such as 1,3,0,2";

/// A line without its end, and its number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) number: usize,
    pub(super) text: &'a str,
}

impl<'a> Line<'a> {
    /// Returns an error that quotes the line.
    pub(super) fn unreadable(self, reason: impl Display) -> ReadError {
        ReadError::new(self.number, format!("{}: {reason}", quoted(self.text)))
    }

    /// Returns an error about a part of the line.
    fn is_not(self, part: impl Display, what: impl Display) -> ReadError {
        self.unreadable(format!("'{part}' is not {what}"))
    }

    /// Iterates over the squares of a drawing, without the characters between them.
    fn squares(self) -> impl Iterator<Item = char> + use<'a> {
        self.text.chars().filter(|c| !is_between(*c))
    }

    /// Iterates over the parts between blanks, commas, bars and brackets.
    fn parts(self) -> impl Iterator<Item = &'a str> {
        self.text.split(is_between).filter(|part| !part.is_empty())
    }

    /// Returns the numbers in the line, if there is nothing else.
    fn numbers(self) -> Option<Vec<u32>> {
        self.parts().map(number).collect()
    }

    /// Returns the only number in the line.
    fn only_number(self) -> Option<u32> {
        let mut parts = self.parts();
        parts.next().filter(|_| parts.next().is_none()).and_then(number)
    }

    /// Returns a list of rows: numbers, or up to nine digits that are not separated.
    fn rows(self) -> Option<Vec<u32>> {
        let numbers = self.numbers()?;
        match numbers.len() {
            0 => None,
            1 => {
                let digits: Option<Vec<_>> = self.squares().map(|c| c.to_digit(10)).collect();
                digits.filter(|digits| digits.len() <= 9)
            }
            _ => Some(numbers),
        }
    }

    /// Whether the line has several numbers, which are not a row of zeros and ones.
    pub(super) fn is_list(self) -> bool {
        self.parts().nth(1).is_some() && self.parts().all(is_number) && !self.is_binary()
    }

    /// Whether a line of words contains a list: four numbers with only blanks or commas between.
    pub(super) fn has_list(self) -> bool {
        let mut run = 0;
        self.parts().any(|part| {
            run = if is_number(part) { run + 1 } else { 0 };
            run == 4
        })
    }

    /// Checks that a list is not several ones in a line, which brackets or bars separate, and no
    /// drawing in a line.
    fn check_list(self) -> Result<(), ReadError> {
        let is_outside = |c| is_blank(c) || matches!(c, ',' | '[' | ']' | '(' | ')');
        if self.text.trim_matches(is_outside).contains(['[', ']', '(', ')', '|']) {
            return Err(self.unreadable("several lists in a line (accepted: one in each line)"));
        }
        if self.is_binary() && self.parts().nth(2).is_some() {
            let why = "zeros and ones in a line (accepted: a line for each row of a drawing)";
            return Err(self.unreadable(why));
        }
        Ok(())
    }

    /// Whether all squares are zeros and ones.
    fn is_binary(self) -> bool {
        self.squares().all(|c| matches!(c, '0' | '1'))
    }

    /// Reads a list of several rows in the line.
    pub(super) fn list(self) -> Result<ParsedBoard, ReadError> {
        check_separators(&[self])?;
        self.check_list()?;
        if let Some(part) = self.parts().find(|part| !is_number(part)) {
            return Err(self.is_not(part, "a row (accepted: numbers from 0 or from 1)"));
        }
        match self.rows() {
            Some(rows) if rows.len() > 1 => list(&rows).ok_or_else(|| self.off_the_board(&rows)),
            _ => Err(self.unreadable("one number among lists of several")),
        }
    }

    /// Returns an error about the numbers of a list, which do not fit on a board.
    fn off_the_board(self, rows: &[u32]) -> ReadError {
        let n = rows.len();
        let accepted = match n {
            1 => "accepted: 0 or 1".to_owned(),
            _ => format!("accepted: 0 to {}, or 1 to {n}", n - 1),
        };
        match rows.iter().find(|row| **row as usize > n) {
            _ if n > MAX_BOARD as usize => self.unreadable(format!("more than {MAX_BOARD} rows")),
            Some(row) => self.is_not(row, format!("a row of a {n} x {n} board ({accepted})")),
            None => self.unreadable(format!("a list with 0 and {n} ({accepted})")),
        }
    }
}

/// Quotes the beginning of a text, for messages.
#[must_use]
pub fn quoted(text: &str) -> String {
    const MOST: usize = 40;
    let rest = if text.chars().nth(MOST).is_some() { "..." } else { "" };
    format!("'{}{rest}'", text.chars().take(MOST).collect::<String>())
}

/// Whether a character may be between two squares or numbers.
fn is_between(c: char) -> bool {
    is_blank(c) || matches!(c, ',' | '|' | '[' | ']' | '(' | ')')
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn number(text: &str) -> Option<u32> {
    text.parse().ok().filter(|_| is_number(text))
}

/// Reads the boards of a block, which has at least one line.
pub(super) fn read(lines: &[Line]) -> Result<Vec<ParsedBoard>, ReadError> {
    check_separators(lines)?;
    let one = |board| Ok(vec![board]);
    if let [line] = lines
        && line.squares().count() == 1
        && line.text.contains(is_blank)
    {
        return Err(
            line.unreadable("one square and blanks (accepted: a board of one square alone)")
        );
    }
    if let [line] = lines
        && line.parts().nth(1).is_some()
        && line.numbers().is_some()
    {
        line.check_list()?;
    }
    // Below N alone, there are N lines.
    let below = match lines[0].only_number() {
        Some(n) if n > 1 && n as usize == lines.len() - 1 => Some(&lines[1..]),
        _ => None,
    };
    // A number alone is a list.
    let is_drawing = |lines: &[Line]| lines.len() > 1 || !lines[0].is_binary();
    let drawn = Some(lines).filter(|lines| is_drawing(lines)).and_then(drawing);
    if let Some(board) = drawn.or_else(|| below.and_then(drawing)) {
        return one(board);
    }
    match (column(lines, below)?, lists(lines)) {
        (Some(_), Some(_)) => Err(lines[0].unreadable(
            "a list with a number in each line, or lists of digits (accepted: commas between rows)",
        )),
        (Some(board), None) => one(board),
        (None, Some(boards)) => Ok(boards),
        (None, None) => Err(wrong_line(below.unwrap_or(lines))),
    }
}

/// Checks that brackets are closed, and that no square is missing before or after a comma or
/// between two bars.
fn check_separators(lines: &[Line]) -> Result<(), ReadError> {
    let mut open = Vec::new();
    for &line in lines {
        let mut before = [' '; 2];
        for c in line.text.chars().filter(|c| !is_blank(*c)) {
            let is_missing = match c {
                ',' => matches!(before[1], ' ' | ',' | '|' | '[' | '('),
                '|' => matches!(before[1], ',' | '|'),
                ']' | ')' => before[1] == ',',
                _ => false,
            };
            if is_missing {
                return Err(line.unreadable(format!("nothing before '{c}'")));
            }
            match c {
                '[' => open.push((']', line)),
                '(' => open.push((')', line)),
                ']' | ')' if open.pop().is_none_or(|(close, _)| close != c) => {
                    return Err(line.unreadable(format!("'{c}' closes no bracket")));
                }
                _ => {}
            }
            before = [before[1], c];
        }
        // As between the rows of an array.
        if before[1] == ',' && !matches!(before[0], ']' | ')') {
            return Err(line.unreadable("nothing after the last comma"));
        }
    }
    let unclosed = |(_, line): &(char, Line)| line.unreadable("a bracket is not closed");
    open.first().map_or(Ok(()), |open| Err(unclosed(open)))
}

/// Returns the board of N lines with N squares. If all lines have N characters, blanks are squares.
fn drawing(lines: &[Line]) -> Option<ParsedBoard> {
    let n = lines.len();
    let has_blanks = lines.iter().all(|line| line.text.chars().count() == n);
    if n > MAX_CONSTRAINED as usize
        || !(has_blanks || lines.iter().all(|line| line.squares().count() == n))
    {
        return None;
    }
    let mut board = ParsedBoard { n: n as u32, ..ParsedBoard::default() };
    let mut has_letters = false;
    for (row, line) in (0..).zip(lines) {
        let squares = line.text.chars().filter(|&c| has_blanks || !is_between(c));
        for (column, c) in (0..).zip(squares) {
            let square = Square::new(column, row);
            match c {
                'Q' | 'q' | '1' => {
                    has_letters = true;
                    board.queens.push(square);
                }
                '*' => {
                    board.star_line = board.star_line.or(Some(line.number));
                    board.queens.push(square);
                }
                '#' => board.blocked.push(square),
                '_' | '.' | '-' | '0' | ' ' => {}
                _ => return None,
            }
        }
    }
    (!has_letters || board.star_line.is_none()).then_some(board)
}

/// Returns the board with these rows, counted from 0 or from 1.
fn list(rows: &[u32]) -> Option<ParsedBoard> {
    let board = |first_row| {
        let board = ParsedBoard::in_rows(rows, first_row)?;
        Some(ParsedBoard { first_row: Some(first_row), ..board })
    };
    if rows.len() > MAX_BOARD as usize { None } else { board(0).or_else(|| board(1)) }
}

/// Returns the board of a list with a number in each line, which may be below their number.
fn column(lines: &[Line], below: Option<&[Line]>) -> Result<Option<ParsedBoard>, ReadError> {
    let numbers: Option<Vec<_>> = lines.iter().map(|line| line.only_number()).collect();
    let Some(numbers) = numbers.filter(|numbers| numbers.len() > 1) else {
        return Ok(None);
    };
    let whole = list(&numbers);
    match below.and_then(|_| list(&numbers[1..])) {
        // If N is first, a permutation of 0 to N is followed by one of 0 to N - 1.
        Some(_) if is_permutation(&numbers) => {
            let n = numbers[0];
            let why =
                format!("N = {n} and its rows, or {} rows (accepted: rows in one line)", n + 1);
            Err(lines[0].unreadable(why))
        }
        board => Ok(board.or(whole)),
    }
}

/// Whether the numbers are 0 to N - 1, in any order.
fn is_permutation(numbers: &[u32]) -> bool {
    let mut numbers = numbers.to_vec();
    numbers.sort_unstable();
    numbers.iter().copied().eq(0..numbers.len() as u32)
}

/// Returns the boards of lines with a list in each.
fn lists(lines: &[Line]) -> Option<Vec<ParsedBoard>> {
    let is_alone = lines.len() == 1;
    if !is_alone && lines.iter().all(|line| line.is_binary()) {
        return None;
    }
    let board = |line: &Line| {
        let rows = line.rows().filter(|rows| is_alone || rows.len() > 1)?;
        line.check_list().ok().and_then(|()| list(&rows))
    };
    lines.iter().map(board).collect()
}

/// Returns an error about the first line that is unlike a drawing or list, for lines that are none.
fn wrong_line(lines: &[Line]) -> ReadError {
    let is_drawn = |line: &Line| line.text.contains(['Q', 'q', '_', '.', '-', '#', '*']);
    if lines.iter().any(is_drawn) {
        return wrong_drawing(lines);
    }
    for line in lines {
        if let Some(part) = line.parts().find(|part| number(part).is_none()) {
            return line.is_not(part, format!("a square or a row ({ACCEPTED})"));
        }
    }
    let column: Option<Vec<_>> = lines.iter().map(|line| line.only_number()).collect();
    match column {
        _ if lines.len() > 1 && lines.iter().all(|line| line.is_binary()) => wrong_drawing(lines),
        Some(rows) if lines.len() > 1 && rows[0] <= lines.len() as u32 => {
            let n = rows.len() as u32;
            let line = (0..).zip(&rows).find(|(_, row)| **row > n).map_or(0, |(i, _)| i);
            lines[line].off_the_board(&rows)
        }
        _ => match lines {
            [line] => match line.rows() {
                Some(rows) => line.off_the_board(&rows),
                None => line.unreadable("no separate numbers (accepted: commas between rows)"),
            },
            _ => {
                let wrong = lines.iter().find_map(|line| line.list().err());
                wrong.unwrap_or_else(|| lines[0].unreadable(format!("not a board ({ACCEPTED})")))
            }
        },
    }
}

/// Returns an error about the first line that does not belong to a drawing.
fn wrong_drawing(lines: &[Line]) -> ReadError {
    let mut star = None;
    for line in lines {
        for c in line.squares() {
            match c {
                '_' | '.' | '-' | '0' | '#' => {}
                'Q' | 'q' | '1' | '*' if star.is_none_or(|star| star == (c == '*')) => {
                    star = Some(c == '*');
                }
                'Q' | 'q' | '1' | '*' => {
                    let why = "'*' beside other queens (accepted: Q, or # for blocked squares)";
                    return line.unreadable(why);
                }
                _ => return line.is_not(c, "a square (accepted: Q, _, . and #)"),
            }
        }
    }
    let squares =
        |count| if count == 1 { "1 square".to_owned() } else { format!("{count} squares") };
    let (first, rows) = (lines[0], lines.len());
    let n = first.squares().count();
    if let Some(line) = lines.iter().find(|line| line.squares().count() != n) {
        let found = squares(line.squares().count());
        return line.unreadable(format!("{found}, but line {} has {n}", first.number));
    }
    match lines.get(n) {
        _ if n > MAX_CONSTRAINED as usize => {
            first.unreadable(format!("{n} squares (accepted: up to {MAX_CONSTRAINED})"))
        }
        Some(line) => {
            let s = if n == 1 { "" } else { "s" };
            let accepted = format!("accepted: {n} line{s}");
            line.unreadable(format!("{rows} lines with {} each ({accepted})", squares(n)))
        }
        None => {
            let last = lines[rows - 1];
            last.unreadable(format!("the {n} x {n} board ends after {rows} of its rows"))
        }
    }
}
