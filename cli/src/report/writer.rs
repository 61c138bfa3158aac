//! The four formats, each an implementation of [`Exporter`].
//!
//! A result says once what it is, as a [`Report`]: named fields for programs, [`Block`]s for people. Blocks hold text
//! as it is; only the formats know what must be escaped, and text gets into no output but through them.

use std::borrow::Cow;
use std::io::{self, Write};

use comfy_table::{Cell, CellAlignment, ColumnConstraint, TableStyle, Width, presets};
use serde::Serialize;
use serde_json::{Map, Value};

use super::Format;
use crate::human::one_line;

/// Named fields, in order.
pub(super) type Fields = Map<String, Value>;

/// A result that can be written in every format.
pub(super) trait Report {
    /// The JSON form.
    fn json(&self) -> Fields;
    /// The lines of the CSV form, all with the same fields: one with those of the JSON form, unless the result says
    /// otherwise.
    fn lines(&self) -> Vec<Fields> {
        vec![self.json()]
    }
    /// For a person at a terminal.
    fn text(&self) -> Vec<Block>;
    /// For a page: the same, unless the result says otherwise.
    fn markdown(&self) -> Vec<Block> {
        self.text()
    }
}

/// A part of what people read.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Block {
    /// A heading of a level from 1 to 6.
    Title(usize, String),
    /// A line of text.
    Line(String),
    /// An item of a list, or below an item; the level is 1 or 2.
    Item(usize, String),
    /// A table.
    Table(Table),
    /// A picture: what it shows, and its file.
    Picture(String, String),
}

impl Block {
    /// An item of a list.
    pub(super) fn item(text: String) -> Self {
        Self::Item(1, text)
    }
}

/// Letters of a column beside its widest cell.
pub(super) const PADDING: usize = 2;

/// A table for people.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Table {
    /// The headings of the columns.
    pub(super) head: Vec<String>,
    /// The cells.
    pub(super) rows: Vec<Vec<String>>,
    /// Whether the first column holds words, which begin at the left; figures end at the right.
    pub(super) has_names: bool,
    /// The widths of the columns in letters, where rows are written before all of them are known.
    pub(super) widths: Vec<usize>,
}

/// A column: its heading, and how people see the value that a row has in it.
pub(super) type Column<T> = (&'static str, fn(&T) -> String);

impl Table {
    /// The table of these rows.
    pub(super) fn new<'a, T: 'a>(
        columns: &[Column<T>],
        rows: impl IntoIterator<Item = &'a T>,
    ) -> Self {
        let cells = |row| columns.iter().map(|(_, show)| show(row)).collect();
        Self {
            head: columns.iter().map(|(text, _)| (*text).to_owned()).collect(),
            rows: rows.into_iter().map(cells).collect(),
            ..Self::default()
        }
    }

    /// Leaves out columns, of these headings and in this order, until a line has no more than so many letters.
    pub(super) fn narrow(&mut self, width: usize, dispensable: &[&str]) {
        let letters = |text: &String| text.chars().count();
        for heading in dispensable {
            let widest = |column| {
                let rows = self.rows.iter().chain([&self.head]);
                rows.map(|row| letters(&row[column])).max().unwrap_or(0) + PADDING
            };
            let line: usize = (0..self.head.len()).map(widest).sum();
            let found = self.head.iter().position(|head| head == heading);
            if let Some(column) = found.filter(|_| line > width) {
                self.head.remove(column);
                for row in &mut self.rows {
                    row.remove(column);
                }
            }
        }
    }
}

/// A way to write results down.
pub(super) trait Exporter {
    /// Writes a whole result.
    fn write(&mut self, out: &mut dyn Write, report: &dyn Report) -> io::Result<()>;

    /// Writes what stands above the rows of a table that grows.
    fn begin(&mut self, _: &mut dyn Write, _: &Table) -> io::Result<()> {
        Ok(())
    }

    /// Writes a row as soon as it is there: `fields` for programs, a table with this row alone for people.
    fn row(&mut self, out: &mut dyn Write, fields: Fields, table: &Table) -> io::Result<()>;

    /// Writes what stands below the rows.
    fn end(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

impl Format {
    /// The format's implementation.
    pub(super) fn exporter(self) -> Box<dyn Exporter> {
        match self {
            Self::Text => Box::new(TEXT),
            Self::Json => Box::new(Json::default()),
            Self::Csv => Box::new(Csv::default()),
            Self::Markdown => Box::new(MARKDOWN),
        }
    }
}

/// The fields of a record by name, in order.
pub(super) fn fields(record: impl Serialize) -> Fields {
    match serde_json::to_value(record) {
        Ok(Value::Object(fields)) => fields,
        other => unreachable!("a record is an object: {other:?}"),
    }
}

#[derive(Default)]
struct Json {
    rows: usize,
}

impl Exporter for Json {
    fn write(&mut self, out: &mut dyn Write, report: &dyn Report) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, &report.json())?;
        writeln!(out)
    }

    fn begin(&mut self, out: &mut dyn Write, _: &Table) -> io::Result<()> {
        write!(out, "[")
    }

    fn row(&mut self, out: &mut dyn Write, fields: Fields, _: &Table) -> io::Result<()> {
        let comma = if self.rows > 0 { "," } else { "" };
        self.rows += 1;
        write!(out, "{comma}\n  ")?;
        serde_json::to_writer(&mut *out, &fields)?;
        out.flush()
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}]", if self.rows > 0 { "\n" } else { "" })
    }
}

#[derive(Default)]
struct Csv {
    has_header: bool,
}

impl Csv {
    fn line(&mut self, out: &mut dyn Write, fields: &Fields) -> io::Result<()> {
        let mut csv = csv::Writer::from_writer(out);
        if !self.has_header {
            csv.write_record(fields.keys())?;
            self.has_header = true;
        }
        csv.write_record(fields.values().map(|value| match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }))?;
        csv.flush()
    }
}

impl Exporter for Csv {
    fn write(&mut self, out: &mut dyn Write, report: &dyn Report) -> io::Result<()> {
        let lines = report.lines();
        lines.iter().try_for_each(|fields| self.line(out, fields))
    }

    // The header is the first record's field names.
    fn row(&mut self, out: &mut dyn Write, fields: Fields, _: &Table) -> io::Result<()> {
        self.line(out, &fields)
    }
}

/// A format for people, by the signs it has: text or Markdown.
struct Prose {
    /// What people are to read of a result.
    blocks: fn(&dyn Report) -> Vec<Block>,
    /// Whether an empty line stands between any two blocks that are not items of one list.
    is_spaced: bool,
    /// What stands before a heading, and before an item, of a level.
    title: fn(usize) -> String,
    item: fn(usize) -> String,
    /// A text so that it reads as it is.
    shown: fn(&str) -> String,
    table: TableStyle,
}

const TEXT: Prose = Prose {
    blocks: |report| report.text(),
    is_spaced: false,
    title: |_| "\n".to_owned(),
    item: |level| "  ".repeat(level),
    shown: one_line,
    table: presets::NOTHING,
};

const MARKDOWN: Prose = Prose {
    blocks: |report| report.markdown(),
    is_spaced: true,
    title: |level| "#".repeat(level) + " ",
    item: |level| "  ".repeat(level - 1) + "- ",
    shown: escaped,
    table: presets::ASCII_MARKDOWN,
};

/// Writes these blocks for a person at a terminal.
pub(super) fn text(out: &mut dyn Write, blocks: &[Block]) -> io::Result<()> {
    TEXT.write_blocks(out, blocks)
}

/// The same with lines and items that go on below, a little to the right, where they have more letters than `width`.
pub(super) fn wrapped(blocks: Vec<Block>, width: usize) -> Vec<Block> {
    let wrap = |block| {
        let (level, text) = match &block {
            Block::Line(text) => (0, text),
            Block::Item(level, text) => (*level, text),
            _ => return vec![block],
        };
        let room = width.saturating_sub(2 * (level + 1));
        let lines = textwrap::wrap(text, room).into_iter().enumerate();
        let block = |(i, line): (usize, Cow<'_, str>)| match (level, i) {
            (0, 0) => Block::Line(line.into()),
            _ => Block::Item(level + i.min(1), line.into()),
        };
        lines.map(block).collect()
    };
    blocks.into_iter().flat_map(wrap).collect()
}

/// A page of these blocks.
pub(super) fn markdown(blocks: &[Block]) -> String {
    let mut page = Vec::new();
    let written = MARKDOWN.write_blocks(&mut page, blocks);
    written.expect("memory takes all that is written");
    String::from_utf8(page).expect("blocks are text")
}

impl Prose {
    fn write_blocks(&self, out: &mut dyn Write, blocks: &[Block]) -> io::Result<()> {
        let mut in_list = false;
        for (i, block) in blocks.iter().enumerate() {
            let is_item = matches!(block, Block::Item(..));
            if self.is_spaced && i > 0 && !(in_list && is_item) {
                writeln!(out)?;
            }
            in_list = is_item;
            let (before, text) = match block {
                Block::Title(level, text) => ((self.title)(*level), text),
                Block::Line(text) => (String::new(), text),
                Block::Item(level, text) => ((self.item)(*level), text),
                Block::Table(table) => {
                    self.draw(out, table, true)?;
                    continue;
                }
                Block::Picture(text, file) => {
                    writeln!(out, "![{}]({file})", (self.shown)(text))?;
                    continue;
                }
            };
            writeln!(out, "{before}{}", (self.shown)(text))?;
        }
        out.flush()
    }

    /// Writes a table, or the rows of one whose head is written.
    fn draw(&self, out: &mut dyn Write, table: &Table, has_header: bool) -> io::Result<()> {
        let cell = |(column, text): (usize, &String)| {
            let alignment = if column == 0 && table.has_names {
                CellAlignment::Left
            } else {
                CellAlignment::Right
            };
            Cell::new((self.shown)(text)).set_alignment(alignment)
        };
        let cells = |row: &Vec<String>| row.iter().enumerate().map(cell).collect::<Vec<_>>();
        let mut drawn = comfy_table::Table::new();
        drawn.load_style(self.table);
        if has_header {
            drawn.set_header(cells(&table.head));
        }
        drawn.add_rows(table.rows.iter().map(cells));
        for (column, width) in drawn.column_iter_mut().zip(&table.widths) {
            let fixed = Width::Fixed((width + PADDING) as u16);
            column.set_constraint(ColumnConstraint::Absolute(fixed));
        }
        for line in drawn.lines() {
            writeln!(out, "{}", line.trim_end())?;
        }
        out.flush()
    }
}

impl Exporter for Prose {
    fn write(&mut self, out: &mut dyn Write, report: &dyn Report) -> io::Result<()> {
        self.write_blocks(out, &(self.blocks)(report))
    }

    fn begin(&mut self, out: &mut dyn Write, table: &Table) -> io::Result<()> {
        self.draw(out, table, true)
    }

    fn row(&mut self, out: &mut dyn Write, _: Fields, table: &Table) -> io::Result<()> {
        self.draw(out, table, false)
    }
}

/// A text in Markdown that reads as it is: signs that would begin a cell, a tag, code, a link or stress lose their
/// meaning.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in one_line(text).chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            '|' | '`' | '[' | ']' | '*' | '\\' => escaped.extend(['\\', letter]),
            other => escaped.push(other),
        }
    }
    escaped
}
