//! Counts the solutions that turns leave unchanged, H and R of Burnside's lemma ([`Classes`]), by searches of
//! their own, which place a queen together with its images: with half of the columns to choose for, or a quarter, they cost
//! about the square root, or the fourth root, of what counting Q(N) costs.
//!
//! And checks totals by them: not in [`verify`], whose errors are among those of counting.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::classes::{Classes, Symmetric};
use super::crew::on_threads;
use super::error::CountError;
use super::plan::Plan;
use super::verify::{self, Check};
use crate::board::{Board, Square};
use crate::engine::CancelToken;

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
    let next = AtomicUsize::new(0);
    let sums = on_threads(threads, |_| {
        let starts =
            std::iter::from_fn(|| starts.get(next.fetch_add(1, Ordering::Relaxed)).copied());
        let counts = starts.map(|start| start.complete(board, cancel));
        counts.sum::<Option<u64>>()
    })?;
    let sum = sums.into_iter().sum::<Option<u64>>();
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

/// Checks the total of a plan against what is published or else, where the board allows it, against the solutions that
/// turns leave unchanged, which are counted for it on `threads` threads; when cancelled, it leaves them out.
///
/// # Errors
///
/// [`CountError::Mismatch`] or [`CountError::Contradiction`] if the total is found to be wrong, [`CountError::Pool`] if
/// the threads could not be started.
pub(crate) fn check_total(
    plan: &Plan,
    total: u128,
    threads: usize,
    cancel: &CancelToken,
) -> Result<(Check, Option<Classes>), CountError> {
    let board = plan.board();
    let check = verify::check(board, total)?;
    let symmetric = board.n() >= 2 && board.has_all_symmetries() && !board.is_torus();
    if matches!(check, Check::Verified { .. }) || !symmetric {
        return Ok((check, None));
    }
    let counted = Symmetric::count(board, threads, cancel)?;
    // Without them the total is whole; all that is missing is what would have been said about it.
    let Some(symmetric) = counted else {
        return Ok((check, None));
    };
    let (check, classes) = verify::check_by_symmetry(plan, total, symmetric)?;
    Ok((check, Some(classes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::known;

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
