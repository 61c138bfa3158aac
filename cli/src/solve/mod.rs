//! The `queens solve` command, which finds and prints solutions.

mod arguments;
mod boards;
pub(crate) mod drawing;
pub(crate) mod html;
mod model;
pub(crate) mod read;
mod searching;
mod sheet;
mod source;
mod stepper;
mod trace;
mod tree;
mod tree_file;

use std::collections::HashSet;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anstream::{AutoStream, ColorChoice};
use anyhow::{Result, bail};
use indicatif::ProgressBar;
use queens::solve::tree::Tree;
use queens::solve::{Limit, Limits, Search, Source, Step};
use queens::{Board, Placement};

use crate::exit::Failure;
use crate::human;
use crate::message::{tell, warn};
use crate::options::When;
use crate::output::{Output, keep_apart, print};
use crate::progress::{search_bar, waiting};
use crate::signals;
pub(crate) use arguments::Arguments;
pub use boards::BoardFormat;
use boards::Found;
pub use html::{LARGEST_EXPLORED, tree_html};
pub use searching::{OptionError, SearchOptions};
pub use sheet::boards_svg;
use stepper::Stepper;
pub use trace::TraceWriter;
use tree::omissions;
pub use tree::tree_svg;
use tree_file::TreeFile;

/// Minimum time between two flushes of the output.
const FLUSH_EVERY: Duration = Duration::from_millis(20);

/// Time without a solution after which the progress line suggests an option that may be faster.
const ADVISE_AFTER: Duration = Duration::from_secs(5);

/// Time after which a program that was started to open a file is taken to show it.
const OPENED_AFTER: Duration = Duration::from_secs(3);

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let board = arguments.board()?;
    let format = arguments.format(&board)?;
    let tree_file = arguments.tree.as_ref();
    if let Some(file) = tree_file {
        keep_apart("--tree", &file.path, "--output", arguments.output())?;
    }
    let limits = arguments.limits();
    let source = arguments.source(&board, &limits)?;
    let tree = tree_file.map(|file| file.empty_tree(board.n())).transpose()?;
    let mut output = Output::create(arguments.output())?;
    if let (true, Source::Search(search)) = (arguments.model, &source) {
        output.write_all(model::model(&board, search.strategy()).as_bytes())?;
        return output.finish();
    }
    let tree_output = tree_file.map(|file| Output::create_for("--tree", &file.path));
    let tree_output = tree_output.transpose()?;

    // This comes after the files are opened: opening a pipe may block, and Ctrl-C must then end the
    // program.
    signals::on_interrupt(&limits.cancel)?;

    let mut job = Job {
        arguments,
        board: &board,
        format,
        source,
        tree,
        written: 0,
        is_cut: false,
        limits,
        started: Instant::now(),
    };
    let written = match arguments.has_output() {
        true => job.write(&mut output),
        false => job.write(&mut io::sink()),
    };
    let elapsed = job.started.elapsed();
    // Statistics and the tree are written even if the boards could not be written, for example to a
    // closed pipe.
    if arguments.stats {
        source::print_statistics(&job.source, &board, job.written, elapsed);
    }
    if let (Some(mut out), Some(file), Some(tree), Source::Search(search)) =
        (tree_output, tree_file, &job.tree, &job.source)
    {
        let text = file.text(tree, &board, &job.tree_title(search));
        out.write_all(text.as_bytes())?;
        out.finish()?;
        job.announce(file, tree, search)?;
    }
    written?;
    // Partial results are kept, but an existing file is not replaced by an empty one.
    let verdict = match job.verdict(elapsed) {
        Err(error) if !arguments.trace && job.written == 0 => Err(error),
        verdict => output.finish().and(verdict),
    };
    if let (true, Some(TreeFile { path, .. })) = (arguments.open, tree_file)
        && open::that_detached_with_timeout(path, OPENED_AFTER).is_err()
    {
        warn(&format!("--open: cannot open '{}': no program succeeds", path.display()));
    }
    verdict
}

/// State of one run of the command.
struct Job<'a> {
    arguments: &'a Arguments,
    board: &'a Board,
    source: Source,
    tree: Option<Tree>,
    format: BoardFormat,
    written: u64,
    /// Whether the trace was truncated before the search ended.
    is_cut: bool,
    limits: Limits,
    started: Instant,
}

impl Job<'_> {
    /// Writes the solutions or the trace.
    fn write(&mut self, output: &mut dyn Write) -> io::Result<()> {
        let is_standard = self.arguments.has_output() && self.arguments.output() == Path::new("-");
        let mut out = BufWriter::with_capacity(1 << 16, output);
        // On a terminal, the progress line would be mixed up with the boards.
        let shares_terminal = is_standard && io::stdout().is_terminal();
        if self.arguments.trace {
            let is_shown = shares_terminal || self.arguments.step;
            let _waiting = waiting(When::Auto, "writing the trace").filter(|_| !is_shown);
            let colours = is_standard && AutoStream::choice(&io::stdout()) != ColorChoice::Never;
            self.write_trace(&mut out, colours)?;
        } else {
            self.write_solutions(&mut out, shares_terminal)?;
        }
        out.flush()
    }

    /// Writes each solution as it is found. A sheet or a page is written at the end.
    fn write_solutions(&mut self, out: &mut dyn Write, shares_terminal: bool) -> io::Result<()> {
        let count = Arc::new(AtomicU64::new(0));
        let mut progress = self.progress(&count);
        let mut flushed = None::<Instant>;
        let mut sheet = Vec::new();
        let mut classes = HashSet::new();
        out.write_all(self.format.header(self.board.n()).as_bytes())?;
        while self.written < self.arguments.wanted() && !self.is_full() {
            let next = match (&mut self.tree, &mut self.source) {
                (Some(tree), Source::Search(search)) => tree.next_solution(search),
                (_, source) => source.next(),
            };
            let Some(placement) = next else {
                break;
            };
            if self.arguments.fundamental && !self.is_new_class(&placement, &mut classes) {
                continue;
            }
            if shares_terminal {
                progress = None;
            }
            self.written += 1;
            count.store(self.written, Ordering::Relaxed);
            let found = Found {
                placement,
                number: self.written,
                elapsed: self.started.elapsed(),
                is_timed: self.arguments.stats,
            };
            self.format.write(out, &found, self.board)?;
            if self.format.most().is_some() {
                sheet.push(found.placement);
            }
            if flushed.is_none_or(|flushed| flushed.elapsed() >= FLUSH_EVERY) {
                out.flush()?;
                flushed = Some(Instant::now());
                progress = progress.or_else(|| self.progress(&count));
            }
        }
        drop(progress);
        let title = self.title();
        let text = match self.format {
            BoardFormat::Svg | BoardFormat::Html if self.written > 0 => self.sheet(&sheet, &title),
            format if format.is_for_people() && self.written > 0 => {
                let time = human::duration(self.started.elapsed());
                format!("{title}, in {time}\n")
            }
            BoardFormat::Json if self.is_stopped() => String::new(),
            format => format.end(self.written).to_owned(),
        };
        out.write_all(text.as_bytes())
    }

    /// Returns a sheet or a page of solutions.
    fn sheet(&self, solutions: &[Placement], title: &str) -> String {
        let (arguments, board) = (self.arguments, self.board);
        let pages = arguments
            .paper
            .map(|paper| (paper, paper.pages(solutions, board, title, arguments.fundamental)));
        match (pages, self.format == BoardFormat::Svg) {
            (Some((paper, pages)), true) => paper.stacked(&pages, title),
            (Some((paper, pages)), false) => {
                let style = paper.style() + include_str!("html/paper.css");
                html::document(title, &style, &pages.concat())
            }
            (None, true) => boards_svg(solutions, board, title, arguments.width),
            (None, false) => html::boards_html(solutions, board, title),
        }
    }

    /// Whether the format's maximum number of solutions has been written.
    fn is_full(&self) -> bool {
        let most = self.format.most();
        most.is_some_and(|most| self.written >= most)
    }

    /// Whether the search was ended by a limit or an interrupt.
    fn is_stopped(&self) -> bool {
        self.source.limit().is_some() || self.limits.cancel.is_cancelled()
    }

    /// Whether a solution is the first of its class. In lexicographic order, this depends only on
    /// the solution itself.
    fn is_new_class(&self, solution: &Placement, classes: &mut HashSet<Placement>) -> bool {
        let is_lexicographic = match &self.source {
            Source::Search(search) => search.strategy().is_lexicographic(),
            source => matches!(source, Source::Enumerated(_)),
        };
        match is_lexicographic {
            true => self.board.is_first_of_class(solution),
            false => classes.insert(solution.canonical()),
        }
    }

    /// Shows the numbers of solutions and branches and the elapsed time on a terminal until the bar
    /// is dropped.
    fn progress(&self, found: &Arc<AtomicU64>) -> Option<ProgressBar> {
        let (found, branches) = (found.clone(), self.limits.branches_taken.clone());
        let (started, advice) = (self.started, source::advice(&self.source));
        search_bar(self.board.n(), move || {
            let [found, branches] = [&found, &branches].map(|count| count.load(Ordering::Relaxed));
            let mut words = format!("{} found", human::integer(found.into()));
            if branches > 0 {
                words += &format!(", {} branches", human::integer(branches.into()));
            }
            let elapsed = started.elapsed();
            words += &format!(", {}", human::whole_seconds(elapsed.as_secs_f64()));
            if found == 0 && elapsed >= ADVISE_AFTER {
                words += advice;
            }
            words
        })
    }

    /// Writes the search step by step.
    fn write_trace(&mut self, out: &mut dyn Write, colours: bool) -> io::Result<()> {
        let Source::Search(search) = &mut self.source else {
            return Ok(());
        };
        let mut stepper = self.arguments.step.then(Stepper::new);
        let limit = if stepper.is_some() { u64::MAX } else { self.arguments.trace_limit };
        let mut writer = TraceWriter::new(self.format, colours, self.board);
        writer.begin(out, search.strategy())?;
        let mut is_end = false;
        while !is_end && !self.is_cut {
            let step = search.step();
            is_end = matches!(step, Step::End | Step::Limit(_));
            self.is_cut = !is_end && step != Step::Up && writer.steps() == limit;
            if !self.is_cut {
                let is_shown = stepper.as_ref().is_none_or(|stepper| stepper.shows(&step));
                let texts = writer.texts(search, &step, is_shown)?;
                self.written += u64::from(matches!(step, Step::Solution(_)));
                is_end |= self.written == self.arguments.wanted();
                match &mut stepper {
                    Some(stepper) => self.is_cut = !stepper.show(out, &texts, &step)? && !is_end,
                    None => out.write_all(texts.concat().as_bytes())?,
                }
            }
        }
        let steps = human::plural(writer.steps() as usize, "step");
        match (self.format, self.is_cut) {
            (BoardFormat::Json, true) => writeln!(out, "{{\"cut_after\":{}}}", writer.steps()),
            (BoardFormat::Json, false) => Ok(()),
            (_, true) if stepper.is_some() => {
                writeln!(out, "stopped after {steps}: {}", source::figures(search))
            }
            (_, true) => writeln!(out, "cut after {steps}; use --trace-limit to print more"),
            (_, false) => writeln!(out, "{steps}: {}", source::figures(search)),
        }
    }

    /// Returns an error if the search found no solution or was stopped before it reached the
    /// requested number.
    fn verdict(&self, elapsed: Duration) -> Result<()> {
        if self.written >= self.arguments.wanted() || self.is_cut {
            return Ok(()); // the last line of a truncated trace says so
        }
        let is_interrupted = self.limits.cancel.is_cancelled();
        let why = match self.source.limit() {
            Some(Limit::Branches) => "--max-branches: stopped",
            Some(Limit::Time) => "--timeout: stopped",
            _ if is_interrupted => "interrupted",
            _ if self.is_full() => "--format: stopped at a full page",
            _ if self.written == 0 => bail!("there is no solution for {}", self.name()),
            _ => return Ok(()),
        };
        let found = human::integer(self.written.into());
        let time = human::duration(elapsed);
        let is_slow = self.written == 0 || self.arguments.limit.is_some();
        let advice = if is_slow { source::advice(&self.source) } else { "" };
        let why =
            format!("{why} after {time} with {found} found: the search is not complete{advice}");
        match is_interrupted {
            true => Err(Failure::interrupted(why).into()),
            false => bail!(why),
        }
    }

    /// Returns the name of the board for titles and errors.
    fn name(&self) -> String {
        let n = self.board.n();
        match human::constraints(self.board) {
            Some(constraints) => format!("N = {n}, {constraints}"),
            None => format!("N = {n}"),
        }
    }

    /// Describes the written solutions, as in `N = 8: first 3 solutions in lexicographic order`.
    fn title(&self) -> String {
        let is_complete =
            self.written < self.arguments.wanted() && !self.is_stopped() && !self.is_full();
        let is_partial = self.arguments.several() && !is_complete;
        let first = if is_partial { "first " } else { "" };
        let solutions = human::plural(self.written as usize, self.arguments.kind());
        format!("{}: {first}{solutions} {}", self.name(), source::how(&self.source, self.board))
    }

    /// Reports that the tree was written, on standard error if solutions are written too.
    fn announce(&self, file: &TreeFile, tree: &Tree, search: &Search) -> Result<()> {
        let (path, statistics) = (file.path.display(), search.statistics());
        let nodes = human::plural(statistics.branches as usize + 1, "node");
        let solutions = human::plural(statistics.solutions as usize, "solution");
        let omissions = omissions(tree);
        let separator = if omissions.is_empty() { "" } else { ". " };
        let line = format!("wrote {path}: {nodes}, {solutions}{separator}{omissions}");
        match self.arguments.has_output() {
            true => {
                tell(line);
                Ok(())
            }
            false => print(line),
        }
    }

    /// Returns the heading of the search tree.
    fn tree_title(&self, search: &Search) -> String {
        let kind = self.arguments.kind();
        let extent = match self.arguments.wanted() {
            1 => format!("first {kind}"),
            u64::MAX => format!("all {kind}s"),
            most => format!("first {}", human::plural(most as usize, kind)),
        };
        let is_stopped = search.limit().is_some();
        let stopped = if is_stopped { ", stopped early" } else { "" };
        let (strategy, figures) = (source::strategy(search), source::figures(search));
        let board = self.name();
        format!("{board}, {strategy}, {extent}{stopped}: {figures}")
    }
}
