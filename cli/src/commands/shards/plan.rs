//! `queens shards plan`: splits a count into shards, and prepares a folder for them.

use std::path::PathBuf;
use std::time::Duration;

use crate::human;
use crate::report::core_hours;
use anyhow::Result;
use clap::Args;
use queens::store::{Shards, ShardsError};
use queens::{Counter, Engine, Sampling};

use crate::exit::Failure;
use crate::options::{AUTO, BoardOptions, When, board_size, engine_or_auto, shard_time, whole};
use crate::output::print;
use crate::progress::waiting;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Folder for the shards; created if missing
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Board size N, 0 to 32
    #[arg(value_parser = board_size(), required_unless_present = "board")]
    n: Option<u32>,

    #[command(flatten)]
    board: BoardOptions,

    #[command(flatten)]
    split: Split,

    /// Set the algorithm; `auto` selects the fastest for the board
    #[arg(long, default_value = AUTO, value_parser = engine_or_auto(), help_heading = "Advanced")]
    engine: std::option::Option<Engine>,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Split {
    /// Set the number of shards, at most the number of subproblems
    #[arg(long, value_name = "M", value_parser = whole(1_u32, None))]
    shards: Option<u32>,

    /// Set the target time per shard on one thread of this machine, such as 1h, 30m or 90s
    #[arg(long, value_name = "TIME", value_parser = shard_time)]
    shard_time: Option<Duration>,
}

/// Sampling time if the sample determines the number of shards.
const SAMPLE: Duration = Duration::from_secs(5);
/// Sampling time if the number of shards is given.
const BRIEF_SAMPLE: Duration = Duration::from_secs(2);

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let Arguments { folder, split, .. } = arguments;
    let counter = Counter::on(arguments.board.board(arguments.n)?).engine(arguments.engine);
    let plan = counter.clone().prepare()?.plan().clone();
    let mut sampled = None;
    let sample = |time| {
        let _waiting = waiting(When::Auto, "measuring the time per shard");
        let sampling = Sampling::for_time(time, fastrand::u64(..));
        counter.clone().prepare()?.estimate(&sampling)
    };
    let wanted = match split.shard_time {
        None => split.shards.unwrap_or(1) as usize,
        Some(time) => match Shards::open(folder) {
            Err(ShardsError::NoPlan(_)) => sampled.insert(sample(SAMPLE)?).shards(time),
            // An existing plan is kept. No sample is needed to report it or to reject a different
            // plan.
            there => there.map_or(1, |shards| shards.count()),
        },
    };
    let shards = Shards::create(folder, &plan, wanted);
    let shards = shards.map_err(|error| match error {
        ShardsError::Split { .. } => Failure::usage("--shards", error),
        // Exit code 2 is right, because nothing has been changed.
        ShardsError::File(error) => {
            let accepted = "a folder, or a new one in a folder that can be written to";
            Failure::of_file(&error, &error.problem, accepted)
        }
        error => Failure::invalid(error),
    })?;
    let plan = shards.plan();
    print(format_args!(
        "plan {}: {} in {}, numbered from 0",
        plan.id().fingerprint(),
        human::plural(plan.len(), "subproblem"),
        human::plural(wanted, "shard")
    ))?;
    // The cost is left out if it cannot be estimated from a brief sample or rounds to zero.
    let estimate = sampled.or_else(|| sample(BRIEF_SAMPLE).ok());
    let cost = estimate.and_then(|estimate| {
        let each = human::seconds(estimate.thread_seconds.value / wanted as f64);
        let hours = core_hours(&estimate)?;
        let rough = match estimate.thread_seconds.bounds {
            Some(_) => String::new(),
            None => format!("; rough: {}", human::plural(estimate.samples, "sample")),
        };
        Some(format!("takes about {hours} on this machine, {each} per shard{rough}"))
    });
    cost.map_or(Ok(()), print)
}
