//! Counts in shards: the commands together, concurrent tasks, results that must not be merged, and
//! the Slurm script.

use std::time::Duration;

use queens::store::Shards;
use queens::{Board, Engine, Ledger, Plan};

use super::super::program::{Place, assert_contains, resealed};
use super::checkpoint::interrupted;
use super::{engines, published};

#[test]
fn shards_of_every_engine_add_up_to_the_total() {
    for engine in engines() {
        let place = Place::new();
        let plan = format!("shards plan d 10 --shards 5 --engine {engine}");
        place.stdout(&plan);
        let list = place.stdout("shards status --missing d");
        assert_eq!(list, "0\n1\n2\n3\n4\n");
        let kernels: Vec<_> = engine.available_kernels().collect();
        for (index, kernel) in list.lines().zip(kernels.iter().cycle()) {
            place.stdout(&format!("shards run d {index} --threads 2 --kernel {kernel}"));
        }
        assert_eq!(place.stdout("shards status --missing d"), "");
        assert_eq!(place.stdout("shards merge d --quiet").trim(), published(10));
        let before = place.files();
        place.stdout(&plan);
        assert!(place.stdout("shards run d 2").contains("already counted"));
        assert_eq!(place.files(), before);
    }
}

/// If several tasks run the same shard concurrently, one counts it. The others exit, or find that
/// it is complete.
#[test]
fn concurrent_tasks_count_a_shard_once() {
    let place = Place::new();
    place.stdout("shards plan d 10 --shards 4");
    for index in 0..4 {
        let task = |threads| place.start(&format!("shards run d {index} --threads {threads}"));
        let mut successes = 0;
        for task in [task(1), task(2), task(1)] {
            let output = task.wait_with_output().unwrap();
            successes += usize::from(output.status.success());
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert!(
                output.status.success() || stderr.contains("is in use by another process"),
                "{stderr}"
            );
        }
        assert!(successes > 0);
    }
    assert_eq!(place.stdout("shards merge d --quiet").trim(), published(10));
    assert_eq!(place.files().len(), 2 + 4); // only the folder, the plan and the ledgers
}

#[cfg(unix)]
#[test]
fn an_interrupted_shard_can_be_resumed() {
    let place = Place::new();
    // The shard takes much longer than its first subproblem.
    place.stdout("shards plan d 18 --shards 3 --engine bitboard");
    let slow = "shards run d 1 --kernel reference --threads 1";
    let file = "d/shard-000001.ledger";
    let stderr = interrupted(&place, slow, ("INT", 130), |_| place.entries(file) > 0);
    let done = place.entries(file);
    let said = format!("stopped with {done} of ");
    assert_contains(&stderr, &[&said, "saved in 'd/shard-000001.ledger'"]);
    place.run(3, "shards merge d");
    let (_, stderr) = place.run(1, &format!("{slow} --timeout 0.000000001"));
    assert_contains(&stderr, &[&format!("resuming with {done} of ")]);
    assert!(place.entries(file) >= done);
}

#[test]
fn status_counts_shards_by_their_state() {
    let place = Place::new();
    place.stdout("shards plan d 9 --shards 6 --engine bitboard");
    for index in 0..4 {
        place.stdout(&format!("shards run d {index}"));
    }
    let ledger = |index| format!("d/shard-00000{index}.ledger");
    // One shard lacks a line, and the ledger of another is that of a third.
    place.write(&ledger(2), place.read(&ledger(2)).replacen("\n2 ", "\n3 ", 1));
    place.write(&ledger(3), place.read(&ledger(0)));
    let status = place.json("shards status d");
    let states: Vec<_> = status["states"].as_array().unwrap().iter().collect();
    let found = states.iter().map(|state| format!("{} {}", state["state"], state["shards"]));
    let expected = ["\"complete\" 2", "\"started\" 1", "\"unusable\" 1", "\"not started\" 2"];
    assert_eq!(found.take(4).collect::<Vec<_>>(), expected);
    let counted = [0, 1, 2].map(|index| place.entries(&ledger(index)) - usize::from(index == 2));
    assert_eq!(states[4]["counted"], counted.iter().sum::<usize>());
    assert_eq!(status["missing"], serde_json::json!([2, 3, 4, 5]));
    let text = place.stdout("shards status d");
    assert_contains(
        &text,
        &["the 9 x 9 board", "complete", "is for shard 0 of 6, not shard 3 of 6"],
    );
    assert_eq!(place.run(0, "shards status d --missing").0, "2\n3\n4\n5\n");
}

#[test]
fn gaps_damaged_lines_and_wrong_counts_prevent_a_merge() {
    let place = Place::new();
    place.stdout("shards plan d 9 --shards 2 --engine bitboard");
    place.stdout("shards run d 0");
    let (stdout, stderr) = place.run(3, "shards merge d");
    assert!(stdout.is_empty() && stderr.trim().ends_with(": shard 1"));
    place.stdout("shards run d 1");
    place.stdout("shards merge d");

    let file = "d/shard-000001.ledger";
    let text = place.read(file);
    place.write(file, text.replacen("\n1 ", "\n3 ", 1));
    place.fails(3, "shards merge d", &["1 of 2 shards is not done: shard 1"]);
    assert_eq!(place.run(0, "shards status --missing d").0, "1\n");
    let (_, stderr) = place.run(0, "shards run d 1");
    assert_contains(&stderr, &["has 1 damaged line"]);
    assert_eq!(place.stdout("shards merge d -q").trim(), published(9));

    // The edited ledgers have valid checksums.
    let (index, count) = place.counts(file)[0];
    let [right, wrong] = [count, count + 2].map(|count| format!("{index} {count}"));
    let edited = resealed(&text, &right, &wrong);
    place.write(file, &edited);
    place.fails(4, "shards merge d", &["one of them is wrong"]);
    let (_, lines) = edited.split_once('\n').unwrap();
    place.write(file, text + lines);
    let two = format!("subproblem {index} has two counts, {count} and {}", count + 2);
    place.fails(4, "shards merge d", &[&two, file]);
    place.fails(2, "shards run d 1", &[&two, "delete it to count the shard again"]);
}

/// Runs `queens-slurm` with stubs in place of the Slurm commands. Returns whether shards are
/// missing at the end, and the output of the `sbatch` stub.
#[cfg(target_os = "linux")]
fn queens_slurm(plan: &str, sbatch: &str) -> (bool, String) {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.stdout(plan);
    std::fs::create_dir(place.at("bin")).unwrap();
    for (name, script) in
        [("scontrol", "echo 'MaxArraySize = 301'"), ("squeue", "exit 0"), ("sbatch", sbatch)]
    {
        let stub = format!("bin/{name}");
        place.write(&stub, format!("#!/bin/bash\n{script}\n"));
        std::fs::set_permissions(place.at(&stub), PermissionsExt::from_mode(0o755)).unwrap();
    }
    place.write("submitted", "");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/slurm/queens-slurm");
    let path = std::env::var("PATH").unwrap();
    let output = std::process::Command::new(script)
        .arg(place.at("d"))
        .env("PATH", format!("{}:{path}", place.at("bin").display()))
        .env("QUEENS", env!("CARGO_BIN_EXE_queens"))
        .env("QUEENS_ROUNDS", "1")
        .output();
    let left = |name: &std::path::PathBuf| name.to_string_lossy().contains(".queens-");
    assert!(!place.files().keys().any(left), "lists are left behind");
    (output.unwrap().status.code() == Some(3), place.read("submitted"))
}

/// The list of missing shards is larger than a pipe's buffer. A script that ends early leaves no
/// lists behind.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_of_many_shards_is_submitted() {
    // The list is the last argument, because no further options are set.
    let sbatch = "wc -l <\"${@: -1}\" >>\"$(dirname \"$0\")/../submitted\"";
    let (is_missing, submitted) = queens_slurm("shards plan d 18 --shards 14000", sbatch);
    assert!(is_missing);
    assert_eq!(submitted, "301\n301\n301\n97\n");
    let (is_missing, _) = queens_slurm("shards plan d 8 --shards 4", "kill -TERM $PPID");
    assert!(!is_missing);
}

/// Prints the time that `status` and `merge` take for a folder with 100,000 shards.
#[test]
#[ignore = "writes 100,000 files; TMPDIR should be in memory"]
fn status_and_merge_of_100_000_shards() {
    let place = Place::new();
    let plan = Plan::new(Board::new(24).unwrap(), Engine::Join).unwrap();
    let shards = Shards::create(place.at("d"), &plan, 100_000).unwrap();
    let all = published(24).parse().unwrap();
    for index in 0..shards.count() {
        let shard = shards.shard(index).unwrap();
        let mut ledger = Ledger::of_shard(&plan, shard);
        for subproblem in plan.shard(shard) {
            // Only the sum is checked, so the first subproblem gets all solutions.
            let count = if subproblem == 0 { all } else { 0 };
            ledger.enter(subproblem, count).unwrap();
        }
        let bytes = plan.shard_to_bytes(&ledger, Duration::ZERO);
        std::fs::write(shards.path(index), bytes).unwrap();
    }
    for arguments in ["shards status d", "shards merge d"] {
        let started = std::time::Instant::now();
        place.stdout(arguments);
        eprintln!("{arguments}: {:.2?}", started.elapsed());
    }
    assert_eq!(place.stdout("shards merge d -q").trim(), published(24));
}
