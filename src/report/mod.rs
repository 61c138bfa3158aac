//! Results written down: as text for people, Markdown for pages, CSV and JSON for programs.

mod bench;
mod boards;
#[cfg(feature = "charts")]
mod chart;
mod classes;
mod drawing;
#[cfg(feature = "charts")]
pub mod page;
mod record;
mod table;
mod tree;
mod writer;

use strum::{Display, EnumString, IntoStaticStr, VariantArray};

pub(crate) use crate::human;
pub use crate::machine::Environment;
pub use boards::{BoardFormat, BoardWriter, MAX_DRAWN, UnknownBoardFormat};
pub use classes::{ClassRow, ClassesRecord};
pub use record::{JoinStats, Record, ReferenceTime};
pub use table::TableWriter;
pub use tree::{Caption, tree_dot, tree_svg};

/// A way to write a result down, by its name in lower case.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Display, EnumString, IntoStaticStr, VariantArray,
)]
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
