//! Half-boards: all placements of a half on a given row set, joined from its north and south quadrants.
//!
//! For every column set of the right size for the north, the south takes the other columns. Two placements go together
//! iff their patterns are disjoint (see [`super::pattern`]), and the half-board's pattern is their union. Each pattern
//! of the shorter list goes against a vector of the longer at a time.

use super::list::{End, Patterns};
use super::pattern::{Layout, Part, Side};
use super::quadrant::{Long, Quadrant, RowLists};
use crate::engine::choice::Kernel;
use crate::engine::simd::{InstructionSet, LaneMask, U32s};

/// The two quadrants of a half.
#[derive(Debug)]
pub(super) struct Half {
    north: Quadrant,
    south: Quadrant,
    /// Rows of the north.
    height: usize,
}

/// A thread's memory for the lists of a half.
#[derive(Debug, Default)]
pub(super) struct HalfLists {
    rows: u32,
    north: RowLists,
    south: RowLists,
}

impl HalfLists {
    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        self.north.bytes() + self.south.bytes()
    }
}

impl Half {
    pub(super) fn new(layout: &Layout, side: Side, kernel: Kernel, kept_rows: usize) -> Self {
        let quadrant = |part| Quadrant::new(layout, side, part, kernel, kept_rows);
        Self {
            north: quadrant(Part::North),
            south: quadrant(Part::South),
            height: layout.height(Part::North),
        }
    }

    /// Some rows of the half, north and south.
    fn split(&self, rows: u32) -> (u32, u32) {
        (rows & ((1 << self.height) - 1), rows >> self.height)
    }

    /// Makes the lists of some rows of the half, unless they are there.
    pub(super) fn make(&self, rows: u32, lists: &mut HalfLists, spare: &mut RowLists) {
        lists.rows = rows;
        let (north, south) = self.split(rows);
        self.north.make(north, &mut lists.north, spare);
        self.south.make(south, &mut lists.south, spare);
    }

    /// The lists that were [made](Self::make).
    pub(super) fn made<'a>(&'a self, lists: &'a HalfLists) -> (&'a RowLists, &'a RowLists) {
        let (north, south) = self.split(lists.rows);
        (
            self.north.made(north, &lists.north),
            self.south.made(south, &lists.south),
        )
    }

    pub(super) fn bytes(&self) -> usize {
        self.north.bytes() + self.south.bytes()
    }

    /// Column sets of the norths on the rows whose lists were made.
    pub(super) fn column_sets(&self, lists: &HalfLists) -> usize {
        self.made(lists).0.lists::<false>(Long::Free).len()
    }
}

/// Half-boards of which just some are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Those with a column set in the north whose rank leaves the rest `part` when divided by `parts`.
    pub(crate) part: usize,
    pub(crate) parts: usize,
    /// Those with none of these bits of the high word, and all of those.
    pub(crate) lacking: u32,
    pub(crate) having: u32,
}

impl Wanted {
    /// All of them.
    pub(crate) const ALL: Self = Self::share(0, 1);

    /// One of so many shares.
    pub(crate) const fn share(part: usize, parts: usize) -> Self {
        Self {
            part,
            parts,
            lacking: 0,
            having: 0,
        }
    }
}

/// Appends the patterns of the wanted half-boards made of a north and a south with some lists, whose two parts have to do with the
/// long diagonals what `longs` says. Only of wide patterns some may be left out.
#[inline(always)]
pub(crate) fn join<I: InstructionSet, const WIDE: bool>(
    isa: I,
    lists: (&RowLists, &RowLists),
    longs: &[(Long, Long)],
    wanted: Wanted,
    out: &mut End<'_, WIDE>,
) {
    if WIDE && wanted != Wanted::ALL {
        join_wanted::<I, WIDE, true>(isa, lists, longs, wanted, out);
    } else {
        assert!(wanted == Wanted::ALL);
        join_wanted::<I, WIDE, false>(isa, lists, longs, wanted, out);
    }
}

/// [`join`], which is told by a constant whether it has to ask what is wanted: lists are so short that it would show.
#[inline(always)]
fn join_wanted<I: InstructionSet, const WIDE: bool, const SOME: bool>(
    isa: I,
    (north, south): (&RowLists, &RowLists),
    longs: &[(Long, Long)],
    wanted: Wanted,
    out: &mut End<'_, WIDE>,
) {
    for &(north_long, south_long) in longs {
        // Complements of column sets come in the opposite order.
        let souths = south.lists(south_long).rev();
        for (rank, (a, b)) in north.lists(north_long).zip(souths).enumerate() {
            if a.len() == 0 || b.len() == 0 || SOME && rank % wanted.parts != wanted.part {
                continue;
            }
            let (a, b) = ((a, north.named), (b, south.named));
            let (short, long) = if a.0.len() < b.0.len() {
                (a, b)
            } else {
                (b, a)
            };
            join_lists::<I, WIDE, SOME>(isa, short, long, wanted, out);
        }
    }
}

/// Appends the wanted ones of the unions of all disjoint pairs of two lists, each with the bits that make up its patterns.
#[inline(always)]
fn join_lists<I: InstructionSet, const WIDE: bool, const SOME: bool>(
    isa: I,
    (short, short_bits): (Patterns<'_, WIDE>, u64),
    (long, long_bits): (Patterns<'_, WIDE>, u64),
    wanted: Wanted,
    out: &mut End<'_, WIDE>,
) {
    let [short_low, long_low] = [short_bits, long_bits].map(|bits| bits as u32);
    let [short_high, long_high] = [short_bits, long_bits].map(|bits| (bits >> 32) as u32);
    let long_bits = (isa.splat(long_low), isa.splat(long_high));
    let (having, lacking) = (isa.splat(wanted.having), isa.splat(wanted.lacking));
    for vector in long.vectors(isa) {
        out.reserve(short.len() * I::Words::LANES);
        let ((mut low, mut high), mut lanes) = (vector.load(), vector.lanes());
        if WIDE {
            (low, high) = (low.and(long_bits.0), high.and(long_bits.1));
        }
        if SOME {
            lanes = high.disjoint(lacking).and(lanes);
        }
        for i in 0..short.len() {
            let (mut other_low, mut other_high) = short.get(i);
            if WIDE {
                (other_low, other_high) = (other_low & short_low, other_high & short_high);
            }
            if SOME && other_high & wanted.lacking != 0 {
                continue;
            }
            let (other_low, other_high) = (isa.splat(other_low), isa.splat(other_high));
            let mut keep = low.disjoint(other_low).and(lanes);
            if WIDE {
                keep = high.disjoint(other_high).and(keep);
            }
            if SOME {
                keep = having.and_not(high.or(other_high)).is_zero().and(keep);
            }
            // SAFETY: room was made for all pairs of the vector, and each is appended once.
            unsafe { out.append((low.or(other_low), high.or(other_high)), keep) };
        }
    }
}
