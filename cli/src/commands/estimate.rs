//! `queens estimate`: what a count would take, and about what it would come to; and what other commands say beforehand.

use std::time::{Duration, Instant};

use crate::report::{Document, EstimateRecord, human};
use anyhow::{Result, anyhow};
use clap::Args;
use queens::{CountError, Engine, Estimate, Interval, Run, Sampling, Until};

use super::board::BoardOptions;
use super::exit::Failure;
use super::options::{Counting, Destination, board_size, seconds, shard_time, whole};
use super::output::Output;
use super::signals;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Board size N, 0 to 32
    #[arg(value_name = "N", value_parser = board_size())]
    n: u32,

    /// How long to sample; subproblems begun by then are finished
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    seconds: Duration,

    /// Seed of the random sample [default: a new one each time]
    #[arg(long, value_parser = whole::<u64>(0, Some(u64::MAX)))]
    seed: Option<u64>,

    /// How long a shard is to take on one thread: 1h, 30m, 90s
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = shard_time)]
    shard_time: Duration,

    #[command(flatten)]
    board: BoardOptions,

    #[command(flatten)]
    counting: Counting,

    #[command(flatten)]
    to: Destination,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let board = arguments.board.board(arguments.n)?;
    let run = arguments.counting.apply(board).prepare()?;
    let mut output = Output::create(&arguments.to.output)?;
    let run = run.cancel_with(signals::cancel_on_interrupt()?);
    let estimate = estimate(&run, arguments.seconds, arguments.seed)?;
    let shard_time = arguments.shard_time;
    let record = EstimateRecord {
        estimate,
        shard_time,
    };
    record.write(&mut output, arguments.to.format)?;
    output.finish()
}

/// Samples for so long with this seed, or any; an error if that is far too short.
pub(crate) fn estimate(run: &Run<'_>, time: Duration, seed: Option<u64>) -> Result<Estimate> {
    let sampling = Sampling {
        until: Until::Time(time),
        seed: seed.unwrap_or_else(|| fastrand::u64(..)),
    };
    let (started, limit) = (Instant::now(), time.saturating_mul(PATIENCE));
    let estimate = run.estimate_within(&sampling, limit);
    estimate.map_err(|error| match error {
        CountError::Cancelled { .. } if started.elapsed() < limit => {
            Failure::interrupted("interrupted".to_owned()).into()
        }
        CountError::Cancelled { .. } => anyhow!(
            "five subproblems of engine {} take longer than {}, {PATIENCE} times --seconds: give it more",
            run.plan().engine(),
            human::duration(limit)
        ),
        error => error.into(),
    })
}

/// So many times as long as was asked for may the least sample take.
const PATIENCE: u32 = 20;
/// A count that takes at least so long is announced.
const WORTH_SAYING: f64 = 60.0;
/// Below this N even the slowest kernel is done within a minute or two, and most counts are done at once.
const LEAST_N: u32 = 16;
/// From this N on a single subproblem of either engine takes a minute or more, so that none is sampled in passing.
const HOPELESS_N: u32 = 28;
/// How long other commands sample at most, beside the least that there is to it.
const BRIEFLY: Duration = Duration::from_millis(500);
/// What has not been sampled by then is not waited for.
const GIVE_UP: Duration = Duration::from_secs(2);

/// What a run will take, from a small sample, where that is a minute at least: of the plan's part `share` that is still to
/// be counted. A short count is hardly delayed: five of its subproblems are counted for it.
pub(crate) fn expected(run: &Run<'_>, share: f64) -> Option<String> {
    let board = run.plan().board();
    if board.n() < LEAST_N || share <= 0.0 {
        return None;
    }
    let sample = |time| {
        let sampling = Sampling {
            until: Until::Time(time),
            seed: fastrand::u64(..),
        };
        run.estimate_within(&sampling, GIVE_UP)
    };
    let is_long = |estimate: &Estimate| share * estimate.seconds.value >= WORTH_SAYING / 2.0;
    let fastest = Engine::auto(board, None);
    let hint = if fastest == run.plan().engine() {
        String::new()
    } else {
        format!("; engine {fastest} is faster")
    };
    let first = (board.n() < HOPELESS_N).then(|| sample(Duration::ZERO));
    let Some(Ok(first)) = first else {
        return Some(format!(
            "takes very long: a few seconds were not enough to estimate it (try `queens estimate {}`){hint}",
            board.n()
        ));
    };
    if !is_long(&first) {
        return None;
    }
    let second = sample(BRIEFLY).unwrap_or(first);
    let Interval { value, low, high } = second.seconds;
    let [about, low, high] = [value, low, high].map(|time| human::whole_seconds(share * time));
    let is_long = share * value >= WORTH_SAYING;
    is_long.then(|| format!("takes about {about} ({low} to {high}) here{hint}"))
}
