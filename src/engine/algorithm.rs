//! What an engine is to the layers above: a way to cut a board into subproblems, and to solve them.
//!
//! An [`Algorithm`] cuts a board into [`Subproblems`]; these are made ready for a kernel as a [`Solve`]; every thread has a
//! [`Work`] of its own from it, which counts subproblem after subproblem.

use std::fmt::Debug;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::choice::{EngineError, Kernel, Symmetry};
use super::join::stats::Stats;
use crate::board::Board;
use crate::engine::cancel::CancelToken;
use crate::engine::tally::Tally;

/// A counting algorithm.
pub(crate) trait Algorithm: Sync {
    /// The board sizes that it counts.
    fn sizes(&self) -> RangeInclusive<u32>;

    /// Its kernels, the fastest last. The first needs no special instructions.
    fn kernels(&self) -> &'static [Kernel];

    /// Whether this CPU has the instructions of one of its kernels.
    fn can_run(&self, kernel: Kernel) -> bool;

    /// Whether it counts boards of this kind; sizes are checked apart.
    fn accepts(&self, board: &Board) -> Result<(), EngineError>;

    /// Whether it is faster on a board that it accepts than the engines before it.
    fn is_fastest(&self, _: &Board) -> bool {
        true
    }

    /// Whether it can be told how much symmetry to use.
    fn offers_symmetry(&self) -> bool {
        false
    }

    /// Cuts a board that it accepts into subproblems, with this much symmetry, which it is told only if it offers that
    /// choice, or as much as the board allows.
    fn cut(
        &self,
        board: &Board,
        symmetry: Option<Symmetry>,
    ) -> Result<Arc<dyn Subproblems>, EngineError>;
}

/// The subproblems of one board, in a fixed order. Nothing of the machine is in them.
pub(crate) trait Subproblems: Debug + Send + Sync {
    /// How many there are.
    fn len(&self) -> usize;

    /// The estimated work of one, in units that mean something only among these; never zero.
    fn weight(&self, index: usize) -> f64;

    /// How many neighbours are best counted one after the other, since an engine keeps what they share; at most as many as
    /// leave a few hundred such runs.
    fn run_length(&self) -> usize {
        1
    }

    /// Bytes of memory, about, that counting on so many threads takes where it may take `at_most`: more than that if it
    /// cannot do with as much.
    fn memory(&self, threads: usize, at_most: u64) -> u64;

    /// What the fingerprint of a plan calls them.
    fn name(&self) -> String;

    /// The rows of the east half's queens in one, bit r for row r, where that is what a subproblem is.
    fn east_rows(&self, _index: usize) -> Option<u32> {
        None
    }

    /// Feeds everything that tells them from others of the same name and board to a checksum.
    fn hash(&self, checksum: &mut crc32fast::Hasher);

    /// The symmetry used, where it is a choice.
    fn symmetry(&self) -> Option<Symmetry> {
        None
    }

    /// A factor that the engine's symmetry gives to all contributions, or to nearly all: no error of the total that is not
    /// a multiple of it is likely, so that a total known modulo this number says nothing.
    fn imposed_weight(&self) -> u32 {
        1
    }

    /// Nodes of the plain search that belong to no subproblem, mirror images among them; `None` where the subproblems do
    /// not make up the plain search.
    fn nodes_above(&self) -> Option<u64> {
        None
    }

    /// Makes them ready to be solved. Once `cancel` is cancelled the result is good for nothing.
    fn ready(&self, setup: Setup, cancel: &CancelToken) -> Box<dyn Solve>;
}

/// How subproblems are to be solved. None of it changes a count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setup {
    /// A kernel that this CPU can run.
    pub(crate) kernel: Kernel,
    /// How many threads will count at a time.
    pub(crate) threads: usize,
    /// Bytes of memory that may be taken, about.
    pub(crate) memory: u64,
    /// Whether to keep statistics.
    pub(crate) stats: bool,
    /// Whether to count each subproblem's mirror image, top for bottom, which has the same tally by other lists and tables.
    pub(crate) mirrored: bool,
}

/// Subproblems made ready: kernel chosen, tables built.
pub(crate) trait Solve: Debug + Send + Sync {
    /// Into how many parts a subproblem is cut to feed all threads: one at least.
    fn parts(&self, _index: usize) -> usize {
        1
    }

    /// How much of a subproblem's work its part number `part` is, about: above 0, and 1 for all parts together.
    fn part_share(&self, _part: usize) -> f64 {
        1.0
    }

    /// Into how many samples, alike but for chance, a subproblem can be cut besides: their counts add up to its own. One of
    /// them takes far less time than a part, all of them more than the subproblem. 1 where there are no such samples.
    fn samples(&self) -> usize {
        1
    }

    /// Memory and code for one thread.
    fn worker(&self) -> Box<dyn Work + '_>;

    /// What the engine did so far, where it was asked to keep statistics.
    fn stats(&self) -> Option<Stats> {
        None
    }
}

/// One thread's share: counts part after part with the same memory.
pub(crate) trait Work: Send {
    /// Makes what all parts of a subproblem share, which [`count`](Self::count) makes by itself otherwise: apart, it can be
    /// timed.
    fn prepare(&mut self, _index: usize, _cancel: &CancelToken) {}

    /// What part `part` of subproblem `index` contributes to the total, or `None` if cancelled.
    fn count(&mut self, index: usize, part: usize, cancel: &CancelToken) -> Option<Tally>;

    /// What one of the [samples](Solve::samples) of a subproblem contributes, or `None` if cancelled. Where there are none, a
    /// subproblem of one part is its own sample.
    fn sample(&mut self, index: usize, _: usize, cancel: &CancelToken) -> Option<Tally> {
        self.count(index, 0, cancel)
    }
}
