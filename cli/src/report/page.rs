//! A Markdown page with charts, made from saved benchmarks.

use std::collections::BTreeMap;

use anyhow::Result;
use queens::known::or_tools;

use super::Environment;
use super::bench::{MEASURED, SIZES, guide, machine, measured_with, noisy};
use super::chart::{Line, time_against_n};
use super::document::{Format, Prose, Table};
use crate::bench::{Benchmark, Measurement, Purpose, Saved, Solvers, Workload};
use crate::human::{self, absent, integer, percent, plural};

/// The file that the page is in.
pub const PAGE: &str = "README.md";
/// What the page begins with, by which it is known again.
pub(crate) const OPENING: &str = "This page was made from saved benchmarks";

/// Characters of a CPU's name in the title of a chart.
const LONGEST_TITLE: usize = 48;
/// Characters of a machine's name in the names of files.
const LONGEST_NAME: usize = 100;
/// The searches of this program in the chart of solvers: the others run beside these or between them.
const CHARTED: [&str; 2] = ["queens solve, bounds", "queens solve, first-fail"];

/// The page of these files, in this order: its text and its charts by the names of their files.
///
/// ```no_run
/// use queens_cli::bench::Saved;
/// use queens_cli::report::page;
///
/// let saved = Saved::load("tests/fixtures/bench-one.json".as_ref())?;
/// for (name, text) in page(&[saved])? {
///     println!("{name}: {} bytes", text.len());
/// }
/// # anyhow::Ok(())
/// ```
///
/// # Errors
///
/// If a chart cannot be drawn.
pub fn page(saved: &[Saved]) -> Result<BTreeMap<String, String>> {
    let mut page = Page {
        prose: Prose::new(Format::Markdown),
        files: BTreeMap::new(),
    };
    page.prose.heading(1, "Results");
    page.prose.line(&format!("{OPENING}."));
    let mut benchmarks = Vec::new();
    let mut numbers = BTreeMap::<String, usize>::new();
    for one in saved {
        if let Saved::Benchmark(benchmark) = one {
            // Benchmarks of one machine and day are told apart by numbers.
            let name = benchmark.environment.name();
            let number = numbers.entry(name.clone()).or_default();
            *number += 1;
            let label = match *number {
                1 => name,
                number => format!("{name}, no. {number}"),
            };
            benchmarks.push((label, &**benchmark));
        }
    }
    page.ranking(&benchmarks);
    for (label, benchmark) in benchmarks {
        page.benchmark(&label, benchmark)?;
    }
    for one in saved {
        if let Saved::Solvers(solvers) = one {
            page.solvers(solvers)?;
        }
    }
    let mut files = page.files;
    files.insert(PAGE.to_owned(), page.prose.into_text());
    Ok(files)
}

/// A page in the making, and its charts.
struct Page {
    prose: Prose,
    files: BTreeMap<String, String>,
}

const RANKING: [&str; 8] = [
    "Machine",
    "1 thread",
    "All threads",
    "Efficiency",
    "Kernel",
    "Steal",
    "queens",
    "Noisy",
];

impl Page {
    /// All machines, the fastest first, a table for each workload.
    fn ranking(&mut self, benchmarks: &[(String, &Benchmark)]) {
        let mut boards = BTreeMap::<_, Vec<_>>::new();
        for (label, benchmark) in benchmarks {
            for score in &benchmark.scores {
                let board = (benchmark.workload, score.engine.name(), score.n);
                if let Some(all_threads) = score.all_threads {
                    let ranked = boards.entry(board).or_default();
                    ranked.push((all_threads, score, label, benchmark));
                }
            }
        }
        if boards.is_empty() {
            return;
        }
        self.prose.heading(2, "Scores");
        self.prose.line(
            "Solutions per second with the engine's best kernel, in the fastest of several runs.",
        );
        let part = |part: Option<f64>| part.map_or_else(absent, percent);
        for ((workload, engine, n), mut scores) in boards.into_iter().rev() {
            scores.sort_by(|one, other| other.0.total_cmp(&one.0));
            let mut rows = Vec::new();
            for (all_threads, score, label, benchmark) in scores {
                rows.push(vec![
                    label.clone(),
                    score.one_thread.map_or_else(absent, human::si),
                    human::si(all_threads),
                    part(score.efficiency()),
                    score.kernel.to_string(),
                    part(benchmark.steal),
                    benchmark.environment.version.clone(),
                    noisy(score.noisy),
                ]);
            }
            let title = format!("Workload {workload}, engine {engine}, N = {n}");
            self.prose.heading(3, &title);
            self.prose.table(&Table::of(&RANKING, rows));
        }
    }

    fn benchmark(&mut self, label: &str, benchmark: &Benchmark) -> Result<()> {
        self.prose.heading(2, label);
        measured_with(benchmark, &mut self.prose);
        let mut lines = BTreeMap::<String, Line>::new();
        let mut fastest = BTreeMap::<u32, &Measurement>::new();
        for row in benchmark.of(Purpose::Table).filter(|row| row.correct) {
            let Workload {
                engine, n, threads, ..
            } = row.workload;
            let name = format!("{engine}, {}", plural(threads, "thread"));
            lines.entry(name).or_default().push((n, row.least));
            let best = fastest.entry(n).or_insert(row);
            if row.least < best.least {
                *best = row;
            }
        }
        if !fastest.is_empty() {
            self.prose.heading(3, "Solutions against board size");
            let title = "Least time to count all solutions";
            self.chart(
                label,
                title,
                &benchmark.environment,
                lines.into_iter().collect(),
            )?;
            self.prose.line("The fastest configuration for each N. Times cover counting, not the start of the program:");
            self.prose.table(&Table::new(SIZES, fastest.into_values()));
        }
        let rows = benchmark.measurements.iter();
        let rows = rows.filter(|row| row.workload.purpose != Purpose::Table && row.correct);
        let table = Table::new(MEASURED, rows);
        if !table.rows.is_empty() {
            self.prose.heading(3, "Kernels and threads");
            self.prose.table(&table);
        }
        Ok(())
    }

    /// A chart of time against N, if there is a line that is more than its ends. Its file is named after the label.
    fn chart(
        &mut self,
        label: &str,
        title: &str,
        environment: &Environment,
        mut lines: Vec<(String, Line)>,
    ) -> Result<()> {
        lines.retain(|(_, points)| points.len() > 2);
        if lines.is_empty() {
            return Ok(());
        }
        let cpu = human::one_line(&human::beginning(&environment.cpu, LONGEST_TITLE));
        let title = format!("{title}, {cpu}");
        let mut file = format!("{}-time-against-n.svg", file_name(label));
        while self.files.contains_key(&file) {
            file.insert_str(0, "other-");
        }
        self.prose.picture(&title, &file);
        self.files.insert(file, time_against_n(&title, &lines)?);
        Ok(())
    }

    /// A table with a column for each solver, with the ratio of its times to those of the last one.
    fn solvers(&mut self, solvers: &Solvers) -> Result<()> {
        let environment = &solvers.environment;
        let name = environment.name();
        let title = format!("Compared with constraint solvers: {name}");
        self.prose.heading(2, &title);
        machine(environment, &mut self.prose);
        self.prose.line("All solutions of a board, one worker:");
        let boards: BTreeMap<_, _> = solvers
            .rows
            .iter()
            .map(|row| (row.n, row.solutions))
            .collect();
        let mut head = vec!["N".to_owned(), "Solutions".to_owned()];
        let mut lines = Vec::new();
        for solver in &solvers.solvers {
            self.prose.item(&format!("{}: {}", solver.name, solver.how));
            head.push(solver.name.clone());
            let rows = solvers.rows.iter().filter(|row| row.solver == solver.name);
            let line: Line = rows.map(|row| (row.n, row.seconds())).collect();
            lines.push((human::one_line(&solver.name), line));
        }
        let last = lines.last().cloned().unwrap_or_default();
        let time = |line: &Line, n| line.iter().find(|point| point.0 == n).map(|point| point.1);
        let mut rows = Vec::new();
        for (&n, &solutions) in &boards {
            let mut row = vec![n.to_string(), integer(solutions)];
            for (name, line) in &lines {
                row.push(match (time(line, n), time(&last.1, n)) {
                    (Some(seconds), Some(least)) if *name != last.0 => {
                        format!("{} ({:.1})", human::seconds(seconds), seconds / least)
                    }
                    (seconds, _) => seconds.map_or_else(absent, human::seconds),
                });
            }
            row.push(guide(n));
            rows.push(row);
        }
        head.push("OR-Tools guide".to_owned());
        let published = boards.keys().filter_map(|&n| or_tools(n));
        let published = published.map(|row| (row.n, row.milliseconds as f64 / 1e3));
        lines.push((
            "OR-Tools guide, as published".to_owned(),
            published.filter(|point| point.1 > 0.0).collect(),
        ));
        lines.retain(|(name, _)| {
            !name.starts_with("queens solve") || CHARTED.contains(&name.as_str())
        });
        let title = "Time for all solutions, one worker";
        self.chart(&format!("solvers {name}"), title, environment, lines)?;
        self.prose.line(&format!(
            "In brackets, the ratio to {}. The guide names neither its solver nor its machine.",
            last.0
        ));
        self.prose.table(&Table { head, rows });
        Ok(())
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
