//! File format of ledgers: a header, followed by lines that end with a checksum.
//!
//! ```text
//! {"queens":"ledger","format":2,"plan":{"version":6,"n":8,...},"shard":0,"of":1,"checksum":"5c0ad21f"}
//! 0 4 1f6d20c9
//! 17 4 77e0a412
//! time 0.002315 64a88c82
//! ```
//!
//! - The header identifies the plan in full, and the shard. A whole plan is shard 0 of 1.
//! - Most lines contain the index of a subproblem and its count, which includes symmetry weights.
//! - `time` is the number of seconds that all runs so far have taken.
//!
//! The checksum of a line is the CRC-32 of the plan's identity and the text before the checksum.
//! It detects every damage within 32 consecutive bits, so lines of ordinary length with up to three
//! wrong bits are always detected, and other damage is missed once in 2^32 lines. It does not
//! depend on the position of a line or on its shard, so that sorted ledgers of two counts of one
//! plan can be compared with `diff`. It does not protect against deliberate changes.

use std::io::{BufRead, Read};
use std::time::Duration;

use crc32fast::Hasher;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::problem::{FORMAT, Problem};
use crate::count::{Ledger, Plan, PlanId, Shard};

/// Maximum length of a line in bytes, which is more than any line but the header has.
const MAX_LINE: u64 = 128;
/// Maximum length in bytes of a header. It allows for every square of the largest board.
pub(super) const MAX_HEADER: u64 = 1 << 14;

/// Header of a ledger, or contents of `plan.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    /// `ledger` or `plan`.
    queens: String,
    format: u64,
    pub(super) plan: PlanId,
    /// Shard number of a ledger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) shard: Option<usize>,
    /// Number of shards.
    pub(super) of: usize,
    checksum: String,
}

impl Header {
    pub(super) fn new(plan: &PlanId, shard: Option<usize>, of: usize) -> Self {
        let queens = shard.map_or("plan", |_| "ledger").to_owned();
        let mut header =
            Self { queens, format: FORMAT, plan: plan.clone(), shard, of, checksum: String::new() };
        let text = format!("{plan}, {}", header.part());
        header.checksum = format!("{:08x}", crc32fast::hash(text.as_bytes()));
        header
    }

    /// Names the shard of a ledger, or the number of shards of a plan.
    fn part(&self) -> String {
        match self.shard {
            Some(shard) => format!("shard {shard} of {}", self.of),
            None => format!("{} shards", self.of),
        }
    }

    /// Parses a `ledger`'s header or a `plan`.
    pub(super) fn parse(kind: &'static str, text: &[u8]) -> Result<Self, Problem> {
        let mut values = serde_json::Deserializer::from_slice(text).into_iter::<Value>();
        let value = values.next().and_then(Result::ok).unwrap_or_default();
        match value["format"].as_u64() {
            Some(FORMAT) if value["queens"] == kind => {}
            // Format 1 had numbers up to 3, and ledgers that start with an object `begin`.
            Some(1 | 3) => return Err(Problem::Version(1)),
            None if value.get("begin").is_some() => return Err(Problem::Version(1)),
            None | Some(FORMAT) => return Err(Problem::Foreign(kind)),
            Some(format) => return Err(Problem::Version(format)),
        }
        let header: Self = serde_json::from_value(value).map_err(Problem::damaged)?;
        match header == Self::new(&header.plan, header.shard, header.of) {
            true => Ok(header),
            false => Err(Problem::damaged("the checksum of its plan is wrong")),
        }
    }

    /// Returns the header as a line.
    pub(super) fn line(&self) -> String {
        serde_json::to_string(self).expect("serializable") + "\n"
    }

    /// Describes the first difference from another header, as it is in `self` and in `other`.
    pub(super) fn difference(&self, other: &Self) -> [String; 2] {
        match self.plan == other.plan {
            false => self.plan.difference(&other.plan),
            true => [self, other].map(Self::part),
        }
    }
}

/// Encoder and decoder for the ledger of one shard.
#[derive(Debug, Clone)]
pub(super) struct Codec {
    /// Ledger without results.
    empty: Ledger,
    header: Header,
    /// CRC-32 of the plan's identity, with which the checksum of each line starts.
    seed: u32,
}

/// Contents of a ledger file.
#[derive(Debug)]
pub(super) struct Contents {
    /// Results, and the time of all runs.
    pub(super) ledger: Ledger,
    /// Number of damaged lines.
    pub(super) damaged: usize,
    /// Offset of the end of the last line that is terminated by a newline, or 0 if not even the
    /// header is complete.
    pub(super) end: u64,
}

impl Codec {
    pub(super) fn new(plan: &Plan, shard: Shard) -> Self {
        let header = Header::new(plan.id(), Some(shard.index()), shard.of());
        let seed = crc32fast::hash(plan.id().to_string().as_bytes());
        Self { empty: Ledger::of_shard(plan, shard), header, seed }
    }

    /// Returns the first line of the file.
    pub(super) fn header(&self) -> String {
        self.header.line()
    }

    /// Returns lines with the given counts, and the total time of all runs.
    pub(super) fn encode(
        &self,
        counts: impl IntoIterator<Item = (usize, u64)>,
        elapsed: Duration,
    ) -> String {
        let counts = counts.into_iter().map(|(index, count)| format!("{index} {count}"));
        let time = format!("time {:.6}", elapsed.as_secs_f64());
        counts.chain([time]).map(|line| self.sealed(&line)).collect()
    }

    /// Returns a line with its checksum.
    pub(super) fn sealed(&self, line: &str) -> String {
        format!("{line} {:08x}\n", self.checksum(line))
    }

    fn checksum(&self, line: &str) -> u32 {
        let mut hasher = Hasher::new_with_initial(self.seed);
        hasher.update(line.as_bytes());
        hasher.finalize()
    }

    /// Reads a ledger. Damaged lines are skipped and counted. A last line without a newline is
    /// skipped too, because a process may have been killed while writing it.
    ///
    /// Returns an error if the file belongs to another plan or shard, or if intact lines contradict
    /// each other or the plan.
    pub(super) fn read(&self, mut input: impl BufRead) -> Result<Contents, Problem> {
        let mut contents = Contents { ledger: self.empty.clone(), damaged: 0, end: 0 };
        let (header, mut line) = (self.header(), Vec::new());
        input.by_ref().take(MAX_HEADER).read_until(b'\n', &mut line)?;
        if line != header.as_bytes() {
            // A power failure may leave zeros at the end of a file.
            let zeros = line.iter().rev().take_while(|&&byte| byte == 0).count();
            if line.len() <= header.len()
                && header.as_bytes().starts_with(&line[..line.len() - zeros])
            {
                return Ok(contents);
            }
            input.by_ref().take(MAX_HEADER).read_to_end(&mut line)?;
            let found = Header::parse("ledger", &line)?;
            return Err(match found.difference(&self.header) {
                [found, expected] if found == expected => {
                    Problem::damaged("the first line was edited")
                }
                difference => Problem::other(difference),
            });
        }
        contents.end = line.len() as u64;
        let (mut offset, mut elapsed) = (contents.end, Duration::ZERO);
        loop {
            line.clear();
            let read = input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
            if read == 0 {
                break;
            }
            offset += read as u64;
            if !line.ends_with(b"\n") {
                continue;
            }
            contents.end = offset;
            match self.intact(&line) {
                Some(("time", time)) => elapsed = elapsed.max(seconds(time)?),
                Some((index, count)) => self.enter(&mut contents.ledger, index, count)?,
                None => contents.damaged += 1,
            }
        }
        if contents.ledger.done() > 0 {
            contents.ledger.resume(elapsed);
        }
        Ok(contents)
    }

    /// Returns the two words of a line, or `None` if it is damaged.
    fn intact<'a>(&self, line: &'a [u8]) -> Option<(&'a str, &'a str)> {
        let (line, checksum) = std::str::from_utf8(line).ok()?.trim_end().rsplit_once(' ')?;
        (checksum == format!("{:08x}", self.checksum(line))).then(|| line.split_once(' '))?
    }

    /// Records a count. If the subproblem already has a count, the two must be equal.
    fn enter(&self, ledger: &mut Ledger, index: &str, count: &str) -> Result<(), Problem> {
        let parsed = index.parse::<usize>().ok().zip(count.parse::<u64>().ok());
        let Some((index, count)) = parsed else {
            return Err(Problem::damaged(format!("'{index} {count}' is not a count")));
        };
        if ledger.get(index) == Some(count) || ledger.enter(index, count).is_ok() {
            return Ok(());
        }
        Err(Problem::Damaged(match ledger.get(index) {
            Some(other) => format!("subproblem {index} has two counts, {other} and {count}"),
            None => format!("subproblem {index} is not in {}", ledger.shard()),
        }))
    }
}

/// Parses a time in seconds.
fn seconds(text: &str) -> Result<Duration, Problem> {
    let time = text.parse().ok().and_then(|time| Duration::try_from_secs_f64(time).ok());
    time.ok_or_else(|| Problem::damaged(format!("'{text}' is not a time in seconds")))
}
