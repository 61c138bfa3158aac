//! The `bitboard` engine: a classic backtracking search that fills the board column by column,
//! using bit masks.
//!
//! A [`Position`] represents the queens of the first columns by three masks over the rows of the
//! next column. One marks the rows that have a queen, and the other two mark the rows attacked
//! along falling and along rising diagonals. A subproblem fixes the queens of the first two
//! columns, or of more columns on large boards. The [`Symmetry`] turns a subproblem into a few
//! [`Case`]s. Each case has additional blocked squares and a weight. A kernel counts the ways to
//! complete the position on the board of each case.
//!
//! All kernels except [`mod@reference`] run the same algorithm, [`mod@batch`], with different
//! vectors.

mod batch;
mod position;
mod reference;
mod symmetry;
#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::cancel::CancelToken;
use super::choice::{EngineError, Kernel, Symmetry};
use super::interruption::Interruption;
use super::options::Options;
use super::simd::{InstructionSet, Isa};
use crate::board::{Board, MAX_N};
pub(super) use batch::StateLists;
use position::{Position, Squares};
use symmetry::{Case, cases};

/// Board sizes that this engine supports.
pub(super) const SIZES: RangeInclusive<u32> = 0..=MAX_N;

/// A board divided into subproblems, each of which fixes the queens of the first columns.
#[derive(Debug, Clone)]
pub(crate) struct Subproblems {
    board: Board,
    symmetry: Symmetry,
    len: usize,
    /// Number of queens fixed in a subproblem, one in each of the first columns.
    depth: usize,
    /// Rows of the fixed queens, with `depth` entries per subproblem.
    rows: Arc<[u8]>,
    /// Cases to count, indexed by the row of the first queen.
    cases: Arc<[Vec<Case>]>,
}

impl Subproblems {
    /// Divides a board into subproblems. If `symmetry` is `None`, uses the default for the board.
    pub(super) fn new(board: &Board, symmetry: Option<Symmetry>) -> Result<Self, EngineError> {
        let symmetry = symmetry.unwrap_or(Symmetry::for_board(board));
        if !symmetry.fits(board) {
            return Err(EngineError::Symmetry { symmetry });
        }
        Ok(Self::with_min_len(min_subproblems(board.n()), board, symmetry))
    }

    /// Fixes queens in at least two columns, and in further columns until there are `min_len`
    /// subproblems or no column is left. Skips subproblems whose solutions are images of other
    /// solutions under the symmetry.
    fn with_min_len(min_len: usize, board: &Board, symmetry: Symmetry) -> Self {
        let n = board.n();
        let squares = Squares::for_board(board);
        let (mut len, mut depth, mut rows) = (1, 0, Vec::new());
        // A board with N < 2 is a single subproblem without queens.
        while n >= 2 && len > 0 && (depth < 2 || (len < min_len && depth < n as usize)) {
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

    /// Returns the rows of the queens that a subproblem fixes.
    pub(super) fn rows(&self, index: usize) -> &[u8] {
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

/// Returns the minimum number of subproblems. Up to N = 25, it keeps each subproblem to little more
/// than a minute, although one core would need a year to count N = 25. See docs/BENCHMARKING.md for
/// measurements.
fn min_subproblems(n: u32) -> usize {
    match n {
        0..17 => 1,
        // Enough for dozens of threads.
        17..22 => 1_000,
        22..24 => 20_000,
        _ => 500_000,
    }
}

impl Subproblems {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the estimated cost of a subproblem: one plus the sum of the estimates for its cases.
    ///
    /// To estimate a case, take one plus the number of free squares for each remaining column, and
    /// multiply these numbers. If columns were independent, the product would be about the number
    /// of solutions. The estimate is the product raised to a power that was fitted to the solutions
    /// and times of all subproblems of N = 12 to 18.
    pub(super) fn weight(&self, index: usize) -> f64 {
        const POWER: f64 = 1.5;
        let choices = |(case, mut position): (&Case, Position)| -> f64 {
            let columns = position.column..self.board.n();
            let choices = columns.map(|_| {
                let free = position.free(&case.squares).count_ones();
                position = position.with_queen(0);
                f64::from(1 + free)
            });
            choices.product::<f64>().powf(POWER)
        };
        1.0 + self.cases(index).map(choices).sum::<f64>()
    }

    /// Returns the approximate memory use in bytes. The program itself takes less than 9 MiB, and
    /// the state lists of a thread take less than 1 MiB.
    pub(super) fn memory(&self, threads: usize) -> u64 {
        ((9 + threads as u64) << 20) + self.rows.len() as u64
    }

    pub(crate) fn symmetry(&self) -> Symmetry {
        self.symmetry
    }
}

/// All kernels, from slowest to fastest.
#[cfg(not(target_feature = "simd128"))]
pub(super) const KERNELS: &[Kernel] = &[
    Kernel::Reference,
    Kernel::Scalar,
    Kernel::Portable,
    Kernel::Neon,
    Kernel::Avx2,
    Kernel::Avx512,
];
#[cfg(target_feature = "simd128")]
pub(super) const KERNELS: &[Kernel] = &[Kernel::Reference, Kernel::Scalar, Kernel::Wasm];

/// Counts the ways to complete each position, and returns the sum. There may be at most 256
/// positions, all with the same number of filled columns.
fn complete(isa: Isa, squares: &Squares, positions: &[Position], lists: &mut StateLists) -> u64 {
    let task = batch::Complete { squares, positions, lists };
    match isa {
        Isa::Reference => {
            let counts = positions.iter().map(|&position| reference::count(squares, position));
            counts.fold(0, add)
        }
        Isa::Scalar(isa) => isa.call(task),
        _ => isa.run(task),
    }
}

/// Adds two counts and panics on overflow. Counts of subproblems are far below 2^64, since even
/// Q(27) is only 2.3e17.
fn add(sum: u64, count: u64) -> u64 {
    sum.checked_add(count).expect("a count fits 64 bits")
}

/// [`Subproblems`] prepared for counting with one kernel.
#[derive(Debug)]
pub(crate) struct Solver {
    subproblems: Subproblems,
    isa: Isa,
    /// Minimum number of filled columns when a kernel is called. It is large enough that no call
    /// takes long.
    call_depth: u32,
    cancel: CancelToken,
}

impl Solver {
    pub(super) fn new(subproblems: &Subproblems, options: &Options) -> Self {
        Self {
            subproblems: subproblems.clone(),
            isa: options.isa,
            call_depth: call_depth(options.kernel, subproblems.board.n()),
            cancel: options.cancel.clone(),
        }
    }

    /// Counts a subproblem and returns its contribution to the total.
    pub(super) fn count(&self, index: usize, lists: &mut StateLists) -> Result<u64, Interruption> {
        let mut sum = 0;
        for (&Case { squares, weight }, position) in self.subproblems.cases(index) {
            let count = self.descend(&squares, &[position], lists)?;
            sum = add(sum, count.checked_mul(weight).expect("a count fits 64 bits"));
        }
        Ok(sum)
    }

    /// Counts the completions of positions that have the same next column, extending them to the
    /// depth at which kernels are called. Checks for cancellation on the way. Each call gets all
    /// children of a position, to fill its vectors.
    fn descend(
        &self,
        squares: &Squares,
        positions: &[Position],
        lists: &mut StateLists,
    ) -> Result<u64, Interruption> {
        let Some(first) = positions.first() else {
            return Ok(0);
        };
        self.cancel.check()?;
        if first.column >= self.call_depth {
            return Ok(complete(self.isa, squares, positions, lists));
        }
        let mut sum = 0;
        for position in positions {
            let children: Vec<_> = position.children(squares).collect();
            sum = add(sum, self.descend(squares, &children, lists)?);
        }
        Ok(sum)
    }
}

/// Returns the number of columns to fill before a kernel is called. Cancellation is checked only
/// between calls, so each call should take only about a tenth of a second. This still leaves enough
/// work to fill the vectors.
fn call_depth(kernel: Kernel, n: u32) -> u32 {
    let open = match kernel {
        Kernel::Reference => 14,
        Kernel::Scalar | Kernel::Portable | Kernel::Neon | Kernel::Wasm => 15,
        Kernel::Avx2 | Kernel::Avx512 => 17,
    };
    n.saturating_sub(open).max(2).min(n)
}
