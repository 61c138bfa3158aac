//! Results in four formats: JSON and CSV for programs, text and Markdown for people.
//!
//! A result is a struct that implements [`Report`]: its fields are those of the JSON form, and one function writes it
//! for people. Results hold raw names. Only this file escapes the characters that a terminal, a Markdown renderer or a
//! spreadsheet would interpret.

use std::io::{self, Write};

use comfy_table::{CellAlignment, presets};
use serde::Serialize;
use serde_json::Value;
use strum::{Display, EnumString, VariantNames};

use crate::human::{self, beginning, one_line};

/// A format of a result, by its name in lower case.
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
pub trait Report: Serialize {
    /// Returns the lines of the CSV form, which have equal fields: by default one line with those of the JSON form.
    fn csv(&self) -> Vec<Value> {
        vec![json(self)]
    }

    /// Writes the result for people, at a terminal or in Markdown.
    fn prose(&self, prose: &mut Prose);

    /// Writes the result.
    ///
    /// # Errors
    ///
    /// Returns any I/O error from writing to `out`.
    fn write(&self, out: &mut dyn Write, format: Format) -> io::Result<()> {
        match format {
            Format::Json => {
                let json = serde_json::to_string_pretty(self)?;
                writeln!(out, "{}", without_control(&json))?;
            }
            Format::Csv => {
                for (i, line) in self.csv().iter().enumerate() {
                    write_csv(out, line, i == 0)?;
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

/// Returns the fields of a struct.
pub(super) fn json(fields: &(impl Serialize + ?Sized)) -> Value {
    serde_json::to_value(fields).expect("fields with names")
}

/// Writes a line of CSV, below the names of its fields if it `is_first`.
pub(super) fn write_csv(out: &mut dyn Write, line: &Value, is_first: bool) -> io::Result<()> {
    let (names, values): (Vec<_>, Vec<_>) = fields(line).into_iter().unzip();
    let mut csv = csv::Writer::from_writer(out);
    if is_first {
        csv.write_record(names)?;
    }
    csv.write_record(values)?;
    csv.flush()
}

/// Returns the names and values of the fields of an object and its nested objects. CSV cannot express lists.
fn fields(object: &Value) -> Vec<(&str, String)> {
    let all = object.as_object().into_iter().flatten();
    let texts = all.flat_map(|(name, value)| match value {
        Value::Array(_) => Vec::new(),
        Value::Object(_) => fields(value),
        Value::Null => vec![(&**name, String::new())],
        Value::String(text) => vec![(&**name, inert(text))],
        value => vec![(&**name, value.to_string())],
    });
    texts.collect()
}

/// Escapes characters in JSON strings that a terminal would interpret.
pub(super) fn without_control(json: &str) -> String {
    let escaped = json
        .chars()
        .map(|c| match human::is_control(c) && c != '\n' {
            true => format!("\\u{:04x}", u32::from(c)),
            false => c.to_string(),
        });
    escaped.collect()
}

/// Escapes a string that a spreadsheet would interpret as a formula.
fn inert(text: &str) -> String {
    let text = one_line(text);
    let may_be_formula = text.trim_start().starts_with(['=', '+', '-', '@']);
    let is_formula = may_be_formula && text.parse::<f64>().is_err();
    if is_formula { format!("'{text}") } else { text }
}

/// Text for people. All added texts are escaped.
#[derive(Debug)]
pub struct Prose {
    text: String,
    is_markdown: bool,
    /// Whether the last element is an item of a list.
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

    /// Adds a picture in Markdown, given by its alternative text and file.
    pub(super) fn picture(&mut self, text: &str, file: &str) {
        self.add("![", text, &format!("]({file})\n"));
    }

    /// Adds a table, unless it has no rows.
    pub(super) fn table<const N: usize>(
        &mut self,
        rows: impl IntoIterator<Item = [(&'static str, String); N]>,
    ) {
        let lines = table(rows, self.is_markdown);
        if !lines.is_empty() {
            self.add("", "", &lines.concat());
        }
    }

    /// Adds an escaped text between a raw prefix and a raw suffix. In Markdown, an empty line separates elements,
    /// except the items of a list.
    fn add(&mut self, before: &str, text: &str, after: &str) {
        let is_item = before == "- ";
        if self.is_markdown && !self.text.is_empty() && !(is_item && self.in_list) {
            self.text.push('\n');
        }
        self.in_list = is_item;
        self.text += &format!("{before}{}{after}", shown(text, self.is_markdown));
    }
}

/// Maximum number of characters of a table cell, which no result of this program exceeds.
const LONGEST_CELL: usize = 250;

/// Returns the lines of a table: the headings, a rule in Markdown, and the rows, which are pairs of headings and cells.
/// The first column is left-aligned, unless it is N. Without rows there are no lines.
///
/// Tables wider than the terminal are not wrapped, because narrower columns would split numbers.
pub(super) fn table<const N: usize>(
    rows: impl IntoIterator<Item = [(&'static str, String); N]>,
    is_markdown: bool,
) -> Vec<String> {
    let mut table = comfy_table::Table::new();
    table.load_style(match is_markdown {
        true => presets::ASCII_MARKDOWN,
        false => presets::NOTHING,
    });
    let mut has_names = false;
    for row in rows {
        has_names = row[0].0 != "N";
        table.set_header(row.iter().map(|(heading, _)| *heading));
        table.add_row(row.map(|(_, cell)| shown(&beginning(&cell, LONGEST_CELL), is_markdown)));
    }
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_cell_alignment(match i == 0 && has_names {
            true => CellAlignment::Left,
            false => CellAlignment::Right,
        });
    }
    let lines = table.lines().filter(|_| !table.is_empty());
    lines.map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Returns a string in one line, escaped for a terminal or a Markdown renderer.
fn shown(text: &str, is_markdown: bool) -> String {
    let text = one_line(text);
    if !is_markdown {
        return text;
    }
    let escaped = text.chars().map(|c| match c {
        '<' => "&lt;".to_owned(),
        '&' => "&amp;".to_owned(),
        '|' | '`' | '[' | ']' | '*' | '\\' => format!("\\{c}"),
        _ => c.to_string(),
    });
    // An invisible word joiner keeps renderers from turning bare addresses into links.
    escaped
        .collect::<String>()
        .replace("://", ":&#8288;//")
        .replace("www.", "www&#8288;.")
        .replace('@', "@&#8288;")
}
