//! A count in shards: all commands together, two tasks at the same moment, everything that must not be merged, and the
//! Slurm script.

use queens::store::Shards;
use queens::{Board, Engine, Kernel, Plan};

use super::super::program::{Place, assert_says, queens, resealed};
use super::checkpoint::{DAMAGES, damage, interrupted};
use super::{engines, published};

#[test]
fn shards_of_every_engine_make_the_total() {
    for engine in engines() {
        let place = Place::new();
        let plan = format!("shards plan d 10 --shards 5 --engine {engine}");
        place.stdout(&plan);
        let list = place.stdout("shards status --missing d");
        assert_eq!(list, "0\n1\n2\n3\n4\n");
        let kernels: Vec<_> = engine.available_kernels().collect();
        for (index, kernel) in list.lines().zip(kernels.iter().cycle()) {
            place.stdout(&format!(
                "shards run d {index} --threads 2 --kernel {kernel}"
            ));
        }
        assert_eq!(place.stdout("shards status --missing d"), "");
        assert_eq!(place.stdout("shards merge d --quiet").trim(), published(10));
        let before = place.files();
        place.stdout(&plan);
        assert!(place.stdout("shards run d 2").contains("already counted"));
        assert_eq!(place.files(), before);
    }
}

/// A shard that is done is checked when that is asked for, and what cannot be done is refused.
#[test]
fn a_shard_that_is_done_is_counted_twice_if_asked() {
    let place = Place::new();
    place.stdout("shards plan d 9 --shards 2 --engine bitboard");
    place.stdout("shards run d 0");
    let file = "d/shard-000000.ledger";
    let good = place.read(file);
    let twice = "shards run d 0 --double-check 100";
    assert_says(&place.stdout(twice), &["agree with their mirror images"]);
    assert_eq!(place.read(file), good);
    place.stdout("shards plan e 9 --shards 2 --engine join");
    place.stdout("shards run e 0 --stats");
    let named = "--stats: shard 0 of 2 is already counted";
    place.fails(2, "shards run e 0 --stats", &[named]);

    // Two counts exchanged for others with the same sum, with checksums that fit.
    let counts: serde_json::Value = {
        let line = good.lines().find(|line| line.contains("counts")).unwrap();
        serde_json::from_str(line.rsplit_once(' ').unwrap().0).unwrap()
    };
    let entries = counts["counts"][1].as_array().unwrap();
    let count = |entry: &serde_json::Value| entry[1].as_u64().unwrap();
    let from = entries.iter().find(|entry| count(entry) > 0).unwrap();
    let to = entries.iter().find(|entry| entry[0] != from[0]).unwrap();
    let forged = format!("[{},{}]", from[0], count(from) - 1);
    let text = resealed(&good, &from.to_string(), &forged);
    let forged = format!("[{},{}]", to[0], count(to) + 1);
    place.write(file, resealed(&text, &to.to_string(), &forged));
    assert!(place.stdout("shards run d 0").contains("already counted"));
    let (stdout, stderr) = place.run(4, twice);
    assert_eq!(stdout, "");
    assert_says(&stderr, &["2 of ", "2 subproblems taken out"]);
    place.stdout("shards run d 0");
    place.stdout("shards run d 1");
    assert_eq!(place.stdout("shards merge d -q").trim(), published(9));
}

/// Of tasks that count one shard at the same moment, one does and the others leave; or they come when it is done.
#[test]
fn the_same_shard_twice_at_the_same_moment_counts_once() {
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
                output.status.success() || stderr.contains("is in use by"),
                "{stderr}"
            );
        }
        assert!(successes > 0);
    }
    assert_eq!(place.stdout("shards merge d --quiet").trim(), published(10));
    assert_eq!(place.files().len(), 2 + 4); // the folder, the plan, the ledgers: nothing else is left
}

#[cfg(unix)]
#[test]
fn a_shard_that_was_interrupted_goes_on() {
    let place = Place::new();
    place.stdout("shards plan d 17 --shards 3 --engine bitboard");
    let slow = "shards run d 1 --kernel reference --threads 1";
    let file = "d/shard-000001.ledger";
    let started = std::time::Instant::now();
    let has_counted = |_| started.elapsed() > std::time::Duration::from_secs(1);
    let stderr = interrupted(&place, slow, ("TERM", 143), has_counted);
    let done = place.entries(file);
    let said = format!("stopped with {done} of ");
    assert_says(&stderr, &[&said, "saved in 'd/shard-000001.ledger'", slow]);
    place.stdout("shards run d 0");
    place.stdout("shards run d 2");
    place.run(3, "shards merge d");
    let text = place.stdout("shards run d 1 --double-check 5 --threads 2");
    assert_says(&text, &[&format!("{done} subproblems in earlier runs")]);
    let total = place.stdout("shards merge d --quiet");
    assert_eq!(total.trim(), published(17));
}

/// Who counted what, and what of it twice, is in every result and in the total's record.
#[test]
fn results_tell_where_they_come_from() {
    for engine in engines() {
        let place = Place::new();
        place.stdout(&format!("shards plan d 10 --shards 3 --engine {engine}"));
        for (index, twice) in [" --double-check 100", " --double-check 100", ""]
            .iter()
            .enumerate()
        {
            let stats = if engine == Engine::Join {
                " --stats"
            } else {
                ""
            };
            let said = place.stdout(&format!("shards run d {index}{twice}{stats}"));
            assert_eq!(said.contains("half boards"), engine == Engine::Join);
            assert_eq!(
                said.contains("agree with their mirror images"),
                !twice.is_empty()
            );
        }
        let said = |index| place.completion(&format!("d/shard-00000{index}.ledger"));
        let twice = |index| said(index)["double_check"].clone();
        assert_eq!(twice(2), serde_json::Value::Null);
        let kernel = twice(0)["second"].as_str().unwrap().to_owned();
        let checked = [0, 1].map(|index| twice(index)["checked"].as_u64().unwrap());
        let merged: serde_json::Value =
            serde_json::from_str(&place.stdout("shards merge d --format json")).unwrap();
        assert_eq!(merged["counted_twice"][&kernel], checked[0] + checked[1]);
        let hosts = merged["hosts"].as_object().unwrap();
        assert!(hosts.values().eq([3]), "{hosts:?}");
        let text = place.stdout("shards merge d");
        let said = format!("counted twice by mirror image with kernel {kernel}");
        assert_says(&text, &["merged from 3 results of 1 host, 6", &said]);
    }
}

#[test]
fn status_tells_what_is_done_missing_damaged_and_begun() {
    let place = Place::new();
    place.stdout("shards plan d 25 --shards 1000 --engine bitboard");
    let status = |place: &Place| -> serde_json::Value {
        serde_json::from_str(&place.stdout("shards status d --format json")).unwrap()
    };
    assert_eq!(status(&place)["missing"], 1000);
    assert_eq!(status(&place)["seconds_left"], serde_json::Value::Null);

    let place = Place::new();
    place.stdout("shards plan d 9 --shards 5 --engine bitboard");
    for index in 0..3 {
        place.stdout(&format!("shards run d {index}"));
    }
    damage(&place, "d/shard-000002.ledger", "counts");
    // As tasks leave them that are at work, or were killed.
    let whole = place.read("d/shard-000000.ledger");
    let begun = whole.split_inclusive('\n').next().unwrap();
    let (_, host) = begun.split_once("\"host\":").unwrap();
    let (host, _) = host.split_once(',').unwrap();
    for (shard, name) in [(3, "\"b\""), (4, "\"c\"")] {
        let text = resealed(begun, "\"shard\":0", &format!("\"shard\":{shard}"));
        place.write(
            &format!("d/shard-00000{shard}.ledger"),
            resealed(&text, host, name),
        );
    }
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    let silent = std::fs::File::options()
        .write(true)
        .open(place.at("d/shard-000004.ledger"));
    silent.unwrap().set_modified(old).unwrap();
    let found = status(&place);
    let numbers = ["shards", "results", "missing"].map(|name| found[name].as_u64().unwrap());
    assert_eq!(numbers, [5, 2, 3]);
    assert_eq!(found["unusable"].as_array().unwrap().len(), 1);
    let begun = |list: &str| {
        let list = found[list].as_array().unwrap().clone();
        list.iter()
            .map(|task| (task["shard"].as_u64(), task["host"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(begun("running"), [(Some(3), "b".into())]);
    assert_eq!(begun("silent"), [(Some(4), "c".into())]);
    assert!(found["seconds_left"].as_f64().unwrap() > 0.0);
    let text = place.stdout("shards status d");
    let parts = [
        "2 of 5 shards done (40.0 %), 3 missing",
        "1 being counted, or stopped just now, on 1 host",
        "left",
    ];
    assert_says(&text, &parts);
    assert_says(
        &text,
        &["1 begun but silent, perhaps killed: 4", "is damaged"],
    );
}

#[test]
fn a_gap_and_a_wrong_count_make_no_total() {
    let place = Place::new();
    place.stdout("shards plan d 9 --shards 2 --engine bitboard");
    place.stdout("shards run d 0");
    let (stdout, stderr) = place.run(3, "shards merge d");
    assert!(stdout.is_empty() && stderr.trim().ends_with(": 1"));
    place.stdout("shards run d 1");
    place.stdout("shards merge d");

    // Edited, with checksums that fit.
    let file = "d/shard-000001.ledger";
    let text = place.read(file);
    let solutions = place.completion(file)["solutions"].as_u64().unwrap();
    let said = |solutions: u64| format!("\"solutions\":{solutions},");
    place.write(file, resealed(&text, &said(solutions), &said(1)));
    place.fails(4, "shards merge d", &["but records ", " with 1"]);
    let (_, last) = text.split_once("]]]}").unwrap().0.rsplit_once(',').unwrap();
    let more = (last.parse::<u64>().unwrap() + 2).to_string();
    let text = resealed(&text, &format!(",{last}]]"), &format!(",{more}]]"));
    place.write(
        file,
        resealed(&text, &said(solutions), &said(solutions + 2)),
    );
    place.fails(4, "shards merge d", &["one of them is wrong"]);
}

#[test]
fn a_damaged_folder_makes_no_total() {
    for what in DAMAGES {
        let place = Place::new();
        let plan = "shards plan d 6 --shards 2 --engine bitboard";
        for command in [plan, "shards run d 0", "shards run d 1"] {
            place.stdout(command);
        }
        // A damaged first line costs nothing; half a file is one that has no line, or of a shard that was interrupted.
        let file = "d/shard-000001.ledger";
        damage(&place, file, what);
        let codes: &[i32] = match what {
            "first" => &[0],
            "counts" => &[4],
            _ => &[3, 4],
        };
        let output = queens("shards merge d --quiet", &place.at(""))
            .output()
            .unwrap();
        let code = output.status.code().unwrap();
        assert!(codes.contains(&code), "{what}: {code}");
        let missing = if code == 0 { "" } else { "1\n" };
        assert_eq!(place.run(0, "shards status --missing d").0, missing);
        if !place.read(file).contains('\n') {
            let message = place.fails(1, "shards run d 1", &["delete it to count"]);
            assert!(message.contains("none of its lines is intact"));
            std::fs::remove_file(place.at(file)).unwrap();
        }
        place.run(0, "shards run d 1");
        let total = place.stdout("shards merge d --quiet");
        assert_eq!(total.trim(), published(6));

        damage(&place, "d/plan.json", what);
        let before = place.files();
        place.fails(4, "shards merge d", &[]);
        place.fails(1, "shards run d 0", &[]);
        place.fails(1, "shards status --missing d", &[]);
        place.fails(2, plan, &[]);
        assert_eq!(place.files(), before);
    }
}

/// The script that counts shards with Slurm, with stubs in the place of Slurm: what it submitted. `scripts/test-slurm`
/// has the real one.
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
    let (is_missing, submitted) = queens_slurm("shards plan d 20 --shards 14000", sbatch);
    assert!(is_missing);
    assert_eq!(submitted, "301\n301\n301\n97\n");
    let (is_missing, _) = queens_slurm("shards plan d 8 --shards 4", "kill -TERM $PPID");
    assert!(!is_missing);
}

/// What looking at the folder of a record takes, which is printed.
#[test]
#[ignore = "writes 100,000 files: best to a folder in memory (TMPDIR)"]
fn a_hundred_thousand_shards_are_looked_at_and_added_up() {
    let place = Place::new();
    let plan = Plan::new(Board::new(24).unwrap(), Engine::Join).unwrap();
    let shards = Shards::create(&place.at("d"), &plan, 100_000).unwrap();
    let all = published(24).parse().unwrap();
    for index in 0..shards.count() {
        let (mut file, mut ledger) = shards.open_shard(index).unwrap();
        for subproblem in plan.shard(shards.shard(index).unwrap()) {
            // Only the sum is checked: the first subproblem has all of it.
            let count = if subproblem == 0 { all } else { 0 };
            ledger.enter(subproblem, count).unwrap();
        }
        file.finish(&ledger, Kernel::Portable, 1, None).unwrap();
    }
    for arguments in ["shards status d", "shards merge d"] {
        let started = std::time::Instant::now();
        place.stdout(arguments);
        eprintln!("{arguments}: {:.2?}", started.elapsed());
    }
    assert_eq!(place.stdout("shards merge d -q").trim(), published(24));
}
