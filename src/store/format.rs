//! File format of ledgers. Each line is a JSON value, followed by a checksum.
//!
//! ```text
//! {"begin":{"format":3,"plan":{"version":6,"n":8,"torus":false,...},"shard":0,"of":1,"date":...}} 5c0ad21f...
//! {"counts":[12345,[[0,4],[1,8],[17,4]]]} 1f6d20c9...
//! {"done":{"subproblems":21,"solutions":92,...}} 77e0a412...
//! ```
//!
//! - `begin` identifies the plan, the shard and the process that wrote the next lines. A whole plan
//!   is shard 0 of 1.
//! - `counts` contains the counting time so far in microseconds, followed by the indices of
//!   subproblems with their results. Results include symmetry weights.
//! - `done` marks the ledger as complete and contains the sum of all results.
//!
//! The checksum is the first 128 bits of the SHA-256 hash of the plan, the shard, the offset of the
//! line and its JSON. Lines that were repeated, moved or copied from another file are therefore
//! treated as damaged. The checksum does not protect against deliberate changes.
//!
//! The checksum of a `begin` line covers the plan and shard that the line names, which are then
//! compared in full with the expected ones. A file with an intact `begin` line for another plan is
//! therefore always rejected, and the error names the difference.

use std::io::{BufRead, Read};
use std::iter;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::problem::{FORMAT, Problem};
use crate::count::plan::digest;
use crate::count::{DoubleCheck, Ledger, Method, Plan, PlanId, Shard};
use crate::engine::CancelToken;
use crate::machine::{cpu_name, host_name, now};

/// Maximum length of a line in bytes. It allows for a `begin` line that lists every square of the
/// largest board.
const MAX_LINE: u64 = 1 << 14;

/// One line of a ledger, without its checksum.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Line {
    Begin(Header),
    Counts(u64, Vec<(usize, u64)>),
    Done(Completion),
}

/// Header of a ledger. It identifies the plan, the shard, and the process that wrote the following
/// lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Header {
    /// Version of the file format.
    pub format: u64,
    /// Identity of the plan.
    pub plan: PlanId,
    /// Zero-based shard number.
    pub shard: usize,
    /// Number of shards.
    pub of: usize,
    /// Date and time in UTC, such as `2026-01-31T23:59:59Z`.
    pub date: String,
    /// Name of the machine.
    pub host: String,
    /// Name of the machine's CPU.
    pub cpu: String,
    /// Version of the program.
    pub version: String,
}

/// Completion record of a ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Completion {
    /// Number of subproblems.
    pub subproblems: usize,
    /// Sum of their results, including symmetry weights.
    pub solutions: u128,
    /// Date and time of completion in UTC.
    pub date: String,
    /// Wall time of all runs in seconds, including the double check.
    pub seconds: f64,
    /// Number of threads in the last run.
    pub threads: usize,
    /// Kernel of the last run.
    pub kernel: String,
    /// Result of the double check, if one was requested.
    pub double_check: Option<DoubleCheck>,
}

impl Completion {
    /// Creates the completion record of a complete ledger.
    pub(super) fn new(
        ledger: &Ledger,
        elapsed: Duration,
        method: &Method,
        double_check: Option<&DoubleCheck>,
    ) -> Self {
        Self {
            subproblems: ledger.done(),
            solutions: ledger.sum(),
            date: now(),
            seconds: elapsed.as_secs_f64(),
            threads: method.threads.count(),
            kernel: method.kernel.to_string(),
            double_check: double_check.cloned(),
        }
    }

    /// Rejects values that no count can produce.
    fn validate(&self) -> Result<(), Problem> {
        let checked = self.double_check.as_ref().map_or(0, |check| check.checked);
        let (subproblems, seconds) = (self.subproblems, self.seconds);
        if checked > subproblems {
            return Err(Problem::damaged(format!(
                "it records {checked} of {subproblems} subproblems as counted twice"
            )));
        }
        if !(seconds >= 0.0 && seconds.is_finite()) {
            return Err(Problem::damaged(format!("it records {seconds} seconds")));
        }
        Ok(())
    }
}

/// Encoder and decoder for the ledger of one shard.
#[derive(Debug, Clone)]
pub(super) struct Codec {
    /// Ledger without results.
    empty: Ledger,
    /// Name of the plan and shard. Every checksum covers this name.
    pub(super) name: String,
}

/// Contents of a ledger file.
#[derive(Debug)]
pub(super) struct Contents {
    /// Results, and the counting time of all runs.
    pub(super) ledger: Ledger,
    /// Headers that are followed by results, and the last header.
    pub(super) headers: Vec<Header>,
    /// Completion records. Some counts may have been damaged since they were written.
    pub(super) completions: Vec<Completion>,
    /// Number of damaged lines.
    pub(super) damaged: usize,
    /// Offset of the end of the last line that is terminated by a newline.
    pub(super) end: u64,
}

impl Contents {
    /// Whether the ledger has a completion record and all counts.
    pub(super) fn is_complete(&self) -> bool {
        !self.completions.is_empty() && self.ledger.is_complete()
    }
}

impl Codec {
    pub(super) fn new(plan: &Plan, shard: Shard) -> Self {
        let name = name(plan.id(), shard.index(), shard.of());
        Self { empty: Ledger::of_shard(plan, shard), name }
    }

    /// Returns the header for lines written by this process.
    pub(super) fn header(&self) -> Line {
        Line::Begin(Header {
            format: FORMAT,
            plan: self.empty.plan().clone(),
            shard: self.empty.shard().index(),
            of: self.empty.shard().of(),
            date: now(),
            host: host_name(),
            cpu: cpu_name(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }

    /// Returns lines with the given counts, followed by the completion record if there is one.
    pub(super) fn lines(
        elapsed: Duration,
        mut counts: impl Iterator<Item = (usize, u64)>,
        completion: Option<Completion>,
    ) -> impl Iterator<Item = Line> {
        /// Maximum number of results in a line. One damaged byte invalidates the whole line.
        const CHUNK: usize = 64;
        let elapsed = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
        let chunks = iter::from_fn(move || {
            let chunk: Vec<_> = counts.by_ref().take(CHUNK).collect();
            (!chunk.is_empty()).then_some(Line::Counts(elapsed, chunk))
        });
        chunks.chain(completion.map(Line::Done))
    }

    /// Encodes lines to be written at the given offset in the file.
    pub(super) fn encode(&self, offset: u64, lines: impl IntoIterator<Item = Line>) -> String {
        let mut text = String::new();
        for line in lines {
            let json = serde_json::to_string(&line).expect("serializable");
            let checksum = checksum(&self.name, offset + text.len() as u64, &json);
            text += &format!("{json} {checksum}\n");
        }
        text
    }

    /// Returns an upper bound on the file's size in bytes, allowing for a count that is resumed
    /// many times.
    pub(super) fn max_len(&self) -> u64 {
        (1 << 30) + 128 * self.empty.len() as u64
    }

    /// Reads a ledger. Damaged lines are skipped and counted. Returns an error if the file belongs
    /// to another plan or shard, if intact lines contradict each other or the plan, if all lines
    /// are damaged, or if the operation is cancelled.
    pub(super) fn read(
        &self,
        mut input: impl BufRead,
        cancel: &CancelToken,
    ) -> Result<Contents, Problem> {
        let start = input.fill_buf()?.to_vec();
        let mut contents = Contents {
            ledger: self.empty.clone(),
            headers: Vec::new(),
            completions: Vec::new(),
            damaged: 0,
            end: 0,
        };
        let (mut is_ours, mut elapsed, mut done) = (false, 0, 0);
        let (mut offset, mut bytes) = (0, Vec::new());
        loop {
            bytes.clear();
            let mut input = input.by_ref().take(MAX_LINE);
            if input.read_until(b'\n', &mut bytes)? == 0 {
                break;
            }
            // The first MiB is read without checking the token.
            if offset > 1 << 20 && cancel.is_cancelled() {
                return Err(Problem::Cancelled);
            }
            let line = self.decode(offset, &bytes);
            is_ours |= line.is_some();
            offset += bytes.len() as u64;
            if bytes.ends_with(b"\n") {
                contents.end = offset;
                contents.damaged += usize::from(line.is_none());
            }
            match line {
                Some(Line::Begin(header)) => {
                    self.expect(&header)?;
                    // A run writes a header when it creates the file, and one with its results.
                    if contents.ledger.done() == done {
                        contents.headers.pop();
                    }
                    done = contents.ledger.done();
                    contents.headers.push(header);
                }
                Some(Line::Counts(microseconds, counts)) => {
                    elapsed = elapsed.max(microseconds);
                    for (index, count) in counts {
                        self.enter(&mut contents.ledger, index, count)?;
                    }
                }
                Some(Line::Done(completion)) => {
                    completion.validate()?;
                    contents.completions.push(completion);
                }
                None => {}
            }
        }
        if !is_ours && !start.is_empty() {
            return Err(self.diagnose(&start));
        }
        if contents.ledger.is_complete() {
            expect_sum(&contents.ledger, &contents.completions)?;
        }
        if contents.ledger.done() > 0 {
            contents.ledger.resume(Duration::from_micros(elapsed));
        }
        Ok(contents)
    }

    /// Records a count. If the subproblem already has a count, the two must be equal.
    fn enter(&self, ledger: &mut Ledger, index: usize, count: u64) -> Result<(), Problem> {
        if ledger.get(index) == Some(count) || ledger.enter(index, count).is_ok() {
            return Ok(());
        }
        Err(Problem::Damaged(match ledger.get(index) {
            Some(other) => format!("subproblem {index} has two counts, {other} and {count}"),
            None => format!("subproblem {index} is not in {}", self.name),
        }))
    }

    /// Decodes a line, which may be the header of another ledger. Returns `None` if it is damaged.
    fn decode(&self, offset: u64, bytes: &[u8]) -> Option<Line> {
        let text = std::str::from_utf8(bytes).ok()?.strip_suffix('\n')?;
        let (json, found) = text.rsplit_once(' ')?;
        let line = serde_json::from_str(json).ok()?;
        let name = match &line {
            Line::Begin(header) => name(&header.plan, header.shard, header.of),
            _ => self.name.clone(),
        };
        (found == checksum(&name, offset, json)).then_some(line)
    }

    /// Checks that a header has the current format and belongs to this plan and shard. Otherwise,
    /// returns [`Problem::Version`], or [`Problem::Other`] with the first difference.
    fn expect(&self, header: &Header) -> Result<(), Problem> {
        let found = format!("shard {} of {}", header.shard, header.of);
        let expected = self.empty.shard().to_string();
        if header.format != FORMAT {
            Err(Problem::Version(header.format))
        } else if header.plan != *self.empty.plan() {
            Err(Problem::other(header.plan.difference(self.empty.plan())))
        } else if found != expected {
            Err(Problem::Other { found, expected })
        } else {
            Ok(())
        }
    }

    /// Returns the error for a file without intact lines that starts with `bytes`.
    fn diagnose(&self, bytes: &[u8]) -> Problem {
        let first = json_prefix(bytes);
        let begin = &first["begin"];
        let format = begin.get("format").or(first.get("format"));
        if let Some(format) = format.and_then(Value::as_u64)
            && format != FORMAT
        {
            return Problem::Version(format);
        }
        match serde_json::from_value(begin.clone()).map(|header| self.expect(&header)) {
            Ok(Ok(())) => Problem::damaged("none of its lines is intact"),
            Ok(Err(problem)) => problem,
            Err(_) => Problem::Foreign("ledger"),
        }
    }
}

/// Rejects completion records that differ from the results.
pub(super) fn expect_sum(ledger: &Ledger, recorded: &[Completion]) -> Result<(), Problem> {
    let (len, sum) = (ledger.done(), ledger.sum());
    for &Completion { subproblems, solutions, .. } in recorded {
        if (subproblems, solutions) != (len, sum) {
            return Err(Problem::Damaged(format!(
                "it has {len} subproblems with {sum} solutions, but records {subproblems} with {solutions}"
            )));
        }
    }
    Ok(())
}

/// Parses the JSON value at the start of `bytes`. Returns null if there is none.
pub(super) fn json_prefix(bytes: &[u8]) -> Value {
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter();
    values.next().and_then(Result::ok).unwrap_or_default()
}

/// Returns the name of a plan and shard. Every checksum covers this name.
fn name(plan: &PlanId, shard: usize, of: usize) -> String {
    format!("plan {}, shard {shard} of {of}", plan.fingerprint())
}

fn checksum(name: &str, offset: u64, json: &str) -> String {
    digest(&format!("{name}, offset {offset}\n{json}"))
}
