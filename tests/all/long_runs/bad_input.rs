//! What cannot be done: a clear message, an exit code that is not zero, and nothing changed.

use super::{field, files, published, resealed, run_to};

#[test]
fn bad_input_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    run_to(0, "plan d 8 --shards 4 --engine bitboard", folder.path());
    run_to(0, "shard d 0", folder.path());
    std::fs::create_dir(at("folder")).unwrap();
    std::fs::create_dir(at("newer")).unwrap();
    let plan = std::fs::read_to_string(at("d/plan.json")).unwrap();
    let newer = resealed(&plan, "\"format\": 1", "\"format\": 2");
    std::fs::write(at("newer/plan.json"), newer).unwrap();
    std::fs::create_dir(at("other")).unwrap();
    let other = resealed(&plan, "-v2-", "-v9-");
    std::fs::write(at("other/plan.json"), other).unwrap();
    std::fs::write(at("diary"), "Dear diary").unwrap();
    let checkpoint = include_str!("../../fixtures/saved/eight.ckpt");
    let newer = resealed(checkpoint, "\"format\": 1", "\"format\": 9");
    std::fs::write(at("newer.ckpt"), newer).unwrap();

    let before = files(folder.path());
    for (code, arguments, named) in [
        // Folders that are missing or cannot be written to
        (2, "count 8 --checkpoint nowhere/a", "nowhere/a"),
        (2, "count 8 --checkpoint /proc/a", "/proc/a"),
        (2, "plan nowhere/d 8 --shards 4", "nowhere/d"),
        (2, "plan /proc/d 8 --shards 4", "/proc/d"),
        (2, "plan diary 8 --shards 4", "diary"),
        (2, "shard nowhere 0", "nowhere"),
        (2, "shard folder 0", "plan.json"),
        (2, "shard diary 0", "accepted: a folder"),
        (2, "missing diary", "accepted: a folder"),
        (2, "merge diary", "accepted: a folder"),
        (2, "plan diary 8 --shards 4", "accepted: a"),
        (2, "missing nowhere", "nowhere"),
        (2, "merge nowhere", "nowhere"),
        // Shards that there are not
        (2, "shard d 4", "0 to 3"),
        (2, "shard d -1", "-1"),
        (2, "shard d one", "one"),
        (2, "plan e 8 --shards 0", "--shards"),
        (2, "plan e 8 --shards 22", "1 to 21"),
        (2, "plan e 2 --shards 1", "nothing to cut"),
        (2, "plan e 33 --shards 1", "33"),
        (2, "plan d 8 --shards 5 --engine bitboard", "n8-bitboard"),
        (2, "plan d 9 --shards 4 --engine bitboard", "n9-bitboard"),
        // Plans of other versions
        (2, "shard newer 0", "format 2"),
        (2, "missing newer", "format 2"),
        (2, "merge newer", "format 2"),
        (2, "plan newer 8 --shards 4 --engine bitboard", "format 2"),
        (1, "shard other 0", "-v9-"),
        (1, "missing other", "-v9-"),
        (4, "merge other", "-v9-"),
        // Checkpoints that are none
        (2, "count 8 --checkpoint folder", "folder"),
        (2, "count 8 --checkpoint diary", "diary"),
        (2, "count 8 --checkpoint newer.ckpt", "format 9"),
        (2, "count 8 --checkpoint d/plan.json", "plan"),
        (2, "count 8 --checkpoint-every 5", "--checkpoint"),
        (
            2,
            "count 8 --checkpoint a --checkpoint-every 0",
            "--checkpoint-every",
        ),
        (
            2,
            "count 8 --checkpoint a --checkpoint-every x",
            "--checkpoint-every",
        ),
        (2, "count 8 --checkpoint a --threads 0", "--threads"),
        // Results where the checkpoint is, or where it will be
        (2, "count 8 --checkpoint a --output a", "--output"),
        (2, "count 8 --checkpoint a --output ./a.lock", "--output"),
        (
            2,
            "count 8 --checkpoint a --output d/../a.previous",
            "--output",
        ),
        (2, "count 8 --torus --symmetry none", "--symmetry"),
        // Shares and times out of range
        (2, "count 8 --double-check 0", "--double-check"),
        (2, "count 8 --double-check 101", "--double-check"),
        (2, "count 8 --double-check NaN", "--double-check"),
        (2, "stress", "--minutes"),
        (2, "stress --minutes 0", "--minutes"),
        (2, "stress --minutes -1", "--minutes"),
        (2, "stress --minutes 1 --threads 0", "--threads"),
        (2, "shard d 1 --threads 0", "--threads"),
        (2, "shard d 1 --kernel none", "none"),
    ] {
        let (stdout, stderr) = run_to(code, arguments, folder.path());
        assert_eq!(stdout, "", "{arguments}");
        assert!(stderr.starts_with("error: "), "{arguments}: {stderr}");
        assert!(stderr.contains(named), "{arguments}: {stderr}");
        assert_eq!(files(folder.path()), before, "{arguments}");
    }
}

#[test]
fn what_is_not_ours_beside_a_checkpoint_is_left_alone() {
    for name in ["a", "a.previous", "a.lock", "a.tmp"] {
        let folder = tempfile::tempdir().unwrap();
        let diary = || std::fs::write(folder.path().join(name), "Dear diary").unwrap();
        let refused = || {
            let before = files(folder.path());
            let (stdout, stderr) = run_to(2, "count 8 --checkpoint a", folder.path());
            assert_eq!((&*stdout, stderr.lines().count()), ("", 1), "{stderr}");
            assert!(stderr.contains(&format!("'{name}'")), "{stderr}");
            assert_eq!(files(folder.path()), before, "{name}");
        };
        diary();
        refused();
        if name == "a" {
            continue;
        }
        // The same beside a checkpoint that is good.
        std::fs::remove_file(folder.path().join(name)).unwrap();
        run_to(0, "count 8 --checkpoint a", folder.path());
        diary();
        refused();
    }
}

#[test]
fn what_a_killed_process_left_is_no_obstacle() {
    let folder = tempfile::tempdir().unwrap();
    for left in ["", "{\n  \"queens\": \"check", "\0\0\0"] {
        std::fs::write(folder.path().join("a.tmp"), left).unwrap();
        std::fs::write(folder.path().join("a.lock"), left.replace('{', "process ")).unwrap();
        let (_, stderr) = run_to(0, "count 8 --quiet --checkpoint a", folder.path());
        assert_eq!(stderr, "");
        assert_eq!(field(&folder.path().join("a"), "solutions"), published(8));
        std::fs::remove_file(folder.path().join("a")).unwrap();
    }
}

/// A pipe stands for all that is no regular file.
#[cfg(unix)]
#[test]
fn pipes_are_neither_read_nor_replaced() {
    use std::os::unix::fs::FileTypeExt;
    let folder = tempfile::tempdir().unwrap();
    run_to(0, "plan d 8 --shards 2", folder.path());
    std::fs::create_dir(folder.path().join("e")).unwrap();
    for (code, arguments, name) in [
        (2, "count 8 --checkpoint a", "a"),
        (2, "count 8 --checkpoint b", "b.previous"),
        (2, "count 8 --checkpoint c", "c.lock"),
        (4, "merge d", "d/shard-000001.json"),
        (1, "shard e 0", "e/plan.json"),
    ] {
        let path = folder.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let (stdout, stderr) = run_to(code, arguments, folder.path());
        assert_eq!(stdout, "");
        assert!(stderr.contains("not a regular file"), "{stderr}");
        let kind = std::fs::metadata(&path).unwrap().file_type();
        assert!(kind.is_fifo(), "{name}");
    }
}

#[test]
fn the_selftest_passes_here() {
    let folder = tempfile::tempdir().unwrap();
    let (text, _) = run_to(0, "selftest", folder.path());
    for engine in super::engines() {
        for kernel in engine.kernels() {
            let line = format!("engine {engine}, kernel {kernel}: ");
            assert!(text.contains(&line), "{text}");
        }
    }
}

#[test]
fn stress_ends_by_itself_and_finds_nothing_here() {
    let folder = tempfile::tempdir().unwrap();
    let (text, _) = run_to(0, "stress --minutes 0.001 --threads 2", folder.path());
    assert!(text.trim().ends_with(" 0 errors"), "{text}");
}
