//! Reads boards in the text formats that `queens solve` writes, and in a few more.
//!
//! The whole input is recognized before any board is checked. Each format is a function that parses
//! all lines or refuses the input. The input is accepted if all formats that parse it find the same
//! boards, so that a board is never judged by another reading than its author's.

use std::fmt::Display;
use std::io::{BufRead, Read};

use serde_json::{Deserializer, Value, json};

use crate::human::beginning;
use queens::board::MAX_BOARD;
use queens::{BoardError, Placement, PlacementError, Square};

/// A board before validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parsed {
    /// Line on which the board ends, numbered from one.
    line: usize,
    pub(crate) n: u32,
    pub(crate) queens: Vec<Square>,
    pub(crate) blocked: Vec<Square>,
}

/// Reason why text is not in a format, and the line at which this is certain. The default is for
/// text that does not even begin like the format. It is never shown, because [`lists`] always names
/// a line.
#[derive(Debug, Default)]
pub(crate) struct Refusal {
    pub(crate) line: usize,
    pub(crate) why: String,
}

/// A line without surrounding blanks, and its number. Headings and statistics are left empty.
type Line<'a> = (usize, &'a str);

type Boards = Result<Vec<Parsed>, Refusal>;

/// All formats. The first of those that parse most lines gives the reason for a refusal.
const FORMATS: [fn(&[Line], u32) -> Boards; 9] =
    [named, json, csv, drawn, squares, lists, column, wrapped, pairs];

const ACCEPTED: &str = "accepted: boards in one of the formats board, unicode, matrix, list, \
    named, json, leetcode and csv of 'queens solve'; whole numbers or squares, separated by commas \
    or spaces";

/// Number of words at which reading ends, because no board has so many rows.
const TOO_MANY: usize = MAX_BOARD as usize + 1;

/// Maximum length of a line in bytes. The longest line needed, the CSV header of the largest board,
/// is 14 MB long.
const LONGEST_LINE: u64 = 16 << 20;

/// Maximum length of the input in bytes.
const LONGEST_INPUT: usize = 1 << 30;

/// Reads the whole input.
pub(crate) fn read_all(input: &mut dyn BufRead) -> Result<String, Refusal> {
    let mut text = String::new();
    for line in 1.. {
        let refuse = |why: &str| Refusal { line, why: why.to_owned() };
        let read = input.take(LONGEST_LINE).read_line(&mut text);
        match read.map_err(|error| refuse(&error.to_string()))? as u64 {
            0 => break,
            LONGEST_LINE => return Err(refuse("too long (accepted: lines shorter than 16 MiB)")),
            _ if text.len() > LONGEST_INPUT => {
                return Err(refuse("the input is too long (accepted: up to 1 GiB)"));
            }
            _ => {}
        }
    }
    Ok(text)
}

/// Parses boards whose rows are numbered from `base`. There is at least one.
///
/// # Errors
///
/// Refuses text that is in no format, or that two formats read as different boards.
pub(crate) fn boards(text: &str, base: u32) -> Boards {
    let text = text.trim_start_matches('\u{feff}'); // a byte order mark
    let lines = (1..).zip(text.lines().map(str::trim)).filter(|(_, line)| !is_border(line));
    let sizes = lines.clone().filter_map(|(line, text)| Some((line, size(text)?)));
    let lines = lines.map(|(number, line)| (number, if is_note(line) { "" } else { line }));
    let mut lines: Vec<Line> = lines.collect();
    // An incomplete board is noticed at the end.
    lines.push((text.lines().count() + 1, ""));

    let (mut found, mut refused) = (Vec::new(), Vec::new());
    for format in FORMATS {
        match format(&lines, base) {
            Ok(boards) if found.contains(&boards) => {}
            Ok(boards) => found.push(boards),
            Err(why) => refused.push(why),
        }
    }
    if found.len() > 1 {
        let line = filled(&lines).next().map_or(1, |line| line.0);
        return Err(refuse(line, "two formats read different boards"));
    }
    let boards = match found.pop() {
        Some(boards) if boards.is_empty() => return Err(refuse(lines.len(), "no board found")),
        Some(boards) => boards,
        // Of equal lines, `max_by_key` finds the last.
        None => {
            return Err(refused.into_iter().rev().max_by_key(|why| why.line).unwrap_or_default());
        }
    };
    let mut boards_left = boards.iter().peekable();
    for (line, size) in sizes {
        while let Some(Parsed { n, .. }) = boards_left.next_if(|board| board.line < line) {
            if n.to_string() != size {
                return Err(refuse(line, format_args!("a {n} x {n} board above 'N = {size}'")));
            }
        }
    }
    Ok(boards)
}

fn refuse(line: usize, why: impl Display) -> Refusal {
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

/// Returns the size in a summary, such as `N = 8, torus: 1 solution`.
fn size(line: &str) -> Option<&str> {
    line.strip_prefix("N = ")?.split([',', ':']).next()
}

/// Whether a line is a heading of a board, a separator, a comment of MiniZinc, the end of Prolog's
/// answers or a line of statistics. Any other text could be a board in an unknown format, which
/// must not be skipped.
fn is_note(line: &str) -> bool {
    let is_number = |text: &str| text.parse::<u64>().is_ok();
    let is_heading = line.strip_prefix("Solution ").is_some_and(|heading| {
        let (number, time) = heading.split_once(", time = ").unwrap_or((heading, "0"));
        is_number(&number.replace(',', "")) && time.starts_with(|c: char| c.is_ascii_digit())
    });
    let (label, rest) = line.split_once(':').unwrap_or_default();
    let is_labelled = LABELS.contains(&label.trim_end()) || size(label).is_some_and(is_number);
    let is_separator = |c| line.len() > 2 && line.chars().all(|other| other == c);
    is_separator('-')
        || is_separator('=')
        || line.starts_with('%')
        || ["Statistics", "false."].contains(&line)
        || is_heading
        || is_labelled && !rest.is_empty()
}

/// Parses drawn boards, whose squares may be separated by blanks, commas and brackets.
fn drawn(lines: &[Line], _: u32) -> Boards {
    let mut boards = Vec::new();
    let mut rest = lines;
    while let [(line, text), below @ ..] = rest {
        let Some(n) = cells(text).map(|cells| cells.len()) else {
            if !text.is_empty() {
                return Err(not_a_row(if boards.is_empty() { 0 } else { *line }, text));
            }
            rest = below;
            continue;
        };
        let mut board = Parsed::new(0, Vec::new());
        board.n = n as u32;
        for (row, &(line, text)) in (0..board.n).zip(rest) {
            let cells = cells(text).filter(|cells| cells.len() == n).ok_or_else(|| {
                refuse(line, format_args!("the {n} x {n} board ends after {row} of its rows"))
            })?;
            for (column, cell) in (0..).zip(cells) {
                match cell {
                    // A board with more than n queens is wrong, so at most n + 1 are kept.
                    'Q' if board.queens.len() <= n => board.queens.push(Square::new(column, row)),
                    '#' => board.blocked.push(Square::new(column, row)),
                    _ => {}
                }
            }
            board.line = line;
        }
        boards.push(board);
        rest = &rest[n..];
    }
    Ok(boards)
}

/// Parses a row of a drawn board, whose squares may be separated by vertical lines. Returns `Q`,
/// `#` or `_` for each square.
fn cells(line: &str) -> Option<Vec<char>> {
    let cell = |word: &str| match word {
        "Q" | "♛" | "1" | "P" | "♔" => Some('Q'),
        "_" | "." | "·" | "0" | "" => Some('_'),
        "#" | "▒" => Some('#'),
        _ => None,
    };
    if let Some(row) = line.strip_prefix('|').and_then(|line| line.strip_suffix('|')) {
        return row.split('|').map(|word| cell(word.trim())).collect();
    }
    let is_separator = |c: char| c.is_whitespace() || [',', '[', ']'].contains(&c);
    let words = || line.split(is_separator).filter(|word| !word.is_empty());
    let cells: Option<Vec<_>> = match words().nth(1) {
        Some(_) => words().map(cell).collect(),
        None => line.split("").filter(|c| !c.is_empty() && !"[],".contains(c)).map(cell).collect(),
    };
    // A single free square could be a row number.
    cells.filter(|cells| cells.len() > 1 || cell(line).is_some_and(|cell| cell != '_'))
}

fn not_a_row(line: usize, text: &str) -> Refusal {
    refuse(line, format_args!("'{}' is not a row number", beginning(text, 40)))
}

/// Splits a line at commas, each with optional blanks around it, or at blanks.
fn words(line: &str) -> Vec<&str> {
    match line.contains(',') {
        true => line.split(',').map(str::trim).take(TOO_MANY).collect(),
        false => line.split_whitespace().take(TOO_MANY).collect(),
    }
}

/// Returns the board with a queen in each column, in the row with the given number.
fn in_rows<'a>(
    line: usize,
    rows: impl IntoIterator<Item = &'a str>,
    base: u32,
) -> Result<Parsed, Refusal> {
    let row = |word: &str| word.parse().map_err(|_| not_a_row(line, word));
    let rows = rows.into_iter().take(TOO_MANY).map(row);
    in_rows_numbered(line, rows.collect::<Result<_, _>>()?, base)
}

fn in_rows_numbered(line: usize, rows: Vec<u32>, base: u32) -> Result<Parsed, Refusal> {
    if rows.len() >= TOO_MANY {
        return Err(refuse(line, format_args!("more than {MAX_BOARD} rows")));
    }
    let queens = (0..).zip(rows).map(|(column, row)| Square::new(column, row.wrapping_sub(base)));
    Ok(Parsed::new(line, queens.collect()))
}

fn filled<'a>(lines: &'a [Line<'a>]) -> impl Iterator<Item = Line<'a>> {
    lines.iter().copied().filter(|line| !line.1.is_empty())
}

/// Returns the texts of lines that have any, if there are several, and the number of the last one.
fn several<'a>(lines: &'a [Line<'a>]) -> Result<(usize, Vec<&'a str>), Refusal> {
    let (numbers, texts): (Vec<_>, Vec<_>) = filled(lines).unzip();
    match numbers[..] {
        [_, .., last] => Ok((last, texts)),
        _ => Err(Refusal::default()),
    }
}

/// Returns the inside of a list in brackets, with or without a name and a full stop or semicolon:
/// `[1,3,0,2]`, `{1, 3, 0, 2}`, `q = [1,3,0,2];`, `q = array1d(0..3, [1,3,0,2]);`.
fn in_brackets(text: &str) -> Option<&str> {
    let (before, rest) = text.split_once(['[', '{'])?;
    let inside = rest.trim_end_matches([';', '.', ',', ')', ' ']).strip_suffix([']', '}'])?;
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
    if let Some(Parsed { line, n, .. }) = boards.iter().find(|board| board.n != boards[0].n) {
        let why = format_args!("{n} rows instead of {}, as in the list above", boards[0].n);
        return Err(refuse(*line, why));
    }
    // Single numbers on lines of their own are one board unless each is a board with N = 1.
    let is_in_column = |board: &Parsed| board.n == 1 && board.queens[0].row != 0;
    match boards.len() > 1 && boards.iter().any(is_in_column) {
        true => Err(refuse(boards[0].line, "one row number per line")),
        false => Ok(boards),
    }
}

/// Parses one board, with one row number per line.
fn column(lines: &[Line], base: u32) -> Boards {
    let (last, rows) = several(lines)?;
    Ok(vec![in_rows(last, rows, base)?])
}

/// Parses one list of rows or squares that is continued on the next lines. Only a list with all its
/// rows is accepted, since any other lists could be joined as well.
fn wrapped(lines: &[Line], base: u32) -> Boards {
    let (last, texts) = several(lines)?;
    let all = texts.iter().flat_map(|text| words(text.trim_end_matches(',')));
    let all: Vec<&str> = all.take(TOO_MANY).collect();
    let joined = all.join(" ");
    let board = in_rows(0, all, base).or_else(|_| in_squares(0, &words(&joined)))?;
    let mut rows: Vec<_> = board.queens.iter().map(|queen| queen.row).collect();
    rows.sort_unstable();
    match rows.into_iter().eq(0..board.n) {
        true => Ok(vec![Parsed { line: last, ..board }]),
        false => Err(Refusal::default()),
    }
}

/// Parses one list of squares per line, such as `a2 b4 c1 d3`, or one square per line.
fn squares(lines: &[Line], _: u32) -> Boards {
    match several(lines) {
        Ok((last, texts)) if texts.iter().all(|text| words(text).len() == 1) => {
            Ok(vec![in_squares(last, &texts)?])
        }
        _ => filled(lines).map(|(line, text)| in_squares(line, &words(text))).collect(),
    }
}

/// Returns the board with queens on the named squares.
fn in_squares(line: usize, names: &[&str]) -> Result<Parsed, Refusal> {
    let queen = |name: &&str| {
        Square::parse(name, names.len() as u32).map_err(|error| match error {
            BoardError::Malformed { .. } => not_a_row(line, name),
            error => refuse(line, error),
        })
    };
    let is_name = |name: &&str| name.starts_with(|c: char| c.is_ascii_alphabetic());
    if let Some(other) = names.iter().find(|name| !is_name(name)) {
        return Err(not_a_row(if other == &names[0] { 0 } else { line }, other));
    }
    Ok(Parsed::new(line, names.iter().map(queen).collect::<Result<_, _>>()?))
}

/// Parses one board given as pairs of a column and a row: `0,1 1,3 2,0 3,2`, or one pair per line.
/// The columns are numbered from zero.
fn pairs(lines: &[Line], base: u32) -> Boards {
    let pairs = filled(lines)
        .flat_map(|(line, text)| text.split_whitespace().map(move |pair| (line, pair)));
    let pairs: Vec<_> = pairs.take(TOO_MANY).collect();
    let n = pairs.len() as u32;
    let queen = |(_, pair): &(usize, &str)| {
        let (column, row) = pair.split_once(',')?;
        let (column, row): (u32, u32) = (column.parse().ok()?, row.parse().ok()?);
        let row = row.wrapping_sub(base);
        // Numbers that do not fit could be a list with other separators.
        (column < n && row < n).then(|| Square::new(column, row))
    };
    let queens: Option<Vec<_>> = pairs.iter().map(queen).collect();
    match (queens, &pairs[..]) {
        (Some(queens), [_, .., (last, _)]) if n <= MAX_BOARD => {
            Ok(vec![Parsed::new(*last, queens)])
        }
        _ => Err(Refusal::default()),
    }
}

/// Parses one board per line, as assignments in any order: `x0 = 1 x1 = 3`, or as Choco prints
/// them, `[q[0] = 1, q[1] = 3]` or `Solution: q_0=1, q_1=3, `.
fn named(lines: &[Line], base: u32) -> Boards {
    /// Splits `q[0] = 1` into the name, the column and the row.
    fn row(text: &str) -> Option<(&str, usize, &str)> {
        let (label, row) = text.split_once('=')?;
        let label = label.trim_end().trim_end_matches(']');
        let name = label.trim_end_matches(|c: char| c.is_ascii_digit());
        Some((name, label[name.len()..].parse().ok()?, row.trim_start()))
    }
    let board = |(line, text): Line| {
        let other = || not_a_row(if text.contains('=') { line } else { 0 }, text);
        let list = text.strip_prefix("Solution: ").unwrap_or(text);
        let list = list.strip_prefix('[').map_or(list, |list| list.trim_end_matches(']'));
        let words = list.replace(" = ", "=").replace(',', " ");
        let rows: Option<Vec<_>> = words.split_whitespace().map(row).collect();
        let mut rows = rows.ok_or_else(other)?;
        rows.sort_unstable();
        let name = rows.first().ok_or_else(other)?.0;
        let named = |i| (name, i);
        match rows.iter().map(|row| (row.0, row.1)).eq((0..rows.len()).map(named)) {
            true => in_rows(line, rows.iter().map(|row| row.2), base),
            false => Err(refuse(
                line,
                format_args!("not the labels {name}0 to {name}{}", rows.len() - 1),
            )),
        }
    };
    filled(lines).map(board).collect()
}

/// Parses arrays of rows, matrices, and objects with rows.
fn json(lines: &[Line], base: u32) -> Boards {
    let text: Vec<&str> = lines.iter().map(|line| line.1).collect();
    // Python writes strings in single quotes.
    let text = text.join("\n").replace('\'', "\"");
    if !text.trim_start().starts_with(['[', '{']) {
        return Err(Refusal::default());
    }
    let mut values = Deserializer::from_str(&text).into_iter::<Value>();
    let mut boards = Vec::new();
    let (mut line, mut end) = (1, 0);
    while let Some(value) = values.next() {
        line += text[end..values.byte_offset()].matches('\n').count();
        end = values.byte_offset();
        let value = value.map_err(|_| not_json(line))?;
        boards.extend(of_value(value, line, base)?);
    }
    Ok(boards)
}

fn not_json(line: usize) -> Refusal {
    refuse(line, "not a board in JSON")
}

fn of_value(mut value: Value, line: usize, base: u32) -> Boards {
    let board = |rows| Ok(vec![in_rows_numbered(line, rows, base)?]);
    match value {
        Value::Object(_) => {
            let fields = ["n", "rows"].map(|name| value[name].take());
            let fields = serde_json::from_value::<(Option<usize>, Vec<u32>)>(json!(fields));
            let (n, rows) = fields.map_err(|_| not_json(line))?;
            match n.filter(|n| *n != rows.len()) {
                Some(n) => Err(refuse(line, format_args!("n = {n}, but {} rows", rows.len()))),
                None => board(rows),
            }
        }
        Value::Array(values) if values.is_empty() => Ok(Vec::new()),
        Value::Array(values) if values.iter().all(Value::is_number) => {
            board(serde_json::from_value(values.into()).map_err(|_| not_json(line))?)
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
        _ => Err(not_json(line)),
    }
}

/// Parses tables with the columns `n`, `solution`, `seconds`, `column_0` and so on.
fn csv(lines: &[Line], base: u32) -> Boards {
    let mut columns = None;
    let mut boards = Vec::new();
    for (line, text) in filled(lines) {
        let fields: Vec<&str> = text.split(',').map(str::trim).collect();
        match &fields[..] {
            ["n", "solution", "seconds", names @ ..] => {
                let is_named = |(i, name): (usize, &&str)| *name == format!("column_{i}");
                columns = names.iter().enumerate().all(is_named).then_some(names.len());
            }
            [n, number, seconds, rows @ ..]
                if columns == Some(rows.len())
                    && *n == rows.len().to_string()
                    && number.parse::<u64>().is_ok()
                    && seconds.parse::<f64>().is_ok() =>
            {
                boards.push(in_rows(line, rows.iter().copied(), base)?);
            }
            _ if columns.is_some() => return Err(refuse(line, "not a row of the table above")),
            _ => return Err(Refusal::default()),
        }
    }
    columns.map(|_| boards).ok_or_else(Refusal::default)
}

/// Reads one board, for `--board`.
///
/// # Errors
///
/// Refuses text that [`boards`] refuses, and text with several boards.
pub(crate) fn puzzle(text: &str) -> Result<Parsed, Refusal> {
    let mut boards = boards(text, 0)?;
    match boards.get(1) {
        Some(second) => Err(Refusal { line: second.line, why: "a second board".to_owned() }),
        None => Ok(boards.remove(0)),
    }
}

impl Parsed {
    /// Returns a board with as many columns as queens.
    fn new(line: usize, queens: Vec<Square>) -> Self {
        Self { line, n: queens.len() as u32, queens, blocked: Vec::new() }
    }

    /// Checks that the board is a solution, and returns the reason if it is not. Messages number
    /// the rows from `base`.
    pub(crate) fn check(mut self, torus: bool, base: u32) -> Result<(), String> {
        let (n, queens) = (self.n, &mut self.queens);
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
        let checked = placement.and_then(|placement| match torus {
            true => placement.check_on_torus(),
            false => placement.check(),
        });
        checked.map_err(|error| error.to_string())
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
            assert!(columns.eq(0..board.n), "{text}");
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
    #[case::choco("[q[0] = 1, q[1] = 3, q[2] = 0, q[3] = 2]\n", &[1, 3, 0, 2])]
    #[case::choco_solution("Solution: q_0=1, q_1=3, q_2=0, q_3=2, \n", &[1, 3, 0, 2])]
    #[case::prolog("Queens = [1,3,0,2].\n", &[1, 3, 0, 2])]
    #[case::prolog_answers("Qs = [1, 3, 0, 2] ;\nfalse.\n", &[1, 3, 0, 2])]
    #[case::minizinc_statistics("q = [1, 3, 0, 2];\n% time elapsed: 0.1 s\n----------\n%%%mzn-stat: nodes=3\n", &[1, 3, 0, 2])]
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
        "n,solution,seconds,column_0,column_1,column_2,column_3\n1,3,0,2",
        "table"
    )]
    #[case::missing_label("x0 = 1 x2 = 3 x3 = 0 x4 = 2", "labels x0 to x3")]
    #[case::two_arrays("x0 = 1, x1 = 3, y2 = 0, y3 = 2", "labels x0 to x3")]
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
