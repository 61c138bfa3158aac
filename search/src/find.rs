//! Choice of the simplest method that finds the requested solutions.

use super::construct::construct;
use super::enumerate::{MAX_ENUMERATED, Solutions};
use super::matching::has_matching;
use super::random::{RandomSolutions, Restarts};
use super::search::{Limit, Limits, Search, SearchError, Statistics, Strategy};
use queens::board::{Board, Placement};

/// Number and kind of solutions to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// One solution.
    Any,
    /// The first solutions in lexicographic order, or other solutions if those take too long to
    /// enumerate.
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
    /// No method: some columns have their usable squares in fewer rows than there are columns.
    Refuted,
    /// [`construct()`].
    Constructed(Option<Placement>),
    /// [`RandomSolutions`], with their seed.
    Random(u64, RandomSolutions),
    /// [`Restarts`], after a constructed solution if there is one.
    Restarts(Box<Restarts>),
    /// [`Solutions`].
    Enumerated(Solutions),
    /// [`Search`].
    Search(Box<Search>),
}

/// Chooses the simplest method that finds the requested solutions. A `strategy` requests a search.
/// If the caller needs statistics of a search or sets limits, `is_measured` excludes enumeration,
/// which has neither.
///
/// ```
/// use queens::Board;
/// use queens_search::{Limits, Selection, Source, find};
///
/// let source = find(&Board::new(1_000)?, Selection::Any, None, false, &Limits::default())?;
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
    is_measured: bool,
    limits: &Limits,
) -> Result<Source, SearchError> {
    let n = board.n();
    let is_large = matches!(selection, Selection::First(_)) && Restarts::are_needed(board);
    let is_one = selection == Selection::Any || is_large && selection == Selection::First(1);
    Ok(match (strategy, selection) {
        (None, _) if board.has_constraints() && !has_matching(board) => Source::Refuted,
        (None, Selection::Random(seed)) => {
            Source::Random(seed, RandomSolutions::new(board, seed, limits.cancel.clone())?)
        }
        (None, _) if is_one && !board.has_constraints() => Source::Constructed(construct(n)),
        (None, _) if is_one || is_large => {
            let restarts = Restarts::new(board, 0, limits.clone())?;
            Source::Restarts(Box::new(restarts.constructed_first()))
        }
        (None, _) if !is_measured && n <= MAX_ENUMERATED => {
            let solutions = Solutions::new(board)?;
            Source::Enumerated(solutions.cancel_with(limits.cancel.clone()))
        }
        _ => {
            let strategy = strategy.unwrap_or(Strategy::BACKTRACK);
            Source::Search(Box::new(Search::new(board, strategy, limits.clone())?))
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
            Self::Refuted => None,
            Self::Constructed(solution) => solution.take(),
            Self::Random(_, solutions) => solutions.next(),
            Self::Restarts(restarts) => restarts.next(),
            Self::Enumerated(solutions) => solutions.next(),
            Self::Search(search) => search.next(),
        }
    }
}
