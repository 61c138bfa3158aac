//! What a count will take and about what it will come to, from a random sample of its subproblems.
//!
//! A **draw** takes a subproblem at random, in proportion to its weight and independently of the draws before, and counts it.
//! What it tells of all subproblems together is (its count) x (weight of all / its weight): unbiased, whatever the weights are,
//! and the better the more the weights are in proportion to the counts. The estimate is the mean over the draws (M. H. Hansen
//! and W. N. Hurwitz, On the Theory of Sampling from Finite Populations, Annals of Mathematical Statistics 14, 1943; W. G.
//! Cochran, Sampling Techniques, 3rd edition, 1977, chapters 9A and 11).
//!
//! *Very many subproblems.* Then an evenly spaced, randomly placed sample of them stands for all, and draws are made from
//! it (two phases: Cochran, chapter 12). It is unbiased too; of 65,536 it adds about 0.3 % to the error, which is left out.
//!
//! *Subproblems that take long.* Where the engine can cut a subproblem into
//! [samples](crate::engine::Solver::samples), one of which takes far less time than a subproblem, the solutions are estimated
//! from draws of one sample each. Draws of whole subproblems come first, in half of the time, and tell the time that a solution
//! takes: this varies little from subproblem to subproblem (a ratio estimate: Cochran, chapter 6), so those that are not done
//! when the time is up may be left out; times the solutions it is the time of the count.
//!
//! *When it ends.* The sequence of draws is fixed by the seed. They are begun one after the other until the time is up, and
//! all that were begun are finished: none of those that the solutions are estimated from is dropped for being long. That the
//! number of draws depends on how long they take still moves the mean, by about (covariance of a draw's time and value) / (mean
//! time x draws), some tenths of a per cent of the value for thirty draws: far less than the interval's width, which falls with
//! the root of their number only.

use std::time::{Duration, Instant};

use crossbeam_channel::unbounded;

use super::check::published;
use super::error::CountError;
use super::ledger::Ledger;
use super::plan::Plan;
use super::pool::{watched, work_on};
use super::run::{Progress, Run};
use crate::engine::{CancelOnDrop, CancelToken, Cut, Kernel, Stopped, Worker};
use crate::machine::clock::thread_seconds;
use crate::machine::{Threads, most_at_a_time};

/// How much to sample, and which.
#[derive(Debug, Clone, Copy)]
pub struct Sampling {
    /// Draws are begun for so long, but 8 at least and 65,536 at most.
    pub time: Duration,
    /// What has not been drawn by then is given up.
    pub limit: Duration,
    /// So many draws are enough.
    pub enough: usize,
    /// Where the random numbers begin.
    pub seed: u64,
}

impl Sampling {
    /// Samples for about so long: half as long again at most, or 5 seconds more.
    #[must_use]
    pub fn for_time(time: Duration, seed: u64) -> Self {
        Self {
            time,
            limit: time.mul_f64(1.5).max(time + Duration::from_secs(5)),
            enough: MOST_DRAWS,
            seed,
        }
    }

    /// Makes so many draws, however long it takes: what is drawn depends on the seed alone.
    #[must_use]
    pub fn of_draws(enough: usize, seed: u64) -> Self {
        Self {
            time: Duration::MAX,
            limit: Duration::MAX,
            enough,
            seed,
        }
    }
}

/// Draws that are made whatever the time: fewer tell too little of their spread.
const LEAST_DRAWS: usize = 8;
/// As few tell how long a solution takes, and half as many where time runs short, with a wide interval.
const LEAST_TIMED: usize = 4;
/// From as many on 95 of 100 intervals hold the truth, and misses are balanced, for either engine (docs/VERIFICATION.md). What a
/// small sample says of its own spread is no guide: one that lacks the few large values, and so misses the truth, looks harmless.
const GOOD_DRAWS: usize = 32;
/// As many leave an error below half a per cent in most plans.
const MOST_DRAWS: usize = 1 << 16;
/// Subproblems that stand for all where these are more.
const MOST_WEIGHED: usize = 1 << 16;

/// What a sample tells of a count.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Estimate {
    /// What would be counted.
    pub plan: Plan,
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
    /// The longest subproblem drawn, in seconds of one thread.
    pub longest: f64,
    /// Number of draws, of samples and of subproblems.
    pub draws: usize,
    /// Whether the draws are so few that intervals may hold the true value less often than 95 times in 100, or miss it on one side.
    pub is_rough: bool,
    /// Where the random numbers began.
    pub seed: u64,
    /// The kernel.
    pub kernel: Kernel,
    /// The threads.
    pub threads: Threads,
    /// How long the sample took.
    pub elapsed: Duration,
}

impl Estimate {
    /// The number of shards of which each takes one thread about so long; at least 1, at most as many as there are
    /// subproblems.
    #[must_use]
    pub fn shards(&self, time: Duration) -> usize {
        let shards = (self.thread_seconds.value / time.as_secs_f64()).ceil();
        (shards as usize).clamp(1, self.plan.len().max(1))
    }

    /// Core hours: a thread is taken to have a core.
    #[must_use]
    pub fn core_hours(&self) -> f64 {
        self.thread_seconds.value / 3600.0
    }
}

impl Run<'_> {
    /// Estimates, from a random sample, what the count will take and how many solutions there are. A ledger to resume from
    /// has no effect. Where it is cancelled, what was drawn until then is the sample, if it is large enough.
    ///
    /// ```
    /// use queens::{Counter, Sampling};
    ///
    /// let estimate = Counter::new(12)?.prepare()?.estimate(&Sampling::of_draws(100, 1))?;
    /// assert_eq!(estimate.draws, 100);
    /// assert!((10_000.0..20_000.0).contains(&estimate.solutions.value)); // 14,200
    /// # Ok::<(), queens::CountError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CountError`]: cancelled too early, too few draws in the time, or what the machine cannot do.
    pub fn estimate(&mut self, sampling: &Sampling) -> Result<Estimate, CountError> {
        let started = Instant::now();
        let made = self.draws(sampling, started)?;
        let (plan, options) = (&self.plan, &self.options);
        let (sampled, timed): (Vec<Made>, Vec<Made>) = made.iter().partition(|made| made.is_sample);
        let counted = if sampled.is_empty() { &timed } else { &sampled };
        let counts: Vec<_> = counted.iter().map(|made| made.solutions).collect();
        let solutions = Interval::of_mean(&counts);
        let thread_seconds = if sampled.is_empty() {
            let seconds: Vec<_> = timed.iter().map(|made| made.seconds).collect();
            Interval::of_mean(&seconds)
        } else {
            let pairs = timed.iter().map(|made| (made.seconds, made.solutions));
            solutions.times(Interval::of_ratio(&pairs.collect::<Vec<_>>()))
        };
        // Threads that wait for a core, since there are fewer or others use them, take longer than they run.
        let ran: f64 = timed.iter().map(|made| made.ran).sum();
        let took: f64 = timed.iter().map(|made| made.took).sum();
        let slowdown = if ran > 0.0 {
            (took / ran).max(1.0)
        } else {
            1.0
        };
        let begun = made.iter().map(|made| made.begun).min();
        let made_ready = begun.map_or(0.0, |begun| (begun - started).as_secs_f64());
        let at_a_time = options.threads.count().min(most_at_a_time()) as f64;
        let wall = |seconds: f64| made_ready + slowdown * seconds / at_a_time;
        Ok(Estimate {
            solutions,
            plan: plan.clone(),
            published: published(plan.board()),
            thread_seconds,
            seconds: Interval {
                value: wall(thread_seconds.value),
                low: wall(thread_seconds.low),
                high: wall(thread_seconds.high),
            },
            memory: options.memory,
            longest: timed.iter().fold(0.0, |most, made| made.ran.max(most)),
            draws: made.len(),
            is_rough: (1..GOOD_DRAWS).contains(&counts.len()),
            seed: sampling.seed,
            kernel: options.kernel,
            threads: options.threads.clone(),
            elapsed: started.elapsed(),
        })
    }

    /// Makes draws on all threads until there are enough, and tells how far that is.
    fn draws(&mut self, sampling: &Sampling, started: Instant) -> Result<Vec<Made>, CountError> {
        let (plan, options, watch) = (&self.plan, &self.options, &mut self.watch);
        let nothing = Ledger::new(plan);
        // `late` ends the draws that are timed, `stop` all.
        let (stop, late) = (CancelToken::new(), CancelToken::new());
        let _late = CancelOnDrop(&late);
        let (results, arrived) = unbounded();
        let work = {
            let (cut, options, sampling) = (plan.cut().clone(), options.clone(), *sampling);
            let (stop, late) = (stop.clone(), late.clone());
            move || {
                let solver = cut.solver(&options);
                let frame = Frame::new(&cut, sampling.seed);
                let make = |samples, until, least, seed, cancel: &CancelToken| {
                    let (mut random, mut begun) = (fastrand::Rng::with_seed(seed), 0);
                    let draws = std::iter::from_fn(|| {
                        let is_late = started.elapsed() >= until && begun >= least;
                        let is_enough = is_late || begun >= sampling.enough || cut.len() == 0;
                        begun += 1;
                        (!is_enough).then(|| frame.draw(&cut, samples, &mut random))
                    });
                    work_on(options.threads.count(), &solver, draws, |worker, draw| {
                        // Nobody receives it once the estimate is cancelled.
                        let _ = results.send(draw.make(worker, cancel)?);
                        Ok(())
                    })
                };
                let (time, seed, samples) = (sampling.time, sampling.seed, solver.samples());
                if samples > 1 {
                    match make(1, time / 2, LEAST_TIMED, seed.wrapping_add(1), &late) {
                        Err(CountError::Cancelled) if !stop.is_cancelled() => {}
                        other => other?,
                    }
                }
                make(samples, time, LEAST_DRAWS, seed, &stop)
            }
        };
        let mut made: Vec<Made> = Vec::new();
        let outcome = watched(&stop, work, || {
            made.extend(arrived.try_iter());
            let elapsed = started.elapsed();
            let is_over = elapsed >= sampling.limit || options.cancel.is_cancelled();
            let runs_short = elapsed >= sampling.time.saturating_add(sampling.limit) / 2;
            let enough = if runs_short {
                LEAST_TIMED / 2
            } else {
                LEAST_TIMED
            };
            if is_over || elapsed >= sampling.time && made.len() >= enough {
                late.cancel();
            }
            if is_over {
                stop.cancel();
            }
            let drawn = made.len() as f64 / sampling.enough.max(1) as f64;
            let sampled = elapsed.as_secs_f64() / sampling.time.as_secs_f64();
            let fraction = sampled.max(drawn).min(1.0);
            watch(&Progress {
                fraction,
                left: Some(elapsed.mul_f64((1.0 - fraction) / fraction.max(1e-6))),
                draws: Some(made.len()),
                ..Progress::at(&nothing, elapsed)
            });
        });
        match outcome {
            Ok(()) => Ok(made),
            Err(CountError::Cancelled) if !options.cancel.is_cancelled() => {
                let (draws, limit) = (made.len(), sampling.limit);
                Err(CountError::Unsampled { draws, limit })
            }
            Err(error) => {
                // A few samples tell less than the subproblems that came before them.
                if made.iter().filter(|made| made.is_sample).count() < LEAST_DRAWS {
                    made.retain(|made| !made.is_sample);
                }
                let is_enough = matches!(error, CountError::Cancelled) && made.len() >= LEAST_DRAWS;
                if is_enough { Ok(made) } else { Err(error) }
            }
        }
    }
}

/// What a draw tells of all subproblems together.
#[derive(Debug, Clone, Copy)]
struct Made {
    /// Whether it was a sample, and not a whole subproblem.
    is_sample: bool,
    begun: Instant,
    solutions: f64,
    /// Of one thread that has a core.
    seconds: f64,
    /// Seconds for which the draw itself had a core, and those that it took.
    ran: f64,
    took: f64,
}

/// What to count.
#[derive(Debug, Clone, Copy)]
struct Draw {
    /// Index of the subproblem.
    index: usize,
    /// The sample of the subproblem that is counted instead of the whole.
    sample: Option<usize>,
    /// What is found is multiplied by so much to stand for all.
    factor: f64,
}

impl Draw {
    /// Counts it.
    fn make(self, worker: &mut Worker<'_>, cancel: &CancelToken) -> Result<Made, Stopped> {
        let (begun, started) = (Instant::now(), thread_seconds());
        let count = worker.count_some(self.index, self.sample, cancel)?;
        let ran = thread_seconds() - started;
        Ok(Made {
            is_sample: self.sample.is_some(),
            begun,
            solutions: self.factor * count as f64,
            seconds: self.factor * ran,
            ran,
            took: begun.elapsed().as_secs_f64(),
        })
    }
}

/// The subproblems that draws are made from.
struct Frame {
    /// Their indices.
    indices: Vec<usize>,
    /// The weight of each and all before it.
    sums: Vec<f64>,
    /// Number of subproblems of the plan that each stands for.
    scale: f64,
}

impl Frame {
    /// All subproblems, or evenly spaced ones from a random one on.
    fn new(cut: &Cut, seed: u64) -> Self {
        let len = cut.len();
        let size = len.min(MOST_WEIGHED);
        let scale = len as f64 / size.max(1) as f64;
        let start = fastrand::Rng::with_seed(seed).f64();
        let index = |i: usize| (((i as f64 + start) * scale) as usize).min(len - 1);
        let indices: Vec<_> = (0..size).map(index).collect();
        let mut sum = 0.0;
        let sums = indices.iter().map(|&index| {
            sum += cut.weight(index);
            sum
        });
        Self {
            sums: sums.collect(),
            indices,
            scale,
        }
    }

    /// A subproblem drawn in proportion to its weight or, where a subproblem has so many `samples`, one of these.
    fn draw(&self, cut: &Cut, samples: usize, random: &mut fastrand::Rng) -> Draw {
        let all = self.sums.last().copied().unwrap_or_default();
        let at = random.f64() * all;
        let i = self.sums.partition_point(|&sum| sum <= at);
        let index = self.indices[i.min(self.sums.len() - 1)];
        Draw {
            index,
            sample: (samples > 1).then(|| random.usize(..samples)),
            factor: self.scale * all / cut.weight(index) * samples as f64,
        }
    }
}

/// A figure that is an estimate, and its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The estimate.
    pub value: f64,
    /// Where the interval begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
}

impl Interval {
    /// The mean of independent values, none of them negative; zero where there are none, which is what nothing adds up to.
    ///
    /// Student's interval of skewed values misses the truth on one side: a few large ones, if they are not drawn, leave mean and
    /// spread too small. So the studentised mean is transformed to be free of skewness (P. Hall, On the Removal of Skewness by
    /// Transformation, Journal of the Royal Statistical Society B 54, 1992: the second of his transformations, inverted).
    fn of_mean(values: &[f64]) -> Self {
        let number = values.len() as f64;
        let value = average(values);
        let [below, above] = match values.len() {
            0 => [0.0; 2],
            1 => [f64::INFINITY; 2],
            _ => {
                let (root, skewness) = (number.sqrt(), skewness(values));
                let transformed = |t: f64| {
                    let cube = 1.0 + skewness * (t / root - skewness / (6.0 * number));
                    match skewness.abs() {
                        ..1e-6 => t,
                        _ => root * 3.0 / skewness * (cube.cbrt() - 1.0),
                    }
                };
                let (t, error) = (student(number - 1.0), spread(values) / root);
                [transformed(t), -transformed(-t)].map(|reach| error * reach.max(0.0))
            }
        };
        Self {
            value,
            low: (value - below).max(0.0),
            high: value + above,
        }
    }

    /// The ratio of what the first of two values, drawn together, adds up to, to what the second does; neither is negative, and
    /// some second one is not zero.
    fn of_ratio(pairs: &[(f64, f64)]) -> Self {
        let firsts: f64 = pairs.iter().map(|(first, _)| first).sum();
        let seconds: f64 = pairs.iter().map(|(_, second)| second).sum();
        let (ratio, each) = (firsts / seconds, seconds / pairs.len() as f64);
        // What is left of the firsts is nothing on average.
        let left = pairs
            .iter()
            .map(|(first, second)| (first - ratio * second) / each);
        Self::of_mean(&left.map(|left| ratio + left).collect::<Vec<_>>())
    }

    /// The product of two independent estimates: relative errors add up in squares.
    fn times(self, other: Self) -> Self {
        let value = self.value * other.value;
        let off = |one: f64, two: f64| {
            ((one - self.value) * other.value).hypot((two - other.value) * self.value)
        };
        Self {
            value,
            low: (value - off(self.low, other.low)).max(0.0),
            high: value + off(self.high, other.high),
        }
    }
}

fn average(values: &[f64]) -> f64 {
    // Not `sum`: that of nothing is minus zero.
    values.iter().fold(0.0, |sum, x| sum + x) / values.len().max(1) as f64
}

/// The sum of such powers of what values differ by from their average.
fn powers(values: &[f64], exponent: i32) -> f64 {
    let average = average(values);
    values.iter().map(|x| (x - average).powi(exponent)).sum()
}

/// The standard deviation, estimated from these values.
fn spread(values: &[f64]) -> f64 {
    (powers(values, 2) / (values.len() as f64 - 1.0)).sqrt()
}

/// The adjusted coefficient of Fisher and Pearson; 0 where there are too few values to tell.
fn skewness(values: &[f64]) -> f64 {
    let number = values.len() as f64;
    let cubes = (number - 1.0) * (number - 2.0) * spread(values).powi(3);
    let skewness = number * powers(values, 3) / cubes;
    if skewness.is_finite() { skewness } else { 0.0 }
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
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::count::Counter;
    use crate::engine::Engine;
    use crate::known::known;

    /// The errors of a product add up in squares, and what is in proportion has a ratio without error.
    #[test]
    fn products_and_ratios() {
        let around = |value, half| Interval {
            value,
            low: value - half,
            high: value + half,
        };
        let product = around(10.0, 0.3).times(around(5.0, 0.2));
        assert!((product.value - 50.0).abs() < 1e-9);
        assert!((product.low - 47.5).abs() < 1e-9, "{product:?}");
        assert!((product.high - 52.5).abs() < 1e-9, "{product:?}");
        let in_proportion = [(3.0, 1.0), (21.0, 7.0), (6.0, 2.0)];
        assert_eq!(Interval::of_ratio(&in_proportion), around(3.0, 0.0));
        // By hand: what is left of the firsts is -2 to 2, with a variance of 2.5; Student's t is 2.776.
        let found = Interval::of_ratio(&[2.0, 3.0, 4.0, 5.0, 6.0].map(|first| (first, 2.0)));
        let half = 2.776 * (2.5_f64 / 5.0).sqrt() / 2.0;
        assert_eq!(found.value, 2.0);
        assert!((found.high - 2.0 - half).abs() < 1e-3, "{found:?}");
        assert!((2.0 - half - found.low).abs() < 1e-3, "{found:?}");
    }

    #[rstest::rstest]
    #[case(4.0, 2.776)]
    #[case(7.0, 2.365)]
    #[case(10.0, 2.228)]
    #[case(29.0, 2.045)]
    #[case(1e6, 1.960)]
    fn students_t_is_as_tabulated(#[case] freedom: f64, #[case] t: f64) {
        assert!((student(freedom) - t).abs() < 6e-4);
    }

    /// Of exponential values, whose skewness is 2, as many intervals lie below the truth as above it, and 95 in 100 hold it.
    #[test]
    fn intervals_of_skewed_values_miss_on_both_sides() {
        let mut random = fastrand::Rng::with_seed(1);
        let (mut low, mut high) = (0, 0);
        for _ in 0..4_000 {
            let values: Vec<_> = (0..40).map(|_| -(1.0 - random.f64()).ln()).collect();
            let interval = Interval::of_mean(&values);
            low += usize::from(interval.high < 1.0);
            high += usize::from(interval.low > 1.0);
        }
        assert!(
            (60..=160).contains(&low) && (60..=160).contains(&high),
            "{low} {high}"
        );
    }

    /// Each subproblem and each sample of it stands for all: the sum over all draws there can be, by their chances, is the truth.
    #[test]
    fn draws_are_unbiased() {
        for (n, samples) in [(12, 1), (26, 1), (26, 16)] {
            let plan = Plan::new(Board::new(n).unwrap(), Engine::Join).unwrap();
            let cut = plan.cut();
            let (value, mut values) = (|index: usize| 1.0 + (index % 7) as f64, Vec::new());
            let truth: f64 = match n {
                12 => (0..cut.len()).map(value).sum(),
                _ => 4.0 * cut.len() as f64, // seven in a row have a mean of 4
            };
            for seed in 0..40 {
                let frame = Frame::new(cut, seed);
                let mut random = fastrand::Rng::with_seed(seed);
                for _ in 0..400 {
                    let draw = frame.draw(cut, samples, &mut random);
                    values.push(match draw.sample {
                        None => draw.factor * value(draw.index),
                        // All of a subproblem is in its first sample.
                        Some(0) => draw.factor * value(draw.index),
                        Some(_) => 0.0,
                    });
                }
            }
            let mean = Interval::of_mean(&values);
            assert!(mean.high - mean.low < 0.2 * truth, "{mean:?} {truth}");
            assert!(mean.low < truth && truth < mean.high, "{mean:?} {truth}");
        }
    }

    /// 200 seeds: the interval holds the true value 90 to 98 times in 100.
    #[test]
    fn intervals_hold_what_they_promise() {
        let mut run = Counter::new(12).unwrap().threads(1).prepare().unwrap();
        let truth = known(12).unwrap().solutions as f64;
        let held = (0..200).filter(|&seed| {
            let estimate = run.estimate(&Sampling::of_draws(30, seed)).unwrap();
            let Interval { low, high, .. } = estimate.solutions;
            low <= truth && truth <= high
        });
        let held = held.count();
        assert!((180..=196).contains(&held), "{held}");
    }

    #[test]
    fn nothing_is_estimated_as_nothing() {
        let mut run = Counter::new(2).unwrap().prepare().unwrap();
        let estimate = run.estimate(&Sampling::of_draws(10, 1)).unwrap();
        assert_eq!((estimate.draws, estimate.solutions.high), (0, 0.0));
        assert_eq!(estimate.shards(Duration::from_secs(1)), 1);
    }

    /// What was drawn until it was cancelled is a sample, if it is large enough.
    #[test]
    fn a_cancelled_estimate_is_of_what_was_drawn() {
        for enough in [0, 20] {
            let cancel = CancelToken::new();
            let run = Counter::new(14).unwrap().prepare().unwrap();
            let run = run.cancel_with(cancel.clone());
            let mut run = run.on_progress(|progress| {
                if progress.draws >= Some(enough) {
                    cancel.cancel();
                }
            });
            match run.estimate(&Sampling::for_time(Duration::from_secs(600), 1)) {
                Ok(estimate) => assert!(estimate.draws >= enough.max(LEAST_DRAWS)),
                Err(error) => assert!(enough == 0 && matches!(error, CountError::Cancelled)),
            }
        }
    }

    /// However little time there is, some draws are made; and none is waited for beyond the limit.
    #[test]
    fn time_is_kept() {
        let mut run = Counter::new(14).unwrap().prepare().unwrap();
        let some = run
            .estimate(&Sampling::for_time(Duration::ZERO, 1))
            .unwrap();
        assert_eq!(some.draws, LEAST_DRAWS);
        let hopeless = Counter::new(26).unwrap().engine(Engine::Bitboard);
        let (started, limit) = (Instant::now(), Duration::from_millis(100));
        let sampling = Sampling {
            limit,
            ..Sampling::for_time(Duration::ZERO, 1)
        };
        let refused = hopeless.prepare().unwrap().estimate(&sampling);
        assert!(matches!(refused, Err(CountError::Unsampled { .. })));
        assert!(started.elapsed() < Duration::from_secs(10));
    }
}
