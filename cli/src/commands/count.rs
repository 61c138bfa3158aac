//! `queens count`: counts all solutions of a board.

use std::io::Write;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use queens::store::LedgerFile;
use queens::{CancelToken, Count, Engine, Ledger, Progress, Run, known};

use crate::checkpoint::{Checkpointing, count_into, interrupted, tell_resumed};
use crate::exit::Failure;
use crate::forecast::forecast;
use crate::human::{self, bytes, plural};
use crate::measure::Repeat;
use crate::message::{tell, warn};
use crate::options::{
    AUTO, BoardOptions, Counting, Destination, When, board_size, percent, time_limit, whole,
};
use crate::output::Output;
use crate::progress::{Display, announcement, waiting};
use crate::report::{Checks, ClassesReport, CountReport, Format};
use crate::signals;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Board size N, 0 to 32
    #[arg(value_parser = board_size(), required_unless_present = "board")]
    n: Option<u32>,

    /// Print only the number
    #[arg(long, short, conflicts_with = "format")]
    quiet: bool,

    /// Count with the `join` engine and report its statistics; this is slightly slower
    ///
    /// The engine divides a count into `row sets`, the sets of rows that one half of the board can
    /// occupy. It generates `east half boards` and `west half boards`, and stores those in the east
    /// in `blocks` of up to 512 patterns; `block fill` is their average number. Of the patterns in
    /// the west, `filtered` are tested by filters. Each of the `visits` matches one pattern in the
    /// west with one block by table look-ups (`lookups per visit`), and thereby tests up to 512
    /// `pairs`. The `kept lists` of quadrants are shared by all row sets. Times are sums over all
    /// threads: building `lists` of quadrants, joining them into half-boards (`generate`), `sort`
    /// and `filter` half-boards, `build` blocks, and `scan` them in visits
    #[arg(long, conflicts_with_all = ["quiet", "queen", "block", "board", "torus"], help_heading = "Advanced")]
    stats: bool,

    /// Count R times after a warm-up run, and report the median time
    ///
    /// Also report the times of the fastest and slowest runs, and the standard deviation
    #[arg(long, value_name = "R", value_parser = whole(1_usize, Some(10_000)))]
    runs: Option<usize>,

    /// Also count the mirror images of a random P percent of the subproblems, with another kernel
    #[arg(long, value_name = "P", value_parser = percent, help_heading = "Advanced")]
    double_check: Option<f64>,

    /// Stop after TIME, in seconds or with units such as 8h, as after Ctrl-C
    ///
    /// With --checkpoint, the results are saved. The limit applies to all runs together
    #[arg(long, value_name = "TIME", value_parser = time_limit)]
    timeout: Option<Duration>,

    /// Classify the solutions by symmetry
    ///
    /// Report how many solutions are distinct up to rotation and reflection, and how many are
    /// themselves symmetric
    #[arg(long, conflicts_with_all = WHOLE_COUNT)]
    classes: bool,

    /// Use the published Q(N) instead of counting, for N up to 27
    #[arg(long, conflicts_with_all = ["stats", "runs", "queen", "block", "board", "torus"])]
    #[arg(conflicts_with_all = ["engine", "kernel", "symmetry", "memory", "double_check", "progress"], help_heading = "Advanced")]
    #[arg(conflicts_with_all = ["checkpoint", "checkpoint_every", "timeout"])]
    published: bool,

    #[command(flatten)]
    board: BoardOptions,

    #[command(flatten)]
    counting: Counting,

    #[command(flatten)]
    checkpointing: Checkpointing,

    #[command(flatten)]
    to: Destination,

    /// Show progress on standard error
    #[arg(long, value_name = "WHEN", default_value = AUTO, help_heading = "Advanced")]
    progress: When,
}

/// Options that conflict with `--classes`.
const WHOLE_COUNT: [&str; 7] = ["quiet", "stats", "runs", "queen", "block", "board", "torus"];

/// Minimum memory use, in bytes, that is announced.
const ANNOUNCED_MEMORY: u64 = 64 << 20;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let board = arguments.board.board(arguments.n)?;
    let format = arguments.to.format()?;
    if arguments.stats && format == Format::Markdown {
        let reason = "a Markdown table has no columns for statistics (accepted: text, json, csv)";
        bail!(Failure::usage("--stats", reason));
    }
    arguments.checkpointing.keep_apart_from(&arguments.to.output)?;
    let counter = arguments.counting.apply(board).stats(arguments.stats);
    let counter = counter.double_check(arguments.double_check);
    if arguments.published {
        return published(arguments, format);
    }
    let run = counter.clone().prepare()?;
    let output = Output::create(&arguments.to.output)?;
    let cancel = signals::cancel_on_interrupt()?;
    signals::cancel_after(arguments.timeout, &cancel)?;
    let (mut expected, mut hint) = (None, None);
    if !arguments.quiet {
        if run.memory() >= ANNOUNCED_MEMORY {
            tell(format_args!("needs about {} of memory", bytes(run.memory())));
        }
        expected = forecast(&run, &arguments.counting, &cancel);
        let runs = arguments.runs.map(|runs| format!("; counts {} times", runs + 1));
        hint = Some(hint_for(&run) + &runs.unwrap_or_default());
    }
    let mut announce = announcement(expected, hint);
    let mut prepared = Some(run);
    let (count, times) = Repeat::times(1).run(arguments.runs, || {
        let run = prepared.take().map_or_else(|| counter.clone().prepare(), Ok)?;
        count(arguments, run, &cancel, expected, &mut announce)
    })?;
    output.deliver(|output, totals| {
        totals.push(summary(&count));
        if arguments.quiet {
            writeln!(output, "{}", count.total)?;
        } else if arguments.classes {
            let checks = Checks::new(&count.check).with_detail(count.double_check.as_ref());
            let report = classify(arguments, count.n(), count.total, checks, &cancel)?;
            output.report(&report, format)?;
        } else {
            let runs = if arguments.runs.is_some() { &times[..] } else { &[] };
            output.report(&CountReport::new(count, runs), format)?;
        }
        Ok(())
    })
}

/// Writes the published Q(N). With `--classes`, only symmetric solutions are counted, which takes
/// little memory.
fn published(arguments: &Arguments, format: Format) -> Result<()> {
    let n = arguments.n.expect("N is required without a board");
    let Some(row) = known::values(n) else {
        let reason = format!("no value is published for N = {n} (accepted: 0 to 27)");
        bail!(Failure::usage("--published", reason));
    };
    let mut output = Output::create(&arguments.to.output)?;
    if arguments.classes {
        let cancel = signals::cancel_on_interrupt()?;
        let report = classify(arguments, n, row.solutions, Checks::published(), &cancel)?;
        output.report(&report, format)?;
    } else if arguments.quiet {
        writeln!(output, "{}", row.solutions)?;
    } else {
        output.report(row, format)?;
    }
    output.finish()
}

/// Classifies all solutions by symmetry. For large boards, counting the symmetric ones takes a
/// minute.
fn classify(
    arguments: &Arguments,
    n: u32,
    solutions: u128,
    checks: Checks,
    cancel: &CancelToken,
) -> Result<ClassesReport> {
    let threads = arguments.counting.threads()?.count();
    let _waiting = waiting(arguments.progress, format!("N = {n}: counting symmetric solutions"));
    Ok(ClassesReport::count(n, solutions, checks, threads, cancel)?)
}

/// Returns the total and its check in one line.
pub(crate) fn summary(count: &Count) -> String {
    let total = human::integer(count.total);
    format!("{total} solutions for N = {} ({})", count.n(), count.check)
}

/// Returns the text that follows the expected time of a count.
fn hint_for(run: &Run<'_>) -> String {
    let board = run.plan().board();
    let (n, fastest) = (board.n(), Engine::auto(board, None));
    let threads = plural(run.threads().count(), "thread");
    let options = match board.is_standard() {
        true => "",
        false => " with the same board options",
    };
    let faster = match run.plan().engine() == fastest {
        true => String::new(),
        false => format!("; the {fastest} engine is faster"),
    };
    format!("{threads} of this machine; see queens estimate {n}{options}{faster}")
}

/// Counts once, with a progress display and, if requested, a checkpoint.
fn count(
    arguments: &Arguments,
    run: Run<'_>,
    cancel: &CancelToken,
    forecast: Option<Duration>,
    announce: &mut (impl FnMut(&Progress) -> Option<String> + Send),
) -> Result<Count> {
    let mut file = arguments.checkpointing.open(run.plan())?;
    let mut ledger = Ledger::new(run.plan());
    file.iter().filter(|_| !arguments.quiet).for_each(tell_resumed);
    let display = Display::new(arguments.progress, run.plan().board().n());
    let mut run = run.cancel_with(cancel.clone()).on_progress(|progress| {
        display.update(progress, forecast);
        if !cancel.is_cancelled()
            && let Some(line) = announce(progress)
        {
            display.tell(&line);
        }
    });
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
