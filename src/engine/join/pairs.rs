//! Counts the disjoint pairs of two lists of patterns, testing hundreds of pairs at a time.
//!
//! The east patterns are sorted by the bits that conflict most often. The west patterns are called
//! queries. Each step of a recursion divides whichever side is cheaper to divide. The recursion
//! ends with a **block** of 512 east patterns and the queries that may be disjoint from some of
//! them. There are three operations:
//!
//! - If there are many queries, they are **partitioned** by a bit. Queries with the bit are matched
//!   with a copy of the east patterns that contains only those without it. The other queries are
//!   matched with all east patterns.
//! - If the east patterns do not fit in the cache, or if there are few queries, the east patterns
//!   are **cut** into contiguous ranges. If all patterns of a range have a bit, queries with this
//!   bit conflict with the whole range and are **filtered** out.
//! - A **visit** finds the patterns of a block that are disjoint from one query: see
//!   [`block`](super::block).

use std::ops::Range;

use super::bit_order::Order;
use super::block::{BlockTables, Summary, build, scan, summarize};
use super::list::{BLOCK, List};
use super::select::{Chosen, Queries, Ranges, exclude, filter, sort};
use super::stats::{Phase, Probe};
use crate::engine::simd::Blocks;
use crate::engine::{CancelToken, Stopped};

/// Minimum number of queries in a part, for narrow and for wide patterns. Queries are partitioned
/// only if there are at least twice as many. At N = 22, a minimum of 1,000 is equally fast and one
/// of 2,600 takes 5 % longer.
const MIN_PART: [usize; 2] = [1000, 1300];
/// Number of ranges into which a range of east patterns is cut in one step.
const PIECES: usize = 4;
/// Number of east patterns that fit in the L2 cache.
const CACHED: usize = 128 * BLOCK;
/// Factor by which east patterns that do not fit in the cache must outnumber the queries to be cut.
const LONGER: usize = 8;
/// Minimum number of blocks for which the east patterns are sorted by two additional bits.
const MANY_BLOCKS: usize = 256;

/// Scratch memory that is reused for each row set.
#[derive(Debug)]
pub(crate) struct PairScratch {
    spare: List,
    order: Order,
    level: Level,
    tables: Box<BlockTables>,
}

impl PairScratch {
    /// Creates scratch memory. If `wide` is set, patterns have more than 32 bits.
    pub(crate) fn new(wide: bool) -> Self {
        Self {
            spare: List::new(wide),
            order: Order::default(),
            level: Level::new(wide),
            tables: Box::default(),
        }
    }
}

/// Scratch memory of one level of the recursion.
#[derive(Debug)]
struct Level {
    /// Queries that passed the filter.
    west: Queries,
    /// East patterns that have none of the excluded bits.
    east: List,
    summaries: Vec<Summary>,
    next: Option<Box<Level>>,
}

impl Level {
    fn new(wide: bool) -> Self {
        Self { west: Queries::new(wide), east: List::new(wide), summaries: Vec::new(), next: None }
    }
}

/// Returns the number of bits by which `queries` queries are partitioned, assuming that all parts
/// have the same size.
///
/// Each bit saves about a fifth of the visits and multiplies the number of blocks by 1.5. Building
/// a block takes as long as about 250 visits, so partitioning pays off if each part has a few
/// thousand queries.
fn split_bits(wide: bool, queries: usize) -> usize {
    let part = MIN_PART[usize::from(wide)];
    (queries / part).checked_ilog2().unwrap_or(0) as usize
}

/// Sorts east patterns by the bits that conflict most often, skipping those by which the queries
/// will be partitioned. `queries` is the number of all queries, and `west` contains some or all of
/// them.
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
        let split = if east.len() <= BLOCK { 0 } else { split_bits(east.is_wide(), queries) };
        let bits = order.bits().get(split..).unwrap_or_default();
        sort(isa, &bits[..enough.min(bits.len())], east, spare)
    })
}

/// Counts the disjoint pairs of an east pattern and a query, separately for each weight class of
/// queries. All queries must have the `required` bits and agree on all bits that are not `open`. If
/// `kept` is true, the queries keep their order, and only the first weight class is counted. Panics
/// if the number of pairs does not fit in 64 bits.
pub(crate) fn count(
    isa: Blocks,
    (required, open): (u64, u64),
    (east, west, kept): (&List, &mut Queries, bool),
    scratch: &mut PairScratch,
    probe: &mut Probe<'_>,
    cancel: &CancelToken,
) -> Result<[u64; 3], Stopped> {
    let pairs = (east.len() as u64).checked_mul(west.list.len() as u64);
    assert!(pairs.is_some(), "the number of pairs fits");
    let PairScratch { spare, order, level, tables } = scratch;
    let mut count = Count { isa, order: order.bits(), tables, counts: [0; 3], probe, cancel };
    let node = |west, ranges| Node {
        east,
        range: 0..east.len(),
        excluded: required,
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
        // Sorting is done, so its scratch list can be reused.
        std::mem::swap(&mut west.other, spare);
        let ranges = west.ranges();
        let counted = count.count(node(west, ranges), level);
        std::mem::swap(&mut west.other, spare);
        counted?;
    }
    Ok(count.counts)
}

/// A node of the recursion: the east patterns and queries whose disjoint pairs are counted.
struct Node<'a> {
    east: &'a List,
    /// Index range of the east patterns. It starts at a multiple of [`BLOCK`].
    range: Range<usize>,
    /// Bits that east patterns must not have.
    excluded: u64,
    west: &'a mut Queries,
    /// Whether the queries are in the scratch list.
    other: bool,
    ranges: Ranges,
    /// Bits in which a pattern and a query can conflict.
    open: u64,
    /// Summaries of the blocks of the range, if already computed.
    summaries: Option<&'a [Summary]>,
}

/// State of the recursion.
struct Count<'a, 'p> {
    isa: Blocks,
    /// Bits by which queries are partitioned, in order.
    order: &'a [u8],
    tables: &'a mut BlockTables,
    /// Number of disjoint pairs found for each weight class.
    counts: [u64; 3],
    probe: &'a mut Probe<'p>,
    cancel: &'a CancelToken,
}

impl Count<'_, '_> {
    /// Counts the disjoint pairs of a node.
    fn count(&mut self, node: Node<'_>, level: &mut Level) -> Result<(), Stopped> {
        let (isa, east, len, open) = (self.isa, node.east, node.range.len(), node.open);
        let queries = node.west.chosen(node.other, node.ranges.clone()).len();
        if len == 0 || queries == 0 {
            return Ok(());
        }
        if self.cancel.is_cancelled() {
            return Err(Stopped::Cancelled);
        }
        let new = || Box::new(Level::new(east.is_wide()));
        let next = level.next.get_or_insert_with(new);
        if node.excluded != 0 {
            let (range, left) = (node.range, &mut level.east);
            self.probe.record(|stats| stats.filtered += len as u64);
            self.probe.time(Phase::Filter, || exclude(isa, east, range, node.excluded, left))?;
            let node =
                Node { east: left, range: 0..left.len(), excluded: 0, summaries: None, ..node };
            return self.count(node, next);
        }
        let is_cheap = len <= CACHED || len < LONGER * queries;
        let is_many = split_bits(east.is_wide(), queries) > 0;
        let mut bits = self.order.iter();
        if len > BLOCK
            && is_many
            && is_cheap
            && let Some(&bit) = bits.find(|&bit| open >> bit & 1 == 1)
        {
            let halves = self
                .probe
                .time(Phase::Sort, || node.west.partition(isa, bit, node.other, &node.ranges))?;
            for (ranges, excluded) in halves.into_iter().zip([1 << bit, 0]) {
                let half = Node {
                    range: node.range.clone(),
                    excluded,
                    west: &mut *node.west,
                    other: !node.other,
                    ranges,
                    open: open & !(1 << bit),
                    ..node
                };
                self.count(half, level)?;
            }
            return Ok(());
        }
        let mut piece = 1;
        while piece * PIECES * BLOCK < len {
            piece *= PIECES;
        }
        let left = &mut level.west;
        let summaries = match node.summaries {
            Some(summaries) => summaries,
            None => {
                summarize(isa, east, node.range.clone(), &mut level.summaries);
                &level.summaries
            }
        };
        for (i, summaries) in summaries.chunks(piece).enumerate() {
            let at = node.range.start + i * piece * BLOCK;
            let range = at..node.range.end.min(at + piece * BLOCK);
            let has = Summary::of(summaries);
            let all = has.all & open;
            let open = has.any & open & !all;
            let queries = node.west.chosen(node.other, node.ranges.clone());
            if range.len() <= BLOCK {
                let queries = self.without(queries, all, left)?;
                self.block(east, range, open, &queries);
                continue;
            }
            // Copy the queries if this range may partition them, which overwrites them. Other
            // ranges need them too.
            let (west, other, ranges) = if all == 0 && !is_many {
                (&mut *node.west, node.other, node.ranges.clone())
            } else {
                self.filter(&queries, all, left)?;
                let ranges = left.ranges();
                (&mut *left, false, ranges)
            };
            let part =
                Node { range, west, other, ranges, open, summaries: Some(summaries), ..node };
            self.count(part, next)?;
        }
        Ok(())
    }

    /// Copies the queries that have none of the given bits to `to`.
    fn filter(&mut self, from: &Chosen<'_>, bits: u64, to: &mut Queries) -> Result<(), Stopped> {
        let isa = self.isa;
        self.probe.record(|stats| stats.filtered += from.len() as u64);
        self.probe.time(Phase::Filter, || filter(isa, from, bits, to))
    }

    /// Returns the queries that have none of the given bits. If `bits` is not zero, they are copied
    /// to `to`.
    fn without<'a>(
        &mut self,
        from: Chosen<'a>,
        bits: u64,
        to: &'a mut Queries,
    ) -> Result<Chosen<'a>, Stopped> {
        if bits == 0 {
            return Ok(from);
        }
        self.filter(&from, bits, to)?;
        Ok(to.all())
    }

    /// Counts the disjoint pairs of a block and the queries. They can conflict only in the `open`
    /// bits.
    fn block(&mut self, east: &List, range: Range<usize>, open: u64, west: &Chosen<'_>) {
        let queries = west.len();
        if queries == 0 {
            return;
        }
        let (isa, size, tables) = (self.isa, range.len(), &mut *self.tables);
        let lookups =
            self.probe.time(Phase::Build, || build(isa, east, range, open, queries, tables));
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

/// A class of queries that agree on the first bits of the layout's priority list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Prefix {
    /// Bits that all queries of the class have.
    pub(crate) required: u64,
    /// Bits that no query of the class has.
    pub(crate) excluded: u64,
    /// Number of bits on which the queries agree.
    pub(crate) bits: usize,
}

impl Prefix {
    /// The class of all queries.
    pub(crate) const ALL: Self = Self { required: 0, excluded: 0, bits: 0 };

    /// Splits the class into the queries with a bit and those without it.
    pub(crate) fn split(self, bit: u8) -> [Self; 2] {
        [1 << bit, 0].map(|required| Self {
            required: self.required | required,
            excluded: self.excluded | (1 << bit & !required),
            bits: self.bits + 1,
        })
    }
}

#[cfg(test)]
mod tests;
