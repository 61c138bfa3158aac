//! Order in which subproblems are counted. At any moment, the completed subproblems are evenly
//! distributed over the plan, so their running times predict those of the others.
//!
//! Indices advance by the golden section of the length, modulo the length. Any prefix is nearly
//! evenly distributed (three-gap theorem: S. Swierczkowski, 1958; D. E. Knuth, The Art of Computer
//! Programming 3, section 6.4).

use std::ops::Range;

/// Splits the indices below `len` into stretches of `stretch` consecutive indices and returns the
/// stretches in stride order. The one with the highest indices may be shorter.
pub(super) fn stride_order(
    len: usize,
    stretch: usize,
) -> impl Iterator<Item = Range<usize>> + Clone {
    let stretches = len.div_ceil(stretch);
    let golden = (5_f64.sqrt() - 1.0) / 2.0;
    let near = (stretches as f64 * golden).round() as usize;
    let strides = near.saturating_sub(8).max(1)..near + 8;
    let best = strides.min_by_key(|&stride| largest_quotient(stride, stretches));
    // For some lengths, such as 3,395,490, all of these strides have a common factor with the
    // length.
    let stride =
        (best.unwrap_or(1)..).find(|&stride| largest_quotient(stride, stretches) < usize::MAX);
    let stride = stride.expect("some stride is coprime");
    let starts = std::iter::successors(Some(stretches / 2), move |&index| {
        Some((index + stride) % stretches)
    });
    starts.take(stretches).map(move |index| {
        let start = index * stretch;
        start..(start + stretch).min(len)
    })
}

/// Returns the largest quotient in the continued fraction of `a / b`, or `usize::MAX` if they have
/// a common factor. Small quotients distribute the multiples of `a` evenly modulo `b`. With a
/// common factor, multiples miss residues.
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
        fn every_index_occurs_once(len in prop_oneof![0_usize..300, 60_000_usize..70_000], stretch in 1..=64_usize) {
            let mut all: Vec<_> = stride_order(len, stretch).flatten().collect();
            all.sort_unstable();
            prop_assert!(all.into_iter().eq(0..len));
        }

        /// Checks that each quarter of the indices contains about a quarter of any prefix of the
        /// order.
        #[test]
        fn prefixes_are_evenly_distributed(len in 20_usize..2_000, fraction in 0.1..1.0_f64) {
            let first = (len as f64 * fraction).ceil() as usize;
            let even = first as f64 / 4.0;
            for quarter in 0..4 {
                let inside = |&index: &usize| 4 * index / len == quarter;
                let inside = stride_order(len, 1).flatten().take(first).filter(inside).count() as f64;
                prop_assert!((inside - even).abs() <= 3.0 + 0.1 * even, "{}", inside);
            }
        }
    }

    /// All strides near the golden section of this length have a common factor with the length.
    #[test]
    fn every_index_occurs_once_if_no_near_stride_is_coprime() {
        let len = 3_395_490;
        let mut seen = vec![false; len];
        for index in stride_order(len, 1).flatten() {
            assert!(!std::mem::replace(&mut seen[index], true), "{index} occurs twice");
        }
        assert!(seen.into_iter().all(|seen| seen));
    }

    #[test]
    fn long_orders_are_lazy() {
        assert_eq!(stride_order(300_000_000, 64).take(100).count(), 100);
    }
}
