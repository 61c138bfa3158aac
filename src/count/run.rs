//! A count that is planned and checked, and can begin.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use super::double_check::{DoubleCheck, Way, compare, sample, second_kernel};
use super::error::CountError;
use super::forecast::Forecast;
use super::ledger::Ledger;
use super::order::spread;
use super::outcome::{Count, ShardCount};
use super::plan::{Plan, Shard};
use super::pool::{Ended, Solved, Team};
use super::symmetric::check_total;
use crate::engine::{CancelToken, Kernel, Stats, Tally};

/// How far a count is, told about fifty times a second.
#[derive(Debug)]
pub struct Progress<'a> {
    /// What is done.
    pub ledger: &'a Ledger,
    /// The subproblems of this run that have been entered in the ledger since the last time this was told.
    pub solved: &'a [(usize, Tally)],
    /// The part of the work that is done, from 0 to 1, estimated.
    pub fraction: f64,
    /// How long this run will take yet, estimated from what has been measured in it; `None` until that is enough to tell.
    pub left: Option<Duration>,
    /// Solutions found in this run, weights of symmetry included.
    pub found: u128,
    /// How many subproblems have been counted twice, and how many are to be; none before the count is complete.
    pub double_checked: Option<(usize, usize)>,
    /// How long this run has lasted.
    pub elapsed: Duration,
}

/// A count that is planned and checked, and can begin: made by [`Counter::prepare`](super::Counter::prepare).
pub struct Run<'a> {
    team: Team,
    with_stats: bool,
    double_check: Option<f64>,
    on_progress: Box<dyn FnMut(&Progress<'_>) + 'a>,
}

impl fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Run").field(&self.team).finish()
    }
}

impl<'a> Run<'a> {
    pub(super) fn new(team: Team, with_stats: bool, double_check: Option<f64>) -> Self {
        Self {
            team,
            with_stats,
            double_check,
            on_progress: Box::new(|_| ()),
        }
    }

    pub(super) fn team(&self) -> &Team {
        &self.team
    }

    /// The plan that will be followed.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.team.plan
    }

    /// Bytes of memory, about, that the count will need.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.team.memory
    }

    /// Stops, within a fraction of a second, when the token is cancelled.
    #[must_use]
    pub fn cancel_with(mut self, token: CancelToken) -> Self {
        self.team.cancel = token;
        self
    }

    /// Calls `watch` on the calling thread about fifty times a second while the count lasts, and once at its end.
    #[must_use]
    pub fn on_progress(mut self, watch: impl FnMut(&Progress<'_>) + 'a) -> Self {
        self.on_progress = Box::new(watch);
        self
    }

    /// Counts.
    ///
    /// # Errors
    ///
    /// [`CountError`]: cancelled, or a total that contradicts a published value, or what the machine cannot do.
    pub fn run(self) -> Result<Count, CountError> {
        let nothing = Ledger::new(&self.team.plan);
        self.resume(nothing)
    }

    /// Counts what is not done already in `ledger`, which is one of the same plan.
    ///
    /// # Errors
    ///
    /// Those of [`run`](Self::run), and [`CountError::ForeignLedger`].
    pub fn resume(mut self, ledger: Ledger) -> Result<Count, CountError> {
        let started = Instant::now();
        let plan = self.team.plan.clone();
        self.expect_own(&ledger)?;
        let before = ledger.clone();
        let pending = spread(plan.len(), plan.run_length());
        let pending = pending.filter(move |&index| before.get(index).is_none());
        let number = plan.len() - ledger.done();
        let (ledger, stats) = self.fill(ledger, pending, number, started)?;
        let elapsed = started.elapsed();
        let double_check = self.count_twice(&ledger, Shard::WHOLE, 1)?;
        let (kernel, threads, cancel) = (self.team.kernel, self.team.threads, self.team.cancel);
        let total = ledger.sum();
        let (check, classes) = check_total(&plan, total, threads.count(), &cancel)?;
        let resumed = ledger.resumed().copied();
        Ok(Count {
            board: plan.board().clone(),
            total,
            check,
            classes,
            double_check,
            resumed,
            elapsed: elapsed + ledger.earlier(),
            engine: plan.engine(),
            kernel,
            symmetry: plan.symmetry(),
            stats,
            threads,
            // Earlier runs may have used a kernel that does not count nodes.
            nodes: plan
                .nodes_above()
                .filter(|_| kernel == Kernel::Reference && resumed.is_none())
                .map(|above| ledger.nodes() + u128::from(above)),
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
    /// [`CountError`]: cancelled, or what the machine cannot do.
    pub fn run_shard(self, shard: Shard) -> Result<ShardCount, CountError> {
        let nothing = Ledger::new(&self.team.plan);
        self.resume_shard(shard, nothing)
    }

    /// Counts what is not done already of one shard in `ledger`, which is one of the same plan and shard.
    ///
    /// # Errors
    ///
    /// Those of [`run_shard`](Self::run_shard), and [`CountError::ForeignLedger`].
    ///
    /// # Panics
    ///
    /// If the ledger has subproblems of other shards.
    pub fn resume_shard(mut self, shard: Shard, ledger: Ledger) -> Result<ShardCount, CountError> {
        let started = Instant::now();
        self.expect_own(&ledger)?;
        let mut done = ledger.entries();
        assert!(
            done.all(|(index, _)| index % shard.of() == shard.index()),
            "one shard"
        );
        drop(done);
        let before = ledger.clone();
        let places = self.team.plan.shard(shard).len();
        let number = places - ledger.done();
        let pending = spread(places, 1).map(move |place| shard.place(place));
        let pending = pending.filter(move |&index| before.get(index).is_none());
        let (ledger, stats) = self.fill(ledger, pending, number, started)?;
        Ok(ShardCount {
            solutions: ledger.sum(),
            subproblems: ledger.done(),
            double_check: self.count_twice(&ledger, shard, 0)?,
            elapsed: started.elapsed(),
            kernel: self.team.kernel,
            stats,
            threads: self.team.threads,
        })
    }

    /// An error if a ledger is of another plan.
    fn expect_own(&self, ledger: &Ledger) -> Result<(), CountError> {
        let (expected, found) = (self.team.plan.fingerprint(), ledger.fingerprint());
        if *found == expected {
            return Ok(());
        }
        let found = found.clone();
        Err(CountError::ForeignLedger { expected, found })
    }

    /// Enters the subproblems `pending`, of which there are `number`, in the ledger. Where that is cancelled, or there is not the
    /// memory, the ledger goes with the error.
    fn fill(
        &mut self,
        mut ledger: Ledger,
        pending: impl Iterator<Item = usize> + Clone + Send + 'static,
        number: usize,
        started: Instant,
    ) -> Result<(Ledger, Option<Stats>), CountError> {
        let (plan, threads) = (&self.team.plan, self.team.size());
        let mut forecast = Forecast::new(plan, pending.clone(), number, threads);
        let resumed_solutions = ledger.sum();
        // What was done before, by number: its weight need not be known.
        let share = number as f64 / (number + ledger.done()).max(1) as f64;
        let watch = &mut self.on_progress;
        let mut solved = Vec::new();
        let ended = self
            .team
            .count(pending, self.with_stats, |arrived, underway| {
                solved.clear();
                for Solved {
                    index,
                    tally,
                    spent,
                } in arrived
                {
                    ledger.enter(index, tally)?;
                    forecast.enter(index, spent);
                    solved.push((index, tally));
                }
                watch(&Progress {
                    ledger: &ledger,
                    solved: &solved,
                    fraction: 1.0 - share * (1.0 - forecast.fraction()),
                    left: forecast.time_left(underway),
                    found: ledger.sum() - resumed_solutions,
                    double_checked: None,
                    elapsed: started.elapsed(),
                });
                Ok(())
            });
        match ended {
            Ok(Ended::Complete(stats)) => Ok((ledger, stats)),
            Ok(Ended::Cancelled) => Err(cancelled(ledger)),
            Err(CountError::Exhausted { asked, .. }) => {
                let ledger = Some(Box::new(ledger));
                Err(CountError::Exhausted { asked, ledger })
            }
            Err(error) => Err(error),
        }
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
        let places = self.team.plan.shard(shard);
        let sample = sample(percent, places, least, &mut fastrand::Rng::new());
        let (team, watch) = (&self.team, &mut self.on_progress);
        let mut recount = |way: Way, indices: &[usize]| {
            let team = Team {
                kernel: way.kernel,
                mirrored: way.mirrored,
                ..team.clone()
            };
            let mut counts = BTreeMap::new();
            let pending = indices.to_vec();
            let ended = team.count(pending.into_iter(), false, |arrived, _| {
                counts.extend(arrived.map(|solved| (solved.index, solved.tally.count)));
                watch(&Progress {
                    ledger,
                    solved: &[],
                    fraction: 1.0,
                    left: None,
                    found: 0,
                    double_checked: Some((counts.len(), indices.len())),
                    elapsed: started.elapsed(),
                });
                Ok(())
            })?;
            match ended {
                Ended::Complete(_) => Ok(counts),
                Ended::Cancelled => Err(cancelled(ledger.clone())),
            }
        };
        let kernel = team.kernel;
        let second = second_kernel(&team.plan, kernel);
        compare(ledger, &sample, [kernel, second], &mut recount).map(Some)
    }
}

fn cancelled(ledger: Ledger) -> CountError {
    let ledger = Box::new(ledger);
    CountError::Cancelled { ledger }
}
