//! Thread pool for counting, watched by the thread that started it.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

use crossbeam_channel::bounded;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::error::CountError;
use crate::engine::{CancelOnDrop, CancelToken};

/// Size of the largest board that is counted on one thread by default. Starting more would take
/// longer than counting.
pub(crate) const SMALL_N: u32 = 12;
/// Interval between progress updates.
const WATCH_EVERY: Duration = Duration::from_millis(20);

/// Starts a pool of `threads` threads. Returns an error unless all start.
fn pool(threads: usize) -> Result<ThreadPool, CountError> {
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|i| format!("queens-{i}"))
        .build();
    pool.map_err(|error| CountError::Pool { threads, source: std::io::Error::other(error) })
}

/// Runs `work` on a new pool of `threads` threads. Meanwhile, calls `watch` on the current thread
/// about fifty times a second and once at the end. An error or a panic in `watch` cancels the work.
///
/// If cancelled, returns without waiting for the work, which ends in the background. With many more
/// threads than cores, it can take a long time for every thread to be scheduled and to notice the
/// cancellation.
pub(super) fn watched<T: Send + 'static, E: From<CountError>>(
    threads: usize,
    cancel: &CancelToken,
    work: impl FnOnce() -> Result<T, CountError> + Send + 'static,
    mut watch: impl FnMut() -> Result<(), E>,
) -> Result<T, E> {
    let (ended, end) = bounded(1);
    pool(threads)?.spawn(move || {
        // The channel has no receiver once the work is cancelled.
        let _ = ended.send(catch_unwind(AssertUnwindSafe(work)));
    });
    let guard = CancelOnDrop(cancel);
    // Polling spares the workers the cost of waking this thread for each result.
    loop {
        let outcome = end.recv_timeout(WATCH_EVERY);
        watch()?;
        if let Ok(outcome) = outcome {
            std::mem::forget(guard);
            return Ok(outcome.unwrap_or_else(|panic| resume_unwind(panic))?);
        }
        if cancel.is_cancelled() {
            return Err(CountError::Cancelled.into());
        }
    }
}
