//! Wall time, and CPU time of threads.

// The standard library's clock panics in a browser.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use web_time::Instant;

/// Returns the CPU time of the current thread in seconds. Time spent waiting for a core is
/// excluded.
#[cfg(unix)]
pub(crate) fn thread_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Returns the wall time in seconds, which approximates the CPU time if every thread has its own
/// core.
#[cfg(not(unix))]
pub(crate) fn thread_seconds() -> f64 {
    use std::sync::LazyLock;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64()
}
