//! Counts with checkpoints that are interrupted, killed, or resumed from damaged files.

use std::fs;
use std::process::Command;

use fastrand::Rng;
use rstest::rstest;

use super::super::program::{Place, assert_contains, resealed, run};
use super::{engines, published};

/// Command for a count that takes much longer than its first subproblem, so that it can be
/// interrupted.
const SLOW: &str = "count 17 --engine bitboard --kernel reference --threads 1";

#[test]
fn a_completed_count_is_recorded_in_its_checkpoint() {
    let place = Place::new();
    for is_resumed in [false, true] {
        let (text, stderr) = place.run(0, "count 10 --checkpoint ten.ckpt");
        assert_eq!(text.contains("earlier runs"), is_resumed, "{text}");
        assert_eq!(stderr, if is_resumed { "using the saved result\n" } else { "" });
        let sum: u64 = place.counts("ten.ckpt").iter().map(|(_, count)| count).sum();
        assert_eq!(sum.to_string(), published(10));
    }
    let damaged = place.read("ten.ckpt").replacen("\n1", "\n9", 1);
    place.write("ten.ckpt", damaged);
    let (total, stderr) = place.run(0, "count 10 --quiet --checkpoint ten.ckpt");
    assert_eq!(total.trim(), published(10));
    assert_contains(&stderr, &["has 1 damaged line"]);
    // These boards have no subproblems, so there is nothing to save.
    for n in 0..=3 {
        for _ in 0..2 {
            let text = place.stdout(&format!("count {n} --quiet --checkpoint {n}.ckpt"));
            assert_eq!(text.trim(), published(n));
        }
    }
}

/// Starts a count, waits until `ready` returns `true` for its process, and sends a signal. The
/// count must exit with the given code and print no result. Returns standard error.
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
fn an_interrupted_count_is_saved_and_can_be_resumed() {
    let place = Place::new();
    let arguments = format!("{SLOW} --checkpoint a --checkpoint-every 0.1");
    let stderr = interrupted(&place, &arguments, ("INT", 130), |_| place.entries("a") > 0);
    assert_contains(&stderr, &["stopping"]);
    let done = format!("stopped with {} of ", place.entries("a"));
    assert_contains(&stderr, &[&done, "saved in 'a'; run the same command again to resume"]);
    // Another kernel and number of threads may resume it.
    let (text, stderr) = place.run(0, "17 --engine bitboard --threads 3 --checkpoint a");
    assert_contains(&stderr, &[&done.replace("stopped", "resuming"), "subproblems done in "]);
    assert_contains(&text, &["Q(17) = 95,815,104\n"]);
}

/// The time limit saves results as a signal does. Both counts take minutes.
#[rstest]
#[case("shards run d 1", "d/shard-000001.ledger")]
fn a_count_is_saved_at_its_time_limit(#[case] count: &str, #[case] file: &str) {
    let place = Place::new();
    place.stdout("shards plan d 22 --shards 2 --engine join");
    let limited = |time: &str| {
        let (stdout, stderr) = place.run(1, &format!("{count} --timeout {time}"));
        assert_eq!(stdout, "");
        stderr
    };
    let stderr = limited("0.000000001");
    if place.entries(file) == 0 {
        assert_contains(&stderr, &["error: --timeout: stopped with 0 of ", "nothing to save yet"]);
    }
    // On a slow machine, the first subproblems take long.
    let mut seconds = 0.1;
    while place.entries(file) == 0 {
        limited(&seconds.to_string());
        seconds *= 2.0;
    }
    let done = place.entries(file);
    let stderr = limited("0.01");
    let resumed = format!("resuming with {done} of ");
    assert_contains(&stderr, &[&resumed, &format!("saved in '{file}'")]);
    let saved = format!("--timeout: stopped with {} of ", place.entries(file));
    assert_contains(&stderr, &[&saved]);
    assert!(place.entries(file) >= done);
}

/// Other programs truncate or remove the checkpoint while the count is running. The count stops at
/// the next save, because later results could not be resumed from.
#[rstest]
#[case(|place: &Place| place.write("d/a", ""), "'d/a' was changed by another program")]
#[case(|place: &Place| fs::remove_file(place.at("d/a")).unwrap(), "'d/a' was removed by another program")]
#[case(|place: &Place| fs::remove_dir_all(place.at("d")).unwrap(), "'d/a' was removed by another program")]
#[cfg(unix)]
fn a_checkpoint_changed_by_others_stops_the_count(#[case] change: fn(&Place), #[case] says: &str) {
    let place = Place::new();
    fs::create_dir(place.at("d")).unwrap();
    let child = place.start(&format!("{SLOW} --checkpoint d/a --checkpoint-every 0.05"));
    while place.entries("d/a") == 0 {
        std::thread::yield_now();
    }
    change(&place);
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(output.stdout.is_empty() && place.entries("d/a") == 0);
    assert_contains(&stderr, &["error: the count was stopped: ", says]);
}

/// The message does not claim that results were saved if there are none yet, or if there is no
/// checkpoint.
#[cfg(target_os = "linux")]
#[test]
fn unsaved_results_are_not_reported_as_saved() {
    // At N = 28, the first subproblems take days.
    let first = "count 28 --engine bitboard --kernel reference --threads 1 --checkpoint a";
    let second = format!("{SLOW} --output out");
    let catches_signals = |process| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let mask = u64::from_str_radix(mask.unwrap().trim(), 16).unwrap();
        mask >> (2 - 1) & 1 == 1
    };
    for (arguments, says) in [(first, "nothing to save"), (&second, "nothing was saved")] {
        let place = Place::new();
        let stderr = interrupted(&place, arguments, ("INT", 130), catches_signals);
        assert_contains(&stderr, &[says, "stopped with "]);
        assert!(!place.at("out").exists());
    }
}

/// Ctrl-C leaves an older file as it was, for every command whose result would be a part.
#[cfg(target_os = "linux")]
#[rstest]
#[case("solve 30 --all -f list -o old")]
#[case("solve 30 --limit 9999 --strategy backtrack -f html -o old")]
#[case("trace 30 --all -o old")]
#[case("tree 30 --all -o old.html")]
#[case("table 1-24 --engine bitboard -o old")]
fn an_interrupt_keeps_the_older_file(#[case] command: &str) {
    let place = Place::new();
    let (_, name) = command.rsplit_once(' ').unwrap();
    place.write(name, "older");
    let handles_interrupts = |process| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let signals = status.split_once("SigCgt:").unwrap_or_default().1;
        let signals = signals.split_whitespace().next().unwrap_or_default();
        // SIGINT is signal 2, which has bit 1.
        u64::from_str_radix(signals, 16).is_ok_and(|signals| signals & 1 << 1 != 0)
    };
    let stderr = interrupted(&place, command, ("INT", 130), handles_interrupts);
    assert_contains(&stderr, &[&format!("'{name}' is not replaced\n"), "stopping"]);
    assert_eq!(place.read(name), "older");
}

/// A count that is repeatedly killed and resumed still reaches the exact total. It is killed when
/// the checkpoint has grown by a random number of bytes.
#[rstest]
#[case(8)]
#[ignore = "takes minutes"]
#[case(500)]
fn a_killed_count_can_be_resumed(#[case] most: u32) {
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
                let length = || place.at("a").metadata().map_or(0, |file| file.len());
                let longest = 1 << rng.u32(..16);
                let enough = length() + rng.u64(..longest);
                while length() < enough && child.try_wait().unwrap().is_none() {
                    std::thread::yield_now();
                }
                let _ = child.kill(); // fails if the count has already ended
            }
            let output = child.wait_with_output().unwrap();
            assert!(!String::from_utf8_lossy(&output.stderr).contains("damaged"));
            if output.status.code().is_none() {
                kills += 1;
                continue;
            }
            let total = String::from_utf8(output.stdout).unwrap();
            assert_eq!(total.trim(), published(16), "{engine} after {kills} kills");
            let sum: u64 = place.counts("a").iter().map(|(_, count)| count).sum();
            assert_eq!(sum.to_string(), published(16));
            (totals, place) = (totals + 1, Place::new());
        }
        eprintln!("{engine}: {kills} kills, {totals} totals");
    }
}

/// A file size limit of zero makes every write fail, as on a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_neither_stops_a_count_nor_loses_saved_results() {
    let place = Place::new();
    place.stdout("count 12 --checkpoint a");
    let text = place.read("a");
    place.write("a", &text[..text.len() / 2]);
    let (whole, _) = text[..text.len() / 2].rsplit_once('\n').unwrap();
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" count 12 --quiet --checkpoint a";
    let mut limited = Command::new("sh");
    limited.args(["-c", script, env!("CARGO_BIN_EXE_queens")]);
    let (total, stderr) = run(0, limited.current_dir(place.at("")));
    assert_eq!(total.trim(), published(12));
    assert_contains(&stderr, &["File too large", "itself is complete"]);
    assert!(place.read("a").starts_with(whole));
    assert_eq!(place.stdout("count 12 --quiet --checkpoint a").trim(), published(12));
}

/// A count that runs out of memory ends with an error, and its completed subproblems are saved. The
/// address space is increased until the count gets that far. With even less, the process cannot
/// start or aborts.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "a process with hardly enough memory to start may hang"]
fn a_count_that_runs_out_of_memory_is_saved() {
    for kib in (16_000..).step_by(500) {
        let place = Place::new();
        let count = "count 18 --engine join --threads 1 --checkpoint a --checkpoint-every 0.001";
        let script = format!("ulimit -v {kib}; exec \"$0\" {count}");
        let mut limited = Command::new("sh");
        limited.args(["-c", &script, env!("CARGO_BIN_EXE_queens")]).current_dir(place.at(""));
        let output = limited.output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_ne!(output.status.code(), Some(0), "it never ran out of memory");
        if output.status.code() == Some(1) && place.entries("a") > 0 {
            assert!(output.stdout.is_empty());
            let done = format!("stopped with {} of ", place.entries("a"));
            return assert_contains(&stderr, &["not enough memory", &done, "saved in 'a'"]);
        }
    }
}

/// The pipe stands for any file that is not a regular file. A symbolic link shares the lock of its
/// target.
#[cfg(unix)]
#[test]
fn pipes_are_rejected_and_links_are_followed() {
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

/// The wrong count has a valid checksum.
#[test]
fn a_wrong_total_is_not_printed() {
    let place = Place::new();
    let command = "count 9 --engine bitboard --checkpoint a";
    place.stdout(command);
    let (index, count) = place.counts("a")[0];
    let [from, to] = [count, count + 2].map(|count| format!("{index} {count}"));
    place.write("a", resealed(&place.read("a"), &from, &to));
    let (stdout, stderr) = place.run(4, command);
    assert_eq!(stdout, "");
    assert_contains(&stderr, &["354", "352"]);
}
