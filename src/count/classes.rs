//! How many solutions are really different, by Burnside's lemma.
//!
//! From N = 2 on no reflection leaves a solution as it is ([`SymmetryClass`]), so by Burnside's lemma the solutions up
//! to the eight symmetries of the square are
//!
//! ```text
//! (Q(N) + H + 2 R) / 8,   H solutions unchanged by the half turn, R of these by the quarter turns too.
//! ```
//!
//! H and R are counted by searches of their own, which place a queen together with its images: with half of the columns
//! to choose for, or a quarter, they cost about the square root, or the fourth root, of what counting Q(N) costs.
//!
//! ```
//! use queens::Board;
//! use queens::Classes;
//! use queens::count::Symmetric;
//!
//! let threads = 2;
//! let symmetric = Symmetric::count(&Board::new(8)?, threads, &Default::default())?.unwrap();
//! let classes = Classes::new(8, 92, symmetric)?;
//! assert_eq!(classes.fundamental(), 12); // eleven of eight solutions, one of four
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use rayon::prelude::*;

use super::check::expect;
use super::error::{Contradiction, CountError, Mismatch};
use super::pool::pool;
use crate::board::{Board, Square, SymmetryClass, rows_below};
use crate::engine::CancelToken;
use crate::known::known;

/// Solutions that turns leave unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symmetric {
    /// Those unchanged by the half turn, those unchanged by a quarter turn among them.
    pub half_turn: u64,
    /// Those unchanged by a quarter turn.
    pub quarter_turn: u64,
}

/// The solutions of one board sorted by their symmetry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Classes {
    /// Board size N.
    pub n: u32,
    /// All solutions.
    pub solutions: u128,
    /// Those that turns leave unchanged.
    pub symmetric: Symmetric,
}

impl Classes {
    /// Sorts `solutions` solutions by symmetry, given those that turns leave unchanged.
    ///
    /// # Errors
    ///
    /// [`Contradiction`] if the solutions of some kind are not a multiple of the size of their orbits.
    pub fn new(n: u32, solutions: u128, symmetric: Symmetric) -> Result<Self, Contradiction> {
        let classes = Self {
            n,
            solutions,
            symmetric,
        };
        let half_turn = u128::from(symmetric.half_turn);
        let is_nested = symmetric.quarter_turn <= symmetric.half_turn && half_turn <= solutions;
        let is_whole = |(symmetry, solutions): (SymmetryClass, u128)| {
            solutions.is_multiple_of(symmetry.orbit_size().into())
        };
        match is_nested && classes.by_symmetry().into_iter().all(is_whole) {
            true => Ok(classes),
            false => Err(Contradiction {
                n,
                solutions,
                half_turn: symmetric.half_turn,
                quarter_turn: symmetric.quarter_turn,
            }),
        }
    }

    /// The solutions that have exactly this symmetry, for each that may occur on a board of this size.
    #[must_use]
    pub fn by_symmetry(&self) -> Vec<(SymmetryClass, u128)> {
        if self.n < 2 {
            return vec![(SymmetryClass::Full, self.solutions)];
        }
        let half_turn = u128::from(self.symmetric.half_turn);
        let quarter_turn = u128::from(self.symmetric.quarter_turn);
        vec![
            (SymmetryClass::None, self.solutions - half_turn),
            (SymmetryClass::HalfTurn, half_turn - quarter_turn),
            (SymmetryClass::QuarterTurn, quarter_turn),
        ]
    }

    /// Solutions up to the eight symmetries of the square.
    #[must_use]
    pub fn fundamental(&self) -> u128 {
        let by_symmetry = self.by_symmetry().into_iter();
        by_symmetry
            .map(|(symmetry, solutions)| solutions / u128::from(symmetry.orbit_size()))
            .sum()
    }
}

impl Symmetric {
    /// Counts them on a board that all eight symmetries leave as it is, on so many threads; `None` if cancelled.
    ///
    /// # Errors
    ///
    /// [`CountError::Pool`] if the threads cannot be started.
    ///
    /// # Panics
    ///
    /// If a symmetry moves a blocked square, or diagonals wrap around.
    pub fn count(
        board: &Board,
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<Option<Self>, CountError> {
        assert!(board.has_all_symmetries() && !board.is_torus());
        let half_turn = half_turn(board, threads, cancel)?;
        let quarter_turn = Turned::<4>::new(board).map_or(Some(0), |start| start.complete(cancel));
        Ok(half_turn
            .zip(quarter_turn)
            .map(|(half_turn, quarter_turn)| Self {
                half_turn,
                quarter_turn,
            }))
    }

    /// Checks them, as those of the empty board of size `n`, against what is published, if anything is.
    ///
    /// # Errors
    ///
    /// [`Mismatch`] if they are not the published ones.
    pub fn check_published(self, n: u32) -> Result<(), Mismatch> {
        let Some(row) = known(n) else {
            return Ok(());
        };
        let [half_turn, quarter_turn] = [self.half_turn, self.quarter_turn].map(u128::from);
        expect(n, half_turn, row.half_turn, "OEIS A032522")?;
        expect(n, quarter_turn, row.quarter_turn, "OEIS A033148")
    }
}

impl Classes {
    /// Sorts the `solutions` solutions of the empty board by symmetry, and compares with what is published; `None` if
    /// cancelled.
    ///
    /// # Errors
    ///
    /// Returns a [`CountError`] if the board or its threads cannot be had, or if the numbers contradict each other or
    /// the published values.
    pub fn count(
        n: u32,
        solutions: u128,
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<Option<Self>, CountError> {
        let Some(symmetric) = Symmetric::count(&Board::new(n)?, threads, cancel)? else {
            return Ok(None);
        };
        symmetric.check_published(n)?;
        Ok(Some(Self::new(n, solutions, symmetric)?))
    }
}

/// Queens placed together with their images, two under the half turn or four under the quarter turns, and the lines
/// that they take. Diagonals that rise have the number column + row, those that fall row - column + N - 1.
///
/// Each of these sets of lines is its own image, and so are the free squares: that one of them is free is enough. The
/// images of a queen attack each other on the long diagonals and on the middle lines alone, which are taken from the
/// beginning.
#[derive(Debug, Clone, Copy)]
struct Turned<'a, const IMAGES: usize> {
    board: &'a Board,
    columns: u32,
    rows: u32,
    rising: u64,
    falling: u64,
}

impl<'a, const IMAGES: usize> Turned<'a, IMAGES> {
    /// No queen but the one that an odd board has in its centre; `None` if that is blocked.
    fn new(board: &'a Board) -> Option<Self> {
        let (n, middle) = (board.n(), board.n() / 2);
        let (line, long) = (u32::from(n % 2 == 1) << middle, 1 << n.saturating_sub(1));
        let is_open = line == 0 || board.allows(Square::new(middle, middle));
        is_open.then_some(Self {
            board,
            columns: line,
            rows: line,
            rising: long,
            falling: long,
        })
    }

    /// The western columns without a queen.
    fn open(self) -> u32 {
        rows_below(self.board.n() / 2) & !self.columns
    }

    /// The next column to be filled and its free rows. From the centre outwards, since queens near the centre attack
    /// most: from the edge inwards takes five times as long at N = 24.
    fn next(self) -> Option<(u32, u32)> {
        let column = self.open().checked_ilog2()?;
        let attacked = self.rising >> column | self.falling >> (self.board.n() - 1 - column);
        let unusable = self.board.blocked()[column as usize];
        let free = self.board.rows() & !(self.rows | attacked as u32 | unusable);
        Some((column, free))
    }

    /// With a queen on one more square, and its images.
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

    /// With one more queen and its images, for each of these rows of a column.
    fn with_each(self, column: u32, mut rows: u32) -> impl Iterator<Item = Self> {
        std::iter::from_fn(move || {
            let row = rows.trailing_zeros();
            rows &= rows.wrapping_sub(1);
            (row < u32::BITS).then(|| self.with(column, row))
        })
    }

    /// Counts the ways to fill the other columns; `None` if cancelled.
    fn complete(self, cancel: &CancelToken) -> Option<u64> {
        let Some((column, free)) = self.next() else {
            return Some(1);
        };
        match self.open().count_ones() {
            1 => return Some(free.count_ones().into()),
            6.. if cancel.is_cancelled() => return None,
            _ => {}
        }
        let further = self.with_each(column, free);
        further.map(|turned| turned.complete(cancel)).sum()
    }
}

/// Solutions unchanged by the half turn.
fn half_turn(
    board: &Board,
    threads: usize,
    cancel: &CancelToken,
) -> Result<Option<u64>, CountError> {
    let Some(start) = Turned::<2>::new(board) else {
        return Ok(Some(0));
    };
    let Some((column, free)) = start.next() else {
        return Ok(Some(1));
    };
    // Turned top for bottom, solutions of this kind are others of this kind: the first queen is kept in the upper half.
    let firsts = start.with_each(column, free & rows_below(board.n() / 2));
    // Threads share what begins with the same two pairs.
    let starts = firsts.flat_map(|first| match first.next() {
        Some((column, free)) => first.with_each(column, free).collect(),
        None => vec![first],
    });
    let starts: Vec<_> = starts.collect();
    let counts = starts.par_iter().map(|start| start.complete(cancel));
    let sum: Option<u64> = pool(threads)?.install(|| counts.sum());
    Ok(sum.map(|sum| 2 * sum))
}

#[cfg(test)]
mod tests {
    use super::super::tests::symmetric;
    use super::*;
    use crate::known::known;

    #[test]
    fn numbers_that_contradict_each_other_are_refused() {
        let classes =
            |solutions, half, quarter| Classes::new(8, solutions, symmetric(half, quarter));
        assert!(classes(92, 4, 0).is_ok());
        for wrong in [0, 88, 90, 91, 93, 94, 96] {
            assert!(classes(wrong, 4, 0).is_err(), "{wrong}");
        }
        assert!(classes(90, 2, 4).is_err());
    }

    #[test]
    fn symmetric_solutions_and_classes_are_those_published() {
        for n in 0..=20 {
            let board = Board::new(n).unwrap();
            let counted = Symmetric::count(&board, 1 + n as usize % 3, &CancelToken::new());
            let counted = counted.unwrap().unwrap();
            let row = known(n).unwrap();
            let turns = [counted.half_turn, counted.quarter_turn].map(u128::from);
            assert_eq!(turns, [row.half_turn, row.quarter_turn], "N = {n}");
            let classes = Classes::new(n, row.solutions, counted).unwrap();
            assert_eq!(classes.fundamental(), row.fundamental, "N = {n}");
        }
    }

    /// They cost so little that sizes far beyond can be checked.
    #[test]
    fn quarter_turns_are_those_published() {
        for n in [24, 25] {
            let board = Board::new(n).unwrap();
            let counted = Turned::<4>::new(&board)
                .unwrap()
                .complete(&CancelToken::new());
            let published = known(n).unwrap().quarter_turn;
            assert_eq!(counted.map(u128::from), Some(published), "N = {n}");
        }
    }

    #[test]
    fn cancelling_ends_the_count() {
        let cancel = CancelToken::new();
        cancel.cancel();
        let counted = Symmetric::count(&Board::new(20).unwrap(), 2, &cancel);
        assert_eq!(counted.unwrap(), None);
    }
}
