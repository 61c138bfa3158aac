//! Which counts are timed.

use strum::Display;
use thiserror::Error;

use super::model::Purpose;
use crate::engine::{Engine, Kernel};
use crate::known::known;
use crate::machine::{Pin, Threads};

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
    pub(super) level: Level,
    engines: Vec<Engine>,
    n: Option<u32>,
    pub(super) threads: Threads,
    scaling: bool,
    pub(super) table: Vec<u32>,
    pub(super) pin: Pin,
}

impl Suite {
    /// The engines that are measured: those for the ordinary board.
    pub const ENGINES: [Engine; 2] = [Engine::Bitboard, Engine::Join];

    /// Every engine, on one thread and on `threads`.
    #[must_use]
    pub fn new(level: Level, threads: Threads) -> Self {
        Self {
            level,
            engines: Self::ENGINES.to_vec(),
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

    /// Pins threads to processors.
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
        let mut list = Vec::new();
        let mut add = |purpose, kernel, n, threads: Vec<usize>| {
            list.extend(threads.into_iter().map(|threads| Workload {
                purpose,
                engine,
                kernel,
                n,
                threads,
            }));
        };
        add(Purpose::Score, best, score_n, self.one_and_all());
        for kernel in engine.available_kernels() {
            if (kernel, kernels_n) != (best, score_n) {
                add(Purpose::Kernels, kernel, kernels_n, self.one_and_all());
            }
        }
        if self.scaling {
            let powers = std::iter::successors(Some(2), |power| Some(2 * power)); // one is in the score
            let between = powers.take_while(|&power| power < self.threads.count());
            add(Purpose::Scaling, best, score_n, between.collect());
        }
        list
    }

    /// The rows that the table may have, from the smallest board up.
    pub(super) fn table_workloads(&self) -> Vec<Workload> {
        let mut list = Vec::new();
        for &n in &self.table {
            for engine in Self::ENGINES {
                if !engine.sizes().contains(&n) {
                    continue;
                }
                list.extend(self.one_and_all().into_iter().map(|threads| Workload {
                    purpose: Purpose::Table,
                    engine,
                    kernel: engine.fastest_kernel(),
                    n,
                    threads,
                }));
            }
        }
        list
    }

    /// One thread and all of them, or just the one.
    fn one_and_all(&self) -> Vec<usize> {
        let mut both = vec![1, self.threads.count()];
        both.dedup();
        both
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
    Err(SuiteError::Size {
        n,
        engine,
        least,
        most,
    })
}
