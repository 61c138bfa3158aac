//! `queens table`: counts the solutions for several board sizes.

use std::io::Write;

use clap::Args;
use queens::{Board, CancelToken};

use crate::exit::Result;
use crate::options::{Counting, Destination, sizes};
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
}

/// Total time in seconds for which short counts are repeated, and the maximum number of runs.
const REPEATED: (f64, usize) = (0.2, 25);

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let sizes = &arguments.sizes;
    let format = arguments.to.format()?;
    // Validate the options for all sizes before the first row is printed.
    for &n in sizes {
        arguments.counting.prepare(Board::new(n)?)?;
    }
    let output = Output::create(&arguments.to.output)?;
    let cancel = signals::cancel_on_interrupt()?;
    let largest = sizes.iter().copied().max().unwrap_or_default();
    let mut counted = Ok(());
    output.write_totals(|output, totals| {
        let mut last = None;
        for (i, &n) in sizes.iter().enumerate() {
            match row(arguments, n, &cancel) {
                Ok(row) => {
                    totals.push(row.summary());
                    row.write_row(output, format, largest, i == 0)?;
                    last = Some(row);
                }
                Err(error) => {
                    output.is_partial = true;
                    counted = Err(error);
                    break;
                }
            }
        }
        if let Some(row) = last.filter(|_| format == Format::Markdown) {
            row.write_origin(output)?;
        }
        if format == Format::Json {
            let before = if totals.is_empty() { "[" } else { "" };
            writeln!(output, "{before}\n]")?;
        }
        Ok(())
    })?;
    counted
}

/// Counts one size, and repeats short counts.
fn row(arguments: &Arguments, n: u32, cancel: &CancelToken) -> Result<CountReport> {
    let (mut cpu_seconds, mut times) = (0.0, Vec::new());
    loop {
        let display = Display::new(n);
        let run = arguments.counting.prepare(Board::new(n)?)?.cancel_with(cancel.clone());
        let count = run.on_progress(|progress| display.update(progress)).run()?;
        cpu_seconds += count.cpu_time.as_secs_f64();
        times.push(count.elapsed.as_secs_f64());
        if times.len() >= REPEATED.1 || times.iter().sum::<f64>() >= REPEATED.0 {
            let mean = cpu_seconds / times.len() as f64;
            return Ok(CountReport::row(count, mean, &times, arguments.reference));
        }
    }
}
