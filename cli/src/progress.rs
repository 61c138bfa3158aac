//! Progress on standard error. On a terminal, indicatif redraws the line in a thread of its own, so
//! a blocked terminal does not delay the count.

use std::io::IsTerminal;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use terminal_size::{Width, terminal_size_of};

use crate::human;
use crate::message::eprint_line;
use queens::Progress;

/// Elapsed time before a bar is shown, so that short work has none.
const SHOW_AFTER: Duration = Duration::from_millis(400);
/// Interval at which a bar is redrawn.
const REDRAW_EVERY: Duration = Duration::from_millis(100);
/// Interval at which a line is printed if standard error is not a terminal, for example in the log
/// of a job.
const LINE_EVERY: Duration = Duration::from_secs(60);
/// Length of the bar in steps.
const STEPS: f64 = 10_000.0;

/// Shows a line on a terminal until dropped: a bar, unless it is empty, and a status. The status is
/// asked for again at each redraw. A narrow terminal shows as much of it as fits on its line.
pub(crate) struct Line(Option<ProgressBar>);

impl Line {
    /// Shows only a status.
    pub(crate) fn new(status: impl Fn() -> String + Clone + Send + Sync + 'static) -> Self {
        Self::with_template("{status}", status)
    }

    /// Shows a status and a bar.
    pub(crate) fn with_bar(status: impl Fn() -> String + Clone + Send + Sync + 'static) -> Self {
        Self::with_template("[{wide_bar}] {status}", status)
    }

    fn with_template(
        template: &str,
        status: impl Fn() -> String + Clone + Send + Sync + 'static,
    ) -> Self {
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        if is_dumb || !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let columns = || terminal_size_of(std::io::stderr()).map_or(80, |(Width(width), _)| width);
        let template = if columns() < 80 { "{status}" } else { template };
        let started = Instant::now();
        let write = move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
            if started.elapsed() >= SHOW_AFTER {
                let _ = out.write_str(&fitting(status(), columns().into()));
            }
        };
        let style = ProgressStyle::with_template(template)
            .expect("the template is well-formed")
            .with_key("status", write)
            .progress_chars("=> ");
        let bar = ProgressBar::new(STEPS as u64).with_style(style);
        bar.enable_steady_tick(REDRAW_EVERY);
        Self(Some(bar))
    }

    /// Prints a message if no line is shown.
    pub(crate) fn say_instead(&self, message: impl std::fmt::Display) {
        if self.0.is_none() {
            eprint_line(message);
        }
    }

    /// Sets the completed fraction. The next redraw shows it.
    pub(crate) fn set(&self, fraction: f64) {
        self.0.iter().for_each(|bar| bar.set_position((fraction.min(1.0) * STEPS) as u64));
    }
}

/// Shows on a terminal, until dropped, what the program is doing and for how long.
pub(crate) fn waiting(doing: impl Into<String>) -> Line {
    let (started, doing) = (Instant::now(), doing.into());
    let elapsed = move || human::whole_seconds(started.elapsed().as_secs_f64());
    Line::new(move || format!("{doing}, {}", elapsed()))
}

/// Progress display of a count, shown until it is dropped: a line on a terminal, and otherwise a
/// message each minute.
pub(crate) struct Display {
    line: Line,
    status: Arc<Mutex<Status>>,
}

/// Text of the progress of a count.
#[derive(Debug)]
struct Status {
    n: u32,
    words: String,
    saved: Option<Instant>,
    /// Time of the next message.
    due: Instant,
}

impl Display {
    /// Shows the progress of a count for N = `n`.
    pub(crate) fn new(n: u32) -> Self {
        let due = Instant::now() + LINE_EVERY;
        let status = Arc::new(Mutex::new(Status { n, words: String::new(), saved: None, due }));
        let shown = Arc::clone(&status);
        Self { line: Line::with_bar(move || lock(&shown).to_string()), status }
    }

    /// Updates the display.
    pub(crate) fn update(&self, progress: &Progress) {
        let mut status = lock(&self.status);
        status.words = words(progress);
        if self.line.0.is_some() {
            drop(status); // a redraw needs the lock
            self.line.set(progress.fraction);
        } else if status.due <= Instant::now() {
            // Not that much after the last one, because the process may have been suspended.
            status.due = Instant::now() + LINE_EVERY;
            eprint_line(&*status);
        }
    }

    /// Records that the count has just been saved.
    pub(crate) fn saved(&self) {
        lock(&self.status).saved = Some(Instant::now());
    }
}

/// Shortens a status to `most` characters, if possible at a comma or semicolon.
fn fitting(mut status: String, max_len: usize) -> String {
    while status.chars().count() > max_len
        && let Some(end) = status.rfind(", ").max(status.rfind("; "))
    {
        status.truncate(end);
    }
    status.chars().take(max_len).collect()
}

/// Returns the percentage or, while it rounds to zero, the number of subproblems, the time left and
/// the rate, omitting any that are still unknown.
fn words(progress: &Progress) -> String {
    let percent = match progress.fraction < 0.000_5 && progress.samples.is_none() {
        // Large boards stay there for days.
        true => format!("{} done", human::plural(progress.done, "subproblem")),
        false => format!("{:.1} %", 100.0 * progress.fraction),
    };
    let Some(left) = progress.left else {
        return percent;
    };
    let left = human::whole_seconds(left.as_secs_f64().max(1.0));
    let is_over = progress.fraction >= 1.0;
    if let Some(samples) = progress.samples {
        // Samples that were started in time may take longer.
        let left = if is_over { "finishing".to_owned() } else { format!("{left} left") };
        return format!("{}, {left}", human::plural(samples, "sample"));
    } else if is_over {
        return format!("{percent}, checking the total");
    }
    let rate = human::si(progress.found as f64 / progress.elapsed.as_secs_f64());
    format!("{percent}, {left} left, {rate} solutions/s")
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "N = {}: {}", self.n, self.words)?;
        match self.saved.map(|saved| saved.elapsed().as_secs_f64()) {
            Some(ago) if ago < 0.5 => write!(f, ", just saved"),
            Some(ago) => write!(f, ", saved {} ago", human::whole_seconds(ago)),
            None => Ok(()),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_has_a_line_a_minute() {
        let (started, minute) = (Instant::now(), Duration::from_secs(60));
        let status = Status { n: 8, words: String::new(), saved: None, due: started };
        let display = Display { line: Line(None), status: Arc::new(Mutex::new(status)) };
        let before = Instant::now();
        display.update(&Progress::default());
        let due = lock(&display.status).due;
        assert!(due >= before + minute && due <= Instant::now() + minute);
        assert!(lock(&Display::new(8).status).due >= due);
        display.saved();
        let shown = lock(&display.status).to_string();
        assert!(shown.starts_with("N = 8: ") && shown.contains(" saved"), "{shown}");
    }

    #[test]
    fn a_status_is_shortened_at_its_commas() {
        let shortened = |most| fitting("60.0 %, 40 s left, 1 solution/s".into(), most);
        assert_eq!(
            [31, 30, 17, 16, 3].map(shortened),
            [
                "60.0 %, 40 s left, 1 solution/s",
                "60.0 %, 40 s left",
                "60.0 %, 40 s left",
                "60.0 %",
                "60."
            ]
        );
    }

    #[test]
    fn unknown_figures_are_not_shown() {
        let run = queens::Counter::new(4).unwrap().prepare().unwrap();
        let run = run.on_progress(|progress| {
            let mut progress = progress.clone();
            (progress.fraction, progress.found) = (0.6, 1_000);
            progress.left = Some(Duration::from_secs(40));
            progress.elapsed = Duration::from_secs(10);
            assert_eq!(words(&progress), "60.0 %, 40 s left, 100 solutions/s");
            progress.left = None;
            assert_eq!(words(&progress), "60.0 %");
            (progress.fraction, progress.done) = (0.000_4, 51_077);
            assert_eq!(words(&progress), "51,077 subproblems done");
            (progress.fraction, progress.left) = (1.0, Some(Duration::ZERO));
            assert_eq!(words(&progress), "100.0 %, checking the total");
            progress.samples = Some(2);
            assert_eq!(words(&progress), "2 samples, finishing");
        });
        run.run().unwrap();
    }
}
