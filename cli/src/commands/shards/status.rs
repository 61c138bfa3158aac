//! `queens shards status`: how far a folder of shards is.

use std::collections::BTreeSet;
use std::io::{BufWriter, Write};

use crate::human::{self, integer, plural};
use anyhow::Result;
use clap::Args;
use queens::store::{Begun, Shards, Status};
use serde::Serialize;

use super::{Folder, Form, Sum};
use crate::commands::checkpoint::warn;
use crate::commands::output::{Output, print};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    folder: Folder,

    /// List the shards that are not done instead, one a line
    #[arg(long, conflicts_with = "format")]
    missing: bool,

    /// Form of the status
    #[arg(long, short, value_name = "FORMAT", value_enum, default_value_t = Form::Text)]
    format: Form,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let shards = arguments.folder.open_to_count()?;
    let status = shards.status();
    if arguments.missing {
        return list_missing(&status);
    }
    let report = Report::of(&shards, &status);
    print(match arguments.format {
        Form::Text => report.as_text(),
        Form::Json => serde_json::to_string_pretty(&report)?,
    })
}

/// The numbers of the shards that are not done, for `xargs` and the like.
fn list_missing(status: &Status) -> Result<()> {
    for wrong in &status.unusable {
        warn(&wrong.to_string());
    }
    let mut list = BufWriter::new(Output::standard());
    for index in &status.missing {
        writeln!(list, "{index}")?;
    }
    Ok(list.flush()?)
}

/// What programs read of a folder that is being counted.
#[derive(Debug, Serialize)]
struct Report {
    #[serde(flatten)]
    sum: Sum,
    shards: usize,
    missing: usize,
    unusable: Vec<String>,
    /// Tasks that are at work, and those that fell silent.
    running: Vec<Task>,
    silent: Vec<Task>,
    /// Shards done in an hour by as many tasks as are at work now; `None` where nothing is done or at work.
    shards_per_hour: Option<f64>,
    /// Until all is done, if as many tasks go on.
    seconds_left: Option<f64>,
}

/// A shard that has been begun.
#[derive(Debug, Serialize)]
struct Task {
    shard: usize,
    host: String,
    silent_seconds: u64,
}

impl Report {
    fn of(shards: &Shards, status: &Status) -> Self {
        let (running, silent): (Vec<&Begun>, Vec<_>) =
            status.begun.iter().partition(|begun| begun.is_alive());
        let task = |begun: &Begun| Task {
            shard: begun.shard,
            host: (begun.by.as_ref()).map_or_else(|| "unknown".to_owned(), |by| by.host.clone()),
            silent_seconds: begun.silent.as_secs(),
        };
        let tasks = |begun: Vec<&Begun>| begun.into_iter().map(task).collect();
        let sum = Sum::of(shards.plan(), &status.done);
        let (missing, working) = (status.missing.len(), running.len() as f64);
        let mean = sum.seconds / sum.results as f64;
        let mean = Some(mean).filter(|&mean| working > 0.0 && mean > 0.0);
        // Those at work are half done on average.
        let left = (missing as f64 - working / 2.0).max(0.0);
        Self {
            sum,
            shards: shards.count(),
            missing,
            unusable: status.unusable.iter().map(ToString::to_string).collect(),
            running: tasks(running),
            silent: tasks(silent),
            shards_per_hour: mean.map(|mean| working * 3600.0 / mean),
            seconds_left: mean.map(|mean| left * mean / working),
        }
    }

    fn as_text(&self) -> String {
        let sum = &self.sum;
        let number = |number: usize| integer(number as u128);
        let mut lines = vec![format!(
            "plan {}: {} of {} shards done ({}), {} missing{}",
            sum.fingerprint,
            number(sum.results),
            number(self.shards),
            human::percent(sum.results as f64 / self.shards as f64),
            number(self.missing),
            match self.unusable.len() {
                0 => String::new(),
                files => format!(", {} damaged or foreign", plural(files, "file")),
            }
        )];
        if self.missing > 0 {
            let hosts: BTreeSet<_> = self.running.iter().map(|task| &task.host).collect();
            lines.push(match self.running.len() {
                0 => "none is being counted now".to_owned(),
                running => {
                    let hosts = plural(hosts.len(), "host");
                    format!("{running} being counted, or stopped just now, on {hosts}")
                }
            });
        }
        if !self.silent.is_empty() {
            let shards = self.silent.iter().map(|task| task.shard.to_string());
            let (silent, shards) = (self.silent.len(), shards.take(10).collect::<Vec<_>>());
            let shards = shards.join(", ");
            lines.push(format!(
                "{silent} begun but silent, perhaps killed: {shards}"
            ));
        }
        lines.extend(self.unusable.iter().take(10).cloned());
        if let (Some(per_hour), Some(left)) = (self.shards_per_hour, self.seconds_left) {
            let (rate, left) = (human::si(per_hour), human::whole_seconds(left));
            lines.push(format!("{rate} shards an hour, about {left} left"));
        }
        if sum.results > 0 {
            let time = human::seconds(sum.seconds);
            lines.push(format!("{}, {time} of task time", sum.origin()));
        }
        lines.join("\n  ")
    }
}
