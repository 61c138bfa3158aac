//! Half-boards: all placements of a half on a given row set, joined from its north and south quadrants.
//!
//! For every column set of the right size for the north, the south takes the other columns. Two placements go together
//! iff their patterns are disjoint (see [`super::pattern`]), and the half-board's pattern is their union. Each pattern
//! of the shorter list goes against a vector of the longer at a time.

use super::list::{End, Patterns};
use super::quadrant::{Long, RowLists};
use crate::engine::simd::{InstructionSet, LaneMask, U32s};

/// Appends the patterns of all half-boards made of a north and a south that use certain rows.
#[inline(always)]
pub(crate) fn join<I: InstructionSet, const WIDE: bool>(
    isa: I,
    (north, north_long): (&RowLists, Long),
    (south, south_long): (&RowLists, Long),
    out: &mut End<'_, WIDE>,
) {
    // Complements of column sets come in the opposite order.
    let souths = south.lists(south_long).rev();
    for (a, b) in north.lists(north_long).zip(souths) {
        if a.len() == 0 || b.len() == 0 {
            continue;
        }
        let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
        join_lists(isa, short, long, out);
    }
}

/// Appends the unions of all disjoint pairs.
#[inline(always)]
fn join_lists<I: InstructionSet, const WIDE: bool>(
    isa: I,
    short: Patterns<'_, u16, WIDE>,
    long: Patterns<'_, u16, WIDE>,
    out: &mut End<'_, WIDE>,
) {
    out.reserve(short.len() * long.len());
    for vector in long.vectors(isa) {
        let ((low, high), lanes) = (vector.load(), vector.lanes());
        for i in 0..short.len() {
            let (other_low, other_high) = short.get(i);
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
