//! The machine that counts: its CPU, its memory, and the cores that this process may use.

#[cfg(feature = "report")]
pub mod environment;
pub mod memory;
pub mod pin;
pub mod threads;

#[cfg(feature = "report")]
pub use environment::Environment;
pub use pin::Pin;
pub use threads::{Threads, ThreadsError};
