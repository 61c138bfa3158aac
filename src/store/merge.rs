//! The total of a folder of shards.

use std::collections::BTreeSet;

use super::problem::{FileError, Problem};
use super::records::ShardResult;
use super::shards::{Shards, ShardsError};
use crate::count::verify::{self, Check};

/// What all shards come to.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Merged {
    /// The number of solutions.
    pub solutions: u128,
    /// How it was checked.
    pub check: Check,
    /// The result of each shard, in order.
    pub results: Vec<ShardResult>,
}

impl Shards {
    /// Adds all shards up.
    ///
    /// # Errors
    ///
    /// [`ShardsError::Unusable`] if any result cannot be used, or would be added twice; [`ShardsError::Gaps`] if shards are
    /// missing and nothing else is wrong; [`ShardsError::Mismatch`] if the total contradicts a published value.
    pub fn merge(&self) -> Result<Merged, ShardsError> {
        let mut unusable = self.strays()?;
        let (mut missing, mut results) = (Vec::new(), Vec::new());
        for index in 0..self.count() {
            match self.get(index) {
                Ok(Some(result)) => results.push(result),
                Ok(None) => missing.push(index),
                Err(wrong) => unusable.push(wrong),
            }
        }
        if !unusable.is_empty() {
            return Err(ShardsError::Unusable(unusable));
        }
        if !missing.is_empty() {
            let shards = self.count();
            return Err(ShardsError::Gaps { missing, shards });
        }
        let subproblems: usize = results.iter().map(|result| result.subproblems).sum();
        assert_eq!(subproblems, self.plan().len(), "shards make up the plan");
        let solutions = results.iter().try_fold(0_u128, |sum, result| {
            sum.checked_add(result.solutions) // which it always does: see `ShardResult::check`
        });
        let solutions =
            solutions.expect("fewer than 2^64 subproblems of fewer than 2^64 solutions");
        Ok(Merged {
            solutions,
            check: verify::check(self.plan().board(), solutions)?,
            results,
        })
    }

    /// Files that are called like results, but are not those of a shard.
    fn strays(&self) -> Result<Vec<FileError>, FileError> {
        let names = self.storage.list(&self.folder);
        let mut names = names.map_err(|error| Problem::from(error).of(&self.folder))?;
        names.retain(|name| name.starts_with("shard-") && name.ends_with(".json"));
        names.sort();
        let paths = names.into_iter().map(|name| self.folder.join(name));
        let expected: BTreeSet<_> = (0..self.count()).map(|index| self.path(index)).collect();
        let strays = paths.filter(|path| !expected.contains(path));
        let reason = "is not a shard of this plan";
        Ok(strays
            .map(|path| Problem::Other(reason.to_owned()).of(&path))
            .collect())
    }
}
