//! Counts for people: one alone, or a table that grows row by row.

use std::io::{self, Write};

use super::writer::{Block, Column, Exporter, Fields, PADDING, Report, Table};
use super::{Format, Record};
use crate::bench::stats::{deviation, quantile};
use crate::human::{self, absent, integer};
use queens::Count;
use queens::known::known;
use queens::{Phase, Stats};

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
    fn json(&self) -> Fields {
        self.fields(false)
    }

    fn text(&self) -> Vec<Block> {
        let count = &self.count;
        let (n, solutions) = (count.n(), integer(count.total));
        let title = match count.board.constraints() {
            // Only the ordinary problem has the name Q(N).
            Some(board) if count.total == 1 => format!("N = {n}, {board}: 1 solution"),
            Some(board) => format!("N = {n}, {board}: {solutions} solutions"),
            None => format!("Q({n}) = {solutions}"),
        };
        let mut items = vec![count.check.to_string()];
        items.extend(count.double_check.as_ref().map(ToString::to_string));
        let time = human::duration(count.elapsed);
        items.push(match rate(count) {
            Some(rate) => format!("{time}, {rate} solutions/s"),
            None => time,
        });
        items.extend(count.resumed.map(|before| {
            let time = human::duration(before.elapsed);
            format!("{} subproblems in earlier runs, {time}", before.subproblems)
        }));
        items.extend(count.nodes.map(|nodes| format!("{} nodes", integer(nodes))));
        let symmetry = count
            .symmetry
            .map(|symmetry| format!(", symmetry {symmetry}"));
        if self.runs.len() > 1 {
            let [median, least, greatest, deviation] = [
                quantile(&self.runs, 0.5),
                self.least(),
                quantile(&self.runs, 1.0),
                deviation(&self.runs),
            ]
            .map(human::seconds);
            items.push(format!(
                "{} runs: median {median}, least {least}, greatest {greatest}, standard deviation {deviation}",
                self.runs.len()
            ));
        }
        items.push(format!(
            "engine {}, kernel {}{}, {}",
            count.engine,
            count.kernel,
            symmetry.unwrap_or_default(),
            count.threads
        ));
        items.extend(count.stats.iter().flat_map(figures));
        let items = items.into_iter().map(Block::item);
        std::iter::once(Block::Line(title)).chain(items).collect()
    }

    fn markdown(&self) -> Vec<Block> {
        // The column is headed N, but this is not the ordinary problem.
        let n = self.count.n();
        let board = self.count.board.constraints();
        let board = board.map(|board| Block::Line(format!("N = {n}, {board}:")));
        let table = Table::new(&COLUMNS, [self]);
        board.into_iter().chain([Block::Table(table)]).collect()
    }
}

/// What the join engine did, a line for each figure.
pub(crate) fn figures(stats: &Stats) -> [String; 12] {
    let number = |number: u64| integer(number.into());
    let time = |phase| human::duration(stats.time(phase));
    let [east, west, blocks, visits] =
        [stats.east, stats.west, stats.blocks, stats.visits].map(number);
    let (fill, lookups) = (stats.fill(), stats.lookups_per_visit());
    let kept = human::bytes(stats.list_bytes);
    [
        ("row sets", number(stats.row_sets)),
        ("half-boards", format!("{east} east, {west} west")),
        ("blocks", format!("{blocks}, {fill:.0} of 512 full")),
        ("filtered", number(stats.filtered)),
        ("visits", format!("{visits}, {lookups:.2} look-ups each")),
        ("pairs", number(stats.pairs)),
        (
            "quadrant lists",
            format!("{}, {kept} kept", time(Phase::Lists)),
        ),
        ("generation", time(Phase::Generate)),
        ("sorting", time(Phase::Sort)),
        ("filtering", time(Phase::Filter)),
        ("block building", time(Phase::Build)),
        ("scanning", time(Phase::Scan)),
    ]
    .map(|(name, figure)| format!("{name:<17}{figure}"))
}

/// A table of counts, each row written as soon as it is there.
///
/// ```
/// use queens_cli::report::{Format, Record, TableWriter};
///
/// let mut out = Vec::new();
/// let mut table = TableWriter::new(Format::Csv, 4..=5, false);
/// table.begin(&mut out)?;
/// for n in 4..=5 {
///     table.row(&mut out, &Record::new(queens::count(n)?))?;
/// }
/// table.end(&mut out)?;
/// assert!(String::from_utf8(out)?.contains("\n5,10,2,"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TableWriter {
    exporter: Box<dyn Exporter>,
    columns: Vec<Column<Record>>,
    has_reference: bool,
    /// Letters that the numbers of solutions may take.
    widest_count: usize,
}

impl TableWriter {
    /// A table for boards of these sizes, with the columns for the published time if `has_reference`.
    #[must_use]
    pub fn new(format: Format, sizes: impl IntoIterator<Item = u32>, has_reference: bool) -> Self {
        let reference = REFERENCE.into_iter().filter(|_| has_reference);
        Self {
            exporter: format.exporter(),
            columns: COLUMNS.into_iter().chain(reference).collect(),
            has_reference,
            widest_count: sizes.into_iter().map(widest_count).max().unwrap_or(0),
        }
    }

    /// The same for people on a terminal whose lines have so many letters: columns that do not fit are left out.
    #[must_use]
    pub fn within(mut self, width: impl Into<Option<usize>>) -> Self {
        let width = width.into().unwrap_or(usize::MAX);
        for dispensable in ["Check", "Fundamental", "Solutions/s", "Least"] {
            let line: usize = self.widths().iter().map(|letters| letters + PADDING).sum();
            if line > width {
                self.columns.retain(|(heading, _)| *heading != dispensable);
            }
        }
        self
    }

    /// Writes what stands above the rows.
    ///
    /// # Errors
    ///
    /// I/O errors of `out`.
    pub fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let table = self.table(None);
        self.exporter.begin(out, &table)
    }

    /// Writes a row.
    ///
    /// # Errors
    ///
    /// I/O errors of `out`.
    pub fn row(&mut self, out: &mut dyn Write, record: &Record) -> io::Result<()> {
        let table = self.table(Some(record));
        let fields = record.fields(self.has_reference);
        self.exporter.row(out, fields, &table)
    }

    /// Writes what stands below the rows.
    ///
    /// # Errors
    ///
    /// I/O errors of `out`.
    pub fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.exporter.end(out)
    }

    /// The head and these rows, with columns as wide as their widest entries will be.
    fn table(&self, row: Option<&Record>) -> Table {
        let mut table = Table::new(&self.columns, row);
        table.widths = self.widths();
        table
    }

    /// The letters of each column.
    fn widths(&self) -> Vec<usize> {
        let letters = |heading: &str| match heading {
            "Solutions" | "Fundamental" => self.widest_count,
            "Median" | "Least" => "59 min 59 s".len(),
            "Check" => "unverified".len(),
            "Ratio" => "9,999,999".len(),
            _ => 2,
        };
        let columns = self.columns.iter();
        let widths = columns.map(|(heading, _)| letters(heading).max(heading.len()));
        widths.collect()
    }
}

/// What people see of a count in a table.
const COLUMNS: [Column<Record>; 7] = [
    ("N", |row| row.count.n().to_string()),
    ("Solutions", |row| integer(row.count.total)),
    ("Fundamental", |row| {
        row.fundamental().map_or_else(absent, integer)
    }),
    ("Median", |row| human::duration(row.count.elapsed)),
    ("Least", |row| human::seconds(row.least())),
    ("Solutions/s", |row| rate(&row.count).unwrap_or_else(absent)),
    ("Check", |row| row.count.check.word().to_owned()),
];

/// The same of the published time.
const REFERENCE: [Column<Record>; 2] = [
    ("OR-Tools guide", |row| {
        let milliseconds = row.reference();
        milliseconds.map_or_else(absent, |ms| format!("{} ms", integer(ms.into())))
    }),
    ("Ratio", |row| {
        let ratio = row.reference_ratio();
        ratio.map_or_else(absent, |ratio| integer(ratio.round() as u128))
    }),
];

/// Solutions in a second; none where there are so few that it would be a figure of how long a count takes to start.
fn rate(count: &Count) -> Option<String> {
    const FEW: u128 = 10;
    (count.total > FEW).then(|| human::si(count.solutions_per_second()))
}

/// Characters that the number of solutions of an open board of size `n` takes, or may take where it is not known.
fn widest_count(n: u32) -> usize {
    // Q(N) is near 0.143^N N!; from N = 28 on, one more digit and a half for each row is ample.
    let digits = |n: u32| 18 + 3 * (n as usize - 27) / 2;
    known(n).map_or_else(
        || digits(n) + digits(n) / 3,
        |row| integer(row.solutions).len(),
    )
}
