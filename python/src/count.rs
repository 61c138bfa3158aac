//! Counts, classes, estimates: what is computed, and its record as the JSON that the program writes.

use std::fmt::Display;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use queens::report::{ClassesRecord, EstimateRecord, Format, Record};
use queens::{CancelToken, Classes, CountError, Run, Sampling, Symmetric, Threads, Until, known};

use crate::attend::{attend, lock};
use crate::boards::Board;
use crate::errors::{
    Cancelled, Contradiction, NotEnoughMemory, QueensError, invalid, named, not_counted, seconds,
};

/// How far a count is: fraction, seconds left, solutions found, seconds elapsed.
type News = (f64, Option<f64>, u128, f64);

#[pyclass(frozen)]
pub(crate) struct Counter {
    counter: queens::Counter,
    memory: Option<u64>,
    /// Cancels the run, while there is one.
    running: Mutex<Option<CancelToken>>,
}

#[pyclass(frozen)]
pub(crate) struct Count(queens::Count);

/// So many times as long as was asked for may the least sample take.
const PATIENCE: u32 = 20;

impl Counter {
    /// A run that has been planned and can be cancelled.
    fn run_with<T: Send>(
        &self,
        py: Python<'_>,
        mut look: impl FnMut() -> PyResult<()>,
        work: impl FnOnce(Run<'_>) -> Result<T, CountError> + Send,
    ) -> PyResult<T> {
        let cancel = CancelToken::new();
        match &mut *lock(&self.running) {
            Some(_) => {
                let why =
                    "this Counter is running already (a second run needs a Counter of its own)";
                return Err(QueensError::new_err(why));
            }
            none => *none = Some(cancel.clone()),
        }
        let counter = self.counter.clone();
        let token = cancel.clone();
        let work = move || work(counter.prepare()?.cancel_with(token));
        let result = attend(py, &cancel, &mut look, work);
        *lock(&self.running) = None;
        result?.map_err(|error| match (&error, self.memory) {
            (CountError::Memory { .. }, Some(given)) => {
                NotEnoughMemory::new_err(format!("memory: {given} bytes are too few: {error}"))
            }
            _ => not_counted(error),
        })
    }
}

#[pymethods]
impl Counter {
    #[new]
    #[allow(clippy::too_many_arguments, reason = "Python names them")]
    fn new(
        board: &Board,
        engine: Option<&str>,
        kernel: Option<&str>,
        symmetry: Option<&str>,
        threads: Option<usize>,
        memory: Option<u64>,
        stats: bool,
        double_check: Option<f64>,
    ) -> PyResult<Self> {
        let counter = queens::Counter::on(board.0.clone())
            .engine(named("engine", engine)?)
            .kernel(named("kernel", kernel)?)
            .symmetry(named("symmetry", symmetry)?)
            .threads(threads)
            .memory(memory)
            .double_check(double_check);
        Ok(Self {
            counter: if stats { counter.stats() } else { counter },
            memory,
            running: Mutex::default(),
        })
    }

    fn cancel(&self) {
        if let Some(running) = &*lock(&self.running) {
            running.cancel();
        }
    }

    fn run(&self, py: Python<'_>, watch: Option<&Bound<'_, PyAny>>) -> PyResult<Count> {
        let news = Mutex::new(None::<News>);
        let look = || match (watch, lock(&news).take()) {
            (Some(watch), Some(news)) => watch.call1(news).map(drop),
            _ => Ok(()),
        };
        let count = self.run_with(py, look, |run| {
            let run = run.on_progress(|progress| {
                *lock(&news) = Some((
                    progress.fraction,
                    progress.left.map(|left| left.as_secs_f64()),
                    progress.found,
                    progress.elapsed.as_secs_f64(),
                ));
            });
            run.run()
        });
        count.map(Count)
    }

    fn estimate(&self, py: Python<'_>, time: f64, seed: Option<u64>) -> PyResult<String> {
        let given = seconds("seconds", time)?;
        let limit = given * PATIENCE;
        let sampling = Sampling {
            until: Until::Time(given),
            seed: seed.unwrap_or_else(|| fastrand::u64(..)),
        };
        let estimate = self.run_with(py, || Ok(()), |run| run.estimate_within(&sampling, limit));
        let too_short = || {
            invalid(format!(
                "seconds: {time:?} is too short for the least sample"
            ))
        };
        let record = EstimateRecord {
            estimate: estimate.map_err(|error| match error.is_instance_of::<Cancelled>(py) {
                true => too_short(),
                false => error,
            })?,
            shard_time: Duration::from_secs(3600),
        };
        json(|out| record.write(out, Format::Json))
    }
}

#[pymethods]
impl Count {
    #[getter]
    fn total(&self) -> u128 {
        self.0.total
    }

    /// Everything about it.
    fn record(&self) -> PyResult<String> {
        let record = Record::new(self.0.clone());
        json(|out| record.write(out, Format::Json))
    }
}

/// Q(N) by symmetry.
#[pyfunction]
pub(crate) fn classes(py: Python<'_>, count: &Count) -> PyResult<String> {
    let Count(total) = count;
    let n = total.board.n();
    let board = queens::Board::new(n).map_err(invalid)?;
    let (started, cancel) = (Instant::now(), CancelToken::new());
    let threads = Threads::usable().count();
    let count = || Symmetric::count(&board, threads, &cancel);
    let symmetric = attend(py, &cancel, || Ok(()), count)?.map_err(not_counted)?;
    let symmetric = symmetric.expect("only a signal cancels it");
    let contradicts = |why: &dyn Display| Contradiction::new_err(why.to_string());
    symmetric
        .check_published(n)
        .map_err(|why| contradicts(&why))?;
    let classes = Classes::new(n, total.total, symmetric).map_err(|why| contradicts(&why))?;
    let record = ClassesRecord {
        classes: &classes,
        check: (total.check.word(), total.check.to_string()),
        symmetric_seconds: started.elapsed().as_secs_f64(),
    };
    json(|out| record.write(out, Format::Json))
}

/// N, solutions, fundamental ones, those unchanged by turns, nodes.
type Known = (u32, u128, u128, u128, u128, Option<u128>);

/// What is published, from N = 0 on.
#[pyfunction]
pub(crate) fn published() -> Vec<Known> {
    let rows = (0..).map_while(known::known);
    rows.map(|row| {
        (
            row.n,
            row.solutions,
            row.fundamental,
            row.half_turn,
            row.quarter_turn,
            row.nodes,
        )
    })
    .collect()
}

fn json(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> PyResult<String> {
    let mut out = Vec::new();
    write(&mut out)?;
    Ok(String::from_utf8(out)?)
}
