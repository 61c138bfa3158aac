//! Results written down: as text for people, Markdown for pages, CSV and JSON for programs.

mod bench;
mod boards;
mod chart;
mod classes;
mod count;
mod document;
mod drawing;
mod estimate;
mod html;
mod page;
mod shards;
mod sheet;
mod trace;
mod tree;

pub(crate) use crate::human;
pub use boards::{BoardFormat, BoardWriter};
pub use classes::ClassesReport;
pub(crate) use count::JoinStats;
pub use count::{Checks, CountReport};
pub use document::{CsvLine, Format, Prose, Report};
pub use estimate::EstimateReport;
pub(crate) use estimate::core_hours;
pub use html::{LARGEST_EXPLORED, cuts, tree_html};
pub use page::{PAGE, file_name, page};
pub(crate) use shards::{MergeReport, StatusReport};
pub use trace::TraceWriter;
pub use tree::tree_svg;
