//! Counts in shards: the commands together, concurrent tasks, and results that must not be merged.

use std::fs;

use queens::{Board, Engine};

use super::program::{Place, Running, assert_contains, published, resealed};

/// Counts shards of N = 9 into the folder `d`.
fn count_shards(place: &Place, numbers: &[u32], of: u32) {
    fs::create_dir_all(place.at("d")).unwrap();
    for number in numbers {
        let shard = format!("--shard {number}/{of} --checkpoint d/{number}");
        place.run(0, &format!("9 --engine bitboard {shard}"));
    }
}

/// The sums of all shards add up to the total, which `merge` prints as `count` does.
#[test]
fn shards_of_every_engine_add_up_to_the_total() {
    for engine in Engine::all_for(&Board::new(10).unwrap()) {
        let place = Place::new();
        fs::create_dir(place.at("d")).unwrap();
        let kernels: Vec<_> = engine.available_kernels().collect();
        let mut sum = 0;
        for (number, kernel) in (1..=5).zip(kernels.iter().cycle()) {
            let shard = format!("10 --engine {engine} --shard {number}/5");
            let options = format!("--threads 2 --kernel {kernel} --checkpoint d/{number} --quiet");
            let printed = place.stdout(&format!("{shard} {options}"));
            assert_eq!(place.stdout(&format!("{shard} -q")), printed);
            sum += printed.trim().parse::<u64>().unwrap();
        }
        assert_eq!(sum.to_string(), published(10));
        assert_eq!(place.stdout("merge d --missing"), "");
        assert_contains(&place.stdout("merge d"), &["Q(10) = 724\n", "92 fundamental", "verified"]);
        assert_eq!(place.json("merge d")["solutions"], "724");
    }
}

/// A shard is never reported as a total.
#[test]
fn a_shard_is_not_a_total() {
    let place = Place::new();
    for format in ["text", "markdown"] {
        let text = place.stdout(&format!("8 --shard 2/3 -f {format}"));
        assert_contains(&text, &["N = 8, shard 2/3: ", "the sums of all shards"]);
        assert!(["Q(", "fundamental", "|"].iter().all(|part| !text.contains(part)), "{text}");
    }
    let json = place.json("8 --shard 2/3");
    assert!(json["solutions"].is_null() && json["fundamental"].is_null(), "{json}");
    assert!(json["shard"] == "2/3" && json["shard_sum"].is_string(), "{json}");
}

/// If several tasks for the same shard run concurrently, one counts it. The others are refused, or
/// find that it is complete.
#[test]
fn concurrent_tasks_count_a_shard_once() {
    let place = Place::new();
    fs::create_dir(place.at("d")).unwrap();
    for number in 1..=4 {
        let count = format!("10 --shard {number}/4 --checkpoint d/{number}");
        let tasks = [1, 2, 1].map(|threads| place.start(&format!("{count} --threads {threads}")));
        let (successes, failures): (Vec<_>, _) =
            tasks.map(Running::output).into_iter().partition(|output| output.status.success());
        assert!(!successes.is_empty());
        for failure in failures {
            let stderr = String::from_utf8(failure.stderr).unwrap();
            assert!(stderr.contains("is in use by another process"), "{stderr}");
        }
    }
    assert_eq!(place.stdout("merge d --quiet").trim(), published(10));
    assert_eq!(place.files().len(), 1 + 4); // only the folder and the ledgers
}

/// A missing file and a damaged line are gaps, which the next round fills.
#[test]
fn gaps_are_named_and_filled() {
    let place = Place::new();
    count_shards(&place, &[1, 5, 6, 8, 9], 9);
    let text = place.read("d/9");
    place.write("d/9", text.replacen("\n8 ", "\n17 ", 1));
    let (stdout, stderr) = place.run(3, "merge d --missing");
    assert_eq!(stdout, "2-4,7,9\n");
    assert_contains(&stderr, &["'d/9' has 1 damaged line"]);
    let (stdout, stderr) = place.run(3, "merge d");
    assert_eq!(stdout, "");
    assert_contains(&stderr, &["5 of 9 shards incomplete: 2-4,7,9 ("]);
    count_shards(&place, &[2, 3, 4, 7, 9], 9);
    // A shard of another number of shards, and a file that is named twice, change nothing.
    place.stdout("9 --engine bitboard --shard 1/2 --checkpoint d/half");
    assert_eq!(place.stdout("merge d --missing"), "");
    assert_eq!(place.stdout("merge d d/1 -q").trim(), published(9));
    fs::remove_file(place.at("d/2")).unwrap();
    place.fails(3, "merge d", &["several numbers of shards"]);
    place.fails(2, "merge d --missing", &["--missing", "accepted: "]);
}

/// A report replaces neither an input of `merge` nor the checkpoint of the same count, whose total
/// then goes to standard error.
#[test]
fn reports_do_not_replace_checkpoints() {
    let place = Place::new();
    count_shards(&place, &[1, 2], 2);
    let before = place.read("d/1");
    place.fails(2, "merge d -o d/1 -f text", &["'d/1': a checkpoint"]);
    assert_eq!(place.read("d/1"), before);
    let (_, stderr) = place.run(1, "8 --checkpoint a -o a -f md");
    assert_contains(&stderr, &["Q(8) = 92", "'a'"]);
    assert_eq!(place.stdout("8 --checkpoint b -q"), place.stdout("merge a -q"));
}

/// Files that must not be added up are named.
#[test]
fn wrong_counts_and_foreign_files_prevent_a_merge() {
    let place = Place::new();
    count_shards(&place, &[1, 2], 2);
    place.stdout("10 --engine bitboard --checkpoint ten");
    place.fails(2, "merge d ten", &["'ten' is for the 10 x 10 board, not the 9 x 9 board"]);

    // The edited ledgers have valid checksums.
    let (index, count) = place.counts("d/2")[0];
    let [right, wrong] = [count, count + 2].map(|count| format!("{index} {count}"));
    let text = place.read("d/2");
    let edited = resealed(&text, &right, &wrong);
    place.write("d/2", &edited);
    place.fails(4, "merge d", &["one of them is wrong"]);
    place.write("right", &text);
    let two = format!("subproblem {index} has two counts, {} and {count}", count + 2);
    place.fails(4, "merge d right", &["'right' contradicts 'd/2'", &two]);
    let (_, lines) = edited.split_once('\n').unwrap();
    place.write("d/2", text + lines);
    let two = format!("subproblem {index} has two counts, {count} and {}", count + 2);
    place.fails(4, "merge d", &["'d/2' contradicts itself", &two]);
    place.fails(2, "9 --engine bitboard --shard 2/2 --checkpoint d/2", &["'d/2'", &two]);
}
