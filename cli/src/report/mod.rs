//! Results as text and Markdown for people, and as JSON and CSV for programs.
//!
//! Each command has one record: a struct with `#[derive(Serialize)]` and the fields of its JSON
//! output. To report it, implement [`Report`]: `prose` adds lines, list items and tables, which
//! [`Prose`] writes as text or Markdown. CSV follows from JSON: nested objects are flattened, and a
//! list of objects becomes one line per element. The record itself rounds figures, and has strings
//! for numbers above 2^53 (`#[serde(with = "text")]`).

mod bench;
mod count;
mod document;
mod estimate;

pub(crate) use count::{CountReport, MergeReport};
pub(crate) use document::{Format, Report};
pub(crate) use estimate::EstimateReport;
