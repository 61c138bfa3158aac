//! `queens solve`: solutions as boards.

mod boards;
mod drawing;
mod html;
mod model;
mod reporting;
mod searching;
mod sheet;
mod source;
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
use clap::Args;
use queens::board::MAX_BOARD;
use queens::known::torus_is_solvable;
use queens::solve::{
    Limit, Limits, MAX_ENUMERATED, Random, Restarts, Step, construct, construct_torus,
};
use queens::{Board, Solutions};

use crate::board::BoardOptions;
use crate::exit::Failure;
use crate::human;
use crate::options::whole;
use crate::output::Output;
use crate::paths::keep_apart;
use crate::progress::search_bar;
use crate::signals;
pub use boards::{BoardFormat, BoardWriter};
pub use html::{LARGEST_EXPLORED, tree_html};
use reporting::OutputArguments;
use searching::SearchArguments;
pub use searching::SearchOptions;
use source::{Source, TreeSearch};
pub use trace::TraceWriter;
pub use tree::tree_svg;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Board size N, 0 to 1000000
    ///
    /// At most 5000 with preplaced queens, blocked squares, several solutions or a search option
    #[arg(value_name = "N", value_parser = whole::<u32>(0, Some(MAX_BOARD.into())))]
    n: u32,

    /// Print all solutions
    ///
    /// In lexicographic order, unless a search option selects another order
    #[arg(long)]
    all: bool,

    /// Print K solutions
    ///
    /// The first K in lexicographic order, unless a search option selects another order. Above N = 29, or above N = 14
    /// with preplaced queens, blocked squares or --torus, enumeration can take very long. Without a search option,
    /// solutions then come from a construction and a random search with restarts, the same ones on each run
    #[arg(long, value_name = "K", value_parser = whole::<u64>(1, None))]
    limit: Option<u64>,

    /// Print one solution of each symmetry class, the first found
    ///
    /// Preplaced queens and blocked squares do not split classes.
    #[arg(long)]
    fundamental: bool,

    /// Print a random solution, or K with --limit K
    ///
    /// Up to N = 12 all solutions are equally likely. Above, up to N = 5000, a search picks rows at random, and the
    /// distribution is not uniform. Use --seed to repeat a result
    #[arg(long, conflicts_with_all = ["all", "fundamental", "strategy", "variable", "value", "propagation", "stats",
        "max_branches", "timeout", "tree", "trace"])]
    random: bool,

    #[command(flatten)]
    board: BoardOptions,

    #[command(flatten)]
    search: SearchArguments,

    #[command(flatten)]
    output: OutputArguments,
}

/// Minimum time between two flushes of the output.
const FLUSH_EVERY: Duration = Duration::from_millis(20);

/// Time without a solution after which progress names an option that may be faster.
const ADVISE_AFTER: Duration = Duration::from_secs(5);

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let board = arguments.board.board(arguments.n)?;
    let OutputArguments { output, width, .. } = &arguments.output;
    let trace = arguments.search.trace;
    let (wanted, fundamental) = (arguments.wanted(), arguments.fundamental);
    let format = arguments
        .output
        .format(&board, wanted, fundamental, trace)?;
    let tree_file = arguments.search.tree.as_ref();
    if let Some(file) = tree_file {
        keep_apart("--tree", &file.path, "--output", output)?;
    }
    let limits = arguments.search.limits();
    let source = arguments.source(&board, &limits)?;
    let mut output = Output::create(output)?;
    if let (true, Source::Search(search)) = (arguments.search.model, &source) {
        output.write_all(model::model(&board, search.settings).as_bytes())?;
        return output.finish();
    }
    let tree_output = tree_file.map(|file| Output::create_for("--tree", &file.path));
    let tree_output = tree_output.transpose()?;

    // Installed after the files are open: opening a pipe may block, and an interrupt must then end the program.
    signals::on_interrupt(&limits.cancel)?;

    let mut run = Run {
        arguments,
        board: &board,
        writer: BoardWriter::new(format, &board)
            .width(*width)
            .timed(arguments.search.stats),
        format,
        source,
        written: 0,
        is_cut: false,
        limits,
        started: Instant::now(),
    };
    let written = run.write(&mut output);
    let elapsed = run.started.elapsed();
    // Statistics and the tree are written even if the reader of the boards is gone.
    if arguments.search.stats {
        run.source.print_statistics(run.written, elapsed);
    }
    if let Some(mut out) = tree_output {
        if let (Source::Search(search), Some(file)) = (&run.source, tree_file)
            && let Some(tree) = &search.tree
        {
            let text = file.text(tree, &board, &run.tree_title(search));
            out.write_all(text.as_bytes())?;
        }
        out.finish()?;
    }
    written?;
    // Partial results are kept, but an older file is not replaced by an empty one.
    match run.verdict(elapsed) {
        Err(error) if !trace && run.written == 0 => Err(error),
        verdict => output.finish().and(verdict),
    }
}

impl Arguments {
    /// Whether more than one solution is requested.
    fn several(&self) -> bool {
        self.all || self.fundamental || self.limit.is_some()
    }

    /// Returns the number of solutions requested.
    fn wanted(&self) -> u64 {
        let most = if self.several() { u64::MAX } else { 1 };
        self.limit.unwrap_or(most)
    }

    /// Returns the kind of solutions requested.
    fn kind(&self) -> &'static str {
        if self.fundamental {
            "fundamental solution"
        } else {
            "solution"
        }
    }

    /// Chooses the simplest source of the requested solutions.
    fn source(&self, board: &Board, limits: &Limits) -> Result<Source, Failure> {
        let (n, is_requested) = (board.n(), self.search.is_requested());
        let listed = |how: &str, solutions| Ok(Source::Listed(how.to_owned(), solutions));
        let too_large = |error| Failure::usage("N", error);
        if board.is_torus() && !torus_is_solvable(n) && (self.random || !is_requested) {
            let how = "none: a torus has solutions only if N is coprime to 6";
            return listed(how, Box::new(std::iter::empty()));
        }
        if self.random {
            let seed = self.search.options.seed;
            let seed = seed.unwrap_or_else(|| fastrand::u64(..));
            let solutions = Random::new(board, seed, limits.cancel.clone()).map_err(too_large)?;
            return listed(&format!("at random, seed {seed}"), Box::new(solutions));
        }
        let is_large = Restarts::are_needed(board) && self.limit.is_some();
        let is_one = !self.several() || is_large && self.limit == Some(1) && !self.fundamental;
        if !is_requested && is_one && !board.has_constraints() {
            let (how, solution) = match board.is_torus() {
                true => (
                    "by construction (knight's moves, Pólya)",
                    construct_torus(n),
                ),
                false => ("by construction (Pauls 1874)", construct(n)),
            };
            return listed(how, Box::new(solution.into_iter()));
        }
        if !is_requested && (is_one || is_large) {
            let restarts = Restarts::new(board, 0, limits.clone())
                .map_err(|error| searching::failure(error.into()))?;
            let how = match board.has_constraints() {
                true => "by random search with restarts",
                false => "by construction and by random search with restarts",
            };
            return Ok(Source::Restarts(
                how,
                Box::new(restarts.constructed_first()),
            ));
        }
        if !is_requested && !self.search.is_measured() && n <= MAX_ENUMERATED {
            let solutions = Solutions::new(board).map_err(too_large)?;
            let solutions = solutions.cancel_with(limits.cancel.clone());
            return listed("in lexicographic order", Box::new(solutions));
        }
        let search = self
            .search
            .tree_search(board, self.several(), limits.clone())?;
        Ok(Source::Search(Box::new(search)))
    }
}

/// State of the command.
struct Run<'a> {
    arguments: &'a Arguments,
    board: &'a Board,
    source: Source,
    format: BoardFormat,
    writer: BoardWriter<'a>,
    written: u64,
    /// Whether the trace was cut before the end.
    is_cut: bool,
    limits: Limits,
    started: Instant,
}

impl Run<'_> {
    /// Writes solutions as they are found, or the trace.
    fn write(&mut self, output: &mut Output) -> io::Result<()> {
        let is_standard = self.arguments.output.output == Path::new("-");
        let mut out = BufWriter::with_capacity(1 << 16, output);
        if self.arguments.search.trace {
            let colours = is_standard && AutoStream::choice(&io::stdout()) != ColorChoice::Never;
            self.write_trace(&mut out, colours)?;
            return out.flush();
        }
        let found = Arc::new(AtomicU64::new(0));
        let mut progress = self.progress(&found);
        // Boards on a terminal would be mixed with lines of progress.
        let shares_terminal = is_standard && io::stdout().is_terminal();
        let mut flushed = None::<Instant>;
        // In lexicographic order, the first solution of a class is recognised without remembering the others.
        let is_lexicographic = self.source.is_lexicographic();
        let mut classes = HashSet::new();
        self.writer.begin(&mut out)?;
        while self.written < self.arguments.wanted() && !self.writer.is_full() {
            let Some(placement) = self.source.next() else {
                break;
            };
            let is_wanted = match (self.arguments.fundamental, is_lexicographic) {
                (false, _) => true,
                (true, true) => self.board.is_first_of_class(&placement),
                (true, false) => classes.insert(placement.canonical()),
            };
            if !is_wanted {
                continue;
            }
            if shares_terminal {
                progress = None;
            }
            self.writer
                .solution(&mut out, &placement, self.started.elapsed())?;
            self.written += 1;
            found.store(self.written, Ordering::Relaxed);
            if flushed.is_none_or(|flushed| flushed.elapsed() >= FLUSH_EVERY) {
                out.flush()?;
                flushed = Some(Instant::now());
                progress = progress.or_else(|| self.progress(&found));
            }
        }
        drop(progress);
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

    /// Shows solutions found, branches and time on a terminal, until dropped.
    fn progress(&self, found: &Arc<AtomicU64>) -> Option<indicatif::ProgressBar> {
        let (found, branches) = (found.clone(), self.limits.branches_taken.clone());
        let (started, advice) = (self.started, self.source.advice());
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
        let limit = self.arguments.search.trace_limit;
        let mut writer = TraceWriter::new(self.format, colours, self.board);
        writer.begin(out, search.settings)?;
        let mut is_end = false;
        while !is_end && !self.is_cut {
            let step = search.search.step();
            is_end = matches!(step, Step::End | Step::Limit(_));
            self.is_cut = !is_end && step != Step::Up && writer.steps() == limit;
            if !self.is_cut {
                writer.step(out, &search.search, &step)?;
                self.written += u64::from(matches!(step, Step::Solution(..)));
                is_end |= self.written == self.arguments.wanted();
            }
        }
        let steps = human::plural(writer.steps() as usize, "step");
        match (self.format, self.is_cut) {
            (BoardFormat::Json, true) => writeln!(out, "{{\"cut_after\":{}}}", writer.steps()),
            (BoardFormat::Json, false) => Ok(()),
            (_, true) => writeln!(out, "cut after {steps}; more come with --trace-limit"),
            (_, false) => writeln!(out, "{steps}: {}", search.figures()),
        }
    }

    /// Returns an error if fewer solutions were written than requested and the search is incomplete or found none.
    fn verdict(&self, elapsed: Duration) -> Result<()> {
        if self.written >= self.arguments.wanted() || self.is_cut {
            return Ok(()); // a cut trace ends with a line that states it
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
        let found = human::integer(self.written.into());
        let time = human::duration(elapsed);
        let is_slow = self.written == 0 || self.arguments.limit.is_some();
        let advice = if is_slow { self.source.advice() } else { "" };
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
        match self.board.constraints() {
            Some(constraints) => format!("N = {n}, {constraints}"),
            None => format!("N = {n}"),
        }
    }

    /// Describes the solutions written, such as `N = 8: first 3 solutions in lexicographic order`.
    fn title(&self) -> String {
        let is_complete =
            self.written < self.arguments.wanted() && self.verdict(Duration::ZERO).is_ok();
        let is_partial = self.arguments.several() && !is_complete;
        let first = if is_partial { "first " } else { "" };
        let solutions = human::plural(self.written as usize, self.arguments.kind());
        format!("{}: {first}{solutions} {}", self.name(), self.source.how())
    }

    /// Returns the heading of the search tree.
    fn tree_title(&self, search: &TreeSearch) -> String {
        let kind = self.arguments.kind();
        let extent = match self.arguments.wanted() {
            1 => format!("first {kind}"),
            u64::MAX => format!("all {kind}s"),
            most => format!("first {}", human::plural(most as usize, kind)),
        };
        let is_stopped = search.search.limit().is_some();
        let stopped = if is_stopped { ", stopped early" } else { "" };
        let (board, strategy, figures) = (self.name(), search.name(), search.figures());
        format!("{board}, {strategy}, {extent}{stopped}: {figures}")
    }
}
