//! Time that a virtual machine's host kept for others.

use std::fs::read_to_string;

/// CPU time of all cores since the system started, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CpuTime {
    all: u64,
    stolen: u64,
}

impl CpuTime {
    /// Until now; none where the system does not tell.
    pub(crate) fn now() -> Option<Self> {
        Self::parse(&read_to_string("/proc/stat").ok()?)
    }

    /// Linux has the sum of all cores in its first line: user, nice, system, idle, waiting, two kinds of interrupts, stolen; and
    /// then what is in the first two already.
    fn parse(text: &str) -> Option<Self> {
        let ticks = text.lines().next()?.strip_prefix("cpu ")?;
        let ticks: Result<Vec<u64>, _> = ticks.split_whitespace().map(str::parse).collect();
        let ticks = ticks.ok()?;
        let stolen = *ticks.get(7)?;
        let all = ticks[..8].iter().sum();
        Some(Self { all, stolen })
    }

    /// The part of the time since `earlier` that was stolen, from 0 to 1.
    pub(crate) fn stolen_since(self, earlier: Self) -> f64 {
        let all = self.all.saturating_sub(earlier.all).max(1);
        self.stolen.saturating_sub(earlier.stolen) as f64 / all as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_all_time_is_stolen() {
        let before = CpuTime::parse("cpu  10 20 30 40 0 0 0 0 9 9\ncpu0 1 1\n").unwrap();
        let after = CpuTime::parse("cpu  40 20 40 70 0 0 0 10 9 9\n").unwrap();
        assert_eq!(after.stolen_since(before), 0.125);
        assert_eq!(CpuTime::parse("cpu 1 2 3"), None);
    }
}
