//! File format of ledgers: a header, followed by lines that end with a checksum.
//!
//! ```text
//! {"queens":"ledger","format":3,"plan":{"version":6,"n":8,...},"shard":"1/1","checksum":"5c0ad21f"}
//! 0 4 1f6d20c9
//! 17 4 77e0a412
//! time 0.002315 64a88c82
//! ```
//!
//! - The header identifies the plan in full, and the shard. A whole plan is shard 1/1.
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

use super::error::{FORMAT, FileErrorKind};
use crate::count::{Ledger, LedgerError, Plan, PlanId, Shard};

/// Maximum length of a line in bytes, which is more than any line but the header has.
const MAX_LINE: u64 = 128;
/// Maximum length in bytes of a header. It allows for every square of the largest board.
pub(super) const MAX_HEADER: u64 = 1 << 14;

/// Start of every ledger.
pub(super) const START: &[u8; 19] = b"{\"queens\":\"ledger\",";

/// First line of a ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    /// `ledger`, the kind of file.
    queens: String,
    format: u64,
    plan: PlanId,
    shard: String,
    checksum: String,
}

impl Header {
    fn new(plan: &PlanId, shard: Shard) -> Self {
        let text = format!("{plan}, shard {shard}");
        let checksum = format!("{:08x}", crc32fast::hash(text.as_bytes()));
        let (queens, shard) = ("ledger".to_owned(), shard.to_string());
        Self { queens, format: FORMAT, plan: plan.clone(), shard, checksum }
    }

    /// Parses the start of a file, and returns the plan and the shard.
    fn parse(text: &[u8]) -> Result<(PlanId, Shard), FileErrorKind> {
        let mut values = serde_json::Deserializer::from_slice(text).into_iter::<Value>();
        let value = values.next().and_then(Result::ok).unwrap_or_default();
        match value["format"].as_u64() {
            _ if value["queens"] != "ledger" => return Err(FileErrorKind::Foreign),
            Some(FORMAT) => {}
            Some(format) => return Err(FileErrorKind::Version(format)),
            None => return Err(FileErrorKind::Foreign),
        }
        let header: Self = serde_json::from_value(value).map_err(FileErrorKind::damaged)?;
        let shard = header.shard.parse().map_err(FileErrorKind::damaged)?;
        match header == Self::new(&header.plan, shard) {
            true => Ok((header.plan, shard)),
            false => Err(FileErrorKind::damaged("the checksum of its plan is wrong")),
        }
    }

    /// Returns the header as a line.
    fn line(&self) -> String {
        serde_json::to_string(self).expect("serializable") + "\n"
    }
}

/// Encoder and decoder for the ledger of one shard.
#[derive(Debug, Clone)]
pub(super) struct Codec {
    /// Ledger without results.
    empty: Ledger,
    header: String,
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
    /// Offset of the end of the last line that is terminated by a newline.
    pub(super) end: u64,
}

impl Codec {
    pub(super) fn new(empty: Ledger) -> Self {
        let header = Header::new(empty.plan(), empty.shard()).line();
        let seed = crc32fast::hash(empty.plan().to_string().as_bytes());
        Self { empty, header, seed }
    }

    /// Returns the first line of the file.
    pub(super) fn header(&self) -> &str {
        &self.header
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

    /// Reads the ledger of any plan and shard. Damaged lines are skipped and counted. A last line
    /// without a newline is skipped too, because a process may have been killed while writing it.
    /// Returns `None` if this is the first line. Uses the `known` plan if it is the same, because
    /// building a plan takes time.
    ///
    /// Returns an error if the file is no ledger, or if intact lines contradict each other or the
    /// plan.
    pub(super) fn read(
        mut input: impl BufRead,
        known: Option<&Plan>,
    ) -> Result<Option<(Plan, Contents)>, FileErrorKind> {
        let mut line = Vec::new();
        input.by_ref().take(MAX_HEADER).read_until(b'\n', &mut line)?;
        // A power failure may leave zeros at the end of a file.
        let zeros = line.iter().rev().take_while(|&&byte| byte == 0).count();
        let begun = &line[..line.len() - zeros];
        if !line.ends_with(b"\n") && (START.starts_with(begun) || begun.starts_with(START)) {
            return Ok(None);
        }
        let (id, shard) = Header::parse(&line)?;
        let plan = match known.filter(|plan| *plan.id() == id) {
            Some(plan) => plan.clone(),
            None => id.plan().map_err(FileErrorKind::damaged)?,
        };
        if *plan.id() != id {
            return Err(FileErrorKind::other(id.difference(plan.id())));
        }
        let codec = Self::new(Ledger::new(&plan, shard));
        match line == codec.header.as_bytes() {
            true => Ok(Some((plan, codec.read_lines(input)?))),
            false => Err(FileErrorKind::damaged("the first line was edited")),
        }
    }

    /// Reads the lines after the header.
    fn read_lines(&self, mut input: impl BufRead) -> Result<Contents, FileErrorKind> {
        let (mut ledger, mut damaged, mut end) = (self.empty.clone(), 0, self.header.len() as u64);
        let (mut offset, mut elapsed, mut line) = (end, Duration::ZERO, Vec::new());
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
            end = offset;
            match self.intact(&line) {
                Some(("time", time)) => elapsed = elapsed.max(seconds(time)?),
                Some((index, count)) => enter(&mut ledger, index, count)?,
                None => damaged += 1,
            }
        }
        ledger.resume(elapsed);
        Ok(Contents { ledger, damaged, end })
    }

    /// Returns the two words of a line, or `None` if it is damaged.
    fn intact<'a>(&self, line: &'a [u8]) -> Option<(&'a str, &'a str)> {
        let (line, checksum) = std::str::from_utf8(line).ok()?.trim_end().rsplit_once(' ')?;
        (checksum == format!("{:08x}", self.checksum(line))).then(|| line.split_once(' '))?
    }
}

impl Ledger {
    /// Returns the contents of a file with this ledger. They can travel as a message to the process
    /// that merges all ledgers.
    ///
    /// ```
    /// use queens::store::Merged;
    /// use queens::{CountError, Counter, Ledger, Shard};
    ///
    /// let mut merged = Merged::default();
    /// for number in 1..=3 {
    ///     let mut run = Counter::new(8)?.prepare()?; // for example, on another machine
    ///     let mut ledger = Ledger::new(run.plan(), Shard::new(number, 3)?);
    ///     run.fill(&mut ledger, |_| Ok::<_, CountError>(()))?;
    ///     merged.add_bytes(&ledger.to_bytes())?;
    /// }
    /// assert_eq!(merged.ledger().expect("there are three ledgers").total()?.0, 92);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let codec = Codec::new(self.clone());
        (codec.header().to_owned() + &codec.encode(self.entries(), self.elapsed())).into_bytes()
    }
}

/// Enters the count of a line.
fn enter(ledger: &mut Ledger, index: &str, count: &str) -> Result<(), FileErrorKind> {
    let parsed = index.parse().ok().zip(count.parse().ok());
    let Some((index, count)) = parsed else {
        return Err(FileErrorKind::damaged(format!("'{index} {count}' is not a count")));
    };
    ledger.enter(index, count).map_err(|error| match error {
        LedgerError::Contradiction { .. } => FileErrorKind::contradiction(error, "itself"),
        error => FileErrorKind::damaged(error),
    })
}

/// Parses a time in seconds.
fn seconds(text: &str) -> Result<Duration, FileErrorKind> {
    let time = text.parse().ok().and_then(|time| Duration::try_from_secs_f64(time).ok());
    time.ok_or_else(|| FileErrorKind::damaged(format!("'{text}' is not a time in seconds")))
}
