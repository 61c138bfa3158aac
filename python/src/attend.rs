//! Work that takes long, without the interpreter's lock and with an ear for Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use queens::CancelToken;

/// How often Python is asked for signals while there is work.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Does the work on a thread of its own, with the interpreter's lock released. Meanwhile `look` is called on this thread with
/// the lock, some fifty times a second and once at the end; where it fails, or a signal has come, the work is cancelled and the
/// error returned.
pub(crate) fn attend<T: Send>(
    py: Python<'_>,
    cancel: &CancelToken,
    mut look: impl FnMut() -> PyResult<()>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let is_done = AtomicBool::new(false);
    let caller = thread::current();
    thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, || {
            let result = work();
            is_done.store(true, Ordering::Release);
            caller.unpark();
            result
        });
        let thread = thread?;
        let mut looked = Ok(());
        loop {
            // A thread that panics is finished without being done.
            let has_ended = is_done.load(Ordering::Acquire) || thread.is_finished();
            if looked.is_ok() {
                looked = py.check_signals().and_then(|()| look());
                if looked.is_err() {
                    cancel.cancel();
                }
            }
            if has_ended {
                break;
            }
            py.detach(|| thread::park_timeout(LOOK_EVERY));
        }
        let result = py.detach(|| thread.join());
        looked?;
        Ok(result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
