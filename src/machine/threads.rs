//! Number of threads, with the reason for that number.

use std::fmt;

use sysinfo::{CpuRefreshKind, System};
use thiserror::Error;

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

/// Number of threads, with the reason for that number.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Threads {
    #[cfg_attr(feature = "serde", serde(rename = "threads"))]
    count: usize,
    #[cfg_attr(feature = "serde", serde(rename = "threads_reason"))]
    reason: String,
}

/// Error for a number of threads outside the accepted range.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0} threads are not supported (accepted: 1 to {max})", max = Threads::MAX)]
pub struct ThreadsError(usize);

impl Threads {
    /// Largest accepted number of threads.
    pub const MAX: usize = 4096;

    /// Returns the requested number of threads, or [`usable`](Self::usable) threads if `count` is
    /// `None`.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`exactly`](Self::exactly).
    pub fn of(count: Option<usize>) -> Result<Self, ThreadsError> {
        count.map_or_else(|| Ok(Self::usable()), Self::exactly)
    }

    /// Returns the requested number of threads.
    ///
    /// # Errors
    ///
    /// Returns an error if the number is zero or exceeds [`MAX`](Self::MAX).
    pub fn exactly(count: usize) -> Result<Self, ThreadsError> {
        if !(1..=Self::MAX).contains(&count) {
            return Err(ThreadsError(count));
        }
        let (usable, most) = (num_cpus::get(), max_running());
        let mut reason = "as requested".to_owned();
        if count > usable {
            let s = if usable == 1 { "" } else { "s" };
            reason += &format!("; {usable} core{s} available");
        }
        if count > most {
            reason += &format!(", so {most} run at a time");
        }
        Ok(Self { count, reason })
    }

    /// Returns one thread, with the given reason.
    pub(crate) fn one(reason: &str) -> Self {
        let (count, reason) = (1, reason.to_owned());
        Self { count, reason }
    }

    /// Returns one thread per core that CPU affinity and container quotas make available to this
    /// process.
    #[must_use]
    pub fn usable() -> Self {
        // A quota of 1.25 cores makes two cores usable, of which one is usable all the time.
        let usable = num_cpus::get();
        let whole = std::thread::available_parallelism().map_or(usable, usize::from);
        Self::from_limits(usable, whole, online_cores())
    }

    /// Limits the number of threads to `count`. If that reduces the number, `reason` becomes the
    /// reason for it.
    #[must_use]
    pub fn at_most(self, count: usize, reason: &str) -> Self {
        if self.count <= count {
            return self;
        }
        let reason = reason.to_owned();
        Self { count, reason }
    }

    /// Returns one thread for each of the `usable` cores, `whole` of which are not limited further,
    /// on a machine with `online` cores.
    fn from_limits(usable: usize, whole: usize, online: usize) -> Self {
        let reason = if whole < usable {
            format!("container quota: less than {usable} of {online} cores")
        } else if usable < online {
            format!("affinity or container quota: {usable} of {online} cores")
        } else {
            "all cores".to_owned()
        };
        let count = usable.clamp(1, Self::MAX);
        Self { count, reason }
    }

    /// Returns the number of threads.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the reason for the number of threads.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.count == 1 { "" } else { "s" };
        write!(f, "{} thread{plural} ({})", self.count, self.reason)
    }
}

/// Returns information about the cores.
pub(super) fn system() -> System {
    let mut system = System::new();
    system.refresh_cpu_list(CpuRefreshKind::nothing());
    system
}

/// Returns the number of online cores, including those not available to this process.
fn online_cores() -> usize {
    system().cpus().len().max(num_cpus::get())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_names_the_limit() {
        let text = |usable, whole, online| Threads::from_limits(usable, whole, online).to_string();
        assert_eq!(text(8, 8, 8), "8 threads (all cores)");
        assert_eq!(text(1, 1, 8), "1 thread (affinity or container quota: 1 of 8 cores)");
        // A quota of 1.25 cores.
        assert_eq!(text(2, 1, 2), "2 threads (container quota: less than 2 of 2 cores)");
    }
}
