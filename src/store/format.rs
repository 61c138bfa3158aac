//! The form of a ledger's file: a line of JSON for each thing that is to be known, with its checksum behind it.
//!
//! ```text
//! {"begin":{"format":3,"plan":{"version":5,"n":8,"torus":false,...},"shard":0,"of":1,"date":...}} 5c0ad21f...
//! {"counts":[12345,[[0,4],[1,8],[17,4]]]} 1f6d20c9...
//! {"done":{"subproblems":21,"solutions":92,...}} 77e0a412...
//! ```
//!
//! `begin` has the identity of the plan, the shard, and who writes what follows; the whole plan is shard 0 of 1.
//! `counts` has microseconds of counting so far, then subproblems by their indices in the plan, each with what it
//! contributes, weights of symmetry included. `done` records that all are done, and their sum.
//!
//! The checksum is 128 bits of the SHA-256 of plan and shard, the offset of the line in the file, and the line. Lines
//! of other files, and lines that were repeated or moved, are therefore damaged lines. It is no defence against anyone
//! who recomputes it.
//!
//! The checksum of `begin` is that of the plan and shard it names, which are then compared in full. So a file with an
//! intact `begin` of another plan is refused by name, wherever in the file it is.

use std::collections::BTreeMap;
use std::io::{BufRead, Read};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::problem::{FORMAT, Problem};
use crate::count::plan::digest;
use crate::count::{DoubleCheck, Plan, PlanId, Shard};
use crate::engine::CancelToken;
use crate::machine::Environment;

/// More bytes than a line has, be it a `begin` that names every square of the largest board.
const LONGEST: usize = 1 << 14;

/// What a line says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Line {
    Begin(Begin),
    Counts(u64, Vec<(usize, u64)>),
    Done(Completion),
}

/// What a ledger is of, and who writes the lines that follow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Begin {
    /// Version of the form of file.
    pub format: u64,
    /// Identity of the plan.
    pub plan: PlanId,
    /// Number of the shard, from 0.
    pub shard: usize,
    /// Number of shards.
    pub of: usize,
    /// When, in UTC: `2026-01-31T23:59:59Z`.
    pub date: String,
    /// The machine.
    pub host: String,
    /// The machine's CPU.
    pub cpu: String,
    /// Version of the program.
    pub version: String,
}

/// What a finished ledger says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Completion {
    /// Number of subproblems.
    pub subproblems: usize,
    /// The sum of what they contribute, weights of symmetry included.
    pub solutions: u128,
    /// When it was done, in UTC.
    pub date: String,
    /// Wall time of all runs together, what was counted twice included.
    pub seconds: f64,
    /// Number of threads, of the last run.
    pub threads: usize,
    /// Kernel, of the last run.
    pub kernel: String,
    /// What of it was counted twice; all of it agreed.
    pub double_check: Option<DoubleCheck>,
}

impl Completion {
    /// An error if it has values that no count leaves.
    fn check(&self) -> Result<(), Problem> {
        let checked = self.double_check.as_ref().map_or(0, |check| check.checked);
        if checked > self.subproblems {
            let (of, reason) = (
                self.subproblems,
                "subproblems are recorded as counted twice",
            );
            return Err(Problem::damaged(format!("{checked} of {of} {reason}")));
        }
        if !(self.seconds >= 0.0 && self.seconds.is_finite()) {
            let seconds = self.seconds;
            return Err(Problem::damaged(format!("it records {seconds} seconds")));
        }
        Ok(())
    }
}

/// The ledger of one shard of a plan, as a form of file.
#[derive(Debug, Clone)]
pub(super) struct Form {
    pub(super) plan: Plan,
    pub(super) shard: Shard,
    /// What it is the ledger of, in words.
    pub(super) name: String,
}

/// What is in a file.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// What each subproblem contributes, by its place in the plan.
    pub(super) counts: BTreeMap<usize, u64>,
    /// Counting time of all runs up to the last count.
    pub(super) elapsed: Duration,
    /// Whoever wrote last.
    pub(super) begin: Option<Begin>,
    /// What it says of itself since it was done; but damage may have taken something away since.
    pub(super) completion: Option<Completion>,
    /// Number of lines that are not whole.
    pub(super) damaged: usize,
    /// Where the next line goes: behind the last one that has an end.
    pub(super) end: u64,
}

impl Contents {
    pub(super) fn sum(&self) -> u128 {
        self.counts.values().map(|&count| u128::from(count)).sum()
    }
}

impl Form {
    pub(super) fn new(plan: &Plan, shard: Shard) -> Self {
        let name = name(plan.id(), shard.index(), shard.of());
        let plan = plan.clone();
        Self { plan, shard, name }
    }

    /// Number of subproblems.
    pub(super) fn len(&self) -> usize {
        self.plan.shard(self.shard).len()
    }

    /// Whether a file says that all is done, and all is there.
    pub(super) fn is_done(&self, contents: &Contents) -> bool {
        contents.completion.is_some() && contents.counts.len() == self.len()
    }

    /// Whether a subproblem is one of these.
    pub(super) fn contains(&self, index: usize) -> bool {
        self.plan.is_in(self.shard, index)
    }

    /// The line with which this process begins to write.
    pub(super) fn begin(&self) -> Line {
        let Environment {
            date, cpu, version, ..
        } = Environment::here();
        Line::Begin(Begin {
            format: FORMAT,
            plan: self.plan.id().clone(),
            shard: self.shard.index(),
            of: self.shard.of(),
            date,
            host: sysinfo::System::host_name().unwrap_or_else(|| "unknown".to_owned()),
            cpu,
            version,
        })
    }

    /// These lines, to be put at this place of the file.
    pub(super) fn seal(&self, offset: u64, lines: impl IntoIterator<Item = Line>) -> String {
        let mut text = String::new();
        for line in lines {
            let json = serde_json::to_string(&line).expect("numbers, texts and lists of them");
            let seal = checksum(&self.name, offset + text.len() as u64, &json);
            text += &format!("{json} {seal}\n");
        }
        text
    }

    /// Number of bytes that no ledger of this plan and shard exceeds, however often it was resumed.
    pub(super) fn most(&self) -> u64 {
        (1 << 30) + 128 * self.len() as u64
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// [`Problem`], if nothing in it is of this plan and shard, or what is whole contradicts itself or the plan; or if
    /// it was cancelled.
    pub(super) fn read(
        &self,
        mut input: impl BufRead,
        cancel: &CancelToken,
    ) -> Result<Contents, Problem> {
        let first = input.fill_buf()?.to_vec();
        let mut contents = Contents::default();
        let (mut is_ours, mut completions) = (false, Vec::new());
        let (mut offset, mut bytes) = (0, Vec::new());
        while input
            .by_ref()
            .take(LONGEST as u64)
            .read_until(b'\n', &mut bytes)?
            > 0
        {
            // What is shorter is read at once.
            if offset > 1 << 20 && cancel.is_cancelled() {
                return Err(Problem::Cancelled);
            }
            let line = self.line(offset, &bytes)?;
            is_ours |= line.is_some();
            offset += bytes.len() as u64;
            if bytes.ends_with(b"\n") {
                contents.end = offset;
                contents.damaged += usize::from(line.is_none());
            }
            match line {
                Some(Line::Begin(begin)) => contents.begin = Some(begin),
                Some(Line::Counts(microseconds, counts)) => {
                    contents.elapsed = contents.elapsed.max(Duration::from_micros(microseconds));
                    counts
                        .into_iter()
                        .try_for_each(|(index, count)| self.enter(&mut contents, index, count))?;
                }
                Some(Line::Done(completion)) => {
                    completion.check()?;
                    completions.push(completion);
                }
                None => {}
            }
            bytes.clear();
        }
        if !is_ours && !first.is_empty() {
            return Err(self.refusal(&first));
        }
        let came_to = (contents.counts.len(), contents.sum());
        let mut said = completions
            .iter()
            .map(|done| (done.subproblems, done.solutions));
        if let Some(said) = said.find(|&said| said != came_to)
            && came_to.0 == self.len()
        {
            let reason = format!("its counts add up to {came_to:?}, but it records {said:?}");
            return Err(Problem::Damaged(reason));
        }
        contents.completion = completions.pop();
        Ok(contents)
    }

    /// Enters a count, unless there is another.
    fn enter(&self, contents: &mut Contents, index: usize, count: u64) -> Result<(), Problem> {
        let other = contents.counts.insert(index, count);
        if !self.contains(index) {
            let reason = format!("subproblem {index} is not in {}", self.name);
            Err(Problem::Damaged(reason))
        } else if let Some(other) = other.filter(|&other| other != count) {
            let reason = format!("subproblem {index} has two counts, {other} and {count}");
            Err(Problem::Damaged(reason))
        } else {
            Ok(())
        }
    }

    /// The record of a line, if the line is intact.
    ///
    /// # Errors
    ///
    /// Those of [`expect`](Self::expect).
    fn line(&self, offset: u64, bytes: &[u8]) -> Result<Option<Line>, Problem> {
        let line = std::str::from_utf8(bytes).unwrap_or_default();
        let line = line
            .strip_suffix('\n')
            .and_then(|line| line.rsplit_once(' '));
        let Some((json, found)) = line else {
            return Ok(None);
        };
        let line = serde_json::from_str(json).ok();
        let is_intact = |name: &str| found == checksum(name, offset, json);
        if let Some(Line::Begin(begin)) = &line {
            let is_intact = is_intact(&name(&begin.plan, begin.shard, begin.of));
            is_intact.then(|| self.expect(begin)).transpose()?;
            return Ok(line.filter(|_| is_intact));
        }
        Ok(line.filter(|_| is_intact(&self.name)))
    }

    /// Compares what a file is of with this plan and shard, in full.
    ///
    /// # Errors
    ///
    /// [`Problem::Version`] or [`Problem::Other`], with the first difference.
    fn expect(&self, begin: &Begin) -> Result<(), Problem> {
        let found = (begin.shard, begin.of);
        let expected = (self.shard.index(), self.shard.of());
        if begin.format != FORMAT {
            Err(Problem::Version(begin.format))
        } else if begin.plan != *self.plan.id() {
            Err(Problem::other(begin.plan.difference(self.plan.id())))
        } else if found != expected {
            let name = |(shard, of)| format!("shard {shard} of {of}");
            Err(Problem::other([found, expected].map(name)))
        } else {
            Ok(())
        }
    }

    /// Why a file that begins with these bytes, and has no line that is intact, is refused.
    fn refusal(&self, bytes: &[u8]) -> Problem {
        let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<Value>();
        let first = values.next().and_then(Result::ok).unwrap_or_default();
        let begin = first.get("begin").unwrap_or(&Value::Null);
        let format = begin.get("format").or(first.get("format"));
        let begin = serde_json::from_value(begin.clone());
        match (format.and_then(Value::as_u64), begin) {
            (Some(format), _) if format != FORMAT => Problem::Version(format),
            (_, Ok(begin)) => match self.expect(&begin) {
                Ok(()) => Problem::damaged("none of its lines is intact"),
                Err(problem) => problem,
            },
            _ => Problem::Foreign("ledger"),
        }
    }
}

/// Plan and shard in words, which every checksum covers.
fn name(plan: &PlanId, shard: usize, of: usize) -> String {
    format!("plan {}, shard {shard} of {of}", plan.fingerprint())
}

/// The checksum of a line at an offset of a ledger.
pub(super) fn checksum(name: &str, offset: u64, json: &str) -> String {
    digest(&format!("{name}, offset {offset}\n{json}"))
}
