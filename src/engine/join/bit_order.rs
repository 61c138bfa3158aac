//! Order of the bits by which half-boards are sorted and partitioned. The bit that conflicts most
//! often comes first.
//!
//! If a fraction p of the east patterns and a fraction q of the west patterns have a certain bit,
//! partitioning by this bit saves a fraction p q of the pairs. Both fractions vary widely between
//! row sets, and between the classes of one row set. Computing an order takes as long as a few
//! thousand visits, so row sets with few pairs reuse an earlier one.

use std::cmp::Reverse;
use std::ops::Range;

use super::list::{List, Ranges};

/// Approximate number of patterns sampled from each side. Counts then fit in a byte, even after
/// rounding.
const SAMPLE: usize = 100;

/// Number of pairs that may be counted with an order before it is recomputed.
const PAIRS_PER_ORDER: usize = 1 << 24;

/// Indices of pattern bits, starting with the bit that conflicts most often. Bits that never
/// conflict are omitted.
#[derive(Debug, Default)]
pub(crate) struct Order {
    bits: Vec<u8>,
    /// Number of pairs that may still be counted before the order is recomputed.
    pairs: usize,
}

impl Order {
    /// Recomputes the order of the `open` bits from a sample of the given patterns, unless the old
    /// order can be reused.
    pub(crate) fn find(&mut self, east: &List, (west, ranges): (&List, &Ranges), open: u64) {
        let queries = ranges.iter().map(ExactSizeIterator::len).sum();
        let pairs = east.len() * queries;
        if let Some(left) = self.pairs.checked_sub(pairs) {
            self.pairs = left;
            return;
        }
        // A small sample is not representative of other row sets.
        let is_reliable = east.len().min(queries) >= SAMPLE;
        self.pairs = if is_reliable { PAIRS_PER_ORDER } else { 0 };
        self.bits.clear();
        self.bits.extend((0..64).rev().filter(|bit| open >> bit & 1 == 1));
        let mut counts = [[0u8; 64]; 2];
        add(&mut counts[0], east, 0..east.len(), east.len());
        for range in ranges {
            add(&mut counts[1], west, range.clone(), queries);
        }
        let [east, west] = counts.map(|counts| counts.map(u32::from));
        let conflicts = |&bit: &u8| east[usize::from(bit)] * west[usize::from(bit)];
        self.bits.retain(|bit| conflicts(bit) > 0);
        self.bits.sort_unstable_by_key(|bit| Reverse(conflicts(bit)));
    }

    pub(crate) fn bits(&self) -> &[u8] {
        &self.bits
    }
}

/// Adds to `totals` the number of sampled patterns that have each bit. `all` is the total length of
/// the sampled ranges.
fn add(totals: &mut [u8; 64], list: &List, range: Range<usize>, all: usize) {
    // Each word contains eight counters.
    let mut counts = [0u64; 8];
    for i in range.step_by(all.div_ceil(SAMPLE).max(1)) {
        let pattern = list.get(i);
        for (bit, counts) in counts.iter_mut().enumerate() {
            *counts += pattern >> bit & 0x0101_0101_0101_0101;
        }
    }
    for (bit, total) in totals.iter_mut().enumerate() {
        *total += counts[bit % 8].to_le_bytes()[bit / 8];
    }
}
