//! Enumeration of all solutions in lexicographic order.
//!
//! Columns are filled from left to right and rows are tried from the top, so solutions are found in
//! lexicographic order. Diagonal attacks are kept in 128-bit masks that shift by one row per
//! column. Solutions are not stored.

use super::matching::has_matching;
use super::search::Limit;
use queens::CancelToken;
use queens::board::{Board, BoardError, Placement, Square};

/// Largest board size that can be enumerated: a 128-bit mask has one bit per row.
pub const MAX_ENUMERATED: u32 = 128;

/// Iterator over the solutions of a board in lexicographic order.
///
/// ```
/// use queens_search::Solutions;
/// use queens::{Board, Square};
///
/// let mut board = Board::new(6)?;
/// board.place(Square::new(0, 1))?;
/// let completions: Vec<_> = Solutions::new(&board)?.collect();
/// assert_eq!(completions.len(), 1);
/// assert_eq!(completions[0].rows(), [1, 3, 5, 0, 2, 4]);
/// # Ok::<(), queens::BoardError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Solutions {
    n: u32,
    /// For each column, the rows that are blocked, attacked by a preplaced queen, or off the board.
    unusable: Vec<u128>,
    /// Columns being searched, from the left.
    stack: Vec<Column>,
    /// Row of the queen in each column of `stack` except the last.
    rows: Vec<u32>,
    started: bool,
    cancel: CancelToken,
}

/// State of a column, given the queens to its left.
#[derive(Debug, Clone, Copy, Default)]
struct Column {
    /// Rows not tried yet.
    untried: u128,
    /// Rows occupied by a queen.
    rows: u128,
    /// Rows attacked along diagonals that rise from left to right (towards row 0).
    rising: u128,
    /// Rows attacked along diagonals that fall from left to right.
    falling: u128,
}

/// Returns the solutions of the N-queens problem for N = `n` in lexicographic order.
///
/// ```
/// let first = queens_search::solutions(8)?.next().unwrap();
/// assert_eq!(first.rows(), [0, 4, 7, 5, 2, 6, 1, 3]);
/// assert_eq!(queens_search::solutions(8)?.count(), 92);
/// # Ok::<(), queens::BoardError>(())
/// ```
///
/// # Errors
///
/// Returns [`BoardError::TooLarge`] if N exceeds [`MAX_ENUMERATED`].
pub fn solutions(n: u32) -> Result<Solutions, BoardError> {
    Solutions::new(&Board::new(n)?)
}

impl Solutions {
    /// Creates an iterator over the solutions of a board.
    ///
    /// # Errors
    ///
    /// Returns [`BoardError::TooLarge`] if N exceeds [`MAX_ENUMERATED`].
    pub fn new(board: &Board) -> Result<Self, BoardError> {
        let n = board.n();
        BoardError::check_size(n, MAX_ENUMERATED, "enumerate")?;
        let beyond = u128::MAX.checked_shl(n).unwrap_or(0);
        let unusable = |column| {
            let rows = (0..n).filter(|&row| !board.allows(Square::new(column, row)));
            rows.fold(beyond, |mask, row| mask | 1 << row)
        };
        let unusable: Vec<_> = (0..n).map(unusable).collect();
        let first = unusable.first().filter(|_| has_matching(board));
        let first = first.map(|&unusable| Column { untried: !unusable, ..Column::default() });
        Ok(Self {
            n,
            unusable,
            stack: first.into_iter().collect(),
            rows: Vec::with_capacity(n as usize),
            started: false,
            cancel: CancelToken::new(),
        })
    }

    /// Makes the iteration end early once the token is cancelled.
    #[must_use]
    pub fn cancel_with(mut self, token: CancelToken) -> Self {
        self.cancel = token;
        self
    }

    /// Returns the next solution, or [`Limit::Branches`] as an error once the search has
    /// backtracked `steps_back` times without finding one. The next call resumes the search.
    /// Between calls, the caller can do other work, such as handling signals.
    ///
    /// ```
    /// use queens_search::Limit;
    ///
    /// // Backtracks millions of times before the first solution.
    /// let mut solutions = queens_search::solutions(30)?;
    /// assert_eq!(solutions.next_within(1_000), Err(Limit::Branches));
    /// # Ok::<(), queens::BoardError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`Limit::Branches`] as described above, or [`Limit::Cancelled`] once the token is
    /// cancelled.
    pub fn next_within(&mut self, mut steps_back: u32) -> Result<Option<Placement>, Limit> {
        if !std::mem::replace(&mut self.started, true) && self.n == 0 {
            return Ok(Some(Placement::from_permutation(Vec::new())));
        }
        while let Some(column) = self.stack.last_mut() {
            if column.untried == 0 {
                if self.cancel.is_cancelled() {
                    return Err(Limit::Cancelled);
                }
                steps_back = steps_back.checked_sub(1).ok_or(Limit::Branches)?;
                self.stack.pop();
                continue;
            }
            let queen = column.untried & column.untried.wrapping_neg();
            column.untried ^= queen;
            let rows = column.rows | queen;
            let (rising, falling) = (column.rising | queen, column.falling | queen);
            let depth = self.stack.len();
            self.rows.truncate(depth - 1);
            self.rows.push(queen.trailing_zeros());
            if depth == self.n as usize {
                return Ok(Some(Placement::from_permutation(self.rows.clone())));
            }
            let mut next = Column { untried: 0, rows, rising: rising >> 1, falling: falling << 1 };
            next.untried = !(rows | next.rising | next.falling | self.unusable[depth]);
            if next.untried != 0 {
                self.stack.push(next);
            }
        }
        Ok(None)
    }
}

impl Iterator for Solutions {
    type Item = Placement;

    fn next(&mut self) -> Option<Placement> {
        loop {
            match self.next_within(u32::MAX) {
                Err(Limit::Branches) => {}
                next => return next.ok().flatten(),
            }
        }
    }
}

impl std::iter::FusedIterator for Solutions {}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::known;

    #[test]
    fn solutions_are_complete_and_in_order() {
        for n in 0..=12 {
            let found: Vec<_> = solutions(n).unwrap().collect();
            let board = Board::new(n).unwrap();
            assert!(found.iter().all(|p| board.is_solved_by(p)), "N = {n}");
            assert!(found.is_sorted_by(|a, b| a < b), "N = {n}");
            assert_eq!(found.len() as u128, known::values(n).unwrap().solutions, "N = {n}");
        }
    }

    #[test]
    fn a_paused_enumeration_resumes() {
        let (mut paused, mut pauses) = (solutions(7).unwrap(), 0);
        let found = std::iter::from_fn(|| {
            loop {
                match paused.next_within(3) {
                    Ok(next) => return next,
                    Err(limit) => assert_eq!(limit, Limit::Branches),
                }
                pauses += 1;
            }
        });
        assert!(found.eq(solutions(7).unwrap()) && pauses > 40);
    }

    #[test]
    fn each_class_has_one_first_solution() {
        for n in 0..=10 {
            let board = Board::new(n).unwrap();
            let is_first = |p: &Placement| board.is_first_of_class(p);
            let (firsts, others): (Vec<_>, Vec<_>) = solutions(n).unwrap().partition(is_first);
            let published = known::values(n).unwrap().fundamental;
            assert_eq!(firsts.len() as u128, published, "N = {n}");
            assert!(firsts.iter().all(|p| p.canonical() == *p), "N = {n}");
            assert!(others.iter().all(|p| p.canonical() < *p), "N = {n}");
        }
    }

    #[test]
    fn sizes_are_limited_by_the_mask() {
        assert!(solutions(MAX_ENUMERATED + 1).is_err());
        let solution = super::super::construct(MAX_ENUMERATED).unwrap();
        let mut board = Board::new(MAX_ENUMERATED).unwrap();
        for queen in solution.squares().skip(10) {
            board.place(queen).unwrap();
        }
        let mut completions = Solutions::new(&board).unwrap();
        assert!(completions.any(|found| found == solution));
    }
}
