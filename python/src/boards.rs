//! Boards, and solutions as tuples of rows.

use std::task::Poll;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyTuple};
use queens::report::{BoardFormat, BoardWriter};
use queens::{Placement, Square};

use crate::errors::invalid;

/// A board that Python holds.
#[pyclass(frozen, eq, hash)]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Board(pub(crate) queens::Board);

#[pymethods]
impl Board {
    #[new]
    fn new(n: u32, queens: Vec<String>, blocked: Vec<String>, torus: bool) -> PyResult<Self> {
        let board = match torus {
            true => queens::Board::torus(n),
            false => queens::Board::new(n),
        };
        let mut board = board.map_err(invalid)?;
        for name in queens {
            let placed = Square::parse(&name, n).and_then(|queen| board.place(queen));
            placed.map_err(invalid)?;
        }
        for name in blocked {
            let blocked = Square::parse(&name, n).and_then(|square| board.block(square));
            blocked.map_err(invalid)?;
        }
        Ok(Self(board))
    }

    fn constraints(&self) -> Option<String> {
        self.0.constraints().map(|words| words.to_string())
    }
}

fn placement(rows: Vec<u32>) -> PyResult<Placement> {
    Placement::new(rows).map_err(invalid)
}

pub(crate) fn tuple<'py>(py: Python<'py>, solution: &Placement) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, solution.rows())
}

#[pyfunction]
pub(crate) fn check(rows: Vec<u32>, torus: bool) -> PyResult<()> {
    placement(rows)?.check(torus).map_err(invalid)
}

#[pyfunction]
pub(crate) fn images(py: Python<'_>, rows: Vec<u32>) -> PyResult<Vec<Bound<'_, PyTuple>>> {
    let images = placement(rows)?.symmetries();
    images.iter().map(|image| tuple(py, image)).collect()
}

#[pyfunction]
pub(crate) fn symmetry(rows: Vec<u32>) -> PyResult<&'static str> {
    Ok(placement(rows)?.symmetry().into())
}

#[pyfunction]
pub(crate) fn text(rows: Vec<u32>) -> PyResult<String> {
    Ok(placement(rows)?.to_string())
}

/// Solutions of a board on one sheet.
#[pyfunction]
pub(crate) fn draw(board: &Board, solutions: Vec<Vec<u32>>, title: &str) -> PyResult<String> {
    let (board, format) = (&board.0, BoardFormat::Svg);
    let (n, largest) = (board.n(), format.largest());
    if n > largest {
        let why = format!("N = {n} is too large to draw (accepted: 0 to {largest})");
        return Err(invalid(why));
    }
    let mut out = Vec::new();
    let mut writer = BoardWriter::new(format, board);
    for rows in solutions {
        let solution = placement(rows)?;
        if writer.is_full() || !board.is_solved_by(&solution) {
            let rows = solution.rows();
            let most = format.most().unwrap_or_default();
            let why =
                format!("{rows:?} is not drawn (accepted: up to {most} solutions of N = {n})");
            return Err(invalid(why));
        }
        writer.solution(&mut out, &solution, Duration::ZERO)?;
    }
    writer.end(&mut out, title)?;
    Ok(String::from_utf8(out)?)
}

/// Steps back for which the interpreter's lock is held, some microseconds; and between two looks for signals without it.
const BRIEF: u32 = 1_000;
const LONG: u32 = 100_000;

#[pyclass]
pub(crate) struct Enumeration {
    board: queens::Board,
    solutions: queens::Solutions,
    fundamental: bool,
}

impl Enumeration {
    /// The next one wanted, within about so many steps back for each of a few solutions.
    fn poll(&mut self, steps_back: u32) -> Poll<Option<Placement>> {
        for _ in 0..64 {
            let poll = self.solutions.next_within(steps_back);
            let Poll::Ready(Some(found)) = &poll else {
                return poll;
            };
            if !self.fundamental || self.board.is_first_of_class(found) {
                return poll;
            }
        }
        Poll::Pending
    }
}

#[pymethods]
impl Enumeration {
    #[new]
    fn new(board: &Board, fundamental: bool) -> PyResult<Self> {
        let board = board.0.clone();
        Ok(Self {
            solutions: queens::Solutions::new(&board).map_err(invalid)?,
            board,
            fundamental,
        })
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let mut poll = self.poll(BRIEF);
        loop {
            if let Poll::Ready(found) = poll {
                return found.map(|found| tuple(py, &found)).transpose();
            }
            py.check_signals()?;
            poll = py.detach(|| self.poll(LONG));
        }
    }

    /// The rows of up to so many solutions that are left, as 16-bit integers one after the other.
    fn rest<'py>(&mut self, py: Python<'py>, limit: u64) -> PyResult<Bound<'py, PyByteArray>> {
        let (mut rows, mut left) = (Vec::<u8>::new(), limit);
        while left > 0 {
            py.check_signals()?;
            let is_more = py.detach(|| {
                for _ in 0..left.min(4096) {
                    match self.poll(LONG) {
                        Poll::Pending => break,
                        Poll::Ready(None) => return false,
                        Poll::Ready(Some(found)) => {
                            let bytes = found.rows().iter().map(|&row| (row as i16).to_ne_bytes());
                            rows.extend(bytes.flatten());
                            left -= 1;
                        }
                    }
                }
                true
            });
            if !is_more {
                break;
            }
        }
        Ok(PyByteArray::new(py, &rows))
    }
}
