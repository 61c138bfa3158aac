//! Counting the disjoint pairs of two lists of patterns, hundreds at a time.
//!
//! East patterns are sorted by their most frequent bits and cut into **blocks** of 512. West patterns, here called
//! queries, are then scanned block by block:
//!
//! - Where there are many queries they are first split into classes that agree on the most frequent bits, and each class
//!   goes against those east patterns alone that do not conflict with what it agrees on.
//! - Bits that all patterns of a block have rule queries out: those are left out (a **filter**), for eight blocks
//!   together first and then for each of them.
//! - A **visit** then tells for one query which of the 512 it goes with: see [`block`](super::block).

use super::block::{BLOCK, BlockTables, build, lookups, scan, summary};
use super::list::List;
use super::pattern::Layout;
use super::select::{Queries, filter, lacking, sort};
use super::stats::{Phase, Probe};
use crate::engine::simd::InstructionSet;

/// Blocks that share a first filter.
const GROUP: usize = 8;
/// Queries that a class should have if they are split. From half as many to twice as many, the whole takes as long.
const SPLIT: usize = 1300;
/// Bits by which queries are split at most.
const MAX_SPLIT: u32 = 8;

/// Memory for counting, kept from one row set to the next.
#[derive(Debug, Default)]
pub(crate) struct PairScratch {
    sorted: List,
    spare: List,
    classes: [Class; 2],
    work: Work,
}

/// Queries that agree on some bits, and the east patterns that may go with them.
#[derive(Debug, Default)]
struct Class {
    east: List,
    west: Queries,
}

/// Memory for counting one class.
#[derive(Debug, Default)]
struct Work {
    group: Queries,
    block: Queries,
    tables: Box<BlockTables>,
    /// Disjoint pairs found so far, for each weight class.
    counts: [u64; 3],
}

/// Counts, for each weight class of queries, the disjoint pairs of an east pattern and a query. Reorders `east`.
///
/// The numbers of pairs are below 2^63 where the lists are of half-boards with N <= 27, since they number solutions.
#[inline(always)]
pub(crate) fn count<I: InstructionSet, const WIDE: bool>(
    isa: I,
    layout: &Layout,
    east: &mut List,
    west: &Queries,
    scratch: &mut PairScratch,
    probe: &mut Probe<'_>,
) -> [u64; 3] {
    assert_eq!(
        WIDE,
        layout.high_bits > 0,
        "lists are as wide as the layout says"
    );
    let PairScratch {
        sorted,
        spare,
        classes,
        work,
    } = scratch;
    if east.is_empty() || west.list.is_empty() {
        return [0; 3];
    }
    work.counts = [0; 3];
    let split = split_bits(east.len(), west.list.len());
    let start = probe.start();
    sort::<I, WIDE>(isa, &layout.priority[split..], east, sorted, spare);
    probe.stop(Phase::Sort, start);
    // The guard, which no query has, is as good as decided.
    let decided = layout.priority[..split]
        .iter()
        .fold(layout.guard, |all, bit| all | 1 << bit);
    // Every class is a pass over the queries, so many classes are made in two steps. (One class is none.)
    let (first, second) = layout.priority[..split].split_at(split / 2);
    let [coarse, fine] = classes;
    for chosen in 0..1 << first.len() {
        let (east, west) = divide::<I, WIDE>(isa, east, west, first, chosen, coarse, probe);
        for chosen in 0..1 << second.len() {
            let (east, west) = divide::<I, WIDE>(isa, east, west, second, chosen, fine, probe);
            if !west.list.is_empty() {
                count_class::<I, WIDE>(isa, layout, east, west, decided, work, probe);
            }
        }
    }
    work.counts
}

/// Of a list of east patterns and of queries, those queries that have exactly the chosen ones of some bits, and the east
/// patterns that have none of the chosen. Bit i of `chosen` is for the i-th of the bits.
#[inline(always)]
fn divide<'a, I: InstructionSet, const WIDE: bool>(
    isa: I,
    east: &'a mut List,
    west: &'a Queries,
    bits: &[u32],
    chosen: u32,
    class: &'a mut Class,
    probe: &mut Probe<'_>,
) -> (&'a mut List, &'a Queries) {
    if bits.is_empty() {
        return (east, west);
    }
    let all = bits.iter().fold(0u64, |all, bit| all | 1 << bit);
    let having = bits.iter().enumerate().fold(0u64, |having, (i, bit)| {
        having | u64::from(chosen >> i & 1) << bit
    });
    let start = probe.start();
    filter::<I, WIDE>(isa, west, all, having, &mut class.west);
    probe.record(|stats| stats.filtered += west.list.len() as u64);
    let east = if having == 0 || class.west.list.is_empty() {
        east
    } else {
        lacking::<I, WIDE>(isa, east, having, &mut class.east);
        probe.record(|stats| stats.filtered += east.len() as u64);
        &mut class.east
    };
    probe.stop(Phase::Filter, start);
    (east, &class.west)
}

/// By how many of the most frequent bits the queries are split.
///
/// Each bit saves about a sixth of the visits and multiplies the number of blocks by 1.5. Building a block costs as much
/// as some 250 visits, which pays as long as a class of queries has a few thousand.
fn split_bits(east: usize, west: usize) -> usize {
    if east <= BLOCK {
        0
    } else {
        (west / SPLIT).checked_ilog2().unwrap_or(0).min(MAX_SPLIT) as usize
    }
}

/// Counts the disjoint pairs of sorted east patterns and queries, of which the bits `decided` are known not to conflict.
#[inline(always)]
fn count_class<I: InstructionSet, const WIDE: bool>(
    isa: I,
    layout: &Layout,
    east: &mut List,
    west: &Queries,
    decided: u64,
    work: &mut Work,
    probe: &mut Probe<'_>,
) {
    let Work {
        group,
        block,
        tables,
        counts,
    } = work;
    let mut at = 0;
    while at < east.len() {
        let in_group = (east.len() - at).min(GROUP * BLOCK);
        let group_has = if in_group > BLOCK {
            summary::<I, WIDE>(isa, east, at..at + in_group, decided).all
        } else {
            0
        };
        let from_group = without::<I, WIDE>(isa, west, group_has, group, probe);
        for at in (at..at + in_group).step_by(BLOCK) {
            let size = (east.len() - at).min(BLOCK);
            let summary = summary::<I, WIDE>(isa, east, at..at + size, decided);
            let more = summary.all & !group_has;
            let queries = without::<I, WIDE>(isa, from_group, more, block, probe);
            if queries.list.is_empty() {
                continue;
            }
            let lookups = lookups(summary);
            let start = probe.start();
            build::<I, WIDE>(isa, layout, east, at, size, lookups, tables);
            probe.stop(Phase::Build, start);
            let start = probe.start();
            for (class, count) in counts.iter_mut().enumerate() {
                let words = queries.list.words::<WIDE>(queries.range(class));
                *count += scan::<I, WIDE>(isa, tables, lookups, words);
            }
            probe.stop(Phase::Scan, start);
            probe.record(|stats| {
                let visits = queries.list.len() as u64;
                stats.blocks += 1;
                stats.filled += size as u64;
                stats.visits += visits;
                stats.pairs += visits * size as u64;
                stats.lookups += visits * u64::from(lookups);
            });
        }
        at += in_group;
    }
}

/// The queries that have none of some bits: all where there are no bits, or else those copied to `to`.
#[inline(always)]
fn without<'a, I: InstructionSet, const WIDE: bool>(
    isa: I,
    from: &'a Queries,
    bits: u64,
    to: &'a mut Queries,
    probe: &mut Probe<'_>,
) -> &'a Queries {
    if bits == 0 {
        return from;
    }
    let start = probe.start();
    filter::<I, WIDE>(isa, from, bits, 0, to);
    probe.stop(Phase::Filter, start);
    probe.record(|stats| stats.filtered += from.list.len() as u64);
    to
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;
    use proptest::prelude::*;

    use super::*;
    use crate::engine::Engine;
    use crate::engine::simd::{Aligned, Row, Task, with_blocks};
    use crate::engine::tests::kernels;

    /// The task to transpose words into bit planes.
    struct Planes<'a>(&'a [Aligned<[u32; 16]>; 32], &'a mut [Row; 32]);

    impl Task for Planes<'_> {
        type Output = ();

        fn run<I: InstructionSet>(self, isa: I) {
            isa.planes(self.0, self.1);
        }
    }

    /// The task to count pairs, in lists as wide as the layout says.
    struct CountPairs<'a> {
        layout: &'a Layout,
        east: &'a mut List,
        west: &'a Queries,
        scratch: &'a mut PairScratch,
    }

    impl Task for CountPairs<'_> {
        type Output = [u64; 3];

        fn run<I: InstructionSet>(self, isa: I) -> [u64; 3] {
            let (layout, east, west, scratch) = (self.layout, self.east, self.west, self.scratch);
            if layout.high_bits > 0 {
                count::<I, true>(isa, layout, east, west, scratch, &mut Probe(None))
            } else {
                count::<I, false>(isa, layout, east, west, scratch, &mut Probe(None))
            }
        }
    }

    fn check_pairs(n: usize, east: &[u64], west: &[Vec<u64>; 3], scratch: &mut PairScratch) {
        let partners = |w: &u64| east.iter().filter(|&e| e & w == 0).count() as u64;
        let expected = [0, 1, 2].map(|class| west[class].iter().map(partners).sum::<u64>());
        let layout = Layout::new(n);
        let mut queries = Queries::default();
        for (class, patterns) in west.iter().enumerate() {
            queries.list.push_all(patterns);
            queries.ends[class] = queries.list.len();
        }
        for kernel in kernels(Engine::Join) {
            let mut list = List::default();
            list.push_all(east);
            let task = CountPairs {
                layout: &layout,
                east: &mut list,
                west: &queries,
                scratch,
            };
            let counts = with_blocks(kernel, task);
            let lens = (east.len(), queries.ends);
            assert_eq!(counts, Some(expected), "{kernel} N={n}, {lens:?} patterns");
        }
    }

    /// Sparse patterns of the layout for N: about a third of the bits are set.
    fn patterns(random: &mut Rng, n: usize, len: usize) -> Vec<u64> {
        let layout = Layout::new(n);
        let bits = layout.priority.iter().fold(0, |all, bit| all | 1 << bit);
        let mut next = || random.u64(..);
        (0..len)
            .map(|_| next() & (next() | next() & next()) & next() & bits)
            .collect()
    }

    #[test]
    fn pairs_with_blocks_full_short_over_and_empty() {
        let mut scratch = PairScratch::default();
        let mut random = Rng::with_seed(1);
        for n in [16, 18, 20, 24] {
            let sizes = [
                0, 1, 15, 16, 17, 511, 512, 513, 1024, 1025, 4096, 4097, 5000,
            ];
            let few = sizes.map(|size| (size, [0, 7, 33]));
            // At last enough queries to split them.
            for (east, west) in few.into_iter().chain([(1500, [1000, 4000, 3000])]) {
                let east = patterns(&mut random, n, east);
                let west = west.map(|len| patterns(&mut random, n, len));
                check_pairs(n, &east, &west, &mut scratch);
            }
        }
    }

    /// Small enough for an interpreter that checks every access (miri): patterns of more than 32 bits, two blocks, and
    /// queries that are filtered.
    #[test]
    fn small_boards_and_lists_of_larger_ones() {
        let mut random = Rng::with_seed(1);
        let east = patterns(&mut random, 20, BLOCK + 3);
        let west = [5, 0, 12].map(|len| patterns(&mut random, 20, len));
        check_pairs(20, &east, &west, &mut PairScratch::default());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn planes_are_a_transposition(words in prop::collection::vec(any::<u32>(), 512)) {
            let lines = std::array::from_fn(|i| Aligned(std::array::from_fn(|j| words[16 * i + j])));
            for kernel in kernels(Engine::Join) {
                let mut planes = [Row::EMPTY; 32];
                with_blocks(kernel, Planes(&lines, &mut planes)).unwrap();
                for (b, plane) in planes.iter().enumerate() {
                    for (j, word) in words.iter().enumerate() {
                        let lacks = plane.0[j / 64] >> (j % 64) & 1 == 1;
                        assert_eq!(lacks, word >> b & 1 == 0, "{kernel}: bit {b} of word {j}");
                    }
                }
            }
        }

        #[test]
        fn pairs_are_those_of_brute_force(
            seed in any::<u64>(),
            n in 10usize..=24,
            east in 0usize..1700,
            west in prop::array::uniform3(0usize..3000),
        ) {
            let mut random = Rng::with_seed(seed);
            let east = patterns(&mut random, n, east);
            let west = west.map(|len| patterns(&mut random, n, len));
            check_pairs(n, &east, &west, &mut PairScratch::default());
        }
    }
}
