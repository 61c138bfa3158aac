//! Numbers of solutions by symmetry class.
//!
//! For N >= 2, no reflection fixes a solution (see [`SymmetryClass`]). By Burnside's lemma, the
//! number of solutions up to the eight symmetries of the square is therefore
//!
//! ```text
//! (Q(N) + H + 2 R) / 8
//! ```
//!
//! where H solutions are unchanged by a half turn, and R of these are also unchanged by a quarter
//! turn.
//!
//! Separate searches count H and R. They place each queen together with its images, so only half or
//! a quarter of the columns remain to be searched. The cost is about the square root, or the fourth
//! root, of the cost of computing Q(N).
//!
//! ```
//! use queens::{Board, Classes};
//!
//! let threads = 2;
//! let classes = Classes::count(&Board::new(8)?, 92, threads, &Default::default())?;
//! assert_eq!(classes.fundamental(), 12); // eleven with eight images, one with four
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use rayon::prelude::*;

use super::error::{Contradiction, CountError, Mismatch};
use super::pool::pool;
use crate::board::{Board, BoardError, MAX_N, Square, SymmetryClass, rows_below};
use crate::engine::CancelToken;
use crate::known;
use crate::machine::can_start_threads;

/// Numbers of solutions of one board, by symmetry class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Classes {
    /// Board size N.
    pub n: u32,
    /// Total number of solutions.
    pub solutions: u128,
    /// Number of solutions unchanged by a half turn, including those unchanged by a quarter turn.
    pub half_turn: u64,
    /// Number of solutions unchanged by a quarter turn.
    pub quarter_turn: u64,
}

impl Classes {
    /// Classifies the solutions of a board, given the numbers of those unchanged by a half turn and
    /// by a quarter turn.
    ///
    /// # Errors
    ///
    /// Returns an error if the number of solutions in a class is negative or not a multiple of its
    /// orbit size.
    pub fn new(
        n: u32,
        solutions: u128,
        half_turn: u64,
        quarter_turn: u64,
    ) -> Result<Self, Contradiction> {
        let classes = Self { n, solutions, half_turn, quarter_turn };
        let is_nested = quarter_turn <= half_turn && u128::from(half_turn) <= solutions;
        let is_whole = |(symmetry, solutions): (SymmetryClass, u128)| {
            solutions.is_multiple_of(symmetry.orbit_size().into())
        };
        match is_nested && classes.by_symmetry().into_iter().all(is_whole) {
            true => Ok(classes),
            false => Err(Contradiction { n, solutions, half_turn, quarter_turn }),
        }
    }

    /// Counts the symmetric solutions of a board that has all eight symmetries, and classifies all
    /// solutions.
    ///
    /// # Errors
    ///
    /// Returns an error if cancelled, if the board is too large, if threads cannot be started, or
    /// if the numbers contradict each other or published values.
    ///
    /// # Panics
    ///
    /// Panics if the board lacks a symmetry.
    pub fn count(
        board: &Board,
        solutions: u128,
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<Self, CountError> {
        assert!(board.has_all_symmetries());
        let n = board.n();
        BoardError::check_size(n, MAX_N, "count")?;
        let half_turn = half_turn(board, threads, cancel)?;
        let quarter_turn =
            Rotation::<4>::new(board).map_or(Some(0), |start| start.complete(cancel));
        let quarter_turn = quarter_turn.ok_or(CountError::Cancelled)?;
        if !board.has_constraints() {
            check_published(n, half_turn, quarter_turn)?;
        }
        Ok(Self::new(n, solutions, half_turn, quarter_turn)?)
    }

    /// Returns the number of solutions in each symmetry class that is possible for this N.
    #[must_use]
    pub fn by_symmetry(&self) -> Vec<(SymmetryClass, u128)> {
        if self.n < 2 {
            return vec![(SymmetryClass::Full, self.solutions)];
        }
        let [half_turn, quarter_turn] = [self.half_turn, self.quarter_turn].map(u128::from);
        vec![
            (SymmetryClass::None, self.solutions - half_turn),
            (SymmetryClass::HalfTurn, half_turn - quarter_turn),
            (SymmetryClass::QuarterTurn, quarter_turn),
        ]
    }

    /// Returns the number of solutions up to the eight symmetries of the square.
    #[must_use]
    pub fn fundamental(&self) -> u128 {
        let classes = self.by_symmetry().into_iter();
        let orbits = |(symmetry, solutions): (SymmetryClass, _)| {
            solutions / u128::from(symmetry.orbit_size())
        };
        classes.map(orbits).sum()
    }
}

/// Compares the numbers with the published values for the empty board. Passes if none are
/// published.
fn check_published(n: u32, half_turn: u64, quarter_turn: u64) -> Result<(), Mismatch> {
    let Some(row) = known::values(n) else {
        return Ok(());
    };
    Mismatch::expect_equal(n, half_turn.into(), (row.half_turn, "OEIS A032522"))?;
    Mismatch::expect_equal(n, quarter_turn.into(), (row.quarter_turn, "OEIS A033148"))
}

/// Partial placement that is invariant under half turns (`IMAGES` = 2) or quarter turns (`IMAGES` =
/// 4). It is stored as masks of occupied columns, rows and diagonals. Rising diagonals are numbered
/// column + row, and falling diagonals row - column + N - 1.
#[derive(Clone, Copy)]
struct Rotation<'a, const IMAGES: usize> {
    board: &'a Board,
    columns: u32,
    rows: u32,
    rising: u64,
    falling: u64,
}

impl<'a, const IMAGES: usize> Rotation<'a, IMAGES> {
    /// Creates a placement with no queens or, for odd N, with one in the centre; `None` if that
    /// square is blocked. Both long diagonals count as occupied, because a queen there would attack
    /// its own image.
    fn new(board: &'a Board) -> Option<Self> {
        let (n, middle) = (board.n(), board.n() / 2);
        let (line, long) = (u32::from(n % 2 == 1) << middle, 1 << n.saturating_sub(1));
        let is_usable = line == 0 || board.allows(Square::new(middle, middle));
        is_usable.then_some(Self { board, columns: line, rows: line, rising: long, falling: long })
    }

    /// Returns the mask of the columns in the left half that have no queen yet.
    fn unfilled(self) -> u32 {
        rows_below(self.board.n() / 2) & !self.columns
    }

    /// Returns the next column to fill and the mask of its available rows. Columns are filled from
    /// the centre outwards, since queens near the centre attack the most squares. The opposite
    /// order takes five times as long for N = 24.
    fn next(self) -> Option<(u32, u32)> {
        let column = self.unfilled().checked_ilog2()?;
        let attacked = self.rising >> column | self.falling >> (self.board.n() - 1 - column);
        let unusable = self.board.blocked()[column as usize];
        let available = self.board.rows() & !(self.rows | attacked as u32 | unusable);
        Some((column, available))
    }

    /// Adds a queen and its images.
    fn with(mut self, column: u32, row: u32) -> Self {
        let last = self.board.n() - 1;
        let images = [
            (column, row),
            (last - column, last - row),
            (last - row, column),
            (row, last - column),
        ];
        for &(column, row) in &images[..IMAGES] {
            self.columns |= 1 << column;
            self.rows |= 1 << row;
            self.rising |= 1 << (column + row);
            self.falling |= 1 << (row + last - column);
        }
        self
    }

    /// Returns one placement for each row in the mask `rows`, with a queen added in that row of
    /// `column`.
    fn with_each(self, column: u32, mut rows: u32) -> impl Iterator<Item = Self> {
        std::iter::from_fn(move || {
            let row = rows.trailing_zeros();
            rows &= rows.wrapping_sub(1);
            (row < u32::BITS).then(|| self.with(column, row))
        })
    }

    /// Counts the ways to fill all remaining columns. Returns `None` if cancelled.
    fn complete(self, cancel: &CancelToken) -> Option<u64> {
        let Some((column, available)) = self.next() else {
            return Some(1);
        };
        match self.unfilled().count_ones() {
            1 => return Some(available.count_ones().into()),
            6.. if cancel.is_cancelled() => return None,
            _ => {}
        }
        let extended = self.with_each(column, available);
        extended.map(|placement| placement.complete(cancel)).sum()
    }
}

/// Counts the solutions unchanged by a half turn.
fn half_turn(board: &Board, threads: usize, cancel: &CancelToken) -> Result<u64, CountError> {
    let Some(start) = Rotation::<2>::new(board) else {
        return Ok(0);
    };
    let Some((column, available)) = start.next() else {
        return Ok(1);
    };
    // Solutions unchanged by a half turn come in mirror pairs, so it is enough to place the first
    // queen in the upper half.
    let firsts = start.with_each(column, available & rows_below(board.n() / 2));
    // Each parallel task starts from one choice of the first two pairs of queens. For N = 2 and 3
    // there is no second pair, so `starts` is empty and the sum is 0, which is right.
    let starts = firsts.flat_map(|first| {
        let next = first.next().into_iter();
        next.flat_map(move |(column, available)| first.with_each(column, available))
    });
    let starts: Vec<_> = starts.collect();
    let count = |start: &Rotation<2>| start.complete(cancel);
    let sum: Option<u64> = match can_start_threads() {
        true => pool(threads)?.install(|| starts.par_iter().map(count).sum()),
        false => starts.iter().map(count).sum(),
    };
    Ok(2 * sum.ok_or(CountError::Cancelled)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known;

    #[test]
    fn contradictory_numbers_are_rejected() {
        let classes = |solutions, half, quarter| Classes::new(8, solutions, half, quarter);
        assert!(classes(92, 4, 0).is_ok());
        for wrong in [0, 88, 90, 91, 93, 94, 96] {
            assert!(classes(wrong, 4, 0).is_err(), "{wrong}");
        }
        assert!(classes(90, 2, 4).is_err());
    }

    #[test]
    fn symmetric_counts_are_compared_with_published_values() {
        assert_eq!(check_published(8, 4, 0), Ok(()));
        assert!(check_published(8, 8, 0).is_err() && check_published(8, 4, 4).is_err());
        assert_eq!(check_published(28, 8, 0), Ok(()));
    }

    #[test]
    fn boards_that_are_too_large_are_rejected() {
        for n in [33, 64, 1_000] {
            let board = Board::new(n).unwrap();
            let counted = Classes::count(&board, 0, 1, &CancelToken::new());
            assert!(matches!(counted, Err(CountError::Board(BoardError::TooLarge { .. }))));
        }
    }

    #[test]
    fn counts_match_published_values() {
        for n in 0..=20 {
            let board = Board::new(n).unwrap();
            let (row, threads) = (known::values(n).unwrap(), 1 + n as usize % 3);
            let classes = Classes::count(&board, row.solutions, threads, &CancelToken::new());
            let classes = classes.unwrap();
            let turns = [classes.half_turn, classes.quarter_turn].map(u128::from);
            assert_eq!(turns, [row.half_turn, row.quarter_turn], "N = {n}");
            assert_eq!(classes.fundamental(), row.fundamental, "N = {n}");
        }
    }

    #[test]
    fn cancelled_counts_end() {
        let cancel = CancelToken::new();
        cancel.cancel();
        let counted = Classes::count(&Board::new(20).unwrap(), 0, 2, &cancel);
        assert!(matches!(counted, Err(CountError::Cancelled)));
    }
}
