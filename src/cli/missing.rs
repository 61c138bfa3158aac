//! `queens missing`: what is still to be counted.

use std::io::{BufWriter, Write};

use anyhow::Result;
use clap::Args;

use super::folder::{Folder, is_done};
use super::output::Output;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    folder: Folder,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let shards = arguments.folder.open_to_count()?;
    let mut list = BufWriter::new(Output::standard());
    for index in 0..shards.count() {
        if !is_done(&shards, index, "") {
            writeln!(list, "{index}")?;
        }
    }
    Ok(list.flush()?)
}
