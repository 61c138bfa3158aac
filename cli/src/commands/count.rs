//! `queens count`: all solutions of one board.

use std::io::Write;

use crate::report::{Document, Format, Record, human};
use anyhow::Result;
use clap::Args;
use queens::{Engine, Ledger, Progress};

use super::board::BoardOptions;
use super::checkpoint::{Checkpointing, interrupted, warn};
use super::classes::{self, Classifying};
use super::exit::Failure;
use super::options::{Counting, DoubleChecking, Reporting, board_size};
use super::output::Output;
use super::progress::{Announcement, Display};
use super::repeat::Repeating;
use super::signals;
use crate::human::tell;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Board size N, 0 to 32
    #[arg(value_name = "N", value_parser = board_size())]
    n: u32,

    /// Print the bare number and nothing else
    #[arg(long, short, conflicts_with = "format")]
    quiet: bool,

    /// Count and time what engine join does, and report it; it then runs a little slower
    #[arg(long, conflicts_with = "quiet")]
    stats: bool,

    #[command(flatten)]
    repeating: Repeating,

    #[command(flatten)]
    twice: DoubleChecking,

    #[command(flatten)]
    classifying: Classifying,

    #[command(flatten)]
    board: BoardOptions,

    #[command(flatten)]
    counting: Counting,

    #[command(flatten)]
    checkpointing: Checkpointing,

    #[command(flatten)]
    reporting: Reporting,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    // What is wrong with the command line is said before anything is touched.
    let board = arguments.board.board(arguments.n)?;
    let format = arguments.reporting.to.format()?;
    let refuse = |reason| Err(Failure::usage("--stats", reason).into());
    if arguments.stats && !board.is_open() {
        return refuse(
            "only engine join keeps statistics, and it counts neither a torus nor boards with preplaced queens or \
                      blocked squares (accepted: an empty board)",
        );
    }
    if arguments.stats && format == Format::Markdown {
        return refuse("a Markdown table has no columns for them (accepted: text, json, csv)");
    }
    arguments
        .checkpointing
        .keep_apart_from(&arguments.reporting.to.output)?;
    if arguments.classifying.published {
        // Only the symmetric solutions are counted, which takes little memory.
        let total = classes::published(arguments.n)?;
        let mut output = Output::create(&arguments.reporting.to.output)?;
        let cancel = signals::cancel_on_interrupt()?;
        let threads = arguments.counting.threads()?.count();
        classes::write(arguments.n, total, threads, &cancel, &mut output, format)?;
        return output.finish();
    }
    let mut counter = if arguments.checkpointing.is_wanted() {
        arguments.counting.apply_to_plan(board)
    } else {
        arguments.counting.apply(board)
    };
    counter = counter
        .double_check(arguments.twice.double_check)
        .stats(arguments.stats);
    let run = counter.clone().prepare()?;
    let mut output = Output::create(&arguments.reporting.to.output)?;
    let cancel = signals::cancel_on_interrupt()?;
    let run = run.cancel_with(cancel.clone());
    if run.memory() >= WORTH_SAYING && !arguments.quiet {
        tell(format_args!(
            "needs about {} of memory",
            human::bytes(run.memory())
        ));
    }
    let (mut saver, ledger) = arguments.checkpointing.open(run.plan())?.unzip();
    let mut ledger = ledger.unwrap_or_else(|| Ledger::new(run.plan()));
    let fastest = Engine::auto(run.plan().board(), None);
    let hint = match run.plan().engine() {
        engine if engine == fastest => String::new(),
        _ => format!("; engine {fastest} is faster"),
    };
    let mut announcement = Announcement::new(!arguments.quiet, hint);
    let len = ledger.len();
    let mut times = arguments.repeating.all_but_one(|| {
        let run = counter.clone().prepare()?.cancel_with(cancel.clone());
        Ok(run
            .on_progress(|progress| announcement.update(progress))
            .run()?)
    })?;
    let outcome = {
        let display = Display::new(arguments.reporting.progress, arguments.n);
        let watch = |progress: &Progress<'_>| {
            display.update(progress);
            if !display.is_shown() {
                announcement.update(progress);
            }
            if let Some(saver) = &mut saver
                && saver.update(progress)
            {
                display.saved();
            }
        };
        run.on_progress(watch).resume(&mut ledger)
    };
    let count = match outcome {
        Ok(count) => count,
        Err(error) => return Err(interrupted(error, &ledger, len, saver)),
    };
    if let Some(saver) = &mut saver {
        let saved = saver.finish(count.kernel, &count.threads, count.double_check.as_ref());
        if let Err(error) = saved {
            warn(&format!("{error}; the count is complete nevertheless"));
        }
    }
    if arguments.quiet {
        writeln!(output, "{}", count.total)?;
    } else if arguments.classifying.classes {
        let twice = count.double_check.iter().map(|twice| format!("; {twice}"));
        let detail = format!("{}{}", count.check, twice.collect::<String>());
        let total = (count.total, count.check.label(), detail);
        let threads = arguments.counting.threads()?.count();
        classes::write(arguments.n, total, threads, &cancel, &mut output, format)?;
    } else {
        times.push(count.elapsed);
        let record = match times.len() {
            1 => Record::new(count),
            _ => Record::of_runs(count, &times),
        };
        record.write(&mut output, format)?;
    }
    output.finish()
}

/// Less memory than this goes without saying.
const WORTH_SAYING: u64 = 64 << 20;
