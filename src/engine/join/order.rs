//! By which bits half-boards are split and sorted: those that conflict most often.
//!
//! Splitting by a bit that a share p of the east patterns and a share q of the west ones have saves a share p q of the pairs.
//! Both differ much from row set to row set, and within one from class to class.

use super::list::List;
use super::select::Chosen;

/// Patterns of either side that are looked at, about: fewer than 128, so that counts fit bytes whatever the rounding.
const SAMPLE: usize = 100;

/// Pairs from which on it pays to look.
const WORTH: usize = 1 << 19;

/// Pattern bits, from the one that conflicts most often to the one that does so least; bits that never do are left out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Order {
    bits: [u8; 64],
    len: usize,
}

impl Default for Order {
    fn default() -> Self {
        Self { bits: [0; 64], len: 0 }
    }
}

impl Order {
    /// The order of the bits that are open, from a sample; where there are few pairs, that of most boards.
    pub(crate) fn find<const WIDE: bool>(east: &List, west: &Chosen<'_>, open: u64) -> Self {
        if east.len() * west.len() < WORTH {
            return Self::usual(open);
        }
        let mut having = [[0u8; 64]; 2];
        add::<WIDE>(&mut having[0], east, 0..east.len(), east.len());
        for range in &west.ranges {
            add::<WIDE>(&mut having[1], west.list, range.clone(), west.len());
        }
        let conflicts = |bit: u8| having.iter().map(|counts| u32::from(counts[usize::from(bit)])).product::<u32>();
        let mut bits = [0; 64];
        let mut len = 0;
        for bit in 0..64 {
            if open >> bit & 1 == 1 && conflicts(bit) > 0 {
                bits[len] = bit;
                len += 1;
            }
        }
        bits[..len].sort_unstable_by_key(|&bit| std::cmp::Reverse(conflicts(bit)));
        Self { bits, len }
    }

    /// That of most boards.
    fn usual(open: u64) -> Self {
        let mut bits = [0; 64];
        let mut len = 0;
        for bit in (0..64).rev() {
            if open >> bit & 1 == 1 {
                bits[len] = bit;
                len += 1;
            }
        }
        Self { bits, len }
    }

    /// The bits.
    pub(crate) fn bits(&self) -> &[u8] {
        &self.bits[..self.len]
    }
}

/// Adds how many of some patterns of a range have each bit, of so many patterns in all.
#[inline(always)]
fn add<const WIDE: bool>(having: &mut [u8; 64], list: &List, range: std::ops::Range<usize>, all: usize) {
    // Eight counters to a word.
    let mut counts = [0u64; 8];
    let (low, high) = list.words::<WIDE>(range);
    for i in (0..low.len()).step_by(all.div_ceil(SAMPLE).max(1)) {
        let high = if WIDE { u64::from(high[i]) << 32 } else { 0 };
        let pattern = high | u64::from(low[i]);
        for (bit, counts) in counts.iter_mut().enumerate() {
            *counts += pattern >> bit & 0x0101_0101_0101_0101;
        }
    }
    for (bit, having) in having.iter_mut().enumerate() {
        *having += counts[bit % 8].to_le_bytes()[bit / 8];
    }
}
