//! What a count will take and about what it will come to, from a random sample of its subproblems.
//!
//! A **draw** takes a subproblem at random, in proportion to its weight and independently of the draws before, and counts
//! some of its parts, chosen at random. What the draw tells of all subproblems together is (parts in all / parts counted) x
//! (what these came to) x (weight of all / weight of the subproblem): unbiased, whatever the weights are, and the better
//! the more the weights are in proportion to the solutions. The estimate is the mean over the draws, its variance that of
//! the draws, whatever is drawn within them (M. H. Hansen and W. N. Hurwitz, On the Theory of Sampling from Finite
//! Populations, Annals of Mathematical Statistics 14, 1943; W. G. Cochran, Sampling Techniques, 3rd edition, 1977, chapters
//! 9A and 11). How many parts a draw takes depends on draws before it alone, so that each is unbiased still.
//!
//! *Very many subproblems.* Then an evenly spaced, randomly placed sample of them stands for all, and draws are made from
//! it (two phases: Cochran, chapter 12). It is unbiased too; of 65,536 it adds about 0.3 % to the error, which is left out.
//!
//! *Subproblems that take long.* Where the engine can cut a subproblem into
//! [samples](crate::engine::algorithm::Solve::samples), one of which takes far less time than a part, half of the time goes
//! into draws of one sample each, and the solutions are estimated from those alone. The other half goes into draws of parts,
//! for the time that a solution takes: this varies little from subproblem to subproblem (a ratio estimate: Cochran, chapter
//! 6), and times the solutions it is the time of the count.
//!
//! *When it ends.* The sequence of draws is fixed by the seed. They are begun one after the other until the time is up, and
//! all that were begun are finished: none is dropped for being long. That the number of draws depends on how long they take
//! still moves the mean, by about (covariance of a draw's time and value) / (mean time x draws), some tenths of a per cent
//! of the value for thirty draws: far less than the interval's width, which falls with the root of their number only.

mod draws;
mod interval;

use std::time::{Duration, Instant};

use crossbeam_channel::{RecvTimeoutError, unbounded};

use super::error::CountError;
use super::ledger::Ledger;
use super::pool::{Team, WATCH_EVERY};
use super::run::Run;
use super::verify::published;
use crate::board::Board;
use crate::engine::{CancelToken, Engine, Kernel, Symmetry};
use crate::machine::Threads;
use draws::{Draw, Frame, What, sample};
pub use draws::{Sampling, Until};
pub use interval::Interval;
use interval::{interval, ratio};

/// What a sample tells of a count.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Estimate {
    /// The board.
    pub board: Board,
    /// The number of solutions.
    pub solutions: Interval,
    /// What is published, and where, if anything is.
    pub published: Option<(u128, &'static str)>,
    /// Seconds that the threads will take together.
    pub thread_seconds: Interval,
    /// Wall time in seconds, on this machine with these threads.
    pub seconds: Interval,
    /// Bytes of memory, about.
    pub memory: u64,
    /// Number of subproblems of the plan.
    pub subproblems: usize,
    /// The longest subproblem drawn, in seconds of one thread.
    pub longest: f64,
    /// Number of draws, of samples and of parts.
    pub draws: usize,
    /// Where the random numbers began.
    pub seed: u64,
    /// The engine.
    pub engine: Engine,
    /// The kernel.
    pub kernel: Kernel,
    /// The symmetry that engine bitboard uses; `None` for other engines.
    pub symmetry: Option<Symmetry>,
    /// The threads.
    pub threads: Threads,
    /// How long the sample took.
    pub elapsed: Duration,
}

impl Run<'_> {
    /// Estimates, from a random sample, what the count will take and how many solutions there are. A ledger to resume from
    /// has no effect.
    ///
    /// ```
    /// use queens::{Counter, Sampling, Until};
    ///
    /// let sampling = Sampling { until: Until::Draws(100), seed: 1 };
    /// let estimate = Counter::new(12)?.prepare()?.estimate(&sampling)?;
    /// assert_eq!(estimate.draws, 100);
    /// assert!((10_000.0..20_000.0).contains(&estimate.solutions.value)); // 14,200
    /// # Ok::<(), queens::CountError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CountError`]: cancelled, or what the machine cannot do.
    pub fn estimate(&self, sampling: &Sampling) -> Result<Estimate, CountError> {
        estimate(self.team(), sampling)
    }

    /// The same, but given up once it has taken so long.
    ///
    /// # Errors
    ///
    /// Those of [`estimate`](Self::estimate): it is cancelled then.
    pub fn estimate_within(
        &self,
        sampling: &Sampling,
        limit: Duration,
    ) -> Result<Estimate, CountError> {
        let cancel = CancelToken::new();
        let team = Team {
            cancel: cancel.clone(),
            ..self.team().clone()
        };
        let asked = &self.team().cancel;
        let (ended, end) = unbounded::<()>();
        std::thread::scope(|scope| {
            let watch = move || {
                let started = Instant::now();
                while started.elapsed() < limit && !asked.is_cancelled() {
                    if end.recv_timeout(WATCH_EVERY) != Err(RecvTimeoutError::Timeout) {
                        return;
                    }
                }
                cancel.cancel();
            };
            let threads = 1;
            let watching = std::thread::Builder::new().spawn_scoped(scope, watch);
            watching.map_err(|source| CountError::Pool { threads, source })?;
            let estimate = estimate(&team, sampling);
            drop(ended);
            estimate
        })
    }
}

impl Estimate {
    /// The number of shards of which each takes one thread about so long; at least 1, at most as many as there are
    /// subproblems.
    #[must_use]
    pub fn shards(&self, time: Duration) -> usize {
        let shards = (self.thread_seconds.value / time.as_secs_f64()).ceil();
        (shards as usize).clamp(1, self.subproblems.max(1))
    }

    /// Core hours: a thread is taken to have a core.
    #[must_use]
    pub fn core_hours(&self) -> f64 {
        self.thread_seconds.value / 3600.0
    }
}

fn estimate(team: &Team, sampling: &Sampling) -> Result<Estimate, CountError> {
    let started = Instant::now();
    let plan = &team.plan;
    let solver = team.ready(false);
    let made_ready = started.elapsed().as_secs_f64();
    let frame = Frame::new(plan.subproblems(), sampling.seed);
    let draw = |sampling, what| {
        if plan.is_empty() {
            return Ok(Vec::new());
        }
        let draws = sample(&frame, sampling, what, &*solver, team)?;
        draws.ok_or_else(|| {
            let ledger = Box::new(Ledger::new(plan));
            CountError::Cancelled { ledger }
        })
    };
    let solutions = |draw: &Draw| draw.solutions;
    let (draws, samples, solutions, thread_seconds) = match sampling.until {
        Until::Time(time) if solver.samples() > 1 => {
            let (until, seed) = (Until::Time(time / 2), sampling.seed);
            let short = draw(Sampling { until, seed }, What::Sample)?;
            let seed = seed.wrapping_add(1);
            let draws = draw(Sampling { until, seed }, What::Parts)?;
            let each = ratio(draws.iter().map(|draw| (draw.seconds, draw.solutions)));
            let solutions = interval(short.iter().map(solutions));
            (draws, short.len(), solutions, solutions.times(each))
        }
        _ => {
            let draws = draw(*sampling, What::Parts)?;
            let seconds = interval(draws.iter().map(|draw| draw.seconds));
            let solutions = interval(draws.iter().map(solutions));
            (draws, 0, solutions, seconds)
        }
    };
    // Threads that wait for a core, since there are fewer or others use them, take longer than they run.
    let ran: f64 = draws.iter().map(|draw| draw.ran).sum();
    let took: f64 = draws.iter().map(|draw| draw.took).sum();
    let slowdown = if ran > 0.0 {
        (took / ran).max(1.0)
    } else {
        1.0
    };
    let wall = |seconds: f64| made_ready + slowdown * seconds / team.size() as f64;
    let seconds = Interval {
        value: wall(thread_seconds.value),
        low: wall(thread_seconds.low),
        high: wall(thread_seconds.high),
    };
    Ok(Estimate {
        board: plan.board().clone(),
        solutions,
        published: published(plan.board()),
        thread_seconds,
        seconds,
        memory: team.memory,
        subproblems: plan.len(),
        longest: draws.iter().fold(0.0, |most, draw| draw.own.max(most)),
        draws: samples + draws.len(),
        seed: sampling.seed,
        engine: plan.engine(),
        kernel: team.kernel,
        symmetry: plan.symmetry(),
        threads: team.threads.clone(),
        elapsed: started.elapsed(),
    })
}

#[cfg(test)]
mod tests;
