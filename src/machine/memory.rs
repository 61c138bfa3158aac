//! The memory that there is.

use sysinfo::System;

/// Bytes of memory that this process can still have without anything being swapped out: what the machine has to spare,
/// or what the limit of its container leaves, whichever is less. Files in the cache do not count as used, since they
/// give way. `None` where it cannot be told.
///
/// Limits that are not a container's are not seen: `ulimit`, and control groups below the topmost that the process
/// sees.
pub(crate) fn available() -> Option<u64> {
    let mut system = System::new();
    system.refresh_memory();
    let machine = Some(system.available_memory()).filter(|&bytes| bytes > 0)?;
    let container = system.cgroup_limits();
    let container = container.map(|limits| limits.total_memory.saturating_sub(limits.rss));
    Some(container.map_or(machine, |left| left.min(machine)))
}
