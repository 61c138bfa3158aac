//! Running a planned count.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use super::check::{Check, check_total};
use super::classes::Classes;
use super::double_check::{self, DoubleCheck, compare, second_kernel};
use super::error::CountError;
use super::ledger::{Ledger, Resumed};
use super::order::spread;
use super::plan::{Plan, Shard};
use super::pool::solve;
use crate::board::Board;
use crate::engine::{CancelToken, Engine, Kernel, Options, Stats, Symmetry};
use crate::machine::Threads;

/// Progress of a run, reported about fifty times a second.
#[derive(Debug)]
pub struct Progress<'a> {
    /// All results so far.
    pub ledger: &'a Ledger,
    /// Estimated fraction of the work that is done, from 0 to 1.
    pub fraction: f64,
    /// Estimated remaining time of this run; `None` until enough is done.
    pub left: Option<Duration>,
    /// Number of solutions found in this run, including symmetry weights.
    pub found: u128,
    /// Number of subproblems recounted by the double check and number to recount; `None` until the count is complete.
    pub double_checked: Option<(usize, usize)>,
    /// Number of samples taken by an estimate; `None` in a count.
    pub samples: Option<usize>,
    /// Wall time of this run.
    pub elapsed: Duration,
}

impl<'a> Progress<'a> {
    /// Creates a report without estimates.
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

/// An exact total, with how it was verified and how long it took.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Count {
    /// The board.
    pub board: Board,
    /// Number of solutions.
    pub total: u128,
    /// Verification of the total.
    pub check: Check,
    /// Number of solutions in each symmetry class, if counted to verify the total.
    pub classes: Option<Classes>,
    /// Result of the double check, if requested.
    pub double_check: Option<DoubleCheck>,
    /// Results taken over from earlier runs.
    pub resumed: Option<Resumed>,
    /// Wall time, including earlier runs, startup and building tables, but not the double check.
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

    /// Returns the number of solutions per second of wall time.
    #[must_use]
    pub fn solutions_per_second(&self) -> f64 {
        self.total as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// Outcome of running one shard, whose results are in the ledger.
#[derive(Debug, Clone)]
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
#[cfg_attr(feature = "store", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Method {
    /// Engine.
    pub engine: Engine,
    /// Kernel.
    pub kernel: Kernel,
    /// Symmetry used by the `bitboard` engine; `None` for the `join` engine, which has its own.
    pub symmetry: Option<Symmetry>,
    /// Number of threads and the reason for it.
    #[cfg_attr(feature = "store", serde(flatten))]
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

/// A planned count, ready to run. Created by [`Counter::prepare`](super::Counter::prepare).
pub struct Run<'a> {
    pub(super) plan: Plan,
    pub(super) options: Options,
    /// Percentage of subproblems to count twice.
    double_check: Option<f64>,
    pub(super) watch: Box<dyn FnMut(&Progress<'_>) + 'a>,
}

impl fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Run")
            .field(&self.plan)
            .field(&self.options)
            .finish()
    }
}

impl<'a> Run<'a> {
    pub(super) fn new(plan: Plan, options: Options, double_check: Option<f64>) -> Self {
        Self {
            plan,
            options,
            double_check,
            watch: Box::new(|_| ()),
        }
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

    /// Returns the number of threads and the reason for it.
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

    /// Ends the run within a fraction of a second once the token is cancelled.
    #[must_use]
    pub fn cancel_with(mut self, token: CancelToken) -> Self {
        self.options.cancel = token;
        self
    }

    /// Calls `watch` on the calling thread about fifty times a second during the run, and once at its end.
    #[must_use]
    pub fn on_progress(mut self, watch: impl FnMut(&Progress<'_>) + 'a) -> Self {
        self.watch = Box::new(watch);
        self
    }

    /// Counts all solutions.
    ///
    /// # Errors
    ///
    /// [`CountError`] if cancelled, if the total contradicts a published value, or if memory or threads are exhausted.
    pub fn run(self) -> Result<Count, CountError> {
        let mut ledger = Ledger::new(&self.plan);
        self.resume(&mut ledger)
    }

    /// Counts all subproblems that `ledger` lacks and records them. The ledger must belong to the same plan. After an
    /// error, the ledger has all results obtained so far.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`run`](Self::run), and [`CountError::ForeignLedger`] for the ledger of another plan.
    pub fn resume(mut self, ledger: &mut Ledger) -> Result<Count, CountError> {
        let started = Instant::now();
        let stats = self.fill(Shard::WHOLE, ledger)?;
        let resumed = ledger.resumed().copied();
        let earlier = resumed.map_or(Duration::ZERO, |resumed| resumed.elapsed);
        let elapsed = started.elapsed().saturating_add(earlier);
        let double_check = self.count_twice(ledger, Shard::WHOLE, 1)?;
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

    /// Counts and records all subproblems of a shard that `ledger` lacks. The ledger must belong to the same plan and
    /// shard.
    ///
    /// ```
    /// use queens::{Counter, Ledger, Shard};
    ///
    /// let mut sum = 0;
    /// for index in 0..3 {
    ///     let run = Counter::new(8)?.threads(1).prepare()?;
    ///     let mut ledger = Ledger::new(run.plan());
    ///     run.resume_shard(Shard::new(index, 3)?, &mut ledger)?;
    ///     sum += ledger.sum();
    /// }
    /// assert_eq!(sum, 92);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CountError`] if cancelled, if the ledger belongs to another plan, or if memory or threads are exhausted.
    ///
    /// # Panics
    ///
    /// If the ledger has results of other shards.
    pub fn resume_shard(
        mut self,
        shard: Shard,
        ledger: &mut Ledger,
    ) -> Result<ShardCount, CountError> {
        let started = Instant::now();
        let stats = self.fill(shard, ledger)?;
        Ok(ShardCount {
            double_check: self.count_twice(ledger, shard, 0)?,
            elapsed: started.elapsed(),
            method: self.method(),
            stats,
        })
    }

    /// Counts and records all subproblems of a shard that the ledger lacks.
    fn fill(&mut self, shard: Shard, ledger: &mut Ledger) -> Result<Option<Stats>, CountError> {
        let started = Instant::now();
        let (plan, options) = (&self.plan, &self.options);
        if ledger.plan() != plan.id() {
            let [found, expected] = ledger.plan().difference(plan.id());
            return Err(CountError::ForeignLedger { expected, found });
        }
        let is_of_shard = ledger.entries().all(|(index, _)| plan.is_in(shard, index));
        assert!(is_of_shard, "results of other shards");
        let threads = options.threads.count();
        let len = plan.shard(shard).len();
        // Sorted, as in the ledger.
        let before: Vec<_> = ledger.entries().map(|(index, _)| index).collect();
        let found_before = ledger.sum();
        let run_length = plan.run_length(len, threads);
        let runs = spread(len, run_length).map(move |numbers| {
            let indices = numbers.map(|number| shard.index() + number * shard.of());
            let pending = indices.filter(|index| before.binary_search(index).is_err());
            pending.collect::<Vec<_>>()
        });
        let done_before = ledger.done();
        let watch = &mut self.watch;
        let stats = solve(plan, options, runs, |arrived| {
            for (index, count) in arrived {
                let entered = ledger.enter(index, count);
                entered.expect("each subproblem counted once");
            }
            let elapsed = started.elapsed();
            let (done, left) = (ledger.done() - done_before, len - ledger.done());
            watch(&Progress {
                fraction: 1.0 - left as f64 / len.max(1) as f64,
                left: time_left(elapsed, done, left, threads),
                found: ledger.sum() - found_before,
                ..Progress::at(ledger, elapsed)
            });
        })?;
        assert_eq!(ledger.done(), len, "all subproblems counted");
        Ok(stats)
    }

    /// If requested, counts the mirror images of a random sample of a complete shard and compares the counts.
    fn count_twice(
        &mut self,
        ledger: &Ledger,
        shard: Shard,
        least: usize,
    ) -> Result<Option<DoubleCheck>, CountError> {
        let Some(percent) = self.double_check else {
            return Ok(None);
        };
        let started = Instant::now();
        let indices = self.plan.shard(shard);
        let sample = double_check::sample(percent, indices, least, &mut fastrand::Rng::new());
        let (plan, options, watch) = (&self.plan, &self.options, &mut self.watch);
        let mut recount = |kernel: Kernel, mirrored: bool, indices: &[usize]| {
            let options = Options {
                kernel,
                mirrored,
                stats: false,
                ..options.clone()
            };
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
        compare(ledger, &sample, kernels, &mut recount).map(Some)
    }
}

/// Estimates the remaining time of a run from the numbers of subproblems `done` and `left`. Returns `None` if too few
/// are done.
///
/// Completed subproblems are evenly spread over the plan ([`order`](super::order)). For each thread, the subproblem in
/// progress counts as half done: omitting these would bias the estimate towards short subproblems.
fn time_left(elapsed: Duration, done: usize, left: usize, threads: usize) -> Option<Duration> {
    if done < ((done + left) / 25).clamp(1, 8) {
        return None;
    }
    let running = threads.min(left) as f64 / 2.0;
    let ratio = (left as f64 - running) / (done as f64 + running);
    Some(elapsed.mul_f64(ratio))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two threads take one second per subproblem. The estimated end is the same at all times.
    #[test]
    fn time_left_is_proportional_to_the_rest() {
        for done in (8..100).step_by(2) {
            let elapsed = Duration::from_millis(500 * done + 500);
            let left = time_left(elapsed, done as usize, 100 - done as usize, 2).unwrap();
            let end = (elapsed + left).as_secs_f64();
            assert!((end - 50.0).abs() < 0.6, "{done}: {end}");
        }
        assert_eq!(time_left(Duration::from_secs(1), 7, 1_000, 2), None);
        assert_eq!(time_left(Duration::from_secs(1), 0, 5, 2), None);
    }
}
