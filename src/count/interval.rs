//! Point estimates with confidence intervals.

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

/// Minimum number of values for a confidence interval. The variance does not reveal that a sample
/// is too small: if the few large values are missing, the variance is small too.
const MIN_VALUES: usize = 8;

impl Interval {
    /// Estimates the mean of independent values, with confidence limits by Student's t if there are
    /// at least eight values. `drift` is the relative standard deviation of an error that all
    /// values share. The mean of no values is exactly zero.
    pub(super) fn of_mean(values: &[f64], drift: f64) -> Self {
        let number = values.len() as f64;
        if values.is_empty() {
            return Self { value: 0.0, bounds: Some([0.0; 2]) };
        }
        let value = values.iter().sum::<f64>() / number;
        let squares: f64 = values.iter().map(|x| (x - value).powi(2)).sum();
        let error = (squares / (number - 1.0) / number).sqrt().hypot(drift * value);
        let width = student(number - 1.0) * error;
        let is_enough = values.len() >= MIN_VALUES;
        Self { value, bounds: is_enough.then(|| [(value - width).max(0.0), value + width]) }
    }

    /// Applies an increasing function to the estimate and its limits.
    pub(super) fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self { value: f(self.value), bounds: self.bounds.map(|bounds| bounds.map(f)) }
    }
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

    /// By hand: the values 1 to 9 have a variance of 7.5, and Student's t is 2.306.
    #[test]
    fn intervals_are_students() {
        let values: Vec<_> = (1..=9).map(f64::from).collect();
        for (drift, variance) in [(0.0, 7.5 / 9.0), (0.1, 7.5 / 9.0 + 0.25)] {
            let found = Interval::of_mean(&values, drift);
            let [low, high] = found.bounds.unwrap();
            let width = 2.306 * f64::sqrt(variance);
            assert!((found.value - 5.0).abs() < 1e-9);
            assert!((low - 5.0 + width).abs() < 5e-3 && (high - 5.0 - width).abs() < 5e-3);
        }
        assert!(Interval::of_mean(&values[..7], 0.0).bounds.is_none());
        assert_eq!(Interval::of_mean(&[4.0; 8], 0.0).bounds, Some([4.0; 2]));
        // No quantity is negative.
        let skewed = [&[900.0][..], &[1.0; 7]].concat();
        assert_eq!(Interval::of_mean(&skewed, 0.0).bounds.unwrap()[0], 0.0);
    }

    #[test]
    fn students_t_matches_tables() {
        for (freedom, t) in [(3.0, 3.182), (4.0, 2.776), (7.0, 2.365), (29.0, 2.045), (1e6, 1.960)]
        {
            assert!((student(freedom) - t).abs() < 5e-3, "{freedom}");
        }
    }
}
