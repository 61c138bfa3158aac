//! `queens shards run`: counts one shard, typically as a cluster task.

use std::time::Duration;

use clap::Args;
use queens::store::{Problem, ShardsError};
use queens::{Counter, Kernel};

use super::Folder;
use crate::checkpoint::{SAVE_EVERY, count_into, interrupted, print_resumed};
use crate::exit::{Failure, Result};
use crate::human;
use crate::options::{not_prepared, one_of, size, threads, time, whole};
use crate::output::print;
use crate::progress::Display;
use crate::signals;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    folder: Folder,

    /// Zero-based index of the shard
    #[arg(value_name = "K", value_parser = whole(0, Some(u32::MAX)))]
    index: u32,

    /// Set the number of threads, 1 to 4096
    #[arg(long, short, value_name = "T", default_value = "1", value_parser = threads())]
    threads: usize,

    /// Save and stop after TIME, in seconds or with units such as 8h; run again to resume
    #[arg(long, value_name = "TIME", value_parser = time)]
    timeout: Option<Duration>,

    /// Set the inner loop of the engine [default: the fastest that this CPU supports]
    #[arg(long, value_parser = one_of::<Kernel>(), help_heading = "Advanced")]
    kernel: Option<Kernel>,

    /// Limit memory to about SIZE, such as 512MiB or 8GiB; from N = 23 on, less memory slows down
    /// the `join` engine [default: as much as is useful, up to the available memory]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Advanced")]
    memory: Option<u64>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let index = arguments.index as usize;
    let cancel = signals::cancel_on_interrupt()?;
    signals::cancel_after(arguments.timeout, &cancel)?;
    let shards = arguments.folder.open()?;
    shards.shard(index)?;
    let place = format!("shard {index} of {}", shards.count());
    let counter = Counter::following(shards.plan().clone())
        .threads(arguments.threads)
        .kernel(arguments.kernel)
        .memory(arguments.memory);
    let run = counter.prepare().map_err(|error| not_prepared(error, arguments.memory))?;
    let mut file = shards.open_shard(index).map_err(refused)?;
    if file.ledger().is_complete() {
        return print(format_args!("{place}: already counted"));
    }
    print_resumed(&file);
    let display = Display::new(shards.plan().board().n());
    let run = run.cancel_with(cancel);
    let mut run = run.on_progress(|progress| display.update(progress));
    let counted = count_into(&mut file, SAVE_EVERY, &mut run, &display);
    drop(run);
    drop(display);
    let (done, len) = (file.ledger().done(), file.ledger().len());
    let elapsed = match counted {
        Ok(elapsed) => elapsed,
        Err(error) => return Err(interrupted(error, (done, len), Some(file))),
    };
    file.save().map_err(|error| Failure::new(format!("{error}; run the same command again")))?;
    print(format_args!(
        "{place}: {} solutions in {}, {}",
        human::integer(file.ledger().sum()),
        human::plural(done, "subproblem"),
        human::duration(elapsed)
    ))?;
    file.ledger().resumed().map_or(Ok(()), |earlier| {
        let earlier = human::plural(earlier.subproblems, "subproblem");
        print(format_args!("  {earlier} in earlier runs"))
    })
}

/// Converts an error from opening a ledger.
fn refused(error: ShardsError) -> Failure {
    let ShardsError::File(file) = error else {
        return error.into();
    };
    match &file.problem {
        Problem::Io(_) | Problem::InUse => {
            Failure::of_file(&file, &file.problem, "a folder that can be written to")
        }
        _ => Failure::invalid(format!("{file}; delete it to count the shard again")),
    }
}
