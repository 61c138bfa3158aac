//! Random solutions.

use fastrand::Rng;

use super::enumerate::Solutions;
use super::search::{Limit, Limits, MAX_SEARCHED, Search, Settings, Strategy, Value};
use crate::board::{Board, BoardError, Placement};
use crate::engine::CancelToken;

/// The largest board whose solutions are all as likely as one another.
const MAX_UNIFORM: u32 = 12;
/// Branches for each column before a search begins again.
const PATIENCE: u64 = 20;

/// Random solutions of a board without end, the same ones for the same seed on every machine; none if it has none.
///
/// Up to N = 12 all solutions are enumerated, and each is as likely as the others. Above that each is the first one
/// of a search that goes on in the column with the fewest free rows and picks one of them at random, and that begins again
/// when it loses its way. That does not make all solutions equally likely, and how likely each is is not known.
///
/// ```
/// use queens::solve::Random;
/// use queens::{Board, CancelToken};
///
/// let mut random = Random::new(&Board::new(100)?, 7, CancelToken::new())?;
/// assert!(random.next().unwrap().is_solution());
/// # Ok::<(), queens::BoardError>(())
/// ```
#[derive(Debug)]
pub struct Random {
    board: Board,
    rng: Rng,
    /// All solutions of a small board, once one has been asked for.
    all: Option<Vec<Placement>>,
    cancel: CancelToken,
}

impl Random {
    /// Random solutions of a board; they end when the token is cancelled.
    ///
    /// # Errors
    ///
    /// [`BoardError::TooLarge`] if N is above 5,000.
    pub fn new(board: &Board, seed: u64, cancel: CancelToken) -> Result<Self, BoardError> {
        BoardError::check_size(board.n(), MAX_SEARCHED, "find random solutions")?;
        Ok(Self {
            board: board.clone(),
            rng: Rng::with_seed(seed),
            all: None,
            cancel,
        })
    }

    fn search(&mut self) -> Option<Placement> {
        // More each time, so that a board without a solution is found to have none.
        let mut branches = PATIENCE * u64::from(self.board.n());
        loop {
            let settings = Settings {
                value: Value::Random,
                seed: self.rng.u64(..),
                ..Strategy::FirstFail.into()
            };
            let limits = Limits {
                branches: Some(branches),
                cancel: self.cancel.clone(),
                ..Limits::default()
            };
            let search = Search::new(&self.board, settings, limits);
            let mut search = search.expect("the size was checked, and these settings go together");
            let found = search.next();
            if found.is_some() || search.limit() != Some(Limit::Branches) {
                return found;
            }
            branches *= 2;
        }
    }
}

impl Iterator for Random {
    type Item = Placement;

    fn next(&mut self) -> Option<Placement> {
        if self.board.n() > MAX_UNIFORM {
            return self.search();
        }
        let all = self.all.get_or_insert_with(|| {
            let all = Solutions::new(&self.board).expect("a small board is enumerated");
            all.cancel_with(self.cancel.clone()).collect()
        });
        // What was enumerated before it was cancelled is not all.
        let is_whole = !self.cancel.is_cancelled();
        self.rng.choice(&*all).filter(|_| is_whole).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn random(board: &Board, seed: u64) -> Random {
        Random::new(board, seed, CancelToken::new()).unwrap()
    }

    /// Of 4,000 draws from 40 solutions each comes about 100 times, with a standard deviation of 10.
    #[test]
    fn small_boards_have_no_favourites() {
        let board = Board::new(7).unwrap();
        let mut drawn = BTreeMap::new();
        for solution in random(&board, 1).take(4_000) {
            *drawn.entry(solution).or_insert(0) += 1;
        }
        let all: Vec<_> = Solutions::new(&board).unwrap().collect();
        assert!(drawn.keys().eq(&all));
        assert!(
            drawn.values().all(|&times| (40..=160).contains(&times)),
            "{drawn:?}"
        );
    }

    #[test]
    fn a_seed_is_a_solution() {
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
}
