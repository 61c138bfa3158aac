//! `queens shards merge`: the total of all shards.

use std::io::Write;

use anyhow::Result;
use clap::Args;

use super::Folder;
use crate::options::Destination;
use crate::output::Output;
use crate::report::{MergeReport, Report};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    folder: Folder,

    /// Print the bare number and nothing else
    #[arg(long, short, conflicts_with = "format")]
    quiet: bool,

    #[command(flatten)]
    to: Destination,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let format = arguments.to.format()?;
    let shards = arguments.folder.open()?;
    let mut output = Output::create(&arguments.to.output)?;
    let merged = shards.merge()?;
    match arguments.quiet {
        true => writeln!(output, "{}", merged.total)?,
        false => MergeReport::new(shards.plan(), &merged).write(&mut output, format)?,
    }
    output.finish()
}
