//! Counting some subproblems twice, to catch what a published value cannot: there is none for the N of a new record.
//!
//! A random share of the subproblems is counted once more, with another kernel where the engine has one that this CPU can
//! run, on other threads. Where the counts differ, both kernels count a third time. A kernel that contradicts itself
//! points at the machine (or at a damaged file that the first count was read from); kernels that each repeat their answer
//! point at the program.

use std::fmt;

use thiserror::Error;

use super::ledger::Ledger;
use crate::engine::{Engine, Kernel};

/// What was counted twice, and agreed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoubleCheck {
    /// Number of subproblems counted twice.
    pub checked: usize,
    /// Number of subproblems of the plan.
    pub of: usize,
    /// The kernel that counted in this run; subproblems of earlier runs may be another's.
    pub kernel: Kernel,
    /// The kernel that counted the second time.
    pub second: Kernel,
}

impl fmt::Display for DoubleCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (checked, of, second) = (self.checked, self.of, self.second);
        if checked == 0 {
            return f.write_str("double check: there was nothing to check");
        }
        let same = if self.kernel == second {
            ", the only one for this engine and CPU: its own mistakes would not show"
        } else {
            ""
        };
        write!(
            f,
            "double check: {checked} of {of} subproblems agree with kernel {second}{same}"
        )
    }
}

/// A subproblem whose counts differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispute {
    /// Its place in the plan.
    pub index: usize,
    /// The first count and its repetition by the first kernel.
    pub first: [u64; 2],
    /// The second count and its repetition by the second kernel.
    pub second: [u64; 2],
}

impl Dispute {
    /// Whether a kernel contradicts itself, which looks like a hardware fault. Where each repeats its count, one of them is
    /// wrong.
    #[must_use]
    pub fn is_hardware(&self) -> bool {
        self.first[0] != self.first[1] || self.second[0] != self.second[1]
    }
}

/// Subproblems came to different counts when counted twice. No total is given.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct Disagreement {
    /// The kernel that counted first.
    pub kernel: Kernel,
    /// The kernel that counted the second time.
    pub second: Kernel,
    /// How many subproblems were counted twice.
    pub checked: usize,
    /// Those that differ, never none.
    pub disputes: Vec<Dispute>,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kernel, second) = (self.kernel, self.second);
        let (wrong, checked) = (self.disputes.len(), self.checked);
        write!(
            f,
            "{wrong} of {checked} subproblems counted twice disagree, and no total is reported: "
        )?;
        let Dispute {
            index,
            first: [first, first_again],
            second: [other, other_again],
        } = self.disputes[0];
        write!(
            f,
            "subproblem {index} is {first}, then {first_again} with kernel {kernel}, and {other}, then {other_again} \
             with kernel {second}; "
        )?;
        f.write_str(if self.disputes.iter().any(Dispute::is_hardware) {
            "a kernel contradicts itself: this looks like a hardware fault, or like a damaged file"
        } else {
            "each kernel repeats its answer: this looks like a mistake in the program, please report it"
        })
    }
}

/// A random choice of `percent` of the subproblems below `len`, rounded up, in the plan's order.
pub(super) fn sample(percent: f64, len: usize, random: &mut fastrand::Rng) -> Vec<usize> {
    let size = ((len as f64 * percent / 100.0).ceil() as usize).min(len);
    let mut places = random.choose_multiple(0..len, size);
    places.sort_unstable();
    places
}

/// Counts subproblems with a kernel: place and count of each, in any order.
pub(super) type Recount<'a, E> = dyn FnMut(Kernel, &[usize]) -> Result<Vec<(usize, u64)>, E> + 'a;

/// The kernel to count with again what `kernel` has counted: another one, if this CPU can run any.
pub(super) fn second_kernel(engine: Engine, kernel: Kernel) -> Kernel {
    let mut others = engine.available_kernels().filter(|&other| other != kernel);
    others.next_back().unwrap_or(kernel)
}

/// Counts the sample with the second kernel, and compares with the ledger, which is the first one's.
pub(super) fn compare<E: From<Disagreement>>(
    ledger: &Ledger,
    sample: &[usize],
    [kernel, second]: [Kernel; 2],
    recount: &mut Recount<'_, E>,
) -> Result<DoubleCheck, E> {
    let of = ledger.len();
    let checked = sample.len();

    let recounted = recount(second, sample)?;
    let mut disputed: Vec<(usize, u64)> = recounted
        .into_iter()
        .filter(|&(index, count)| ledger.get(index) != Some(count))
        .collect();
    if disputed.is_empty() {
        return Ok(DoubleCheck {
            checked,
            of,
            kernel,
            second,
        });
    }
    disputed.sort_unstable();
    let places: Vec<usize> = disputed.iter().map(|&(index, _)| index).collect();
    let mut first_again = recount(kernel, &places)?;
    first_again.sort_unstable();
    let mut second_again = recount(second, &places)?;
    second_again.sort_unstable();
    let disputes = disputed
        .iter()
        .zip(first_again.iter().zip(&second_again))
        .map(
            |(&(index, other), (&(_, first_again), &(_, other_again)))| {
                let first = ledger.get(index).expect("the ledger is complete");
                Dispute {
                    index,
                    first: [first, first_again],
                    second: [other, other_again],
                }
            },
        )
        .collect();
    Err(Disagreement {
        kernel,
        second,
        checked,
        disputes,
    }
    .into())
}

#[cfg(test)]
mod tests {
    use super::super::plan::Plan;
    use super::*;
    use crate::board::Board;
    use std::time::Duration;

    const FIRST: Kernel = Kernel::Scalar;

    /// A ledger of ten subproblems, each contributing its own place.
    fn ledger() -> Ledger {
        let plan = Plan::new(Board::new(6).unwrap(), Engine::Bitboard).unwrap();
        Ledger::resumed_from(&plan, (0..10).map(Some).collect(), Duration::ZERO)
    }

    /// Compares everything, with a recount that answers as told: call number, kernel, place.
    fn compared(answer: impl Fn(usize, Kernel, usize) -> u64) -> Result<DoubleCheck, Disagreement> {
        let everything = sample(100.0, 10, &mut fastrand::Rng::with_seed(1));
        let mut calls = 0;
        let mut recount = |kernel: Kernel, places: &[usize]| {
            calls += 1;
            let count = |&place: &usize| (place, answer(calls, kernel, place));
            Ok(places.iter().rev().map(count).collect())
        };
        let kernels = [FIRST, second_kernel(Engine::Bitboard, FIRST)];
        compare(&ledger(), &everything, kernels, &mut recount)
    }

    fn dispute(outcome: Result<DoubleCheck, Disagreement>) -> Dispute {
        match outcome {
            Err(found) => found.disputes[0].clone(),
            other => panic!("no disagreement: {other:?}"),
        }
    }

    #[test]
    fn agreement_names_another_kernel() {
        let outcome = compared(|_, _, place| place as u64).unwrap();
        assert_eq!((outcome.checked, outcome.of), (10, 10));
        assert_ne!(outcome.second, FIRST);
        assert!(!outcome.to_string().contains("would not show"));
    }

    #[test]
    fn a_kernel_that_repeats_its_mistake_is_software() {
        let found = dispute(compared(|_, kernel, place| {
            place as u64 + u64::from(kernel != FIRST && place == 3)
        }));
        assert_eq!((found.index, found.is_hardware()), (3, false));
        assert_eq!((found.first, found.second), ([3, 3], [4, 4]));
    }

    #[test]
    fn a_first_count_that_nobody_repeats_is_hardware() {
        // The ledger holds 3 for place 3, and every recount says 5.
        let found = dispute(compared(
            |_, _, place| if place == 3 { 5 } else { place as u64 },
        ));
        assert_eq!((found.index, found.is_hardware()), (3, true));
        assert_eq!((found.first, found.second), ([3, 5], [5, 5]));
    }

    #[test]
    fn a_second_count_that_is_not_repeated_is_hardware() {
        let found = dispute(compared(|call, _, place| {
            place as u64 + u64::from(call == 1 && place == 7)
        }));
        assert_eq!((found.index, found.is_hardware()), (7, true));
        assert_eq!((found.first, found.second), ([7, 7], [8, 7]));
    }

    #[test]
    fn a_sample_is_distinct_and_as_large_as_asked() {
        for (percent, len, size) in [(100.0, 50, 50), (10.0, 50, 5), (0.1, 50, 1), (50.0, 0, 0)] {
            for seed in 0..20 {
                let places = sample(percent, len, &mut fastrand::Rng::with_seed(seed));
                assert_eq!(places.len(), size);
                assert!(places.windows(2).all(|pair| pair[0] < pair[1]));
                assert!(places.iter().all(|&place| place < len));
            }
        }
        let samples: std::collections::HashSet<_> = (0..20)
            .map(|seed| sample(10.0, 50, &mut fastrand::Rng::with_seed(seed)))
            .collect();
        assert!(samples.len() > 10, "samples hardly differ");
    }

    #[test]
    fn a_check_that_could_not_have_found_anything_says_so() {
        let outcome = |checked, second| DoubleCheck {
            checked,
            of: 10,
            kernel: FIRST,
            second,
        };
        assert!(outcome(5, FIRST).to_string().contains("would not show"));
        let nothing = outcome(0, Kernel::Reference).to_string();
        assert!(nothing.contains("nothing to check"));
    }
}
