//! Available memory.

use sysinfo::System;

/// Returns the number of bytes available to this process without swapping, or `None` if it is
/// unknown. This is the machine's available memory, including the file cache, or the unused part of
/// the container's limit if that is less.
///
/// Limits set by `ulimit`, or by control groups below the topmost one that the process sees, are
/// ignored.
pub(crate) fn available() -> Option<u64> {
    let mut system = System::new();
    system.refresh_memory();
    let machine = Some(system.available_memory()).filter(|&bytes| bytes > 0)?;
    let container =
        system.cgroup_limits().map(|limits| limits.total_memory.saturating_sub(limits.rss));
    Some(container.map_or(machine, |left| left.min(machine)))
}
