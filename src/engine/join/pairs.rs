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

use std::ops::Range;

use super::block::{BlockTables, build, scan, summary};
use super::list::{BLOCK, List};
use super::pattern::Layout;
use super::select::{Chosen, Queries, filter, lacking, sort};
use super::stats::{Phase, Probe};
use crate::engine::cancel::CancelToken;
use crate::engine::simd::InstructionSet;

/// Blocks that share a first filter.
const GROUP: usize = 8;
/// Queries that a class should have if they are split. From half as many to twice as many, the whole takes as long.
const SPLIT: usize = 1300;
/// Bits by which queries are split at most: with more there is no row set that is counted in one part.
pub(crate) const MAX_SPLIT: u32 = 16;
/// Bits by which they are split in one step.
const STEP: usize = 2;

/// Memory for counting, kept from one row set to the next.
#[derive(Debug, Default)]
pub(crate) struct PairScratch {
    spare: List,
    bounds: Vec<usize>,
    finer: Vec<usize>,
    /// For all steps in which queries are split that are done, which list of `east`, if any, has the east patterns that go with
    /// the queries. Each list is made from the one before, so that their sizes fall.
    found: Vec<Option<usize>>,
    /// The east patterns that go with a class: those that are left after each step in which some were left out.
    east: [List; (MAX_SPLIT as usize).div_ceil(STEP)],
    work: Work,
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

/// By how many of the most frequent bits so many queries are split.
///
/// Each bit saves about a sixth of the visits and multiplies the number of blocks by 1.5. Building a block costs as much
/// as some 250 visits, which pays as long as a class of queries has a few thousand.
pub(crate) fn split_bits(layout: &Layout, queries: usize) -> usize {
    let bits = (queries / SPLIT).checked_ilog2().unwrap_or(0);
    (bits.min(MAX_SPLIT) as usize).min(layout.priority.len())
}

/// Sorts east patterns by as many of their most frequent bits, those left out by which queries are split, as it takes for
/// blocks to have some in common.
#[inline(always)]
pub(crate) fn sort_east<I: InstructionSet, const WIDE: bool>(
    isa: I,
    bits: &[u32],
    east: &mut List,
    scratch: &mut PairScratch,
    probe: &mut Probe<'_>,
) {
    let start = probe.start();
    if east.len() > BLOCK / 2 {
        let enough = east.len().div_ceil(BLOCK).ilog2() as usize + 2;
        let bits = &bits[..enough.min(bits.len())];
        // One bit after the other, the least of them first: the classes are too small to be sorted one by one.
        for bit in bits.chunks(1).rev() {
            scratch.bounds.clear();
            scratch.bounds.extend([0, east.len()]);
            let spare = (&mut scratch.spare, &mut scratch.finer);
            sort::<I, WIDE>(isa, bit, east, &mut scratch.bounds, spare);
        }
    }
    probe.stop(Phase::Sort, start);
}

/// Sorts queries by these of the most frequent bits.
#[inline(always)]
pub(crate) fn sort_queries<I: InstructionSet, const WIDE: bool>(
    isa: I,
    bits: &[u32],
    west: &mut Queries,
    scratch: &mut PairScratch,
    probe: &mut Probe<'_>,
) {
    let start = probe.start();
    let spare = (&mut scratch.spare, &mut scratch.finer);
    sort::<I, WIDE>(isa, bits, &mut west.list, &mut west.bounds, spare);
    probe.stop(Phase::Sort, start);
}

/// Counts, for each weight class of queries, the disjoint pairs of an east pattern and a query, or as many as there is
/// time for until cancelled. [East patterns](sort_east) and [queries](sort_queries) are sorted for this split, or queries for a
/// finer one; all queries agree on the first bits, as `prefix` says.
///
/// # Panics
///
/// If there are so many pairs that their number might not fit.
#[inline(always)]
pub(crate) fn count<I: InstructionSet, const WIDE: bool>(
    isa: I,
    layout: &Layout,
    (bits, prefix): (&[u32], Prefix),
    (east, west): (&List, &Queries),
    scratch: &mut PairScratch,
    probe: &mut Probe<'_>,
    cancel: &CancelToken,
) -> [u64; 3] {
    assert_eq!(
        WIDE,
        layout.is_wide(),
        "lists are as wide as the layout says"
    );
    let pairs = (east.len() as u64).checked_mul(west.list.len() as u64);
    assert!(pairs.is_some(), "the number of pairs fits");
    let PairScratch {
        east: lists,
        work,
        found,
        ..
    } = scratch;
    work.counts = [0; 3];
    let split = bits.len();
    // The guard, which no query has, is as good as decided.
    let decided = bits.iter().fold(layout.guard, |all, bit| all | 1 << bit);
    // Classes are met in the order in which queries are sorted, and their east patterns found step by step: what a class has
    // in common with the one before is not made again. (Not by recursion: what calls itself is not compiled for an
    // instruction set.)
    let steps = split.div_ceil(STEP);
    found.clear();
    found.push(None);
    let classes = prefix.classes(split);
    let finer = west.classes() / classes.len();
    let mut class = classes.start;
    while class < classes.end {
        let queries = loop {
            let step = found.len() - 1;
            // Bits that are not settled yet. Classes that agree on the others are neighbours.
            let below = split.saturating_sub(STEP * step);
            let first = class >> below << below;
            let alike = first.max(classes.start)..(first + (1 << below)).min(classes.end);
            let [from, to] = [alike.start, alike.end].map(|class| finer * (class - classes.start));
            let queries = west.chosen(from..to);
            if queries.len() == 0 || step == steps {
                break queries;
            }
            let bits = &bits[STEP * step..split.min(STEP * (step + 1))];
            let having = Prefix {
                class: class >> (below - bits.len()),
                bits: bits.len(),
            }
            .having(bits);
            let from = found[step];
            if having == 0 {
                found.push(from);
                continue;
            }
            let start = probe.start();
            let next = from.map_or(0, |list| list + 1);
            let (done, to) = lists.split_at_mut(next);
            let from = from.map_or(east, |list| &done[list]);
            lacking::<I, WIDE>(isa, from, having, &mut to[0]);
            probe.record(|stats| stats.filtered += from.len() as u64);
            probe.stop(Phase::Filter, start);
            found.push(Some(next));
        };
        let step = found.len() - 1;
        if queries.len() > 0 {
            let east = found[step].map_or(east, |list| &lists[list]);
            count_class::<I, WIDE>(isa, east, &queries, decided, work, probe);
        }
        if cancel.is_cancelled() {
            break;
        }
        // On to the next class, or past all those that have no queries either, and back to the steps that it shares.
        let below = split.saturating_sub(STEP * step);
        class = ((class >> below) + 1) << below;
        let shared = split.saturating_sub(1 + class.trailing_zeros() as usize) / STEP;
        found.truncate(1 + shared);
    }
    work.counts
}

/// Classes of queries that agree on the first bits of some. Classes are numbered in the order in which queries are sorted:
/// of two, the one that has a bit comes before the one that lacks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Prefix {
    /// The number of the class, were it split by no other bits.
    pub(crate) class: usize,
    /// On how many bits the queries agree.
    pub(crate) bits: usize,
}

impl Prefix {
    /// That of all queries.
    #[cfg(test)]
    pub(crate) const ANY: Self = Self { class: 0, bits: 0 };

    /// Of its queries, those that have the next bit, and those that lack it.
    pub(crate) fn cut(self) -> [Self; 2] {
        [0, 1].map(|lacks| Self {
            class: 2 * self.class + lacks,
            bits: self.bits + 1,
        })
    }

    /// Of the bits `bits`, of which the last ones are these, those that the queries have.
    pub(crate) fn having(self, bits: &[u32]) -> u64 {
        let bits = bits[..self.bits].iter().rev().enumerate();
        bits.fold(0, |having, (i, bit)| {
            having | u64::from(self.class >> i & 1 == 0) << bit
        })
    }

    /// Of the bits `bits`, of which the last ones are these, those that the queries lack.
    pub(crate) fn lacking(self, bits: &[u32]) -> u64 {
        let all = bits[..self.bits].iter().fold(0, |all, bit| all | 1 << bit);
        all & !self.having(bits)
    }

    /// The classes, where queries are split by so many bits.
    fn classes(self, split: usize) -> Range<usize> {
        let finer = split - self.bits;
        self.class << finer..(self.class + 1) << finer
    }
}

/// Counts the disjoint pairs of sorted east patterns and queries, of which the bits `decided` are known not to conflict.
#[inline(always)]
fn count_class<I: InstructionSet, const WIDE: bool>(
    isa: I,
    east: &List,
    west: &Chosen<'_>,
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
        let from_group = without::<I, WIDE>(isa, west.clone(), group_has, group, probe);
        for at in (at..at + in_group).step_by(BLOCK) {
            let size = (east.len() - at).min(BLOCK);
            let summary = summary::<I, WIDE>(isa, east, at..at + size, decided);
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
