//! Output of results in four formats: JSON and CSV for programs, text and Markdown for people.
//!
//! Results contain unescaped strings. This module alone escapes the characters that a terminal, a
//! Markdown renderer or a spreadsheet would interpret.

use std::collections::HashSet;
use std::fmt::Display;
use std::io::{self, Write};
use std::mem::replace;

use comfy_table::{CellAlignment, ColumnConstraint, Width, presets};
use queens::named_enum;
use serde::Serialize;
use serde_json::{Value, json};

use crate::human::truncated;
use crate::message::{escaped, is_control, one_line};

named_enum! {
    /// An output format.
    #[derive(Default)]
    pub(crate) enum Format {
        /// Plain text for a terminal.
        #[default]
        Text = "text",
        /// JSON; numbers that may exceed 2^53 are strings.
        Json = "json",
        /// Comma-separated values: a header line, and the same fields as JSON.
        Csv = "csv",
        /// Markdown.
        Markdown = "markdown",
    }
}

/// A result that can be written in every format. Its fields are those of the JSON output.
pub(crate) trait Report: Serialize {
    /// Writes the result as text or Markdown.
    fn prose(&self, prose: &mut Prose);

    /// Writes the result in the given format.
    ///
    /// # Errors
    ///
    /// Returns any I/O error from writing to `out`.
    fn write(&self, out: &mut dyn Write, format: Format) -> io::Result<()> {
        match format {
            Format::Json => writeln!(out, "{}", without_control(&format!("{:#}", json!(self))))?,
            Format::Csv => {
                for (i, line) in lines(json!(self)).iter().enumerate() {
                    write_csv(out, line, i == 0)?;
                }
            }
            Format::Text | Format::Markdown => {
                let mut prose = Prose::new(format);
                self.prose(&mut prose);
                out.write_all(prose.into_text().as_bytes())?;
            }
        }
        out.flush()
    }
}

/// Returns the lines of a record in CSV, all with the same fields: the elements of its last list of
/// objects, each followed by the other fields. Without a list, the record is the only line.
fn lines(mut record: Value) -> Vec<Value> {
    let is_list = |value: &Value| value.get(0).is_some_and(Value::is_object);
    let mut fields = record.as_object_mut().into_iter().flatten();
    match fields.rfind(|(_, value)| is_list(value)).map(|(_, list)| replace(list, json!([]))) {
        Some(Value::Array(list)) => {
            let line = |line| json!({ "line": line, "record": record });
            list.into_iter().map(line).collect()
        }
        _ => vec![record],
    }
}

/// Writes a line of CSV. If it `is_first`, writes a header with the field names before it.
pub(super) fn write_csv(out: &mut dyn Write, line: &Value, is_first: bool) -> io::Result<()> {
    let (mut fields, mut known) = (fields(line), HashSet::new());
    fields.retain(|(name, _)| known.insert(name.clone()));
    let (names, values): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
    let mut csv = csv::Writer::from_writer(out);
    if is_first {
        csv.write_record(names)?;
    }
    csv.write_record(values)?;
    csv.flush()
}

/// Returns the names and values of all fields, including those of nested objects. The fields of an
/// object with a `value` get its name as a prefix. CSV cannot express arrays.
fn fields(object: &Value) -> Vec<(String, String)> {
    let all = object.as_object().into_iter().flatten();
    let texts = all.flat_map(|(name, value)| match value {
        Value::Array(_) => Vec::new(),
        Value::Object(_) => {
            let is_figure = value.get("value").is_some();
            let named = |(field, text): (String, String)| match &*field {
                "value" => (name.clone(), text),
                _ if is_figure => (format!("{name}_{field}"), text),
                _ => (field, text),
            };
            fields(value).into_iter().map(named).collect()
        }
        Value::Null => vec![(escape_csv(name), String::new())],
        Value::String(text) => vec![(escape_csv(name), escape_csv(text))],
        value => vec![(escape_csv(name), value.to_string())],
    });
    texts.collect()
}

/// Escapes the characters in JSON text that a terminal would interpret.
pub(super) fn without_control(json: &str) -> String {
    escaped(json, |c| (is_control(c) && c != '\n').then(|| format!("\\u{:04x}", u32::from(c))))
}

/// Escapes control characters, and adds an apostrophe if a spreadsheet would interpret the string
/// as a formula.
fn escape_csv(text: &str) -> String {
    let text = one_line(text);
    let may_be_formula = text.trim_start().starts_with(['=', '+', '-', '@']);
    let is_formula = may_be_formula && text.parse::<f64>().is_err();
    if is_formula { format!("'{text}") } else { text }
}

/// Text or Markdown for people. All strings that are added to it are escaped.
#[derive(Debug)]
pub(crate) struct Prose {
    text: String,
    is_markdown: bool,
    /// Whether the last element is a list item.
    in_list: bool,
}

impl Prose {
    pub(super) fn new(format: Format) -> Self {
        let is_markdown = format == Format::Markdown;
        Self { text: String::new(), is_markdown, in_list: false }
    }

    pub(super) fn is_markdown(&self) -> bool {
        self.is_markdown
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// Adds a heading of level 1 to 6.
    pub(super) fn heading(&mut self, level: usize, text: impl Display) {
        let before = match self.is_markdown {
            true => "#".repeat(level) + " ",
            false => "\n".to_owned(),
        };
        self.add(&before, text, "\n");
    }

    /// Adds a line.
    pub(super) fn line(&mut self, text: impl Display) {
        self.add("", text, "\n");
    }

    /// Adds a list item.
    pub(super) fn item(&mut self, text: impl Display) {
        let bullet = if self.is_markdown { "- " } else { "  " };
        self.add(bullet, text, "\n");
    }

    /// Adds a table, unless it has no rows.
    pub(super) fn table<const N: usize>(
        &mut self,
        rows: impl IntoIterator<Item = [(&'static str, String); N]>,
    ) {
        let lines = table(rows, [0; N], self.is_markdown);
        if !lines.is_empty() {
            self.add("", "", &lines.concat());
        }
    }

    /// Adds escaped text between an unescaped prefix and suffix. In Markdown, an empty line
    /// separates all elements except list items.
    fn add(&mut self, before: &str, text: impl Display, after: &str) {
        let is_item = before == "- ";
        if self.is_markdown && !self.text.is_empty() && !(is_item && self.in_list) {
            self.text.push('\n');
        }
        self.in_list = is_item;
        self.text +=
            &format!("{before}{}{after}", escape_text(&text.to_string(), self.is_markdown));
    }
}

/// Maximum number of characters in a table cell. No cell in this program's output is longer.
const LONGEST_CELL: usize = 250;

/// Returns the lines of a table: the header, a rule in Markdown, whose colons right-align columns,
/// and the rows. Each cell comes with its column heading. The first column is left-aligned unless
/// its heading is N. `widths` has the minimum widths of columns. A table without rows has no lines.
///
/// Tables wider than the terminal are not wrapped, because that would split numbers.
pub(super) fn table<const N: usize>(
    rows: impl IntoIterator<Item = [(&'static str, String); N]>,
    widths: [usize; N],
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
        table.add_row(
            row.map(|(_, cell)| escape_text(&truncated(&cell, LONGEST_CELL), is_markdown)),
        );
    }
    for (i, column) in table.column_iter_mut().enumerate() {
        let min_width = Width::Fixed(widths[i] as u16 + 2); // with padding
        column.set_constraint(ColumnConstraint::LowerBoundary(min_width));
        column.set_cell_alignment(match i == 0 && has_names {
            true => CellAlignment::Left,
            false => CellAlignment::Right,
        });
    }
    let mut lines: Vec<_> = table.lines().filter(|_| !table.is_empty()).collect();
    if let Some(rule) = lines.get_mut(1).filter(|_| is_markdown) {
        *rule = rule.replace("-|", ":|").replacen(":|", if has_names { "-|" } else { ":|" }, 1);
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Escapes a string for a terminal or a Markdown renderer, and returns it as one line.
fn escape_text(text: &str, is_markdown: bool) -> String {
    let text = one_line(text);
    if !is_markdown {
        return text;
    }
    let text = escaped(&text, |c| match c {
        '<' => Some("&lt;".to_owned()),
        '&' => Some("&amp;".to_owned()),
        '|' | '`' | '[' | ']' | '*' | '\\' => Some(format!("\\{c}")),
        _ => None,
    });
    // An invisible word joiner keeps renderers from turning bare URLs into links.
    text.replace("://", ":&#8288;//").replace("www.", "www&#8288;.").replace('@', "@&#8288;")
}
