//! Searches, with statistics, trees and traces.

use std::time::Duration;

use pyo3::prelude::*;
use queens::CancelToken;
use queens_search::page::{LARGEST_EXPLORED, tree_html};
use queens_search::tree::{MAX_DRAWN, Tree};
use queens_search::{Limits, SearchError, Selection, Source, Strategy, find};
use queens_search::{TraceFormat, TraceWriter};

use crate::attend::attend;
use crate::boards::{Given, board_of};
use crate::errors::{Text, invalid};

/// Options of a search, as passed from Python.
pub(crate) struct Options {
    strategy: Option<Text>,
    seed: Option<u64>,
    max_branches: Option<u64>,
    timeout: Option<f64>,
    /// Whether to record the tree.
    tree: bool,
    /// Number of steps to record.
    trace: Option<u64>,
}

/// Unlike the derived implementation, this one keeps the errors of the options.
impl<'py> FromPyObject<'_, 'py> for Options {
    type Error = PyErr;

    fn extract(options: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let get = |name| options.get_item(name);
        Ok(Self {
            strategy: get("strategy")?.extract()?,
            seed: get("seed")?.extract()?,
            max_branches: get("max_branches")?.extract()?,
            timeout: get("timeout")?.extract()?,
            tree: get("tree")?.extract()?,
            trace: get("trace")?.extract()?,
        })
    }
}

/// Result of a search.
#[pyclass(frozen, get_all)]
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
    /// The first steps, as JSON Lines.
    trace: String,
}

fn not_searched(error: SearchError) -> PyErr {
    match error {
        SearchError::Board(error) => invalid(error),
        error => invalid(format!("strategy: {error}")),
    }
}

/// Searches for up to `limit` solutions, or for random ones.
#[pyfunction]
pub(crate) fn solve(
    py: Python<'_>,
    board: Given,
    name: &str,
    limit: Option<u64>,
    random: bool,
    options: Options,
) -> PyResult<Found> {
    let board = board_of(board)?;
    let strategy = options.strategy.map(|Text(name)| name.parse::<Strategy>()).transpose();
    let strategy = strategy.map_err(|error| invalid(format!("strategy: {error}")))?;
    let (has_tree, steps) = (options.tree, options.trace.unwrap_or(0));
    if has_tree && board.n() > LARGEST_EXPLORED {
        let why = format!("a board of N = {} is too large", board.n());
        return Err(invalid(format!("tree: {why} (accepted: 0 to {LARGEST_EXPLORED})")));
    }
    let cancel = CancelToken::new();
    let limits = Limits {
        branches: options.max_branches,
        time: options.timeout.map(Duration::from_secs_f64),
        cancel: cancel.clone(),
        ..Limits::default()
    };
    let selection = match (limit, options.seed) {
        (_, Some(seed)) if random => Selection::Random(seed),
        (Some(most), _) => Selection::First(most),
        (None, _) => Selection::All,
    };
    let default = match limit {
        Some(1) => Strategy::FIRST_FAIL,
        _ => Strategy::BACKTRACK,
    };
    let strategy = strategy.or((has_tree || steps > 0).then_some(default));
    let mut source = find(&board, selection, strategy, true, &limits).map_err(not_searched)?;
    let mut tree = has_tree.then(|| Tree::new(MAX_DRAWN));
    let (mut writer, mut trace) = (TraceWriter::new(TraceFormat::Json, &board), Vec::new());
    let next = || match &mut source {
        Source::Search(search) => search.walk(|search, step| {
            if let Some(tree) = &mut tree {
                tree.record(search, step);
            }
            if writer.steps() < steps {
                let written = writer.step(&mut trace, search, step);
                written.expect("writing to memory cannot fail");
            }
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
    let tree = tree.map(|tree| tree_html(&tree, &board, &title));
    let (figures, trace) =
        ([found.branches, found.failures, found.tests], String::from_utf8(trace)?);
    Ok(Found { solutions, how, stopped, figures, title, tree, trace })
}
