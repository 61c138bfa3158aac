//! Reports on a folder of shards: its progress, and its total.

use serde::Serialize;

use super::count::Checks;
use super::document::{Prose, Report};
use crate::human::{self, integer, plural};
use crate::text;
use queens::store::{Merged, ShardStatus, Shards, Status};
use queens::{Engine, Plan};

/// Progress of a folder of shards.
#[derive(Debug, Serialize)]
pub(crate) struct StatusReport {
    n: u32,
    engine: Engine,
    plan: String,
    /// Shards by their state, and all of them.
    states: Vec<State>,
    missing: Vec<usize>,
    unusable: Vec<String>,
}

/// Shards in the same state.
#[derive(Debug, Serialize)]
struct State {
    state: &'static str,
    shards: usize,
    /// Number of subproblems that are counted.
    counted: usize,
    /// Sum of the wall times of their runs.
    seconds: f64,
}

/// Total of all shards.
#[derive(Debug, Serialize)]
pub(crate) struct MergeReport {
    #[serde(with = "text")]
    solutions: u128,
    checks: Checks,
    n: u32,
    engine: Engine,
    plan: String,
    subproblems: usize,
    shards: usize,
    /// Sum of the wall times of all shards.
    seconds: f64,
    version: &'static str,
}

impl StatusReport {
    pub(crate) fn new(shards: &Shards, status: &Status) -> Self {
        let state = |state, is_in: &dyn Fn(&ShardStatus) -> bool| {
            let found = status.shards.values().filter(|shard| is_in(shard));
            let seconds = found.clone().map(|shard| shard.elapsed.as_secs_f64()).sum::<f64>() + 0.0;
            let counted = found.clone().map(|shard| shard.counted).sum();
            State { state, shards: found.count(), counted, seconds }
        };
        let none = |state, shards| State { state, shards, counted: 0, seconds: 0.0 };
        let (started, unusable) = (status.shards.len(), status.unusable.len());
        Self {
            n: shards.plan().board().n(),
            engine: shards.plan().engine(),
            plan: shards.plan().id().to_string(),
            states: vec![
                state("complete", &ShardStatus::is_complete),
                state("started", &|shard| !shard.is_complete()),
                none("unusable", unusable),
                none("not started", shards.count() - started - unusable),
                State { shards: shards.count(), ..state("all", &|_| true) },
            ],
            missing: status.missing.clone(),
            unusable: status.unusable.iter().map(ToString::to_string).collect(),
        }
    }
}

impl Report for StatusReport {
    fn prose(&self, prose: &mut Prose) {
        prose.line(&self.plan);
        prose.table(self.states.iter().map(|state| {
            [
                ("state", state.state.to_owned()),
                ("shards", integer(state.shards as u128)),
                ("subproblems counted", integer(state.counted as u128)),
                ("time", human::seconds(state.seconds)),
            ]
        }));
        self.unusable.iter().take(10).for_each(|file| prose.item(file));
    }
}

impl MergeReport {
    /// Creates a report on all shards of a plan.
    pub(crate) fn new(plan: &Plan, merged: &Merged) -> Self {
        Self {
            solutions: merged.total,
            checks: Checks::new(&merged.check),
            n: plan.board().n(),
            engine: plan.engine(),
            plan: plan.id().to_string(),
            subproblems: plan.len(),
            shards: merged.shards,
            seconds: merged.elapsed.as_secs_f64(),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

impl Report for MergeReport {
    fn prose(&self, prose: &mut Prose) {
        let time = human::seconds(self.seconds);
        let subproblems = plural(self.subproblems, "subproblem");
        prose.line(format_args!("Q({}) = {}", self.n, integer(self.solutions)));
        prose.item(&self.checks.check_detail);
        let shards = plural(self.shards, "shard");
        prose.item(format_args!("{shards}, {subproblems}, {time} of task time"));
        prose.item(format_args!("{}", self.plan));
    }
}
