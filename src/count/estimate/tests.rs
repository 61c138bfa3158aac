use super::*;
use crate::count::Counter;
use crate::engine::Tally;
use crate::engine::algorithm::Setup;
use crate::known::known;

/// A plan in which subproblem i has up to 5 parts, of which number p contributes i * i + p; weights are nothing to go by.
#[derive(Debug, Clone)]
struct Parts(usize);

fn parts_sum(index: usize) -> usize {
    (0..index % 5 + 1).map(|part| index * index + part).sum()
}

impl Subproblems for Parts {
    fn len(&self) -> usize {
        self.0
    }
    fn weight(&self, index: usize) -> f64 {
        1.0 + (index % 7) as f64
    }
    fn memory(&self, _: usize) -> u64 {
        0
    }
    fn name(&self) -> String {
        "parts".to_owned()
    }
    fn hash(&self, _: &mut crc32fast::Hasher) {}
    fn ready(&self, _: Setup, _: &CancelToken) -> Box<dyn Solve> {
        Box::new(self.clone())
    }
}

impl Solve for Parts {
    fn parts(&self, index: usize) -> usize {
        index % 5 + 1
    }
    fn worker(&self) -> Box<dyn Work + '_> {
        Box::new(self.clone())
    }
}

impl Work for Parts {
    fn count(&mut self, index: usize, part: usize, _: &CancelToken) -> Option<Tally> {
        Some(Tally::of((index * index + part) as u64))
    }
}

fn sampling(draws: usize, seed: u64) -> Sampling {
    let until = Until::Draws(draws);
    Sampling { until, seed }
}

/// The mean of estimates of many seeds is the truth, where few parts of a subproblem are counted too, and where a sample
/// stands for very many subproblems.
#[test]
fn estimates_are_unbiased() {
    for len in [20, 3 * MOST_WEIGHED] {
        let plan = Parts(len);
        let truth: f64 = (0..len).map(|index| parts_sum(index) as f64).sum();
        let seeds = if len == 20 { 4000 } else { 40 };
        let mut values = Vec::new();
        for seed in 0..seeds {
            let frame = Frame::new(&plan, seed);
            let mut random = fastrand::Rng::with_seed(seed);
            for _ in 0..if len == 20 { 1 } else { 400 } {
                let (place, factor) = frame.draw(&mut random);
                let all = plan.parts(place);
                let parts = random.choose_multiple(0..all, all.min(2));
                let never = CancelToken::new();
                let measured = measure(&mut plan.clone(), place, &parts, &never).unwrap();
                let share = all as f64 / parts.len() as f64;
                values.push(factor * share * measured.solutions);
            }
        }
        let mean = interval(&values);
        let error = (mean.high - mean.low) / 2.0 / truth;
        assert!(error < 0.1, "{error}");
        assert!(mean.low < truth && truth < mean.high, "{mean:?} {truth}");
    }
}

/// However little time there is, some draws are made.
#[test]
fn the_least_is_drawn_in_no_time() {
    let plan = Parts(20);
    let frame = Frame::new(&plan, 1);
    let until = Until::Time(Duration::ZERO);
    let sampler = Sampler::new(&frame, Sampling { until, seed: 1 }, 1);
    sampler.work(&plan, &CancelToken::new()).unwrap();
    assert_eq!(sampler.into_draws().len(), LEAST_DRAWS);
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
