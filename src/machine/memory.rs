//! The memory that there is.

use sysinfo::System;

/// Bytes of memory that this process can still have without anything being swapped out: what the machine has to spare, or
/// what is left of the limit of the process's control group, whichever is less. Files in the cache do not count as used,
/// since they give way. `None` where it cannot be told.
#[must_use]
pub fn available() -> Option<u64> {
    let mut system = System::new();
    system.refresh_memory();
    let machine = Some(system.available_memory()).filter(|&bytes| bytes > 0)?;
    let group = system.cgroup_limits();
    let group = group.map(|limits| limits.total_memory.saturating_sub(limits.rss));
    Some(group.map_or(machine, |group| group.min(machine)))
}

#[cfg(test)]
mod tests {
    #[test]
    fn there_is_some() {
        assert!(super::available().is_none_or(|bytes| bytes > 1 << 20));
    }
}
