//! `queens check`: checks whether boards are solutions.

use std::path::Path;

use clap::Args;
use queens_search::boards::{Boards, ParsedBoard, parse, quoted};

use crate::exit::{Failure, Result};
use crate::human;
use crate::options::{boards_in, report_skipped};
use crate::output::print;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Rows such as 1,3,0,2, counted from 0 or from 1 at the top; or a file of boards drawn with Q,
    /// _, . and # or with 1 and 0, or with rows or JSON on each line; `-` is standard input
    #[arg(value_name = "BOARD", default_value = "-")]
    board: Vec<String>,

    /// Print only errors
    #[arg(long, short)]
    quiet: bool,
}

/// Prints a verdict for each of several boards as soon as it is read. Fails if any board is not a
/// solution.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut verdicts = Verdicts { is_quiet: arguments.quiet, ..Verdicts::default() };
    let outcome = arguments.board.iter().try_for_each(|board| {
        let is_only = arguments.board.len() == 1;
        match given(board, is_only)? {
            Some(boards) => boards.iter().try_for_each(|board| verdicts.give(board)),
            None => verdicts.give_all(boards_in("BOARD", Path::new(board))?),
        }
    });
    if !arguments.quiet {
        report_skipped(verdicts.skipped);
    }
    outcome.and_then(|()| verdicts.end())
}

/// Returns the boards in an argument, or `None` if it names a file or standard input.
fn given(argument: &str, is_only: bool) -> Result<Option<Vec<ParsedBoard>>> {
    let refused = |why: &str| Err(Failure::usage("BOARD", format!("{}{why}", quoted(argument))));
    let is_file = Path::new(argument).exists();
    // Boards in one line have neither slashes nor other letters than Q.
    let is_letter = |c: char| c.is_alphabetic() && !matches!(c, 'Q' | 'q');
    match parse(argument) {
        _ if argument == "-" => Ok(None),
        Ok(_) if is_file => {
            refused(" is a board and a file (accepted: a file with its folder, such as ./board)")
        }
        Ok(boards) if boards[0].n == 1 && !is_only => {
            refused(" is a single square (accepted: a board in each argument, such as 1,3,0,2)")
        }
        Ok(boards) => Ok(Some(boards)),
        Err(_) if is_file => Ok(None),
        Err(_) if !argument.contains('\n') && argument.contains(|c| c == '/' || is_letter(c)) => {
            refused(": no such file (accepted: a file, -, or a board such as 1,3,0,2)")
        }
        Err(error) => Err(Failure::usage("BOARD", error)),
    }
}

/// Verdicts given so far.
#[derive(Default)]
struct Verdicts {
    boards: usize,
    wrong: usize,
    /// Verdict on the first board if it is not a solution, which is an error unless there are more.
    first: Option<String>,
    skipped: u64,
    is_quiet: bool,
}

impl Verdicts {
    fn give(&mut self, board: &ParsedBoard) -> Result<()> {
        let read = match board.first_row {
            Some(first) => format!(" (rows counted from {first})"),
            None => String::new(),
        };
        let verdict = match board.check() {
            Ok(()) => format!("valid{read}"),
            Err(why) => format!("not valid{read}: {why}"),
        };
        self.boards += 1;
        self.wrong += usize::from(!verdict.starts_with("valid"));
        self.tell_first()?;
        match (self.boards, self.wrong) {
            (1, 1) => self.first = Some(verdict),
            _ if self.is_quiet => {}
            _ => print(verdict)?,
        }
        Ok(())
    }

    /// Prints the verdict on the first board, since it is not the only one.
    fn tell_first(&mut self) -> Result<()> {
        self.first.take().filter(|_| !self.is_quiet).map_or(Ok(()), print)
    }

    /// Gives a verdict on each board of a file.
    fn give_all<R: std::io::Read>(
        &mut self,
        (name, mut boards): (String, Boards<R>),
    ) -> Result<()> {
        let outcome = boards.by_ref().try_for_each(|board| match board {
            Ok(board) => self.give(&board),
            Err(error) => {
                self.tell_first()?;
                Err(Failure::invalid(format!("{name}: {error}")))
            }
        });
        self.skipped += boards.skipped();
        outcome
    }

    /// Fails if any board was not a solution.
    fn end(self) -> Result<()> {
        match (self.first, self.wrong) {
            (Some(verdict), _) => Err(Failure::new(verdict)),
            (None, 0) => Ok(()),
            (None, wrong) => {
                let (wrong, all) = [wrong, self.boards].map(|x| human::integer(x as u128)).into();
                Err(Failure::new(format!("{wrong} of {all} boards are not valid")))
            }
        }
    }
}
