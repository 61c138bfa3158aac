//! `queens check`: checks whether boards in the text formats of `queens solve` are solutions.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use anyhow::{Error, Result, anyhow, bail};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::exit::Failure;
use crate::options::When;
use crate::output::{Output, has_reader};
use crate::progress::waiting;
use crate::solve::read::{Parsed, Refusal, boards, read_all};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Row of the queen in each column, numbered from 0 at the top, such as 0,4,7,5,2,6,1,3 or
    /// 04752613; or squares such as a2,b4,c1,d3. If omitted, boards are read from standard input,
    /// all in one of these formats: board, unicode, matrix, list, named, json, leetcode, csv, or
    /// the output of MiniZinc, Choco, Gecode or Prolog
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

/// Prints a verdict for each board. Fails if any board is not a solution.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let rows = arguments.rows.join(" ");
    let is_typed = !arguments.rows.is_empty();
    let failure = |Refusal { line, why }: Refusal| {
        if !is_typed {
            return anyhow!("standard input: line {line}: {why}");
        }
        let tip = match Path::new(&rows).is_file() {
            true => format!("; 'queens check < {rows}' reads a file"),
            false => String::new(),
        };
        Error::from(Failure::usage("ROWS", format!("{why}{tip}")))
    };
    // Boards may also be typed, and verdicts printed, on the terminal.
    let when = if is_typed || io::stdin().is_terminal() { When::Never } else { When::Auto };
    let reading = waiting(when, "checking");
    let text = if is_typed { Ok(rows.clone()) } else { read_all(&mut io::stdin().lock()) };
    let boards = text.and_then(|text| boards(&text, arguments.base)).map_err(failure)?;
    let out = (!arguments.quiet).then(Output::standard).transpose()?;
    let reading = reading.filter(|_| out.is_none() || !io::stdout().is_terminal());
    let mut out = out.map(BufWriter::new);
    let (count, mut wrong) = (boards.len(), 0_usize);
    for board in boards {
        let verdict = match board.check(arguments.torus, arguments.base) {
            Ok(()) => "valid".to_owned(),
            Err(why) => {
                wrong += 1;
                format!("not valid: {why}")
            }
        };
        if let Some(to) = &mut out
            && !has_reader(writeln!(to, "{verdict}").map_err(Error::from))?
        {
            out = None;
        }
    }
    has_reader(out.map_or(Ok(()), |mut out| out.flush()).map_err(Error::from))?;
    drop(reading);
    match (wrong, count) {
        (0, _) => Ok(()),
        (_, 1) => bail!("the board is not a solution"),
        _ => bail!("{wrong} of {count} boards failed the check"),
    }
}

/// Checks a board given on one line. The inner error is the reason why it is not a solution.
///
/// # Errors
///
/// Returns the reason why the line is not one board.
pub fn check_line(line: &str, torus: bool) -> Result<Result<(), String>, String> {
    let boards = boards(line, 0).map_err(|refusal| refusal.why)?;
    let [board] = <[Parsed; 1]>::try_from(boards)
        .map_err(|boards| format!("{} boards (accepted: one)", boards.len()))?;
    Ok(board.check(torus, 0))
}
