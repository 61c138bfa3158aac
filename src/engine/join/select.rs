//! Passes over lists of patterns that sort them or pick some out, a vector at a time.

use std::ops::Range;

use super::block::BLOCK;
use super::list::{End, List, Patterns};
use crate::engine::simd::{InstructionSet, LaneMask, U32s};

/// Lists of west patterns of three weights, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Queries {
    /// All patterns.
    pub(crate) list: List,
    /// Where each class ends.
    pub(crate) ends: [usize; 3],
}

impl Queries {
    /// Forgets all classes but the first.
    pub(crate) fn keep_first(&mut self) {
        self.ends = [self.ends[0]; 3];
        self.list.truncate(self.ends[0]);
    }

    /// Where the queries of a class are.
    pub(crate) fn range(&self, class: usize) -> Range<usize> {
        (if class == 0 { 0 } else { self.ends[class - 1] })..self.ends[class]
    }
}

/// Sorts patterns by as many of their most frequent bits as it takes for blocks to have some in common.
///
/// A radix sort: one stable partition for each bit, the least of them first.
#[inline(always)]
pub(crate) fn sort<I: InstructionSet, const WIDE: bool>(
    isa: I,
    priority: &[u32],
    list: &mut List,
    spare: &mut List,
    lacking: &mut List,
) {
    if list.len() <= BLOCK / 2 {
        return;
    }
    let bits = (list.len().div_ceil(BLOCK).ilog2() as usize + 2).min(priority.len());
    for &bit in priority[..bits].iter().rev() {
        partition::<I, WIDE>(isa, list, bit, spare, lacking);
        std::mem::swap(list, spare);
    }
}

/// Copies to `to` the patterns that have a bit, then those that lack it, each in the order in which they are.
#[inline(always)]
fn partition<I: InstructionSet, const WIDE: bool>(
    isa: I,
    from: &List,
    bit: u32,
    to: &mut List,
    lacking: &mut List,
) {
    to.truncate(0);
    lacking.truncate(0);
    let in_high = bit >= 32;
    let mask = isa.splat(1 << (bit % 32));
    let (mut with, mut without) = (to.end::<WIDE>(), lacking.end::<WIDE>());
    with.reserve(from.len());
    without.reserve(from.len());
    for vector in from.patterns::<WIDE>(0..from.len()).vectors(isa) {
        let (patterns, lanes) = (vector.load(), vector.lanes());
        let word = if in_high { patterns.1 } else { patterns.0 };
        let lack = word.disjoint(mask).and(lanes);
        // SAFETY: both ends have room for all patterns, and each is appended to one of them.
        unsafe {
            with.append(patterns, lanes.and_not(lack));
            without.append(patterns, lack);
        }
    }
    with.finish();
    without.finish();
    to.extend::<WIDE>(lacking);
}

/// Copies to `to` the patterns that have none of some bits, in the same order.
#[inline(always)]
pub(crate) fn lacking<I: InstructionSet, const WIDE: bool>(
    isa: I,
    from: &List,
    bits: u64,
    to: &mut List,
) {
    to.truncate(0);
    let mut end = to.end::<WIDE>();
    select(isa, from.patterns(0..from.len()), bits, 0, &mut end);
    end.finish();
}

/// Copies to `to` the queries that have, of some bits, exactly those in `having`.
#[inline(always)]
pub(crate) fn filter<I: InstructionSet, const WIDE: bool>(
    isa: I,
    from: &Queries,
    bits: u64,
    having: u64,
    to: &mut Queries,
) {
    to.list.truncate(0);
    let mut end = to.list.end::<WIDE>();
    for class in 0..3 {
        let patterns = from.list.patterns(from.range(class));
        select(isa, patterns, bits, having, &mut end);
        to.ends[class] = end.len();
    }
    end.finish();
}

/// Appends the patterns that have, of some bits, exactly those in `having`.
#[inline(always)]
fn select<I: InstructionSet, const WIDE: bool>(
    isa: I,
    from: Patterns<'_, u32, WIDE>,
    bits: u64,
    having: u64,
    to: &mut End<'_, WIDE>,
) {
    let (low_bits, high_bits) = (isa.splat(bits as u32), isa.splat((bits >> 32) as u32));
    let low_having = isa.splat(having as u32);
    let high_having = isa.splat((having >> 32) as u32);
    to.reserve(from.len());
    for vector in from.vectors(isa) {
        let patterns = vector.load();
        let mut keep = patterns.0.xor(low_having).disjoint(low_bits);
        if WIDE {
            keep = keep.and(patterns.1.xor(high_having).disjoint(high_bits));
        }
        // SAFETY: room was made for all patterns, and each is appended once.
        unsafe { to.append(patterns, keep.and(vector.lanes())) };
    }
}
