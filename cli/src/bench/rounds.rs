//! In which order the counts are timed, and how often.

use super::model::{Benchmark, Measurement, Purpose, SCHEMA, SCHEMA_VERSION, Settings};
use super::score::{marks, scores, speedups};
use super::stats::{median, quantile, spread};
use super::steal::CpuTime;
use super::suite::{Suite, WORKLOAD, Workload};
use crate::human::significant;
use queens::Board;
use queens::Environment;
use queens::Mismatch;
use queens::known::known;
use queens::{CancelToken, Engine, Kernel, Symmetry};
use queens::{CountError, Counter};

/// Runs that a score needs.
const SCORE_RUNS: usize = 5;
/// Runs that the others make at least.
const LEAST_RUNS: usize = 3;
/// Runs beyond which the median has settled.
const MOST_RUNS: usize = 25;

/// A row of the table is timed [`SCORE_RUNS`] times or until its runs took this many seconds,
const TABLE_SECONDS: f64 = 10.0;
/// and on, up to [`MOST_RUNS`] times, as long as they took no longer than this: a tenth of a millisecond varies a lot.
const TABLE_SHORT_SECONDS: f64 = 0.1;
/// The fastest engine on one thread goes on in the table as long as a count is expected to take no longer than this.
const PATIENCE_ONE_THREAD: f64 = 60.0;
/// The other engines, as long as it takes no longer than this.
const PATIENCE_OTHERS: f64 = 6.0;

/// One timed count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Wall time in seconds.
    pub seconds: f64,
    /// What was counted.
    pub total: u128,
    /// The symmetry used, where it is a choice.
    pub symmetry: Option<Symmetry>,
}

/// A run that is due.
#[derive(Debug, Clone, Copy)]
pub struct Next {
    /// What is to be timed.
    pub workload: Workload,
    /// The round, from 0, which warms up; none for the table.
    pub round: Option<usize>,
    /// The part of the work that is done, from 0 to 1, as well as it can be told.
    pub fraction: f64,
}

/// Times a workload once.
pub type Timer<'a> = dyn FnMut(&Next) -> Result<Sample, CountError> + 'a;

impl Suite {
    /// Counts a workload for real, until cancelled.
    ///
    /// # Errors
    ///
    /// Those of [`Counter::run`], but for a wrong total, which is a result here.
    pub fn time(&self, workload: &Workload, cancel: &CancelToken) -> Result<Sample, CountError> {
        let mut counter = Counter::new(workload.n)?
            .engine(workload.engine)
            .kernel(workload.kernel)
            .threads(workload.threads);
        if workload.kernel == Kernel::Reference {
            // The yardstick: with more symmetry it would not be the plain search that others are compared with.
            counter = counter.symmetry(Symmetry::Mirror);
        }
        let run = counter.prepare()?.cancel_with(cancel.clone());
        let started = std::time::Instant::now();
        let (elapsed, total, symmetry) = match run.run() {
            Ok(count) => (count.elapsed, count.total, count.symmetry),
            Err(CountError::Mismatch(Mismatch { total, .. })) => (started.elapsed(), total, None),
            Err(error) => return Err(error),
        };
        Ok(Sample {
            seconds: elapsed.as_secs_f64(),
            total,
            symmetry,
        })
    }

    /// Measures everything, each run with `time`.
    ///
    /// # Errors
    ///
    /// Those of `time`.
    pub fn run(&self, time: &mut Timer<'_>) -> Result<Benchmark, CountError> {
        let started = CpuTime::now();
        let rounds = self.rounds(time)?;
        let mut measurements: Vec<_> = rounds.iter().map(Series::measurement).collect();
        for measured in &mut measurements {
            measured.marks = marks(measured);
        }
        speedups(&mut measurements);
        let table = self.table_rows(time)?;
        measurements.extend(table.iter().map(Series::measurement));
        let ended = CpuTime::now();
        let settings = Settings {
            level: self.level.to_string(),
            pin: "none".to_owned(),
            threads: self.threads.count(),
            threads_reason: self.threads.reason().to_owned(),
        };
        Ok(Benchmark {
            schema: SCHEMA.to_owned(),
            schema_version: SCHEMA_VERSION,
            workload: WORKLOAD,
            environment: Environment::here(),
            steal: started.and_then(|started| Some(significant(ended?.stolen_since(started)))),
            scores: scores(&measurements, &settings),
            settings,
            measurements,
            comparison: None,
        })
    }

    /// Rounds over all workloads until each has used up its share of the time and has runs enough. Each round begins
    /// with another workload, and none follows itself unless it is the last one left. The first round warms the machine
    /// up with what the scores are made of; it is checked, but not timed.
    fn rounds(&self, time: &mut Timer<'_>) -> Result<Vec<Series>, CountError> {
        let mut series: Vec<_> = self.workloads().into_iter().map(Series::new).collect();
        let share = self.level.budget() / series.len().max(1) as f64;
        let mut last = None;
        for round in 0.. {
            let takes_part = |i: &usize| match round {
                0 => series[*i].workload.purpose == Purpose::Score,
                _ => series[*i].wants_more(share),
            };
            let mut order: Vec<_> = (0..series.len()).filter(takes_part).collect();
            if order.is_empty() {
                break;
            }
            let mut first = round % order.len();
            if last == Some(order[first]) {
                first = (first + 1) % order.len();
            }
            order.rotate_left(first);
            last = order.last().copied();
            for i in order {
                let done: f64 = series.iter().map(|one| one.progress(share)).sum();
                let sample = time(&Next {
                    workload: series[i].workload,
                    round: Some(round),
                    fraction: done / series.len() as f64,
                })?;
                series[i].enter(sample, round > 0);
            }
        }
        Ok(series)
    }

    /// The rows of the table, from the smallest board up: the fastest engine on all threads to the end, the fastest on
    /// one thread and the other engines as long as it takes no time to speak of.
    fn table_rows(&self, time: &mut Timer<'_>) -> Result<Vec<Series>, CountError> {
        let mut rows: Vec<Series> = Vec::new();
        let workloads = self.table_workloads();
        for (i, &workload) in workloads.iter().enumerate() {
            let fastest = Engine::auto(&Board::new(workload.n)?, None);
            let is_fastest = workload.engine == fastest;
            let patience = match (is_fastest, workload.threads == self.threads.count()) {
                (true, true) => f64::INFINITY,
                (true, false) => PATIENCE_ONE_THREAD,
                (false, _) => PATIENCE_OTHERS,
            };
            if expected(&rows, &workload) > patience {
                continue;
            }
            let next = Next {
                workload,
                round: None,
                fraction: i as f64 / workloads.len() as f64,
            };
            let mut row = Series::new(workload);
            while row.wants_more_for_table() {
                row.enter(time(&next)?, true);
            }
            rows.push(row);
        }
        Ok(rows)
    }
}

/// The seconds that a count is expected to take, by the row of the same engine and threads before it: time grows
/// somewhat faster than the number of solutions.
fn expected(rows: &[Series], workload: &Workload) -> f64 {
    let mut before = rows.iter().rev();
    let is_same = |row: &&Series| {
        (row.workload.engine, row.workload.threads) == (workload.engine, workload.threads)
    };
    before.find(is_same).map_or(0.0, |row| {
        let growth = published(workload.n) as f64 / published(row.workload.n).max(1) as f64;
        median(&row.runs) * growth * 1.2
    })
}

fn published(n: u32) -> u128 {
    known(n)
        .expect("sizes were checked when the suite was made")
        .solutions
}

/// A workload and its runs so far.
#[derive(Debug)]
struct Series {
    workload: Workload,
    runs: Vec<f64>,
    symmetry: Option<Symmetry>,
    correct: bool,
}

impl Series {
    fn new(workload: Workload) -> Self {
        Self {
            workload,
            runs: Vec::new(),
            symmetry: None,
            correct: true,
        }
    }

    /// Takes a run; one that is not timed is checked all the same.
    fn enter(&mut self, sample: Sample, timed: bool) {
        self.correct &= sample.total == published(self.workload.n);
        self.symmetry = self.symmetry.or(sample.symmetry);
        if timed {
            self.runs.push(sample.seconds);
        }
    }

    fn seconds(&self) -> f64 {
        self.runs.iter().sum()
    }

    fn least_runs(&self) -> usize {
        match self.workload.purpose {
            Purpose::Score | Purpose::Scaling => SCORE_RUNS,
            Purpose::Kernels | Purpose::Table => LEAST_RUNS,
        }
    }

    /// Whether there are too few runs, or time and use for more.
    fn wants_more(&self, share: f64) -> bool {
        let runs = self.runs.len();
        runs < self.least_runs() || (runs < MOST_RUNS && self.seconds() < share)
    }

    fn wants_more_for_table(&self) -> bool {
        let (runs, seconds) = (self.runs.len(), self.seconds());
        (runs < SCORE_RUNS && seconds < TABLE_SECONDS)
            || (runs < MOST_RUNS && seconds < TABLE_SHORT_SECONDS)
    }

    fn progress(&self, share: f64) -> f64 {
        let runs = self.runs.len() as f64;
        let enough = runs / self.least_runs() as f64;
        let ample = (self.seconds() / share).max(runs / MOST_RUNS as f64);
        enough.min(ample).min(1.0)
    }

    fn measurement(&self) -> Measurement {
        let Workload { n, threads, .. } = self.workload;
        let runs: Vec<_> = self
            .runs
            .iter()
            .map(|run| significant(run.max(SHORTEST)))
            .collect();
        let seconds = median(&runs);
        let least = quantile(&runs, 0.0);
        Measurement {
            purpose: self.workload.purpose,
            engine: self.workload.engine.to_string(),
            kernel: self.workload.kernel.to_string(),
            symmetry: self.symmetry.map(|symmetry| symmetry.to_string()),
            n,
            threads,
            solutions: published(n).to_string(),
            correct: self.correct,
            least,
            seconds: significant(seconds),
            spread: significant(spread(&runs)),
            runs,
            solutions_per_second: significant(published(n) as f64 / least),
            speedup: None,
            marks: Vec::new(),
        }
    }
}

/// The shortest time that a clock tells apart, in seconds.
const SHORTEST: f64 = 1e-9;
