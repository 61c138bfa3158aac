//! How many threads to use, and why that many.

use std::fmt;

use sysinfo::{CpuRefreshKind, System};
use thiserror::Error;

/// How many threads are started at most, whatever is asked for. The operating system lets all that are ready to run
/// have their turn, and with thousands on a core it takes seconds until a cancellation is even seen.
#[must_use]
pub fn most_at_a_time() -> usize {
    const PER_CORE: usize = 64;
    PER_CORE * num_cpus::get()
}

/// A number of threads, and the reason for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Threads {
    count: usize,
    reason: String,
}

/// A number of threads outside the accepted range.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0} threads cannot be used (accepted: 1 to {max})", max = Threads::MAX)]
pub struct ThreadsError(usize);

impl Threads {
    /// The most that can be asked for.
    pub const MAX: usize = 4096;

    /// As many threads as asked for, or else [`usable`](Self::usable).
    ///
    /// # Errors
    ///
    /// Those of [`exactly`](Self::exactly).
    pub fn of(count: Option<usize>) -> Result<Self, ThreadsError> {
        count.map_or_else(|| Ok(Self::usable()), Self::exactly)
    }

    /// As many threads as asked for.
    ///
    /// # Errors
    ///
    /// [`ThreadsError`] if that is none or more than [`MAX`](Self::MAX).
    pub fn exactly(count: usize) -> Result<Self, ThreadsError> {
        if !(1..=Self::MAX).contains(&count) {
            return Err(ThreadsError(count));
        }
        let (usable, most) = (num_cpus::get(), most_at_a_time());
        let mut reason = "as asked".to_owned();
        if count > usable {
            let s = if usable == 1 { "" } else { "s" };
            reason += &format!("; this process may use {usable} core{s}");
        }
        if count > most {
            reason += &format!(", so {most} run at a time");
        }
        Ok(Self { count, reason })
    }

    /// One thread, for this reason.
    pub(crate) fn one(reason: &str) -> Self {
        let (count, reason) = (1, reason.to_owned());
        Self { count, reason }
    }

    /// One thread for each core that this process may use: the machine's cores, less what affinity or a container's
    /// quota takes away.
    #[must_use]
    pub fn usable() -> Self {
        Self::from_limits(num_cpus::get(), online_cores())
    }

    /// No more than `count` of them, for this reason where that is fewer.
    #[must_use]
    pub fn at_most(self, count: usize, reason: &str) -> Self {
        if self.count <= count {
            return self;
        }
        let reason = reason.to_owned();
        Self { count, reason }
    }

    /// `usable` cores of `online` in the machine.
    fn from_limits(usable: usize, online: usize) -> Self {
        let reason = if usable < online {
            format!("affinity or container quota: {usable} of {online} cores")
        } else {
            "all cores".to_owned()
        };
        let count = usable.clamp(1, Self::MAX);
        Self { count, reason }
    }

    /// The number.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Why that number.
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

/// The cores that the operating system runs, whoever may use them.
pub(crate) fn online_cores() -> usize {
    let mut system = System::new();
    system.refresh_cpu_list(CpuRefreshKind::nothing());
    system.cpus().len().max(num_cpus::get())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_names_what_limits() {
        let says = |usable, online| Threads::from_limits(usable, online).to_string();
        assert_eq!(says(8, 8), "8 threads (all cores)");
        assert_eq!(
            says(1, 8),
            "1 thread (affinity or container quota: 1 of 8 cores)"
        );
    }
}
