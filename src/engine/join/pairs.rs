//! Counting the disjoint pairs of two lists of patterns, hundreds at a time.
//!
//! East patterns are sorted by their most frequent bits and cut into **blocks** of 512. West patterns, here called
//! queries, are then scanned block by block:
//!
//! - Where there are many queries they are first split into classes that agree on the most frequent bits, and each
//!   class goes against those east patterns alone that do not conflict with what it agrees on.
//! - Bits that all patterns of a block have rule queries out: those are left out (a **filter**), for eight blocks
//!   together first and then for each of them.
//! - A **visit** then tells for one query which of the 512 it goes with: see [`block`](super::block).

use super::block::{BlockTables, build, scan, summary};
use super::list::{BLOCK, List};
use super::order::Order;
use super::select::{self, Chosen, Queries, filter, lacking, sort, split};
use super::stats::{Phase, Probe};
use crate::engine::simd::Blocks;
use crate::engine::{CancelToken, Stopped};

/// Blocks that share a first filter.
const GROUP: usize = 8;
/// Queries that a class should have if they are split, of narrow and of wide patterns. From half as many to twice as
/// many, the whole takes as long.
const SPLIT: [usize; 2] = [1000, 1300];
/// East patterns are sorted by more bits than make blocks of them from so many blocks on.
const MANY_BLOCKS: usize = 256;
/// Bits by which queries are split in one step.
const STEP: usize = 2;

/// Memory for counting, kept from one row set to the next.
#[derive(Debug)]
pub(crate) struct PairScratch {
    spare: List,
    /// The order of the bits for all queries.
    order: Order,
    /// The east patterns that go with all queries, where these agree on some bits.
    east: List,
    level: Level,
    work: Work,
}

impl PairScratch {
    /// Scratch memory for patterns of more than 32 bits if `wide`.
    pub(crate) fn new(wide: bool) -> Self {
        Self {
            spare: List::new(wide),
            order: Order::default(),
            east: List::new(wide),
            level: Level::new(wide),
            work: Work {
                group: Queries::new(wide),
                block: Queries::new(wide),
                tables: Box::default(),
                counts: [0; 3],
            },
        }
    }
}

/// A step in which queries are split.
#[derive(Debug)]
struct Level {
    /// The queries, by classes.
    west: Queries,
    /// The east patterns that go with the class that is being counted.
    east: List,
    next: Option<Box<Level>>,
}

impl Level {
    fn new(wide: bool) -> Self {
        Self {
            west: Queries::new(wide),
            east: List::new(wide),
            next: None,
        }
    }
}

/// Memory for counting one class.
#[derive(Debug)]
struct Work {
    group: Queries,
    block: Queries,
    tables: Box<BlockTables>,
    /// Disjoint pairs found so far, for each weight class.
    counts: [u64; 3],
}

/// By how many bits so many queries are split in all.
///
/// Each bit saves about a fifth of the visits and multiplies the number of blocks by 1.5. Building a block costs as
/// much as some 250 visits, which pays as long as a class of queries has a few thousand.
fn split_bits(wide: bool, queries: usize) -> usize {
    let class = SPLIT[usize::from(wide)];
    (queries / class).checked_ilog2().unwrap_or(0) as usize
}

/// Sorts east patterns for so many queries, of which some are there: by as many of the bits that conflict most often,
/// those left out by which queries are split, as it takes for blocks to have some in common.
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
/// bits `having` and agree on all that are not `open`.
///
/// # Panics
///
/// If there are so many pairs that their number might not fit.
pub(crate) fn count(
    isa: Blocks,
    (having, open): (u64, u64),
    (east, west): (&List, &Queries),
    scratch: &mut PairScratch,
    probe: &mut Probe<'_>,
    cancel: &CancelToken,
) -> Result<[u64; 3], Stopped> {
    let pairs = (east.len() as u64).checked_mul(west.list.len() as u64);
    assert!(pairs.is_some(), "the number of pairs fits");
    let PairScratch {
        order,
        east: rest,
        level,
        work,
        spare,
    } = scratch;
    work.counts = [0; 3];
    let east = if having == 0 {
        east
    } else {
        probe.time(Phase::Filter, || lacking(isa, east, having, rest))?;
        rest
    };
    // The first step copies all queries: to the memory that sorting leaves unused.
    std::mem::swap(&mut level.west.list, spare);
    let mut count = Count {
        isa,
        order: order.bits(),
        work,
        probe,
        cancel,
    };
    count.count(east, &west.all(), open, level)?;
    std::mem::swap(&mut level.west.list, spare);
    Ok(work.counts)
}

/// A count of pairs.
struct Count<'a, 'p> {
    isa: Blocks,
    /// The order of the bits for all queries.
    order: &'a [u8],
    work: &'a mut Work,
    probe: &'a mut Probe<'p>,
    cancel: &'a CancelToken,
}

impl Count<'_, '_> {
    /// Counts the disjoint pairs of sorted east patterns and queries that can conflict in no bits but those that are
    /// `open`, after splitting the queries where they are many.
    fn count(
        &mut self,
        east: &List,
        queries: &Chosen<'_>,
        open: u64,
        level: &mut Level,
    ) -> Result<(), Stopped> {
        let mut bits = Vec::new();
        if east.len() > BLOCK {
            let open = self.order.iter().filter(|&bit| open >> bit & 1 == 1);
            bits.extend(open.take(split_bits(east.is_wide(), queries.len()).min(STEP)));
        }
        if bits.is_empty() {
            if queries.len() > 0 {
                count_class(self.isa, east, queries, open, self.work, self.probe)?;
            }
            return Ok(());
        }
        let Level {
            west,
            east: rest,
            next,
        } = level;
        let next = next.get_or_insert_with(|| Box::new(Level::new(east.is_wide())));
        let isa = self.isa;
        self.probe
            .time(Phase::Sort, || split(isa, &bits, queries, west))?;
        let open = open & !select::having(&bits, 0);
        for class in 0..1 << bits.len() {
            if self.cancel.is_cancelled() {
                return Err(Stopped::Cancelled);
            }
            let having = select::having(&bits, class);
            let with_class = if having == 0 {
                east
            } else {
                self.probe
                    .time(Phase::Filter, || lacking(isa, east, having, rest))?;
                self.probe
                    .record(|stats| stats.filtered += east.len() as u64);
                &*rest
            };
            self.count(with_class, &west.chosen(class..class + 1), open, next)?;
        }
        Ok(())
    }
}

/// One of the [classes](select::having) of the queries by the first of some bits.
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
        select::having(&bits[..self.bits], self.class)
    }

    /// Of the bits `bits`, of which the last ones are these, those that the queries lack.
    pub(crate) fn lacking(self, bits: &[u8]) -> u64 {
        select::having(&bits[..self.bits], 0) & !self.having(bits)
    }
}

/// Counts the disjoint pairs of sorted east patterns and queries, that can conflict in no bits but those that are
/// `open`.
fn count_class(
    isa: Blocks,
    east: &List,
    west: &Chosen<'_>,
    open: u64,
    work: &mut Work,
    probe: &mut Probe<'_>,
) -> Result<(), Stopped> {
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
            summary(isa, east, at..at + in_group, open).all
        } else {
            0
        };
        let from_group = without(isa, west.clone(), group_has, group, probe)?;
        for at in (at..at + in_group).step_by(BLOCK) {
            let size = (east.len() - at).min(BLOCK);
            let summary = summary(isa, east, at..at + size, open);
            let more = summary.all & !group_has;
            let queries = without(isa, from_group.clone(), more, block, probe)?;
            if queries.len() == 0 {
                continue;
            }
            let lookups = probe.time(Phase::Build, || {
                build(isa, east, (at, size), summary, queries.len(), tables)
            });
            let found = probe.time(Phase::Scan, || scan(isa, tables, &queries));
            for (count, more) in counts.iter_mut().zip(found) {
                *count += more;
            }
            probe.record(|stats| {
                let visits = queries.len() as u64;
                stats.blocks += 1;
                stats.filled += size as u64;
                stats.visits += visits;
                stats.pairs += visits * size as u64;
                stats.lookups += visits * lookups as u64;
            });
        }
        at += in_group;
    }
    Ok(())
}

/// The queries that have none of some bits: all where there are no bits, or else those copied to `to`.
fn without<'a>(
    isa: Blocks,
    from: Chosen<'a>,
    bits: u64,
    to: &'a mut Queries,
    probe: &mut Probe<'_>,
) -> Result<Chosen<'a>, Stopped> {
    if bits == 0 {
        return Ok(from);
    }
    probe.time(Phase::Filter, || filter(isa, &from, bits, to))?;
    probe.record(|stats| stats.filtered += from.len() as u64);
    Ok(to.all())
}

#[cfg(test)]
mod tests;
