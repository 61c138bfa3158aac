//! Half-boards: all placements of a half on a given row set, joined from its north and south quadrants.
//!
//! For every column set of the right size for the north, the south takes the other columns. Two placements go together
//! iff their patterns are disjoint (see [`super::pattern`]), and the half-board's pattern is their union. Each pattern
//! of the shorter list goes against a vector of the longer at a time.

use std::ops::Range;

use super::list::{End, List, Patterns};
use super::pattern::{Layout, Part, Side};
use super::quadrant::{Long, Quadrant, RowLists};
use super::symmetry::Judge;
use crate::engine::Stopped;
use crate::engine::simd::{Blocks, InstructionSet, LaneMask, Task, U32s};

/// The two quadrants of a half.
#[derive(Debug)]
pub(super) struct Half {
    north: Quadrant,
    south: Quadrant,
    /// Rows of the north.
    height: usize,
    /// The centre column of an odd board, if it is one of these.
    centre_column: u32,
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
    pub(super) fn new(layout: &Layout, side: Side, isa: Blocks, kept_rows: usize) -> Self {
        let quadrant = |part| Quadrant::new(layout, side, part, isa, kept_rows);
        Self {
            north: quadrant(Part::North),
            south: quadrant(Part::South),
            height: layout.height(Part::North),
            centre_column: u32::from(layout.has_centre_column(side)),
        }
    }

    /// Some rows of the half, north and south.
    fn split(&self, rows: u32) -> (u32, u32) {
        (rows & ((1 << self.height) - 1), rows >> self.height)
    }

    /// Makes the lists of some rows of the half, unless they are there.
    pub(super) fn make(
        &self,
        rows: u32,
        lists: &mut HalfLists,
        spare: &mut RowLists,
    ) -> Result<(), Stopped> {
        lists.rows = rows;
        let (north, south) = self.split(rows);
        self.north.make(north, &mut lists.north, spare)?;
        self.south.make(south, &mut lists.south, spare)
    }

    /// Builds all lists that are kept; returns whether no others are needed.
    pub(super) fn build_kept(&self) -> Result<bool, Stopped> {
        Ok(self.north.build_kept()? & self.south.build_kept()?)
    }

    /// The lists that were [made](Self::make).
    pub(super) fn made<'a>(&'a self, lists: &'a HalfLists) -> Made<'a> {
        let (north, south) = self.split(lists.rows);
        Made {
            column_sets: self.north.column_sets(north),
            centre_column: self.centre_column,
            north: self.north.made(north, &lists.north),
            south: self.south.made(south, &lists.south),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.north.bytes() + self.south.bytes()
    }
}

/// The quadrant lists on some rows of a half.
#[derive(Clone, Copy)]
pub(crate) struct Made<'a> {
    /// Column sets of the norths, in the order of their masks.
    pub(crate) column_sets: &'a [u32],
    /// The centre column of an odd board, if it is one of the half's; no column otherwise.
    pub(crate) centre_column: u32,
    pub(crate) north: &'a RowLists,
    pub(crate) south: &'a RowLists,
}

/// Half-boards by what their quadrants have to do with the long diagonals and by columns.
#[derive(Debug, Clone)]
pub(crate) struct Class {
    /// North and south.
    pub(crate) long: (Long, Long),
    /// Ranks of the norths' column sets.
    pub(crate) ranks: Range<usize>,
    pub(crate) middle: Middle,
}

impl Class {
    /// This class, or none of it.
    pub(crate) fn only_if(self, holds: bool) -> Self {
        Self {
            ranks: if holds { self.ranks } else { 0..0 },
            ..self
        }
    }
}

/// Where the queen is that the north may have in the middle row of an odd board.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Middle {
    /// On the centre square.
    Centre,
    /// Anywhere else.
    Elsewhere,
    /// Elsewhere, so that the columns of the others in the north, but for the centre column, are a set greater than
    /// this.
    Greater(u32),
    /// The same, a set equal to this.
    Equal(u32),
}

impl Middle {
    /// The slices of the list of norths with these columns. (Slices are in the order of the column of the queen in the
    /// middle row: the greater that is, the lesser the set of the others.)
    #[inline(always)]
    fn slices(self, columns: u32, centre_column: u32) -> Range<usize> {
        let others = columns & !centre_column;
        let centre = (columns & centre_column).count_ones() as usize;
        let below = |column: u32| (others & (column - 1)).count_ones() as usize;
        match self {
            Self::Centre => 0..centre,
            Self::Elsewhere => centre..columns.count_ones() as usize,
            Self::Greater(rows) if others > rows => {
                // Without a lower column than the first in which the sets differ it is still greater.
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

impl Made<'_> {
    /// All half-boards with these quadrants, but for those with a queen on the centre square.
    pub(crate) fn class(&self, long: (Long, Long)) -> Class {
        Class {
            long,
            ranks: 0..self.column_sets.len(),
            middle: Middle::Elsewhere,
        }
    }

    /// Half-boards that occupy a long diagonal, by how often they count (rule 4 of [`super::symmetry`], whose judges
    /// are given): twice, and four times.
    pub(crate) fn by_reflection(&self, [falling, rising]: [Judge; 2]) -> ([Class; 2], [Class; 4]) {
        let [falling, falling_equal] = self.judged((Long::Taken, Long::Free), falling);
        let [rising, rising_equal] = self.judged((Long::Free, Long::Taken), rising);
        let both = self.class((Long::Taken, Long::Taken));
        let twice = [falling_equal, rising_equal];
        if self.north.is_cut() {
            let none = both.clone().only_if(false);
            return (twice, [both, falling, rising, none]);
        }
        // Of these ranks, one range begins where ranks begin, and the other ends where they end. Together with those
        // that occupy both diagonals they make longer lists.
        let (f, r) = (falling.ranks, rising.ranks);
        let only_rising = if r.start < f.start {
            r.start..r.end.min(f.start)
        } else {
            r.start.max(f.end)..r.end
        };
        let common = f.start.max(r.start)..f.end.min(r.end);
        let neither = f.end.min(r.end)..f.start.max(r.start);
        let four_times = [
            (Long::Any, Long::Taken, only_rising),
            (Long::Free, Long::Taken, common),
            (Long::Taken, Long::Taken, neither),
            (Long::Taken, Long::Any, f),
        ];
        let class = |(north, south, ranks)| Class {
            long: (north, south),
            ranks,
            ..both.clone()
        };
        (twice, four_times.map(class))
    }

    /// All half-boards that occupy just one long diagonal, and those that occupy both.
    #[cfg(test)]
    pub(crate) fn without_reflection(&self) -> ([Class; 2], [Class; 4]) {
        let [falling, rising, both] = [
            (Long::Taken, Long::Free),
            (Long::Free, Long::Taken),
            (Long::Taken, Long::Taken),
        ]
        .map(|long| self.class(long));
        let none = both.clone().only_if(false);
        ([falling, rising], [both, none.clone(), none.clone(), none])
    }

    /// Half-boards that occupy just one long diagonal, those of it whose columns are a greater set than their image's,
    /// and those for which the two are equal.
    fn judged(&self, long: (Long, Long), judge: Judge) -> [Class; 2] {
        let class = self.class(long);
        let Judge {
            part,
            columns,
            rows,
        } = judge;
        if part == Part::North && self.north.is_cut() {
            return [Middle::Greater(rows), Middle::Equal(rows)].map(|middle| Class {
                middle,
                ..class.clone()
            });
        }
        // North and south share out the columns: as one set grows from rank to rank, the other shrinks.
        let [greater, equal] = if part == Part::North {
            let below = |bound| {
                self.column_sets
                    .partition_point(|set| set & columns < bound)
            };
            [
                below(rows + 1)..class.ranks.end,
                below(rows)..below(rows + 1),
            ]
        } else {
            let at_least = |bound| {
                self.column_sets
                    .partition_point(|set| !set & columns >= bound)
            };
            [0..at_least(rows + 1), at_least(rows + 1)..at_least(rows)]
        };
        [greater, equal].map(|ranks| Class {
            ranks,
            ..class.clone()
        })
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

/// Appends the patterns of the wanted half-boards of some classes. Only of wide patterns some may be left out.
pub(crate) fn join(
    isa: Blocks,
    made: Made<'_>,
    classes: &[Class],
    wanted: Wanted,
    to: &mut List,
) -> Result<(), Stopped> {
    assert!(to.is_wide() || wanted == Wanted::ALL);
    let task = Join {
        made,
        classes,
        wanted,
        to,
    };
    isa.run(task.to.is_wide(), task)
}

struct Join<'a> {
    made: Made<'a>,
    classes: &'a [Class],
    wanted: Wanted,
    to: &'a mut List,
}

impl Task for Join<'_> {
    type Output = Result<(), Stopped>;

    #[inline(always)]
    fn run<I: InstructionSet, const WIDE: bool>(self, isa: I) -> Result<(), Stopped> {
        let mut end = self.to.end::<WIDE>();
        if WIDE && self.wanted != Wanted::ALL {
            join_wanted::<I, WIDE, true>(isa, self.made, self.classes, self.wanted, &mut end)?;
        } else {
            join_wanted::<I, WIDE, false>(isa, self.made, self.classes, self.wanted, &mut end)?;
        }
        end.finish();
        Ok(())
    }
}

/// [`join`], which is told by a constant whether it has to ask what is wanted: lists are so short that it would show.
#[inline(always)]
fn join_wanted<I: InstructionSet, const WIDE: bool, const SOME: bool>(
    isa: I,
    made: Made<'_>,
    classes: &[Class],
    wanted: Wanted,
    out: &mut End<'_, WIDE>,
) -> Result<(), Stopped> {
    let Made { north, south, .. } = made;
    let column_sets = made.column_sets.len();
    let (centre_column, is_cut) = (made.centre_column, north.is_cut());
    assert!(!south.is_cut());
    for class in classes {
        assert!(class.ranks.end <= column_sets);
        let norths = north.of::<WIDE>(class.long.0, column_sets);
        let souths = south.of::<WIDE>(class.long.1, column_sets);
        let is_whole = !is_cut || centre_column == 0 && matches!(class.middle, Middle::Elsewhere);
        assert!(is_whole || class.long.0 != Long::Any);
        for rank in class.ranks.clone() {
            if SOME && rank % wanted.parts != wanted.part {
                continue;
            }
            let slices = if is_whole {
                norths.whole.clone()
            } else {
                class.middle.slices(made.column_sets[rank], centre_column)
            };
            // SAFETY: there are lists for so many column sets; north's slices are as many as columns.
            let (a, b) = unsafe {
                (
                    norths.list(rank, slices),
                    // Complements of column sets come in the opposite order.
                    souths.list(column_sets - 1 - rank, souths.whole.clone()),
                )
            };
            if a.len() == 0 || b.len() == 0 {
                continue;
            }
            let (a, b) = ((a, north.named), (b, south.named));
            let (short, long) = if a.0.len() < b.0.len() {
                (a, b)
            } else {
                (b, a)
            };
            join_lists::<I, WIDE, SOME>(isa, short, long, wanted, out)?;
        }
    }
    Ok(())
}

/// Appends the wanted ones of the unions of all disjoint pairs of two lists, each with the bits that make up its
/// patterns.
#[inline(always)]
fn join_lists<I: InstructionSet, const WIDE: bool, const SOME: bool>(
    isa: I,
    (short, short_bits): (Patterns<'_, WIDE>, u64),
    (long, long_bits): (Patterns<'_, WIDE>, u64),
    wanted: Wanted,
    out: &mut End<'_, WIDE>,
) -> Result<(), Stopped> {
    let [short_low, long_low] = [short_bits, long_bits].map(|bits| bits as u32);
    let [short_high, long_high] = [short_bits, long_bits].map(|bits| (bits >> 32) as u32);
    let long_bits = (isa.splat(long_low), isa.splat(long_high));
    let (having, lacking) = (isa.splat(wanted.having), isa.splat(wanted.lacking));
    for vector in long.vectors(isa) {
        out.reserve(short.len() * I::Words::LANES)?;
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
            out.append((low.or(other_low), high.or(other_high)), keep);
        }
    }
    Ok(())
}
