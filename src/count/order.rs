//! The order in which subproblems are counted: at any moment the completed ones are spread evenly over the plan, so
//! their times predict those of the others.
//!
//! The index advances by the golden section of the length, modulo the length. Any first few indices are spread nearly
//! evenly (S. Swierczkowski, 1958: the three gap theorem; D. E. Knuth, The Art of Computer Programming 3, section 6.4).

use std::ops::Range;

/// Splits the indices below `len` into runs of `run` neighbours, where the last may be shorter. They are ordered so
/// that the first few are spread evenly.
pub(super) fn spread(len: usize, run: usize) -> impl Iterator<Item = Range<usize>> + Clone {
    let runs = len.div_ceil(run);
    let golden = (5_f64.sqrt() - 1.0) / 2.0;
    let near = (runs as f64 * golden).round() as usize;
    let steps = near.saturating_sub(8).max(1)..near + 8;
    let best = steps.min_by_key(|&step| largest_quotient(step, runs));
    // For some lengths, such as 3,395,490, all of these steps have a common factor with the length.
    let step = (best.unwrap_or(1)..).find(|&step| largest_quotient(step, runs) < usize::MAX);
    let step = step.expect("a coprime step");
    let starts = std::iter::successors(Some(runs / 2), move |&index| Some((index + step) % runs));
    starts.take(runs).map(move |index| {
        let start = index * run;
        start..(start + run).min(len)
    })
}

/// Returns the largest quotient in the continued fraction of `a / b`, or `usize::MAX` if `a` and `b` have a common
/// factor. Small quotients spread the multiples of `a` modulo `b` evenly. With a common factor they miss some residues.
fn largest_quotient(mut a: usize, mut b: usize) -> usize {
    let mut largest = 0;
    while b > 0 {
        largest = largest.max(a / b);
        (a, b) = (b, a % b);
    }
    if a == 1 { largest } else { usize::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_index_occurs_once(len in prop_oneof![0_usize..300, 60_000_usize..70_000], run in 1..=64_usize) {
            let mut all: Vec<_> = spread(len, run).flatten().collect();
            all.sort_unstable();
            prop_assert!(all.into_iter().eq(0..len));
        }

        /// Each quarter contains about a quarter of the first indices.
        #[test]
        fn the_first_are_spread_evenly(len in 20_usize..2_000, fraction in 0.1..1.0_f64) {
            let first = (len as f64 * fraction).ceil() as usize;
            let even = first as f64 / 4.0;
            for quarter in 0..4 {
                let inside = |&index: &usize| 4 * index / len == quarter;
                let inside = spread(len, 1).flatten().take(first).filter(inside).count() as f64;
                prop_assert!((inside - even).abs() <= 3.0 + 0.1 * even, "{}", inside);
            }
        }
    }

    /// All steps near the golden section of this length have a common factor with it.
    #[test]
    fn every_index_occurs_once_if_no_near_step_is_coprime() {
        let len = 3_395_490;
        let mut seen = vec![false; len];
        for index in spread(len, 1).flatten() {
            assert!(
                !std::mem::replace(&mut seen[index], true),
                "{index} occurs twice"
            );
        }
        assert!(seen.into_iter().all(|seen| seen));
    }

    #[test]
    fn long_orders_are_lazy() {
        assert_eq!(spread(300_000_000, 64).take(100).count(), 100);
    }
}
