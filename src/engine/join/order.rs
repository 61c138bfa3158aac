//! By which bits half-boards are split and sorted: those that conflict most often.
//!
//! Splitting by a bit that a share p of the east patterns and a share q of the west ones have saves a share p q of the
//! pairs. Both differ much from row set to row set, and within one from class to class. To find an order takes as long
//! as some thousand visits, so row sets with few pairs share the order of one of them.

use std::cmp::Reverse;
use std::ops::Range;

use super::list::List;
use super::select::Chosen;

/// Patterns of either side that are looked at, about: fewer than 128, so that counts fit bytes whatever the rounding.
const SAMPLE: usize = 100;

/// Pairs that are counted by an order before it pays to find another.
const WORTH: usize = 1 << 24;

/// Pattern bits, from the one that conflicts most often to the one that does so least; those that never do are left
/// out.
#[derive(Debug, Default)]
pub(crate) struct Order {
    bits: Vec<u8>,
    /// Pairs that may be counted by it yet.
    pairs: usize,
}

impl Order {
    /// Becomes the order of the bits that are open in these patterns, from a sample, unless it still serves.
    pub(crate) fn find(&mut self, east: &List, west: &Chosen<'_>, open: u64) {
        let pairs = east.len() * west.len();
        if let Some(left) = self.pairs.checked_sub(pairs) {
            self.pairs = left;
            return;
        }
        // Too few tell nothing about others.
        let tells = east.len().min(west.len()) >= SAMPLE;
        self.pairs = if tells { WORTH } else { 0 };
        self.bits.clear();
        self.bits
            .extend((0..64).rev().filter(|bit| open >> bit & 1 == 1));
        let mut having = [[0u8; 64]; 2];
        add(&mut having[0], east, 0..east.len(), east.len());
        for range in &west.ranges {
            add(&mut having[1], west.list, range.clone(), west.len());
        }
        let [east, west] = having.map(|counts| counts.map(u32::from));
        let conflicts = |&bit: &u8| east[usize::from(bit)] * west[usize::from(bit)];
        self.bits.retain(|bit| conflicts(bit) > 0);
        self.bits
            .sort_unstable_by_key(|bit| Reverse(conflicts(bit)));
    }

    /// The bits.
    pub(crate) fn bits(&self) -> &[u8] {
        &self.bits
    }
}

/// Adds how many of some patterns of a range have each bit, of so many patterns in all.
fn add(having: &mut [u8; 64], list: &List, range: Range<usize>, all: usize) {
    // Eight counters to a word.
    let mut counts = [0u64; 8];
    for i in range.step_by(all.div_ceil(SAMPLE).max(1)) {
        let pattern = list.get(i);
        for (bit, counts) in counts.iter_mut().enumerate() {
            *counts += pattern >> bit & 0x0101_0101_0101_0101;
        }
    }
    for (bit, having) in having.iter_mut().enumerate() {
        *having += counts[bit % 8].to_le_bytes()[bit / 8];
    }
}
