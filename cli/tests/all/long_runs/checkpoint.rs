//! Counts that are interrupted, killed, or go on from damaged files.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::time::Duration;

use fastrand::Rng;
use rstest::rstest;

use super::super::program::{Place, assert_says, resealed, run};
use super::{engines, published};

/// A count that takes seconds, so that something can happen to it.
const SLOW: &str = "count 16 --engine bitboard --kernel reference --threads 2";

#[test]
fn a_count_leaves_a_file_that_says_what_was_counted() {
    let place = Place::new();
    for is_resumed in [false, true] {
        let (text, told) = place.run(0, "count 10 --checkpoint ten.ckpt");
        assert_eq!(text.contains("earlier runs"), is_resumed, "{text}");
        let said = place.completion("ten.ckpt");
        let date = said["date"].as_str().unwrap();
        let recalled = format!("recalled: the count was completed on {date}\n");
        assert_eq!(told, if is_resumed { &*recalled } else { "" });
        assert_eq!(said["solutions"].to_string(), published(10));
        assert_eq!(said["subproblems"], place.entries("ten.ckpt"));
    }
    let damaged = place.read("ten.ckpt").replacen("counts", "c0unts", 1);
    place.write("ten.ckpt", damaged);
    let (total, told) = place.run(0, "count 10 --quiet --checkpoint ten.ckpt");
    assert_eq!(total.trim(), published(10));
    assert_says(&told, &["has damaged lines (1)"]);
    // Boards without subproblems have nothing to save.
    for n in 0..=3 {
        for _ in 0..2 {
            let text = place.stdout(&format!("count {n} --quiet --checkpoint {n}.ckpt"));
            assert_eq!(text.trim(), published(n));
        }
    }
}

/// Starts a count, waits until `ready`, sends a signal, and expects that it ends with `code` and without a result: its
/// message.
#[cfg(unix)]
pub(super) fn interrupted(
    place: &Place,
    arguments: &str,
    (signal, code): (&str, i32),
    ready: impl Fn(u32) -> bool,
) -> String {
    let mut child = place.start(arguments);
    while !ready(child.id()) {
        assert!(child.try_wait().unwrap().is_none(), "it ended too early");
        std::thread::yield_now();
    }
    let kill = format!("kill -{signal} {}", child.id());
    let sent = Command::new("sh").args(["-c", &kill]).status();
    assert!(sent.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    assert!(output.stdout.is_empty());
    stderr
}

#[cfg(unix)]
#[test]
fn what_is_done_is_saved_and_the_count_goes_on() {
    for signal in [("INT", 130), ("TERM", 143)] {
        let place = Place::new();
        let arguments = format!("{SLOW} --checkpoint a --checkpoint-every 0.1");
        let stderr = interrupted(&place, &arguments, signal, |_| place.entries("a") > 0);
        assert_says(&stderr, &["stopping"]);
        let (said, command) = stderr.trim().rsplit_once("to resume: ").unwrap();
        assert!(command.ends_with(&arguments), "{command}");
        let done = format!("stopped with {} of ", place.entries("a"));
        assert_says(said, &[&done, "saved in 'a'"]);
        // As said, but with another kernel and other threads.
        let total = place.stdout("count 16 --engine bitboard --threads 3 --quiet --checkpoint a");
        assert_eq!(total.trim(), published(16));
    }
}

/// Changes to the file by other programs while a count runs.
#[cfg(unix)]
#[rstest]
#[case(|place: &Place| place.write("d/a", ""), "it has been written again")]
#[case(|place: &Place| fs::remove_file(place.at("d/a")).unwrap(), "it has been written again")]
#[case(|place: &Place| fs::remove_dir_all(place.at("d")).unwrap(), "nothing is saved: 'd/a' is gone")]
fn a_lost_checkpoint_is_written_again_or_reported(#[case] lose: fn(&Place), #[case] says: &str) {
    let place = Place::new();
    fs::create_dir(place.at("d")).unwrap();
    let ready = |_| {
        let is_begun = place.entries("d/a") > 0;
        if is_begun {
            lose(&place);
        }
        is_begun
    };
    let arguments = format!("{SLOW} --checkpoint d/a --checkpoint-every 0.05");
    let stderr = interrupted(&place, &arguments, ("TERM", 143), ready);
    assert_says(&stderr, &[says]);
    let saved = place.entries("d/a");
    if place.at("d").exists() {
        assert!(saved > 0);
        let done = format!("stopped with {saved} of ");
        assert_says(&stderr, &[&done, "saved in 'd/a'"]);
    }
}

/// Where nothing is done yet, or there is no checkpoint, nothing is said to be saved.
#[cfg(target_os = "linux")]
#[test]
fn what_is_not_saved_is_not_claimed() {
    // The first subproblems of the first board take minutes.
    let first = "count 22 --engine bitboard --kernel reference --threads 1 --checkpoint a";
    let second = format!("{SLOW} --output out");
    let catches_signals = |process| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let mask = u64::from_str_radix(mask.unwrap().trim(), 16).unwrap();
        mask >> (15 - 1) & 1 == 1
    };
    for (arguments, says) in [(first, "nothing to save"), (&second, "nothing was saved")] {
        let place = Place::new();
        let stderr = interrupted(&place, arguments, ("TERM", 143), catches_signals);
        assert_says(&stderr, &[says, "stopped with "]);
        assert!(!place.at("out").exists());
    }
}

/// N = 30 has more solutions than anybody lists.
#[cfg(unix)]
#[test]
fn what_was_found_before_an_interrupt_is_kept() {
    let place = Place::new();
    let has_written = |_| place.files().values().any(|bytes| !bytes.is_empty());
    let arguments = "solve 30 --all --output boards.csv";
    let stderr = interrupted(&place, arguments, ("INT", 130), has_written);
    assert_says(&stderr, &["interrupted after ", "not complete"]);
    let boards = place.read("boards.csv");
    assert!(boards.ends_with('\n') && boards.lines().count() > 1);
}

/// Killed at random moments, again and again, a count ends in the exact total.
#[rstest]
#[case(8)]
#[ignore = "takes minutes"]
#[case(500)]
fn a_count_that_is_killed_goes_on(#[case] most: u32) {
    let mut rng = Rng::with_seed(5);
    for engine in engines() {
        let kernels: Vec<_> = engine.available_kernels().collect();
        let (mut kills, mut totals, mut place) = (0, 0, Place::new());
        while kills < most || totals == 0 {
            let (kernel, threads) = (rng.choice(&kernels).unwrap(), rng.u32(1..=4));
            let mut child = place.start(&format!(
                "count 16 --quiet --engine {engine} --kernel {kernel} --threads {threads} \
                 --checkpoint a --checkpoint-every 0.005"
            ));
            if kills < most {
                std::thread::sleep(Duration::from_micros(rng.u64(..80_000)));
                let _ = child.kill(); // it may have ended
            }
            let output = child.wait_with_output().unwrap();
            assert!(!String::from_utf8_lossy(&output.stderr).contains("damaged"));
            if output.status.code().is_none() {
                kills += 1;
                continue;
            }
            let total = String::from_utf8(output.stdout).unwrap();
            assert_eq!(total.trim(), published(16), "{engine} after {kills} kills");
            let said = place.completion("a");
            assert_eq!(said["solutions"].to_string(), published(16));
            (totals, place) = (totals + 1, Place::new());
        }
        eprintln!("{engine}: {kills} kills, {totals} totals");
    }
}

/// A process that may write no file at all gets an error for every write, as on a full disk.
#[cfg(unix)]
#[test]
fn on_a_full_disk_the_count_goes_on_and_what_was_saved_is_kept() {
    let place = Place::new();
    place.stdout("count 12 --checkpoint a");
    let text = place.read("a");
    let (begun, _) = text.split_at(text.find("{\"done\"").unwrap());
    place.write("a", &begun[..begun.len() - 20]);
    let before = place.read("a");
    let script = "ulimit -f 0; exec \"$0\" count 12 --quiet --checkpoint a";
    let mut limited = Command::new("sh");
    limited.args(["-c", script, env!("CARGO_BIN_EXE_queens")]);
    let (total, stderr) = run(0, limited.current_dir(place.at("")));
    assert_eq!(total.trim(), published(12));
    assert_says(&stderr, &["could not be saved", "complete nevertheless"]);
    assert!(before.starts_with(&place.read("a")));
    assert_eq!(
        place.stdout("count 12 --quiet --checkpoint a").trim(),
        published(12)
    );
}

/// Memory that is taken away while a count runs ends it, and what is done is saved.
#[cfg(target_os = "linux")]
#[test]
fn where_memory_is_taken_away_what_is_done_is_saved() {
    let place = Place::new();
    let mut child = place.start("count 23 --threads 2 --checkpoint a --checkpoint-every 0.01");
    while place.entries("a") == 0 {
        assert!(child.try_wait().unwrap().is_none());
        std::thread::yield_now();
    }
    // Less address space than there is: nothing large can be allocated any more.
    let process = format!("--pid={}", child.id());
    let mut prlimit = Command::new("prlimit");
    let limited = prlimit.args([&process, "--as=1000000"]).status();
    assert!(limited.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(output.stdout.is_empty());
    let done = format!("stopped with {} of ", place.entries("a"));
    assert_says(&stderr, &["not enough memory", &done, "saved in 'a'"]);
}

/// A pipe stands for all that is no regular file; a link shares the lock of its file.
#[cfg(unix)]
#[test]
fn pipes_are_neither_read_nor_replaced_and_links_are_followed() {
    let place = Place::new();
    place.stdout("shards plan d 8 --shards 2");
    fs::create_dir(place.at("e")).unwrap();
    for (code, arguments, name) in [
        (2, "count 8 --checkpoint a", "a"),
        (1, "shards merge d", "d/shard-000001.ledger"),
        (2, "shards run d 1", "d/shard-000001.ledger"),
        (1, "shards run e 0", "e/plan.json"),
    ] {
        if !place.at(name).exists() {
            let made = Command::new("mkfifo").arg(place.at(name)).status();
            assert!(made.unwrap().success());
        }
        place.fails(code, arguments, &["not a regular file"]);
        let kind = place.at(name).metadata().unwrap();
        assert!(!kind.is_file() && !kind.is_dir(), "{name}");
    }
    std::os::unix::fs::symlink("f", place.at("link")).unwrap();
    place.stdout("count 8 --checkpoint link");
    assert!(place.at("link").is_symlink() && place.entries("f") > 0);
}

/// Wrong counts that fit together, as no accident makes them: only counting twice can tell.
#[rstest]
#[case("count 9 --engine bitboard --checkpoint a", "a")]
#[case("shards run d 0", "d/shard-000000.ledger")]
fn counting_twice_finds_wrong_counts_that_fit_together(#[case] count: &str, #[case] file: &str) {
    let place = Place::new();
    place.stdout("shards plan d 9 --shards 2 --engine bitboard");
    let twice = format!("{count} --double-check 100");
    place.stdout(count);
    let (text, _) = place.run(0, &twice);
    assert_says(&text, &["agree with their mirror images"]);
    let counted = || BTreeMap::from_iter(place.counts(file));
    let before = counted();
    // A solution moves from one subproblem to the next.
    let mut found = before.iter().skip_while(|(_, count)| **count == 0);
    let [lost, gained] = [found.next(), found.next()].map(Option::unwrap);
    let entry = |index: &u64, count: u64| format!("[{index},{count}]");
    let mut text = place.read(file);
    for ((index, count), wrong) in [(lost, lost.1 - 1), (gained, gained.1 + 1)] {
        text = resealed(&text, &entry(index, *count), &entry(index, wrong));
    }
    place.write(file, text);
    place.run(0, count);
    let (stdout, stderr) = place.run(4, &twice);
    assert_eq!(stdout, "");
    let wrong = format!("2 of {} subproblems", before.len());
    let index = format!("subproblem {} ", lost.0);
    let fault = "looks like a hardware fault";
    assert_says(&stderr, &[&wrong, &index, fault, "2 subproblems taken out"]);
    assert_eq!(counted().len(), before.len() - 2);
    place.run(0, &twice);
    assert_eq!(counted(), before);
}

/// Wrong counts with checksums that fit.
#[test]
fn a_wrong_total_is_not_printed() {
    let place = Place::new();
    let command = "count 9 --engine bitboard --checkpoint a";
    place.stdout(command);
    let good = place.read("a");
    let (begun, _) = good.split_at(good.find("{\"done\"").unwrap());
    let (index, count) = place.counts("a")[0];
    let [from, to] = [count, count + 2].map(|count| format!("[{index},{count}]"));
    place.write("a", resealed(begun, &from, &to));
    let (stdout, stderr) = place.run(4, command);
    assert_eq!(stdout, "");
    assert_says(&stderr, &["354", "352"]);
}
