//! Counts, shards and estimates, as tuples and dictionaries.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyTimeoutError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use queens::count::{Check, Interval, Method};
use queens::known::{self, Known};
use queens::machine::MAX_THREADS;
use queens::store::{LedgerFile, Merged};
use queens::{CancelToken, CountError, Ledger, PlanId, Run, Sampling, Shard};

use crate::arguments::{self, ANY, Text, bytes, named, optional, whole};
use crate::attend::{attend, lock};
use crate::boards::{Given, board_of};
use crate::errors::{Cancelled, invalid, not_counted, not_merged};

/// Fields of the Python type `Result`.
#[derive(IntoPyObject)]
pub(crate) struct Total(
    u32,
    u128,
    &'static str,
    String,
    f64,
    &'static str,
    Option<&'static str>,
    Option<usize>,
);

impl Total {
    /// Creates the record of a count that took `elapsed`. Merged counts have no `method`.
    fn new(
        plan: &PlanId,
        total: u128,
        check: &Check,
        elapsed: Duration,
        method: Option<&Method>,
    ) -> Self {
        Self(
            plan.board.n(),
            total,
            check.label(),
            check.to_string(),
            elapsed.as_secs_f64(),
            plan.engine.name(),
            method.map(|method| method.kernel.name()),
            method.map(|method| method.threads),
        )
    }
}

/// Fields of the Python type `Estimate`.
#[derive(IntoPyObject)]
pub(crate) struct EstimateRecord {
    solutions: f64,
    solutions_low: Option<f64>,
    solutions_high: Option<f64>,
    seconds: f64,
    seconds_low: Option<f64>,
    seconds_high: Option<f64>,
    core_hours: f64,
    memory_bytes: u64,
    shards: usize,
    samples: usize,
    seed: u64,
}

/// Time on one thread for which `estimate` suggests a number of shards.
const SHARD_TIME: Duration = Duration::from_secs(3600);

#[pyclass(frozen, module = "n_queens._native")]
pub(crate) struct Counter {
    counter: queens::Counter,
    /// Board, engine, kernel and threads.
    description: String,
    /// Maximum duration of a run.
    timeout: Option<Duration>,
    /// Number of calls to `cancel`, each of which cancels all runs in progress.
    cancels: AtomicU64,
}

impl Counter {
    /// Prepares a run and passes it to `work`. Meanwhile, calls `watch` with the progress of the
    /// run.
    fn run_with<T: Send>(
        &self,
        py: Python<'_>,
        watch: Option<&Bound<'_, PyAny>>,
        work: impl FnOnce(Run<'_>) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        let (cancel, started) = (CancelToken::new(), Instant::now());
        let begun = self.cancels.load(Ordering::Relaxed);
        let progress = Mutex::new(None);
        let check = || {
            if self.cancels.load(Ordering::Relaxed) != begun {
                return Err(Cancelled::new_err("the count was cancelled"));
            }
            if let Some(most) = self.timeout.filter(|&most| started.elapsed() >= most) {
                let why = format!("timeout: {} s exceeded", most.as_secs_f64());
                return Err(PyTimeoutError::new_err(why));
            }
            match (watch, lock(&progress).take()) {
                (Some(watch), Some(progress)) => watch.call1(progress).map(drop),
                _ => Ok(()),
            }
        };
        let run = self.prepare()?.cancel_with(cancel.clone()).on_progress(|now| {
            let left = now.left.map(|left| left.as_secs_f64());
            let elapsed = now.elapsed.as_secs_f64();
            *lock(&progress) = Some((now.fraction, left, now.found, elapsed));
        });
        attend(py, || cancel.cancel(), check, || work(run))?
    }

    fn prepare(&self) -> PyResult<Run<'static>> {
        self.counter.clone().prepare().map_err(not_counted)
    }
}

#[pymethods]
impl Counter {
    #[new]
    #[pyo3(signature = (board, *, engine=None, kernel=None, symmetry=None, threads=None, memory=None, timeout=None))]
    #[allow(clippy::too_many_arguments, reason = "Python passes them by name")]
    fn new(
        board: Given,
        engine: Option<Text>,
        kernel: Option<Text>,
        symmetry: Option<Text>,
        threads: Option<&Bound<'_, PyAny>>,
        memory: Option<&Bound<'_, PyAny>>,
        timeout: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let timeout = timeout.map(|timeout| arguments::seconds("timeout", timeout)).transpose()?;
        let threads = optional("threads", threads, 1..=MAX_THREADS as u64)?;
        let counter = queens::Counter::on(board_of(board)?)
            .engine(named("engine", engine)?)
            .kernel(named("kernel", kernel)?)
            .symmetry(named("symmetry", symmetry)?)
            .threads(threads.map(|threads| threads as usize))
            .memory(memory.map(|memory| bytes("memory", memory)).transpose()?);
        // Rejects an impossible count now rather than after other counts have run.
        let run = counter.clone().prepare().map_err(not_counted)?;
        let method = run.method();
        let threads = method.threads;
        let s = if threads == 1 { "" } else { "s" };
        let how =
            format!("engine {}, kernel {}, {threads} thread{s}", method.engine, method.kernel);
        let description = format!("{}, {how}", run.plan().board());
        Ok(Self { counter, description, timeout, cancels: AtomicU64::new(0) })
    }

    fn __repr__(&self) -> String {
        format!("<Counter of the {}>", self.description)
    }

    fn cancel(&self) {
        self.cancels.fetch_add(1, Ordering::Relaxed);
    }

    fn run(&self, py: Python<'_>, watch: Option<&Bound<'_, PyAny>>) -> PyResult<Total> {
        let count = |run: Run<'_>| Ok((run.plan().id().clone(), run.run().map_err(not_counted)?));
        let (plan, count) = self.run_with(py, watch, count)?;
        Ok(Total::new(&plan, count.total, &count.check, count.elapsed, Some(&count.method)))
    }

    fn estimate(
        &self,
        py: Python<'_>,
        watch: Option<&Bound<'_, PyAny>>,
        seconds: &Bound<'_, PyAny>,
        seed: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<EstimateRecord> {
        let time = arguments::seconds("seconds", seconds)?;
        let seed = optional("seed", seed, ANY)?.unwrap_or_else(|| fastrand::u64(..));
        let sampling = Sampling::for_time(time, seed);
        let about = self.run_with(py, watch, |run| run.estimate(&sampling).map_err(not_counted))?;
        let bound = |interval: Interval, end: usize| interval.bounds.map(|bounds| bounds[end]);
        Ok(EstimateRecord {
            solutions: about.solutions.value,
            solutions_low: bound(about.solutions, 0),
            solutions_high: bound(about.solutions, 1),
            seconds: about.seconds.value,
            seconds_low: bound(about.seconds, 0),
            seconds_high: bound(about.seconds, 1),
            core_hours: about.core_hours().value,
            memory_bytes: about.memory,
            shards: about.shards(SHARD_TIME),
            samples: about.samples,
            seed: about.seed,
        })
    }

    /// Counts a shard, and returns its ledger as bytes. With a path, saves it in this file, and
    /// resumes it if the file exists.
    fn shard<'py>(
        &self,
        py: Python<'py>,
        watch: Option<&Bound<'py, PyAny>>,
        number: &Bound<'_, PyAny>,
        of: &Bound<'_, PyAny>,
        path: Option<PathBuf>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let [number, of] = [("number", number), ("of", of)]
            .map(|(name, value)| Ok::<_, PyErr>(whole(name, value, 0..=u32::MAX.into())? as usize));
        let (number, of) = (number?, of?);
        let wrong = |_| invalid(format!("number: {number} is out of range (accepted: 1 to {of})"));
        let shard = Shard::new(number, of).map_err(wrong)?;
        let bytes = self.run_with(py, watch, |run| match path {
            None => {
                let mut ledger = Ledger::new(run.plan(), shard);
                fill(run, &mut ledger, |_| Ok(()))?;
                Ok(ledger.to_bytes())
            }
            Some(path) => {
                let mut file = LedgerFile::open(path, run.plan(), shard).map_err(invalid)?;
                let filled =
                    fill(run, &mut file, |file| file.save_when_due().map(drop).map_err(invalid));
                file.save().map_err(invalid)?;
                filled.map(|()| file.ledger().to_bytes())
            }
        })?;
        Ok(PyBytes::new(py, &bytes))
    }
}

/// Counts what a ledger lacks.
fn fill<L: AsMut<Ledger>>(
    mut run: Run<'_>,
    ledger: &mut L,
    save: impl Fn(&mut L) -> PyResult<()>,
) -> PyResult<()> {
    let filled = run.fill(ledger, |ledger| save(ledger).map_err(Stop::Save));
    filled.map_err(|stop| match stop {
        Stop::Count(error) => not_counted(error),
        Stop::Save(error) => error,
    })
}

/// Reason why a ledger is not filled.
enum Stop {
    Count(CountError),
    Save(PyErr),
}

impl From<CountError> for Stop {
    fn from(error: CountError) -> Self {
        Self::Count(error)
    }
}

/// Adds up ledgers in memory, and in files and folders.
fn add_up(py: Python<'_>, parts: Vec<Part>) -> PyResult<Merged> {
    let mut merged = Merged::default();
    py.detach(|| {
        parts.iter().try_for_each(|part| match part {
            Part::Bytes(bytes) => merged.add_bytes(bytes),
            Part::Path(path) => merged.add_path(path),
        })
    })
    .map_err(not_merged)?;
    Ok(merged)
}

/// A ledger in memory, or the path of files.
#[derive(FromPyObject)]
pub(crate) enum Part {
    Bytes(PyBackedBytes),
    Path(PathBuf),
}

/// Adds up parts and verifies the total.
#[pyfunction]
pub(crate) fn merge(py: Python<'_>, parts: Vec<Part>) -> PyResult<Total> {
    let merged = add_up(py, parts)?;
    let ledger = merged.ledger().ok_or_else(|| invalid("parts: there are no results"))?;
    if !ledger.is_complete() {
        let shards = merged.missing_shards().unwrap_or_default();
        let names: Vec<_> = shards.iter().take(10).map(ToString::to_string).collect();
        let more = if shards.len() > 10 { ", ..." } else { "" };
        let missing = ledger.len() - ledger.done();
        let why =
            format!("no total: {missing} subproblems are missing ({}{more})", names.join(", "));
        return Err(invalid(why));
    }
    let (total, check) = ledger.total().map_err(not_counted)?;
    Ok(Total::new(ledger.plan(), total, &check, ledger.elapsed(), None))
}

/// Returns the numbers of the shards that are not complete.
#[pyfunction]
pub(crate) fn missing(py: Python<'_>, parts: Vec<Part>) -> PyResult<Vec<usize>> {
    let merged = add_up(py, parts)?;
    let several = || invalid("parts: there are several numbers of shards (accepted: one)");
    let shards = merged.missing_shards().ok_or_else(several)?;
    Ok(shards.into_iter().map(Shard::number).collect())
}

/// Fields of the Python type `Known`.
type Published = (u32, u128, u128, u128, u128, Option<u128>, Option<u64>);

/// Returns the published values of all board sizes, starting at N = 0.
#[pyfunction]
pub(crate) fn published() -> Vec<Published> {
    let rows = (0..).map_while(known::values).map(|row| {
        let Known { n, solutions, fundamental, half_turn, quarter_turn, nodes, .. } = *row;
        (n, solutions, fundamental, half_turn, quarter_turn, nodes, known::or_tools(n))
    });
    rows.collect()
}
