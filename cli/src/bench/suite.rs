//! Which counts are timed, in which order, and how often.

use std::ops::RangeInclusive;
use std::time::Instant;

use queens::count::Mismatch;
use queens::known::known;
use queens::machine::{Environment, Threads};
use queens::{Board, CancelToken, CountError, Counter, Engine, Kernel, Symmetry};
use strum::Display;

use super::model::{Benchmark, Measurement, Purpose, SCHEMA, SCHEMA_VERSION, Settings, Workload};
use super::steal::CpuTime;
use crate::human::significant;

/// The version of the workload. Another number when what is counted for a score changes: boards, or how they are counted on
/// purpose; a faster program on the same boards is a better score.
pub const WORKLOAD: u32 = 1;

/// Runs that a workload makes at least.
const LEAST_RUNS: usize = 5;
/// Runs beyond which the median has settled.
const MOST_RUNS: usize = 25;

/// The least runs of a row of the table end when they took this many seconds.
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
    /// Seconds that the runs may take in all, which slow workloads exceed for the sake of the least runs.
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
        let (classic, faster) = match self {
            Self::Quick => ((14, 16), (15, 17)),
            Self::Default => ((16, 17), (16, 18)),
            Self::Full => ((16, 18), (17, 19)),
        };
        if engine == Engine::Bitboard {
            classic
        } else {
            faster
        }
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
/// use queens::machine::Threads;
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
        let workloads = self.workloads().into_iter();
        let mut measured: Vec<_> = workloads.map(Measurement::new).collect();
        let share = self.level.budget() / measured.len().max(1) as f64;
        let progress = |one: &Measurement| one.progress(share, f64::INFINITY);
        for round in 0.. {
            let is_due = |i: &usize| match round {
                0 => measured[*i].workload.purpose == Purpose::Score,
                _ => progress(&measured[*i]) < 1.0,
            };
            let due: Vec<_> = (0..measured.len()).filter(is_due).collect();
            if due.is_empty() {
                break;
            }
            for i in due {
                let done: f64 = measured.iter().map(progress).sum();
                let sample = time(&Next {
                    workload: measured[i].workload,
                    round: Some(round),
                    fraction: done / measured.len() as f64,
                })?;
                measured[i].enter(&sample, round > 0);
            }
        }
        Ok(measured)
    }

    /// The rows of the table, from the smallest board up: the fastest engine on all threads to the end, the others as long
    /// as it takes no time to speak of.
    fn time_table(&self, time: &mut Timer<'_>) -> Result<Vec<Measurement>, CountError> {
        let mut rows: Vec<Measurement> = Vec::new();
        let workloads = self.table_workloads();
        for (i, &workload) in workloads.iter().enumerate() {
            let fastest = Engine::auto(&Board::new(workload.n)?, None);
            let goes_on = (fastest, self.threads.count());
            let line = |of: &Workload| (of.engine, of.threads);
            let mut before = rows
                .iter()
                .filter(|row| line(&row.workload) == line(&workload));
            if line(&workload) != goes_on && before.any(|row| row.runs[0] > PATIENCE) {
                continue;
            }
            let mut row = Measurement::new(workload);
            while row.progress(TABLE_SHARE, TABLE_SECONDS) < 1.0 {
                let sample = time(&Next {
                    workload,
                    round: None,
                    fraction: i as f64 / workloads.len() as f64,
                })?;
                row.enter(&sample, true);
            }
            rows.push(row);
        }
        Ok(rows)
    }

    /// The rows that the table may have.
    fn table_workloads(&self) -> Vec<Workload> {
        let mut list = Vec::new();
        for &n in &self.table {
            for engine in Self::ENGINES {
                if engine.sizes().contains(&n) {
                    list.extend(self.one_and_all(Workload {
                        purpose: Purpose::Table,
                        engine,
                        kernel: engine.fastest_kernel(),
                        n,
                        threads: 1,
                    }));
                }
            }
        }
        list
    }
}

impl Measurement {
    /// A workload without runs.
    fn new(workload: Workload) -> Self {
        let published = known(workload.n).expect("the suite has published sizes alone");
        Self {
            workload,
            symmetry: None,
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

    /// Takes a run; one that is not timed is checked all the same.
    fn enter(&mut self, sample: &Sample, is_timed: bool) {
        self.correct &= sample.total == self.solutions;
        if is_timed {
            self.symmetry = sample.symmetry.map(|symmetry| symmetry.to_string());
            self.runs.push(significant(sample.seconds.max(SHORTEST)));
        }
    }

    /// How much of its runs are made, from 0 to 1: [`LEAST_RUNS`] or what `longest` seconds take, and then as many as take
    /// `share` seconds or [`MOST_RUNS`].
    fn progress(&self, share: f64, longest: f64) -> f64 {
        let (runs, seconds) = (self.runs.len() as f64, self.runs.iter().sum::<f64>());
        let enough = (runs / LEAST_RUNS as f64).max(seconds / longest);
        let ample = (runs / MOST_RUNS as f64).max(seconds / share);
        enough.min(ample).min(1.0)
    }
}
