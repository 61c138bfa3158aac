//! The folder of shards that several commands work on.

use std::path::PathBuf;

use crate::human::{self, plural};
use anyhow::Result;
use clap::{Args, ValueEnum};
use queens::Plan;
use queens::store::{Shards, ShardsError, Sum};
use serde_json::json;

use super::exit::Failure;

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
                Failure::usage(None, format!("{error}; `queens plan` makes one")).into()
            }
            error => error.into(),
        })
    }

    /// Opens it to count. A damaged plan is then a file that cannot be used, not a contradiction.
    pub(crate) fn open_to_count(&self) -> Result<Shards> {
        self.open().map_err(super::exit::not_done)
    }
}

/// Where results come from, and how they were checked, in words that can be quoted.
pub(crate) fn origin(sum: &Sum) -> String {
    let (results, hosts) = (
        plural(sum.shards, "result"),
        plural(sum.hosts.len(), "host"),
    );
    let part = |number: usize| human::percent(number as f64 / sum.subproblems.max(1) as f64);
    let twice = sum.counted_twice.iter().map(|(kernel, &number)| {
        let part = part(number);
        format!(", {part} of the subproblems counted twice by mirror image with kernel {kernel}")
    });
    format!("{results} of {hosts}{}", twice.collect::<String>())
}

/// The form of what is told of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    Text,
    Json,
}

/// What programs read of results.
pub(crate) fn fields(plan: &Plan, sum: &Sum) -> serde_json::Value {
    json!({
        "n": plan.board().n(),
        "engine": plan.engine(),
        "fingerprint": plan.fingerprint(),
        "subproblems": plan.len(),
        "results": sum.shards,
        // Wall time of the tasks, and of each thread of each.
        "seconds": sum.seconds,
        "thread_seconds": sum.thread_seconds,
        "latest": sum.latest,
        // How many results are from each.
        "hosts": sum.hosts,
        "cpus": sum.cpus,
        "kernels": sum.kernels,
        // How many subproblems were counted twice, by mirror image, with each kernel.
        "counted_twice": sum.counted_twice,
        "version": env!("CARGO_PKG_VERSION"),
    })
}
