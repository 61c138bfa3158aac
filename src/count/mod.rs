//! Counting: from a board to an exact, checked total.
//!
//! [`Counter`] is the way in. It makes a [`Plan`], the fixed list of independent subproblems; has a [`Solver`] made ready
//! for it; lets [`run()`](run::run) spread the subproblems over a rayon pool; enters each in a [`Ledger`] as it is done;
//! and checks the total against what is known.

pub mod classes;
pub mod double_check;
pub mod ledger;
pub mod plan;
pub mod run;
pub mod solver;
pub mod verify;

use std::fmt;
use std::panic::resume_unwind;
use std::time::{Duration, Instant};

use crossbeam_channel::{RecvTimeoutError, Sender, bounded, unbounded};
use rayon::ThreadPool;
use thiserror::Error;

use crate::board::{Board, BoardError};
use crate::engine::join::stats::Stats;
use crate::engine::{CancelToken, Engine, EngineError, Kernel, Symmetry, torus};
use crate::machine::memory;
use crate::machine::threads::{Threads, ThreadsError, most_at_a_time};
use classes::{Classes, Contradiction, Symmetric};
use double_check::{Disagreement, DoubleCheck, Sample};
use ledger::{Ledger, LedgerError, Resumed};
use plan::{Fingerprint, Plan, Shard};
use run::Finished;
use solver::Solver;
use verify::{Check, Mismatch};

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
    /// Only one engine and kernel can count on a torus.
    #[error(
        "'{asked}' cannot count on a torus (accepted: engine {}, kernel {})",
        Engine::Bitboard,
        torus::KERNEL
    )]
    Torus {
        /// The engine or kernel asked for.
        asked: &'static str,
    },
    /// There is no choice of symmetry on a torus.
    #[error("symmetry '{symmetry}' cannot be chosen on a torus, which has one of its own")]
    TorusSymmetry {
        /// The symmetry asked for.
        symmetry: Symmetry,
    },
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
    /// A thread could not be tied to its processor.
    #[error("a thread could not be tied to processor {processor}")]
    Pin {
        /// The operating system's number.
        processor: usize,
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
    /// The share of subproblems to count twice is out of range.
    #[error(
        "{0} percent of the subproblems cannot be counted twice (accepted: above 0, up to 100)"
    )]
    Percent(f64),
    /// Subproblems counted twice came to different counts.
    #[error(transparent)]
    Disagreement(#[from] Disagreement),
    /// The total contradicts a published value.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// The total contradicts the number of symmetric solutions.
    #[error(transparent)]
    Contradiction(#[from] Contradiction),
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
    /// Solutions found in this run, weights of symmetry included.
    pub found: u128,
    /// How many subproblems have been counted twice, and how many are to be; none before the count is complete.
    pub double_checked: Option<(usize, usize)>,
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
    plan: Option<Plan>,
    engine: Option<Engine>,
    kernel: Option<Kernel>,
    symmetry: Option<Symmetry>,
    threads: Option<usize>,
    processors: Vec<usize>,
    stats: bool,
    cancel: CancelToken,
    ledger: Option<Ledger>,
    double_check: Option<f64>,
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
            plan: None,
            engine: None,
            kernel: None,
            symmetry: None,
            threads: None,
            processors: Vec::new(),
            stats: false,
            cancel: CancelToken::new(),
            ledger: None,
            double_check: None,
            on_progress: Box::new(|_| ()),
        }
    }

    /// Counts the board of this plan, by this plan, whatever else would have chosen another. A plan can depend on the
    /// kernel where nothing is said; to go on with another kernel, it has to be said.
    ///
    /// ```
    /// use queens::{Counter, Kernel};
    ///
    /// let plan = Counter::new(8)?.plan()?;
    /// let counter = Counter::following(plan.clone()).kernel(Kernel::Reference);
    /// assert_eq!(counter.plan()?, plan);
    /// # Ok::<(), queens::CountError>(())
    /// ```
    #[must_use]
    pub fn following(plan: Plan) -> Self {
        let mut counter = Self::on(plan.board().clone());
        counter.plan = Some(plan);
        counter
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

    /// Ties the threads to these processors, by the operating system's numbers, in turn; to none if there are none.
    #[must_use]
    pub fn pin_to(mut self, processors: Vec<usize>) -> Self {
        self.processors = processors;
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

    /// Counts `percent` of the subproblems, chosen at random, once more with another kernel on other threads: see
    /// [`double_check`].
    #[must_use]
    pub fn double_check(mut self, percent: f64) -> Self {
        self.double_check = Some(percent);
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
        if let Some(plan) = &self.plan {
            return Ok(plan.clone());
        }
        let engine = match (self.engine, self.symmetry) {
            (Some(engine), _) => engine,
            // The one engine with a choice of symmetry.
            (None, Some(_)) => Engine::Bitboard,
            (None, None) if self.stats => Engine::Join,
            (None, None) => Engine::auto(&self.board, self.kernel),
        };
        if self.board.is_torus() {
            self.check_torus()?;
            return Ok(Plan::new(self.board.clone(), engine)?);
        }
        let symmetry = match (self.symmetry, self.kernel) {
            (None, Some(Kernel::Reference)) if engine == Engine::Bitboard => {
                Some(Symmetry::of(&self.board).min(Symmetry::Mirror))
            }
            (symmetry, _) => symmetry,
        };
        Ok(Plan::with_symmetry(self.board.clone(), engine, symmetry)?)
    }

    /// Whether the engine, kernel and symmetry asked for can count on a torus.
    fn check_torus(&self) -> Result<(), CountError> {
        let engine = self.engine.filter(|&engine| engine != Engine::Bitboard);
        let kernel = self.kernel.filter(|&kernel| kernel != torus::KERNEL);
        let asked = engine.map(Engine::name).or(kernel.map(Kernel::name));
        match (asked, self.symmetry) {
            (Some(asked), _) => Err(CountError::Torus { asked }),
            (None, Some(symmetry)) => Err(CountError::TorusSymmetry { symmetry }),
            (None, None) => Ok(()),
        }
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
        if let Some(percent) = self.double_check
            && !(percent > 0.0 && percent <= 100.0)
        {
            return Err(CountError::Percent(percent));
        }
        let threads = match self.threads {
            Some(count) => Threads::exactly(count)?,
            None => Threads::usable(),
        };
        let plan = self.plan()?;
        let engine = plan.engine();
        if self.stats && engine != Engine::Join {
            return Err(EngineError::NoStatistics { engine }.into());
        }
        let kernel = if self.board.is_torus() {
            torus::KERNEL
        } else {
            engine.choose_kernel(self.kernel)?
        };
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
        let pending: Vec<usize> = ledger.pending().collect();
        let stats = self.fill(&mut ledger, &pending, &plan, kernel, &threads, started)?;
        let elapsed = started.elapsed();
        if !ledger.is_complete() {
            if self.cancel.is_cancelled() {
                let ledger = Box::new(ledger);
                return Err(CountError::Cancelled { ledger });
            }
            let (done, len) = (ledger.done(), ledger.len());
            return Err(CountError::Incomplete { done, len });
        }
        let double_check = match self.double_check {
            Some(percent) => Some(self.count_twice(percent, &ledger, &plan, kernel, &threads)?),
            None => None,
        };
        let total = ledger.sum();
        let (check, classes) = check_total(&plan, total, threads.count(), &self.cancel)?;
        Ok(Count {
            board: self.board,
            total,
            check,
            classes,
            double_check,
            resumed: ledger.resumed().copied(),
            elapsed: elapsed + ledger.resumed().map_or(Duration::ZERO, |r| r.elapsed),
            engine: plan.engine(),
            kernel,
            symmetry: plan.symmetry(),
            stats,
            threads,
            // Earlier runs may have used a kernel that does not count nodes.
            nodes: plan
                .nodes_above()
                .filter(|_| kernel == Kernel::Reference && ledger.resumed().is_none())
                .map(|above| ledger.nodes() + u128::from(above)),
            seconds: ledger.seconds().to_vec(),
        })
    }

    /// Counts one shard of the plan: a part of the total, for shards to be added up elsewhere.
    ///
    /// ```
    /// use queens::{Counter, Shard};
    ///
    /// let mut sum = 0;
    /// for index in 0..3 {
    ///     sum += Counter::new(8)?.threads(1).run_shard(Shard::new(index, 3)?)?.solutions;
    /// }
    /// assert_eq!(sum, 92);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CountError`]: what cannot be used together, or an order to stop.
    pub fn run_shard(mut self, shard: Shard) -> Result<ShardCount, CountError> {
        let started = Instant::now();
        let (threads, plan, kernel) = self.choose()?;
        let mut ledger = Ledger::new(&plan);
        let pending: Vec<usize> = plan.shard(shard).collect();
        self.fill(&mut ledger, &pending, &plan, kernel, &threads, started)?;
        if ledger.done() != pending.len() {
            if self.cancel.is_cancelled() {
                let ledger = Box::new(ledger);
                return Err(CountError::Cancelled { ledger });
            }
            let (done, len) = (ledger.done(), pending.len());
            return Err(CountError::Incomplete { done, len });
        }
        Ok(ShardCount {
            solutions: ledger.sum(),
            subproblems: ledger.done(),
            elapsed: started.elapsed(),
            kernel,
            threads,
        })
    }

    /// Enters the subproblems `pending` in the ledger, or as many as there is time for until told to stop.
    fn fill(
        &mut self,
        ledger: &mut Ledger,
        pending: &[usize],
        plan: &Plan,
        kernel: Kernel,
        threads: &Threads,
        started: Instant,
    ) -> Result<Option<Stats>, CountError> {
        let job = Job {
            plan: plan.clone(),
            kernel,
            threads: threads.count(),
            processors: self.processors.clone(),
            with_stats: self.stats,
            pending: pending.to_vec(),
            cancel: self.cancel.clone(),
        };
        let mut work = Work::new(plan, ledger, pending);
        let resumed_solutions = ledger.sum();
        let watch = &mut self.on_progress;
        job.run(|arrived| {
            for finished in arrived {
                ledger.enter(&finished)?;
                work.done(finished.index);
            }
            watch(&Progress {
                ledger,
                fraction: work.fraction(),
                resumed: work.resumed,
                found: ledger.sum() - resumed_solutions,
                double_checked: None,
                elapsed: started.elapsed(),
            });
            Ok(())
        })
    }

    /// Counts a random sample of the ledger's subproblems once more and compares.
    fn count_twice(
        &mut self,
        percent: f64,
        ledger: &Ledger,
        plan: &Plan,
        kernel: Kernel,
        threads: &Threads,
    ) -> Result<DoubleCheck, CountError> {
        let started = Instant::now();
        let sample = Sample::new(percent, ledger.len(), double_check::random_seed());
        let (cancel, watch) = (&self.cancel, &mut self.on_progress);
        let processors = &self.processors;
        let mut recount = |kernel: Kernel, indices: &[usize]| {
            let job = Job {
                plan: plan.clone(),
                kernel,
                threads: threads.count(),
                processors: processors.clone(),
                with_stats: false,
                pending: indices.to_vec(),
                cancel: cancel.clone(),
            };
            let mut counts = Vec::with_capacity(indices.len());
            job.run(|arrived| {
                counts.extend(arrived.map(|finished| (finished.index, finished.tally.count)));
                watch(&Progress {
                    ledger,
                    fraction: 1.0,
                    resumed: 1.0,
                    found: 0,
                    double_checked: Some((counts.len(), indices.len())),
                    elapsed: started.elapsed(),
                });
                Ok(())
            })?;
            if counts.len() == indices.len() {
                return Ok(counts);
            }
            if cancel.is_cancelled() {
                let ledger = Box::new(ledger.clone());
                return Err(CountError::Cancelled { ledger });
            }
            let (done, len) = (counts.len(), indices.len());
            Err(CountError::Incomplete { done, len })
        };
        let second = if plan.board().is_torus() {
            kernel // there is no other
        } else {
            double_check::second_kernel(plan.engine(), kernel)
        };
        double_check::compare(ledger, &sample, [kernel, second], &mut recount)
    }
}

/// Checks the total of a plan against what is published or else, where the board allows it, against the solutions that
/// turns leave unchanged, which are counted for it on `threads` threads; told to stop, it leaves them out.
///
/// ```
/// use queens::{Board, CancelToken, Engine, Plan, count::check_total};
///
/// let plan = Plan::new(Board::new(8)?, Engine::Bitboard)?;
/// let never = CancelToken::new();
/// assert_eq!(check_total(&plan, 92, 1, &never)?.0.word(), "verified");
/// assert!(check_total(&plan, 96, 1, &never).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`CountError::Mismatch`] or [`CountError::Contradiction`] if the total is found to be wrong, [`CountError::Pool`] if
/// the threads could not be started.
pub fn check_total(
    plan: &Plan,
    total: u128,
    threads: usize,
    cancel: &CancelToken,
) -> Result<(Check, Option<Classes>), CountError> {
    let board = plan.board();
    let check = verify::check(board, total)?;
    let symmetric = board.n() >= 2 && board.has_all_symmetries() && !board.is_torus();
    if matches!(check, Check::Verified { .. }) || !symmetric {
        return Ok((check, None));
    }
    let counted = pool(threads)?.install(|| Symmetric::count(board, cancel));
    // Without them the total is whole; all that is missing is what would have been said about it.
    let Some(symmetric) = counted else {
        return Ok((check, None));
    };
    let (check, classes) = verify::check_by_symmetry(plan, total, symmetric)?;
    Ok((check, Some(classes)))
}

/// A pool of as many threads.
fn pool(threads: usize) -> Result<ThreadPool, CountError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.min(most_at_a_time()))
        .thread_name(|i| format!("queens-{i}"))
        .build()
        .map_err(|source| CountError::Pool { threads, source })
}

/// Subproblems to solve, on threads of their own.
struct Job {
    plan: Plan,
    kernel: Kernel,
    threads: usize,
    /// Where the threads are tied to, if anywhere.
    processors: Vec<usize>,
    with_stats: bool,
    pending: Vec<usize>,
    cancel: CancelToken,
}

impl Job {
    /// Starts the threads, solves everything and hands results to `take` on this thread some fifty times a second, whether
    /// there are new ones or not, and once at the end. An error from `take` stops it all.
    ///
    /// Told to stop, it does not wait for its threads: where they are many more than the cores, it takes long until each
    /// has had its turn to see the order. They end by themselves.
    fn run(
        self,
        mut take: impl FnMut(&mut dyn Iterator<Item = Finished>) -> Result<(), CountError>,
    ) -> Result<Option<Stats>, CountError> {
        let (results, arrived) = unbounded();
        let (ended, end) = bounded::<()>(0);
        let cancel = self.cancel.clone();
        let work = std::thread::spawn(move || {
            let _ended = ended; // dropped, and with it the channel closed, even if this thread panics
            self.work(&results)
        });
        // Results are fetched in batches rather than waited for, so that workers never have to wake this thread.
        loop {
            let at_end = end.recv_timeout(WATCH_EVERY) != Err(RecvTimeoutError::Timeout);
            take(&mut arrived.try_iter()).inspect_err(|_| cancel.cancel())?;
            if at_end {
                return work.join().unwrap_or_else(|panic| resume_unwind(panic));
            }
            if cancel.is_cancelled() {
                return Ok(None);
            }
        }
    }

    /// Solves everything, or what there is time for until told to stop.
    fn work(&self, results: &Sender<Finished>) -> Result<Option<Stats>, CountError> {
        let pool = pinned_pool(self.threads, &self.processors)?;
        let Self {
            plan,
            kernel,
            cancel,
            ..
        } = self;
        let solver =
            pool.install(|| Solver::prepare(plan, *kernel, self.threads, self.with_stats, cancel))?;
        run::run(&solver, &pool, &self.pending, cancel, results);
        Ok(solver.stats())
    }
}

/// A pool of as many threads, each tied to one of the processors in turn if there are any.
fn pinned_pool(threads: usize, processors: &[usize]) -> Result<ThreadPool, CountError> {
    let pool = pool(threads)?;
    if processors.is_empty() {
        return Ok(pool);
    }
    let tied = pool.broadcast(|worker| {
        let id = processors[worker.index() % processors.len()];
        let core = core_affinity::CoreId { id };
        (id, core_affinity::set_for_current(core))
    });
    match tied.iter().find(|(_, done)| !done) {
        Some(&(processor, _)) => Err(CountError::Pin { processor }),
        None => Ok(pool),
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
    /// The work of what is in the ledger and of what is `pending`.
    fn new(plan: &Plan, ledger: &Ledger, pending: &[usize]) -> Self {
        let weights = plan.weights();
        let left: f64 = pending.iter().map(|&index| weights[index]).sum();
        let entered = (0..ledger.len()).filter(|&index| ledger.get(index).is_some());
        let done: f64 = entered.map(|index| weights[index]).sum();
        let all = done + left;
        Self {
            resumed: if all > 0.0 { done / all } else { 0.0 },
            left: pending.len(),
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

/// What one shard came to.
#[derive(Debug, Clone)]
pub struct ShardCount {
    /// Solutions, weights of symmetry included.
    pub solutions: u128,
    /// Number of subproblems in the shard.
    pub subproblems: usize,
    /// Wall time.
    pub elapsed: Duration,
    /// The kernel that counted.
    pub kernel: Kernel,
    /// The threads that counted.
    pub threads: Threads,
}

/// An exact total, how it was checked, and how fast it was.
#[derive(Debug, Clone)]
pub struct Count {
    board: Board,
    total: u128,
    check: Check,
    classes: Option<Classes>,
    double_check: Option<DoubleCheck>,
    resumed: Option<Resumed>,
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

    /// The solutions by symmetry, where they were counted to check the total.
    #[must_use]
    pub fn classes(&self) -> Option<&Classes> {
        self.classes.as_ref()
    }

    /// What was counted twice, where that was asked for; all of it agreed.
    #[must_use]
    pub fn double_check(&self) -> Option<&DoubleCheck> {
        self.double_check.as_ref()
    }

    /// What earlier runs had done, where this one went on from theirs.
    #[must_use]
    pub fn resumed(&self) -> Option<&Resumed> {
        self.resumed.as_ref()
    }

    /// Wall time of the whole count, tables and threads included; earlier runs too, but not what was counted twice.
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
