//! Counts a row set by joining quadrant lists into half-boards and counting the disjoint pairs of
//! half-boards.
//!
//! If the half-boards of a row set do not fit in memory, they are divided. East half-boards are
//! divided into **shares** by the column sets of their north quadrants, and west half-boards into
//! **classes** by their most frequent bits. Every pair of half-boards belongs to exactly one share
//! and one class.

use super::half::{self, Class, Half, HalfLists, Middle, Selection};
use super::list::List;
use super::pairs::{self, PairScratch, Prefix, sort_east};
use super::pattern::{Layout, Side};
use super::quadrant::{LongDiagonals, RowLists};
use super::select::Queries;
use super::size::Shape;
use super::stats::{Phase, Probe, Stats};
use super::symmetry::RowSet;
use crate::engine::simd::Blocks;
use crate::engine::{CancelToken, Kernel, Observation, Stopped};
use crate::machine::clock::thread_seconds;

/// Data shared by all row sets of a board.
#[derive(Debug)]
pub(super) struct Boards {
    /// Assignment of pattern bits to diagonals.
    pub(super) layout: Layout,
    pub(super) shape: Shape,
    isa: Blocks,
    /// Whether rule 4 of [`symmetry`](super::symmetry) is used.
    #[cfg(test)]
    pub(super) reflects: bool,
    east: Half,
    west: Half,
}

impl Boards {
    /// Creates the data for a layout. No lists are built yet.
    pub(super) fn new(layout: Layout, kernel: Kernel, shape: Shape) -> Self {
        let isa = Blocks::detect(kernel).expect("the kernel was chosen for this CPU");
        let half = |side| Half::new(&layout, side, isa, shape.kept_rows);
        let [east, west] = [Side::East, Side::West].map(half);
        Self {
            layout,
            shape,
            isa,
            #[cfg(test)]
            reflects: true,
            east,
            west,
        }
    }

    /// Builds all lists that are kept. Returns `true` if no others are needed.
    pub(super) fn build_kept(&self) -> Result<bool, Stopped> {
        Ok(self.east.build_kept()? & self.west.build_kept()?)
    }

    /// Returns the size of the kept lists in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.east.bytes() + self.west.bytes()
    }

    /// Counts the weighted solutions of a row set, or of one of its samples. A sample is one share
    /// of the east half-boards and one share of the west ones, both selected by the column sets of
    /// their north quadrants.
    pub(super) fn run(
        &self,
        set: RowSet,
        sample: Option<usize>,
        scratch: &mut Scratch,
        stats: Option<&mut Stats>,
        cancel: &CancelToken,
    ) -> Result<u64, Stopped> {
        if cancel.is_cancelled() {
            return Err(Stopped::Cancelled);
        }
        let mut count = Count { boards: self, set, scratch, probe: Probe(stats), cancel };
        count.build_lists()?;
        match sample {
            Some(sample) => count.count_sample(sample),
            None => count.count_all(),
        }
    }

    /// Counts and times the pairs of one random share of the east half-boards and one random class
    /// of the west ones.
    pub(super) fn piece(
        &self,
        set: RowSet,
        random: &mut fastrand::Rng,
        scratch: &mut Scratch,
        cancel: &CancelToken,
    ) -> Result<Observation, Stopped> {
        let mut count = Count { boards: self, set, scratch, probe: Probe(None), cancel };
        count.count_piece(random)
    }
}

/// A worker's scratch memory, which is reused for each row set.
#[derive(Debug)]
pub(super) struct Scratch {
    east_lists: HalfLists,
    west_lists: HalfLists,
    spare: RowLists,
    /// Estimated number of east half-boards to generate, or 0 if unknown.
    estimate: usize,
    /// Sorted east half-boards: those without a queen on a long diagonal, and those with one on the
    /// centre square.
    east: [List; 2],
    /// Estimated number of queries of the whole row set.
    queries: usize,
    west: Queries,
    pairs: PairScratch,
}

impl Scratch {
    /// Creates scratch memory. If `wide` is set, patterns have more than 32 bits.
    pub(super) fn new(wide: bool) -> Self {
        Self {
            east_lists: HalfLists::default(),
            west_lists: HalfLists::default(),
            spare: RowLists::default(),
            estimate: 0,
            east: [wide, wide].map(List::new),
            queries: 0,
            west: Queries::new(wide),
            pairs: PairScratch::new(wide),
        }
    }

    /// Returns the size of the quadrant lists in bytes.
    fn list_bytes(&self) -> usize {
        self.east_lists.bytes() + self.west_lists.bytes() + self.spare.bytes()
    }
}

/// State while counting a row set or a sample.
struct Count<'a> {
    boards: &'a Boards,
    set: RowSet,
    scratch: &'a mut Scratch,
    probe: Probe<'a>,
    cancel: &'a CancelToken,
}

/// Sampling interval: one in this many column sets is used to estimate the number of half-boards.
const SAMPLE: usize = 32;

impl Count<'_> {
    /// Builds the quadrant lists of the row set.
    fn build_lists(&mut self) -> Result<(), Stopped> {
        let Self { boards, set, .. } = *self;
        if boards.shape.is_crowded(self.scratch.list_bytes()) {
            *self.scratch = Scratch::new(boards.layout.is_wide());
        }
        let others = set.complement(boards.layout.n).rows;
        let scratch = &mut *self.scratch;
        self.probe.time(Phase::Lists, || {
            let spare = &mut scratch.spare;
            boards.east.build(set.rows, &mut scratch.east_lists, spare)?;
            boards.west.build(others, &mut scratch.west_lists, spare)
        })?;
        self.probe.record(|stats| stats.row_sets += 1);
        Ok(())
    }

    /// Counts a row set, divided into shares and classes if it does not fit in memory.
    fn count_all(&mut self) -> Result<u64, Stopped> {
        if self.boards.shape.holds_all {
            return self.count_whole();
        }
        let (shares, classes) = self.cut()?;
        let mut total = 0u64;
        for share in 0..shares {
            self.prepare_share(share, shares)?;
            for &class in &classes {
                let counted = self.count_pass(class)?;
                let sum = total.checked_add(counted);
                total = sum.expect("the count of a row set fits");
            }
        }
        Ok(total)
    }

    fn count_whole(&mut self) -> Result<u64, Stopped> {
        self.generate_west(Selection::ALL)?;
        self.generate_east(Selection::ALL)?;
        self.scratch.queries = self.scratch.west.list.len();
        self.sort_east()?;
        self.count_class(Prefix::ALL)
    }

    fn prepare_share(&mut self, share: usize, shares: usize) -> Result<(), Stopped> {
        self.generate_east(Selection::share(share, shares))?;
        self.sort_east()
    }

    /// Counts the pairs of the current east half-boards and a class of west half-boards.
    fn count_pass(&mut self, class: Prefix) -> Result<u64, Stopped> {
        // Check again, because generating the half-boards of a class takes a long time on the
        // largest boards.
        if self.cancel.is_cancelled() {
            return Err(Stopped::Cancelled);
        }
        let high = |bits: u64| (bits >> 32) as u32;
        self.generate_west(Selection {
            required: high(class.required),
            excluded: high(class.excluded),
            ..Selection::ALL
        })?;
        self.count_class(class)
    }

    /// Counts one random share with one random class, and extrapolates the time of each step to the
    /// whole row set.
    fn count_piece(&mut self, random: &mut fastrand::Rng) -> Result<Observation, Stopped> {
        let before = thread_seconds();
        let mut seconds = vec![thread_seconds()];
        // Reading the clock takes a tenth as long as counting a small row set, so the reading time
        // is subtracted.
        let reading = seconds[0] - before;
        self.build_lists()?;
        if self.boards.shape.holds_all {
            let solutions = self.count_whole()? as f64;
            return Ok(Observation { solutions, seconds: thread_seconds() - seconds[0] - reading });
        }
        let (shares, classes) = self.cut()?;
        seconds.push(thread_seconds());
        self.prepare_share(random.usize(..shares), shares)?;
        seconds.push(thread_seconds());
        let counted = self.count_pass(classes[random.usize(..classes.len())])?;
        seconds.push(thread_seconds());
        let (shares, pieces) = (shares as f64, (shares * classes.len()) as f64);
        let steps = seconds.windows(2).map(|ends| ends[1] - ends[0]);
        Ok(Observation {
            solutions: pieces * counted as f64,
            seconds: steps.zip([1.0, shares, pieces]).map(|(step, times)| step * times).sum(),
        })
    }

    /// Estimates the number of half-boards from a sample. Returns the number of shares of the east
    /// and the classes of the west, chosen so that each fits in memory. The sample stays in memory
    /// to determine the order of the bits.
    fn cut(&mut self) -> Result<(usize, Vec<Prefix>), Stopped> {
        let Boards { layout, shape, .. } = self.boards;
        let lists = self.scratch.list_bytes();
        let quadrants = self.boards.east.built(&self.scratch.east_lists);
        let share = SAMPLE.min(quadrants.column_sets.len().div_ceil(16));
        let selection = Selection::share(share / 2, share);
        self.scratch.estimate = 0;
        self.generate_west(selection)?;
        self.generate_east(selection)?;
        let scratch = &mut *self.scratch;
        let west = &scratch.west.list;
        scratch.queries = share * west.len();
        let size =
            |class: Prefix| share * west.count(class.required | class.excluded, class.required);
        let mut classes = Vec::new();
        let mut add = |class| classes.push(class);
        let bits = &layout.priority[..layout.high_bits as usize];
        shape.cut(Prefix::ALL, &size, lists, bits, &mut add);
        let east = share * scratch.east[0].len();
        let shares = shape.shares(east, lists);
        // Reserve a little more, so that a list need not be moved if the estimate is slightly too
        // low.
        let east = east / shares;
        scratch.estimate = east + east / 8;
        Ok((shares, classes))
    }

    fn sort_east(&mut self) -> Result<(), Stopped> {
        let Scratch { east, west, queries, pairs, .. } = &mut *self.scratch;
        let (open, isa) = (self.boards.layout.bits(), self.boards.isa);
        // Most half-boards have no queen on the centre square. Sort these last, so that their order
        // of bits is kept.
        for list in east.iter_mut().rev() {
            let west = west.all();
            sort_east(isa, list, &west, (*queries, open), pairs, &mut self.probe)?;
        }
        Ok(())
    }

    fn generate_east(&mut self, selection: Selection) -> Result<(), Stopped> {
        let Self { boards, set, scratch, probe, .. } = self;
        let quadrants = boards.east.built(&scratch.east_lists);
        let free = quadrants.class((LongDiagonals::Unoccupied, LongDiagonals::Unoccupied));
        let centre = Class { middle: Middle::Centre, ..free.clone() };
        let has_centre = quadrants.centre_column != 0 && set.centre_weight(boards.layout.n) > 0;
        let classes = [(free, scratch.estimate), (centre.only_if(has_centre), 0)];
        let lists = scratch.east.iter_mut().zip(classes);
        probe.time(Phase::Generate, || {
            for (list, (class, estimate)) in lists {
                list.truncate(0);
                list.reserve(estimate)?;
                half::join(boards.isa, quadrants, &[class], selection, list)?;
            }
            Ok(())
        })
    }

    /// Generates the selected west half-boards, grouped by weight.
    fn generate_west(&mut self, selection: Selection) -> Result<(), Stopped> {
        let Self { boards, set, scratch, probe, .. } = self;
        let quadrants = boards.west.built(&scratch.west_lists);
        let n = boards.layout.n;
        let free = quadrants.class((LongDiagonals::Unoccupied, LongDiagonals::Unoccupied));
        let centre = Class { middle: Middle::Centre, ..free.clone() };
        let centre_weight = u64::from(quadrants.centre_column) * set.centre_weight(n);
        let (twice, four_times) = quadrants.by_reflection(set.comparisons(n));
        #[cfg(test)]
        let (twice, four_times) = match boards.reflects {
            true => (twice, four_times),
            false => quadrants.without_reflection(),
        };
        let [falling, rising] = twice;
        let once =
            [free.only_if(set.free_weight(n) > 0), centre.clone().only_if(centre_weight == 1)];
        let twice = [falling, rising, centre.only_if(centre_weight == 2)];
        let classes: [&[Class]; 3] = [&once, &twice, &four_times];
        let Queries { list, bounds, .. } = &mut scratch.west;
        list.truncate(0);
        bounds.clear();
        bounds.push(0);
        probe.time(Phase::Generate, || {
            for classes in classes {
                half::join(boards.isa, quadrants, classes, selection, list)?;
                bounds.push(list.len());
            }
            Ok(())
        })
    }

    /// Counts the pairs of one share of each side.
    fn count_sample(&mut self, sample: usize) -> Result<u64, Stopped> {
        let shares = self.boards.shape.sample_shares;
        self.scratch.estimate = 0;
        self.generate_west(Selection::share(sample / shares, shares))?;
        self.generate_east(Selection::share(sample % shares, shares))?;
        self.scratch.queries = self.scratch.west.list.len();
        self.sort_east()?;
        self.count_class(Prefix::ALL)
    }

    /// Counts the pairs of the current half-boards.
    fn count_class(&mut self, prefix: Prefix) -> Result<u64, Stopped> {
        let Self { boards, set, scratch, probe, cancel, .. } = self;
        let Scratch { east, west, pairs, .. } = &mut **scratch;
        let (layout, n) = (&boards.layout, boards.layout.n);
        probe.record(|stats| {
            stats.east += east.iter().map(|list| list.len() as u64).sum::<u64>();
            stats.west += west.list.len() as u64;
        });
        let open = layout.bits() & !prefix.required & !prefix.excluded;
        let mut total = 0u64;
        // Half-boards with no queen on the centre square come last, because counting their pairs
        // may reorder queries.
        for (has_centre, east) in [(true, &east[1]), (false, &east[0])] {
            if east.is_empty() {
                continue;
            }
            let weights = match has_centre {
                false => [set.free_weight(n), 2, 4],
                // A queen on the centre square attacks all other squares of the long diagonals.
                true => [set.centre_weight(n), 0, 0],
            };
            let counts = pairs::count(
                boards.isa,
                (prefix.required, open),
                (east, west, has_centre),
                pairs,
                probe,
                cancel,
            )?;
            for (count, weight) in counts.into_iter().zip(weights) {
                let weighted = count.checked_mul(weight * set.weight(n));
                let weighted = weighted.expect("the count of a row set fits");
                let sum = total.checked_add(weighted);
                total = sum.expect("the count of a row set fits");
            }
        }
        Ok(total)
    }
}
