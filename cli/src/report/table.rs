//! A table of counts that is written row by row, in columns as wide as they will have to be.

use std::io::{self, Write};

use comfy_table::{ColumnConstraint, Width};

use super::document::{Format, csv_line, drawn, lines};
use super::record::Record;
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
        match self.format {
            Format::Json => {
                let before = if is_first { "[" } else { "," };
                write!(out, "{before}\n  {}", record.json_with(self.has_reference))?;
            }
            Format::Csv => csv_line(out, &record.json_with(self.has_reference), is_first)?,
            Format::Text | Format::Markdown => {
                let lines = self.lines(record);
                let begin = if is_first { 0 } else { lines.len() - 1 };
                out.write_all(lines[begin..].concat().as_bytes())?;
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

    /// The heading and a row, in columns of the same widths whatever rows the table has.
    fn lines(&self, record: &Record) -> Vec<String> {
        let row = record.row(self.has_reference);
        let headings = row.each_ref().map(|(heading, _)| *heading);
        let mut drawn = drawn([row], self.format == Format::Markdown);
        for (column, heading) in drawn.column_iter_mut().zip(headings) {
            let widest = match heading {
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
