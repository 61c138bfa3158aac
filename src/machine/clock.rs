//! Wall time, and CPU time of threads and of the process.

// The standard library's clock panics in a browser.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use web_time::Instant;

#[cfg(unix)]
fn seconds(clock: rustix::time::ClockId) -> f64 {
    let time = rustix::time::clock_gettime(clock);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Returns the CPU time of the current thread in seconds. Time spent waiting for a core is
/// excluded.
#[cfg(unix)]
pub(crate) fn thread_seconds() -> f64 {
    seconds(rustix::time::ClockId::ThreadCPUTime)
}

/// Returns the wall time in seconds, which approximates the CPU time if every thread has its own
/// core.
#[cfg(not(unix))]
pub(crate) fn thread_seconds() -> f64 {
    use std::sync::LazyLock;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64()
}

/// Returns the CPU time of this process in seconds, summed over its threads.
#[cfg(unix)]
#[must_use]
pub fn process_seconds() -> f64 {
    seconds(rustix::time::ClockId::ProcessCPUTime)
}

/// Returns the CPU time of this process in seconds, summed over its threads, or zero if the system
/// does not report it.
#[cfg(not(unix))]
#[must_use]
pub fn process_seconds() -> f64 {
    use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System, get_current_pid};
    let Ok(pid) = get_current_pid() else {
        return 0.0;
    };
    let mut system = System::new();
    let kind = ProcessRefreshKind::nothing().with_cpu();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), true, kind);
    system.process(pid).map_or(0.0, |process| process.accumulated_cpu_time() as f64 / 1000.0)
}
