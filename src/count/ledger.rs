//! The ledger of a count: which subproblems are done, and what each contributed.

use std::collections::BTreeMap;
use std::time::Duration;

use thiserror::Error;

use super::plan::{Fingerprint, Plan};
use crate::engine::Tally;

/// Which subproblems of a plan are done, and what each contributed. A subproblem enters once or not at all.
///
/// It takes memory for what is done, not for the plan: plans have up to 3e8 subproblems.
#[derive(Debug, Clone, PartialEq)]
pub struct Ledger {
    fingerprint: Fingerprint,
    len: usize,
    /// The pages with entries, by number. Neighbours are counted together, so most pages are full.
    pages: BTreeMap<usize, Box<Page>>,
    done: usize,
    /// Kept as entries come, since progress asks for it many times a second.
    sum: u128,
    nodes: u128,
    resumed: Option<Resumed>,
}

/// The entries of neighbouring subproblems.
#[derive(Debug, Clone, PartialEq)]
struct Page {
    /// A bit for each that is done.
    done: u64,
    counts: [u64; PAGE],
}

/// Subproblems on a page: as many as a word has bits.
const PAGE: usize = 64;

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

impl Page {
    fn get(&self, place: usize) -> Option<u64> {
        (self.done >> place & 1 == 1).then_some(self.counts[place])
    }
}

impl Ledger {
    /// An empty ledger for a plan.
    #[must_use]
    pub fn new(plan: &Plan) -> Self {
        Self {
            fingerprint: plan.fingerprint(),
            len: plan.len(),
            pages: BTreeMap::new(),
            done: 0,
            sum: 0,
            nodes: 0,
            resumed: None,
        }
    }

    /// The ledger of a count that goes on from `entries`, the places of subproblems and what they contributed, which earlier
    /// runs took `elapsed` to find.
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
            ledger.enter(index, Tally::of(count))?;
        }
        ledger.resumed = Some(Resumed {
            subproblems: ledger.done,
            solutions: ledger.sum,
            elapsed,
        });
        Ok(ledger)
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
        let len = self.len;
        if index >= len || self.get(index).is_some() {
            return Err(LedgerError { index, len });
        }
        let page = self.pages.entry(index / PAGE).or_insert_with(|| {
            let counts = [0; PAGE];
            Box::new(Page { done: 0, counts })
        });
        page.done |= 1 << (index % PAGE);
        page.counts[index % PAGE] = tally.count;
        // At most 2^32 entries below 2^64 each: a u128 cannot overflow.
        self.sum += u128::from(tally.count);
        self.nodes += u128::from(tally.nodes);
        self.done += 1;
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
        self.done
    }

    /// Whether all are done.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.done == self.len
    }

    /// What subproblem `index` contributed, if it is done.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<u64> {
        let page = self.pages.get(&(index / PAGE))?;
        page.get(index % PAGE)
    }

    /// What is done: the places of the subproblems, in order, and what each contributed.
    pub fn entries(&self) -> impl Iterator<Item = (usize, u64)> {
        self.pages.iter().flat_map(|(number, page)| {
            let entry = move |place| Some((number * PAGE + place, page.get(place)?));
            (0..PAGE).filter_map(entry)
        })
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
        let entries: Vec<_> = ledger.entries().collect();
        assert_eq!(entries, [(0, u64::MAX), (2, u64::MAX)]);
        ledger.enter(1, tally(0)).unwrap();
        assert!(ledger.is_complete());
        assert_eq!((ledger.done(), ledger.nodes()), (3, 3));
    }

    #[test]
    fn a_ledger_goes_on_from_another() {
        let resume = |entries| Ledger::resumed_from(&plan(4), entries, Duration::from_secs(5));
        assert!(resume([(1, 7), (1, 7)]).is_err());
        let mut ledger = resume([(1, 7), (2, u64::MAX)]).unwrap();
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
