//! Threads, memory and clocks of the machine.

pub(crate) mod clock;
pub(crate) mod memory;
mod threads;

pub use clock::Instant;
pub(crate) use threads::can_start_threads;
pub use threads::{MAX_THREADS, ThreadsError, threads};
