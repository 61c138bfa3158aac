//! What is done, kept in files: checkpoints of one run, and the results of shards on many machines.
//!
//! Every file is a JSON [`document`] that carries a checksum and the fingerprint of its plan, and replaces its
//! predecessor at once or not at all. A file that is damaged, or another plan's, never adds to a total. All access goes
//! through [`Storage`], so that tests can make every step of it fail.

pub mod checkpoint;
pub mod document;
#[cfg(test)]
mod faulty;
mod packed;
pub mod shards;
pub mod storage;

pub use checkpoint::{Checkpoint, CheckpointError, Notice};
pub use shards::{Merged, ShardResult, Shards, ShardsError};
pub use storage::{Disk, Storage};
