//! The machine that counts: its CPU, its memory, and the cores that this process may use.

#[cfg(feature = "report")]
mod environment;
pub(crate) mod memory;
mod pin;
mod threads;

#[cfg(feature = "report")]
pub use environment::Environment;
pub use pin::Pin;
#[cfg(feature = "report")]
pub(crate) use threads::MAX_THREADS;
pub(crate) use threads::most_at_a_time;
pub use threads::{Threads, ThreadsError};
