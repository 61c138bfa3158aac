//! The order in which a row set's bits are settled.

use super::list::List;
use super::pattern::Layout;

/// Patterns of either side that are looked at: fewer than 256, so that counts fit bytes.
const SAMPLE: usize = 192;
/// Pairs of half-boards from which on it pays to look.
const WORTH: usize = 1 << 20;

/// Writes to `order` the pattern bits that may conflict, from the one that does so most often in these lists to the one that
/// does so least, but first the `first` most frequent ones on any board.
///
/// Splitting by a bit that a share p of the east patterns and a share q of the west ones have saves a share p q of the pairs.
pub(super) fn find(layout: &Layout, first: usize, east: &List, west: &List, order: &mut Vec<u32>) {
    order.clear();
    order.extend(&layout.priority);
    if east.len() * west.len() < WORTH {
        return;
    }
    let [east, west] = [east, west].map(|list| frequencies(list, layout.is_wide()));
    let conflicts = |bit: u32| u32::from(east[bit as usize]) * u32::from(west[bit as usize]);
    order[first..].sort_unstable_by_key(|&bit| std::cmp::Reverse(conflicts(bit)));
}

/// How many of some patterns of a list have each bit.
fn frequencies(list: &List, wide: bool) -> [u8; 64] {
    let (low, high) = (list.low().words(), list.high().words());
    let step = list.len().div_ceil(SAMPLE);
    // Eight counters to a word.
    let mut counts = [0u64; 8];
    for i in (0..list.len()).step_by(step) {
        let high = if wide { u64::from(high[i]) << 32 } else { 0 };
        let pattern = high | u64::from(low[i]);
        for (bit, counts) in counts.iter_mut().enumerate() {
            *counts += pattern >> bit & 0x0101_0101_0101_0101;
        }
    }
    let counts = counts.map(u64::to_le_bytes);
    std::array::from_fn(|bit| counts[bit % 8][bit / 8])
}
