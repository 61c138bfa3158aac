//! Boards, solutions that are passed as lists of rows, and the iterator over all solutions.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyTuple};
use queens::board::MAX_BOARD;
use queens::known;
use queens::{Board, Placement};
use queens_search::Limit;
use queens_search::boards::{self, parse};

use crate::arguments::{self, ANY, Text, several, unlike, whole};
use crate::attend::lock;
use crate::errors::invalid;

/// Board as passed from Python: N, and the names of preplaced queens and of blocked squares.
pub(crate) type Given = (u32, Vec<Text>, Vec<Text>);

pub(crate) fn board_of((n, queens, blocked): Given) -> PyResult<Board> {
    let board = Board::new(n).and_then(|board| board.with_queens(queens));
    board.and_then(|board| board.with_blocked(blocked)).map_err(invalid)
}

/// Returns the size and the names of the queens and blocked squares of a board, and a description
/// of them, which is equal for equivalent boards.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "only Python calls it")]
pub(crate) fn board(
    n: &Bound<'_, PyAny>,
    queens: &Bound<'_, PyAny>,
    blocked: &Bound<'_, PyAny>,
) -> PyResult<((u32, Vec<String>, Vec<String>), Option<String>)> {
    let n = whole("n", n, 0..=MAX_BOARD.into())? as u32;
    let (queens, blocked) = (names("queens", queens)?, names("blocked", blocked)?);
    let texts = |names: &[String]| names.iter().cloned().map(Text).collect();
    let constraints = board_of((n, texts(&queens), texts(&blocked)))?.constraints();
    Ok(((n, queens, blocked), constraints))
}

/// Returns the names of squares, which may be given as column and row.
fn names(name: &str, squares: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let squares = several(name, squares, usize::MAX, "squares, such as ['c5']")?;
    let names = squares.into_iter().map(|square| {
        if square.is_instance_of::<PyString>() {
            return Ok(square.extract::<Text>()?.0);
        }
        let wanted = "a square (accepted: such as 'c5', or column and row, such as (2, 3))";
        let pair = square.extract::<[Bound<'_, PyAny>; 2]>();
        let [column, row] = pair.map_err(|_| unlike(name, &square, wanted))?;
        let part = |part| whole(name, part, ANY);
        Ok(format!("{},{}", part(&column)?, part(&row)?))
    });
    names.collect()
}

fn placement(rows: Vec<u32>) -> PyResult<Placement> {
    Placement::new(rows).map_err(invalid)
}

/// Fails if rows are numbered from 1 and are a solution otherwise.
fn expect_zero_based(rows: impl Iterator<Item = u32>) -> PyResult<()> {
    let rows = rows.map(|row| row.checked_sub(1)).collect::<Option<_>>();
    let placement = rows.map(Placement::new);
    let is_solution = |shifted: Placement| shifted.n() > 0 && shifted.is_solution();
    if placement.is_some_and(|shifted| shifted.is_ok_and(is_solution)) {
        return Err(invalid("rows: numbered from 1 (accepted: rows numbered from 0)"));
    }
    Ok(())
}

/// Returns the rows of a solution. Fails with the reason if they are not a solution.
#[pyfunction]
pub(crate) fn solution(rows: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    let rows = arguments::rows(rows)?;
    expect_zero_based(rows.iter().copied())?;
    let placement = placement(rows)?;
    placement.check().map_err(invalid)?;
    Ok(placement.rows().to_vec())
}

/// Whether rows, or a string in one of the forms that the program reads, are a solution. Fails if
/// the rows are not a string and numbered from 1.
#[pyfunction]
pub(crate) fn check(rows: &Bound<'_, PyAny>) -> PyResult<bool> {
    if rows.is_instance_of::<PyString>() {
        let boards = parse(&rows.extract::<Text>()?.0).map_err(invalid)?;
        let [board] = &boards[..] else {
            return Err(invalid(format!("{} boards (accepted: one)", boards.len())));
        };
        return Ok(board.check().is_ok());
    }
    let rows = match arguments::rows(rows) {
        Err(error) if error.is_instance_of::<PyValueError>(rows.py()) => return Ok(false),
        rows => rows?,
    };
    expect_zero_based(rows.iter().copied())?;
    Ok(Placement::new(rows).is_ok_and(|placement| placement.is_solution()))
}

#[pyfunction]
pub(crate) fn images(rows: Vec<u32>) -> PyResult<Vec<Vec<u32>>> {
    let images = placement(rows)?.symmetries();
    Ok(images.iter().map(|image| image.rows().to_vec()).collect())
}

#[pyfunction]
pub(crate) fn symmetry(rows: Vec<u32>) -> PyResult<&'static str> {
    Ok(placement(rows)?.symmetry().name())
}

/// Maximum number of boards in a drawing.
const MOST_DRAWN: usize = 1000;
/// Maximum size of a board in a drawing.
pub(crate) const LARGEST_DRAWN: u32 = 200;

/// Draws the solutions of a board, by default the empty board of their size, on one SVG sheet.
/// Returns an empty string if there are none.
#[pyfunction]
pub(crate) fn draw(
    solutions: &Bound<'_, PyAny>,
    board: Option<Given>,
    title: Text,
) -> PyResult<String> {
    let solutions = several("solutions", solutions, MOST_DRAWN + 1, "solutions")?;
    if solutions.len() > MOST_DRAWN {
        let accepted = format!("accepted: up to {MOST_DRAWN}");
        return Err(invalid(format!("solutions: too many for one drawing ({accepted})")));
    }
    let solutions = solutions.iter().map(|rows| placement(arguments::rows(rows)?));
    let solutions: Vec<_> = solutions.collect::<PyResult<_>>()?;
    let n = solutions.first().map_or(0, Placement::n);
    let board = board_of(board.unwrap_or((n, Vec::new(), Vec::new())))?;
    let n = board.n();
    if n > LARGEST_DRAWN {
        let accepted = format!("accepted: N = 0 to {LARGEST_DRAWN}");
        return Err(invalid(format!("a {n} x {n} board is too large to draw ({accepted})")));
    }
    if let Some(wrong) = solutions.iter().find(|rows| !board.is_solved_by(rows)) {
        let rows = wrong.rows();
        let why = format!("solutions: {rows:?} is not a solution of this {n} x {n} board");
        return Err(invalid(why));
    }
    match solutions.is_empty() {
        true => Ok(String::new()),
        false => Ok(boards::svg(&solutions, &board, &title.0)),
    }
}

/// Number of backtracking steps that are taken while holding the GIL. They take a few microseconds.
const BRIEF: u32 = 1_000;
/// Number of backtracking steps between checks for signals while the GIL is released.
const LONG: u32 = 100_000;

/// An iterator over the solutions of a board.
#[pyclass(frozen, name = "Solutions", module = "n_queens")]
pub(crate) struct Enumeration {
    board: Board,
    /// Locked for one poll at a time, so that threads that share the iterator can still handle
    /// signals.
    solutions: Mutex<queens_search::Solutions>,
    fundamental: bool,
    /// Number of solutions returned so far.
    given: AtomicU64,
}

impl Enumeration {
    /// Returns the next solution that is part of the iteration, or an error if it takes more than
    /// `steps_back` backtracking steps or follows another solution.
    fn poll(&self, steps_back: u32) -> Result<Option<Placement>, Limit> {
        let found = lock(&self.solutions).next_within(steps_back)?;
        let is_wanted = |found| !self.fundamental || self.board.is_first_of_class(found);
        match &found {
            Some(other) if !is_wanted(other) => Err(Limit::Branches),
            _ => Ok(found),
        }
    }

    /// Returns the number of remaining solutions, if the total is published.
    fn left(&self) -> Option<usize> {
        let (n, given) = (self.board.n(), self.given.load(Ordering::Relaxed));
        let row = known::values(n).filter(|_| !self.board.has_constraints())?;
        let all = if self.fundamental { row.fundamental } else { row.solutions };
        usize::try_from(all - u128::from(given)).ok()
    }
}

#[pymethods]
impl Enumeration {
    #[new]
    fn new(board: Given, fundamental: bool) -> PyResult<Self> {
        let board = board_of(board)?;
        Ok(Self {
            solutions: Mutex::new(queens_search::Solutions::new(&board).map_err(invalid)?),
            board,
            fundamental,
            given: AtomicU64::new(0),
        })
    }

    /// Returns the number of remaining solutions, if the total is published.
    fn __len__(&self) -> PyResult<usize> {
        self.left().ok_or_else(|| {
            PyTypeError::new_err("the number of solutions is not published (use count() instead)")
        })
    }

    fn __repr__(&self) -> String {
        let state = match self.left() {
            Some(left) => format!("{left} left"),
            None => format!("{} returned", self.given.load(Ordering::Relaxed)),
        };
        let kind = if self.fundamental { "fundamental solutions" } else { "solutions" };
        format!("<{kind} of the {}: {state}>", self.board)
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        static SOLUTION: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let mut poll = self.poll(BRIEF);
        while poll.is_err() {
            py.check_signals()?;
            poll = py.detach(|| self.poll(LONG));
        }
        let Ok(Some(found)) = poll else {
            return Ok(None);
        };
        let convert = SOLUTION.get_or_try_init(py, || {
            let module = py.import("n_queens.solutions")?;
            Ok::<_, PyErr>(module.getattr("Solution")?.getattr("_of")?.unbind())
        })?;
        self.given.fetch_add(1, Ordering::Relaxed);
        convert.bind(py).call1((PyTuple::new(py, found.rows())?,)).map(Some)
    }
}
