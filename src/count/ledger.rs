//! Ledgers, which record the results of a plan's subproblems.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::Duration;

use thiserror::Error;

use super::plan::{Plan, PlanId, Shard};

/// Results of the completed subproblems of a plan, or of one of its shards. Each subproblem has one
/// count, however often it is entered.
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
    /// Indices of the results that are not saved yet, in the order in which they were entered.
    unsaved: Vec<usize>,
    elapsed: Duration,
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

/// Reason why a ledger does not accept a result or another ledger. It is then unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The subproblem does not belong to the plan or shard.
    #[error("subproblem {index} is not in shard {shard}")]
    OutOfRange {
        /// Index of the subproblem.
        index: usize,
        /// Shard of the ledger.
        shard: Shard,
    },
    /// The subproblem already has a different count, so one of the two is wrong.
    #[error("subproblem {index} has two counts, {} and {}", counts[0], counts[1])]
    Contradiction {
        /// Index of the subproblem.
        index: usize,
        /// The earlier and the later count.
        counts: [u64; 2],
    },
    /// The ledgers belong to different plans or shards.
    #[error("the ledger is for {found}, not {expected}")]
    Foreign {
        /// First property that differs, as expected.
        expected: String,
        /// The same property, as given in the ledger.
        found: String,
    },
}

impl LedgerError {
    pub(crate) fn foreign([found, expected]: [String; 2]) -> Self {
        Self::Foreign { expected, found }
    }
}

impl AsMut<Ledger> for Ledger {
    fn as_mut(&mut self) -> &mut Self {
        self
    }
}

impl Ledger {
    /// Creates an empty ledger for a shard of a plan, or for the whole plan if the shard is
    /// [`Shard::WHOLE`].
    #[must_use]
    pub fn new(plan: &Plan, shard: Shard) -> Self {
        Self {
            plan: plan.id().clone(),
            shard,
            plan_len: plan.len(),
            counts: BTreeMap::new(),
            sum: 0,
            unsaved: Vec::new(),
            elapsed: Duration::ZERO,
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

    /// Enters the result of a subproblem, which includes symmetry weights. A result that is already
    /// there changes nothing.
    ///
    /// # Errors
    ///
    /// Returns an error if the subproblem has a different count, or does not belong to the plan and
    /// shard.
    pub fn enter(&mut self, index: usize, count: u64) -> Result<(), LedgerError> {
        let shard = self.shard;
        if index >= self.plan_len || !shard.contains(index) {
            return Err(LedgerError::OutOfRange { index, shard });
        }
        match self.counts.entry(index) {
            Entry::Vacant(entry) => entry.insert(count),
            Entry::Occupied(entry) if *entry.get() == count => return Ok(()),
            Entry::Occupied(entry) => {
                return Err(LedgerError::Contradiction { index, counts: [*entry.get(), count] });
            }
        };
        let sum = self.sum.checked_add(count.into());
        self.sum = sum.expect("fewer than 2^64 counts below 2^64 cannot overflow");
        self.unsaved.push(index);
        Ok(())
    }

    /// Adds the results and the time of another ledger of the same plan.
    ///
    /// # Errors
    ///
    /// Returns an error if the other ledger belongs to another plan, or if a subproblem has
    /// different counts or is not in this shard. Results before that one are entered.
    pub fn merge(&mut self, other: &Self) -> Result<(), LedgerError> {
        if self.plan != other.plan {
            return Err(LedgerError::foreign(other.plan.difference(&self.plan)));
        }
        other.entries().try_for_each(|(index, count)| self.enter(index, count))?;
        self.elapsed = self.elapsed.saturating_add(other.elapsed);
        Ok(())
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

    /// Returns the indices of the subproblems that are not complete, in ascending order.
    pub fn missing(&self) -> impl Iterator<Item = usize> {
        let mut done = self.counts.keys().copied().peekable();
        let all = (self.shard.number() - 1..self.plan_len).step_by(self.shard.of());
        all.filter(move |&index| done.next_if_eq(&index).is_none())
    }

    /// Returns the sum of all results. For a shard, this is its share of the total, and the sums of
    /// all shards add up to it.
    #[must_use]
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// Returns the wall time of all runs that worked on this ledger.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    pub(super) fn set_elapsed(&mut self, elapsed: Duration) {
        self.elapsed = elapsed;
    }

    /// Returns the results that were entered since the last call to [`mark_saved`](
    /// Self::mark_saved), in that order.
    pub fn unsaved(&self) -> impl Iterator<Item = (usize, u64)> {
        self.unsaved.iter().map(|index| (*index, self.counts[index]))
    }

    /// Marks all results as saved.
    pub fn mark_saved(&mut self) {
        self.unsaved.clear();
    }

    /// Marks all results so far as saved, and as the work of earlier runs, which took `elapsed`.
    pub fn resume(&mut self, elapsed: Duration) {
        self.mark_saved();
        self.elapsed = elapsed;
        let subproblems = self.done();
        self.resumed = (subproblems > 0).then_some(Resumed { subproblems, elapsed });
    }

    /// Returns the work done by earlier runs, if this ledger was resumed.
    #[must_use]
    pub fn resumed(&self) -> Option<&Resumed> {
        self.resumed.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::super::error::CountError;
    use super::super::plan::tests::plan;
    use super::*;
    use crate::board::Board;
    use crate::engine::Engine;

    fn whole(n: u32) -> Ledger {
        Ledger::new(&plan(n), Shard::WHOLE)
    }

    /// A rejected result changes nothing, so that it cannot make a saved file unreadable.
    #[test]
    fn a_subproblem_has_one_count() {
        let mut ledger = whole(4);
        ledger.enter(1, 7).unwrap();
        ledger.resume(Duration::ZERO);
        ledger.enter(2, u64::MAX).unwrap();
        assert_eq!((ledger.done(), ledger.len()), (2, 3));
        let before = ledger.clone();
        ledger.enter(1, 7).unwrap();
        let two = LedgerError::Contradiction { index: 1, counts: [7, 8] };
        assert_eq!(ledger.enter(1, 8), Err(two));
        let out = LedgerError::OutOfRange { index: 3, shard: Shard::WHOLE };
        assert_eq!(ledger.enter(3, 7), Err(out));
        assert_eq!(ledger, before);
        assert!(ledger.unsaved().eq([(2, u64::MAX)]) && ledger.missing().eq([0]));
        ledger.enter(0, u64::MAX).unwrap();
        assert!(ledger.is_complete() && ledger.missing().next().is_none());
        assert_eq!(ledger.sum(), 7 + 2 * u128::from(u64::MAX));
        assert!(ledger.entries().eq([(0, u64::MAX), (1, 7), (2, u64::MAX)]));
        assert_eq!(ledger.resumed().unwrap().subproblems, 1); // excludes results of this run
    }

    #[test]
    fn times_are_added_and_earlier_ones_need_results() {
        let (mut ledger, mut other) = (whole(4), whole(4));
        ledger.resume(Duration::from_secs(1));
        assert_eq!(ledger.resumed(), None);
        other.set_elapsed(Duration::from_secs(2));
        ledger.merge(&other).unwrap();
        assert_eq!(ledger.elapsed(), Duration::from_secs(3));
    }

    /// Only complete ledgers of whole plans have a total.
    #[test]
    fn totals_have_no_gaps() {
        let mut ledger = whole(4);
        assert!(matches!(ledger.total(), Err(CountError::Incomplete { missing: 3 })));
        (0..3).for_each(|index| ledger.enter(index, 0).unwrap());
        assert!(matches!(ledger.total(), Err(CountError::Mismatch(_)))); // Q(4) = 2
        let mut shard = Ledger::new(&plan(4), Shard::new(1, 2).unwrap());
        [0, 2].iter().for_each(|&index| shard.enter(index, 1).unwrap());
        let error = shard.total().unwrap_err().to_string();
        assert_eq!(error, "the ledger is for shard 1/2, not the whole plan");
        let board = Board::new(9).unwrap();
        let join = Ledger::new(&Plan::new(board, Engine::Join).unwrap(), Shard::WHOLE);
        let error = whole(9).merge(&join).unwrap_err().to_string();
        assert!(error.contains("engine join") && error.contains("engine bitboard"), "{error}");
    }
}
