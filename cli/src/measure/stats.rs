//! Quantiles of times. All functions require at least one time.

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
    }
}
