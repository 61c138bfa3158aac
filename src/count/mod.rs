//! Counting: from a board to an exact, checked total.
//!
//! [`Counter`] is the way in. It makes a [`Plan`], the fixed list of independent subproblems; has a [`Solver`] made ready
//! for it; lets [`run()`](run::run) spread the subproblems over a rayon pool; enters each in a [`Ledger`] as it is done;
//! and checks the total against what is known.

pub mod bitboard;
pub mod engine;
pub mod join;
pub mod ledger;
pub mod plan;
pub mod run;
pub mod solver;
pub mod tally;

use std::fmt;
use std::time::{Duration, Instant};

use crossbeam::channel::{RecvTimeoutError, bounded, unbounded};
use thiserror::Error;

use crate::board::{Board, BoardError};
use crate::memory;
use crate::threads::{Threads, ThreadsError};
use crate::verify::{self, Check, Mismatch};
use bitboard::Symmetry;
use engine::{Engine, EngineError, Kernel};
use join::stats::Stats;
use ledger::{Ledger, LedgerError};
use plan::{Fingerprint, Plan};
use run::CancelToken;
use solver::Solver;

/// Why there is no total.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CountError {
    /// The board cannot be counted.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// The engine or kernel cannot do it.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The number of threads is out of range.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    /// The threads could not be started.
    #[error("the {threads} threads could not be started: {source}")]
    Pool {
        /// How many were asked for.
        threads: usize,
        /// What the operating system said.
        source: rayon::ThreadPoolBuildError,
    },
    /// The machine has not got the memory.
    #[error(
        "{} MiB of memory are needed and {} MiB are available (engine bitboard needs next to none)",
        needed.div_ceil(1 << 20), available >> 20
    )]
    Memory {
        /// Bytes needed.
        needed: u64,
        /// Bytes to be had.
        available: u64,
    },
    /// It was told to stop.
    #[error("stopped with {} of {} subproblems done", ledger.done(), ledger.len())]
    Cancelled {
        /// What had been done until then.
        ledger: Box<Ledger>,
    },
    /// A subproblem came twice or is not of the plan: a mistake of the program, so no total is given.
    #[error("internal error, no total is given: {0}")]
    Ledger(#[from] LedgerError),
    /// Subproblems are missing though the run has ended: a mistake of the program, so no total is given.
    #[error("internal error, no total is given: only {done} of {len} subproblems were counted")]
    Incomplete {
        /// Subproblems done.
        done: usize,
        /// Subproblems of the plan.
        len: usize,
    },
    /// The ledger to go on from is another plan's.
    #[error("the results to go on from are of plan {found}, not of plan {expected}")]
    ForeignLedger {
        /// The plan of this count.
        expected: Fingerprint,
        /// The plan of the ledger.
        found: Fingerprint,
    },
    /// The total contradicts a published value.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
}

/// How far a count is.
#[derive(Debug)]
pub struct Progress<'a> {
    /// What is done.
    pub ledger: &'a Ledger,
    /// The part of the estimated work that is done, from 0 to 1.
    pub fraction: f64,
    /// The part that was done before this run.
    pub resumed: f64,
    /// How long this run has lasted.
    pub elapsed: Duration,
}

/// Counts the solutions of a board.
///
/// ```
/// use queens::{Counter, Engine};
///
/// let mut last = 0.0;
/// let count = Counter::new(10)?
///     .engine(Engine::Bitboard)
///     .threads(2)
///     .on_progress(|progress| last = progress.fraction)
///     .run()?;
/// assert_eq!(count.total(), 724);
/// assert_eq!(count.check().word(), "verified");
/// assert_eq!(last, 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Counter<'a> {
    board: Board,
    engine: Option<Engine>,
    kernel: Option<Kernel>,
    symmetry: Option<Symmetry>,
    threads: Option<usize>,
    stats: bool,
    cancel: CancelToken,
    ledger: Option<Ledger>,
    on_progress: Box<dyn FnMut(&Progress<'_>) + 'a>,
}

impl fmt::Debug for Counter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Counter")
            .field("board", &self.board)
            .field("engine", &self.engine)
            .field("kernel", &self.kernel)
            .field("symmetry", &self.symmetry)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

impl<'a> Counter<'a> {
    /// Counts the N-queens problem for N = `n`.
    ///
    /// # Errors
    ///
    /// [`CountError::Board`] if N is too large.
    pub fn new(n: u32) -> Result<Self, CountError> {
        Ok(Self::on(Board::new(n)?))
    }

    /// Counts the ways to place N queens on `board`, closed squares left out.
    #[must_use]
    pub fn on(board: Board) -> Self {
        Self {
            board,
            engine: None,
            kernel: None,
            symmetry: None,
            threads: None,
            stats: false,
            cancel: CancelToken::new(),
            ledger: None,
            on_progress: Box::new(|_| ()),
        }
    }

    /// Uses this engine; the fastest one for the board otherwise.
    #[must_use]
    pub fn engine(mut self, engine: Engine) -> Self {
        self.engine = Some(engine);
        self
    }

    /// Uses this kernel; the engine's best one for this CPU otherwise.
    #[must_use]
    pub fn kernel(mut self, kernel: Kernel) -> Self {
        self.kernel = Some(kernel);
        self
    }

    /// Has the bitboard engine use this much symmetry; otherwise as much as the board allows, but with kernel `reference`,
    /// the yardstick, no more than [`Symmetry::Mirror`].
    #[must_use]
    pub fn symmetry(mut self, symmetry: Symmetry) -> Self {
        self.symmetry = Some(symmetry);
        self
    }

    /// Uses this many threads; one for each core that the process may use otherwise.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Has the join engine count and time what it does: see [`Count::stats`]. It costs a few parts in a hundred.
    #[must_use]
    pub fn stats(mut self) -> Self {
        self.stats = true;
        self
    }

    /// Stops, within a fraction of a second, when the token says so.
    #[must_use]
    pub fn cancel_with(mut self, token: CancelToken) -> Self {
        self.cancel = token;
        self
    }

    /// Goes on from what is done already, of a ledger that the same plan gave.
    #[must_use]
    pub fn resume(mut self, ledger: Ledger) -> Self {
        self.ledger = Some(ledger);
        self
    }

    /// Calls `watch` on the calling thread some fifty times a second while the count lasts, and once at its end.
    #[must_use]
    pub fn on_progress(mut self, watch: impl FnMut(&Progress<'_>) + 'a) -> Self {
        self.on_progress = Box::new(watch);
        self
    }

    /// The plan that [`run`](Self::run) will follow.
    ///
    /// # Errors
    ///
    /// [`CountError::Engine`] if the engine does not do the board.
    pub fn plan(&self) -> Result<Plan, CountError> {
        let engine = match (self.engine, self.symmetry) {
            (Some(engine), _) => engine,
            // The one engine with a choice of symmetry.
            (None, Some(_)) => Engine::Bitboard,
            (None, None) if self.stats => Engine::Join,
            (None, None) => Engine::auto(&self.board, self.kernel),
        };
        let symmetry = match (self.symmetry, self.kernel) {
            (None, Some(Kernel::Reference)) if engine == Engine::Bitboard => {
                Some(Symmetry::of(&self.board).min(Symmetry::Mirror))
            }
            (symmetry, _) => symmetry,
        };
        Ok(Plan::with_symmetry(self.board.clone(), engine, symmetry)?)
    }

    /// Whether what was asked for goes together, without counting.
    ///
    /// # Errors
    ///
    /// Those of [`run`](Self::run) that can be known beforehand.
    pub fn check(&self) -> Result<(), CountError> {
        self.choose().map(|_| ())
    }

    /// Threads, plan and kernel.
    fn choose(&self) -> Result<(Threads, Plan, Kernel), CountError> {
        let threads = match self.threads {
            Some(count) => Threads::exactly(count)?,
            None => Threads::usable(),
        };
        let plan = self.plan()?;
        let engine = plan.engine();
        if self.stats && engine != Engine::Join {
            return Err(EngineError::NoStatistics { engine }.into());
        }
        let kernel = engine.choose_kernel(self.kernel)?;
        let needed = plan.memory(threads.count());
        let available = (needed >= LARGE_MEMORY).then(memory::available).flatten();
        match available {
            Some(available) if needed > available => Err(CountError::Memory { needed, available }),
            _ => Ok((threads, plan, kernel)),
        }
    }

    /// Bytes of memory that the count will need, more or less.
    ///
    /// # Errors
    ///
    /// Those of [`check`](Self::check), [`CountError::Memory`] among them.
    pub fn memory(&self) -> Result<u64, CountError> {
        let (threads, plan, _) = self.choose()?;
        Ok(plan.memory(threads.count()))
    }

    /// Counts.
    ///
    /// # Errors
    ///
    /// [`CountError`]: what cannot be used together, an order to stop, or a total that contradicts a published value.
    pub fn run(mut self) -> Result<Count, CountError> {
        let started = Instant::now();
        let (threads, plan, kernel) = self.choose()?;
        let mut ledger = match self.ledger.take() {
            Some(ledger) if *ledger.fingerprint() != plan.fingerprint() => {
                let (expected, found) = (plan.fingerprint(), ledger.fingerprint().clone());
                return Err(CountError::ForeignLedger { expected, found });
            }
            Some(ledger) => ledger,
            None => Ledger::new(&plan),
        };
        let stats = self.fill(&mut ledger, &plan, kernel, &threads, started)?;
        let elapsed = started.elapsed();
        if !ledger.is_complete() {
            if self.cancel.is_cancelled() {
                let ledger = Box::new(ledger);
                return Err(CountError::Cancelled { ledger });
            }
            let (done, len) = (ledger.done(), ledger.len());
            return Err(CountError::Incomplete { done, len });
        }
        let total = ledger.sum();
        let check = verify::check(&self.board, total)?;
        Ok(Count {
            board: self.board,
            total,
            check,
            elapsed,
            engine: plan.engine(),
            kernel,
            symmetry: plan.symmetry(),
            stats,
            threads,
            nodes: plan
                .nodes_above()
                .filter(|_| kernel == Kernel::Reference)
                .map(|above| ledger.nodes() + u128::from(above)),
            seconds: ledger.seconds().to_vec(),
        })
    }

    /// Enters every pending subproblem in the ledger, or as many as there is time for until told to stop.
    fn fill(
        &mut self,
        ledger: &mut Ledger,
        plan: &Plan,
        kernel: Kernel,
        threads: &Threads,
        started: Instant,
    ) -> Result<Option<Stats>, CountError> {
        let threads = threads.count();
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("queens-{i}"))
            .build()
            .map_err(|source| CountError::Pool { threads, source })?;
        let solver =
            pool.install(|| Solver::prepare(plan, kernel, threads, self.stats, &self.cancel))?;
        let pending: Vec<usize> = ledger.pending().collect();
        let mut work = Work::new(plan, ledger);
        let (cancel, watch) = (&self.cancel, &mut self.on_progress);

        let (results, arrived) = unbounded();
        let (ended, end) = bounded::<()>(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let ended = ended; // dropped, and with it the channel closed, even if this thread panics
                run::run(&solver, &pool, &pending, cancel, &results);
                drop(ended);
            });
            // Results are fetched in batches rather than waited for, so that workers never have to wake this thread.
            loop {
                let at_end = end.recv_timeout(WATCH_EVERY) != Err(RecvTimeoutError::Timeout);
                for finished in arrived.try_iter() {
                    ledger.enter(&finished).inspect_err(|_| cancel.cancel())?;
                    work.done(finished.index);
                }
                watch(&Progress {
                    ledger,
                    fraction: work.fraction(),
                    resumed: work.resumed,
                    elapsed: started.elapsed(),
                });
                if at_end {
                    return Ok(solver.stats());
                }
            }
        })
    }
}

/// Every machine has less memory than this; whether it has more is looked up.
const LARGE_MEMORY: u64 = 64 << 20;

/// How often results are fetched and progress is told.
const WATCH_EVERY: Duration = Duration::from_millis(20);

/// Estimated work, done and in all.
struct Work {
    weights: Vec<f64>,
    all: f64,
    done: f64,
    resumed: f64,
    left: usize,
}

impl Work {
    fn new(plan: &Plan, ledger: &Ledger) -> Self {
        let weights = plan.weights();
        let all: f64 = weights.iter().sum();
        let left: f64 = ledger.pending().map(|index| weights[index]).sum();
        let done = all - left;
        Self {
            resumed: if all > 0.0 { done / all } else { 0.0 },
            left: ledger.len() - ledger.done(),
            weights,
            all,
            done,
        }
    }

    fn done(&mut self, index: usize) {
        self.done += self.weights[index];
        self.left -= 1;
    }

    /// From 0 to 1, which is reached exactly when nothing is left.
    fn fraction(&self) -> f64 {
        if self.left == 0 {
            1.0
        } else {
            (self.done / self.all).clamp(0.0, 1.0)
        }
    }
}

/// An exact total, how it was checked, and how fast it was.
#[derive(Debug, Clone)]
pub struct Count {
    board: Board,
    total: u128,
    check: Check,
    elapsed: Duration,
    engine: Engine,
    kernel: Kernel,
    symmetry: Option<Symmetry>,
    stats: Option<Stats>,
    threads: Threads,
    nodes: Option<u128>,
    seconds: Vec<f32>,
}

impl Count {
    /// The board that was counted.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Board size N.
    #[must_use]
    pub fn n(&self) -> u32 {
        self.board.n()
    }

    /// The number of solutions.
    #[must_use]
    pub fn total(&self) -> u128 {
        self.total
    }

    /// How the total was checked.
    #[must_use]
    pub fn check(&self) -> &Check {
        &self.check
    }

    /// Wall time of the whole count, tables and threads included.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// Solutions per second of wall time.
    #[must_use]
    pub fn solutions_per_second(&self) -> f64 {
        self.total as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }

    /// The engine that counted.
    #[must_use]
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// The kernel that counted.
    #[must_use]
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The symmetry that the bitboard engine used; `None` for other engines, which have their own.
    #[must_use]
    pub fn symmetry(&self) -> Option<Symmetry> {
        self.symmetry
    }

    /// What the join engine did, if it was asked to tell.
    #[must_use]
    pub fn stats(&self) -> Option<&Stats> {
        self.stats.as_ref()
    }

    /// The threads that counted, and why that many.
    #[must_use]
    pub fn threads(&self) -> &Threads {
        &self.threads
    }

    /// Nodes of the plain search, mirror images among them; only kernel `reference` counts them.
    #[must_use]
    pub fn nodes(&self) -> Option<u128> {
        self.nodes
    }

    /// The seconds that each subproblem kept a thread busy, in the plan's order.
    #[must_use]
    pub fn subproblem_seconds(&self) -> &[f32] {
        &self.seconds
    }
}

/// Q(N): the number of ways to place N queens on an N by N board so that none attacks another, on all cores.
///
/// ```
/// assert_eq!(queens::count(8)?.total(), 92);
/// # Ok::<(), queens::CountError>(())
/// ```
///
/// # Errors
///
/// [`CountError::Board`] if N is too large; [`CountError::Mismatch`] if the total contradicts the published one.
pub fn count(n: u32) -> Result<Count, CountError> {
    Counter::new(n)?.run()
}
