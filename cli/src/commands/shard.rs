//! `queens shard`: one task on a cluster.

use crate::report::{figures, human};
use anyhow::{Error, Result};
use clap::Args;
use queens::{CountError, Counter, Kernel};

use super::checkpoint::warn;
use super::exit::Failure;
use super::folder::Folder;
use super::options::{DoubleChecking, MemoryOption, one_of, threads, whole};
use super::output::print;
use super::signals;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    folder: Folder,

    /// Number of the shard, from 0
    #[arg(value_name = "K", value_parser = whole::<u32>(0, Some(u32::MAX.into())))]
    index: u32,

    /// Number of threads, 1 to 4096
    #[arg(long, short, value_name = "T", default_value = "1", value_parser = threads())]
    threads: usize,

    /// Inner loop [default: the engine's best one that this CPU can run]
    #[arg(long, value_name = "KERNEL", value_parser = one_of::<Kernel>())]
    kernel: Option<Kernel>,

    #[command(flatten)]
    limit: MemoryOption,

    /// Count and time what engine join does, and report it; it then runs a little slower
    #[arg(long)]
    stats: bool,

    #[command(flatten)]
    twice: DoubleChecking,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let index = arguments.index as usize;
    let shards = arguments.folder.open_to_count()?;
    let shard = shards.shard(index)?;
    let place = format!("shard {index} of {}", shards.count());
    match shards.get(index) {
        Ok(Some(_)) => return print(format_args!("{place}: already counted")),
        Ok(None) => {}
        Err(wrong) => warn(&format!("{wrong}; counting the shard again")),
    }
    let writable = shards.expect_writable(index);
    let accepted = "a folder that can be written to";
    writable.map_err(|error| Failure::of_file(None, &error, accepted))?;
    let cancel = signals::cancel_on_interrupt()?;
    let counter = Counter::following(shards.plan().clone())
        .threads(arguments.threads)
        .kernel(arguments.kernel)
        .memory(arguments.limit.memory)
        .double_check(arguments.twice.double_check)
        .stats(arguments.stats);
    let run = counter.prepare()?.cancel_with(cancel);
    let mut heartbeat = shards.begin(index);
    let run = run.on_progress(|_| heartbeat.beat());
    let count = run.run_shard(shard).map_err(|error| match error {
        CountError::Cancelled { .. } => Error::new(Failure::interrupted(STOPPED.to_owned())),
        error => error.into(),
    })?;
    shards.put(index, &count)?;
    print(format_args!(
        "{place}: {} solutions in {}, {}",
        human::integer(count.solutions),
        human::plural(count.subproblems, "subproblem"),
        human::duration(count.elapsed)
    ))?;
    let check = count.double_check.iter().map(ToString::to_string);
    let mut more = check.chain(count.stats.iter().flat_map(figures));
    more.try_for_each(|line| print(format_args!("  {line}")))
}

/// What a cancelled task says: there is no part of a shard.
const STOPPED: &str =
    "stopped before the shard was done; nothing is saved, it can be counted again";
