//! `queens table`: counts the solutions for several board sizes.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use queens::Board;

use super::count::summary;
use crate::measure::Repeat;
use crate::options::{AUTO, Counting, Destination, When, sizes};
use crate::output::Output;
use crate::progress::Display;
use crate::report::{CountReport, Format};
use crate::signals;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Board sizes: 5, 1-15, or a list such as 8,10,12
    #[arg(value_name = "RANGE", default_value = "1-15", value_parser = sizes)]
    sizes: std::vec::Vec<u32>, // the full path keeps clap from treating this as a list of arguments

    /// Add the times published in the OR-Tools guide for finding all solutions, and their ratio to
    /// the measured times
    #[arg(long)]
    reference: bool,

    #[command(flatten)]
    counting: Counting,

    #[command(flatten)]
    to: Destination,

    /// Show progress on standard error
    #[arg(long, value_name = "WHEN", default_value = AUTO, hide = true)]
    progress: When,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let (sizes, counting) = (&arguments.sizes, &arguments.counting);
    let format = arguments.to.format()?;
    // Validate the options for all sizes before the first row is printed.
    for &n in sizes {
        counting.apply(Board::new(n)?).prepare()?;
    }
    let output = Output::create(&arguments.to.output)?;
    let cancel = signals::cancel_on_interrupt()?;
    let largest = sizes.iter().copied().max().unwrap_or_default();
    let row = |n| -> Result<(String, CountReport)> {
        let (count, times) = Repeat::short_counts().run(None, || {
            let display = Display::new(arguments.progress, n);
            let run = counting.apply(Board::new(n)?).prepare()?;
            let run = run.cancel_with(cancel.clone());
            Ok(run.on_progress(|progress| display.update(progress)).run()?)
        })?;
        let (summary, mut report) = (summary(&count), CountReport::new(count, &times));
        report.has_reference = arguments.reference;
        Ok((summary, report))
    };
    let mut counted = Ok(());
    output.deliver(|output, totals| {
        for (i, &n) in sizes.iter().enumerate() {
            match row(n) {
                Ok((summary, report)) => {
                    totals.push(summary);
                    let has_colours = output.has_colours;
                    report.write_row(output, format, largest, i == 0, has_colours)?;
                }
                // The rows above are kept.
                Err(error) => {
                    counted = Err(error);
                    break;
                }
            }
        }
        if format == Format::Json {
            let before = if totals.is_empty() { "[" } else { "" };
            writeln!(output, "{before}\n]")?;
        }
        Ok(())
    })?;
    counted
}
