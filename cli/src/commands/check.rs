//! `queens check`: checks whether boards are solutions.

use std::path::Path;

use clap::Args;
use queens_search::boards::parse;

use crate::exit::{Failure, Result};
use crate::options::boards_in;
use crate::output::print;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Rows numbered from 0 at the top such as 1,3,0,2; or a file of boards drawn with Q, _ and #,
    /// or with rows or JSON on each line; `-` is standard input
    #[arg(value_name = "BOARD", default_value = "-")]
    board: Vec<String>,

    /// Print only errors
    #[arg(long, short)]
    quiet: bool,
}

/// Prints a verdict for each of several boards. Fails if any board is not a solution.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let text = arguments.board.join(" ");
    let file = Path::new(&text);
    // Lists have neither dots nor slashes, so the error of a missing file is about a file.
    let boards = match text == "-" || file.exists() || text.contains(['.', '/']) {
        true => boards_in("BOARD", file)?,
        false => parse(&text).map_err(|error| Failure::usage("BOARD", error.reason))?,
    };
    let verdicts: Vec<_> = boards.iter().map(|board| board.check()).collect();
    if let [Err(why)] = &verdicts[..] {
        return Err(Failure::new(format!("not valid: {why}")));
    }
    if !arguments.quiet {
        let words = verdicts.iter().map(|verdict| match verdict {
            Ok(()) => "valid".to_owned(),
            Err(why) => format!("not valid: {why}"),
        });
        print(words.collect::<Vec<_>>().join("\n"))?;
    }
    match verdicts.iter().filter(|verdict| verdict.is_err()).count() {
        0 => Ok(()),
        wrong => Err(Failure::new(format!("{wrong} of {} boards are not valid", boards.len()))),
    }
}
