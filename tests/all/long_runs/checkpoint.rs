//! Checkpoints of counts that nothing bad happens to, and of some to which a little does.

use std::process::Stdio;

use super::{field, published, queens, run_to};

#[test]
fn a_count_leaves_a_file_that_says_what_was_counted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ten.ckpt");
    let (text, _) = run_to(0, "count 10 --checkpoint ten.ckpt", folder.path());
    assert!(!text.contains("earlier runs"), "{text}");
    assert_eq!(field(&file, "solutions"), published(10));
    assert_eq!(field(&file, "done"), field(&file, "subproblems"));
    let (text, _) = run_to(0, "count 10 --checkpoint ten.ckpt", folder.path());
    assert!(text.contains("earlier runs"), "{text}");
    // Nodes were counted by no run, or by some: they are not reported as those of all.
    let arguments = "count 10 --engine bitboard --symmetry mirror --kernel reference --format json --checkpoint two";
    let nodes = |text: &str| {
        let record: serde_json::Value = serde_json::from_str(text).unwrap();
        record["nodes"].clone()
    };
    assert!(nodes(&run_to(0, arguments, folder.path()).0).is_string());
    assert!(nodes(&run_to(0, arguments, folder.path()).0).is_null());
}

#[test]
fn a_second_process_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a");
    let arguments =
        "count 16 --engine bitboard --kernel reference --checkpoint a --checkpoint-every 0.01";
    let mut first = queens(arguments, folder.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while !file.exists() {
        assert!(first.try_wait().unwrap().is_none());
        std::thread::yield_now();
    }
    let (stdout, stderr) = run_to(2, arguments, folder.path());
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(stdout, "");
    let holder = format!("process {}", first.id());
    assert!(stderr.contains(&holder), "{stderr}");
}

/// A process that may write no file at all gets an error for every write, as on a full disk.
#[cfg(unix)]
#[test]
fn on_a_full_disk_the_last_good_file_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let plan = super::plan(queens::Counter::new(12).unwrap());
    let file = folder.path().join("a");
    let before = super::checkpoint_of(&queens::Ledger::new(&plan), &plan);
    std::fs::write(&file, &before).unwrap();
    let limited = "ulimit -f 0; exec \"$0\" count 12 --quiet --checkpoint a";
    let output = std::process::Command::new("sh")
        .args(["-c", limited, env!("CARGO_BIN_EXE_queens")])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{stderr}");
    assert!(stderr.contains("could not be saved"), "{stderr}");
    assert!(stderr.contains("complete nevertheless"), "{stderr}");
    let total = String::from_utf8(output.stdout).unwrap();
    assert_eq!(total.trim(), published(12));
    let found = super::files(folder.path());
    assert_eq!(found["a"], before);
    assert!(!found.contains_key("a.tmp"));
}

#[cfg(unix)]
#[test]
fn a_link_stays_and_shares_the_lock_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink("a", &link).unwrap();
    for arguments in ["count 8 --checkpoint link", "count 8 --output link"] {
        run_to(0, arguments, folder.path());
        assert!(link.is_symlink() && link.exists(), "{arguments}");
        assert!(!folder.path().join("link.lock").exists());
        std::fs::remove_file(folder.path().join("a")).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("out");
    std::fs::write(&file, "old").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    run_to(0, "count 8 --quiet --output out", folder.path());
    assert_eq!(std::fs::read_to_string(&file).unwrap().trim(), published(8));
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[cfg(target_os = "linux")]
#[test]
fn a_standard_error_that_is_full_changes_no_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    for (code, arguments) in [(2, "count 8 --checkpoint nowhere/a"), (2, "count x")] {
        let full = std::fs::File::options().write(true).open("/dev/full");
        let status = queens(arguments, folder.path())
            .stderr(full.unwrap())
            .status();
        assert_eq!(status.unwrap().code(), Some(code), "{arguments}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_standard_output_that_is_full_is_named() {
    let folder = tempfile::tempdir().unwrap();
    run_to(0, "plan d 8 --shards 2", folder.path());
    for arguments in ["stress --minutes 0.001", "missing d", "selftest"] {
        let full = std::fs::File::options().write(true).open("/dev/full");
        let output = queens(arguments, folder.path())
            .stdout(full.unwrap())
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments}: {stderr}");
        assert!(
            stderr.contains("standard output: "),
            "{arguments}: {stderr}"
        );
    }
}

#[test]
fn boards_without_subproblems_have_nothing_to_save() {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..=3 {
        for _ in 0..2 {
            let arguments = format!("count {n} --quiet --double-check 100 --checkpoint {n}.ckpt");
            let (total, stderr) = run_to(0, &arguments, folder.path());
            assert_eq!((total.trim(), &*stderr), (&*published(n), ""));
        }
    }
    let (text, _) = run_to(
        0,
        "count 2 --engine bitboard --double-check 100",
        folder.path(),
    );
    assert!(text.contains("nothing to check"), "{text}");
}

#[test]
fn counting_twice_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = "count 10 --engine bitboard --double-check 50";
    let (text, _) = run_to(0, arguments, folder.path());
    assert!(text.contains("18 of 36 subproblems agree"), "{text}");
    // A torus has one kernel only.
    let (text, _) = run_to(0, "count 7 --torus --double-check 100", folder.path());
    assert!(text.contains("would not show"), "{text}");
}
