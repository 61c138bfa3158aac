//! How long a thread has run.

/// Seconds for which this thread has had a core so far: what it waited for one, while others ran, is left out.
#[cfg(unix)]
pub(crate) fn thread_seconds() -> f64 {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Seconds that have passed so far: systems without such a clock are taken to have a core for each thread.
#[cfg(not(unix))]
pub(crate) fn thread_seconds() -> f64 {
    use std::{sync::LazyLock, time::Instant};
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64()
}
