//! `queens missing`: what is still to be counted.

use std::io::{BufWriter, Write};

use anyhow::Result;
use clap::Args;

use super::checkpoint::warn;
use super::folder::Folder;
use super::output::Output;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    folder: Folder,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let status = arguments.folder.open_to_count()?.status()?;
    for wrong in &status.unusable {
        warn(&wrong.to_string());
    }
    let mut list = BufWriter::new(Output::standard());
    for index in &status.missing {
        writeln!(list, "{index}")?;
    }
    Ok(list.flush()?)
}
