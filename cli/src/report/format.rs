//! The formats by name.

use strum::{Display, EnumString, VariantNames};

/// A way to write a result down, by its name in lower case.
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
    /// A Markdown table.
    Markdown,
}
