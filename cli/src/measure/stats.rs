//! Statistics of times that assume nothing about how they are distributed, like those of Go's
//! `benchstat` (golang.org/x/perf).
//!
//! Intervals have a confidence of at least 95 %, and differences are significant at 5 %. All
//! functions require at least one time.

use serde::Serialize;

/// Probability of error that is accepted.
const ALPHA: f64 = 0.05;

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
    let p_values = p_values(old.len(), new.len());
    // Equal times count on both sides, so that they make no difference larger than it is.
    let [at_most, at_least] =
        [f64::le, f64::ge].map(|is| ratios.iter().filter(|r| is(r, &1.0)).count());
    let rejected = p_values.iter().take_while(|&&p| p < ALPHA).count();
    let interval = rejected.checked_sub(1).map(|i| (ratios[i], ratios[ratios.len() - 1 - i]));
    (Estimate::new(median(old) / median(new), interval), p_values[at_most.min(at_least)])
}

/// Returns the geometric mean, or `None` without numbers.
pub(crate) fn geometric_mean(numbers: &[f64]) -> Option<f64> {
    let sum: f64 = numbers.iter().map(|number| number.ln()).sum();
    (!numbers.is_empty()).then(|| (sum / numbers.len() as f64).exp())
}

/// Returns the two-sided p-values of U = 0, 1, 2, ... for two sample sizes, if all orders of the
/// times are equally likely. U is the number of pairs in which the time of the first sample is
/// longer.
fn p_values(a: usize, b: usize) -> Vec<f64> {
    // Probabilities of each U for up to `b` times of the second sample, at first with no time of
    // the first. The longest of all times is longer than the whole other sample, or adds nothing
    // (Mann and Whitney, "On a Test of Whether One of Two Random Variables Is Stochastically Larger
    // than the Other", 1947).
    let mut of_size = vec![vec![1.0]; b + 1];
    for i in 1..=a {
        of_size[0] = vec![1.0];
        for j in 1..=b {
            let share = i as f64 / (i + j) as f64;
            let mut next = vec![0.0; i * j + 1];
            for (u, p) in of_size[j].iter().enumerate() {
                next[u + j] += share * p;
            }
            for (u, p) in of_size[j - 1].iter().enumerate() {
                next[u] += (1.0 - share) * p;
            }
            of_size[j] = next;
        }
    }
    let sum = |sum: &mut f64, p: &f64| {
        *sum += p;
        Some((2.0 * *sum).min(1.0))
    };
    of_size[b].iter().scan(0.0, sum).collect()
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
            for (u, found) in p_values(a, b).into_iter().enumerate() {
                let expected = (2.0 * ways[..=u].iter().sum::<f64>() / all).min(1.0);
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
        let p_values = p_values(a, b);
        assert!(p_values[u] < ALPHA && p_values[u + 1] >= ALPHA);
    }

    /// The interval of a ratio excludes 1 exactly if the test finds a difference, even if times are
    /// equal, and scales with the times. The test does not depend on the order of the samples.
    #[test]
    fn intervals_agree_with_the_test() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut significant = 0;
        for _ in 0..100 {
            let shift = 1.0 + random.f64() / 10.0;
            let mut sample = |scale: f64| -> Vec<f64> {
                let runs = 0..random.usize(1..30);
                runs.map(|_| (100.0 * scale * (1.0 + 0.1 * random.f64())).round()).collect()
            };
            let (old, new) = (sample(shift), sample(1.0));
            let (ratio, p) = compare(&old, &new);
            let excludes =
                ratio.low.is_some_and(|low| low > 1.0) || ratio.high.is_some_and(|high| high < 1.0);
            assert_eq!(excludes, p < ALPHA, "{old:?} {new:?}");
            assert!((compare(&new, &old).1 - p).abs() < 1e-12, "{old:?} {new:?}");
            significant += usize::from(excludes);
            let scaled = compare(&old.iter().map(|time| 4.0 * time).collect::<Vec<_>>(), &new).0;
            let ends = [ratio.low, ratio.high].map(|end| end.map(|end| 4.0 * end));
            assert_eq!([scaled.low, scaled.high], ends, "{old:?} {new:?}");
        }
        assert!((20..80).contains(&significant), "{significant}");
    }
}
