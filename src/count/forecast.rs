//! How far a count is and how long it will take yet, learnt from what has been measured in this run.
//!
//! A thread's time for a subproblem is taken to be in proportion to the subproblem's weight; the factor is what has been
//! measured. Those that are done are a fair sample, since they are spread evenly over the plan ([`order`](super::order)),
//! but for one thing: among those begun, the long ones are still running. These count for what their weights let expect, or
//! for what they have taken already, if that is more (imputation of censored times, as J. Buckley and I. James do it in
//! Linear Regression with Censored Data, Biometrika 66, 1979).

use std::time::Duration;

use super::plan::Plan;
use super::pool::{Piece, Underway};

/// What is known of the work of a run.
#[derive(Debug)]
pub(super) struct Forecast {
    plan: Plan,
    threads: usize,
    /// Subproblems to do in this run, and those of them that are left.
    pending: usize,
    left: usize,
    /// The weight of all that are to do, if it was added up, and that of one on average.
    exact: Option<f64>,
    average: f64,
    /// The subproblems done in this run: their number, weight, and the time that threads took for them, in seconds.
    done: usize,
    done_weight: f64,
    spent: f64,
}

/// Weights are added up of this many subproblems at most.
const MOST_WEIGHED: usize = 4096;
/// So many subproblems done, or parts that make up as many, tell something about the others; where there are few, this part
/// of them.
const TELLING: f64 = 8.0;
const TELLING_PART: f64 = 0.04;

impl Forecast {
    /// For a run that has `number` subproblems `pending` and counts them in this order, on some threads.
    pub(super) fn new(
        plan: &Plan,
        pending: impl Iterator<Item = usize>,
        number: usize,
        threads: usize,
    ) -> Self {
        let sample = pending.take(MOST_WEIGHED);
        let (weighed, sum) = sample.fold((0_usize, 0.0), |(weighed, sum), index| {
            (weighed + 1, sum + plan.weight(index))
        });
        Self {
            plan: plan.clone(),
            threads,
            pending: number,
            left: number,
            exact: (weighed == number).then_some(sum),
            average: sum / weighed.max(1) as f64,
            done: 0,
            done_weight: 0.0,
            spent: 0.0,
        }
    }

    /// Takes note of a subproblem that is done, and how long a thread took for it.
    pub(super) fn enter(&mut self, index: usize, spent: Duration) {
        self.done += 1;
        self.left -= 1;
        self.done_weight += self.plan.weight(index);
        self.spent += spent.as_secs_f64();
    }

    /// The part of the work to do in this run that is done, from 0 to 1. It never falls, and is 1 only when nothing is left.
    pub(super) fn fraction(&self) -> f64 {
        if self.left == 0 {
            return 1.0;
        }
        let share = self.done_weight / (self.done_weight + self.weight_left());
        share.min(1.0 - f64::EPSILON)
    }

    fn weight_left(&self) -> f64 {
        let average = self.left as f64 * self.average;
        self.exact
            .map_or(average, |all| (all - self.done_weight).max(0.0))
    }

    /// How long the run will take yet, or `None` as long as too little has been measured to tell.
    pub(super) fn time_left(&self, underway: &Underway) -> Option<Duration> {
        let weigh = |piece: &Piece| {
            let weight = piece.share * self.plan.weight(piece.index);
            (weight, piece.spent.as_secs_f64())
        };
        let sum = |pieces: &[Piece]| {
            let sums = pieces.iter().map(weigh);
            sums.fold((0.0, 0.0), |sum, (w, t)| (sum.0 + w, sum.1 + t))
        };
        let (parts_weight, parts_spent) = sum(&underway.parts);
        let known_weight = self.done_weight + parts_weight;
        let known_spent = self.spent + parts_spent;
        let measured = self.done as f64 + underway.parts.iter().map(|part| part.share).sum::<f64>();
        let telling = (TELLING_PART * self.pending as f64).clamp(1.0, TELLING);
        if measured < telling || known_weight <= 0.0 {
            return None;
        }
        let running: Vec<_> = underway.running.iter().map(weigh).collect();
        let running_weight: f64 = running.iter().map(|(weight, _)| weight).sum();
        let mut rate = known_spent / known_weight;
        // It rises to its limit by steps that become smaller fast.
        for _ in 0..8 {
            let expected = running.iter().map(|&(w, t)| t.max(rate * w));
            rate = (known_spent + expected.sum::<f64>()) / (known_weight + running_weight);
        }
        let rests = running.iter().map(|&(w, t)| (rate * w - t).max(0.0));
        let longest = rests.clone().fold(0.0, f64::max);
        let waiting = (self.weight_left() - parts_weight - running_weight).max(0.0);
        let work = rate * waiting + rests.sum::<f64>();
        // No thread can help another with the last ones.
        let seconds = (work / self.threads as f64).max(longest);
        Duration::try_from_secs_f64(seconds).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::tests::plan;
    use super::*;

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    fn forecast(threads: usize) -> Forecast {
        let plan = plan(8);
        Forecast::new(&plan, 0..plan.len(), plan.len(), threads)
    }

    /// A thread's time for a subproblem, or for a part of it, at a rate of one second for each unit of weight.
    fn piece(forecast: &Forecast, index: usize, share: f64, spent: f64) -> Piece {
        let spent = seconds(spent * share * forecast.plan.weight(index));
        Piece {
            index,
            share,
            spent,
        }
    }

    #[test]
    fn time_left_is_in_proportion_to_what_was_measured() {
        let mut forecast = forecast(2);
        let idle = Underway::default();
        assert_eq!(forecast.time_left(&idle), None);
        let all: f64 = (0..forecast.pending).map(|i| forecast.plan.weight(i)).sum();
        let mut done = 0.0;
        for index in 0..forecast.pending {
            let piece = piece(&forecast, index, 1.0, 1.0);
            done += piece.spent.as_secs_f64();
            let before = forecast.fraction();
            forecast.enter(index, piece.spent);
            assert!(forecast.fraction() > before);
            assert_eq!(forecast.fraction() == 1.0, index + 1 == forecast.pending);
            if let Some(left) = forecast.time_left(&idle) {
                assert!((left.as_secs_f64() - (all - done) / 2.0).abs() < 1e-6);
            } else {
                assert!(index < 1);
            }
        }
    }

    #[test]
    fn what_is_running_counts_too() {
        let mut forecast = forecast(1);
        for index in 0..5 {
            let spent = piece(&forecast, index, 1.0, 1.0).spent;
            forecast.enter(index, spent);
        }
        let left = |underway| forecast.time_left(&underway).unwrap().as_secs_f64();
        let running = |spent| Underway {
            running: vec![piece(&forecast, 5, 1.0, spent)],
            parts: Vec::new(),
        };
        let idle = left(Underway::default());
        // Half of what is expected: it says nothing new, but that half is done.
        let half = piece(&forecast, 5, 1.0, 0.5).spent.as_secs_f64();
        assert!((left(running(0.5)) - (idle - half)).abs() < 1e-6);
        // Ten times as long as expected: others will take longer too.
        assert!(left(running(10.0)) > idle);
        // A part that is done.
        let parts = vec![piece(&forecast, 5, 0.25, 1.0)];
        let part = parts[0].spent.as_secs_f64();
        let running = Vec::new();
        assert!((left(Underway { running, parts }) - (idle - part)).abs() < 1e-6);
    }
}
