//! Options of a count, validated together before it runs.

use crate::board::Board;
use crate::engine::{Engine, EngineError, Kernel, Options, Symmetry};
use crate::machine::{Threads, memory};

use super::error::CountError;
use super::plan::Plan;
use super::pool::SMALL_N;
use super::run::{Count, Run};

/// Builder of a count. Options that are `None` or not set are chosen for the board and this machine.
///
/// ```
/// use queens::{Counter, Engine};
///
/// let mut last = 0.0;
/// let run = Counter::new(10)?.engine(Engine::Bitboard).threads(2).prepare()?;
/// assert_eq!(run.plan().len(), 36);
/// let count = run.on_progress(|progress| last = progress.fraction).run()?;
/// assert_eq!(count.total, 724);
/// assert_eq!(count.check.label(), "verified");
/// assert_eq!(last, 1.0);
/// # Ok::<(), queens::CountError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Counter {
    board: Board,
    /// An existing plan, which fixes engine and symmetry.
    plan: Option<Plan>,
    engine: Option<Engine>,
    kernel: Option<Kernel>,
    symmetry: Option<Symmetry>,
    threads: Option<usize>,
    memory: Option<u64>,
    stats: bool,
    double_check: Option<f64>,
}

impl Counter {
    /// Counts the solutions for N = `n`.
    ///
    /// # Errors
    ///
    /// [`CountError::Board`] if N is too large.
    pub fn new(n: u32) -> Result<Self, CountError> {
        Ok(Self::on(Board::new(n)?))
    }

    /// Counts the ways to place N queens on `board`, with its blocked squares and preplaced queens.
    #[must_use]
    pub fn on(board: Board) -> Self {
        Self {
            board,
            plan: None,
            engine: None,
            kernel: None,
            symmetry: None,
            threads: None,
            memory: None,
            stats: false,
            double_check: None,
        }
    }

    /// Counts by an existing plan. Options for engine and symmetry have no effect.
    ///
    /// ```
    /// use queens::{Counter, Kernel};
    ///
    /// let plan = Counter::new(8)?.prepare()?.plan().clone();
    /// let count = Counter::following(plan).kernel(Kernel::Reference).run()?;
    /// assert_eq!(count.total, 92);
    /// # Ok::<(), queens::CountError>(())
    /// ```
    #[must_use]
    pub fn following(plan: Plan) -> Self {
        let board = plan.board().clone();
        Self {
            plan: Some(plan),
            ..Self::on(board)
        }
    }

    /// Sets the engine. Default: the fastest for the board.
    #[must_use]
    pub fn engine(mut self, engine: impl Into<Option<Engine>>) -> Self {
        self.engine = engine.into();
        self
    }

    /// Sets the kernel. Default: the engine's fastest on this CPU.
    #[must_use]
    pub fn kernel(mut self, kernel: impl Into<Option<Kernel>>) -> Self {
        self.kernel = kernel.into();
        self
    }

    /// Sets the symmetry used by the `bitboard` engine. Default: as much as the board allows.
    #[must_use]
    pub fn symmetry(mut self, symmetry: impl Into<Option<Symmetry>>) -> Self {
        self.symmetry = symmetry.into();
        self
    }

    /// Sets the number of threads. Default: one per available core, but one up to N = 12, where starting more takes
    /// longer than counting.
    #[must_use]
    pub fn threads(mut self, threads: impl Into<Option<usize>>) -> Self {
        self.threads = threads.into();
        self
    }

    /// Enables statistics of the `join` engine: see [`Count::stats`]. They cost a few percent of the time.
    #[must_use]
    pub fn stats(mut self, wanted: bool) -> Self {
        self.stats = wanted;
        self
    }

    /// Counts the mirror images of a random `percent` of the subproblems with another kernel: see
    /// [`DoubleCheck`](super::DoubleCheck).
    #[must_use]
    pub fn double_check(mut self, percent: impl Into<Option<f64>>) -> Self {
        self.double_check = percent.into();
        self
    }

    /// Validates the options and builds the plan, without counting.
    ///
    /// # Errors
    ///
    /// [`CountError`] if options are invalid or conflict, or if there is not enough memory.
    pub fn prepare<'a>(self) -> Result<Run<'a>, CountError> {
        if let Some(percent) = self.double_check
            && !(percent > 0.0 && percent <= 100.0)
        {
            return Err(CountError::Percent(percent));
        }
        let threads = match self.threads {
            None if self.board.n() <= SMALL_N => Threads::one("small board"),
            asked => Threads::of(asked)?,
        };
        let plan = match self.plan {
            Some(plan) => plan,
            None => {
                let engine = match (self.engine, self.symmetry) {
                    (Some(engine), _) => engine,
                    (None, _) if self.stats => Engine::Join,
                    // Only this engine has a choice of symmetry.
                    (None, Some(_)) => Engine::Bitboard,
                    (None, None) => Engine::auto(&self.board, self.kernel),
                };
                // This order gives each invalid option its own error.
                engine.accepts(&self.board)?;
                engine.choose_kernel(&self.board, self.kernel)?;
                Plan::with_symmetry(self.board, engine, self.symmetry)?
            }
        };
        let engine = plan.engine();
        if self.stats && engine != Engine::Join {
            return Err(EngineError::NoStatistics { engine }.into());
        }
        let kernel = engine.choose_kernel(plan.board(), self.kernel)?;
        let mut options = Options::new(kernel, threads);
        options.stats = self.stats;
        options.memory = memory_for(&plan, options.threads.count(), self.memory)?;
        Ok(Run::new(plan, options, self.double_check))
    }

    /// Limits memory use to about `at_most` bytes. Default: as much as is useful, or less if less is available. Large
    /// boards take longer with less.
    #[must_use]
    pub fn memory(mut self, at_most: impl Into<Option<u64>>) -> Self {
        self.memory = at_most.into();
        self
    }

    /// Counts all solutions.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`prepare`](Self::prepare) and [`Run::run`].
    pub fn run(self) -> Result<Count, CountError> {
        self.prepare()?.run()
    }
}

/// Returns the approximate memory use in bytes, limited to `at_most` or to the available memory.
fn memory_for(plan: &Plan, threads: usize, at_most: Option<u64>) -> Result<u64, CountError> {
    let usual = plan.memory(threads, u64::MAX);
    let available = || (usual >= LARGE_MEMORY).then(memory::available).flatten();
    let Some(available) = at_most.or_else(available) else {
        return Ok(usual);
    };
    let needed = plan.memory(threads, available);
    match needed <= available {
        true => Ok(needed),
        false => Err(CountError::Memory { needed, available }),
    }
}

/// Memory use from which the available memory is looked up. Every machine has this much.
const LARGE_MEMORY: u64 = 64 << 20;
