//! The machine that counts: its CPU, its memory, and the cores that this process may use.

pub(crate) mod clock;
#[cfg(feature = "store")]
mod environment;
pub(crate) mod memory;
mod threads;

#[cfg(feature = "store")]
pub use environment::Environment;
#[cfg(feature = "store")]
pub(crate) use environment::now;
pub use threads::{Threads, ThreadsError, most_at_a_time};
