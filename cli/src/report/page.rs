//! A Markdown page with charts, made from saved benchmarks.

use std::collections::BTreeMap;

use super::Environment;
use super::bench::{MEASURED, SIZES, machine, measured_with};
use super::chart::{self, Line, named};
use super::writer::{Block, Table, markdown};
use crate::bench::{Benchmark, Measurement, Purpose, Saved, Score, Solvers};
use crate::human::{self, absent, grouped, plural};
use queens::known::or_tools;

pub use super::chart::ChartError;

/// The file that the page is in, and what it begins with, by which it is known again.
pub(crate) const PAGE: &str = "README.md";
pub(crate) const OPENING: &str = "This page was made from saved benchmarks";

/// A page and its charts, as text.
///
/// ```no_run
/// use queens_cli::bench::Saved;
/// use queens_cli::report::page::Page;
///
/// let saved = Saved::load("tests/fixtures/bench-one.json".as_ref())?;
/// for (name, text) in Page::new(&[saved])?.files() {
///     println!("{name}: {} bytes", text.len());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    markdown: String,
    charts: BTreeMap<String, String>,
}

impl Page {
    /// The page for these files, in this order.
    ///
    /// # Errors
    ///
    /// [`ChartError`] if a chart cannot be drawn.
    pub fn new(saved: &[Saved]) -> Result<Self, ChartError> {
        let mut draft = Draft::default();
        draft.title(1, "Results");
        draft.line(format!("{OPENING}."));
        let (mut benchmarks, mut solvers) = (Vec::new(), Vec::new());
        for one in saved {
            match one {
                Saved::Benchmark(benchmark) => benchmarks.push(&**benchmark),
                Saved::Solvers(times) => solvers.push(&**times),
            }
        }
        let benchmarks = labelled(benchmarks);
        draft.ranking(&benchmarks);
        benchmarks.iter().try_for_each(|one| draft.benchmark(one))?;
        solvers.into_iter().try_for_each(|one| draft.solvers(one))?;
        Ok(Self {
            markdown: markdown(&draft.blocks),
            charts: draft.charts,
        })
    }

    /// The files by name, the page first.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        let charts = self.charts.iter();
        let charts = charts.map(|(name, svg)| (name.as_str(), svg.as_str()));
        std::iter::once((PAGE, self.markdown.as_str())).chain(charts)
    }
}

/// A benchmark, and what it is called on the page.
type Labelled<'a> = (String, &'a Benchmark);

/// Benchmarks of one machine and day are told apart by numbers.
fn labelled(benchmarks: Vec<&Benchmark>) -> Vec<Labelled<'_>> {
    let mut numbers = BTreeMap::<String, usize>::new();
    let label = |benchmark: &Benchmark| {
        let name = benchmark.environment.name();
        let number = numbers.entry(name.clone()).or_default();
        *number += 1;
        match *number {
            1 => name,
            number => format!("{name}, no. {number}"),
        }
    };
    let labels: Vec<_> = benchmarks.iter().copied().map(label).collect();
    labels.into_iter().zip(benchmarks).collect()
}

/// A page in the making.
#[derive(Default)]
struct Draft {
    blocks: Vec<Block>,
    charts: BTreeMap<String, String>,
}

impl Draft {
    fn title(&mut self, level: usize, text: impl Into<String>) {
        self.blocks.push(Block::Title(level, text.into()));
    }

    fn line(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Line(text.into()));
    }

    /// All machines, the fastest first, a table for each workload.
    fn ranking(&mut self, benchmarks: &[Labelled<'_>]) {
        let mut boards = BTreeMap::<_, Vec<(&Labelled<'_>, &Score)>>::new();
        for labelled in benchmarks {
            let (_, benchmark) = labelled;
            for score in benchmark
                .scores
                .iter()
                .filter(|score| score.all_threads.is_some())
            {
                let board = (benchmark.workload, &*score.engine, score.n);
                boards.entry(board).or_default().push((labelled, score));
            }
        }
        if boards.is_empty() {
            return;
        }
        self.title(2, "Scores");
        self.line(
            "Solutions per second with the engine's best kernel, by the least of several runs.",
        );
        for ((workload, engine, n), mut scores) in boards.into_iter().rev() {
            let rate = |score: &Score| score.all_threads.unwrap_or_default();
            scores.sort_by(|(_, one), (_, other)| rate(other).total_cmp(&rate(one)));
            self.title(3, format!("Workload {workload}, engine {engine}, N = {n}"));
            self.blocks.push(Block::Table(ranked(&scores)));
        }
    }

    fn benchmark(&mut self, (label, benchmark): &Labelled<'_>) -> Result<(), ChartError> {
        self.title(2, label);
        self.blocks.extend(measured_with(benchmark));
        let marked = benchmark
            .scores
            .iter()
            .filter(|score| !score.reasons.is_empty());
        let marked = marked.map(|score| {
            let (engine, status) = (&score.engine, score.status);
            let reasons = score.reasons.join("; ");
            Block::item(format!("score of engine {engine}: {status}: {reasons}"))
        });
        self.blocks.extend(marked);
        self.sizes(label, benchmark)?;
        let others = |row: &&Measurement| row.purpose != Purpose::Table && row.correct;
        let rows: Vec<_> = benchmark.measurements.iter().filter(others).collect();
        if !rows.is_empty() {
            self.title(3, "Kernels and threads");
            self.blocks.push(Block::Table(Table::new(MEASURED, rows)));
        }
        Ok(())
    }

    fn sizes(&mut self, label: &str, benchmark: &Benchmark) -> Result<(), ChartError> {
        let mut lines = Vec::<Line>::new();
        let mut fastest = BTreeMap::<u32, &Measurement>::new();
        for row in benchmark.of(Purpose::Table).filter(|row| row.correct) {
            let threads = plural(row.threads, "thread");
            let line = named(&mut lines, format!("{}, {threads}", row.engine));
            line.push((row.n, row.least));
            let best = fastest.entry(row.n).or_insert(row);
            if row.least < best.least {
                *best = row;
            }
        }
        if fastest.is_empty() {
            return Ok(());
        }
        self.title(3, "Solutions against board size");
        self.time_chart(
            label,
            "Least time to count all solutions",
            &benchmark.environment,
            lines,
        )?;
        self.line("The fastest of the rows measured for each N; a time is that of counting, without the start of the program:");
        let table = Table::new(SIZES, fastest.into_values());
        self.blocks.push(Block::Table(table));
        Ok(())
    }

    /// A chart of time against N, if there is a line that is more than its ends. Its file is named after the label.
    fn time_chart(
        &mut self,
        label: &str,
        words: &str,
        environment: &Environment,
        mut lines: Vec<Line>,
    ) -> Result<(), ChartError> {
        lines.retain(|line| line.points.len() > 2);
        if lines.is_empty() {
            return Ok(());
        }
        let title = format!(
            "{words}, {}",
            human::beginning(&environment.cpu, LONGEST_TITLE)
        );
        let svg = chart::time_against_n(&title, &lines)?;
        let mut file = format!("{}-time-against-n.svg", file_name(label));
        while self.charts.contains_key(&file) {
            file.insert_str(0, "other-");
        }
        self.blocks.push(Block::Picture(title, file.clone()));
        self.charts.insert(file, svg);
        Ok(())
    }

    fn solvers(&mut self, solvers: &Solvers) -> Result<(), ChartError> {
        let environment = &solvers.environment;
        let name = environment.name();
        self.title(2, format!("Compared with constraint solvers: {name}"));
        self.blocks.extend(machine(environment));
        self.line("All solutions of a board, one worker:");
        let how = solvers.solvers.iter();
        let how = how.map(|solver| Block::item(format!("{}: {}", solver.name, solver.how)));
        self.blocks.extend(how);
        let mut lines = Vec::<Line>::new();
        let mut sizes = BTreeMap::new();
        for row in &solvers.rows {
            named(&mut lines, row.solver.clone()).push((row.n, row.seconds));
            sizes.insert(row.n, grouped(&row.solutions));
        }
        let guide = sizes
            .keys()
            .filter_map(|&n| Some((n, or_tools(n)?.milliseconds as f64 / 1e3)));
        lines.push(Line {
            name: "OR-Tools guide, as published".to_owned(),
            points: guide.filter(|point| point.1 > 0.0).collect(),
        });
        self.time_chart(
            &format!("solvers {name}"),
            "Time for all solutions, one worker",
            environment,
            lines,
        )?;
        let last = solvers.solvers.last().map_or("", |solver| &solver.name);
        self.line(format!(
            "In brackets, how many times as long as {last}. The guide names neither its solver nor its machine."
        ));
        self.blocks
            .push(Block::Table(solver_table(solvers, &sizes)));
        Ok(())
    }
}

/// A column for each solver, with how many times as long as the last one it takes.
fn solver_table(solvers: &Solvers, sizes: &BTreeMap<u32, String>) -> Table {
    let names: Vec<_> = solvers.solvers.iter().map(|solver| &*solver.name).collect();
    let last = names.last().copied().unwrap_or("");
    let heads = ["N", "Solutions"].into_iter().chain(names.iter().copied());
    let rows = sizes.iter().map(|(&n, solutions)| {
        let time = |name: &str| {
            let mut rows = solvers.rows.iter();
            let row = rows.find(|row| row.solver == name && row.n == n)?;
            Some(row.seconds)
        };
        let cell = |name: &&str| match (time(name), time(last)) {
            (Some(seconds), Some(least)) if *name != last => {
                format!("{} ({:.1})", human::seconds(seconds), seconds / least)
            }
            (seconds, _) => seconds.map_or_else(absent, human::seconds),
        };
        let mut row = vec![n.to_string(), solutions.clone()];
        row.extend(names.iter().map(cell));
        let guide = or_tools(n).map(|row| human::integer(row.milliseconds.into()));
        row.push(guide.map_or_else(absent, |ms| format!("{ms} ms")));
        row
    });
    Table {
        head: heads.chain(["OR-Tools guide"]).map(str::to_owned).collect(),
        rows: rows.collect(),
        ..Table::default()
    }
}

/// Letters of a CPU's name in the title of a chart.
const LONGEST_TITLE: usize = 48;
/// Letters of a machine's name in the names of files.
const LONGEST_NAME: usize = 100;

/// Scores among others.
fn ranked(scores: &[(&Labelled<'_>, &Score)]) -> Table {
    let head = "Machine|1 thread|All threads|Efficiency|Kernel|Steal|queens|Status".split('|');
    let rate = |rate: Option<f64>| rate.map_or_else(absent, human::si);
    let part = |part: Option<f64>| part.map_or_else(absent, human::percent);
    let row = |((label, benchmark), score): &(&Labelled<'_>, &Score)| {
        vec![
            label.clone(),
            rate(score.one_thread),
            rate(score.all_threads),
            part(score.efficiency()),
            score.kernel.clone(),
            part(benchmark.steal),
            benchmark.environment.version.clone(),
            score.status.to_string(),
        ]
    };
    Table {
        head: head.map(str::to_owned).collect(),
        rows: scores.iter().map(row).collect(),
        has_names: true,
        ..Table::default()
    }
}

/// A text as a part of the name of a file: letters and digits in lower case, and hyphens.
#[must_use]
pub fn file_name(text: &str) -> String {
    let words = text.to_lowercase();
    let words = words.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    let name: String = words.join("-").chars().take(LONGEST_NAME).collect();
    if name.is_empty() {
        "cpu".to_owned()
    } else {
        name
    }
}
