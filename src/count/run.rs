//! Execution of a planned count.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use super::check::{Check, check_total};
use super::classes::Classes;
use super::double_check::{self, DoubleCheck, compare, second_kernel};
use super::error::CountError;
use super::ledger::{Ledger, Resumed};
use super::plan::{Plan, Shard};
use super::pool::solve;
use super::time_left::TimeLeft;
use crate::board::Board;
use crate::engine::{CancelToken, Engine, Kernel, Options, Stats, Symmetry};
use crate::machine::Threads;
use crate::machine::clock::Instant;

/// Progress of a run, which is reported about fifty times a second.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// All results so far.
    pub ledger: &'a Ledger,
    /// Estimated fraction of the work that is done, from 0 to 1.
    pub fraction: f64,
    /// Estimated remaining time of this run, or `None` until enough subproblems are done.
    pub left: Option<Duration>,
    /// Number of solutions found in this run, including symmetry weights.
    pub found: u128,
    /// Numbers of subproblems recounted by the double check so far and in total, or `None` until
    /// the count is complete.
    pub double_checked: Option<(usize, usize)>,
    /// Number of samples taken by an estimate, or `None` in a count.
    pub samples: Option<usize>,
    /// Wall time of this run so far, or of the double check while that is running. In a count, this
    /// leaves out the time for which the process was suspended.
    pub elapsed: Duration,
}

impl<'a> Progress<'a> {
    /// Creates a progress report without estimates.
    pub(super) fn at(ledger: &'a Ledger, elapsed: Duration) -> Self {
        Self {
            ledger,
            fraction: 1.0,
            left: None,
            found: 0,
            double_checked: None,
            samples: None,
            elapsed,
        }
    }
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
    /// Result of the double check, if requested.
    pub double_check: Option<DoubleCheck>,
    /// Work done by earlier runs, if the count was resumed.
    pub resumed: Option<Resumed>,
    /// Wall time, including that of earlier runs, startup and building tables, but not of the
    /// double check.
    pub elapsed: Duration,
    /// Algorithm and threads.
    pub method: Method,
    /// Statistics of the `join` engine, if requested.
    pub stats: Option<Stats>,
}

impl Count {
    /// Returns the board size N.
    #[must_use]
    pub fn n(&self) -> u32 {
        self.board.n()
    }
}

/// Outcome of counting one shard. The results themselves are in the ledger.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ShardCount {
    /// Result of the double check, if requested.
    pub double_check: Option<DoubleCheck>,
    /// Wall time of this run, including the double check.
    pub elapsed: Duration,
    /// Algorithm and threads.
    pub method: Method,
    /// Statistics of the `join` engine, if requested.
    pub stats: Option<Stats>,
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
    /// Number of threads, and the reason for that number.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub threads: Threads,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "engine {}, kernel {}", self.engine, self.kernel)?;
        if let Some(symmetry) = self.symmetry {
            write!(f, ", symmetry {symmetry}")?;
        }
        write!(f, ", {}", self.threads)
    }
}

/// Planned count that is ready to run. It is created by
/// [`Counter::prepare`](super::Counter::prepare).
pub struct Run<'a> {
    pub(super) plan: Plan,
    pub(super) options: Options,
    /// Percentage of subproblems to count twice.
    double_check: Option<f64>,
    pub(super) watch: Box<dyn FnMut(&Progress<'_>) + Send + 'a>,
}

impl fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Run").field(&self.plan).field(&self.options).finish()
    }
}

impl<'a> Run<'a> {
    pub(super) fn new(plan: Plan, options: Options, double_check: Option<f64>) -> Self {
        Self { plan, options, double_check, watch: Box::new(|_| ()) }
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

    /// Returns the number of threads, and the reason for that number.
    #[must_use]
    pub fn threads(&self) -> &Threads {
        &self.options.threads
    }

    /// Returns the algorithm and the threads.
    pub(super) fn method(&self) -> Method {
        Method {
            engine: self.plan.engine(),
            kernel: self.options.kernel,
            symmetry: self.plan.id().symmetry,
            threads: self.options.threads.clone(),
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
    pub fn on_progress(mut self, mut watch: impl FnMut(&Progress<'_>) + Send + 'a) -> Self {
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
    pub fn run(self) -> Result<Count, CountError> {
        let mut ledger = Ledger::new(&self.plan);
        self.resume(&mut ledger)
    }

    /// Counts all subproblems that are missing from `ledger` and records their results. The ledger
    /// must belong to the same plan. After an error, it contains all results obtained so far.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`run`](Self::run), and [`CountError::ForeignLedger`] for a
    /// ledger of another plan or of a shard.
    pub fn resume(mut self, ledger: &mut Ledger) -> Result<Count, CountError> {
        let started = Instant::now();
        if ledger.shard() != Shard::WHOLE {
            let [expected, found] = ["the whole plan".to_owned(), ledger.shard().to_string()];
            return Err(CountError::ForeignLedger { expected, found });
        }
        let stats = self.fill(ledger)?;
        let resumed = ledger.resumed().copied();
        let earlier = resumed.map_or(Duration::ZERO, |resumed| resumed.elapsed);
        let elapsed = started.elapsed().saturating_add(earlier);
        let double_check = self.count_twice(ledger, 1)?;
        let (plan, total, method) = (&self.plan, ledger.sum(), self.method());
        let threads = method.threads.count();
        let (check, classes) = check_total(plan, total, threads, &self.options.cancel)?;
        Ok(Count {
            board: plan.board().clone(),
            total,
            check,
            classes,
            double_check,
            resumed,
            elapsed,
            method,
            stats,
        })
    }

    /// Counts all subproblems that are missing from the ledger of a shard, and records their
    /// results. The ledger must belong to the same plan.
    ///
    /// ```
    /// use queens::{Counter, Ledger, Shard};
    ///
    /// let mut sum = 0;
    /// for index in 0..3 {
    ///     let run = Counter::new(8)?.threads(1).prepare()?;
    ///     let mut ledger = Ledger::of_shard(run.plan(), Shard::new(index, 3)?);
    ///     run.resume_shard(&mut ledger)?;
    ///     sum += ledger.sum();
    /// }
    /// assert_eq!(sum, 92);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`resume`](Self::resume), except for those about the total.
    pub fn resume_shard(mut self, ledger: &mut Ledger) -> Result<ShardCount, CountError> {
        let started = Instant::now();
        let stats = self.fill(ledger)?;
        Ok(ShardCount {
            double_check: self.count_twice(ledger, 0)?,
            elapsed: started.elapsed(),
            method: self.method(),
            stats,
        })
    }

    /// Counts all subproblems that are missing from the ledger and records their results.
    fn fill(&mut self, ledger: &mut Ledger) -> Result<Option<Stats>, CountError> {
        let started = Instant::now();
        let (plan, options) = (&self.plan, &self.options);
        if ledger.plan() != plan.id() {
            let [found, expected] = ledger.plan().difference(plan.id());
            return Err(CountError::ForeignLedger { expected, found });
        }
        let threads = options.threads.count();
        let (shard, len) = (ledger.shard(), ledger.len());
        // These indices are sorted, because ledgers return their entries in order.
        let before: Vec<_> = ledger.entries().map(|(index, _)| index).collect();
        let found_before = ledger.sum();
        let runs = plan.runs(shard, threads).map(move |run| {
            let pending = run.filter(|index| before.binary_search(index).is_err());
            pending.collect::<Vec<_>>()
        });
        let done_before = ledger.done();
        let (watch, mut time_left) = (&mut self.watch, TimeLeft::new(threads));
        let stats = solve(plan, options, runs, |arrived| {
            for (index, count) in arrived {
                let entered = ledger.enter(index, count);
                entered.expect("each subproblem is counted once");
            }
            time_left.advance(started.elapsed(), false);
            let (done, left) = (ledger.done() - done_before, len - ledger.done());
            watch(&Progress {
                fraction: 1.0 - left as f64 / len.max(1) as f64,
                left: time_left.predict(done, left),
                found: ledger.sum() - found_before,
                ..Progress::at(ledger, time_left.worked)
            });
            time_left.advance(started.elapsed(), true);
        })?;
        assert_eq!(ledger.done(), len, "all subproblems are counted");
        Ok(stats)
    }

    /// If requested, counts the mirror images of a random sample of a complete shard, and compares
    /// the counts.
    fn count_twice(
        &mut self,
        ledger: &Ledger,
        least: usize,
    ) -> Result<Option<DoubleCheck>, CountError> {
        let Some(percent) = self.double_check else {
            return Ok(None);
        };
        let started = Instant::now();
        let indices = self.plan.shard(ledger.shard());
        let sample = double_check::sample(percent, indices, least, &mut fastrand::Rng::new());
        let (plan, options, watch) = (&self.plan, &self.options, &mut self.watch);
        let recount = |kernel: Kernel, mirrored: bool, indices: &[usize]| {
            let isa = plan.engine().isa(kernel).expect("only available kernels are compared");
            let options = Options { kernel, isa, mirrored, stats: false, ..options.clone() };
            let mut counts = BTreeMap::new();
            let pending = indices.to_vec();
            let runs = pending.into_iter().map(std::iter::once);
            solve(plan, &options, runs, |arrived| {
                counts.extend(arrived);
                watch(&Progress {
                    double_checked: Some((counts.len(), indices.len())),
                    ..Progress::at(ledger, started.elapsed())
                });
            })?;
            Ok(counts)
        };
        let kernels = [options.kernel, second_kernel(plan, options.kernel)];
        compare(ledger, &sample, kernels, recount).map(Some)
    }
}
