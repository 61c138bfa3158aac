//! Counts in shards: the commands together, concurrent tasks, results that must not be merged, and
//! the Slurm script.

use std::time::Duration;

use queens::store::Shards;
use queens::{Board, Counter, Engine, Ledger, Plan};

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
    place.stdout("shards plan d 17 --shards 3 --engine bitboard");
    let slow = "shards run d 1 --kernel reference --threads 1";
    let file = "d/shard-000001.ledger";
    let stderr = interrupted(&place, slow, ("INT", 130), |_| place.entries(file) > 0);
    let done = place.entries(file);
    let said = format!("stopped with {done} of ");
    assert_contains(&stderr, &[&said, "saved in 'd/shard-000001.ledger'", slow]);
    place.stdout("shards run d 0");
    place.stdout("shards run d 2");
    place.run(3, "shards merge d");
    let (text, stderr) = place.run(0, "shards run d 1 --double-check 5 --threads 2");
    assert_contains(&stderr, &[&format!("resuming with {done} of ")]);
    assert_contains(&text, &[&format!("{done} subproblems in earlier runs")]);
    let total = place.stdout("shards merge d --quiet");
    assert_eq!(total.trim(), published(17));
}

/// Every result and the merged record state the hosts, and how many subproblems were counted twice.
#[test]
fn results_record_their_origin() {
    for engine in engines() {
        let place = Place::new();
        place.stdout(&format!("shards plan d 10 --shards 3 --engine {engine}"));
        for (index, twice) in [" --double-check 100", " --double-check 100", ""].iter().enumerate()
        {
            let stats = if engine == Engine::Join { " --stats" } else { "" };
            let said = place.stdout(&format!("shards run d {index}{twice}{stats}"));
            assert_eq!(said.contains("half boards"), engine == Engine::Join);
            assert_eq!(said.contains("agree with their mirror images"), !twice.is_empty());
        }
        if engine == Engine::Join {
            let named = "--stats: shard 0 of 3 is already counted";
            place.fails(2, "shards run d 0 --stats", &[named]);
        }
        let said = |index| place.completion(&format!("d/shard-00000{index}.ledger"));
        let twice = |index| said(index)["double_check"].clone();
        assert_eq!(twice(2), serde_json::Value::Null);
        let kernel = twice(0)["second"].as_str().unwrap().to_owned();
        let checked = [0, 1].map(|index| twice(index)["checked"].as_u64().unwrap());
        let merged = place.json("shards merge d");
        assert_eq!(merged["counted_twice"][&kernel], checked[0] + checked[1]);
        let hosts = merged["hosts"].as_object().unwrap();
        assert!(hosts.values().eq([3]), "{hosts:?}");
        let text = place.stdout("shards merge d");
        let said = format!("counted twice, as mirror images with kernel {kernel}");
        assert_contains(&text, &["merged 3 results from 1 host, 6", &said]);
    }
}

#[test]
fn status_lists_complete_missing_damaged_and_started_shards() {
    let place = Place::new();
    place.stdout("shards plan d 14 --shards 50 --engine bitboard");
    let status = place.json("shards status d");
    assert_eq!(status["missing"], 50);
    assert_eq!(status["seconds_left"], serde_json::Value::Null);

    let place = Place::new();
    place.stdout("shards plan d 9 --shards 5 --engine bitboard");
    for index in 0..3 {
        place.stdout(&format!("shards run d {index}"));
    }
    let damaged = place.read("d/shard-000002.ledger");
    place.write("d/shard-000002.ledger", damaged.replace("counts", "c0unts"));
    // Ledgers of tasks that are running or were killed have only their first line.
    let whole = place.read("d/shard-000000.ledger");
    let begun = whole.split_inclusive('\n').next().unwrap();
    let (_, host) = begun.split_once("\"host\":").unwrap();
    let (host, _) = host.split_once(',').unwrap();
    for (shard, name) in [(3, "\"b\""), (4, "\"c\"")] {
        let text = resealed(begun, "\"shard\":0", &format!("\"shard\":{shard}"));
        place.write(&format!("d/shard-00000{shard}.ledger"), resealed(&text, host, name));
    }
    // However long this test takes, one ledger is new and the other is old.
    let (now, hour) = (std::time::SystemTime::now(), std::time::Duration::from_secs(3600));
    for (shard, time) in [(3, now + hour), (4, now - hour)] {
        let ledger = place.at(&format!("d/shard-00000{shard}.ledger"));
        let ledger = std::fs::File::options().write(true).open(ledger).unwrap();
        ledger.set_modified(time).unwrap();
    }
    let found = place.json("shards status d");
    let numbers = ["shards", "results", "missing"].map(|name| found[name].as_u64().unwrap());
    assert_eq!(numbers, [5, 2, 3]);
    assert_eq!(found["unusable"].as_array().unwrap().len(), 1);
    let begun = |list: &str| {
        let list = found[list].as_array().unwrap().clone();
        list.iter().map(|task| (task["shard"].as_u64(), task["host"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(begun("running"), [(Some(3), "b".into())]);
    assert_eq!(begun("silent"), [(Some(4), "c".into())]);
    assert!(found["seconds_left"].as_f64().unwrap() > 0.0);
    let text = place.stdout("shards status d");
    let parts = [
        "2 of 5 shards done (40.0 %), 3 missing",
        "1 running, or stopped just now, on 1 host",
        "left",
    ];
    assert_contains(&text, &parts);
    assert_contains(&text, &["possibly killed: 4", "is damaged"]);
}

#[test]
fn gaps_damaged_lines_and_wrong_counts_prevent_a_merge() {
    let place = Place::new();
    place.stdout("shards plan d 9 --shards 2 --engine bitboard");
    place.stdout("shards run d 0");
    let (stdout, stderr) = place.run(3, "shards merge d");
    assert!(stdout.is_empty() && stderr.trim().ends_with(": 1"));
    place.stdout("shards run d 1");
    place.stdout("shards merge d");

    let file = "d/shard-000001.ledger";
    let text = place.read(file);
    place.write(file, text.replacen("counts", "c0unts", 1));
    place.fails(4, "shards merge d", &["is damaged"]);
    assert_eq!(place.run(0, "shards status --missing d").0, "1\n");
    place.run(0, "shards run d 1");
    assert_eq!(place.stdout("shards merge d -q").trim(), published(9));

    // The edited ledgers have valid checksums.
    let solutions = place.completion(file)["solutions"].as_u64().unwrap();
    let said = |solutions: u64| format!("\"solutions\":{solutions},");
    place.write(file, resealed(&text, &said(solutions), &said(1)));
    place.fails(4, "shards merge d", &["but records ", " with 1"]);
    let (_, last) = text.split_once("]]]}").unwrap().0.rsplit_once(',').unwrap();
    let more = (last.parse::<u64>().unwrap() + 2).to_string();
    let text = resealed(&text, &format!(",{last}]]"), &format!(",{more}]]"));
    place.write(file, resealed(&text, &said(solutions), &said(solutions + 2)));
    place.fails(4, "shards merge d", &["one of them is wrong"]);
}

/// Counts one plan twice, in four and in six shards and with different kernels. The second count
/// lacks its last shard.
fn counted_twice() -> (Place, usize) {
    let place = Place::new();
    for (folder, shards, done, kernel) in [("a", 4, 4, "reference"), ("b", 6, 5, "scalar")] {
        place.stdout(&format!("shards plan {folder} 9 --shards {shards} --engine bitboard"));
        for index in 0..done {
            place.stdout(&format!("shards run {folder} {index} --kernel {kernel}"));
        }
    }
    (place, Plan::new(Board::new(9).unwrap(), Engine::Bitboard).unwrap().len())
}

#[test]
fn folders_are_compared_subproblem_by_subproblem() {
    let (place, len) = counted_twice();
    let lacking = (0..len).filter(|index| index % 6 == 5).count();
    let both = len - lacking;
    let summary =
        format!("{both} subproblems compared, 0 differ, {lacking} only in 'a', 0 only in 'b'\n");
    assert_eq!(place.stdout("shards compare a b"), summary);
    // A damaged ledger is left out.
    let file = "a/shard-000001.ledger";
    place.write(file, place.read(file).replace("counts", "c0unts"));
    let (text, stderr) = place.run(0, "shards compare a b");
    assert_contains(&stderr, &["warning: 'a/shard-000001.ledger' is damaged"]);
    let lost =
        |in_b: bool| (0..len).filter(|index| index % 4 == 1 && (index % 6 != 5) == in_b).count();
    let parts = [
        format!("{} subproblems compared, 0 differ", both - lost(true)),
        format!("{} only in 'a', {} only in 'b'", lacking - lost(false), lost(true)),
    ];
    assert_contains(&text, &[&parts[0], &parts[1]]);
    place.stdout("shards plan empty 9 --shards 2 --engine bitboard");
    let (text, stderr) = place.run(1, "shards compare b empty");
    assert_contains(&text, &[&format!("0 subproblems compared, 0 differ, {both} only in 'b'")]);
    assert_contains(&stderr, &["error: no subproblem is counted in both"]);
    place.stdout("shards plan eight 8 --shards 4 --engine bitboard");
    let plans = "'eight/plan.json' is for the 8 x 8 board, not the 9 x 9 board";
    place.fails(2, "shards compare a eight", &[plans]);
}

/// The edited ledger has valid checksums and the right sum.
#[test]
fn different_counts_are_attributed() {
    let (place, _) = counted_twice();
    let file = "b/shard-000002.ledger";
    let mut counts = place.counts(file);
    counts.sort_unstable();
    let mut found = counts.into_iter().filter(|(_, count)| *count > 0);
    let [lost, gained] = [found.next(), found.next()].map(Option::unwrap);
    let mut text = place.read(file);
    let (_, host) = text.split_once("\"host\":").unwrap();
    let host: String =
        serde_json::Deserializer::from_str(host).into_iter().next().unwrap().unwrap();
    for ((index, count), wrong) in [(lost, lost.1 - 1), (gained, gained.1 + 1)] {
        let entry = |count| format!("[{index},{count}]");
        text = resealed(&text, &entry(count), &entry(wrong));
    }
    let named = |host: &str| format!("\"host\":{}", serde_json::json!(host));
    place.write(file, resealed(&text, &named(&host), &named("elsewhere")));
    let (text, stderr) = place.run(4, "shards compare a b");
    let version = env!("CARGO_PKG_VERSION");
    let lines = [(lost, lost.1 - 1), (gained, gained.1 + 1)].map(|((index, right), wrong)| {
        let shard = index % 4;
        format!(
            "subproblem {index}: {right} in 'a/shard-00000{shard}.ledger' \
             (host {host}, version {version}, kernel reference), {wrong} in '{file}' \
             (host elsewhere, version {version}, kernel scalar)"
        )
    });
    assert_eq!(text.lines().take(2).collect::<Vec<_>>(), lines);
    assert_contains(&text, &[" compared, 2 differ, "]);
    assert_contains(&stderr, &["error: the folders have different counts"]);
}

/// Runs `queens-slurm` with stubs in place of the Slurm commands. Returns whether shards are
/// missing at the end, and the output of the `sbatch` stub. `scripts/test-slurm` tests the script
/// with a real Slurm cluster.
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
    let method = Counter::new(8).unwrap().prepare().unwrap().method();
    for index in 0..shards.count() {
        let shard = shards.shard(index).unwrap();
        let mut ledger = Ledger::of_shard(&plan, shard);
        for subproblem in plan.shard(shard) {
            // Only the sum is checked, so the first subproblem gets all solutions.
            let count = if subproblem == 0 { all } else { 0 };
            ledger.enter(subproblem, count).unwrap();
        }
        let bytes = plan.shard_to_bytes(&ledger, Duration::ZERO, &method);
        std::fs::write(shards.path(index), bytes).unwrap();
    }
    for arguments in ["shards status d", "shards merge d"] {
        let started = std::time::Instant::now();
        place.stdout(arguments);
        eprintln!("{arguments}: {:.2?}", started.elapsed());
    }
    assert_eq!(place.stdout("shards merge d -q").trim(), published(24));
}
