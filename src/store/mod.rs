//! Ledgers in files: the checkpoint of a whole count, and the parts of a count that many machines share.
//!
//! There is one form of file, a log of what subproblems of a plan contribute: see [`LedgerFile`]. A checkpoint is the
//! ledger of a whole plan; a folder of [`Shards`] has one for each shard. Every line has a checksum of its own, and a
//! line that is whole is true for ever: whatever is lost or damaged costs time, and is never added to a total.

mod files;
mod format;
mod ledger_file;
mod problem;
mod shards;
mod status;

pub use format::{Begin, Completion};
pub use ledger_file::LedgerFile;
pub use problem::{FileError, Problem};
pub use shards::{Shards, ShardsError};
pub use status::{Begun, Done, Merged, Status};

#[cfg(test)]
mod tests;
