//! How far a folder of shards is, found in one listing of it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::heartbeat::{self, Heartbeat};
use super::problem::{FileError, Problem};
use super::records::ShardResult;
use super::shards::Shards;

/// What a folder of shards holds.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Status {
    /// What the usable results come to.
    pub done: Sum,
    /// The shards without a usable result, in order.
    pub missing: Vec<usize>,
    /// Results that cannot be used, and files that are called like results, but are not those of a shard.
    pub unusable: Vec<FileError>,
    /// Those of the missing shards that have been begun, as far as is known.
    pub begun: Vec<Begun>,
    /// Which shards are done.
    is_done: Vec<bool>,
}

/// What results of shards come to.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Sum {
    /// Number of results.
    pub shards: usize,
    /// Subproblems in them.
    pub subproblems: usize,
    /// Solutions, weights of symmetry included.
    pub solutions: u128,
    /// Wall time of the tasks, one after the other.
    pub seconds: f64,
    /// The same for each thread of each.
    pub thread_seconds: f64,
    /// When the last of them was done, in UTC.
    pub latest: Option<String>,
    /// How many results are from each machine, CPU and kernel.
    pub hosts: BTreeMap<String, usize>,
    /// See `hosts`.
    pub cpus: BTreeMap<String, usize>,
    /// See `hosts`.
    pub kernels: BTreeMap<String, usize>,
    /// How many subproblems were counted twice, by mirror image, with which kernel; all of them agreed.
    pub counted_twice: BTreeMap<String, usize>,
}

impl Sum {
    fn add(&mut self, result: ShardResult) {
        self.shards += 1;
        self.subproblems += result.subproblems;
        let sum = self.solutions.checked_add(result.solutions); // which it always does: see `ShardResult::check`
        self.solutions = sum.expect("fewer than 2^64 subproblems of fewer than 2^64 solutions");
        self.seconds += result.seconds;
        self.thread_seconds += result.seconds * result.threads as f64;
        self.latest = self.latest.take().max(Some(result.date));
        for (names, name) in [
            (&mut self.hosts, result.host),
            (&mut self.cpus, result.cpu),
            (&mut self.kernels, result.kernel),
        ] {
            *names.entry(name).or_default() += 1;
        }
        if let Some(twice) = result.double_check {
            *self.counted_twice.entry(twice.kernel).or_default() += twice.subproblems;
        }
    }
}

/// A shard that has been begun and has no result.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Begun {
    /// Its number.
    pub shard: usize,
    /// The machine that counts it, or did.
    pub host: String,
    /// The time since the task was last heard of.
    pub silent: Duration,
}

impl Begun {
    /// Whether the task was heard of so lately that it is taken to be at work.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.silent < 5 * Heartbeat::EVERY
    }
}

impl Shards {
    /// Looks at what the folder holds.
    ///
    /// # Errors
    ///
    /// [`FileError`] if it cannot be listed.
    pub fn status(&self) -> Result<Status, FileError> {
        let mut status = Status::default();
        self.update(&mut status)?;
        Ok(status)
    }

    /// Looks again, but not into the results that are known already.
    ///
    /// # Errors
    ///
    /// Those of [`status`](Self::status).
    pub fn update(&self, status: &mut Status) -> Result<(), FileError> {
        let names = self.storage.list(&self.folder);
        let mut names = names.map_err(|error| Problem::from(error).of(&self.folder))?;
        names.sort();
        status.is_done.resize(self.count(), false);
        status.unusable.clear();
        let (mut pulses, mut strays, mut known) = (Vec::new(), Vec::new(), 0);
        for name in names.iter().filter(|name| name.starts_with("shard-")) {
            let path = self.folder.join(name);
            let index = index_of(name).filter(|&index| index < self.count());
            let index = index.filter(|&index| path == self.path(index));
            match (index, name.strip_suffix(heartbeat::SUFFIX)) {
                (Some(index), _) if status.is_done[index] => known += 1,
                (Some(index), _) => match self.get(index) {
                    Ok(Some(result)) => {
                        status.is_done[index] = true;
                        status.done.add(result);
                        known += 1;
                    }
                    Ok(None) => {} // removed meanwhile
                    Err(wrong) => status.unusable.push(wrong),
                },
                (None, Some(result)) => pulses.extend(index_of(result).map(|index| (index, path))),
                (None, None) if name.ends_with(".json") => {
                    let reason = "is not a shard of this plan".to_owned();
                    strays.push(Problem::Other(reason).of(&path));
                }
                (None, None) => {}
            }
        }
        if known < status.done.shards {
            // Results have been taken away.
            *status = Status::default();
            return self.update(status);
        }
        status.unusable.extend(strays);
        let is_missing = |shard: usize| status.is_done.get(shard) == Some(&false);
        let begun = |(shard, path): (usize, PathBuf)| {
            let (host, silent) = heartbeat::heard(&*self.storage, &path)?;
            is_missing(shard).then_some(Begun {
                shard,
                host,
                silent,
            })
        };
        status.begun = pulses.into_iter().filter_map(begun).collect();
        status.missing = (0..self.count()).filter(|&i| is_missing(i)).collect();
        Ok(())
    }
}

/// The number of the shard that a result of this name is of.
fn index_of(name: &str) -> Option<usize> {
    let number = name.strip_prefix("shard-")?.strip_suffix(".json")?;
    number.parse().ok()
}
