//! Counting one row set: the half-boards on it are joined from quadrant lists, and their disjoint pairs counted.
//!
//! Where there are too many half-boards to hold at a time, a row set is counted in **parts**: each has a share of the east
//! and a share of the west half-boards, by the column sets of their norths.

use super::half::{self, Share};
use super::list::{BLOCK, List};
use super::pairs::{self, PairScratch, sort_east, sort_queries, split_bits};
use super::pattern::{Layout, Part, Side};
use super::quadrant::{Growing, Long, Quadrant, RowLists};
use super::select::Queries;
use super::size::Shape;
use super::stats::{Phase, Probe, Stats};
use super::symmetry::RowSet;
use crate::engine::cancel::CancelToken;
use crate::engine::choice::Kernel;
use crate::engine::simd::{InstructionSet, Task, with_blocks};

/// All that row sets of one N share.
#[derive(Debug)]
pub(super) struct Boards {
    /// Which diagonal has which bit.
    pub(super) layout: Layout,
    pub(super) shape: Shape,
    kernel: Kernel,
    east: Half,
    west: Half,
}

/// The two quadrants of a half.
#[derive(Debug)]
struct Half {
    north: Quadrant,
    south: Quadrant,
    /// Rows of the north.
    height: usize,
}

/// A thread's memory for the lists of a half.
#[derive(Debug, Default)]
struct HalfLists {
    rows: u32,
    north: Growing,
    south: Growing,
}

impl Half {
    fn new(layout: &Layout, side: Side, kernel: Kernel, kept_rows: usize) -> Self {
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
    fn make(&self, rows: u32, lists: &mut HalfLists) {
        lists.rows = rows;
        let (north, south) = self.split(rows);
        self.north.make(north, &mut lists.north);
        self.south.make(south, &mut lists.south);
    }

    /// The lists that were [made](Self::make).
    fn made<'a>(&'a self, lists: &'a HalfLists) -> (&'a RowLists, &'a RowLists) {
        let (north, south) = self.split(lists.rows);
        (self.north.made(north, &lists.north), self.south.made(south, &lists.south))
    }

    fn bytes(&self) -> usize {
        self.north.bytes() + self.south.bytes()
    }
}

impl Boards {
    /// The boards of a size, with no list made.
    ///
    /// # Panics
    ///
    /// If there is no [`Layout`] for N.
    pub(super) fn new(n: usize, kernel: Kernel, shape: Shape) -> Self {
        let layout = Layout::new(n);
        let [east, west] =
            [Side::East, Side::West].map(|side| Half::new(&layout, side, kernel, shape.kept_rows));
        Self { layout, shape, kernel, east, west }
    }

    /// Bytes of memory of the lists that are kept.
    pub(super) fn bytes(&self) -> usize {
        self.east.bytes() + self.west.bytes()
    }
}

/// A part of a row set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RowSetPart {
    pub(super) set: RowSet,
    pub(super) part: usize,
}

/// A worker's memory, kept from one row set to the next.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// What was prepared last.
    prepared: Option<(RowSet, Share)>,
    east_lists: HalfLists,
    west_lists: HalfLists,
    /// East half-boards without a queen on a long diagonal, and those with one on the centre square, sorted.
    east: [List; 2],
    /// By how many bits queries are split for either.
    split: [usize; 2],
    west: Queries,
    pairs: PairScratch,
}

/// Prepares what all parts of a row set, or as many as have the same east half-boards, share.
pub(super) fn prepare(boards: &Boards, part: RowSetPart, scratch: &mut Scratch, stats: Option<&mut Stats>) {
    run(boards, part, scratch, stats, None);
}

/// Counts the solutions that a part of a row set stands for, with all weights. What it says once cancelled is nothing in
/// particular.
pub(super) fn count(
    boards: &Boards,
    part: RowSetPart,
    scratch: &mut Scratch,
    stats: Option<&mut Stats>,
    cancel: &CancelToken,
) -> u64 {
    run(boards, part, scratch, stats, Some(cancel))
}

/// Prepares and, if there is a token to cancel it, counts.
fn run(
    boards: &Boards,
    part: RowSetPart,
    scratch: &mut Scratch,
    stats: Option<&mut Stats>,
    cancel: Option<&CancelToken>,
) -> u64 {
    let (probe, kernel) = (Probe(stats), boards.kernel);
    let task = CountPart { boards, part, scratch, probe, cancel };
    with_blocks(kernel, task).expect("the kernel was chosen for this CPU")
}

/// The task to prepare or to count a part.
struct CountPart<'a> {
    boards: &'a Boards,
    part: RowSetPart,
    scratch: &'a mut Scratch,
    probe: Probe<'a>,
    cancel: Option<&'a CancelToken>,
}

impl Task for CountPart<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<I: InstructionSet>(self, isa: I) -> u64 {
        if self.boards.layout.is_wide() {
            self.run_with::<I, true>(isa)
        } else {
            self.run_with::<I, false>(isa)
        }
    }
}

impl CountPart<'_> {
    #[inline(always)]
    fn run_with<I: InstructionSet, const WIDE: bool>(mut self, isa: I) -> u64 {
        let (east, west) = self.boards.shape.shares(self.part.part);
        if self.scratch.prepared != Some((self.part.set, east)) {
            self.prepare::<I, WIDE>(isa, east, west);
        }
        match self.cancel {
            Some(cancel) => self.count::<I, WIDE>(isa, west, cancel),
            None => 0,
        }
    }

    #[inline(always)]
    fn prepare<I: InstructionSet, const WIDE: bool>(&mut self, isa: I, east: Share, west: Share) {
        let Self { boards, part: RowSetPart { set, .. }, scratch, probe, .. } = self;
        let (layout, set) = (&boards.layout, *set);
        let start = probe.start();
        if scratch.prepared.is_none_or(|(prepared, _)| prepared != set) {
            boards.east.make(set.rows, &mut scratch.east_lists);
            boards.west.make(set.complement(layout.n).rows, &mut scratch.west_lists);
        }
        probe.stop(Phase::Lists, start);
        let start = probe.start();
        let (north, south) = boards.east.made(&scratch.east_lists);
        for (list, long) in scratch.east.iter_mut().zip([Long::Free, Long::Taken]) {
            list.truncate(0);
            let mut end = list.end::<WIDE>();
            if long == Long::Free || set.centre_weight(layout.n) > 0 {
                half::join(isa, (north, long), (south, Long::Free), east, &mut end);
            }
            end.finish();
        }
        probe.stop(Phase::Generate, start);
        probe.record(|stats| {
            stats.row_sets += u64::from(east.part == 0);
            stats.east += scratch.east.iter().map(|list| list.len() as u64).sum::<u64>();
        });
        let queries = if west == Share::ALL {
            self.generate_west::<I, WIDE>(isa, west);
            self.scratch.west.len()
        } else {
            // About three for each east half-board.
            3 * self.scratch.east[0].len() * east.parts / west.parts
        };
        let Scratch { east: lists, split, pairs, prepared, .. } = &mut *self.scratch;
        let bits = split_bits(layout, queries);
        for (list, split) in lists.iter_mut().zip(split) {
            *split = if list.len() > BLOCK { bits } else { 0 };
            sort_east::<I, WIDE>(isa, layout, *split, list, pairs, &mut self.probe);
        }
        *prepared = Some((set, east));
    }

    /// The west half-boards, by how many long diagonals they occupy.
    #[inline(always)]
    fn generate_west<I: InstructionSet, const WIDE: bool>(&mut self, isa: I, share: Share) {
        let Self { boards, part, scratch, probe, .. } = self;
        let start = probe.start();
        let (north, south) = boards.west.made(&scratch.west_lists);
        let free_counts = part.set.free_weight(boards.layout.n) > 0;
        // Long diagonals occupied by the north and by the south.
        let classes: [&[(Long, Long)]; 3] = [
            if free_counts { &[(Long::Free, Long::Free)] } else { &[] },
            &[(Long::Free, Long::Taken), (Long::Taken, Long::Free)],
            &[(Long::Taken, Long::Taken)],
        ];
        for (list, of) in scratch.west.lists.iter_mut().zip(classes) {
            list.truncate(0);
            let mut end = list.end::<WIDE>();
            for &(north_long, south_long) in of {
                half::join(isa, (north, north_long), (south, south_long), share, &mut end);
            }
            end.finish();
        }
        probe.stop(Phase::Generate, start);
        probe.record(|stats| stats.west += scratch.west.len() as u64);
    }

    #[inline(always)]
    fn count<I: InstructionSet, const WIDE: bool>(
        &mut self,
        isa: I,
        west: Share,
        cancel: &CancelToken,
    ) -> u64 {
        if west != Share::ALL {
            self.generate_west::<I, WIDE>(isa, west);
        }
        let Self { boards, part: RowSetPart { set, .. }, scratch, probe, .. } = self;
        let Scratch { east, split, west, pairs, prepared, .. } = &mut **scratch;
        let (layout, n) = (&boards.layout, boards.layout.n);
        sort_queries::<I, WIDE>(isa, layout, split[0].max(split[1]), west, pairs, probe);
        let counts = pairs::count::<I, WIDE>(isa, layout, split[0], &east[0], west, pairs, probe, cancel);
        let mut total = 0;
        for (count, weight) in counts.into_iter().zip([set.free_weight(n), 2, 4]) {
            total += weight * count;
        }
        if !east[1].is_empty() {
            // With a queen on the centre square no other is on a long diagonal.
            west.keep_first();
            let counts = pairs::count::<I, WIDE>(isa, layout, split[1], &east[1], west, pairs, probe, cancel);
            total += set.centre_weight(n) * counts[0];
        }
        if boards.shape.parts() == 1 {
            *prepared = None;
        }
        set.weight(n) * total
    }
}
