//! `queens count`: all solutions of one board.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use queens::Counter;
use queens::report::{CountWriter, Record};

use super::marks::Marks;
use super::options::{Counting, Reporting, board_size};
use super::output::Output;
use super::progress::Display;
use super::signals;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Board size N, 0 to 32
    #[arg(value_name = "N", value_parser = board_size, allow_hyphen_values = true)]
    n: u32,

    /// Print the bare number and nothing else
    #[arg(long, short, conflicts_with = "format")]
    quiet: bool,

    #[command(flatten)]
    marks: Marks,

    #[command(flatten)]
    counting: Counting,

    #[command(flatten)]
    reporting: Reporting,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let board = arguments.marks.board(arguments.n)?;
    let mut output = Output::create(&arguments.reporting.output)?;
    let cancel = signals::cancel_on_interrupt()?;
    let count = {
        let display = Display::new(arguments.reporting.progress, arguments.n);
        let counter = Counter::on(board)
            .cancel_with(cancel)
            .on_progress(|progress| display.update(progress));
        arguments.counting.apply(counter).run()?
    };
    if arguments.quiet {
        writeln!(output, "{}", count.total())?;
    } else {
        CountWriter(arguments.reporting.format).write(&mut output, &Record::new(&count))?;
    }
    output.finish()
}
