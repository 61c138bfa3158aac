//! Progress on standard error. On a terminal indicatif's ticker draws it, so that one that takes no output holds
//! nothing up.

use std::io::IsTerminal;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::human;
use crate::human::tell;
use crate::options::When;
use queens::Progress;

/// A count shorter than this shows no bar: one that flashes by tells nothing.
const SHOW_AFTER: Duration = Duration::from_millis(400);
/// How often a bar is redrawn.
const REDRAW_EVERY: Duration = Duration::from_millis(100);
/// How often a line is printed where standard error is not a terminal.
const LINE_EVERY: Duration = Duration::from_secs(2);
/// Steps of the bar.
pub(crate) const STEPS: u64 = 10_000;

/// Shows how far a count is, until dropped.
pub(crate) struct Display {
    n: u32,
    bar: Option<ProgressBar>,
    news: Arc<Mutex<News>>,
}

/// What is shown of a count.
#[derive(Debug, Default)]
struct News {
    words: String,
    saved: Option<Instant>,
    /// From when on it is shown: a bar in steps, or the next line; never, if this is none.
    due: Option<Instant>,
}

impl Display {
    /// Shows the progress of the count for N = `n`, when asked for or, by default, on a terminal that can redraw a
    /// line.
    pub(crate) fn new(when: When, n: u32) -> Self {
        let news = Arc::new(Mutex::new(News::default()));
        let drawn = Arc::clone(&news);
        let bar = bar(when, "{prefix} [{wide_bar}] {news}", move || {
            lock(&drawn).to_string()
        });
        let bar = bar.map(|bar| bar.with_prefix(format!("N = {n}")));
        let first = match (&bar, when) {
            (Some(_), _) => Some(SHOW_AFTER),
            (None, When::Always) => Some(LINE_EVERY),
            _ => None,
        };
        lock(&news).due = first.map(|first| Instant::now() + first);
        Self { n, bar, news }
    }

    /// Whether it shows anything.
    pub(crate) fn is_shown(&self) -> bool {
        lock(&self.news).due.is_some()
    }

    /// Takes the news.
    pub(crate) fn update(&self, progress: &Progress<'_>) {
        let mut news = lock(&self.news);
        let is_due = news.due.is_some_and(|due| due <= Instant::now());
        if !is_due {
            return;
        }
        news.words = words(progress);
        if let Some(bar) = &self.bar {
            drop(news); // which the bar reads
            if bar.position() == 0 {
                bar.enable_steady_tick(REDRAW_EVERY);
            }
            // With a ticker this draws nothing.
            bar.set_position((progress.fraction * STEPS as f64) as u64 + 1);
        } else {
            news.due = Some(Instant::now() + LINE_EVERY);
            tell(format_args!("N = {}: {news}", self.n));
        }
    }

    /// Takes note that the count has just been saved.
    pub(crate) fn saved(&self) {
        lock(&self.news).saved = Some(Instant::now());
    }
}

/// Shows, on a terminal, what `words` says of a search for N = `n`, until dropped: nobody knows how far it has to go.
pub(crate) fn search_bar(
    n: u32,
    words: impl Fn() -> String + Clone + Send + Sync + 'static,
) -> Option<ProgressBar> {
    let started = Instant::now();
    let bar = bar(When::Auto, "{news}", move || match started.elapsed() {
        elapsed if elapsed < SHOW_AFTER => String::new(),
        _ => format!("N = {n}: {}", words()),
    })?;
    bar.enable_steady_tick(REDRAW_EVERY);
    Some(bar)
}

/// A bar that takes the room its `news` leave, and that is cleared when dropped; none where no line can be redrawn or
/// none is wanted. It asks for the news whenever it is drawn.
pub(crate) fn bar(
    when: When,
    template: &str,
    news: impl Fn() -> String + Clone + Send + Sync + 'static,
) -> Option<ProgressBar> {
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    let can_redraw = std::io::stderr().is_terminal() && !is_dumb;
    let write = move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
        let _ = out.write_str(&news());
    };
    (can_redraw && when != When::Never).then(|| {
        let style = ProgressStyle::with_template(template)
            .expect("the template is well-formed")
            .with_key("news", write)
            .progress_chars("=> ");
        ProgressBar::new(STEPS).with_style(style)
    })
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
    if let Some(samples) = progress.samples {
        return format!("{}, {left} left", human::plural(samples, "sample"));
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
    const SOON: Duration = Duration::from_secs(1);
    /// Later there never will be.
    const LATE: Duration = Duration::from_secs(2);
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
                tell(format_args!("takes about {time} on {hint}"));
            }
            None if elapsed < Self::LATE => return,
            None => tell(format_args!("no estimate of the time yet on {hint}")),
            Some(_) => {}
        }
        self.is_due = false;
    }
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
            samples: None,
            elapsed: Duration::from_secs(10),
        };
        assert_eq!(words(&progress), " 60.0 %, 100 solutions/s, 40 s left");
        progress.left = None;
        assert_eq!(words(&progress), " 60.0 %");
    }
}
