//! Benchmarks as documents.

use serde_json::json;

use super::Environment;
use super::document::{Column, Document, Fields, Prose, Table, fields};
use super::record::rate;
use crate::bench::{Benchmark, Comparison, Measurement, Purpose, Score};
use crate::human::{self, absent, integer, percent};
use queens::known::or_tools;

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
            if let Some(compared) = &benchmark.comparison {
                let is_same = |one: &&Comparison| one.workload == measured.workload;
                let found = compared.iter().find(is_same);
                line.extend(fields(json!({
                    "baseline_seconds": found.map(|one| one.baseline_seconds),
                    "baseline_ratio": found.map(|one| one.ratio),
                    "baseline_spread": found.map(|one| one.spread),
                })));
            }
            line.extend(fields(json!({
                "workload": benchmark.workload,
                "steal": benchmark.steal,
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
            (Purpose::Score, "One thread and all threads"),
            (Purpose::Kernels, "Kernels"),
            (Purpose::Scaling, "Scaling"),
            (Purpose::Table, "Solutions against board size"),
        ] {
            let table = Table::new(MEASURED, benchmark.of(purpose));
            if !table.rows.is_empty() && !self.brief {
                prose.heading(3, title);
                prose.table(&table);
            }
        }
        if let Some(compared) = &benchmark.comparison {
            prose.heading(3, "Compared with the baseline");
            prose.table(&Table::new(COMPARED, compared));
        }
        if !self.brief {
            prose.heading(3, "Measured with");
            measured_with(benchmark, prose);
        }
    }
}

/// The score to quote first, then the other engines'; wrong totals, machine and steal time.
fn scores(benchmark: &Benchmark, prose: &mut Prose) {
    let best = benchmark.best();
    if let Some(score) = best {
        prose.line(&format!("Score: {}", quote(score, benchmark.workload)));
    }
    for score in benchmark.scores.iter().filter(|score| best != Some(score)) {
        prose.item(&quote(score, benchmark.workload));
    }
    for wrong in benchmark.wrong() {
        prose.item(&format!("wrong total: {}", wrong.workload));
    }
    let environment = &benchmark.environment;
    let version = &environment.version;
    prose.item(&format!("{}, queens {version}", environment.name()));
    if let Some(steal) = benchmark.steal.map(percent) {
        prose.item(&format!(
            "{steal} of the CPU time went to other virtual machines (steal)"
        ));
    }
}

/// A score in one line.
fn quote(score: &Score, workload: u32) -> String {
    let what = format!("({} N = {}, workload {workload})", score.engine, score.n);
    let (Some(one), Some(all)) = (score.one_thread, score.all_threads) else {
        return format!("void {what}");
    };
    let (one, all, threads) = (human::si(one), human::si(all), score.threads);
    let all = if threads > 1 {
        format!(", {all} on {threads}")
    } else {
        String::new()
    };
    let noisy = if score.noisy { ", noisy" } else { "" };
    format!("{one} solutions/s on 1 thread{all} {what}{noisy}")
}

/// Program, machine and settings, an item each.
pub(super) fn measured_with(benchmark: &Benchmark, prose: &mut Prose) {
    let settings = &benchmark.settings;
    machine(&benchmark.environment, prose);
    prose.item(&format!(
        "benchmark: {}, all threads: {} ({})",
        settings.level, settings.threads, settings.threads_reason
    ));
}

/// Program and machine, an item each.
pub(super) fn machine(e: &Environment, prose: &mut Prose) {
    prose.item(&format!("CPU: {} ({})", e.cpu, e.cpu_id));
    prose.item(&format!(
        "threads: {} cores, {} hardware threads, {} usable ({})",
        e.cores, e.hardware_threads, e.usable_threads, e.usable_reason
    ));
    prose.item(&format!("instruction sets: {}", e.instruction_sets));
    prose.item(&format!("system: {} ({})", e.os, e.platform));
    prose.item(&format!("program: queens {}, {}", e.version, e.compiler));
    prose.item(&format!("date: {}", e.date));
}

/// What people see of a measurement.
pub(super) const MEASURED: &[Column<Measurement>] = &[
    ("Engine, kernel", |row| {
        format!("{} {}", row.workload.engine, row.workload.kernel)
    }),
    ("N", |row| row.workload.n.to_string()),
    ("Threads", |row| row.workload.threads.to_string()),
    ("Solutions", |row| match row.correct {
        true => integer(row.solutions),
        false => "WRONG".to_owned(),
    }),
    ("Least", |row| human::seconds(row.least)),
    ("Median", |row| human::seconds(row.seconds)),
    ("Spread", |row| match row.runs.len() {
        1 => absent(),
        _ => percent(row.spread),
    }),
    ("Runs", |row| row.runs.len().to_string()),
    ("Solutions/s", per_second),
    ("Speed-up", |row| {
        let speedup = row.speedup;
        speedup.map_or_else(absent, |times| format!("{times:.2}"))
    }),
    ("Noisy", |row| noisy(row.noisy)),
];

/// What people see of a row of the table of sizes.
pub(super) const SIZES: &[Column<Measurement>] = &[
    ("N", |row| row.workload.n.to_string()),
    ("Solutions", |row| integer(row.solutions)),
    ("Least", |row| human::seconds(row.least)),
    ("Median", |row| human::seconds(row.seconds)),
    ("Runs", |row| row.runs.len().to_string()),
    ("Solutions/s", per_second),
    ("Engine", |row| row.workload.engine.to_string()),
    ("Threads", |row| row.workload.threads.to_string()),
    ("OR-Tools guide", |row| guide(row.workload.n)),
];

/// What people see of a comparison.
const COMPARED: &[Column<Comparison>] = &[
    ("Engine, kernel", |row| {
        format!("{} {}", row.workload.engine, row.workload.kernel)
    }),
    ("N", |row| row.workload.n.to_string()),
    ("Threads", |row| row.workload.threads.to_string()),
    ("Baseline", |row| human::seconds(row.baseline_seconds)),
    ("Now", |row| human::seconds(row.seconds)),
    ("Ratio", |row| format!("{:.3}", row.ratio)),
    ("Spread", |row| percent(row.spread)),
];

fn per_second(row: &Measurement) -> String {
    rate(row.solutions, row.solutions_per_second).unwrap_or_else(absent)
}

/// The time that the OR-Tools guide has for all solutions of a board.
pub(super) fn guide(n: u32) -> String {
    let milliseconds = or_tools(n).map(|row| row.milliseconds.into());
    milliseconds.map_or_else(absent, |ms| format!("{} ms", integer(ms)))
}

/// The flag as a cell.
pub(super) fn noisy(is_noisy: bool) -> String {
    if is_noisy {
        "noisy".to_owned()
    } else {
        String::new()
    }
}
