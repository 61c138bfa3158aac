//! Ledger files, which are checkpoints of a whole count or shards of a count that is split between
//! several machines.
//!
//! Both use the same file format, which is an append-only log of the results of subproblems (see
//! [`LedgerFile`]). A checkpoint is the ledger of a whole plan. A folder of [`Shards`] contains one
//! ledger per shard. Every line has its own checksum, so damage costs time but never changes a
//! total.

mod compare;
mod files;
mod format;
mod in_memory;
mod ledger_file;
mod problem;
mod shards;
mod status;

pub use compare::{Comparison, Difference};
pub use files::NewFile;
pub use format::{Completion, Header};
pub use ledger_file::{Event, LedgerFile};
pub use problem::{FileError, Problem};
pub use shards::{Shards, ShardsError};
pub use status::{Begun, Done, Merged, Status};

#[cfg(test)]
mod tests;
