//! Boards, and solutions that are passed as lists of rows.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use queens::known;
use queens::{Board, Placement};
use queens_search::Limit;
use queens_search::boards;

use crate::attend::lock;
use crate::errors::{Text, invalid};

/// Board as passed from Python: N, and the names of preplaced queens and of blocked squares.
pub(crate) type Given = (u32, Vec<Text>, Vec<Text>);

pub(crate) fn board_of((n, queens, blocked): Given) -> PyResult<Board> {
    let board = Board::new(n).and_then(|board| board.with(Board::place, queens));
    board.and_then(|board| board.with(Board::block, blocked)).map_err(invalid)
}

/// Describes the constraints of a board. Equivalent boards have equal descriptions.
#[pyfunction]
pub(crate) fn special(board: Given) -> PyResult<Option<String>> {
    Ok(board_of(board)?.constraints())
}

fn placement(rows: Vec<u32>) -> PyResult<Placement> {
    Placement::new(rows).map_err(invalid)
}

#[pyfunction]
pub(crate) fn check(rows: Vec<u32>) -> PyResult<()> {
    placement(rows)?.check().map_err(invalid)
}

/// Whether a line is a solution, in any of the one-line formats that the program reads.
#[pyfunction]
pub(crate) fn check_line(line: Text) -> PyResult<bool> {
    let checked = queens_search::boards::check_line(&line.0).map_err(invalid)?;
    Ok(checked.is_ok())
}

#[pyfunction]
pub(crate) fn images(rows: Vec<u32>) -> PyResult<Vec<Vec<u32>>> {
    let images = placement(rows)?.symmetries();
    Ok(images.iter().map(|image| image.rows().to_vec()).collect())
}

#[pyfunction]
pub(crate) fn symmetry(rows: Vec<u32>) -> PyResult<&'static str> {
    Ok(placement(rows)?.symmetry().into())
}

/// Draws the solutions of a board on one SVG sheet. Returns an empty string if there are none.
#[pyfunction]
pub(crate) fn draw(solutions: Vec<Vec<u32>>, board: Given, title: Text) -> PyResult<String> {
    let board = board_of(board)?;
    let solutions: Vec<_> = solutions.into_iter().map(placement).collect::<PyResult<_>>()?;
    if let Some(wrong) = solutions.iter().find(|rows| !board.is_solved_by(rows)) {
        let (rows, n) = (wrong.rows(), board.n());
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

#[pyclass(frozen, name = "Solutions", module = "queens")]
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

    /// Returns a copy that continues from the current position.
    fn copy(&self) -> Self {
        Self {
            solutions: Mutex::new(lock(&self.solutions).clone()),
            board: self.board.clone(),
            fundamental: self.fundamental,
            given: AtomicU64::new(self.given.load(Ordering::Relaxed)),
        }
    }

    /// Returns the number of remaining solutions, if the total is published.
    fn __len__(&self) -> PyResult<usize> {
        let (n, given) = (self.board.n(), self.given.load(Ordering::Relaxed));
        let row = known::values(n).filter(|_| !self.board.has_constraints());
        let all = row.map(|row| if self.fundamental { row.fundamental } else { row.solutions });
        let left = all.and_then(|all| usize::try_from(all - u128::from(given)).ok());
        left.ok_or_else(|| {
            PyTypeError::new_err("the number of solutions is not published (use count() instead)")
        })
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    /// Returns the rows of the next solution, one byte each. Bytes suffice because enumeration is
    /// limited to N = 128.
    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let mut poll = self.poll(BRIEF);
        while poll.is_err() {
            py.check_signals()?;
            poll = py.detach(|| self.poll(LONG));
        }
        let Ok(Some(found)) = poll else {
            return Ok(None);
        };
        let rows = found.rows().iter();
        let fill = |bytes: &mut [u8]| {
            bytes.iter_mut().zip(rows).for_each(|(byte, &row)| *byte = row as u8);
            Ok(())
        };
        self.given.fetch_add(1, Ordering::Relaxed);
        PyBytes::new_with(py, found.rows().len(), fill).map(Some)
    }
}
