//! Results written down: as text for people, Markdown for pages, CSV and JSON for programs.

mod bench;
mod boards;
mod chart;
mod classes;
mod drawing;
mod estimate;
mod format;
mod html;
pub mod page;
mod record;
mod sheet;
mod table;
mod trace;
mod tree;
mod writer;

pub(crate) use crate::human;
pub use boards::{BoardFormat, BoardWriter};
pub use classes::ClassesRecord;
pub use estimate::EstimateRecord;
pub(crate) use estimate::core_hours;
pub use format::Format;
pub use html::{LARGEST_EXPLORED, cuts, tree_html};
pub use queens::Environment;
pub use record::Record;
pub use table::TableWriter;
pub(crate) use table::figures;
pub use trace::{TraceFormat, TraceWriter};
pub use tree::{tree_dot, tree_svg};
