//! Results as text and Markdown for people, and as JSON and CSV for programs.
//!
//! Each command has one record: a struct with `#[derive(Serialize)]` and the fields of its JSON
//! output. To report it, implement [`Report`]: `json` is `json!(self)`, and `prose` adds lines,
//! list items and tables, which [`Prose`] writes as text or Markdown. CSV follows from JSON: nested
//! objects are flattened, and a list of objects becomes one line per element. The record itself
//! rounds figures, and has strings for numbers above 2^53 (`#[serde(with = "text")]`).

mod bench;
mod classes;
mod count;
mod document;
mod estimate;
mod shards;

pub use classes::ClassesReport;
pub use count::{Checks, CountReport};
pub(crate) use document::text;
pub use document::{Format, Prose, Report};
pub use estimate::EstimateReport;
pub use shards::MergeReport;
pub(crate) use shards::StatusReport;
