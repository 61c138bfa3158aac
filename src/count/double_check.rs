//! Counting some subproblems twice, to catch what a published value cannot: there is none for the N of a new record.
//!
//! Of a random share of the subproblems the mirror images are counted too: they have the same counts by other lists and
//! tables (but for the few that are their own images). It is done with another kernel where the engine has one that
//! this CPU can run, on other threads. So a mistake in a list, a table, a kernel or the memory shows. Where the counts
//! differ, both ways are counted once more. A kernel that contradicts itself points at the machine (or at a damaged
//! file that the first count was read from); kernels that each repeat their answer point at the program.

use std::collections::BTreeMap;
use std::fmt;

use super::error::{CountError, Disagreement, Dispute};
use super::ledger::Ledger;
use super::plan::Plan;
use crate::engine::Kernel;

/// What was counted twice, and agreed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "store", derive(serde::Serialize, serde::Deserialize))]
pub struct DoubleCheck {
    /// Number of subproblems counted twice.
    pub checked: usize,
    /// Number of subproblems of the plan, or of the shard.
    pub of: usize,
    /// The kernel that counted in this run; subproblems of earlier runs may be another's.
    pub kernel: Kernel,
    /// The kernel that counted the mirror images.
    pub second: Kernel,
}

impl fmt::Display for DoubleCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (checked, of, second) = (self.checked, self.of, self.second);
        if checked == 0 {
            return f.write_str("double check: there was nothing to check");
        }
        let same = if self.kernel == second {
            ", the only one for this engine and CPU: its own mistakes may not show"
        } else {
            ""
        };
        write!(
            f,
            "double check: {checked} of {of} subproblems agree with their mirror images, counted with kernel {second}{same}"
        )
    }
}

/// A random choice of `percent` of these places, but of `least` at least, in the plan's order. What is a part of one is
/// rounded up or down by chance, so that of many small shards as many are chosen as was asked for.
pub(super) fn sample(
    percent: f64,
    places: impl ExactSizeIterator<Item = usize>,
    least: usize,
    random: &mut fastrand::Rng,
) -> Vec<usize> {
    let size = (places.len() as f64 * percent / 100.0 + random.f64()) as usize;
    let size = size.max(least).min(places.len());
    let mut chosen = random.choose_multiple(places, size);
    chosen.sort_unstable();
    chosen
}

/// Counts subproblems with a kernel, or their mirror images: the count at each place.
pub(super) type Recount<'a> =
    dyn FnMut(Kernel, bool, &[usize]) -> Result<BTreeMap<usize, u64>, CountError> + 'a;

/// The kernel to count with again what `kernel` has counted: another one, if this CPU can run any.
pub(super) fn second_kernel(plan: &Plan, kernel: Kernel) -> Kernel {
    let engine = plan.engine();
    let mut others = engine.available_kernels().filter(|&other| {
        other != kernel && engine.choose_kernel(plan.board(), Some(other)).is_ok()
    });
    others.next_back().unwrap_or(kernel)
}

/// Counts the mirror images of the sample with the second kernel, and compares with the ledger, which is the first
/// one's.
pub(super) fn compare(
    ledger: &Ledger,
    sample: &[usize],
    [kernel, second]: [Kernel; 2],
    recount: &mut Recount<'_>,
) -> Result<DoubleCheck, CountError> {
    let checked = sample.len();
    let again = recount(second, true, sample)?;
    let is_disputed = |&index: &usize| ledger.get(index) != Some(again[&index]);
    let disputed: Vec<_> = sample.iter().copied().filter(is_disputed).collect();
    if disputed.is_empty() {
        return Ok(DoubleCheck {
            checked,
            of: ledger.done(),
            kernel,
            second,
        });
    }
    let first_again = recount(kernel, false, &disputed)?;
    let second_again = recount(second, true, &disputed)?;
    let dispute = |index| {
        let first = ledger.get(index).expect("it is done");
        Dispute {
            index,
            first: [first, first_again[&index]],
            second: [again[&index], second_again[&index]],
        }
    };
    Err(Disagreement {
        kernel,
        second,
        checked,
        disputes: disputed.into_iter().map(dispute).collect(),
    }
    .into())
}

#[cfg(test)]
mod tests {
    use super::super::tests::plan;
    use super::*;
    use std::time::Duration;

    const FIRST: Kernel = Kernel::Scalar;

    /// A ledger of ten subproblems, each contributing its own place.
    fn ledger() -> Ledger {
        let entries = (0..10).map(|index| (index, index as u64));
        Ledger::resumed_from(&plan(6), entries, Duration::ZERO).unwrap()
    }

    /// Compares everything, with a recount that answers as told: call number, kernel, place.
    fn compared(answer: impl Fn(usize, Kernel, usize) -> u64) -> Result<DoubleCheck, CountError> {
        let everything = sample(100.0, 0..10, 1, &mut fastrand::Rng::with_seed(1));
        let mut calls = 0;
        let mut recount = |kernel: Kernel, mirrored: bool, places: &[usize]| {
            calls += 1;
            assert_eq!(mirrored, kernel != FIRST);
            let count = |&place: &usize| (place, answer(calls, kernel, place));
            Ok(places.iter().map(count).collect())
        };
        let kernels = [FIRST, second_kernel(&plan(6), FIRST)];
        compare(&ledger(), &everything, kernels, &mut recount)
    }

    #[test]
    fn agreement_names_another_kernel() {
        let outcome = compared(|_, _, place| place as u64).unwrap();
        assert_eq!((outcome.checked, outcome.of), (10, 10));
        assert_ne!(outcome.second, FIRST);
        assert!(!outcome.to_string().contains("may not show"));
    }

    /// What is wrong with one subproblem of ten, by who answers what, and when.
    #[test]
    fn a_dispute_points_at_the_kernel_or_at_the_machine() {
        let check = |index, first, second, answer: fn(usize, Kernel) -> u64| {
            let outcome = compared(|call, kernel, place| match place == index {
                true => answer(call, kernel),
                false => place as u64,
            });
            let Err(CountError::Disagreement(Disagreement { disputes, .. })) = outcome else {
                panic!("{outcome:?}");
            };
            let found = |dispute: &Dispute| (dispute.index, dispute.first, dispute.second);
            assert_eq!(
                disputes.iter().map(found).collect::<Vec<_>>(),
                [(index, first, second)]
            );
            disputes[0].is_hardware()
        };
        // A kernel that repeats its mistake, a first count that nobody repeats, a second one that is not repeated.
        let repeated = check(3, [3, 3], [4, 4], |_, kernel| {
            3 + u64::from(kernel != FIRST)
        });
        assert!(!repeated);
        assert!(check(3, [3, 5], [5, 5], |_, _| 5));
        assert!(check(7, [7, 7], [8, 7], |call, _| 7 + u64::from(call == 1)));
    }

    #[test]
    fn a_sample_is_distinct_and_as_large_as_asked() {
        for (percent, len, size) in [(100.0, 50, 50), (10.0, 50, 5), (0.1, 50, 1), (50.0, 0, 0)] {
            for seed in 0..20 {
                let places = sample(percent, 0..len, 1, &mut fastrand::Rng::with_seed(seed));
                assert_eq!(places.len(), size);
                assert!(places.windows(2).all(|pair| pair[0] < pair[1]));
                assert!(places.iter().all(|&place| place < len));
            }
        }
        let samples: std::collections::HashSet<_> = (0..20)
            .map(|seed| sample(10.0, 0..50, 1, &mut fastrand::Rng::with_seed(seed)))
            .collect();
        assert!(samples.len() > 10, "samples hardly differ");
        // A hundred shards of five subproblems: ten per cent of all, not of each one rounded up.
        let mut random = fastrand::Rng::with_seed(1);
        let sizes = (0..100).map(|_| sample(10.0, 0..5, 0, &mut random).len());
        assert!((30..=70).contains(&sizes.sum::<usize>()));
    }
}
