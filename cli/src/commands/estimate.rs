//! `queens estimate`: estimates the time and the result of a count.

use std::time::Duration;

use crate::human;
use crate::report::{EstimateReport, Report};
use clap::Args;
use queens::{CountError, Sampling};

use crate::exit::{Failure, Result};
use crate::options::{CountedBoard, Counting, Destination, time, whole};
use crate::output::Output;
use crate::progress::Display;
use crate::signals;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Sample for at most SECONDS or 4,096 samples; running samples may overrun by half or 5 s,
    /// whichever is longer
    #[arg(long, default_value = "10", value_parser = time)]
    seconds: Duration,

    /// Set the seed of the random sample [default: random]
    #[arg(long, value_parser = whole(0, Some(u64::MAX)), help_heading = "Advanced")]
    seed: Option<u64>,

    #[command(flatten)]
    board: CountedBoard,

    #[command(flatten)]
    counting: Counting,

    #[command(flatten)]
    to: Destination,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let board = arguments.board.board()?;
    let format = arguments.to.format()?;
    let run = arguments.counting.prepare(board)?;
    let mut output = Output::create(&arguments.to.output)?;
    let cancel = signals::cancel_on_interrupt()?;
    let run = run.cancel_with(cancel.clone());
    let threads = human::plural(run.threads(), "thread");
    let seed = arguments.seed.unwrap_or_else(|| fastrand::u64(..));
    let estimate = {
        let display = Display::new(run.plan().board().n());
        let run = run.on_progress(|progress| display.update(progress));
        run.estimate(&Sampling::for_time(arguments.seconds, seed))
    };
    let estimate = estimate.map_err(|error| match error {
        CountError::Cancelled => Failure::interrupted("interrupted"),
        CountError::Unsampled => unsampled(arguments.seconds, &threads),
        error => error.into(),
    })?;
    EstimateReport::new(estimate).write(&mut output, format)?;
    output.finish()?;
    if cancel.is_cancelled() {
        let reason = "interrupted: the estimate uses only the samples completed so far";
        return Err(Failure::interrupted(reason));
    }
    Ok(())
}

/// Returns the error for an estimate without any completed sample.
fn unsampled(time: Duration, threads: &str) -> Failure {
    let limit = Sampling::for_time(time, 0).limit.as_secs_f64();
    let more = (4.0 * limit).ceil();
    Failure::new(format!("no sample was completed in {limit} s on {threads}; try --seconds {more}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suggested_time_is_four_times_the_limit() {
        let error = unsampled(Duration::from_secs(10), "1 thread").to_string();
        let expected = "no sample was completed in 15 s on 1 thread; try --seconds 60";
        assert_eq!(error, expected);
    }
}
