//! Numbers of threads.

use thiserror::Error;

/// Largest accepted number of threads.
pub const MAX_THREADS: usize = 4096;

/// Maximum number of threads per core that are started. With thousands of them, the operating
/// system takes seconds to schedule each once, which delays cancellation.
const PER_CORE: usize = 64;

/// Error for a number of threads outside the accepted range.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0} threads are not supported (accepted: 1 to {MAX_THREADS})")]
pub struct ThreadsError(usize);

/// Returns the requested number of threads, but at most 64 per core, or one per core. Cores
/// are those that CPU affinity and container quotas make available to this process.
///
/// # Errors
///
/// Returns an error if the number is zero or exceeds [`MAX_THREADS`].
pub fn threads(asked: Option<usize>) -> Result<usize, ThreadsError> {
    match asked {
        None => Ok(num_cpus::get().clamp(1, MAX_THREADS)),
        Some(asked @ 1..=MAX_THREADS) => Ok(asked.min(PER_CORE * num_cpus::get())),
        Some(asked) => Err(ThreadsError(asked)),
    }
}

/// Whether threads can be started, which is not the case in WebAssembly.
pub(crate) fn can_start_threads() -> bool {
    !cfg!(target_family = "wasm")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_some_threads_per_core_are_started() {
        let most = 64 * num_cpus::get();
        assert_eq!(threads(Some(MAX_THREADS)), Ok(most.min(MAX_THREADS)));
        assert_eq!(threads(Some(3)), Ok(3));
        assert!(threads(Some(MAX_THREADS + 1)).is_err());
        let error = threads(Some(0)).unwrap_err().to_string();
        assert_eq!(error, "0 threads are not supported (accepted: 1 to 4096)");
    }
}
