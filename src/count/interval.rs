//! Point estimates with confidence intervals.

/// Minimum number of values for an interval for the time per solution, which varies less
/// (docs/VERIFICATION.md).
const MIN_RATIOS: usize = 8;

/// Estimate of a nonnegative quantity, with its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Interval {
    /// Point estimate.
    pub value: f64,
    /// Confidence limits, or `None` if the sample is too small.
    pub bounds: Option<[f64; 2]>,
}

impl Interval {
    /// Creates an interval of width zero.
    pub(super) fn exact(value: f64) -> Self {
        Self { value, bounds: Some([value; 2]) }
    }

    /// Estimates the mean of independent values, with confidence limits if there are at least
    /// `least` values. Returns an exact zero if there are no values.
    ///
    /// For skewed values, Student's interval is too low: if the few large values are missing from
    /// the sample, its mean and its variance are both too small. The inverse of Hall's second
    /// transformation removes the skewness of the studentized mean (P. Hall, On the Removal of
    /// Skewness by Transformation, Journal of the Royal Statistical Society B 54, 1992). The lower
    /// limit is the mean times `exp(-below - below^2 / 2)` instead of `1 - below`. The factors
    /// differ only in the third and higher powers of `below`, but the former is always positive.
    pub(super) fn of_mean(values: &[f64], least: usize) -> Self {
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
        let [below, above] = [transformed(t), -transformed(-t)].map(|width| error * width.max(0.0));
        let is_enough = values.len() >= least && value > 0.0;
        Self {
            value,
            bounds: is_enough.then(|| {
                let low = (-below - below * below / 2.0).exp();
                [value * low, value * (1.0 + above)]
            }),
        }
    }

    /// Estimates the ratio of the sums of paired values. The sum of `seconds` must not be zero.
    pub(super) fn of_ratio(firsts: &[f64], seconds: &[f64]) -> Self {
        let (ratio, each) = (average(firsts) / average(seconds), average(seconds));
        // The residuals have a mean of zero, so the mean of these values is the ratio.
        let pairs = firsts.iter().zip(seconds);
        let residuals = pairs.map(|(first, second)| ratio + (first - ratio * second) / each);
        Self::of_mean(&residuals.collect::<Vec<_>>(), MIN_RATIOS)
    }

    /// Multiplies two independent estimates. The squares of their errors add up on a logarithmic
    /// scale.
    pub(super) fn times(self, other: Self) -> Self {
        let value = self.value * other.value;
        let error = |end: f64, value: f64| match end == value {
            true => 0.0,
            false => (end / value).ln(),
        };
        let ends = self.bounds.zip(other.bounds);
        let bounds = ends.map(|(ours, theirs)| {
            [0, 1].map(|i| {
                let error = error(ours[i], self.value).hypot(error(theirs[i], other.value));
                value * error.copysign(i as f64 - 0.5).exp()
            })
        });
        Self { value, bounds }
    }

    /// Applies an increasing function to the estimate and its limits.
    pub(super) fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self { value: f(self.value), bounds: self.bounds.map(|bounds| bounds.map(f)) }
    }
}

fn average(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Raises the deviations from the average to the power `exponent`, and returns the sum of the
/// results.
fn powers(values: &[f64], exponent: i32) -> f64 {
    let average = average(values);
    values.iter().map(|x| (x - average).powi(exponent)).sum()
}

/// Estimates the standard deviation of the population.
fn deviation(values: &[f64]) -> f64 {
    (powers(values, 2) / (values.len() as f64 - 1.0)).sqrt()
}

/// Returns the adjusted Fisher-Pearson coefficient of skewness, or 0 for fewer than three values.
fn skewness(values: &[f64]) -> f64 {
    let number = values.len() as f64;
    let cubes = (number - 1.0) * (number - 2.0) * deviation(values).powi(3);
    let skewness = number * powers(values, 3) / cubes;
    if skewness.is_finite() { skewness } else { 0.0 }
}

/// Returns the 97.5 % quantile of Student's t distribution, accurate to three digits for at least 3
/// degrees of freedom. This is expansion 26.7.5 in M. Abramowitz and I. A. Stegun, Handbook of
/// Mathematical Functions, 1964.
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

    fn around(value: f64, factor: f64) -> Interval {
        Interval { value, bounds: Some([value / factor, value * factor]) }
    }

    fn assert_near(found: Interval, [value, low, high]: [f64; 3]) {
        let [start, end] = found.bounds.unwrap();
        for (found, expected) in [(found.value, value), (start, low), (end, high)] {
            assert!((found / expected - 1.0).abs() < 2e-3, "{found} {expected}");
        }
    }

    /// The errors 2^3 and 2^4 combine to give 2^5, since 3^2 + 4^2 = 5^2.
    #[test]
    fn squared_errors_of_a_product_add_up() {
        let product = around(10.0, 8.0).times(around(5.0, 16.0));
        assert_near(product, [50.0, 50.0 / 32.0, 50.0 * 32.0]);
        let exact = Interval::exact(3.0).times(Interval::exact(0.0));
        assert_eq!(exact, Interval::exact(0.0));
        let none = Interval { value: 2.0, bounds: None };
        assert_eq!(none.times(around(5.0, 2.0)), Interval { value: 10.0, bounds: None });
    }

    #[test]
    fn ratio_of_paired_values() {
        let times = [3.0, 21.0, 6.0, 9.0].repeat(2);
        let found = Interval::of_ratio(&times, &[1.0, 7.0, 2.0, 3.0].repeat(2));
        assert_eq!(found, Interval::exact(3.0));
        // By hand: the residuals from -2 to 2 have a variance of 7.5 / 4 and no skewness. Student's
        // t is 2.306.
        let times: Vec<_> = (1..=9).map(f64::from).collect();
        let off = 2.306 * (1.875_f64 / 9.0).sqrt() / 2.5;
        assert_near(
            Interval::of_ratio(&times, &[2.0; 9]),
            [2.5, 2.5 * (-off - off * off / 2.0).exp(), 2.5 * (1.0 + off)],
        );
    }

    /// Covers values that differ by a factor of a million, and too few values for an interval.
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

    #[test]
    fn students_t_matches_tables() {
        for (freedom, t) in [(3.0, 3.182), (4.0, 2.776), (7.0, 2.365), (29.0, 2.045), (1e6, 1.960)]
        {
            assert!((student(freedom) - t).abs() < 5e-3, "{freedom}");
        }
    }

    /// Exponentially distributed values have a skewness of 2. About 2.5 % of the intervals should
    /// miss on each side.
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
        assert!((60..=160).contains(&low) && (60..=160).contains(&high), "{low} {high}");
    }
}
