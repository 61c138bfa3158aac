//! Comparison of two counts of the same plan.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use thiserror::Error;

use super::format::Contents;
use super::problem::{FileError, Problem};
use super::shards::{Shards, ShardsError, plan_path};

/// Comparison of the counts in two folders.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Comparison {
    /// Number of subproblems that are counted in both folders.
    pub compared: usize,
    /// Numbers of subproblems that are counted only in the first folder, and only in the second.
    pub only: [usize; 2],
    /// Subproblems with different counts, ordered by index.
    pub differences: Vec<Difference>,
    /// Errors for ledgers that cannot be used. Their counts are left out.
    pub unusable: Vec<FileError>,
}

/// Subproblem with different counts.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("subproblem {index}: {} in {}, {} in {}", counts[0], origins[0], counts[1], origins[1])]
#[non_exhaustive]
pub struct Difference {
    /// Index of the subproblem in the plan.
    pub index: usize,
    /// Counts in the first and in the second folder.
    pub counts: [u64; 2],
    /// Origins of the counts: path of the ledger, and hosts, versions and kernel as far as they are
    /// known. If several runs wrote the ledger, the count may be from any of them.
    pub origins: [Arc<str>; 2],
}

impl Shards {
    /// Compares the counts of all subproblems that both folders have. The folders may be partly
    /// counted, and may have different numbers of shards. The larger the greatest common divisor of
    /// these numbers, the fewer counts are in memory at once.
    ///
    /// # Errors
    ///
    /// Returns [`ShardsError::File`] with [`Problem::Other`] if the folders have different plans.
    pub fn compare(&self, other: &Self) -> Result<Comparison, ShardsError> {
        let [mine, theirs] = [self, other].map(|shards| shards.plan().id());
        if mine != theirs {
            let problem = Problem::other(theirs.difference(mine));
            return Err(problem.at(&plan_path(&other.folder)).into());
        }
        let mut found = Comparison::default();
        let (mut step, mut rest) = (self.count(), other.count());
        while rest > 0 {
            (step, rest) = (rest, step % rest); // Euclid's algorithm
        }
        // Subproblems with the same remainder are in the same few shards of each folder.
        for remainder in 0..step {
            let [mine, mut theirs] =
                [self, other].map(|shards| shards.counts(remainder, step, &mut found.unusable));
            for (index, (count, origin)) in mine {
                let Some((other_count, other)) = theirs.remove(&index) else {
                    found.only[0] += 1;
                    continue;
                };
                found.compared += 1;
                if count != other_count {
                    let (counts, origins) = ([count, other_count], [origin, other]);
                    found.differences.push(Difference { index, counts, origins });
                }
            }
            found.only[1] += theirs.len();
        }
        found.differences.sort_by_key(|difference| difference.index);
        Ok(found)
    }

    /// Returns the counts in every `step`th shard, starting with shard `first`, and their origins.
    fn counts(
        &self,
        first: usize,
        step: usize,
        unusable: &mut Vec<FileError>,
    ) -> BTreeMap<usize, (u64, Arc<str>)> {
        let mut counts = BTreeMap::new();
        for shard in (first..self.count()).step_by(step) {
            let path = self.path(shard);
            match self.inspect(shard) {
                Ok(None) => {}
                Ok(Some((contents, _))) => {
                    let origin: Arc<str> = contents.origin(&path).into();
                    let entries = contents.ledger.entries();
                    counts.extend(entries.map(|(index, count)| (index, (count, origin.clone()))));
                }
                Err(problem) => unusable.push(problem.at(&path)),
            }
        }
        counts
    }
}

impl Contents {
    fn origin(&self, path: &Path) -> String {
        let hosts = self.headers.iter().map(|run| format!("{}, version {}", run.host, run.version));
        let mut hosts: Vec<_> = hosts.collect();
        hosts.dedup();
        let host = if hosts.is_empty() { "unknown".to_owned() } else { hosts.join(" or ") };
        let kernel = self.completions.last().map_or("unknown", |done| &done.kernel);
        let last = if self.headers.len() > 1 { "last " } else { "" };
        format!("'{}' (host {host}, {last}kernel {kernel})", path.display())
    }
}
