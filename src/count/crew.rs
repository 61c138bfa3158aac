//! Threads that work side by side, a rayon pool of their own: all that are asked for, or none.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::ThreadPoolBuilder;

use super::error::CountError;
use crate::machine::most_at_a_time;

/// Has `threads` threads, or as many as run at a time, do `work`, each told its number from 0. None begins before all have
/// started. What each of them gave, by number.
///
/// # Errors
///
/// [`CountError::Pool`] if not all can be started: then none has begun.
///
/// # Panics
///
/// If `work` does, once all threads have ended.
pub(crate) fn on_threads<T: Send>(
    threads: usize,
    work: impl Fn(usize) -> T + Sync,
) -> Result<Vec<T>, CountError> {
    let number = threads.min(most_at_a_time());
    let pool = ThreadPoolBuilder::new()
        .num_threads(number)
        .thread_name(|i| format!("queens-{i}"))
        .build();
    let pool = pool.map_err(|refused| CountError::Pool {
        threads,
        source: std::io::Error::other(refused),
    })?;
    Ok(pool.broadcast(|thread| work(thread.index())))
}

/// A panic elsewhere ends the whole count, so a poisoned lock has nothing more to say.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_works_once() {
        assert_eq!(on_threads(5, |i| i * i).unwrap(), [0, 1, 4, 9, 16]);
    }
}
