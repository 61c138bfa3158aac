//! Searches, their figures and their trees.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use queens::CancelToken;
use queens::report::{LARGEST_EXPLORED, tree_html, tree_svg};
use queens::solve::tree::{self, MAX_DRAWN};
use queens::solve::{Choices, Limits, Search, construct, construct_torus};

use crate::attend::attend;
use crate::boards::{Board, tuple};
use crate::errors::{invalid, named, seconds};

/// A tree to draw, and one to explore where the board is small enough.
#[pyclass(frozen)]
pub(crate) struct Tree(queens::Board, Vec<tree::Tree>);

/// Solutions, how they were found, branches and failures and squares tested, the limit that ended the search, the tree.
type Found<'py> = (
    Vec<Bound<'py, PyTuple>>,
    String,
    (u64, u64, u64),
    Option<String>,
    Option<Tree>,
);

#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn solve<'py>(
    py: Python<'py>,
    board: &Board,
    limit: Option<usize>,
    strategy: Option<&str>,
    variable: Option<&str>,
    value: Option<&str>,
    propagation: Option<&str>,
    seed: Option<u64>,
    max_branches: Option<u64>,
    timeout: Option<f64>,
    has_tree: bool,
) -> PyResult<Found<'py>> {
    let board = &board.0;
    let choices = Choices {
        strategy: named("strategy", strategy)?,
        variable: named("variable", variable)?,
        value: named("value", value)?,
        propagation: named("propagation", propagation)?,
        seed,
    };
    let cancel = CancelToken::new();
    let limits = Limits {
        branches: max_branches,
        time: timeout.map(|time| seconds("timeout", time)).transpose()?,
        cancel: cancel.clone(),
    };
    let is_limited = max_branches.is_some() || timeout.is_some();
    let must_search = choices != Choices::default() || is_limited || has_tree;
    if limit == Some(1) && !must_search && !board.has_constraints() {
        let construct = if board.is_torus() {
            construct_torus
        } else {
            construct
        };
        let solution: PyResult<_> = construct(board.n())
            .iter()
            .map(|found| tuple(py, found))
            .collect();
        return Ok((
            solution?,
            "by construction".to_owned(),
            (0, 0, 0),
            None,
            None,
        ));
    }
    let settings = choices.settings(limit != Some(1));
    let settings = settings.map_err(|why| invalid(format!("seed: {why}")))?;
    let mut search = Search::new(board, settings, limits).map_err(invalid)?;
    let mut trees = Vec::new();
    if has_tree {
        trees.push(tree::Tree::new(MAX_DRAWN));
        let is_explored = board.n() <= LARGEST_EXPLORED;
        trees.extend(is_explored.then(|| tree::Tree::with_states(MAX_DRAWN)));
    }
    let next = || {
        search.walk(|search, step| {
            trees.iter_mut().for_each(|tree| tree.record(search, step));
        })
    };
    let solutions = || std::iter::from_fn(next).take(limit.unwrap_or(usize::MAX));
    let solutions: Vec<_> = attend(py, &cancel, || Ok(()), || solutions().collect())?;
    let solutions: PyResult<_> = solutions.iter().map(|found| tuple(py, found)).collect();
    let figures = search.statistics();
    Ok((
        solutions?,
        settings.to_string(),
        (figures.branches, figures.failures, figures.tests),
        search
            .limit()
            .map(|limit| format!("{limit:?}").to_lowercase()),
        has_tree.then(|| Tree(board.clone(), trees)),
    ))
}

#[pymethods]
impl Tree {
    fn svg(&self, title: &str) -> String {
        tree_svg(&self.1[0], self.0.n(), title)
    }

    fn html(&self, title: &str) -> PyResult<String> {
        let n = self.0.n();
        let accepted = format!("accepted: 0 to {LARGEST_EXPLORED}, or a drawing");
        let why = || {
            invalid(format!(
                "N = {n} is too large to explore a tree ({accepted})"
            ))
        };
        let tree = self.1.get(1).ok_or_else(why)?;
        Ok(tree_html(tree, &self.0, title))
    }
}
