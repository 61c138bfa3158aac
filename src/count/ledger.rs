//! Ledgers, which record the results of a plan's subproblems.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::Duration;

use thiserror::Error;

use super::plan::{Plan, PlanId, Shard};

/// Results of the completed subproblems of a plan, or of one of its shards. Each subproblem is
/// recorded at most once.
///
/// Memory use is proportional to the number of results, not to the length of the plan, which can
/// reach 3e8.
#[derive(Debug, Clone, PartialEq)]
pub struct Ledger {
    plan: PlanId,
    shard: Shard,
    /// Number of subproblems in the plan.
    plan_len: usize,
    counts: BTreeMap<usize, u64>,
    /// Running sum. It is stored because progress displays need it many times per second.
    sum: u128,
    resumed: Option<Resumed>,
}

/// Work done by earlier runs of a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Resumed {
    /// Number of subproblems that they completed.
    pub subproblems: usize,
    /// Wall time of these runs.
    pub elapsed: Duration,
}

/// Error from recording a result for a subproblem that has one or does not belong to the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("subproblem {index} already has a result or is not in {shard}")]
pub struct LedgerError {
    index: usize,
    shard: Shard,
}

impl Ledger {
    /// Creates an empty ledger for a whole plan.
    #[must_use]
    pub fn new(plan: &Plan) -> Self {
        Self::of_shard(plan, Shard::WHOLE)
    }

    /// Creates an empty ledger for a shard of a plan.
    #[must_use]
    pub fn of_shard(plan: &Plan, shard: Shard) -> Self {
        Self {
            plan: plan.id().clone(),
            shard,
            plan_len: plan.len(),
            counts: BTreeMap::new(),
            sum: 0,
            resumed: None,
        }
    }

    /// Returns the identity of the plan.
    #[must_use]
    pub fn plan(&self) -> &PlanId {
        &self.plan
    }

    /// Returns the shard, which is [`Shard::WHOLE`] for a whole plan.
    #[must_use]
    pub fn shard(&self) -> Shard {
        self.shard
    }

    /// Records the result of a subproblem, which includes symmetry weights.
    ///
    /// # Errors
    ///
    /// Returns an error, without changing the ledger, if the subproblem already has a result or
    /// does not belong to the plan and shard.
    pub fn enter(&mut self, index: usize, count: u64) -> Result<(), LedgerError> {
        let shard = self.shard;
        let is_in = index < self.plan_len && index % shard.of() == shard.index();
        match self.counts.entry(index) {
            Entry::Vacant(entry) if is_in => entry.insert(count),
            _ => return Err(LedgerError { index, shard }),
        };
        // A sum of at most 2^32 values below 2^64 cannot overflow a u128.
        self.sum += u128::from(count);
        Ok(())
    }

    /// Records the results of several subproblems.
    ///
    /// # Errors
    ///
    /// Returns an error if one of them cannot be [entered](Self::enter). Those before it are.
    pub fn record(
        &mut self,
        results: impl IntoIterator<Item = (usize, u64)>,
    ) -> std::io::Result<()> {
        let mut results = results.into_iter();
        let entered = results.try_for_each(|(index, count)| self.enter(index, count));
        entered.map_err(std::io::Error::other)
    }

    /// Returns the number of subproblems in the plan or shard.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shard.len(self.plan_len)
    }

    /// Whether the plan or shard has no subproblems.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of completed subproblems.
    #[must_use]
    pub fn done(&self) -> usize {
        self.counts.len()
    }

    /// Whether all subproblems are complete.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.done() == self.len()
    }

    /// Returns the result of subproblem `index`, if it is complete.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<u64> {
        self.counts.get(&index).copied()
    }

    /// Returns the indices and results of all completed subproblems, ordered by index.
    pub fn entries(&self) -> impl Iterator<Item = (usize, u64)> {
        self.counts.iter().map(|(&index, &count)| (index, count))
    }

    /// Returns the sum of all results, which is the exact total once the ledger is complete.
    #[must_use]
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// Marks all results so far as the work of earlier runs, which took `elapsed`.
    pub fn resume(&mut self, elapsed: Duration) {
        let subproblems = self.done();
        self.resumed = Some(Resumed { subproblems, elapsed });
    }

    /// Returns the work done by earlier runs, if this ledger was resumed.
    #[must_use]
    pub fn resumed(&self) -> Option<&Resumed> {
        self.resumed.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::plan;
    use super::*;

    #[test]
    fn a_subproblem_is_entered_once() {
        let mut ledger = Ledger::new(&plan(4));
        ledger.enter(1, 7).unwrap();
        ledger.enter(2, u64::MAX).unwrap();
        ledger.resume(Duration::ZERO);
        assert_eq!((ledger.done(), ledger.len()), (2, 3));
        let before = ledger.clone();
        for index in [1, 3] {
            let outcome = ledger.enter(index, 7);
            assert_eq!(outcome, Err(LedgerError { index, shard: Shard::WHOLE }));
        }
        assert_eq!(ledger, before);
        ledger.enter(0, u64::MAX).unwrap();
        assert!(ledger.is_complete());
        assert_eq!(ledger.sum(), 7 + 2 * u128::from(u64::MAX));
        assert!(ledger.entries().eq([(0, u64::MAX), (1, 7), (2, u64::MAX)]));
        assert_eq!(ledger.resumed().unwrap().subproblems, 2); // excludes results of this run
    }

    /// Files may contain arbitrarily long elapsed times.
    #[test]
    fn elapsed_time_saturates() {
        let mut run = crate::Counter::new(4).unwrap().prepare().unwrap();
        let mut ledger = Ledger::new(run.plan());
        ledger.resume(Duration::MAX);
        let work = run.missing(&ledger).unwrap();
        let done = run.count(work, |results| ledger.record(results)).unwrap();
        let count = run.verify(&ledger, done).unwrap();
        assert_eq!((count.total, count.elapsed), (2, Duration::MAX));
    }
}
