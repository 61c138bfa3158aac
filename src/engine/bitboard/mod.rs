//! Engine `bitboard`: the classic, column by column over bit masks.
//!
//! The queens of the first columns are a [`Position`]: three masks over the rows of the next column, one for the rows
//! that are taken and one for each direction of diagonal. The first two columns are split into independent subproblems,
//! a queen in the first column at row a and one in the second at row b. What a subproblem has to count depends on the
//! [`Symmetry`] that is used: it is a handful of [`Case`]s, each a position on a board, some squares of which are blocked,
//! and a weight. A kernel counts in how many ways such a position can be completed.
//!
//! All kernels but [`mod@reference`] are one algorithm, [`mod@batch`], on different vectors.

mod batch;
mod position;
mod reference;
mod symmetry;
#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::algorithm::{Algorithm, Setup, Solve, Subproblems, Work};
use super::choice::{Engine, EngineError, Kernel, Symmetry};
use crate::board::{Board, MAX_N};
use crate::engine::cancel::CancelToken;
use crate::engine::tally::Tally;

use super::simd::{Nothing, with_words};
use super::squares::Squares;
use batch::StateLists;
use position::Position;
use symmetry::{Case, Pair, cases};

/// The engine.
pub(super) struct Bitboard;

impl Algorithm for Bitboard {
    fn sizes(&self) -> RangeInclusive<u32> {
        0..=MAX_N
    }

    fn kernels(&self) -> &'static [Kernel] {
        KERNELS
    }

    fn can_run(&self, kernel: Kernel) -> bool {
        can_run(kernel)
    }

    fn accepts(&self, board: &Board) -> Result<(), EngineError> {
        if board.is_torus() {
            return Err(EngineError::Board {
                engine: Engine::Bitboard,
                board: "a torus",
                accepted: "boards whose diagonals end at the edges",
            });
        }
        Ok(())
    }

    fn offers_symmetry(&self) -> bool {
        true
    }

    fn cut(
        &self,
        board: &Board,
        symmetry: Option<Symmetry>,
    ) -> Result<Arc<dyn Subproblems>, EngineError> {
        let symmetry = symmetry.unwrap_or(Symmetry::of(board));
        if !symmetry.fits(board) {
            return Err(EngineError::Symmetry { symmetry });
        }
        Ok(Arc::new(Cut::new(board, symmetry)))
    }
}

/// A board cut by the queens of the first two columns.
#[derive(Debug, Clone)]
struct Cut {
    board: Board,
    symmetry: Symmetry,
    pairs: Arc<[Option<Pair>]>,
}

impl Cut {
    fn new(board: &Board, symmetry: Symmetry) -> Self {
        Self {
            board: board.clone(),
            symmetry,
            pairs: symmetry::pairs(board, symmetry).into(),
        }
    }
}

impl Subproblems for Cut {
    fn len(&self) -> usize {
        self.pairs.len()
    }

    /// The ways to fill two more columns in each case, and one for the subproblem itself.
    fn weight(&self, index: usize) -> f64 {
        let ways = |case: &Case| -> u32 {
            if case.position.column + 2 > self.board.n() {
                return 0;
            }
            let children = case.position.children(&case.squares);
            children
                .map(|child| child.free(&case.squares).count_ones())
                .sum()
        };
        let cases = cases(&self.board, self.symmetry, self.pairs[index]);
        1.0 + f64::from(cases.map(|case| ways(&case)).sum::<u32>())
    }

    /// States of every column: a few hundred KiB a thread.
    fn memory(&self, threads: usize) -> u64 {
        (threads as u64) << 20
    }

    fn name(&self) -> String {
        format!("bitboard-{}", self.symmetry)
    }

    fn hash(&self, checksum: &mut crc32fast::Hasher) {
        for pair in self.pairs.iter() {
            let (a, b) = pair.unwrap_or((u32::MAX, u32::MAX));
            checksum.update(&a.to_le_bytes());
            checksum.update(&b.to_le_bytes());
        }
    }

    fn symmetry(&self) -> Option<Symmetry> {
        Some(self.symmetry)
    }

    fn imposed_weight(&self) -> u32 {
        match self.symmetry {
            Symmetry::None => 1,
            Symmetry::Mirror => 2,
            // A few cases have weight 4 or 2, but an error in one of the others would go unseen.
            Symmetry::Eightfold => 8,
        }
    }

    /// The placements in the first two columns.
    fn nodes_above(&self) -> Option<u64> {
        if self.symmetry == Symmetry::Eightfold {
            return None;
        }
        if self.board.n() < 2 {
            return Some(0);
        }
        let squares = Squares::of(&self.board);
        let firsts = Position::EMPTY.children(&squares);
        Some(
            firsts
                .map(|first| 1 + u64::from(first.free(&squares).count_ones()))
                .sum(),
        )
    }

    fn ready(&self, setup: Setup, _: &CancelToken) -> Box<dyn Solve> {
        let Setup {
            kernel,
            threads,
            mirrored,
            ..
        } = setup;
        let n = self.board.n();
        Box::new(Ready {
            cut: self.clone(),
            kernel,
            mirrored,
            call_depth: call_depth(kernel, n),
            in_parts: n > 3 && self.len() < threads * SUBPROBLEMS_PER_THREAD,
        })
    }
}

/// The kernels, the fastest last.
const KERNELS: &[Kernel] = &[
    Kernel::Reference,
    Kernel::Scalar,
    Kernel::Portable,
    Kernel::Avx2,
    Kernel::Avx512,
];

/// Whether this CPU has the instructions of a kernel.
fn can_run(kernel: Kernel) -> bool {
    kernel == Kernel::Reference || with_words(kernel, Nothing).is_some()
}

/// Counts the ways to complete positions, on this thread. Only kernel `reference` counts nodes.
///
/// # Panics
///
/// If this CPU cannot run the kernel, if the positions have not all as many columns filled, or if there are more than 256
/// of them.
fn complete(
    kernel: Kernel,
    squares: &Squares,
    positions: &[Position],
    lists: &mut StateLists,
) -> Tally {
    if kernel == Kernel::Reference {
        let mut sum = Tally::default();
        for &position in positions {
            sum += reference::count(squares, position);
        }
        return sum;
    }
    let task = batch::Complete {
        squares,
        positions,
        lists,
    };
    match with_words(kernel, task) {
        Some(count) => Tally::of(count),
        None => panic!("this CPU cannot run kernel '{kernel}'"),
    }
}

/// A cut board made ready for one kernel.
#[derive(Debug)]
struct Ready {
    cut: Cut,
    kernel: Kernel,
    /// Whether cases are turned upside down.
    mirrored: bool,
    /// Kernels are called with this many columns filled at least, so that no call takes long.
    call_depth: u32,
    /// Whether a subproblem is handed out in parts, one for each row of the third column.
    in_parts: bool,
}

impl Solve for Ready {
    fn parts(&self, _: usize) -> usize {
        if self.in_parts {
            self.cut.board.n() as usize
        } else {
            1
        }
    }

    fn worker(&self) -> Box<dyn Work + '_> {
        Box::new(Worker {
            ready: self,
            lists: StateLists::default(),
        })
    }
}

/// One thread's share.
struct Worker<'a> {
    ready: &'a Ready,
    lists: StateLists,
}

impl Work for Worker<'_> {
    fn count(&mut self, index: usize, part: usize, cancel: &CancelToken) -> Option<Tally> {
        let Ready {
            cut,
            in_parts,
            mirrored,
            ..
        } = self.ready;
        let mut sum = Tally::default();
        for case in cases(&cut.board, cut.symmetry, cut.pairs[index]) {
            let Case {
                squares,
                position,
                weight,
            } = if *mirrored { case.upside_down() } else { case };
            let tally = if !in_parts {
                self.descend(&squares, &[position], cancel)?
            } else if let Some(child) = position.place(&squares, part as u32) {
                self.descend(&squares, &[child], cancel)?.with_nodes(1)
            } else {
                Tally::default()
            };
            sum += tally.times(weight);
        }
        Some(sum)
    }
}

impl Worker<'_> {
    /// Counts the completions of positions of one column, looking out for cancellation on the way down to the depth at
    /// which kernels are called. The children of a position go to the kernel together, to fill its vectors.
    fn descend(
        &mut self,
        squares: &Squares,
        positions: &[Position],
        cancel: &CancelToken,
    ) -> Option<Tally> {
        let Some(first) = positions.first() else {
            return Some(Tally::default());
        };
        if cancel.is_cancelled() {
            return None;
        }
        let Ready {
            kernel, call_depth, ..
        } = *self.ready;
        if first.column >= call_depth {
            return Some(complete(kernel, squares, positions, &mut self.lists));
        }
        let mut sum = Tally::default();
        for position in positions {
            let children: Vec<_> = position.children(squares).collect();
            let below = self.descend(squares, &children, cancel)?;
            sum += below.with_nodes(children.len() as u64);
        }
        Some(sum)
    }
}

/// Fewer subproblems for each thread than this leave threads idle at the end of a count.
const SUBPROBLEMS_PER_THREAD: usize = 16;

/// The columns that are filled before a kernel is called. Cancellation is seen only between calls; one over as many open
/// columns as this leaves takes a tenth of a second or so, and still fills the vectors.
fn call_depth(kernel: Kernel, n: u32) -> u32 {
    let open = match kernel {
        Kernel::Reference => 14,
        Kernel::Scalar | Kernel::Portable => 15,
        Kernel::Avx2 | Kernel::Avx512 => 17,
    };
    n.saturating_sub(open).max(2).min(n)
}
