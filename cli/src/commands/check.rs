//! `queens check`: checks whether boards in the text formats of `queens solve` are solutions.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

use anyhow::{Error, Result, anyhow, bail};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::Value;

use crate::exit::Failure;
use crate::human::beginning;
use crate::output::Output;
use queens::board::MAX_BOARD;
use queens::{BoardError, Placement, PlacementError, Square};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Row of the queen in each column, numbered from 0 at the top, such as 0,4,7,5,2,6,1,3 or
    /// 04752613; or squares such as a2,b4,c1,d3. If omitted, boards are read from standard input,
    /// in one of these formats: board, unicode, matrix, list, named, json, csv
    #[arg(value_name = "ROWS")]
    rows: Vec<String>,

    /// Wrap the diagonals around the edges
    #[arg(long)]
    torus: bool,

    /// Set the number of the top row in lists of rows
    #[arg(long, value_name = "B", default_value = "0", value_parser = base())]
    base: u32,

    /// Print only errors
    #[arg(long, short)]
    quiet: bool,
}

fn base() -> impl TypedValueParser<Value = u32> {
    PossibleValuesParser::new(["0", "1"]).map(|base| u32::from(base == "1"))
}

/// Maximum length of a line in bytes. The longest line needed, the CSV header of the largest board,
/// is 14 MB long.
const LONGEST_LINE: u64 = 16 << 20;

/// Prints a verdict for each board. Fails if any board is not a solution.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut out = BufWriter::new(Output::standard());
    let rows = arguments.rows.join(" ");
    let is_typed = !arguments.rows.is_empty();
    let mut input: Box<dyn BufRead> = match is_typed {
        true => Box::new(rows.as_bytes()),
        false => Box::new(BufReader::new(io::stdin())),
    };
    let failure = |number: u64, why: String| {
        if !is_typed {
            return anyhow!("standard input: line {number}: {why}");
        }
        let tip = match Path::new(&rows).is_file() {
            true => format!("; 'queens check < {rows}' reads a file"),
            false => String::new(),
        };
        Error::from(Failure::usage("ROWS", format!("{why}{tip}")))
    };
    let mut reader = Reader { base: arguments.base, ..Reader::default() };
    let (mut boards, mut wrong) = (0_u64, 0_u64);
    for number in 1.. {
        let line = next_line(&mut input).map_err(|why| failure(number, why))?;
        let board = reader.line(&line).map_err(|why| failure(number, why))?;
        if let Some(board) = board {
            boards += 1;
            let verdict = match board.check(arguments.torus, arguments.base) {
                Ok(()) => "valid".to_owned(),
                Err(why) => {
                    wrong += 1;
                    format!("not valid: {why}")
                }
            };
            if !arguments.quiet {
                writeln!(out, "{verdict}")?;
            }
        }
        if line.is_empty() {
            if boards == 0 {
                return Err(failure(number, "no board found".to_owned()));
            }
            break;
        }
    }
    out.flush()?;
    match (wrong, boards) {
        (0, _) => Ok(()),
        (_, 1) => bail!("the board is not a solution"),
        _ => bail!("{wrong} of {boards} boards failed the check"),
    }
}

/// Reads a line, including its newline. Returns an empty string at the end of the input.
fn next_line(input: &mut dyn BufRead) -> Result<String, String> {
    let mut line = Vec::new();
    let read = input.take(LONGEST_LINE).read_until(b'\n', &mut line);
    if read.map_err(|error| error.to_string())? as u64 == LONGEST_LINE {
        return Err("too long (accepted: lines shorter than 16 MiB)".to_owned());
    }
    String::from_utf8(line).map_err(|_| "not valid UTF-8".to_owned())
}

/// Checks a board given on one line, as rows or squares. The inner error is the reason why it is
/// not a solution.
///
/// # Errors
///
/// Returns the reason why the line is not a board.
pub fn check_line(line: &str, torus: bool) -> Result<Result<(), String>, String> {
    Ok(listed(line.trim(), false, 0)?.check(torus, 0))
}

/// Reads boards line by line.
#[derive(Debug, Default)]
struct Reader {
    /// Whether lines start with the number and the time of the solution.
    is_csv: bool,
    /// Number of the top row in lists.
    base: u32,
    /// Drawn board that has been read only in part.
    drawn: Option<Parsed>,
}

/// A board before validation.
#[derive(Debug)]
struct Parsed {
    n: usize,
    queens: Vec<Square>,
    /// Number of rows read.
    rows: usize,
}

impl Reader {
    /// Parses a line, which is empty at the end of the input. Returns the board if the line
    /// completes one.
    fn line(&mut self, line: &str) -> Result<Option<Parsed>, String> {
        let line = line.trim();
        let cells = cells(line);
        let columns = cells.as_ref().map(Vec::len);
        if let Some(Parsed { n, rows, .. }) = self.drawn.take_if(|board| columns != Some(board.n)) {
            return Err(format!("the {n} x {n} board ends after {rows} of its rows"));
        }
        if let Some(cells) = cells {
            let (n, queens, rows) = (cells.len(), Vec::new(), 0);
            let board = self.drawn.get_or_insert(Parsed { n, queens, rows });
            let row = board.rows as u32;
            let queens = (0..).zip(cells).filter(|&(_, is_queen)| is_queen);
            let queens = queens.map(|(column, _)| Square::new(column, row));
            // A board with more than n queens is wrong, so at most n + 1 are kept.
            board.queens.extend(queens.take(n + 1 - board.queens.len()));
            board.rows += 1;
            return Ok(self.drawn.take_if(|board| board.rows == n));
        }
        self.is_csv |= line.starts_with("solution,");
        // Headings of boards and CSV tables.
        let headings = ["Solution ", "N = ", "solution,"];
        // In JSON format, `solve` writes `[]` if there is no solution.
        let is_nothing = line.is_empty() || line == "[]";
        if is_nothing || headings.iter().any(|heading| line.starts_with(heading)) {
            return Ok(None);
        }
        listed(line, self.is_csv, self.base).map(Some)
    }
}

/// Parses a row of a drawn board. Returns, for each square, whether it has a queen (`Q`, `♛` or
/// `1`).
///
/// A line of only `0` and `1` could also be a list of rows, but with three or more entries, that is
/// never a solution.
fn cells(line: &str) -> Option<Vec<bool>> {
    let cell = |word: &str| match word {
        "Q" | "♛" | "1" => Some(true),
        "_" | "." | "·" | "0" => Some(false),
        _ => None,
    };
    let cells: Option<Vec<_>> = match line.contains(' ') {
        true => line.split_whitespace().map(cell).collect(),
        false => line.split("").filter(|c| !c.is_empty()).map(cell).collect(),
    };
    let is_drawn = |cells: &Vec<bool>| cells.len() > 2 || line.contains(['Q', '♛']) || line == "1";
    cells.filter(is_drawn)
}

/// Parses a board given on one line, as squares or as rows: separated numbers, digits, assignments
/// or JSON.
fn listed(line: &str, is_csv: bool, base: u32) -> Result<Parsed, String> {
    let refuse = |text: &str| {
        let accepted = "accepted: whole numbers or squares, separated by commas or spaces";
        let text = beginning(text, 40);
        format!("'{text}' is not a row number ({accepted})")
    };
    let is_digits = (2..=10).contains(&line.len()) && line.bytes().all(|c| c.is_ascii_digit());
    let words: Vec<String> = if line.starts_with(['{', '[']) {
        let value: Value = serde_json::from_str(line).unwrap_or_default();
        let rows = value.get("rows").unwrap_or(&value).as_array();
        let rows = rows.ok_or_else(|| refuse(line))?.iter();
        rows.map(Value::to_string).collect()
    } else if line.starts_with("x0 = ") {
        let words = line.split_whitespace().skip(2).step_by(3);
        words.map(str::to_owned).collect()
    } else if is_digits {
        line.chars().map(String::from).collect()
    } else {
        // An empty field between commas becomes an empty word, which is rejected.
        let parts = line.split(',').skip(if is_csv { 2 } else { 0 });
        let words = parts.flat_map(|part| match part.trim() {
            "" => vec![String::new()],
            part => part.split_whitespace().map(str::to_owned).collect(),
        });
        words.take(MAX_BOARD as usize + 1).collect()
    };
    let n = words.len();
    if n > MAX_BOARD as usize {
        return Err(format!("more than {MAX_BOARD} rows (accepted: up to {MAX_BOARD})"));
    }
    let queen = |(column, word): (u32, &String)| match word.parse::<u32>() {
        Ok(row) => Ok(Square::new(column, row.wrapping_sub(base))),
        Err(_) if word.len() > 16 => Err(refuse(word)),
        Err(_) => Square::parse(word, n as u32).map_err(|error| match error {
            BoardError::Malformed { .. } => refuse(word),
            error => error.to_string(),
        }),
    };
    let queens = (0..).zip(&words).map(queen).collect::<Result<_, _>>()?;
    Ok(Parsed { n, queens, rows: n })
}

impl Parsed {
    /// Checks that the board is a solution, and returns the reason if it is not. Messages number
    /// the rows from `base`.
    fn check(mut self, torus: bool, base: u32) -> Result<(), String> {
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
        let placement = Placement::new(rows).and_then(|placement| placement.check(torus));
        placement.map_err(|error| error.to_string())
    }
}
