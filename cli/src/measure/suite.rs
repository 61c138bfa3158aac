//! Workloads of the benchmark, their order and their repetition.

use std::ops::RangeInclusive;
use std::time::Instant;

use cpu_time::ProcessTime;
use queens::count::Mismatch;
use queens::known::known;
use queens::machine::{Environment, Threads};
use queens::{Board, CancelToken, CountError, Counter, Engine, Kernel, Symmetry};
use strum::Display;

use super::Repeat;
use super::model::{Benchmark, Measurement, Purpose, SCHEMA_VERSION, Settings, Workload};

/// Version of the workload. It changes if scores use other boards or deliberately count them in another way, not if the
/// program becomes faster.
pub const WORKLOAD: u32 = 1;

/// Minimum number of runs of a workload.
const LEAST_RUNS: usize = 5;
/// Maximum number of runs of a workload, enough for a stable median.
const MOST_RUNS: usize = 25;

/// Runs per row of the table. Tenths of a millisecond vary a lot, and counts of minutes need no repetition.
const ROW: Repeat = Repeat {
    least: LEAST_RUNS,
    most: MOST_RUNS,
    seconds: 0.1,
    longest: 40.0,
};
/// Duration of a count in seconds after which only the fastest engine on all threads continues the table.
const PATIENCE: f64 = 6.0;

/// Duration of the benchmark.
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
    /// Returns the seconds for all runs, and the board sizes of an engine for the comparison of kernels and for the
    /// score.
    ///
    /// Slow workloads exceed the time, because each has a minimum number of runs. The workloads do not depend on
    /// the machine, so that scores are comparable.
    fn budget_and_boards(self, engine: Engine) -> (f64, [u32; 2]) {
        // Engines faster than the classic one need larger boards.
        let is_classic = engine == Engine::Bitboard;
        match self {
            Self::Quick => (8.0, if is_classic { [14, 16] } else { [15, 17] }),
            Self::Default => (50.0, if is_classic { [16, 17] } else { [16, 18] }),
            Self::Full => (240.0, if is_classic { [16, 18] } else { [17, 19] }),
        }
    }
}

/// Next run to time.
#[derive(Debug, Clone, Copy)]
pub struct Next {
    /// Workload to time.
    pub workload: Workload,
    /// Number of the round; round 0 warms up.
    pub round: usize,
    /// Estimated fraction of the work that is done.
    pub fraction: f64,
}

/// Counts a workload once; returns wall time and CPU time in seconds, and the total.
pub type Timer<'a> = dyn FnMut(&Next) -> Result<(f64, f64, u128), CountError> + 'a;

/// Selection of workloads to measure.
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
    /// Level, which sets the duration.
    pub level: Level,
    /// Number of threads that "all threads" stands for.
    pub threads: Threads,
    /// Engines to measure.
    pub engines: Vec<Engine>,
    /// Whether 2, 4, 8, ... threads are measured too.
    pub scaling: bool,
    /// Board size that replaces those of the level; one of the engines' [`sizes`](Self::sizes).
    pub n: Option<u32>,
    /// Board sizes of the table in ascending order, from the [`sizes`](Self::sizes) of the `bitboard` engine.
    pub table: Vec<u32>,
}

impl Suite {
    /// All engines that can be measured: those for the ordinary board.
    pub const ENGINES: [Engine; 2] = [Engine::Bitboard, Engine::Join];

    /// Selects every engine, on one thread and on `threads`.
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

    /// Returns the board sizes that an engine counts and whose number of solutions is published.
    #[must_use]
    pub fn sizes(engine: Engine) -> RangeInclusive<u32> {
        let sizes = engine.sizes();
        let least = (*sizes.start()).max(1);
        let published = (least..=*sizes.end()).take_while(|&n| known(n).is_some());
        least..=published.last().unwrap_or(0)
    }

    /// Returns the workloads, with those of the table last.
    #[must_use]
    pub fn workloads(&self) -> Vec<Workload> {
        let mut list = Vec::new();
        for &engine in &self.engines {
            let (_, boards) = self.level.budget_and_boards(engine);
            let [kernels_n, score_n] = boards.map(|n| self.n.unwrap_or(n));
            let best = engine.fastest_kernel();
            list.extend(self.on_threads(Purpose::Score, engine, best, score_n));
            for kernel in engine.available_kernels() {
                if (kernel, kernels_n) != (best, score_n) {
                    list.extend(self.on_threads(Purpose::Kernels, engine, kernel, kernels_n));
                }
            }
        }
        for &n in &self.table {
            for engine in Self::ENGINES.iter().filter(|one| one.sizes().contains(&n)) {
                let kernel = engine.fastest_kernel();
                list.extend(self.on_threads(Purpose::Table, *engine, kernel, n));
            }
        }
        list
    }

    /// Returns a workload for one thread, for all threads and, if speed-up is measured, for numbers in between.
    fn on_threads(
        &self,
        purpose: Purpose,
        engine: Engine,
        kernel: Kernel,
        n: u32,
    ) -> impl Iterator<Item = Workload> {
        let all = self.threads.count();
        let scaling = self.scaling && purpose == Purpose::Score;
        let powers = (0..).map(|i| 1 << i);
        let fewer = powers.take_while(move |&threads| threads < all && (threads == 1 || scaling));
        fewer.chain([all]).map(move |threads| Workload {
            purpose,
            engine,
            kernel,
            n,
            threads,
        })
    }

    /// Counts a workload until cancelled; returns wall time and CPU time, and the total, which may be wrong.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Counter::run`], except a wrong total.
    pub fn time(
        &self,
        workload: &Workload,
        cancel: &CancelToken,
    ) -> Result<(f64, f64, u128), CountError> {
        let mut counter = Counter::new(workload.n)?
            .engine(workload.engine)
            .kernel(workload.kernel)
            .threads(workload.threads);
        if workload.kernel == Kernel::Reference {
            // With more symmetry, the reference would no longer be the plain search that other kernels are compared
            // with.
            counter = counter.symmetry(Symmetry::Mirror);
        }
        let run = counter.prepare()?.cancel_with(cancel.clone());
        let (started, cpu) = (Instant::now(), ProcessTime::now());
        let (elapsed, total) = match run.run() {
            Ok(count) => (count.elapsed, count.total),
            Err(CountError::Mismatch(Mismatch { total, .. })) => (started.elapsed(), total),
            Err(error) => return Err(error),
        };
        Ok((elapsed.as_secs_f64(), cpu.elapsed().as_secs_f64(), total))
    }

    /// Measures everything, each run with `time`. Scores and kernels are measured in rounds until each has enough runs.
    /// The first round warms up the machine: it counts the workloads of the scores and checks their totals, but is not
    /// timed. The rows of the table follow one by one.
    ///
    /// # Errors
    ///
    /// Returns the first error of `time`.
    pub fn run(&self, time: &mut Timer<'_>) -> Result<Benchmark, CountError> {
        let workloads = self.workloads();
        let all = workloads.len() as f64;
        let (rows, workloads): (Vec<_>, Vec<_>) =
            (workloads.into_iter()).partition(|one| one.purpose == Purpose::Table);
        let repeat = |workload: &Workload| Repeat {
            least: LEAST_RUNS,
            most: MOST_RUNS,
            seconds: self.level.budget_and_boards(workload.engine).0 / workloads.len() as f64,
            longest: f64::INFINITY,
        };
        let mut measured: Vec<_> = workloads.iter().copied().map(Measurement::new).collect();
        let progress = |one: &Measurement| repeat(&one.workload).progress(&one.runs);
        for round in 0.. {
            let is_due = |one: &Measurement| match round {
                0 => one.workload.purpose == Purpose::Score,
                _ => progress(one) < 1.0,
            };
            if round > 0 && !measured.iter().any(is_due) {
                break;
            }
            for i in 0..measured.len() {
                if is_due(&measured[i]) {
                    let fraction = measured.iter().map(progress).sum::<f64>() / all;
                    measured[i].time(round, fraction, time)?;
                }
            }
        }
        for (i, row) in rows.into_iter().enumerate() {
            let is_slow = |other: &Measurement| {
                let n = other.workload.n;
                other.workload == Workload { n, ..row } && other.runs[0] > PATIENCE
            };
            let auto = Board::new(row.n).map(|board| Engine::auto(&board, None));
            let is_fastest = auto == Ok(row.engine) && row.threads == self.threads.count();
            if is_fastest || !measured.iter().any(is_slow) {
                let mut one = Measurement::new(row);
                let fraction = (workloads.len() + i) as f64 / all;
                while !ROW.is_complete(&one.runs) {
                    one.time(1, fraction, time)?;
                }
                measured.push(one);
            }
        }
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
            brief: false,
        };
        Ok(benchmark.computed())
    }
}
