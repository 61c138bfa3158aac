//! What the files of a folder of shards hold: the plan, and the result of each shard.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::document::decimal;
use super::files;
use super::problem::Problem;
use crate::count::plan::{Fingerprint, PLAN_VERSION, Plan, Shard};
use crate::count::{DoubleCheck, ShardCount};
use crate::engine::Engine;
use crate::machine::Environment;

/// What is in `plan.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlanFile {
    pub(super) fingerprint: Fingerprint,
    pub(super) n: u32,
    pub(super) engine: Engine,
    pub(super) plan_version: u32,
    /// Number of shards.
    pub(super) shards: usize,
    /// Number of subproblems.
    pub(super) subproblems: usize,
}

impl PlanFile {
    pub(super) const KIND: &str = "plan";

    pub(super) fn new(plan: &Plan, shards: usize) -> Self {
        Self {
            fingerprint: plan.fingerprint(),
            n: plan.board().n(),
            engine: plan.engine(),
            plan_version: PLAN_VERSION,
            shards,
            subproblems: plan.len(),
        }
    }
}

impl fmt::Display for PlanFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (plan, shards) = (&self.fingerprint, self.shards);
        let number = self.subproblems;
        write!(f, "plan {plan} of {number} subproblems in {shards} shards")
    }
}

/// The result of one shard, as in its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ShardResult {
    /// The plan.
    pub fingerprint: Fingerprint,
    /// Number of the shard, from 0.
    pub shard: usize,
    /// Number of shards in all.
    pub shards: usize,
    /// Number of subproblems in the shard.
    pub subproblems: usize,
    /// Solutions, weights of symmetry included.
    #[serde(with = "decimal")]
    pub solutions: u128,
    /// What of it was counted twice; all of it agreed.
    pub double_check: Option<CountedTwice>,
    /// When it was done, in UTC: `2026-01-31T23:59:59Z`.
    pub date: String,
    /// Wall time of all of it.
    pub seconds: f64,
    /// Number of threads.
    pub threads: usize,
    /// Kernel.
    pub kernel: String,
    /// Machine.
    pub host: String,
    /// Its CPU's name.
    pub cpu: String,
    /// Version of the program.
    pub version: String,
}

/// What of a shard was counted twice: mirror images of subproblems, chosen at random.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CountedTwice {
    /// Number of subproblems.
    pub subproblems: usize,
    /// The kernel that counted the mirror images.
    pub kernel: String,
}

impl ShardResult {
    pub(super) const KIND: &str = "shard";

    /// The record of what was counted just now, on this machine.
    pub(super) fn new(plan: &Plan, shard: Shard, count: &ShardCount) -> Self {
        let twice = |check: &DoubleCheck| CountedTwice {
            subproblems: check.checked,
            kernel: check.second.to_string(),
        };
        let Environment {
            date, cpu, version, ..
        } = Environment::here();
        Self {
            fingerprint: plan.fingerprint(),
            shard: shard.index(),
            shards: shard.of(),
            subproblems: count.subproblems,
            solutions: count.solutions,
            double_check: count.double_check.as_ref().map(twice),
            date,
            seconds: count.elapsed.as_secs_f64(),
            threads: count.threads.count(),
            kernel: count.kernel.to_string(),
            host: files::host(),
            cpu,
            version,
        }
    }

    /// An error unless this is the result of this shard of `plan`.
    pub(super) fn check(&self, plan: &Plan, shard: Shard) -> Result<(), Problem> {
        let described = |index: usize, of: usize, plan: &Fingerprint| {
            format!("shard {index} of {of} of plan {plan}")
        };
        let found = described(self.shard, self.shards, &self.fingerprint);
        let expected = described(shard.index(), shard.of(), &plan.fingerprint());
        if found != expected {
            return Err(Problem::other(found, expected));
        }
        // A subproblem has fewer than 2^64 solutions. With fewer than 2^64 subproblems no sum of results overflows.
        let subproblems = plan.shard(shard).len();
        let most = subproblems as u128 * u128::from(u64::MAX);
        if self.subproblems != subproblems || self.solutions > most {
            let (of, solutions) = (self.subproblems, self.solutions);
            let reason = format!("{solutions} solutions in {of} subproblems of {subproblems}");
            return Err(Problem::Damaged(reason));
        }
        Ok(())
    }
}
