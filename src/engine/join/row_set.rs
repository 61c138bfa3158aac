//! Counts the solutions of a row set: joins quadrant lists into half-boards, and counts the
//! disjoint pairs of an east and a west half-board.
//!
//! If the half-boards of a row set do not fit in memory, only some of them are generated at a time.
//! The column set of the north quadrant assigns each east half-board to a **share**. The pattern
//! bits that are set most often assign each west half-board to a **bucket**. Each share is matched
//! with each bucket, so that every pair is tested exactly once.

use super::half::{self, Group, Half, HalfLists, HalfSelection, Middle};
use super::list::{List, Ranges};
use super::pairs::{self, PairScratch, sort_east};
use super::pattern::{Layout, Side};
use super::quadrant::{LongDiagonals, RowLists};
use super::size::MemoryLimits;
use super::stats::{self, Phase};
use super::symmetry::{Comparison, RowSet, RowSets};
use crate::engine::cancel::CancelToken;
use crate::engine::interruption::Interruption;
use crate::engine::options::Options;
use crate::engine::simd::Isa;

/// Row sets of a board with the lists that they share, prepared for one kernel.
#[derive(Debug)]
pub(crate) struct Solver {
    row_sets: RowSets,
    layout: Layout,
    pub(super) limits: MemoryLimits,
    isa: Isa,
    east: Half,
    west: Half,
    cancel: CancelToken,
}

impl Solver {
    /// Prepares row sets for counting. No lists are built yet.
    pub(crate) fn new(row_sets: &RowSets, options: &Options) -> Self {
        let limits = MemoryLimits::new(row_sets.n, options.threads, options.memory);
        Self::with_limits(row_sets, limits, options)
    }

    pub(super) fn with_limits(row_sets: &RowSets, limits: MemoryLimits, options: &Options) -> Self {
        let (layout, isa) = (row_sets.layout(), options.isa);
        let [east, west] =
            [Side::East, Side::West].map(|side| Half::new(&layout, side, isa, limits.kept_rows));
        Self {
            row_sets: row_sets.clone(),
            layout,
            limits,
            isa,
            east,
            west,
            cancel: options.cancel.clone(),
        }
    }

    /// Builds all quadrant lists that are kept. Returns `true` if no others are needed.
    pub(crate) fn build_kept(&self) -> Result<bool, Interruption> {
        Ok(self.east.build_kept()? & self.west.build_kept()?)
    }

    /// Returns the row set with the given rank.
    pub(crate) fn get(&self, rank: usize) -> RowSet {
        self.row_sets.get(rank)
    }

    /// Prepares to count the solutions of a row set.
    pub(crate) fn row_set<'a>(&'a self, set: RowSet, scratch: &'a mut Scratch) -> RowSetCount<'a> {
        RowSetCount { solver: self, set, comparisons: set.comparisons(), scratch }
    }
}

/// A worker's scratch memory, which is reused for each row set.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    east_lists: HalfLists,
    west_lists: HalfLists,
    spare: RowLists,
    /// Sorted east half-boards: those without a queen on a long diagonal, and those with one on the
    /// centre square.
    east: [List; 2],
    west: List,
    /// Range of the west half-boards of each symmetry weight.
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

/// A row set whose solutions are being counted.
pub(crate) struct RowSetCount<'a> {
    solver: &'a Solver,
    set: RowSet,
    /// Comparisons for the falling and the rising long diagonal.
    pub(super) comparisons: [Comparison; 2],
    scratch: &'a mut Scratch,
}

/// Division of the half-boards of a row set into parts that fit in memory.
struct EastChunks {
    /// Number of shares of the east half-boards.
    east: usize,
    /// Buckets of the west half-boards.
    west: Vec<HalfSelection>,
    /// Number of half-boards for which to reserve memory in each share of the east.
    reserve: usize,
    /// Estimated number of west half-boards of all buckets.
    queries: usize,
}

/// One in this many column sets is sampled to estimate the number of half-boards.
const SAMPLE: usize = 32;

impl RowSetCount<'_> {
    /// Counts the weighted solutions of the row set.
    pub(crate) fn count(mut self) -> Result<u64, Interruption> {
        self.solver.cancel.check()?;
        self.build_lists()?;
        if self.solver.limits.holds_all {
            self.generate_west(HalfSelection::ALL)?;
            self.generate_east(HalfSelection::ALL, 0)?;
            self.sort_east(self.scratch.west.len())?;
            return self.count_pairs(HalfSelection::ALL);
        }
        let shares = self.divide()?;
        let mut total = 0u64;
        for share in 0..shares.east {
            self.prepare_share(share, &shares)?;
            for &bucket in &shares.west {
                let sum = total.checked_add(self.count_bucket(bucket)?);
                total = sum.expect("the count of a row set fits");
            }
        }
        Ok(total)
    }

    /// Builds the quadrant lists of the row set.
    fn build_lists(&mut self) -> Result<(), Interruption> {
        let Self { solver: Solver { limits, east, west, .. }, set, scratch, .. } = self;
        let build = |scratch: &mut Scratch, max_bytes| {
            let Scratch { east_lists, west_lists, spare, .. } = scratch;
            let _timer = stats::time(Phase::Lists);
            Ok(east.build(set.rows, east_lists, spare, max_bytes)?
                && west.build(set.complement().rows, west_lists, spare, max_bytes)?)
        };
        if limits.holds_all {
            build(scratch, usize::MAX)?;
        } else {
            // Free large lists, each of which would otherwise keep the largest capacity that any
            // row set has needed.
            if limits.is_crowded(scratch.list_bytes()) {
                **scratch = Scratch::default();
            }
            if !build(scratch, limits.most_lists(scratch.half_board_bytes()))? {
                // The lists do not fit in memory next to the half-boards of an earlier row set.
                **scratch = Scratch::default();
                build(scratch, usize::MAX)?;
            }
            if limits.is_crowded(scratch.list_bytes()) {
                scratch.spare = RowLists::default();
            }
        }
        stats::record(|stats| stats.row_sets += 1);
        Ok(())
    }

    /// Generates and sorts a share of the east half-boards.
    fn prepare_share(&mut self, share: usize, shares: &EastChunks) -> Result<(), Interruption> {
        self.generate_east(HalfSelection::share(share, shares.east), shares.reserve)?;
        self.sort_east(shares.queries)
    }

    /// Counts the disjoint pairs of the east half-boards in memory and a bucket of west ones.
    fn count_bucket(&mut self, bucket: HalfSelection) -> Result<u64, Interruption> {
        // On the largest boards, it takes a long time to generate the half-boards of a bucket.
        self.solver.cancel.check()?;
        self.generate_west(bucket)?;
        self.count_pairs(bucket)
    }

    /// Divides the half-boards so that each share and each bucket fits in memory. Their sizes are
    /// estimated from a sample, which stays in memory to determine the order of the bits.
    fn divide(&mut self) -> Result<EastChunks, Interruption> {
        let Solver { layout, limits, east, .. } = self.solver;
        let max_half_boards = limits.max_half_boards(self.scratch.list_bytes());
        let column_sets = east.built(&self.scratch.east_lists).column_sets.len();
        let sample = SAMPLE.min(column_sets.div_ceil(16));
        let selection = HalfSelection::share(sample / 2, sample);
        self.generate_west(selection)?;
        self.generate_east(selection, 0)?;
        let Scratch { east: [east, _], west, .. } = &*self.scratch;
        let bits = &layout.priority[..layout.high_bits as usize];
        let (mut buckets, mut left) = (Vec::new(), vec![HalfSelection::ALL]);
        while let Some(bucket) = left.pop() {
            let HalfSelection { required, excluded, .. } = bucket;
            match bits.get((required | excluded).count_ones() as usize) {
                Some(bit)
                    if sample * west.count(required | excluded, required) > max_half_boards =>
                {
                    left.extend([
                        HalfSelection { excluded: excluded | 1 << bit, ..bucket },
                        HalfSelection { required: required | 1 << bit, ..bucket },
                    ]);
                }
                _ => buckets.push(bucket),
            }
        }
        let estimate = sample * east.len();
        let shares = estimate.div_ceil(max_half_boards).max(1);
        // Reserve a little more, so that a list need not be moved if the estimate is slightly too
        // low.
        let reserve = estimate / shares + estimate / shares / 8;
        Ok(EastChunks { east: shares, west: buckets, reserve, queries: sample * west.len() })
    }

    /// Sorts the east half-boards, which will be matched with `queries` west ones in total.
    fn sort_east(&mut self, queries: usize) -> Result<(), Interruption> {
        let Solver { isa, layout, .. } = self.solver;
        let Scratch { east, west, ranges, pairs, .. } = &mut *self.scratch;
        // Most half-boards have no queen on the centre square. Sort these last, so that the order
        // of bits that is found for them is kept.
        for list in east.iter_mut().rev() {
            let of = (queries, layout.bits());
            sort_east(*isa, list, (west, ranges), of, pairs)?;
        }
        Ok(())
    }

    /// Generates the selected east half-boards, and reserves memory for `reserve` of them.
    fn generate_east(
        &mut self,
        selection: HalfSelection,
        reserve: usize,
    ) -> Result<(), Interruption> {
        let Self { solver, set, scratch, .. } = self;
        let quadrants = solver.east.built(&scratch.east_lists);
        let free = quadrants.group((LongDiagonals::Unoccupied, LongDiagonals::Unoccupied));
        let centre = Group { middle: Middle::Centre, ..free.clone() };
        let has_centre = quadrants.centre_column != 0 && set.centre_weight() > 0;
        let groups = [(free, reserve), (centre.only_if(has_centre), 0)];
        let _timer = stats::time(Phase::Generate);
        for (list, (group, reserve)) in scratch.east.iter_mut().zip(groups) {
            list.resize(0, solver.layout.pattern_width())?;
            list.reserve(reserve)?;
            half::join(solver.isa, quadrants, &[group], selection, list)?;
        }
        Ok(())
    }

    /// Returns the weight of the first class of west half-boards, to which only rule 3 applies:
    /// those with a queen on the centre square if the west has the centre column, and otherwise
    /// those that leave both long diagonals unoccupied. The other classes have weights 2 and 4.
    fn first_weight(&self) -> u64 {
        if self.solver.layout.has_centre_column(Side::West) {
            self.set.centre_weight()
        } else {
            self.set.free_weight()
        }
    }

    /// Generates the selected west half-boards, grouped by weight.
    fn generate_west(&mut self, selection: HalfSelection) -> Result<(), Interruption> {
        let first_weight = self.first_weight();
        let Self { solver, set, scratch, .. } = self;
        let Scratch { west_lists, west, ranges, .. } = &mut **scratch;
        let quadrants = solver.west.built(west_lists);
        let free = quadrants.group((LongDiagonals::Unoccupied, LongDiagonals::Unoccupied));
        let both = quadrants.group((LongDiagonals::Occupied, LongDiagonals::Occupied));
        let has_centre = quadrants.centre_column != 0;
        let first = if has_centre { Group { middle: Middle::Centre, ..free } } else { free };
        let first = first.only_if(first_weight > 0);
        let [twice, [falling, rising]] = quadrants.by_reflection(self.comparisons, false);
        let four_times = [both, falling, rising];
        let reflects_free = has_centre && set.free_weight() > 0;
        let reflected = reflects_free.then(|| quadrants.by_reflection(self.comparisons, true));
        let of_free = |i: usize| reflected.as_ref().map_or(&[][..], |groups| &groups[i]);
        let groups: [[&[Group]; 2]; 3] =
            [[&[first], &[]], [&twice, of_free(0)], [&four_times, of_free(1)]];
        let _timer = stats::time(Phase::Generate);
        west.resize(0, solver.layout.pattern_width())?;
        for (range, groups) in ranges.iter_mut().zip(groups) {
            let start = west.len();
            for groups in groups.into_iter().filter(|groups| !groups.is_empty()) {
                half::join(solver.isa, quadrants, groups, selection, west)?;
            }
            *range = start..west.len();
        }
        Ok(())
    }

    /// Counts the disjoint pairs of the half-boards in memory. Those of the west are in `bucket`.
    fn count_pairs(&mut self, bucket: HalfSelection) -> Result<u64, Interruption> {
        let first_weight = self.first_weight();
        let Self { solver, set, scratch, .. } = self;
        let Scratch { east: [free, centre], west, ranges, pairs, .. } = &mut **scratch;
        stats::record(|stats| {
            stats.east += (free.len() + centre.len()) as u64;
            stats.west += west.len() as u64;
        });
        let bits = (bucket.required, solver.layout.bits() & !bucket.required & !bucket.excluded);
        // A queen on the centre square attacks all other squares of the long diagonals.
        let once = [ranges[0].clone(), 0..0, 0..0];
        // Half-boards with no queen on the centre square come last, because counting their pairs
        // may reorder queries.
        let lists = [
            (centre, (once, true), [set.centre_weight(), 0, 0]),
            (free, (ranges.clone(), false), [first_weight, 2, 4]),
        ];
        let mut total = 0u64;
        for (east, (ranges, kept), weights) in lists {
            if east.len() == 0 {
                continue;
            }
            let of = (&mut *west, ranges, kept);
            let counts = pairs::count(solver.isa, bits, east, of, pairs, &solver.cancel)?;
            for (count, weight) in counts.into_iter().zip(weights) {
                let weighted = count.checked_mul(weight * set.weight());
                let sum = weighted.and_then(|weighted| total.checked_add(weighted));
                total = sum.expect("the count of a row set fits");
            }
        }
        Ok(total)
    }
}

#[cfg(test)]
mod tests;
