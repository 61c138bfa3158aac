//! `queens shards merge`: the total of all shards.

use crate::human;
use anyhow::Result;
use clap::Args;
use queens::Plan;
use queens::store::Merged;
use serde_json::json;

use super::{Folder, Form, Sum};
use crate::commands::output::print;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    folder: Folder,

    /// Print the bare number and nothing else
    #[arg(long, short, conflicts_with = "format")]
    quiet: bool,

    /// Form of the result
    #[arg(long, short, value_name = "FORMAT", value_enum, default_value_t = Form::Text)]
    format: Form,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let shards = arguments.folder.open()?;
    let merged = shards.merge()?;
    print(match (arguments.quiet, arguments.format) {
        (true, _) => merged.total.to_string(),
        (false, Form::Text) => as_text(shards.plan(), &merged),
        (false, Form::Json) => as_json(shards.plan(), &merged),
    })
}

fn as_text(plan: &Plan, merged: &Merged) -> String {
    let sum = Sum::of(plan, &merged.shards);
    let names = |names: Vec<&String>| names.into_iter().cloned().collect::<Vec<_>>().join(", ");
    format!(
        "Q({}) = {}\n  {}\n  merged from {}\n  {}, {} of task time\n  plan {}, kernels {}",
        plan.board().n(),
        human::integer(merged.total),
        merged.check,
        sum.origin(),
        human::plural(plan.len(), "subproblem"),
        human::seconds(sum.seconds),
        plan.fingerprint(),
        names(sum.kernels.keys().collect())
    )
}

fn as_json(plan: &Plan, merged: &Merged) -> String {
    let mut record = json!(Sum::of(plan, &merged.shards));
    record["solutions"] = merged.total.to_string().into(); // it can exceed the 2^53 of exact JSON numbers
    record["checks"] =
        json!({ "check": merged.check.label(), "check_detail": merged.check.to_string() });
    format!("{record:#}")
}
