//! Builder for counts. It validates all options together before the count runs. Also prepares
//! single subproblems of a plan.

use crate::board::Board;
use crate::engine::{Engine, Kernel, Options, Solver, Symmetry};
use crate::machine::{self, memory};

use super::error::CountError;
use super::plan::Plan;
use super::pool::SMALL_N;
use super::run::{Count, Run};

/// Builder for a count. Options that are `None` or not set are chosen to suit the board and this
/// machine.
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
#[must_use]
pub struct Counter {
    board: Board,
    engine: Option<Engine>,
    kernel: Option<Kernel>,
    symmetry: Option<Symmetry>,
    threads: Option<usize>,
    memory: Option<u64>,
}

impl Counter {
    /// Creates a builder that counts the solutions for N = `n`.
    ///
    /// # Errors
    ///
    /// Returns [`CountError::Board`] if N is too large.
    pub fn new(n: u32) -> Result<Self, CountError> {
        Ok(Self::on(Board::new(n)?))
    }

    /// Creates a builder that counts the solutions of `board`, which may have blocked squares and
    /// preplaced queens.
    pub fn on(board: Board) -> Self {
        Self { board, engine: None, kernel: None, symmetry: None, threads: None, memory: None }
    }

    /// Sets the engine. The default is the fastest engine for the board.
    pub fn engine(mut self, engine: impl Into<Option<Engine>>) -> Self {
        self.engine = engine.into();
        self
    }

    /// Sets the kernel. The default is the fastest one for the engine, the board and this CPU.
    pub fn kernel(mut self, kernel: impl Into<Option<Kernel>>) -> Self {
        self.kernel = kernel.into();
        self
    }

    /// Sets the symmetry used by the `bitboard` engine. By default, it uses as much symmetry as the
    /// board allows.
    pub fn symmetry(mut self, symmetry: impl Into<Option<Symmetry>>) -> Self {
        self.symmetry = symmetry.into();
        self
    }

    /// Sets the number of threads. The default is one per available core. Up to N = 12, the default
    /// is a single thread, since starting more would take longer than counting.
    pub fn threads(mut self, threads: impl Into<Option<usize>>) -> Self {
        self.threads = threads.into();
        self
    }

    /// Validates the options and builds the plan, without counting.
    ///
    /// # Errors
    ///
    /// Returns an error if options are invalid or conflict with each other, or if there is not
    /// enough memory.
    pub fn prepare<'a>(self) -> Result<Run<'a>, CountError> {
        let threads = match self.threads {
            None if self.board.n() <= SMALL_N => 1,
            asked => machine::threads(asked)?,
        };
        let engine = match (self.engine, self.symmetry) {
            (Some(engine), _) => engine,
            // Only the `bitboard` engine offers a choice of symmetry.
            (None, Some(_)) => Engine::Bitboard,
            (None, None) => Engine::auto(&self.board, self.kernel),
        };
        let plan = Plan::with_symmetry(self.board, engine, self.symmetry)?;
        let mut options = Options::new(engine.choose(plan.board(), self.kernel)?, threads);
        options.memory = memory_for(&plan, options.threads, self.memory)?;
        Ok(Run::new(plan, options))
    }

    /// Limits memory use to about `max_bytes` bytes. By default, a count uses as much memory as is
    /// useful and available. Large boards take longer with less memory.
    pub fn memory(mut self, max_bytes: impl Into<Option<u64>>) -> Self {
        self.memory = max_bytes.into();
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

impl Plan {
    /// Builds a solver that runs `kernel` on `threads` threads, each with its own worker.
    ///
    /// # Errors
    ///
    /// Returns [`CountError::Engine`] if the plan's engine does not have the kernel or this CPU
    /// cannot run it, and [`CountError::Threads`] if `threads` is out of range.
    pub fn solver(&self, kernel: Kernel, threads: usize) -> Result<Solver, CountError> {
        let chosen = self.engine().choose(self.board(), Some(kernel))?;
        let options = Options::new(chosen, machine::threads(Some(threads))?);
        Ok(self.subproblems.solver(&options))
    }
}

/// Returns the approximate memory use in bytes, limited to `max_bytes` or, by default, to the
/// available memory.
fn memory_for(plan: &Plan, threads: usize, max_bytes: Option<u64>) -> Result<u64, CountError> {
    let usual = plan.memory(threads, u64::MAX);
    let available = || (usual >= LARGE_MEMORY).then(memory::available).flatten();
    let Some(available) = max_bytes.or_else(available) else {
        return Ok(usual);
    };
    let needed = plan.memory(threads, available);
    match needed <= available {
        true => Ok(needed),
        false => Err(CountError::Memory { needed, available }),
    }
}

/// Number of bytes below which a count does not query the available memory, because every machine
/// has this much.
const LARGE_MEMORY: u64 = 64 << 20;
