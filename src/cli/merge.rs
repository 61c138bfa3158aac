//! `queens merge`: the total of all shards.

use std::collections::BTreeSet;

use crate::report::human;
use crate::store::{Merged, Shards};
use anyhow::Result;
use clap::{Args, ValueEnum};
use serde_json::json;

use super::folder::Folder;
use super::output::print;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    folder: Folder,

    /// Print the bare number and nothing else
    #[arg(long, short, conflicts_with = "format")]
    quiet: bool,

    /// Form of the result
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Form::Text)]
    format: Form,
}

/// The forms that a merged total can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    Text,
    Json,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let shards = arguments.folder.open()?;
    let merged = shards.merge()?;
    let text = if arguments.quiet {
        merged.solutions.to_string()
    } else {
        match arguments.format {
            Form::Text => as_text(&shards, &merged),
            Form::Json => as_json(&shards, &merged),
        }
    };
    print(text)
}

fn as_text(shards: &Shards, merged: &Merged) -> String {
    let Merged {
        solutions,
        check,
        results,
        ..
    } = merged;
    let seconds = results.iter().map(|result| result.seconds).sum();
    let hosts = match hosts(merged).len() {
        1 => "1 host".to_owned(),
        several => format!("{several} hosts"),
    };
    format!(
        "Q({}) = {}\n  {}\n  {} shards, {} subproblems, {} of task time on {hosts}\n  plan {}, kernels {}",
        shards.plan().board().n(),
        human::integer(*solutions),
        check,
        results.len(),
        human::integer(shards.plan().len() as u128),
        human::seconds(seconds),
        shards.plan().fingerprint(),
        Vec::from_iter(kernels(merged)).join(", ")
    )
}

fn hosts(merged: &Merged) -> BTreeSet<&str> {
    merged.results.iter().map(|result| &*result.host).collect()
}

fn kernels(merged: &Merged) -> BTreeSet<&str> {
    merged
        .results
        .iter()
        .map(|result| &*result.kernel)
        .collect()
}

fn as_json(shards: &Shards, merged: &Merged) -> String {
    let plan = shards.plan();
    let record = json!({
        "n": plan.board().n(),
        "solutions": merged.solutions.to_string(), // it can exceed the 2^53 of exact JSON numbers
        "check": merged.check.word(),
        "check_detail": merged.check.to_string(),
        "seconds": merged.results.iter().map(|result| result.seconds).sum::<f64>(),
        "engine": plan.engine(),
        "fingerprint": plan.fingerprint(),
        "shards": merged.results.len(),
        "subproblems": plan.len(),
        "hosts": hosts(merged),
        "kernels": kernels(merged),
        "version": env!("CARGO_PKG_VERSION"),
    });
    format!("{record:#}")
}
