//! A count in shards: all commands together, two tasks at the same moment, and everything that must not be merged.

use std::path::Path;
use std::process::Stdio;

use queens::Engine;

use super::{files, published, queens, run_to};

/// A folder `d` with a plan and all of its results.
fn complete(n: u32, shards: usize, folder: &Path) {
    let plan = format!("plan d {n} --shards {shards} --engine bitboard");
    run_to(0, &plan, folder);
    for index in 0..shards {
        run_to(0, &format!("shard d {index}"), folder);
    }
}

#[test]
fn shards_of_every_engine_make_the_total() {
    for engine in Engine::VARIANTS {
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
fn a_gap_is_named_and_heals() {
    let folder = tempfile::tempdir().unwrap();
    complete(9, 4, folder.path());
    std::fs::remove_file(folder.path().join("d/shard-000002.json")).unwrap();
    let (stdout, stderr) = run_to(3, "merge d", folder.path());
    assert_eq!(stdout, "");
    assert!(stderr.trim().ends_with(": 2"), "{stderr}");
    run_to(0, "shard d 2", folder.path());
    run_to(0, "merge d", folder.path());
}

#[test]
fn what_does_not_belong_is_not_added() {
    let folder = tempfile::tempdir().unwrap();
    complete(9, 4, folder.path());
    let other = tempfile::tempdir().unwrap();
    complete(10, 4, other.path());
    let at = |name: &str| folder.path().join("d").join(name);
    let second = std::fs::read_to_string(at("shard-000002.json")).unwrap();
    let first = std::fs::read_to_string(at("shard-000001.json")).unwrap();
    let solutions = |count: &str| format!("\"solutions\": \"{count}\"");
    let count = super::field(&at("shard-000001.json"), "solutions");
    let count = count.as_str().unwrap();
    let edited = first.replace(&solutions(count), &solutions("1"));
    assert_ne!(edited, first);
    let resealed = super::bad_input::resealed(&first, &solutions(count), &solutions("1"));
    let fingerprint = first.replace("-v2-", "-v9-");
    let foreign = std::fs::read_to_string(other.path().join("d/shard-000001.json")).unwrap();
    for (name, content, hint) in [
        ("shard-000001.json", &second, "twice"),        // an overlap
        ("shard-000004.json", &second, "no shard"),     // one too many
        ("shard-000001.json", &edited, "checksum"),     // an edited count
        ("shard-000001.json", &resealed, "came to"), // the same by somebody who knows about checksums
        ("shard-000001.json", &fingerprint, "damaged"), // an edited fingerprint
        ("shard-000001.json", &foreign, "of plan n10"), // another plan's result
    ] {
        std::fs::write(at(name), content).unwrap();
        let (stdout, stderr) = run_to(4, "merge d", folder.path());
        assert_eq!(stdout, "");
        assert!(stderr.contains(hint), "{hint}: {stderr}");
        assert_eq!(stderr.lines().count(), 1);
        let _ = std::fs::remove_file(at("shard-000004.json"));
        std::fs::write(at("shard-000001.json"), &first).unwrap();
        run_to(0, "merge d", folder.path());
    }
}
