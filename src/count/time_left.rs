//! Remaining time of a count, predicted from its recent progress.

use std::collections::VecDeque;
use std::time::Duration;

/// Maximum time between two updates that counts as work. Updates are due every 20 ms, so the
/// process was suspended for most of any time much longer than this.
const LONGEST_GAP: Duration = Duration::from_millis(250);
/// Least time and number of subproblems from which the rate is computed. Numbers below a few
/// hundred would make it depend on the subproblems that happen to be among them.
const RECENT: (Duration, f64) = (Duration::from_secs(20), 400.0);

/// Working time and recent progress of a count.
#[derive(Debug)]
pub(super) struct TimeLeft {
    threads: usize,
    /// Clock at the end of the last update.
    updated: Duration,
    /// Working time, which leaves out pauses of the process.
    worked: Duration,
    /// Working times and the numbers of subproblems done by then, oldest first.
    marks: VecDeque<(Duration, f64)>,
}

impl TimeLeft {
    /// Starts a count on `threads` threads when the clock shows zero.
    pub(super) fn new(threads: usize) -> Self {
        let zero = Duration::ZERO;
        Self { threads, updated: zero, worked: zero, marks: [(zero, 0.0)].into() }
    }

    /// Advances to `now` on the clock. The process is known to have worked if it `was_busy`, and
    /// has otherwise waited for its threads.
    pub(super) fn advance(&mut self, now: Duration, was_busy: bool) {
        let gap = now.saturating_sub(self.updated);
        self.worked += if was_busy { gap } else { gap.min(LONGEST_GAP) };
        self.updated = now;
    }

    /// Returns the working time so far, and the remaining time as predicted from the numbers of
    /// subproblems `done` and `left`, or `None` if too few are done.
    ///
    /// Completed subproblems are evenly distributed over the plan (see [`order`](super::order)).
    /// Each thread has one subproblem in progress, which counts as half done. Ignoring these would
    /// bias the prediction towards short subproblems.
    pub(super) fn predict(&mut self, done: usize, left: usize) -> (Duration, Option<Duration>) {
        let running = self.threads.min(left) as f64 / 2.0;
        let (worked, reached) = (self.worked, done as f64 + running);
        let (time, number) = RECENT;
        let is_recent =
            |&(then, before): &(Duration, f64)| worked - then < time || reached - before < number;
        // The oldest mark is the last that is not recent.
        while self.marks.get(1).is_some_and(|mark| !is_recent(mark)) {
            self.marks.pop_front();
        }
        let (then, before) = self.marks[0];
        let last = self.marks[self.marks.len() - 1];
        if worked - last.0 >= time / 100 && reached > last.1 {
            self.marks.push_back((worked, reached));
        }
        if done < ((done + left) / 25).clamp(1, 8) {
            return (worked, None);
        }
        let ratio = (left as f64 - running) / (reached - before);
        (worked, Some((worked - then).mul_f64(ratio)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of subproblems in these simulations.
    const ALL: usize = 10_000;

    /// Updates the prediction fifty times a second until `done`, a function of the time in
    /// seconds, is complete. Passes the time and the prediction in seconds to `check`.
    fn simulate(done: impl Fn(f64) -> f64, clock: impl Fn(f64) -> f64, check: impl Fn(f64, f64)) {
        let mut left = TimeLeft::new(2);
        for tick in 1.. {
            let time = f64::from(tick) / 50.0;
            let reached = done(time) as usize;
            if reached >= ALL {
                break;
            }
            left.advance(Duration::from_secs_f64(clock(time)), false);
            if let (_, Some(left)) = left.predict(reached, ALL - reached) {
                check(time, left.as_secs_f64());
            }
        }
    }

    /// The process is suspended for an hour after thirty of a hundred seconds. No time is predicted
    /// from a few subproblems.
    #[test]
    fn pauses_are_left_out() {
        let clock = |time| if time < 30.0 { time } else { time + 3_600.0 };
        let check = |time, left| {
            let error: f64 = left - (100.0 - time);
            assert!(error.abs() < 1.5 || time < 1.0, "{time}: {left}");
        };
        simulate(|time| 100.0 * time, clock, check);
        assert_eq!(TimeLeft::new(2).predict(7, 1_000).1, None);
        assert_eq!(TimeLeft::new(2).predict(0, 5).1, None);
    }

    /// After thirty seconds, other processes take three quarters of the cores.
    #[test]
    fn predictions_follow_the_load() {
        let done = |time: f64| 100.0 * if time < 30.0 { time } else { 30.0 + (time - 30.0) / 4.0 };
        let check = |time, left| {
            let right: f64 = if time < 30.0 { 100.0 - time } else { 310.0 - time };
            let is_right = f64::abs(left - right) < 0.1 + 0.03 * right;
            let is_settling = time < 1.0 || (30.0..51.0).contains(&time);
            assert!(is_right || is_settling, "{time}: {left}");
        };
        simulate(done, |time| time, check);
    }

    /// While the caller saves its results for minutes, the threads go on counting. Then the process
    /// is suspended.
    #[test]
    fn long_saves_are_not_pauses() {
        let mut left = TimeLeft::new(1);
        left.advance(Duration::from_millis(20), false);
        left.advance(Duration::from_secs(200), true);
        left.advance(Duration::from_secs(900), false);
        assert_eq!(left.predict(1, 0).0, Duration::from_secs(200) + LONGEST_GAP);
    }
}
