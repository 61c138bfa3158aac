//! Progress on standard error. On a terminal, indicatif redraws the bar in a thread of its own, so
//! a blocked terminal does not delay the count.

use std::io::IsTerminal;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use terminal_size::{Width, terminal_size_of};

use crate::human;
use crate::message::tell;
use crate::options::When;
use queens::Progress;

/// Elapsed time before a bar is shown, so that short counts have none.
const SHOW_AFTER: Duration = Duration::from_millis(400);
/// Interval at which a bar is redrawn.
const REDRAW_EVERY: Duration = Duration::from_millis(100);
/// Interval at which a line is printed if standard error is not a terminal.
const LINE_EVERY: Duration = Duration::from_secs(2);
/// Length of the bar in steps.
pub(crate) const STEPS: u64 = 10_000;

/// Progress display of a count, shown until it is dropped.
pub(crate) struct Display {
    n: u32,
    bar: Option<ProgressBar>,
    status: Arc<Mutex<Shown>>,
}

/// Text of a progress line.
#[derive(Debug, Default)]
struct Shown {
    words: String,
    saved: Option<Instant>,
    /// Earliest time at which to show the bar or the next line; `None` means never.
    due: Option<Instant>,
}

impl Display {
    /// Shows the progress of a count for N = `n` if requested or, by default, on a terminal that
    /// can redraw a line.
    pub(crate) fn new(when: When, n: u32) -> Self {
        let status = Arc::new(Mutex::new(Shown::default()));
        let shown = Arc::clone(&status);
        let bar = bar(when, "{prefix} [{wide_bar}] {status}", move || lock(&shown).to_string());
        let bar = bar.map(|bar| bar.with_prefix(format!("N = {n}")));
        let first = match (&bar, when) {
            (Some(_), _) => Some(SHOW_AFTER),
            (None, When::Always) => Some(LINE_EVERY),
            _ => None,
        };
        lock(&status).due = first.map(|first| Instant::now() + first);
        Self { n, bar, status }
    }

    /// Updates the display.
    pub(crate) fn update(&self, progress: &Progress) {
        let mut status = lock(&self.status);
        let is_due = status.due.is_some_and(|due| due <= Instant::now());
        if !is_due {
            return;
        }
        status.words = words(progress);
        if let Some(bar) = &self.bar {
            drop(status); // the bar needs the lock
            if bar.position() == 0 {
                bar.enable_steady_tick(REDRAW_EVERY);
            }
            // This does not redraw the bar: the ticker does.
            bar.set_position((progress.fraction * STEPS as f64) as u64 + 1);
        } else {
            status.due = Some(Instant::now() + LINE_EVERY);
            tell(format_args!("N = {}: {status}", self.n));
        }
    }

    /// Records that the count has just been saved.
    pub(crate) fn saved(&self) {
        lock(&self.status).saved = Some(Instant::now());
    }
}

/// Shows `words` on a terminal during a search for N = `n`, until dropped. The time left is unknown
/// and not shown.
pub(crate) fn search_bar(
    n: u32,
    words: impl Fn() -> String + Clone + Send + Sync + 'static,
) -> Option<ProgressBar> {
    late_bar(When::Auto, "{status}", move || format!("N = {n}: {}", words()))
}

/// Shows on a terminal, until dropped, what the program is doing and for how long.
pub(crate) fn waiting(doing: impl Into<String>) -> Option<ProgressBar> {
    let (started, doing) = (Instant::now(), doing.into());
    let elapsed = move || human::whole_seconds(started.elapsed().as_secs_f64());
    late_bar(When::Auto, "{status}", move || format!("{doing}, {}", elapsed()))
}

/// Returns a [`bar`] that is redrawn by a thread of its own, but not shown at first.
pub(crate) fn late_bar(
    when: When,
    template: &str,
    status: impl Fn() -> String + Clone + Send + Sync + 'static,
) -> Option<ProgressBar> {
    let started = Instant::now();
    let bar = bar(when, template, move || match started.elapsed() < SHOW_AFTER {
        true => String::new(),
        false => status(),
    })?;
    bar.enable_steady_tick(REDRAW_EVERY);
    Some(bar)
}

/// Returns a bar that fills the line next to `status`, is cleared when dropped and calls `status`
/// for each redraw. A narrow terminal shows no bar, and as much of `status` as fits on its line.
/// Returns `None` if no bar is wanted or standard error is not a terminal that can redraw a line.
pub(crate) fn bar(
    when: When,
    template: &str,
    status: impl Fn() -> String + Clone + Send + Sync + 'static,
) -> Option<ProgressBar> {
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    let can_redraw = std::io::stderr().is_terminal() && !is_dumb;
    let columns = || terminal_size_of(std::io::stderr()).map_or(80, |(Width(width), _)| width);
    let is_narrow = columns() < 80;
    let narrow = template.replace("[{wide_bar}] ", "").replace("{msg}", "{wide_msg}");
    let template = if is_narrow { &narrow } else { template };
    let prefix = if template.contains("{prefix}") { "N = 32 ".len() } else { 0 };
    let write = move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
        let most = usize::from(columns()).saturating_sub(prefix);
        let _ = out.write_str(&fitting(status(), most));
    };
    (can_redraw && when != When::Never).then(|| {
        let style = ProgressStyle::with_template(template)
            .expect("the template is well-formed")
            .with_key("status", write)
            .progress_chars("=> ");
        ProgressBar::new(STEPS).with_style(style)
    })
}

/// Shortens a status to `most` characters, if possible at a comma or semicolon.
fn fitting(mut status: String, most: usize) -> String {
    while status.chars().count() > most
        && let Some(end) = status.rfind(", ").max(status.rfind("; "))
    {
        status.truncate(end);
    }
    status.chars().take(most).collect()
}

/// Returns the percentage, the time left and the rate, omitting any that are still unknown.
fn words(progress: &Progress) -> String {
    let percent = format!("{:5.1} %", 100.0 * progress.fraction);
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

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.words)?;
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

    /// Calls `test` with the progress of a count that has run for ten seconds.
    fn with_progress(test: impl Fn(Progress) + Send + Sync) {
        let run = queens::Counter::new(4).unwrap().prepare().unwrap();
        let run = run.on_progress(|progress| {
            let mut progress = progress.clone();
            (progress.fraction, progress.found) = (0.6, 1_000);
            progress.left = Some(Duration::from_secs(40));
            progress.elapsed = Duration::from_secs(10);
            test(progress);
        });
        run.run().unwrap();
    }

    #[test]
    fn unknown_figures_are_not_shown() {
        with_progress(|mut progress| {
            assert_eq!(words(&progress), " 60.0 %, 40 s left, 100 solutions/s");
            progress.left = None;
            assert_eq!(words(&progress), " 60.0 %");
            (progress.fraction, progress.left) = (1.0, Some(Duration::ZERO));
            assert_eq!(words(&progress), "100.0 %, checking the total");
            progress.samples = Some(2);
            assert_eq!(words(&progress), "2 samples, finishing");
        });
    }
}
