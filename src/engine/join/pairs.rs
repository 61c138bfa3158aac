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

use super::block::{BlockTables, build, scan, summary};
use super::list::{BLOCK, List};
use super::order::Order;
use super::select::{self, Chosen, Queries, filter, lacking, sort, split};
use super::stats::{Phase, Probe};
use crate::engine::cancel::CancelToken;
use crate::engine::simd::InstructionSet;

/// Blocks that share a first filter.
const GROUP: usize = 8;
/// Queries that a class should have if they are split. From half as many to twice as many, the whole takes as long.
const SPLIT: usize = 1300;
/// Bits by which queries are split in one step.
const STEP: usize = 2;

/// Memory for counting, kept from one row set to the next.
#[derive(Debug, Default)]
pub(crate) struct PairScratch {
    spare: List,
    /// The order of the bits for all queries.
    order: Order,
    path: Vec<Step>,
    /// The queries that each step has split, by classes.
    west: Vec<Queries>,
    /// The east patterns that go with the class of each step that is being counted, unless they are all those of the step
    /// before; first those that go with all queries.
    east: Vec<List>,
    work: Work,
}

/// A step in which queries are split.
#[derive(Debug)]
struct Step {
    /// The bits by which they are.
    bits: Vec<u8>,
    /// The classes that are done.
    done: usize,
    class: Class,
}

/// Queries that agree on some bits, and the east patterns that do not conflict with those.
#[derive(Debug, Clone, Copy)]
struct Class {
    /// The level that has the east patterns; if none, they are those that were given.
    east: Option<usize>,
    /// The other bits.
    open: u64,
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

/// By how many bits so many queries are split in all.
///
/// Each bit saves about a fifth of the visits and multiplies the number of blocks by 1.5. Building a block costs as much
/// as some 250 visits, which pays as long as a class of queries has a few thousand.
fn split_bits(queries: usize) -> usize {
    (queries / SPLIT).checked_ilog2().unwrap_or(0) as usize
}

/// Sorts east patterns for so many queries, of which some are there: by as many of the bits that conflict most often, those
/// left out by which queries are split, as it takes for blocks to have some in common.
#[inline(always)]
pub(crate) fn sort_east<I: InstructionSet, const WIDE: bool>(
    isa: I,
    east: &mut List,
    west: &Chosen<'_>,
    (queries, open): (usize, u64),
    scratch: &mut PairScratch,
    probe: &mut Probe<'_>,
) {
    if east.len() <= BLOCK / 2 {
        return;
    }
    let start = probe.start();
    let PairScratch { spare, order, .. } = scratch;
    order.find::<WIDE>(east, west, open);
    let enough = east.len().div_ceil(BLOCK).ilog2() as usize + 2;
    let split = if east.len() <= BLOCK {
        0
    } else {
        split_bits(queries)
    };
    let bits = order.bits().get(split..).unwrap_or_default();
    let bits = &bits[..enough.min(bits.len())];
    sort::<I, WIDE>(isa, bits, east, spare);
    probe.stop(Phase::Sort, start);
}

/// Counts, for each weight class of queries, the disjoint pairs of an east pattern and a query, or as many as there is
/// time for until cancelled. All queries have the bits `having` and agree on all that are not `open`.
///
/// # Panics
///
/// If there are so many pairs that their number might not fit.
#[inline(always)]
pub(crate) fn count<I: InstructionSet, const WIDE: bool>(
    isa: I,
    (having, open): (u64, u64),
    (east, west): (&List, &Queries),
    scratch: &mut PairScratch,
    probe: &mut Probe<'_>,
    cancel: &CancelToken,
) -> [u64; 3] {
    let pairs = (east.len() as u64).checked_mul(west.list.len() as u64);
    assert!(pairs.is_some(), "the number of pairs fits");
    let PairScratch {
        order,
        path,
        west: split_queries,
        east: lists,
        work,
        spare,
    } = scratch;
    // The first step copies all queries: to the memory that sorting leaves unused.
    split_queries.resize_with(split_queries.len().max(1), Queries::default);
    std::mem::swap(&mut split_queries[0].list, spare);
    work.counts = [0; 3];
    path.clear();
    let mut class = Class { east: None, open };
    if having != 0 {
        let start = probe.start();
        lists.resize_with(lists.len().max(1), List::default);
        lacking::<I, WIDE>(isa, east, having, &mut lists[0]);
        probe.stop(Phase::Filter, start);
        class.east = Some(0);
    }
    // (Not by recursion: what calls itself is not compiled for an instruction set.)
    loop {
        let depth = path.len();
        split_queries.resize_with(split_queries.len().max(depth + 1), Queries::default);
        let (above, next) = split_queries.split_at_mut(depth);
        let queries = match path.last() {
            None => west.all(),
            Some(step) => above[depth - 1].chosen(step.done - 1..step.done),
        };
        let from = class.east.map_or(east, |list| &lists[list]);
        let mut bits = Vec::new();
        if from.len() > BLOCK {
            let open = order
                .bits()
                .iter()
                .filter(|&bit| class.open >> bit & 1 == 1);
            bits.extend(open.take(split_bits(queries.len()).min(STEP)));
        }
        if !bits.is_empty() {
            let start = probe.start();
            split::<I, WIDE>(isa, &bits, &queries, &mut next[0]);
            path.push(Step {
                bits,
                done: 0,
                class,
            });
            probe.stop(Phase::Sort, start);
        } else if queries.len() > 0 {
            count_class::<I, WIDE>(isa, from, &queries, class.open, work, probe);
        }
        if cancel.is_cancelled() {
            break;
        }
        // On to the next class.
        while path
            .last()
            .is_some_and(|step| step.done == 1 << step.bits.len())
        {
            path.pop();
        }
        let depth = path.len();
        let Some(step) = path.last_mut() else { break };
        let having = select::having(&step.bits, step.done);
        step.done += 1;
        class = step.class;
        class.open &= !select::having(&step.bits, 0);
        if having != 0 {
            let start = probe.start();
            lists.resize_with(lists.len().max(depth + 1), List::default);
            let (above, next) = lists.split_at_mut(depth);
            let from = step.class.east.map_or(east, |list| &above[list]);
            lacking::<I, WIDE>(isa, from, having, &mut next[0]);
            probe.record(|stats| stats.filtered += from.len() as u64);
            probe.stop(Phase::Filter, start);
            class.east = Some(depth);
        }
    }
    std::mem::swap(&mut split_queries[0].list, spare);
    work.counts
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

/// Counts the disjoint pairs of sorted east patterns and queries, that can conflict in no bits but those that are `open`.
#[inline(always)]
fn count_class<I: InstructionSet, const WIDE: bool>(
    isa: I,
    east: &List,
    west: &Chosen<'_>,
    open: u64,
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
            summary::<I, WIDE>(isa, east, at..at + in_group, open).all
        } else {
            0
        };
        let from_group = without::<I, WIDE>(isa, west.clone(), group_has, group, probe);
        for at in (at..at + in_group).step_by(BLOCK) {
            let size = (east.len() - at).min(BLOCK);
            let summary = summary::<I, WIDE>(isa, east, at..at + size, open);
            let more = summary.all & !group_has;
            let queries = without::<I, WIDE>(isa, from_group.clone(), more, block, probe);
            if queries.len() == 0 {
                continue;
            }
            let start = probe.start();
            let lookups = build(isa, east, (at, size), summary, queries.len(), tables);
            probe.stop(Phase::Build, start);
            let start = probe.start();
            for (range, count) in queries.ranges.iter().zip(&mut *counts) {
                let words = queries.list.words::<WIDE>(range.clone());
                *count += scan::<I, WIDE>(isa, tables, words);
            }
            probe.stop(Phase::Scan, start);
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
}

/// The queries that have none of some bits: all where there are no bits, or else those copied to `to`.
#[inline(always)]
fn without<'a, I: InstructionSet, const WIDE: bool>(
    isa: I,
    from: Chosen<'a>,
    bits: u64,
    to: &'a mut Queries,
    probe: &mut Probe<'_>,
) -> Chosen<'a> {
    if bits == 0 {
        return from;
    }
    let start = probe.start();
    filter::<I, WIDE>(isa, &from, bits, to);
    probe.stop(Phase::Filter, start);
    probe.record(|stats| stats.filtered += from.len() as u64);
    to.all()
}

#[cfg(test)]
mod tests;
