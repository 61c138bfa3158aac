//! Benchmarks for people, and as lines for programs.

use std::io::{self, Write};

use serde_json::json;

use super::writer::{Block, Column, Fields, Report, Table, fields, text, wrapped};
use super::{Environment, Format};
use crate::bench::{Benchmark, Comparison, Measurement, Purpose, Score, Status};
use crate::human::{self, absent, grouped, percent};
use queens::known::or_tools;

impl Benchmark {
    /// Writes the benchmark to `out`, for people with no column that a line of so many letters has no room for. The JSON form
    /// is the one that is saved.
    ///
    /// # Errors
    ///
    /// I/O errors of `out`.
    pub fn write(
        &self,
        out: &mut dyn Write,
        format: Format,
        width: Option<usize>,
    ) -> io::Result<()> {
        let width = width.filter(|_| format == Format::Text);
        let width = width.unwrap_or(usize::MAX);
        let benchmark = self;
        format.exporter().write(out, &Shown { benchmark, width })
    }

    /// Writes what one quotes of the benchmark, in a few lines, for people.
    ///
    /// # Errors
    ///
    /// I/O errors of `out`.
    pub fn write_score(&self, out: &mut dyn Write, width: Option<usize>) -> io::Result<()> {
        let width = width.unwrap_or(usize::MAX);
        let mut blocks = scores(self);
        if let Some(compared) = &self.comparison {
            blocks.extend(comparison(compared, width));
        }
        text(out, &wrapped(blocks, width))
    }
}

/// A benchmark as wide as it may be.
struct Shown<'a> {
    benchmark: &'a Benchmark,
    width: usize,
}

impl Report for Shown<'_> {
    fn json(&self) -> Fields {
        fields(self.benchmark)
    }

    /// A line for each measurement, with what it was measured on; lists are left to the JSON form.
    fn lines(&self) -> Vec<Fields> {
        let benchmark = self.benchmark;
        let environment = fields(&benchmark.environment);
        let line = |measured: &Measurement| {
            let mut line = fields(measured);
            line["runs"] = json!(measured.runs.len());
            line["marks"] = json!(kinds(measured));
            if let Some(compared) = &benchmark.comparison {
                let is_same = |one: &&Comparison| one.key() == measured.key();
                let found = compared.iter().find(is_same);
                let found = found.filter(|_| measured.purpose != Purpose::Table);
                line.extend(fields(json!({
                    "baseline_seconds": found.map(|one| one.baseline_seconds),
                    "baseline_ratio": found.map(|one| one.ratio),
                    "verdict": found.map(|one| one.verdict),
                })));
            }
            line.extend(fields(json!({
                "workload": benchmark.workload,
                "steal": benchmark.steal,
                "level": benchmark.settings.level,
                "pin": benchmark.settings.pin,
            })));
            line.extend(environment.clone());
            line
        };
        benchmark.measurements.iter().map(line).collect()
    }

    fn text(&self) -> Vec<Block> {
        let Self { benchmark, width } = *self;
        let mut blocks = scores(benchmark);
        for (purpose, title) in [
            (Purpose::Score, "One thread and all threads"),
            (Purpose::Kernels, "Kernels"),
            (Purpose::Scaling, "Scaling"),
            (Purpose::Table, "Solutions against board size"),
        ] {
            let mut table = Table::new(MEASURED, benchmark.of(purpose));
            if !table.rows.is_empty() {
                table.narrow(
                    width,
                    &["Spread", "Runs", "Solutions", "Median", "Marks", "Speed-up"],
                );
                blocks.extend([Block::Title(3, title.to_owned()), Block::Table(table)]);
            }
        }
        if let Some(compared) = &benchmark.comparison {
            blocks.extend(comparison(compared, width));
        }
        blocks.push(Block::Title(3, "Measured with".to_owned()));
        blocks.extend(measured_with(benchmark));
        wrapped(blocks, width)
    }
}

fn comparison(compared: &[Comparison], width: usize) -> [Block; 2] {
    let mut table = Table::new(COMPARED, compared);
    table.narrow(width, &["Noise", "Threads", "Baseline"]);
    let title = "Compared with the baseline".to_owned();
    [Block::Title(3, title), Block::Table(table)]
}

/// The score to quote first, then the other engines', each with what speaks against it.
pub(super) fn scores(benchmark: &Benchmark) -> Vec<Block> {
    let best = benchmark.best();
    let others = benchmark.scores.iter();
    let others = others.filter(|score| best != Some(*score));
    let mut blocks = Vec::new();
    for score in best.into_iter().chain(others) {
        let line = quote(score, benchmark.workload);
        blocks.push(match blocks.is_empty() {
            true => Block::Line(format!("Score: {line}")),
            false => Block::Item(1, line),
        });
        let reasons = score.reasons.iter();
        blocks.extend(reasons.map(|reason| match score.status {
            Status::Void => Block::Item(2, format!("void: {reason}")),
            _ => Block::Item(2, reason.clone()),
        }));
    }
    let environment = &benchmark.environment;
    let version = &environment.version;
    let name = environment.name();
    blocks.push(Block::item(format!("{name}, queens {version}")));
    blocks.extend(benchmark.steal.map(percent).map(|steal| {
        let where_to = "of the CPU time went to other virtual machines (steal)";
        Block::item(format!("{steal} {where_to}"))
    }));
    blocks
}

/// A score in one line.
fn quote(score: &Score, workload: u32) -> String {
    let what = format!("({} N = {}, workload {workload})", score.engine, score.n);
    let (Some(one), Some(all)) = (score.one_thread, score.all_threads) else {
        return format!("void {what}");
    };
    let mut line = format!("{} solutions/s on 1 thread", human::si(one));
    if score.threads > 1 {
        line += &format!(", {} on {}", human::si(all), score.threads);
    }
    format!("{line} {what}")
}

/// Program, machine and settings, an item each.
pub(super) fn measured_with(benchmark: &Benchmark) -> Vec<Block> {
    let settings = &benchmark.settings;
    let mut items = machine(&benchmark.environment);
    items.push(Block::item(format!(
        "benchmark: {}, pinning {}, all threads: {} ({})",
        settings.level, settings.pin, settings.threads, settings.threads_reason
    )));
    items
}

/// Program and machine, an item each.
pub(super) fn machine(e: &Environment) -> Vec<Block> {
    let threads = format!(
        "{} cores, {} hardware threads, {} usable ({})",
        e.cores, e.hardware_threads, e.usable_threads, e.usable_reason
    );
    let items = [
        ("CPU", Some(format!("{} ({})", e.cpu, e.cpu_id))),
        ("threads", Some(threads)),
        ("instruction sets", Some(e.instruction_sets.clone())),
        ("system", Some(format!("{} ({})", e.os, e.platform))),
        (
            "program",
            Some(format!("queens {}, {}", e.version, e.compiler)),
        ),
        ("date", Some(e.date.clone())),
    ];
    let item = |(name, value)| Some(Block::item(format!("{name}: {}", value?)));
    items.into_iter().filter_map(item).collect()
}

/// What people see of a measurement.
pub(super) const MEASURED: &[Column<Measurement>] = &[
    ("Engine, kernel", |row| {
        format!("{} {}", row.engine, row.kernel)
    }),
    ("N", |row| row.n.to_string()),
    ("Threads", |row| row.threads.to_string()),
    ("Solutions", |row| match row.correct {
        true => grouped(&row.solutions),
        false => "WRONG".to_owned(),
    }),
    ("Least", |row| human::seconds(row.least)),
    ("Median", |row| human::seconds(row.seconds)),
    ("Spread", spread),
    ("Runs", |row| row.runs.len().to_string()),
    ("Solutions/s", |row| human::si(row.solutions_per_second)),
    ("Speed-up", |row| {
        row.speedup
            .map_or_else(absent, |speedup| format!("{speedup:.2}"))
    }),
    ("Marks", kinds),
];

/// What people see of a row of the table of sizes.
pub(super) const SIZES: &[Column<Measurement>] = &[
    ("N", |row| row.n.to_string()),
    ("Solutions", |row| grouped(&row.solutions)),
    ("Least", |row| human::seconds(row.least)),
    ("Median", |row| human::seconds(row.seconds)),
    ("Runs", |row| row.runs.len().to_string()),
    ("Solutions/s", |row| human::si(row.solutions_per_second)),
    ("Engine", |row| row.engine.clone()),
    ("Threads", |row| row.threads.to_string()),
    ("OR-Tools guide", |row| {
        let milliseconds = or_tools(row.n).map(|row| row.milliseconds.into());
        milliseconds.map_or_else(absent, |ms| format!("{} ms", human::integer(ms)))
    }),
];

/// What people see of a comparison.
const COMPARED: &[Column<Comparison>] = &[
    ("Engine, kernel", |row| {
        format!("{} {}", row.engine, row.kernel)
    }),
    ("N", |row| row.n.to_string()),
    ("Threads", |row| row.threads.to_string()),
    ("Baseline", |row| human::seconds(row.baseline_seconds)),
    ("Now", |row| human::seconds(row.seconds)),
    ("Ratio", |row| format!("{:.3}", row.ratio)),
    ("Noise", |row| percent(row.noise)),
    ("Verdict", |row| row.verdict.to_string()),
];

/// The spread of several runs; one run has none.
fn spread(row: &Measurement) -> String {
    if row.runs.len() > 1 {
        percent(row.spread)
    } else {
        absent()
    }
}

/// The kinds of a measurement's marks.
fn kinds(measured: &Measurement) -> String {
    let kinds = measured.marks.iter().map(|mark| mark.kind.as_str());
    kinds.collect::<Vec<_>>().join(" ")
}
