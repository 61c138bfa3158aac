//! A count that is planned and checked, and can begin.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use super::classes::{Classes, Symmetric};
use super::double_check::{DoubleCheck, Way, compare, sample, second_kernel};
use super::error::CountError;
use super::ledger::Ledger;
use super::outcome::{Count, ShardCount};
use super::plan::{Plan, Shard};
use super::pool::{Ended, Team, pool};
use super::verify::{self, Check};
use crate::engine::{CancelToken, Kernel};

/// How far a count is, told some fifty times a second.
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

    /// The plan that will be followed.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.team.plan
    }

    /// Bytes of memory, about, that the count will need.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.team.plan.memory(self.team.threads.count())
    }

    /// Stops, within a fraction of a second, when the token is cancelled.
    #[must_use]
    pub fn cancel_with(mut self, token: CancelToken) -> Self {
        self.team.cancel = token;
        self
    }

    /// Calls `watch` on the calling thread some fifty times a second while the count lasts, and once at its end.
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
    pub fn resume(mut self, mut ledger: Ledger) -> Result<Count, CountError> {
        let started = Instant::now();
        let plan = self.team.plan.clone();
        if *ledger.fingerprint() != plan.fingerprint() {
            return Err(CountError::ForeignLedger {
                expected: plan.fingerprint(),
                found: ledger.fingerprint().clone(),
            });
        }
        let pending: Vec<usize> = ledger.pending().collect();
        let stats = match self.fill(&mut ledger, pending, started)? {
            Ended::Complete(stats) => stats,
            Ended::Cancelled => return Err(cancelled(ledger)),
        };
        let elapsed = started.elapsed();
        let double_check = self.count_twice(&ledger, Shard::WHOLE, 1)?;
        let Team {
            kernel,
            threads,
            cancel,
            ..
        } = self.team;
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
    pub fn run_shard(mut self, shard: Shard) -> Result<ShardCount, CountError> {
        let started = Instant::now();
        let mut ledger = Ledger::new(&self.team.plan);
        let pending = self.team.plan.shard(shard).collect();
        let stats = match self.fill(&mut ledger, pending, started)? {
            Ended::Complete(stats) => stats,
            Ended::Cancelled => return Err(cancelled(ledger)),
        };
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

    /// Enters the subproblems `pending` in the ledger, or as many as there is time for until cancelled.
    fn fill(
        &mut self,
        ledger: &mut Ledger,
        pending: Vec<usize>,
        started: Instant,
    ) -> Result<Ended, CountError> {
        // Estimated work, done and in all.
        let weights = self.team.plan.weights();
        let entered = (0..ledger.len()).filter(|&index| ledger.get(index).is_some());
        // Not `sum`: that of nothing is minus zero.
        let before = entered.fold(0.0, |sum, index| sum + weights[index]);
        let all = before + pending.iter().map(|&index| weights[index]).sum::<f64>();
        let (mut done, mut left) = (before, pending.len());
        let resumed_solutions = ledger.sum();
        let watch = &mut self.on_progress;
        self.team.count(pending, self.with_stats, |arrived| {
            for (index, tally) in arrived {
                ledger.enter(index, tally)?;
                done += weights[index];
                left -= 1;
            }
            watch(&Progress {
                ledger,
                // It reaches 1 exactly when nothing is left.
                fraction: if left == 0 {
                    1.0
                } else {
                    (done / all).min(1.0)
                },
                resumed: if all > 0.0 { before / all } else { 0.0 },
                found: ledger.sum() - resumed_solutions,
                double_checked: None,
                elapsed: started.elapsed(),
            });
            Ok(())
        })
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
            let ended = team.count(indices.to_vec(), false, |arrived| {
                counts.extend(arrived.map(|(index, tally)| (index, tally.count)));
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
            match ended {
                Ended::Complete(_) => Ok(counts),
                Ended::Cancelled => Err(cancelled(ledger.clone())),
            }
        };
        let kernel = team.kernel;
        let second = second_kernel(team.plan.engine(), kernel);
        compare(ledger, &sample, [kernel, second], &mut recount).map(Some)
    }
}

fn cancelled(ledger: Ledger) -> CountError {
    let ledger = Box::new(ledger);
    CountError::Cancelled { ledger }
}

/// Checks the total of a plan against what is published or else, where the board allows it, against the solutions that
/// turns leave unchanged, which are counted for it on `threads` threads; when cancelled, it leaves them out.
///
/// # Errors
///
/// [`CountError::Mismatch`] or [`CountError::Contradiction`] if the total is found to be wrong, [`CountError::Pool`] if
/// the threads could not be started.
fn check_total(
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
