//! `queens table`: solutions against board size.

use crate::report::TableWriter;
use anyhow::Result;
use clap::Args;
use queens::Board;

use super::options::{Counting, Reporting};
use super::output::Output;
use super::progress::Display;
use super::repeat::Repeating;
use super::signals;
use super::sizes::Sizes;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Board sizes: 5, 1-15 and 1..=15 (15 included), 1..15 (15 excluded, as in Rust), or a list such as 8,10,12
    #[arg(value_name = "RANGE", default_value = "1..=15")]
    sizes: Sizes,

    /// Add the times that the OR-Tools guide publishes for its all-solutions example, and the ratio
    #[arg(long)]
    reference: bool,

    #[command(flatten)]
    repeating: Repeating,

    #[command(flatten)]
    counting: Counting,

    #[command(flatten)]
    reporting: Reporting,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let (sizes, counting) = (&arguments.sizes, &arguments.counting);
    let (reporting, has_reference) = (&arguments.reporting, arguments.reference);
    let format = reporting.to.format()?;
    // What the engine cannot do is said before the first row, not in the middle of the table.
    for &n in sizes.iter() {
        counting.apply(Board::new(n)?).prepare()?;
    }
    let mut output = Output::create(&reporting.to.output)?;
    let cancel = signals::cancel_on_interrupt()?;
    let mut table = TableWriter::new(format, sizes.iter().copied(), has_reference);
    for &n in sizes.iter() {
        let record = {
            let display = Display::new(reporting.progress, n);
            arguments.repeating.often(|| {
                let run = counting.apply(Board::new(n)?).prepare()?;
                let run = run.cancel_with(cancel.clone());
                let count = run.on_progress(|progress| display.update(progress)).run();
                Ok(count?)
            })?
        };
        table.row(&mut output, &record)?;
    }
    table.end(&mut output)?;
    output.finish()
}
