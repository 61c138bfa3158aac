//! Runs long computations with the GIL released while checking for Ctrl-C.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, bounded};
use pyo3::prelude::*;

/// Interval between checks for signals while the work runs.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// Runs `work` on another thread with the GIL released. Meanwhile, this thread acquires the GIL
/// about fifty times a second, and once at the end, to handle signals and call `check`. If either
/// fails, `stop` is called to make the work end early, and the error is returned.
pub(crate) fn attend<T: Send>(
    py: Python<'_>,
    stop: impl Fn(),
    mut check: impl FnMut() -> PyResult<()>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    thread::scope(|scope| {
        let (working, has_ended) = bounded::<()>(0);
        let thread = thread::Builder::new().spawn_scoped(scope, move || {
            // Dropped when the work ends, even if it panics.
            let _working = working;
            work()
        })?;
        let mut checked = Ok(());
        loop {
            let ended = py.detach(|| has_ended.recv_timeout(CHECK_INTERVAL));
            if checked.is_ok() {
                checked = py.check_signals().and_then(|()| check());
                if checked.is_err() {
                    stop();
                }
            }
            if ended == Err(RecvTimeoutError::Disconnected) {
                break;
            }
        }
        let result = py.detach(|| thread.join());
        checked?;
        Ok(result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
