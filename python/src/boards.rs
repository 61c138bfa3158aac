//! Boards, and solutions as tuples of rows.

use std::sync::Mutex;
use std::task::Poll;
use std::time::Duration;

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyTuple};
use queens::report::{BoardFormat, BoardWriter};
use queens::{Placement, Square};

use crate::attend::lock;
use crate::errors::{NotEnoughMemory, invalid};

/// A board that Python holds.
#[pyclass(frozen, eq, hash, module = "queens._queens")]
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

/// Solutions of a board on one sheet; of the empty one of the first solution's size, if none is given.
#[pyfunction]
pub(crate) fn draw(
    py: Python<'_>,
    solutions: &Bound<'_, PyAny>,
    board: Option<Py<Board>>,
    title: &str,
) -> PyResult<String> {
    let format = BoardFormat::Svg;
    let (largest, most) = (format.largest(), format.most().unwrap_or_default());
    let mut solutions = solutions.try_iter()?.map(|rows| {
        let rows = rows?;
        rows.extract().and_then(placement).map_err(|why| {
            let why = why.value(py);
            invalid(format!("solutions: {rows} is not a solution: {why}"))
        })
    });
    let first = solutions.next().transpose()?;
    let board = match board {
        Some(board) => board.get().0.clone(),
        None => queens::Board::new(first.as_ref().map_or(0, Placement::n)).map_err(invalid)?,
    };
    let n = board.n();
    if n > largest {
        let why = format!("N = {n} is too large to draw (accepted: 0 to {largest})");
        return Err(invalid(why));
    }
    let mut out = Vec::new();
    let mut writer = BoardWriter::new(format, &board);
    for solution in first.map(Ok).into_iter().chain(solutions) {
        let solution = solution?;
        if writer.is_full() {
            let why = format!("solutions: too many for one drawing (accepted: up to {most})");
            return Err(invalid(why));
        }
        if !board.is_solved_by(&solution) {
            let rows = solution.rows();
            let why = format!("solutions: {rows:?} is none of this board of N = {n}");
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

/// Solutions at a time on their way to Python's memory.
const CHUNK: usize = 4096;

#[pyclass(frozen)]
pub(crate) struct Enumeration {
    board: queens::Board,
    /// Locked for one poll at a time, so that threads may share it and none is deaf to signals.
    solutions: Mutex<queens::Solutions>,
    fundamental: bool,
}

impl Enumeration {
    /// The next one wanted, within about so many steps back for each of a few solutions.
    fn poll(&self, steps_back: u32) -> Poll<Option<Placement>> {
        let mut solutions = lock(&self.solutions);
        for _ in 0..64 {
            let poll = solutions.next_within(steps_back);
            let Poll::Ready(Some(found)) = &poll else {
                return poll;
            };
            if !self.fundamental || self.board.is_first_of_class(found) {
                return poll;
            }
        }
        Poll::Pending
    }

    fn take<'py>(&self, py: Python<'py>, limit: u64) -> PyResult<(u64, Bound<'py, PyByteArray>)> {
        let (all, mut rows) = (PyByteArray::new(py, &[]), Vec::new());
        let size = CHUNK * self.board.n() as usize * size_of::<i16>();
        rows.try_reserve_exact(size)
            .map_err(|_| PyMemoryError::new_err(()))?;
        let (mut left, mut is_more) = (limit, true);
        while is_more && left > 0 {
            py.check_signals()?;
            py.detach(|| {
                for _ in 0..left.min(CHUNK as u64) {
                    match self.poll(LONG) {
                        Poll::Pending => break,
                        Poll::Ready(None) => return is_more = false,
                        Poll::Ready(Some(found)) => {
                            let bytes = found.rows().iter().map(|&row| (row as i16).to_ne_bytes());
                            rows.extend(bytes.flatten());
                            left -= 1;
                        }
                    }
                }
            });
            // Python's own memory from the start: it refuses where Rust would abort, and nothing is held twice.
            let chunk = PyBytes::new_with(py, rows.len(), |chunk| {
                chunk.copy_from_slice(&rows);
                Ok(())
            })?;
            all.as_any().call_method1("extend", (chunk,))?;
            rows.clear();
        }
        Ok((limit - left, all))
    }
}

#[pymethods]
impl Enumeration {
    #[new]
    fn new(board: &Board, fundamental: bool) -> PyResult<Self> {
        let board = board.0.clone();
        Ok(Self {
            solutions: Mutex::new(queens::Solutions::new(&board).map_err(invalid)?),
            board,
            fundamental,
        })
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let mut poll = self.poll(BRIEF);
        loop {
            if let Poll::Ready(found) = poll {
                return found.map(|found| tuple(py, &found)).transpose();
            }
            py.check_signals()?;
            poll = py.detach(|| self.poll(LONG));
        }
    }

    /// How many solutions are left, of so many at most, and their rows as 16-bit integers one after the other. After an error
    /// they are all left.
    fn rest<'py>(&self, py: Python<'py>, limit: u64) -> PyResult<(u64, Bound<'py, PyByteArray>)> {
        let before = lock(&self.solutions).clone();
        self.take(py, limit).map_err(|error| {
            *lock(&self.solutions) = before;
            match error.is_instance_of::<PyMemoryError>(py) {
                true => {
                    NotEnoughMemory::new_err("not enough memory for all (a limit can be given)")
                }
                false => error,
            }
        })
    }
}
