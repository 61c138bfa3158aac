//! A search written down step by step.

use std::io::{self, Write};

use super::BoardFormat;
use super::TraceWriter;
use crate::human;
use anstream::{AutoStream, ColorChoice};
use queens::Board;
use queens::solve::{Propagation, Step};

use super::reporting::LARGEST_SHOWN;
use super::source::Searched;
use crate::exit::Failure;

/// The steps that are written, and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trace {
    format: BoardFormat,
    colours: bool,
    most: u64,
}

impl Trace {
    /// A trace on a board of size `n` in a format, of at most so many steps. Standard output has colours where it is a
    /// terminal and nobody asked for none.
    pub(super) fn new(
        n: u32,
        format: Option<BoardFormat>,
        most: u64,
        is_standard: bool,
    ) -> Result<Self, Failure> {
        if n > LARGEST_SHOWN {
            let reason = format!(
                "a board of N = {n} does not fit a screen (accepted: 0 to {LARGEST_SHOWN})"
            );
            return Err(Failure::usage("--trace", reason));
        }
        let format = format.unwrap_or(BoardFormat::Unicode);
        if !format.is_for_people() && format != BoardFormat::Json {
            let reason = format!(
                "'{format}' does not show steps (accepted with --trace: board, unicode, json)"
            );
            return Err(Failure::usage("--format", reason));
        }
        let colours = is_standard && AutoStream::choice(&io::stdout()) != ColorChoice::Never;
        Ok(Self {
            format,
            colours,
            most,
        })
    }

    /// Walks until so many solutions are found, or to a limit or the end; gives the number found, and whether the trace
    /// was cut.
    pub(super) fn write(
        self,
        searched: &mut Searched,
        board: &Board,
        wanted: u64,
        out: &mut dyn Write,
    ) -> io::Result<(u64, bool)> {
        let mut writer = TraceWriter::new(self.format, self.colours, board);
        let mut found = 0;
        let settings = searched.settings;
        if self.format.is_for_people()
            && settings.propagation == Propagation::None
            && settings.tables
        {
            write!(out, "{}", tables(board.n()))?;
        }
        writer.begin(out)?;
        let is_cut = loop {
            let step = searched.search.step();
            let is_end = matches!(step, Step::End | Step::Limit(_));
            if !is_end && step != Step::Up && writer.steps() == self.most {
                break true;
            }
            writer.step(out, &searched.search, &step)?;
            found += u64::from(matches!(step, Step::Solution(..)));
            if is_end || found == wanted {
                break false;
            }
        };
        let steps = human::plural(writer.steps() as usize, "step");
        match (self.format, is_cut) {
            (BoardFormat::Json, true) => writeln!(out, "{{\"cut_after\":{}}}", writer.steps())?,
            (BoardFormat::Json, false) => {}
            (_, true) => writeln!(out, "cut after {steps}; more come with --trace-limit")?,
            (_, false) => writeln!(out, "{steps}: {}", searched.figures())?,
        }
        Ok((found, is_cut))
    }
}

/// The textbook's tables of the diagonals: the number of each square's.
fn tables(n: u32) -> String {
    let last = n.saturating_sub(1);
    let width = (2 * last).to_string().len();
    let line = |numbers: Vec<u32>| {
        let cells = numbers.iter().map(|number| format!("{number:width$}"));
        cells.collect::<Vec<_>>().join(" ")
    };
    let mut text = "Diagonals by number, rows from 0 at the top: ".to_owned()
        + &format!("slashCode is row + column, backslashCode row - column + {last}\n\n");
    for row in 0..n {
        let rising = line((0..n).map(|column| row + column).collect());
        let falling = line((0..n).map(|column| row + last - column).collect());
        text += &format!("{rising}     {falling}\n");
    }
    text + "\n"
}
