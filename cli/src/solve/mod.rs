//! The commands `solve`, `trace` and `tree`, which find solutions and show how they are found.

mod arguments;
mod source;
pub(crate) mod trace;
pub(crate) mod tree;

use std::collections::HashSet;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use queens::{Board, Placement, named_enum};
use queens_search::{Limit, Limits, Source, boards, page};

use crate::exit::{Failure, Result};
use crate::human;
use crate::output::Output;
pub(crate) use arguments::{Arguments, SearchArguments};
use source::search_progress;

named_enum! {
    /// Output format for solutions.
    pub(crate) enum BoardFormat {
        /// Board of `Q`, `_` and, for blocked squares, `#`, one line per row, below the number of
        /// the solution.
        Board = "board",
        /// Ones for queens and zeros for other squares, one line per row.
        Matrix = "matrix",
        /// Row of the queen in each column, one line per solution.
        List = "list",
        /// JSON array with an object per solution, each on its own line.
        Json = "json",
        /// Drawing of all boards on one sheet. Preplaced queens and blocked squares are marked.
        Svg = "svg",
        /// Self-contained HTML page for browsing boards and their symmetries.
        Html = "html",
    }
}

impl BoardFormat {
    /// Returns the largest supported board size. Formats that show every square have a limit that
    /// keeps files small.
    fn largest(self) -> u32 {
        match self {
            Self::Board | Self::Matrix => 2_000,
            Self::Svg | Self::Html => 200,
            Self::List | Self::Json => u32::MAX,
        }
    }

    /// Returns the maximum number of solutions in a file, or `None` if it is unlimited.
    fn max_solutions(self) -> Option<u64> {
        match self {
            Self::Svg => Some(1_000),
            Self::Html => Some(20_000),
            _ => None,
        }
    }
}

/// Minimum time between two flushes of the output.
const FLUSH_EVERY: Duration = Duration::from_millis(20);

/// Runs `queens solve`.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let board = arguments.board()?;
    let format = arguments.format(&board)?;
    let limits = arguments.search.limits();
    let source = arguments.source(&board, &limits)?;
    let mut output = Output::create(&arguments.output)?;
    arguments.search.interrupt(&limits.cancel)?;

    let started = Instant::now();
    let mut job = Job {
        arguments,
        board: &board,
        format,
        source,
        written: 0,
        is_exhausted: false,
        limits,
        started,
    };
    let written = job.write(&mut output);
    let elapsed = started.elapsed();
    // Statistics are printed even if the boards could not be written, for example to a closed pipe.
    if arguments.stats {
        source::print_statistics(&job.source, job.written, elapsed);
    }
    written?;
    let verdict = job.verdict(elapsed);
    output.is_partial = verdict.is_err();
    output.finish().and(verdict)
}

/// State of one run of `queens solve`.
struct Job<'a> {
    arguments: &'a Arguments,
    board: &'a Board,
    format: BoardFormat,
    source: Source,
    /// Number of solutions written.
    written: u64,
    /// Whether all solutions have been found.
    is_exhausted: bool,
    limits: Limits,
    started: Instant,
}

impl Job<'_> {
    /// Writes each solution as it is found. A sheet or a page is written at the end.
    fn write(&mut self, output: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(1 << 16, output);
        // On a terminal, the progress line would be mixed up with the boards.
        let is_standard = self.arguments.output == Path::new("-");
        let shares_terminal = is_standard && io::stdout().is_terminal();
        let found = Arc::new(AtomicU64::new(0));
        let mut progress = Some(search_progress(self.board.n(), &found));
        let mut flushed = None::<Instant>;
        let (mut sheet, mut classes) = (Vec::new(), HashSet::new());
        let max_solutions =
            self.arguments.max_solutions().min(self.format.max_solutions().unwrap_or(u64::MAX));
        while self.written < max_solutions {
            let Some(solution) = self.source.next() else {
                let is_limited = self.source.limit().is_some();
                self.is_exhausted = !is_limited && !self.limits.cancel.is_cancelled();
                break;
            };
            if self.arguments.fundamental && !self.is_new_class(&solution, &mut classes) {
                continue;
            }
            if shares_terminal {
                progress = None;
            }
            self.written += 1;
            found.store(self.written, Ordering::Relaxed);
            match self.format.max_solutions() {
                Some(_) => sheet.push(solution),
                None => out.write_all(self.text(&solution).as_bytes())?,
            }
            if flushed.is_none_or(|flushed| flushed.elapsed() >= FLUSH_EVERY) {
                out.flush()?;
                flushed = Some(Instant::now());
            }
        }
        drop(progress);
        out.write_all(self.end(&sheet).as_bytes())?;
        out.flush()
    }

    /// Formats a solution that has just been found.
    fn text(&self, solution: &Placement) -> String {
        let elapsed = self.started.elapsed();
        match self.format {
            BoardFormat::List => boards::listed(solution),
            BoardFormat::Matrix => boards::matrix(solution) + "\n",
            BoardFormat::Json => {
                let seconds = elapsed.as_micros() as f64 / 1e6;
                let start = if self.written == 1 { "[" } else { "," };
                format!("{start}\n{}", boards::json_object(solution, self.written, seconds))
            }
            _ => {
                // As in the OR-Tools guide, `--stats` adds the time to each heading.
                let time = match self.arguments.stats {
                    true => format!(", time = {}", human::duration(elapsed)),
                    false => String::new(),
                };
                let number = human::integer(self.written.into());
                format!("Solution {number}{time}\n{}\n", boards::drawn(solution, self.board))
            }
        }
    }

    /// Returns the end of the output: a sheet or page with all solutions, the closing bracket of
    /// JSON, or a summary.
    fn end(&self, solutions: &[Placement]) -> String {
        let title = self.title();
        match self.format {
            BoardFormat::Json if self.written == 0 && self.is_exhausted => "[]\n".to_owned(),
            _ if self.written == 0 => String::new(),
            BoardFormat::Svg => boards::svg(solutions, self.board, &title),
            BoardFormat::Html => page::solutions_html(solutions, self.board, &title),
            BoardFormat::Board => {
                format!("{title}, in {}\n", human::duration(self.started.elapsed()))
            }
            BoardFormat::Json => "\n]\n".to_owned(),
            BoardFormat::List | BoardFormat::Matrix => String::new(),
        }
    }

    /// Whether a solution is the first of its class. In lexicographic order, the solution alone
    /// decides this; otherwise `classes` remembers those seen.
    fn is_new_class(&self, solution: &Placement, classes: &mut HashSet<Placement>) -> bool {
        match self.source {
            Source::Enumerated(_) => self.board.is_first_of_class(solution),
            _ => classes.insert(solution.canonical()),
        }
    }

    /// Returns an error if the search found no solution or was stopped before it reached the
    /// requested number.
    fn verdict(&self, elapsed: Duration) -> Result<()> {
        let is_interrupted = self.limits.cancel.is_cancelled();
        let why = match self.source.limit() {
            _ if self.written >= self.arguments.max_solutions() => return Ok(()),
            _ if self.is_exhausted && self.written > 0 => return Ok(()),
            _ if self.is_exhausted => {
                let board = human::board_name(self.board);
                return Err(Failure::new(format!("there is no solution for {board}")));
            }
            Some(Limit::Branches) => "--max-branches: stopped",
            _ if is_interrupted => "stopped",
            _ => "--format: stopped at a full page",
        };
        let mut extent = vec![human::duration(elapsed)];
        if self.source.limit() == Some(Limit::Branches) {
            extent.clear(); // the limit is the number of branches
        }
        extent.extend(source::how_far(&self.source));
        let (extent, found) = (extent.join(" and "), human::integer(self.written.into()));
        let method = source::describe_method(&self.source);
        let why =
            format!("{why} after {extent}, {found} found {method}: the search is not complete");
        match is_interrupted {
            true => Err(Failure::interrupted(why)),
            false => Err(Failure::new(why)),
        }
    }

    /// Describes the written solutions, as in `N = 8: first 3 solutions in lexicographic order`.
    fn title(&self) -> String {
        let kind = if self.arguments.fundamental { "fundamental solution" } else { "solution" };
        let has_order = matches!(self.source, Source::Enumerated(_) | Source::Search(_));
        let solutions = match has_order && !self.is_exhausted {
            true if self.written == 1 => format!("first {kind}"),
            true => format!("first {}", human::plural(self.written as usize, kind)),
            false => human::plural(self.written as usize, kind),
        };
        format!(
            "{}: {solutions} {}",
            human::board_name(self.board),
            source::describe_method(&self.source)
        )
    }
}
