//! Results as text and Markdown for people, and as JSON and CSV for programs.

mod bench;
mod chart;
mod classes;
mod count;
mod document;
mod estimate;
mod page;
mod shards;

pub use classes::ClassesReport;
pub use count::{Checks, CountReport};
pub(crate) use document::text;
pub use document::{Format, Prose, Report};
pub use estimate::EstimateReport;
pub(crate) use page::{CHART, GENERATED};
pub use page::{PAGE, WEB_PAGE, file_name, page};
pub use shards::MergeReport;
pub(crate) use shards::StatusReport;
