//! `queens check`: checks whether boards are solutions.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use clap::Args;
use queens_search::boards::{ReadError, parse, read_text};

use crate::exit::{Failure, Result, open_pipe};
use crate::output::Output;
use crate::progress::waiting;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Row of the queen in each column, numbered from 0 at the top, such as 0,4,7,5,2,6,1,3; or
    /// squares such as a2,b4,c1,d3
    ///
    /// If omitted, boards are read from standard input: drawn with Q, _, . and #, or on each line
    /// row numbers, squares, or JSON with the field `rows`
    #[arg(value_name = "ROWS")]
    rows: Vec<String>,

    /// Print only errors
    #[arg(long, short)]
    quiet: bool,
}

/// Prints a verdict for each board. Fails if any board is not a solution.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let rows = arguments.rows.join(" ");
    let is_typed = !arguments.rows.is_empty();
    let failure = |error: ReadError| {
        if !is_typed {
            return Failure::invalid(format!("standard input: {error}"));
        }
        let tip = match Path::new(&rows).is_file() {
            true => format!("; 'queens check < {rows}' reads a file"),
            false => String::new(),
        };
        Failure::usage("ROWS", format!("{}{tip}", error.reason))
    };
    // Boards may also be typed, and verdicts printed, on the terminal.
    let is_piped = !is_typed && !io::stdin().is_terminal();
    let reading = is_piped.then(|| waiting("checking"));
    let text = if is_typed { Ok(rows.clone()) } else { read_text(&mut io::stdin().lock()) };
    let boards = text.and_then(|text| parse(&text)).map_err(failure)?;
    let out = (!arguments.quiet).then(Output::standard);
    let reading = reading.filter(|_| out.is_none() || !io::stdout().is_terminal());
    let mut out = out.map(BufWriter::new);
    let (count, mut wrong) = (boards.len(), 0_usize);
    for board in boards {
        let verdict = match board.check() {
            Ok(()) => "valid".to_owned(),
            Err(why) => {
                wrong += 1;
                format!("not valid: {why}")
            }
        };
        if let Some(to) = &mut out
            && let Err(error) = writeln!(to, "{verdict}")
        {
            open_pipe(error.into())?;
            out = None;
        }
    }
    out.map_or(Ok(()), |mut out| out.flush()).map_err(Failure::from).or_else(open_pipe)?;
    drop(reading);
    match (wrong, count) {
        (0, _) => Ok(()),
        (_, 1) => Err(Failure::new("the board is not a solution")),
        _ => Err(Failure::new(format!("{wrong} of {count} boards failed the check"))),
    }
}
