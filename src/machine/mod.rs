//! The machine that counts: its CPU, its memory, and the cores that this process may use.

pub mod environment;
pub mod memory;
pub mod pin;
pub mod threads;

pub use environment::Environment;
pub use pin::Pin;
pub use threads::Threads;
