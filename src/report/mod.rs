//! Results written down: as text for people, Markdown for pages, CSV and JSON for programs.

mod bench;
mod boards;
mod chart;
mod classes;
mod drawing;
pub mod human;
pub mod page;
mod record;
mod sheet;
mod tree;
mod writer;

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

pub use crate::machine::Environment;
pub use bench::BenchWriter;
pub use boards::{BoardFormat, BoardWriter, MAX_DRAWN};
pub use classes::{ClassRow, ClassesRecord};
pub use record::{JoinStats, Record, ReferenceTime};
pub use tree::{tree_dot, tree_svg};
pub use writer::{CountWriter, TableWriter};

/// A way to write a result down.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// For a person at a terminal.
    #[default]
    Text,
    /// JSON; numbers that may exceed 2^53 are strings.
    Json,
    /// Comma-separated values with a header line and the fields of the JSON form.
    Csv,
    /// A Markdown table.
    Markdown,
}

/// A name that is none of the formats'.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("no format is called '{0}' (accepted: text, json, csv, markdown)")]
pub struct UnknownFormat(String);

impl Format {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Text, Self::Json, Self::Csv, Self::Markdown];

    /// The format's name as options have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Markdown => "markdown",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Self::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}
