//! A count that is planned and checked, and can begin.

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

/// How far a count is, told about fifty times a second.
#[derive(Debug)]
pub struct Progress<'a> {
    /// What is done.
    pub ledger: &'a Ledger,
    /// The subproblems of this run that have been entered in the ledger since the last time this was told.
    pub solved: &'a [(usize, u64)],
    /// The part of the work that is done, from 0 to 1, estimated.
    pub fraction: f64,
    /// How long this run will take yet, estimated from what it has done; `None` until that is enough to tell.
    pub left: Option<Duration>,
    /// Solutions found in this run, weights of symmetry included.
    pub found: u128,
    /// How many subproblems have been counted twice, and how many are to be; none before the count is complete.
    pub double_checked: Option<(usize, usize)>,
    /// How many draws an estimate has made; `None` in a count.
    pub draws: Option<usize>,
    /// How long this run has lasted.
    pub elapsed: Duration,
}

impl<'a> Progress<'a> {
    /// That nothing is known but what is done.
    pub(super) fn at(ledger: &'a Ledger, elapsed: Duration) -> Self {
        Self {
            ledger,
            solved: &[],
            fraction: 1.0,
            left: None,
            found: 0,
            double_checked: None,
            draws: None,
            elapsed,
        }
    }
}

/// An exact total, how it was checked, and how fast it was.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Count {
    /// The board that was counted.
    pub board: Board,
    /// The number of solutions.
    pub total: u128,
    /// How the total was checked.
    pub check: Check,
    /// The solutions by symmetry, where they were counted to check the total.
    pub classes: Option<Classes>,
    /// What was counted twice, where that was asked for; all of it agreed.
    pub double_check: Option<DoubleCheck>,
    /// What earlier runs had done, where this one resumed them.
    pub resumed: Option<Resumed>,
    /// Wall time of the whole count, tables and threads included; earlier runs too, but not what was counted twice.
    pub elapsed: Duration,
    /// The engine that counted.
    pub engine: Engine,
    /// The kernel that counted.
    pub kernel: Kernel,
    /// The symmetry that engine bitboard used; `None` for other engines, which have their own.
    pub symmetry: Option<Symmetry>,
    /// What engine join did, if it was asked to keep statistics.
    pub stats: Option<Stats>,
    /// The threads that counted, and why that many.
    pub threads: Threads,
}

impl Count {
    /// Board size N.
    #[must_use]
    pub fn n(&self) -> u32 {
        self.board.n()
    }

    /// Solutions per second of wall time.
    #[must_use]
    pub fn solutions_per_second(&self) -> f64 {
        self.total as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// Result of one shard.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ShardCount {
    /// Solutions, weights of symmetry included.
    pub solutions: u128,
    /// Number of subproblems in the shard.
    pub subproblems: usize,
    /// What was counted twice, where that was asked for; all of it agreed.
    pub double_check: Option<DoubleCheck>,
    /// Wall time of all of it, what was counted twice included.
    pub elapsed: Duration,
    /// The kernel that counted.
    pub kernel: Kernel,
    /// What engine join did, if it was asked to keep statistics.
    pub stats: Option<Stats>,
    /// The threads that counted.
    pub threads: Threads,
}

/// A count that is planned and checked, and can begin: made by [`Counter::prepare`](super::Counter::prepare).
pub struct Run<'a> {
    pub(super) plan: Plan,
    pub(super) options: Options,
    /// The percentage of subproblems to count twice.
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

    /// The plan that will be followed.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Bytes of memory, about, that the count will need.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.options.memory
    }

    /// The threads that will count.
    #[must_use]
    pub fn threads(&self) -> &Threads {
        &self.options.threads
    }

    /// Stops, within a fraction of a second, when the token is cancelled.
    #[must_use]
    pub fn cancel_with(mut self, token: CancelToken) -> Self {
        self.options.cancel = token;
        self
    }

    /// Calls `watch` on the calling thread about fifty times a second while the count lasts, and once at its end.
    #[must_use]
    pub fn on_progress(mut self, watch: impl FnMut(&Progress<'_>) + 'a) -> Self {
        self.watch = Box::new(watch);
        self
    }

    /// Counts.
    ///
    /// # Errors
    ///
    /// [`CountError`]: cancelled, or a total that contradicts a published value, or what the machine cannot do.
    pub fn run(self) -> Result<Count, CountError> {
        let mut ledger = Ledger::new(&self.plan);
        self.resume(&mut ledger)
    }

    /// Counts what is not done already in `ledger`, which is one of the same plan, and enters it there. After an error
    /// what was counted until then is in it.
    ///
    /// # Errors
    ///
    /// Those of [`run`](Self::run), and [`CountError::ForeignLedger`].
    pub fn resume(mut self, ledger: &mut Ledger) -> Result<Count, CountError> {
        let started = Instant::now();
        let stats = self.fill(Shard::WHOLE, ledger)?;
        let elapsed = started.elapsed().saturating_add(ledger.earlier());
        let double_check = self.count_twice(ledger, Shard::WHOLE, 1)?;
        let Self { plan, options, .. } = self;
        let total = ledger.sum();
        let (check, classes) = check_total(&plan, total, options.threads.count(), &options.cancel)?;
        let resumed = ledger.resumed().copied();
        Ok(Count {
            board: plan.board().clone(),
            total,
            check,
            classes,
            double_check,
            resumed,
            elapsed,
            engine: plan.engine(),
            kernel: options.kernel,
            symmetry: plan.symmetry(),
            stats,
            threads: options.threads,
        })
    }

    /// Counts what is not done already of one shard in `ledger`, which is one of the same plan and shard, and enters it
    /// there: a part of the total, for shards to be added up elsewhere.
    ///
    /// ```
    /// use queens::{Counter, Ledger, Shard};
    ///
    /// let mut sum = 0;
    /// for index in 0..3 {
    ///     let run = Counter::new(8)?.threads(1).prepare()?;
    ///     let mut ledger = Ledger::new(run.plan());
    ///     sum += run.resume_shard(Shard::new(index, 3)?, &mut ledger)?.solutions;
    /// }
    /// assert_eq!(sum, 92);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CountError`]: cancelled, a ledger of another plan, or what the machine cannot do.
    ///
    /// # Panics
    ///
    /// If the ledger has subproblems of other shards.
    pub fn resume_shard(
        mut self,
        shard: Shard,
        ledger: &mut Ledger,
    ) -> Result<ShardCount, CountError> {
        let started = Instant::now();
        let stats = self.fill(shard, ledger)?;
        Ok(ShardCount {
            solutions: ledger.sum(),
            subproblems: ledger.done(),
            double_check: self.count_twice(ledger, shard, 0)?,
            elapsed: started.elapsed(),
            kernel: self.options.kernel,
            stats,
            threads: self.options.threads,
        })
    }

    /// Counts those subproblems of a shard that are not in the ledger, and enters them.
    fn fill(&mut self, shard: Shard, ledger: &mut Ledger) -> Result<Option<Stats>, CountError> {
        let started = Instant::now();
        let (plan, options) = (&self.plan, &self.options);
        if ledger.plan() != plan.id() {
            let [found, expected] = ledger.plan().difference(plan.id());
            return Err(CountError::ForeignLedger { expected, found });
        }
        let is_of_shard = ledger.entries().all(|(index, _)| plan.is_in(shard, index));
        assert!(is_of_shard, "the ledger is one of the shard");
        let threads = options.threads.count();
        let len = plan.shard(shard).len();
        // In order, as the ledger keeps them.
        let before: Vec<_> = ledger.entries().map(|(index, _)| index).collect();
        let found_before = ledger.sum();
        let run_length = plan.run_length(len, threads);
        let runs = spread(len, run_length).map(move |numbers| {
            let indices = numbers.map(|number| shard.index() + number * shard.of());
            let pending = indices.filter(|index| before.binary_search(index).is_err());
            pending.collect::<Vec<_>>()
        });
        let (done_before, mut solved) = (ledger.done(), Vec::new());
        let watch = &mut self.watch;
        let stats = solve(plan, options, runs, |arrived| {
            solved.clear();
            for (index, count) in arrived {
                let entered = ledger.enter(index, count);
                entered.expect("each subproblem is counted once");
                solved.push((index, count));
            }
            let elapsed = started.elapsed();
            let (done, left) = (ledger.done() - done_before, len - ledger.done());
            watch(&Progress {
                solved: &solved,
                fraction: 1.0 - left as f64 / len.max(1) as f64,
                left: time_left(elapsed, done, left, threads),
                found: ledger.sum() - found_before,
                ..Progress::at(ledger, elapsed)
            });
        })?;
        assert_eq!(ledger.done(), len, "every subproblem is counted");
        Ok(stats)
    }

    /// Counts the mirror images of a random sample of a shard, which is done, if that was asked for, and compares.
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
        let places = self.plan.shard(shard);
        let sample = double_check::sample(percent, places, least, &mut fastrand::Rng::new());
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

/// How long a run that has `done` so many subproblems will take for those that are `left`, or `None` as long as too few
/// are done to tell.
///
/// Those that are done are a fair sample, since they are spread evenly over the plan ([`order`](super::order)). Those
/// begun count as half done, one a thread: without them, the long ones, which are still running, would be left out of
/// the sample.
fn time_left(elapsed: Duration, done: usize, left: usize, threads: usize) -> Option<Duration> {
    if done < ((done + left) / 25).clamp(1, 8) {
        return None;
    }
    let underway = threads.min(left) as f64 / 2.0;
    let part = (left as f64 - underway) / (done as f64 + underway);
    Some(elapsed.mul_f64(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two threads take a second for each subproblem: seen at any moment, they will be done at the same time.
    #[test]
    fn time_left_is_in_proportion_to_what_is_done() {
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
