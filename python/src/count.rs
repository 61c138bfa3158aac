//! Counts, classes, estimates: what is computed, and its record as the JSON that the program writes.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use queens::{CancelToken, Classes, CountError, Run, Sampling, known};
use queens_cli::report::{ClassesRecord, Document, EstimateRecord, Format, Record};

use crate::attend::{attend, lock};
use crate::boards::{Given, board_of};
use crate::errors::{named, not_counted};

#[pyclass(frozen, module = "queens")]
pub(crate) struct Counter {
    counter: queens::Counter,
    /// Cancels the runs that have begun.
    cancel: Mutex<CancelToken>,
}

impl Counter {
    /// Plans a run, and has it do something.
    fn run_with<T: Send>(
        &self,
        py: Python<'_>,
        look: impl FnMut() -> PyResult<()>,
        work: impl FnOnce(Run<'_>) -> Result<T, CountError> + Send,
    ) -> PyResult<T> {
        let (counter, cancel) = (self.counter.clone(), lock(&self.cancel).clone());
        let work = || work(counter.prepare()?.cancel_with(cancel));
        attend(py, || self.cancel(), look, work)?.map_err(not_counted)
    }
}

#[pymethods]
impl Counter {
    #[new]
    #[pyo3(signature = (board, *, engine=None, kernel=None, symmetry=None, threads=None, memory=None, stats=false, double_check=None))]
    #[allow(clippy::too_many_arguments, reason = "Python names them")]
    fn new(
        board: Given,
        engine: Option<&str>,
        kernel: Option<&str>,
        symmetry: Option<&str>,
        threads: Option<usize>,
        memory: Option<u64>,
        stats: bool,
        double_check: Option<f64>,
    ) -> PyResult<Self> {
        let counter = queens::Counter::on(board_of(board)?)
            .engine(named("engine", engine)?)
            .kernel(named("kernel", kernel)?)
            .symmetry(named("symmetry", symmetry)?)
            .threads(threads)
            .memory(memory)
            .double_check(double_check)
            .stats(stats);
        // What cannot be counted is refused at once, and not when others have been.
        counter.clone().prepare().map_err(not_counted)?;
        let cancel = Mutex::default();
        Ok(Self { counter, cancel })
    }

    fn cancel(&self) {
        std::mem::take(&mut *lock(&self.cancel)).cancel();
    }

    fn run(&self, py: Python<'_>, watch: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        let news = Mutex::new(None);
        let look = || match (watch, lock(&news).take()) {
            (Some(watch), Some(news)) => watch.call1(news).map(drop),
            _ => Ok(()),
        };
        let count = self.run_with(py, look, |run| {
            let run = run.on_progress(|now| {
                let left = now.left.map(|left| left.as_secs_f64());
                let elapsed = now.elapsed.as_secs_f64();
                *lock(&news) = Some((now.fraction, left, now.found, elapsed));
            });
            run.run()
        })?;
        json(|out| Record::new(count).write(out, Format::Json))
    }

    fn estimate(&self, py: Python<'_>, seconds: f64, seed: u64) -> PyResult<String> {
        let sampling = Sampling::for_time(Duration::from_secs_f64(seconds), seed);
        let work = |mut run: Run<'_>| run.estimate(&sampling);
        let record = EstimateRecord {
            estimate: self.run_with(py, || Ok(()), work)?,
            shard_time: Duration::from_secs(3600),
        };
        json(|out| record.write(out, Format::Json))
    }
}

/// So many solutions of an empty board sorted by symmetry; and how their number was checked.
#[pyfunction]
pub(crate) fn classes(
    py: Python<'_>,
    n: u32,
    solutions: u128,
    threads: usize,
    check: (String, String),
) -> PyResult<String> {
    let (started, cancel) = (Instant::now(), CancelToken::new());
    let work = || Classes::count(n, solutions, threads, &cancel);
    let classes = attend(py, || cancel.cancel(), || Ok(()), work)?.map_err(not_counted)?;
    let record = ClassesRecord {
        classes: &classes.expect("only a signal cancels it"),
        check: (&check.0, check.1),
        symmetric_seconds: started.elapsed().as_secs_f64(),
    };
    json(|out| record.write(out, Format::Json))
}

/// What is published, from N = 0 on.
#[pyfunction]
pub(crate) fn published() -> PyResult<String> {
    let rows: Vec<_> = (0..).map_while(known::known).collect();
    json(|out| Ok(serde_json::to_writer(out, &rows)?))
}

fn json(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> PyResult<String> {
    let mut out = Vec::new();
    write(&mut out)?;
    Ok(String::from_utf8(out)?)
}
