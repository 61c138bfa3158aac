//! In which order subproblems are counted: so that those done at any moment are spread evenly over all of them, and
//! what they took says what the others will take.
//!
//! Places are taken at steps of the golden section of their number, around and around. Any first few of them lie about
//! evenly (S. Swierczkowski, 1958: the three gap theorem; D. E. Knuth, The Art of Computer Programming 3, section 6.4).

use std::ops::Range;

/// The numbers below `len`, in runs of so many neighbours, the last of which may be shorter. The first runs are spread
/// evenly.
pub(super) fn spread(len: usize, run: usize) -> impl Iterator<Item = Range<usize>> + Clone {
    let runs = len.div_ceil(run);
    let golden = (5_f64.sqrt() - 1.0) / 2.0;
    let near = (runs as f64 * golden).round() as usize;
    let steps = near.saturating_sub(8).max(1)..near + 8;
    let step = steps.min_by_key(|&step| largest_quotient(step, runs));
    let step = step.unwrap_or(1);
    let starts = std::iter::successors(Some(runs / 2), move |&place| Some((place + step) % runs));
    starts.take(runs).map(move |place| {
        let start = place * run;
        start..(start + run).min(len)
    })
}

/// The largest number in the continued fraction of `a / b`: the smaller it is, the more evenly lie the multiples of `a`
/// around a circle of `b` places. The largest of all if `a` and `b` have a common factor: not all places are met then.
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
        fn every_number_comes_once(len in prop_oneof![0_usize..300, 60_000_usize..70_000], run in 1..=64_usize) {
            let mut all: Vec<_> = spread(len, run).flatten().collect();
            all.sort_unstable();
            prop_assert!(all.into_iter().eq(0..len));
        }

        /// Each quarter has about its share of the first so many.
        #[test]
        fn the_first_are_spread_evenly(len in 20_usize..2_000, part in 0.1..1.0_f64) {
            let first = (len as f64 * part).ceil() as usize;
            let even = first as f64 / 4.0;
            for quarter in 0..4 {
                let inside = |&place: &usize| 4 * place / len == quarter;
                let share = spread(len, 1).flatten().take(first).filter(inside).count() as f64;
                prop_assert!((share - even).abs() <= 3.0 + 0.1 * even, "{}", share);
            }
        }
    }

    #[test]
    fn the_first_of_very_many_come_at_once() {
        assert_eq!(spread(300_000_000, 64).take(100).count(), 100);
    }
}
