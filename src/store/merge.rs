//! The total of a folder of shards.

use super::shards::{Shards, ShardsError};
use super::status::Sum;
use crate::count::Check;
use crate::count::check::check_total;
use crate::engine::CancelToken;
use crate::machine::Threads;

/// What all shards come to.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Merged {
    /// The results of all shards together: the number of solutions, and who counted them.
    pub sum: Sum,
    /// How it was checked.
    pub check: Check,
}

impl Shards {
    /// Adds all shards up.
    ///
    /// # Errors
    ///
    /// [`ShardsError::Unusable`] if any result cannot be used, or would be added twice; [`ShardsError::Gaps`] if shards are
    /// missing and nothing else is wrong; [`ShardsError::Total`] if the total contradicts a published value or, where there is
    /// none, the number of symmetric solutions.
    pub fn merge(&self) -> Result<Merged, ShardsError> {
        let status = self.status()?;
        if !status.unusable.is_empty() {
            return Err(ShardsError::Unusable(status.unusable));
        }
        if !status.missing.is_empty() {
            let (missing, shards) = (status.missing, self.count());
            return Err(ShardsError::Gaps { missing, shards });
        }
        let (plan, sum) = (self.plan(), status.done);
        assert_eq!(sum.subproblems, plan.len(), "shards make up the plan");
        let threads = Threads::usable().count();
        let (check, _) = check_total(plan, sum.solutions, threads, &CancelToken::new())?;
        Ok(Merged { sum, check })
    }
}
