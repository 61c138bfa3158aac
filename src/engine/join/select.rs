//! Passes over lists of patterns that sort them or pick some out, a vector at a time.

use std::ops::Range;

use super::list::{End, List, Patterns};
use crate::engine::simd::{InstructionSet, LaneMask, U32s};

/// West patterns of three weights.
#[derive(Debug, Default)]
pub(crate) struct Queries {
    /// The patterns of each weight class.
    pub(crate) lists: [List; 3],
    /// Where the patterns begin and end that agree on the bits by which each list is [sorted](sort).
    bounds: [Vec<usize>; 3],
}

impl Queries {
    /// Forgets all weight classes but the first.
    pub(crate) fn keep_first(&mut self) {
        for weight in 1..3 {
            self.lists[weight].truncate(0);
            self.bounds[weight].fill(0);
        }
    }

    /// How many patterns.
    pub(crate) fn len(&self) -> usize {
        self.lists.iter().map(List::len).sum()
    }

    /// All of them.
    pub(crate) fn all(&self) -> Chosen<'_> {
        Chosen {
            queries: self,
            ranges: self.lists.each_ref().map(|list| 0..list.len()),
        }
    }

    /// Sorts them.
    #[inline(always)]
    pub(crate) fn sort<I: InstructionSet, const WIDE: bool>(
        &mut self,
        isa: I,
        bits: &[u32],
        spare: &mut List,
    ) {
        for (list, bounds) in self.lists.iter_mut().zip(&mut self.bounds) {
            sort::<I, WIDE>(isa, bits, list, spare, bounds);
        }
    }

    /// Of the classes into which the queries are sorted, these.
    pub(crate) fn classes(&self, classes: Range<usize>) -> Chosen<'_> {
        let range = |bounds: &Vec<usize>| bounds[classes.start]..bounds[classes.end];
        Chosen {
            queries: self,
            ranges: self.bounds.each_ref().map(range),
        }
    }
}

/// Some queries: a range of each weight class.
#[derive(Debug, Clone)]
pub(crate) struct Chosen<'a> {
    pub(crate) queries: &'a Queries,
    pub(crate) ranges: [Range<usize>; 3],
}

impl Chosen<'_> {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.ranges.iter().map(ExactSizeIterator::len).sum()
    }
}

/// Sorts patterns by some bits, the first of them above the others, into classes that agree on them: those that have a bit
/// come before those that lack it. Afterwards `bounds` says where each of the 2^bits classes begins, and where the last ends.
///
/// A radix sort from the top bit down: every class is cut in two for each bit.
#[inline(always)]
pub(crate) fn sort<I: InstructionSet, const WIDE: bool>(
    isa: I,
    bits: &[u32],
    list: &mut List,
    spare: &mut List,
    bounds: &mut Vec<usize>,
) {
    bounds.clear();
    bounds.extend([0, list.len()]);
    let mut finer = Vec::new();
    for &bit in bits {
        spare.truncate(0);
        let mut end = spare.end::<WIDE>();
        end.reserve(list.len());
        finer.clear();
        for class in bounds.windows(2) {
            let patterns = list.patterns::<WIDE>(class[0]..class[1]);
            for having in [1 << bit, 0] {
                finer.push(end.len());
                // SAFETY: room was made for all patterns, and each is in one class and either has the bit or lacks it.
                unsafe { select(isa, patterns, 1 << bit, having, &mut end) };
            }
        }
        finer.push(end.len());
        end.finish();
        std::mem::swap(list, spare);
        std::mem::swap(bounds, &mut finer);
    }
}

/// Copies to `to` the patterns that have none of some bits, in the same order.
#[inline(always)]
pub(crate) fn lacking<I: InstructionSet, const WIDE: bool>(
    isa: I,
    from: &List,
    bits: u64,
    to: &mut List,
) {
    select_from::<I, WIDE>(isa, from, 0..from.len(), bits, to);
}

/// Copies to `to` the queries that have none of some bits.
#[inline(always)]
pub(crate) fn filter<I: InstructionSet, const WIDE: bool>(
    isa: I,
    from: &Chosen<'_>,
    bits: u64,
    to: &mut Queries,
) {
    let from = from.queries.lists.iter().zip(from.ranges.clone());
    for ((from, range), to) in from.zip(&mut to.lists) {
        select_from::<I, WIDE>(isa, from, range, bits, to);
    }
}

/// Copies to `to` the patterns of a range that have none of some bits.
#[inline(always)]
fn select_from<I: InstructionSet, const WIDE: bool>(
    isa: I,
    from: &List,
    range: Range<usize>,
    bits: u64,
    to: &mut List,
) {
    to.truncate(0);
    let mut end = to.end::<WIDE>();
    end.reserve(range.len());
    // SAFETY: room was made for the whole range.
    unsafe { select(isa, from.patterns(range), bits, 0, &mut end) };
    end.finish();
}

/// Appends the patterns that have, of some bits, exactly those in `having`.
///
/// # Safety
///
/// There is room for them.
#[inline(always)]
unsafe fn select<I: InstructionSet, const WIDE: bool>(
    isa: I,
    from: Patterns<'_, WIDE>,
    bits: u64,
    having: u64,
    to: &mut End<'_, WIDE>,
) {
    let (low_bits, high_bits) = (isa.splat(bits as u32), isa.splat((bits >> 32) as u32));
    let low_having = isa.splat(having as u32);
    let high_having = isa.splat((having >> 32) as u32);
    for vector in from.vectors(isa) {
        let patterns = vector.load();
        let mut keep = patterns.0.xor(low_having).disjoint(low_bits);
        if WIDE {
            keep = keep.and(patterns.1.xor(high_having).disjoint(high_bits));
        }
        // SAFETY: there is room, by the caller's promise, and each pattern is appended once.
        unsafe { to.append(patterns, keep.and(vector.lanes())) };
    }
}
