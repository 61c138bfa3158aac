//! Benchmarks as documents.

use serde_json::json;

use super::document::{Column, Document, Fields, Prose, Table, fields};
use super::record::{guide, rate};
use crate::bench::{Benchmark, Measurement, Purpose, Score};
use crate::human::{self, absent, integer, percent};

/// A benchmark as a document, whose JSON form is the one that is saved.
#[derive(Debug)]
pub struct BenchmarkReport<'a> {
    /// The benchmark.
    pub benchmark: &'a Benchmark,
    /// Whether people read scores and comparison alone.
    pub brief: bool,
}

impl Document for BenchmarkReport<'_> {
    fn json(&self) -> Fields {
        fields(self.benchmark)
    }

    /// A line for each measurement, with what it was measured on; lists are left to the JSON form.
    fn csv(&self) -> Vec<Fields> {
        let benchmark = self.benchmark;
        let mut lines = Vec::new();
        for measured in &benchmark.measurements {
            let mut line = fields(measured);
            line["runs"] = json!(measured.runs.len());
            line.extend(fields(json!({
                "workload": benchmark.workload,
                "level": benchmark.settings.level,
                "environment": benchmark.environment,
            })));
            lines.push(line);
        }
        lines
    }

    fn prose(&self, prose: &mut Prose) {
        let benchmark = self.benchmark;
        scores(benchmark, prose);
        for (purpose, title) in [
            (Purpose::Score, "Scores"),
            (Purpose::Kernels, "Kernels"),
            (Purpose::Table, "Solutions against board size"),
        ] {
            let table = Table::new(MEASURED, benchmark.of(purpose));
            if !table.rows.is_empty() && !self.brief {
                prose.heading(3, title);
                prose.table(&table);
            }
        }
        let measured = benchmark.measurements.iter();
        let compared = measured.filter(|row| row.figures.baseline_ratio.is_some());
        let table = Table::new(COMPARED, compared);
        if !table.rows.is_empty() {
            prose.heading(3, "Compared with the baseline");
            prose.table(&table);
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
const MEASURED: &[Column<Measurement>] = &[
    ("Engine, kernel", |row| {
        format!("{} {}", row.workload.engine, row.workload.kernel)
    }),
    ("N", |row| row.workload.n.to_string()),
    ("Threads", |row| row.workload.threads.to_string()),
    ("Solutions", |row| match row.correct {
        true => integer(row.solutions),
        false => "WRONG".to_owned(),
    }),
    ("Least", least),
    ("Median", median),
    ("Spread", |row| match row.runs.len() {
        1 => absent(),
        _ => percent(row.figures.spread),
    }),
    ("Runs", |row| row.runs.len().to_string()),
    ("Solutions/s", per_second),
    ("Speed-up", |row| {
        let speedup = row.figures.speedup;
        speedup.map_or_else(absent, |times| format!("{times:.2}"))
    }),
    ("Noisy", |row| noisy(row.figures.noisy)),
];

/// What people see of a row of the table of sizes.
pub(super) const SIZES: &[Column<Measurement>] = &[
    ("N", |row| row.workload.n.to_string()),
    ("Solutions", |row| integer(row.solutions)),
    ("Least", least),
    ("Median", median),
    ("Runs", |row| row.runs.len().to_string()),
    ("Solutions/s", per_second),
    ("Engine", |row| row.workload.engine.to_string()),
    ("Threads", |row| row.workload.threads.to_string()),
    ("OR-Tools guide", |row| guide(row.workload.n)),
];

/// What people see of a comparison.
const COMPARED: &[Column<Measurement>] = &[
    ("Engine, kernel", |row| {
        format!("{} {}", row.workload.engine, row.workload.kernel)
    }),
    ("N", |row| row.workload.n.to_string()),
    ("Threads", |row| row.workload.threads.to_string()),
    ("Baseline", |row| {
        let seconds = row.figures.baseline_seconds;
        seconds.map_or_else(absent, human::seconds)
    }),
    ("Now", median),
    ("Ratio", |row| {
        let ratio = row.figures.baseline_ratio;
        ratio.map_or_else(absent, |ratio| format!("{ratio:.3}"))
    }),
    ("Spread", |row| {
        row.figures.baseline_spread.map_or_else(absent, percent)
    }),
];

fn least(row: &Measurement) -> String {
    human::seconds(row.figures.least)
}

fn median(row: &Measurement) -> String {
    human::seconds(row.figures.seconds)
}

fn per_second(row: &Measurement) -> String {
    rate(row.solutions, row.figures.solutions_per_second)
}

/// The flag as a cell.
pub(super) fn noisy(is_noisy: bool) -> String {
    if is_noisy {
        "noisy".to_owned()
    } else {
        String::new()
    }
}
