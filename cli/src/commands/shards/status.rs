//! `queens shards status`: the progress of a folder.

use std::io::{BufWriter, Write};

use anyhow::Result;
use clap::Args;
use queens::store::Status;

use super::Folder;
use crate::checkpoint::warn;
use crate::options::Destination;
use crate::output::Output;
use crate::report::{Report, StatusReport};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    folder: Folder,

    /// List the shards that are not done instead, one a line
    #[arg(long, conflicts_with = "format")]
    missing: bool,

    #[command(flatten)]
    to: Destination,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let format = arguments.to.format()?;
    let shards = arguments.folder.open_to_count()?;
    let mut output = Output::create(&arguments.to.output)?;
    let status = shards.status();
    match arguments.missing {
        true => list_missing(&status, &mut output)?,
        false => StatusReport::new(&shards, &status).write(&mut output, format)?,
    }
    output.finish()
}

/// Writes the numbers of the shards that are not done, for `xargs` and the like.
fn list_missing(status: &Status, output: &mut Output) -> Result<()> {
    for wrong in &status.unusable {
        warn(&wrong.to_string());
    }
    let mut list = BufWriter::new(output);
    for index in &status.missing {
        writeln!(list, "{index}")?;
    }
    Ok(list.flush()?)
}
