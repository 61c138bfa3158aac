//! Counting one row set: the half-boards on it are joined from quadrant lists, and their disjoint pairs counted.
//!
//! Where there are too many half-boards to hold at a time, a row set is counted in **shares** of its east half-boards,
//! by the column sets of their norths, and **classes** of its west ones, by their most frequent bits. Every pair is in
//! one of each.

use super::half::{self, Class, Half, HalfLists, Middle, Wanted};
use super::list::List;
use super::pairs::{self, PairScratch, Prefix, sort_east};
use super::pattern::{Layout, Side};
use super::quadrant::{Long, RowLists};
use super::select::Queries;
use super::size::Shape;
use super::stats::{Phase, Probe, Stats};
use super::symmetry::RowSet;
use crate::engine::simd::Blocks;
use crate::engine::{CancelToken, Kernel, Observation, Stopped};
use crate::machine::clock::thread_seconds;

/// All that row sets of one N share.
#[derive(Debug)]
pub(super) struct Boards {
    /// Which diagonal has which bit.
    pub(super) layout: Layout,
    pub(super) shape: Shape,
    isa: Blocks,
    /// Whether reflection in an occupied long diagonal is used (rule 4 of [`super::symmetry`]).
    #[cfg(test)]
    pub(super) reflects: bool,
    east: Half,
    west: Half,
}

impl Boards {
    /// The boards of a layout, with no list made.
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

    /// Builds all lists that are kept; returns whether no others are needed.
    pub(super) fn build_kept(&self) -> Result<bool, Stopped> {
        Ok(self.east.build_kept()? & self.west.build_kept()?)
    }

    /// Bytes of memory of the lists that are kept.
    pub(super) fn bytes(&self) -> usize {
        self.east.bytes() + self.west.bytes()
    }

    /// Counts the solutions of a row set, or of one of its samples, with all weights. A sample has one share of the
    /// half-boards of each side, by the column sets of their norths.
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
        let mut count = Count {
            boards: self,
            set,
            scratch,
            probe: Probe(stats),
            cancel,
        };
        count.make_lists()?;
        match sample {
            Some(sample) => count.count_sample(sample),
            None => count.count_all(),
        }
    }

    /// Counts one random class of the west half-boards with one random share of the east ones.
    pub(super) fn piece(
        &self,
        set: RowSet,
        random: &mut fastrand::Rng,
        scratch: &mut Scratch,
        cancel: &CancelToken,
    ) -> Result<Observation, Stopped> {
        let mut count = Count {
            boards: self,
            set,
            scratch,
            probe: Probe(None),
            cancel,
        };
        count.count_piece(random)
    }
}

/// A worker's memory, kept from one row set to the next.
#[derive(Debug)]
pub(super) struct Scratch {
    east_lists: HalfLists,
    west_lists: HalfLists,
    spare: RowLists,
    /// Approximate number of east half-boards to generate, or 0 where none is known.
    estimate: usize,
    /// East half-boards without a queen on a long diagonal, and those with one on the centre square, sorted.
    east: [List; 2],
    /// How many queries there are, about, if all are there.
    queries: usize,
    west: Queries,
    pairs: PairScratch,
}

impl Scratch {
    /// Scratch memory for patterns of more than 32 bits if `wide`.
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

    /// Bytes of the quadrant lists.
    fn list_bytes(&self) -> usize {
        self.east_lists.bytes() + self.west_lists.bytes() + self.spare.bytes()
    }
}

/// Count of a row set or of a sample.
struct Count<'a> {
    boards: &'a Boards,
    set: RowSet,
    scratch: &'a mut Scratch,
    probe: Probe<'a>,
    cancel: &'a CancelToken,
}

/// Of so many column sets one is tried to estimate how many half-boards there will be.
const SAMPLE: usize = 32;

impl Count<'_> {
    /// Makes the quadrant lists.
    fn make_lists(&mut self) -> Result<(), Stopped> {
        let Self { boards, set, .. } = *self;
        if boards.shape.is_crowded(self.scratch.list_bytes()) {
            *self.scratch = Scratch::new(boards.layout.is_wide());
        }
        let others = set.complement(boards.layout.n).rows;
        let scratch = &mut *self.scratch;
        self.probe.time(Phase::Lists, || {
            let spare = &mut scratch.spare;
            boards.east.make(set.rows, &mut scratch.east_lists, spare)?;
            boards.west.make(others, &mut scratch.west_lists, spare)
        })?;
        self.probe.record(|stats| stats.row_sets += 1);
        Ok(())
    }

    /// Counts a row set: in shares of its east half-boards and classes of its west ones, as many as memory requires.
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

    /// Counts a row set that fits in memory.
    fn count_whole(&mut self) -> Result<u64, Stopped> {
        self.generate_west(Wanted::ALL)?;
        self.generate_east(Wanted::ALL)?;
        self.scratch.queries = self.scratch.west.list.len();
        self.sort_east()?;
        self.count_class(Prefix::ALL)
    }

    fn prepare_share(&mut self, share: usize, shares: usize) -> Result<(), Stopped> {
        self.generate_east(Wanted::share(share, shares))?;
        self.sort_east()
    }

    /// Counts the pairs of the east half-boards that are there with a class of the west ones.
    fn count_pass(&mut self, class: Prefix) -> Result<u64, Stopped> {
        // Half-boards are generated for each class, which takes long on the largest boards.
        if self.cancel.is_cancelled() {
            return Err(Stopped::Cancelled);
        }
        let priority = &self.boards.layout.priority;
        let high = |bits: u64| (bits >> 32) as u32;
        self.generate_west(Wanted {
            having: high(class.having(priority)),
            lacking: high(class.lacking(priority)),
            ..Wanted::ALL
        })?;
        self.count_class(class)
    }

    /// Counts one random pass over one random share, and times what a row set has of each step.
    fn count_piece(&mut self, random: &mut fastrand::Rng) -> Result<Observation, Stopped> {
        let before = thread_seconds();
        let mut seconds = vec![thread_seconds()];
        // Reading the clock takes a tenth of the time of a small row set.
        let reading = seconds[0] - before;
        self.make_lists()?;
        if self.boards.shape.holds_all {
            let solutions = self.count_whole()? as f64;
            return Ok(Observation {
                solutions,
                seconds: thread_seconds() - seconds[0] - reading,
            });
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
            seconds: steps
                .zip([1.0, shares, pieces])
                .map(|(step, times)| step * times)
                .sum(),
        })
    }

    /// Estimates the half-boards of a row set from a sample, and returns the number of shares of the east and the
    /// classes of the west that fit in memory. The sample stays, for the order of the bits.
    fn cut(&mut self) -> Result<(usize, Vec<Prefix>), Stopped> {
        let Boards { layout, shape, .. } = self.boards;
        let lists = self.scratch.list_bytes();
        let made = self.boards.east.made(&self.scratch.east_lists);
        let share = SAMPLE.min(made.column_sets.len().div_ceil(16));
        let wanted = Wanted::share(share / 2, share);
        self.scratch.estimate = 0;
        self.generate_west(wanted)?;
        self.generate_east(wanted)?;
        let scratch = &mut *self.scratch;
        let west = &scratch.west.list;
        scratch.queries = share * west.len();
        let size = |class: Prefix| {
            let (having, lacking) = (
                class.having(&layout.priority),
                class.lacking(&layout.priority),
            );
            share * west.count(having | lacking, having)
        };
        let mut classes = Vec::new();
        let mut add = |class| classes.push(class);
        shape.cut(Prefix::ALL, &size, lists, layout.high_bits, &mut add);
        let east = share * scratch.east[0].len();
        let shares = shape.shares(east, lists);
        // A little more than that, so that lists are not moved when they are nearly full.
        let east = east / shares;
        scratch.estimate = east + east / 8;
        Ok((shares, classes))
    }

    fn sort_east(&mut self) -> Result<(), Stopped> {
        let Scratch {
            east,
            west,
            queries,
            pairs,
            ..
        } = &mut *self.scratch;
        let (open, isa) = (self.boards.layout.bits(), self.boards.isa);
        // The last order is that of the east patterns without a queen on the centre square, which are many more.
        for list in east.iter_mut().rev() {
            let west = west.all();
            sort_east(isa, list, &west, (*queries, open), pairs, &mut self.probe)?;
        }
        Ok(())
    }

    fn generate_east(&mut self, wanted: Wanted) -> Result<(), Stopped> {
        let Self {
            boards,
            set,
            scratch,
            probe,
            ..
        } = self;
        let made = boards.east.made(&scratch.east_lists);
        let free = made.class((Long::Free, Long::Free));
        let centre = Class {
            middle: Middle::Centre,
            ..free.clone()
        };
        let has_centre = made.centre_column != 0 && set.centre_weight(boards.layout.n) > 0;
        let classes = [(free, scratch.estimate), (centre.only_if(has_centre), 0)];
        let lists = scratch.east.iter_mut().zip(classes);
        probe.time(Phase::Generate, || {
            for (list, (class, estimate)) in lists {
                list.truncate(0);
                list.reserve(estimate)?;
                half::join(boards.isa, made, &[class], wanted, list)?;
            }
            Ok(())
        })
    }

    /// The wanted ones of the west half-boards, by weight.
    fn generate_west(&mut self, wanted: Wanted) -> Result<(), Stopped> {
        let Self {
            boards,
            set,
            scratch,
            probe,
            ..
        } = self;
        let made = boards.west.made(&scratch.west_lists);
        let n = boards.layout.n;
        let free = made.class((Long::Free, Long::Free));
        let centre = Class {
            middle: Middle::Centre,
            ..free.clone()
        };
        let centre_weight = u64::from(made.centre_column) * set.centre_weight(n);
        let (twice, four_times) = made.by_reflection(set.judges(n));
        #[cfg(test)]
        let (twice, four_times) = match boards.reflects {
            true => (twice, four_times),
            false => made.without_reflection(),
        };
        let [falling, rising] = twice;
        let once = [
            free.only_if(set.free_weight(n) > 0),
            centre.clone().only_if(centre_weight == 1),
        ];
        let twice = [falling, rising, centre.only_if(centre_weight == 2)];
        let classes: [&[Class]; 3] = [&once, &twice, &four_times];
        let Queries { list, bounds, .. } = &mut scratch.west;
        list.truncate(0);
        bounds.clear();
        bounds.push(0);
        probe.time(Phase::Generate, || {
            for classes in classes {
                half::join(boards.isa, made, classes, wanted, list)?;
                bounds.push(list.len());
            }
            Ok(())
        })
    }

    /// Counts the pairs of a share of either side.
    fn count_sample(&mut self, sample: usize) -> Result<u64, Stopped> {
        let shares = self.boards.shape.sample_shares;
        self.scratch.estimate = 0;
        self.generate_west(Wanted::share(sample / shares, shares))?;
        self.generate_east(Wanted::share(sample % shares, shares))?;
        self.scratch.queries = self.scratch.west.list.len();
        self.sort_east()?;
        self.count_class(Prefix::ALL)
    }

    /// Counts the pairs of the half-boards that are there.
    fn count_class(&mut self, prefix: Prefix) -> Result<u64, Stopped> {
        let Self {
            boards,
            set,
            scratch,
            probe,
            cancel,
            ..
        } = self;
        let Scratch {
            east, west, pairs, ..
        } = &mut **scratch;
        let (layout, n) = (&boards.layout, boards.layout.n);
        probe.record(|stats| {
            stats.east += east.iter().map(|list| list.len() as u64).sum::<u64>();
            stats.west += west.list.len() as u64;
        });
        let having = prefix.having(&layout.priority);
        let open = layout.bits() & !having & !prefix.lacking(&layout.priority);
        let mut total = 0u64;
        // The last count does not keep the queries.
        for (has_centre, east) in [(true, &east[1]), (false, &east[0])] {
            if east.is_empty() {
                continue;
            }
            let weights = match has_centre {
                false => [set.free_weight(n), 2, 4],
                // With a queen on the centre square no other is on a long diagonal.
                true => [set.centre_weight(n), 0, 0],
            };
            let counts = pairs::count(
                boards.isa,
                (having, open),
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
