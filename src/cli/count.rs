//! `queens count`: all solutions of one board.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use queens::Counter;
use queens::report::{CountWriter, Format, Record, human};

use super::exit::UsageError;
use super::options::{Counting, Reporting, board_size};
use super::output::Output;
use super::progress::Display;
use super::signals;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Board size N, 0 to 32
    #[arg(value_name = "N", value_parser = board_size, allow_hyphen_values = true)]
    n: u32,

    /// Print the bare number and nothing else
    #[arg(long, short, conflicts_with = "format")]
    quiet: bool,

    /// Count and time what engine join does, and report it; it then runs a little slower
    #[arg(long, conflicts_with = "quiet")]
    stats: bool,

    #[command(flatten)]
    counting: Counting,

    #[command(flatten)]
    reporting: Reporting,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let format = arguments.reporting.format;
    if arguments.stats && format == Format::Markdown {
        let reason = "a Markdown table has no columns for them (accepted: text, json, csv)";
        return Err(UsageError::new("--stats", reason).into());
    }
    let memory = counter(arguments)?.memory()?;
    let mut output = Output::create(&arguments.reporting.output)?;
    if memory >= WORTH_SAYING && !arguments.quiet {
        eprintln!("needs some {} of memory", human::bytes(memory));
    }
    let cancel = signals::cancel_on_interrupt()?;
    let count = {
        let display = Display::new(arguments.reporting.progress, arguments.n);
        counter(arguments)?
            .cancel_with(cancel)
            .on_progress(|progress| display.update(progress))
            .run()?
    };
    if arguments.quiet {
        writeln!(output, "{}", count.total())?;
    } else {
        CountWriter(format).write(&mut output, &Record::new(&count))?;
    }
    output.finish()
}

/// Less memory than this goes without saying.
const WORTH_SAYING: u64 = 64 << 20;

/// A counter as the command line asks for it.
fn counter<'a>(arguments: &Arguments) -> Result<Counter<'a>> {
    let counter = Counter::new(arguments.n)?;
    let counter = arguments.counting.apply(counter);
    Ok(if arguments.stats {
        counter.stats()
    } else {
        counter
    })
}
