//! Which counts are timed, in which order, and how often.

use std::ops::RangeInclusive;
use std::time::Instant;

use queens::count::Mismatch;
use queens::known::known;
use queens::machine::{Environment, Threads};
use queens::{Board, CancelToken, CountError, Counter, Engine, Kernel, Symmetry};
use strum::Display;

use super::model::{Benchmark, Figures, Measurement, Purpose, SCHEMA_VERSION, Settings, Workload};
use crate::human::significant;

/// The version of the workload. Another number when what is counted for a score changes: boards, or how they are counted on
/// purpose; a faster program on the same boards is a better score.
pub const WORKLOAD: u32 = 1;

/// Runs that a workload makes at least.
const LEAST_RUNS: usize = 5;
/// Runs beyond which the median has settled.
const MOST_RUNS: usize = 25;

/// The runs of a row of the table end after this many seconds, be they few.
const TABLE_SECONDS: f64 = 40.0;
/// A row goes on for this many seconds: a tenth of a millisecond varies a lot.
const TABLE_SHARE: f64 = 0.1;
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
    /// Seconds that the runs may take in all, which slow workloads exceed for the sake of the least runs, and the boards of an
    /// engine: for the kernels side by side, and for the score. They never depend on the machine, or scores could not be
    /// compared.
    fn budget_and_boards(self, engine: Engine) -> (f64, u32, u32) {
        let (budget, classic, others) = match self {
            Self::Quick => (8.0, (14, 16), (15, 17)),
            Self::Default => (50.0, (16, 17), (16, 18)),
            Self::Full => (240.0, (16, 18), (17, 19)),
        };
        // Engines that are faster than the classic need larger boards.
        let is_classic = engine == Engine::Bitboard;
        let (kernels, score) = if is_classic { classic } else { others };
        (budget, kernels, score)
    }
}

/// A run that is due.
#[derive(Debug, Clone, Copy)]
pub struct Next {
    /// What is to be timed.
    pub workload: Workload,
    /// The round, from 0, which warms up.
    pub round: usize,
    /// The part of the work that is done, from 0 to 1, as well as it can be told.
    pub fraction: f64,
}

/// Counts a workload once: how long that took, in seconds, and the total.
pub type Timer<'a> = dyn FnMut(&Next) -> Result<(f64, u128), CountError> + 'a;

/// What to measure.
///
/// ```no_run
/// use queens::machine::Threads;
/// use queens_cli::measure::{Level, Suite};
///
/// let suite = Suite::new(Level::Quick, Threads::usable());
/// let benchmark = suite.run(&mut |next| suite.time(&next.workload, &Default::default()))?;
/// for score in &benchmark.scores {
///     println!("{}: {:?} solutions/s on one thread", score.workload, score.one_thread);
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
    /// Whether 2, 4, 8 and so on threads are measured too.
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

    /// What is timed: rows of the table last, and the smallest boards of these first.
    #[must_use]
    pub fn workloads(&self) -> Vec<Workload> {
        let mut list = Vec::new();
        // On each of these numbers of threads, and on all.
        let all = self.threads.count();
        let mut add = |purpose, (engine, kernel, n), mut threads: Vec<usize>| {
            threads.retain(|&threads| threads < all);
            list.extend(threads.into_iter().chain([all]).map(|threads| Workload {
                purpose,
                engine,
                kernel,
                n,
                threads,
            }));
        };
        for &engine in &self.engines {
            let (_, kernels_n, score_n) = self.level.budget_and_boards(engine);
            let [kernels_n, score_n] = [kernels_n, score_n].map(|n| self.n.unwrap_or(n));
            let best = engine.fastest_kernel();
            let mut threads = vec![1];
            while self.scaling && threads[threads.len() - 1] * 2 < all {
                threads.push(threads[threads.len() - 1] * 2);
            }
            add(Purpose::Score, (engine, best, score_n), threads);
            for kernel in engine.available_kernels() {
                if (kernel, kernels_n) != (best, score_n) {
                    add(Purpose::Kernels, (engine, kernel, kernels_n), vec![1]);
                }
            }
        }
        for &n in &self.table {
            for engine in Self::ENGINES {
                if engine.sizes().contains(&n) {
                    let kernel = engine.fastest_kernel();
                    add(Purpose::Table, (engine, kernel, n), vec![1]);
                }
            }
        }
        list
    }

    /// Counts a workload for real, until cancelled: how long that took, and the total, which may be wrong.
    ///
    /// # Errors
    ///
    /// Those of [`Counter::run`], but for a wrong total.
    pub fn time(
        &self,
        workload: &Workload,
        cancel: &CancelToken,
    ) -> Result<(f64, u128), CountError> {
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
        match run.run() {
            Ok(count) => Ok((count.elapsed.as_secs_f64(), count.total)),
            Err(CountError::Mismatch(Mismatch { total, .. })) => {
                Ok((started.elapsed().as_secs_f64(), total))
            }
            Err(error) => Err(error),
        }
    }

    /// Measures everything, each run with `time`: rounds over all workloads until each has used up its share of the time and
    /// has runs enough. The first round warms the machine up with what the scores are made of; it is checked, but not timed.
    ///
    /// # Errors
    ///
    /// Those of `time`.
    pub fn run(&self, time: &mut Timer<'_>) -> Result<Benchmark, CountError> {
        let workloads = self.workloads().into_iter();
        let mut measured: Vec<_> = workloads.map(Measurement::new).collect();
        for round in 0.. {
            let mut is_over = round > 0;
            for i in 0..measured.len() {
                let workload = measured[i].workload;
                let is_due = match round {
                    0 => workload.purpose == Purpose::Score,
                    _ => self.progress(&measured, i) < 1.0,
                };
                if !is_due {
                    continue;
                }
                is_over = false;
                let done: f64 = (0..measured.len())
                    .map(|i| self.progress(&measured, i))
                    .sum();
                let (seconds, total) = time(&Next {
                    workload,
                    round,
                    fraction: done / measured.len() as f64,
                })?;
                let one = &mut measured[i];
                one.correct &= total == one.solutions;
                if round > 0 {
                    one.runs.push(significant(seconds.max(SHORTEST)));
                }
            }
            if is_over {
                break;
            }
        }
        measured.retain(|one| !one.runs.is_empty());
        let benchmark = Benchmark {
            schema_version: SCHEMA_VERSION,
            workload: WORKLOAD,
            environment: Environment::here(),
            settings: Settings {
                level: self.level.to_string(),
                threads: self.threads.count(),
                threads_reason: self.threads.reason().to_owned(),
            },
            scores: Vec::new(),
            measurements: measured,
        };
        Ok(benchmark.computed())
    }

    /// How much of the runs of a workload are made, from 0 to 1: [`LEAST_RUNS`], and then as many as take its share of the time
    /// or [`MOST_RUNS`]. Slow rows of the table have fewer, or none, unless they are of the fastest engine on all threads.
    fn progress(&self, measured: &[Measurement], i: usize) -> f64 {
        let Measurement { workload, runs, .. } = &measured[i];
        let is_smaller = |row: &&Measurement| {
            let same = Workload {
                n: workload.n,
                ..row.workload
            };
            same == *workload && row.workload.n < workload.n
        };
        let is_slow = |row: &Measurement| row.runs.first().is_some_and(|&run| run > PATIENCE);
        let auto = Board::new(workload.n).map(|board| Engine::auto(&board, None));
        let goes_on = auto == Ok(workload.engine) && workload.threads == self.threads.count();
        let (share, longest) = match workload.purpose {
            Purpose::Table if !goes_on && measured.iter().filter(is_smaller).any(is_slow) => {
                return 1.0;
            }
            Purpose::Table => (TABLE_SHARE, TABLE_SECONDS),
            _ => {
                let (budget, ..) = self.level.budget_and_boards(workload.engine);
                let purposes = measured.iter().map(|one| one.workload.purpose);
                let timed = purposes
                    .filter(|&purpose| purpose != Purpose::Table)
                    .count();
                (budget / timed as f64, f64::INFINITY)
            }
        };
        let (runs, seconds) = (runs.len() as f64, runs.iter().sum::<f64>());
        let enough = (runs / LEAST_RUNS as f64).max(seconds / longest);
        let ample = (runs / MOST_RUNS as f64).max(seconds / share);
        enough.min(ample).min(1.0)
    }
}

impl Measurement {
    /// A workload without runs.
    fn new(workload: Workload) -> Self {
        let published = known(workload.n).expect("the suite has published sizes alone");
        Self {
            workload,
            solutions: published.solutions,
            correct: true,
            runs: Vec::new(),
            figures: Figures::default(),
        }
    }
}
