use super::*;
use crate::count::Counter;
use crate::known::known;

fn sampling(draws: usize, seed: u64) -> Sampling {
    let until = Until::Draws(draws);
    Sampling { until, seed }
}

/// 200 seeds: the interval holds the true value 90 to 98 times in 100.
#[test]
fn intervals_hold_what_they_promise() {
    let run = Counter::new(12).unwrap().threads(1).prepare().unwrap();
    let truth = known(12).unwrap().solutions as f64;
    let held = (0..200).filter(|&seed| {
        let Interval { low, high, .. } = run.estimate(&sampling(30, seed)).unwrap().solutions;
        low <= truth && truth <= high
    });
    let held = held.count();
    assert!((180..=196).contains(&held), "{held}");
}

#[test]
fn nothing_is_estimated_as_nothing() {
    let run = Counter::new(2).unwrap().prepare().unwrap();
    let estimate = run.estimate(&sampling(0, 1)).unwrap();
    assert_eq!((estimate.draws, estimate.solutions.high), (0, 0.0));
    assert_eq!(estimate.shards(Duration::from_secs(1)), 1);
}
