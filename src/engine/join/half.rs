//! Half-boards: all placements of a half on a given row set, joined from its north and south quadrants.
//!
//! For every column set of the right size for the north, the south takes the other columns. Two placements go together
//! iff their patterns are disjoint (see [`super::pattern`]), and the half-board's pattern is their union. Each pattern
//! of the shorter list goes against a vector of the longer at a time.

use super::list::List;
use super::quadrant::{Long, Patterns, RowLists};
use crate::engine::simd::{InstructionSet, LaneMask, U32s};

/// Appends the patterns of all half-boards made of a north and a south that use certain rows.
#[inline(always)]
pub(crate) fn join<I: InstructionSet, const WIDE: bool>(
    isa: I,
    (north, north_long): (&RowLists, Long),
    (south, south_long): (&RowLists, Long),
    out: &mut List,
) {
    let sets = north.column_sets();
    if sets == 0 || south.column_sets() == 0 {
        return;
    }
    for set in 0..sets {
        // Complements of column sets come in the opposite order.
        let (a, b) = (
            north.list(set, north_long),
            south.list(sets - 1 - set, south_long),
        );
        if a.is_empty() || b.is_empty() {
            continue;
        }
        let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
        join_lists::<I, WIDE>(isa, short, long, out);
    }
}

/// Appends the unions of all disjoint pairs.
#[inline(always)]
fn join_lists<I: InstructionSet, const WIDE: bool>(
    isa: I,
    short: Patterns<'_>,
    long: Patterns<'_>,
    out: &mut List,
) {
    let mut end = out.end::<WIDE>(short.len() * long.len());
    let (short_low, short_high) = short.words::<WIDE>();
    let vectors = long.vectors::<I, WIDE>(isa);
    for at in vectors.starts() {
        let (low, high) = vectors.load(at);
        let lanes = vectors.lanes(at);
        for i in 0..short_low.len() {
            let other_low = isa.splat(short_low[i]);
            let mut other_high = other_low;
            let mut keep = low.disjoint(other_low).and(lanes);
            if WIDE {
                other_high = isa.splat(u32::from(short_high[i]));
                keep = high.disjoint(other_high).and(keep);
            }
            // SAFETY: room was made for all pairs, and each is appended once.
            unsafe { end.append((low.or(other_low), high.or(other_high)), keep) };
        }
    }
    end.finish();
}
