//! A search written down step by step.

use std::io::{self, Write};

use crate::report::{BoardFormat, TraceFormat, TraceWriter, human};
use anstream::{AutoStream, ColorChoice};
use queens::Board;
use queens::solve::Step;

use super::super::exit::Failure;
use super::reporting::LARGEST_SHOWN;
use super::source::Searched;

/// The steps that are written, and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trace {
    pub(super) format: TraceFormat,
    pub(super) most: u64,
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
        let has_colours = || AutoStream::choice(&io::stdout()) != ColorChoice::Never;
        let colours = is_standard && has_colours();
        let unicode = format != Some(BoardFormat::Board);
        let format = match format {
            None | Some(BoardFormat::Board | BoardFormat::Unicode) => {
                TraceFormat::Boards { unicode, colours }
            }
            Some(BoardFormat::Json) => TraceFormat::Json,
            Some(other) => {
                let reason = format!(
                    "'{other}' does not show steps (accepted with --trace: board, unicode, json)"
                );
                return Err(Failure::usage("--format", reason));
            }
        };
        Ok(Self { format, most })
    }

    /// Walks until so many solutions are found, or to a limit or the end; gives the number found, and whether the trace was
    /// cut.
    pub(super) fn write(
        self,
        searched: &mut Searched,
        board: &Board,
        wanted: u64,
        out: &mut dyn Write,
    ) -> io::Result<(u64, bool)> {
        let mut writer = TraceWriter::new(self.format, board);
        let mut found = 0;
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
        if is_cut && matches!(self.format, TraceFormat::Json) {
            writeln!(out, "{{\"cut_after\":{}}}", writer.steps())?;
        }
        if let TraceFormat::Boards { .. } = self.format {
            let [branches, failures, solutions] = searched.figures();
            let figures =
                format!("branches {branches}, failures {failures}, solutions {solutions}");
            let steps = human::plural(writer.steps() as usize, "step");
            match is_cut {
                true => writeln!(out, "cut after {steps}; more come with --trace-limit")?,
                false => writeln!(out, "{steps}: {figures}")?,
            }
        }
        Ok((found, is_cut))
    }
}
