//! `queens classes`: counts the solutions of a board by symmetry.

use anyhow::{Result, bail};
use clap::Args;

use super::count::summary;
use crate::exit::Failure;
use crate::options::{BoardOptions, Counting, Destination, When, board_size};
use crate::output::Output;
use crate::progress::{Display, waiting};
use crate::report::ClassesReport;
use crate::signals;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Board size N, 0 to 32
    #[arg(value_parser = board_size(), required_unless_present = "board")]
    n: Option<u32>,

    #[command(flatten)]
    board: BoardOptions,

    #[command(flatten)]
    counting: Counting,

    #[command(flatten)]
    to: Destination,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let board = arguments.board.board(arguments.n)?;
    let format = arguments.to.format()?;
    if !board.has_all_symmetries() {
        let reason = "rotations and reflections change the preplaced queens and blocked squares \
                      (accepted: an empty board, or squares that have all its symmetries)";
        bail!(Failure::usage("--queen, --block or --board", reason));
    }
    let run = arguments.counting.apply(board).prepare()?;
    let output = Output::create(&arguments.to.output)?;
    let cancel = signals::cancel_on_interrupt()?;
    let display = Display::new(When::Auto, run.plan().board().n());
    let run = run.cancel_with(cancel.clone()).on_progress(|progress| display.update(progress));
    let count = run.run()?;
    drop(display);
    output.deliver(|output, totals| {
        totals.push(summary(&count));
        // For large boards, counting the symmetric solutions takes a minute.
        let waiting = waiting(When::Auto, "counting symmetric solutions");
        let report = ClassesReport::count(&count, &cancel)?;
        drop(waiting);
        Ok(output.report(&report, format)?)
    })
}
