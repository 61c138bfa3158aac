//! Randomized search with restarts, for random solutions and for several solutions of large boards.

use std::collections::HashSet;

use fastrand::Rng;

use super::construct::{construct, construct_torus};
use super::enumerate::Solutions;
use super::search::{
    Limit, Limits, MAX_SEARCHED, Search, SearchError, Statistics, Step, Strategy, Value, Weighted,
};
use crate::board::{Board, BoardError, Placement};
use crate::engine::CancelToken;

/// Largest board size for which all solutions are equally likely.
const MAX_UNIFORM: u32 = 12;
/// Number of branches per column to take without a new solution before the first restart.
const PATIENCE: u64 = 20;

/// Returns an iterator over random solutions of a board. It is empty if the board has no solution.
/// Otherwise, it ends only when the token is cancelled.
///
/// The same seed gives the same solutions on every machine. Up to N = 12, the solutions are
/// enumerated and all are equally likely. Larger boards are searched with [`Restarts`], which does
/// not sample uniformly.
///
/// ```
/// use queens::{Board, CancelToken};
///
/// let mut solutions = queens::solve::random(&Board::new(100)?, 7, CancelToken::new())?;
/// assert!(solutions.next().unwrap().is_solution());
/// # Ok::<(), queens::BoardError>(())
/// ```
///
/// # Errors
///
/// Returns [`BoardError::TooLarge`] if N exceeds 5,000.
pub fn random(
    board: &Board,
    seed: u64,
    cancel: CancelToken,
) -> Result<impl Iterator<Item = Placement> + use<>, BoardError> {
    BoardError::check_size(board.n(), MAX_SEARCHED, "find random solutions")?;
    let (board, mut rng) = (board.clone(), Rng::with_seed(seed));
    // All solutions of a small board, enumerated on first use.
    let mut all = None::<Vec<_>>;
    Ok(std::iter::from_fn(move || {
        let cancel = cancel.clone();
        if board.n() > MAX_UNIFORM {
            let limits = Limits { cancel, ..Limits::default() };
            let searches = Restarts::new(&board, rng.u64(..), limits);
            return searches.expect("the size was checked").next();
        }
        let all = all.get_or_insert_with(|| {
            let all = Solutions::new(&board).expect("a small board is enumerated");
            all.cancel_with(cancel.clone()).collect()
        });
        // A cancelled enumeration is incomplete, so choosing from it would be biased.
        let is_whole = !cancel.is_cancelled();
        rng.choice(&*all).filter(|_| is_whole).cloned()
    }))
}

/// Iterator over distinct solutions of a board, for boards that take too long to enumerate in
/// lexicographic order.
///
/// A first-fail search tries rows in random order. After many branches without a new solution, it
/// restarts with new random numbers and waits for twice as many branches before the next restart
/// (C. P. Gomes, B. Selman, H. Kautz 1998). On a board with preplaced queens or blocked squares,
/// a conflict-weighted search (F. Boussemart, F. Hemery, C. Lecoutre, L. Sais 2004) takes over at
/// the first restart. The iteration ends when a search has explored its whole tree, because all
/// solutions have then been found. The same seed gives the same solutions on every machine.
///
/// ```
/// use queens::solve::{Limits, Restarts};
///
/// let board = queens::Board::new(50)?;
/// let found: Vec<_> = Restarts::new(&board, 0, Limits::default())?.take(2).collect();
/// assert!(found[0] != found[1] && found.iter().all(|solution| solution.is_solution()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Restarts {
    board: Board,
    rng: Rng,
    /// Constructed solution to return next.
    constructed: Option<Placement>,
    found: HashSet<Placement>,
    search: Search,
    /// Search that has taken over, if any. It uses the limits and statistics of `search`.
    weighted: Option<Weighted>,
}

impl Restarts {
    /// Creates an iterator over distinct solutions.
    ///
    /// # Errors
    ///
    /// Returns [`SearchError::Board`] if N exceeds 5,000.
    pub fn new(board: &Board, seed: u64, limits: Limits) -> Result<Self, SearchError> {
        let mut rng = Rng::with_seed(seed);
        let strategy = Strategy { value: Value::Random, seed: rng.u64(..), ..Strategy::FIRST_FAIL };
        Ok(Self {
            board: board.clone(),
            rng,
            constructed: None,
            found: HashSet::new(),
            search: Search::new(board, strategy, limits)?,
            weighted: None,
        })
    }

    /// Starts with the constructed solution if the board is empty. On a torus, the solution's
    /// vertical shifts follow.
    #[must_use]
    pub fn constructed_first(mut self) -> Self {
        self.constructed = match self.board.is_torus() {
            _ if self.board.has_constraints() => None,
            true => construct_torus(self.board.n()),
            false => construct(self.board.n()),
        };
        self
    }

    /// Whether it may take seconds to enumerate the first solutions of a board in lexicographic
    /// order.
    #[must_use]
    pub fn are_needed(board: &Board) -> bool {
        board.n() > if board.is_standard() { 29 } else { 14 }
    }

    /// Returns the statistics of all searches so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        Statistics { solutions: self.found.len() as u64, ..self.search.statistics() }
    }

    /// Describes the search in use, as in `random search with restarts`.
    #[must_use]
    pub fn method(&self) -> &'static str {
        match self.weighted {
            None => "random search with restarts",
            Some(_) => "conflict-weighted search with restarts",
        }
    }

    /// Returns the limit that ended the iteration, if any.
    #[must_use]
    pub fn limit(&self) -> Option<Limit> {
        self.search.limit()
    }
}

impl Iterator for Restarts {
    type Item = Placement;

    fn next(&mut self) -> Option<Placement> {
        if let Some(next) = self.constructed.take() {
            self.found.insert(next.clone());
            if self.board.is_torus() {
                let rows = next.rows().iter().map(|row| (row + 1) % next.n());
                let shifted = Placement::from_permutation(rows.collect());
                self.constructed = Some(shifted).filter(|shifted| !self.found.contains(shifted));
            }
            return Some(next);
        }
        let mut patience = PATIENCE * (1 + u64::from(self.board.n()));
        loop {
            if let Some(weighted) = &mut self.weighted {
                let mut solutions = std::iter::from_fn(|| weighted.next(&mut self.search));
                return solutions.find(|solution| self.found.insert(solution.clone()));
            }
            let end = self.search.statistics().branches + patience;
            while self.search.statistics().branches < end {
                match self.search.step() {
                    Step::Solution(solution) if self.found.insert(solution.clone()) => {
                        return Some(solution);
                    }
                    Step::End | Step::Limit(_) => return None,
                    _ => {}
                }
            }
            // Because of the doubling, a search eventually explores its whole tree if no solution
            // is left.
            patience *= 2;
            let seed = self.rng.u64(..);
            self.search.restart(seed);
            if self.board.has_constraints() {
                self.weighted = Some(Weighted::new(&self.board, &self.search, seed));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Square;
    use std::collections::BTreeMap;

    fn random(board: &Board, seed: u64) -> impl Iterator<Item = Placement> {
        super::random(board, seed, CancelToken::new()).unwrap()
    }

    /// Each of the 40 solutions is expected 100 times in 4,000 samples, with a standard deviation
    /// of 10.
    #[test]
    fn seven_queens_are_sampled_uniformly() {
        let board = Board::new(7).unwrap();
        let mut counts = BTreeMap::new();
        for solution in random(&board, 1).take(4_000) {
            *counts.entry(solution).or_insert(0) += 1;
        }
        let all: Vec<_> = Solutions::new(&board).unwrap().collect();
        assert!(counts.keys().eq(&all));
        assert!(counts.values().all(|count| (40..=160).contains(count)), "{counts:?}");
    }

    #[test]
    fn a_seed_determines_the_solution() {
        for n in [8, 13, 78, 300] {
            let mut board = Board::new(n).unwrap();
            board.block(crate::Square::new(0, 0)).unwrap();
            let first = |seed| random(&board, seed).next().unwrap();
            assert!(board.is_solved_by(&first(1)), "N = {n}");
            assert_eq!(first(1), first(1));
            assert!((2..20).any(|seed| first(seed) != first(1)));
        }
        assert!(random(&Board::new(3).unwrap(), 1).next().is_none());
        assert!(random(&Board::torus(14).unwrap(), 1).next().is_none());
    }

    fn squares(n: u32) -> impl Iterator<Item = Square> {
        (0..n * n).map(move |i| Square::new(i / n, i % n))
    }

    fn restarts(board: &Board) -> Restarts {
        Restarts::new(board, 0, Limits::default()).unwrap()
    }

    /// The iteration yields every solution once and ends, with and without a constructed first
    /// solution.
    #[test]
    fn restarts_find_every_solution_once() {
        let boards = (0..=8).map(|n| Board::new(n).unwrap());
        for board in boards.chain([Board::torus(7).unwrap(), Board::torus(6).unwrap()]) {
            let all: Vec<_> = Solutions::new(&board).unwrap().collect();
            for restarts in [restarts(&board), restarts(&board).constructed_first()] {
                let mut found: Vec<_> = restarts.collect();
                found.sort();
                assert_eq!(found, all, "N = {}", board.n());
            }
        }
    }

    /// With 40 of 50 queens preplaced, the iteration yields all completions and ends.
    #[test]
    fn restarts_end_on_boards_with_few_solutions() {
        let mut board = Board::new(50).unwrap();
        let constructed = construct(50).unwrap();
        for queen in constructed.squares().skip(10) {
            board.place(queen).unwrap();
        }
        let found: Vec<_> = restarts(&board).collect();
        assert!(found.contains(&constructed));
        let all = Solutions::new(&board).unwrap().collect::<HashSet<_>>();
        assert_eq!(found.iter().cloned().collect::<HashSet<_>>(), all);
        assert_eq!(found.len(), all.len());
    }

    /// Boards on which first fail finds nothing for a long time, with or without random rows.
    #[test]
    fn boards_with_many_blocked_squares_are_solved() {
        let mut rng = Rng::with_seed(1);
        let is_free = |square: &Square| {
            (7 * square.row + 13 * square.column + square.row * square.column) % 10 >= 6
        };
        let formula: Vec<_> = squares(200).filter(is_free).collect();
        let mut random = Vec::new();
        for row in 0..100 {
            let size = rng.usize(12..=16);
            let columns = rng.choose_multiple(0..100, size);
            random.extend(columns.into_iter().map(|column| Square::new(column, row)));
        }
        for (n, free) in [(200, formula), (100, random)] {
            let free: HashSet<_> = free.into_iter().collect();
            let mut board = Board::new(n).unwrap();
            let blocked = squares(n).filter(|square| !free.contains(square));
            blocked.for_each(|square| board.block(square).unwrap());
            let mut restarts = restarts(&board);
            assert!(board.is_solved_by(&restarts.next().unwrap()));
            assert_eq!(restarts.method(), "conflict-weighted search with restarts");
        }
    }

    #[test]
    fn limits_apply_to_all_restarts_together() {
        let limits = Limits { branches: Some(5_000), ..Limits::default() };
        let mut restarts = Restarts::new(&Board::torus(32).unwrap(), 0, limits).unwrap();
        assert_eq!((restarts.next(), restarts.limit()), (None, Some(Limit::Branches)));
        assert_eq!(restarts.statistics().branches, 5_000);
    }
}
