//! Benchmarks for people, and as lines for programs.

use std::io::{self, Write};

use serde_json::json;

use super::writer::{Block, Column, Fields, Report, Table, fields};
use super::{Environment, Format};
use crate::bench::{Benchmark, Comparison, Measurement, Purpose, Score};
use crate::human::{self, absent, grouped, percent, plural};

impl Benchmark {
    /// Writes the benchmark to `out`. The JSON form is the one that is saved.
    ///
    /// # Errors
    ///
    /// I/O errors of `out`.
    pub fn write(&self, out: &mut dyn Write, format: Format) -> io::Result<()> {
        format.exporter().write(out, self)
    }
}

impl Report for Benchmark {
    fn json(&self) -> Fields {
        fields(self)
    }

    /// A line for each measurement, with what it was measured on; lists are left to the JSON form.
    fn lines(&self) -> Vec<Fields> {
        let environment = fields(&self.environment);
        let line = |measured: &Measurement| {
            let mut line = fields(measured);
            line["runs"] = json!(measured.runs.len());
            line["marks"] = json!(kinds(measured));
            if let Some(compared) = &self.comparison {
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
                "level": self.settings.level,
                "pin": self.settings.pin,
            })));
            line.extend(environment.clone());
            line
        };
        self.measurements.iter().map(line).collect()
    }

    fn text(&self) -> Vec<Block> {
        let mut blocks = scores(&self.scores);
        for (purpose, title) in [
            (Purpose::Score, "One thread and all threads"),
            (Purpose::Kernels, "Kernels"),
            (Purpose::Scaling, "Scaling"),
            (Purpose::Table, "Solutions against board size"),
        ] {
            let table = Table::new(MEASURED, self.of(purpose));
            if !table.rows.is_empty() {
                blocks.extend([Block::Title(3, title.to_owned()), Block::Table(table)]);
            }
        }
        if let Some(compared) = &self.comparison {
            blocks.push(Block::Title(3, "Compared with the baseline".to_owned()));
            blocks.push(Block::Table(Table::new(COMPARED, compared)));
        }
        blocks.push(Block::Title(3, "Measured with".to_owned()));
        blocks.extend(measured_with(self));
        blocks
    }
}

/// The scores, each with what speaks against it.
pub(super) fn scores(scores: &[Score]) -> Vec<Block> {
    let mut blocks = vec![Block::Title(3, "Scores".to_owned())];
    for score in scores {
        blocks.push(Block::Item(1, quote(score)));
        let reasons = score.reasons.iter();
        blocks.extend(reasons.map(|reason| Block::Item(2, format!("{}: {reason}", score.status))));
    }
    blocks
}

/// A score in one line.
fn quote(score: &Score) -> String {
    let mut line = format!(
        "engine {} ({}) at N = {}",
        score.engine, score.kernel, score.n
    );
    let (Some(one), Some(all)) = (score.one_thread, score.all_threads) else {
        return line + ": void";
    };
    line += &format!(": {} solutions/s on 1 thread", human::si(one));
    if score.threads > 1 {
        let threads = plural(score.threads, "thread");
        line += &format!(", {} solutions/s on {threads}", human::si(all));
        if let Some(efficiency) = score.efficiency {
            line += &format!(", efficiency {:.0} %", 100.0 * efficiency);
        }
    }
    line
}

/// Program, machine and settings, an item each.
pub(super) fn measured_with(benchmark: &Benchmark) -> Vec<Block> {
    let settings = &benchmark.settings;
    let mut items = machine(&benchmark.environment);
    items.push(Block::Item(
        1,
        format!(
            "benchmark: level {}, pinning {}, all threads: {} ({})",
            settings.level, settings.pin, settings.threads, settings.threads_reason
        ),
    ));
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
        ("caches", Some(e.caches.clone())),
        ("instruction sets", Some(e.instruction_sets.clone())),
        ("virtual machine", e.hypervisor.clone()),
        ("system", Some(format!("{} ({})", e.os, e.platform))),
        (
            "program",
            Some(format!("queens {}, {}", e.version, e.compiler)),
        ),
        ("date", Some(e.date.clone())),
    ];
    let item = |(name, value)| Some(Block::Item(1, format!("{name}: {}", value?)));
    items.into_iter().filter_map(item).collect()
}

/// What people see of a measurement.
pub(super) const MEASURED: &[Column<Measurement>] = &[
    ("Engine", |row| row.engine.clone()),
    ("Kernel", |row| row.kernel.clone()),
    ("N", |row| row.n.to_string()),
    ("Threads", |row| row.threads.to_string()),
    ("Solutions", |row| match row.correct {
        true => grouped(&row.solutions),
        false => "WRONG".to_owned(),
    }),
    ("Median", |row| human::seconds(row.seconds)),
    ("Spread", spread),
    ("Runs", |row| row.runs.len().to_string()),
    ("Solutions/s", |row| human::si(row.solutions_per_second)),
    ("Per thread", |row| human::si(row.per_thread)),
    ("Speed-up", |row| {
        row.speedup
            .map_or_else(absent, |speedup| format!("{speedup:.2}"))
    }),
    ("Efficiency", |row| {
        row.efficiency.map_or_else(absent, percent)
    }),
    ("Marks", kinds),
];

/// What people see of a row of the table of sizes.
pub(super) const SIZES: &[Column<Measurement>] = &[
    ("N", |row| row.n.to_string()),
    ("Solutions", |row| grouped(&row.solutions)),
    ("Time", |row| human::seconds(row.seconds)),
    ("Spread", spread),
    ("Solutions/s", |row| human::si(row.solutions_per_second)),
    ("Engine", |row| row.engine.clone()),
    ("Kernel", |row| row.kernel.clone()),
    ("Threads", |row| row.threads.to_string()),
    ("Runs", |row| row.runs.len().to_string()),
];

/// What people see of a comparison.
const COMPARED: &[Column<Comparison>] = &[
    ("Engine", |row| row.engine.clone()),
    ("Kernel", |row| row.kernel.clone()),
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
