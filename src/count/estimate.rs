//! Estimates of the running time and the total of a count, from a random sample of its subproblems.
//!
//! Subproblems are sampled independently, with probabilities proportional to their weights. The
//! count of a sampled subproblem, multiplied by the total weight and divided by its own weight, is
//! an unbiased estimate of the total. Its variance is small if the counts are nearly proportional
//! to the weights. The final estimate is the mean over all samples (M. H. Hansen and W. N. Hurwitz,
//! On the Theory of Sampling from Finite Populations, Annals of Mathematical Statistics 14, 1943;
//! W. G. Cochran, Sampling Techniques, 3rd edition, 1977, chapters 9A and 11).
//!
//! *Two-phase sampling.* If a plan has more than 65,536 subproblems, or groups of subproblems that
//! are sampled together, weights are computed only for 65,536 evenly spaced ones, starting at a
//! random offset (Cochran, chapter 12). This keeps the estimate unbiased and adds about 0.3 % to
//! its error. This increase is ignored.
//!
//! *Ratio estimates.* If the engine can split a subproblem into
//! [samples](crate::engine::Solver::samples), only some of these are counted to estimate the number
//! of solutions. The time per solution, which varies little between subproblems, is measured on one
//! [piece](crate::engine::Worker::piece) (Cochran, chapter 6). The estimated time of the count is
//! the product of the two.
//!
//! *Stopping rule.* The seed determines the sequence of samples. No sample is started after
//! [`Sampling::time`], but samples in progress may continue until [`Sampling::limit`]. The number
//! of samples therefore depends on their running times, which biases the mean by about (covariance
//! of time and value) / (mean time x number of samples). For thirty samples, the bias is a few
//! tenths of a percent, much less than the width of the interval.

use std::ops::Range;
use std::time::Duration;

use crossbeam_channel::unbounded;
use rayon::iter::{ParallelBridge, ParallelIterator};

use super::check::published;
use super::error::CountError;
use super::interval::Interval;
use super::plan::Plan;
use super::pool::watched;
use super::run::{Count, Method, Progress, Run};
use crate::engine::{CancelToken, Cut, Options, Stopped, Worker};
use crate::machine::Threads;
use crate::machine::clock::{Instant, thread_seconds};

/// Size and seed of a random sample.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Sampling {
    /// Maximum time for counting the board outright instead of sampling it.
    pub count_within: Duration,
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
    /// Samples for about the given time. Samples still running at 1.5 times `time`, or at `time`
    /// plus 5 seconds, whichever is later, are cancelled. A board that can be counted within a
    /// second, and within `time`, is counted instead.
    #[must_use]
    pub fn for_time(time: Duration, seed: u64) -> Self {
        let more = (time / 2).max(Duration::from_secs(5));
        Self {
            count_within: time.min(Duration::from_secs(1)),
            time,
            limit: time.saturating_add(more),
            max_samples: MAX_SAMPLES,
            seed,
        }
    }

    /// Takes exactly this many samples, without a time limit. The choice of samples depends only on
    /// the seed.
    #[must_use]
    pub fn of_samples(max_samples: usize, seed: u64) -> Self {
        Self {
            count_within: Duration::ZERO,
            time: Duration::MAX,
            limit: Duration::MAX,
            max_samples,
            seed,
        }
    }
}

/// Number of samples that are started even if the time is up.
const MIN_SAMPLES: usize = 8;
/// Minimum number of values for a confidence interval. With at least this many, its coverage is
/// about 95 %, with misses on both sides (docs/VERIFICATION.md). The variance does not reveal that
/// a sample is too small: if the few large values are missing, the variance is small too.
const MIN_VALUES: usize = 16;
/// Number of consecutive subproblems that are sampled together if they share cached data. A count
/// benefits from the cached data too: if the row sets of N = 19 are sampled one at a time, they
/// take 9 % more CPU time.
const GROUP: usize = 32;
/// Number of subsamples counted with each piece. Together they take about as long as the piece.
const SUBSAMPLES: usize = 8;
/// Default maximum number of samples. With this many, the error is below half a percent for most
/// plans.
const MAX_SAMPLES: usize = 1 << 16;
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
    /// CPU time of the longest sampled subproblem in seconds.
    pub longest: f64,
    /// Number of samples, or 0 if the board was counted.
    pub samples: usize,
    /// Whether the board was counted instead of sampled. The number of solutions and the time are
    /// then exact.
    pub is_counted: bool,
    /// Average fraction of a core available to each thread during sampling, from 0 to 1.
    pub core_share: f64,
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
        let cores = self.options.threads.count().min(Threads::usable().count()) as f64;
        let counted = self.count_within(sampling.count_within)?;
        let results = if counted.is_some() { Vec::new() } else { self.sample(sampling)? };
        let ([solutions, thread_seconds], longest) = match &counted {
            Some(count) => {
                let seconds = count.elapsed.as_secs_f64();
                ([count.total as f64, seconds * cores].map(Interval::exact), seconds)
            }
            None => {
                let longest = results.iter().map(|result| result.longest);
                (intervals(&results), longest.fold(0.0, f64::max))
            }
        };
        let sum = |value: fn(&SampleResult) -> f64| results.iter().map(value).sum::<f64>();
        let core_share = sum(|result| result.cpu) / sum(|result| result.elapsed);
        Ok(Estimate {
            plan: self.plan.clone(),
            solutions,
            published: published(self.plan.board()),
            thread_seconds,
            seconds: thread_seconds.map(|seconds| seconds / cores),
            memory: self.options.memory,
            longest,
            samples: results.len(),
            is_counted: counted.is_some(),
            core_share: core_share.min(1.0), // also replaces NaN
            seed: sampling.seed,
            method: self.method(),
            elapsed: started.elapsed(),
        })
    }

    /// Counts the board, or returns `None` if that would take longer than `time`.
    fn count_within(&self, time: Duration) -> Result<Option<Count>, CountError> {
        if time.is_zero() {
            return Ok(None);
        }
        let (outer, cancel) = (&self.options.cancel, CancelToken::new());
        let options = Options { cancel: cancel.clone(), ..self.options.clone() };
        let run = Run::new(self.plan.clone(), options, None).on_progress(|progress| {
            // Early predictions are unreliable, and startup takes a long time on a busy machine.
            let left = progress.left.unwrap_or(time);
            let is_long = progress.elapsed > time / 4 && progress.elapsed + left > time;
            if progress.fraction < 1.0 && is_long || outer.is_cancelled() {
                cancel.cancel();
            }
        });
        match run.run() {
            Err(CountError::Cancelled) if !outer.is_cancelled() => Ok(None),
            outcome => outcome.map(Some),
        }
    }

    /// Takes samples on all threads until there are enough, and reports progress.
    fn sample(&mut self, sampling: &Sampling) -> Result<Vec<SampleResult>, CountError> {
        let (plan, options, watch) = (&self.plan, &self.options, &mut self.watch);
        let (started, stop) = (Instant::now(), CancelToken::new());
        let (results, arrived) = unbounded();
        let work = {
            let cut = plan.cut.clone();
            let options = Options { cancel: stop.clone(), ..options.clone() };
            let Sampling { time, max_samples, seed, .. } = *sampling;
            move || {
                let built = thread_seconds();
                let solver = cut.solver(&options);
                let group = if solver.build_shared()? { GROUP } else { 1 };
                let building = thread_seconds() - built;
                let frame = Frame::new(&cut, group, seed);
                let (mut random, mut number) = (fastrand::Rng::with_seed(seed), 0);
                let samples = std::iter::from_fn(|| {
                    let is_late = started.elapsed() >= time && number >= MIN_SAMPLES;
                    let is_over = is_late || number >= max_samples || cut.len() == 0;
                    number += 1;
                    (!is_over).then(|| frame.sample(solver.samples(), &mut random))
                });
                let count = |worker: &mut Worker<'_>, sample: Sample| {
                    let result = sample.count(worker, building)?;
                    // The channel has no receiver once the estimate is cancelled.
                    let _ = results.send(result);
                    Ok::<_, Stopped>(())
                };
                let samples = samples.par_bridge().panic_fuse();
                Ok(samples.try_for_each_init(|| solver.worker(), count)?)
            }
        };
        let mut samples: Vec<SampleResult> = Vec::new();
        let outcome = watched(options.threads.count(), &stop, work, || {
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
            Ok(())
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

/// Sample to be counted. It consists either of consecutive subproblems, or of a piece of one
/// subproblem and subsamples of others.
struct Sample {
    /// Indices of the subproblems.
    group: Range<usize>,
    /// Expansion factor, by which the count is multiplied to estimate the total.
    factor: f64,
    /// Subproblem, sample index and expansion factor of each subsample.
    subsamples: Vec<(usize, usize, f64)>,
    seed: u64,
}

impl Sample {
    fn count(self, worker: &mut Worker<'_>, building: f64) -> Result<SampleResult, Stopped> {
        let (started, started_cpu) = (Instant::now(), thread_seconds());
        let mut random = fastrand::Rng::with_seed(self.seed);
        let [mut solutions, mut seconds, mut longest] = [0.0, 0.0, 0.0_f64];
        if self.group.len() > 1 {
            // Grow the scratch buffers and warm the cache, as the preceding subproblems do in a
            // count.
            worker.try_count(self.group.start, None)?;
        }
        for index in self.group {
            let piece = worker.piece(index, &mut random)?;
            solutions += piece.solutions;
            seconds += piece.seconds;
            longest = longest.max(piece.seconds);
        }
        let mut subsamples = Vec::new();
        for (index, sample, factor) in self.subsamples {
            let count = worker.try_count(index, Some(sample))?;
            subsamples.push(factor * count as f64);
        }
        Ok(SampleResult {
            building,
            subsamples,
            solutions: self.factor * solutions,
            seconds: self.factor * seconds,
            longest,
            cpu: thread_seconds() - started_cpu,
            elapsed: started.elapsed().as_secs_f64(),
        })
    }
}

/// Estimates of the totals from one sample.
#[derive(Debug, Clone)]
struct SampleResult {
    /// CPU time spent building shared tables.
    building: f64,
    /// Total number of solutions, estimated from each subsample.
    subsamples: Vec<f64>,
    /// Total number of solutions, estimated from the subproblems or the piece.
    solutions: f64,
    /// Total CPU time, estimated from the subproblems or the piece.
    seconds: f64,
    /// CPU time of the longest subproblem.
    longest: f64,
    /// CPU time spent taking the sample.
    cpu: f64,
    /// Wall time spent taking the sample.
    elapsed: f64,
}

/// Estimates the number of solutions and the CPU time from the samples.
fn intervals(results: &[SampleResult]) -> [Interval; 2] {
    let all = |value: fn(&SampleResult) -> f64| results.iter().map(value).collect::<Vec<_>>();
    let subsamples = results.iter().flat_map(|result| &result.subsamples);
    let subsamples: Vec<_> = subsamples.copied().collect();
    let (pieces, seconds) = (all(|result| result.solutions), all(|result| result.seconds));
    let [solutions, time] = if subsamples.is_empty() {
        [&pieces, &seconds].map(|values| Interval::of_mean(values, MIN_VALUES))
    } else {
        let solutions = Interval::of_mean(&subsamples, MIN_VALUES);
        [solutions, solutions.times(Interval::of_ratio(&seconds, &pieces))]
    };
    let building = results.first().map_or(0.0, |result| result.building);
    let drift = (1.96 * DRIFT).exp();
    let drift = Interval { value: 1.0, bounds: Some([1.0 / drift, drift]) };
    [solutions, time.map(|seconds| seconds + building).times(drift)]
}

/// Sampling frame, which contains the groups of consecutive subproblems to sample from.
struct Frame<'a> {
    cut: &'a Cut,
    groups: Vec<Range<usize>>,
    /// Cumulative weights.
    sums: Vec<f64>,
    /// Number of groups in the plan for each group in the frame.
    scale: f64,
}

impl<'a> Frame<'a> {
    /// Splits the plan into groups. If there are too many, keeps evenly spaced groups, starting at
    /// a random offset.
    fn new(cut: &'a Cut, group: usize, seed: u64) -> Self {
        let len = cut.len().div_ceil(group);
        let size = len.min(MAX_WEIGHED);
        let scale = len as f64 / size.max(1) as f64;
        let start = fastrand::Rng::with_seed(seed).f64();
        let groups = (0..size).map(|i| {
            let first = (((i as f64 + start) * scale) as usize).min(len - 1) * group;
            first..cut.len().min(first + group)
        });
        let groups: Vec<_> = groups.collect();
        let sums = groups.iter().scan(0.0, |sum, group| {
            *sum += weight(cut, group);
            Some(*sum)
        });
        Self { cut, sums: sums.collect(), groups, scale }
    }

    /// Chooses a sample. `samples` is the number of samples into which the engine splits each
    /// subproblem.
    fn sample(&self, samples: usize, random: &mut fastrand::Rng) -> Sample {
        let (group, factor) = self.group(random);
        let number = if samples > 1 { SUBSAMPLES } else { 0 };
        let subsamples = (0..number).map(|_| {
            let (group, factor) = self.group(random);
            (group.start, random.usize(..samples), factor * samples as f64)
        });
        Sample { group, factor, subsamples: subsamples.collect(), seed: random.u64(..) }
    }

    /// Chooses a group with a probability proportional to its weight. Returns the group and its
    /// expansion factor.
    fn group(&self, random: &mut fastrand::Rng) -> (Range<usize>, f64) {
        let all = self.sums.last().copied().unwrap_or_default();
        let at = random.f64() * all;
        let i = self.sums.partition_point(|&sum| sum <= at);
        let group = &self.groups[i.min(self.groups.len() - 1)];
        (group.clone(), self.scale * all / weight(self.cut, group))
    }
}

fn weight(cut: &Cut, group: &Range<usize>) -> f64 {
    group.clone().map(|index| cut.weight(index)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::count::Counter;
    use crate::engine::Engine;
    use crate::known;

    /// The number of solutions comes from the subsamples, and the time per solution from the
    /// pieces.
    #[test]
    fn long_subproblems_have_a_ratio_estimate_of_time() {
        let result = |solutions: f64| SampleResult {
            building: 0.0,
            subsamples: vec![990.0, 1010.0, 1000.0, 1000.0],
            solutions,
            seconds: 0.5 * solutions,
            longest: solutions,
            cpu: 0.25,
            elapsed: 1.0,
        };
        let solutions = [100.0, 3000.0, 700.0, 20.0].repeat(2);
        let results: Vec<_> = solutions.into_iter().map(result).collect();
        let [solutions, time] = intervals(&results);
        assert!((time.value - 500.0).abs() < 1e-9);
        let ([low, high], [from, to]) = (solutions.bounds.unwrap(), time.bounds.unwrap());
        assert!(990.0 < low && high < 1010.0 && from < 490.0 && 510.0 < to);
        // Seven pieces are too few for an interval.
        let [solutions, time] = intervals(&results[..7]);
        assert!(time.bounds.is_none() && solutions.bounds.is_some());
    }

    /// Compares the mean of many samples with the true total, using artificial counts.
    #[test]
    fn samples_are_unbiased() {
        for (n, group, samples) in [(12, 1, 1), (12, 32, 1), (26, 1, 16)] {
            let plan = Plan::new(Board::new(n).unwrap(), Engine::Join).unwrap();
            let cut = &plan.cut;
            let value = |index: usize| 1.0 + (index % 7) as f64;
            let (mut values, mut sampled) = (Vec::new(), Vec::new());
            let truth: f64 = match n {
                12 => (0..cut.len()).map(value).sum(),
                _ => 4.0 * cut.len() as f64, // seven consecutive values have a mean of 4
            };
            for seed in 0..40 {
                let frame = Frame::new(cut, group, seed);
                let mut random = fastrand::Rng::with_seed(seed);
                for _ in 0..400 {
                    let one = frame.sample(samples, &mut random);
                    values.push(one.factor * one.group.map(value).sum::<f64>());
                    for (index, sample, factor) in one.subsamples {
                        // The first sample of a subproblem has the value of the whole subproblem.
                        let all = if sample == 0 { value(index) } else { 0.0 };
                        sampled.push(factor * all);
                    }
                }
            }
            for values in [values, sampled].iter().filter(|values| !values.is_empty()) {
                let mean = Interval::of_mean(values, 16);
                let [low, high] = mean.bounds.unwrap();
                assert!(high - low < 0.2 * truth, "{mean:?} {truth}");
                // The width of the interval is about four standard errors.
                let off = (mean.value - truth).abs();
                assert!(off < high - low, "{mean:?} {truth}");
            }
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

    /// Some samples are taken even if the time is zero. No sample is awaited beyond the limit.
    #[test]
    fn time_limits_are_respected() {
        let run = Counter::new(14).unwrap().prepare().unwrap();
        let no_time = Sampling { limit: Duration::MAX, ..Sampling::for_time(Duration::ZERO, 1) };
        assert_eq!(run.estimate(&no_time).unwrap().samples, MIN_SAMPLES);
        let hopeless = Counter::new(32).unwrap().engine(Engine::Bitboard);
        let no_wait = Sampling { limit: Duration::ZERO, ..no_time };
        let outcome = hopeless.prepare().unwrap().estimate(&no_wait);
        assert!(matches!(outcome, Err(CountError::Unsampled)));
    }

    /// Limits saturate, requests for zero samples are rejected, small boards are counted, and there
    /// is nothing to sample for N = 2.
    #[test]
    fn samples_of_any_size() {
        let empty = Counter::new(2).unwrap().prepare().unwrap();
        let empty = empty.estimate(&Sampling::of_samples(10, 1)).unwrap();
        assert_eq!((empty.samples, empty.solutions), (0, Interval::exact(0.0)));
        assert_eq!(empty.shards(Duration::from_secs(1)), 1);
        let run = || Counter::new(8).unwrap().prepare().unwrap();
        let unlimited = Sampling::for_time(Duration::MAX, 1);
        assert_eq!(unlimited.limit, Duration::MAX);
        let counted = run().estimate(&unlimited).unwrap();
        assert!(counted.is_counted && counted.samples == 0);
        assert_eq!(counted.solutions, Interval::exact(92.0));
        let none = run().estimate(&Sampling::of_samples(0, 1));
        assert!(matches!(none, Err(CountError::Unsampled)));
    }
}
