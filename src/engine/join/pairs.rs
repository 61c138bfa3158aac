//! Counting the disjoint pairs of two lists of patterns, hundreds at a time.
//!
//! East patterns and west patterns, here called queries, are sorted by the bits that conflict most often. One recursion
//! then cuts the side that is cheaper to cut, until a **block** of 512 east patterns meets the queries that can go with
//! it:
//!
//! - Many queries are **split** by a bit into two ranges, for the list is sorted by it. Those that have the bit go with
//!   the east patterns that lack it, which are copied; the others go with all of them.
//! - East patterns that are too many for the cache, or that meet few queries, are **cut** into contiguous ranges.
//!   Queries that have a bit which all patterns of a range have conflict with the whole range and are left out, by a
//!   **filter**.
//! - A **visit** tells for one query which patterns of a block it goes with: see [`block`](super::block).

use std::ops::Range;

use super::block::{BlockTables, Summary, build, scan, summarize};
use super::list::{BLOCK, List};
use super::order::Order;
use super::select::{Chosen, Queries, Ranges, exclude, filter, sort};
use super::stats::{Phase, Probe};
use crate::engine::simd::Blocks;
use crate::engine::{CancelToken, Stopped};

/// Queries from twice as many of which on a class is split, of narrow and of wide patterns. From half as many to twice
/// as many, the whole takes as long.
const CLASS: [usize; 2] = [1000, 1300];
/// Ranges into which a range of east patterns is cut at a time.
const PIECES: usize = 8;
/// East patterns that fit the second-level cache.
const CACHED: usize = 128 * BLOCK;
/// East patterns that do not fit the cache are cut where they are so many times as many as the queries.
const LONGER: usize = 4;
/// East patterns are sorted by more bits than make blocks of them from so many blocks on.
const MANY_BLOCKS: usize = 256;

/// Memory for counting, kept from one row set to the next.
#[derive(Debug)]
pub(crate) struct PairScratch {
    spare: List,
    /// The order of the bits for all patterns.
    order: Order,
    level: Level,
    tables: Box<BlockTables>,
}

impl PairScratch {
    /// Scratch memory for patterns of more than 32 bits if `wide`.
    pub(crate) fn new(wide: bool) -> Self {
        Self {
            spare: List::new(wide),
            order: Order::default(),
            level: Level::new(wide),
            tables: Box::default(),
        }
    }
}

/// Memory of one level of the recursion.
#[derive(Debug)]
struct Level {
    /// Queries that a filter has left.
    west: Queries,
    /// East patterns without a bit.
    east: List,
    summaries: Vec<Summary>,
    next: Option<Box<Level>>,
}

impl Level {
    fn new(wide: bool) -> Self {
        Self {
            west: Queries::new(wide),
            east: List::new(wide),
            summaries: Vec::new(),
            next: None,
        }
    }
}

/// The number of bits by which so many queries are split, if classes have equal sizes.
///
/// Each bit saves about a fifth of the visits and multiplies the number of blocks by 1.5. Building a block costs as
/// much as some 250 visits, which pays as long as a class of queries has a few thousand.
fn split_bits(wide: bool, queries: usize) -> usize {
    let class = CLASS[usize::from(wide)];
    (queries / class).checked_ilog2().unwrap_or(0) as usize
}

/// Sorts east patterns by as many bits as it takes for blocks to have some in common. `queries` is the number of all
/// queries, some of which are in `west`. The bits that conflict most often are left to splitting queries.
pub(crate) fn sort_east(
    isa: Blocks,
    east: &mut List,
    west: &Chosen<'_>,
    (queries, open): (usize, u64),
    scratch: &mut PairScratch,
    probe: &mut Probe<'_>,
) -> Result<(), Stopped> {
    if east.len() <= BLOCK / 2 {
        return Ok(());
    }
    let PairScratch { spare, order, .. } = scratch;
    probe.time(Phase::Sort, || {
        order.find(east, west, open);
        let blocks = east.len().div_ceil(BLOCK);
        let more = if blocks < MANY_BLOCKS { 0 } else { 2 };
        let enough = blocks.ilog2() as usize + more;
        let split = if east.len() <= BLOCK {
            0
        } else {
            split_bits(east.is_wide(), queries)
        };
        let bits = order.bits().get(split..).unwrap_or_default();
        sort(isa, &bits[..enough.min(bits.len())], east, spare)
    })
}

/// Counts, for each weight class of queries, the disjoint pairs of an east pattern and a query. All queries have the
/// bits `having` and agree on all that are not `open`. If the queries are `kept`, only the first weight class is
/// counted; otherwise their order is lost.
///
/// # Panics
///
/// If there are so many pairs that their number might not fit.
pub(crate) fn count(
    isa: Blocks,
    (having, open): (u64, u64),
    (east, west, kept): (&List, &mut Queries, bool),
    scratch: &mut PairScratch,
    probe: &mut Probe<'_>,
    cancel: &CancelToken,
) -> Result<[u64; 3], Stopped> {
    let pairs = (east.len() as u64).checked_mul(west.list.len() as u64);
    assert!(pairs.is_some(), "the number of pairs fits");
    let PairScratch {
        spare,
        order,
        level,
        tables,
    } = scratch;
    let mut count = Count {
        isa,
        order: order.bits(),
        tables,
        counts: [0; 3],
        probe,
        cancel,
    };
    let node = |west, ranges| Node {
        east,
        range: 0..east.len(),
        excluded: having,
        west,
        other: false,
        ranges,
        open,
        summaries: None,
    };
    if kept {
        let mut first = west.all();
        first.ranges[1..].fill(0..0);
        let Level { west, next, .. } = level;
        filter(isa, &first, 0, west)?;
        let ranges = west.ranges();
        let next = next.get_or_insert_with(|| Box::new(Level::new(east.is_wide())));
        count.count(node(west, ranges), next)?;
    } else {
        // Sorting leaves this memory unused.
        std::mem::swap(&mut west.other, spare);
        let ranges = west.ranges();
        let counted = count.count(node(west, ranges), level);
        std::mem::swap(&mut west.other, spare);
        counted?;
    }
    Ok(count.counts)
}

/// East patterns and queries whose disjoint pairs are counted.
struct Node<'a> {
    east: &'a List,
    /// Indices of the east patterns, from a multiple of [`BLOCK`] on.
    range: Range<usize>,
    /// East patterns with one of these bits are left out.
    excluded: u64,
    west: &'a mut Queries,
    /// Whether the queries are in the other list.
    other: bool,
    ranges: Ranges,
    /// The bits in which a pattern and a query can conflict.
    open: u64,
    /// Summaries of the blocks of the range, where they are known.
    summaries: Option<&'a [Summary]>,
}

/// A count of pairs.
struct Count<'a, 'p> {
    isa: Blocks,
    /// The order of the bits.
    order: &'a [u8],
    tables: &'a mut BlockTables,
    /// Disjoint pairs found so far, for each weight class.
    counts: [u64; 3],
    probe: &'a mut Probe<'p>,
    cancel: &'a CancelToken,
}

impl Count<'_, '_> {
    /// Counts the disjoint pairs of a node.
    fn count(&mut self, node: Node<'_>, level: &mut Level) -> Result<(), Stopped> {
        let Node {
            east,
            range,
            excluded,
            west,
            other,
            ranges,
            open,
            summaries,
        } = node;
        let queries = west.chosen(other, ranges.clone()).len();
        if range.is_empty() || queries == 0 {
            return Ok(());
        }
        if self.cancel.is_cancelled() {
            return Err(Stopped::Cancelled);
        }
        let isa = self.isa;
        let new = || Box::new(Level::new(east.is_wide()));
        if excluded != 0 {
            let Level {
                east: left, next, ..
            } = level;
            self.probe
                .record(|stats| stats.filtered += range.len() as u64);
            self.probe
                .time(Phase::Filter, || exclude(isa, east, range, excluded, left))?;
            let node = Node {
                range: 0..left.len(),
                east: left,
                excluded: 0,
                west,
                other,
                ranges,
                open,
                summaries: None,
            };
            return self.count(node, next.get_or_insert_with(new));
        }
        let is_cheap = range.len() <= CACHED || range.len() < LONGER * queries;
        let is_many = split_bits(east.is_wide(), queries) > 0;
        let mut bits = self.order.iter();
        if range.len() > BLOCK
            && is_many
            && is_cheap
            && let Some(&bit) = bits.find(|&bit| open >> bit & 1 == 1)
        {
            let halves = self
                .probe
                .time(Phase::Sort, || west.partition(isa, bit, other, &ranges))?;
            for (ranges, excluded) in halves.into_iter().zip([1 << bit, 0]) {
                let node = Node {
                    east,
                    range: range.clone(),
                    excluded,
                    west: &mut *west,
                    other: !other,
                    ranges,
                    open: open & !(1 << bit),
                    summaries,
                };
                self.count(node, level)?;
            }
            return Ok(());
        }
        let mut piece = 1;
        while piece * PIECES * BLOCK < range.len() {
            piece *= PIECES;
        }
        let Level {
            west: left,
            summaries: new_summaries,
            next,
            ..
        } = level;
        let summaries = match summaries {
            Some(summaries) => summaries,
            None => {
                summarize(isa, east, range.clone(), new_summaries);
                &*new_summaries
            }
        };
        for (i, summaries) in summaries.chunks(piece).enumerate() {
            let at = range.start + i * piece * BLOCK;
            let range = at..range.end.min(at + piece * BLOCK);
            let has = Summary::of(summaries);
            let all = has.all & open;
            let open = has.any & open & !all;
            let queries = west.chosen(other, ranges.clone());
            if range.len() <= BLOCK {
                let queries = self.without(queries, all, left)?;
                self.block(east, range, open, &queries);
                continue;
            }
            // Other ranges need the queries too, so they are copied where this one may partition them.
            let node = if all == 0 && !is_many {
                Node {
                    east,
                    range,
                    excluded,
                    west: &mut *west,
                    other,
                    ranges: ranges.clone(),
                    open,
                    summaries: Some(summaries),
                }
            } else {
                self.probe
                    .time(Phase::Filter, || filter(isa, &queries, all, left))?;
                self.probe
                    .record(|stats| stats.filtered += queries.len() as u64);
                Node {
                    east,
                    range,
                    excluded,
                    ranges: left.ranges(),
                    west: left,
                    other: false,
                    open,
                    summaries: Some(summaries),
                }
            };
            self.count(node, next.get_or_insert_with(new))?;
        }
        Ok(())
    }

    /// The queries that have none of some bits: all where there are no bits, or else those copied to `to`.
    fn without<'a>(
        &mut self,
        from: Chosen<'a>,
        bits: u64,
        to: &'a mut Queries,
    ) -> Result<Chosen<'a>, Stopped> {
        if bits == 0 {
            return Ok(from);
        }
        let isa = self.isa;
        self.probe
            .time(Phase::Filter, || filter(isa, &from, bits, to))?;
        self.probe
            .record(|stats| stats.filtered += from.len() as u64);
        Ok(to.all())
    }

    /// Counts the disjoint pairs of a block and queries that can conflict in no bits but those that are `open`.
    fn block(&mut self, east: &List, range: Range<usize>, open: u64, west: &Chosen<'_>) {
        let queries = west.len();
        if queries == 0 {
            return;
        }
        let (isa, size, tables) = (self.isa, range.len(), &mut *self.tables);
        let lookups = self.probe.time(Phase::Build, || {
            build(isa, east, range, open, queries, tables)
        });
        let found = self.probe.time(Phase::Scan, || scan(isa, tables, west));
        for (count, more) in self.counts.iter_mut().zip(found) {
            *count += more;
        }
        self.probe.record(|stats| {
            let visits = queries as u64;
            stats.blocks += 1;
            stats.filled += size as u64;
            stats.visits += visits;
            stats.pairs += visits * size as u64;
            stats.lookups += visits * lookups as u64;
        });
    }
}

/// One of the classes of the queries by the first of some bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Prefix {
    /// The number of the class, were it split by no other bits.
    pub(crate) class: usize,
    /// On how many bits the queries agree.
    pub(crate) bits: usize,
}

impl Prefix {
    /// All queries.
    pub(crate) const ALL: Self = Self { class: 0, bits: 0 };

    /// Of its queries, those that have the next bit, and those that lack it.
    pub(crate) fn cut(self) -> [Self; 2] {
        [0, 1].map(|lacks| Self {
            class: 2 * self.class + lacks,
            bits: self.bits + 1,
        })
    }

    /// Of the bits `bits`, of which the last ones are these, those that the queries have.
    pub(crate) fn having(self, bits: &[u8]) -> u64 {
        let bits = bits[..self.bits].iter().rev().enumerate();
        bits.fold(0, |having, (i, bit)| {
            having | u64::from(self.class >> i & 1 == 0) << bit
        })
    }

    /// Of the bits `bits`, of which the last ones are these, those that the queries lack.
    pub(crate) fn lacking(self, bits: &[u8]) -> u64 {
        let all = bits[..self.bits].iter().fold(0, |all, bit| all | 1 << bit);
        all & !self.having(bits)
    }
}

#[cfg(test)]
mod tests;
