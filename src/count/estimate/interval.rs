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

/// The mean of independent values and its 95 % interval; zero where there are none, which is what nothing adds up to.
pub(super) fn interval(values: &[f64]) -> Interval {
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
mod tests {
    use super::*;

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
