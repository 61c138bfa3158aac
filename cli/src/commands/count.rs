//! `queens count`: counts all solutions of a board.

use std::io::Write;

use clap::Args;
use queens::machine::process_seconds;
use queens::store::LedgerFile;
use queens::{Ledger, Run};

use crate::checkpoint::{Checkpointing, count_into, interrupted, print_resumed};
use crate::exit::Result;
use crate::message::warn;
use crate::options::{CountedBoard, Counting, Destination};
use crate::output::Output;
use crate::progress::Display;
use crate::report::{CountReport, Report};
use crate::signals;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Print only the number
    #[arg(long, short, conflicts_with = "format")]
    quiet: bool,

    #[command(flatten)]
    board: CountedBoard,

    #[command(flatten)]
    counting: Counting,

    #[command(flatten)]
    checkpointing: Checkpointing,

    #[command(flatten)]
    to: Destination,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let board = arguments.board.board()?;
    let format = arguments.to.format()?;
    arguments.checkpointing.reject_output(&arguments.to.output)?;
    let run = arguments.counting.prepare(board)?;
    let output = Output::create(&arguments.to.output)?;
    let report = count(arguments, run)?;
    output.write_totals(|output, totals| {
        totals.push(report.summary());
        match arguments.quiet {
            true => writeln!(output, "{}", report.solutions)?,
            false => report.write(output, format)?,
        }
        Ok(())
    })
}

/// Counts with a progress display and, if requested, a checkpoint.
fn count(arguments: &Arguments, run: Run<'_>) -> Result<CountReport> {
    let cancel = signals::cancel_on_interrupt()?;
    let mut file = arguments.checkpointing.open(run.plan())?;
    let mut ledger = Ledger::new(run.plan());
    file.iter().filter(|_| !arguments.quiet).for_each(print_resumed);
    let is_saved = file.as_ref().is_some_and(|file| file.ledger().is_complete());
    let display = Display::new(run.plan().board().n());
    let mut run = run.cancel_with(cancel).on_progress(|progress| display.update(progress));
    let started = process_seconds();
    let counted = match &mut file {
        Some(file) => {
            let every = arguments.checkpointing.checkpoint_every;
            count_into(file, every, &mut run, &display)
        }
        None => run.count(run.missing(&ledger)?, |results| ledger.record(results)),
    };
    let seconds = (!is_saved).then(|| process_seconds() - started);
    let ledger = file.as_ref().map_or(&ledger, LedgerFile::ledger);
    let outcome = counted.and_then(|done| run.verify(ledger, done));
    drop(run);
    drop(display);
    let count = match outcome {
        Ok(count) => count,
        Err(error) => return Err(interrupted(error, (ledger.done(), ledger.len()), file)),
    };
    if let Some(mut file) = file
        && let Err(error) = file.save()
    {
        warn(&format!("{error}; the count itself is complete"));
    }
    Ok(CountReport::new(count, seconds))
}
