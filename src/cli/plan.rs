//! `queens plan`: a folder prepared for many machines.

use std::path::PathBuf;

use crate::Counter;
use crate::store::{Shards, ShardsError};
use anyhow::Result;
use clap::Args;

use super::exit::UsageError;
use super::options::{EngineOption, board_size};
use super::output::print;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The folder; made if it is missing
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Board size N, 0 to 32
    #[arg(value_name = "N", value_parser = board_size())]
    n: u32,

    /// Number of shards, at most that of subproblems
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u32).range(1..))]
    shards: u32,

    #[command(flatten)]
    engine: EngineOption,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let counter = arguments.engine.apply(Counter::new(arguments.n)?);
    let run = counter.prepare()?;
    let plan = run.plan();
    let shards = Shards::create(&arguments.folder, plan, arguments.shards as usize);
    let shards = shards.map_err(|error| match error {
        ShardsError::Count { .. } => UsageError::new("--shards", error),
        // Whatever it is, nothing has been changed.
        ShardsError::File(error) => {
            let accepted = "a folder, or a new one in a folder that can be written to";
            UsageError::of_file("DIR", &error, accepted)
        }
        error => UsageError::new("DIR", error),
    })?;
    print(format_args!(
        "plan {}: {} subproblems in {} shards, numbered from 0",
        plan.fingerprint(),
        plan.len(),
        shards.count()
    ))
}
