//! Draws: subproblems taken at random and counted.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::count::crew::lock;
use crate::count::error::CountError;
use crate::count::pool::Team;
use crate::engine::CancelToken;
use crate::engine::algorithm::{Solve, Subproblems, Work};
use crate::machine::clock::thread_seconds;

/// How much to sample, and which.
#[derive(Debug, Clone, Copy)]
pub struct Sampling {
    /// When there is enough.
    pub until: Until,
    /// Where the random numbers begin.
    pub seed: u64,
}

/// When a sample is large enough.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Until {
    /// Draws are begun for so long, but 5 at least and 65,536 at most.
    Time(Duration),
    /// So many draws of all parts of a subproblem: what is drawn depends on the seed alone.
    Draws(usize),
}

/// Draws that are made whatever the time: fewer tell nothing of their spread.
const LEAST_DRAWS: usize = 5;
/// As many leave an error below half a per cent in most plans.
const MOST_DRAWS: usize = 1 << 16;
/// Each draw may take this part of the time: parts are counted until it does.
const DRAWS_AIMED_AT: f64 = 100.0;
/// Subproblems that stand for all where these are more.
const MOST_WEIGHED: usize = 1 << 16;

/// The subproblems that draws are made from.
pub(super) struct Frame {
    /// Their places in the plan.
    places: Vec<usize>,
    /// The weight of each and all before it.
    sums: Vec<f64>,
    /// How many subproblems of the plan each stands for.
    scale: f64,
}

impl Frame {
    /// All subproblems, or evenly spaced ones from a random one on.
    pub(super) fn new(all: &dyn Subproblems, seed: u64) -> Self {
        let len = all.len();
        let size = len.min(MOST_WEIGHED);
        let scale = len as f64 / size.max(1) as f64;
        let start = fastrand::Rng::with_seed(seed).f64();
        let place = |i: usize| (((i as f64 + start) * scale) as usize).min(len - 1);
        let places: Vec<_> = (0..size).map(place).collect();
        let mut sum = 0.0;
        let weights = places.iter().map(|&place| {
            sum += all.weight(place);
            sum
        });
        Self {
            sums: weights.collect(),
            places,
            scale,
        }
    }

    /// A place drawn in proportion to its weight, and by how much what is found there is multiplied to stand for all.
    pub(super) fn draw(&self, random: &mut fastrand::Rng) -> (usize, f64) {
        let all = self.sums.last().copied().unwrap_or_default();
        let at = random.f64() * all;
        let i = self.sums.partition_point(|&sum| sum <= at);
        let i = i.min(self.sums.len() - 1);
        let before = if i == 0 { 0.0 } else { self.sums[i - 1] };
        (self.places[i], self.scale * all / (self.sums[i] - before))
    }
}

/// What a draw tells of all subproblems together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Draw {
    pub(super) solutions: f64,
    /// Of one thread that has a core.
    pub(super) seconds: f64,
    /// Seconds that the subproblem itself would take.
    pub(super) own: f64,
    /// Seconds for which the draw itself had a core, and those that it took.
    pub(super) ran: f64,
    pub(super) took: f64,
}

/// Hands out draws, one after the other, and takes in what they tell.
struct Sampler<'a> {
    frame: &'a Frame,
    sampling: Sampling,
    what: What,
    started: Instant,
    /// Seconds that a draw should take at least, where the subproblem has parts enough.
    aim: f64,
    state: Mutex<State>,
}

/// What is counted of a subproblem that is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// Some of its parts, or all, which tells how long it takes too.
    Parts,
    /// One of its samples.
    Sample,
}

struct State {
    random: fastrand::Rng,
    begun: usize,
    draws: Vec<Draw>,
    /// Seconds of all preparations, and of all parts; their numbers.
    prepared: (f64, usize),
    counted: (f64, usize),
}

impl<'a> Sampler<'a> {
    fn new(frame: &'a Frame, sampling: Sampling, what: What, threads: usize) -> Self {
        Self {
            frame,
            sampling,
            what,
            started: Instant::now(),
            aim: match sampling.until {
                Until::Time(time) => time.as_secs_f64() * threads as f64 / DRAWS_AIMED_AT,
                Until::Draws(_) => f64::INFINITY,
            },
            state: Mutex::new(State {
                random: fastrand::Rng::with_seed(sampling.seed),
                begun: 0,
                draws: Vec::new(),
                prepared: (0.0, 0),
                counted: (0.0, 0),
            }),
        }
    }

    /// The next draw: a place, what it is multiplied by, and the parts to count of it.
    fn begin(&self, solver: &dyn Solve) -> Option<(usize, f64, Vec<Part>)> {
        let mut state = lock(&self.state);
        let is_enough = match self.sampling.until {
            Until::Time(time) => {
                let is_late = self.started.elapsed() >= time;
                is_late && state.begun >= LEAST_DRAWS || state.begun >= MOST_DRAWS
            }
            Until::Draws(draws) => state.begun >= draws,
        };
        if is_enough {
            return None;
        }
        state.begun += 1;
        let (place, factor) = self.frame.draw(&mut state.random);
        let number = self.parts_wanted(&state);
        // Of their own, so that the places drawn depend on the seed alone.
        let mut random = state.random.fork();
        let parts = match self.what {
            What::Parts => draw_parts(solver, place, number, &mut random),
            What::Sample => vec![draw_sample(solver, &mut random)],
        };
        Some((place, factor, parts))
    }

    /// As many parts as take as long as preparing them, and as long as a draw should take; one as long as nothing is known.
    fn parts_wanted(&self, state: &State) -> usize {
        let average = |(sum, number): (f64, usize)| sum / number as f64;
        if self.aim.is_infinite() {
            return usize::MAX;
        }
        if state.counted.1 == 0 {
            return 1;
        }
        let time = average(state.prepared).max(self.aim);
        (time / average(state.counted)).ceil() as usize
    }

    /// Makes draws on this thread until there are enough, or `None` if cancelled.
    fn work(&self, solver: &dyn Solve, cancel: &CancelToken) -> Option<()> {
        let mut worker = solver.worker();
        while let Some((place, factor, parts)) = self.begin(solver) {
            let begun = Instant::now();
            let measured = measure(&mut *worker, place, self.what, &parts, cancel)?;
            let own = measured.prepared + measured.all_parts;
            let mut state = lock(&self.state);
            state.prepared.0 += measured.prepared;
            state.prepared.1 += 1;
            state.counted.0 += measured.counted;
            state.counted.1 += parts.len();
            state.draws.push(Draw {
                solutions: factor * measured.solutions,
                seconds: factor * own,
                own,
                ran: measured.prepared + measured.counted,
                took: begun.elapsed().as_secs_f64(),
            });
        }
        Some(())
    }

    fn into_draws(self) -> Vec<Draw> {
        let state = self.state.into_inner();
        state.expect("a panic would have ended the sample").draws
    }
}

/// A part to count, and by how much what it comes to is multiplied to stand for all.
type Part = (usize, f64);

/// Parts drawn independently, each in proportion to its share; all of them if at least as many are wanted.
fn draw_parts(
    solver: &dyn Solve,
    place: usize,
    wanted: usize,
    random: &mut fastrand::Rng,
) -> Vec<Part> {
    let number = solver.parts(place);
    if wanted >= number {
        return (0..number).map(|part| (part, 1.0)).collect();
    }
    let mut draw = || {
        let mut rest = random.f64();
        let is_drawn = |&part: &usize| {
            rest -= solver.part_share(part);
            rest < 0.0
        };
        let part = (0..number).find(is_drawn).unwrap_or(number - 1);
        (part, 1.0 / (wanted as f64 * solver.part_share(part)))
    };
    (0..wanted.max(1)).map(|_| draw()).collect()
}

/// One of a subproblem's samples.
fn draw_sample(solver: &dyn Solve, random: &mut fastrand::Rng) -> Part {
    let samples = solver.samples();
    (random.usize(..samples), samples as f64)
}

/// What parts tell of their subproblem, and the seconds for what they share, for themselves, and for all parts.
struct Measured {
    solutions: f64,
    prepared: f64,
    counted: f64,
    all_parts: f64,
}

fn measure(
    worker: &mut dyn Work,
    place: usize,
    what: What,
    parts: &[Part],
    cancel: &CancelToken,
) -> Option<Measured> {
    let started = thread_seconds();
    if what == What::Parts {
        worker.prepare(place, cancel);
    }
    let mut measured = Measured {
        solutions: 0.0,
        prepared: thread_seconds() - started,
        counted: 0.0,
        all_parts: 0.0,
    };
    for &(part, factor) in parts {
        let started = thread_seconds();
        let tally = match what {
            What::Parts => worker.count(place, part, cancel)?,
            What::Sample => worker.sample(place, part, cancel)?,
        };
        let seconds = thread_seconds() - started;
        measured.solutions += factor * tally.count as f64;
        measured.counted += seconds;
        measured.all_parts += factor * seconds;
    }
    Some(measured)
}

/// Makes draws on all threads of a team, or `None` if cancelled.
pub(super) fn sample(
    frame: &Frame,
    sampling: Sampling,
    what: What,
    solver: &dyn Solve,
    team: &Team,
) -> Result<Option<Vec<Draw>>, CountError> {
    let sampler = Sampler::new(frame, sampling, what, team.size());
    let ended = team.on_threads(|_| sampler.work(solver, &team.cancel))?;
    let ended: Option<()> = ended.into_iter().collect();
    Ok(ended.map(|()| sampler.into_draws()))
}

#[cfg(test)]
mod tests {
    use super::super::interval::interval;
    use super::*;
    use crate::engine::Tally;
    use crate::engine::algorithm::Setup;

    /// A plan in which a subproblem has 3 parts, of which number p contributes i * i + p; weights and shares are nothing to go by.
    #[derive(Debug, Clone)]
    struct Parts(usize);

    fn parts_sum(index: usize) -> usize {
        (0..3).map(|part| index * index + part).sum()
    }

    impl Subproblems for Parts {
        fn len(&self) -> usize {
            self.0
        }
        fn weight(&self, index: usize) -> f64 {
            1.0 + (index % 7) as f64
        }
        fn memory(&self, _: usize, _: u64) -> u64 {
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
        fn parts(&self, _: usize) -> usize {
            3
        }
        fn part_share(&self, part: usize) -> f64 {
            [0.5, 0.2, 0.3][part]
        }
        fn samples(&self) -> usize {
            2
        }
        fn worker(&self) -> Box<dyn Work + '_> {
            Box::new(self.clone())
        }
    }

    impl Work for Parts {
        fn count(&mut self, index: usize, part: usize, _: &CancelToken) -> Option<Tally> {
            Some(Tally::of((index * index + part) as u64))
        }
        /// All of it is in the second.
        fn sample(&mut self, index: usize, sample: usize, _: &CancelToken) -> Option<Tally> {
            Some(Tally::of((sample * parts_sum(index)) as u64))
        }
    }

    /// The mean over many draws is the truth, where few parts of a subproblem are counted too, and where a sample stands for very
    /// many subproblems.
    #[test]
    fn draws_are_unbiased() {
        for (what, len, frames, draws) in [
            (What::Parts, 20, 4000, 1),
            (What::Sample, 20, 4000, 1),
            (What::Parts, 3 * MOST_WEIGHED, 40, 400),
        ] {
            let plan = Parts(len);
            let truth: f64 = (0..len).map(|index| parts_sum(index) as f64).sum();
            let mut values = Vec::new();
            for seed in 0..frames {
                let frame = Frame::new(&plan, seed);
                let mut random = fastrand::Rng::with_seed(seed);
                for _ in 0..draws {
                    let (place, factor) = frame.draw(&mut random);
                    let parts = match what {
                        What::Parts => draw_parts(&plan, place, 2, &mut random),
                        What::Sample => vec![draw_sample(&plan, &mut random)],
                    };
                    let (never, worker) = (CancelToken::new(), &mut plan.clone());
                    let measured = measure(worker, place, what, &parts, &never).unwrap();
                    values.push(factor * measured.solutions);
                }
            }
            let mean = interval(values.into_iter());
            assert!(mean.high - mean.low < 0.2 * truth, "{mean:?} {truth}");
            assert!(mean.low < truth && truth < mean.high, "{mean:?} {truth}");
        }
    }

    /// However little time there is, some draws are made.
    #[test]
    fn the_least_is_drawn_in_no_time() {
        let plan = Parts(20);
        let frame = Frame::new(&plan, 1);
        let until = Until::Time(Duration::ZERO);
        let sampler = Sampler::new(&frame, Sampling { until, seed: 1 }, What::Parts, 1);
        sampler.work(&plan, &CancelToken::new()).unwrap();
        assert_eq!(sampler.into_draws().len(), LEAST_DRAWS);
    }
}
