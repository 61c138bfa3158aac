//! `queens missing`: what is still to be counted.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use crate::store::shards::Wrong;
use crate::store::{Disk, Shards};
use anyhow::Result;
use clap::Args;

use super::checkpoint::warn;
use super::exit;
use super::output::Output;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A folder that `queens plan` has prepared
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let shards = Shards::open(&Disk, &arguments.folder).map_err(exit::not_done)?;
    let mut list = BufWriter::new(Output::standard());
    for index in 0..shards.count() {
        match shards.get(index) {
            Ok(_) => continue,
            Err(Wrong::Missing) => {}
            Err(wrong) => warn(&format!("'{}' {wrong}", shards.path(index).display())),
        }
        writeln!(list, "{index}")?;
    }
    Ok(list.flush()?)
}
