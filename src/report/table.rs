//! Counts for people: one alone, or a table that grows row by row.

use std::io::{self, Write};

use serde_json::Value;

use super::writer::{Block, Column, Exporter, Fields, Report, Row, Table, cells, fields, head};
use super::{Format, JoinStats, Record};
use crate::human::{self, absent, grouped, plural};
use crate::known::known;

impl Record {
    /// Writes the record to `out`.
    ///
    /// # Errors
    ///
    /// I/O errors of `out`.
    pub fn write(&self, out: &mut dyn Write, format: Format) -> io::Result<()> {
        format.exporter().write(out, self)
    }
}

impl Report for Record {
    fn json(&self) -> Value {
        Value::Object(fields(self))
    }

    fn lines(&self) -> Vec<Fields> {
        vec![fields(self)]
    }

    fn text(&self) -> Vec<Block> {
        let solutions = grouped(&self.solutions);
        let title = match &self.board {
            // Only the ordinary problem has the name Q(N).
            Some(board) => {
                let s = if solutions == "1" { "" } else { "s" };
                format!("N = {}, {board}: {solutions} solution{s}", self.n)
            }
            None => format!("Q({}) = {solutions}", self.n),
        };
        let mut items = vec![self.check_detail.clone()];
        items.extend(self.double_check.clone());
        let (time, rate) = (
            human::seconds(self.seconds),
            human::si(self.solutions_per_second),
        );
        items.push(format!("{time}, {rate} solutions/s"));
        if let (Some(number), Some(seconds)) = (self.resumed_subproblems, self.resumed_seconds) {
            let time = human::seconds(seconds);
            items.push(format!(
                "{number} subproblems of it in earlier runs, {time}"
            ));
        }
        let nodes = self.nodes.as_deref();
        items.extend(nodes.map(|nodes| format!("{} nodes", grouped(nodes))));
        items.push(how(self));
        items.extend(self.stats.iter().flat_map(stats));
        let items = items.into_iter().map(|item| Block::Item(1, item));
        std::iter::once(Block::Line(title)).chain(items).collect()
    }

    fn markdown(&self) -> Vec<Block> {
        // The column is headed N, but this is not the ordinary problem.
        let board = self.board.as_ref();
        let board = board.map(|board| Block::Line(format!("N = {}, {board}:", self.n)));
        let columns = columns([self.n], self.reference.is_some());
        let table = Block::Table(Table::new(&columns, [self]));
        board.into_iter().chain([table]).collect()
    }
}

/// What the join engine did, a line for each figure.
fn stats(stats: &JoinStats) -> Vec<String> {
    let integer = |number: u64| human::integer(number.into());
    let [east, west] = [stats.east_half_boards, stats.west_half_boards].map(integer);
    let (blocks, fill) = (integer(stats.blocks), stats.block_fill);
    let (visits, lookups) = (integer(stats.visits), stats.lookups_per_visit);
    let (tables, bytes) = (
        human::seconds(stats.tables_seconds),
        human::bytes(stats.table_bytes),
    );
    [
        ("row sets", integer(stats.row_sets)),
        ("half-boards", format!("{east} east, {west} west")),
        ("blocks", format!("{blocks}, {fill:.0} of 512 full")),
        ("filtered", integer(stats.filtered)),
        ("visits", format!("{visits}, {lookups:.2} look-ups each")),
        ("pairs", integer(stats.pairs)),
        ("tables", format!("{tables}, {bytes}")),
        ("generation", human::seconds(stats.generate_seconds)),
        ("sorting", human::seconds(stats.sort_seconds)),
        ("filtering", human::seconds(stats.filter_seconds)),
        ("block building", human::seconds(stats.build_seconds)),
        ("scanning", human::seconds(stats.scan_seconds)),
    ]
    .map(|(name, figure)| format!("{name:<17}{figure}"))
    .into()
}

/// The engine, the kernel and the threads in one line.
fn how(record: &Record) -> String {
    let symmetry = record
        .symmetry
        .map(|symmetry| format!(", symmetry {symmetry}"));
    format!(
        "engine {}, kernel {}{}, {} ({})",
        record.engine,
        record.kernel,
        symmetry.unwrap_or_default(),
        plural(record.threads, "thread"),
        record.threads_reason
    )
}

/// A table of counts, each row written as soon as it is there.
pub struct TableWriter {
    exporter: Box<dyn Exporter>,
    columns: Vec<Column<Record>>,
}

impl TableWriter {
    /// A table for boards of these sizes, with the columns for the published time if `reference`.
    #[must_use]
    pub fn new(format: Format, sizes: impl IntoIterator<Item = u32>, reference: bool) -> Self {
        Self {
            exporter: format.exporter(),
            columns: columns(sizes, reference),
        }
    }

    /// Writes what stands above the rows.
    ///
    /// # Errors
    ///
    /// I/O errors of `out`.
    pub fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.exporter.begin(out, head(&self.columns))
    }

    /// Writes a row.
    ///
    /// # Errors
    ///
    /// I/O errors of `out`.
    pub fn row(&mut self, out: &mut dyn Write, record: &Record) -> io::Result<()> {
        let row = Row {
            fields: fields(record),
            cells: cells(&self.columns, record),
        };
        self.exporter.row(out, row)
    }

    /// Writes what stands below the rows.
    ///
    /// # Errors
    ///
    /// I/O errors of `out`.
    pub fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.exporter.end(out)
    }
}

/// The columns of a table of counts for boards of these sizes, as wide as their widest entries will be.
fn columns(sizes: impl IntoIterator<Item = u32>, reference: bool) -> Vec<Column<Record>> {
    let count = sizes.into_iter().map(widest_count).max().unwrap_or(0);
    let column =
        |heading, letters, show: fn(&Record) -> String| Column::new(heading, show).wide(letters);
    let mut columns = vec![
        column("N", 2, |row| row.n.to_string()),
        column("Solutions", count, |row| grouped(&row.solutions)),
        column("Fundamental", count, |row| {
            row.fundamental.as_deref().map_or_else(absent, grouped)
        }),
        column("Time", "59 min 59 s".len(), |row| {
            human::seconds(row.seconds)
        }),
        column("Solutions/s", 0, |row| human::si(row.solutions_per_second)),
        column("Check", "unverified".len(), |row| row.check.to_owned()),
    ];
    if reference {
        columns.push(column("OR-Tools guide", 0, |row| {
            let published = row.reference.as_ref();
            let milliseconds = published.and_then(|time| time.reference_milliseconds);
            milliseconds.map_or_else(absent, |ms| format!("{} ms", human::integer(ms.into())))
        }));
        columns.push(column("Ratio", 8, |row| {
            let published = row.reference.as_ref();
            let ratio = published.and_then(|time| time.reference_ratio);
            ratio.map_or_else(absent, |ratio| human::integer(ratio.round() as u128))
        }));
    }
    columns
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
