//! The memory that there is, and what happens where it is not enough.

use std::cell::Cell;
use std::fs::read_to_string;
use std::panic::resume_unwind;
use std::path::Path;

use sysinfo::System;

/// Bytes of memory that this process can still have without anything being swapped out: what the machine has to spare,
/// or what is left of the limits of the process and of the control groups that it is in, whichever is least. Files in the cache
/// do not count as used, since they give way. `None` where it cannot be told.
pub(crate) fn available() -> Option<u64> {
    let mut system = System::new();
    system.refresh_memory();
    let machine = Some(system.available_memory()).filter(|&bytes| bytes > 0)?;
    let root = Path::new("/");
    let limits = [left_in_groups(root), left_in_limits(root)];
    limits.into_iter().flatten().chain([machine]).min()
}

thread_local! {
    static MAY_FAIL: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is asking for memory that it can do without: see [`reserve`].
pub fn may_fail() -> bool {
    MAY_FAIL.get()
}

/// That memory could not be had.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exhausted {
    /// Bytes asked for.
    pub(crate) asked: u64,
}

/// Makes room for `more` in a list that may become large.
///
/// # Panics
///
/// Without a message and with [`Exhausted`], which the count makes an error of, if there is not the memory.
pub(crate) fn reserve<T>(list: &mut Vec<T>, more: usize) {
    MAY_FAIL.set(true);
    let reserved = list.try_reserve_exact(more);
    MAY_FAIL.set(false);
    if reserved.is_err() {
        let asked = (more * size_of::<T>()) as u64;
        resume_unwind(Box::new(Exhausted { asked }));
    }
}

/// What the limits of the process (`ulimit -v` and `-d`) leave to it. `root` is where the file system begins.
fn left_in_limits(root: &Path) -> Option<u64> {
    let read = |name| read_to_string(root.join("proc/self").join(name)).ok();
    let (limits, status) = (read("limits")?, read("status")?);
    let number = |text: &str, label| -> Option<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(label))?;
        line.split_whitespace().next()?.parse().ok() // "unlimited" is none
    };
    let left = |(limit, used)| {
        let used = number(&status, used)? << 10; // KiB
        Some(number(&limits, limit)?.saturating_sub(used))
    };
    let both = [
        ("Max address space", "VmSize:"),
        ("Max data size", "VmData:"),
    ];
    both.into_iter().filter_map(left).min()
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

    /// What is left by control groups and by limits in a file system with these files.
    fn left(files: &[(&str, &str)]) -> [Option<u64>; 2] {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        [left_in_groups(root.path()), left_in_limits(root.path())]
    }

    #[test]
    fn the_least_of_all_levels_holds() {
        let files = [
            ("proc/self/cgroup", "0::/outer/inner\n"),
            ("sys/fs/cgroup/outer/inner/memory.max", "max\n"),
            ("sys/fs/cgroup/outer/memory.max", "1000\n"),
            ("sys/fs/cgroup/outer/memory.stat", "file 500\nanon 300\n"),
        ];
        assert_eq!(left(&files), [Some(700), None]);
        assert_eq!(left(&[("proc/self/cgroup", "0::/\n")]), [None, None]);
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
        assert_eq!(left(&files), [Some(0), None]);
    }

    #[test]
    fn the_least_of_the_limits_of_the_process_holds() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max data size             8192000              unlimited            bytes     \n\
                      Max address space         9216000              9216000              bytes     \n";
        let left_of = |limits: &str| {
            let status = "Name:\tqueens\nVmSize:\t    5000 kB\nVmData:\t    1000 kB\n";
            let files = [("proc/self/limits", limits), ("proc/self/status", status)];
            left(&files)[1]
        };
        assert_eq!(left_of(limits), Some(9_216_000 - 5_000 * 1024));
        assert_eq!(
            left_of("Max address space  unlimited  unlimited  bytes\n"),
            None
        );
    }

    #[test]
    fn what_cannot_be_had_ends_the_work_and_says_how_much_it_was() {
        let ask = || reserve(&mut vec![0_u64], usize::MAX >> 8);
        let payload = std::panic::catch_unwind(ask).unwrap_err();
        let exhausted: &Exhausted = payload.downcast_ref().unwrap();
        assert_eq!(exhausted.asked, (usize::MAX as u64 >> 8) * 8);
    }
}
