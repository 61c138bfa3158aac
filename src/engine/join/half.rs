//! Half-boards: all placements of a half on a given row set, joined from its north and south quadrants.
//!
//! For every column set of the right size for the north, the south takes the other columns. Two placements go together
//! iff their patterns are disjoint (see [`super::pattern`]), and the half-board's pattern is their union. Each pattern
//! of the shorter list goes against a vector of the longer at a time.

use super::list::{End, Patterns};
use super::quadrant::{Long, RowLists};
use crate::engine::simd::{InstructionSet, LaneMask, U32s};

/// A share of the column sets: those whose rank leaves the rest `part` when divided by `parts`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Share {
    pub(crate) part: usize,
    pub(crate) parts: usize,
}

impl Share {
    /// All of them.
    pub(crate) const ALL: Self = Self { part: 0, parts: 1 };
}

/// Appends the patterns of all half-boards made of a north and a south that use certain rows, with a share of the column
/// sets in the north.
#[inline(always)]
pub(crate) fn join<I: InstructionSet, const WIDE: bool>(
    isa: I,
    (north, north_long): (&RowLists, Long),
    (south, south_long): (&RowLists, Long),
    share: Share,
    out: &mut End<'_, WIDE>,
) {
    // Complements of column sets come in the opposite order.
    let souths = south.lists(south_long).rev();
    let mut next = share.part;
    for (rank, (a, b)) in north.lists(north_long).zip(souths).enumerate() {
        if rank < next {
            continue;
        }
        next += share.parts;
        if a.len() == 0 || b.len() == 0 {
            continue;
        }
        let (a, b) = ((a, north.named), (b, south.named));
        let (short, long) = if a.0.len() < b.0.len() { (a, b) } else { (b, a) };
        join_lists(isa, short, long, out);
    }
}

/// Appends the unions of all disjoint pairs of two lists, each with the bits that make up its patterns.
#[inline(always)]
fn join_lists<I: InstructionSet, const WIDE: bool>(
    isa: I,
    (short, short_bits): (Patterns<'_, WIDE>, u64),
    (long, long_bits): (Patterns<'_, WIDE>, u64),
    out: &mut End<'_, WIDE>,
) {
    out.reserve(short.len() * long.len());
    let [short_low, long_low] = [short_bits, long_bits].map(|bits| bits as u32);
    let [short_high, long_high] = [short_bits, long_bits].map(|bits| (bits >> 32) as u32);
    let long_bits = (isa.splat(long_low), isa.splat(long_high));
    for vector in long.vectors(isa) {
        let ((mut low, mut high), lanes) = (vector.load(), vector.lanes());
        if WIDE {
            (low, high) = (low.and(long_bits.0), high.and(long_bits.1));
        }
        for i in 0..short.len() {
            let (other_low, other_high) = short.get(i);
            let (other_low, other_high) = if WIDE {
                (other_low & short_low, other_high & short_high)
            } else {
                (other_low, other_high)
            };
            let (other_low, other_high) = (isa.splat(other_low), isa.splat(other_high));
            let mut keep = low.disjoint(other_low).and(lanes);
            if WIDE {
                keep = high.disjoint(other_high).and(keep);
            }
            // SAFETY: room was made for all pairs, and each is appended once.
            unsafe { out.append((low.or(other_low), high.or(other_high)), keep) };
        }
    }
}
