//! Progress on standard error. A thread of its own draws it, so that a terminal that takes no output holds nothing up.

use std::io::IsTerminal;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::options::When;
use crate::human::tell;
use crate::report::human;
use queens::Progress;

/// A count shorter than this shows no bar: one that flashes by tells nothing.
const SHOW_AFTER: Duration = Duration::from_millis(400);
/// How often a bar is redrawn.
const REDRAW_EVERY: Duration = Duration::from_millis(100);
/// How often a line is printed where standard error is not a terminal.
const LINE_EVERY: Duration = Duration::from_secs(2);
/// Steps of the bar.
const STEPS: u64 = 10_000;

/// Shows how far a count is, until dropped.
pub(crate) struct Display(Option<Drawer>);

/// The thread that draws, which ends when its channel is closed.
struct Drawer {
    news: Arc<Mutex<News>>,
    end: Sender<()>,
    thread: JoinHandle<()>,
}

/// What is drawn.
#[derive(Debug, Clone, Default)]
struct News {
    fraction: f64,
    words: String,
    saved: Option<Instant>,
}

impl Display {
    /// Shows the progress of the count for N = `n`, when asked for or, by default, on a terminal that can redraw a line.
    pub(crate) fn new(when: When, n: u32) -> Self {
        Self::start(when, n, "{prefix} [{wide_bar}] {msg}", |_| ())
    }

    /// Shows, on a terminal, what `words` says of a search: nobody knows how far it has to go.
    pub(crate) fn of_search(n: u32, words: impl Fn() -> String + Send + 'static) -> Self {
        let say = move |news: &mut News| news.words = words();
        Self::start(When::Auto, n, "{prefix}: {msg}", say)
    }

    fn start(
        when: When,
        n: u32,
        template: &'static str,
        ask: impl Fn(&mut News) + Send + 'static,
    ) -> Self {
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        let can_redraw = std::io::stderr().is_terminal() && !is_dumb;
        Self(match (when, can_redraw) {
            (When::Never, _) | (When::Auto, false) => None,
            (When::Auto | When::Always, true) => {
                let mut bar = None;
                Drawer::start(SHOW_AFTER, REDRAW_EVERY, move |mut news| {
                    ask(&mut news);
                    let bar = bar.get_or_insert_with(|| bar_for(n, template));
                    bar.set_message(news.to_string());
                    bar.set_position((news.fraction * STEPS as f64) as u64);
                })
            }
            (When::Always, false) => Drawer::start(LINE_EVERY, LINE_EVERY, move |mut news| {
                ask(&mut news);
                tell(format_args!("N = {n}: {news}"));
            }),
        })
    }

    /// Whether it shows anything.
    pub(crate) fn is_shown(&self) -> bool {
        self.0.is_some()
    }

    /// Takes the news.
    pub(crate) fn update(&self, progress: &Progress<'_>) {
        if let Some(Drawer { news, .. }) = &self.0 {
            let mut news = lock(news);
            (news.fraction, news.words) = (progress.fraction, words(progress));
        }
    }

    /// Takes note that the count has just been saved.
    pub(crate) fn saved(&self) {
        if let Some(Drawer { news, .. }) = &self.0 {
            lock(news).saved = Some(Instant::now());
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if let Some(Drawer { end, thread, .. }) = self.0.take() {
            drop(end);
            let _ = thread.join();
        }
    }
}

impl Drawer {
    /// Draws after `first`, and then again and again. `None` if there is no thread for it: a count goes on without.
    fn start(
        first: Duration,
        every: Duration,
        mut draw: impl FnMut(News) + Send + 'static,
    ) -> Option<Self> {
        let news = Arc::new(Mutex::new(News::default()));
        let (end, ended) = mpsc::channel::<()>();
        let drawn = Arc::clone(&news);
        let thread = Builder::new().spawn(move || {
            let mut wait = first;
            while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let news = lock(&drawn).clone();
                draw(news);
                wait = every;
            }
        });
        let thread = thread.ok()?;
        Some(Self { news, end, thread })
    }
}

/// Percent, rate and time left, as far as they are known.
fn words(progress: &Progress<'_>) -> String {
    if let Some((checked, of)) = progress.double_checked {
        return format!("double check, {checked} of {of} subproblems");
    }
    let percent = format!("{:5.1} %", 100.0 * progress.fraction);
    let Some(left) = progress.left else {
        return percent;
    };
    let left = human::whole_seconds(left.as_secs_f64().max(1.0));
    if let Some(draws) = progress.draws {
        return format!("{}, {left} left", human::plural(draws, "draw"));
    }
    let rate = human::si(progress.found as f64 / progress.elapsed.as_secs_f64());
    format!("{percent}, {rate} solutions/s, {left} left")
}

impl std::fmt::Display for News {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.words)?;
        match self.saved.map(|saved| saved.elapsed().as_secs_f64()) {
            Some(ago) if ago < 0.5 => write!(f, ", saved now"),
            Some(ago) => write!(f, ", saved {} ago", human::whole_seconds(ago)),
            None => Ok(()),
        }
    }
}

/// Says once on standard error how long a count takes, if that is a minute at least.
pub(crate) struct Announcement {
    is_due: bool,
    /// What else to say about it.
    hint: String,
}

impl Announcement {
    /// By then there is enough to tell, in most counts.
    const SOON: Duration = Duration::from_secs(2);
    /// Later there never will be.
    const LATE: Duration = Duration::from_secs(10);
    const WORTH_SAYING: Duration = Duration::from_secs(60);

    pub(crate) fn new(is_wanted: bool, hint: String) -> Self {
        let is_due = is_wanted;
        Self { is_due, hint }
    }

    /// Says it when it can be told.
    pub(crate) fn update(&mut self, progress: &Progress<'_>) {
        let (elapsed, hint) = (progress.elapsed, &self.hint);
        if !self.is_due || elapsed < Self::SOON {
            return;
        }
        match progress.left.map(|left| left + elapsed) {
            Some(time) if time >= Self::WORTH_SAYING => {
                let time = human::whole_seconds(time.as_secs_f64());
                tell(format_args!("takes about {time} here{hint}"));
            }
            None if elapsed < Self::LATE => return,
            None => tell(format_args!(
                "no estimate of the time yet (try `queens estimate`){hint}"
            )),
            Some(_) => {}
        }
        self.is_due = false;
    }
}

/// A bar that takes the room its message leaves, and that is cleared when dropped.
fn bar_for(n: u32, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template)
        .expect("the template is well-formed")
        .progress_chars("=> ");
    let bar = ProgressBar::new(STEPS).with_style(style);
    bar.with_prefix(format!("N = {n}"))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_not_shown() {
        let plan = queens::Plan::new(queens::Board::new(4).unwrap(), queens::Engine::Bitboard);
        let mut progress = Progress {
            ledger: &queens::Ledger::new(&plan.unwrap()),
            solved: &[],
            fraction: 0.6,
            left: Some(Duration::from_secs(40)),
            found: 1_000,
            double_checked: None,
            draws: None,
            elapsed: Duration::from_secs(10),
        };
        assert_eq!(words(&progress), " 60.0 %, 100 solutions/s, 40 s left");
        progress.left = None;
        assert_eq!(words(&progress), " 60.0 %");
    }
}
