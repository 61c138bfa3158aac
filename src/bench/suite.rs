//! Which counts are timed, in which order, and how often.

use thiserror::Error;

use super::score::{efficiencies, marks, scores};
use super::stats::{median, spread};
use super::{
    Benchmark, Measurement, News, Purpose, SCHEMA, SCHEMA_VERSION, Sample, Settings, Timer,
    Workload,
};
use crate::board::Board;
use crate::count::verify::Mismatch;
use crate::count::{CountError, Counter};
use crate::engine::Symmetry;
use crate::engine::{CancelToken, Engine, Kernel};
use crate::known::known;
use crate::machine::Environment;
use crate::machine::Pin;
use crate::machine::threads::Threads;
use crate::report::human::significant;

/// How long the benchmark may take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Level {
    /// Some ten seconds.
    Quick,
    /// About a minute.
    #[default]
    Default,
    /// Several minutes.
    Full,
}

impl Level {
    /// All levels.
    pub const ALL: [Self; 3] = [Self::Quick, Self::Default, Self::Full];

    /// The name as reports have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Default => "default",
            Self::Full => "full",
        }
    }

    /// Seconds that the runs may take in all; slow workloads exceed their share for the sake of the least runs.
    fn budget(self) -> f64 {
        match self {
            Self::Quick => 8.0,
            Self::Default => 50.0,
            Self::Full => 240.0,
        }
    }

    /// The boards of an engine: for the kernels side by side, and for the score. They never depend on the machine, or
    /// scores could not be compared.
    fn boards(self, engine: Engine) -> (u32, u32) {
        // Engines that are faster than the classic need larger boards.
        let classic = engine == Engine::Bitboard;
        match (self, classic) {
            (Self::Quick, true) => (14, 16),
            (Self::Quick, false) => (15, 17),
            (Self::Default, true) => (16, 17),
            (Self::Default, false) => (16, 18),
            (Self::Full, true) => (16, 18),
            (Self::Full, false) => (17, 19),
        }
    }
}

/// Runs that a score needs.
pub(super) const SCORE_RUNS: usize = 5;
/// Runs that the others make at least.
const LEAST_RUNS: usize = 3;
/// Runs beyond which the median has settled.
const MOST_RUNS: usize = 25;

/// A row of the table is timed [`SCORE_RUNS`] times or until its runs took this many seconds,
const TABLE_SECONDS: f64 = 1.0;
/// and on, up to [`MOST_RUNS`] times, as long as they took no longer than this: a tenth of a millisecond varies a lot.
const TABLE_SHORT_SECONDS: f64 = 0.1;
/// The fastest engine on one thread goes on in the table as long as a count is expected to take no longer than this.
const PATIENCE_ONE_THREAD: f64 = 60.0;
/// The other engines, as long as it takes no longer than this.
const PATIENCE_OTHERS: f64 = 6.0;

/// A benchmark that cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SuiteError {
    /// A board whose number of solutions is not published, or that an engine cannot count.
    #[error(
        "a count at N = {n} with engine {engine} could not be checked (accepted: {least} to {most}, where the total is published)"
    )]
    Size {
        /// Board size asked for.
        n: u32,
        /// The engine.
        engine: Engine,
        /// Smallest board.
        least: u32,
        /// Largest board.
        most: u32,
    },
}

/// What to measure.
#[derive(Debug, Clone)]
pub struct Suite {
    level: Level,
    engines: Vec<Engine>,
    n: Option<u32>,
    threads: Threads,
    scaling: bool,
    table: Vec<u32>,
    pin: Pin,
}

impl Suite {
    /// Every engine, on one thread and on `threads`.
    #[must_use]
    pub fn new(level: Level, threads: Threads) -> Self {
        Self {
            level,
            engines: Engine::all_for(&Board::new(8).expect("a small board")).collect(),
            n: None,
            threads,
            scaling: false,
            table: Vec::new(),
            pin: Pin::None,
        }
    }

    /// This engine alone.
    #[must_use]
    pub fn engine(mut self, engine: Engine) -> Self {
        self.engines = vec![engine];
        self
    }

    /// This board in place of the level's.
    ///
    /// # Errors
    ///
    /// [`SuiteError::Size`] if one of the engines cannot count it or nothing is published about it.
    pub fn board(mut self, n: u32) -> Result<Self, SuiteError> {
        for &engine in &self.engines {
            checkable(engine, n)?;
        }
        self.n = Some(n);
        Ok(self)
    }

    /// 1, 2, 4 and so on threads too.
    #[must_use]
    pub fn scaling(mut self, scaling: bool) -> Self {
        self.scaling = scaling;
        self
    }

    /// The table of solutions against board size too.
    ///
    /// # Errors
    ///
    /// [`SuiteError::Size`] if nothing is published about one of the sizes.
    pub fn table(mut self, sizes: &[u32]) -> Result<Self, SuiteError> {
        for &n in sizes {
            checkable(Engine::Bitboard, n)?;
        }
        self.table = sizes.to_vec();
        self.table.sort_unstable();
        self.table.dedup();
        Ok(self)
    }

    /// Ties threads to processors.
    #[must_use]
    pub fn pin(mut self, pin: Pin) -> Self {
        self.pin = pin;
        self
    }

    /// What is timed in rounds, the table left out.
    #[must_use]
    pub fn workloads(&self) -> Vec<Workload> {
        let engines = self.engines.iter();
        engines
            .flat_map(|&engine| self.workloads_of(engine))
            .collect()
    }

    fn workloads_of(&self, engine: Engine) -> Vec<Workload> {
        let (kernels_n, score_n) = self.n.map_or(self.level.boards(engine), |n| (n, n));
        let best = engine.fastest_kernel();
        let both = one_and(self.threads.count());
        let workload = |purpose, kernel, n, threads| Workload {
            purpose,
            engine,
            kernel,
            n,
            threads,
        };
        let mut list = Vec::new();
        list.extend(
            both.iter()
                .map(|&t| workload(Purpose::Score, best, score_n, t)),
        );
        for kernel in engine.available_kernels() {
            if (kernel, kernels_n) != (best, score_n) {
                let threads = both.iter();
                list.extend(threads.map(|&t| workload(Purpose::Kernels, kernel, kernels_n, t)));
            }
        }
        if self.scaling {
            let between = powers_below(self.threads.count()).skip(1); // one thread is in the score
            list.extend(between.map(|t| workload(Purpose::Scaling, best, score_n, t)));
        }
        list
    }

    /// Counts a workload for real; until cancelled.
    ///
    /// # Errors
    ///
    /// Those of [`Counter::run`], but for a wrong total, which is a result here.
    pub fn time(&self, workload: &Workload, cancel: &CancelToken) -> Result<Sample, CountError> {
        let mut counter = Counter::new(workload.n)?
            .engine(workload.engine)
            .kernel(workload.kernel)
            .threads(workload.threads)
            .pin_to(self.pin.processors());
        if workload.kernel == Kernel::Reference {
            // The yardstick: with more symmetry it would not be the plain search that others are compared with.
            counter = counter.symmetry(Symmetry::Mirror);
        }
        let started = std::time::Instant::now();
        let run = counter.prepare()?.cancel_with(cancel.clone());
        match run.run() {
            Ok(count) => Ok(Sample {
                seconds: count.elapsed.as_secs_f64(),
                total: count.total,
                symmetry: count.symmetry.map(Symmetry::name),
            }),
            Err(CountError::Mismatch(Mismatch { total, .. })) => Ok(Sample {
                seconds: started.elapsed().as_secs_f64(),
                total,
                symmetry: None,
            }),
            Err(error) => Err(error),
        }
    }

    /// Measures everything; `watch` hears what comes next.
    ///
    /// # Errors
    ///
    /// Those of `time`.
    pub fn run(
        &self,
        time: &mut Timer<'_>,
        watch: &mut dyn FnMut(&News),
    ) -> Result<Benchmark, CountError> {
        let mut measurements: Vec<_> = self
            .rounds(time, watch)?
            .iter()
            .map(Series::measurement)
            .collect();
        for measured in &mut measurements {
            measured.marks = marks(measured);
        }
        efficiencies(&mut measurements);
        let table = self.table_rows(time, watch)?;
        measurements.extend(table.iter().map(Series::measurement));
        let settings = Settings {
            level: self.level.name().to_owned(),
            pin: self.pin.name().to_owned(),
            threads: self.threads.count(),
            threads_reason: self.threads.reason().to_owned(),
        };
        Ok(Benchmark {
            schema: SCHEMA.to_owned(),
            schema_version: SCHEMA_VERSION,
            environment: Environment::here(),
            scores: scores(&measurements, &settings),
            settings,
            measurements,
            comparison: None,
        })
    }

    /// Rounds over all workloads until each has used up its share of the time and has runs enough. Each round begins
    /// with another workload, and none follows itself unless it is the last one left. The first round warms the machine
    /// up with what the scores are made of; it is checked, but not timed.
    fn rounds(
        &self,
        time: &mut Timer<'_>,
        watch: &mut dyn FnMut(&News),
    ) -> Result<Vec<Series>, CountError> {
        let mut series: Vec<_> = self.workloads().into_iter().map(Series::new).collect();
        let share = self.level.budget() / series.len().max(1) as f64;
        let mut last = None;
        for round in 0.. {
            let mut order: Vec<_> = (0..series.len())
                .filter(|&i| match round {
                    0 => series[i].workload.purpose == Purpose::Score,
                    _ => series[i].wants_more(share),
                })
                .collect();
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
                let workload = series[i].workload;
                let done: f64 = series.iter().map(|one| one.progress(share)).sum();
                watch(&News {
                    workload,
                    round: Some(round),
                    fraction: done / series.len() as f64,
                });
                let sample = time(&workload)?;
                series[i].enter(sample, round > 0);
            }
        }
        Ok(series)
    }

    /// The rows of the table, from the smallest board up: the fastest engine on all threads to the end, the fastest on one
    /// thread and the other engines as long as it takes no time to speak of.
    fn table_rows(
        &self,
        time: &mut Timer<'_>,
        watch: &mut dyn FnMut(&News),
    ) -> Result<Vec<Series>, CountError> {
        let mut rows: Vec<Series> = Vec::new();
        for (i, &n) in self.table.iter().enumerate() {
            let fastest = Engine::auto(&Board::new(n)?, None);
            for engine in Engine::all_for(&Board::new(n)?) {
                for threads in one_and(self.threads.count()) {
                    let workload = Workload {
                        purpose: Purpose::Table,
                        engine,
                        kernel: engine.fastest_kernel(),
                        n,
                        threads,
                    };
                    let patience = match (engine == fastest, threads == self.threads.count()) {
                        (true, true) => f64::INFINITY,
                        (true, false) => PATIENCE_ONE_THREAD,
                        (false, _) => PATIENCE_OTHERS,
                    };
                    if expected(&rows, &workload) > patience {
                        continue;
                    }
                    watch(&News {
                        workload,
                        round: None,
                        fraction: i as f64 / self.table.len() as f64,
                    });
                    let mut row = Series::new(workload);
                    while row.wants_more_for_table() {
                        row.enter(time(&workload)?, true);
                    }
                    rows.push(row);
                }
            }
        }
        Ok(rows)
    }
}

/// The seconds that a count is expected to take, by the row of the same engine and threads before it: time grows somewhat
/// faster than the number of solutions.
fn expected(rows: &[Series], workload: &Workload) -> f64 {
    let before = rows.iter().rev().find(|row| {
        let Workload {
            engine, threads, ..
        } = row.workload;
        (engine, threads) == (workload.engine, workload.threads)
    });
    before.map_or(0.0, |row| {
        let growth = published(workload.n) as f64 / published(row.workload.n).max(1) as f64;
        median(&row.runs) * growth * 1.2
    })
}

/// One thread and all of them, or just the one.
fn one_and(threads: usize) -> Vec<usize> {
    if threads == 1 {
        vec![1]
    } else {
        vec![1, threads]
    }
}

/// 1, 2, 4 and so on, as long as they are below `threads`.
fn powers_below(threads: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(1_usize), |power| power.checked_mul(2))
        .take_while(move |&power| power < threads)
}

/// Whether a count of this board can be made and checked.
fn checkable(engine: Engine, n: u32) -> Result<(), SuiteError> {
    let sizes = engine.sizes();
    let known_to_end = (*sizes.start()..=*sizes.end()).take_while(|&n| known(n).is_some());
    let (least, most) = ((*sizes.start()).max(1), known_to_end.last().unwrap_or(0));
    if (least..=most).contains(&n) {
        return Ok(());
    }
    Err(SuiteError::Size {
        n,
        engine,
        least,
        most,
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
    symmetry: Option<&'static str>,
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
        let Workload {
            purpose,
            engine,
            kernel,
            n,
            threads,
        } = self.workload;
        let seconds = median(&self.runs).max(1e-9);
        let rate = published(n) as f64 / seconds;
        Measurement {
            purpose,
            engine: engine.name().to_owned(),
            kernel: kernel.name().to_owned(),
            symmetry: self.symmetry.map(str::to_owned),
            n,
            threads,
            solutions: published(n).to_string(),
            correct: self.correct,
            runs: self.runs.iter().copied().map(significant).collect(),
            seconds: significant(seconds),
            spread: significant(spread(&self.runs)),
            solutions_per_second: significant(rate),
            per_thread: significant(rate / threads as f64),
            speedup: None,
            efficiency: None,
            marks: Vec::new(),
        }
    }
}
