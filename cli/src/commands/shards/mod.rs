//! `queens shards`: a count that many machines share by way of a folder.

mod merge;
mod plan;
mod run;
mod status;

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::human::{self, plural};
use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use queens::store::{Completion, Done, Shards};
use queens::{Engine, Plan};
use serde::Serialize;

use super::exit::not_done;

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

/// A folder with a plan.
#[derive(Debug, Args)]
pub(super) struct Folder {
    /// A folder that `queens shards plan` has prepared
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Folder {
    /// Opens it to add its results up.
    pub(super) fn open(&self) -> Result<Shards> {
        Ok(Shards::open(&self.folder)?)
    }

    /// Opens it to count. A damaged plan is then a file that cannot be used, not a contradiction.
    pub(super) fn open_to_count(&self) -> Result<Shards> {
        self.open().map_err(not_done)
    }
}

/// What programs read of the shards that are done.
#[derive(Debug, Serialize)]
struct Sum {
    n: u32,
    engine: Engine,
    fingerprint: String,
    /// Of the plan, and those that are done.
    subproblems: usize,
    counted: usize,
    results: usize,
    /// Wall time of the tasks, one after the other, and of each thread of each.
    seconds: f64,
    thread_seconds: f64,
    /// When the last of them was done, in UTC.
    latest: Option<String>,
    /// How many were finished by each machine, CPU and kernel.
    hosts: BTreeMap<String, usize>,
    cpus: BTreeMap<String, usize>,
    kernels: BTreeMap<String, usize>,
    /// How many subproblems were counted twice, by mirror image, with which kernel; all of them agreed.
    counted_twice: BTreeMap<String, usize>,
    version: &'static str,
}

impl Sum {
    fn of(plan: &Plan, shards: &[Done]) -> Self {
        let number = |name: fn(&Done) -> Option<&String>| {
            let mut names = BTreeMap::new();
            for shard in shards {
                let name = name(shard).map_or("unknown", |name| name);
                *names.entry(name.to_owned()).or_default() += 1;
            }
            names
        };
        let said = || shards.iter().map(|shard| &shard.completion);
        // Not `sum`: that of nothing is minus zero.
        let sum = |seconds: fn(&Completion) -> f64| said().map(seconds).fold(0.0, |sum, x| sum + x);
        let mut counted_twice = BTreeMap::new();
        for check in said().filter_map(|said| said.double_check.as_ref()) {
            *counted_twice.entry(check.second.to_string()).or_default() += check.checked;
        }
        Self {
            n: plan.board().n(),
            engine: plan.engine(),
            fingerprint: plan.fingerprint(),
            subproblems: plan.len(),
            counted: said().map(|said| said.subproblems).sum(),
            results: shards.len(),
            seconds: sum(|said| said.seconds),
            thread_seconds: sum(|said| said.seconds * said.threads as f64),
            latest: said().map(|said| said.date.clone()).max(),
            hosts: number(|shard| Some(&shard.by.as_ref()?.host)),
            cpus: number(|shard| Some(&shard.by.as_ref()?.cpu)),
            kernels: number(|shard| Some(&shard.completion.kernel)),
            counted_twice,
            version: env!("CARGO_PKG_VERSION"),
        }
    }

    /// Where the counts come from, and how they were checked, in words that can be quoted.
    fn origin(&self) -> String {
        let results = plural(self.results, "result");
        let hosts = plural(self.hosts.len(), "host");
        let twice = self.counted_twice.iter().map(|(kernel, &number)| {
            let part = human::percent(number as f64 / self.counted.max(1) as f64);
            format!(
                ", {part} of the subproblems counted twice by mirror image with kernel {kernel}"
            )
        });
        format!("{results} of {hosts}{}", twice.collect::<String>())
    }
}

/// The form of what is told of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    Text,
    Json,
}
