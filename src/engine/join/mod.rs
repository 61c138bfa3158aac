//! Engine `join`: the fast one.
//!
//! A solution is an east and a west half-board whose row sets complement each other and whose patterns, the diagonals
//! that cross the centre line, are disjoint. The engine counts such pairs, one row set at a time, in four steps:
//!
//! 1. [`quadrant`]: all placements on a quarter board, tabulated once by rows and columns used;
//! 2. [`half`]: the half-boards of a row set, joined from north and south quadrants;
//! 3. [`symmetry`]: which of them are counted, and with what weight;
//! 4. [`pairs`]: the disjoint pairs of two lists of patterns, 512 at a time, by way of [`mod@select`] and [`block`].

pub(crate) mod block;
pub(crate) mod half;
pub(crate) mod list;
pub(crate) mod pairs;
pub(crate) mod pattern;
pub(crate) mod quadrant;
pub(crate) mod select;
pub(crate) mod stats;
pub(crate) mod symmetry;
#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::algorithm::{Algorithm, Solve, Subproblems, Work};
use super::choice::{Engine, EngineError, Kernel, Symmetry};
use super::{CancelToken, Tally};
use crate::board::Board;
use crate::engine::simd::{InstructionSet, portable::Any};
#[cfg(target_arch = "x86_64")]
use crate::engine::simd::{avx2::WithAvx2, avx512::WithAvx512};
use list::List;
use pattern::{Layout, Part, Side};
use quadrant::{Long, Quadrant};
use select::Queries;
use stats::{Off, Phase, Probe, Stats};
use symmetry::{RowSet, row_sets};

/// The kernels, the fastest last.
const KERNELS: &[Kernel] = &[Kernel::Portable, Kernel::Avx2, Kernel::Avx512];

/// Whether this CPU has the instructions of one of the [`KERNELS`].
fn can_run(kernel: Kernel) -> bool {
    match kernel {
        Kernel::Portable => true,
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 => WithAvx2::detect().is_some(),
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx512 => WithAvx512::detect().is_some(),
        _ => false,
    }
}

/// The engine.
pub(super) struct Join;

/// The smallest N that this engine counts faster than engine `bitboard`.
const FASTEST_FROM: u32 = 16;

impl Algorithm for Join {
    fn sizes(&self) -> RangeInclusive<u32> {
        pattern::MIN_N as u32..=pattern::MAX_N as u32
    }

    fn kernels(&self) -> &'static [Kernel] {
        KERNELS
    }

    fn can_run(&self, kernel: Kernel) -> bool {
        can_run(kernel)
    }

    fn accepts(&self, board: &Board) -> Result<(), EngineError> {
        if board.is_open() {
            return Ok(());
        }
        Err(EngineError::Board {
            engine: Engine::Join,
            board: "a torus, nor a board with blocked squares or preplaced queens",
            accepted: "an empty board",
        })
    }

    fn is_fastest(&self, board: &Board) -> bool {
        board.n() >= FASTEST_FROM
    }

    fn cut(
        &self,
        board: &Board,
        symmetry: Option<Symmetry>,
    ) -> Result<Arc<dyn Subproblems>, EngineError> {
        if symmetry.is_some() {
            let engine = Engine::Join;
            return Err(EngineError::NoSymmetry { engine });
        }
        let n = board.n() as usize;
        let row_sets = row_sets(n).into();
        Ok(Arc::new(Cut { n, row_sets }))
    }
}

/// A board cut by the rows that its east half uses.
#[derive(Debug, Clone)]
struct Cut {
    n: usize,
    row_sets: Arc<[RowSet]>,
}

impl Subproblems for Cut {
    fn len(&self) -> usize {
        self.row_sets.len()
    }

    fn weight(&self, index: usize) -> f64 {
        self.row_sets[index].estimate(self.n)
    }

    fn memory(&self, threads: usize) -> u64 {
        Tables::memory(self.n, threads)
    }

    fn name(&self) -> String {
        "join".to_owned()
    }

    fn hash(&self, checksum: &mut crc32fast::Hasher) {
        for set in self.row_sets.iter() {
            checksum.update(&set.rows.to_le_bytes());
        }
    }

    /// A row set and its reversal, and for even N left and right or a long diagonal, but for few.
    fn imposed_weight(&self) -> u32 {
        if self.n.is_multiple_of(2) { 4 } else { 2 }
    }

    fn ready(&self, kernel: Kernel, _: usize, stats: bool, cancel: &CancelToken) -> Box<dyn Solve> {
        let started = Instant::now();
        let tables = Tables::build(self.n, kernel, cancel);
        let stats = stats.then(|| {
            Mutex::new(Stats {
                tables: started.elapsed(),
                table_bytes: tables.bytes() as u64,
                ..Stats::default()
            })
        });
        Box::new(Ready {
            tables,
            row_sets: self.row_sets.clone(),
            kernel,
            stats,
        })
    }
}

/// A cut board made ready for one kernel.
#[derive(Debug)]
struct Ready {
    tables: Tables,
    row_sets: Arc<[RowSet]>,
    kernel: Kernel,
    /// What was done, where it is wanted.
    stats: Option<Mutex<Stats>>,
}

impl Solve for Ready {
    fn worker(&self) -> Box<dyn Work + '_> {
        Box::new(Worker {
            ready: self,
            scratch: Scratch::default(),
        })
    }

    fn stats(&self) -> Option<Stats> {
        let stats = self.stats.as_ref()?.lock();
        Some(stats.unwrap_or_else(PoisonError::into_inner).clone())
    }
}

/// One thread's share.
struct Worker<'a> {
    ready: &'a Ready,
    scratch: Scratch,
}

impl Work for Worker<'_> {
    fn count(&mut self, index: usize, _: usize, cancel: &CancelToken) -> Option<Tally> {
        if cancel.is_cancelled() {
            return None;
        }
        let Ready { tables, kernel, .. } = self.ready;
        let set = self.ready.row_sets[index];
        let scratch = &mut self.scratch;
        let solutions = match &self.ready.stats {
            None => count(*kernel, tables, set, scratch, &mut Off),
            Some(all) => {
                let mut stats = Stats::default();
                let solutions = count(*kernel, tables, set, scratch, &mut stats);
                let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
                all.merge(&stats);
                solutions
            }
        };
        Some(Tally::of(solutions))
    }
}

/// All that row sets of one N share.
#[derive(Debug)]
pub struct Tables {
    /// Which diagonal has which bit.
    pub layout: Layout,
    north_east: Quadrant,
    south_east: Quadrant,
    north_west: Quadrant,
    south_west: Quadrant,
}

impl Tables {
    /// Tabulates the quadrants for N on the threads of the current rayon pool. The tables are of no use once `cancel` told
    /// to stop.
    ///
    /// # Panics
    ///
    /// If N is not one of [`pattern::MIN_N`] to [`pattern::MAX_N`].
    #[must_use]
    pub fn build(n: usize, kernel: Kernel, cancel: &CancelToken) -> Self {
        let layout = Layout::new(n);
        let quadrant = |side, part| Quadrant::build(&layout, side, part, kernel, cancel);
        let ((north_east, south_east), (north_west, south_west)) = rayon::join(
            || {
                rayon::join(
                    || quadrant(Side::East, Part::North),
                    || quadrant(Side::East, Part::South),
                )
            },
            || {
                rayon::join(
                    || quadrant(Side::West, Part::North),
                    || quadrant(Side::West, Part::South),
                )
            },
        );
        Self {
            north_east,
            south_east,
            north_west,
            south_west,
            layout,
        }
    }

    /// Bytes of memory that counting N with some threads will need: the tables, what is needed to make them, and every
    /// worker's scratch. A little more than was measured; beyond N = 22, where nothing was, extrapolated.
    ///
    /// # Panics
    ///
    /// If N is not one of [`pattern::MIN_N`] to [`pattern::MAX_N`].
    pub fn memory(n: usize, threads: usize) -> u64 {
        assert!(
            (pattern::MIN_N..=pattern::MAX_N).contains(&n),
            "no join engine for N = {n}"
        );
        const MIB: u64 = 1 << 20;
        let (tables, scratch) = match n {
            ..=16 => (2 * MIB, MIB),
            17 => (6 * MIB, MIB),
            18 => (13 * MIB, MIB),
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
    pub fn bytes(&self) -> usize {
        self.quadrants().map(Quadrant::bytes).iter().sum()
    }

    /// How many placements are tabulated.
    pub fn entries(&self) -> usize {
        self.quadrants().map(Quadrant::len).iter().sum()
    }

    fn quadrants(&self) -> [&Quadrant; 4] {
        [
            &self.north_east,
            &self.south_east,
            &self.north_west,
            &self.south_west,
        ]
    }

    /// The rows of a set in the north and in the south.
    fn split(&self, set: RowSet) -> (u32, u32) {
        let height = self.layout.height(Part::North);
        (set.rows & ((1 << height) - 1), set.rows >> height)
    }
}

/// A worker's memory, kept from one row set to the next.
#[derive(Debug, Default)]
pub struct Scratch {
    east: List,
    centre: List,
    west: Queries,
    pairs: pairs::Scratch,
}

impl Scratch {
    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        self.east.bytes() + self.centre.bytes() + self.west.list.bytes() + self.pairs.bytes()
    }
}

/// Counts the solutions that a row set stands for, with all weights.
fn count<P: Probe>(
    kernel: Kernel,
    tables: &Tables,
    set: RowSet,
    scratch: &mut Scratch,
    probe: &mut P,
) -> u64 {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx512 => {
            let isa = WithAvx512::detect().expect("the kernel was chosen for this CPU");
            // SAFETY: the CPU has the instruction set.
            unsafe { count_avx512(isa, tables, set, scratch, probe) }
        }
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 => {
            let isa = WithAvx2::detect().expect("the kernel was chosen for this CPU");
            // SAFETY: the CPU has the instruction set.
            unsafe { count_avx2(isa, tables, set, scratch, probe) }
        }
        _ => count_with(Any, tables, set, scratch, probe),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(
    enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vpopcntdq,gfni,bmi1,bmi2,popcnt"
)]
fn count_avx512<P: Probe>(
    isa: WithAvx512,
    tables: &Tables,
    set: RowSet,
    scratch: &mut Scratch,
    probe: &mut P,
) -> u64 {
    count_with(isa, tables, set, scratch, probe)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn count_avx2<P: Probe>(
    isa: WithAvx2,
    tables: &Tables,
    set: RowSet,
    scratch: &mut Scratch,
    probe: &mut P,
) -> u64 {
    count_with(isa, tables, set, scratch, probe)
}

#[inline(always)]
fn count_with<I: InstructionSet, P: Probe>(
    isa: I,
    tables: &Tables,
    set: RowSet,
    scratch: &mut Scratch,
    probe: &mut P,
) -> u64 {
    if tables.layout.high_bits == 0 {
        count_row_set::<I, P, false>(isa, tables, set, scratch, probe)
    } else {
        count_row_set::<I, P, true>(isa, tables, set, scratch, probe)
    }
}

#[inline(always)]
fn count_row_set<I: InstructionSet, P: Probe, const WIDE: bool>(
    isa: I,
    tables: &Tables,
    set: RowSet,
    scratch: &mut Scratch,
    probe: &mut P,
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
        let counts = pairs::count::<I, P, WIDE>(isa, &tables.layout, east, west, pairs, probe);
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
    let (top, bottom) = tables.split(set);
    let (north, south) = (tables.north_east.rows(top), tables.south_east.rows(bottom));
    for (list, long) in [(free, Long::Free), (centre, Long::Taken)] {
        list.clear();
        if long == Long::Free || centre_counts {
            half::join::<I, WIDE>(isa, (north, long), (south, Long::Free), list);
        }
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
    let (top, bottom) = tables.split(set);
    let (north, south) = (tables.north_west.rows(top), tables.south_west.rows(bottom));
    west.list.clear();
    // Long diagonals occupied by the north and by the south, and the class that makes.
    for (north_long, south_long, class) in [
        (Long::Free, Long::Free, 0),
        (Long::Free, Long::Taken, 1),
        (Long::Taken, Long::Free, 1),
        (Long::Taken, Long::Taken, 2),
    ] {
        if class > 0 || free {
            half::join::<I, WIDE>(
                isa,
                (north, north_long),
                (south, south_long),
                &mut west.list,
            );
        }
        west.ends[class] = west.list.len();
    }
}
