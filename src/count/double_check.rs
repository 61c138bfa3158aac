//! Double checks, which count some subproblems twice. They can detect errors even if no value is
//! published for N.
//!
//! The mirror images of a random sample of the subproblems are counted as well. They have the same
//! counts but use different lists and tables, except for the few that are their own mirror images.
//! The second count runs on different threads, with a different kernel if possible. It can
//! therefore detect errors in lists, tables, kernels and memory.
//!
//! If two counts differ, both are repeated. Results that vary for the same kernel indicate a
//! hardware fault or a damaged file. Reproducible results indicate a bug in the program.

use std::collections::BTreeMap;
use std::fmt;

use super::error::{CountError, Disagreement, Dispute};
use super::ledger::Ledger;
use super::plan::Plan;
use crate::engine::Kernel;

/// Result of a double check in which all counts agreed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct DoubleCheck {
    /// Number of subproblems counted twice.
    pub checked: usize,
    /// Number of subproblems in the plan or shard.
    pub of: usize,
    /// Kernel of this run. Earlier runs may have used a different one.
    pub kernel: Kernel,
    /// Kernel that counted the mirror images.
    pub second: Kernel,
}

impl fmt::Display for DoubleCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (checked, of, second) = (self.checked, self.of, self.second);
        if checked == 0 {
            return f.write_str("double check: no subproblems to check");
        }
        let same = if self.kernel == second {
            ", the only one for this engine and CPU: its own bugs may go undetected"
        } else {
            ""
        };
        write!(
            f,
            "double check: {checked} of {of} subproblems agree with their mirror images, counted with kernel {second}{same}"
        )
    }
}

/// Returns a sorted random sample of `percent` percent of the indices, but at least `least` of
/// them. A fractional size is rounded up or down at random, so the percentage is right on average
/// even across many small shards.
pub(super) fn sample(
    percent: f64,
    indices: impl ExactSizeIterator<Item = usize>,
    least: usize,
    random: &mut fastrand::Rng,
) -> Vec<usize> {
    let size = (indices.len() as f64 * percent / 100.0 + random.f64()) as usize;
    let size = size.max(least).min(indices.len());
    let mut chosen = random.choose_multiple(indices, size);
    chosen.sort_unstable();
    chosen
}

/// Returns the kernel for the second count. It differs from `kernel` if this CPU can run another
/// one.
pub(super) fn second_kernel(plan: &Plan, kernel: Kernel) -> Kernel {
    let engine = plan.engine();
    let can_run = |other| engine.choose_kernel(plan.board(), Some(other)).is_ok();
    let mut fastest_first = engine.kernels().iter().copied().rev();
    fastest_first.find(|&other| other != kernel && can_run(other)).unwrap_or(kernel)
}

/// Counts the mirror images of the sample with the second kernel, and compares the counts with
/// those in the ledger. `recount` counts subproblems, or their mirror images, with a kernel.
pub(super) fn compare(
    ledger: &Ledger,
    sample: &[usize],
    [kernel, second]: [Kernel; 2],
    mut recount: impl FnMut(Kernel, bool, &[usize]) -> Result<BTreeMap<usize, u64>, CountError>,
) -> Result<DoubleCheck, CountError> {
    let checked = sample.len();
    let again = recount(second, true, sample)?;
    let is_disputed = |&index: &usize| ledger.get(index) != Some(again[&index]);
    let disputed: Vec<_> = sample.iter().copied().filter(is_disputed).collect();
    if disputed.is_empty() {
        return Ok(DoubleCheck { checked, of: ledger.done(), kernel, second });
    }
    let first_again = recount(kernel, false, &disputed)?;
    let second_again = recount(second, true, &disputed)?;
    let dispute = |index| {
        let first = ledger.get(index).expect("completed");
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

    const FIRST: Kernel = Kernel::Scalar;

    /// Returns a ledger of ten subproblems, each with its index as the result.
    fn ledger() -> Ledger {
        let mut ledger = Ledger::new(&plan(6));
        (0..10).for_each(|index| ledger.enter(index, index as u64).unwrap());
        ledger
    }

    /// Compares all subproblems with a fake recount. `answer` returns a count for a call number, a
    /// kernel and an index.
    fn compared(answer: impl Fn(usize, Kernel, usize) -> u64) -> Result<DoubleCheck, CountError> {
        let all = sample(100.0, 0..10, 1, &mut fastrand::Rng::with_seed(1));
        let mut calls = 0;
        let recount = |kernel: Kernel, mirrored: bool, indices: &[usize]| {
            calls += 1;
            assert_eq!(mirrored, kernel != FIRST);
            let count = |&index: &usize| (index, answer(calls, kernel, index));
            Ok(indices.iter().map(count).collect())
        };
        let kernels = [FIRST, second_kernel(&plan(6), FIRST)];
        compare(&ledger(), &all, kernels, recount)
    }

    #[test]
    fn agreement_names_the_second_kernel() {
        let outcome = compared(|_, _, index| index as u64).unwrap();
        assert_eq!((outcome.checked, outcome.of), (10, 10));
        assert_ne!(outcome.second, FIRST);
        assert!(!outcome.to_string().contains("may go undetected"));
    }

    #[test]
    fn disputes_indicate_the_program_or_the_hardware() {
        let check = |wrong, first, second, answer: fn(usize, Kernel) -> u64| {
            let outcome = compared(|call, kernel, index| match index == wrong {
                true => answer(call, kernel),
                false => index as u64,
            });
            let Err(CountError::Disagreement(Disagreement { disputes, .. })) = outcome else {
                panic!("{outcome:?}");
            };
            let found = |dispute: &Dispute| (dispute.index, dispute.first, dispute.second);
            assert_eq!(disputes.iter().map(found).collect::<Vec<_>>(), [(wrong, first, second)]);
            disputes[0].is_hardware()
        };
        // In the first case, the second kernel repeats its error. In the second case, the first
        // count is wrong.
        let repeated = check(3, [3, 3], [4, 4], |_, kernel| 3 + u64::from(kernel != FIRST));
        assert!(!repeated);
        assert!(check(3, [3, 5], [5, 5], |_, _| 5));
        // The second count of the first or the last subproblem is wrong.
        assert!(check(0, [0, 0], [1, 0], |call, _| u64::from(call == 1)));
        assert!(check(9, [9, 9], [8, 9], |call, _| 9 - u64::from(call == 1)));
    }

    #[test]
    fn samples_are_distinct_and_have_the_requested_size() {
        for (percent, len, size) in [(100.0, 50, 50), (10.0, 50, 5), (0.1, 50, 1), (50.0, 0, 0)] {
            for seed in 0..20 {
                let indices = sample(percent, 0..len, 1, &mut fastrand::Rng::with_seed(seed));
                assert_eq!(indices.len(), size);
                assert!(indices.windows(2).all(|pair| pair[0] < pair[1]));
                assert!(indices.iter().all(|&index| index < len));
            }
        }
        let samples: std::collections::HashSet<_> = (0..20)
            .map(|seed| sample(10.0, 0..50, 1, &mut fastrand::Rng::with_seed(seed)))
            .collect();
        assert!(samples.len() > 10, "samples hardly differ");
        // Sample ten percent of each of a hundred shards of five subproblems.
        let mut random = fastrand::Rng::with_seed(1);
        let sizes = (0..100).map(|_| sample(10.0, 0..5, 0, &mut random).len());
        assert!((30..=70).contains(&sizes.sum::<usize>()));
    }
}
