//! Reports on a folder of shards: its progress, and its total.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Value, json};

use super::count::Checks;
use super::document::{Prose, Report, text};
use crate::human::{self, integer, plural};
use queens::store::{Completion, Done, Merged, Shards, Status};
use queens::{Engine, Plan};

/// Progress of a folder of shards.
#[derive(Debug, Serialize)]
pub(crate) struct StatusReport {
    #[serde(flatten)]
    summary: Summary,
    shards: usize,
    missing: usize,
    /// Rate of the running tasks; `None` if no shard is done or none is running.
    shards_per_hour: Option<f64>,
    /// Time in seconds until all shards are done, with the current number of tasks.
    seconds_left: Option<f64>,
    unusable: Vec<String>,
    running: Vec<Task>,
    /// Tasks that no longer write to their ledgers.
    silent: Vec<Task>,
}

/// Fields that CSV omits: numbers by name, and predictions. It omits lists, too.
const ONLY_IN_JSON: [&str; 6] =
    ["hosts", "cpus", "kernels", "counted_twice", "shards_per_hour", "seconds_left"];

/// Returns the fields of a report in CSV.
fn in_table(report: &impl Report) -> Value {
    let mut fields = report.json();
    if let Value::Object(fields) = &mut fields {
        fields.retain(|name, _| !ONLY_IN_JSON.contains(&name.as_str()));
    }
    fields
}

/// Total of all shards.
#[derive(Debug, Serialize)]
pub struct MergeReport {
    #[serde(with = "text")]
    solutions: u128,
    checks: Checks,
    #[serde(flatten)]
    summary: Summary,
}

/// Plan, and summary of the shards that are done.
#[derive(Debug, Serialize)]
struct Summary {
    n: u32,
    engine: Engine,
    fingerprint: String,
    subproblems: usize,
    /// Number of subproblems in the shards that are done.
    counted: usize,
    /// Number of shards that are done.
    results: usize,
    /// Sum of the wall times of the shards that are done.
    seconds: f64,
    /// The same sum, with each wall time multiplied by the number of threads.
    thread_seconds: f64,
    /// Latest completion time of a shard, in UTC.
    latest: Option<String>,
    version: &'static str,
    /// Numbers of shards by host, by CPU and by kernel.
    hosts: BTreeMap<String, usize>,
    cpus: BTreeMap<String, usize>,
    kernels: BTreeMap<String, usize>,
    /// Number of subproblems that were double-checked, by kernel. All of their counts agreed.
    counted_twice: BTreeMap<String, usize>,
}

/// A shard that has been started.
#[derive(Debug, Serialize)]
struct Task {
    shard: usize,
    host: String,
    silent_seconds: u64,
}

impl Summary {
    fn new(plan: &Plan, shards: &[Done]) -> Self {
        let by = |name: fn(&Done) -> Option<&String>| {
            let mut names = BTreeMap::new();
            for shard in shards {
                let name = name(shard).map_or("unknown", |name| name);
                *names.entry(name.to_owned()).or_default() += 1;
            }
            names
        };
        let completions = || shards.iter().map(|shard| &shard.completion);
        // The sum over no shards would be -0.0.
        let sum = |seconds: fn(&Completion) -> f64| completions().map(seconds).sum::<f64>() + 0.0;
        let mut counted_twice = BTreeMap::new();
        for check in completions().filter_map(|done| done.double_check.as_ref()) {
            *counted_twice.entry(check.second.to_string()).or_default() += check.checked;
        }
        Self {
            n: plan.board().n(),
            engine: plan.engine(),
            fingerprint: plan.id().fingerprint(),
            subproblems: plan.len(),
            counted: completions().map(|done| done.subproblems).sum(),
            results: shards.len(),
            seconds: sum(|done| done.seconds),
            thread_seconds: sum(|done| done.seconds * done.threads as f64),
            latest: completions().map(|done| done.date.clone()).max(),
            version: env!("CARGO_PKG_VERSION"),
            hosts: by(|shard| Some(&shard.by.as_ref()?.host)),
            cpus: by(|shard| Some(&shard.by.as_ref()?.cpu)),
            kernels: by(|shard| Some(&shard.completion.kernel)),
            counted_twice,
        }
    }

    /// Describes where the counts come from and how many were double-checked.
    fn origin(&self) -> String {
        let results = plural(self.results, "result");
        let hosts = plural(self.hosts.len(), "host");
        let twice = self.counted_twice.iter().map(|(kernel, &number)| {
            let part = human::percent(number as f64 / self.counted.max(1) as f64);
            format!(
                ", {part} of the subproblems counted twice, as mirror images with kernel {kernel}"
            )
        });
        format!("{results} from {hosts}{}", twice.collect::<String>())
    }
}

impl StatusReport {
    pub(crate) fn new(shards: &Shards, status: &Status) -> Self {
        let [running, silent] = [true, false].map(|is_alive| -> Vec<_> {
            let begun = status.begun.iter().filter(|begun| begun.is_alive() == is_alive);
            let task = begun.map(|begun| Task {
                shard: begun.shard,
                host: begun.by.as_ref().map_or("unknown", |by| &by.host).to_owned(),
                silent_seconds: begun.silent.as_secs(),
            });
            task.collect()
        });
        let summary = Summary::new(shards.plan(), &status.done);
        let (missing, working) = (status.missing.len(), running.len() as f64);
        let mean = summary.seconds / summary.results as f64;
        let mean = Some(mean).filter(|&mean| working > 0.0 && mean > 0.0);
        // On average, running shards are half done.
        let left = (missing as f64 - working / 2.0).max(0.0);
        Self {
            summary,
            shards: shards.count(),
            missing,
            shards_per_hour: mean.map(|mean| working * 3600.0 / mean),
            seconds_left: mean.map(|mean| left * mean / working),
            unusable: status.unusable.iter().map(ToString::to_string).collect(),
            running,
            silent,
        }
    }
}

impl Report for StatusReport {
    fn json(&self) -> Value {
        json!(self)
    }

    fn csv(&self) -> Vec<Value> {
        vec![in_table(self)]
    }

    fn prose(&self, prose: &mut Prose) {
        let work = &self.summary;
        let number = |number: usize| integer(number as u128);
        prose.line(format_args!(
            "plan {}: {} of {} shards done ({}), {} missing{}",
            work.fingerprint,
            number(work.results),
            number(self.shards),
            human::percent(work.results as f64 / self.shards as f64),
            number(self.missing),
            match self.unusable.len() {
                0 => String::new(),
                files => format!(", {} damaged or foreign", plural(files, "file")),
            }
        ));
        if self.missing > 0 {
            let hosts: BTreeSet<_> = self.running.iter().map(|task| &task.host).collect();
            let hosts = plural(hosts.len(), "host");
            prose.item(match self.running.len() {
                0 => "no shard is running".to_owned(),
                running => {
                    format!("{} running, or stopped just now, on {hosts}", number(running))
                }
            });
        }
        if !self.silent.is_empty() {
            let shards = self.silent.iter().take(10).map(|task| task.shard.to_string());
            prose.item(format_args!(
                "{} started but no longer writing, possibly killed: {}",
                number(self.silent.len()),
                Vec::from_iter(shards).join(", ")
            ));
        }
        self.unusable.iter().take(10).for_each(|file| prose.item(file));
        if let (Some(per_hour), Some(left)) = (self.shards_per_hour, self.seconds_left) {
            let (rate, left) = (human::si(per_hour), human::whole_seconds(left));
            prose.item(format_args!("{rate} shards per hour, about {left} left"));
        }
        if work.results > 0 {
            let (origin, time) = (self.summary.origin(), human::seconds(work.seconds));
            prose.item(format_args!("{origin}, {time} of task time"));
        }
    }
}

impl MergeReport {
    /// Creates a report on all shards of a plan.
    #[must_use]
    pub fn new(plan: &Plan, merged: &Merged) -> Self {
        Self {
            solutions: merged.total,
            checks: Checks::new(&merged.check),
            summary: Summary::new(plan, &merged.shards),
        }
    }
}

impl Report for MergeReport {
    fn json(&self) -> Value {
        json!(self)
    }

    fn csv(&self) -> Vec<Value> {
        vec![in_table(self)]
    }

    fn prose(&self, prose: &mut Prose) {
        let work = &self.summary;
        let kernels = Vec::from_iter(self.summary.kernels.keys().map(String::as_str)).join(", ");
        let subproblems = plural(work.subproblems, "subproblem");
        let time = human::seconds(work.seconds);
        prose.total(&format!("Q({}) = ", work.n), self.solutions, "");
        prose.verdict(&self.checks.check_detail);
        prose.item(format_args!("merged {}", self.summary.origin()));
        prose.item(format_args!("{subproblems}, {time} of task time"));
        prose.item(format_args!("plan {}, kernels {kernels}", work.fingerprint));
    }
}
