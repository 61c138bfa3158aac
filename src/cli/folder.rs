//! The folder of shards that several commands work on.

use std::path::PathBuf;

use crate::store::{Shards, ShardsError};
use anyhow::Result;
use clap::Args;

use super::checkpoint::warn;
use super::exit::UsageError;

/// A folder with a plan.
#[derive(Debug, Args)]
pub(crate) struct Folder {
    /// A folder that `queens plan` has prepared
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Folder {
    /// Opens it to add its results up.
    pub(crate) fn open(&self) -> Result<Shards> {
        Shards::open(&self.folder).map_err(|error| match error {
            ShardsError::NoPlan(_) => {
                UsageError::new("DIR", format!("{error}; `queens plan` makes one")).into()
            }
            error => error.into(),
        })
    }

    /// Opens it to count. A damaged plan is then a file that cannot be used, not a contradiction.
    pub(crate) fn open_to_count(&self) -> Result<Shards> {
        self.open().map_err(super::exit::not_done)
    }
}

/// Whether a shard has a result; one that cannot be used is told, with what happens to it.
pub(crate) fn is_done(shards: &Shards, index: usize, next: &str) -> bool {
    let found = shards.get(index);
    if let Err(wrong) = &found {
        warn(&format!("{wrong}{next}"));
    }
    matches!(found, Ok(Some(_)))
}
