//! Which counts are timed.

use strum::Display;
use thiserror::Error;

use super::model::Purpose;
use crate::human::plural;
use queens::Threads;
use queens::known::known;
use queens::{Engine, Kernel};

/// The version of the workload. Another number when what is counted for a score changes: boards, or how they are counted on
/// purpose; a faster program on the same boards is a better score.
pub const WORKLOAD: u32 = 1;

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
    pub(super) fn budget(self) -> f64 {
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

/// A board whose number of solutions is not published, or that an engine cannot count.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "a count at N = {n} with engine {engine} could not be checked (accepted: {least} to {most}, where the total is published)"
)]
pub struct SuiteError {
    n: u32,
    engine: Engine,
    least: u32,
    most: u32,
}

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
    pub(super) level: Level,
    pub(super) threads: Threads,
    /// The engines measured.
    pub engines: Vec<Engine>,
    /// Whether 1, 2, 4 and so on threads are measured too.
    pub scaling: bool,
    n: Option<u32>,
    table: Vec<u32>,
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

    /// This board in place of the level's.
    ///
    /// # Errors
    ///
    /// [`SuiteError`] if one of the engines cannot count it or nothing is published about it.
    pub fn board(mut self, n: u32) -> Result<Self, SuiteError> {
        for &engine in &self.engines {
            checkable(engine, n)?;
        }
        self.n = Some(n);
        Ok(self)
    }

    /// The table of solutions against board size too.
    ///
    /// # Errors
    ///
    /// [`SuiteError`] if nothing is published about one of the sizes.
    pub fn table(mut self, sizes: &[u32]) -> Result<Self, SuiteError> {
        for &n in sizes {
            checkable(Engine::Bitboard, n)?;
        }
        self.table = sizes.to_vec();
        self.table.sort_unstable();
        self.table.dedup();
        Ok(self)
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
        let score = Workload {
            purpose: Purpose::Score,
            engine,
            kernel: best,
            n: score_n,
            threads: 1,
        };
        let mut list = self.one_and_all(score);
        for kernel in engine.available_kernels() {
            if (kernel, kernels_n) != (best, score_n) {
                list.extend(self.one_and_all(Workload {
                    purpose: Purpose::Kernels,
                    kernel,
                    n: kernels_n,
                    ..score
                }));
            }
        }
        if self.scaling {
            let powers = std::iter::successors(Some(2), |power| Some(2 * power)); // one is in the score
            let between = powers.take_while(|&power| power < self.threads.count());
            list.extend(between.map(|threads| Workload {
                purpose: Purpose::Scaling,
                threads,
                ..score
            }));
        }
        list
    }

    /// The rows that the table may have, from the smallest board up.
    pub(super) fn table_workloads(&self) -> Vec<Workload> {
        let of = |n| {
            let engines = Self::ENGINES.into_iter();
            let engines = engines.filter(move |engine| engine.sizes().contains(&n));
            engines.flat_map(move |engine| {
                self.one_and_all(Workload {
                    purpose: Purpose::Table,
                    engine,
                    kernel: engine.fastest_kernel(),
                    n,
                    threads: 1,
                })
            })
        };
        self.table.iter().copied().flat_map(of).collect()
    }

    /// A workload on one thread, and on all of them where there are more.
    fn one_and_all(&self, workload: Workload) -> Vec<Workload> {
        let mut both = vec![1, self.threads.count()];
        both.dedup();
        let on = |threads| Workload {
            threads,
            ..workload
        };
        both.into_iter().map(on).collect()
    }
}

/// Whether a count of this board can be made and checked.
fn checkable(engine: Engine, n: u32) -> Result<(), SuiteError> {
    let sizes = engine.sizes();
    let known_to_end = (*sizes.start()..=*sizes.end()).take_while(|&n| known(n).is_some());
    let (least, most) = ((*sizes.start()).max(1), known_to_end.last().unwrap_or(0));
    if (least..=most).contains(&n) {
        return Ok(());
    }
    Err(SuiteError {
        n,
        engine,
        least,
        most,
    })
}
