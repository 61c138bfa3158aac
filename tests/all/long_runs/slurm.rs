//! The Slurm script with stubs in the place of Slurm. `scripts/test-slurm` has the real one.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Command, Output};

use super::{files, run_to};

/// Puts a command of Slurm in the folder `bin`.
fn stub(folder: &Path, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join("bin").join(name);
    std::fs::write(&path, format!("#!/bin/bash\n{script}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Counts the shards of the folder `d`, with stubs for Slurm.
fn queens_slurm(folder: &Path) -> Output {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/slurm/queens-slurm");
    let path = std::env::var("PATH").unwrap();
    Command::new(script)
        .arg(folder.join("d"))
        .env("PATH", format!("{}:{path}", folder.join("bin").display()))
        .env("QUEENS", env!("CARGO_BIN_EXE_queens"))
        .env("QUEENS_ROUNDS", "1")
        .output()
        .unwrap()
}

fn with_stubs(sbatch: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("bin")).unwrap();
    stub(folder.path(), "scontrol", "echo 'MaxArraySize = 301'");
    stub(folder.path(), "squeue", "exit 0");
    stub(folder.path(), "sbatch", sbatch);
    folder
}

/// Lists that the script left behind.
fn lists(folder: &Path) -> usize {
    let names = files(folder).into_keys();
    names.filter(|name| name.contains(".queens-")).count()
}

/// The list of what is missing is longer than a pipe holds.
#[test]
fn a_folder_of_many_shards_is_submitted() {
    // Every argument but the list is an option or fixed; the list is the last.
    let folder = with_stubs("wc -l <\"${@: -1}\" >>\"$(dirname \"$0\")/../submitted\"");
    run_to(0, "plan d 20 --shards 14000", folder.path());
    let output = queens_slurm(folder.path());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{stderr}"); // nothing was counted
    let submitted = std::fs::read_to_string(folder.path().join("submitted")).unwrap();
    assert_eq!(submitted, "301\n301\n301\n97\n");
    assert_eq!(lists(folder.path()), 0);
}

#[test]
fn a_script_that_ends_early_leaves_no_lists() {
    let folder = with_stubs("kill -TERM $PPID");
    run_to(0, "plan d 8 --shards 4", folder.path());
    assert!(!queens_slurm(folder.path()).status.success());
    assert_eq!(lists(folder.path()), 0);
}
