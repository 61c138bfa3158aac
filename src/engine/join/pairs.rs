//! Counts the disjoint pairs of two lists of patterns, testing hundreds of pairs at a time.
//!
//! The east patterns are sorted by the bits that conflict most often. The west patterns are called
//! queries. Each step of a recursion divides whichever side is cheaper to divide. The recursion
//! ends with a **block** of 512 east patterns and the queries that may be disjoint from some of
//! them. There are three operations:
//!
//! - If there are many queries, they are **partitioned** by a bit. Queries that have the bit can
//!   match only east patterns that lack it, so these are copied and matched alone. Queries that
//!   lack the bit are matched with all east patterns.
//! - If the east patterns do not fit in the cache, or if there are few queries, the east patterns
//!   are **cut** into contiguous ranges. If all patterns of a range have a bit, queries with this
//!   bit conflict with the whole range and are **filtered** out.
//! - A **visit** finds the patterns of a block that are disjoint from one query: see
//!   [`block`](super::block).

use std::ops::Range;

use super::block::{BlockTables, Summary, build, scan, summarize};
use super::census::{Order, most_conflicting_bit};
use super::list::{BLOCK, List, Ranges, total_len};
use super::passes::{filter, partition, sort};
use super::stats::{self, Phase};
use crate::engine::cancel::CancelToken;
use crate::engine::interruption::Interruption;
use crate::engine::simd::Isa;

/// Minimum number of queries in a part, for patterns of one and of two words. Queries are
/// partitioned only if there are at least twice as many. At N = 22, a minimum of 1,000 is equally
/// fast and one of 2,600 takes 5 % longer.
const MIN_PART: [usize; 2] = [1000, 1300];
/// Maximum number of pieces into which one step cuts the east patterns.
const PIECES: usize = 4;
/// Number of east patterns that fit in the L2 cache.
const CACHED: usize = 128 * BLOCK;
/// East patterns that do not fit in the cache are cut, rather than the queries partitioned, if they
/// are at least this many times as numerous as the queries.
const LONGER: usize = 8;
/// Minimum number of blocks for which the east patterns are sorted by two additional bits.
const MANY_BLOCKS: usize = 256;
/// A node with at least this many pairs takes a census of its own to choose its bit.
///
/// A census takes as long as about 450 visits. At nodes of 30 to 100 million pairs, it saves on
/// average 370 visits at N = 20, 1,010 at 22 and 810 at 24; at nodes of 10 to 30 million, 130 at
/// N = 18, 280 at 20, 500 at 22 and 550 at 24.
const CENSUS_PAIRS: usize = 30_000_000;

/// Scratch memory that is reused for each row set.
#[derive(Debug, Default)]
pub(crate) struct PairScratch {
    order: Order,
    /// Mask of the bits by which the east patterns were sorted.
    sorted: u64,
    scratch: DepthScratch,
    tables: Box<BlockTables>,
}

/// Scratch memory of one depth of the recursion.
#[derive(Debug, Default)]
struct DepthScratch {
    /// Queries that passed the filter.
    west: List,
    /// East patterns that have none of the excluded bits.
    east: List,
    summaries: Vec<Summary>,
    next: Option<Box<DepthScratch>>,
}

impl PairScratch {
    /// Returns the size of the lists in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let depths = std::iter::successors(Some(&self.scratch), |scratch| scratch.next.as_deref());
        depths.flat_map(|scratch| [&scratch.west, &scratch.east]).map(List::bytes).sum()
    }
}

/// Returns the number of bits by which `queries` queries are partitioned, assuming that all parts
/// have the same size.
///
/// Each bit saves about a fifth of the visits and multiplies the number of blocks by 1.5. Building
/// a block takes as long as about 250 visits. That alone would pay off from about 600 queries on;
/// the measured optimum is [`MIN_PART`].
fn split_bits(width: usize, queries: usize) -> usize {
    let part = MIN_PART[width - 1];
    (queries / part).checked_ilog2().unwrap_or(0) as usize
}

/// Sorts east patterns by the bits that conflict most often, skipping those by which the queries
/// will be partitioned. Patterns with a bit come last, because the last block is often only partly
/// filled, and their common bits rule out most of its queries. `queries` is the number of all
/// queries, and `west` contains some or all of them.
pub(crate) fn sort_east(
    isa: Isa,
    east: &mut List,
    west: (&List, &Ranges),
    (queries, open): (usize, u64),
    scratch: &mut PairScratch,
) -> Result<(), Interruption> {
    if east.len() <= BLOCK / 2 {
        return Ok(());
    }
    let PairScratch { order, sorted, scratch, .. } = scratch;
    let _timer = stats::time(Phase::Sort);
    order.find(isa, east, west, open);
    let blocks = east.len().div_ceil(BLOCK);
    let more = if blocks < MANY_BLOCKS { 0 } else { 2 };
    let enough = blocks.ilog2() as usize + more;
    let split = if east.len() <= BLOCK { 0 } else { split_bits(east.width(), queries) };
    let bits = order.bits.get(split..).unwrap_or_default();
    let key = &bits[..enough.min(bits.len())];
    *sorted = key.iter().fold(0, |sorted, bit| sorted | 1 << bit);
    sort(isa, key, 0..east.len(), east, &mut scratch.east)
}

/// Counts the disjoint pairs of an east pattern and a query. Returns one count for each of the
/// three ranges of queries, whose pairs have different symmetry weights (see
/// [`symmetry`](super::symmetry)). All queries must have the `required` bits and agree on all bits
/// that are not `open`. If `kept` is true, the queries keep their order. Panics if the number of
/// pairs does not fit in 64 bits.
pub(crate) fn count(
    isa: Isa,
    (required, open): (u64, u64),
    east: &List,
    (west, ranges, kept): (&mut List, Ranges, bool),
    scratch: &mut PairScratch,
    cancel: &CancelToken,
) -> Result<[u64; 3], Interruption> {
    let pairs = (east.len() as u64).checked_mul(west.len() as u64);
    assert!(pairs.is_some(), "the number of pairs fits");
    let PairScratch { order, sorted, scratch, tables } = scratch;
    let (order, sorted) = (&order.bits[..], *sorted);
    let mut count = PairCount { isa, order, sorted, tables, counts: [0; 3], cancel };
    let range = 0..east.len();
    let node = |west, ranges| Node { east, range, west, ranges, open, summaries: None };
    if kept {
        let DepthScratch { west: copy, next, .. } = scratch;
        let ranges = filter(isa, west, &ranges, 0, copy)?;
        count.count(required, node(copy, ranges), next.get_or_insert_default())?;
    } else {
        count.count(required, node(west, ranges), scratch)?;
    }
    Ok(count.counts)
}

/// A node of the recursion: the east patterns and queries whose disjoint pairs are counted.
struct Node<'a> {
    east: &'a List,
    /// Index range of the east patterns. It starts at a multiple of [`BLOCK`].
    range: Range<usize>,
    /// List of the queries.
    west: &'a mut List,
    ranges: Ranges,
    /// Bits in which a pattern and a query can conflict.
    open: u64,
    /// Summaries of the blocks of the range, if already computed.
    summaries: Option<&'a [Summary]>,
}

impl Node<'_> {
    fn queries(&self) -> usize {
        total_len(&self.ranges)
    }
}

/// State of the recursion.
struct PairCount<'a> {
    isa: Isa,
    /// Bits by which queries of small nodes are partitioned, in order.
    order: &'a [u8],
    /// Mask of the bits by which the east patterns were sorted.
    sorted: u64,
    tables: &'a mut BlockTables,
    /// Number of disjoint pairs found for each of the three ranges of queries.
    counts: [u64; 3],
    cancel: &'a CancelToken,
}

impl PairCount<'_> {
    /// Counts the disjoint pairs of a node whose east patterns have none of the excluded bits.
    fn count(
        &mut self,
        excluded: u64,
        node: Node<'_>,
        scratch: &mut DepthScratch,
    ) -> Result<(), Interruption> {
        if node.range.is_empty() || node.queries() == 0 {
            return Ok(());
        }
        self.cancel.check()?;
        if excluded != 0 {
            let DepthScratch { east, next, .. } = scratch;
            self.filter(node.east, &[node.range, 0..0, 0..0], excluded, east)?;
            let node = Node { range: 0..east.len(), east, summaries: None, ..node };
            return self.count(0, node, next.get_or_insert_default());
        }
        match self.bit(&node) {
            Some(bit) => self.partition(bit, node, scratch),
            None => self.cut(node, scratch),
        }
    }

    /// Returns the bit by which the queries of a node are partitioned, or `None` if its east
    /// patterns are cut.
    fn bit(&self, node: &Node<'_>) -> Option<u8> {
        let (len, queries) = (node.range.len(), node.queries());
        let is_cheap = len <= CACHED || len < LONGER * queries;
        let is_many = split_bits(node.east.width(), queries) > 0;
        if len <= BLOCK || !is_many || !is_cheap {
            return None;
        }
        if len.saturating_mul(queries) >= CENSUS_PAIRS {
            let (east, west) = ((node.east, node.range.clone()), (&*node.west, &node.ranges));
            let open = node.open & !self.sorted;
            if let Some(bit) = most_conflicting_bit(self.isa, east, west, open) {
                return Some(bit);
            }
        }
        self.order.iter().copied().find(|bit| node.open >> bit & 1 == 1)
    }

    /// Counts the pairs of a node separately for the queries with a bit and those without it.
    fn partition(
        &mut self,
        bit: u8,
        node: Node<'_>,
        scratch: &mut DepthScratch,
    ) -> Result<(), Interruption> {
        // The node of the queries with the bit uses the other lists of this depth.
        let mut west = std::mem::take(&mut scratch.west);
        let timer = stats::time(Phase::Sort);
        let [with, without] = partition(self.isa, bit, node.west, &node.ranges, &mut west)?;
        drop(timer);
        let (range, open) = (node.range.clone(), node.open & !(1 << bit));
        self.count(1 << bit, Node { range, west: &mut west, ranges: with, open, ..node }, scratch)?;
        scratch.west = west;
        self.count(0, Node { ranges: without, open, ..node }, scratch)
    }

    /// Cuts the east patterns of a node into ranges, and counts the pairs of each.
    fn cut(&mut self, node: Node<'_>, scratch: &mut DepthScratch) -> Result<(), Interruption> {
        let Node { east, range: all, west, ranges, .. } = node;
        let DepthScratch { west: left, summaries, next, .. } = scratch;
        let next = next.get_or_insert_default();
        let is_many = split_bits(east.width(), total_len(&ranges)) > 0;
        let mut piece = 1;
        while piece * PIECES * BLOCK < all.len() {
            piece *= PIECES;
        }
        let summaries = node.summaries.unwrap_or_else(|| {
            summarize(self.isa, east, all.clone(), summaries);
            summaries
        });
        for (i, summaries) in summaries.chunks(piece).enumerate() {
            let at = all.start + i * piece * BLOCK;
            let range = at..all.end.min(at + piece * BLOCK);
            let has = Summary::of(summaries);
            let excluded = has.all & node.open;
            let open = has.any & node.open & !excluded;
            let is_block = range.len() <= BLOCK;
            // Copy the queries if this range may partition them, because partitioning overwrites
            // them and other ranges need them too.
            let (west, ranges) = if excluded == 0 && (is_block || !is_many) {
                (&mut *west, ranges.clone())
            } else {
                let ranges = self.filter(west, &ranges, excluded, left)?;
                (&mut *left, ranges)
            };
            let summaries = Some(summaries);
            let part = Node { east, range, west, ranges, open, summaries };
            if is_block {
                self.block(part);
            } else {
                self.count(0, part, next)?;
            }
        }
        Ok(())
    }

    /// Copies the patterns in the given ranges that have none of the given bits.
    fn filter(
        &mut self,
        from: &List,
        ranges: &Ranges,
        bits: u64,
        to: &mut List,
    ) -> Result<Ranges, Interruption> {
        stats::record(|stats| stats.filtered += total_len(ranges) as u64);
        let _timer = stats::time(Phase::Filter);
        filter(self.isa, from, ranges, bits, to)
    }

    /// Counts the disjoint pairs of a node whose east patterns are one block.
    fn block(&mut self, node: Node<'_>) {
        let Node { east, range, west, ranges, open, .. } = node;
        let queries = total_len(&ranges);
        if queries == 0 {
            return;
        }
        let (isa, size, tables) = (self.isa, range.len(), &mut *self.tables);
        let timer = stats::time(Phase::Build);
        let lookups = build(isa, east, range, open, queries, tables);
        drop(timer);
        let timer = stats::time(Phase::Scan);
        let found = scan(isa, tables, west, &ranges);
        drop(timer);
        for (count, more) in self.counts.iter_mut().zip(found) {
            *count += more;
        }
        stats::record(|stats| {
            let visits = queries as u64;
            stats.blocks += 1;
            stats.filled += size as u64;
            stats.visits += visits;
            stats.pairs += visits * size as u64;
            stats.lookups += visits * lookups as u64;
        });
    }
}

#[cfg(test)]
mod tests;
