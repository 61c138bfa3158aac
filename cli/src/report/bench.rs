//! Benchmarks as documents.

use serde_json::{Value, json};

use super::document::{Document, Prose, Row};
use super::record::{guide, rate};
use crate::human::{self, absent, integer, percent};
use crate::measure::{Benchmark, Measurement, Purpose, Score};

/// A benchmark as a document, whose JSON form is the one that is saved.
#[derive(Debug)]
pub struct BenchmarkReport<'a> {
    /// The benchmark.
    pub benchmark: &'a Benchmark,
    /// Whether people read scores and comparison alone.
    pub brief: bool,
}

impl Document for BenchmarkReport<'_> {
    fn json(&self) -> Value {
        json!(self.benchmark)
    }

    /// A line for each measurement, with what it was measured on; lists are left to the JSON form.
    fn csv(&self) -> Vec<Value> {
        let benchmark = self.benchmark;
        let line = |measured: &Measurement| {
            let mut line = json!(measured);
            line["runs"] = json!(measured.runs.len());
            line["workload"] = json!(benchmark.workload);
            line["level"] = json!(benchmark.settings.level);
            line["environment"] = json!(benchmark.environment);
            line
        };
        benchmark.measurements.iter().map(line).collect()
    }

    fn prose(&self, prose: &mut Prose) {
        let benchmark = self.benchmark;
        scores(benchmark, prose);
        for (purpose, title) in [
            (Purpose::Score, "Scores"),
            (Purpose::Kernels, "Kernels"),
            (Purpose::Table, "Solutions against board size"),
        ] {
            let mut rows = benchmark.of(purpose).map(measured).peekable();
            if !self.brief && rows.peek().is_some() {
                prose.heading(3, title);
                prose.table(rows);
            }
        }
        let mut rows = benchmark
            .measurements
            .iter()
            .filter_map(compared)
            .peekable();
        if rows.peek().is_some() {
            prose.heading(3, "Compared with the baseline");
            prose.table(rows);
        }
    }
}

/// The scores, that of the engine that counts fastest first; wrong totals, and program and machine.
fn scores(benchmark: &Benchmark, prose: &mut Prose) {
    let mut scores: Vec<_> = benchmark.scores.iter().collect();
    let rate = |score: &Score| score.all_threads.unwrap_or(-1.0);
    scores.sort_by(|one, other| rate(other).total_cmp(&rate(one)));
    for (i, score) in scores.into_iter().enumerate() {
        let score = quote(score, benchmark.workload);
        match i {
            0 => prose.line(&format!("Score: {score}")),
            _ => prose.item(&score),
        }
    }
    for wrong in benchmark.wrong() {
        prose.item(&format!("wrong total: {}", wrong.workload));
    }
    let environment = &benchmark.environment;
    let (version, compiler) = (&environment.version, &environment.compiler);
    let machine = environment.name();
    prose.item(&format!("{machine}, queens {version}, {compiler}"));
}

/// A score in one line.
fn quote(score: &Score, workload: u32) -> String {
    let what = format!(
        "({} N = {}, workload {workload})",
        score.workload.engine, score.workload.n
    );
    let (Some(one), Some(all)) = (score.one_thread, score.all_threads) else {
        return format!("void {what}");
    };
    let (one, all, threads) = (human::si(one), human::si(all), score.workload.threads);
    let all = if threads > 1 {
        format!(", {all} on {threads}")
    } else {
        String::new()
    };
    let noisy = if score.noisy { ", noisy" } else { "" };
    format!("{one} solutions/s on 1 thread{all} {what}{noisy}")
}

/// What people see of a measurement.
fn measured(row: &Measurement) -> Row<11> {
    let (of, figures) = (&row.workload, &row.figures);
    let solutions = match row.correct {
        true => integer(row.solutions),
        false => "WRONG".to_owned(),
    };
    let spread = match row.runs.len() {
        1 => absent(),
        _ => percent(figures.spread),
    };
    let speedup = figures.speedup;
    let speedup = speedup.map_or_else(absent, |times| format!("{times:.2}"));
    let rate = rate(row.solutions, figures.solutions_per_second);
    [
        ("Engine, kernel", format!("{} {}", of.engine, of.kernel)),
        ("N", of.n.to_string()),
        ("Threads", of.threads.to_string()),
        ("Solutions", solutions),
        ("Least", human::seconds(figures.least)),
        ("Median", human::seconds(figures.seconds)),
        ("Spread", spread),
        ("Runs", row.runs.len().to_string()),
        ("Solutions/s", rate),
        ("Speed-up", speedup),
        ("Noisy", noisy(figures.noisy)),
    ]
}

/// What people see of a row of the table of sizes.
pub(super) fn size(row: &Measurement) -> Row<9> {
    let (of, figures) = (&row.workload, &row.figures);
    let rate = rate(row.solutions, figures.solutions_per_second);
    [
        ("N", of.n.to_string()),
        ("Solutions", integer(row.solutions)),
        ("Least", human::seconds(figures.least)),
        ("Median", human::seconds(figures.seconds)),
        ("Runs", row.runs.len().to_string()),
        ("Solutions/s", rate),
        ("Engine", of.engine.to_string()),
        ("Threads", of.threads.to_string()),
        ("OR-Tools guide", guide(of.n)),
    ]
}

/// What people see of a comparison, if there is one.
fn compared(row: &Measurement) -> Option<Row<7>> {
    let (of, figures) = (&row.workload, &row.figures);
    Some([
        ("Engine, kernel", format!("{} {}", of.engine, of.kernel)),
        ("N", of.n.to_string()),
        ("Threads", of.threads.to_string()),
        ("Baseline", human::seconds(figures.baseline_seconds?)),
        ("Now", human::seconds(figures.seconds)),
        ("Ratio", format!("{:.3}", figures.baseline_ratio?)),
        ("Spread", percent(figures.baseline_spread?)),
    ])
}

/// The flag as a cell.
pub(super) fn noisy(is_noisy: bool) -> String {
    let cell = if is_noisy { "noisy" } else { "" };
    cell.to_owned()
}
