//! Work that takes long, without the interpreter's lock and with an ear for Ctrl-C.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, bounded};
use pyo3::prelude::*;

/// How often Python is asked for signals while there is work.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Does the work on a thread of its own, with the interpreter's lock released. Meanwhile `look` is called on this
/// thread with the lock, some fifty times a second and once at the end; where it fails, or a signal has come, the work
/// is told to stop and the error returned.
pub(crate) fn attend<T: Send>(
    py: Python<'_>,
    stop: impl Fn(),
    mut look: impl FnMut() -> PyResult<()>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    thread::scope(|scope| {
        let (working, has_ended) = bounded::<()>(0);
        let thread = thread::Builder::new().spawn_scoped(scope, move || {
            // Dropped at the end, even by a panic.
            let _working = working;
            work()
        })?;
        let mut looked = Ok(());
        loop {
            let news = py.detach(|| has_ended.recv_timeout(LOOK_EVERY));
            if looked.is_ok() {
                looked = py.check_signals().and_then(|()| look());
                if looked.is_err() {
                    stop();
                }
            }
            if news == Err(RecvTimeoutError::Disconnected) {
                break;
            }
        }
        let result = py.detach(|| thread.join());
        looked?;
        Ok(result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
