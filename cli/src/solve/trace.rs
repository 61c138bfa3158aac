//! `queens trace`: prints every step of a search, as boards or as JSON Lines.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use queens_search::{Limit, Limits, Step, TraceFormat, TraceWriter};

use super::arguments::SearchArguments;
use super::source::figures;
use crate::exit::{Failure, Result};
use crate::output::Output;
use crate::{human, options};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    search: SearchArguments,

    /// Set the output format: board or jsonl, with a line per step [default: from FILE's extension,
    /// or board]
    #[arg(long, short, value_name = "FORMAT", hide_possible_values = true, value_parser = options::one_of::<TraceFormat>())]
    format: Option<TraceFormat>,

    /// Write the trace to a file
    ///
    /// The file appears once it is complete. `-` stands for standard output
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let board = arguments.search.board()?;
    let format = options::format_of(arguments.format, &arguments.output)?.unwrap_or_default();
    let limits = Limits::default();
    let mut search = arguments.search.search(&board, &limits)?;
    let mut output = Output::create(&arguments.output)?;
    arguments.search.options.interrupt(&limits.cancel)?;

    let mut writer = TraceWriter::new(format, &board);
    let mut out = BufWriter::new(&mut output);
    writer.begin(&mut out, search.strategy())?;
    while arguments.search.goes_on(&search) {
        let step = search.step();
        writer.step(&mut out, &search, &step)?;
        if matches!(step, Step::End | Step::Limit(_)) {
            break;
        }
    }
    if format == TraceFormat::Board {
        let steps = human::plural(writer.steps() as usize, "step");
        writeln!(out, "{steps}: {}", figures(&search))?;
    }
    out.flush()?;
    drop(out);
    output.is_partial = search.limit().is_some();
    output.finish()?;
    match search.limit() {
        Some(Limit::Cancelled) => Err(Failure::interrupted("stopped: the trace is not complete")),
        _ => Ok(()),
    }
}
