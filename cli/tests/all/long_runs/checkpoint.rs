//! Counts that are interrupted, killed, or go on from damaged files.

use std::process::Command;
use std::time::Duration;

use fastrand::Rng;
use queens::store::Checkpoint;
use queens::{Counter, Engine, Ledger};

use super::super::program::{Place, assert_says, run};
use super::{engines, published};

/// A count that takes seconds, so that something can happen to it.
const SLOW: &str = "count 16 --engine bitboard --kernel reference --threads 2";

#[test]
fn a_count_leaves_a_file_that_says_what_was_counted() {
    let place = Place::new();
    for is_resumed in [false, true] {
        let text = place.stdout("count 10 --checkpoint ten.ckpt");
        assert_eq!(text.contains("earlier runs"), is_resumed, "{text}");
        assert_eq!(place.field("ten.ckpt", "solutions"), published(10));
        let all = place.field("ten.ckpt", "subproblems");
        assert_eq!(place.field("ten.ckpt", "done"), all);
        // Nodes were counted by no run, or by some: they are not reported as those of all.
        let reference = "--engine bitboard --symmetry mirror --kernel reference";
        let json = "--format json --output record";
        place.stdout(&format!("count 10 {reference} --checkpoint two {json}"));
        assert_eq!(place.field("record", "nodes").is_null(), is_resumed);
        // Boards without subproblems have nothing to save.
        for n in 0..=3 {
            let text = place.stdout(&format!("count {n} --quiet --checkpoint {n}.ckpt"));
            assert_eq!(text.trim(), published(n));
        }
    }
}

#[test]
fn a_second_process_is_refused() {
    let place = Place::new();
    let arguments = format!("{SLOW} --checkpoint a --checkpoint-every 0.01");
    let mut first = place.start(&arguments);
    while !place.at("a").exists() {
        assert!(first.try_wait().unwrap().is_none());
        std::thread::yield_now();
    }
    let (stdout, stderr) = place.run(2, &arguments);
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(stdout, "");
    assert_says(&stderr, &[&format!("process {}", first.id())]);
}

/// Starts a count, waits until `ready`, sends a signal, and expects that it ends with `code` and without a result: its
/// message.
#[cfg(unix)]
fn interrupted(
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
        let arguments = format!("{SLOW} --checkpoint a --checkpoint-every 0.01");
        let stderr = interrupted(&place, &arguments, signal, |_| place.at("a").exists());
        assert_says(&stderr, &["stopping"]);
        assert!(place.field("a", "done").as_u64().unwrap() > 0);
        let (_, command) = stderr.trim().rsplit_once("to resume: ").unwrap();
        assert!(command.ends_with(&arguments), "{command}");
        // As said, but with another kernel and other threads.
        let total = place.stdout("count 16 --engine bitboard --threads 3 --quiet --checkpoint a");
        assert_eq!(total.trim(), published(16));
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
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let mask = u64::from_str_radix(mask.unwrap().trim(), 16).unwrap();
        mask >> (15 - 1) & 1 == 1
    };
    for (arguments, says) in [(first, "nothing to save"), (&second, "nothing is saved")] {
        let place = Place::new();
        let stderr = interrupted(&place, arguments, ("TERM", 143), catches_signals);
        assert_says(&stderr, &[says, "stopped with "]);
        assert!(!place.at("out").exists());
    }
}

/// Killed at random moments, again and again, a count ends in the exact total.
#[test]
fn a_count_that_is_killed_goes_on() {
    let mut rng = Rng::with_seed(5);
    for engine in engines() {
        let place = Place::new();
        let kernels: Vec<_> = engine.available_kernels().collect();
        let mut kills = 0;
        loop {
            let (kernel, threads) = (rng.choice(&kernels).unwrap(), rng.u32(1..=4));
            let mut child = place.start(&format!(
                "count 16 --quiet --engine {engine} --kernel {kernel} --threads {threads} \
                 --checkpoint a --checkpoint-every 0.005"
            ));
            if kills < 8 {
                std::thread::sleep(Duration::from_micros(rng.u64(..80_000)));
                let _ = child.kill(); // it may have ended
            }
            let output = child.wait_with_output().unwrap();
            assert!(!String::from_utf8_lossy(&output.stderr).contains("damaged"));
            if output.status.code().is_some() {
                let total = String::from_utf8(output.stdout).unwrap();
                assert_eq!(total.trim(), published(16), "{engine} after {kills} kills");
                assert_eq!(place.field("a", "solutions"), published(16));
                break;
            }
            kills += 1;
        }
    }
}

/// A process that may write no file at all gets an error for every write, as on a full disk.
#[cfg(unix)]
#[test]
fn on_a_full_disk_the_last_good_file_is_kept() {
    let place = Place::new();
    let prepared = Counter::new(12).unwrap().prepare().unwrap();
    save(&place, &Ledger::new(prepared.plan()), &prepared);
    let before = place.read("a");
    let script = "ulimit -f 0; exec \"$0\" count 12 --quiet --checkpoint a";
    let mut limited = Command::new("sh");
    limited.args(["-c", script, env!("CARGO_BIN_EXE_queens")]);
    let (total, stderr) = run(0, limited.current_dir(place.at("")));
    assert_eq!(total.trim(), published(12));
    assert_says(&stderr, &["could not be saved", "complete nevertheless"]);
    assert!(place.read("a") == before && !place.at("a.tmp").exists());
}

/// Saves a ledger. In a folder of its own: while another test starts a process, that process holds for a moment whatever
/// locks this one has.
fn save(place: &Place, ledger: &Ledger, run: &queens::Run<'_>) {
    let folder = Place::new();
    let (checkpoint, ..) = Checkpoint::open(&folder.at("a"), run.plan()).unwrap();
    checkpoint.save(ledger, Duration::ZERO).unwrap();
    place.write("a", folder.read("a"));
}

/// Damages a file in one of its bytes, or cuts it to half, and gives what is in it then.
pub(super) fn damage(place: &Place, name: &str, flipped: Option<usize>) -> Vec<u8> {
    let mut bytes = place.read(name).into_bytes();
    match flipped {
        Some(position) => bytes[position] ^= 1,
        None => bytes.truncate(bytes.len() / 2),
    }
    place.write(name, &bytes);
    bytes
}

/// That every flipped bit and every cut is seen is tested where files are read.
pub(super) const DAMAGES: [Option<usize>; 3] = [Some(0), Some(100), None];

#[test]
fn a_damaged_checkpoint_gives_way_to_the_previous() {
    for flipped in DAMAGES {
        let place = Place::new();
        place.stdout("count 8 --checkpoint a");
        place.write("a.previous", place.read("a"));
        let damaged = damage(&place, "a", flipped);
        let (stdout, stderr) = place.run(0, "count 8 --quiet --checkpoint a");
        assert_eq!(stdout.trim(), published(8));
        assert!(stderr.contains("previous checkpoint"), "{stderr}");
        assert_eq!(std::fs::read(place.at("a.damaged")).unwrap(), damaged);
        // With no previous one it is counted from the start, or refused, if nothing says that it ever was a checkpoint.
        place.write("b", &damaged);
        let code = if flipped == Some(0) { 2 } else { 0 };
        place.run(code, "count 8 --quiet --checkpoint b");
    }
}

#[test]
fn what_is_not_ours_beside_a_checkpoint_is_left_alone() {
    for is_beside_a_good_one in [false, true] {
        let names = ["a", "a.previous", "a.lock", "a.tmp"];
        // In the place of the good one it would not be beside it.
        for name in &names[usize::from(is_beside_a_good_one)..] {
            let place = Place::new();
            if is_beside_a_good_one {
                place.stdout("count 8 --checkpoint a");
            }
            place.write(name, "Dear diary");
            let before = place.files();
            place.fails(2, "count 8 --checkpoint a", &[&format!("'{name}'")]);
            assert_eq!(place.files(), before, "{name}");
        }
    }
    // What a killed process left is no obstacle.
    let place = Place::new();
    for left in ["", "{\n  \"queens\": \"check", "\0\0\0"] {
        place.write("a.tmp", left);
        place.write("a.lock", left.replace('{', "process "));
        place.stdout("count 8 --quiet --checkpoint a");
        assert_eq!(place.field("a", "solutions"), published(8));
        std::fs::remove_file(place.at("a")).unwrap();
    }
}

/// A pipe stands for all that is no regular file; a link shares the lock of its file.
#[cfg(unix)]
#[test]
fn pipes_are_neither_read_nor_replaced_and_links_are_followed() {
    let place = Place::new();
    place.stdout("plan d 8 --shards 2");
    std::fs::create_dir(place.at("e")).unwrap();
    for (code, arguments, name) in [
        (2, "count 8 --checkpoint a", "a"),
        (2, "count 8 --checkpoint b", "b.previous"),
        (2, "count 8 --checkpoint c", "c.lock"),
        (4, "merge d", "d/shard-000001.json"),
        (1, "shard e 0", "e/plan.json"),
    ] {
        let made = Command::new("mkfifo").arg(place.at(name)).status();
        assert!(made.unwrap().success());
        place.fails(code, arguments, &["not a regular file"]);
        let kind = place.at(name).metadata().unwrap();
        assert!(!kind.is_file() && !kind.is_dir(), "{name}");
    }
    std::os::unix::fs::symlink("f", place.at("link")).unwrap();
    place.stdout("count 8 --checkpoint link");
    assert!(place.at("link").is_symlink() && place.at("f.lock").exists());
    assert!(!place.at("link.lock").exists());
}

/// Counts in a file that are wrong but fit together, as no accident makes them: only counting twice can tell.
#[test]
fn counting_twice_finds_wrong_counts_that_fit_together() {
    let place = Place::new();
    let plain = "count 10 --engine bitboard --checkpoint a --quiet";
    place.stdout(plain);
    let counter = Counter::new(10).unwrap().engine(Engine::Bitboard);
    let prepared = counter.prepare().unwrap();
    let plan = prepared.plan();
    let (_, ledger, _) = Checkpoint::open(&place.at("a"), plan).unwrap();
    let mut counts: Vec<_> = (0..plan.len()).map(|i| ledger.get(i).unwrap()).collect();
    let forge = |counts: &[u64]| {
        let entries = counts.iter().copied().enumerate();
        let ledger = Ledger::resumed_from(plan, entries, Duration::ZERO).unwrap();
        save(&place, &ledger, &prepared);
    };
    counts[3] += 2;
    forge(&counts);
    place.run(4, plain); // the total contradicts the published one

    *counts[4..].iter_mut().find(|count| **count >= 2).unwrap() -= 2;
    forge(&counts);
    place.run(0, plain); // the total is right, though two of its parts are not
    let twice = format!("{plain} --double-check 100");
    let fault = "looks like a hardware fault";
    let (stdout, stderr) = place.run(4, &twice);
    assert_eq!(stdout, "");
    assert_says(&stderr, &["2 of 36 subproblems", "subproblem 3 ", fault]);
    // The file no longer holds them, nor does the previous one.
    for name in ["a", "a.previous"] {
        assert_eq!(place.field(name, "done"), 34, "{name}");
    }
    place.run(0, &twice);
}

/// A checkpoint of version 0.1.0 is still read.
#[test]
fn a_checkpoint_of_an_older_version_opens() {
    let place = Place::new();
    place.fixture("saved/eight.ckpt", "eight.ckpt");
    let text = place.stdout("count 8 --engine bitboard --checkpoint eight.ckpt");
    assert!(text.contains("earlier runs"), "{text}");
}
