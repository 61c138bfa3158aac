//! `queens count`: counts all solutions of a board.

use std::io::Write;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use queens::store::LedgerFile;
use queens::{CancelToken, Count, Ledger, Run};

use crate::checkpoint::{Checkpointing, count_into, interrupted, tell_resumed};
use crate::human;
use crate::message::warn;
use crate::options::{AUTO, BoardOptions, Counting, Destination, When, board_size, time_limit};
use crate::output::Output;
use crate::progress::Display;
use crate::report::CountReport;
use crate::signals;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Board size N, 0 to 32
    #[arg(value_parser = board_size(), required_unless_present = "board")]
    n: Option<u32>,

    /// Print only the number
    #[arg(long, short, conflicts_with = "format")]
    quiet: bool,

    /// Stop after TIME, in seconds or with units such as 8h, as after Ctrl-C
    ///
    /// With --checkpoint, the results are saved
    #[arg(long, value_name = "TIME", value_parser = time_limit)]
    timeout: Option<Duration>,

    #[command(flatten)]
    board: BoardOptions,

    #[command(flatten)]
    counting: Counting,

    #[command(flatten)]
    checkpointing: Checkpointing,

    #[command(flatten)]
    to: Destination,

    /// Show progress on standard error
    #[arg(long, value_name = "WHEN", default_value = AUTO, hide = true)]
    progress: When,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let board = arguments.board.board(arguments.n)?;
    let format = arguments.to.format()?;
    arguments.checkpointing.keep_apart_from(&arguments.to.output)?;
    let run = arguments.counting.apply(board).prepare()?;
    let output = Output::create(&arguments.to.output)?;
    let cancel = signals::cancel_on_interrupt()?;
    signals::cancel_after(arguments.timeout, &cancel)?;
    let count = count(arguments, run, &cancel)?;
    output.deliver(|output, totals| {
        totals.push(summary(&count));
        match arguments.quiet {
            true => writeln!(output, "{}", count.total)?,
            false => output.report(&CountReport::new(count, &[]), format)?,
        }
        Ok(())
    })
}

/// Returns the total and its check in one line.
pub(crate) fn summary(count: &Count) -> String {
    let total = human::integer(count.total);
    format!("{total} solutions for N = {} ({})", count.n(), count.check)
}

/// Counts once, with a progress display and, if requested, a checkpoint.
fn count(arguments: &Arguments, run: Run<'_>, cancel: &CancelToken) -> Result<Count> {
    let mut file = arguments.checkpointing.open(run.plan())?;
    let mut ledger = Ledger::new(run.plan());
    file.iter().filter(|_| !arguments.quiet).for_each(tell_resumed);
    let display = Display::new(arguments.progress, run.plan().board().n());
    let mut run = run.cancel_with(cancel.clone()).on_progress(|progress| display.update(progress));
    let counted = match &mut file {
        Some(file) => {
            let every = arguments.checkpointing.checkpoint_every;
            count_into(file, every, &mut run, &display)
        }
        None => run.count(run.missing(&ledger)?, |results| ledger.record(results)),
    };
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
    Ok(count)
}
