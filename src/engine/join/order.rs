//! Order of the bits by which half-boards are split and sorted, the most frequently conflicting first.
//!
//! Suppose a fraction p of the east patterns and a fraction q of the west patterns have a bit. Splitting by this bit
//! saves a fraction p q of the pairs. Both fractions differ much between row sets, and between classes of one row set.
//! Finding an order takes as long as some thousand visits, so row sets with few pairs reuse the order of an earlier
//! one.

use std::cmp::Reverse;
use std::ops::Range;

use super::list::List;
use super::select::Chosen;

/// Approximate number of sampled patterns of either side. It is below 128 so that counts fit bytes after rounding.
const SAMPLE: usize = 100;

/// Number of pairs for which an order is reused before it is recomputed.
const WORTH: usize = 1 << 24;

/// Pattern bits, the most frequently conflicting first. Bits that never conflict are left out.
#[derive(Debug, Default)]
pub(crate) struct Order {
    bits: Vec<u8>,
    /// Number of pairs for which the order can still be reused.
    pairs: usize,
}

impl Order {
    /// Recomputes the order of the `open` bits from a sample of these patterns when it is stale.
    pub(crate) fn find(&mut self, east: &List, west: &Chosen<'_>, open: u64) {
        let pairs = east.len() * west.len();
        if let Some(left) = self.pairs.checked_sub(pairs) {
            self.pairs = left;
            return;
        }
        // A small sample is not representative of other row sets.
        let is_reliable = east.len().min(west.len()) >= SAMPLE;
        self.pairs = if is_reliable { WORTH } else { 0 };
        self.bits.clear();
        self.bits
            .extend((0..64).rev().filter(|bit| open >> bit & 1 == 1));
        let mut required = [[0u8; 64]; 2];
        add(&mut required[0], east, 0..east.len(), east.len());
        for range in &west.ranges {
            add(&mut required[1], west.list, range.clone(), west.len());
        }
        let [east, west] = required.map(|counts| counts.map(u32::from));
        let conflicts = |&bit: &u8| east[usize::from(bit)] * west[usize::from(bit)];
        self.bits.retain(|bit| conflicts(bit) > 0);
        self.bits
            .sort_unstable_by_key(|bit| Reverse(conflicts(bit)));
    }

    pub(crate) fn bits(&self) -> &[u8] {
        &self.bits
    }
}

/// Counts, for each bit, the sampled patterns of a range that have it. `all` is the number of patterns to sample from.
fn add(required: &mut [u8; 64], list: &List, range: Range<usize>, all: usize) {
    // Eight counters per word.
    let mut counts = [0u64; 8];
    for i in range.step_by(all.div_ceil(SAMPLE).max(1)) {
        let pattern = list.get(i);
        for (bit, counts) in counts.iter_mut().enumerate() {
            *counts += pattern >> bit & 0x0101_0101_0101_0101;
        }
    }
    for (bit, required) in required.iter_mut().enumerate() {
        *required += counts[bit % 8].to_le_bytes()[bit / 8];
    }
}
