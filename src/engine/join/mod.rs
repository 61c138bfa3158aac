//! The `join` engine, which counts solutions as pairs of half-boards.
//!
//! A solution consists of an east and a west half-board that use complementary sets of rows. The
//! **pattern** of a half-board is a bit mask of the occupied diagonals that cross the centre line.
//! Two half-boards on complementary rows form a solution if their patterns are disjoint. The engine
//! counts these pairs, one row set at a time:
//!
//! 1. [`quadrant`] lists the placements on a quadrant for each set of rows and columns.
//! 2. [`half`] joins placements on the north and south quadrants into half-boards.
//! 3. [`symmetry`] selects the half-boards to count and determines their weights.
//! 4. [`pairs`] counts the disjoint pairs of two lists of patterns, using [`bit_order`],
//!    [`mod@select`] and [`block`].

mod bit_order;
mod block;
mod half;
mod list;
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
use std::sync::{Mutex, PoisonError};

use super::{CancelToken, Kernel, Observation, Options, Stopped};
use row_set::{Boards, Scratch};
use size::{Memory, Shape};
use stats::Stats;
use symmetry::RowSets;

/// Board sizes that this engine can count.
pub(super) const SIZES: RangeInclusive<u32> = pattern::MIN_N as u32..=pattern::MAX_N as u32;

/// Kernels from slowest to fastest.
#[cfg(not(wasm_simd))]
pub(super) const KERNELS: &[Kernel] =
    &[Kernel::Portable, Kernel::Neon, Kernel::Avx2, Kernel::Avx512];
#[cfg(wasm_simd)]
pub(super) const KERNELS: &[Kernel] = &[Kernel::Wasm];

/// Smallest N for which this engine is faster than `bitboard`.
pub(super) const FASTEST_FROM: u32 = 16;

/// An empty board cut into subproblems, one for each row set of the east half.
#[derive(Debug, Clone)]
pub(crate) struct Cut {
    row_sets: RowSets,
}

impl Cut {
    pub(super) fn new(n: u32) -> Self {
        let n = n as usize;
        Self { row_sets: RowSets::new(n, size::centre(n)) }
    }

    pub(super) fn len(&self) -> usize {
        self.row_sets.len()
    }

    pub(super) fn weight(&self, index: usize) -> f64 {
        self.row_sets.get(index).estimate()
    }

    /// Number of consecutive row sets that one thread counts together. Most of them share their
    /// southern rows. At N = 18, counting row sets in random order takes 5 % more CPU time than
    /// counting them in sequence. Random runs of 11 row sets take 2 % more, and runs of 64 take no
    /// more.
    pub(super) const RUN_LENGTH: usize = 64;

    pub(super) fn memory(&self, threads: usize, at_most: u64) -> u64 {
        Memory::used(self.row_sets.n, threads, at_most)
    }

    /// Returns a divisor of nearly all weights: 2 from rule 1 of [`symmetry`], times 2 from rules 2
    /// to 4 for even N.
    pub(super) fn imposed_weight(&self) -> u32 {
        if self.row_sets.n.is_multiple_of(2) { 4 } else { 2 }
    }
}

/// A cut board prepared for one kernel.
#[derive(Debug)]
pub(crate) struct Solver {
    boards: Boards,
    cut: Cut,
    mirrored: bool,
    /// Statistics, if they are collected.
    stats: Option<Mutex<Stats>>,
}

impl Solver {
    pub(super) fn new(cut: &Cut, options: &Options) -> Self {
        let n = cut.row_sets.n;
        let shape = Shape::new(n, options.threads.count(), options.memory);
        let isa = options.isa.expect("all kernels of this engine use vectors");
        Self {
            boards: Boards::new(cut.row_sets.layout(), isa, shape),
            cut: cut.clone(),
            mirrored: options.mirrored,
            stats: options.stats.then(Mutex::default),
        }
    }

    /// Builds all quadrant lists that are kept in memory. Returns `true` if no others are needed.
    pub(super) fn build_kept(&self) -> Result<bool, Stopped> {
        self.boards.build_kept()
    }

    /// Returns the number of samples of each row set.
    pub(super) fn samples(&self) -> usize {
        self.boards.shape.samples()
    }

    pub(super) fn stats(&self) -> Option<Stats> {
        let stats = self.stats.as_ref()?.lock();
        let mut stats = stats.unwrap_or_else(PoisonError::into_inner).clone();
        stats.list_bytes = self.boards.bytes() as u64;
        Some(stats)
    }

    pub(super) fn worker(&self) -> Worker<'_> {
        Worker { solver: self, scratch: Scratch::default() }
    }
}

/// Worker with the scratch memory of one thread.
pub(crate) struct Worker<'a> {
    solver: &'a Solver,
    scratch: Scratch,
}

impl Worker<'_> {
    /// Counts and times a random piece of a row set.
    pub(super) fn piece(
        &mut self,
        index: usize,
        random: &mut fastrand::Rng,
        cancel: &CancelToken,
    ) -> Result<Observation, Stopped> {
        let Solver { boards, cut, .. } = self.solver;
        boards.row_set(cut.row_sets.get(index), &mut self.scratch, None, cancel).piece(random)
    }

    /// Counts a row set, or one of its samples.
    pub(super) fn count(
        &mut self,
        index: usize,
        sample: Option<usize>,
        cancel: &CancelToken,
    ) -> Result<u64, Stopped> {
        let Solver { boards, cut, mirrored, stats } = self.solver;
        let mut set = cut.row_sets.get(index);
        if *mirrored {
            // The reversed row set has the same count and weights.
            set = set.reversed();
        }
        let mut own = stats.as_ref().map(|_| Stats::default());
        let count = boards.row_set(set, &mut self.scratch, own.as_mut(), cancel);
        let solutions = count.count(sample)?;
        if let (Some(all), Some(own)) = (stats, own) {
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            all.merge(&own);
        }
        Ok(solutions)
    }
}
