//! `queens shard`: one task on a cluster.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::report::human;
use crate::store::shards::Wrong;
use crate::store::{Disk, Shards};
use crate::{CancelToken, CountError, Counter, Kernel};
use anyhow::{Result, anyhow};
use clap::Args;

use super::checkpoint::warn;
use super::exit::{self, UsageError};
use super::options::{one_of, threads};
use super::output::print;
use super::signals;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A folder that `queens plan` has prepared
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Number of the shard, from 0
    #[arg(value_name = "K")]
    index: usize,

    /// Number of threads, 1 to 4096
    #[arg(long, value_name = "T", default_value = "1", value_parser = threads())]
    threads: usize,

    /// Inner loop [default: the engine's best one that this CPU can run]
    #[arg(long, value_name = "KERNEL", value_parser = one_of::<Kernel>())]
    kernel: Option<Kernel>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let index = arguments.index;
    let shards = Shards::open(&Disk, &arguments.folder).map_err(exit::not_done)?;
    let shard = shards.shard(index)?;
    let place = format!("shard {index} of {}", shards.count());
    match shards.get(index) {
        Ok(_) => {
            print(format_args!("{place}: there already"))?;
            return Ok(());
        }
        Err(Wrong::Missing) => {}
        Err(wrong) => warn(&format!(
            "'{}' {wrong}; counting the shard again",
            shards.path(index).display()
        )),
    }
    shards.expect_writable(index).map_err(|error| {
        let accepted = "accepted: a folder that can be written to";
        UsageError::new("DIR", format!("{error} ({accepted})"))
    })?;
    let cancel = signals::cancel_on_interrupt()?;
    let mut counter = Counter::following(shards.plan().clone()).threads(arguments.threads);
    if let Some(kernel) = arguments.kernel {
        counter = counter.kernel(kernel);
    }
    let run = counter.prepare()?.cancel_with(cancel.clone());
    let count = run.run_shard(shard).map_err(|error| match error {
        CountError::Cancelled { .. } => stopped(),
        error => error.into(),
    })?;
    delay_for_tests(&cancel)?;
    shards.put(index, &count)?;
    print(format_args!(
        "{place}: {} solutions in {} subproblems, {}",
        human::integer(count.solutions),
        count.subproblems,
        human::seconds(count.elapsed.as_secs_f64())
    ))?;
    Ok(())
}

/// Told to stop: there is no part of a shard.
fn stopped() -> anyhow::Error {
    let message = "stopped before the shard was done; nothing is saved, it can be counted again";
    exit::Signalled(message.to_owned()).into()
}

/// Waits before the result is put in place for as many milliseconds as the variable says. The tests on a cluster need
/// tasks that can be killed half-way though their board is small; nobody else has a use for it.
fn delay_for_tests(cancel: &CancelToken) -> Result<()> {
    let Some(delay) = std::env::var_os("QUEENS_TEST_SHARD_DELAY_MS") else {
        return Ok(());
    };
    let delay = delay.to_str().and_then(|text| text.parse().ok());
    let delay = delay.ok_or_else(|| anyhow!("QUEENS_TEST_SHARD_DELAY_MS: not a number"))?;
    let end = Instant::now() + Duration::from_millis(delay);
    while Instant::now() < end {
        if cancel.is_cancelled() {
            return Err(stopped());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}
