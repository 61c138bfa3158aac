//! `queens shards`: counts one board on several machines through a shared folder.

mod merge;
mod plan;
mod run;
mod status;

use std::path::PathBuf;

use anyhow::{Error, Result};
use clap::{Args, Subcommand};
use queens::store::Shards;

use crate::exit;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Prepare a folder of shards, with which many machines count together
    #[command(after_help = "\
Examples:
  queens shards plan q14 14 --shards 4        a folder for four tasks
  queens shards plan q20 20 --shard-time 10m  tasks of ten minutes")]
    Plan(plan::Arguments),

    /// Count one shard of a folder, or what is left of it
    #[command(after_help = "\
Examples:
  queens shards run q14 0       the first shard, on one thread
  queens shards run q14 3 -t 2  the last of four, on two")]
    Run(run::Arguments),

    /// Show how many shards of a folder are done, and the time left; or list those that are not
    #[command(after_help = "\
Examples:
  queens shards status q14            what is done, and the time left
  queens shards status q14 --missing  what is to be counted, one a line")]
    Status(status::Arguments),

    /// Add up the shards of a folder
    #[command(after_help = "\
Examples:
  queens shards merge q14     the total of all shards
  queens shards merge q14 -q  the bare number")]
    Merge(merge::Arguments),
}

impl Command {
    pub(crate) fn run(&self) -> Result<()> {
        match self {
            Self::Plan(arguments) => plan::run(arguments),
            Self::Run(arguments) => run::run(arguments),
            Self::Status(arguments) => status::run(arguments),
            Self::Merge(arguments) => merge::run(arguments),
        }
    }
}

/// Folder with a plan.
#[derive(Debug, Args)]
pub(super) struct Folder {
    /// A folder that `queens shards plan` has prepared
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Folder {
    /// Opens the folder to add up its results.
    pub(super) fn open(&self) -> Result<Shards> {
        Ok(Shards::open(&self.folder)?)
    }

    /// Opens the folder to count. A damaged plan is then an unusable file, not a contradiction.
    pub(super) fn open_to_count(&self) -> Result<Shards> {
        self.open().map_err(|error| match exit::code(&error) {
            exit::CONTRADICTION => Error::msg(error.to_string()),
            _ => error,
        })
    }
}
