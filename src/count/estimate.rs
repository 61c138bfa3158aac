//! Estimates of the time of a count and of its total, from a random sample of its subproblems.
//!
//! A **draw** picks a subproblem at random with probability proportional to its weight, independently of earlier draws,
//! and counts it. Its count x (total weight / its weight) is an unbiased estimate of the total, whatever the weights
//! are, and its variance is the smaller the closer weights and counts are to being proportional. The estimate is the
//! mean over the draws (M. H. Hansen and W. N. Hurwitz, On the Theory of Sampling from Finite Populations, Annals of
//! Mathematical Statistics 14, 1943; W. G. Cochran, Sampling Techniques, 3rd edition, 1977, chapters 9A and 11).
//!
//! *Plans of more than 65,536 subproblems.* Draws are made from an evenly spaced, randomly placed sample of 65,536
//! (two-phase sampling: Cochran, chapter 12). This is unbiased too; it adds about 0.3 % to the error, which is ignored.
//!
//! *Long subproblems.* Where the engine can cut a subproblem into [samples](crate::engine::Solver::samples), each draw
//! counts some of them for the solutions. For the time it counts one [piece](crate::engine::Worker::piece), which gives
//! the time per solution: this varies little between subproblems (ratio estimate: Cochran, chapter 6). Time per
//! solution x solutions is the time of the count.
//!
//! *Stopping.* The seed fixes the sequence of draws. Draws are begun until the time is up, and all that were begun are
//! completed: none is dropped for being long. The number of draws still depends on how long they take, which shifts the
//! mean by about (covariance of a draw's time and value) / (mean time x draws). This is some tenths of a per cent for
//! thirty draws, far less than the width of the interval.

use std::ops::Range;
use std::time::{Duration, Instant};

use crossbeam_channel::unbounded;

use super::check::published;
use super::error::CountError;
use super::ledger::Ledger;
use super::plan::Plan;
use super::pool::{watched, work_on};
use super::run::{Count, Progress, Run};
use crate::engine::{CancelToken, Cut, Kernel, Options, Stopped, Worker};
use crate::machine::Threads;
use crate::machine::clock::thread_seconds;

/// Size and seed of a sample.
#[derive(Debug, Clone, Copy)]
pub struct Sampling {
    /// A board that can be counted in this time is counted instead.
    pub count_within: Duration,
    /// Draws are begun for this long: 8 at least and 65,536 at most.
    pub time: Duration,
    /// Draws that are not completed by then are cancelled.
    pub limit: Duration,
    /// Maximum number of draws.
    pub enough: usize,
    /// Seed of the random numbers.
    pub seed: u64,
}

impl Sampling {
    /// Samples for about this long; the limit is half as long again, or 5 seconds more if that is later. A board that
    /// can be counted in a second, or in `time` if that is less, is counted.
    #[must_use]
    pub fn for_time(time: Duration, seed: u64) -> Self {
        let more = (time / 2).max(Duration::from_secs(5));
        Self {
            count_within: time.min(Duration::from_secs(1)),
            time,
            limit: time.saturating_add(more),
            enough: MOST_DRAWS,
            seed,
        }
    }

    /// Makes this many draws, however long it takes: the sample depends on the seed alone.
    #[must_use]
    pub fn of_draws(enough: usize, seed: u64) -> Self {
        Self {
            count_within: Duration::ZERO,
            time: Duration::MAX,
            limit: Duration::MAX,
            enough,
            seed,
        }
    }
}

/// Draws that are begun even if the time is up.
const LEAST_DRAWS: usize = 8;
/// Draws that an estimate needs, of those completed when it is cancelled or the limit is reached.
const LEAST_COMPLETED: usize = 3;
/// Values that a confidence interval of their mean needs. From this number on 95 % of the intervals hold the true
/// value, and misses are balanced (docs/VERIFICATION.md). The sample itself cannot tell whether it is large enough: one
/// that lacks the few large values, and so misses the truth, has a small variance.
const LEAST_VALUES: usize = 16;
/// Values that an interval of the time per solution needs, which varies less.
const LEAST_RATIOS: usize = 4;
/// Neighbours that are drawn together where they find each other's data in the cache, as in a count. Taken one by one,
/// the row sets of N = 19 need 9 % more CPU time.
const GROUP: usize = 32;
/// Samples that are counted with each piece: together they take about as long.
const SAMPLES_PER_PIECE: usize = 8;
/// As many leave an error below half a per cent in most plans.
const MOST_DRAWS: usize = 1 << 16;
/// Subproblems to draw from where there are more.
const MOST_WEIGHED: usize = 1 << 16;
/// Standard deviation of the speed of a machine from one minute to the next, which no sample shows.
const DRIFT: f64 = 0.015;

/// Estimated result and cost of a count.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Estimate {
    /// The plan that would be counted.
    pub plan: Plan,
    /// The number of solutions.
    pub solutions: Interval,
    /// The published value and its source, if there is one.
    pub published: Option<(u128, &'static str)>,
    /// CPU time in seconds, all threads together.
    pub thread_seconds: Interval,
    /// Wall time in seconds, on this machine with these threads, if each has a core as far as there are cores.
    pub seconds: Interval,
    /// Bytes of memory, about.
    pub memory: u64,
    /// The longest subproblem drawn, in seconds of one thread.
    pub longest: f64,
    /// Number of draws; none if the board was counted.
    pub draws: usize,
    /// Whether the board was counted instead, since that took less than a second: solutions and time are exact.
    pub is_counted: bool,
    /// Share of a core that each thread had while it sampled, from 0 to 1.
    pub core_share: f64,
    /// Seed of the random numbers.
    pub seed: u64,
    /// The kernel.
    pub kernel: Kernel,
    /// The threads.
    pub threads: Threads,
    /// Wall time of sampling.
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

    /// CPU time in core hours.
    #[must_use]
    pub fn core_hours(&self) -> Interval {
        self.thread_seconds.scaled(1.0 / 3600.0)
    }
}

impl Run<'_> {
    /// Estimates, from a random sample, what the count will take and how many solutions there are. A ledger to resume
    /// from has no effect. If cancelled, the estimate is from the draws completed until then, if there are enough.
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
        if let Some(count) = self.count_within(sampling.count_within)? {
            let seconds = count.elapsed.as_secs_f64();
            let forecast = Forecast {
                solutions: Interval::exact(count.total as f64),
                thread_seconds: Interval::exact(seconds * self.at_a_time()),
                longest: seconds,
                core_share: 1.0,
            };
            return Ok(self.estimated(forecast, None, sampling.seed, started.elapsed()));
        }
        let made = self.draws(sampling)?;
        let forecast = Forecast::of(&made);
        Ok(self.estimated(forecast, Some(made.len()), sampling.seed, started.elapsed()))
    }

    fn estimated(
        &self,
        forecast: Forecast,
        draws: Option<usize>,
        seed: u64,
        elapsed: Duration,
    ) -> Estimate {
        Estimate {
            plan: self.plan.clone(),
            solutions: forecast.solutions,
            published: published(self.plan.board()),
            thread_seconds: forecast.thread_seconds,
            seconds: forecast.thread_seconds.scaled(1.0 / self.at_a_time()),
            memory: self.options.memory,
            longest: forecast.longest,
            draws: draws.unwrap_or(0),
            is_counted: draws.is_none(),
            core_share: forecast.core_share,
            seed,
            kernel: self.options.kernel,
            threads: self.options.threads.clone(),
            elapsed,
        }
    }

    /// Threads that have a core at a time.
    fn at_a_time(&self) -> f64 {
        let threads = self.options.threads.count();
        threads.min(Threads::usable().count()) as f64
    }

    /// Counts the board unless that takes longer than `time`.
    fn count_within(&self, time: Duration) -> Result<Option<Count>, CountError> {
        if time.is_zero() {
            return Ok(None);
        }
        let (outer, cancel) = (&self.options.cancel, CancelToken::new());
        let options = Options {
            cancel: cancel.clone(),
            ..self.options.clone()
        };
        let watch = |progress: &Progress<'_>| {
            // Too few results to tell by then mean that it takes far longer.
            let left = progress.left.unwrap_or(progress.elapsed * 10);
            if progress.fraction < 1.0 && progress.elapsed + left > time || outer.is_cancelled() {
                cancel.cancel();
            }
        };
        let run = Run::new(self.plan.clone(), options, None).on_progress(watch);
        match run.run() {
            Err(CountError::Cancelled) if !outer.is_cancelled() => Ok(None),
            outcome => outcome.map(Some),
        }
    }

    /// Makes draws on all threads until there are enough, and reports progress.
    fn draws(&mut self, sampling: &Sampling) -> Result<Vec<Made>, CountError> {
        let (plan, options, watch) = (&self.plan, &self.options, &mut self.watch);
        let (started, nothing, stop) = (Instant::now(), Ledger::new(plan), CancelToken::new());
        let (results, arrived) = unbounded();
        let work = {
            let (cut, options, stop) = (plan.cut().clone(), options.clone(), stop.clone());
            let (time, enough, seed) = (sampling.time, sampling.enough, sampling.seed);
            move || {
                let built = thread_seconds();
                let solver = cut.solver(&options);
                let group = if solver.build_shared()? { GROUP } else { 1 };
                let building = thread_seconds() - built;
                let frame = Frame::new(&cut, group, seed);
                let (mut random, mut begun) = (fastrand::Rng::with_seed(seed), 0);
                let draws = std::iter::from_fn(|| {
                    let is_late = started.elapsed() >= time && begun >= LEAST_DRAWS;
                    let is_over = is_late || begun >= enough || cut.len() == 0;
                    begun += 1;
                    (!is_over).then(|| Draw::new(&frame, &cut, solver.samples(), &mut random))
                });
                work_on(options.threads.count(), &solver, draws, |worker, draw| {
                    // The receiver is gone once the estimate is cancelled.
                    let made = draw.make(worker, &stop)?;
                    let _ = results.send(Made { building, ..made });
                    Ok(())
                })
            }
        };
        let mut made: Vec<Made> = Vec::new();
        let outcome = watched(&stop, work, || {
            made.extend(arrived.try_iter());
            let elapsed = started.elapsed();
            if elapsed >= sampling.limit || options.cancel.is_cancelled() {
                stop.cancel();
            }
            let drawn = made.len() as f64 / sampling.enough.max(1) as f64;
            let sampled = elapsed.as_secs_f64() / sampling.time.as_secs_f64();
            let fraction = sampled.max(drawn).min(1.0);
            watch(&Progress {
                fraction,
                left: Some(elapsed.mul_f64((1.0 - fraction) / fraction.max(1e-6))),
                samples: Some(made.len()),
                ..Progress::at(&nothing, elapsed)
            });
        });
        match outcome {
            Err(CountError::Cancelled) if made.len() >= LEAST_COMPLETED => Ok(made),
            Err(CountError::Cancelled) if !options.cancel.is_cancelled() => {
                Err(CountError::Unsampled {
                    samples: made.len(),
                })
            }
            Ok(()) if sampling.enough == 0 => Err(CountError::Unsampled { samples: 0 }),
            outcome => outcome.map(|()| made),
        }
    }
}

/// A random piece of work: neighbouring subproblems, or a piece of one with samples of others.
struct Draw {
    /// Indices of the subproblems.
    group: Range<usize>,
    /// Expansion factor: the total is estimated as this times the count.
    factor: f64,
    /// Samples to count: subproblem, sample and expansion factor.
    samples: Vec<(usize, usize, f64)>,
    seed: u64,
}

impl Draw {
    fn new(frame: &Frame, cut: &Cut, samples: usize, random: &mut fastrand::Rng) -> Self {
        let (group, factor) = frame.draw(cut, random);
        let number = if samples > 1 { SAMPLES_PER_PIECE } else { 0 };
        let mut sample = || {
            let (group, factor) = frame.draw(cut, random);
            (
                group.start,
                random.usize(..samples),
                factor * samples as f64,
            )
        };
        Self {
            group,
            factor,
            samples: (0..number).map(|_| sample()).collect(),
            seed: random.u64(..),
        }
    }

    /// Counts it.
    fn make(self, worker: &mut Worker<'_>, cancel: &CancelToken) -> Result<Made, Stopped> {
        let (begun, started) = (Instant::now(), thread_seconds());
        let mut random = fastrand::Rng::with_seed(self.seed);
        let pieces = self
            .group
            .map(|index| worker.piece(index, &mut random, cancel));
        let pieces = pieces.collect::<Result<Vec<_>, _>>()?;
        let samples = self.samples.into_iter().map(|(index, sample, factor)| {
            Ok(factor * worker.try_count(index, Some(sample), cancel)? as f64)
        });
        let samples = samples.collect::<Result<_, _>>()?;
        Ok(Made {
            building: 0.0,
            samples,
            solutions: self.factor * pieces.iter().map(|piece| piece.solutions).sum::<f64>(),
            seconds: self.factor * pieces.iter().map(|piece| piece.seconds).sum::<f64>(),
            longest: pieces.iter().map(|piece| piece.seconds).fold(0.0, f64::max),
            ran: thread_seconds() - started,
            took: begun.elapsed().as_secs_f64(),
        })
    }
}

/// Estimates of the total from one draw.
#[derive(Debug, Clone)]
struct Made {
    /// CPU time of building what all subproblems share.
    building: f64,
    /// From each sample.
    samples: Vec<f64>,
    /// From the subproblem, or a piece of it.
    solutions: f64,
    /// CPU time from the subproblem, or a piece of it.
    seconds: f64,
    /// CPU time of the subproblem.
    longest: f64,
    /// CPU time and wall time of the draw.
    ran: f64,
    took: f64,
}

/// The part of an estimate that depends on the draws alone.
struct Forecast {
    solutions: Interval,
    thread_seconds: Interval,
    longest: f64,
    core_share: f64,
}

impl Forecast {
    fn of(made: &[Made]) -> Self {
        let all = |value: fn(&Made) -> f64| made.iter().map(value).collect::<Vec<_>>();
        let samples: Vec<_> = made
            .iter()
            .flat_map(|made| &made.samples)
            .copied()
            .collect();
        let (pieces, seconds) = (all(|made| made.solutions), all(|made| made.seconds));
        let (solutions, thread_seconds) = if samples.is_empty() {
            (
                Interval::of_mean(&pieces, LEAST_VALUES),
                Interval::of_mean(&seconds, LEAST_VALUES),
            )
        } else {
            let solutions = Interval::of_mean(&samples, LEAST_VALUES);
            (
                solutions,
                solutions.times(Interval::of_ratio(&seconds, &pieces)),
            )
        };
        let drift = (1.96 * DRIFT).exp();
        let drift = Interval {
            value: 1.0,
            bounds: Some([1.0 / drift, drift]),
        };
        let [ran, took]: [f64; 2] =
            [all(|made| made.ran), all(|made| made.took)].map(|all| all.iter().sum());
        Self {
            solutions,
            thread_seconds: thread_seconds
                .plus(made.first().map_or(0.0, |made| made.building))
                .times(drift),
            longest: made.iter().fold(0.0, |most, made| made.longest.max(most)),
            core_share: if took > 0.0 {
                (ran / took).min(1.0)
            } else {
                1.0
            },
        }
    }
}

/// The groups of neighbouring subproblems to draw from.
struct Frame {
    groups: Vec<Range<usize>>,
    /// Cumulative weights.
    sums: Vec<f64>,
    /// Number of groups of the plan that each stands for.
    scale: f64,
}

impl Frame {
    /// All groups of so many subproblems, or evenly spaced ones from a random one on.
    fn new(cut: &Cut, group: usize, seed: u64) -> Self {
        let len = cut.len().div_ceil(group);
        let size = len.min(MOST_WEIGHED);
        let scale = len as f64 / size.max(1) as f64;
        let start = fastrand::Rng::with_seed(seed).f64();
        let groups = (0..size).map(|i| {
            let first = (((i as f64 + start) * scale) as usize).min(len - 1) * group;
            first..cut.len().min(first + group)
        });
        let groups: Vec<_> = groups.collect();
        let mut sum = 0.0;
        let sums = groups.iter().map(|group| {
            sum += weight(cut, group);
            sum
        });
        Self {
            sums: sums.collect(),
            groups,
            scale,
        }
    }

    /// Draws a group with probability proportional to its weight; returns its expansion factor too.
    fn draw(&self, cut: &Cut, random: &mut fastrand::Rng) -> (Range<usize>, f64) {
        let all = self.sums.last().copied().unwrap_or_default();
        let at = random.f64() * all;
        let i = self.sums.partition_point(|&sum| sum <= at);
        let group = &self.groups[i.min(self.groups.len() - 1)];
        (group.clone(), self.scale * all / weight(cut, group))
    }
}

fn weight(cut: &Cut, group: &Range<usize>) -> f64 {
    group.clone().map(|index| cut.weight(index)).sum()
}

/// An estimate of a quantity that is never negative, and its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The estimate.
    pub value: f64,
    /// Ends of the interval; `None` if the sample is too small for one.
    pub bounds: Option<[f64; 2]>,
}

impl Interval {
    /// A known value.
    fn exact(value: f64) -> Self {
        Self {
            value,
            bounds: Some([value; 2]),
        }
    }

    /// The mean of independent values, with an interval if there are at least so many values; zero if there are none.
    ///
    /// Student's interval of skewed values misses the truth on one side: a few large ones, if they are not drawn, leave
    /// mean and variance too small. So the studentised mean is transformed to be free of skewness (P. Hall, On the
    /// Removal of Skewness by Transformation, Journal of the Royal Statistical Society B 54, 1992: the second of his
    /// transformations, inverted). The lower end is not `1 - below` times the mean but `exp(-below - below^2 / 2)`:
    /// equal up to the third power of `below`, and never zero.
    fn of_mean(values: &[f64], least: usize) -> Self {
        if values.is_empty() {
            return Self::exact(0.0);
        }
        let (number, value) = (values.len() as f64, average(values));
        let (root, skewness) = (number.sqrt(), skewness(values));
        let transformed = |t: f64| {
            let cube = 1.0 + skewness * (t / root - skewness / (6.0 * number));
            match skewness.abs() {
                ..1e-6 => t,
                _ => root * 3.0 / skewness * (cube.cbrt() - 1.0),
            }
        };
        let (t, error) = (student(number - 1.0), deviation(values) / root / value);
        let [below, above] = [transformed(t), -transformed(-t)].map(|reach| error * reach.max(0.0));
        let is_enough = values.len() >= least && value > 0.0;
        Self {
            value,
            bounds: is_enough.then(|| {
                let low = (-below - below * below / 2.0).exp();
                [value * low, value * (1.0 + above)]
            }),
        }
    }

    /// The ratio of the sum of `firsts` to that of `seconds`, which were drawn in pairs; the latter is not zero.
    fn of_ratio(firsts: &[f64], seconds: &[f64]) -> Self {
        let (ratio, each) = (average(firsts) / average(seconds), average(seconds));
        // Residuals have a mean of zero.
        let pairs = firsts.iter().zip(seconds);
        let residuals = pairs.map(|(first, second)| ratio + (first - ratio * second) / each);
        Self::of_mean(&residuals.collect::<Vec<_>>(), LEAST_RATIOS)
    }

    /// The product of two independent estimates: squares of relative errors add up, on a logarithmic scale.
    fn times(self, other: Self) -> Self {
        let value = self.value * other.value;
        let ends = self.bounds.zip(other.bounds);
        let end = |i: usize, (one, two): ([f64; 2], [f64; 2])| {
            let errors = [(one[i], self.value), (two[i], other.value)];
            let [one, two] = errors.map(|(end, value)| {
                if end == value {
                    0.0
                } else {
                    (end / value).ln()
                }
            });
            value * one.hypot(two).copysign(i as f64 - 0.5).exp()
        };
        Self {
            value,
            bounds: ends.map(|ends| [end(0, ends), end(1, ends)]),
        }
    }

    fn plus(self, exact: f64) -> Self {
        Self {
            value: self.value + exact,
            bounds: self.bounds.map(|bounds| bounds.map(|end| end + exact)),
        }
    }

    fn scaled(self, factor: f64) -> Self {
        Self {
            value: factor * self.value,
            bounds: self.bounds.map(|bounds| bounds.map(|end| factor * end)),
        }
    }
}

fn average(values: &[f64]) -> f64 {
    // Not `sum`: that of nothing is minus zero.
    values.iter().fold(0.0, |sum, x| sum + x) / values.len().max(1) as f64
}

/// Sum of these powers of the deviations from the average.
fn powers(values: &[f64], exponent: i32) -> f64 {
    let average = average(values);
    values.iter().map(|x| (x - average).powi(exponent)).sum()
}

/// Standard deviation of the population, estimated from a sample.
fn deviation(values: &[f64]) -> f64 {
    (powers(values, 2) / (values.len() as f64 - 1.0)).sqrt()
}

/// Adjusted Fisher-Pearson coefficient; 0 for fewer than three values.
fn skewness(values: &[f64]) -> f64 {
    let number = values.len() as f64;
    let cubes = (number - 1.0) * (number - 2.0) * deviation(values).powi(3);
    let skewness = number * powers(values, 3) / cubes;
    if skewness.is_finite() { skewness } else { 0.0 }
}

/// 97.5 % quantile of Student's t distribution, to three digits from 3 degrees of freedom on: expansion 26.7.5 in
/// M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, 1964.
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

    fn around(value: f64, factor: f64) -> Interval {
        Interval {
            value,
            bounds: Some([value / factor, value * factor]),
        }
    }

    fn assert_near(found: Interval, [value, low, high]: [f64; 3]) {
        let [start, end] = found.bounds.unwrap();
        for (found, expected) in [(found.value, value), (start, low), (end, high)] {
            assert!((found / expected - 1.0).abs() < 2e-3, "{found} {expected}");
        }
    }

    /// Logarithms of factors 2^3 and 2^4 add up to that of 2^5.
    #[test]
    fn errors_of_a_product_add_up_in_squares() {
        let product = around(10.0, 8.0).times(around(5.0, 16.0));
        assert_near(product, [50.0, 50.0 / 32.0, 50.0 * 32.0]);
        let exact = Interval::exact(3.0).times(Interval::exact(0.0));
        assert_eq!(exact, Interval::exact(0.0));
        let none = Interval {
            value: 2.0,
            bounds: None,
        };
        assert_eq!(
            none.times(around(5.0, 2.0)),
            Interval {
                value: 10.0,
                bounds: None
            }
        );
    }

    #[test]
    fn proportional_pairs_have_a_ratio_without_error() {
        let found = Interval::of_ratio(&[3.0, 21.0, 6.0, 9.0], &[1.0, 7.0, 2.0, 3.0]);
        assert_eq!(found, Interval::exact(3.0));
        // By hand: residuals are -1 to 1, with a variance of 2.5 / 4 and no skewness; Student's t is 2.776.
        let found = Interval::of_ratio(&[2.0, 3.0, 4.0, 5.0, 6.0], &[2.0; 5]);
        let off = 2.776 * (0.625_f64 / 5.0).sqrt() / 2.0;
        assert_near(
            found,
            [2.0, 2.0 * (-off - off * off / 2.0).exp(), 2.0 * (1.0 + off)],
        );
    }

    /// Values that differ a million times, a few of them, leave the lower end above zero; fewer give no interval.
    #[rstest::rstest]
    #[case(&[1e-3, 2e-3, 1e3, 5e-3], true)]
    #[case(&[1.0, 1.0, 1.0, 900.0], true)]
    #[case(&[4.0, 4.0, 4.0, 4.0], true)]
    #[case(&[4.0, 5.0, 6.0], false)]
    #[case(&[0.0, 0.0, 0.0, 0.0], false)]
    fn intervals_never_reach_zero(#[case] values: &[f64], #[case] is_enough: bool) {
        let found = Interval::of_mean(values, 4);
        assert_eq!(found.bounds.is_some(), is_enough, "{found:?}");
        if let Some([low, high]) = found.bounds {
            assert!(0.0 < low && low <= found.value && found.value <= high);
            assert!(high.is_finite() && low > found.value / 1e3, "{found:?}");
        }
    }

    /// Draws with samples: the solutions are from these, the time is theirs times the time per solution of the pieces.
    #[test]
    fn the_time_of_long_subproblems_is_a_ratio_times_the_solutions() {
        let draw = |solutions: f64| Made {
            building: 0.0,
            samples: vec![990.0, 1010.0, 1000.0, 1000.0],
            solutions,
            seconds: 0.5 * solutions,
            longest: solutions,
            ran: 0.2,
            took: 1.0,
        };
        let made: Vec<_> = [100.0, 3000.0, 700.0, 20.0].map(draw).into();
        let forecast = Forecast::of(&made);
        assert_eq!((forecast.longest, forecast.core_share), (3000.0, 0.2));
        assert!((forecast.thread_seconds.value - 500.0).abs() < 1e-9);
        let ([low, high], [from, to]) = (
            forecast.solutions.bounds.unwrap(),
            forecast.thread_seconds.bounds.unwrap(),
        );
        assert!(990.0 < low && high < 1010.0 && from < 490.0 && 510.0 < to);
        // Three pieces are too few, whatever the solutions are.
        let few = Forecast::of(&made[..3]);
        assert!(few.thread_seconds.bounds.is_none() && few.solutions.bounds.is_none());
    }

    #[rstest::rstest]
    #[case(3.0, 3.182)]
    #[case(4.0, 2.776)]
    #[case(7.0, 2.365)]
    #[case(10.0, 2.228)]
    #[case(29.0, 2.045)]
    #[case(1e6, 1.960)]
    fn students_t_is_as_tabulated(#[case] freedom: f64, #[case] t: f64) {
        assert!((student(freedom) - t).abs() < 5e-3);
    }

    /// Of exponential values, whose skewness is 2, as many intervals lie below the truth as above it, and 95 in 100
    /// hold it.
    #[test]
    fn intervals_of_skewed_values_miss_on_both_sides() {
        let mut random = fastrand::Rng::with_seed(1);
        let (mut low, mut high) = (0, 0);
        for _ in 0..4_000 {
            let values: Vec<_> = (0..40).map(|_| -(1.0 - random.f64()).ln()).collect();
            let [start, end] = Interval::of_mean(&values, 40).bounds.unwrap();
            low += usize::from(end < 1.0);
            high += usize::from(start > 1.0);
        }
        assert!(
            (60..=160).contains(&low) && (60..=160).contains(&high),
            "{low} {high}"
        );
    }

    /// Each subproblem and each sample of it stands for all: the sum over all draws there can be, by their chances, is
    /// the truth.
    #[test]
    fn draws_are_unbiased() {
        for (n, group, samples) in [(12, 1, 1), (12, 32, 1), (26, 1, 16)] {
            let plan = Plan::new(Board::new(n).unwrap(), Engine::Join).unwrap();
            let cut = plan.cut();
            let value = |index: usize| 1.0 + (index % 7) as f64;
            let (mut values, mut sampled) = (Vec::new(), Vec::new());
            let truth: f64 = match n {
                12 => (0..cut.len()).map(value).sum(),
                _ => 4.0 * cut.len() as f64, // seven in a row have a mean of 4
            };
            for seed in 0..40 {
                let frame = Frame::new(cut, group, seed);
                let mut random = fastrand::Rng::with_seed(seed);
                for _ in 0..400 {
                    let draw = Draw::new(&frame, cut, samples, &mut random);
                    values.push(draw.factor * draw.group.map(value).sum::<f64>());
                    for (index, sample, factor) in draw.samples {
                        // All of it is in its first sample.
                        let all = if sample == 0 { value(index) } else { 0.0 };
                        sampled.push(factor * all);
                    }
                }
            }
            for values in [values, sampled].iter().filter(|values| !values.is_empty()) {
                let mean = Interval::of_mean(values, 16);
                let [low, high] = mean.bounds.unwrap();
                assert!(high - low < 0.2 * truth, "{mean:?} {truth}");
                // Twice the interval: four standard errors.
                let off = (mean.value - truth).abs();
                assert!(off < high - low, "{mean:?} {truth}");
            }
        }
    }

    /// 200 seeds: the interval holds the true value 90 to 98 times in 100.
    #[test]
    fn intervals_hold_what_they_promise() {
        let mut run = Counter::new(12).unwrap().threads(1).prepare().unwrap();
        let truth = known(12).unwrap().solutions as f64;
        let held = (0..200).filter(|&seed| {
            let estimate = run.estimate(&Sampling::of_draws(30, seed)).unwrap();
            let [low, high] = estimate.solutions.bounds.unwrap();
            low <= truth && truth <= high
        });
        let held = held.count();
        assert!((180..=196).contains(&held), "{held}");
    }

    #[test]
    fn nothing_is_estimated_as_nothing() {
        let mut run = Counter::new(2).unwrap().prepare().unwrap();
        let estimate = run.estimate(&Sampling::of_draws(10, 1)).unwrap();
        assert_eq!(
            (estimate.draws, estimate.solutions),
            (0, Interval::exact(0.0))
        );
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
                if progress.samples >= Some(enough) {
                    cancel.cancel();
                }
            });
            let sampling = Sampling {
                count_within: Duration::ZERO,
                ..Sampling::for_time(Duration::from_secs(600), 1)
            };
            match run.estimate(&sampling) {
                Ok(estimate) => assert!(estimate.draws >= enough.max(LEAST_COMPLETED)),
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
    /// Limits saturate, a sample of nothing is refused, and a board that takes little time is counted.
    #[test]
    fn samples_of_any_size() {
        let mut run = Counter::new(8).unwrap().prepare().unwrap();
        let for_ever = Sampling::for_time(Duration::MAX, 1);
        assert_eq!(for_ever.limit, Duration::MAX);
        let counted = run.estimate(&for_ever).unwrap();
        assert!(counted.is_counted && counted.draws == 0);
        assert_eq!(counted.solutions, Interval::exact(92.0));
        let none = run.estimate(&Sampling::of_draws(0, 1));
        assert!(matches!(none, Err(CountError::Unsampled { samples: 0 })));
    }
}
