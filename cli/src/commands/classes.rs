//! `queens classes`: how many solutions are really different.

use std::time::Instant;

use crate::report::{ClassesRecord, Document};
use anyhow::Result;
use clap::Args;
use queens::Classes;
use queens::{Board, known};

use super::exit::{Signalled, UsageError};
use super::options::{Counting, Reporting, board_size};
use super::output::Output;
use super::progress::Display;
use super::signals;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Board size N, 0 to 32
    #[arg(value_name = "N", value_parser = board_size())]
    n: u32,

    /// Take Q(N) from the published table, N up to 27, instead of counting it
    #[arg(long, conflicts_with_all = ["engine", "kernel", "symmetry"])]
    published: bool,

    #[command(flatten)]
    counting: Counting,

    #[command(flatten)]
    reporting: Reporting,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let n = arguments.n;
    let counter = arguments.counting.apply(Board::new(n)?);
    let run = counter.prepare()?;
    let published = known::known(n);
    if arguments.published && published.is_none() {
        let reason = format!("no value is published for N = {n} (accepted: 0 to 27)");
        return Err(UsageError::new("--published", reason).into());
    }
    let mut output = Output::create(&arguments.reporting.to.output)?;
    let cancel = signals::cancel_on_interrupt()?;
    let (solutions, check, detail) = match published {
        Some(row) if arguments.published => {
            let detail = format!("published: taken from {}", known::SOLUTIONS_SOURCE);
            (row.solutions, "published", detail)
        }
        _ => {
            let display = Display::new(arguments.reporting.progress, n);
            let run = run
                .cancel_with(cancel.clone())
                .on_progress(|progress| display.update(progress));
            let count = run.run()?;
            (count.total, count.check.word(), count.check.to_string())
        }
    };
    let started = Instant::now();
    let threads = arguments.counting.threads()?.count();
    let classes = Classes::count(n, solutions, threads, &cancel)?;
    let classes = classes.ok_or_else(|| Signalled("interrupted".to_owned()))?;
    let seconds = started.elapsed().as_secs_f64();
    let record = ClassesRecord {
        classes: &classes,
        check: (check, detail),
        symmetric_seconds: seconds,
    };
    record.write(&mut output, arguments.reporting.to.format, None)?;
    output.finish()
}
