//! The machine that counts: its CPU, its memory, and the cores that this process may use.

pub(crate) mod clock;
#[cfg(any(feature = "report", feature = "store"))]
mod environment;
#[cfg(feature = "faults")]
pub mod faults;
pub(crate) mod memory;
mod pin;
#[cfg(feature = "report")]
pub(crate) mod steal;
mod threads;

#[cfg(any(feature = "report", feature = "store"))]
pub use environment::Environment;
pub use pin::Pin;
#[cfg(feature = "report")]
pub(crate) use threads::MAX_THREADS;
pub(crate) use threads::most_at_a_time;
pub use threads::{Threads, ThreadsError};
