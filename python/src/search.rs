//! Searches, with statistics, trees and traces.

use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use queens::CancelToken;
use queens::known::torus_is_solvable;
use queens::solve::tree::{MAX_DRAWN, Tree};
use queens::solve::{Limits, Restarts, Search};
use queens_cli::solve::SearchOptions;
use queens_cli::solve::{BoardFormat, LARGEST_EXPLORED, TraceWriter, tree_html, tree_svg};

use crate::attend::attend;
use crate::boards::{Given, board_of};
use crate::errors::{Text, invalid, named};

/// Searches for solutions. Returns the solutions, the method, the limit that ended the search, and
/// the numbers of branches, failures and tested squares. These are followed by a title, the tree as
/// a drawing and, for small boards, as a page, and the first steps as JSON Lines.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "Python passes them by name")]
pub(crate) fn solve<'py>(
    py: Python<'py>,
    board: Given,
    name: &str,
    limit: Option<usize>,
    strategy: Option<Text>,
    variable: Option<Text>,
    value: Option<Text>,
    propagation: Option<Text>,
    seed: Option<u64>,
    max_branches: Option<u64>,
    timeout: Option<f64>,
    has_tree: bool,
    steps: u64,
) -> PyResult<Bound<'py, PyTuple>> {
    let board = board_of(board)?;
    let options = SearchOptions {
        strategy: named("strategy", strategy)?,
        variable: named("variable", variable)?,
        value: named("value", value)?,
        propagation: named("propagation", propagation)?,
        seed,
    };
    let cancel = CancelToken::new();
    let limits = Limits {
        branches: max_branches,
        time: timeout.map(Duration::from_secs_f64),
        cancel: cancel.clone(),
        ..Limits::default()
    };
    let settings = options.settings(limit != Some(1)).map_err(invalid)?;
    // As in the program, any method may be used if no search option is given.
    let is_one = limit == Some(1) && board.has_constraints();
    let is_large = limit.is_some() && Restarts::are_needed(&board);
    let is_unsolvable = board.is_torus() && !torus_is_solvable(board.n());
    let is_free = !options.are_chosen() && !has_tree && steps == 0;
    if is_free && is_unsolvable {
        let how = "none: a torus has solutions only if N is coprime to 6";
        let title = format!("{name}, {how}");
        let none = (Vec::<Vec<u32>>::new(), how, None::<String>, [0_u64; 3]);
        let (solutions, how, stopped, figures) = none;
        let tree = None::<(String, Option<String>)>;
        return (solutions, how, stopped, figures, title, tree, "").into_pyobject(py);
    }
    let is_free = is_free && (is_one || is_large);
    let restarts = is_free.then(|| Restarts::new(&board, 0, limits.clone()));
    let restarts = restarts.transpose().map_err(invalid)?;
    let mut restarts = restarts.map(Restarts::constructed_first);
    let mut search = Search::new(&board, settings, limits).map_err(invalid)?;
    let is_explored = has_tree && board.n() <= LARGEST_EXPLORED;
    let mut drawn = has_tree.then(|| Tree::new(MAX_DRAWN));
    let mut explored = is_explored.then(|| Tree::with_states(MAX_DRAWN));
    let (mut writer, mut trace) = (TraceWriter::new(BoardFormat::Json, false, &board), Vec::new());
    let next = || {
        if let Some(restarts) = &mut restarts {
            return restarts.next();
        }
        search.walk(|search, step| {
            let trees = drawn.iter_mut().chain(&mut explored);
            trees.for_each(|tree| tree.record(search, step));
            if writer.steps() < steps {
                let written = writer.step(&mut trace, search, step);
                written.expect("writing to memory cannot fail");
            }
        })
    };
    let solutions = std::iter::from_fn(next).map(|found| found.rows().to_vec());
    let solutions = solutions.take(limit.unwrap_or(usize::MAX));
    let solutions: Vec<_> = attend(py, || cancel.cancel(), || Ok(()), || solutions.collect())?;
    let (how, found, stopped) = match restarts {
        Some(found) => {
            ("random search with restarts".to_owned(), found.statistics(), found.limit())
        }
        None => (settings.to_string(), search.statistics(), search.limit()),
    };
    let figures = [found.branches, found.failures, found.tests];
    let mut title = format!(
        "{name}, {how}: branches {}, failures {}, solutions {}",
        found.branches, found.failures, found.solutions
    );
    let stopped = stopped.map(|limit| format!("{limit:?}").to_lowercase());
    if let Some(limit) = &stopped {
        title += &format!(", limit reached: {limit}");
    }
    let tree = drawn.map(|drawn| {
        let page = explored.map(|tree| tree_html(&tree, &board, &title));
        (tree_svg(&drawn, board.n(), &title), page)
    });
    let trace = String::from_utf8(trace)?;
    (solutions, how, stopped, figures, title, tree, trace).into_pyobject(py)
}
