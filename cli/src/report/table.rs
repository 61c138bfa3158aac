//! A table of counts that is written row by row, in columns as wide as they will have to be.

use std::io::{self, Write};

use comfy_table::{ColumnConstraint, Width};

use super::document::{Column, Format, Table, csv_line, lines};
use super::record::{COLUMNS, COUNTED, Record};
use crate::human::integer;
use queens::known::known;

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
#[derive(Debug)]
pub struct TableWriter {
    format: Format,
    has_reference: bool,
    /// Characters of the largest number of solutions.
    longest_count: usize,
    rows: usize,
}

impl TableWriter {
    /// A table for boards of these sizes, with the columns for the published time if `has_reference`.
    #[must_use]
    pub fn new(format: Format, sizes: impl IntoIterator<Item = u32>, has_reference: bool) -> Self {
        // Ample for Q(32), the largest that can be counted.
        const LONGEST_COUNT: usize = 32;
        let longest = |n| known(n).map_or(LONGEST_COUNT, |row| integer(row.solutions).len());
        Self {
            format,
            has_reference,
            longest_count: sizes.into_iter().map(longest).max().unwrap_or(0),
            rows: 0,
        }
    }

    /// Writes the header.
    ///
    /// # Errors
    ///
    /// I/O errors of `out`.
    pub fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.format {
            Format::Json => write!(out, "["),
            Format::Csv => Ok(()), // the first row brings the names of its fields
            Format::Text | Format::Markdown => {
                out.write_all(self.drawn(&Table::new(self.columns(), [])).as_bytes())
            }
        }?;
        out.flush()
    }

    /// Writes a row.
    ///
    /// # Errors
    ///
    /// I/O errors of `out`.
    pub fn row(&mut self, out: &mut dyn Write, record: &Record) -> io::Result<()> {
        let is_first = self.rows == 0;
        self.rows += 1;
        let fields = record.fields(self.has_reference);
        match self.format {
            Format::Json => {
                write!(out, "{}\n  ", if is_first { "" } else { "," })?;
                serde_json::to_writer(&mut *out, &fields)?;
            }
            Format::Csv => csv_line(out, &fields, is_first)?,
            Format::Text | Format::Markdown => {
                let mut table = Table::new(self.columns(), [record]);
                table.head.clear();
                out.write_all(self.drawn(&table).as_bytes())?;
            }
        }
        out.flush()
    }

    /// Ends the table.
    ///
    /// # Errors
    ///
    /// I/O errors of `out`.
    pub fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.format == Format::Json {
            writeln!(out, "{}]", if self.rows > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }

    fn columns(&self) -> &'static [Column<Record>] {
        &COLUMNS[..if self.has_reference {
            COLUMNS.len()
        } else {
            COUNTED
        }]
    }

    /// The table in columns of the same widths whatever rows it has.
    fn drawn(&self, table: &Table) -> String {
        let mut drawn = table.drawn(self.format == Format::Markdown);
        for (column, (heading, _)) in drawn.column_iter_mut().zip(self.columns()) {
            let widest = match *heading {
                "Solutions" | "Fundamental" => self.longest_count,
                "Median" => "59 min 59 s".len(),
                "Check" => "unverified".len(),
                "Ratio" => "9,999,999".len(),
                _ => 2,
            };
            let padded = widest.max(heading.len()) + 2;
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(padded as u16)));
        }
        lines(&drawn)
    }
}
