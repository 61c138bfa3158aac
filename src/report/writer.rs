//! The four formats, each an implementation of [`Exporter`].
//!
//! A result says once what it is, as a [`Report`]: named fields for programs, [`Block`]s for people. Blocks hold text
//! as it is; only the formats know what must be escaped, and text gets into no output but through them.

use std::io::{self, Write};

use comfy_table::{Cell, CellAlignment, ColumnConstraint, TableStyle, Width, presets};
use serde::Serialize;
use serde_json::{Map, Value};

use super::Format;

/// Named fields, in order.
pub(super) type Fields = Map<String, Value>;

/// A result that can be written in every format.
pub(super) trait Report {
    /// The JSON form.
    fn json(&self) -> Value;
    /// The lines of the CSV form, all with the same fields.
    fn lines(&self) -> Vec<Fields>;
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

/// A table for people.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Table {
    /// The columns.
    pub(super) head: Vec<Heading>,
    /// The cells.
    pub(super) rows: Vec<Vec<String>>,
}

/// The head of a column.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Heading {
    /// What stands there.
    pub(super) text: String,
    /// Whether the column's text begins at the left, as words do; figures end at the right.
    pub(super) left: bool,
    /// The width in letters, where rows are written before all of them are known.
    pub(super) width: Option<u16>,
}

impl Heading {
    /// The head of a column of figures.
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }
}

/// A column: its heading, and how people see the value that a row has in it.
pub(super) struct Column<T> {
    heading: &'static str,
    show: fn(&T) -> String,
    width: Option<usize>,
}

impl<T> Column<T> {
    /// A column as wide as its widest cell.
    pub(super) const fn new(heading: &'static str, show: fn(&T) -> String) -> Self {
        Self {
            heading,
            show,
            width: None,
        }
    }

    /// The same with room for this many letters or the heading: rows are written one by one.
    pub(super) fn wide(mut self, letters: usize) -> Self {
        self.width = Some(letters.max(self.heading.len()));
        self
    }
}

/// The heads of columns.
pub(super) fn head<T>(columns: &[Column<T>]) -> Vec<Heading> {
    let head = columns.iter().map(|column| Heading {
        width: column.width.map(|letters| letters as u16),
        ..Heading::new(column.heading)
    });
    head.collect()
}

/// What people see of a row.
pub(super) fn cells<T>(columns: &[Column<T>], row: &T) -> Vec<String> {
    columns.iter().map(|column| (column.show)(row)).collect()
}

impl Table {
    /// The table of these rows.
    pub(super) fn new<'a, T: 'a>(
        columns: &[Column<T>],
        rows: impl IntoIterator<Item = &'a T>,
    ) -> Self {
        Self {
            head: head(columns),
            rows: rows.into_iter().map(|row| cells(columns, row)).collect(),
        }
    }
}

/// A row of a growing table.
pub(super) struct Row {
    /// For programs.
    pub(super) fields: Fields,
    /// For people.
    pub(super) cells: Vec<String>,
}

/// A way to write results down.
pub(super) trait Exporter {
    /// Writes a whole result.
    fn write(&mut self, out: &mut dyn Write, report: &dyn Report) -> io::Result<()>;

    /// Writes what stands above the rows of a table that grows.
    fn begin(&mut self, out: &mut dyn Write, head: Vec<Heading>) -> io::Result<()>;

    /// Writes a row as soon as it is there.
    fn row(&mut self, out: &mut dyn Write, row: Row) -> io::Result<()>;

    /// Writes what stands below the rows.
    fn end(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

impl Format {
    /// The format's implementation.
    pub(super) fn exporter(self) -> Box<dyn Exporter> {
        match self {
            Self::Text => Box::new(Text::default()),
            Self::Json => Box::new(Json::default()),
            Self::Csv => Box::new(Csv::default()),
            Self::Markdown => Box::new(Markdown::default()),
        }
    }
}

/// The fields of a record by name, in order.
pub(super) fn fields(record: &impl Serialize) -> Fields {
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

    fn begin(&mut self, out: &mut dyn Write, _: Vec<Heading>) -> io::Result<()> {
        write!(out, "[")
    }

    fn row(&mut self, out: &mut dyn Write, row: Row) -> io::Result<()> {
        let comma = if self.rows > 0 { "," } else { "" };
        self.rows += 1;
        write!(out, "{comma}\n  ")?;
        serde_json::to_writer(&mut *out, &row.fields)?;
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

    fn begin(&mut self, _: &mut dyn Write, _: Vec<Heading>) -> io::Result<()> {
        Ok(()) // the header is the first record's field names
    }

    fn row(&mut self, out: &mut dyn Write, row: Row) -> io::Result<()> {
        self.line(out, &row.fields)
    }
}

#[derive(Default)]
struct Text {
    head: Vec<Heading>,
}

impl Exporter for Text {
    fn write(&mut self, out: &mut dyn Write, report: &dyn Report) -> io::Result<()> {
        for block in report.text() {
            match block {
                Block::Title(_, text) => writeln!(out, "\n{}", printable(&text))?,
                Block::Line(text) => writeln!(out, "{}", printable(&text))?,
                Block::Item(level, text) => {
                    writeln!(out, "{}{}", "  ".repeat(level), printable(&text))?;
                }
                Block::Table(table) => {
                    draw(
                        out,
                        &table.head,
                        true,
                        &table.rows,
                        presets::NOTHING,
                        printable,
                    )?;
                }
                Block::Picture(text, file) => writeln!(out, "{}: {file}", printable(&text))?,
            }
        }
        Ok(())
    }

    fn begin(&mut self, out: &mut dyn Write, head: Vec<Heading>) -> io::Result<()> {
        self.head = head;
        draw(out, &self.head, true, &[], presets::NOTHING, printable)
    }

    fn row(&mut self, out: &mut dyn Write, row: Row) -> io::Result<()> {
        draw(
            out,
            &self.head,
            false,
            &[row.cells],
            presets::NOTHING,
            printable,
        )
    }
}

#[derive(Default)]
struct Markdown {
    head: Vec<Heading>,
}

impl Exporter for Markdown {
    fn write(&mut self, out: &mut dyn Write, report: &dyn Report) -> io::Result<()> {
        write_markdown(out, &report.markdown())
    }

    fn begin(&mut self, out: &mut dyn Write, head: Vec<Heading>) -> io::Result<()> {
        self.head = head;
        draw(out, &self.head, true, &[], presets::ASCII_MARKDOWN, escaped)
    }

    fn row(&mut self, out: &mut dyn Write, row: Row) -> io::Result<()> {
        draw(
            out,
            &self.head,
            false,
            &[row.cells],
            presets::ASCII_MARKDOWN,
            escaped,
        )
    }
}

/// Writes blocks as Markdown, an empty line between any two that are not items of one list.
pub(super) fn write_markdown(out: &mut dyn Write, blocks: &[Block]) -> io::Result<()> {
    let mut in_list = false;
    for (i, block) in blocks.iter().enumerate() {
        let is_item = matches!(block, Block::Item(..));
        if i > 0 && !(in_list && is_item) {
            writeln!(out)?;
        }
        in_list = is_item;
        match block {
            Block::Title(level, text) => writeln!(out, "{} {}", "#".repeat(*level), escaped(text))?,
            Block::Line(text) => writeln!(out, "{}", escaped(text))?,
            Block::Item(level, text) => {
                writeln!(out, "{}- {}", "  ".repeat(level - 1), escaped(text))?;
            }
            Block::Table(table) => {
                let Table { head, rows } = table;
                draw(out, head, true, rows, presets::ASCII_MARKDOWN, escaped)?;
            }
            Block::Picture(text, file) => writeln!(out, "![{}]({file})", escaped(text))?,
        }
    }
    Ok(())
}

/// Writes a table or a part of it: columns as `head` has them, their headings if `header`, then `rows`. All text
/// passes `shown`.
fn draw(
    out: &mut dyn Write,
    head: &[Heading],
    header: bool,
    rows: &[Vec<String>],
    style: TableStyle,
    shown: fn(&str) -> String,
) -> io::Result<()> {
    let cell = |text: &str, heading: &Heading| {
        Cell::new(shown(text)).set_alignment(if heading.left {
            CellAlignment::Left
        } else {
            CellAlignment::Right
        })
    };
    let mut table = comfy_table::Table::new();
    table.load_style(style);
    if header {
        table.set_header(head.iter().map(|heading| cell(&heading.text, heading)));
    }
    for row in rows {
        let cells = row.iter().zip(head);
        table.add_row(cells.map(|(text, heading)| cell(text, heading)));
    }
    let padding = 2;
    if let Some(widths) = head
        .iter()
        .map(|heading| heading.width)
        .collect::<Option<Vec<_>>>()
    {
        let fixed = |width| ColumnConstraint::Absolute(Width::Fixed(width + padding));
        table.set_constraints(widths.into_iter().map(fixed));
    }
    for line in table.lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    out.flush()
}

/// A text without what would steer a terminal.
fn printable(text: &str) -> String {
    text.replace(char::is_control, "\u{fffd}")
}

/// A text in Markdown that reads as it is: signs that would begin a cell, a tag, code, a link or stress lose their
/// meaning.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in printable(text).chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            '|' | '`' | '[' | ']' | '*' | '\\' => escaped.extend(['\\', letter]),
            other => escaped.push(other),
        }
    }
    escaped
}
