//! What is done, kept in files: checkpoints of one run, and the results of shards on many machines.
//!
//! Every file is a JSON document that carries a checksum and the fingerprint of its plan, and replaces its predecessor at
//! once or not at all. A file that is damaged, or another plan's, never adds to a total. All access to what a total
//! depends on goes through one trait, so that tests can make every step of it fail.

mod autosave;
mod checkpoint;
mod document;
#[cfg(test)]
mod faulty;
mod files;
mod heartbeat;
mod merge;
mod packed;
mod problem;
mod records;
mod shards;
mod status;

pub use autosave::{Autosave, SaveEvent};
pub use checkpoint::Checkpoint;
pub use heartbeat::Heartbeat;
pub use merge::Merged;
pub use problem::{FileError, Problem};
pub use records::{CountedTwice, ShardResult};
pub use shards::{Shards, ShardsError};
pub use status::{Begun, Status, Sum};
