//! Results written down: as text for people, Markdown for pages, CSV and JSON for programs.

mod bench;
mod boards;
mod chart;
mod classes;
mod document;
mod drawing;
mod estimate;
mod html;
mod page;
mod record;
mod sheet;
mod table;
mod trace;
mod tree;

pub(crate) use crate::human;
pub use bench::BenchmarkReport;
pub use boards::{BoardFormat, BoardWriter};
pub use classes::ClassesRecord;
pub use document::{Document, Format, Prose};
pub use estimate::EstimateRecord;
pub(crate) use estimate::core_hours;
pub use html::{LARGEST_EXPLORED, cuts, tree_html};
pub(crate) use page::OPENING;
pub use page::{PAGE, file_name, page};
pub use queens::machine::Environment;
pub use record::Record;
pub(crate) use record::figures;
pub use table::TableWriter;
pub use trace::TraceWriter;
pub use tree::tree_svg;
