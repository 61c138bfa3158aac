//! Execution of a planned count.

use std::fmt;
use std::io;
use std::time::Duration;

use crossbeam_channel::unbounded;
use rayon::iter::{ParallelBridge, ParallelIterator};

use super::check::{Check, check_total};
use super::classes::Classes;
use super::error::CountError;
use super::ledger::{Ledger, Resumed};
use super::plan::{Plan, Shard};
use super::pool::{SMALL_N, watched};
use super::time_left::TimeLeft;
use crate::board::Board;
use crate::engine::{CancelToken, Engine, Kernel, Options, Stopped, Symmetry, Worker};
use crate::machine::can_start_threads;
use crate::machine::clock::Instant;

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
    /// Number of solutions in each symmetry class, if these were counted to verify the total.
    pub classes: Option<Classes>,
    /// Work done by earlier runs, if the count was resumed.
    pub resumed: Option<Resumed>,
    /// Wall time, including that of earlier runs, startup and building tables.
    pub elapsed: Duration,
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

/// Subproblems to be counted, in runs of consecutive ones. Each run is counted by one thread.
pub struct Work {
    pub(super) runs: Box<dyn Iterator<Item = Vec<usize>> + Send>,
    /// Number of subproblems in all runs.
    pub(super) len: usize,
    /// Number of subproblems that are already done. Only the reported progress depends on it.
    pub(super) done: usize,
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
}

impl fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Run").field(&self.plan).field(&self.options).finish()
    }
}

impl<'a> Run<'a> {
    pub(super) fn new(plan: Plan, options: Options) -> Self {
        Self { plan, options, watch: Box::new(|_| ()) }
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
        let mut ledger = Ledger::new(&self.plan);
        let work = self.missing(&ledger)?;
        let done = self.count(work, |results| ledger.record(results))?;
        self.verify(&ledger, done)
    }

    /// Returns the subproblems that a ledger lacks. They are in an order in which those completed
    /// are evenly distributed over the plan at any moment.
    ///
    /// # Errors
    ///
    /// Returns [`CountError::ForeignLedger`] if the ledger belongs to another plan.
    pub fn missing(&self, ledger: &Ledger) -> Result<Work, CountError> {
        self.expect_ours(ledger)?;
        // These indices are sorted, because ledgers return their entries in order.
        let before: Vec<_> = ledger.entries().map(|(index, _)| index).collect();
        let (done, len) = (before.len(), ledger.len() - before.len());
        let runs = self.plan.runs(ledger.shard(), self.options.threads);
        let runs = runs.map(move |run| {
            run.filter(|index| before.binary_search(index).is_err()).collect::<Vec<_>>()
        });
        Ok(Work { runs: Box::new(runs), len, done })
    }

    /// Counts subproblems, each on one thread. Passes their indices and counts, which include
    /// symmetry weights, to `sink` on the calling thread, about fifty times a second and at the
    /// end. Returns the wall time, including startup and building tables.
    ///
    /// ```
    /// use queens::{Counter, Ledger, Shard};
    ///
    /// let mut sum = 0;
    /// for index in 0..3 {
    ///     let mut run = Counter::new(8)?.threads(1).prepare()?;
    ///     let mut ledger = Ledger::of_shard(run.plan(), Shard::new(index, 3)?);
    ///     run.count(run.missing(&ledger)?, |results| ledger.record(results))?;
    ///     sum += ledger.sum();
    /// }
    /// assert_eq!(sum, 92);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the count is cancelled, or if memory or threads are unavailable. Results
    /// obtained by then have been passed to `sink`. Also returns [`CountError::Sink`] with the
    /// first error of `sink`.
    pub fn count(
        &mut self,
        work: Work,
        mut sink: impl FnMut(&mut dyn Iterator<Item = (usize, u64)>) -> io::Result<()>,
    ) -> Result<Duration, CountError> {
        let started = Instant::now();
        let (plan, options, watch) = (&self.plan, &self.options, &mut self.watch);
        let Work { mut runs, len, done: before } = work;
        let (results, arrived) = unbounded();
        let count = move |worker: &mut Worker<'_>, run: Vec<usize>| {
            for index in run {
                let count = worker.try_count(index)?;
                // The channel has no receiver once the count is cancelled.
                let _ = results.send((index, count));
            }
            Ok::<_, Stopped>(())
        };
        let threads = options.threads;
        let (mut done, mut found, mut time_left) = (0, 0, TimeLeft::new(threads));
        let mut take = || {
            // A sum of at most 2^32 values below 2^64 cannot overflow a u128.
            sink(&mut arrived.try_iter().inspect(|&(_, count)| {
                (done, found) = (done + 1, found + u128::from(count));
            }))
            .map_err(CountError::Sink)?;
            time_left.advance(started.elapsed(), false);
            let left = len.saturating_sub(done);
            watch(&Progress {
                done: before + done,
                fraction: 1.0 - left as f64 / (before + len).max(1) as f64,
                left: time_left.predict(done, left),
                found,
                elapsed: time_left.worked,
                ..Progress::default()
            });
            time_left.advance(started.elapsed(), true);
            Ok(())
        };
        if !can_start_threads() || (threads == 1 && plan.board().n() <= SMALL_N) {
            let solver = plan.cut.solver(options);
            let mut worker = solver.worker();
            let counted = runs.try_for_each(|run| count(&mut worker, run));
            take()?;
            counted?;
        } else {
            let (cut, options) = (plan.cut.clone(), options.clone());
            let cancel = options.cancel.clone();
            let work = move || {
                let solver = cut.solver(&options);
                let runs = runs.par_bridge().panic_fuse(); // approximately in order
                Ok(runs.try_for_each_init(|| solver.worker(), count)?)
            };
            watched(threads, &cancel, work, take)?;
        }
        Ok(started.elapsed())
    }

    /// Verifies the total of a complete ledger, whose last results took this wall time.
    ///
    /// # Errors
    ///
    /// Returns an error if the total is wrong or the verification is cancelled, and
    /// [`CountError::ForeignLedger`] for a ledger of another plan or of a shard.
    ///
    /// # Panics
    ///
    /// Panics if the ledger is incomplete.
    pub fn verify(&mut self, ledger: &Ledger, elapsed: Duration) -> Result<Count, CountError> {
        self.expect_ours(ledger)?;
        if ledger.shard() != Shard::WHOLE {
            let [expected, found] = ["the whole plan".to_owned(), ledger.shard().to_string()];
            return Err(CountError::ForeignLedger { expected, found });
        }
        assert!(ledger.is_complete(), "all subproblems are counted");
        let (plan, total, method) = (&self.plan, ledger.sum(), self.method());
        let threads = method.threads;
        let (check, classes) = check_total(plan, total, threads, &self.options.cancel)?;
        let resumed = ledger.resumed().copied();
        let earlier = resumed.map_or(Duration::ZERO, |resumed| resumed.elapsed);
        Ok(Count {
            board: plan.board().clone(),
            total,
            check,
            classes,
            resumed,
            elapsed: elapsed.saturating_add(earlier),
            method,
        })
    }

    fn expect_ours(&self, ledger: &Ledger) -> Result<(), CountError> {
        if ledger.plan() == self.plan.id() {
            return Ok(());
        }
        let [found, expected] = ledger.plan().difference(self.plan.id());
        Err(CountError::ForeignLedger { expected, found })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::Counter;

    #[test]
    fn the_callers_thread_counts_a_board_of_twelve() {
        let mut run = Counter::new(SMALL_N).unwrap().prepare().unwrap();
        let (caller, len) = (std::thread::current().id(), run.plan.len());
        let runs = run.plan.runs(Shard::WHOLE, 1);
        let runs = runs.inspect(move |_| assert_eq!(std::thread::current().id(), caller));
        let runs = Box::new(runs.map(Iterator::collect));
        let mut done = 0;
        let sink = |new: &mut dyn Iterator<Item = _>| {
            done += new.count();
            Ok(())
        };
        run.count(Work { runs, len, done: 0 }, sink).unwrap();
        assert_eq!(done, len);
    }

    /// Results of a plan with another symmetry have other weights.
    #[test]
    fn ledgers_of_another_symmetry_are_rejected() {
        let run = |symmetry| Counter::new(6).unwrap().symmetry(symmetry).prepare().unwrap();
        let (mut none, mirror) = (run(Symmetry::None), run(Symmetry::Mirror));
        let mut ledger = Ledger::new(mirror.plan());
        let missing = none.missing(&ledger).err().unwrap();
        ledger.record((0..mirror.plan().len()).map(|index| (index, 0))).unwrap();
        let verified = none.verify(&ledger, Duration::ZERO).unwrap_err();
        for error in [missing, verified] {
            assert!(
                matches!(&error, CountError::ForeignLedger { found, expected }
                if found.contains("mirror") && expected.contains("none")),
                "{error}"
            );
        }
    }
}
