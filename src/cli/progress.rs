//! Progress on standard error, drawn by one thread that reads atomics.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::Progress;
use crate::report::human;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::options::When;

/// A count shorter than this shows no progress: a bar that flashes by tells nothing.
const SHOW_AFTER: Duration = Duration::from_millis(400);
/// How often a bar is redrawn.
const REDRAW_EVERY: Duration = Duration::from_millis(100);
/// How often a line is printed where standard error is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(2);
/// Steps of the bar.
const STEPS: f64 = 10_000.0;

/// Shows how far a count is, until dropped.
pub(crate) struct Display(Option<(Arc<State>, JoinHandle<()>)>);

/// What the drawing thread reads.
#[derive(Default)]
struct State {
    /// Work done, in [`STEPS`] of the whole.
    done: AtomicU64,
    /// The part of it that was done before this run.
    resumed: AtomicU64,
    /// Solutions found in this run so far; beyond 64 bits the display is wrong, not the count.
    solutions: AtomicU64,
    known: AtomicBool,
    /// Subproblems counted twice, and how many are to be.
    double_checked: Mutex<Option<(usize, usize)>>,
    /// When the count was last saved.
    saved: Mutex<Option<Instant>>,
    ended: Mutex<bool>,
    wake: Condvar,
}

impl Display {
    /// Shows the progress of the count for N = `n`, when asked for or, by default, on a terminal that can redraw a line.
    pub(crate) fn new(when: When, n: u32) -> Self {
        let can_redraw = std::io::stderr().is_terminal() && !is_dumb();
        let draw: fn(&State, u32) = match (when, can_redraw) {
            (When::Never, _) | (When::Auto, false) => return Self(None),
            (When::Auto | When::Always, true) => draw_bar,
            (When::Always, false) => print_lines,
        };
        let state = Arc::new(State::default());
        let drawer = {
            let state = Arc::clone(&state);
            std::thread::spawn(move || draw(&state, n))
        };
        Self(Some((state, drawer)))
    }

    /// Takes the news; drawing them is another thread's work.
    pub(crate) fn update(&self, progress: &Progress<'_>) {
        if let Some((state, _)) = &self.0 {
            let steps = |fraction: f64| (fraction * STEPS) as u64;
            state
                .done
                .store(steps(progress.fraction), Ordering::Relaxed);
            state
                .resumed
                .store(steps(progress.resumed), Ordering::Relaxed);
            let solutions = u64::try_from(progress.found).unwrap_or(u64::MAX);
            state.solutions.store(solutions, Ordering::Relaxed);
            *lock(&state.double_checked) = progress.double_checked;
            state.known.store(true, Ordering::Relaxed);
        }
    }

    /// Takes note that the count has just been saved.
    pub(crate) fn saved(&self) {
        if let Some((state, _)) = &self.0 {
            *lock(&state.saved) = Some(Instant::now());
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if let Some((state, drawer)) = self.0.take() {
            *lock(&state.ended) = true;
            state.wake.notify_all();
            let _ = drawer.join();
        }
    }
}

impl State {
    /// Waits until it is time to draw again; `false` if the count has ended.
    fn wait(&self, time: Duration) -> bool {
        let ended = lock(&self.ended);
        let (ended, _) = self
            .wake
            .wait_timeout_while(ended, time, |ended| !*ended)
            .unwrap_or_else(PoisonError::into_inner);
        !*ended
    }

    /// Percent, rate and time left, as far as they are known after `elapsed`.
    fn describe(&self, elapsed: Duration) -> String {
        if let Some((checked, of)) = *lock(&self.double_checked) {
            return format!("counting twice, {checked} of {of} subproblems");
        }
        let done = self.done.load(Ordering::Relaxed) as f64 / STEPS;
        let resumed = self.resumed.load(Ordering::Relaxed) as f64 / STEPS;
        let rate = self.solutions.load(Ordering::Relaxed) as f64 / elapsed.as_secs_f64();
        let mut text = format!("{:5.1} %", 100.0 * done);
        // What an earlier run did says nothing about this machine's speed.
        if done > resumed {
            let left = elapsed.as_secs_f64() * (1.0 - done) / (done - resumed);
            text += &format!(", {} solutions/s", human::si(rate));
            text += &format!(", {} left", human::whole_seconds(left.max(1.0)));
        }
        if let Some(saved) = *lock(&self.saved) {
            let ago = saved.elapsed().as_secs_f64();
            text += &match ago.round() {
                0.0 => ", saved now".to_owned(),
                _ => format!(", saved {} ago", human::whole_seconds(ago)),
            };
        }
        text
    }
}

/// Redraws one line of a terminal.
fn draw_bar(state: &State, n: u32) {
    let started = Instant::now();
    if !state.wait(SHOW_AFTER) {
        return;
    }
    let target = ProgressDrawTarget::stderr();
    let bar = ProgressBar::with_draw_target(Some(STEPS as u64), target);
    let style = ProgressStyle::with_template("{prefix} [{bar:32}] {msg}")
        .expect("the template is well-formed")
        .progress_chars("=> ");
    bar.set_style(style);
    bar.set_prefix(format!("N = {n}"));
    while state.wait(REDRAW_EVERY) {
        if state.known.load(Ordering::Relaxed) {
            bar.set_position(state.done.load(Ordering::Relaxed));
            bar.set_message(state.describe(started.elapsed()));
        }
    }
    bar.finish_and_clear();
}

/// Prints a line now and then, for logs.
fn print_lines(state: &State, n: u32) {
    let started = Instant::now();
    while state.wait(LINE_EVERY) {
        // A closed standard error is no reason to stop counting.
        let _ = writeln!(
            std::io::stderr(),
            "N = {n}: {}",
            state.describe(started.elapsed())
        );
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A terminal that cannot move its cursor.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_none_or(|term| term == "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The state of a count with `done` and `resumed` percent of the work done.
    fn state(done: u64, resumed: u64) -> State {
        let state = State::default();
        let steps = |percent: u64| percent * STEPS as u64 / 100;
        state.done.store(steps(done), Ordering::Relaxed);
        state.resumed.store(steps(resumed), Ordering::Relaxed);
        state.solutions.store(1_000, Ordering::Relaxed);
        state
    }

    #[test]
    fn the_time_left_counts_only_work_done_since() {
        // Ten percent in ten seconds leave forty.
        let text = state(60, 50).describe(Duration::from_secs(10));
        assert_eq!(text, " 60.0 %, 100 solutions/s, 40 s left");
        // Nothing done yet says nothing about the time left.
        let text = state(50, 50).describe(Duration::from_secs(10));
        assert_eq!(text, " 50.0 %");
    }

    #[test]
    fn the_last_save_is_shown() {
        let state = state(60, 50);
        *lock(&state.saved) = Some(Instant::now());
        let text = state.describe(Duration::from_secs(10));
        assert!(text.contains("saved"), "{text}");
    }
}
