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
use std::sync::{Mutex, PoisonError};

use super::simd::Blocks;
use super::{CancelToken, Kernel, Observation, Options, Stopped};
use row_set::{Boards, Scratch};
use size::{Memory, Shape};
use stats::Stats;
use symmetry::RowSets;

/// The board sizes that this engine counts.
pub(super) const SIZES: RangeInclusive<u32> = pattern::MIN_N as u32..=pattern::MAX_N as u32;

/// The kernels, the fastest last.
pub(super) const KERNELS: &[Kernel] =
    &[Kernel::Portable, Kernel::Neon, Kernel::Avx2, Kernel::Avx512];

/// The smallest N that this engine counts faster than engine `bitboard`.
pub(super) const FASTEST_FROM: u32 = 16;

/// Whether this CPU has the instructions of a kernel.
pub(super) fn can_run(kernel: Kernel) -> bool {
    Blocks::detect(kernel).is_some()
}

/// An empty board cut by the rows that its east half uses: a row set is a subproblem.
#[derive(Debug, Clone)]
pub(crate) struct Cut {
    row_sets: RowSets,
}

impl Cut {
    pub(super) fn new(n: u32) -> Self {
        let n = n as usize;
        Self {
            row_sets: RowSets::new(n, size::centre(n)),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.row_sets.len()
    }

    pub(super) fn weight(&self, index: usize) -> f64 {
        self.row_sets.get(index).estimate(self.row_sets.n)
    }

    /// Neighbours have their south in common. Taken one by one, in an order that jumps about, the row sets of N = 18
    /// need 5 % more CPU time than in order; in runs of 11 2 %, of 64 none that can be seen.
    pub(super) const RUN_LENGTH: usize = 64;

    pub(super) fn memory(&self, threads: usize, at_most: u64) -> u64 {
        Memory::taken(self.row_sets.n, threads, at_most)
    }

    /// A row set and its reversal, and for even N left and right or a long diagonal, but for few.
    pub(super) fn imposed_weight(&self) -> u32 {
        if self.row_sets.n.is_multiple_of(2) {
            4
        } else {
            2
        }
    }
}

/// A cut board made ready for one kernel.
#[derive(Debug)]
pub(crate) struct Solver {
    boards: Boards,
    cut: Cut,
    mirrored: bool,
    /// What was done, where it is selection.
    stats: Option<Mutex<Stats>>,
}

impl Solver {
    pub(super) fn new(cut: &Cut, options: &Options) -> Self {
        let n = cut.row_sets.n;
        let shape = Shape::new(n, options.threads.count(), options.memory);
        Self {
            boards: Boards::new(cut.row_sets.layout(), options.kernel, shape),
            cut: cut.clone(),
            mirrored: options.mirrored,
            stats: options.stats.then(Mutex::default),
        }
    }

    /// Builds all quadrant lists that are kept; returns whether no others are needed.
    pub(super) fn build_kept(&self) -> Result<bool, Stopped> {
        self.boards.build_kept()
    }

    /// Samples of a row set.
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
        Worker {
            solver: self,
            scratch: Scratch::new(self.boards.layout.is_wide()),
        }
    }
}

/// One thread's share.
pub(crate) struct Worker<'a> {
    solver: &'a Solver,
    scratch: Scratch,
}

impl Worker<'_> {
    /// Counts a piece of a row set.
    pub(super) fn piece(
        &mut self,
        index: usize,
        random: &mut fastrand::Rng,
        cancel: &CancelToken,
    ) -> Result<Observation, Stopped> {
        let Solver { boards, cut, .. } = self.solver;
        boards.piece(cut.row_sets.get(index), random, &mut self.scratch, cancel)
    }

    /// Counts a row set, or one of its samples.
    pub(super) fn count(
        &mut self,
        index: usize,
        sample: Option<usize>,
        cancel: &CancelToken,
    ) -> Result<u64, Stopped> {
        let Solver {
            boards,
            cut,
            mirrored,
            stats,
        } = self.solver;
        let mut set = cut.row_sets.get(index);
        if *mirrored {
            // A row set and its reversal have the same weights.
            set = set.reversed(cut.row_sets.n);
        }
        let mut own = stats.as_ref().map(|_| Stats::default());
        let solutions = boards.run(set, sample, &mut self.scratch, own.as_mut(), cancel)?;
        if let (Some(all), Some(own)) = (stats, own) {
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            all.merge(&own);
        }
        Ok(solutions)
    }
}
