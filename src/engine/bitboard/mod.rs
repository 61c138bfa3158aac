//! The `bitboard` engine: the classic backtracking search, column by column over bit masks.
//!
//! A [`Position`] holds the queens of the first columns as three masks over the rows of the next column: occupied rows,
//! and attacked rows for each direction of diagonal. The queens of the first two columns, or of more columns on large
//! boards, make up a subproblem. The [`Symmetry`] turns a subproblem into a few [`Case`]s, each a board with additional
//! blocked squares and a weight. A kernel counts the ways to complete the position on that board.
//!
//! All kernels except [`mod@reference`] run the same algorithm, [`mod@batch`], on different vectors. Only `reference`
//! counts a torus, where masks are rotated instead of shifted.

mod batch;
mod position;
mod reference;
mod symmetry;
#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::Options;
use super::choice::{EngineError, Kernel, Symmetry};
use crate::board::{Board, MAX_N};
use crate::engine::{CancelToken, Stopped};
use crate::known::torus_is_solvable;

use super::simd::{Nothing, with_words};
use batch::StateLists;
use position::{Position, Squares};
use symmetry::{Case, cases};

/// Board sizes that this engine can count.
pub(super) const SIZES: RangeInclusive<u32> = 0..=MAX_N;

/// A board cut into subproblems by the queens of its first columns.
#[derive(Debug, Clone)]
pub(crate) struct Cut {
    board: Board,
    symmetry: Symmetry,
    len: usize,
    /// Number of queens in a subproblem, one in each of the first columns.
    depth: usize,
    /// Rows of the queens, `depth` for each subproblem.
    rows: Arc<[u8]>,
    /// Cases to count, indexed by the row of the first queen.
    cases: Arc<[Vec<Case>]>,
}

impl Cut {
    /// Cuts a board. Without a `symmetry`, uses the board's default.
    pub(super) fn with(board: &Board, symmetry: Option<Symmetry>) -> Result<Self, EngineError> {
        let symmetry = symmetry.unwrap_or(Symmetry::of(board));
        if !symmetry.fits(board) {
            return Err(EngineError::Symmetry { symmetry });
        }
        Ok(Self::new(board, symmetry))
    }

    fn new(board: &Board, symmetry: Symmetry) -> Self {
        let mut cut = Self::of_at_least(least_subproblems(board.n()), board, symmetry);
        // These boards have no solutions, whatever squares are blocked.
        if board.is_torus() && !torus_is_solvable(board.n()) {
            cut.len = 0;
        }
        cut
    }

    /// Cuts at least two columns deep, until there are `least` subproblems or all columns are filled. Skips subproblems
    /// whose solutions are images of others under the symmetry.
    fn of_at_least(least: usize, board: &Board, symmetry: Symmetry) -> Self {
        let n = board.n();
        let squares = Squares::of(board);
        let (mut len, mut depth, mut rows) = (1, 0, Vec::new());
        // A board with N < 2 is a single subproblem without queens.
        while n >= 2 && len > 0 && (depth < 2 || (len < least && depth < n as usize)) {
            let mut longer = Vec::new();
            for prefix in (0..len).map(|index| &rows[index * depth..][..depth]) {
                let position = Position::EMPTY.place_all(&squares, prefix);
                let free = position.expect("placed before").free(&squares);
                for row in (0..n as u8).filter(|row| free >> row & 1 == 1) {
                    let at = longer.len();
                    longer.extend(prefix);
                    longer.push(row);
                    if !symmetry.keeps(n, &longer[at..]) {
                        longer.truncate(at);
                    }
                }
            }
            (depth, rows) = (depth + 1, longer);
            len = rows.len() / depth;
        }
        Self {
            board: board.clone(),
            symmetry,
            len,
            depth,
            rows: rows.into(),
            cases: (0..n.max(1)).map(|a| cases(board, symmetry, a)).collect(),
        }
    }

    /// Returns the rows of a subproblem's queens.
    fn rows(&self, index: usize) -> &[u8] {
        assert!(index < self.len, "there is no subproblem {index}");
        &self.rows[index * self.depth..][..self.depth]
    }

    /// Returns the cases of a subproblem, each with the position to complete.
    fn cases(&self, index: usize) -> impl Iterator<Item = (&Case, Position)> {
        let rows = self.rows(index);
        let first = rows.first().map_or(0, |&row| usize::from(row));
        let cases = self.cases[first].iter();
        cases.filter_map(|case| Some((case, Position::EMPTY.place_all(&case.squares, rows)?)))
    }
}

/// Returns the minimum number of subproblems. Up to N = 25, where one core would need a year for the whole board, none
/// of them takes much more than a minute. See docs/BENCHMARKING.md for measurements.
fn least_subproblems(n: u32) -> usize {
    match n {
        0..17 => 1,
        // Enough for dozens of threads.
        17..22 => 1_000,
        22..24 => 20_000,
        _ => 500_000,
    }
}

impl Cut {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns one plus the sum of the estimates for all cases.
    ///
    /// For each remaining column, take one plus the number of free squares. The estimate for a case is their product
    /// raised to a power. The product would be the number of solutions if columns were independent. The exponent is
    /// fitted to the solutions and times of all subproblems of N = 12 to 18.
    pub(super) fn weight(&self, index: usize) -> f64 {
        const POWER: f64 = 1.5;
        let choices = |(case, mut position): (&Case, Position)| -> f64 {
            let columns = position.column..self.board.n();
            let choices = columns.map(|_| {
                let free = position.free(&case.squares).count_ones();
                position = position.with_queen(&case.squares, 0);
                f64::from(1 + free)
            });
            choices.product::<f64>().powf(POWER)
        };
        1.0 + self.cases(index).map(choices).sum::<f64>()
    }

    /// Returns the size of the state lists, a few hundred KiB per thread, and of the list of subproblems.
    pub(super) fn memory(&self, threads: usize) -> u64 {
        ((threads as u64) << 20) + self.rows.len() as u64
    }

    pub(crate) fn symmetry(&self) -> Symmetry {
        self.symmetry
    }

    pub(super) fn imposed_weight(&self) -> u32 {
        match self.symmetry {
            Symmetry::None => 1,
            Symmetry::Mirror => 2,
            // A few cases have weight 4 or 2, but an error in any other case is a multiple of 8.
            Symmetry::Eightfold => 8,
            Symmetry::Translation => 2 * self.board.n(),
        }
    }
}

/// Kernels from slowest to fastest.
pub(super) const KERNELS: &[Kernel] = &[
    Kernel::Reference,
    Kernel::Scalar,
    Kernel::Portable,
    Kernel::Neon,
    Kernel::Avx2,
    Kernel::Avx512,
];

/// Whether this CPU can run a kernel.
pub(super) fn can_run(kernel: Kernel) -> bool {
    kernel == Kernel::Reference || with_words(kernel, Nothing).is_some()
}

/// Counts the ways to complete positions on this thread. Panics if this CPU cannot run the kernel, if the positions
/// differ in the number of filled columns, or if there are more than 256 positions.
fn complete(
    kernel: Kernel,
    squares: &Squares,
    positions: &[Position],
    lists: &mut StateLists,
) -> u64 {
    if kernel == Kernel::Reference {
        let counts = positions.iter();
        return counts.fold(0, |sum, &position| {
            add(sum, reference::count(squares, position))
        });
    }
    let task = batch::Complete {
        squares,
        positions,
        lists,
    };
    match with_words(kernel, task) {
        Some(count) => count,
        None => panic!("this CPU cannot run kernel '{kernel}'"),
    }
}

/// Adds two counts and panics on overflow. The count of a subproblem is far below 2^64: even Q(27) is only 2.3e17.
fn add(sum: u64, count: u64) -> u64 {
    sum.checked_add(count).expect("a count fits 64 bits")
}

/// A cut board prepared for one kernel.
#[derive(Debug)]
pub(crate) struct Solver {
    cut: Cut,
    kernel: Kernel,
    /// Whether cases are flipped top to bottom.
    mirrored: bool,
    /// Minimum number of filled columns at which a kernel is called, so that no call takes long.
    call_depth: u32,
}

impl Solver {
    pub(super) fn new(cut: &Cut, options: &Options) -> Self {
        Self {
            cut: cut.clone(),
            kernel: options.kernel,
            mirrored: options.mirrored,
            call_depth: call_depth(options.kernel, cut.board.n()),
        }
    }

    pub(super) fn worker(&self) -> Worker<'_> {
        Worker {
            solver: self,
            lists: StateLists::default(),
        }
    }
}

/// Scratch memory of one thread.
pub(crate) struct Worker<'a> {
    solver: &'a Solver,
    lists: StateLists,
}

impl Worker<'_> {
    /// Counts a subproblem and returns its contribution to the total.
    pub(super) fn count(&mut self, index: usize, cancel: &CancelToken) -> Result<u64, Stopped> {
        let Solver { cut, mirrored, .. } = self.solver;
        let mut sum = 0;
        for (&Case { squares, weight }, position) in cut.cases(index) {
            let count: u64 = if *mirrored {
                let position = position.upside_down(squares.n);
                self.descend(&squares.upside_down(), &[position], cancel)?
            } else {
                self.descend(&squares, &[position], cancel)?
            };
            sum = add(
                sum,
                count.checked_mul(weight).expect("a count fits 64 bits"),
            );
        }
        Ok(sum)
    }

    /// Counts the completions of positions in the same column. Checks for cancellation on the way down to the depth at
    /// which kernels are called. A kernel gets all children of a position at once, to fill its vectors.
    fn descend(
        &mut self,
        squares: &Squares,
        positions: &[Position],
        cancel: &CancelToken,
    ) -> Result<u64, Stopped> {
        let Some(first) = positions.first() else {
            return Ok(0);
        };
        if cancel.is_cancelled() {
            return Err(Stopped::Cancelled);
        }
        let Solver {
            kernel, call_depth, ..
        } = *self.solver;
        if first.column >= call_depth {
            return Ok(complete(kernel, squares, positions, &mut self.lists));
        }
        let mut sum = 0;
        for position in positions {
            let children: Vec<_> = position.children(squares).collect();
            sum = add(sum, self.descend(squares, &children, cancel)?);
        }
        Ok(sum)
    }
}

/// Returns the number of columns to fill before a kernel is called. Cancellation is checked only between calls. A call
/// with the remaining columns takes about a tenth of a second and still fills the vectors.
fn call_depth(kernel: Kernel, n: u32) -> u32 {
    let open = match kernel {
        Kernel::Reference => 14,
        Kernel::Scalar | Kernel::Portable | Kernel::Neon => 15,
        Kernel::Avx2 | Kernel::Avx512 => 17,
    };
    n.saturating_sub(open).max(2).min(n)
}
