//! Writes a benchmark down.

use std::io::{self, Write};

use comfy_table::{Table, presets};
use serde_json::{Map, Value, json};

use super::writer::{absent, escaped, grouped, plain, right};
use super::{Environment, Format, human};
use crate::bench::{Benchmark, Comparison, Measurement, Purpose, Score};

/// Writes one benchmark.
#[derive(Debug, Clone, Copy)]
pub struct BenchWriter(pub Format);

impl BenchWriter {
    /// Writes the benchmark to `out`. The JSON form is the one that is saved.
    ///
    /// # Errors
    ///
    /// What `out` reports.
    pub fn write(self, out: &mut dyn Write, benchmark: &Benchmark) -> io::Result<()> {
        match self.0 {
            Format::Json => {
                serde_json::to_writer_pretty(&mut *out, benchmark)?;
                writeln!(out)
            }
            Format::Csv => write_csv(out, benchmark),
            Format::Text | Format::Markdown => Sections {
                out,
                markdown: self.0 == Format::Markdown,
            }
            .write(benchmark),
        }
    }
}

/// The text for people, plain or as Markdown.
pub(super) struct Sections<'a> {
    pub(super) out: &'a mut dyn Write,
    pub(super) markdown: bool,
}

impl Sections<'_> {
    fn write(&mut self, benchmark: &Benchmark) -> io::Result<()> {
        self.title("Scores")?;
        self.scores(&benchmark.scores)?;
        for (purpose, title) in [
            (Purpose::Score, "One thread and all threads"),
            (Purpose::Kernels, "Kernels"),
            (Purpose::Scaling, "Scaling"),
            (Purpose::Table, "Solutions against board size"),
        ] {
            let rows: Vec<_> = benchmark.of(purpose).collect();
            if !rows.is_empty() {
                self.title(title)?;
                self.table(&rows, MEASURED)?;
            }
        }
        if let Some(compared) = &benchmark.comparison {
            self.title("Beside the baseline")?;
            self.table(&compared.iter().collect::<Vec<_>>(), COMPARED)?;
        }
        self.title("Measured with")?;
        self.environment(benchmark)
    }

    pub(super) fn title(&mut self, title: &str) -> io::Result<()> {
        if self.markdown {
            writeln!(self.out, "\n### {title}\n")
        } else {
            writeln!(self.out, "\n{title}")
        }
    }

    pub(super) fn scores(&mut self, scores: &[Score]) -> io::Result<()> {
        let (bullet, below) = if self.markdown {
            ("- ", "  - ")
        } else {
            ("  ", "    ")
        };
        for score in scores {
            writeln!(self.out, "{bullet}{}", score.quote())?;
            for reason in &score.reasons {
                writeln!(self.out, "{below}{}: {reason}", score.status.name())?;
            }
        }
        Ok(())
    }

    pub(super) fn table<T>(&mut self, rows: &[&T], columns: &[Column<T>]) -> io::Result<()> {
        let mut table = Table::new();
        table.load_style(if self.markdown {
            presets::ASCII_MARKDOWN
        } else {
            presets::NOTHING
        });
        table.set_header(columns.iter().map(|column| right(column.heading)));
        for row in rows {
            table.add_row(columns.iter().map(|column| right((column.show)(row))));
        }
        for line in table.lines() {
            writeln!(self.out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    pub(super) fn environment(&mut self, benchmark: &Benchmark) -> io::Result<()> {
        let settings = &benchmark.settings;
        let mut lines = machine(&benchmark.environment);
        lines.push((
            "benchmark",
            format!(
                "level {}, pinning {}, all threads: {} ({})",
                settings.level, settings.pin, settings.threads, settings.threads_reason
            ),
        ));
        for (name, value) in lines {
            if self.markdown {
                writeln!(self.out, "- {name}: {}", escaped(&value))?;
            } else {
                writeln!(self.out, "  {name}: {value}")?;
            }
        }
        Ok(())
    }
}

/// Program and machine, a line each.
pub(super) fn machine(environment: &Environment) -> Vec<(&'static str, String)> {
    let e = environment;
    let mut lines = vec![
        ("CPU", format!("{} ({})", e.cpu, e.cpu_id)),
        (
            "threads",
            format!(
                "{} cores, {} hardware threads, {} usable ({})",
                e.cores, e.hardware_threads, e.usable_threads, e.usable_reason
            ),
        ),
        ("caches", e.caches.clone()),
        ("instruction sets", e.instruction_sets.clone()),
    ];
    if let Some(hypervisor) = &e.hypervisor {
        lines.push(("virtual machine", hypervisor.clone()));
    }
    lines.extend([
        ("system", format!("{} ({})", e.os, e.platform)),
        ("program", format!("queens {}, {}", e.version, e.compiler)),
        ("date", e.date.clone()),
    ]);
    lines
}

/// A column of a table for people.
pub(super) struct Column<T> {
    heading: &'static str,
    show: fn(&T) -> String,
}

impl<T> Column<T> {
    pub(super) const fn new(heading: &'static str, show: fn(&T) -> String) -> Self {
        Self { heading, show }
    }
}

pub(super) const MEASURED: &[Column<Measurement>] = &[
    Column::new("Engine", |row| row.engine.clone()),
    Column::new("Kernel", |row| row.kernel.clone()),
    Column::new("N", |row| row.n.to_string()),
    Column::new("Threads", |row| row.threads.to_string()),
    Column::new("Solutions", |row| {
        if row.correct {
            grouped(&row.solutions)
        } else {
            "WRONG".to_owned()
        }
    }),
    Column::new("Median", |row| human::seconds(row.seconds)),
    Column::new("Spread", spread),
    Column::new("Runs", |row| row.runs.len().to_string()),
    Column::new("Solutions/s", |row| human::si(row.solutions_per_second)),
    Column::new("a thread", |row| human::si(row.per_thread)),
    Column::new("Speed-up", |row| {
        row.speedup
            .map_or_else(absent, |speedup| format!("{speedup:.2}"))
    }),
    Column::new("Efficiency", |row| {
        row.efficiency.map_or_else(absent, percent)
    }),
    Column::new("Marks", |row| {
        let kinds: Vec<_> = row.marks.iter().map(|mark| mark.kind.as_str()).collect();
        kinds.join(" ")
    }),
];

/// The spread of several runs; one run has none.
pub(super) fn spread(row: &Measurement) -> String {
    if row.runs.len() > 1 {
        percent(row.spread)
    } else {
        absent()
    }
}

const COMPARED: &[Column<Comparison>] = &[
    Column::new("Engine", |row| row.engine.clone()),
    Column::new("Kernel", |row| row.kernel.clone()),
    Column::new("N", |row| row.n.to_string()),
    Column::new("Threads", |row| row.threads.to_string()),
    Column::new("Baseline", |row| human::seconds(row.baseline_seconds)),
    Column::new("Now", |row| human::seconds(row.seconds)),
    Column::new("Ratio", |row| format!("{:.3}", row.ratio)),
    Column::new("Noise", |row| percent(row.noise)),
    Column::new("Verdict", |row| row.verdict.name().to_owned()),
];

fn percent(part: f64) -> String {
    format!("{:.1} %", 100.0 * part)
}

/// A line for each measurement, with what it was measured on; lists are left to the JSON form.
fn write_csv(out: &mut dyn Write, benchmark: &Benchmark) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(&mut *out);
    let shared = fields(&benchmark.environment);
    for (i, measured) in benchmark.measurements.iter().enumerate() {
        let mut row = fields(measured);
        row["runs"] = json!(measured.runs.len());
        let kinds: Vec<_> = measured
            .marks
            .iter()
            .map(|mark| mark.kind.as_str())
            .collect();
        row["marks"] = json!(kinds.join(" "));
        if let Some(compared) = &benchmark.comparison {
            let key =
                |one: &Comparison| (one.engine.clone(), one.kernel.clone(), one.n, one.threads);
            let (engine, kernel, n, threads) = measured.key();
            let key_here = (engine.to_owned(), kernel.to_owned(), n, threads);
            let found = compared
                .iter()
                .find(|one| key(one) == key_here && measured.purpose != Purpose::Table);
            let get = |show: fn(&Comparison) -> Value| found.map_or(Value::Null, show);
            row.insert(
                "baseline_seconds".into(),
                get(|one| json!(one.baseline_seconds)),
            );
            row.insert("baseline_ratio".into(), get(|one| json!(one.ratio)));
            row.insert("verdict".into(), get(|one| json!(one.verdict)));
        }
        row.insert("level".into(), json!(benchmark.settings.level));
        row.insert("pin".into(), json!(benchmark.settings.pin));
        row.extend(shared.clone());
        if i == 0 {
            csv.write_record(row.keys())?;
        }
        csv.write_record(row.values().map(plain))?;
    }
    csv.flush()
}

/// The fields of a record by name, in order.
fn fields(record: &impl serde::Serialize) -> Map<String, Value> {
    match serde_json::to_value(record) {
        Ok(Value::Object(fields)) => fields,
        other => unreachable!("a record is an object: {other:?}"),
    }
}
