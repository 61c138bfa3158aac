//! Counting one row set: the half-boards on it are joined from quadrant lists, and their disjoint pairs counted.
//!
//! Where there are too many half-boards to hold at a time, a row set is counted in **parts**: each has a share of the east
//! and a share of the west half-boards, by the column sets of their norths.

use super::half::{self, Wanted};
use super::list::{BLOCK, List};
use super::pairs::{self, PairScratch, Prefix, sort_east, sort_queries, split_bits};
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
        (
            self.north.made(north, &lists.north),
            self.south.made(south, &lists.south),
        )
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
    pub(super) fn new(n: usize, kernel: Kernel) -> Self {
        let layout = Layout::new(n);
        let shape = Shape::new(n, layout.high_bits);
        let [east, west] =
            [Side::East, Side::West].map(|side| Half::new(&layout, side, kernel, shape.kept_rows));
        Self {
            layout,
            shape,
            kernel,
            east,
            west,
        }
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
    /// The row set whose lists were made last, and the share of its east half-boards that is there.
    prepared: Option<(RowSet, Wanted)>,
    east_lists: HalfLists,
    west_lists: HalfLists,
    /// East half-boards without a queen on a long diagonal, and those with one on the centre square, sorted.
    east: [List; 2],
    /// By how many bits queries are split for either.
    split: [usize; 2],
    /// On how many bits queries agree that are there at a time.
    prefix: usize,
    west: Queries,
    pairs: PairScratch,
}

/// Prepares what all parts of a row set, or as many as have the same east half-boards, share.
pub(super) fn prepare(
    boards: &Boards,
    part: RowSetPart,
    scratch: &mut Scratch,
    stats: Option<&mut Stats>,
) {
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
    let task = CountPart {
        boards,
        set: part.set,
        part: part.part,
        scratch,
        probe: Probe(stats),
        cancel,
    };
    with_blocks(boards.kernel, task).expect("the kernel was chosen for this CPU")
}

/// The task to prepare or to count a part.
struct CountPart<'a> {
    boards: &'a Boards,
    set: RowSet,
    part: usize,
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

/// Of so many column sets one is tried to estimate how many half-boards there will be.
const SAMPLE: usize = 32;

impl CountPart<'_> {
    #[inline(always)]
    fn run_with<I: InstructionSet, const WIDE: bool>(mut self, isa: I) -> u64 {
        let (east, class) = self.boards.shape.part(self.part);
        if self.scratch.prepared != Some((self.set, east)) {
            self.prepare::<I, WIDE>(isa, east);
        }
        match self.cancel {
            Some(cancel) => self.count::<I, WIDE>(isa, class, cancel),
            None => 0,
        }
    }

    #[inline(always)]
    fn prepare<I: InstructionSet, const WIDE: bool>(&mut self, isa: I, wanted: Wanted) {
        let (boards, set) = (self.boards, self.set);
        let (layout, shape) = (&boards.layout, boards.shape);
        let start = self.probe.start();
        let last = self.scratch.prepared.map(|(last, _)| last);
        if last != Some(set) {
            boards.east.make(set.rows, &mut self.scratch.east_lists);
            let west = set.complement(layout.n).rows;
            boards.west.make(west, &mut self.scratch.west_lists);
        }
        self.probe.stop(Phase::Lists, start);
        // How the queries are split depends on their number, which is known where all of them are there at a time.
        let queries = if shape.holds_all() {
            self.generate_west::<I, WIDE>(isa, Wanted::ALL);
            self.scratch.west.list.len()
        } else {
            self.generate_west::<I, WIDE>(isa, Wanted::share(SAMPLE / 2, SAMPLE));
            SAMPLE * self.scratch.west.list.len()
        };
        self.scratch.prefix = shape.prefix_bits(queries);
        self.generate_east::<I, WIDE>(isa, wanted);
        let Scratch {
            east,
            split,
            prefix,
            pairs,
            prepared,
            ..
        } = &mut *self.scratch;
        let bits = split_bits(layout, queries).max(*prefix);
        for (list, split) in east.iter_mut().zip(split) {
            *split = if list.len() > BLOCK { bits } else { *prefix };
            sort_east::<I, WIDE>(isa, layout, *split, list, pairs, &mut self.probe);
        }
        *prepared = Some((set, wanted));
    }

    #[inline(always)]
    fn generate_east<I: InstructionSet, const WIDE: bool>(&mut self, isa: I, wanted: Wanted) {
        let Self {
            boards,
            set,
            scratch,
            probe,
            ..
        } = self;
        let start = probe.start();
        let (north, south) = boards.east.made(&scratch.east_lists);
        for (list, long) in scratch.east.iter_mut().zip([Long::Free, Long::Taken]) {
            list.truncate(0);
            let mut end = list.end::<WIDE>();
            if long == Long::Free || set.centre_weight(boards.layout.n) > 0 {
                half::join(isa, (north, long), (south, Long::Free), wanted, &mut end);
            }
            end.finish();
        }
        probe.stop(Phase::Generate, start);
        probe.record(|stats| {
            stats.row_sets += u64::from(wanted.part == 0);
            stats.east += scratch
                .east
                .iter()
                .map(|list| list.len() as u64)
                .sum::<u64>();
        });
    }

    /// The wanted ones of the west half-boards, by how many long diagonals they occupy.
    #[inline(always)]
    fn generate_west<I: InstructionSet, const WIDE: bool>(&mut self, isa: I, wanted: Wanted) {
        let Self {
            boards,
            set,
            scratch,
            probe,
            ..
        } = self;
        let start = probe.start();
        let (north, south) = boards.west.made(&scratch.west_lists);
        let Queries { list, bounds } = &mut scratch.west;
        list.truncate(0);
        bounds.clear();
        bounds.push(0);
        let mut end = list.end::<WIDE>();
        let free_counts = set.free_weight(boards.layout.n) > 0;
        // Long diagonals occupied by the north and by the south.
        let classes: [&[(Long, Long)]; 3] = [
            &[(Long::Free, Long::Free)],
            &[(Long::Free, Long::Taken), (Long::Taken, Long::Free)],
            &[(Long::Taken, Long::Taken)],
        ];
        for (class, of) in classes.into_iter().enumerate() {
            for &(north_long, south_long) in of {
                if class > 0 || free_counts {
                    half::join(
                        isa,
                        (north, north_long),
                        (south, south_long),
                        wanted,
                        &mut end,
                    );
                }
            }
            bounds.push(end.len());
        }
        end.finish();
        probe.stop(Phase::Generate, start);
    }

    /// Counts the pairs of the east half-boards that are there and of the west ones of a class.
    #[inline(always)]
    fn count<I: InstructionSet, const WIDE: bool>(
        &mut self,
        isa: I,
        class: Prefix,
        cancel: &CancelToken,
    ) -> u64 {
        let layout = &self.boards.layout;
        let finer = self.scratch.prefix - class.bits;
        let mut total = 0u64;
        for class in class.class << finer..(class.class + 1) << finer {
            let prefix = Prefix {
                class,
                bits: self.scratch.prefix,
            };
            if !self.boards.shape.holds_all() {
                let wanted = Wanted {
                    having: (prefix.having(&layout.priority) >> 32) as u32,
                    lacking: (prefix.lacking(&layout.priority) >> 32) as u32,
                    ..Wanted::ALL
                };
                self.generate_west::<I, WIDE>(isa, wanted);
            }
            let counted = self.count_class::<I, WIDE>(isa, prefix, cancel);
            total = total
                .checked_add(counted)
                .expect("the count of a row set fits");
        }
        if self.boards.shape.holds_all() {
            // The west half-boards are not what they were.
            self.scratch.prepared = None;
        }
        total
    }

    /// Counts the pairs of the half-boards that are there.
    #[inline(always)]
    fn count_class<I: InstructionSet, const WIDE: bool>(
        &mut self,
        isa: I,
        prefix: Prefix,
        cancel: &CancelToken,
    ) -> u64 {
        let Self {
            boards,
            set,
            scratch,
            probe,
            ..
        } = self;
        let Scratch {
            east,
            split,
            west,
            pairs,
            ..
        } = &mut **scratch;
        let (layout, n) = (&boards.layout, boards.layout.n);
        probe.record(|stats| stats.west += west.list.len() as u64);
        let bits = prefix.bits..split[0].max(split[1]);
        sort_queries::<I, WIDE>(isa, layout, bits, west, pairs, probe);
        let mut total = 0u64;
        for (has_centre, (east, &split)) in east.iter().zip(&*split).enumerate() {
            if east.is_empty() {
                continue;
            }
            let weights = if has_centre == 0 {
                [set.free_weight(n), 2, 4]
            } else {
                // With a queen on the centre square no other is on a long diagonal.
                west.keep_first();
                [set.centre_weight(n), 0, 0]
            };
            let counts = pairs::count::<I, WIDE>(
                isa,
                layout,
                split,
                prefix,
                (east, west),
                pairs,
                probe,
                cancel,
            );
            for (count, weight) in counts.into_iter().zip(weights) {
                let weighted = count.checked_mul(weight * set.weight(n));
                let sum = weighted.and_then(|weighted| total.checked_add(weighted));
                total = sum.expect("the count of a row set fits");
            }
        }
        total
    }
}
