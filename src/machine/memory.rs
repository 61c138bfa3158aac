//! The memory that there is.

use std::fs::read_to_string;
use std::path::Path;

use sysinfo::System;

/// Bytes of memory that this process can still have without anything being swapped out: what the machine has to spare,
/// or what is left of the limits of the control groups that the process is in, whichever is least. Files in the cache
/// do not count as used, since they give way. `None` where it cannot be told.
pub(crate) fn available() -> Option<u64> {
    let mut system = System::new();
    system.refresh_memory();
    let machine = Some(system.available_memory()).filter(|&bytes| bytes > 0)?;
    Some(left_in_groups(Path::new("/")).map_or(machine, |group| group.min(machine)))
}

/// What the control groups of Linux, of version 1 or 2, leave to this process: a group's limit holds for all groups
/// below it, so each level up to the root is asked. `root` is where the file system begins.
fn left_in_groups(root: &Path) -> Option<u64> {
    let groups = read_to_string(root.join("proc/self/cgroup")).ok()?;
    let of_line = |line: &str| {
        let (_, line) = line.split_once(':')?;
        let (controllers, path) = line.split_once(':')?;
        // The folder of all groups, the file of a limit, and the line of `memory.stat` with the bytes that do not give
        // way.
        let (folder, limit, used) = match controllers {
            "" => ("sys/fs/cgroup", "memory.max", "anon "),
            _ if controllers.split(',').any(|name| name == "memory") => (
                "sys/fs/cgroup/memory",
                "memory.limit_in_bytes",
                "total_rss ",
            ),
            _ => return None,
        };
        let levels = Path::new(path.trim_start_matches('/')).ancestors();
        let left = levels.filter_map(|level| {
            let group = root.join(folder).join(level);
            // "max" stands for no limit, and the root group has none.
            let limit = read_to_string(group.join(limit)).ok()?;
            let limit: u64 = limit.trim().parse().ok()?;
            let statistics = read_to_string(group.join("memory.stat")).unwrap_or_default();
            let mut lines = statistics.lines();
            let used = lines.find_map(|line| line.strip_prefix(used)?.parse().ok());
            Some(limit.saturating_sub(used.unwrap_or(0)))
        });
        left.min()
    };
    groups.lines().filter_map(of_line).min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// The memory left in a file system with these files.
    fn left(files: &[(&str, &str)]) -> Option<u64> {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        left_in_groups(root.path())
    }

    #[test]
    fn the_least_of_all_levels_holds() {
        let files = [
            ("proc/self/cgroup", "0::/outer/inner\n"),
            ("sys/fs/cgroup/outer/inner/memory.max", "max\n"),
            ("sys/fs/cgroup/outer/memory.max", "1000\n"),
            ("sys/fs/cgroup/outer/memory.stat", "file 500\nanon 300\n"),
        ];
        assert_eq!(left(&files), Some(700));
        assert_eq!(left(&[("proc/self/cgroup", "0::/\n")]), None);
    }

    #[test]
    fn groups_of_version_1_count_by_their_memory_controller() {
        let memory = |file| format!("sys/fs/cgroup/memory/{file}");
        let files = [
            ("proc/self/cgroup", "4:cpu:/a\n3:hugetlb,memory:/a/b\n"),
            (&memory("memory.limit_in_bytes"), "9000\n"),
            (&memory("a/b/memory.limit_in_bytes"), "2000\n"),
            (&memory("a/b/memory.stat"), "rss 1\ntotal_rss 2500\n"),
        ];
        assert_eq!(left(&files), Some(0));
    }
}
