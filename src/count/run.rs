//! Execution of a planned count.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crossbeam_channel::unbounded;
use rayon::iter::{ParallelBridge, ParallelIterator};

use super::check::Check;
use super::error::CountError;
use super::ledger::{Ledger, LedgerError, Resumed};
use super::plan::{Plan, Shard};
use super::pool::{SMALL_N, watched};
use super::time_left::TimeLeft;
use crate::board::Board;
use crate::engine::{CancelToken, Engine, Interruption, Kernel, Options, Symmetry, Worker};
use crate::machine::can_start_threads;
use crate::machine::clock::{Instant, thread_seconds};

/// Progress of a run, which is reported about fifty times a second.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Progress {
    /// Number of subproblems counted so far, by this run and by earlier ones.
    pub done: usize,
    /// Estimated fraction of the work that is done, from 0 to 1.
    pub fraction: f64,
    /// Estimated remaining time of this run, or `None` until enough subproblems are done.
    pub left: Option<Duration>,
    /// Number of solutions found in this run, including symmetry weights.
    pub found: u128,
    /// Number of samples taken by an estimate, or `None` in a count.
    pub samples: Option<usize>,
    /// Wall time of this run so far. In a count, this leaves out the time for which the process was
    /// suspended.
    pub elapsed: Duration,
}

/// Exact total, with its verification and running time.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Count {
    /// The board.
    pub board: Board,
    /// Number of solutions.
    pub total: u128,
    /// Verification of the total.
    pub check: Check,
    /// Work done by earlier runs, if the count was resumed.
    pub resumed: Option<Resumed>,
    /// Wall time, including that of earlier runs, startup and building tables.
    pub elapsed: Duration,
    /// Wall time of this run for which threads had work, summed over them. Their CPU time is less
    /// if other programs or the host of a virtual machine kept them from running.
    pub thread_time: Duration,
    /// CPU time of these threads in the same periods, or `thread_time` where the system does not
    /// report it.
    pub cpu_time: Duration,
    /// Algorithm and threads.
    pub method: Method,
}

impl Count {
    /// Returns the board size N.
    #[must_use]
    pub fn n(&self) -> u32 {
        self.board.n()
    }
}

/// Algorithm and threads of a count or an estimate.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Method {
    /// Engine.
    pub engine: Engine,
    /// Kernel.
    pub kernel: Kernel,
    /// Symmetry used by the `bitboard` engine, or `None` for the `join` engine, which always uses
    /// its own.
    pub symmetry: Option<Symmetry>,
    /// Number of threads.
    pub threads: usize,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "engine {}, kernel {}", self.engine, self.kernel)?;
        if let Some(symmetry) = self.symmetry {
            write!(f, ", symmetry {symmetry}")?;
        }
        let s = if self.threads == 1 { "" } else { "s" };
        write!(f, ", {} thread{s}", self.threads)
    }
}

/// Planned count that is ready to run. It is created by
/// [`Counter::prepare`](super::Counter::prepare).
pub struct Run<'a> {
    pub(super) plan: Plan,
    pub(super) options: Options,
    pub(super) watch: Box<dyn FnMut(&Progress) + Send + 'a>,
    thread_time: ThreadTime,
}

/// Wall time and CPU time for which threads had work, summed over them, in nanoseconds.
#[derive(Debug, Clone, Default)]
struct ThreadTime(Arc<[AtomicU64; 2]>);

impl ThreadTime {
    /// Does some work and adds its times.
    fn of<T>(&self, work: impl FnOnce() -> T) -> T {
        // The clock of the CPU time is the slower one.
        let (cpu_before, started) = (thread_seconds(), Instant::now());
        let result = work();
        let wall = started.elapsed().as_nanos() as u64; // 584 years
        let cpu = ((thread_seconds() - cpu_before) * 1e9) as u64;
        self.0[0].fetch_add(wall, Ordering::Relaxed);
        self.0[1].fetch_add(cpu.min(wall), Ordering::Relaxed);
        result
    }

    fn get(&self) -> [Duration; 2] {
        self.0.each_ref().map(|nanos| Duration::from_nanos(nanos.load(Ordering::Relaxed)))
    }
}

impl fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Run").field(&self.plan).field(&self.options).finish()
    }
}

impl<'a> Run<'a> {
    pub(super) fn new(plan: Plan, options: Options) -> Self {
        Self { plan, options, watch: Box::new(|_| ()), thread_time: ThreadTime::default() }
    }

    /// Returns the plan.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the approximate memory use in bytes.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.options.memory
    }

    /// Returns the number of threads.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.options.threads
    }

    /// Returns the algorithm and the threads.
    #[must_use]
    pub fn method(&self) -> Method {
        Method {
            engine: self.plan.engine(),
            kernel: self.options.kernel,
            symmetry: self.plan.id().symmetry,
            threads: self.options.threads,
        }
    }

    /// Returns the CPU time that threads have spent on counting so far.
    #[must_use]
    pub fn cpu_time(&self) -> Duration {
        self.thread_time.get()[1]
    }

    /// Ends the run within a fraction of a second after `token` is cancelled. Its threads end in
    /// the background, because with many more threads than cores, it may take seconds until all of
    /// them have run and noticed.
    #[must_use]
    pub fn cancel_with(mut self, token: CancelToken) -> Self {
        self.options.cancel = token;
        self
    }

    /// Calls `watch` about fifty times a second and at the end of the run, on the thread that
    /// started the run, after any functions given earlier. If that thread counts, it calls `watch`
    /// only at the end. This is the case for N up to 12 with one thread, and in WebAssembly.
    #[must_use]
    pub fn on_progress(mut self, mut watch: impl FnMut(&Progress) + Send + 'a) -> Self {
        let mut earlier = std::mem::replace(&mut self.watch, Box::new(|_| ()));
        self.watch = Box::new(move |progress| {
            earlier(progress);
            watch(progress);
        });
        self
    }

    /// Counts all solutions.
    ///
    /// # Errors
    ///
    /// Returns an error if the count is cancelled or fails verification, or if memory or threads
    /// are unavailable.
    pub fn run(mut self) -> Result<Count, CountError> {
        let mut ledger = Ledger::new(&self.plan, Shard::WHOLE);
        self.fill(&mut ledger, |_| Ok::<_, CountError>(()))?;
        self.verify(&ledger)
    }

    /// Counts the subproblems that a ledger lacks, each on one thread, and enters the results.
    /// Calls `save` with the ledger on the calling thread, about fifty times a second and at the
    /// end.
    ///
    /// ```
    /// use queens::{CountError, Counter, Ledger, Shard};
    ///
    /// let mut sum = 0;
    /// for number in 1..=3 {
    ///     let mut run = Counter::new(8)?.threads(1).prepare()?;
    ///     let mut ledger = Ledger::new(run.plan(), Shard::new(number, 3)?);
    ///     run.fill(&mut ledger, |_| Ok::<_, CountError>(()))?;
    ///     sum += ledger.sum();
    /// }
    /// assert_eq!(sum, 92);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`CountError::Ledger`] if the ledger belongs to another plan, and an error if the
    /// count is cancelled, or if memory or threads are unavailable. Also returns the first error of
    /// `save`. The ledger has all results obtained by then.
    ///
    /// # Panics
    ///
    /// Panics if `save` enters a different count for a subproblem.
    pub fn fill<L: AsMut<Ledger>, E: From<CountError>>(
        &mut self,
        ledger: &mut L,
        mut save: impl FnMut(&mut L) -> Result<(), E>,
    ) -> Result<(), E> {
        let started = Instant::now();
        self.expect_ours(ledger.as_mut())?;
        let (plan, options, watch) = (&self.plan, &self.options, &mut self.watch);
        let (shard, earlier) = (ledger.as_mut().shard(), ledger.as_mut().elapsed());
        // These indices are sorted, because ledgers return their entries in order.
        let known: Vec<_> = ledger.as_mut().entries().map(|(index, _)| index).collect();
        let (before, len) = (known.len(), ledger.as_mut().len() - known.len());
        let mut stretches = plan.stretches(shard, options.threads).map(move |stretch| {
            stretch.filter(|index| known.binary_search(index).is_err()).collect::<Vec<_>>()
        });
        let (results, arrived) = unbounded();
        let (thread_time, building) = (self.thread_time.clone(), self.thread_time.clone());
        let count = move |worker: &mut Worker<'_>, stretch: Vec<usize>| {
            thread_time.of(|| {
                for index in stretch {
                    let count = worker.try_count(index)?;
                    // The channel has no receiver once the count is cancelled.
                    let _ = results.send((index, count));
                }
                Ok::<_, Interruption>(())
            })
        };
        let threads = options.threads;
        let (mut done, mut found, mut time_left) = (0, 0, TimeLeft::new(threads));
        let mut take = |was_busy| {
            let entered = ledger.as_mut();
            for (index, count) in arrived.try_iter() {
                entered.enter(index, count).expect("each missing subproblem is counted once");
                (done, found) = (done + 1, found + u128::from(count));
            }
            entered.set_elapsed(earlier.saturating_add(started.elapsed()));
            save(ledger)?;
            time_left.advance(started.elapsed(), was_busy);
            let todo = len - done;
            let (elapsed, left) = time_left.predict(done, todo);
            watch(&Progress {
                done: before + done,
                fraction: 1.0 - todo as f64 / (before + len).max(1) as f64,
                left,
                found,
                elapsed,
                ..Progress::default()
            });
            time_left.advance(started.elapsed(), true);
            Ok::<_, E>(())
        };
        if !can_start_threads() || (threads == 1 && plan.board().n() <= SMALL_N) {
            let solver = building.of(|| plan.subproblems.solver(options));
            let mut worker = solver.worker();
            let counted = stretches.try_for_each(|stretch| count(&mut worker, stretch));
            take(true)?;
            return Ok(counted.map_err(CountError::from)?);
        }
        let (subproblems, options) = (plan.subproblems.clone(), options.clone());
        let cancel = options.cancel.clone();
        let work = move || {
            let solver = building.of(|| subproblems.solver(&options));
            let stretches = stretches.par_bridge().panic_fuse(); // approximately in order
            Ok(stretches.try_for_each_init(|| solver.worker(), count)?)
        };
        watched(threads, &cancel, work, || take(false))
    }

    /// Verifies the total of a complete ledger.
    ///
    /// # Errors
    ///
    /// Returns [`CountError::Ledger`] for a ledger of another plan, and the errors of
    /// [`Ledger::total`].
    pub fn verify(&self, ledger: &Ledger) -> Result<Count, CountError> {
        self.expect_ours(ledger)?;
        let (total, check) = ledger.total()?;
        let [thread_time, cpu_time] = self.thread_time.get();
        Ok(Count {
            board: self.plan.board().clone(),
            total,
            check,
            resumed: ledger.resumed().copied(),
            elapsed: ledger.elapsed(),
            thread_time,
            cpu_time,
            method: self.method(),
        })
    }

    fn expect_ours(&self, ledger: &Ledger) -> Result<(), CountError> {
        match ledger.plan() == self.plan.id() {
            true => Ok(()),
            false => Err(LedgerError::foreign(ledger.plan().difference(self.plan.id())).into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Square, tests::solutions};
    use crate::count::Counter;

    /// The caller's thread counts a board of twelve, and calls `save` only once.
    #[test]
    fn a_board_of_twelve_starts_no_threads() {
        let mut run = Counter::new(SMALL_N).unwrap().prepare().unwrap();
        let (mut ledger, mut saves) = (Ledger::new(run.plan(), Shard::WHOLE), 0);
        let save = |ledger: &mut Ledger| {
            assert!(ledger.is_complete());
            saves += 1;
            Ok::<_, CountError>(())
        };
        run.fill(&mut ledger, save).unwrap();
        assert_eq!(saves, 1);
    }

    /// A count that is cancelled before its first subproblem has only the work of earlier runs.
    #[test]
    fn resumed_work_is_progress() {
        let mut seen = Vec::new();
        let run = Counter::new(9).unwrap().threads(1).prepare().unwrap();
        let cancel = CancelToken::new();
        let run = run.cancel_with(cancel.clone());
        let mut run = run.on_progress(|at| seen.push((at.done, at.fraction, at.found, at.left)));
        let mut ledger = Ledger::new(run.plan(), Shard::WHOLE);
        let len = ledger.len();
        assert_eq!(len % 4, 0);
        (0..len / 4).for_each(|index| ledger.enter(4 * index, 1).unwrap());
        cancel.cancel();
        let filled = run.fill(&mut ledger, |_| Ok::<_, CountError>(()));
        assert!(matches!(filled, Err(CountError::Cancelled)));
        drop(run);
        assert_eq!(seen, [(len / 4, 0.25, 0, None)]);
    }

    /// Results of a plan with another symmetry have other weights.
    #[test]
    fn ledgers_of_another_symmetry_are_rejected() {
        let run = |symmetry| Counter::new(6).unwrap().symmetry(symmetry).prepare().unwrap();
        let (mut none, mirror) = (run(Symmetry::None), run(Symmetry::Mirror));
        let mut ledger = Ledger::new(mirror.plan(), Shard::WHOLE);
        let filled = none.fill(&mut ledger, |_| Ok::<_, CountError>(())).unwrap_err();
        for error in [filled, none.verify(&ledger).unwrap_err()] {
            let is_foreign = matches!(error, CountError::Ledger(LedgerError::Foreign { .. }));
            let text = error.to_string();
            assert!(is_foreign && text.contains("mirror, ") && text.contains("none, "), "{text}");
        }
    }

    /// The CPU time of a thread is not that of the process. Of four threads for each core, at least
    /// half wait at any moment.
    #[test]
    fn waiting_for_a_core_takes_no_cpu_time() {
        let cores = num_cpus::get() as u32;
        let slow = Counter::new(15).unwrap().kernel(Kernel::Reference).symmetry(Symmetry::Mirror);
        let count = slow.threads(4 * cores as usize).run().unwrap();
        assert!(count.thread_time <= count.elapsed * 4 * cores);
        assert!(count.cpu_time <= count.elapsed * 2 * cores);
    }

    /// A count needs no more memory than the machine has, however many threads it has.
    #[test]
    fn memory_is_limited_by_that_of_the_machine() {
        let mut system = sysinfo::System::new();
        system.refresh_memory();
        let plan = Plan::new(Board::new(32).unwrap(), Engine::Join).unwrap();
        let has_not = |bytes| bytes > system.total_memory();
        let many = (1..).find(|&threads| has_not(plan.memory(threads, u64::MAX)));
        let run = Counter::new(32).unwrap().engine(Engine::Join).threads(many).prepare();
        assert!(!run.is_ok_and(|run| has_not(run.options.memory)));
    }

    /// Files may contain arbitrarily long elapsed times.
    #[test]
    fn elapsed_time_saturates() {
        let mut run = Counter::new(4).unwrap().prepare().unwrap();
        let mut ledger = Ledger::new(run.plan(), Shard::WHOLE);
        ledger.resume(Duration::MAX);
        run.fill(&mut ledger, |_| Ok::<_, CountError>(())).unwrap();
        let count = run.verify(&ledger).unwrap();
        assert_eq!((count.total, count.elapsed), (2, Duration::MAX));
    }

    /// A square is blocked with its mirror image, and then with all its images, so that the board
    /// has some symmetries or all. Only one that the board lacks is refused.
    #[test]
    fn boards_are_counted_with_their_symmetries() {
        let halves = (4..=8_u32).flat_map(|n| (0..n.div_ceil(2)).map(move |column| (n, column)));
        for (n, column, row) in halves.flat_map(|(n, c)| (0..=c).map(move |row| (n, c, row))) {
            let (mut board, last) = (Board::new(n).unwrap(), n - 1);
            for (c, r) in [(column, row), (last - column, row), (row, column), (last - row, column)]
            {
                board.block(Square::new(c, r)).unwrap();
                board.block(Square::new(c, last - r)).unwrap();
                let solutions = solutions(&board).len() as u128;
                for symmetry in Symmetry::ALL {
                    let has_it = symmetry != Symmetry::Eightfold || board.has_all_symmetries();
                    match Counter::on(board.clone()).symmetry(symmetry).run() {
                        Ok(count) => assert!(has_it && count.total == solutions, "{board:?}"),
                        Err(error) => assert!(!has_it, "{board:?} {error}"),
                    }
                }
            }
        }
    }
}
