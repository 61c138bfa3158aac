//! `queens count`: counts all solutions of a board, or a shard of the count.

use std::io::Write;

use clap::Args;
use queens::store::LedgerFile;
use queens::{Ledger, Run, Shard};

use crate::checkpoint::{Checkpointing, fill_file, interrupted, print_resumed};
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
    let run = arguments.counting.prepare(board)?;
    let output = Output::create(&arguments.to.output)?;
    let report = count(arguments, run)?;
    output.write_totals(|output, totals| {
        totals.push(report.summary());
        match arguments.quiet {
            true => writeln!(output, "{}", report.number())?,
            false => report.write(output, format)?,
        }
        Ok(())
    })
}

/// Counts with a progress display and, if requested, a checkpoint.
fn count(arguments: &Arguments, run: Run<'_>) -> Result<CountReport> {
    let (cancel, shard) = (signals::cancel_on_interrupt()?, arguments.checkpointing.shard());
    let mut file = arguments.checkpointing.open(run.plan())?;
    let mut ledger = Ledger::new(run.plan(), shard);
    file.iter().filter(|_| !arguments.quiet).for_each(print_resumed);
    let is_saved = file.as_ref().is_some_and(|file| file.ledger().is_complete());
    let display = Display::new(run.plan().board().n());
    let mut run = run.cancel_with(cancel).on_progress(|progress| display.update(progress));
    let filled = match &mut file {
        Some(file) => fill_file(file, &mut run, &display)?,
        None => run.fill(&mut ledger, |_| Ok(())),
    };
    let seconds = (!is_saved).then(|| run.cpu_time().as_secs_f64());
    let ledger = file.as_ref().map_or(&ledger, LedgerFile::ledger);
    let report = filled.and_then(|()| match shard {
        Shard::WHOLE => Ok(CountReport::new(run.verify(ledger)?, seconds)),
        _ => Ok(CountReport::of_shard(ledger, run.method(), seconds)),
    });
    drop(run);
    drop(display);
    let report = match report {
        Ok(report) => report,
        Err(error) => return Err(interrupted(error, (ledger.done(), ledger.len()), file)),
    };
    match file.map(|mut file| file.save()) {
        // The next task would have to count the shard again.
        Some(Err(error)) if shard != Shard::WHOLE => Err(crate::exit::Failure::new(error)),
        Some(Err(error)) => {
            warn(&format!("{error}; the count itself is complete"));
            Ok(report)
        }
        _ => Ok(report),
    }
}
