//! The ledger of a count: which subproblems are done, and what each contributed.

use std::time::Duration;

use thiserror::Error;

use super::plan::{Fingerprint, Plan};
use crate::engine::Tally;

/// Which subproblems of a plan are done, and what each contributed. A subproblem enters once or not at all.
#[derive(Debug, Clone, PartialEq)]
pub struct Ledger {
    fingerprint: Fingerprint,
    entries: Vec<Option<u64>>,
    done: usize,
    /// Kept as entries come, since progress asks for it many times a second.
    sum: u128,
    nodes: u128,
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
        let entries = vec![None; plan.len()];
        Self {
            resumed: None,
            ..Self::resumed_from(plan, entries, Duration::ZERO)
        }
    }

    /// The ledger of a count that goes on from `entries`, one for each subproblem of the plan, which earlier runs took
    /// `elapsed` to find.
    ///
    /// # Panics
    ///
    /// If there are not as many entries as the plan has subproblems.
    #[must_use]
    pub fn resumed_from(plan: &Plan, entries: Vec<Option<u64>>, elapsed: Duration) -> Self {
        assert_eq!(entries.len(), plan.len(), "one entry for each subproblem");
        let done = entries.iter().flatten().count();
        // At most 2^32 entries below 2^64 each: a u128 cannot overflow.
        let sum = entries.iter().flatten().map(|&c| u128::from(c)).sum();
        Self {
            fingerprint: plan.fingerprint(),
            entries,
            done,
            sum,
            nodes: 0,
            resumed: Some(Resumed {
                subproblems: done,
                solutions: sum,
                elapsed,
            }),
        }
    }

    /// The fingerprint of the plan whose subproblems these are.
    #[must_use]
    pub fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    /// Enters what a subproblem contributes, weights of symmetry included.
    ///
    /// # Errors
    ///
    /// [`LedgerError`], and nothing is entered, if it is there already or the plan has none such.
    pub fn enter(&mut self, index: usize, tally: Tally) -> Result<(), LedgerError> {
        let len = self.entries.len();
        let entry = self.entries.get_mut(index).filter(|entry| entry.is_none());
        *entry.ok_or(LedgerError { index, len })? = Some(tally.count);
        self.sum += u128::from(tally.count); // cannot overflow: see `resumed_from`
        self.nodes += u128::from(tally.nodes);
        self.done += 1;
        Ok(())
    }

    /// Number of subproblems of the plan.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the plan has no subproblems.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Number of subproblems done.
    #[must_use]
    pub fn done(&self) -> usize {
        self.done
    }

    /// Whether all are done.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.done == self.entries.len()
    }

    /// What subproblem `index` contributed, if it is done.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<u64> {
        self.entries.get(index).copied().flatten()
    }

    /// The places of the subproblems that are still to be done.
    pub fn pending(&self) -> impl Iterator<Item = usize> {
        let entries = self.entries.iter().enumerate();
        entries.filter_map(|(index, entry)| entry.is_none().then_some(index))
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

    /// Nodes of the search in the subproblems done in this run, where the kernel counts them.
    #[must_use]
    pub fn nodes(&self) -> u128 {
        self.nodes
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::tests::plan;
    use super::*;

    fn tally(count: u64) -> Tally {
        Tally { count, nodes: 1 }
    }

    #[test]
    fn a_subproblem_enters_once() {
        let mut ledger = Ledger::new(&plan(4));
        assert_eq!((ledger.len(), ledger.is_complete()), (3, false));
        assert_eq!(ledger.fingerprint(), &plan(4).fingerprint());
        ledger.enter(2, tally(u64::MAX)).unwrap();
        ledger.enter(0, tally(u64::MAX)).unwrap();
        let before = ledger.clone();
        let twice = ledger.enter(2, tally(7));
        assert_eq!(twice, Err(LedgerError { index: 2, len: 3 }));
        let unknown = ledger.enter(3, tally(7));
        assert_eq!(unknown, Err(LedgerError { index: 3, len: 3 }));
        assert_eq!(ledger, before);
        assert_eq!(ledger.sum(), 2 * u128::from(u64::MAX));
        assert_eq!(ledger.pending().collect::<Vec<_>>(), [1]);
        ledger.enter(1, tally(0)).unwrap();
        assert!(ledger.is_complete());
        assert_eq!((ledger.done(), ledger.nodes()), (3, 3));
    }

    #[test]
    fn a_ledger_goes_on_from_another() {
        let entries = vec![None, Some(7), Some(u64::MAX)];
        let mut ledger = Ledger::resumed_from(&plan(4), entries, Duration::from_secs(5));
        assert_eq!((ledger.done(), ledger.len()), (2, 3));
        assert_eq!(ledger.fingerprint(), &plan(4).fingerprint());
        assert_eq!(ledger.sum(), 7 + u128::from(u64::MAX));
        let twice = ledger.enter(1, tally(7));
        assert_eq!(twice, Err(LedgerError { index: 1, len: 3 }));
        ledger.enter(0, tally(10)).unwrap();
        assert_eq!(ledger.sum(), 17 + u128::from(u64::MAX));
        let resumed = ledger.resumed().unwrap();
        assert_eq!(resumed.subproblems, 2); // of the earlier runs alone
        assert_eq!(resumed.solutions, 7 + u128::from(u64::MAX));
    }
}
