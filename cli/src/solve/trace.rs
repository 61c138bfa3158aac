//! `queens trace`: prints every step of a search as a board.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use queens_search::{Limit, Limits, Step, TraceWriter};

use super::arguments::SearchArguments;
use super::source::figures;
use crate::exit::{Failure, Result};
use crate::human;
use crate::options::file;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    search: SearchArguments,

    /// Write the trace to a file, once it is complete
    #[arg(long, short, value_name = "FILE", default_value = "-", value_parser = file(true))]
    output: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let board = arguments.search.board()?;
    let limits = Limits::default();
    let mut search = arguments.search.search(&board, &limits)?;
    let mut output = Output::create(&arguments.output)?;
    arguments.search.options.interrupt(&limits.cancel)?;

    let mut writer = TraceWriter::new(&board);
    let mut out = BufWriter::new(&mut output);
    writer.begin(&mut out, search.strategy())?;
    while arguments.search.goes_on(&search) {
        let step = search.step();
        writer.step(&mut out, &search, &step)?;
        if matches!(step, Step::End | Step::Limit(_)) {
            break;
        }
    }
    let steps = human::plural(writer.steps() as usize, "step");
    writeln!(out, "{steps}: {}", figures(&search))?;
    out.flush()?;
    drop(out);
    output.is_partial = search.limit().is_some();
    output.finish()?;
    match search.limit() {
        Some(Limit::Cancelled) => Err(Failure::interrupted("stopped: the trace is not complete")),
        _ => Ok(()),
    }
}
