//! Counts the solutions of a row set: joins quadrant lists into half-boards, and counts the
//! disjoint pairs of an east and a west half-board.
//!
//! If the half-boards of a row set do not fit in memory, they are divided. East half-boards are
//! divided into **shares** by the column sets of their north quadrants, and west half-boards into
//! **classes** by their most frequent bits. Each share is matched with each class, so every pair is
//! counted exactly once.

use super::half::{self, Group, Half, HalfLists, Middle, Selection};
use super::list::{List, Ranges};
use super::pairs::{self, PairScratch, sort_east};
use super::pattern::{Layout, Side};
use super::quadrant::{LongDiagonals, RowLists};
use super::size::Shape;
use super::stats::{Phase, Probe, Stats};
use super::symmetry::{Comparison, RowSet};
use crate::engine::simd::Isa;
use crate::engine::{CancelToken, Observation, Stopped};
use crate::machine::clock::thread_seconds;

/// Data shared by all row sets of a board.
#[derive(Debug)]
pub(super) struct Boards {
    /// Assignment of pattern bits to diagonals.
    pub(super) layout: Layout,
    pub(super) shape: Shape,
    isa: Isa,
    east: Half,
    west: Half,
}

impl Boards {
    /// Creates the data for a layout. No lists are built yet.
    pub(super) fn new(layout: Layout, isa: Isa, shape: Shape) -> Self {
        let half = |side| Half::new(&layout, side, isa, shape.kept_rows);
        let [east, west] = [Side::East, Side::West].map(half);
        Self { layout, shape, isa, east, west }
    }

    /// Builds all lists that are kept. Returns `true` if no others are needed.
    pub(super) fn build_kept(&self) -> Result<bool, Stopped> {
        Ok(self.east.build_kept()? & self.west.build_kept()?)
    }

    /// Returns the size of the kept lists in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.east.bytes() + self.west.bytes()
    }

    /// Prepares the count of a row set.
    pub(super) fn row_set<'a>(
        &'a self,
        set: RowSet,
        scratch: &'a mut Scratch,
        stats: Option<&'a mut Stats>,
        cancel: &'a CancelToken,
    ) -> RowSetCount<'a> {
        let (comparisons, probe) = (set.comparisons(), Probe(stats));
        RowSetCount { boards: self, set, comparisons, scratch, probe, cancel }
    }
}

/// A worker's scratch memory, which is reused for each row set.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    east_lists: HalfLists,
    west_lists: HalfLists,
    spare: RowLists,
    /// Sorted east half-boards: those without a queen on a long diagonal, and those with one on the
    /// centre square.
    east: [List; 2],
    west: List,
    /// West half-boards of each weight class.
    ranges: Ranges,
    pairs: PairScratch,
}

impl Scratch {
    /// Returns the size of the quadrant lists in bytes.
    fn list_bytes(&self) -> usize {
        self.east_lists.bytes() + self.west_lists.bytes() + self.spare.bytes()
    }

    /// Returns the size of the lists of half-boards in bytes.
    fn half_board_bytes(&self) -> usize {
        let lists = self.east.iter().chain([&self.west]).map(List::bytes);
        lists.sum::<usize>() + self.pairs.bytes()
    }
}

/// State while counting a row set or a part of it.
pub(super) struct RowSetCount<'a> {
    boards: &'a Boards,
    set: RowSet,
    /// Comparisons for the falling and the rising long diagonal.
    pub(super) comparisons: [Comparison; 2],
    scratch: &'a mut Scratch,
    probe: Probe<'a>,
    cancel: &'a CancelToken,
}

/// Division of the half-boards of a row set into parts that fit in memory.
struct Shares {
    /// Number of shares of the east half-boards.
    east: usize,
    /// Classes of the west half-boards.
    west: Vec<Selection>,
    /// Number of half-boards for which to reserve memory in each share of the east.
    reserve: usize,
    /// Estimated number of west half-boards of all classes.
    queries: usize,
}

/// Sampling interval: one in this many column sets is used to estimate the number of half-boards.
const SAMPLE: usize = 32;

impl RowSetCount<'_> {
    /// Counts the weighted solutions of the row set, or of one of its samples. A sample is one
    /// share of the east half-boards and one share of the west ones, both selected by the column
    /// sets of their north quadrants.
    pub(super) fn count(mut self, sample: Option<usize>) -> Result<u64, Stopped> {
        self.check()?;
        self.build_lists()?;
        let Shape { sample_shares, holds_all, .. } = self.boards.shape;
        if let Some(sample) = sample {
            let sides = [sample % sample_shares, sample / sample_shares];
            return self.count_sample(sides.map(|share| Selection::share(share, sample_shares)));
        }
        if holds_all {
            return self.count_sample([Selection::ALL; 2]);
        }
        let shares = self.divide()?;
        let mut total = 0u64;
        for share in 0..shares.east {
            self.prepare_share(share, &shares)?;
            for &class in &shares.west {
                let sum = total.checked_add(self.count_class(class)?);
                total = sum.expect("the count of a row set fits");
            }
        }
        Ok(total)
    }

    /// Counts and times the pairs of one random share of the east half-boards and one random class
    /// of the west ones. Extrapolates the time of each step to the whole row set.
    pub(super) fn piece(mut self, random: &mut fastrand::Rng) -> Result<Observation, Stopped> {
        let before = thread_seconds();
        let mut seconds = vec![thread_seconds()];
        // Reading the clock takes a tenth as long as counting a small row set, so the reading time
        // is subtracted.
        let reading = seconds[0] - before;
        self.build_lists()?;
        if self.boards.shape.holds_all {
            let solutions = self.count_sample([Selection::ALL; 2])? as f64;
            return Ok(Observation { solutions, seconds: thread_seconds() - seconds[0] - reading });
        }
        let shares = self.divide()?;
        seconds.push(thread_seconds());
        self.prepare_share(random.usize(..shares.east), &shares)?;
        seconds.push(thread_seconds());
        let counted = self.count_class(shares.west[random.usize(..shares.west.len())])?;
        seconds.push(thread_seconds());
        let (shares, pieces) = (shares.east as f64, (shares.east * shares.west.len()) as f64);
        let steps = seconds.windows(2).map(|ends| ends[1] - ends[0]);
        Ok(Observation {
            solutions: pieces * counted as f64,
            seconds: steps.zip([1.0, shares, pieces]).map(|(step, times)| step * times).sum(),
        })
    }

    fn check(&self) -> Result<(), Stopped> {
        if self.cancel.is_cancelled() { Err(Stopped::Cancelled) } else { Ok(()) }
    }

    /// Builds the quadrant lists of the row set.
    fn build_lists(&mut self) -> Result<(), Stopped> {
        let Self { boards, set, scratch, probe, .. } = self;
        let Boards { shape, east, west, .. } = boards;
        if shape.is_crowded(scratch.list_bytes()) {
            **scratch = Scratch::default();
        }
        let at_most = shape.most_lists(scratch.half_board_bytes());
        let mut build = |scratch: &mut Scratch, at_most| {
            let Scratch { east_lists, west_lists, spare, .. } = scratch;
            probe.time(Phase::Lists, || {
                Ok(east.build(set.rows, east_lists, spare, at_most)?
                    && west.build(set.complement().rows, west_lists, spare, at_most)?)
            })
        };
        if !build(scratch, at_most)? {
            // The lists do not fit in memory next to the half-boards of an earlier row set.
            **scratch = Scratch::default();
            build(scratch, usize::MAX)?;
        }
        if shape.is_crowded(scratch.list_bytes()) {
            scratch.spare = RowLists::default();
        }
        probe.record(|stats| stats.row_sets += 1);
        Ok(())
    }

    /// Counts the pairs of the selected east and west half-boards.
    fn count_sample(&mut self, [east, west]: [Selection; 2]) -> Result<u64, Stopped> {
        self.generate_west(west)?;
        self.generate_east(east, 0)?;
        self.sort_east(self.scratch.west.len())?;
        self.count_pairs(Selection::ALL)
    }

    /// Generates and sorts a share of the east half-boards.
    fn prepare_share(&mut self, share: usize, shares: &Shares) -> Result<(), Stopped> {
        self.generate_east(Selection::share(share, shares.east), shares.reserve)?;
        self.sort_east(shares.queries)
    }

    /// Counts the pairs of the current east half-boards and a class of west half-boards.
    fn count_class(&mut self, class: Selection) -> Result<u64, Stopped> {
        // On the largest boards, it takes a long time to generate the half-boards of a class.
        self.check()?;
        self.generate_west(class)?;
        self.count_pairs(class)
    }

    /// Divides the half-boards so that each share and each class fits in memory. Their sizes are
    /// estimated from a sample, which stays in memory to determine the order of the bits.
    fn divide(&mut self) -> Result<Shares, Stopped> {
        let Boards { layout, shape, east, .. } = self.boards;
        let most = shape.most(self.scratch.list_bytes());
        let column_sets = east.built(&self.scratch.east_lists).column_sets.len();
        let sample = SAMPLE.min(column_sets.div_ceil(16));
        let selection = Selection::share(sample / 2, sample);
        self.generate_west(selection)?;
        self.generate_east(selection, 0)?;
        let Scratch { east: [east, _], west, .. } = &*self.scratch;
        let bits = &layout.priority[..layout.high_bits as usize];
        let (mut classes, mut left) = (Vec::new(), vec![Selection::ALL]);
        while let Some(class) = left.pop() {
            let Selection { required, excluded, .. } = class;
            match bits.get((required | excluded).count_ones() as usize) {
                Some(bit) if sample * west.count(required | excluded, required) > most => {
                    left.extend([
                        Selection { excluded: excluded | 1 << bit, ..class },
                        Selection { required: required | 1 << bit, ..class },
                    ]);
                }
                _ => classes.push(class),
            }
        }
        let estimate = sample * east.len();
        let shares = estimate.div_ceil(most).max(1);
        // Reserve a little more, so that a list need not be moved if the estimate is slightly too
        // low.
        let reserve = estimate / shares + estimate / shares / 8;
        Ok(Shares { east: shares, west: classes, reserve, queries: sample * west.len() })
    }

    /// Sorts the east half-boards, which will be matched with `queries` west ones in total.
    fn sort_east(&mut self, queries: usize) -> Result<(), Stopped> {
        let Boards { isa, layout, .. } = self.boards;
        let Scratch { east, west, ranges, pairs, .. } = &mut *self.scratch;
        // Most half-boards have no queen on the centre square. Sort these last, so that their order
        // of bits is kept.
        for list in east.iter_mut().rev() {
            let of = (queries, layout.bits());
            sort_east(*isa, list, (west, ranges), of, pairs, &mut self.probe)?;
        }
        Ok(())
    }

    /// Generates the selected east half-boards, and reserves memory for `reserve` of them.
    fn generate_east(&mut self, selection: Selection, reserve: usize) -> Result<(), Stopped> {
        let Self { boards, set, scratch, probe, .. } = self;
        let quadrants = boards.east.built(&scratch.east_lists);
        let free = quadrants.group((LongDiagonals::Unoccupied, LongDiagonals::Unoccupied));
        let centre = Group { middle: Middle::Centre, ..free.clone() };
        let has_centre = quadrants.centre_column != 0 && set.centre_weight() > 0;
        let groups = [(free, reserve), (centre.only_if(has_centre), 0)];
        probe.time(Phase::Generate, || {
            for (list, (group, reserve)) in scratch.east.iter_mut().zip(groups) {
                list.resize(0, boards.layout.is_wide())?;
                list.reserve(reserve)?;
                half::join(boards.isa, quadrants, &[group], selection, list)?;
            }
            Ok(())
        })
    }

    /// Generates the selected west half-boards, grouped by weight.
    fn generate_west(&mut self, selection: Selection) -> Result<(), Stopped> {
        let Self { boards, set, scratch, probe, .. } = self;
        let Scratch { west_lists, west, ranges, .. } = &mut **scratch;
        let quadrants = boards.west.built(west_lists);
        let free = quadrants.group((LongDiagonals::Unoccupied, LongDiagonals::Unoccupied));
        let centre = Group { middle: Middle::Centre, ..free.clone() };
        let centre_weight = u64::from(quadrants.centre_column) * set.centre_weight();
        let ([falling, rising], four_times) = quadrants.by_reflection(self.comparisons);
        let once =
            [free.only_if(set.free_weight() > 0), centre.clone().only_if(centre_weight == 1)];
        let twice = [falling, rising, centre.only_if(centre_weight == 2)];
        let groups: [&[Group]; 3] = [&once, &twice, &four_times];
        probe.time(Phase::Generate, || {
            west.resize(0, boards.layout.is_wide())?;
            for (range, groups) in ranges.iter_mut().zip(groups) {
                let start = west.len();
                half::join(boards.isa, quadrants, groups, selection, west)?;
                *range = start..west.len();
            }
            Ok(())
        })
    }

    /// Counts the pairs of the current half-boards. Those of the west are in the given class.
    fn count_pairs(&mut self, class: Selection) -> Result<u64, Stopped> {
        let Self { boards, set, scratch, probe, cancel, .. } = self;
        let Scratch { east: [free, centre], west, ranges, pairs, .. } = &mut **scratch;
        probe.record(|stats| {
            stats.east += (free.len() + centre.len()) as u64;
            stats.west += west.len() as u64;
        });
        let bits = (class.required, boards.layout.bits() & !class.required & !class.excluded);
        // A queen on the centre square attacks all other squares of the long diagonals.
        let once = [ranges[0].clone(), 0..0, 0..0];
        // Half-boards with no queen on the centre square come last, because counting their pairs
        // may reorder queries.
        let lists = [
            (centre, (once, true), [set.centre_weight(), 0, 0]),
            (free, (ranges.clone(), false), [set.free_weight(), 2, 4]),
        ];
        let mut total = 0u64;
        for (east, (ranges, kept), weights) in lists {
            if east.len() == 0 {
                continue;
            }
            let of = (&mut *west, ranges, kept);
            let counts = pairs::count(boards.isa, bits, east, of, pairs, probe, cancel)?;
            for (count, weight) in counts.into_iter().zip(weights) {
                let weighted = count.checked_mul(weight * set.weight());
                let sum = weighted.and_then(|weighted| total.checked_add(weighted));
                total = sum.expect("the count of a row set fits");
            }
        }
        Ok(total)
    }
}
