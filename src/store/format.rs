//! The form of a ledger's file: lines of text, each with its checksum at the end.
//!
//! ```text
//! queens ledger 2 plan n8-bitboard-eightfold-v4-beb02fbc shard 0 of 1 5c0ad21f
//! by {"date":"2026-01-31T23:59:59Z","process":4242,"host":"a","cpu":"...","version":"0.1.0"} 09ba4e3d
//! 12 0:4,8,0 17:4 1f6d20c9
//! done {"subproblems":21,"solutions":"92",...} 77e0a412
//! ```
//!
//! First comes the plan and the shard; the whole plan is shard 0 of 1. `by` tells who wrote what follows. A line of numbers has
//! milliseconds of counting so far, then subproblems by their places in the plan, each with what it contributed, weights of
//! symmetry included, and what the next ones of the shard did. `done` says that all are done, and what they come to. A line that
//! begins with `#` was struck out.
//!
//! The checksum is CRC-32, of the first line, the place of the line in the file, and the line: so lines of other files, and lines
//! that were repeated or moved, do not count. It catches every change within 32 neighbouring bits and all but one in four
//! thousand million others. It is no defence against anyone who recomputes it.

use std::io::{self, BufRead, Read};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::problem::{FORMAT, Problem};
use crate::count::{Plan, Shard};

/// How every ledger begins.
const MAGIC: &str = "queens ledger ";

/// How checkpoints of format 1 began, which were JSON.
const BEFORE: &[u8] = b"{\n  \"queens\": \"checkpoint\"";

/// Entries in a line: what a damaged byte costs at most.
const ENTRIES: usize = 64;

/// More bytes than a line has.
const LONGEST: u64 = 1 << 13;

/// Who wrote the lines that follow.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Writer {
    pub(super) date: String,
    pub(super) process: u32,
    pub(super) host: String,
    pub(super) cpu: String,
    pub(super) version: String,
}

/// What a finished ledger says of itself in its last line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Completion {
    /// Number of subproblems.
    pub subproblems: usize,
    /// The sum of what they contributed, weights of symmetry included: a string, since it can exceed 2^53.
    pub solutions: String,
    /// When it was done, in UTC: `2026-01-31T23:59:59Z`.
    pub date: String,
    /// Wall time of all runs together, what was counted twice included.
    pub seconds: f64,
    /// Number of threads, of the last run.
    pub threads: usize,
    /// Kernel, of the last run.
    pub kernel: String,
    /// What of it was counted twice; all of it agreed.
    pub double_check: Option<CountedTwice>,
}

/// How many subproblems were counted twice: mirror images, chosen at random.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CountedTwice {
    /// Number of subproblems.
    pub subproblems: usize,
    /// The kernel that counted the mirror images.
    pub kernel: String,
}

/// The ledger of one shard of a plan, as a form of file: what its first line is, and how its lines are sealed.
#[derive(Debug, Clone)]
pub(super) struct Form {
    pub(super) plan: Plan,
    pub(super) shard: Shard,
    pub(super) header: String,
    /// The checksum of the first line, with which those of all lines begin.
    seed: u32,
}

/// What is in a file.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// Places and counts, in the plan's order, each place once.
    pub(super) entries: Vec<(usize, u64)>,
    pub(super) sum: u128,
    /// Counting time of all runs up to the last entry.
    pub(super) elapsed: Duration,
    /// Whoever wrote last.
    pub(super) writer: Option<Writer>,
    /// What it says of itself since it was done; but damage may have taken something away since.
    pub(super) completion: Option<Completion>,
    /// Lines that are not whole, the last one left out if it has no end.
    pub(super) damaged: usize,
    /// Where the next line goes: behind the last one that has an end.
    pub(super) end: u64,
}

impl Form {
    pub(super) fn new(plan: &Plan, shard: Shard) -> Self {
        let (name, index, of) = (plan.fingerprint(), shard.index(), shard.of());
        let header = format!("{MAGIC}{FORMAT} plan {name} shard {index} of {of}");
        Self {
            plan: plan.clone(),
            shard,
            seed: crc32fast::hash(header.as_bytes()),
            header,
        }
    }

    /// Number of subproblems.
    pub(super) fn len(&self) -> usize {
        self.plan.shard(self.shard).len()
    }

    /// Whether a subproblem is one of these.
    pub(super) fn contains(&self, index: usize) -> bool {
        self.plan.is_in(self.shard, index)
    }

    /// A line for this place of the file.
    pub(super) fn seal(&self, offset: u64, text: &str) -> String {
        format!("{text} {:08x}\n", checksum(self.seed, offset, text))
    }

    /// The text of a line at this place of the file, if the line is whole.
    fn unseal<'a>(&self, offset: u64, line: &'a [u8]) -> Option<&'a str> {
        whole(self.seed, offset, line)
    }

    /// The texts of lines with these entries.
    pub(super) fn texts(&self, mut entries: Vec<(usize, u64)>, elapsed: Duration) -> Vec<String> {
        entries.sort_unstable();
        let text = |entries: &[(usize, u64)]| {
            let mut text = elapsed.as_millis().to_string();
            let mut next = None;
            for &(index, count) in entries {
                text += &match next == Some(index) {
                    true => format!(",{count}"),
                    false => format!(" {index}:{count}"),
                };
                next = self.plan.after(self.shard, index);
            }
            text
        };
        entries.chunks(ENTRIES).map(text).collect()
    }

    /// The entries in the text of a line and the time up to them, if it has any.
    pub(super) fn entries(&self, text: &str) -> Option<(Duration, Vec<(usize, u64)>)> {
        let (elapsed, items) = text.split_once(' ')?;
        let mut entries = Vec::new();
        for item in items.split(' ') {
            let (first, counts) = item.split_once(':')?;
            let mut index = first.parse().ok()?;
            for count in counts.split(',') {
                entries.push((index, count.parse().ok()?));
                index = self.plan.after(self.shard, index)?;
            }
        }
        Some((Duration::from_millis(elapsed.parse().ok()?), entries))
    }

    /// Calls `take` with the place and the bytes of each line that has an end, and with its text if it is whole. Gives the place
    /// behind the last of them. `take` says whether to go on.
    pub(super) fn for_each_line(
        &self,
        mut input: impl BufRead,
        mut take: impl FnMut(u64, &[u8], Option<&str>) -> Result<bool, Problem>,
    ) -> Result<u64, Problem> {
        let (mut offset, mut line) = (0, Vec::new());
        loop {
            line.clear();
            let length = input.by_ref().take(LONGEST).read_until(b'\n', &mut line)? as u64;
            let is_line = line.ends_with(b"\n") || length == LONGEST;
            if !is_line || !take(offset, &line, self.unseal(offset, &line))? {
                return Ok(offset);
            }
            offset += length;
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// [`Problem`], if nothing in it is of this plan and shard, or what is whole contradicts itself.
    pub(super) fn read(&self, mut input: impl BufRead) -> Result<Contents, Problem> {
        /// No file of ours has so many lines at its beginning of which none is whole.
        const HOPELESS: usize = 100;
        let mut contents = Contents::default();
        let (mut is_ours, mut completions) = (false, Vec::new());
        let mut first = input.fill_buf()?.to_vec();
        contents.end = self.for_each_line(input, |offset, line, text| {
            let Some(text) = text else {
                contents.damaged += usize::from(line[0] != b'#');
                return Ok(is_ours || contents.damaged < HOPELESS);
            };
            is_ours = true;
            let wrong = || Problem::damaged(format!("what no program writes, at byte {offset}"));
            match text.split_once(' ') {
                _ if offset == 0 && text == self.header => {}
                Some(("by", json)) => contents.writer = serde_json::from_str(json).ok(),
                Some(("done", json)) => {
                    completions.push(serde_json::from_str(json).map_err(|_| wrong())?)
                }
                _ => {
                    let (elapsed, entries) = self.entries(text).ok_or_else(wrong)?;
                    contents.elapsed = contents.elapsed.max(elapsed);
                    contents.entries.extend(entries);
                }
            }
            Ok(true)
        })?;
        if !is_ours {
            first.truncate(LONGEST as usize);
            return self.without_a_whole_line(&first);
        }
        self.settle(&mut contents, completions)?;
        Ok(contents)
    }

    /// What a file is that begins with these bytes, and has no line that is whole: new, if it is empty or ends in its first line,
    /// as one does that was being begun when the power went, perhaps with zeros in place of what was not written yet.
    fn without_a_whole_line(&self, bytes: &[u8]) -> Result<Contents, Problem> {
        let zeros = bytes.iter().rev().take_while(|&&byte| byte == 0).count();
        let written = &bytes[..bytes.len() - zeros];
        if self.header.as_bytes().starts_with(written)
            || written.starts_with(self.header.as_bytes()) && !written.contains(&b'\n')
        {
            return Ok(Contents::default());
        }
        if written.starts_with(BEFORE) {
            return Err(Problem::Format(1));
        }
        let line = bytes
            .split_inclusive(|&byte| byte == b'\n')
            .next()
            .unwrap_or_default();
        let Some(rest) = String::from_utf8_lossy(line)
            .strip_prefix(MAGIC)
            .map(str::to_owned)
        else {
            return Err(Problem::Foreign("ledger"));
        };
        let (format, holds) = rest.trim_end().split_once(' ').unwrap_or_default();
        let (holds, _) = holds.rsplit_once(' ').unwrap_or_default();
        let header = format!("{MAGIC}{format} {holds}");
        if whole(crc32fast::hash(header.as_bytes()), 0, line).is_none() {
            return Err(Problem::damaged("none of its lines is whole"));
        }
        match format.parse() {
            Ok(FORMAT) => {
                let (_, expected) = self.header.split_at(self.header.find("plan ").unwrap_or(0));
                Err(Problem::other(holds, expected))
            }
            Ok(other) => Err(Problem::Format(other)),
            Err(_) => Err(Problem::Foreign("ledger")),
        }
    }

    /// Brings the entries in order, and compares them with the plan, each other, and what is said of their sum.
    fn settle(&self, contents: &mut Contents, completions: Vec<Completion>) -> Result<(), Problem> {
        let Contents { entries, sum, .. } = contents;
        entries.sort_unstable();
        entries.dedup();
        if let Some((index, _)) = entries.iter().find(|&&(index, _)| !self.contains(index)) {
            let reason = format!(
                "it has a count of subproblem {index}, which is not in {}",
                self.header
            );
            return Err(Problem::Damaged(reason));
        }
        if let Some(pair) = entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let [(index, one), (_, other)] = [pair[0], pair[1]];
            let reason = format!("it has two counts of subproblem {index}, {one} and {other}");
            return Err(Problem::Damaged(reason));
        }
        *sum = entries.iter().map(|&(_, count)| u128::from(count)).sum();
        let (done, sum) = (entries.len(), sum.to_string());
        let is_wrong = |said: &&Completion| (said.subproblems, &said.solutions) != (done, &sum);
        if done == self.len()
            && let Some(said) = completions.iter().find(is_wrong)
        {
            let Completion {
                subproblems,
                solutions,
                ..
            } = said;
            let reason = format!(
                "its {done} counts come to {sum}, and it says {solutions} of {subproblems}"
            );
            return Err(Problem::Damaged(reason));
        }
        contents.completion = completions.into_iter().next_back();
        Ok(())
    }
}

/// The checksum of a line at a place of a file whose first line has the checksum `seed`.
pub(super) fn checksum(seed: u32, offset: u64, text: &str) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(seed);
    hasher.update(&offset.to_le_bytes());
    hasher.update(text.as_bytes());
    hasher.finalize()
}

/// The text of a line, if its checksum fits.
fn whole(seed: u32, offset: u64, line: &[u8]) -> Option<&str> {
    let (text, found) = std::str::from_utf8(line)
        .ok()?
        .strip_suffix('\n')?
        .rsplit_once(' ')?;
    (found == format!("{:08x}", checksum(seed, offset, text))).then_some(text)
}

/// An I/O error for what does not fit a ledger.
pub(super) fn misfit(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, reason)
}
