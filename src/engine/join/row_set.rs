//! Counting one row set: the half-boards on it are generated from the quadrant tables, and their disjoint pairs counted.

use super::half;
use super::list::List;
use super::pairs::{self, PairScratch};
use super::pattern::{self, Layout, Part, Side};
use super::quadrant::{Long, Quadrant, RowLists};
use super::select::Queries;
use super::stats::{Phase, Probe, Stats};
use super::symmetry::RowSet;
use crate::engine::cancel::CancelToken;
use crate::engine::choice::Kernel;
use crate::engine::simd::{InstructionSet, Task, with_blocks};

/// All that row sets of one N share.
#[derive(Debug)]
pub(super) struct Tables {
    /// Which diagonal has which bit.
    pub(super) layout: Layout,
    east: Quadrants,
    west: Quadrants,
}

/// The two quadrants of a half.
#[derive(Debug)]
struct Quadrants {
    north: Quadrant,
    south: Quadrant,
}

impl Quadrants {
    /// The placements on some rows of the half, north and south.
    fn rows(&self, layout: &Layout, rows: u32) -> (&RowLists, &RowLists) {
        let height = layout.height(Part::North);
        let north = rows & ((1 << height) - 1);
        (self.north.rows(north), self.south.rows(rows >> height))
    }
}

impl Tables {
    /// Tabulates the quadrants for N on the threads of the current rayon pool. The tables are of no use once `cancel` told
    /// to stop.
    ///
    /// # Panics
    ///
    /// If N is not one of [`pattern::MIN_N`] to [`pattern::MAX_N`].
    pub(super) fn build(n: usize, kernel: Kernel, cancel: &CancelToken) -> Self {
        let layout = Layout::new(n);
        let quadrant = |side, part| Quadrant::build(&layout, side, part, kernel, true, cancel);
        let half = |side| {
            let (north, south) = rayon::join(
                || quadrant(side, Part::North),
                || quadrant(side, Part::South),
            );
            Quadrants { north, south }
        };
        let (east, west) = rayon::join(|| half(Side::East), || half(Side::West));
        Self { layout, east, west }
    }

    /// The same on this thread alone.
    #[cfg(test)]
    pub(super) fn build_here(n: usize, kernel: Kernel) -> Self {
        let (layout, never) = (Layout::new(n), CancelToken::new());
        let quadrant = |side, part| Quadrant::build(&layout, side, part, kernel, false, &never);
        let [east, west] = [Side::East, Side::West].map(|side| Quadrants {
            north: quadrant(side, Part::North),
            south: quadrant(side, Part::South),
        });
        Self { layout, east, west }
    }

    /// Bytes of memory that counting N with some threads will need: the tables, what is needed to make them, and every
    /// worker's scratch. A little more than was measured; beyond N = 22, where nothing was, extrapolated.
    ///
    /// # Panics
    ///
    /// If N is not one of [`pattern::MIN_N`] to [`pattern::MAX_N`].
    pub(super) fn memory(n: usize, threads: usize) -> u64 {
        assert!(
            (pattern::MIN_N..=pattern::MAX_N).contains(&n),
            "no join engine for N = {n}"
        );
        const MIB: u64 = 1 << 20;
        let (tables, scratch) = match n {
            ..=16 => (2 * MIB, MIB),
            17 => (7 * MIB, MIB),
            18 => (17 * MIB, MIB),
            19 => (64 * MIB, 4 * MIB),
            20 => (165 * MIB, 6 * MIB),
            21 => (530 * MIB, 16 * MIB),
            22 => (1400 * MIB, 32 * MIB),
            23 => (4600 * MIB, 96 * MIB),
            _ => (12200 * MIB, 200 * MIB),
        };
        tables + scratch * threads as u64
    }

    /// Bytes of memory that the tables take.
    pub(super) fn bytes(&self) -> usize {
        let halves = [&self.east, &self.west].into_iter();
        halves
            .map(|half| half.north.bytes() + half.south.bytes())
            .sum()
    }
}

/// A worker's memory, kept from one row set to the next.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    east: List,
    centre: List,
    west: Queries,
    pairs: PairScratch,
}

/// Counts the solutions that a row set stands for, with all weights.
pub(super) fn count(
    kernel: Kernel,
    tables: &Tables,
    set: RowSet,
    scratch: &mut Scratch,
    stats: Option<&mut Stats>,
) -> u64 {
    let task = CountRowSet {
        tables,
        set,
        scratch,
        probe: Probe(stats),
    };
    with_blocks(kernel, task).expect("the kernel was chosen for this CPU")
}

/// The task to [`count`].
struct CountRowSet<'a> {
    tables: &'a Tables,
    set: RowSet,
    scratch: &'a mut Scratch,
    probe: Probe<'a>,
}

impl Task for CountRowSet<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<I: InstructionSet>(self, isa: I) -> u64 {
        let Self {
            tables,
            set,
            scratch,
            mut probe,
        } = self;
        if tables.layout.high_bits == 0 {
            count_row_set::<I, false>(isa, tables, set, scratch, &mut probe)
        } else {
            count_row_set::<I, true>(isa, tables, set, scratch, &mut probe)
        }
    }
}

#[inline(always)]
fn count_row_set<I: InstructionSet, const WIDE: bool>(
    isa: I,
    tables: &Tables,
    set: RowSet,
    scratch: &mut Scratch,
    probe: &mut Probe<'_>,
) -> u64 {
    let Scratch {
        east,
        centre,
        west,
        pairs,
    } = scratch;
    let n = tables.layout.n;
    let (free_weight, centre_weight) = (set.free_weight(n), set.centre_weight(n));
    let start = probe.start();
    generate_east::<I, WIDE>(isa, tables, set, centre_weight > 0, east, centre);
    generate_west::<I, WIDE>(isa, tables, set.complement(n), free_weight > 0, west);
    probe.stop(Phase::Generate, start);
    probe.record(|stats| {
        stats.row_sets += 1;
        stats.east += (east.len() + centre.len()) as u64;
        stats.west += west.list.len() as u64;
    });
    let mut total = 0;
    for (east, has_centre) in [(east, false), (centre, true)] {
        if has_centre {
            if east.is_empty() {
                break;
            }
            // With a queen on the centre square no other is on a long diagonal.
            west.keep_first();
        }
        let weights = if has_centre {
            [centre_weight, 0, 0]
        } else {
            [free_weight, 2, 4]
        };
        let counts = pairs::count::<I, WIDE>(isa, &tables.layout, east, west, pairs, probe);
        for (count, weight) in counts.into_iter().zip(weights) {
            total += weight * count;
        }
    }
    set.weight(n) * total
}

/// The east half-boards with no queen on a long diagonal and, where they count, those with one on the centre square.
#[inline(always)]
fn generate_east<I: InstructionSet, const WIDE: bool>(
    isa: I,
    tables: &Tables,
    set: RowSet,
    centre_counts: bool,
    free: &mut List,
    centre: &mut List,
) {
    let (north, south) = tables.east.rows(&tables.layout, set.rows);
    for (list, long) in [(free, Long::Free), (centre, Long::Taken)] {
        list.truncate(0);
        let mut end = list.end::<WIDE>();
        if long == Long::Free || centre_counts {
            half::join(isa, (north, long), (south, Long::Free), &mut end);
        }
        end.finish();
    }
}

/// The west half-boards, by how many long diagonals they occupy.
#[inline(always)]
fn generate_west<I: InstructionSet, const WIDE: bool>(
    isa: I,
    tables: &Tables,
    set: RowSet,
    free: bool,
    west: &mut Queries,
) {
    let (north, south) = tables.west.rows(&tables.layout, set.rows);
    west.list.truncate(0);
    let mut end = west.list.end::<WIDE>();
    // Long diagonals occupied by the north and by the south, and the class that makes.
    for (north_long, south_long, class) in [
        (Long::Free, Long::Free, 0),
        (Long::Free, Long::Taken, 1),
        (Long::Taken, Long::Free, 1),
        (Long::Taken, Long::Taken, 2),
    ] {
        if class > 0 || free {
            half::join(isa, (north, north_long), (south, south_long), &mut end);
        }
        west.ends[class] = end.len();
    }
    end.finish();
}
