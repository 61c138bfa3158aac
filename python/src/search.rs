//! Searches, with statistics, trees and traces.

use std::time::Duration;

use pyo3::prelude::*;
use queens::CancelToken;
use queens::solve::tree::{MAX_DRAWN, Tree};
use queens::solve::{Limits, Source, Wanted, find};
use queens_cli::solve::{
    BoardFormat, LARGEST_EXPLORED, OptionError, SearchOptions, TraceWriter, tree_html, tree_svg,
};

use crate::attend::attend;
use crate::boards::{Given, board_of};
use crate::errors::{Text, invalid, named};

/// Options of a search, as passed from Python.
pub(crate) struct Options {
    strategy: Option<Text>,
    variable: Option<Text>,
    value: Option<Text>,
    propagation: Option<Text>,
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
            variable: get("variable")?.extract()?,
            value: get("value")?.extract()?,
            propagation: get("propagation")?.extract()?,
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
    /// The tree as a drawing and, for small boards, as a page.
    tree: Option<(String, Option<String>)>,
    /// The first steps, as JSON Lines.
    trace: String,
}

fn refused(error: OptionError) -> PyErr {
    match error.option() {
        Some(option) => invalid(format!("{}: {error}", option.trim_start_matches('-'))),
        None => invalid(error),
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
    let chosen = SearchOptions {
        strategy: named("strategy", options.strategy)?,
        variable: named("variable", options.variable)?,
        value: named("value", options.value)?,
        propagation: named("propagation", options.propagation)?,
        seed: options.seed.filter(|_| !random),
    };
    let (has_tree, steps) = (options.tree, options.trace.unwrap_or(0));
    let cancel = CancelToken::new();
    let limits = Limits {
        branches: options.max_branches,
        time: options.timeout.map(Duration::from_secs_f64),
        cancel: cancel.clone(),
        ..Limits::default()
    };
    let wanted = match (limit, options.seed) {
        (_, Some(seed)) if random => Wanted::Random(seed),
        (Some(1), _) => Wanted::Any,
        (Some(most), _) => Wanted::First(most),
        (None, _) => Wanted::All,
    };
    let is_requested = chosen.are_chosen() || has_tree || steps > 0;
    let strategy = is_requested.then(|| chosen.resolve(limit != Some(1)));
    let strategy = strategy.transpose().map_err(refused)?;
    let source = find(&board, wanted, strategy, true, &limits);
    let mut source = source.map_err(|error| refused(error.into()))?;
    let is_explored = has_tree && board.n() <= LARGEST_EXPLORED;
    let mut drawn = has_tree.then(|| Tree::new(MAX_DRAWN));
    let mut explored = is_explored.then(|| Tree::with_states(MAX_DRAWN));
    let (mut writer, mut trace) = (TraceWriter::new(BoardFormat::Json, false, &board), Vec::new());
    let next = || match &mut source {
        Source::Search(search) => search.walk(|search, step| {
            let trees = drawn.iter_mut().chain(&mut explored);
            trees.for_each(|tree| tree.record(search, step));
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
        Source::Unsolvable => {
            ("none: a torus has solutions only if N is coprime to 6".to_owned(), false)
        }
        Source::Constructed(_) => ("by construction".to_owned(), false),
        Source::Random(seed, _) => (format!("at random, seed {seed}"), false),
        Source::Search(search) => (search.strategy().to_string(), true),
        Source::Restarts(search) => (search.method().to_owned(), true),
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
    let tree = drawn.map(|drawn| {
        let page = explored.map(|tree| tree_html(&tree, &board, &title));
        (tree_svg(&drawn, board.n(), &title), page)
    });
    let (figures, trace) =
        ([found.branches, found.failures, found.tests], String::from_utf8(trace)?);
    Ok(Found { solutions, how, stopped, figures, title, tree, trace })
}
