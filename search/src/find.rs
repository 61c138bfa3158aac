//! Choice of the simplest method that finds the requested solutions.

use super::construct::construct;
use super::enumerate::{MAX_ENUMERATED, Solutions};
use super::random::{RandomSolutions, Restarts};
use super::search::{Limit, Limits, Search, SearchError, Statistics, Strategy};
use queens::board::{Board, Placement};

/// Largest empty board, and largest board with preplaced queens or blocked squares, whose first
/// solution in lexicographic order is found in well under a second.
const MAX_ORDERED: (u32, u32) = (20, 14);

/// Number and kind of solutions to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// The first solutions in lexicographic order up to N = 20, or up to N = 14 with preplaced
    /// queens or blocked squares. On larger boards, they are any distinct solutions.
    First(u64),
    /// All solutions.
    All,
    /// Random solutions with this seed.
    Random(u64),
}

/// Iterator over solutions found by the method that [`find`] chose.
#[derive(Debug)]
#[non_exhaustive]
pub enum Source {
    /// [`construct()`].
    Constructed(Option<Placement>),
    /// [`RandomSolutions`], with their seed.
    Random(u64, RandomSolutions),
    /// [`Restarts`].
    Restarts(Box<Restarts>),
    /// [`Solutions`].
    Enumerated(Solutions),
    /// [`Search`].
    Search(Box<Search>),
}

/// Chooses the simplest method that finds the requested solutions. A `strategy` requests a search.
/// If `must_search`, solutions are not enumerated, because enumeration has no statistics and no
/// limits, but searched with the default strategy.
///
/// ```
/// use queens::Board;
/// use queens_search::{Limits, Selection, Source, find};
///
/// let one = Selection::First(1);
/// let source = find(&Board::new(1_000)?, one, None, false, &Limits::default())?;
/// assert!(matches!(source, Source::Constructed(_)));
/// let source = find(&Board::new(8)?, Selection::All, None, false, &Limits::default())?;
/// assert_eq!(source.count(), 92);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Returns an error if N exceeds 5,000 and the solution cannot be constructed, or if the strategy
/// is not available for the board.
pub fn find(
    board: &Board,
    selection: Selection,
    strategy: Option<Strategy>,
    must_search: bool,
    limits: &Limits,
) -> Result<Source, SearchError> {
    let (n, limits) = (board.n(), limits.clone());
    let has_constraints = board.has_constraints();
    let is_large = n > if has_constraints { MAX_ORDERED.1 } else { MAX_ORDERED.0 };
    Ok(match (strategy, selection) {
        (None, Selection::Random(seed)) => {
            Source::Random(seed, RandomSolutions::new(board, seed, limits)?)
        }
        (None, Selection::First(1)) if is_large && !has_constraints => {
            Source::Constructed(construct(n))
        }
        (None, Selection::First(_)) if is_large => {
            Source::Restarts(Box::new(Restarts::new(board, 0, limits)?))
        }
        (None, _) if !must_search && n <= MAX_ENUMERATED => {
            Source::Enumerated(Solutions::new(board)?.cancel_with(limits.cancel))
        }
        _ => {
            let strategy = strategy.unwrap_or_default();
            Source::Search(Box::new(Search::new(board, strategy, limits)?))
        }
    })
}

impl Source {
    /// Returns the statistics of a search, which are all zero for other methods.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        match self {
            Self::Restarts(restarts) => restarts.statistics(),
            Self::Search(search) => search.statistics(),
            _ => Statistics::default(),
        }
    }

    /// Returns the limit that ended a search, if any.
    #[must_use]
    pub fn limit(&self) -> Option<Limit> {
        match self {
            Self::Random(_, random) => random.limit(),
            Self::Restarts(restarts) => restarts.limit(),
            Self::Search(search) => search.limit(),
            _ => None,
        }
    }
}

impl Iterator for Source {
    type Item = Placement;

    fn next(&mut self) -> Option<Placement> {
        match self {
            Self::Constructed(solution) => solution.take(),
            Self::Random(_, solutions) => solutions.next(),
            Self::Restarts(restarts) => restarts.next(),
            Self::Enumerated(solutions) => solutions.next(),
            Self::Search(search) => search.next(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::Square;

    /// One solution is the first of several, with and without statistics. Solutions of boards with
    /// blocked squares are in order up to N = 14.
    #[test]
    fn the_first_solutions_are_those_of_the_enumeration() {
        let empty = (0..=20).map(|n| Board::new(n).unwrap());
        let blocked = (8..=14).map(|n| Board::new(n).unwrap().with_blocked(["a1"]).unwrap());
        for board in empty.chain(blocked) {
            let first: Vec<_> = Solutions::new(&board).unwrap().take(3).collect();
            for (number, must_search) in [(1, false), (1, true), (3, false), (3, true)] {
                let (selection, limits) = (Selection::First(number), Limits::default());
                let found = find(&board, selection, None, must_search, &limits).unwrap();
                let expected = first.iter().take(number as usize).cloned();
                assert!(found.take(number as usize).eq(expected), "{board:?}");
            }
        }
    }

    /// Each way to search a board on which ten columns have usable squares in only nine rows ends
    /// at the root.
    #[test]
    fn every_search_refutes_a_board_without_a_matching() {
        for n in [20, 40, 150] {
            let mut board = Board::new(n).unwrap();
            let squares = (0..10).flat_map(|column| (0..n).map(move |row| (2 * column, row)));
            for (column, row) in squares.filter(|(_, row)| row % 2 == 0 || *row >= 18) {
                board.block(Square::new(column, row)).unwrap();
            }
            let selections = [Selection::First(1), Selection::First(3), Selection::All];
            for selection in selections.into_iter().chain([Selection::Random(1)]) {
                for strategy in [None, Some(Strategy::NAIVE), Some(Strategy::FIRST_FAIL)] {
                    let limits = Limits::default();
                    let mut source = find(&board, selection, strategy, true, &limits).unwrap();
                    assert_eq!((source.next(), source.limit()), (None, None), "{selection:?}");
                    assert_eq!(source.statistics().branches, 0);
                }
            }
            assert!(n > MAX_ENUMERATED || Solutions::new(&board).unwrap().next().is_none());
        }
    }
    /// The first solution for N = 22 is found only after many steps back.
    #[test]
    fn every_search_can_be_cancelled() {
        let limits = Limits::default();
        limits.cancel.cancel();
        for board in [22, 40].map(|n| Board::new(n).unwrap()) {
            for selection in [Selection::First(3), Selection::All, Selection::Random(1)] {
                for strategy in [None, Some(Strategy::BACKTRACK)] {
                    let mut source = find(&board, selection, strategy, false, &limits).unwrap();
                    assert_eq!(source.next(), None, "{selection:?} {strategy:?}");
                }
            }
        }
    }
}
