//! `queens solve`: solutions as boards.

mod boards;
mod drawing;
mod html;
mod model;
mod reporting;
mod searching;
mod sheet;
mod source;
mod steps;
mod trace;
mod tree;
mod tree_file;

use std::collections::HashSet;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::human;
use anyhow::{Result, bail};
use clap::Args;
use queens::board::MAX_BOARD;
use queens::known::torus_is_solvable;
use queens::solve::{Limit, Limits, MAX_ENUMERATED, Random, Restarts, construct, construct_torus};
use queens::{Board, Placement, Solutions};

use crate::board::BoardOptions;
use crate::exit::Failure;
use crate::options::whole;
use crate::output::Output;
use crate::paths::keep_apart;
use crate::progress::search_bar;
use crate::signals;
pub use boards::{BoardFormat, BoardWriter};
pub use html::{LARGEST_EXPLORED, tree_html};
use reporting::Reporting;
pub use searching::SearchOptions;
use searching::Searching;
use source::{Searched, Source};
use steps::Trace;
pub use trace::TraceWriter;
pub use tree::tree_svg;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Board size N, 0 to 1000000
    ///
    /// To 5000 with preplaced queens, blocked squares, several solutions or a search option
    #[arg(value_name = "N", value_parser = whole::<u32>(0, Some(MAX_BOARD.into())))]
    n: u32,

    /// Print every solution
    ///
    /// In lexicographic order, unless the strategy has another
    #[arg(long)]
    all: bool,

    /// Print K solutions
    ///
    /// The first ones in lexicographic order, unless the strategy has another. Above N = 29, or above N = 14 with
    /// preplaced queens, blocked squares or --torus, that order can take very long: then, without a strategy, K
    /// solutions come from a construction and from a random search with restarts, the same ones each time
    #[arg(long, value_name = "K", value_parser = whole::<u64>(1, None))]
    limit: Option<u64>,

    /// Print one solution of each symmetry class, the first found
    ///
    /// Preplaced queens and blocked squares do not split classes.
    #[arg(long)]
    fundamental: bool,

    /// Print a random solution, or K with --limit K
    ///
    /// Up to N = 12 all solutions are enumerated and each is as likely as the others; above, up to N = 5000, a search
    /// that picks rows at random finds it, which does not make all equally likely; --seed gives the same ones again
    #[arg(long, conflicts_with_all = ["all", "fundamental", "strategy", "variable", "value", "propagation", "stats",
        "max_branches", "timeout", "tree", "trace"])]
    random: bool,

    #[command(flatten)]
    board: BoardOptions,

    #[command(flatten)]
    searching: Searching,

    #[command(flatten)]
    reporting: Reporting,
}

/// Solutions appear within this time of being found, while more of them come.
const FLUSH_EVERY: Duration = Duration::from_millis(20);

/// Progress of a search without a solution names an option that may be faster after this time.
const ADVISE_AFTER: Duration = Duration::from_secs(5);

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let board = arguments.board.board(arguments.n)?;
    let (wanted, fundamental) = (arguments.wanted(), arguments.fundamental);
    let format = arguments.reporting.format(&board, wanted, fundamental)?;
    let trace = arguments.trace()?;
    let tree = arguments.searching.tree.as_ref();
    let Reporting { output, width, .. } = &arguments.reporting;
    if let Some(tree) = tree {
        keep_apart("--tree", &tree.path, "--output", output)?;
    }
    let limits = arguments.searching.limits();
    let source = arguments.source(&board, &limits)?;
    let mut output = Output::create(output)?;
    if let (true, Source::Searched(searched)) = (arguments.searching.model, &source) {
        output.write_all(model::model(&board, searched.settings).as_bytes())?;
        return output.finish();
    }
    let mut tree_output = tree
        .map(|tree| Output::create_for("--tree", &tree.path))
        .transpose()?;

    // Only now, since opening may wait for whoever is at the other end of a pipe, and a signal ends that at once.
    signals::on_interrupt(&limits.cancel)?;

    let mut run = Run {
        arguments,
        board: &board,
        writer: BoardWriter::new(format, &board)
            .width(*width)
            .timed(arguments.searching.stats),
        format,
        trace,
        source,
        written: 0,
        is_cut: false,
        limits,
        started: Instant::now(),
    };
    let written = run.write(&mut output);
    let elapsed = run.started.elapsed();
    // The figures and the drawing are wanted even where the boards are no longer read.
    if arguments.searching.stats {
        run.source.print_statistics(run.written, elapsed);
    }
    if let Some(searched) = run.source.searched()
        && let (Some(out), Some(file), Some(tree)) = (&mut tree_output, tree, &searched.tree)
    {
        let text = file.text(tree, &board, &run.tree_title(searched));
        out.write_all(text.as_bytes())?;
    }
    if let Some(out) = tree_output {
        out.finish()?; // it says itself where a search was stopped
    }
    written?;
    // What was found before a search was stopped is kept; a file of nothing does not replace an older one.
    match run.verdict(elapsed) {
        Err(why) if trace.is_none() && run.written == 0 => Err(why),
        verdict => output.finish().and(verdict),
    }
}

impl Arguments {
    /// Whether more than one solution is asked for.
    fn several(&self) -> bool {
        self.all || self.fundamental || self.limit.is_some()
    }

    /// How many solutions are asked for.
    fn wanted(&self) -> u64 {
        let most = if self.several() { u64::MAX } else { 1 };
        self.limit.unwrap_or(most)
    }

    /// What is asked for.
    fn kind(&self) -> &'static str {
        if self.fundamental {
            "fundamental solution"
        } else {
            "solution"
        }
    }

    /// The steps to show, if any.
    fn trace(&self) -> Result<Option<Trace>, Failure> {
        let (asked, most) = (self.reporting.asked()?, self.searching.trace_limit);
        let is_standard = self.reporting.output == Path::new("-");
        let trace = || Trace::new(self.n, asked, most, is_standard);
        self.searching.trace.then(trace).transpose()
    }

    /// Where the solutions come from: the simplest source that can do what was asked for.
    fn source(&self, board: &Board, limits: &Limits) -> Result<Source, Failure> {
        let searching = &self.searching;
        let (n, is_asked_for) = (board.n(), searching.is_asked_for());
        let listed = |how: &str, solutions| Ok(Source::Listed(how.to_owned(), solutions));
        let one = |placement: Option<Placement>| Box::new(placement.into_iter());
        let refuse = |error| Failure::usage("N", error);
        if board.is_torus() && !torus_is_solvable(n) && (self.random || !is_asked_for) {
            return listed("", one(None));
        }
        if self.random {
            let seed = searching.options.seed.unwrap_or_else(|| fastrand::u64(..));
            let solutions = Random::new(board, seed, limits.cancel.clone()).map_err(refuse)?;
            return listed(&format!("at random, seed {seed}"), Box::new(solutions));
        }
        let is_large = Restarts::are_needed(board) && self.limit.is_some();
        let is_one = !self.several() || is_large && self.limit == Some(1) && !self.fundamental;
        if !is_asked_for && is_one && !board.has_constraints() {
            return match board.is_torus() {
                true => listed(
                    "by construction (knight's moves, Pólya)",
                    one(construct_torus(n)),
                ),
                false => listed("by construction (Pauls 1874)", one(construct(n))),
            };
        }
        if !is_asked_for && (is_one || is_large) {
            let restarts = Restarts::new(board, 0, limits.clone())
                .map_err(|error| searching.refuse(error.into()))?;
            let how = match board.has_constraints() {
                true => "by random search with restarts",
                false => "by construction and by random search with restarts",
            };
            return Ok(Source::Restarts(
                how,
                Box::new(restarts.constructed_first()),
            ));
        }
        if !is_asked_for && !searching.is_measured() && n <= MAX_ENUMERATED {
            let solutions = Solutions::new(board).map_err(refuse)?;
            let solutions = solutions.cancel_with(limits.cancel.clone());
            return listed("in lexicographic order", Box::new(solutions));
        }
        let searched = searching.search(board, self.several(), limits.clone())?;
        Ok(Source::Searched(Box::new(searched)))
    }
}

/// The work on one command line.
struct Run<'a> {
    arguments: &'a Arguments,
    board: &'a Board,
    source: Source,
    format: BoardFormat,
    writer: BoardWriter<'a>,
    written: u64,
    trace: Option<Trace>,
    /// Whether the trace was cut before the end.
    is_cut: bool,
    limits: Limits,
    started: Instant,
}

impl Run<'_> {
    /// Writes the solutions as they come.
    fn write(&mut self, output: &mut Output) -> io::Result<()> {
        let path = &self.arguments.reporting.output;
        // Where a line of progress would stand between the boards.
        let shares_terminal = path == Path::new("-") && io::stdout().is_terminal();
        let mut out = BufWriter::with_capacity(1 << 16, output);
        if let (Some(trace), Source::Searched(searched)) = (self.trace, &mut self.source) {
            let wanted = self.arguments.wanted();
            (self.written, self.is_cut) = trace.write(searched, self.board, wanted, &mut out)?;
            return out.flush();
        }
        let found = Arc::new(AtomicU64::new(0));
        let advice = self.source.advice();
        let show_progress = || {
            let (found, branches, started) = (
                found.clone(),
                self.limits.branches_taken.clone(),
                self.started,
            );
            search_bar(self.board.n(), move || {
                let [found, branches] =
                    [&found, &branches].map(|number| number.load(Ordering::Relaxed));
                let mut words = format!("{} found", human::integer(found.into()));
                if branches > 0 {
                    words += &format!(", {} branches", human::integer(branches.into()));
                }
                let elapsed = started.elapsed();
                let is_slow = found == 0 && elapsed >= ADVISE_AFTER;
                let advice = if is_slow { advice } else { "" };
                words + ", " + &human::whole_seconds(elapsed.as_secs_f64()) + advice
            })
        };
        let mut display = show_progress();
        let mut flushed = None::<Instant>;
        // A class whose first solution comes first needs no memory.
        let is_in_order = self.source.is_lexicographic();
        let mut classes_met = HashSet::new();
        self.writer.begin(&mut out)?;
        while self.written < self.arguments.wanted() && !self.writer.is_full() {
            let Some(placement) = self.source.next() else {
                break;
            };
            let is_wanted = match (self.arguments.fundamental, is_in_order) {
                (false, _) => true,
                (true, true) => self.board.is_first_of_class(&placement),
                (true, false) => classes_met.insert(placement.canonical()),
            };
            if !is_wanted {
                continue;
            }
            if shares_terminal {
                display = None;
            }
            self.writer
                .solution(&mut out, &placement, self.started.elapsed())?;
            self.written += 1;
            found.store(self.written, Ordering::Relaxed);
            if flushed.is_none_or(|flushed| flushed.elapsed() >= FLUSH_EVERY) {
                out.flush()?;
                flushed = Some(Instant::now());
                display = display.or_else(show_progress);
            }
        }
        drop(display);
        let title = self.title();
        self.writer.end(&mut out, &title)?;
        let is_ended = self.source.limit().is_some() || self.limits.cancel.is_cancelled();
        if self.format == BoardFormat::Json && self.written == 0 && !is_ended {
            writeln!(out, "[]")?;
        }
        if self.format.is_for_people() && self.written > 0 {
            let time = human::duration(self.started.elapsed());
            writeln!(out, "{title}, in {time}")?;
        }
        out.flush()
    }

    /// What is to be said when all is written: nothing, or why it is not what was asked for.
    fn verdict(&self, elapsed: Duration) -> Result<()> {
        if self.written >= self.arguments.wanted() || self.is_cut {
            return Ok(()); // a trace says itself where it was cut
        }
        let is_interrupted = self.limits.cancel.is_cancelled();
        let why = match self.source.limit() {
            Some(Limit::Branches) => "--max-branches: stopped",
            Some(Limit::Time) => "--timeout: stopped",
            _ if is_interrupted => "interrupted",
            _ if self.writer.is_full() => "--format: stopped at a full page",
            _ if self.written == 0 => bail!("there is no solution for {}", self.name()),
            _ => return Ok(()),
        };
        let (found, time) = (
            human::integer(self.written.into()),
            human::duration(elapsed),
        );
        let is_slow = self.written == 0 || self.arguments.limit.is_some();
        let advice = if is_slow { self.source.advice() } else { "" };
        let why =
            format!("{why} after {time} with {found} found: the search is not complete{advice}");
        match is_interrupted {
            true => Err(Failure::interrupted(why).into()),
            false => bail!(why),
        }
    }

    /// The board as titles and errors name it.
    fn name(&self) -> String {
        let n = self.board.n();
        match self.board.constraints() {
            Some(constraints) => format!("N = {n}, {constraints}"),
            None => format!("N = {n}"),
        }
    }

    /// What has been written: the first ones, unless there are no more.
    fn title(&self) -> String {
        let is_whole =
            self.written < self.arguments.wanted() && self.verdict(Duration::ZERO).is_ok();
        let first = if is_whole || !self.arguments.several() {
            ""
        } else {
            "first "
        };
        let solutions = human::plural(self.written as usize, self.arguments.kind());
        format!("{}: {first}{solutions} {}", self.name(), self.source.how())
    }

    /// The heading of a tree.
    fn tree_title(&self, searched: &Searched) -> String {
        let kind = self.arguments.kind();
        let extent = match self.arguments.wanted() {
            1 => format!("first {kind}"),
            u64::MAX => format!("all {kind}s"),
            most => format!("first {}", human::plural(most as usize, kind)),
        };
        let stopped = match searched.search.limit() {
            Some(_) => ", stopped early",
            None => "",
        };
        format!(
            "{}, {}, {extent}{stopped}: {}",
            self.name(),
            searched.name(),
            searched.figures()
        )
    }
}
