//! `queens table`: solutions against board size.

use crate::Board;
use crate::report::{Record, TableWriter};
use anyhow::Result;
use clap::Args;

use super::options::{Counting, Reporting};
use super::output::Output;
use super::progress::Display;
use super::signals;
use super::sizes::Sizes;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Board sizes: 1..=15, 1-15 or 8,10,12
    #[arg(
        value_name = "RANGE",
        default_value = "1..=15",
        allow_hyphen_values = true
    )]
    sizes: Sizes,

    /// Add the times that the OR-Tools guide publishes for its all-solutions example, and the ratio
    #[arg(long)]
    reference: bool,

    #[command(flatten)]
    counting: Counting,

    #[command(flatten)]
    reporting: Reporting,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let Arguments {
        sizes,
        reference,
        counting,
        reporting,
    } = arguments;
    // What the engine cannot do is said before the first row, not in the middle of the table.
    for &n in sizes.iter() {
        counting.apply(Board::new(n)?).prepare()?;
    }
    let mut output = Output::create(&reporting.output)?;
    let cancel = signals::cancel_on_interrupt()?;
    let mut table = TableWriter::new(reporting.format, sizes.iter().copied(), *reference);
    table.begin(&mut output)?;
    for &n in sizes.iter() {
        let count = {
            let display = Display::new(reporting.progress, n);
            let run = counting.apply(Board::new(n)?).prepare()?;
            run.cancel_with(cancel.clone())
                .on_progress(|progress| display.update(progress))
                .run()?
        };
        let mut record = Record::new(count);
        if *reference {
            record = record.with_reference();
        }
        table.row(&mut output, &record)?;
    }
    table.end(&mut output)?;
    output.finish()
}
