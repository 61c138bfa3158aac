//! What a count will take and about what it will come to, from a random sample of its subproblems.
//!
//! A **draw** takes a subproblem at random, in proportion to its weight and independently of the draws before, and counts
//! some of its parts, chosen at random. What the draw tells of all subproblems together is (parts in all / parts counted) x
//! (what these came to) x (weight of all / weight of the subproblem): unbiased, whatever the weights are, and the better
//! the more the weights are in proportion to the solutions. The estimate is the mean over the draws, its variance that of
//! the draws, whatever is drawn within them (M. H. Hansen and W. N. Hurwitz, On the Theory of Sampling from Finite
//! Populations, Annals of Mathematical Statistics 14, 1943; W. G. Cochran, Sampling Techniques, 3rd edition, 1977, sections
//! 9A.3 and 11.9). How many parts a draw takes depends on draws before it alone, so that each is unbiased still.
//!
//! *Very many subproblems.* Then an evenly spaced, randomly placed sample of them stands for all, and draws are made from
//! it (two phases: Cochran, chapter 12). It is unbiased too; of 65,536 it adds about 0.3 % to the error, which is left out.
//!
//! *When it ends.* The sequence of draws is fixed by the seed. They are begun one after the other until the time is up, and
//! all that were begun are finished: none is dropped for being long. That the number of draws depends on how long they take
//! still moves the mean, by about (covariance of a draw's time and value) / (mean time x draws), some tenths of a per cent
//! of the value for thirty draws: far less than the interval's width, which falls with the root of their number only.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use crossbeam_channel::{RecvTimeoutError, bounded};
use rayon::ThreadPool;

use super::error::CountError;
use super::ledger::Ledger;
use super::pool::{Team, WATCH_EVERY, lock};
use super::run::Run;
use super::verify::published;
use crate::board::Board;
use crate::engine::algorithm::{Solve, Subproblems, Work};
use crate::engine::{CancelToken, Engine, Kernel, Symmetry};
use crate::machine::Threads;

/// How much to sample, and which.
#[derive(Debug, Clone, Copy)]
pub struct Sampling {
    /// When there is enough.
    pub until: Until,
    /// Where the random numbers begin.
    pub seed: u64,
}

/// When a sample is large enough.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Until {
    /// Draws are begun for so long, but 5 at least and 65,536 at most.
    Time(Duration),
    /// So many draws of all parts of a subproblem: what is drawn depends on the seed alone.
    Draws(usize),
}

/// A figure that is an estimate, and the interval that holds the true one 95 times in 100 (Student's t).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The estimate.
    pub value: f64,
    /// Where the interval begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
}

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
    /// Number of draws.
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

/// Draws that are made whatever the time: fewer tell nothing of their spread.
const LEAST_DRAWS: usize = 5;
/// As many leave an error below half a per cent in most plans.
const MOST_DRAWS: usize = 1 << 16;
/// Each draw may take this part of the time: parts are counted until it does.
const DRAWS_AIMED_AT: f64 = 100.0;
/// Subproblems that stand for all where these are more.
const MOST_WEIGHED: usize = 1 << 16;

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
        let (ended, end) = bounded::<()>(0);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let started = Instant::now();
                while started.elapsed() < limit && !asked.is_cancelled() {
                    if end.recv_timeout(WATCH_EVERY) != Err(RecvTimeoutError::Timeout) {
                        return;
                    }
                }
                cancel.cancel();
            });
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
    let pool = team.pool()?;
    let solver = team.ready(&pool, false);
    let made_ready = started.elapsed().as_secs_f64();
    let frame = Frame::new(plan.subproblems(), sampling.seed);
    let sampler = Sampler::new(&frame, *sampling, pool.current_num_threads());
    if !plan.is_empty() {
        sample(&sampler, &*solver, &pool, &team.cancel).ok_or_else(|| {
            let ledger = Box::new(Ledger::new(plan));
            CountError::Cancelled { ledger }
        })?;
    }
    let draws = sampler.into_draws();
    let of = |value: fn(&Draw) -> f64| {
        let values: Vec<f64> = draws.iter().map(value).collect();
        interval(&values)
    };
    let thread_seconds = of(|draw| draw.seconds);
    let wall = |seconds: f64| made_ready + seconds / pool.current_num_threads() as f64;
    let seconds = Interval {
        value: wall(thread_seconds.value),
        low: wall(thread_seconds.low),
        high: wall(thread_seconds.high),
    };
    Ok(Estimate {
        board: plan.board().clone(),
        solutions: of(|draw| draw.solutions),
        published: published(plan.board()),
        thread_seconds,
        seconds,
        memory: plan.memory(team.threads.count()),
        subproblems: plan.len(),
        longest: draws.iter().fold(0.0, |most, draw| draw.own.max(most)),
        draws: draws.len(),
        seed: sampling.seed,
        engine: plan.engine(),
        kernel: team.kernel,
        symmetry: plan.symmetry(),
        threads: team.threads.clone(),
        elapsed: started.elapsed(),
    })
}

/// The subproblems that draws are made from.
struct Frame {
    /// Their places in the plan.
    places: Vec<usize>,
    /// The weight of each and all before it.
    sums: Vec<f64>,
    /// How many subproblems of the plan each stands for.
    scale: f64,
}

impl Frame {
    /// All subproblems, or evenly spaced ones from a random one on.
    fn new(all: &dyn Subproblems, seed: u64) -> Self {
        let len = all.len();
        let size = len.min(MOST_WEIGHED);
        let scale = len as f64 / size.max(1) as f64;
        let start = fastrand::Rng::with_seed(seed).f64();
        let place = |i: usize| (((i as f64 + start) * scale) as usize).min(len - 1);
        let places: Vec<_> = (0..size).map(place).collect();
        let mut sum = 0.0;
        let weights = places.iter().map(|&place| {
            sum += all.weight(place);
            sum
        });
        Self {
            sums: weights.collect(),
            places,
            scale,
        }
    }

    /// A place drawn in proportion to its weight, and by how much what is found there is multiplied to stand for all.
    fn draw(&self, random: &mut fastrand::Rng) -> (usize, f64) {
        let all = self.sums.last().copied().unwrap_or_default();
        let at = random.f64() * all;
        let i = self.sums.partition_point(|&sum| sum <= at);
        let i = i.min(self.sums.len() - 1);
        let before = if i == 0 { 0.0 } else { self.sums[i - 1] };
        (self.places[i], self.scale * all / (self.sums[i] - before))
    }
}

/// What a draw tells of all subproblems together.
#[derive(Debug, Clone, Copy)]
struct Draw {
    solutions: f64,
    /// Of one thread.
    seconds: f64,
    /// Seconds that the subproblem itself would take.
    own: f64,
}

/// Hands out draws, one after the other, and takes in what they tell.
struct Sampler<'a> {
    frame: &'a Frame,
    sampling: Sampling,
    started: Instant,
    /// Seconds that a draw should take at least, where the subproblem has parts enough.
    aim: f64,
    state: Mutex<State>,
}

struct State {
    random: fastrand::Rng,
    begun: usize,
    draws: Vec<Draw>,
    /// Seconds of all preparations, and of all parts; their numbers.
    prepared: (f64, usize),
    counted: (f64, usize),
}

impl<'a> Sampler<'a> {
    fn new(frame: &'a Frame, sampling: Sampling, threads: usize) -> Self {
        Self {
            frame,
            sampling,
            started: Instant::now(),
            aim: match sampling.until {
                Until::Time(time) => time.as_secs_f64() * threads as f64 / DRAWS_AIMED_AT,
                Until::Draws(_) => f64::INFINITY,
            },
            state: Mutex::new(State {
                random: fastrand::Rng::with_seed(sampling.seed),
                begun: 0,
                draws: Vec::new(),
                prepared: (0.0, 0),
                counted: (0.0, 0),
            }),
        }
    }

    /// The next draw: a place, what it is multiplied by, and the parts to count of it.
    fn begin(&self, solver: &dyn Solve) -> Option<(usize, f64, Vec<usize>)> {
        let mut state = lock(&self.state);
        let is_enough = match self.sampling.until {
            Until::Time(time) => {
                let is_late = self.started.elapsed() >= time;
                is_late && state.begun >= LEAST_DRAWS || state.begun >= MOST_DRAWS
            }
            Until::Draws(draws) => state.begun >= draws,
        };
        if is_enough {
            return None;
        }
        state.begun += 1;
        let (place, factor) = self.frame.draw(&mut state.random);
        let parts = solver.parts(place);
        let number = self.parts_wanted(&state).clamp(1, parts);
        // Of their own, so that the places drawn depend on the seed alone.
        let parts = state.random.fork().choose_multiple(0..parts, number);
        Some((place, factor, parts))
    }

    /// As many parts as take as long as preparing them, and as long as a draw should take; one as long as nothing is known.
    fn parts_wanted(&self, state: &State) -> usize {
        let average = |(sum, number): (f64, usize)| sum / number as f64;
        if self.aim.is_infinite() {
            return usize::MAX;
        }
        if state.counted.1 == 0 {
            return 1;
        }
        let time = average(state.prepared).max(self.aim);
        (time / average(state.counted)).ceil() as usize
    }

    /// Makes draws on this thread until there are enough, or `None` if cancelled.
    fn work(&self, solver: &dyn Solve, cancel: &CancelToken) -> Option<()> {
        let mut worker = solver.worker();
        while let Some((place, factor, parts)) = self.begin(solver) {
            let measured = measure(&mut *worker, place, &parts, cancel)?;
            let share = solver.parts(place) as f64 / parts.len() as f64;
            let own = measured.prepared + share * measured.counted;
            let mut state = lock(&self.state);
            state.prepared.0 += measured.prepared;
            state.prepared.1 += 1;
            state.counted.0 += measured.counted;
            state.counted.1 += parts.len();
            state.draws.push(Draw {
                solutions: factor * share * measured.solutions,
                seconds: factor * own,
                own,
            });
        }
        Some(())
    }

    fn into_draws(self) -> Vec<Draw> {
        let state = self.state.into_inner();
        state.expect("a panic would have ended the sample").draws
    }
}

/// What some parts of a subproblem came to, and the seconds for what they share and for themselves.
struct Measured {
    solutions: f64,
    prepared: f64,
    counted: f64,
}

fn measure(
    worker: &mut dyn Work,
    place: usize,
    parts: &[usize],
    cancel: &CancelToken,
) -> Option<Measured> {
    let started = Instant::now();
    worker.prepare(place, cancel);
    let prepared = started.elapsed().as_secs_f64();
    let mut solutions = 0.0;
    for &part in parts {
        solutions += worker.count(place, part, cancel)?.count as f64;
    }
    Some(Measured {
        solutions,
        prepared,
        counted: started.elapsed().as_secs_f64() - prepared,
    })
}

/// Makes draws on all threads of a pool, or `None` if cancelled.
fn sample(
    sampler: &Sampler<'_>,
    solver: &dyn Solve,
    pool: &ThreadPool,
    cancel: &CancelToken,
) -> Option<()> {
    let ended = pool.broadcast(|_| sampler.work(solver, cancel));
    ended.into_iter().collect()
}

/// The mean of independent values and its 95 % interval; zero where there are none, which is what nothing adds up to.
fn interval(values: &[f64]) -> Interval {
    let number = values.len() as f64;
    // Not `sum`: that of nothing is minus zero.
    let value = values.iter().fold(0.0, |sum, x| sum + x) / number.max(1.0);
    let squares: f64 = values.iter().map(|x| (x - value).powi(2)).sum();
    let half = match values.len() {
        0 => 0.0,
        1 => f64::INFINITY,
        _ => student(number - 1.0) * (squares / (number - 1.0) / number).sqrt(),
    };
    Interval {
        value,
        low: (value - half).max(0.0),
        high: value + half,
    }
}

/// The 97.5 % point of Student's t distribution, to four digits from 4 degrees of freedom on: the expansion 26.7.5 in M.
/// Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, 1964.
fn student(freedom: f64) -> f64 {
    const Z: f64 = 1.959_963_985;
    let power = |exponent| Z.powi(exponent);
    let terms = [
        Z,
        (power(3) + Z) / 4.0,
        (5.0 * power(5) + 16.0 * power(3) + 3.0 * Z) / 96.0,
        (3.0 * power(7) + 19.0 * power(5) + 17.0 * power(3) - 15.0 * Z) / 384.0,
        (79.0 * power(9) + 776.0 * power(7) + 1482.0 * power(5) - 1920.0 * power(3) - 945.0 * Z)
            / 92_160.0,
    ];
    let rest = terms.iter().rev();
    rest.fold(0.0, |sum, term| sum / freedom + term)
}

#[cfg(test)]
mod tests;
