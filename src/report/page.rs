//! A Markdown page with charts, made from saved benchmarks.

use std::collections::{BTreeMap, BTreeSet};

use super::Environment;
use super::bench::{MEASURED, SIZES, machine, measured_with, scores};
use super::chart::{self, Group, Line, named};
use super::writer::{Block, Table, markdown};
use crate::bench::{Benchmark, Measurement, Purpose, Saved, Solvers};
use crate::human::{self, absent, grouped, plural};
use crate::known::or_tools;

pub use super::chart::ChartError;

/// The file that the page is in, and what it begins with, by which it is known again.
pub(crate) const PAGE: &str = "README.md";
pub(crate) const OPENING: &str = "Made from saved benchmarks; every figure is a median.";

/// A page and its charts, as text.
///
/// ```no_run
/// use queens::bench::Saved;
/// use queens::report::page::Page;
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
        draft.line(OPENING);
        let (mut benchmarks, mut solvers) = (Vec::new(), Vec::new());
        for one in saved {
            match one {
                Saved::Benchmark(benchmark) => benchmarks.push(&**benchmark),
                Saved::Solvers(times) => solvers.push(&**times),
            }
        }
        draft.machines(&benchmarks)?;
        benchmarks
            .into_iter()
            .try_for_each(|one| draft.benchmark(one))?;
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

    fn chart(&mut self, name: &str, title: String, svg: String) {
        let file = format!("{name}.svg");
        self.blocks.push(Block::Picture(title, file.clone()));
        self.charts.insert(file, svg);
    }

    /// Machines side by side, wherever two of them have a score for the same board.
    fn machines(&mut self, benchmarks: &[&Benchmark]) -> Result<(), ChartError> {
        let mut boards = BTreeMap::<(&str, u32), Vec<Group>>::new();
        for benchmark in benchmarks {
            let scores = benchmark.scores.iter();
            for score in scores.filter(|score| score.one_thread.is_some()) {
                let cpu = chart::shortened(&benchmark.environment.cpu, 20);
                let (threads, day) = (score.threads, day(&benchmark.environment));
                let groups = boards.entry((&score.engine, score.n)).or_default();
                groups.push(Group {
                    name: format!("{cpu}, {threads} thr., {day}"),
                    points: vec![score.one_thread, score.all_threads],
                });
            }
        }
        boards.retain(|_, groups| groups.len() > 1);
        if !boards.is_empty() {
            self.title(2, "Machines side by side");
        }
        for ((engine, n), groups) in boards {
            let title = format!("Engine {engine} at N = {n}, solutions per second");
            let names = ["1 thread".to_owned(), "all threads".to_owned()];
            let svg = chart::rates(&title, &names, &groups)?;
            self.chart(&format!("machines-{}-{n}", file_name(engine)), title, svg);
        }
        Ok(())
    }

    fn benchmark(&mut self, benchmark: &Benchmark) -> Result<(), ChartError> {
        let environment = &benchmark.environment;
        let name = self.free_name("", environment);
        self.title(2, format!("{}, {}", environment.cpu, day(environment)));
        self.blocks.extend(measured_with(benchmark));
        self.blocks.extend(scores(&benchmark.scores));
        self.sizes(&name, benchmark)?;
        for engine in benchmark.engines() {
            self.kernels(&name, benchmark, engine)?;
        }
        self.scaling(&name, benchmark)
    }

    fn sizes(&mut self, name: &str, benchmark: &Benchmark) -> Result<(), ChartError> {
        let mut lines = Vec::<Line>::new();
        let mut fastest = BTreeMap::<u32, &Measurement>::new();
        for row in benchmark.of(Purpose::Table).filter(|row| row.correct) {
            let threads = plural(row.threads, "thread");
            let line = named(&mut lines, format!("{}, {threads}", row.engine));
            line.push((row.n, row.seconds));
            let best = fastest.entry(row.n).or_insert(row);
            if row.seconds < best.seconds {
                *best = row;
            }
        }
        if lines.is_empty() {
            return Ok(());
        }
        self.title(3, "Solutions against board size");
        let title = title("Time to count all solutions", &benchmark.environment);
        let svg = chart::time_against_n(&title, &lines)?;
        self.chart(&format!("{name}-time-against-n"), title, svg);
        self.line("The fastest of the rows measured for each N:");
        let table = Table::new(SIZES, fastest.into_values());
        self.blocks.push(Block::Table(table));
        Ok(())
    }

    fn kernels(
        &mut self,
        name: &str,
        benchmark: &Benchmark,
        engine: &str,
    ) -> Result<(), ChartError> {
        let is_wanted = |row: &&Measurement| row.engine == engine && row.correct;
        // Where the score is for another board than the kernels are compared on, it stays out.
        let Some(first) = benchmark.of(Purpose::Kernels).find(is_wanted) else {
            return Ok(());
        };
        let rows: Vec<_> = benchmark
            .measurements
            .iter()
            .filter(is_wanted)
            .filter(|row| matches!(row.purpose, Purpose::Kernels | Purpose::Score))
            .filter(|row| row.n == first.n)
            .collect();
        let threads = BTreeSet::from([1, benchmark.settings.threads]);
        let names = threads.iter().map(|&threads| plural(threads, "thread"));
        let names: Vec<_> = names.collect();
        let mut groups = Vec::<Group>::new();
        for row in &rows {
            let bars = named(&mut groups, row.kernel.clone());
            bars.resize(names.len(), None);
            if let Some(bar) = threads.iter().position(|&threads| threads == row.threads) {
                bars[bar] = Some(row.solutions_per_second);
            }
        }
        self.title(3, format!("Kernels of engine {engine}"));
        let title = format!(
            "Kernels of engine {engine} at N = {}, solutions per second",
            first.n
        );
        let svg = chart::rates(&title, &names, &groups)?;
        let chart = format!("{name}-kernels-{}", file_name(engine));
        self.chart(&chart, title, svg);
        self.blocks.push(Block::Table(Table::new(MEASURED, rows)));
        Ok(())
    }

    fn scaling(&mut self, name: &str, benchmark: &Benchmark) -> Result<(), ChartError> {
        let rows: Vec<_> = benchmark
            .measurements
            .iter()
            .filter(|row| matches!(row.purpose, Purpose::Score | Purpose::Scaling) && row.correct)
            .filter_map(|row| Some((row, row.speedup?)))
            .collect();
        if rows.iter().all(|(row, _)| row.threads == 1) {
            return Ok(());
        }
        let mut lines = Vec::<Line>::new();
        for (row, speedup) in &rows {
            let line = format!("{} ({}), N = {}", row.engine, row.kernel, row.n);
            let points = named(&mut lines, line);
            points.push((row.threads as u32, *speedup));
            points.sort_by_key(|point| point.0);
        }
        self.title(3, "Speed-up against threads");
        let title = title("Speed-up against threads", &benchmark.environment);
        let svg = chart::speedup_against_threads(&title, &lines)?;
        self.chart(&format!("{name}-speed-up"), title, svg);
        let rows = rows.into_iter().map(|(row, _)| row);
        self.blocks.push(Block::Table(Table::new(MEASURED, rows)));
        Ok(())
    }

    fn solvers(&mut self, solvers: &Solvers) -> Result<(), ChartError> {
        let environment = &solvers.environment;
        let name = self.free_name("solvers-", environment);
        let (cpu, day) = (&environment.cpu, day(environment));
        self.title(2, format!("Compared with constraint solvers: {cpu}, {day}"));
        self.blocks.extend(machine(environment));
        self.line("All solutions of a board, one worker:");
        let how = solvers.solvers.iter();
        let how = how.map(|solver| Block::Item(1, format!("{}: {}", solver.name, solver.how)));
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
        lines.retain(|line| !line.points.is_empty());
        let title = title("Time for all solutions, one worker", environment);
        let svg = chart::time_against_n(&title, &lines)?;
        self.chart(&format!("{name}-time-against-n"), title, svg);
        let last = solvers.solvers.last().map_or("", |solver| &solver.name);
        self.line(format!(
            "In brackets, how many times as long as {last}. The guide names neither its solver nor its machine."
        ));
        self.blocks
            .push(Block::Table(solver_table(solvers, &sizes)));
        Ok(())
    }

    /// A beginning for the names of charts that no other file on the page has.
    fn free_name(&self, kind: &str, environment: &Environment) -> String {
        let day = file_name(&day(environment));
        let base = format!("{kind}{}-{day}", file_name(&environment.cpu));
        let is_free = |name: &String| {
            let start = format!("{name}-");
            !self.charts.keys().any(|file| file.starts_with(&start))
        };
        let numbered = (2..).map(|i| format!("{base}-no{i}"));
        let mut names = std::iter::once(base.clone()).chain(numbered);
        names.find(is_free).expect("there is no end of numbers")
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

/// Letters of a CPU's name in the names of files, and in the titles of charts.
const LONGEST_NAME: usize = 48;

/// A title that has room above a chart.
fn title(words: &str, environment: &Environment) -> String {
    format!(
        "{words}, {}",
        chart::shortened(&environment.cpu, LONGEST_NAME)
    )
}

/// The day of a date, without the time.
fn day(environment: &Environment) -> String {
    environment.date.chars().take(10).collect()
}

/// A text as a part of the name of a file: letters and digits in lower case, and hyphens.
fn file_name(text: &str) -> String {
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
