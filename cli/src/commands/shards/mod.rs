//! `queens shards`: counts one board on several machines through a shared folder.

mod plan;
mod run;

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use queens::store::Shards;

use crate::exit::Result;
use crate::human;
use crate::message::warn;
use crate::options::Destination;
use crate::output::Output;
use crate::progress::waiting;
use crate::report::{MergeReport, Report, StatusReport};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Split a count into shards, in a folder shared by all machines
    #[command(after_help = "\
Examples:
  queens shards plan q14 14 --shards 4  split N = 14 into four shards")]
    Plan(plan::Arguments),

    /// Count one shard, or resume it
    #[command(after_help = "\
Examples:
  queens shards run q14 0                count the first shard on one thread
  queens shards run q14 3 -t 2           count the fourth shard on two threads
  queens shards run q14 0 --timeout 50m  save and stop after 50 minutes")]
    Run(run::Arguments),

    /// Show progress, or list the missing shards
    #[command(after_help = "\
Examples:
  queens shards status q14            show progress
  queens shards status q14 --missing  list the missing shards")]
    Status {
        #[command(flatten)]
        folder: Folder,

        /// List only the missing shards, one per line
        #[arg(long, conflicts_with = "format")]
        missing: bool,

        #[command(flatten)]
        to: Destination,
    },

    /// Add up the counts of all shards
    #[command(after_help = "\
Examples:
  queens shards merge q14     print the total and its check
  queens shards merge q14 -q  print only the total")]
    Merge {
        #[command(flatten)]
        folder: Folder,

        /// Print only the number
        #[arg(long, short, conflicts_with = "format")]
        quiet: bool,

        #[command(flatten)]
        to: Destination,
    },
}

impl Command {
    pub(crate) fn run(&self) -> Result<()> {
        match self {
            Self::Plan(arguments) => plan::run(arguments),
            Self::Run(arguments) => run::run(arguments),
            Self::Status { folder, missing, to } => status(folder, *missing, to),
            Self::Merge { folder, quiet, to } => merge(folder, *quiet, to),
        }
    }
}

/// Writes the progress of the shards or, for use with `xargs`, the numbers of the missing shards.
fn status(folder: &Folder, missing: bool, to: &Destination) -> Result<()> {
    let format = to.format()?;
    let shards = folder.open()?;
    let mut output = Output::create(&to.output)?;
    let status = {
        let _waiting = waiting("reading the results");
        shards.status()
    };
    if missing {
        status.unusable.iter().for_each(|wrong| warn(&wrong.to_string()));
        let mut list = BufWriter::new(&mut output);
        for index in &status.missing {
            writeln!(list, "{index}")?;
        }
        list.flush()?;
    } else {
        StatusReport::new(&shards, &status).write(&mut output, format)?;
    }
    output.finish()
}

/// Writes the total of all shards.
fn merge(folder: &Folder, quiet: bool, to: &Destination) -> Result<()> {
    let format = to.format()?;
    let shards = folder.open()?;
    let output = Output::create(&to.output)?;
    let merged = {
        let _waiting = waiting("adding up the results");
        shards.merge()?
    };
    output.write_totals(|output, totals| {
        let total = human::integer(merged.total);
        totals.push(format!("{total} solutions ({})", merged.check));
        match quiet {
            true => writeln!(output, "{}", merged.total)?,
            false => MergeReport::new(shards.plan(), &merged).write(output, format)?,
        }
        Ok(())
    })
}

/// Folder with a plan.
#[derive(Debug, Args)]
pub(crate) struct Folder {
    /// Folder created by `queens shards plan`
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Folder {
    /// Opens the folder.
    pub(super) fn open(&self) -> Result<Shards> {
        Ok(Shards::open(&self.folder)?)
    }
}
