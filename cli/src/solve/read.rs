//! Reads boards in the text formats that `queens solve` writes, and in a few more.
//!
//! The whole input is recognized before any board is checked. Each format is a function that parses
//! all lines or refuses the input. The input is accepted if all formats that parse it find the same
//! boards, so that a board is never judged by another reading than its author's.

use serde::Deserialize;
use serde_json::{Deserializer, Value};

use crate::human::beginning;
use queens::board::MAX_BOARD;
use queens::{BoardError, Placement, PlacementError, Square};

/// A board before validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parsed {
    /// Line on which the board ends, numbered from one.
    line: usize,
    n: usize,
    queens: Vec<Square>,
    blocked: Vec<Square>,
}

/// Reason why text is not in a format, and the line at which this is certain. The line is 0 if even
/// the beginning of the text is in another format.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) line: usize,
    pub(crate) why: String,
}

/// A line without surrounding blanks, and its number. Headings and statistics are left empty.
type Line<'a> = (usize, &'a str);

type Boards = Result<Vec<Parsed>, Refusal>;

/// All formats. The one that parses most lines gives the reason for a refusal.
const FORMATS: [fn(&[Line], u32) -> Boards; 9] =
    [named, json, csv, drawn, squares, lists, column, wrapped, pairs];

const ACCEPTED: &str = "accepted: boards in one of the formats board, unicode, matrix, list, \
    named, json, leetcode and csv of 'queens solve'; whole numbers or squares, separated by commas \
    or spaces";

/// Parses boards whose rows are numbered from `base`.
///
/// # Errors
///
/// Refuses text that is in no format, or that two formats read as different boards.
pub(crate) fn boards(text: &str, base: u32) -> Boards {
    let mut sizes = Vec::new();
    let text = text.trim_start_matches('\u{feff}'); // a byte order mark
    let lines = (1..).zip(text.lines().map(str::trim)).filter(|(_, line)| !is_border(line));
    let lines = lines.map(|(number, line)| {
        if let Some(n) = line.strip_prefix("N = ").and_then(|rest| rest.split([',', ':']).next()) {
            sizes.push((number, n));
        }
        (number, if is_note(line) { "" } else { line })
    });
    let mut lines: Vec<Line> = lines.collect();
    // An incomplete board is noticed at the end.
    lines.push((text.lines().count() + 1, ""));

    let (mut found, mut refused): (Option<Vec<Parsed>>, Option<Refusal>) = (None, None);
    for format in FORMATS {
        match (format(&lines, base), &found) {
            (Ok(boards), None) => found = Some(boards),
            (Ok(boards), Some(others)) if boards != *others => {
                let line = lines.iter().find(|line| !line.1.is_empty()).map_or(1, |line| line.0);
                return Err(refuse(line, "two formats read different boards"));
            }
            (Ok(_), Some(_)) => {}
            (Err(why), _) if refused.as_ref().is_none_or(|first| first.line < why.line) => {
                refused = Some(why);
            }
            (Err(_), _) => {}
        }
    }
    let boards = match (found, refused) {
        (Some(boards), _) if !boards.is_empty() => boards,
        (None, Some(why)) => return Err(why),
        _ => return Err(refuse(lines.len(), "no board found")),
    };
    let mut boards_left = boards.iter().peekable();
    for (line, n) in sizes {
        while let Some(board) = boards_left.next_if(|board| board.line < line) {
            if board.n.to_string() != n {
                let why = format!("a {0} x {0} board above 'N = {n}'", board.n);
                return Err(refuse(line, &why));
            }
        }
    }
    Ok(boards)
}

fn refuse(line: usize, why: &str) -> Refusal {
    Refusal { line, why: format!("{why} ({ACCEPTED})") }
}

/// Labels of the lines that `queens solve` and the OR-Tools guide's program print below boards.
const LABELS: [&str; 9] = [
    "strategy",
    "branches",
    "failures",
    "conflicts",
    "squares tested",
    "wall time",
    "solutions found",
    "warning",
    "error",
];

/// Whether a line separates the rows of a grid, as in `+---+---+`.
fn is_border(line: &str) -> bool {
    line.len() > 2 && line.starts_with('+') && line.chars().all(|c| matches!(c, '+' | '-' | '='))
}

/// Whether a line is a heading of a board, a separator or a line of statistics. Any other text
/// could be a board in an unknown format, which must not be skipped.
fn is_note(line: &str) -> bool {
    let is_number = |text: &str| text.parse::<u64>().is_ok();
    let (label, rest) = line.split_once(':').unwrap_or((line, ""));
    // Preplaced queens and blocked squares follow the size.
    let size = label.strip_prefix("N = ").and_then(|size| size.split(',').next());
    let is_summary = !rest.is_empty() && size.is_some_and(is_number);
    let is_heading = line.strip_prefix("Solution ").is_some_and(|heading| {
        let (number, time) = heading.split_once(", time = ").unwrap_or((heading, "0"));
        is_number(&number.replace(',', "")) && time.starts_with(|c: char| c.is_ascii_digit())
    });
    let is_labelled = !rest.is_empty() && LABELS.contains(&label.trim_end());
    let is_separator = |c| line.len() > 2 && line.chars().all(|other| other == c);
    is_separator('-')
        || is_separator('=')
        || line == "Statistics"
        || is_summary
        || is_heading
        || is_labelled
}

/// Parses drawn boards, whose squares may be separated by blanks, commas and brackets.
fn drawn(lines: &[Line], _: u32) -> Boards {
    let mut boards = Vec::new();
    let mut board: Option<Parsed> = None;
    let mut rows = 0;
    for &(line, text) in lines {
        let cells = cells(text);
        let columns = cells.as_ref().map(Vec::len);
        if let Some(Parsed { n, .. }) = board.take_if(|board| columns != Some(board.n)) {
            return Err(refuse(
                line,
                &format!("the {n} x {n} board ends after {rows} of its rows"),
            ));
        }
        let Some(cells) = cells else {
            if !text.is_empty() {
                return Err(not_a_row(if boards.is_empty() { 0 } else { line }, text));
            }
            continue;
        };
        let n = cells.len();
        if board.is_none() {
            rows = 0;
        }
        let current =
            board.get_or_insert(Parsed { line, n, queens: Vec::new(), blocked: Vec::new() });
        for (column, cell) in (0..).zip(cells) {
            let square = Square::new(column, rows as u32);
            match cell {
                // A board with more than n queens is wrong, so at most n + 1 are kept.
                Cell::Queen if current.queens.len() <= n => current.queens.push(square),
                Cell::Blocked => current.blocked.push(square),
                _ => {}
            }
        }
        (current.line, rows) = (line, rows + 1);
        boards.extend(board.take_if(|board| board.n == rows));
    }
    Ok(boards)
}

/// A square of a drawn board.
#[derive(Clone, Copy)]
enum Cell {
    Queen,
    Blocked,
    Free,
}

/// Parses a row of a drawn board, whose squares may be separated by vertical lines.
fn cells(line: &str) -> Option<Vec<Cell>> {
    let cell = |word: &str| match word {
        "Q" | "♛" | "1" | "P" | "♔" => Some(Cell::Queen),
        "_" | "." | "·" | "0" => Some(Cell::Free),
        "#" | "▒" => Some(Cell::Blocked),
        _ => None,
    };
    if let Some(row) = line.strip_prefix('|').and_then(|line| line.strip_suffix('|')) {
        let words = row.split('|').map(str::trim);
        return words
            .map(|word| if word.is_empty() { Some(Cell::Free) } else { cell(word) })
            .collect();
    }
    let is_separator = |c: char| c.is_whitespace() || [',', '[', ']'].contains(&c);
    let words = || line.split(is_separator).filter(|word| !word.is_empty());
    let cells: Option<Vec<_>> = match words().nth(1) {
        Some(_) => words().map(cell).collect(),
        None => line.split("").filter(|c| !c.is_empty() && !"[],".contains(c)).map(cell).collect(),
    };
    cells.filter(|cells| cells.len() > 1 || matches!(line, "Q" | "♛" | "1" | "P" | "♔" | "#" | "▒"))
}

fn not_a_row(line: usize, text: &str) -> Refusal {
    refuse(line, &format!("'{}' is not a row number", beginning(text, 40)))
}

/// Splits a line at commas, each with optional blanks around it, or at blanks.
fn words(line: &str) -> Vec<&str> {
    match line.contains(',') {
        true => line.split(',').map(str::trim).take(MAX_BOARD as usize + 1).collect(),
        false => line.split_whitespace().take(MAX_BOARD as usize + 1).collect(),
    }
}

/// Returns the board with a queen in each column, in the row with the given number.
fn in_rows<'a>(
    line: usize,
    rows: impl IntoIterator<Item = &'a str>,
    base: u32,
) -> Result<Parsed, Refusal> {
    let queen = |(column, word): (u32, &str)| match word.parse::<u32>() {
        Ok(row) => Ok(Square::new(column, row.wrapping_sub(base))),
        Err(_) => Err(not_a_row(line, word)),
    };
    let rows = rows.into_iter().take(MAX_BOARD as usize + 1);
    let queens: Vec<_> = (0..).zip(rows).map(queen).collect::<Result<_, _>>()?;
    if queens.len() > MAX_BOARD as usize {
        return Err(refuse(line, &format!("more than {MAX_BOARD} rows")));
    }
    Ok(Parsed { line, n: queens.len(), queens, blocked: Vec::new() })
}

fn filled<'a>(lines: &'a [Line<'a>]) -> impl Iterator<Item = Line<'a>> + Clone {
    lines.iter().copied().filter(|line| !line.1.is_empty())
}

/// Returns the inside of a list in brackets, with or without a name and a full stop or semicolon:
/// `[1,3,0,2]`, `{1, 3, 0, 2}`, `q = [1,3,0,2];`, `q = array1d(0..3, [1,3,0,2]);`.
fn in_brackets(text: &str) -> Option<&str> {
    let (before, rest) = text.split_once(['[', '{'])?;
    let inside = rest.trim_end_matches([';', '.', ',', ')']).strip_suffix([']', '}'])?;
    let before = before.split_once("array1d(").map_or(before, |(name, _)| name).trim();
    let name = before.strip_suffix('=').unwrap_or(before).trim_end();
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    Some(inside.trim()).filter(|inside| is_name && !inside.is_empty())
}

/// Parses one list of rows per line: numbers, or digits without separators.
fn lists(lines: &[Line], base: u32) -> Boards {
    let list = |(line, text): Line| {
        let text = in_brackets(text).unwrap_or(text);
        // Three or more entries of only 0 and 1 are a row of a matrix.
        let is_drawn = cells(text).is_some_and(|cells| cells.len() != 2);
        let is_digits = (2..=10).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_digit());
        match (is_drawn, is_digits) {
            (true, _) => Err(not_a_row(line, text)),
            (_, true) => in_rows(line, (0..text.len()).map(|i| &text[i..=i]), base),
            _ => in_rows(line, words(text), base),
        }
    };
    let boards: Vec<_> = filled(lines).map(list).collect::<Result<_, _>>()?;
    // Otherwise, the beginning of a wrapped list could be a smaller solution.
    if let Some(board) = boards.iter().find(|board| board.n != boards[0].n) {
        let why = format!("{} rows instead of {}, as in the list above", board.n, boards[0].n);
        return Err(refuse(board.line, &why));
    }
    // Single numbers on lines of their own are one board unless each is a board with N = 1.
    let is_column = boards.len() > 1 && boards.iter().all(|board| board.n == 1);
    match is_column && boards.iter().any(|board| board.queens[0].row != 0) {
        true => Err(refuse(boards[0].line, "one row number per line")),
        false => Ok(boards),
    }
}

/// Parses one board, with one row number per line.
fn column(lines: &[Line], base: u32) -> Boards {
    let line = filled(lines).map(|line| line.0).last().unwrap_or(1);
    match filled(lines).nth(1) {
        Some(_) => Ok(vec![in_rows(line, filled(lines).map(|line| line.1), base)?]),
        None => Err(refuse(0, "only one line")),
    }
}

/// Parses one list of rows or squares that is continued on the next lines. Only a list with all its
/// rows is accepted, since any other lists could be joined as well.
fn wrapped(lines: &[Line], base: u32) -> Boards {
    let last = filled(lines).map(|line| line.0).last().unwrap_or(1);
    let all = filled(lines).flat_map(|line| words(line.1.trim_end_matches(',')));
    let all: Vec<&str> = all.take(MAX_BOARD as usize + 1).collect();
    let joined = all.join(" ");
    let board = match in_rows(0, all, base) {
        Ok(board) => board,
        Err(_) => squares(&[(0, &joined)], base)?.remove(0),
    };
    let mut rows: Vec<_> = board.queens.iter().map(|queen| queen.row).collect();
    rows.sort_unstable();
    let is_wrapped = filled(lines).nth(1).is_some();
    match is_wrapped && rows.into_iter().eq(0..board.n as u32) {
        true => Ok(vec![Parsed { line: last, ..board }]),
        false => Err(refuse(0, "not a wrapped list")),
    }
}

/// Parses one list of squares per line, such as `a2 b4 c1 d3`, or one square per line.
fn squares(lines: &[Line], _: u32) -> Boards {
    let parse = |line, words: Vec<&str>| {
        let n = words.len();
        let queen = |word: &&str| {
            Square::parse(word, n as u32).map_err(|error| match error {
                BoardError::Malformed { .. } => not_a_row(line, word),
                error => refuse(line, &error.to_string()),
            })
        };
        let is_name = |word: &&str| word.starts_with(|c: char| c.is_ascii_alphabetic());
        if let Some(word) = words.iter().find(|word| !is_name(word)) {
            return Err(not_a_row(if word == &words[0] { 0 } else { line }, word));
        }
        let queens = words.iter().map(queen).collect::<Result<_, _>>()?;
        Ok(Parsed { line, n, queens, blocked: Vec::new() })
    };
    if filled(lines).nth(1).is_some() && filled(lines).all(|line| words(line.1).len() == 1) {
        let last = filled(lines).map(|line| line.0).last().unwrap_or(1);
        return Ok(vec![parse(last, filled(lines).map(|line| line.1).collect())?]);
    }
    filled(lines).map(|(line, text)| parse(line, words(text))).collect()
}

/// Parses one board given as pairs of a column and a row: `0,1 1,3 2,0 3,2`, or one pair per line.
/// The columns are numbered from zero.
fn pairs(lines: &[Line], base: u32) -> Boards {
    let last = filled(lines).map(|line| line.0).last().unwrap_or(1);
    let pairs = filled(lines).flat_map(|line| line.1.split_whitespace());
    let pairs: Vec<&str> = pairs.take(MAX_BOARD as usize + 1).collect();
    let n = pairs.len() as u32;
    let queen = |word: &&str| {
        let (column, row) = word.split_once(',')?;
        let (column, row): (u32, u32) = (column.parse().ok()?, row.parse().ok()?);
        let row = row.wrapping_sub(base);
        (column < n && row < n).then(|| Square::new(column, row))
    };
    let queens: Option<Vec<_>> = pairs.iter().map(queen).collect();
    // Numbers that do not fit could be a list with other separators.
    let queens = queens.filter(|queens| (2..=MAX_BOARD as usize).contains(&queens.len()));
    let queens = queens.ok_or_else(|| refuse(0, "not pairs of column and row"))?;
    Ok(vec![Parsed { line: last, n: n as usize, queens, blocked: Vec::new() }])
}

/// Parses one board per line, as assignments in any order: `x0 = 1 x1 = 3`.
fn named(lines: &[Line], base: u32) -> Boards {
    let board = |(line, text): Line| {
        let mut words = text.split_whitespace();
        let mut rows = Vec::new();
        while let Some(label) = words.next() {
            let index = label.strip_prefix('x').and_then(|index| index.parse::<usize>().ok());
            let value = words.next().filter(|sign| *sign == "=").and_then(|_| words.next());
            let (Some(index), Some(value)) = (index, value) else {
                return Err(not_a_row(if text.contains('=') { line } else { 0 }, text));
            };
            rows.push((index, value));
        }
        rows.sort_unstable();
        match rows.iter().map(|row| row.0).eq(0..rows.len()) {
            true => in_rows(line, rows.iter().map(|row| row.1), base),
            false => Err(refuse(line, &format!("not the labels x0 to x{}", rows.len() - 1))),
        }
    };
    filled(lines).map(board).collect()
}

/// Object of the JSON format.
#[derive(Deserialize)]
struct Solution {
    n: Option<usize>,
    rows: Vec<u32>,
}

/// Parses arrays of rows, matrices, and objects with rows.
fn json(lines: &[Line], base: u32) -> Boards {
    let text: Vec<&str> = lines.iter().map(|line| line.1).collect();
    // Python writes strings in single quotes.
    let text = text.join("\n").replace('\'', "\"");
    let mut values = Deserializer::from_str(&text).into_iter::<Value>();
    let mut boards = Vec::new();
    let is_json = text.trim_start().starts_with(['[', '{']);
    loop {
        let value = values.next();
        let lines_before = text[..values.byte_offset()].matches('\n').count();
        let line = if is_json { 1 + lines_before } else { 0 };
        let refused = |_| refuse(line, "not a board in JSON");
        match value.transpose().map_err(refused)? {
            None => return Ok(boards),
            Some(value) => boards.extend(of_value(value, line, base)?),
        }
    }
}

fn of_value(value: Value, line: usize, base: u32) -> Boards {
    let numbers = |rows: Vec<u32>| {
        let rows: Vec<_> = rows.iter().map(u32::to_string).collect();
        in_rows(line, rows.iter().map(String::as_str), base)
    };
    let refused = |_| refuse(line, "not a board in JSON");
    match value {
        Value::Object(_) => {
            let Solution { n, rows } = serde_json::from_value(value).map_err(refused)?;
            match n.filter(|n| *n != rows.len()) {
                Some(n) => Err(refuse(line, &format!("n = {n}, but {} rows", rows.len()))),
                None => Ok(vec![numbers(rows)?]),
            }
        }
        Value::Array(values) if values.iter().all(Value::is_number) => {
            let rows: Vec<u32> = serde_json::from_value(values.into()).map_err(refused)?;
            Ok(if rows.is_empty() { Vec::new() } else { vec![numbers(rows)?] })
        }
        Value::Array(values) => {
            let text = values.iter().map(|row| row.as_str().map_or(row.to_string(), str::to_owned));
            let text: Vec<_> = text.collect();
            let is_row = |row: &String| cells(row).is_some_and(|cells| cells.len() == text.len());
            let is_matrix = text.len() > 2 || values.iter().all(Value::is_string);
            if is_matrix && text.iter().all(is_row) {
                let rows: Vec<_> = text.iter().map(|row| (line, row.as_str())).collect();
                return drawn(&rows, base);
            }
            let boards = values.into_iter().map(|value| of_value(value, line, base));
            Ok(boards.collect::<Result<Vec<_>, _>>()?.concat())
        }
        _ => Err(refuse(line, "not a board in JSON")),
    }
}

/// Parses tables with the columns `solution`, `seconds`, `column_0` and so on.
fn csv(lines: &[Line], base: u32) -> Boards {
    let mut columns = None;
    let mut boards = Vec::new();
    for (line, text) in filled(lines) {
        let fields: Vec<&str> = text.split(',').map(str::trim).collect();
        if let ["solution", "seconds", named @ ..] = &fields[..] {
            let is_named = |(i, name): (usize, &&str)| *name == format!("column_{i}");
            columns = named.iter().enumerate().all(is_named).then_some(named.len());
        } else {
            let is_row = |n| fields.len() == n + 2 && fields[0].parse::<u64>().is_ok();
            match columns.is_some_and(is_row) && fields[1].parse::<f64>().is_ok() {
                true => boards.push(in_rows(line, fields.into_iter().skip(2), base)?),
                false => {
                    let line = if columns.is_some() { line } else { 0 };
                    return Err(refuse(line, "not a row of the table above"));
                }
            }
        }
    }
    match columns {
        Some(_) => Ok(boards),
        None => Err(refuse(0, "not a table")),
    }
}

/// Reads one board, for `--board`: its size, queens and blocked squares.
///
/// # Errors
///
/// Refuses text that [`boards`] refuses, and text with several boards.
pub(crate) fn puzzle(text: &str) -> Result<(u32, Vec<Square>, Vec<Square>), Refusal> {
    match &boards(text, 0)?[..] {
        [Parsed { n, queens, blocked, .. }] => Ok((*n as u32, queens.clone(), blocked.clone())),
        [_, second, ..] => Err(Refusal { line: second.line, why: "a second board".to_owned() }),
        [] => Err(refuse(1, "no board found")),
    }
}

impl Parsed {
    /// Checks that the board is a solution, and returns the reason if it is not. Messages number
    /// the rows from `base`.
    pub(crate) fn check(mut self, torus: bool, base: u32) -> Result<(), String> {
        let (n, queens) = (self.n as u32, &self.queens);
        if let Some(queen) = queens.iter().find(|queen| queen.row >= n) {
            let (column, row) = (queen.column_name(), queen.row.wrapping_add(base));
            let is_one_based = base == 0 && queens.iter().all(|queen| (1..=n).contains(&queen.row));
            let tip = "; use --base 1 if rows are numbered from 1";
            let tip = if is_one_based { tip } else { "" };
            let last = n - 1 + base;
            return Err(format!(
                "column {column}: row {row} is not on the {n} x {n} board (accepted: {base} to {last}{tip})"
            ));
        }
        self.queens.sort_unstable();
        let mut pairs = self.queens.windows(2);
        if let Some(pair) = pairs.find(|pair| pair[0].column == pair[1].column) {
            let attack =
                PlacementError::Attack { left: pair[0], right: pair[1], line: "column", n };
            return Err(attack.to_string());
        }
        // Queens are sorted by column, and no column has two. If none is missing, each queen's
        // index is its column.
        let queen_at = |index: u32| self.queens.get(index as usize);
        let is_missing =
            |&column: &u32| queen_at(column).is_none_or(|queen| queen.column != column);
        if let Some(column) = (0..n).find(is_missing) {
            let column = Square::new(column, 0).column_name();
            return Err(format!("column {column} has no queen"));
        }
        let rows = self.queens.iter().map(|queen| queen.row).collect();
        let placement = Placement::new(rows).and_then(|placement| match torus {
            true => placement.check_on_torus(),
            false => placement.check(),
        });
        placement.map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;
    use rstest::rstest;
    use strum::VariantNames;

    use super::super::boards::{BoardFormat, Found};
    use super::*;

    /// Prints boards as `queens solve` does, and the statistics of the OR-Tools guide's program.
    fn printed(format: BoardFormat, boards: &[Vec<u32>]) -> String {
        let n = boards[0].len() as u32;
        let mut out = format.header(n).into_bytes();
        let board = queens::Board::new(n).unwrap();
        for (number, rows) in (1..).zip(boards) {
            let placement = Placement::new(rows.clone()).unwrap();
            let found = Found { placement, number, elapsed: Duration::ZERO, is_timed: true };
            format.write(&mut out, &found, &board).unwrap();
        }
        out.extend(format.end(boards.len() as u64).as_bytes());
        String::from_utf8(out).unwrap()
    }

    fn read(text: &str) -> Result<Vec<Vec<u32>>, String> {
        let rows = |mut board: Parsed| {
            board.queens.sort_unstable();
            let columns = board.queens.iter().map(|queen| queen.column);
            assert!(columns.eq(0..board.n as u32), "{text}");
            board.queens.iter().map(|queen| queen.row).collect()
        };
        match boards(text, 0) {
            Ok(boards) => Ok(boards.into_iter().map(rows).collect()),
            Err(refusal) => Err(refusal.why),
        }
    }

    /// Returns some boards of one size, each with a queen in every column and row.
    fn permutations() -> impl Strategy<Value = Vec<Vec<u32>>> {
        (1..12_u32, 1..4_usize).prop_flat_map(|(n, count)| {
            let board = Just((0..n).collect::<Vec<_>>()).prop_shuffle();
            prop::collection::vec(board, count)
        })
    }

    fn text_format() -> impl Strategy<Value = BoardFormat> {
        let formats = BoardFormat::VARIANTS.iter().map(|name| name.parse::<BoardFormat>().unwrap());
        let formats = formats.filter(|format| format.most().is_none()).collect::<Vec<_>>();
        prop::sample::select(formats)
    }

    proptest! {
        /// Boards of the same size, as printed, are read as they are. Statistics may follow.
        #[test]
        fn printed_boards_are_read(format in text_format(), boards in permutations()) {
            let (text, n) = (printed(format, &boards), boards[0].len());
            // Two lines of 0 and 1 are two lists or one matrix.
            if n > 2 || !matches!(format, BoardFormat::List | BoardFormat::Matrix) {
                prop_assert_eq!(read(&text), Ok(boards.clone()));
                let statistics = format!("{text}\nN = {n}: {}\nbranches: 5\n", boards.len());
                prop_assert_eq!(read(&statistics), Ok(boards));
            }
            let other = format!("{text}\nN = {}: 1 solution\n", n + 1);
            prop_assert!(read(&other).is_err());
        }

        /// Damaged text is refused, read as the boards that were printed, or as boards that are
        /// not valid. Lists have no redundancy, so none of their numbers is removed.
        #[test]
        fn damaged_boards_are_never_valid_by_mistake(
            format in text_format(),
            boards in permutations(),
            (kind, place) in (0..6, 0..1_000_usize),
        ) {
            let is_small_matrix = boards[0].len() < 3 && format == BoardFormat::Matrix;
            if kind > 3 && format == BoardFormat::List || is_small_matrix {
                return Ok(());
            }
            let text = printed(format, &boards);
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let at = place % lines.len();
            let mut words: Vec<String> = lines[at].split(' ').map(str::to_owned).collect();
            let word = place % words.len();
            match kind {
                // Permuted labels, a split line, joined lines, a doubled, missing or empty word.
                0 => words.rotate_left(word),
                1 => words[word].push('\n'),
                2 if at + 1 < lines.len() => words.push(lines.remove(at + 1)),
                2 => {}
                3 => words.push(words[word].clone()),
                4 => drop(words.remove(word)),
                _ => words[word] = words[word].replace(char::is_numeric, ""),
            }
            lines[at] = words.join(" ");
            let damaged = lines.join("\n");
            for board in super::boards(&damaged, 0).unwrap_or_default() {
                let mut queens = board.queens.clone();
                queens.sort_unstable();
                let rows: Vec<u32> = queens.iter().map(|queen| queen.row).collect();
                let is_right = boards.contains(&rows) || format == BoardFormat::List && kind == 0;
                prop_assert!(is_right || board.check(false, 0).is_err(), "{}", damaged);
            }
        }
    }

    #[rstest]
    #[case::labels_in_any_order("x0 = 1 x2 = 0 x1 = 3 x3 = 2", &[1, 3, 0, 2])]
    #[case::one_row_per_line("1\n3\n0\n2\n", &[1, 3, 0, 2])]
    #[case::matrix_with_commas("0,0,1,0\n1,0,0,0\n0,0,0,1\n0,1,0,0\n", &[1, 3, 0, 2])]
    #[case::numpy("[[0 0 1 0]\n [1 0 0 0]\n [0 0 0 1]\n [0 1 0 0]]\n", &[1, 3, 0, 2])]
    #[case::matrix_in_json("[[0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 1, 0, 0]]", &[1, 3, 0, 2])]
    #[case::json_over_lines("[\n  1,\n  3,\n  0,\n  2\n]", &[1, 3, 0, 2])]
    #[case::pairs("0,1 1,3 2,0 3,2", &[1, 3, 0, 2])]
    #[case::squares_per_line("a3\nb1\nc4\nd2\n", &[1, 3, 0, 2])]
    #[case::size("{\"n\":4,\"rows\":[1,3,0,2]}", &[1, 3, 0, 2])]
    #[case::guide("Solution 0, time = 1 ms\n_ _ Q _\nQ _ _ _\n_ _ _ Q\n_ Q _ _\n\nStatistics\n  \
        conflicts      : 3\n  wall time      : 0.02 s\n", &[1, 3, 0, 2])]
    #[case::leetcode(r#"[["..Q.","Q...","...Q",".Q.."]]"#, &[1, 3, 0, 2])]
    #[case::python("['..Q.', 'Q...', '...Q', '.Q..']", &[1, 3, 0, 2])]
    #[case::minizinc("q = [1, 3, 0, 2];\n----------\n==========\n", &[1, 3, 0, 2])]
    #[case::minizinc_array("q = array1d(0..3, [1, 3, 0, 2]);\n----------\n", &[1, 3, 0, 2])]
    #[case::gecode("{1, 3, 0, 2}\n", &[1, 3, 0, 2])]
    #[case::prolog("Queens = [1,3,0,2].\n", &[1, 3, 0, 2])]
    #[case::byte_order_mark("\u{feff}1,3,0,2\n", &[1, 3, 0, 2])]
    #[case::grid("+---+---+---+---+\n|   |   | Q |   |\n+---+---+---+---+\n| Q |   |   |   |\n\
        +---+---+---+---+\n|   |   |   | Q |\n+---+---+---+---+\n|   | Q |   |   |\n\
        +---+---+---+---+\n", &[1, 3, 0, 2])]
    #[case::marked("_ # Q _\nP _ _ _\n_ _ _ Q\n# Q _ _\n\nN = 4, queen a3, blocked a1 b4: 1 solution\n", &[1, 3, 0, 2])]
    fn one_board_is_read(#[case] text: &str, #[case] rows: &[u32]) {
        assert_eq!(read(text), Ok(vec![rows.to_vec()]));
    }

    #[rstest]
    #[case::size("{\"rows\":[1,3,0,2],\"n\":5}", "n = 5, but 4 rows")]
    #[case::list_in_a_table(
        "solution,seconds,column_0,column_1,column_2,column_3\n1,3,0,2",
        "table"
    )]
    #[case::missing_label("x0 = 1 x2 = 3 x3 = 0 x4 = 2", "labels x0 to x3")]
    #[case::pairs_or_lists("0,1\n1,3\n2,0\n3,2\n", "different boards")]
    #[case::wrapped_or_lists("0 4 7 5\n2 6 1 3\n", "different boards")]
    #[case::sizes_of_lists("1 3 0 2\n2 4 1 3 0\n", "5 rows instead of 4")]
    #[case::other_labels("rows: 0,0,0,0\n1,3,0,2\n", "'rows: 0,0,0,0'")]
    #[case::boards_after_headings("Solution 1: 0,0,0,0\n1,3,0,2\n", "'Solution 1: 0,0,0,0'")]
    #[case::lists_like_pairs("0,2 1,3\n", "'2 1'")]
    #[case::grid("+-x-+\n", "'+-x-+'")]
    #[case::other_signs(".+..\n", "'.+..'")]
    #[case::formats_mixed("1,3,0,2\na2 b4 c1 d3\n", "'a2'")]
    #[case::text("1,3,0,2\nx1: 3\n", "'x1:'")]
    #[case::words_before_a_list("no solution [1,3,0,2]\n", "is not a row number")]
    fn the_input_is_refused(#[case] text: &str, #[case] why: &str) {
        let refused = read(text).unwrap_err();
        assert!(refused.contains(why) && refused.contains("accepted: boards"), "{refused}");
    }
}
