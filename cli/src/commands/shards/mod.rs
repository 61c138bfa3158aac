//! `queens shards`: counts one board on several machines through a shared folder.

mod plan;
mod run;

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Error, Result, bail};
use clap::{Args, Subcommand};
use queens::store::Shards;

use crate::exit::{self, Failure};
use crate::human;
use crate::message::warn;
use crate::options::{Destination, When};
use crate::output::{Output, has_reader, print};
use crate::progress::waiting;
use crate::report::{MergeReport, Report, StatusReport};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Split a count into shards, in a folder shared by all machines
    #[command(after_help = "\
Examples:
  queens shards plan q14 14 --shards 4        split N = 14 into four shards
  queens shards plan q20 20 --shard-time 10m  split N = 20 into ten-minute shards")]
    Plan(plan::Arguments),

    /// Count one shard, or resume it
    #[command(after_help = "\
Examples:
  queens shards run q14 0                count the first shard on one thread
  queens shards run q14 3 -t 2           count the fourth shard on two threads
  queens shards run q14 0 --timeout 50m  save and stop after 50 minutes")]
    Run(run::Arguments),

    /// Show progress and time left, or list the missing shards
    #[command(after_help = "\
Examples:
  queens shards status q14            show progress and time left
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
  queens shards merge q14     print the total and its origin
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

    /// Compare the counts of two folders with the same plan
    ///
    /// Every subproblem that is counted in both folders is compared. The folders may be partly
    /// counted, and may have different numbers of shards. The exit code is 0 if all counts are
    /// equal, and 4 if any differ
    #[command(after_help = "\
Examples:
  queens shards compare q14 theirs  compare a count with that of someone else")]
    Compare {
        /// Folder with a count
        a: PathBuf,

        /// Folder with another count, by other people, machines or kernels
        b: PathBuf,
    },
}

impl Command {
    pub(crate) fn run(&self) -> Result<()> {
        match self {
            Self::Plan(arguments) => plan::run(arguments),
            Self::Run(arguments) => run::run(arguments),
            Self::Status { folder, missing, to } => status(folder, *missing, to),
            Self::Compare { a, b } => compare(a, b),
            Self::Merge { folder, quiet, to } => merge(folder, *quiet, to),
        }
    }
}

/// Writes the progress of the shards or, for use with `xargs`, the numbers of the missing shards.
fn status(folder: &Folder, missing: bool, to: &Destination) -> Result<()> {
    let format = to.format()?;
    let shards = folder.open_to_count()?;
    let mut output = Output::create(&to.output)?;
    let status = {
        let _waiting = waiting(When::Auto, "reading the results");
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
        let _waiting = waiting(When::Auto, "adding up the results");
        shards.merge()?
    };
    output.deliver(|output, totals| {
        let total = human::integer(merged.total);
        totals.push(format!("{total} solutions ({})", merged.check));
        match quiet {
            true => writeln!(output, "{}", merged.total)?,
            false => output.report(&MergeReport::new(shards.plan(), &merged), format)?,
        }
        Ok(())
    })
}

/// Writes the differences between two counts of the same plan.
fn compare(a: &Path, b: &Path) -> Result<()> {
    let [first, second] = [a, b].map(|folder| Folder { folder: folder.to_owned() });
    let (first, second) = (first.open_to_count()?, second.open_to_count()?);
    if a.canonicalize()? == b.canonicalize()? {
        bail!(Failure::usage("B", "the same folder as A (accepted: another folder)"));
    }
    let found = {
        let _waiting = waiting(When::Auto, "comparing the results");
        first.compare(&second).map_err(Failure::invalid)?
    };
    found.unusable.iter().for_each(|wrong| warn(&wrong.to_string()));
    let lines = found.differences.iter().map(|difference| format!("{difference}\n"));
    let [differ, only_a, only_b] = [found.differences.len(), found.only[0], found.only[1]]
        .map(|number| human::integer(number as u128));
    has_reader(print(format_args!(
        "{}{} compared, {differ} differ, {only_a} only in '{}', {only_b} only in '{}'",
        lines.collect::<String>(),
        human::plural(found.compared, "subproblem"),
        a.display(),
        b.display()
    )))?;
    if found.compared == 0 {
        bail!("no subproblem is counted in both folders");
    } else if !found.differences.is_empty() {
        bail!(Failure::contradiction("the folders have different counts"));
    }
    Ok(())
}

/// Folder with a plan.
#[derive(Debug, Args)]
pub(crate) struct Folder {
    /// Folder created by `queens shards plan`
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Folder {
    /// Opens the folder to add up its results.
    pub(super) fn open(&self) -> Result<Shards> {
        Ok(Shards::open(&self.folder)?)
    }

    /// Opens the folder to count or to show its status. A damaged plan is then an unusable file,
    /// not a contradiction.
    pub(super) fn open_to_count(&self) -> Result<Shards> {
        self.open().map_err(|error| match exit::code(&error) {
            exit::CONTRADICTION => Error::msg(error.to_string()),
            _ => error,
        })
    }
}
