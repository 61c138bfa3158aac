//! Searches, with statistics, trees and traces.

use pyo3::prelude::*;
use queens::CancelToken;
use queens_search::page::{LARGEST_EXPLORED, tree_html};
use queens_search::tree::{MAX_DRAWN, Tree};
use queens_search::{Limits, SearchError, Selection, Source, Strategy, find};

use crate::arguments::{ANY, Text, optional, seconds};
use crate::attend::attend;
use crate::boards::{Given, board_of};
use crate::errors::invalid;
use crate::steps::Steps;

/// Result of a search.
#[pyclass(frozen, get_all, module = "n_queens._native")]
pub(crate) struct Found {
    solutions: Vec<Vec<u32>>,
    /// Method of the search.
    how: String,
    /// Limit that ended the search.
    stopped: Option<String>,
    /// Numbers of branches, failures and tested squares.
    figures: [u64; 3],
    title: String,
    /// The tree as a page.
    tree: Option<String>,
    /// The first steps, as an array in JSON.
    trace: String,
}

fn not_searched(error: SearchError) -> PyErr {
    match error {
        SearchError::Board(error) => invalid(error),
        error => invalid(format!("strategy: {error}")),
    }
}

/// Searches for up to `limit` solutions, or for random ones, of the board called `name`. If
/// requested, records the tree and the first `steps` steps.
#[pyfunction]
#[pyo3(signature = (board, *, name, limit, random, strategy, seed, max_branches, timeout, tree, steps))]
#[allow(clippy::too_many_arguments, reason = "Python passes them by name")]
pub(crate) fn solve(
    py: Python<'_>,
    board: Given,
    name: &str,
    limit: Option<&Bound<'_, PyAny>>,
    random: bool,
    strategy: Option<Text>,
    seed: Option<&Bound<'_, PyAny>>,
    max_branches: Option<&Bound<'_, PyAny>>,
    timeout: Option<&Bound<'_, PyAny>>,
    tree: bool,
    steps: usize,
) -> PyResult<Found> {
    let board = board_of(board)?;
    let (limit, mut seed) = (optional("limit", limit, ANY)?, optional("seed", seed, ANY)?);
    let max_branches = optional("max_branches", max_branches, ANY)?;
    let timeout = timeout.map(|timeout| seconds("timeout", timeout)).transpose()?;
    if random {
        let is_search = strategy.is_some() || max_branches.is_some() || timeout.is_some();
        if is_search || limit.is_none() || tree || steps > 0 {
            let accepted = "accepted: seed, and a limit other than None";
            return Err(invalid(format!(
                "random: cannot be combined with other options ({accepted})"
            )));
        }
        seed = seed.or_else(|| Some(fastrand::u64(..)));
    } else if let Some(seed) = seed {
        return Err(invalid(format!("seed: {seed} is of no use (accepted with random=True)")));
    }
    let strategy = strategy.map(|Text(name)| name.parse::<Strategy>()).transpose();
    let strategy = strategy.map_err(|error| invalid(format!("strategy: {error}")))?;
    let has_tree = tree;
    if has_tree && board.n() > LARGEST_EXPLORED {
        let why = format!("a board of N = {} is too large", board.n());
        return Err(invalid(format!("tree: {why} (accepted: 0 to {LARGEST_EXPLORED})")));
    }
    let cancel = CancelToken::new();
    let limits = Limits { branches: max_branches, time: timeout, cancel: cancel.clone() };
    let selection = match (limit, seed) {
        (_, Some(seed)) => Selection::Random(seed),
        (Some(most), _) => Selection::First(most),
        (None, _) => Selection::All,
    };
    let strategy = strategy.or((has_tree || steps > 0).then(Strategy::default));
    let mut source = find(&board, selection, strategy, true, &limits).map_err(not_searched)?;
    let mut tree = has_tree.then(|| Tree::new(MAX_DRAWN));
    let mut trace = Steps::new(&board, steps);
    let next = || match &mut source {
        Source::Search(search) => search.walk(|search, step| {
            if let Some(tree) = &mut tree {
                tree.record(search, step);
            }
            trace.record(search, step);
        }),
        source => source.next(),
    };
    let solutions = std::iter::from_fn(next).map(|found| found.rows().to_vec());
    let solutions = solutions.take(limit.map_or(usize::MAX, |most| most as usize));
    let solutions: Vec<_> = attend(py, || cancel.cancel(), || Ok(()), || solutions.collect())?;
    let found = source.statistics();
    let (how, is_search) = match &source {
        Source::Constructed(_) => ("by construction".to_owned(), false),
        Source::Random(seed, _) => (format!("at random, seed {seed}"), false),
        Source::Search(search) => (search.strategy().to_string(), true),
        Source::Restarts(_) => ("random search with restarts".to_owned(), true),
        _ => ("in lexicographic order".to_owned(), false),
    };
    let mut title = format!("{name}, {how}: ");
    if is_search {
        title += &format!("branches {}, failures {}, ", found.branches, found.failures);
    }
    let count = if is_search { found.solutions } else { solutions.len() as u64 };
    title += &format!("solutions {count}");
    let stopped = source.limit().map(|limit| format!("{limit:?}").to_lowercase());
    if let Some(limit) = &stopped {
        title += &format!(", limit reached: {limit}");
    }
    let tree = tree.map(|tree| tree_html(&[tree], std::slice::from_ref(&title), &board, name));
    let (figures, trace) = ([found.branches, found.failures, found.tests], trace.to_json());
    Ok(Found { solutions, how, stopped, figures, title, tree, trace })
}
