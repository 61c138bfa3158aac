//! Randomized search with restarts, for random solutions and for several solutions of large boards.

use std::collections::HashSet;

use fastrand::Rng;

use super::enumerate::Solutions;
use super::search::{Limit, Limits, MAX_SEARCHED, Search, SearchError, Statistics, Step, Strategy};
use queens::board::{Board, BoardError, Placement};
use queens::machine::Instant;

/// Largest board size for which all solutions are equally likely.
const MAX_UNIFORM: u32 = 12;
/// Number of branches per column to take without a new solution before the first restart.
const PATIENCE: u64 = 20;
/// Number of restarts without a new solution before the complete search.
const MAX_RESTARTS: u32 = 8;

/// Iterator over random solutions of a board. It is empty if the board has no solution. Otherwise,
/// it ends only if a [`limit`](Self::limit) is reached.
///
/// The same seed gives the same solutions on every machine. Up to N = 12, the solutions are
/// enumerated and all are equally likely. Larger boards are searched with [`Restarts`], which does
/// not sample uniformly.
///
/// ```
/// use queens::Board;
/// use queens_search::{Limits, RandomSolutions};
///
/// let mut solutions = RandomSolutions::new(&Board::new(100)?, 7, Limits::default())?;
/// assert!(solutions.next().unwrap().is_solution());
/// # Ok::<(), queens::BoardError>(())
/// ```
#[derive(Debug)]
pub struct RandomSolutions {
    board: Board,
    rng: Rng,
    limits: Limits,
    started: Instant,
    /// All solutions of a small board, enumerated on first use.
    all: Option<Vec<Placement>>,
    limit: Option<Limit>,
}

impl RandomSolutions {
    /// Creates an iterator over random solutions.
    ///
    /// # Errors
    ///
    /// Returns [`BoardError::TooLarge`] if N exceeds 5,000.
    pub fn new(board: &Board, seed: u64, limits: Limits) -> Result<Self, BoardError> {
        BoardError::check_size(board.n(), MAX_SEARCHED, "find random solutions")?;
        let (board, rng) = (board.clone(), Rng::with_seed(seed));
        Ok(Self { board, rng, limits, started: Instant::now(), all: None, limit: None })
    }

    /// Returns the limit that ended the iteration, if any.
    #[must_use]
    pub fn limit(&self) -> Option<Limit> {
        self.limit
    }
}

impl Iterator for RandomSolutions {
    type Item = Placement;

    fn next(&mut self) -> Option<Placement> {
        if self.board.n() > MAX_UNIFORM {
            let mut limits = self.limits.clone();
            limits.time = limits.time.map(|time| time.saturating_sub(self.started.elapsed()));
            let search = Restarts::new(&self.board, self.rng.u64(..), limits);
            let mut search = search.expect("the size was checked");
            let found = search.next();
            self.limit = search.limit();
            return found;
        }
        let all = self.all.get_or_insert_with(|| {
            let all = Solutions::new(&self.board).expect("a small board is enumerated");
            all.cancel_with(self.limits.cancel.clone()).collect()
        });
        if self.limits.cancel.is_cancelled() {
            // The enumeration may be incomplete, and a choice from it would be biased.
            self.limit = Some(Limit::Cancelled);
            return None;
        }
        self.rng.choice(&*all).cloned()
    }
}

/// Iterator over distinct solutions of a board, for boards that take too long to enumerate in
/// lexicographic order.
///
/// A first-fail search tries rows in random order. After many branches without a new solution, it
/// restarts with new random numbers and waits for twice as many branches before the next restart
/// (C. P. Gomes, B. Selman, H. Kautz 1998). After eight restarts without a new solution, which are
/// about 10,000 branches per column, [`Strategy::FIRST_FAIL`] searches without random numbers and
/// without restarts. The iteration ends when a search has explored its whole tree, because all
/// solutions have then been found, or at a limit. The same seed gives the same solutions on every
/// machine.
///
/// ```
/// use queens_search::{Limits, Restarts};
///
/// let board = queens::Board::new(50)?;
/// let found: Vec<_> = Restarts::new(&board, 0, Limits::default())?.take(2).collect();
/// assert!(found[0] != found[1] && found.iter().all(|solution| solution.is_solution()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Restarts {
    n: u32,
    rng: Rng,
    found: HashSet<Placement>,
    search: Search,
    /// Number of branches when the complete search began, if it has begun.
    complete_since: Option<u64>,
}

impl Restarts {
    /// Creates an iterator over distinct solutions.
    ///
    /// # Errors
    ///
    /// Returns [`SearchError::Board`] if N exceeds 5,000.
    pub fn new(board: &Board, seed: u64, limits: Limits) -> Result<Self, SearchError> {
        let mut rng = Rng::with_seed(seed);
        let mut search = Search::new(board, Strategy::FIRST_FAIL, limits)?;
        search.restart(Some(rng.u64(..)));
        Ok(Self { n: board.n(), rng, found: HashSet::new(), search, complete_since: None })
    }

    /// Returns the statistics of all searches so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        Statistics { solutions: self.found.len() as u64, ..self.search.statistics() }
    }

    /// Returns the number of branches of the complete search, if the restarts have ended.
    #[must_use]
    pub fn complete_branches(&self) -> Option<u64> {
        self.complete_since.map(|since| self.search.statistics().branches - since)
    }

    /// Returns the limit that ended the iteration, if any.
    #[must_use]
    pub fn limit(&self) -> Option<Limit> {
        self.search.limit()
    }

    /// Searches for a new solution until the search ends or has taken a number of branches.
    fn next_within(&mut self, branches: u64) -> Option<Placement> {
        let end = self.search.statistics().branches.saturating_add(branches);
        while self.search.statistics().branches < end && !self.search.has_ended() {
            match self.search.step() {
                Step::Solution(solution) if self.found.insert(solution.clone()) => {
                    return Some(solution);
                }
                _ => {}
            }
        }
        None
    }
}

impl Iterator for Restarts {
    type Item = Placement;

    fn next(&mut self) -> Option<Placement> {
        let mut patience = PATIENCE * (1 + u64::from(self.n));
        let mut restarts = 0;
        while self.complete_since.is_none() {
            let found = self.next_within(patience);
            if found.is_some() || self.search.has_ended() {
                return found;
            }
            // Most small trees are explored before the restarts end, because of the doubling.
            patience *= 2;
            let seed = (restarts < MAX_RESTARTS).then(|| self.rng.u64(..));
            if seed.is_none() {
                self.complete_since = Some(self.search.statistics().branches);
            }
            self.search.restart(seed);
            restarts += 1;
        }
        self.next_within(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::construct;
    use queens::Square;
    use std::collections::HashMap;

    /// Returns a board of which `open` rows of each column are usable.
    fn every_few(n: u32, [across, down, open]: [u32; 3]) -> Board {
        let mut board = Board::new(n).unwrap();
        let squares = (0..n * n).map(|i| Square::new(i / n, i % n));
        let is_blocked = |square: &Square| (square.column * across + square.row * down) % n >= open;
        squares.filter(is_blocked).for_each(|square| board.block(square).unwrap());
        board
    }

    /// Covers a board of which 40 of 50 queens are preplaced, and one on which seven of the sixteen
    /// rows of each column are usable, where solutions are found again after a restart.
    #[test]
    fn restarts_find_every_solution_once() {
        let mut boards: Vec<_> = (0..=8).map(|n| Board::new(n).unwrap()).collect();
        let mut placed = Board::new(50).unwrap();
        let constructed = construct(50).unwrap();
        constructed.squares().skip(10).for_each(|queen| placed.place(queen).unwrap());
        boards.extend([placed, every_few(16, [3, 5, 7])]);
        for board in boards {
            let all: Vec<_> = Solutions::new(&board).unwrap().collect();
            let mut restarts = Restarts::new(&board, 0, Limits::default()).unwrap();
            let mut found: Vec<_> = restarts.by_ref().collect();
            assert_eq!(restarts.statistics().solutions, found.len() as u64);
            found.sort();
            assert_eq!(found, all, "N = {}", board.n());
            assert!(board.n() != 16 || all.len() > 30);
        }
    }

    /// The last search finds the solutions that the others have missed in its usual order.
    #[test]
    fn the_last_search_has_no_random_numbers() {
        let board = every_few(18, [4, 7, 8]);
        let mut plain = Search::new(&board, Strategy::FIRST_FAIL, Limits::default()).unwrap();
        let ranks: HashMap<_, usize> = plain.by_ref().zip(0..).collect();
        let mut restarts = Restarts::new(&board, 0, Limits::default()).unwrap();
        let mut last = Vec::new();
        while let Some(solution) = restarts.next() {
            last.extend(restarts.complete_branches().map(|_| ranks[&solution]));
        }
        assert!(last.len() > 1 && last.is_sorted());
        assert_eq!(restarts.complete_branches(), Some(plain.statistics().branches));
    }

    #[test]
    fn limits_apply_to_all_restarts_together() {
        let limits = Limits { branches: Some(5_000), ..Limits::default() };
        let mut restarts = Restarts::new(&Board::new(20).unwrap(), 0, limits).unwrap();
        assert!(restarts.by_ref().count() > 1 && restarts.limit() == Some(Limit::Branches));
        assert_eq!(restarts.statistics().branches, 5_000);
    }
}
