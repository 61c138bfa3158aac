//! A mean and how far to trust it.

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

impl Interval {
    /// The interval `half` to either side of what cannot be negative.
    fn around(value: f64, half: f64) -> Self {
        Self {
            value,
            low: (value - half).max(0.0),
            high: value + half,
        }
    }

    /// The product of two independent estimates.
    pub(super) fn times(self, other: Self) -> Self {
        let half = |of: Self| of.high - of.value;
        let (by_self, by_other) = (half(self) * other.value, half(other) * self.value);
        Self::around(self.value * other.value, by_self.hypot(by_other))
    }
}

/// The mean of independent values and its 95 % interval; zero where there are none, which is what nothing adds up to.
pub(super) fn interval(values: impl ExactSizeIterator<Item = f64> + Clone) -> Interval {
    let number = values.len() as f64;
    // Not `sum`: that of nothing is minus zero.
    let value = values.clone().fold(0.0, |sum, x| sum + x) / number.max(1.0);
    let squares: f64 = values.clone().map(|x| (x - value).powi(2)).sum();
    let half = match values.len() {
        0 => 0.0,
        1 => f64::INFINITY,
        _ => student(number - 1.0) * (squares / (number - 1.0) / number).sqrt(),
    };
    Interval::around(value, half)
}

/// The ratio of what the first of two values, drawn together, adds up to, to what the second does; neither is negative, and
/// some second one is not zero.
pub(super) fn ratio(pairs: impl ExactSizeIterator<Item = (f64, f64)> + Clone) -> Interval {
    let firsts = pairs.clone().map(|(first, _)| first).sum::<f64>();
    let seconds = pairs.clone().map(|(_, second)| second).sum::<f64>();
    let value = firsts / seconds;
    let mean = seconds / pairs.len() as f64;
    let left = interval(pairs.map(|(first, second)| first - value * second));
    Interval::around(value, (left.high - left.value) / mean)
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

    /// The errors of a product add up in squares, and what is in proportion has a ratio without error.
    #[test]
    fn products_and_ratios() {
        let product = Interval::around(10.0, 0.3).times(Interval::around(5.0, 0.2));
        let expected = Interval::around(50.0, 50.0 * 0.05);
        assert!((product.value - expected.value).abs() < 1e-9);
        assert!((product.low - expected.low).abs() < 1e-9, "{product:?}");
        let of = |second: &f64| (3.0 * second, *second);
        let found = ratio([1.0, 7.0, 2.0].iter().map(of));
        assert_eq!(found, Interval::around(3.0, 0.0));
        // By hand: what is left of the firsts is -2 to 2, with a variance of 2.5; Student's t is 2.776.
        let found = ratio(
            [2.0, 3.0, 4.0, 5.0, 6.0]
                .map(|first| (first, 2.0))
                .into_iter(),
        );
        assert_eq!(found.value, 2.0);
        let half = 2.776 * (2.5_f64 / 5.0).sqrt() / 2.0;
        assert!((found.high - 2.0 - half).abs() < 1e-3, "{found:?}");
    }

    /// From tables of the distribution.
    #[test]
    fn students_t_is_as_tabulated() {
        for (freedom, t) in [
            (4.0, 2.776),
            (7.0, 2.365),
            (10.0, 2.228),
            (29.0, 2.045),
            (1e6, 1.960),
        ] {
            assert!((student(freedom) - t).abs() < 6e-4, "{freedom}");
        }
    }
}
