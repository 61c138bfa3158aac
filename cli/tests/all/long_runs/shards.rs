//! A count in shards: all commands together, two tasks at the same moment, everything that must not be merged, and the
//! Slurm script.

use queens::Engine;

use super::super::cli::resealed;
use super::super::program::{Place, assert_says, queens, run};
use super::checkpoint::{DAMAGES, damage};
use super::{engines, published};

#[test]
fn shards_of_every_engine_make_the_total() {
    for engine in engines() {
        let place = Place::new();
        let plan = format!("plan d 10 --shards 5 --engine {engine}");
        place.stdout(&plan);
        let list = place.stdout("missing d");
        assert_eq!(list, "0\n1\n2\n3\n4\n");
        let kernels: Vec<_> = engine.available_kernels().collect();
        for (index, kernel) in list.lines().zip(kernels.iter().cycle()) {
            place.stdout(&format!("shard d {index} --threads 2 --kernel {kernel}"));
        }
        assert_eq!(place.stdout("missing d"), "");
        assert_eq!(place.stdout("merge d --quiet").trim(), published(10));
        let before = place.files();
        place.stdout(&plan);
        assert!(place.stdout("shard d 2").contains("already counted"));
        assert_eq!(place.files(), before);
    }
}

#[test]
fn the_same_shard_twice_at_the_same_moment_counts_once() {
    let place = Place::new();
    place.stdout("plan d 10 --shards 4");
    for index in 0..4 {
        let task = |threads| place.start(&format!("shard d {index} --threads {threads}"));
        for task in [task(1), task(2), task(1)] {
            assert!(task.wait_with_output().unwrap().status.success());
        }
    }
    assert_eq!(place.stdout("merge d --quiet").trim(), published(10));
    assert_eq!(place.files().len(), 2 + 4); // the folder, the plan, the results: nothing else is left
}

/// Who counted what, and what of it twice, is in every result and in the total's record.
#[test]
fn results_tell_where_they_come_from() {
    for engine in engines() {
        let place = Place::new();
        place.stdout(&format!("plan d 10 --shards 3 --engine {engine}"));
        for (index, twice) in [" --double-check 100", " --double-check 100", ""]
            .iter()
            .enumerate()
        {
            let stats = if engine == Engine::Join {
                " --stats"
            } else {
                ""
            };
            let said = place.stdout(&format!("shard d {index}{twice}{stats}"));
            assert_eq!(said.contains("half-boards"), engine == Engine::Join);
            assert_eq!(
                said.contains("agree with their mirror images"),
                !twice.is_empty()
            );
        }
        let twice = |index| place.field(&format!("d/shard-00000{index}.json"), "double_check");
        assert_eq!(twice(2), serde_json::Value::Null);
        let kernel = twice(0)["kernel"].as_str().unwrap().to_owned();
        let checked = [0, 1].map(|index| twice(index)["subproblems"].as_u64().unwrap());
        let merged: serde_json::Value =
            serde_json::from_str(&place.stdout("merge d --format json")).unwrap();
        assert_eq!(merged["counted_twice"][&kernel], checked[0] + checked[1]);
        let hosts = merged["hosts"].as_object().unwrap();
        assert!(hosts.values().eq([3]), "{hosts:?}");
        let text = place.stdout("merge d");
        let said = format!("counted twice by mirror image with kernel {kernel}");
        assert_says(&text, &["merged from 3 results of 1 host, 6", &said]);
    }
}

#[test]
fn status_tells_what_is_done_missing_damaged_and_begun() {
    let place = Place::new();
    place.stdout("plan d 25 --shards 1000 --engine bitboard");
    let status = |place: &Place| -> serde_json::Value {
        serde_json::from_str(&place.stdout("status d --format json")).unwrap()
    };
    assert_eq!(status(&place)["missing"], 1000);
    assert_eq!(status(&place)["seconds_left"], serde_json::Value::Null);

    let place = Place::new();
    place.stdout("plan d 9 --shards 5 --engine bitboard");
    for index in 0..3 {
        place.stdout(&format!("shard d {index}"));
    }
    damage(&place, "d/shard-000002.json", Some(100));
    place.write("d/shard-000007.json", "");
    for (file, host) in [(1, "a"), (3, "b"), (4, "c")] {
        place.write(&format!("d/shard-00000{file}.json.begun"), host);
    }
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    let silent = std::fs::File::options()
        .write(true)
        .open(place.at("d/shard-000004.json.begun"));
    silent.unwrap().set_modified(old).unwrap();
    let found = status(&place);
    let numbers = ["shards", "results", "missing"].map(|name| found[name].as_u64().unwrap());
    assert_eq!(numbers, [5, 2, 3]);
    assert_eq!(found["unusable"].as_array().unwrap().len(), 2);
    // A task that was killed after its result was there has nothing left to do.
    let begun = |list: &str| {
        let list = found[list].as_array().unwrap().clone();
        list.iter()
            .map(|task| (task["shard"].as_u64(), task["host"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(begun("running"), [(Some(3), "b".into())]);
    assert_eq!(begun("silent"), [(Some(4), "c".into())]);
    assert!(found["seconds_left"].as_f64().unwrap() > 0.0);
    let text = place.stdout("status d");
    let parts = [
        "2 of 5 shards done (40.0 %), 3 missing",
        "1 being counted on 1 host",
        "left",
    ];
    assert_says(&text, &parts);
    assert_says(
        &text,
        &[
            "1 begun but silent, perhaps killed: 4",
            "is damaged",
            "is not a shard",
        ],
    );
}

#[test]
fn a_gap_and_a_wrong_count_make_no_total() {
    let place = Place::new();
    place.stdout("plan d 9 --shards 2 --engine bitboard");
    place.stdout("shard d 0");
    let (stdout, stderr) = place.run(3, "merge d");
    assert!(stdout.is_empty() && stderr.trim().ends_with(": 1"));
    place.stdout("shard d 1");
    place.stdout("merge d");

    // Edited, with a checksum that fits.
    let file = "d/shard-000001.json";
    let solutions = format!("\"solutions\": {}", place.field(file, "solutions"));
    let edited = resealed(&place.read(file), &solutions, "\"solutions\": \"1\"");
    place.write(file, edited);
    place.fails(4, "merge d", &["came to"]);
}

#[test]
fn a_damaged_folder_makes_no_total() {
    for flipped in DAMAGES {
        let place = Place::new();
        let plan = "plan d 6 --shards 2 --engine bitboard";
        for command in [plan, "shard d 0", "shard d 1"] {
            place.stdout(command);
        }
        damage(&place, "d/shard-000001.json", flipped);
        place.fails(4, "merge d", &["shard-000001.json"]);
        assert_eq!(place.run(0, "missing d").0, "1\n");
        place.run(0, "shard d 1");
        assert_eq!(place.stdout("merge d --quiet").trim(), published(6));

        damage(&place, "d/plan.json", flipped);
        let before = place.files();
        place.fails(4, "merge d", &[]);
        place.fails(1, "shard d 0", &[]);
        place.fails(1, "missing d", &[]);
        place.fails(2, plan, &[]);
        assert_eq!(place.files(), before);
    }
}

/// A folder of version 0.1.0 is still read.
#[test]
fn a_folder_of_an_older_version_opens() {
    let saved = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/saved");
    for (arguments, says) in [
        ("merge shards --quiet", "92"),
        ("shard shards 1", "already counted"),
    ] {
        let (text, _) = run(0, &mut queens(arguments, saved.as_ref()));
        assert!(text.contains(says), "{text}");
    }
}

/// The script that counts shards with Slurm, with stubs in the place of Slurm: what it submitted. `scripts/test-slurm` has
/// the real one.
#[cfg(target_os = "linux")]
fn queens_slurm(plan: &str, sbatch: &str) -> (bool, String) {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.stdout(plan);
    std::fs::create_dir(place.at("bin")).unwrap();
    for (name, script) in [
        ("scontrol", "echo 'MaxArraySize = 301'"),
        ("squeue", "exit 0"),
        ("sbatch", sbatch),
    ] {
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
    (
        output.unwrap().status.code() == Some(3),
        place.read("submitted"),
    )
}

/// The list of what is missing is longer than a pipe holds; and a script that ends early leaves no lists.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_of_many_shards_is_submitted() {
    // Every argument but the list is an option or fixed; the list is the last.
    let sbatch = "wc -l <\"${@: -1}\" >>\"$(dirname \"$0\")/../submitted\"";
    let (is_missing, submitted) = queens_slurm("plan d 20 --shards 14000", sbatch);
    assert!(is_missing);
    assert_eq!(submitted, "301\n301\n301\n97\n");
    let (is_missing, _) = queens_slurm("plan d 8 --shards 4", "kill -TERM $PPID");
    assert!(!is_missing);
}
