//! The ledger of a count: which subproblems are done, and what each contributed.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::Duration;

use thiserror::Error;

use super::plan::{Plan, PlanId};

/// Which subproblems of a plan are done, and what each contributed. A subproblem enters once or not at all.
///
/// It takes memory for what is done, not for the plan: plans have up to 3e8 subproblems.
#[derive(Debug, Clone, PartialEq)]
pub struct Ledger {
    plan: PlanId,
    len: usize,
    counts: BTreeMap<usize, u64>,
    /// Kept as entries come, since progress asks for it many times a second.
    sum: u128,
    resumed: Option<Resumed>,
}

/// What earlier runs of a count had done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resumed {
    /// Number of subproblems.
    pub subproblems: usize,
    /// Their solutions, weights of symmetry included.
    pub solutions: u128,
    /// The wall time that it took.
    pub elapsed: Duration,
}

/// A result that was not entered: the subproblem is there already, or the plan has none such.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("subproblem {index} was counted twice, or is not one of the {len} of the plan")]
pub struct LedgerError {
    index: usize,
    len: usize,
}

impl Ledger {
    /// An empty ledger for a plan.
    #[must_use]
    pub fn new(plan: &Plan) -> Self {
        Self {
            plan: plan.id().clone(),
            len: plan.len(),
            counts: BTreeMap::new(),
            sum: 0,
            resumed: None,
        }
    }

    /// The ledger of a count that goes on from `entries`, the places of subproblems and what they contributed, which
    /// earlier runs took `elapsed` to find.
    ///
    /// # Errors
    ///
    /// [`LedgerError`] if there are two entries for a subproblem, or one for none.
    pub fn resumed_from(
        plan: &Plan,
        entries: impl IntoIterator<Item = (usize, u64)>,
        elapsed: Duration,
    ) -> Result<Self, LedgerError> {
        let mut ledger = Self::new(plan);
        for (index, count) in entries {
            ledger.enter(index, count)?;
        }
        ledger.resumed = Some(Resumed {
            subproblems: ledger.done(),
            solutions: ledger.sum,
            elapsed,
        });
        Ok(ledger)
    }

    /// Identity of the plan whose subproblems these are.
    #[must_use]
    pub fn plan(&self) -> &PlanId {
        &self.plan
    }

    /// Enters what a subproblem contributes, weights of symmetry included.
    ///
    /// # Errors
    ///
    /// [`LedgerError`], and nothing is entered, if it is there already or the plan has none such.
    pub fn enter(&mut self, index: usize, count: u64) -> Result<(), LedgerError> {
        let len = self.len;
        match self.counts.entry(index) {
            Entry::Vacant(place) if index < len => place.insert(count),
            _ => return Err(LedgerError { index, len }),
        };
        // At most 2^32 entries below 2^64 each: a u128 cannot overflow.
        self.sum += u128::from(count);
        Ok(())
    }

    /// Number of subproblems of the plan.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the plan has no subproblems.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Number of subproblems done.
    #[must_use]
    pub fn done(&self) -> usize {
        self.counts.len()
    }

    /// Whether all are done.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.done() == self.len
    }

    /// What subproblem `index` contributed, if it is done.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<u64> {
        self.counts.get(&index).copied()
    }

    /// What is done: the places of the subproblems, in order, and what each contributed.
    pub fn entries(&self) -> impl Iterator<Item = (usize, u64)> {
        self.counts.iter().map(|(&index, &count)| (index, count))
    }

    /// The sum over the subproblems that are done: the exact total once all are.
    #[must_use]
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// What earlier runs had done, where this ledger goes on from theirs.
    #[must_use]
    pub fn resumed(&self) -> Option<&Resumed> {
        self.resumed.as_ref()
    }

    /// The wall time of earlier runs.
    #[must_use]
    pub fn earlier(&self) -> Duration {
        self.resumed
            .map_or(Duration::ZERO, |resumed| resumed.elapsed)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::plan;
    use super::*;

    #[test]
    fn a_subproblem_enters_once_whichever_run_counted_it() {
        let resume = |entries| Ledger::resumed_from(&plan(4), entries, Duration::MAX);
        assert!(resume([(1, 7), (1, 7)]).is_err());
        let mut ledger = resume([(1, 7), (2, u64::MAX)]).unwrap();
        assert_eq!((ledger.done(), ledger.len()), (2, 3));
        let before = ledger.clone();
        for index in [1, 3] {
            let refused = ledger.enter(index, 7);
            assert_eq!(refused, Err(LedgerError { index, len: 3 }));
        }
        assert_eq!(ledger, before);
        ledger.enter(0, u64::MAX).unwrap();
        assert!(ledger.is_complete());
        assert_eq!(ledger.sum(), 7 + 2 * u128::from(u64::MAX));
        assert!(ledger.entries().eq([(0, u64::MAX), (1, 7), (2, u64::MAX)]));
        let resumed = ledger.resumed().unwrap();
        assert_eq!(resumed.subproblems, 2); // of the earlier runs alone
        assert_eq!(resumed.solutions, 7 + u128::from(u64::MAX));
    }

    /// The time of earlier runs may be forged.
    #[test]
    fn a_count_goes_on_after_any_time() {
        let run = crate::Counter::new(4).unwrap().prepare().unwrap();
        let mut ledger = Ledger::resumed_from(run.plan(), [], Duration::MAX).unwrap();
        let count = run.resume(&mut ledger).unwrap();
        assert_eq!((count.total, count.elapsed), (2, Duration::MAX));
    }
}
