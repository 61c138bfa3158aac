//! A count in shards: all commands together, two tasks at the same moment, and everything that must not be merged.

use std::process::Stdio;

use queens::{Board, Engine};

use super::{files, published, queens, run_to};

#[test]
fn shards_of_every_engine_make_the_total() {
    for engine in Engine::all_for(&Board::new(10).unwrap()) {
        let folder = tempfile::tempdir().unwrap();
        let plan = format!("plan d 10 --shards 5 --engine {engine}");
        run_to(0, &plan, folder.path());
        let (list, _) = run_to(0, "missing d", folder.path());
        assert_eq!(list, "0\n1\n2\n3\n4\n");
        let kernels: Vec<_> = engine.available_kernels().collect();
        for (index, kernel) in list.lines().zip(kernels.iter().cycle()) {
            let arguments = format!("shard d {index} --threads 2 --kernel {kernel}");
            run_to(0, &arguments, folder.path());
        }
        assert_eq!(run_to(0, "missing d", folder.path()).0, "");
        let (total, _) = run_to(0, "merge d --quiet", folder.path());
        assert_eq!(total.trim(), published(10));
        let before = files(folder.path());
        run_to(0, &plan, folder.path());
        let (text, _) = run_to(0, "shard d 2", folder.path());
        assert!(text.contains("there already"), "{text}");
        assert_eq!(files(folder.path()), before);
    }
}

#[test]
fn the_same_shard_twice_at_the_same_moment_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    run_to(0, "plan d 10 --shards 12", folder.path());
    for index in 0..12 {
        let task = |threads: usize| {
            let arguments = format!("shard d {index} --threads {threads}");
            queens(&arguments, folder.path())
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        };
        for mut task in [task(1), task(2), task(1)] {
            assert!(task.wait().unwrap().success());
        }
    }
    let (total, _) = run_to(0, "merge d --quiet", folder.path());
    assert_eq!(total.trim(), published(10));
    assert_eq!(files(folder.path()).len(), 2 + 12); // the folder, the plan, the results: nothing else is left
}

#[test]
fn a_gap_and_a_wrong_count_make_no_total() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["plan d 9 --shards 2 --engine bitboard", "shard d 0"] {
        run_to(0, command, folder.path());
    }
    let (stdout, stderr) = run_to(3, "merge d", folder.path());
    assert_eq!(stdout, "");
    assert!(stderr.trim().ends_with(": 1"), "{stderr}");
    run_to(0, "shard d 1", folder.path());
    run_to(0, "merge d", folder.path());

    // Edited by somebody who knows about checksums.
    let file = folder.path().join("d/shard-000001.json");
    let solutions = super::field(&file, "solutions");
    let text = std::fs::read_to_string(&file).unwrap();
    let edited = super::resealed(
        &text,
        &format!("\"solutions\": {solutions}"),
        "\"solutions\": \"1\"",
    );
    std::fs::write(&file, edited).unwrap();
    let (stdout, stderr) = run_to(4, "merge d", folder.path());
    assert_eq!(stdout, "");
    assert!(stderr.contains("came to"), "{stderr}");
}
