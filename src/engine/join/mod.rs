//! Engine `join`: the fast one.
//!
//! A solution is an east and a west half-board whose row sets complement each other and whose patterns, the diagonals
//! that cross the centre line, are disjoint. The engine counts such pairs, one row set at a time, in four steps:
//!
//! 1. [`quadrant`]: all placements on a quarter board, tabulated once by rows and columns used;
//! 2. [`half`]: the half-boards of a row set, joined from north and south quadrants;
//! 3. [`symmetry`]: which of them are counted, and with what weight;
//! 4. [`pairs`]: the disjoint pairs of two lists of patterns, 512 at a time, by way of [`mod@select`] and [`block`].

mod block;
mod half;
mod list;
mod pairs;
mod pattern;
mod quadrant;
mod row_set;
mod select;
pub(crate) mod stats;
mod subsets;
mod symmetry;
#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::algorithm::{Algorithm, Setup, Solve, Subproblems, Work};
use super::choice::{Engine, EngineError, Kernel, Symmetry};
use super::simd::{Nothing, with_blocks};
use crate::board::Board;
use crate::engine::cancel::CancelToken;
use crate::engine::tally::Tally;
use row_set::{Scratch, Tables, count};
use stats::Stats;
use symmetry::{RowSet, row_sets};

/// The kernels, the fastest last.
const KERNELS: &[Kernel] = &[Kernel::Portable, Kernel::Avx2, Kernel::Avx512];

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

    /// Taken one by one, in an order that jumps about, the row sets of N = 18 need 5 % more CPU time than in order; in runs of 11
    /// 2 %, of 64 none that can be seen.
    fn run_length(&self) -> usize {
        64
    }

    fn memory(&self, threads: usize) -> u64 {
        Tables::memory(self.n, threads)
    }

    fn name(&self) -> String {
        "join".to_owned()
    }

    fn east_rows(&self, index: usize) -> Option<u32> {
        Some(self.row_sets[index].rows)
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

    fn ready(&self, setup: Setup, cancel: &CancelToken) -> Box<dyn Solve> {
        let Setup {
            kernel,
            stats,
            mirrored,
            ..
        } = setup;
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
            // A row set and its reversal have the same weights.
            row_sets: match mirrored {
                true => self
                    .row_sets
                    .iter()
                    .map(|set| set.reversed(self.n))
                    .collect(),
                false => self.row_sets.clone(),
            },
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
        let mut stats = self.ready.stats.as_ref().map(|_| Stats::default());
        let solutions = count(*kernel, tables, set, scratch, stats.as_mut());
        if let (Some(all), Some(stats)) = (&self.ready.stats, stats) {
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            all.merge(&stats);
        }
        Some(Tally::of(solutions))
    }
}
