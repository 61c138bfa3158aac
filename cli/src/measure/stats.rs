//! Quantiles and deviation of times. All functions require at least one time.

/// Returns the `p`-quantile of the times, with linear interpolation.
pub(crate) fn quantile(times: &[f64], p: f64) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = p * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = place.ceil() as usize;
    sorted[below] + (sorted[above] - sorted[below]) * place.fract()
}

/// Returns the median of the times.
pub(crate) fn median(times: &[f64]) -> f64 {
    quantile(times, 0.5)
}

/// Returns the sample standard deviation of the times, which is 0 for a single time.
pub(crate) fn deviation(times: &[f64]) -> f64 {
    let number = times.len() as f64;
    let mean = times.iter().sum::<f64>() / number;
    let squares = times.iter().map(|time| (time - mean).powi(2));
    (squares.sum::<f64>() / (number - 1.0).max(1.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_interpolated() {
        let times = [4.0, 1.0, 3.0, 2.0, 5.0];
        assert_eq!(median(&times), 3.0);
        assert_eq!(median(&times[..4]), 2.5);
        assert_eq!(quantile(&times, 0.0), 1.0);
        assert_eq!(quantile(&times, 1.0), 5.0);
        assert!((quantile(&times, 0.9) - 4.6).abs() < 1e-12);
        assert!((deviation(&times) - 2.5_f64.sqrt()).abs() < 1e-12);
    }
}
