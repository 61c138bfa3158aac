//! A Markdown page with charts, made from saved benchmarks.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::bench::{Column, MEASURED, Sections, machine, spread};
use super::chart::{self, Group, Line};
use super::writer::{absent, escaped, grouped};
use super::{Environment, human};
use crate::bench::{
    Benchmark, LoadError, Measurement, Purpose, SCHEMA_VERSION, check_environment, check_runs,
    check_schema, parse, read,
};
use crate::known::{known, or_tools};

pub use super::chart::ChartError;

/// What a file of times of several solvers is, in its field `schema`; `scripts/compare-solvers` writes it.
pub const SOLVERS_SCHEMA: &str = "queens-solvers";

/// A saved file of either kind.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Saved {
    /// What `queens bench --save` wrote.
    Benchmark(Box<Benchmark>),
    /// What `scripts/compare-solvers` wrote.
    Solvers(Box<Solvers>),
}

/// Times of several solvers for the same boards on the same machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Solvers {
    /// [`SOLVERS_SCHEMA`].
    pub schema: String,
    /// Version of the form.
    pub schema_version: u32,
    /// Machine, and this program.
    pub environment: Environment,
    /// The solvers, in the order in which they are shown; the last one is what the others are compared with.
    pub solvers: Vec<Solver>,
    /// Their times.
    pub rows: Vec<SolverTime>,
}

/// A solver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Solver {
    /// Its name, with its version.
    pub name: String,
    /// How it was run and what its time covers.
    pub how: String,
}

/// The time of a solver for all solutions of a board.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolverTime {
    /// The solver's name.
    pub solver: String,
    /// Board size.
    pub n: u32,
    /// Solutions found.
    pub solutions: String,
    /// Seconds of each run.
    pub runs: Vec<f64>,
    /// Their median.
    pub seconds: f64,
}

impl Saved {
    /// Reads a saved file.
    ///
    /// # Errors
    ///
    /// [`LoadError`], whatever the file holds.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        let value = read(path)?;
        if value["schema"] != SOLVERS_SCHEMA {
            return Ok(Self::Benchmark(Box::new(parse(value)?)));
        }
        check_schema(&value, SOLVERS_SCHEMA, SCHEMA_VERSION)?;
        let solvers: Solvers =
            serde_json::from_value(value).map_err(|error| LoadError::Damaged(error.to_string()))?;
        check_solvers(&solvers).map_err(LoadError::Damaged)?;
        Ok(Self::Solvers(Box::new(solvers)))
    }
}

/// What no comparison writes: times that contradict their runs, totals that are wrong, rows of nobody.
fn check_solvers(solvers: &Solvers) -> Result<(), String> {
    check_environment(&solvers.environment)?;
    let names: HashSet<_> = solvers.solvers.iter().map(|one| &one.name).collect();
    if names.is_empty() || names.len() < solvers.solvers.len() || solvers.rows.is_empty() {
        return Err("solvers or times are missing, or a solver comes twice".to_owned());
    }
    let mut seen = HashSet::new();
    for row in &solvers.rows {
        let SolverTime { solver, n, .. } = row;
        let of = |what: &str| format!("{what} of solver {solver} at N = {n}");
        check_runs(&row.runs, row.seconds).map_err(|what| of(&what))?;
        if known(*n).is_none_or(|known| known.solutions.to_string() != row.solutions) {
            return Err(of("a number of solutions that is not the published one"));
        }
        if !names.contains(solver) || !seen.insert((solver, n)) {
            return Err(of("a row of nobody or a second row"));
        }
    }
    Ok(())
}

/// A page and its charts, as text.
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
        let mut page = Self {
            markdown: "# Results\n\nMade by `queens report` from saved benchmarks; every figure is a median.\n".into(),
            charts: BTreeMap::new(),
        };
        let benchmarks: Vec<&Benchmark> = saved
            .iter()
            .filter_map(|one| match one {
                Saved::Benchmark(benchmark) => Some(&**benchmark),
                Saved::Solvers(_) => None,
            })
            .collect();
        page.machines(&benchmarks)?;
        for benchmark in benchmarks {
            page.benchmark(benchmark)?;
        }
        for one in saved {
            if let Saved::Solvers(solvers) = one {
                page.solvers(solvers)?;
            }
        }
        Ok(page)
    }

    /// The files by name, the page first.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        let charts = self.charts.iter();
        let charts = charts.map(|(name, svg)| (name.as_str(), svg.as_str()));
        std::iter::once(("README.md", self.markdown.as_str())).chain(charts)
    }

    /// Machines side by side, wherever two of them have a score for the same board.
    fn machines(&mut self, benchmarks: &[&Benchmark]) -> Result<(), ChartError> {
        let mut boards = BTreeMap::<(&str, u32), Vec<Group>>::new();
        for benchmark in benchmarks {
            for score in &benchmark.scores {
                if score.one_thread.is_some() {
                    let groups = boards.entry((&score.engine, score.n)).or_default();
                    groups.push(Group {
                        heading: heading(benchmark, score.threads),
                        bars: vec![score.one_thread, score.all_threads],
                    });
                }
            }
        }
        boards.retain(|_, groups| groups.len() > 1);
        if boards.is_empty() {
            return Ok(());
        }
        self.markdown += "\n## Machines side by side\n";
        for ((engine, n), groups) in boards {
            let title = format!("Engine {engine} at N = {n}, solutions per second");
            let names = ["1 thread".to_owned(), "all threads".to_owned()];
            let svg = chart::rates(&title, &names, &groups)?;
            self.chart(&format!("machines-{engine}-{n}"), &title, svg);
        }
        Ok(())
    }

    fn benchmark(&mut self, benchmark: &Benchmark) -> Result<(), ChartError> {
        let slug = self.slug("", &benchmark.environment);
        let environment = &benchmark.environment;
        let day = day(environment);
        self.markdown += &format!("\n## {}, {day}\n\n", escaped(&environment.cpu));
        self.written(|sections| sections.environment(benchmark));
        self.written(|sections| {
            sections.title("Scores")?;
            sections.scores(&benchmark.scores)
        });
        self.table_of_sizes(&slug, benchmark)?;
        self.kernels(&slug, benchmark)?;
        self.scaling(&slug, benchmark)?;
        Ok(())
    }

    fn table_of_sizes(&mut self, slug: &str, benchmark: &Benchmark) -> Result<(), ChartError> {
        let rows: Vec<_> = benchmark.of(Purpose::Table).collect();
        let lines = lines_by(&rows, |row| (f64::from(row.n), row.seconds));
        if lines.is_empty() {
            return Ok(());
        }
        self.markdown += "\n### Solutions against board size\n";
        let title = title("Time to count all solutions", &benchmark.environment);
        let svg = chart::time_against_n(&title, &lines)?;
        self.chart(&format!("{slug}-time-against-n"), &title, svg);
        let fastest = fastest_rows(&rows);
        self.markdown += "\nThe fastest of the rows measured for each N:\n\n";
        self.written(|sections| sections.table(&fastest, SIZES));
        Ok(())
    }

    fn kernels(&mut self, slug: &str, benchmark: &Benchmark) -> Result<(), ChartError> {
        let threads = benchmark.settings.threads;
        for engine in benchmark.engines() {
            let rows: Vec<_> = benchmark
                .measurements
                .iter()
                .filter(|row| row.engine == engine && row.correct)
                .filter(|row| matches!(row.purpose, Purpose::Kernels | Purpose::Score))
                .collect();
            // Where the score is for another board than the kernels are compared on, it stays out.
            let Some(n) = rows
                .iter()
                .find(|row| row.purpose == Purpose::Kernels)
                .map(|row| row.n)
            else {
                continue;
            };
            let mut groups = Vec::<Group>::new();
            for row in rows.iter().filter(|row| row.n == n) {
                let index = match groups.iter().position(|group| group.heading == row.kernel) {
                    Some(index) => index,
                    None => {
                        groups.push(Group {
                            heading: row.kernel.clone(),
                            bars: vec![None; if threads == 1 { 1 } else { 2 }],
                        });
                        groups.len() - 1
                    }
                };
                let bar = usize::from(row.threads != 1);
                groups[index].bars[bar] = Some(row.solutions_per_second);
            }
            let mut names = vec!["1 thread".to_owned()];
            if threads > 1 {
                names.push(format!("{threads} threads"));
            }
            self.markdown += &format!("\n### Kernels of engine {engine}\n");
            let title = format!("Kernels of engine {engine} at N = {n}, solutions per second");
            let svg = chart::rates(&title, &names, &groups)?;
            self.chart(&format!("{slug}-kernels-{engine}"), &title, svg);
            let rows: Vec<&Measurement> = rows.into_iter().filter(|row| row.n == n).collect();
            self.markdown.push('\n');
            self.written(|sections| sections.table(&rows, MEASURED));
        }
        Ok(())
    }

    fn scaling(&mut self, slug: &str, benchmark: &Benchmark) -> Result<(), ChartError> {
        let rows: Vec<_> = benchmark
            .measurements
            .iter()
            .filter(|row| matches!(row.purpose, Purpose::Score | Purpose::Scaling))
            .filter(|row| row.correct && row.speedup.is_some())
            .collect();
        if rows.iter().all(|row| row.threads == 1) {
            return Ok(());
        }
        let lines: Vec<Line> = benchmark
            .engines()
            .into_iter()
            .filter_map(|engine| {
                let of_engine = rows.iter().filter(|row| row.engine == engine);
                let mut points: Vec<_> = of_engine
                    .filter_map(|row| Some((row.threads as f64, row.speedup?)))
                    .collect();
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                let first = rows.iter().find(|row| row.engine == engine)?;
                let name = format!("{engine} ({}), N = {}", first.kernel, first.n);
                Some(Line { name, points })
            })
            .collect();
        self.markdown += "\n### Speed-up against threads\n";
        let title = title("Speed-up against threads", &benchmark.environment);
        let svg = chart::speedup_against_threads(&title, &lines)?;
        self.chart(&format!("{slug}-speed-up"), &title, svg);
        self.markdown.push('\n');
        self.written(|sections| sections.table(&rows, MEASURED));
        Ok(())
    }

    fn solvers(&mut self, solvers: &Solvers) -> Result<(), ChartError> {
        let slug = self.slug("solvers-", &solvers.environment);
        let environment = &solvers.environment;
        let day = day(environment);
        self.markdown += &format!(
            "\n## Beside constraint solvers: {}, {day}\n\n",
            escaped(&environment.cpu)
        );
        for (name, value) in machine(environment) {
            self.markdown += &format!("- {name}: {}\n", escaped(&value));
        }
        self.markdown += "\nAll solutions of a board, one worker:\n\n";
        for solver in &solvers.solvers {
            self.markdown += &format!("- {}: {}\n", escaped(&solver.name), escaped(&solver.how));
        }
        let mut lines: Vec<Line> = solvers
            .solvers
            .iter()
            .map(|solver| Line {
                name: solver.name.clone(),
                points: rows_of(solvers, &solver.name)
                    .map(|row| (f64::from(row.n), row.seconds))
                    .collect(),
            })
            .collect();
        let published = |n: u32| or_tools(n).filter(|row| row.milliseconds > 0);
        let sizes: std::collections::BTreeSet<u32> = solvers.rows.iter().map(|row| row.n).collect();
        lines.push(Line {
            name: "OR-Tools guide, as published".to_owned(),
            points: sizes
                .iter()
                .filter_map(|&n| Some((f64::from(n), published(n)?.milliseconds as f64 / 1e3)))
                .collect(),
        });
        lines.retain(|line| !line.points.is_empty());
        let title = title("Time for all solutions, one worker", environment);
        let svg = chart::time_against_n(&title, &lines)?;
        self.chart(&format!("{slug}-time-against-n"), &title, svg);
        self.solver_table(solvers, &sizes.into_iter().collect::<Vec<_>>());
        Ok(())
    }

    /// A column for each solver, with how many times as long as the last one it takes.
    fn solver_table(&mut self, solvers: &Solvers, sizes: &[u32]) {
        let time = |name: &str, n: u32| {
            let mut rows = rows_of(solvers, name);
            rows.find(|row| row.n == n).map(|row| row.seconds)
        };
        let last = solvers.solvers.last().map_or("", |solver| &solver.name);
        let names = solvers.solvers.iter().map(|solver| solver.name.as_str());
        let headings: Vec<_> = names.clone().map(escaped).collect();
        self.markdown += &format!(
            "\nIn brackets, how many times as long as {}. The guide names neither its solver nor its machine.\n\n\
             | N | Solutions | {} | OR-Tools guide |\n|{}\n",
            escaped(last),
            headings.join(" | "),
            " ---: |".repeat(headings.len() + 3)
        );
        for &n in sizes {
            let found = solvers.rows.iter().find(|row| row.n == n);
            let solutions = found.map_or_else(absent, |row| grouped(&row.solutions));
            let mut cells = vec![n.to_string(), solutions];
            for name in names.clone() {
                cells.push(match (time(name, n), time(last, n)) {
                    (Some(seconds), _) if name == last => human::seconds(seconds),
                    (Some(seconds), Some(least)) => {
                        let ratio = human::significant(seconds / least);
                        format!("{} ({ratio:.1})", human::seconds(seconds))
                    }
                    (Some(seconds), None) => human::seconds(seconds),
                    (None, _) => absent(),
                });
            }
            let guide = or_tools(n).map(|row| u128::from(row.milliseconds));
            cells.push(guide.map_or_else(absent, |ms| format!("{} ms", human::integer(ms))));
            self.markdown += &format!("| {} |\n", cells.join(" | "));
        }
    }

    /// Adds what `write` writes as Markdown.
    fn written(&mut self, write: impl FnOnce(&mut Sections<'_>) -> std::io::Result<()>) {
        let mut text = Vec::new();
        let mut sections = Sections {
            out: &mut text,
            markdown: true,
        };
        write(&mut sections).expect("memory takes all that is written");
        self.markdown += &String::from_utf8(text).expect("tables are text");
    }

    fn chart(&mut self, name: &str, title: &str, svg: String) {
        let file = format!("{name}.svg");
        self.markdown += &format!("\n![{}]({file})\n", escaped(title));
        self.charts.insert(file, svg);
    }

    /// A beginning for the names of charts that no other file on the page has.
    fn slug(&self, kind: &str, environment: &Environment) -> String {
        let words = environment.cpu.to_lowercase();
        let words = words.split(|c: char| !c.is_ascii_alphanumeric());
        let name: Vec<_> = words.filter(|word| !word.is_empty()).collect();
        let name: String = name.join("-").chars().take(LONGEST_NAME).collect();
        let name = if name.is_empty() { "cpu" } else { &name };
        let base = format!("{kind}{name}-{}", day(environment));
        let taken = |slug: &str| {
            let start = format!("{slug}-");
            self.charts.keys().any(|name| name.starts_with(&start))
        };
        let mut slugs = (1..).map(|i| {
            if i == 1 {
                base.clone()
            } else {
                format!("{base}-no{i}")
            }
        });
        slugs.find(|slug| !taken(slug)).unwrap_or_default()
    }
}

/// A row of the table of sizes, for readers.
const SIZES: &[Column<Measurement>] = &[
    Column::new("N", |row| row.n.to_string()),
    Column::new("Solutions", |row| grouped(&row.solutions)),
    Column::new("Time", |row| human::seconds(row.seconds)),
    Column::new("Spread", spread),
    Column::new("Solutions/s", |row| human::si(row.solutions_per_second)),
    Column::new("Engine", |row| row.engine.clone()),
    Column::new("Kernel", |row| row.kernel.clone()),
    Column::new("Threads", |row| row.threads.to_string()),
    Column::new("Runs", |row| row.runs.len().to_string()),
];

/// The fastest correct row for each N.
fn fastest_rows<'a>(rows: &[&'a Measurement]) -> Vec<&'a Measurement> {
    let mut fastest = BTreeMap::<u32, &Measurement>::new();
    for &row in rows.iter().filter(|row| row.correct) {
        let best = fastest.entry(row.n).or_insert(row);
        if row.seconds < best.seconds {
            *best = row;
        }
    }
    fastest.into_values().collect()
}

/// A line for each engine and number of threads, in the order of the rows.
fn lines_by(rows: &[&Measurement], point: impl Fn(&Measurement) -> (f64, f64)) -> Vec<Line> {
    let mut lines = Vec::<Line>::new();
    for row in rows.iter().filter(|row| row.correct) {
        let plural = if row.threads == 1 { "" } else { "s" };
        let name = format!("{}, {} thread{plural}", row.engine, row.threads);
        match lines.iter_mut().find(|line| line.name == name) {
            Some(line) => line.points.push(point(row)),
            None => lines.push(Line {
                name,
                points: vec![point(row)],
            }),
        }
    }
    lines
}

fn rows_of<'a>(solvers: &'a Solvers, name: &str) -> impl Iterator<Item = &'a SolverTime> {
    let name = name.to_owned();
    solvers.rows.iter().filter(move |row| row.solver == name)
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

fn heading(benchmark: &Benchmark, threads: usize) -> String {
    let environment = &benchmark.environment;
    let cpu = chart::shortened(&environment.cpu, 20);
    format!("{cpu}, {threads} thr., {}", day(environment))
}
