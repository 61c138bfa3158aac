//! A table of counts that is written row by row, in columns as wide as they will have to be.

use std::io::{self, Write};

use comfy_table::{ColumnConstraint, Width};
use serde_json::Value;

use super::document::{Column, Format, Table, csv_line, lines};
use super::record::{COLUMNS, REFERENCE, Record};
use crate::human::integer;
use queens::known::known;

/// A table of counts, each row written as soon as it is there.
///
/// ```
/// use queens_cli::report::{Format, Record, TableWriter};
///
/// let mut out = Vec::new();
/// let mut table = TableWriter::new(Format::Csv, 4..=5, false);
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
    is_begun: bool,
}

impl TableWriter {
    /// A table for boards of these sizes, with the published time beside each if `has_reference`.
    #[must_use]
    pub fn new(format: Format, sizes: impl IntoIterator<Item = u32>, has_reference: bool) -> Self {
        // Ample for Q(32), the largest that can be counted.
        const LONGEST_COUNT: usize = 32;
        let longest = |n| known(n).map_or(LONGEST_COUNT, |row| integer(row.solutions).len());
        Self {
            format,
            has_reference,
            longest_count: sizes.into_iter().map(longest).max().unwrap_or(0),
            is_begun: false,
        }
    }

    /// Writes a row, below the header if it is the first.
    ///
    /// # Errors
    ///
    /// I/O errors of `out`.
    pub fn row(&mut self, out: &mut dyn Write, record: &Record) -> io::Result<()> {
        let is_first = !std::mem::replace(&mut self.is_begun, true);
        let fields = record.fields(self.has_reference);
        match self.format {
            Format::Json => {
                let before = if is_first { "[" } else { "," };
                write!(out, "{before}\n  {}", Value::Object(fields))?;
            }
            Format::Csv => csv_line(out, &fields, is_first)?,
            Format::Text | Format::Markdown => {
                let mut table = Table::new(self.columns(), [record]);
                if !is_first {
                    table.head.clear();
                }
                out.write_all(self.drawn(&table).as_bytes())?;
            }
        }
        out.flush()
    }

    /// Ends the table, which has a row at least.
    ///
    /// # Errors
    ///
    /// I/O errors of `out`.
    pub fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.format {
            Format::Json => writeln!(out, "\n]"),
            _ => Ok(()),
        }
    }

    fn columns(&self) -> &'static [Column<Record>] {
        if self.has_reference {
            REFERENCE
        } else {
            COLUMNS
        }
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
