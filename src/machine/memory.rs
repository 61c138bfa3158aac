//! Available memory.

use sysinfo::System;

/// Returns the bytes of memory available to this process without swapping, or `None` if unknown. This is the minimum of
/// the machine's available memory, which includes the file cache, and the remainder of the container's limit.
///
/// Other limits are ignored: `ulimit`, and control groups below the topmost that the process sees.
pub(crate) fn available() -> Option<u64> {
    let mut system = System::new();
    system.refresh_memory();
    let machine = Some(system.available_memory()).filter(|&bytes| bytes > 0)?;
    let container = system
        .cgroup_limits()
        .map(|limits| limits.total_memory.saturating_sub(limits.rss));
    Some(container.map_or(machine, |left| left.min(machine)))
}
