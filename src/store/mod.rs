//! Ledger files, which are checkpoints of a whole count or shards of a count that is split between
//! several machines.
//!
//! Both have the same format (see [`LedgerFile`]): text lines, each with the index of a
//! subproblem, its count and a checksum. A checkpoint is the ledger of a whole plan. A folder of
//! [`Shards`] contains one ledger per shard. A damaged line costs the time to count its subproblem
//! again, but it never changes a total.

mod files;
mod format;
mod ledger_file;
mod problem;
mod shards;
mod status;

pub use files::NewFile;
pub use ledger_file::LedgerFile;
pub use problem::{FileError, Problem};
pub use shards::{Shards, ShardsError};
pub use status::{Merged, ShardStatus, Status};

#[cfg(test)]
mod tests;
