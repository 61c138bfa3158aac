//! Counts, symmetry classes and estimates, as tuples and dictionaries.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyTimeoutError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use queens::count::{Check, Interval, Method};
use queens::known::{self, Known};
use queens::machine::Environment;
use queens::store::Problem;
use queens::{CancelToken, Classes, CountError, Ledger, Plan, Run, Sampling, Shard};

use crate::arguments::{self, Text, named, optional, whole};
use crate::attend::{attend, lock};
use crate::boards::{Given, board_of};
use crate::errors::{Cancelled, invalid, not_counted, not_merged};

/// Version and compiler of the module, and this machine.
#[derive(IntoPyObject)]
struct Machine {
    version: String,
    compiler: String,
    date: String,
    cpu: String,
    cores: usize,
}

impl Machine {
    fn here() -> Self {
        let Environment { version, compiler, date, cpu, cores, .. } = Environment::here();
        Self { version, compiler, date, cpu, cores }
    }
}

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
    Machine,
);

impl Total {
    /// Creates the record of a count that took `elapsed`. Merged counts have no `method`.
    fn new(
        plan: &Plan,
        total: u128,
        check: &Check,
        elapsed: Duration,
        method: Option<&Method>,
    ) -> Self {
        Self(
            plan.board().n(),
            total,
            check.label(),
            check.to_string(),
            elapsed.as_secs_f64(),
            plan.engine().name(),
            method.map(|method| method.kernel.name()),
            method.map(|method| method.threads),
            Machine::here(),
        )
    }
}

/// Fields of the dictionary that the Python function `classes` returns.
#[derive(IntoPyObject)]
pub(crate) struct ClassesRecord {
    solutions: u128,
    fundamental: u128,
    half_turn: u64,
    quarter_turn: u64,
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
        work: impl FnOnce(Run<'_>, &CancelToken) -> Result<T, CountError> + Send,
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
        attend(py, || cancel.cancel(), check, || work(run, &cancel))?.map_err(not_counted)
    }

    fn prepare(&self) -> PyResult<Run<'static>> {
        self.counter.clone().prepare().map_err(not_counted)
    }

    fn plan(&self) -> PyResult<Plan> {
        Ok(self.prepare()?.plan().clone())
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
        let counter = queens::Counter::on(board_of(board)?)
            .engine(named("engine", engine)?)
            .kernel(named("kernel", kernel)?)
            .symmetry(named("symmetry", symmetry)?)
            .threads(optional("threads", threads)?.map(|threads| threads as usize))
            .memory(optional("memory", memory)?);
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
        let count = |run: Run<'_>, _: &CancelToken| Ok((run.plan().clone(), run.run()?));
        let (plan, count) = self.run_with(py, watch, count)?;
        Ok(Total::new(&plan, count.total, &count.check, count.elapsed, Some(&count.method)))
    }

    fn classes(&self, py: Python<'_>, watch: Option<&Bound<'_, PyAny>>) -> PyResult<ClassesRecord> {
        let classes = self.run_with(py, watch, |run, cancel| {
            let count = run.run()?;
            let threads = count.method.threads;
            Classes::count(&count.board, count.total, threads, cancel)
        })?;
        Ok(ClassesRecord {
            solutions: classes.solutions,
            fundamental: classes.fundamental(),
            half_turn: classes.half_turn,
            quarter_turn: classes.quarter_turn,
        })
    }

    fn estimate(
        &self,
        py: Python<'_>,
        watch: Option<&Bound<'_, PyAny>>,
        seconds: &Bound<'_, PyAny>,
        seed: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<EstimateRecord> {
        let time = arguments::seconds("seconds", seconds)?;
        let seed = optional("seed", seed)?.unwrap_or_else(|| fastrand::u64(..));
        let sampling = Sampling::for_time(time, seed);
        let about = self.run_with(py, watch, |run, _| run.estimate(&sampling))?;
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

    /// Returns the number of shards, and the engine, symmetry, number of subproblems and identity
    /// of the plan. Fails if the plan cannot be split into this many shards.
    fn plan_in(
        &self,
        shards: &Bound<'_, PyAny>,
    ) -> PyResult<(usize, &str, Option<&str>, usize, String)> {
        let (plan, shards) = (self.plan()?, whole("shards", shards, u64::MAX)? as usize);
        plan.status(shards, [[]; 0]).map_err(not_merged)?;
        let symmetry = plan.id().symmetry.map(Into::into);
        Ok((shards, plan.engine().into(), symmetry, plan.len(), plan.id().to_string()))
    }

    /// Counts one shard and returns its ledger.
    fn shard<'py>(
        &self,
        py: Python<'py>,
        watch: Option<&Bound<'py, PyAny>>,
        index: &Bound<'_, PyAny>,
        shards: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let index = whole("shard", index, shards as u64 - 1)? as usize;
        let shard = Shard::new(index, shards).map_err(invalid)?;
        let ledger = self.run_with(py, watch, |mut run, _| {
            let mut ledger = Ledger::of_shard(run.plan(), shard);
            let done = run.count(run.missing(&ledger)?, |results| ledger.record(results))?;
            Ok(run.plan().shard_to_bytes(&ledger, done))
        })?;
        Ok(PyBytes::new(py, &ledger))
    }

    fn merge(&self, py: Python<'_>, shards: usize, parts: Vec<PyBackedBytes>) -> PyResult<Total> {
        let plan = self.plan()?;
        let merged = py.detach(|| plan.merge(shards, &parts)).map_err(not_merged)?;
        Ok(Total::new(&plan, merged.total, &merged.check, merged.elapsed, None))
    }

    /// Returns the shards that have no intact ledger. Fails if a ledger belongs to another plan or
    /// number of shards.
    fn missing(
        &self,
        py: Python<'_>,
        shards: usize,
        parts: Vec<PyBackedBytes>,
    ) -> PyResult<Vec<usize>> {
        let plan = self.plan()?;
        let status = py.detach(|| plan.status(shards, &parts)).map_err(not_merged)?;
        let is_foreign =
            |problem: &Problem| !matches!(problem, Problem::Damaged(_) | Problem::Repeated(_));
        let foreign = status.unusable.into_iter().find(|ledger| is_foreign(&ledger.problem));
        foreign.map_or(Ok(status.missing), |ledger| Err(invalid(ledger)))
    }
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
