//! Generates half-boards: all ways to place queens in one half of the board on a given set of rows.
//!
//! A half-board consists of a placement on the north quadrant and a placement on the south quadrant
//! that uses the other columns. The two placements are compatible iff their patterns are disjoint
//! (see [`super::pattern`]). The pattern of the half-board is the union of the two patterns. For
//! each set of columns, there is a list of northern and a list of southern placements. Each pattern
//! of the shorter list is tested against the patterns of the longer list, one vector at a time.

use std::ops::Range;

use super::list::{List, ListWriter, Patterns, Vector};
use super::pattern::{Layout, Part, Side};
use super::quadrant::{LongDiagonals, Quadrant, RowLists};
use super::symmetry::Comparison;
use crate::engine::interruption::Interruption;
use crate::engine::simd::{InstructionSet, Isa, LaneMask, U32s, task};

/// The two quadrants of a half.
#[derive(Debug)]
pub(super) struct Half {
    north: Quadrant,
    south: Quadrant,
    /// Number of rows of the north quadrant.
    height: usize,
    /// Mask of the centre column of an odd board, or 0 if it is not in this half.
    centre_column: u32,
}

/// Per-thread scratch memory for the quadrant lists of a half.
#[derive(Debug, Default)]
pub(super) struct HalfLists {
    rows: u32,
    north: RowLists,
    south: RowLists,
}

impl HalfLists {
    /// Returns the size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.north.bytes() + self.south.bytes()
    }
}

impl Half {
    pub(super) fn new(layout: &Layout, side: Side, isa: Isa, kept_rows: usize) -> Self {
        let quadrant = |part| Quadrant::new(layout, side, part, isa, kept_rows);
        Self {
            north: quadrant(Part::North),
            south: quadrant(Part::South),
            height: layout.height(Part::North),
            centre_column: u32::from(layout.has_centre_column(side)),
        }
    }

    /// Splits a set of rows of the half into those of the north and those of the south quadrant.
    fn split(&self, rows: u32) -> (u32, u32) {
        (rows & ((1 << self.height) - 1), rows >> self.height)
    }

    /// Builds the quadrant lists for the given rows of the half. Returns `false` if those of a
    /// quadrant were not built because they would probably take more than `max_bytes` bytes.
    pub(super) fn build(
        &self,
        rows: u32,
        lists: &mut HalfLists,
        spare: &mut RowLists,
        max_bytes: usize,
    ) -> Result<bool, Interruption> {
        lists.rows = rows;
        let (north, south) = self.split(rows);
        Ok(self.north.build(north, &mut lists.north, spare, max_bytes)?
            && self.south.build(south, &mut lists.south, spare, max_bytes)?)
    }

    /// Builds all lists that are kept in memory. Returns `true` if no others are needed.
    pub(super) fn build_kept(&self) -> Result<bool, Interruption> {
        Ok(self.north.build_kept()? & self.south.build_kept()?)
    }

    /// Returns the lists that were last [built](Self::build).
    pub(super) fn built<'a>(&'a self, lists: &'a HalfLists) -> Quadrants<'a> {
        let (north, south) = self.split(lists.rows);
        Quadrants {
            column_sets: self.north.column_sets(north),
            centre_column: self.centre_column,
            north: self.north.built(north, &lists.north),
            south: self.south.built(south, &lists.south),
        }
    }
}

/// Quadrant lists for a set of rows of a half.
#[derive(Clone, Copy)]
pub(crate) struct Quadrants<'a> {
    /// Column sets of the north quadrant, in ascending order of their masks.
    pub(crate) column_sets: &'a [u32],
    /// Mask of the centre column of an odd board, or 0 if it is not in this half.
    pub(crate) centre_column: u32,
    pub(crate) north: &'a RowLists,
    pub(crate) south: &'a RowLists,
}

/// Group of half-boards with the same weight. It is defined by the occupied long diagonals, the
/// column sets of the north quadrant and the queen in the middle row.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    /// Occupancy of the long diagonals in the north and in the south quadrant.
    pub(crate) long: (LongDiagonals, LongDiagonals),
    /// Ranks of the column sets of the north quadrant.
    pub(crate) ranks: Range<usize>,
    pub(crate) middle: Middle,
    /// Quadrant with the queen in the centre column, or `None` for either. It is ignored if the
    /// half does not have the centre column or has a queen in the middle row.
    pub(crate) centre: Option<Part>,
}

impl Group {
    /// Returns this group if `holds` is true, or an empty group otherwise.
    pub(crate) fn only_if(self, holds: bool) -> Self {
        Self { ranks: if holds { self.ranks } else { 0..0 }, ..self }
    }
}

/// Position of the queen in the middle row of an odd board, if that queen is in this half.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Middle {
    /// On the centre square.
    Centre,
    /// Anywhere else.
    Elsewhere,
    /// Elsewhere, if the columns of the other queens in the north are greater than this set as a
    /// binary number. The centre column is ignored.
    Greater(u32),
    /// Elsewhere, if these columns are equal to this set.
    Equal(u32),
}

impl Middle {
    /// Returns the slices of a north list that contain the placements with the queen in this
    /// position. The list has one slice for each of its `columns`, in ascending order of the column
    /// of that queen, so the result is within `0..columns.count_ones()`. The higher the queen's
    /// column, the smaller the mask of the other columns.
    #[inline(always)]
    fn slices(self, columns: u32, centre_column: u32) -> Range<usize> {
        let others = columns & !centre_column;
        let centre = (columns & centre_column).count_ones() as usize;
        let below = |column: u32| (others & (column - 1)).count_ones() as usize;
        match self {
            Self::Centre => 0..centre,
            Self::Elsewhere => centre..columns.count_ones() as usize,
            Self::Greater(rows) if others > rows => {
                // Without a column below the highest differing bit, the set is still greater than
                // `rows`.
                let differing = 1 << (others ^ rows).ilog2();
                let is_greater_without = others ^ differing > rows;
                centre..centre + below(differing) + usize::from(is_greater_without)
            }
            Self::Equal(rows) if (others ^ rows).is_power_of_two() && others > rows => {
                let slice = centre + below(others ^ rows);
                slice..slice + 1
            }
            Self::Greater(_) | Self::Equal(_) => 0..0,
        }
    }
}

impl Quadrants<'_> {
    /// Returns the group of half-boards that occupy the given long diagonals and have no queen on
    /// the centre square.
    pub(crate) fn group(&self, long: (LongDiagonals, LongDiagonals)) -> Group {
        let ranks = 0..self.column_sets.len();
        Group { long, ranks, middle: Middle::Elsewhere, centre: None }
    }

    /// Returns the groups of half-boards to which rule 4 of [`super::symmetry`] applies: first two
    /// of weight 2, then two of weight 4. They occupy exactly one long diagonal or, if `free` is
    /// true, none.
    pub(crate) fn by_reflection(
        &self,
        [falling, rising]: [Comparison; 2],
        free: bool,
    ) -> [[Group; 2]; 2] {
        use LongDiagonals::{Occupied, Unoccupied};
        let of_one = [(Occupied, Unoccupied), (Unoccupied, Occupied)];
        let longs = if free { [(Unoccupied, Unoccupied); 2] } else { of_one };
        let [falling, falling_equal] =
            self.compared(longs[0], falling, free.then_some(Part::South));
        let [rising, rising_equal] = self.compared(longs[1], rising, free.then_some(Part::North));
        [[falling_equal, rising_equal], [falling, rising]]
    }

    /// Returns two groups of half-boards that occupy the given long diagonals: first those with
    /// greater columns than their reflection, then those with the same columns.
    fn compared(
        &self,
        long: (LongDiagonals, LongDiagonals),
        comparison: Comparison,
        centre: Option<Part>,
    ) -> [Group; 2] {
        let group = Group { centre, ..self.group(long) };
        let Comparison { part, columns, rows } = comparison;
        if part == Part::North && self.north.is_sliced() {
            return [Middle::Greater(rows), Middle::Equal(rows)]
                .map(|middle| Group { middle, ..group.clone() });
        }
        // North and south use complementary columns: as the rank grows, one mask grows and the
        // other shrinks.
        let [greater, equal] = if part == Part::North {
            let below = |bound| self.column_sets.partition_point(|set| set & columns < bound);
            [below(rows + 1)..group.ranks.end, below(rows)..below(rows + 1)]
        } else {
            let at_least = |bound| self.column_sets.partition_point(|set| !set & columns >= bound);
            [0..at_least(rows + 1), at_least(rows + 1)..at_least(rows)]
        };
        [greater, equal].map(|ranks| Group { ranks, ..group.clone() })
    }
}

/// Selection of the half-boards to generate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HalfSelection {
    /// Selects the column sets of the north quadrant whose rank is congruent to `share` modulo
    /// `shares`.
    pub(crate) share: usize,
    pub(crate) shares: usize,
    /// Bits that patterns must have, and those that they must not have. All are in the high word.
    pub(crate) required: u64,
    pub(crate) excluded: u64,
}

impl HalfSelection {
    /// Selects all half-boards.
    pub(crate) const ALL: Self = Self::share(0, 1);

    /// Selects one of `shares` shares.
    pub(crate) const fn share(share: usize, shares: usize) -> Self {
        Self { share, shares, required: 0, excluded: 0 }
    }
}

task! {
    /// Appends the patterns of the selected half-boards in the given groups. Narrow patterns
    /// require [`HalfSelection::ALL`].
    pub(crate) fn join(
        isa, quadrants: Quadrants<'_>, groups: &[Group], selection: HalfSelection, to: &mut List
    ) -> Result<(), Interruption>, W = to.width() => {
        let is_all = selection == HalfSelection::ALL;
        assert!(W == 2 || is_all);
        let mut end = to.end::<W>();
        if is_all {
            join_selected::<I, W, false>(isa, quadrants, groups, selection, &mut end)?;
        } else if W == 2 {
            join_selected::<I, W, true>(isa, quadrants, groups, selection, &mut end)?;
        }
        end.finish();
        Ok(())
    }
}

/// Runs [`join`] with the selection enabled or disabled at compile time. The lists are so short
/// that a run-time test would be measurable.
#[inline(always)]
fn join_selected<I: InstructionSet, const W: usize, const SOME: bool>(
    isa: I,
    quadrants: Quadrants<'_>,
    groups: &[Group],
    selection: HalfSelection,
    out: &mut ListWriter<'_, W>,
) -> Result<(), Interruption> {
    let Quadrants { north, south, .. } = quadrants;
    let column_sets = quadrants.column_sets.len();
    let (centre_column, is_sliced) = (quadrants.centre_column, north.is_sliced());
    assert!(!south.is_sliced());
    for group in groups {
        assert!(group.ranks.end <= column_sets);
        let norths = north.of::<W>(group.long.0, column_sets);
        let souths = south.of::<W>(group.long.1, column_sets);
        let takes_all =
            !is_sliced || centre_column == 0 && matches!(group.middle, Middle::Elsewhere);
        for rank in group.ranks.clone() {
            if SOME && rank % selection.shares != selection.share {
                continue;
            }
            if let Some(part) = group.centre
                && (quadrants.column_sets[rank] & centre_column != 0) != (part == Part::North)
            {
                continue;
            }
            let slices = if takes_all {
                0..norths.slices
            } else {
                let slices = group.middle.slices(quadrants.column_sets[rank], centre_column);
                assert!(slices.start <= slices.end && slices.end <= norths.slices);
                slices
            };
            // SAFETY: `rank` is below `ranks.end`, which is at most the number of column sets for
            // which both lists were requested. The slices of the north were checked above or are
            // all of them, as in the south.
            let (a, b) = unsafe {
                (
                    norths.list(rank, slices),
                    // The complements of column sets are in reverse order.
                    souths.list(column_sets - 1 - rank, 0..souths.slices),
                )
            };
            if a.len() == 0 || b.len() == 0 {
                continue;
            }
            let (a, b) = ((a, north.pattern_bits), (b, south.pattern_bits));
            let (short, long) = if a.0.len() < b.0.len() { (a, b) } else { (b, a) };
            join_lists::<I, W, SOME>(isa, short, long, selection, out)?;
        }
    }
    Ok(())
}

/// Appends the selected unions of disjoint pairs of two lists. Each list comes with the mask of its
/// pattern bits.
#[inline(always)]
fn join_lists<I: InstructionSet, const W: usize, const SOME: bool>(
    isa: I,
    (short, short_bits): (Patterns<'_, W>, u64),
    (mut long, long_bits): (Patterns<'_, W>, u64),
    selection: HalfSelection,
    out: &mut ListWriter<'_, W>,
) -> Result<(), Interruption> {
    let long_bits = Vector::splat(isa, long_bits);
    // The bits of a selection are in the high word.
    let [required, excluded] =
        [selection.required, selection.excluded].map(|bits| (bits >> 32) as u32);
    let (required, excluded) = (isa.splat(required), isa.splat(excluded));
    while let Some((mut vector, mut lanes)) = long.next(isa) {
        out.reserve(short.len() * I::Words::LANES)?;
        if W == 2 {
            vector = vector.and(long_bits);
        }
        if SOME {
            lanes = vector.0[W - 1].disjoint(excluded).and(lanes);
        }
        for i in 0..short.len() {
            let mut other = short.get(i);
            if W == 2 {
                other &= short_bits;
            }
            if SOME && other & selection.excluded != 0 {
                continue;
            }
            let other = Vector::splat(isa, other);
            let union = vector.or(other);
            let mut keep = vector.disjoint(other).and(lanes);
            if SOME {
                keep = required.and_not(union.0[W - 1]).is_zero().and(keep);
            }
            out.append(union, keep);
        }
    }
    Ok(())
}
