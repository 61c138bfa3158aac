//! How many solutions are really different, by Burnside's lemma.
//!
//! From N = 2 on no reflection leaves a solution as it is ([`SymmetryClass`]), so by Burnside's lemma the solutions up to the
//! eight symmetries of the square are
//!
//! ```text
//! (Q(N) + H + 2 R) / 8,   H solutions unchanged by the half turn, R of these by the quarter turns too.
//! ```
//!
//! H and R are counted by searches of their own, which place a queen together with its images: with half of the columns to choose
//! for, or a quarter, they cost about the square root, or the fourth root, of what counting Q(N) costs.
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

use super::error::{Contradiction, CountError};
use super::pool::pool;
use crate::board::{Board, Square, SymmetryClass};
use crate::engine::CancelToken;

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
        Ok(half_turn.map(|half_turn| Self {
            half_turn,
            quarter_turn: quarter_turn(board),
        }))
    }
}

impl Classes {
    /// Sorts the `solutions` solutions of the empty board by symmetry, and compares with what is published; `None` if cancelled.
    ///
    /// # Errors
    ///
    /// [`CountError`]: the board or its threads cannot be had, or the numbers contradict each other or what is published.
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

/// Pairs of queens that are each other's image under the half turn, and the lines they take. Diagonals that rise have
/// the number column + row, those that fall row - column + N - 1.
#[derive(Debug, Clone, Copy)]
struct Pairs {
    placed: u32,
    rows: u64,
    rising: u64,
    falling: u64,
}

/// Whether the centre of a board with an odd number of rows may hold a queen.
fn centre_is_open(board: &Board) -> bool {
    let middle = board.n() / 2;
    board.allows(Square::new(middle, middle))
}

/// Solutions unchanged by the half turn: a queen in column c, row r has its image in column N-1-c, row N-1-r, so columns
/// are filled two at a time, and an odd board has its middle queen in the centre.
fn half_turn(
    board: &Board,
    threads: usize,
    cancel: &CancelToken,
) -> Result<Option<u64>, CountError> {
    let n = board.n();
    let odd = n % 2 == 1;
    if odd && !centre_is_open(board) {
        return Ok(Some(0));
    }
    if n < 2 {
        return Ok(Some(1));
    }
    // The centre takes the middle row and both long diagonals; on an even board queens on these face their images.
    let long = 1 << (n - 1);
    let start = Pairs {
        placed: 0,
        rows: if odd { 1 << (n / 2) } else { 0 },
        rising: long,
        falling: long,
    };
    // Turned top for bottom, solutions of this kind are others of this kind: the first queen is kept in the upper half.
    let upper_half = (1 << (n / 2)) - 1;
    let firsts = start.with_each(start.free(board) & upper_half, board);
    // Threads share what begins with the same two pairs.
    let starts: Vec<_> = match n / 2 {
        1 => firsts.collect(),
        _ => firsts
            .flat_map(|first| first.with_each(first.free(board), board))
            .collect(),
    };
    let counts = starts.par_iter().map(|start| start.complete(board, cancel));
    let sum: Option<u64> = pool(threads)?.install(|| counts.sum());
    Ok(sum.map(|sum| 2 * sum))
}

impl Pairs {
    /// The western column of the next pair: from the centre outwards, since queens near the centre attack most. From the
    /// edge inwards takes five times as long at N = 24.
    fn column(self, board: &Board) -> u32 {
        board.n() / 2 - 1 - self.placed
    }

    /// The rows of the next column that a queen may use.
    fn free(self, board: &Board) -> u64 {
        let (n, column) = (board.n(), self.column(board));
        let unusable = u64::from(board.blocked()[column as usize]);
        let attacked = self.rows | self.rising >> column | self.falling >> (n - 1 - column);
        u64::from(board.rows()) & !(attacked | unusable)
    }

    /// With one more pair, whose western queen stands in `row`.
    fn with(self, board: &Board, row: u32) -> Self {
        let (last, column) = (board.n() - 1, self.column(board));
        let (rising, falling) = (column + row, row + last - column);
        Self {
            placed: self.placed + 1,
            rows: self.rows | 1 << row | 1 << (last - row),
            rising: self.rising | 1 << rising | 1 << (2 * last - rising),
            falling: self.falling | 1 << falling | 1 << (2 * last - falling),
        }
    }

    /// Counts the ways to place the other pairs; `None` if cancelled.
    fn complete(self, board: &Board, cancel: &CancelToken) -> Option<u64> {
        let left = board.n() / 2 - self.placed;
        if left == 0 {
            return Some(1);
        }
        if left > 5 && cancel.is_cancelled() {
            return None;
        }
        let free = self.free(board);
        if left == 1 {
            return Some(u64::from(free.count_ones()));
        }
        let further = self.with_each(free, board);
        further.map(|pairs| pairs.complete(board, cancel)).sum()
    }

    /// With one more pair, for each of these rows of the next column.
    fn with_each(self, rows: u64, board: &Board) -> impl Iterator<Item = Self> {
        bits(rows).map(move |row| self.with(board, row))
    }
}

/// The places of the bits of a mask, the lowest first.
fn bits(mut mask: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let place = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (place < 64).then_some(place)
    })
}

/// Solutions unchanged by the quarter turn. The four images of a queen in column c, row r stand in columns and in rows c,
/// r, N-1-c and N-1-r, and on both kinds of diagonals they have the same four numbers: one mask of lines and one of
/// diagonals describe a partial placement.
fn quarter_turn(board: &Board) -> u64 {
    let n = board.n();
    match n % 4 {
        0 => fours(board, 0, 0),
        1 if centre_is_open(board) => fours(board, 1 << (n / 2), 1 << (n - 1)),
        // Fours and a centre make no other number of queens.
        _ => 0,
    }
}

/// Counts the ways to fill the lines that are not in `lines`, four at a time.
fn fours(board: &Board, lines: u32, diagonals: u64) -> u64 {
    let n = board.n();
    let column = lines.trailing_ones();
    if column >= n {
        return 1;
    }
    let last = n - 1;
    let unusable = board.blocked()[column as usize];
    let free = board.rows() & !(lines | unusable | 1 << column | 1 << (last - column));
    bits(u64::from(free))
        .map(|row| {
            let own = [column + row, column + last - row];
            let images = own.map(|diagonal| 1 << diagonal | 1_u64 << (2 * last - diagonal));
            let taken = images[0] | images[1];
            if diagonals & taken != 0 {
                return 0;
            }
            let four = [column, row, last - column, last - row];
            let lines = four.iter().fold(lines, |lines, line| lines | 1 << line);
            fours(board, lines, diagonals | taken)
        })
        .sum()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::known::known;

    pub(crate) fn symmetric(half_turn: u64, quarter_turn: u64) -> Symmetric {
        Symmetric {
            half_turn,
            quarter_turn,
        }
    }

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
            let counted = quarter_turn(&Board::new(n).unwrap());
            let published = known(n).unwrap().quarter_turn;
            assert_eq!(u128::from(counted), published, "N = {n}");
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
