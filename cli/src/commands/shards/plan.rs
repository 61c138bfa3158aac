//! `queens shards plan`: splits a count into shards, and prepares a folder for them.

use std::path::PathBuf;

use clap::Args;
use queens::store::{Shards, ShardsError};
use queens::{Counter, Engine};

use crate::exit::{Failure, Result};
use crate::human;
use crate::options::{AUTO, CountedBoard, engine_or_auto, whole};
use crate::output::print;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Folder for the shards; created if missing
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Set the number of shards, at most the number of subproblems; `queens estimate` suggests one
    #[arg(long, value_name = "M", value_parser = whole(1_u32, None))]
    shards: u32,

    #[command(flatten)]
    board: CountedBoard,

    /// Set the algorithm; `auto` selects the fastest for the board
    #[arg(long, default_value = AUTO, value_parser = engine_or_auto(), help_heading = "Advanced")]
    engine: std::option::Option<Engine>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let counter = Counter::on(arguments.board.board()?).engine(arguments.engine);
    let run = counter.prepare()?;
    let (plan, wanted) = (run.plan(), arguments.shards as usize);
    Shards::create(&arguments.folder, plan, wanted).map_err(|error| match error {
        ShardsError::Split { .. } => Failure::usage("--shards", error),
        // Exit code 2 is right, because nothing has been changed.
        ShardsError::File(error) => {
            let accepted = "a folder, or a new one in a folder that can be written to";
            Failure::of_file(&error, &error.problem, accepted)
        }
        error => Failure::invalid(error),
    })?;
    print(format_args!(
        "{}: {} in {}, numbered from 0",
        plan.id(),
        human::plural(plan.len(), "subproblem"),
        human::plural(wanted, "shard")
    ))
}
