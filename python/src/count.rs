//! Counts, symmetry classes and estimates, as records in the JSON format of the program.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use queens::known::{self, SOLUTIONS_SOURCE, or_tools};
use queens::store::Problem;
use queens::{CancelToken, CountError, Ledger, Plan, Run, Sampling, Shard};
use queens_cli::report::{ClassesReport, CountReport, EstimateReport, Format, MergeReport, Report};

use crate::attend::{attend, lock};
use crate::boards::{Given, board_of};
use crate::errors::{Cancelled, Text, Timeout, invalid, named, not_counted, not_merged};

#[pyclass(frozen, module = "queens")]
pub(crate) struct Counter {
    counter: queens::Counter,
    /// Maximum duration of a run in seconds.
    timeout: Option<f64>,
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
            if let Some(most) = self.timeout
                && started.elapsed().as_secs_f64() >= most
            {
                return Err(Timeout::new_err(format!("timeout: {most} s exceeded")));
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
        threads: Option<usize>,
        memory: Option<u64>,
        timeout: Option<f64>,
    ) -> PyResult<Self> {
        let counter = queens::Counter::on(board_of(board)?)
            .engine(named("engine", engine)?)
            .kernel(named("kernel", kernel)?)
            .symmetry(named("symmetry", symmetry)?)
            .threads(threads)
            .memory(memory);
        // Rejects an impossible count now rather than after other counts have run.
        counter.clone().prepare().map_err(not_counted)?;
        let cancels = AtomicU64::new(0);
        Ok(Self { counter, timeout, cancels })
    }

    fn cancel(&self) {
        self.cancels.fetch_add(1, Ordering::Relaxed);
    }

    fn run(&self, py: Python<'_>, watch: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        let count = self.run_with(py, watch, |run, _| run.run())?;
        json(&CountReport::new(count, &[]))
    }

    fn classes(&self, py: Python<'_>, watch: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        let report =
            self.run_with(py, watch, |run, cancel| ClassesReport::count(&run.run()?, cancel))?;
        json(&report)
    }

    fn estimate(
        &self,
        py: Python<'_>,
        seconds: f64,
        seed: u64,
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let sampling = Sampling::for_time(Duration::from_secs_f64(seconds), seed);
        let estimate = self.run_with(py, watch, |run, _| run.estimate(&sampling))?;
        json(&EstimateReport::new(estimate, Duration::from_secs(3600)))
    }

    /// Returns the engine, symmetry, number of subproblems and identity of the plan. Fails if
    /// the plan cannot be split into this many shards.
    fn plan_in(&self, shards: usize) -> PyResult<(&str, Option<&str>, usize, String)> {
        let plan = self.plan()?;
        plan.status(shards, [[]; 0]).map_err(not_merged)?;
        let symmetry = plan.id().symmetry.map(Into::into);
        Ok((plan.engine().into(), symmetry, plan.len(), plan.id().to_string()))
    }

    /// Counts one shard and returns its ledger.
    fn shard<'py>(
        &self,
        py: Python<'py>,
        index: usize,
        shards: usize,
        watch: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let shard = Shard::new(index, shards).map_err(invalid)?;
        let ledger = self.run_with(py, watch, |mut run, _| {
            let mut ledger = Ledger::of_shard(run.plan(), shard);
            let done = run.count(run.missing(&ledger)?, |results| ledger.record(results))?;
            Ok(run.plan().shard_to_bytes(&ledger, done.elapsed))
        })?;
        Ok(PyBytes::new(py, &ledger))
    }

    fn merge(
        &self,
        py: Python<'_>,
        shards: usize,
        ledgers: Vec<PyBackedBytes>,
    ) -> PyResult<String> {
        let plan = self.plan()?;
        let merged = py.detach(|| plan.merge(shards, &ledgers));
        json(&MergeReport::new(&plan, &merged.map_err(not_merged)?))
    }

    /// Returns the shards that have no intact ledger. Fails if a ledger belongs to another plan or
    /// number of shards.
    fn missing(
        &self,
        py: Python<'_>,
        shards: usize,
        ledgers: Vec<PyBackedBytes>,
    ) -> PyResult<Vec<usize>> {
        let plan = self.plan()?;
        let status = py.detach(|| plan.status(shards, &ledgers)).map_err(not_merged)?;
        let is_foreign =
            |problem: &Problem| !matches!(problem, Problem::Damaged(_) | Problem::Repeated(_));
        let foreign = status.unusable.into_iter().find(|ledger| is_foreign(&ledger.problem));
        foreign.map_or(Ok(status.missing), |ledger| Err(invalid(ledger)))
    }
}

/// Returns the published values of all board sizes, starting at N = 0, as JSON.
#[pyfunction]
pub(crate) fn published() -> String {
    let rows = (0..).map_while(known::values).map(|row| {
        let milliseconds = or_tools(row.n);
        (row, SOLUTIONS_SOURCE, milliseconds)
    });
    serde_json::to_string(&rows.collect::<Vec<_>>()).expect("rows of numbers are JSON")
}

fn json(report: &impl Report) -> PyResult<String> {
    let mut out = Vec::new();
    report.write(&mut out, Format::Json)?;
    Ok(String::from_utf8(out)?)
}
