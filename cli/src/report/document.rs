//! What a command reports, and the four forms of it: text and Markdown for people, JSON and CSV for programs.
//!
//! A result implements [`Document`]: named fields for programs, and [`Prose`] for people. Results hold names as they
//! are; only this file escapes what a terminal, a Markdown renderer or a spreadsheet would act on.

use std::io::{self, Write};

use comfy_table::{CellAlignment, presets};
use serde_json::Value;
use strum::{Display, EnumString, VariantNames};

use crate::human::{beginning, one_line};

/// A form of a document, by its name in lower case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "lowercase")]
#[non_exhaustive]
pub enum Format {
    /// For a person at a terminal.
    #[default]
    Text,
    /// JSON; numbers that may exceed 2^53 are strings.
    Json,
    /// Comma-separated values with a header line and the fields of the JSON form.
    Csv,
    /// Markdown.
    Markdown,
}

/// A result that can be written in every format.
pub trait Document {
    /// The JSON form: an object of named fields, in order.
    fn json(&self) -> Value;

    /// The lines of the CSV form: objects that all have the same fields.
    fn csv(&self) -> Vec<Value> {
        vec![self.json()]
    }

    /// What people read, at a terminal or in Markdown.
    fn prose(&self, prose: &mut Prose);

    /// Writes the document.
    ///
    /// # Errors
    ///
    /// I/O errors of `out`.
    fn write(&self, out: &mut dyn Write, format: Format) -> io::Result<()> {
        match format {
            Format::Json => {
                serde_json::to_writer_pretty(&mut *out, &self.json())?;
                writeln!(out)?;
            }
            Format::Csv => {
                for (i, fields) in self.csv().iter().enumerate() {
                    csv_line(out, fields, i == 0)?;
                }
            }
            Format::Text | Format::Markdown => {
                let mut prose = Prose::new(format);
                self.prose(&mut prose);
                out.write_all(prose.text.as_bytes())?;
            }
        }
        out.flush()
    }
}

/// Writes a line of CSV, below the names of the fields if `has_header`. What JSON groups stands side by side.
pub(super) fn csv_line(out: &mut dyn Write, record: &Value, has_header: bool) -> io::Result<()> {
    let mut flat = Vec::new();
    for (name, value) in record.as_object().into_iter().flatten() {
        match value {
            Value::Object(group) => flat.extend(group),
            _ => flat.push((name, value)),
        }
    }
    let mut csv = csv::Writer::from_writer(out);
    if has_header {
        csv.write_record(flat.iter().map(|(name, _)| name))?;
    }
    csv.write_record(flat.iter().map(|(_, value)| match value {
        Value::Null => String::new(),
        Value::String(text) => inert(text),
        other => other.to_string(),
    }))?;
    csv.flush()
}

/// A text that no spreadsheet takes for a formula.
fn inert(text: &str) -> String {
    let text = one_line(text);
    let is_formula = text.trim_start().starts_with(['=', '+', '-', '@']);
    if is_formula { format!("'{text}") } else { text }
}

/// Text for people, which grows from top to bottom. What is added is shown as it reads.
#[derive(Debug)]
pub struct Prose {
    text: String,
    is_markdown: bool,
    /// Whether an item came last.
    in_list: bool,
}

impl Prose {
    pub(super) fn new(format: Format) -> Self {
        Self {
            text: String::new(),
            is_markdown: format == Format::Markdown,
            in_list: false,
        }
    }

    pub(super) fn is_markdown(&self) -> bool {
        self.is_markdown
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// Adds a heading of a level from 1 to 6.
    pub(super) fn heading(&mut self, level: usize, text: &str) {
        let before = match self.is_markdown {
            true => "#".repeat(level) + " ",
            false => "\n".to_owned(),
        };
        self.add(&before, text, "\n");
    }

    /// Adds a line.
    pub(super) fn line(&mut self, text: &str) {
        self.add("", text, "\n");
    }

    /// Adds an item of a list.
    pub(super) fn item(&mut self, text: &str) {
        let bullet = if self.is_markdown { "- " } else { "  " };
        self.add(bullet, text, "\n");
    }

    /// Adds a picture in Markdown: what it shows, and its file.
    pub(super) fn picture(&mut self, text: &str, file: &str) {
        self.add("![", text, &format!("]({file})\n"));
    }

    /// Adds a table; without rows there is none.
    pub(super) fn table<const N: usize>(&mut self, rows: impl IntoIterator<Item = Row<N>>) {
        let drawn = drawn(rows, self.is_markdown);
        if !drawn.is_empty() {
            self.add("", "", &lines(&drawn).concat());
        }
    }

    /// Adds a text between two others that are as they shall be. In Markdown only an empty line ends what was there, but for an
    /// item after an item.
    fn add(&mut self, before: &str, text: &str, after: &str) {
        let is_item = before == "- ";
        if self.is_markdown && !self.text.is_empty() && !(is_item && self.in_list) {
            self.text.push('\n');
        }
        self.in_list = is_item;
        self.text += &format!("{before}{}{after}", shown(text, self.is_markdown));
    }
}

/// A row of a table for people: its cells, each below its heading, which are the same in all rows.
pub(super) type Row<const N: usize> = [(&'static str, String); N];

/// Characters of a cell that are shown: more than any has that this program made.
const LONGEST_CELL: usize = 250;

/// A table for people. Its first column names the rows, unless it is N.
///
/// A table that is wider than the terminal stays so: to arrange it in narrower columns would break numbers in two.
pub(super) fn drawn<const N: usize>(
    rows: impl IntoIterator<Item = Row<N>>,
    is_markdown: bool,
) -> comfy_table::Table {
    let mut drawn = comfy_table::Table::new();
    drawn.load_style(match is_markdown {
        true => presets::ASCII_MARKDOWN,
        false => presets::NOTHING,
    });
    let mut has_names = false;
    for row in rows {
        has_names = row[0].0 != "N";
        drawn.set_header(row.iter().map(|(heading, _)| *heading));
        drawn.add_row(row.map(|(_, cell)| shown(&beginning(&cell, LONGEST_CELL), is_markdown)));
    }
    for (i, column) in drawn.column_iter_mut().enumerate() {
        column.set_cell_alignment(match i == 0 && has_names {
            true => CellAlignment::Left,
            false => CellAlignment::Right,
        });
    }
    drawn
}

/// The lines of a table without spaces at their ends.
pub(super) fn lines(drawn: &comfy_table::Table) -> Vec<String> {
    let lines = drawn.lines();
    lines.map(|line| format!("{}\n", line.trim_end())).collect()
}

/// A text in one line that reads as it is: it neither steers a terminal nor means anything in Markdown.
fn shown(text: &str, is_markdown: bool) -> String {
    let text = one_line(text);
    if !is_markdown {
        return text;
    }
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            '|' | '`' | '[' | ']' | '*' | '\\' => escaped.extend(['\\', character]),
            other => escaped.push(other),
        }
    }
    // Renderers make links of bare addresses. A word joiner, which is not seen, takes these apart.
    escaped
        .replace("://", ":&#8288;//")
        .replace("www.", "www&#8288;.")
        .replace('@', "@&#8288;")
}
