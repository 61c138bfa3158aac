//! Statistics of times that assume nothing about how they are distributed, like those of Go's
//! `benchstat` (golang.org/x/perf).
//!
//! Intervals have a confidence of at least 95 %, and differences are significant at 5 %. All
//! functions require at least one time.

use serde::Serialize;

/// Probability of error that is accepted.
const ALPHA: f64 = 0.05;

/// Largest sum of two sample sizes for which the distribution of U is exact. Its counts are then
/// whole numbers below 2^53.
const LARGEST_EXACT: usize = 50;

/// A figure with a confidence interval, or without one if there are too few times.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Estimate {
    pub(crate) value: f64,
    pub(crate) low: Option<f64>,
    pub(crate) high: Option<f64>,
}

impl Estimate {
    fn new(value: f64, interval: Option<(f64, f64)>) -> Self {
        Self { value, low: interval.map(|(low, _)| low), high: interval.map(|(_, high)| high) }
    }
}

/// Returns the `p`-quantile of the times, with linear interpolation.
pub(crate) fn quantile(times: &[f64], p: f64) -> f64 {
    let sorted = sorted(times.iter().copied());
    let place = p * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = place.ceil() as usize;
    sorted[below] + (sorted[above] - sorted[below]) * place.fract()
}

/// Returns the median of the times.
pub(crate) fn median(times: &[f64]) -> f64 {
    quantile(times, 0.5)
}

/// Returns the median with the interval between two order statistics. The number of times below
/// the true median has a binomial distribution. Six times are the fewest that have an interval.
pub(crate) fn estimate_median(times: &[f64]) -> Estimate {
    let (sorted, len) = (sorted(times.iter().copied()), times.len());
    // Probability that as many as `below` times lie below the true median, and that at most so
    // many do.
    let (mut exactly, mut at_most, mut below) = (0.5_f64.powi(len as i32), 0.0, 0);
    while 2.0 * (at_most + exactly) <= ALPHA {
        at_most += exactly;
        exactly *= (len - below) as f64 / (below + 1) as f64;
        below += 1;
    }
    let interval = below.checked_sub(1).map(|first| (sorted[first], sorted[len - below]));
    Estimate::new(median(times), interval)
}

/// Returns the ratio of the medians of two samples, and the p-value of Mann and Whitney's U test,
/// which is small if the times of one sample tend to be longer.
///
/// The interval contains the ratios that the test does not reject (Lehmann, "Nonparametric
/// Confidence Intervals for a Shift Parameter", 1963). It is that between two order statistics of
/// all ratios of a time of one sample to one of the other. So it excludes 1 if p is below 5 %.
pub(crate) fn compare(old: &[f64], new: &[f64]) -> (Estimate, f64) {
    let ratios = sorted(old.iter().flat_map(|old| new.iter().map(move |new| old / new)));
    let distribution = Distribution::new(old.len(), new.len());
    let [below, equal] = [f64::lt, f64::eq].map(|is| ratios.iter().filter(|r| is(r, &1.0)).count());
    // Equal times count as half. The distribution is that of times without ties, which makes no
    // difference larger than it is.
    let u = below as f64 + equal as f64 / 2.0;
    let p = distribution.p_value(u.min(ratios.len() as f64 - u));
    let is_rejected = |u: &usize| distribution.p_value(*u as f64) < ALPHA;
    let rejected = (0..ratios.len()).take_while(is_rejected).count();
    let interval = rejected.checked_sub(1).map(|i| (ratios[i], ratios[ratios.len() - 1 - i]));
    (Estimate::new(median(old) / median(new), interval), p)
}

/// Returns the geometric mean, or `None` without numbers.
pub(crate) fn geometric_mean(numbers: &[f64]) -> Option<f64> {
    let sum: f64 = numbers.iter().map(|number| number.ln()).sum();
    (!numbers.is_empty()).then(|| (sum / numbers.len() as f64).exp())
}

/// Distribution of U, the number of pairs of times in which that of the first sample is shorter, if
/// all orders of the times are equally likely.
enum Distribution {
    /// Probability of at most 0, 1, 2, ...
    Exact(Vec<f64>),
    /// Normal distribution with this mean and standard deviation.
    Normal(f64, f64),
}

impl Distribution {
    /// Returns the distribution for two sample sizes.
    fn new(a: usize, b: usize) -> Self {
        if a + b > LARGEST_EXACT {
            let pairs = (a * b) as f64;
            return Self::Normal(pairs / 2.0, (pairs * (a + b + 1) as f64 / 12.0).sqrt());
        }
        // The numbers of orders with U = 0, 1, 2, ... are the coefficients of a Gaussian binomial
        // coefficient, the product of (1 - q^(b + i)) / (1 - q^i) for i = 1, ..., a.
        let mut orders = vec![0.0; a * b + 1];
        orders[0] = 1.0;
        for i in 1..=a {
            for u in (b + i..orders.len()).rev() {
                orders[u] -= orders[u - b - i];
            }
            for u in i..orders.len() {
                orders[u] += orders[u - i];
            }
        }
        let all: f64 = orders.iter().sum();
        let mut sum = 0.0;
        for at_most in &mut orders {
            sum += *at_most;
            *at_most = sum / all;
        }
        Self::Exact(orders)
    }

    /// Returns the two-sided p-value of a U of at most half the pairs. A fraction, which is due to
    /// equal times, is rounded up.
    fn p_value(&self, u: f64) -> f64 {
        let tail = match self {
            Self::Exact(at_most) => at_most[u.ceil() as usize],
            // With the usual correction by half a pair.
            Self::Normal(mean, deviation) => normal_tail((mean - u - 0.5) / deviation),
        };
        (2.0 * tail).min(1.0)
    }
}

/// Returns the probability that a standard normal variable exceeds `z`, with an error below 10^-7
/// (Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.2.17).
fn normal_tail(z: f64) -> f64 {
    if z < 0.0 {
        return 1.0 - normal_tail(-z);
    }
    let t = 1.0 / (1.0 + 0.231_641_9 * z);
    let density = (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let polynomial = [1.330_274_429, -1.821_255_978, 1.781_477_937, -0.356_563_782, 0.319_381_530];
    density * polynomial.iter().fold(0.0, |sum, factor| (sum + factor) * t)
}

fn sorted(times: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut times: Vec<_> = times.collect();
    times.sort_by(f64::total_cmp);
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[test]
    fn quantiles_are_interpolated() {
        let times = [4.0, 1.0, 3.0, 2.0, 5.0];
        assert_eq!(median(&times), 3.0);
        assert_eq!(median(&times[..4]), 2.5);
        assert_eq!(quantile(&times, 0.0), 1.0);
        assert_eq!(quantile(&times, 1.0), 5.0);
        assert!((quantile(&times, 0.9) - 4.6).abs() < 1e-12);
    }

    /// The ranks of the usual tables for the sign test.
    #[rstest]
    #[case(5, None)]
    #[case(6, Some((1, 6)))]
    #[case(8, Some((1, 8)))]
    #[case(9, Some((2, 8)))]
    #[case(25, Some((8, 18)))]
    #[case(50, Some((18, 33)))]
    fn intervals_of_medians_are_tabulated(#[case] len: u32, #[case] ranks: Option<(u32, u32)>) {
        let times: Vec<_> = (1..=len).rev().map(f64::from).collect();
        let found = estimate_median(&times);
        assert_eq!(found.value, f64::from(len + 1) / 2.0);
        let ranks = ranks.map(|(low, high)| (f64::from(low), f64::from(high)));
        assert_eq!(found.low.zip(found.high), ranks);
    }

    /// Counts the ways to choose which of all ranks belong to the first sample.
    #[test]
    fn p_values_are_those_of_all_orders() {
        for (a, b) in [(1, 1), (2, 5), (4, 4), (5, 3), (6, 6)] {
            let mut ways = vec![0.0; a * b + 1];
            for set in (0..1_u32 << (a + b)).filter(|set| set.count_ones() as usize == a) {
                let first = (0..a + b).filter(|i| set >> i & 1 == 1);
                let longer = first.map(|i| a + b - i - (set >> i).count_ones() as usize);
                ways[longer.sum::<usize>()] += 1.0;
            }
            let all: f64 = ways.iter().sum();
            let distribution = Distribution::new(a, b);
            for u in 0..=a * b / 2 {
                let expected = (2.0 * ways[..=u].iter().sum::<f64>() / all).min(1.0);
                let found = distribution.p_value(u as f64);
                assert!((found - expected).abs() < 1e-12, "{a} {b} {u}: {found}, {expected}");
            }
        }
    }

    /// The largest U that is significant, in the tables of Mann and Whitney's test at 5 %,
    /// two-sided.
    #[rstest]
    #[case(3, 5, 0)]
    #[case(5, 5, 2)]
    #[case(6, 6, 5)]
    #[case(10, 10, 23)]
    #[case(12, 20, 69)]
    #[case(20, 20, 127)]
    fn significant_ranks_are_tabulated(#[case] a: usize, #[case] b: usize, #[case] u: usize) {
        let distribution = Distribution::new(a, b);
        assert!(distribution.p_value(u as f64) < ALPHA);
        assert!(distribution.p_value(u as f64 + 1.0) >= ALPHA);
    }

    /// Where the normal approximation takes over, it is close to the exact distribution.
    #[test]
    fn large_samples_continue_small_ones() {
        let exact = Distribution::new(25, 25);
        let pairs = 625.0_f64;
        let normal = Distribution::Normal(pairs / 2.0, (pairs * 51.0 / 12.0).sqrt());
        for u in 0..312 {
            let (exact, normal) = (exact.p_value(f64::from(u)), normal.p_value(f64::from(u)));
            assert!((exact - normal).abs() < 0.004, "{u}: {exact}, {normal}");
        }
    }

    /// The interval of a ratio excludes 1 exactly if the test finds a difference, and scales with
    /// the times.
    #[test]
    fn intervals_agree_with_the_test() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut significant = 0;
        for _ in 0..500 {
            let shift = 1.0 + random.f64() / 10.0;
            let mut sample = |scale: f64| -> Vec<f64> {
                (0..random.usize(1..30)).map(|_| scale * (1.0 + 0.1 * random.f64())).collect()
            };
            let (old, new) = (sample(shift), sample(1.0));
            let (ratio, p) = compare(&old, &new);
            let excludes =
                ratio.low.is_some_and(|low| low > 1.0) || ratio.high.is_some_and(|high| high < 1.0);
            assert_eq!(excludes, p < ALPHA, "{old:?} {new:?}");
            significant += usize::from(excludes);
            let tripled: Vec<_> = old.iter().map(|time| 3.0 * time).collect();
            let scaled = compare(&tripled, &new).0;
            for (scaled, plain) in [(scaled.low, ratio.low), (scaled.high, ratio.high)] {
                let same = scaled.zip(plain).is_none_or(|(s, p)| (s / p - 3.0).abs() < 1e-9);
                assert!(same && scaled.is_some() == plain.is_some());
            }
        }
        assert!((100..400).contains(&significant), "{significant}");
    }
}
