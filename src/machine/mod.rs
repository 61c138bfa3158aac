//! Information about the machine: its CPU, its memory, and the cores available to this process.

pub(crate) mod clock;
#[cfg(feature = "store")]
mod environment;
pub(crate) mod memory;
mod threads;

pub use clock::{Instant, process_seconds};
#[cfg(feature = "store")]
pub use environment::Environment;
pub(crate) use threads::can_start_threads;
pub use threads::{MAX_THREADS, ThreadsError, max_running, threads};
