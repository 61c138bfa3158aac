//! `queens classes`: counts the solutions of a board by symmetry.

use std::time::Instant;

use clap::Args;
use queens::Classes;

use crate::exit::{Failure, Result};
use crate::options::{CountedBoard, Counting, Destination};
use crate::output::Output;
use crate::progress::{Display, waiting};
use crate::report::{ClassesReport, Report};
use crate::signals;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    board: CountedBoard,

    #[command(flatten)]
    counting: Counting,

    #[command(flatten)]
    to: Destination,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let board = arguments.board.board()?;
    let format = arguments.to.format()?;
    if !board.has_all_symmetries() {
        let reason = "rotations and reflections change the preplaced queens and blocked squares \
                      (accepted: an empty board, or squares that have all its symmetries)";
        return Err(Failure::usage("--queen, --block or --board", reason));
    }
    let run = arguments.counting.prepare(board)?;
    let output = Output::create(&arguments.to.output)?;
    let cancel = signals::cancel_on_interrupt()?;
    let display = Display::new(run.plan().board().n());
    let run = run.cancel_with(cancel.clone()).on_progress(|progress| display.update(progress));
    let count = run.run()?;
    drop(display);
    output.write_totals(|output, totals| {
        totals.push(format!("{} solutions for N = {} ({})", count.total, count.n(), count.check));
        // For large boards, counting the symmetric solutions takes a minute.
        let waiting = waiting("counting symmetric solutions");
        let (started, threads) = (Instant::now(), count.method.threads);
        let classes = Classes::count(&count.board, count.total, threads, &cancel)?;
        drop(waiting);
        Ok(ClassesReport::new(count, &classes, started.elapsed()).write(output, format)?)
    })
}
