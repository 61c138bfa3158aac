//! Writers of records: one count alone, or a table that grows row by row.

use std::io::{self, Write};

use comfy_table::{Cell, CellAlignment, ColumnConstraint, Table, Width, presets};
use serde_json::Value;

use super::{Format, JoinStats, Record, human};
use crate::known::known;

/// Writes one count.
#[derive(Debug, Clone, Copy)]
pub struct CountWriter(pub Format);

impl CountWriter {
    /// Writes the record to `out`.
    ///
    /// # Errors
    ///
    /// What `out` reports.
    pub fn write(self, out: &mut dyn Write, record: &Record) -> io::Result<()> {
        match self.0 {
            Format::Text => write_text(out, record),
            Format::Json => {
                serde_json::to_writer_pretty(&mut *out, &record.fields())?;
                writeln!(out)
            }
            Format::Csv | Format::Markdown => {
                let mut table = TableWriter::new(self.0, [record.n], record.reference.is_some());
                if let (Format::Markdown, Some(board)) = (self.0, &record.board) {
                    // The column is headed N, but this is not the ordinary problem.
                    writeln!(out, "N = {}, {board}:\n", record.n)?;
                }
                table.begin(out)?;
                table.row(out, record)?;
                table.end(out)
            }
        }
    }
}

fn write_text(out: &mut dyn Write, record: &Record) -> io::Result<()> {
    let solutions = grouped(&record.solutions);
    match &record.board {
        // Only the ordinary problem has the name Q(N).
        Some(board) => {
            let plural = if solutions == "1" { "" } else { "s" };
            writeln!(
                out,
                "N = {}, {board}: {solutions} solution{plural}",
                record.n
            )?;
        }
        None => writeln!(out, "Q({}) = {solutions}", record.n)?,
    }
    writeln!(out, "  {}", record.check_detail)?;
    if let Some(double_check) = &record.double_check {
        writeln!(out, "  {double_check}")?;
    }
    let time = human::seconds(record.seconds);
    let rate = human::si(record.solutions_per_second);
    writeln!(out, "  {time}, {rate} solutions/s")?;
    if let (Some(subproblems), Some(seconds)) = (record.resumed_subproblems, record.resumed_seconds)
    {
        let time = human::seconds(seconds);
        writeln!(
            out,
            "  {subproblems} subproblems of it in earlier runs, {time}"
        )?;
    }
    if let Some(nodes) = &record.nodes {
        writeln!(out, "  {} nodes", grouped(nodes))?;
    }
    writeln!(out, "  {}", how(record))?;
    record
        .stats
        .as_ref()
        .map_or(Ok(()), |stats| write_stats(out, stats))
}

/// What the join engine did, a line for each figure.
fn write_stats(out: &mut dyn Write, stats: &JoinStats) -> io::Result<()> {
    let mut line = |name: &str, figure: String| writeln!(out, "  {name:<17}{figure}");
    let integer = |number: u64| human::integer(number.into());
    line("row sets", integer(stats.row_sets))?;
    let (east, west) = (stats.east_half_boards, stats.west_half_boards);
    line(
        "half-boards",
        format!("{} east, {} west", integer(east), integer(west)),
    )?;
    line(
        "blocks",
        format!(
            "{}, {:.0} of 512 full",
            integer(stats.blocks),
            stats.block_fill
        ),
    )?;
    line("filtered", integer(stats.filtered))?;
    let lookups = format!("{:.2} look-ups each", stats.lookups_per_visit);
    line("visits", format!("{}, {lookups}", integer(stats.visits)))?;
    line("pairs", integer(stats.pairs))?;
    let tables = human::seconds(stats.tables_seconds);
    line(
        "tables",
        format!("{tables}, {}", human::bytes(stats.table_bytes)),
    )?;
    for (name, seconds) in [
        ("generation", stats.generate_seconds),
        ("sorting", stats.sort_seconds),
        ("filtering", stats.filter_seconds),
        ("block building", stats.build_seconds),
        ("scanning", stats.scan_seconds),
    ] {
        line(name, human::seconds(seconds))?;
    }
    Ok(())
}

/// The engine, the kernel and the threads in one line.
fn how(record: &Record) -> String {
    let plural = if record.threads == 1 { "" } else { "s" };
    let symmetry = record
        .symmetry
        .map(|symmetry| format!(", symmetry {symmetry}"));
    format!(
        "engine {}, kernel {}{}, {} thread{plural} ({})",
        record.engine,
        record.kernel,
        symmetry.unwrap_or_default(),
        record.threads,
        record.threads_reason
    )
}

/// Writes a table of counts, each row as soon as it is there.
#[derive(Debug)]
pub struct TableWriter {
    format: Format,
    reference: bool,
    widths: Vec<u16>,
    rows: usize,
}

/// A column of the table for people: its heading and how it shows a record.
struct Column {
    heading: &'static str,
    /// Width of the widest entry that is not a count.
    width: usize,
    show: fn(&Record) -> String,
}

const COLUMNS: [Column; 6] = [
    Column {
        heading: "N",
        width: 2,
        show: |record| record.n.to_string(),
    },
    Column {
        heading: "Solutions",
        width: 9,
        show: |record| grouped(&record.solutions),
    },
    Column {
        heading: "Fundamental",
        width: 11,
        show: |record| {
            let fundamental = record.fundamental.as_deref();
            fundamental.map_or_else(absent, grouped)
        },
    },
    Column {
        heading: "Time",
        width: 11,
        show: |record| human::seconds(record.seconds),
    },
    Column {
        heading: "Solutions/s",
        width: 11,
        show: |record| human::si(record.solutions_per_second),
    },
    Column {
        heading: "Check",
        width: 10,
        show: |record| record.check.to_owned(),
    },
];

const REFERENCE_COLUMNS: [Column; 2] = [
    Column {
        heading: "OR-Tools guide",
        width: 14,
        show: |record| {
            let milliseconds = record.reference.as_ref();
            milliseconds
                .and_then(|reference| reference.reference_milliseconds)
                .map_or_else(absent, |ms| format!("{} ms", human::integer(ms.into())))
        },
    },
    Column {
        heading: "Ratio",
        width: 8,
        show: |record| {
            let ratio = record.reference.as_ref();
            ratio
                .and_then(|reference| reference.reference_ratio)
                .map_or_else(absent, |ratio| human::integer(ratio.round() as u128))
        },
    },
];

impl TableWriter {
    /// A table for boards of these sizes, with the columns for the published time if `reference`.
    #[must_use]
    pub fn new(format: Format, sizes: impl IntoIterator<Item = u32>, reference: bool) -> Self {
        let widest = sizes.into_iter().map(widest_count).max().unwrap_or(0);
        let mut writer = Self {
            format,
            reference,
            widths: Vec::new(),
            rows: 0,
        };
        writer.widths = writer
            .columns()
            .map(|column| {
                let is_count = ["Solutions", "Fundamental"].contains(&column.heading);
                let width = column.width.max(if is_count { widest } else { 0 });
                width.max(column.heading.len()) as u16
            })
            .collect();
        writer
    }

    fn columns(&self) -> impl Iterator<Item = &'static Column> + use<> {
        let reference: &[Column] = if self.reference {
            &REFERENCE_COLUMNS
        } else {
            &[]
        };
        COLUMNS.iter().chain(reference)
    }

    /// Writes what stands above the rows.
    ///
    /// # Errors
    ///
    /// What `out` reports.
    pub fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.format {
            Format::Text | Format::Markdown => {
                let mut table = Table::new();
                table.set_header(self.columns().map(|column| right(column.heading)));
                self.write_table(out, table)
            }
            Format::Json => write!(out, "["),
            Format::Csv => Ok(()), // the header is the first record's field names
        }
    }

    /// Writes a row.
    ///
    /// # Errors
    ///
    /// What `out` reports.
    pub fn row(&mut self, out: &mut dyn Write, record: &Record) -> io::Result<()> {
        self.rows += 1;
        match self.format {
            Format::Text | Format::Markdown => {
                let mut table = Table::new();
                table.add_row(self.columns().map(|column| right((column.show)(record))));
                self.write_table(out, table)
            }
            Format::Json => {
                let comma = if self.rows > 1 { "," } else { "" };
                write!(out, "{comma}\n  ")?;
                serde_json::to_writer(&mut *out, &record.fields())?;
                out.flush()
            }
            Format::Csv => {
                let fields = record.fields();
                let mut csv = csv::Writer::from_writer(&mut *out);
                if self.rows == 1 {
                    csv.write_record(fields.keys())?;
                }
                csv.write_record(fields.values().map(plain))?;
                csv.flush()
            }
        }
    }

    /// Writes what stands below the rows.
    ///
    /// # Errors
    ///
    /// What `out` reports.
    pub fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.format {
            Format::Json if self.rows == 0 => writeln!(out, "]"),
            Format::Json => writeln!(out, "\n]"),
            Format::Text | Format::Markdown | Format::Csv => Ok(()),
        }
    }

    /// Writes a header or a row by itself, in columns of their final widths, so that rows line up as they come.
    fn write_table(&self, out: &mut dyn Write, mut table: Table) -> io::Result<()> {
        table.load_style(match self.format {
            Format::Markdown => presets::ASCII_MARKDOWN,
            _ => presets::NOTHING,
        });
        let padded = |width: &u16| ColumnConstraint::Absolute(Width::Fixed(width + 2));
        table.set_constraints(self.widths.iter().map(padded));
        for line in table.lines() {
            writeln!(out, "{}", line.trim_end())?;
        }
        out.flush()
    }
}

pub(super) fn right(text: impl ToString) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

/// Characters that the number of solutions of an open board of size `n` takes, or may take where it is not known.
fn widest_count(n: u32) -> usize {
    // Q(N) is near 0.143^N N!; from N = 28 on, one more digit and a half for each row is ample.
    let digits = |n: u32| 18 + 3 * (n as usize - 27) / 2;
    known(n).map_or_else(
        || digits(n) + digits(n) / 3,
        |row| human::integer(row.solutions).len(),
    )
}

/// A field as CSV has it.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A number in digits with its thousands separated.
pub(super) fn grouped(digits: &str) -> String {
    digits
        .parse()
        .map_or_else(|_| digits.to_owned(), human::integer)
}

/// A text in Markdown that reads as it is: signs that would begin a cell, a tag, code, a link or stress lose their meaning.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            '|' | '`' | '[' | ']' | '*' | '\\' => escaped.extend(['\\', letter]),
            other => escaped.push(other),
        }
    }
    escaped
}

pub(super) fn absent() -> String {
    "-".to_owned()
}
