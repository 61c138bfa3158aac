//! Benchmark workloads, and the order and number of their runs.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::time::Instant;

use queens::count::Mismatch;
use queens::known;
use queens::machine::{Environment, Threads, process_seconds};
use queens::{Board, CancelToken, CountError, Counter, Engine, Kernel, Symmetry};
use strum::Display;

use super::Repeat;
use super::model::{Benchmark, Measurement, Purpose, SCHEMA_VERSION, Settings, Workload};

/// Version of the workloads. It changes when scores are measured on other boards, or on purpose
/// with another algorithm. A program that becomes faster does not change it.
pub const WORKLOAD: u32 = 1;

/// Minimum number of runs of a workload.
const LEAST_RUNS: usize = 5;
/// Maximum number of runs of a workload, enough for a stable median.
const MOST_RUNS: usize = 25;

/// Rule for each row of the table. Short runs are repeated, because times below a millisecond vary
/// by a large factor. A run of 40 seconds or more is not repeated.
const ROW: Repeat = Repeat { least: LEAST_RUNS, most: MOST_RUNS, seconds: 0.1, longest: 40.0 };
/// Time limit for a run in the table, in seconds. If an engine exceeds it with some number of
/// threads, it is not measured with that number on larger boards. The fastest engine on all threads
/// has no limit.
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
    /// Returns the time budget for all runs in seconds, and two board sizes for an engine: one on
    /// which its kernels are compared, and one for its score.
    ///
    /// Every workload has a minimum number of runs, so slow machines exceed the budget. The board
    /// sizes are the same on all machines, which makes scores comparable.
    fn budget_and_boards(self, engine: Engine) -> (f64, [u32; 2]) {
        // A faster engine needs a larger board to run for as long as `bitboard`.
        let is_classic = engine == Engine::Bitboard;
        match self {
            Self::Quick => (8.0, if is_classic { [14, 16] } else { [15, 17] }),
            Self::Default => (50.0, if is_classic { [16, 17] } else { [16, 18] }),
            Self::Full => (240.0, if is_classic { [16, 18] } else { [17, 19] }),
        }
    }
}

/// Function that counts a workload once and returns the wall time and CPU time in seconds, and the
/// total. It is also passed the number of the round, in which 0 is the warm-up, and the estimated
/// fraction of the benchmark that is complete.
pub type Timer<'a> = dyn FnMut(&Workload, usize, f64) -> Result<(f64, f64, u128), CountError> + 'a;

/// Selection of workloads to measure.
///
/// ```no_run
/// use queens::machine::Threads;
/// use queens_cli::measure::{Level, Suite};
///
/// let suite = Suite::new(Level::Quick, Threads::usable());
/// let benchmark = suite.run(&mut |workload, _, _| suite.time(workload, &Default::default()))?;
/// for score in &benchmark.scores {
///     println!("{}: {:?} solutions/s on one thread", score.workload, score.one_thread);
/// }
/// # Ok::<(), queens::CountError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Suite {
    /// Level, which sets the duration.
    pub level: Level,
    /// Number of threads used for measurements on "all threads".
    pub threads: Threads,
    /// Engines to measure.
    pub engines: Vec<Engine>,
    /// Whether scores are also measured on 2, 4, 8, ... threads.
    pub scaling: bool,
    /// Board size that replaces those of the level. It must be among the [`sizes`](Self::sizes) of
    /// every engine.
    pub n: Option<u32>,
    /// Board sizes of the table. All must be among the [`sizes`](Self::sizes)
    /// of `bitboard`.
    pub table: BTreeSet<u32>,
}

impl Suite {
    /// All engines that can be measured, which are those for ordinary boards.
    pub const ENGINES: [Engine; 2] = [Engine::Bitboard, Engine::Join];

    /// Creates a suite that measures every engine on one thread and on `threads` threads.
    #[must_use]
    pub fn new(level: Level, threads: Threads) -> Self {
        Self {
            level,
            threads,
            engines: Self::ENGINES.to_vec(),
            scaling: false,
            n: None,
            table: BTreeSet::new(),
        }
    }

    /// Returns the board sizes that an engine can count and for which the number of solutions is
    /// published.
    #[must_use]
    pub fn sizes(engine: Engine) -> RangeInclusive<u32> {
        let sizes = engine.sizes();
        let least = (*sizes.start()).max(1);
        let published = (least..=*sizes.end()).take_while(|&n| known::values(n).is_some());
        least..=published.last().unwrap_or(0)
    }

    /// Returns all workloads. Those of the table come last.
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

    /// Returns the workloads on one thread, on all threads and, if [`scaling`](Self::scaling) is
    /// set, on numbers of threads in between.
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
        fewer.chain([all]).map(move |threads| Workload { purpose, engine, kernel, n, threads })
    }

    /// Counts the solutions of a workload's board. Returns wall and CPU time in seconds, and the
    /// total, which may be wrong.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Counter::run`], except for a wrong total.
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
            // Other kernels are compared with the plain search, which uses no other symmetry.
            counter = counter.symmetry(Symmetry::Mirror);
        }
        let run = counter.prepare()?.cancel_with(cancel.clone());
        let (started, cpu) = (Instant::now(), process_seconds());
        let (elapsed, total) = match run.run() {
            Ok(count) => (count.elapsed, count.total),
            Err(CountError::Mismatch(Mismatch { total, .. })) => (started.elapsed(), total),
            Err(error) => return Err(error),
        };
        Ok((elapsed.as_secs_f64(), process_seconds() - cpu, total))
    }

    /// Measures all workloads with `time`. A round runs each workload of a score or a comparison of
    /// kernels once, and rounds are repeated until all of these workloads have enough runs. Before
    /// them, a warm-up round runs the workloads of scores, checks their totals and discards their
    /// times. The rows of the table come last, one after another.
    ///
    /// If `time` returns [`CountError::Cancelled`], the benchmark has the measurements completed so
    /// far.
    ///
    /// # Errors
    ///
    /// Returns the first error of `time`. A cancellation is an error only before the first
    /// measurement.
    pub fn run(&self, time: &mut Timer<'_>) -> Result<Benchmark, CountError> {
        let mut measured = Vec::new();
        let outcome = self.measure(&mut measured, time);
        measured.retain(|one| !one.runs.is_empty());
        match outcome {
            Err(CountError::Cancelled) if !measured.is_empty() => {}
            outcome => outcome?,
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

    /// Adds the measurements of all workloads.
    fn measure(
        &self,
        measured: &mut Vec<Measurement>,
        time: &mut Timer<'_>,
    ) -> Result<(), CountError> {
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
        measured.extend(workloads.iter().copied().map(Measurement::new));
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
                let one = measured.len();
                measured.push(Measurement::new(row));
                let fraction = (workloads.len() + i) as f64 / all;
                while !ROW.is_complete(&measured[one].runs) {
                    measured[one].time(1, fraction, time)?;
                }
            }
        }
        Ok(())
    }
}
