//! `queens merge`: the total of all shards.

use std::collections::BTreeSet;

use crate::Plan;
use crate::human;
use crate::store::{Merged, ShardResult};
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
    print(match (arguments.quiet, arguments.format) {
        (true, _) => merged.solutions.to_string(),
        (false, Form::Text) => as_text(shards.plan(), &merged),
        (false, Form::Json) => as_json(shards.plan(), &merged),
    })
}

fn as_text(plan: &Plan, merged: &Merged) -> String {
    let seconds = merged.results.iter().map(|result| result.seconds).sum();
    format!(
        "Q({}) = {}\n  {}\n  {} shards, {} subproblems, {} of task time on {}\n  plan {}, kernels {}",
        plan.board().n(),
        human::integer(merged.solutions),
        merged.check,
        merged.results.len(),
        human::integer(plan.len() as u128),
        human::seconds(seconds),
        human::plural(different(merged, |result| &result.host).len(), "host"),
        plan.fingerprint(),
        different(merged, |result| &result.kernel).join(", ")
    )
}

fn as_json(plan: &Plan, merged: &Merged) -> String {
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
        "hosts": different(merged, |result| &result.host),
        "kernels": different(merged, |result| &result.kernel),
        "version": env!("CARGO_PKG_VERSION"),
    });
    format!("{record:#}")
}

/// The different names in the results, in order.
fn different(merged: &Merged, name: fn(&ShardResult) -> &String) -> Vec<&str> {
    let names: BTreeSet<_> = merged
        .results
        .iter()
        .map(|result| &**name(result))
        .collect();
    names.into_iter().collect()
}
