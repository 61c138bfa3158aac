//! Forecasts of the running time, for counts whose first subproblems take too long to be timed.

use std::time::Duration;

use queens::known;
use queens::{Board, CancelToken, Engine, Run, Sampling};

use crate::options::Counting;

/// Extrapolates the wall time of a count from a smaller board, which is sampled for a second.
/// Returns `None` unless the board to be counted is empty and large enough to take minutes or more.
pub(crate) fn forecast(
    run: &Run<'_>,
    counting: &Counting,
    cancel: &CancelToken,
) -> Option<Duration> {
    let (board, engine) = (run.plan().board(), run.plan().engine());
    let is_join = engine == Engine::Join;
    let (smaller, least) = if is_join { (24, 25) } else { (18, 21) };
    if !board.is_standard() || board.n() < least {
        return None;
    }
    let mut sampling = Sampling::for_time(Duration::from_secs(1), fastrand::u64(..));
    (sampling.count_within, sampling.limit) = (Duration::ZERO, Duration::from_millis(1700));
    let sampled = counting.apply(Board::new(smaller).ok()?).engine(Some(engine));
    let sampled = sampled.prepare().ok()?.cancel_with(cancel.clone());
    let estimate = sampled.estimate(&sampling).ok()?;
    let seconds = estimate.seconds.value * growth(engine, smaller, board.n());
    Duration::try_from_secs_f64(seconds).ok()
}

/// Returns the ratio of the counting time at size `to` to that at size `from`. The cost per
/// solution is assumed to change by a constant factor each time N increases by one. This factor was
/// fitted to N = 24 to 28 for the `join` engine and to N = 17 to 19 for `bitboard`
/// (docs/RECORDS.md).
fn growth(engine: Engine, from: u32, to: u32) -> f64 {
    let cost: f64 = if engine == Engine::Join { 0.9 } else { 1.06 };
    solutions(to) / solutions(from) * cost.powf(f64::from(to) - f64::from(from))
}

/// Returns the published number of solutions, or an extrapolation if none is published.
fn solutions(n: u32) -> f64 {
    match known::values(n) {
        Some(known) => known.solutions as f64,
        None => next(solutions(n - 2), solutions(n - 1)),
    }
}

/// Extrapolates Q(N) from Q(N - 2) and Q(N - 1). Because Q(N) is about (0.143 N)^N, the ratio Q(N)
/// / Q(N - 1) grows by about 0.143 e = 0.39 for each increment of N (M. Simkin, The number of
/// n-queens configurations, 2021).
fn next(before_last: f64, last: f64) -> f64 {
    last * (last / before_last + 0.39)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_numbers_are_extrapolated_to_three_per_cent() {
        for n in 20..=27 {
            let error = next(solutions(n - 2), solutions(n - 1)) / solutions(n) - 1.0;
            assert!(error.abs() < 0.03, "N = {n}: {error}");
        }
        // This is the 95 % confidence interval from the sample for N = 28 in docs/RECORDS.md.
        assert!((2.502e18..2.606e18).contains(&solutions(28)));
    }

    /// The core hours are those of one machine with AVX-512, from docs/RECORDS.md.
    #[test]
    fn growth_fits_the_recorded_times() {
        for (n, hours) in [(25, 516.0), (26, 3_700.0), (27, 42_700.0), (28, 365_300.0)] {
            let ratio = 38.0 * growth(Engine::Join, 24, n) / hours;
            assert!((0.6..1.6).contains(&ratio), "N = {n}: {ratio}");
        }
        assert!((growth(Engine::Bitboard, 18, 18) - 1.0).abs() < 1e-12);
        let ratio = growth(Engine::Bitboard, 18, 19) / 7.46; // Q(19) / Q(18)
        assert!((1.05..1.07).contains(&ratio), "{ratio}");
    }
}
