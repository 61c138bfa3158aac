//! `queens check`: whether boards are solutions.

use std::io::{self, BufWriter, Write};

use anyhow::{Context, Result, bail};
use clap::Args;

use super::exit::Failure;
use super::output::Output;
use crate::human::beginning;
use queens::Placement;
use queens::board::MAX_BOARD;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The row of the queen in each column from the left, counted from 0 at the top, as in 0,4,7,5,2,6,1,3; without it,
    /// boards are read from standard input, one a line, with commas or spaces, as `solve --format list` prints them
    #[arg(value_name = "ROWS")]
    rows: Option<String>,

    /// Diagonals wrap around the edges: the modular problem
    #[arg(long)]
    torus: bool,
}

/// The row of the queen in each column, as somebody has written them: numbers with blanks or commas between them. Between two
/// commas there must be a number.
fn parse(text: &str) -> Result<Vec<u32>, String> {
    let refuse = |text: &str| {
        let accepted = "accepted: whole numbers with commas or spaces between them";
        format!(
            "'{}' is not the number of a row ({accepted})",
            beginning(text, 40)
        )
    };
    let mut rows = Vec::new();
    if text.trim().is_empty() {
        return Ok(rows);
    }
    for part in text.split(',') {
        if part.trim().is_empty() {
            return Err(refuse(""));
        }
        for word in part.split_whitespace() {
            rows.push(word.parse().map_err(|_| refuse(word))?);
        }
    }
    match rows.len() {
        n if n <= MAX_BOARD as usize => Ok(rows),
        n => Err(format!(
            "{n} rows are too many (accepted: up to {MAX_BOARD})"
        )),
    }
}

/// Prints a line for each board. That one is not a solution is an error.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut out = BufWriter::new(Output::standard());
    let (mut boards, mut wrong) = (0_u64, 0_u64);
    let mut check = |rows: Vec<u32>| {
        boards += 1;
        match Placement::new(rows).and_then(|board| board.check(arguments.torus)) {
            Ok(()) => writeln!(out, "valid"),
            Err(attack) => {
                wrong += 1;
                writeln!(out, "not valid: {attack}")
            }
        }
    };
    match &arguments.rows {
        Some(rows) => check(parse(rows).map_err(|error| Failure::usage("ROWS", error))?)?,
        None => {
            for (number, line) in (1..).zip(io::stdin().lines()) {
                let place = || format!("standard input: line {number}");
                let line = line.with_context(place)?;
                if line.trim().is_empty() {
                    continue;
                }
                let rows = parse(&line);
                check(rows.map_err(anyhow::Error::msg).with_context(place)?)?;
            }
        }
    }
    out.flush()?;
    match (wrong, boards) {
        (_, 0) => bail!("standard input: there is no board in it"),
        (0, _) => Ok(()),
        (_, 1) => bail!("the board is not a solution"),
        _ => bail!("{wrong} of {boards} boards are not solutions"),
    }
}
