//! Which counts are timed, in which order, and how often.

use std::ops::RangeInclusive;
use std::time::Instant;

use strum::Display;

use super::model::{Benchmark, Measurement, Purpose, SCHEMA, SCHEMA_VERSION, Settings};
use super::steal::CpuTime;
use crate::human::{plural, significant};
use queens::Board;
use queens::Mismatch;
use queens::known::known;
use queens::{CancelToken, Engine, Kernel, Symmetry};
use queens::{CountError, Counter};
use queens::{Environment, Threads};

/// The version of the workload. Another number when what is counted for a score changes: boards, or how they are counted on
/// purpose; a faster program on the same boards is a better score.
pub const WORKLOAD: u32 = 1;

/// Runs that a workload makes at least.
const LEAST_RUNS: usize = 5;
/// Runs beyond which the median has settled.
const MOST_RUNS: usize = 25;

/// A row of the table is timed [`LEAST_RUNS`] times or until its runs took this many seconds,
const TABLE_SECONDS: f64 = 10.0;
/// and on, up to [`MOST_RUNS`] times, as long as they took no longer than this: a tenth of a millisecond varies a lot.
const TABLE_SHORT_SECONDS: f64 = 0.1;
/// In the table, only the fastest engine on all threads goes on after a count that took this many seconds.
const PATIENCE: f64 = 6.0;

/// The shortest time that a clock tells apart, in seconds.
const SHORTEST: f64 = 1e-9;

/// How long the benchmark may take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Display)]
#[strum(serialize_all = "lowercase")]
pub enum Level {
    /// About ten seconds.
    Quick,
    /// About a minute.
    #[default]
    Default,
    /// Several minutes.
    Full,
}

impl Level {
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

/// One count that is timed again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Workload {
    /// What for.
    pub purpose: Purpose,
    /// Engine.
    pub engine: Engine,
    /// Kernel.
    pub kernel: Kernel,
    /// Board size.
    pub n: u32,
    /// Threads.
    pub threads: usize,
}

impl std::fmt::Display for Workload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (engine, kernel, n) = (self.engine, self.kernel, self.n);
        let threads = plural(self.threads, "thread");
        write!(f, "{engine} {kernel} N = {n}, {threads}")
    }
}

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

/// What to measure.
///
/// ```no_run
/// use queens::Threads;
/// use queens_cli::bench::{Level, Suite};
///
/// let suite = Suite::new(Level::Quick, Threads::usable());
/// let benchmark = suite.run(&mut |next| suite.time(&next.workload, &Default::default()))?;
/// for score in &benchmark.scores {
///     println!("{}: {:?} solutions/s on one thread", score.engine, score.one_thread);
/// }
/// # Ok::<(), queens::CountError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Suite {
    /// How long the benchmark may take.
    pub level: Level,
    /// What "all threads" stands for.
    pub threads: Threads,
    /// The engines measured.
    pub engines: Vec<Engine>,
    /// Whether 1, 2, 4 and so on threads are measured too.
    pub scaling: bool,
    /// The board in place of the level's, one of the engines' [`sizes`](Self::sizes).
    pub n: Option<u32>,
    /// The boards of the table, in ascending order, of the [`sizes`](Self::sizes) of engine `bitboard`.
    pub table: Vec<u32>,
}

impl Suite {
    /// The engines that are measured: those for the ordinary board.
    pub const ENGINES: [Engine; 2] = [Engine::Bitboard, Engine::Join];

    /// Every engine, on one thread and on `threads`.
    #[must_use]
    pub fn new(level: Level, threads: Threads) -> Self {
        Self {
            level,
            threads,
            engines: Self::ENGINES.to_vec(),
            scaling: false,
            n: None,
            table: Vec::new(),
        }
    }

    /// The boards that an engine counts and whose number of solutions is published, so that a count can be checked.
    #[must_use]
    pub fn sizes(engine: Engine) -> RangeInclusive<u32> {
        let sizes = engine.sizes();
        let least = (*sizes.start()).max(1);
        let published = (least..=*sizes.end()).take_while(|&n| known(n).is_some());
        least..=published.last().unwrap_or(0)
    }

    /// What is timed in rounds, the table left out.
    #[must_use]
    pub fn workloads(&self) -> Vec<Workload> {
        let mut list = Vec::new();
        for &engine in &self.engines {
            let (kernels_n, score_n) = self.n.map_or(self.level.boards(engine), |n| (n, n));
            let score = Workload {
                purpose: Purpose::Score,
                engine,
                kernel: engine.fastest_kernel(),
                n: score_n,
                threads: 1,
            };
            list.extend(self.one_and_all(score));
            for kernel in engine.available_kernels() {
                let purpose = Purpose::Kernels;
                if (kernel, kernels_n) != (score.kernel, score_n) {
                    let n = kernels_n;
                    list.extend(self.one_and_all(Workload {
                        purpose,
                        kernel,
                        n,
                        ..score
                    }));
                }
            }
            let mut threads = 2; // one is in the score
            while self.scaling && threads < self.threads.count() {
                let purpose = Purpose::Scaling;
                list.push(Workload {
                    purpose,
                    threads,
                    ..score
                });
                threads *= 2;
            }
        }
        list
    }

    /// A workload on one thread, and on all of them where there are more.
    fn one_and_all(&self, workload: Workload) -> Vec<Workload> {
        let mut both = vec![workload; 2];
        both[1].threads = self.threads.count();
        both.dedup();
        both
    }

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
        let started = Instant::now();
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
        let mut measurements = self.time_in_rounds(time)?;
        measurements.extend(self.time_table(time)?);
        let ended = CpuTime::now();
        let benchmark = Benchmark {
            schema: SCHEMA.to_owned(),
            schema_version: SCHEMA_VERSION,
            workload: WORKLOAD,
            environment: Environment::here(),
            settings: Settings {
                level: self.level.to_string(),
                threads: self.threads.count(),
                threads_reason: self.threads.reason().to_owned(),
            },
            steal: started.and_then(|started| Some(significant(ended?.stolen_since(started)))),
            scores: Vec::new(),
            measurements,
            comparison: None,
        };
        Ok(benchmark.computed())
    }

    /// Rounds over all workloads until each has used up its share of the time and has runs enough. The first round warms the
    /// machine up with what the scores are made of; it is checked, but not timed.
    fn time_in_rounds(&self, time: &mut Timer<'_>) -> Result<Vec<Measurement>, CountError> {
        let workloads = self.workloads();
        let mut measured: Vec<_> = workloads.iter().map(Measurement::new).collect();
        let share = self.level.budget() / workloads.len().max(1) as f64;
        for round in 0.. {
            let is_due = |i: &usize| match round {
                0 => workloads[*i].purpose == Purpose::Score,
                _ => measured[*i].progress(share) < 1.0,
            };
            let due: Vec<_> = (0..workloads.len()).filter(is_due).collect();
            if due.is_empty() {
                break;
            }
            for i in due {
                let done: f64 = measured.iter().map(|one| one.progress(share)).sum();
                let next = Next {
                    workload: workloads[i],
                    round: Some(round),
                    fraction: done / workloads.len() as f64,
                };
                let sample = time(&next)?;
                measured[i].check(&sample);
                if round > 0 {
                    measured[i].enter(&sample);
                }
            }
        }
        Ok(measured)
    }

    /// The rows of the table, from the smallest board up: the fastest engine on all threads to the end, the others as long
    /// as it takes no time to speak of.
    fn time_table(&self, time: &mut Timer<'_>) -> Result<Vec<Measurement>, CountError> {
        let mut rows: Vec<Measurement> = Vec::new();
        for (i, &n) in self.table.iter().enumerate() {
            let fastest = Engine::auto(&Board::new(n)?, None);
            let engines = Self::ENGINES.into_iter();
            let of_engine = |engine: Engine| {
                self.one_and_all(Workload {
                    purpose: Purpose::Table,
                    engine,
                    kernel: engine.fastest_kernel(),
                    n,
                    threads: 1,
                })
            };
            let engines = engines.filter(|engine| engine.sizes().contains(&n));
            for workload in engines.flat_map(of_engine) {
                let mut row = Measurement::new(&workload);
                let is_same = |before: &&Measurement| {
                    (&before.engine, before.threads) == (&row.engine, row.threads)
                };
                let mut before = rows.iter().filter(is_same).flat_map(|row| &row.runs);
                let is_slow = before.any(|&seconds| seconds > PATIENCE);
                let is_main =
                    (workload.engine, workload.threads) == (fastest, self.threads.count());
                if is_slow && !is_main {
                    continue;
                }
                let next = Next {
                    workload,
                    round: None,
                    fraction: i as f64 / self.table.len() as f64,
                };
                while row.needs_run_in_table() {
                    let sample = time(&next)?;
                    row.check(&sample);
                    row.enter(&sample);
                }
                rows.push(row);
            }
        }
        Ok(rows)
    }
}

impl Measurement {
    /// A workload without runs.
    fn new(workload: &Workload) -> Self {
        let published = known(workload.n).expect("the suite has published sizes alone");
        Self {
            purpose: workload.purpose,
            engine: workload.engine.to_string(),
            kernel: workload.kernel.to_string(),
            symmetry: None,
            n: workload.n,
            threads: workload.threads,
            solutions: published.solutions,
            correct: true,
            runs: Vec::new(),
            least: 0.0,
            seconds: 0.0,
            spread: 0.0,
            solutions_per_second: 0.0,
            speedup: None,
            noisy: false,
        }
    }

    fn check(&mut self, sample: &Sample) {
        self.correct &= sample.total == self.solutions;
    }

    fn enter(&mut self, sample: &Sample) {
        self.symmetry = sample.symmetry.map(|symmetry| symmetry.to_string());
        self.runs.push(significant(sample.seconds.max(SHORTEST)));
    }

    /// How much of its runs are made, from 0 to 1, when they may take `share` seconds.
    fn progress(&self, share: f64) -> f64 {
        let (runs, seconds) = (self.runs.len(), self.runs.iter().sum::<f64>());
        let enough = runs as f64 / LEAST_RUNS as f64;
        let ample = (seconds / share).max(runs as f64 / MOST_RUNS as f64);
        enough.min(ample).min(1.0)
    }

    fn needs_run_in_table(&self) -> bool {
        let (runs, seconds) = (self.runs.len(), self.runs.iter().sum::<f64>());
        (runs < LEAST_RUNS && seconds < TABLE_SECONDS)
            || (runs < MOST_RUNS && seconds < TABLE_SHORT_SECONDS)
    }
}
