//! Engine `join`: the fast one.
//!
//! A solution is an east and a west half-board whose row sets complement each other and whose patterns, the diagonals
//! that cross the centre line, are disjoint. The engine counts such pairs, one row set at a time, in four steps:
//!
//! 1. [`quadrant`]: all placements on a quarter board by rows and columns used, made when they are needed;
//! 2. [`half`]: the half-boards of a row set, joined from north and south quadrants;
//! 3. [`symmetry`]: which of them are counted, and with what weight;
//! 4. [`pairs`]: the disjoint pairs of two lists of patterns, 512 at a time, by way of [`order`], [`mod@select`] and
//!    [`block`].

mod block;
mod half;
mod list;
mod order;
mod pairs;
mod pattern;
mod quadrant;
mod row_set;
mod select;
mod size;
pub(crate) mod stats;
mod subsets;
mod symmetry;
#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, PoisonError};

use super::algorithm::{Algorithm, Setup, Solve, Subproblems, Work};
use super::choice::{Engine, EngineError, Kernel, Symmetry};
use super::simd::{Nothing, with_blocks};
use crate::board::Board;
use crate::engine::cancel::CancelToken;
use crate::engine::tally::Tally;
use row_set::{Boards, Portion, Scratch};
use size::{Memory, Shape};
use stats::Stats;
use symmetry::RowSets;

/// The kernels, the fastest last.
const KERNELS: &[Kernel] = &[Kernel::Portable, Kernel::Neon, Kernel::Avx2, Kernel::Avx512];

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
        with_blocks(kernel, Nothing).is_some()
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

    fn cut(&self, board: &Board, _: Option<Symmetry>) -> Result<Arc<dyn Subproblems>, EngineError> {
        let n = board.n() as usize;
        Ok(Arc::new(RowSets::new(n, size::centre(n))))
    }
}

/// A board cut by the rows that its east half uses.
impl Subproblems for RowSets {
    fn len(&self) -> usize {
        RowSets::len(self)
    }

    fn weight(&self, index: usize) -> f64 {
        self.get(index).estimate(self.n)
    }

    /// Neighbours have their south in common. Taken one by one, in an order that jumps about, the row sets of N = 18 need 5 %
    /// more CPU time than in order; in runs of 11 2 %, of 64 none that can be seen.
    fn run_length(&self) -> usize {
        64
    }

    fn memory(&self, threads: usize, at_most: u64) -> u64 {
        Memory::taken(self.n, threads, at_most)
    }

    fn name(&self) -> String {
        "join".to_owned()
    }

    fn east_rows(&self, index: usize) -> Option<u32> {
        Some(self.get(index).rows)
    }

    /// N says it all.
    fn hash(&self, _: &mut crc32fast::Hasher) {}

    /// A row set and its reversal, and for even N left and right or a long diagonal, but for few.
    fn imposed_weight(&self) -> u32 {
        if self.n.is_multiple_of(2) { 4 } else { 2 }
    }

    fn ready(&self, setup: Setup, _: &CancelToken) -> Box<dyn Solve> {
        let shape = Shape::new(self.n, setup.threads, setup.memory);
        Box::new(Ready {
            boards: Boards::new(self.layout(), setup.kernel, shape, true),
            row_sets: self.clone(),
            mirrored: setup.mirrored,
            stats: setup.stats.then(Mutex::default),
        })
    }
}

/// A cut board made ready for one kernel.
#[derive(Debug)]
struct Ready {
    boards: Boards,
    row_sets: RowSets,
    mirrored: bool,
    /// What was done, where it is wanted.
    stats: Option<Mutex<Stats>>,
}

impl Solve for Ready {
    fn parts(&self, _: usize) -> usize {
        self.boards.shape.parts()
    }

    fn part_share(&self, part: usize) -> f64 {
        self.boards.shape.part_share(part)
    }

    fn samples(&self) -> usize {
        self.boards.shape.samples()
    }

    fn worker(&self) -> Box<dyn Work + '_> {
        Box::new(Worker {
            ready: self,
            scratch: Scratch::default(),
        })
    }

    fn stats(&self) -> Option<Stats> {
        let stats = self.stats.as_ref()?.lock();
        let mut stats = stats.unwrap_or_else(PoisonError::into_inner).clone();
        stats.list_bytes = self.boards.bytes() as u64;
        Some(stats)
    }
}

/// Row sets counted one by one on this thread, with either half having the centre column and with or without reflection in
/// occupied long diagonals (rule 4 of [`symmetry`]): for comparisons with engine `bitboard`, which knows nothing of it.
#[doc(hidden)]
#[derive(Debug)]
pub struct RowSetCounter {
    boards: Boards,
    row_sets: RowSets,
    scratch: Scratch,
}

impl RowSetCounter {
    /// The row sets of N, cut as in a plan or with the centre column of an odd board in the `west` half or not.
    ///
    /// # Panics
    ///
    /// If the engine does not count N.
    #[must_use]
    pub fn new(n: u32, west: Option<bool>, reflects: bool) -> Self {
        let n = n as usize;
        let centre = match west {
            None => size::centre(n),
            Some(true) => pattern::Side::West,
            Some(false) => pattern::Side::East,
        };
        let row_sets = RowSets::new(n, centre);
        let shape = Shape::new(n, 1, u64::MAX);
        let kernel = Engine::Join.fastest_kernel();
        Self {
            boards: Boards::new(row_sets.layout(), kernel, shape, reflects),
            row_sets,
            scratch: Scratch::default(),
        }
    }

    /// How many there are.
    #[must_use]
    pub fn row_sets(&self) -> usize {
        self.row_sets.len()
    }

    /// The rows of the east half's queens in one, bit r for row r.
    #[must_use]
    pub fn rows(&self, index: usize) -> u32 {
        self.row_sets.get(index).rows
    }

    /// The solutions that one stands for, by the weight class of their west half-boards.
    pub fn count(&mut self, index: usize) -> [u128; 3] {
        let (never, mut stats) = (CancelToken::new(), Stats::default());
        let set = self.row_sets.get(index);
        for part in 0..self.boards.shape.parts() {
            let portion = Portion::Part(part);
            self.boards
                .run(set, portion, &mut self.scratch, Some(&mut stats), &never);
        }
        stats.solutions
    }
}

/// One thread's share.
struct Worker<'a> {
    ready: &'a Ready,
    scratch: Scratch,
}

impl Worker<'_> {
    /// Does some work on a row set; `None` if cancelled.
    fn run(&mut self, index: usize, portion: Portion, cancel: &CancelToken) -> Option<Tally> {
        if cancel.is_cancelled() {
            return None;
        }
        let Ready {
            boards,
            row_sets,
            mirrored,
            stats,
        } = self.ready;
        let mut set = row_sets.get(index);
        if *mirrored {
            // A row set and its reversal have the same weights.
            set = set.reversed(row_sets.n);
        }
        let mut own = stats.as_ref().map(|_| Stats::default());
        let solutions = boards.run(set, portion, &mut self.scratch, own.as_mut(), cancel);
        if let (Some(all), Some(own)) = (stats, own) {
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            all.merge(&own);
        }
        // Nobody takes a cancellation back: what was counted without one is whole.
        (!cancel.is_cancelled()).then(|| Tally::of(solutions))
    }
}

impl Work for Worker<'_> {
    fn prepare(&mut self, index: usize, cancel: &CancelToken) {
        self.run(index, Portion::Nothing, cancel);
    }

    fn count(&mut self, index: usize, part: usize, cancel: &CancelToken) -> Option<Tally> {
        self.run(index, Portion::Part(part), cancel)
    }

    fn sample(&mut self, index: usize, sample: usize, cancel: &CancelToken) -> Option<Tally> {
        self.run(index, Portion::Sample(sample), cancel)
    }
}
