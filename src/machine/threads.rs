//! Numbers of threads.

use thiserror::Error;

/// Largest accepted number of threads.
pub const MAX_THREADS: usize = 4096;

/// Error for a number of threads outside the accepted range.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0} threads are not supported (accepted: 1 to {MAX_THREADS})")]
pub struct ThreadsError(usize);

/// Returns the requested number of threads, or one per core that CPU affinity and container quotas
/// make available to this process.
///
/// # Errors
///
/// Returns an error if the number is zero or exceeds [`MAX_THREADS`].
pub fn threads(asked: Option<usize>) -> Result<usize, ThreadsError> {
    match asked {
        None => Ok(num_cpus::get().clamp(1, MAX_THREADS)),
        Some(asked @ 1..=MAX_THREADS) => Ok(asked),
        Some(asked) => Err(ThreadsError(asked)),
    }
}

/// Returns the maximum number of threads that run at a time, even if more are requested. With
/// thousands of threads per core, the operating system takes seconds to schedule each of them once,
/// which delays cancellation.
#[must_use]
pub fn max_running() -> usize {
    const PER_CORE: usize = 64;
    PER_CORE * num_cpus::get()
}

/// Whether threads can be started, which is not the case in WebAssembly.
pub(crate) fn can_start_threads() -> bool {
    !cfg!(target_family = "wasm")
}
