//! Estimates of the running time and the total of a count, from a random sample of its subproblems.
//!
//! Subproblems are sampled independently, with probabilities proportional to their weights. The
//! count of a sampled subproblem, multiplied by the total weight and divided by its own weight, is
//! an unbiased estimate of the total, and so is its time. Their variance is small if counts and
//! times are nearly proportional to the weights. The final estimate is the mean over all samples
//! (M. H. Hansen and W. N. Hurwitz, On the Theory of Sampling from Finite Populations, Annals of
//! Mathematical Statistics 14, 1943; W. G. Cochran, Sampling Techniques, 3rd edition, 1977, chapter
//! 9A).
//!
//! *Two-phase sampling.* If a plan has more than 65,536 subproblems, or groups of subproblems that
//! are sampled together, weights are computed only for 65,536 evenly spaced ones, starting at a
//! random offset (Cochran, chapter 12). This keeps the estimate unbiased and adds about 0.3 % to
//! its error. This increase is ignored.
//!
//! *Stopping rule.* The seed determines the sequence of samples. No sample is started after
//! [`Sampling::time`], except the first 8, and samples in progress continue until
//! [`Sampling::limit`]. The number of samples therefore depends on their running times, which
//! biases the mean by about (covariance of time and value) / (mean time x number of samples). For
//! thirty samples, the bias is a few tenths of a percent, much less than the width of the interval.

use std::ops::Range;
use std::time::Duration;

use crossbeam_channel::unbounded;
use rayon::iter::{ParallelBridge, ParallelIterator};

use super::check::published;
use super::error::CountError;
use super::interval::Interval;
use super::plan::Plan;
use super::pool::watched;
use super::run::{Method, Progress, Run};
use crate::engine::{CancelToken, Interruption, Options, Subproblems, Worker};
use crate::machine::clock::{Instant, thread_seconds};

/// Size and seed of a random sample.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Sampling {
    /// Time after which no sample is started. The first 8 samples are always started.
    pub time: Duration,
    /// Time after which incomplete samples are cancelled.
    pub limit: Duration,
    /// Maximum number of samples.
    pub max_samples: usize,
    /// Seed of the random number generator.
    pub seed: u64,
}

impl Sampling {
    /// Takes samples for about the given time, at most 4,096. Samples still running at 1.5 times
    /// `time`, or at `time` plus 5 seconds, whichever is later, are cancelled.
    #[must_use]
    pub fn for_time(time: Duration, seed: u64) -> Self {
        let more = (time / 2).max(Duration::from_secs(5));
        Self { time, limit: time.saturating_add(more), max_samples: MAX_SAMPLES, seed }
    }

    /// Takes exactly this many samples, without a time limit. The choice of samples depends only on
    /// the seed.
    #[must_use]
    pub fn of_samples(max_samples: usize, seed: u64) -> Self {
        Self { time: Duration::MAX, limit: Duration::MAX, max_samples, seed }
    }
}

/// Number of samples that are started even if the time is up.
const MIN_SAMPLES: usize = 8;
/// Number of consecutive subproblems that are sampled together if they share cached data. A count
/// benefits from the cached data too: if the row sets of N = 19 are sampled one at a time, they
/// take 9 % more CPU time.
const GROUP: usize = 32;
/// Default maximum number of samples. With this many, the error is about 1 % for most plans.
const MAX_SAMPLES: usize = 1 << 12;
/// Maximum number of groups whose weights are computed.
const MAX_WEIGHED: usize = 1 << 16;
/// Relative standard deviation of a count's CPU time from run to run, which a sample cannot show.
/// Measured on two busy cores of a Xeon (family 6, model 167), 24 counts each: 3.1 % (N = 17) and
/// 2.0 % (N = 18) with `join`, 1.3 % (N = 17) with `bitboard`.
const DRIFT: f64 = 0.03;

/// Estimated result and cost of a count.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Estimate {
    /// Plan of the count.
    pub plan: Plan,
    /// Number of solutions.
    pub solutions: Interval,
    /// Published number of solutions and its source, if any.
    pub published: Option<(u128, &'static str)>,
    /// CPU time of all threads in seconds.
    pub thread_seconds: Interval,
    /// Wall time in seconds on this machine if no other program uses its cores.
    pub seconds: Interval,
    /// Approximate memory use in bytes.
    pub memory: u64,
    /// Number of samples.
    pub samples: usize,
    /// Seed of the random number generator.
    pub seed: u64,
    /// Algorithm and threads.
    pub method: Method,
    /// Wall time spent sampling.
    pub elapsed: Duration,
}

impl Estimate {
    /// Returns the number of shards for which one thread takes about `time` per shard. The number
    /// is at least 1, and at most the number of subproblems.
    #[must_use]
    pub fn shards(&self, time: Duration) -> usize {
        let shards = (self.thread_seconds.value / time.as_secs_f64()).ceil();
        (shards as usize).clamp(1, self.plan.len().max(1))
    }

    /// Returns the CPU time in core hours.
    #[must_use]
    pub fn core_hours(&self) -> Interval {
        self.thread_seconds.map(|seconds| seconds / 3600.0)
    }
}

impl Run<'_> {
    /// Estimates the running time and the number of solutions of the whole count from a random
    /// sample. If cancelled, the estimate uses the samples completed so far, if there are any.
    ///
    /// ```
    /// use queens::{Counter, Sampling};
    ///
    /// let estimate = Counter::new(12)?.prepare()?.estimate(&Sampling::of_samples(100, 1))?;
    /// assert_eq!(estimate.samples, 100);
    /// assert!((10_000.0..20_000.0).contains(&estimate.solutions.value)); // 14,200
    /// # Ok::<(), queens::CountError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if there are no samples, if memory runs out, or if threads cannot be
    /// started.
    pub fn estimate(mut self, sampling: &Sampling) -> Result<Estimate, CountError> {
        let started = Instant::now();
        let samples = self.sample(sampling)?;
        Ok(self.estimated_from(&samples, sampling.seed, started.elapsed()))
    }

    fn estimated_from(&self, samples: &[Sample], seed: u64, elapsed: Duration) -> Estimate {
        let cores = self.options.threads.min(num_cpus::get()) as f64;
        let expanded = |&[building, factor, solutions, seconds]: &Sample| {
            (factor * solutions, building + factor * seconds)
        };
        let (solutions, seconds): (Vec<_>, Vec<_>) = samples.iter().map(expanded).unzip();
        let thread_seconds = Interval::of_mean(&seconds, DRIFT);
        Estimate {
            plan: self.plan.clone(),
            solutions: Interval::of_mean(&solutions, 0.0),
            published: published(self.plan.board()),
            thread_seconds,
            seconds: thread_seconds.map(|seconds| seconds / cores),
            memory: self.options.memory,
            samples: solutions.len(),
            seed,
            method: self.method(),
            elapsed,
        }
    }

    /// Takes samples on all threads until there are enough, and reports progress.
    fn sample(&mut self, sampling: &Sampling) -> Result<Vec<Sample>, CountError> {
        let (plan, options, watch) = (&self.plan, &self.options, &mut self.watch);
        let (started, stop) = (Instant::now(), CancelToken::new());
        let (results, arrived) = unbounded();
        let work = {
            let subproblems = plan.subproblems.clone();
            let options = Options { cancel: stop.clone(), ..options.clone() };
            let Sampling { time, max_samples, seed, .. } = *sampling;
            move || {
                let built = thread_seconds();
                let solver = subproblems.solver(&options);
                let group = if solver.build_shared()? { GROUP } else { 1 };
                let building = thread_seconds() - built;
                let frame = Frame::new(&subproblems, group, seed);
                let (mut random, mut number) = (fastrand::Rng::with_seed(seed), 0);
                let samples = std::iter::from_fn(|| {
                    let is_late = started.elapsed() >= time && number >= MIN_SAMPLES;
                    let is_over = is_late || number >= max_samples || subproblems.len() == 0;
                    number += 1;
                    (!is_over).then(|| frame.sample(&mut random))
                });
                let count = |worker: &mut Worker<'_>, (group, factor): (Range<usize>, f64)| {
                    if group.len() > 1 {
                        // Grow the scratch buffers and warm the cache, as the preceding subproblems
                        // do in a count.
                        worker.try_count(group.start)?;
                    }
                    let (before, mut solutions) = (thread_seconds(), 0.0);
                    for index in group {
                        solutions += worker.try_count(index)? as f64;
                    }
                    let seconds = thread_seconds() - before;
                    // The channel has no receiver once the estimate is cancelled.
                    let _ = results.send([building, factor, solutions, seconds]);
                    Ok::<_, Interruption>(())
                };
                let samples = samples.par_bridge().panic_fuse();
                Ok(samples.try_for_each_init(|| solver.worker(), count)?)
            }
        };
        let mut samples: Vec<_> = Vec::new();
        let outcome = watched(options.threads, &stop, work, || {
            samples.extend(arrived.try_iter());
            let elapsed = started.elapsed();
            if elapsed >= sampling.limit || options.cancel.is_cancelled() {
                stop.cancel();
            }
            let by_number = samples.len() as f64 / sampling.max_samples.max(1) as f64;
            let by_time = elapsed.as_secs_f64() / sampling.time.as_secs_f64();
            let fraction = by_time.max(by_number).min(1.0);
            watch(&Progress {
                fraction,
                left: Some(elapsed.mul_f64((1.0 - fraction) / fraction.max(1e-6))),
                samples: Some(samples.len()),
                elapsed,
                ..Progress::default()
            });
            Ok::<_, CountError>(())
        });
        match outcome {
            Err(CountError::Cancelled) if !samples.is_empty() => Ok(samples),
            Err(CountError::Cancelled) if !options.cancel.is_cancelled() => {
                Err(CountError::Unsampled)
            }
            Ok(()) if sampling.max_samples == 0 => Err(CountError::Unsampled),
            outcome => outcome.map(|()| samples),
        }
    }
}

/// Result of a sample: the CPU time to build what all subproblems share, the factor from the sample
/// to the whole count, the number of solutions, and their CPU time. Times are in seconds.
type Sample = [f64; 4];

/// Sampling frame, which contains the groups of consecutive subproblems to sample from.
struct Frame<'a> {
    subproblems: &'a Subproblems,
    groups: Vec<Range<usize>>,
    /// Cumulative weights.
    sums: Vec<f64>,
    /// Number of groups in the plan for each group in the frame.
    scale: f64,
}

impl<'a> Frame<'a> {
    /// Splits the plan into groups. If there are too many, keeps evenly spaced groups, starting at
    /// a random offset.
    fn new(subproblems: &'a Subproblems, group: usize, seed: u64) -> Self {
        let len = subproblems.len().div_ceil(group);
        let size = len.min(MAX_WEIGHED);
        let scale = len as f64 / size.max(1) as f64;
        let start = fastrand::Rng::with_seed(seed).f64();
        let groups = (0..size).map(|i| {
            let first = (((i as f64 + start) * scale) as usize).min(len - 1) * group;
            first..subproblems.len().min(first + group)
        });
        let groups: Vec<_> = groups.collect();
        let sums = groups.iter().scan(0.0, |sum, group| {
            *sum += weight(subproblems, group);
            Some(*sum)
        });
        Self { subproblems, sums: sums.collect(), groups, scale }
    }

    /// Chooses a group with a probability proportional to its weight. Returns the group and its
    /// expansion factor.
    fn sample(&self, random: &mut fastrand::Rng) -> (Range<usize>, f64) {
        let all = self.sums.last().copied().unwrap_or_default();
        let at = random.f64() * all;
        let i = self.sums.partition_point(|&sum| sum <= at);
        let group = &self.groups[i.min(self.groups.len() - 1)];
        (group.clone(), self.scale * all / weight(self.subproblems, group))
    }
}

fn weight(subproblems: &Subproblems, group: &Range<usize>) -> f64 {
    group.clone().map(|index| subproblems.weight(index)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::count::Counter;
    use crate::engine::{Engine, Kernel, Symmetry};
    use crate::known;

    /// Compares the mean of many samples with the true total, using artificial counts.
    #[test]
    fn samples_are_unbiased() {
        for (n, group) in [(12, 1), (12, 32), (26, 1)] {
            let plan = Plan::new(Board::new(n).unwrap(), Engine::Join).unwrap();
            let subproblems = &plan.subproblems;
            let value = |index: usize| 1.0 + (index % 7) as f64;
            let mut values = Vec::new();
            let truth: f64 = match n {
                12 => (0..subproblems.len()).map(value).sum(),
                _ => 4.0 * subproblems.len() as f64, // seven consecutive values have a mean of 4
            };
            for seed in 0..40 {
                let frame = Frame::new(subproblems, group, seed);
                let mut random = fastrand::Rng::with_seed(seed);
                values.extend((0..400).map(|_| {
                    let (group, factor) = frame.sample(&mut random);
                    factor * group.map(value).sum::<f64>()
                }));
            }
            let mean = Interval::of_mean(&values, 0.0);
            let [low, high] = mean.bounds.unwrap();
            assert!(high - low < 0.2 * truth, "{mean:?} {truth}");
            // The width of the interval is about four standard errors.
            let off = (mean.value - truth).abs();
            assert!(off < high - low, "{mean:?} {truth}");
        }
    }

    /// Over 200 seeds, 90 to 98 % of the intervals should contain the true value.
    #[test]
    fn intervals_have_the_stated_coverage() {
        let counter = Counter::new(12).unwrap().threads(1);
        let truth = known::values(12).unwrap().solutions as f64;
        let covered = (0..200).filter(|&seed| {
            let run = counter.clone().prepare().unwrap();
            let estimate = run.estimate(&Sampling::of_samples(30, seed)).unwrap();
            let [low, high] = estimate.solutions.bounds.unwrap();
            low <= truth && truth <= high
        });
        let covered = covered.count();
        assert!((180..=196).contains(&covered), "{covered}");
    }

    /// The samples completed before cancellation are used if there are enough.
    #[test]
    fn a_cancelled_estimate_uses_completed_samples() {
        for enough in [0, 20] {
            let cancel = CancelToken::new();
            let run = Counter::new(14).unwrap().prepare().unwrap();
            let run = run.cancel_with(cancel.clone());
            let run = run.on_progress(|progress| {
                if progress.samples >= Some(enough) {
                    cancel.cancel();
                }
            });
            match run.estimate(&Sampling::of_samples(MAX_SAMPLES, 1)) {
                Ok(estimate) => assert!(estimate.samples >= enough.max(1)),
                Err(error) => assert!(enough == 0 && matches!(error, CountError::Cancelled)),
            }
        }
    }

    /// Some samples are taken even if the time is zero, however long they take. No sample is
    /// awaited beyond the limit.
    #[test]
    fn time_limits_are_respected() {
        let slow = Counter::new(15).unwrap().symmetry(Symmetry::None).kernel(Kernel::Reference);
        let run = slow.threads(1).prepare().unwrap();
        let run = run.on_progress(|progress| assert_eq!(progress.fraction, 1.0));
        let no_time = Sampling { limit: Duration::MAX, ..Sampling::for_time(Duration::ZERO, 1) };
        assert_eq!(run.estimate(&no_time).unwrap().samples, 8);
        let hopeless = Counter::new(32).unwrap().engine(Engine::Bitboard);
        let no_wait = Sampling { limit: Duration::ZERO, ..no_time };
        let outcome = hopeless.prepare().unwrap().estimate(&no_wait);
        assert!(matches!(outcome, Err(CountError::Unsampled)));
    }

    /// Limits saturate, requests for zero samples are rejected, there is nothing to sample for
    /// N = 2, and no subproblem for N = 3 has a solution.
    #[test]
    fn samples_of_any_size() {
        let run = |n| Counter::new(n).unwrap().prepare().unwrap();
        let empty = run(2).estimate(&Sampling::of_samples(10, 1)).unwrap();
        assert_eq!((empty.samples, empty.solutions), (0, Interval::of_mean(&[], 0.0)));
        assert_eq!(empty.shards(Duration::from_secs(1)), 1);
        let dead_ends = run(3).estimate(&Sampling::of_samples(10, 1)).unwrap();
        assert_eq!((dead_ends.samples, dead_ends.solutions.value), (10, 0.0));
        assert_eq!(Sampling::for_time(Duration::MAX, 1).limit, Duration::MAX);
        let limit = |seconds| Sampling::for_time(Duration::from_secs(seconds), 1).limit.as_secs();
        assert_eq!([2, 100].map(limit), [7, 150]);
        let [low, high] =
            run(8).estimate(&Sampling::of_samples(20, 1)).unwrap().solutions.bounds.unwrap();
        assert!(low < high, "a sample is not the whole board");
        let none = run(8).estimate(&Sampling::of_samples(0, 1));
        assert!(matches!(none, Err(CountError::Unsampled)));
    }

    /// By hand: eight equal samples of 2 s and 4 s of building, with Student's t of 2.365. Only the
    /// interval of the time is widened by the drift.
    #[test]
    fn building_and_drift_are_in_the_time() {
        let run = Counter::new(12).unwrap().threads(1).prepare().unwrap();
        let found = run.estimated_from(&[[4.0, 8.0, 100.0, 2.0]; 8], 5, Duration::ZERO);
        assert_eq!(found.solutions, Interval { value: 800.0, bounds: Some([800.0; 2]) });
        let [low, high] = found.thread_seconds.bounds.unwrap();
        assert_eq!((found.thread_seconds.value, found.samples, found.seed), (20.0, 8, 5));
        let width = 2.365 * 0.03 * 20.0;
        assert!((low - 20.0 + width).abs() < 1e-2 && (high - 20.0 - width).abs() < 1e-2);
        let mut join = Counter::new(16).unwrap().threads(1).prepare().unwrap();
        let samples = join.sample(&Sampling::of_samples(2, 1)).unwrap();
        assert!(samples.as_flattened().iter().all(|&figure| figure > 0.0));
    }

    /// Costs worked out by hand: 7,201 seconds are three shards of an hour, and 7,200 are two. No
    /// more threads run than there are cores.
    #[test]
    fn costs_are_divided_by_hand() {
        let estimate = |threads| {
            let run = Counter::new(12).unwrap().threads(threads).prepare().unwrap();
            run.estimate(&Sampling::of_samples(8, 1)).unwrap()
        };
        let mut one = estimate(1);
        assert_eq!(one.seconds, one.thread_seconds);
        for (seconds, shards) in [(7_201.0, 3), (7_200.0, 2), (0.0, 1), (1e12, one.plan.len())] {
            one.thread_seconds.value = seconds;
            assert_eq!(one.shards(Duration::from_secs(3600)), shards);
        }
        let (many, cores) = (estimate(64 + num_cpus::get()), num_cpus::get() as f64);
        assert_eq!(many.seconds.value, many.thread_seconds.value / cores);
    }
}
