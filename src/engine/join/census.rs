//! Choice of the bits by which half-boards are sorted and partitioned.
//!
//! If a fraction p of the east patterns and a fraction q of the west patterns have a certain bit,
//! partitioning by this bit saves a fraction p q of the pairs. Both fractions vary widely between
//! row sets, between the buckets of one row set, and between the nodes of the recursion. A
//! **census** estimates them from 512 patterns of each side. It costs as much as about 450 visits,
//! so small nodes reuse the order of bits that an earlier census found.

use std::cmp::Reverse;
use std::ops::Range;

use super::list::{List, Ranges, total_len};
use super::stats;
use crate::engine::simd::{Aligned, Bits512, InstructionSet, Isa, Row, task};

/// Number of pairs that may be counted with an order before it is recomputed.
const PAIRS_PER_ORDER: u64 = 1 << 24;

/// Returns the `open` bit in which patterns and queries conflict most often, if there is one.
pub(crate) fn most_conflicting_bit(
    isa: Isa,
    east: (&List, Range<usize>),
    west: (&List, &Ranges),
    open: u64,
) -> Option<u8> {
    conflicts(isa, east, west, open).max().map(|(_, bit)| bit)
}

/// Returns the `open` bits in which patterns and queries conflict. Each comes after the number of
/// pairs that conflict, in arbitrary units.
fn conflicts(
    isa: Isa,
    (east, range): (&List, Range<usize>),
    (west, ranges): (&List, &Ranges),
    open: u64,
) -> impl Iterator<Item = (u32, u8)> {
    stats::record(|stats| stats.censuses += 1);
    let east = census(isa, east, &[range, 0..0, 0..0], open);
    let west = census(isa, west, ranges, open);
    let conflicts = (0..64).map(move |bit| (east[bit] * west[bit], bit as u8));
    conflicts.filter(|(pairs, _)| *pairs > 0)
}

task! {
    /// Returns the number of patterns that have each of the `open` bits, in a sample of 512: 32
    /// cache lines, evenly spaced over all ranges. The lines at the ends of a range may contain
    /// other patterns.
    fn census(
        isa, list: &List, ranges: &Ranges, open: u64
    ) -> [u32; 64], W = 1 => {
        let len = total_len(ranges);
        let mut lines = [0; 32];
        for (i, line) in lines.iter_mut().enumerate() {
            let mut at = (2 * i + 1) * len / 64;
            for range in ranges {
                if at < range.len() {
                    *line = (range.start + at) / 16;
                    break;
                }
                at -= range.len();
            }
        }
        let mut counts = [0; 64];
        let mut planes = [Row::EMPTY; 32];
        for (i, words) in list.lines().into_iter().enumerate() {
            let open = (open >> (32 * i)) as u32;
            if open == 0 {
                continue;
            }
            let mut sample = [Aligned([0; 16]); 32];
            for (to, line) in sample.iter_mut().zip(lines) {
                *to = words[line];
            }
            I::Bits::planes(isa, &sample, open, &mut planes);
            let mut left = open;
            while left != 0 {
                let bit = left.trailing_zeros() as usize;
                left &= left - 1;
                counts[32 * i + bit] = 512;
                for word in planes[bit].0 {
                    counts[32 * i + bit] -= word.count_ones();
                }
            }
        }
        counts
    }
}

/// Indices of pattern bits, starting with the bit that conflicts most often. Bits that never
/// conflict are omitted.
#[derive(Debug, Default)]
pub(crate) struct Order {
    pub(crate) bits: Vec<u8>,
    /// Number of pairs that may still be counted before the order is recomputed.
    pairs: u64,
}

impl Order {
    /// Recomputes the order of the `open` bits from a census, unless the old order can be reused.
    pub(crate) fn find(
        &mut self,
        isa: Isa,
        east: &List,
        (west, ranges): (&List, &Ranges),
        open: u64,
    ) {
        let queries = total_len(ranges);
        let pairs = east.len() as u64 * queries as u64;
        if let Some(left) = self.pairs.checked_sub(pairs) {
            self.pairs = left;
            return;
        }
        // A small sample is not representative of other row sets.
        let is_reliable = east.len().min(queries) >= 100;
        self.pairs = if is_reliable { PAIRS_PER_ORDER } else { 0 };
        let conflicts = conflicts(isa, (east, 0..east.len()), (west, ranges), open);
        let mut conflicts: Vec<_> = conflicts.map(Reverse).collect();
        conflicts.sort_unstable();
        self.bits = conflicts.into_iter().map(|Reverse((_, bit))| bit).collect();
    }
}
