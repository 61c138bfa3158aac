//! `queens shards status`: how far a folder of shards is.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::time::Duration;

use crate::human::{self, integer, plural};
use anyhow::Result;
use clap::Args;
use queens::Plan;
use queens::store::{Begun, Shards, Status};
use serde_json::json;

use super::{Folder, Form, Sum};
use crate::commands::checkpoint::warn;
use crate::commands::options::seconds;
use crate::commands::output::{Output, print};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    folder: Folder,

    /// List the shards that are not done instead, one a line
    #[arg(long, conflicts_with_all = ["watch", "format"])]
    missing: bool,

    /// Print the status every this many seconds, until all shards are done
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "10", value_parser = seconds)]
    watch: Option<Duration>,

    /// Form of the status
    #[arg(long, short, value_name = "FORMAT", value_enum, default_value_t = Form::Text)]
    format: Form,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let shards = arguments.folder.open_to_count()?;
    let mut status = shards.status();
    if arguments.missing {
        return list_missing(&status);
    }
    loop {
        let found = Found::of(shards.plan(), &status);
        print(match arguments.format {
            Form::Text => found.as_text(&shards),
            Form::Json => found.as_json(&shards),
        })?;
        match arguments.watch {
            Some(every) if !status.missing.is_empty() => std::thread::sleep(every),
            _ => return Ok(()),
        }
        shards.update(&mut status);
    }
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

/// A status, and what follows from it.
struct Found<'a> {
    status: &'a Status,
    sum: Sum,
    /// Tasks that are at work, and those that fell silent.
    running: Vec<&'a Begun>,
    silent: Vec<&'a Begun>,
    /// Shards done in an hour by as many tasks as are at work now; `None` where nothing is done or at work.
    per_hour: Option<f64>,
}

impl<'a> Found<'a> {
    fn of(plan: &Plan, status: &'a Status) -> Self {
        let (running, silent): (Vec<_>, Vec<_>) =
            status.begun.iter().partition(|begun| begun.is_alive());
        let sum = Sum::of(plan, &status.done);
        let is_known = !running.is_empty() && sum.seconds > 0.0;
        let mean = sum.seconds / sum.results as f64;
        Self {
            per_hour: is_known.then(|| running.len() as f64 * 3600.0 / mean),
            status,
            sum,
            running,
            silent,
        }
    }

    /// Seconds until all is done, if as many tasks go on; those at work are half done on average.
    fn left(&self) -> Option<f64> {
        let missing = self.status.missing.len() as f64 - self.running.len() as f64 / 2.0;
        Some(missing.max(0.0) * 3600.0 / self.per_hour?)
    }

    fn as_text(&self, shards: &Shards) -> String {
        let (done, missing) = (&self.sum, &self.status.missing);
        let all = shards.count();
        let number = |number: usize| integer(number as u128);
        let mut text = format!(
            "plan {}: {} of {} shards done ({}), {} missing{}",
            shards.plan().fingerprint(),
            number(done.results),
            number(all),
            human::percent(done.results as f64 / all as f64),
            number(missing.len()),
            match self.status.unusable.len() {
                0 => String::new(),
                files => format!(", {} damaged or foreign", plural(files, "file")),
            }
        );
        let mut item = |line: String| {
            let _ = write!(text, "\n  {line}"); // which cannot fail
        };
        if !missing.is_empty() {
            let hosts: BTreeSet<_> = self.running.iter().map(|begun| host(begun)).collect();
            item(match self.running.len() {
                0 => "none is being counted now".to_owned(),
                running => format!("{running} being counted on {}", plural(hosts.len(), "host")),
            });
        }
        if !self.silent.is_empty() {
            let shards = self.silent.iter().map(|begun| begun.shard.to_string());
            let shards: Vec<_> = shards.take(10).collect();
            let (number, shards) = (self.silent.len(), shards.join(", "));
            item(format!(
                "{number} begun but silent, perhaps killed: {shards}"
            ));
        }
        for wrong in self.status.unusable.iter().take(10) {
            item(format!("{wrong}"));
        }
        if let (Some(per_hour), Some(left)) = (self.per_hour, self.left()) {
            let (rate, left) = (human::si(per_hour), human::whole_seconds(left));
            item(format!("{rate} shards an hour, about {left} left"));
        }
        if done.results > 0 {
            let time = human::seconds(done.seconds);
            let counted = self.status.done.iter();
            let counted = counted.map(|done| done.completion.subproblems).sum();
            item(format!("{}, {time} of task time", done.origin(counted)));
            for (what, names) in [
                ("hosts", &done.hosts),
                ("CPUs", &done.cpus),
                ("kernels", &done.kernels),
            ] {
                item(format!("{what}: {}", most_frequent(names)));
            }
        }
        text
    }

    fn as_json(&self, shards: &Shards) -> String {
        let begun = |list: &[&Begun]| -> Vec<_> {
            let fields = |begun: &&Begun| {
                let silent = begun.silent.as_secs();
                json!({ "shard": begun.shard, "host": host(begun), "silent_seconds": silent })
            };
            list.iter().map(fields).collect()
        };
        let mut record = json!(self.sum);
        record["shards"] = shards.count().into();
        record["missing"] = self.status.missing.len().into();
        let unusable = self.status.unusable.iter().map(ToString::to_string);
        record["unusable"] = unusable.collect();
        record["running"] = begun(&self.running).into();
        record["silent"] = begun(&self.silent).into();
        record["shards_per_hour"] = self.per_hour.into();
        record["seconds_left"] = self.left().into();
        format!("{record:#}")
    }
}

/// The machine that counts a shard, or did.
fn host(begun: &Begun) -> &str {
    begun.by.as_ref().map_or("unknown", |by| &by.host)
}

/// The names that most results have, with their numbers.
fn most_frequent(names: &BTreeMap<String, usize>) -> String {
    let mut names: Vec<_> = names.iter().collect();
    names.sort_by_key(|&(_, number)| std::cmp::Reverse(number));
    let mut texts: Vec<_> = names
        .iter()
        .take(5)
        .map(|(name, number)| format!("{name} ({number})"))
        .collect();
    if names.len() > texts.len() {
        texts.push(format!("{} more", names.len() - texts.len()));
    }
    texts.join(", ")
}
