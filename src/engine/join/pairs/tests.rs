//! Tests that compare pair counts with brute force.

use fastrand::Rng;

use super::*;
use crate::engine::Engine;
use crate::engine::join::pattern::{Layout, Side};
use crate::engine::tests::kernels;

fn check_pairs(n: usize, east: &[u64], west: &[Vec<u64>; 3], scratch: &mut PairScratch) {
    let partners = |w: &u64| east.iter().filter(|&e| e & w == 0).count() as u64;
    let expected = [0, 1, 2].map(|class| west[class].iter().map(partners).sum::<u64>());
    let layout = Layout::new(n, Side::East);
    for kernel in kernels(Engine::Join) {
        let isa = Isa::detect(kernel).unwrap();
        let (mut list, mut queries) = (List::default(), List::default());
        for list in [&mut list, &mut queries] {
            list.resize(0, layout.pattern_width()).unwrap();
        }
        list.push_all(east);
        let ranges = west.each_ref().map(|patterns| {
            let start = queries.len();
            queries.push_all(patterns);
            start..queries.len()
        });
        let (open, number) = (layout.bits(), queries.len());
        let never = CancelToken::new();
        sort_east(isa, &mut list, (&queries, &ranges), (number, open), scratch).unwrap();
        let lens = (list.len(), ranges.clone());
        for kept in [true, false] {
            let of = (&mut queries, ranges.clone(), kept);
            let counts = count(isa, (0, open), &list, of, scratch, &never).unwrap();
            assert_eq!(counts, expected, "{kernel} N={n}, {lens:?} patterns, {kept}");
        }
    }
}

/// Returns random patterns for size `n`. Each bit is set with a probability of about a third.
fn patterns(random: &mut Rng, n: usize, len: usize) -> Vec<u64> {
    let layout = Layout::new(n, Side::East);
    let bits = layout.priority.iter().fold(0, |all, bit| all | 1 << bit);
    let mut next = || random.u64(..);
    (0..len).map(|_| next() & (next() | next() & next()) & next() & bits).collect()
}

#[test]
fn pairs_in_full_partial_and_empty_blocks() {
    let mut random = Rng::with_seed(1);
    for n in [10, 13, 16, 18, 20, 24, 28, 31, 32] {
        let mut scratch = PairScratch::default();
        let sizes = [0, 1, 15, 16, 17, 511, 512, 513, 1024, 1025, 4096, 4097, 5000];
        let few = sizes.map(|size| (size, [0, 7, 33]));
        // The last case has enough queries to be partitioned.
        for (east, west) in few.into_iter().chain([(1500, [1000, 4000, 3000])]) {
            let east = patterns(&mut random, n, east);
            let west = west.map(|len| patterns(&mut random, n, len));
            check_pairs(n, &east, &west, &mut scratch);
        }
    }
}

/// The east patterns do not fit in the cache, so they are cut first. Each range then partitions the
/// same queries, by a bit that a census chooses.
#[test]
fn ranges_of_long_lists_partition_their_own_queries() {
    let mut random = Rng::with_seed(1);
    let east = patterns(&mut random, 24, CACHED + 5000);
    let west = [500, 2000, 1500].map(|len| patterns(&mut random, 24, len));
    check_pairs(24, &east, &west, &mut PairScratch::default());
}

/// Runs under Miri. Covers patterns of more than 32 bits, two blocks, and queries that are filtered
/// out.
#[test]
fn small_boards_and_lists_of_larger_ones() {
    let mut random = Rng::with_seed(1);
    let east = patterns(&mut random, 20, BLOCK + 3);
    let west = [5, 0, 12].map(|len| patterns(&mut random, 20, len));
    check_pairs(20, &east, &west, &mut PairScratch::default());
}
