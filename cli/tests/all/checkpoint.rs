//! Counts with checkpoints that are interrupted, killed, or resumed from damaged files.

use std::fs;
#[cfg(target_os = "linux")]
use std::io::{BufRead, BufReader, Write};
#[cfg(target_os = "linux")]
use std::os::{fd::AsRawFd, unix::process::CommandExt};
use std::process::Command;
use std::time::Duration;

use fastrand::Rng;
use rstest::rstest;

use queens::{Board, Engine};

use super::program::{Place, assert_contains, published, resealed};
#[cfg(unix)]
use super::program::{Running, in_shell, queens, run};

/// Command for a count that takes much longer than its first subproblem, so that it can be
/// interrupted.
const SLOW: &str = "count 17 --engine bitboard --kernel reference --threads 1";

#[test]
fn a_completed_count_is_recorded_in_its_checkpoint() {
    let place = Place::new();
    for is_resumed in [false, true] {
        let (text, stderr) = place.run(0, "count 10 --checkpoint ten.ckpt");
        assert_eq!(text.contains("earlier runs"), is_resumed, "{text}");
        // A total that was saved has no rate.
        assert_eq!(text.contains("solutions/s"), !is_resumed, "{text}");
        assert_eq!(stderr, if is_resumed { "using the saved result\n" } else { "" });
        let sum: u64 = place.counts("ten.ckpt").iter().map(|(_, count)| count).sum();
        assert_eq!(sum.to_string(), published(10));
    }
    let (saved, _) = place.run(0, "count 10 --checkpoint ten.ckpt -f json");
    let saved: serde_json::Value = serde_json::from_str(&saved).unwrap();
    assert_eq!(saved["resumed_subproblems"], place.entries("ten.ckpt"));
    assert!(saved["resumed_seconds"].as_f64() <= saved["seconds"].as_f64());
    let damaged = place.read("ten.ckpt").replacen("\n1", "\n9", 1);
    place.write("ten.ckpt", damaged);
    let (text, stderr) = place.run(0, "count 10 --checkpoint ten.ckpt");
    assert_contains(&text, &["Q(10) = 724\n", "solutions/s"]);
    assert_contains(&stderr, &["has 1 damaged line"]);
    // These boards have no subproblems, so there is nothing to save.
    for n in [0, 1, 2, 3, 0, 1, 2, 3] {
        let text = place.stdout(&format!("count {n} --quiet --checkpoint {n}.ckpt"));
        assert_eq!(text.trim(), published(n));
    }
}

/// Starts a count, waits until `ready` returns `true` for its process, and disturbs it. The count
/// must exit with the given code and print no result. Returns standard error.
#[cfg(unix)]
fn disturbed(
    place: &Place,
    arguments: &str,
    code: i32,
    ready: impl Fn(u32) -> bool,
    disturb: impl FnOnce(&mut Running),
) -> String {
    let mut child = place.start(arguments);
    child.wait_for(ready);
    disturb(&mut child);
    let output = child.output();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    assert!(output.stdout.is_empty());
    stderr
}

/// Another kernel and number of threads may resume the count.
#[cfg(unix)]
#[rstest]
#[case("INT", 130, "", "Q(17) = 95,815,104\n")]
#[case("TERM", 143, "--shard 1/2", "N = 17, shard 1/2: ")]
fn an_interrupted_count_is_saved_and_can_be_resumed(
    #[case] signal: &str,
    #[case] code: i32,
    #[case] shard: &str,
    #[case] result: &str,
) {
    let place = Place::new();
    let (arguments, is_saved) =
        (format!("{SLOW} --checkpoint a {shard}"), |_| place.entries("a") > 0);
    let stderr = disturbed(&place, &arguments, code, is_saved, |child| child.send(signal));
    let done = format!("stopped with {} of ", place.entries("a"));
    let says = "saved in 'a'; run the same command again to resume";
    assert_contains(&stderr, &["stopping", &done, says]);
    let resume = format!("17 --engine bitboard --threads 3 --checkpoint a {shard}");
    let (text, stderr) = place.run(0, &resume);
    assert_contains(&stderr, &[&done.replace("stopped", "resuming"), "subproblems done in "]);
    assert_contains(&text, &[result]);
}

/// Returns the mask of signals in a field of the status of a process.
#[cfg(target_os = "linux")]
fn signals(process: u32, field: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix(field)).unwrap_or("0");
    u64::from_str_radix(mask.trim(), 16).unwrap()
}

/// Whether the process handles Ctrl-C (signal 2) and SIGTERM (15).
#[cfg(target_os = "linux")]
fn handles_signals(process: u32) -> bool {
    let both = 1 << 1 | 1 << 14;
    signals(process, "SigCgt:") & both == both
}

/// `nohup` ignores the signal that a terminal sends when it is closed.
#[cfg(target_os = "linux")]
#[test]
fn a_count_outlives_its_terminal() {
    let place = Place::new();
    let mut shell = in_shell(&place, "trap '' HUP", &format!("{SLOW} --checkpoint a"));
    let mut child = Running::start(&mut shell);
    child.wait_for(handles_signals);
    assert!(signals(child.process().id(), "SigIgn:") & 1 == 1);
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
    let (arguments, is_saved) = (format!("{SLOW} --checkpoint d/a"), |_| place.entries("d/a") > 0);
    let stderr = disturbed(&place, &arguments, 1, is_saved, |_| change(&place));
    assert_eq!(place.entries("d/a"), 0);
    assert_contains(&stderr, &["error: the count was stopped: ", says]);
}

/// Ctrl-C and SIGTERM leave an older file as it was, for every command whose result would be a
/// part. Counts do not claim that results were saved. For N = 28, the first subproblems take days.
#[cfg(target_os = "linux")]
#[rstest]
#[case("solve 30 --all -f list -o old", "'old' is not replaced\n")]
#[case("solve 30 --limit 9999 --strategy backtrack -o old.html", "'old.html' is not replaced\n")]
#[case("tree 30 --all -o old.html", "'old.html' is not replaced\n")]
#[case("28 --engine bitboard --threads 1 --checkpoint a", "there is nothing to save yet")]
#[case("28 --engine bitboard --threads 1 -f text -o old", "; nothing was saved")]
fn a_signal_keeps_the_older_file(
    #[values(("INT", 130), ("TERM", 143))] (signal, code): (&str, i32),
    #[case] command: &str,
    #[case] says: &str,
) {
    let place = Place::new();
    ["old", "old.html"].iter().for_each(|name| place.write(name, "older"));
    let stderr = disturbed(&place, command, code, handles_signals, |child| child.send(signal));
    assert_contains(&stderr, &[says, "stopping"]);
    assert_eq!(["old", "old.html"].map(|name| place.read(name)), ["older"; 2]);
}

/// The totals of a table that is interrupted are not lost, although its file is not written.
#[cfg(target_os = "linux")]
#[test]
fn totals_of_an_interrupted_table_go_to_standard_error() {
    let place = Place::new();
    place.write("old.csv", "older");
    let has_row =
        |_| place.files().values().any(|text| text.ends_with(b"\n") && text.starts_with(b"n,"));
    let table = "table 8,24 --engine bitboard -o old.csv";
    let stderr = disturbed(&place, table, 130, has_row, |child| child.send("INT"));
    assert_contains(&stderr, &["Q(8) = 92 (verified", "'old.csv' is not replaced", "stopping"]);
    assert_eq!(place.read("old.csv"), "older");
}

/// Once the count is done, a first Ctrl-C cannot interrupt a program whose output nobody reads.
#[cfg(target_os = "linux")]
#[test]
fn a_second_signal_ends_the_program_at_once() {
    let place = Place::new();
    let (_reader, mut full) = std::io::pipe().unwrap();
    // SAFETY: the call has no memory effects.
    let size = unsafe { libc::fcntl(full.as_raw_fd(), libc::F_GETPIPE_SZ) };
    full.write_all(&vec![b' '; size.try_into().unwrap()]).unwrap();
    let mut command = queens("8 --engine bitboard --checkpoint a", &place.at(""));
    let mut child = Running::start(command.stdout(full));
    child.wait_for(|_| place.entries("a") == 21);
    let mut stderr = BufReader::new(child.process().stderr.take().unwrap());
    let mut line = String::new();
    child.send("INT");
    stderr.read_line(&mut line).unwrap();
    assert_eq!(line, "stopping; press Ctrl-C again to quit immediately\n");
    child.send("INT");
    assert_eq!(child.output().status.code(), Some(130));
}

/// A count that is repeatedly killed and resumed still reaches the exact total. It is killed when
/// the checkpoint has grown by a random number of bytes.
#[rstest]
#[case(8)]
#[ignore = "takes minutes"]
#[case(500)]
fn a_killed_count_can_be_resumed(#[case] most: u32) {
    let mut rng = Rng::with_seed(5);
    for engine in Engine::all_for(&Board::new(16).unwrap()) {
        let kernels: Vec<_> = engine.available_kernels().collect();
        let (mut kills, mut totals, mut place) = (0, 0, Place::new());
        while kills < most || totals == 0 {
            let (kernel, threads) = (rng.choice(&kernels).unwrap(), rng.u32(1..=4));
            let mut child = place.start(&format!(
                "count 16 --quiet --engine {engine} --kernel {kernel} --threads {threads} \
                 --checkpoint a"
            ));
            if kills < most {
                let length = || place.at("a").metadata().map_or(0, |file| file.len());
                let longest = 1 << rng.u32(..16);
                let enough = length() + rng.u64(..longest);
                while length() < enough && child.is_running() {
                    std::thread::sleep(Duration::from_micros(100));
                }
                let _ = child.process().kill(); // fails if the count has already ended
            }
            let output = child.output();
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
    let (whole, _) = text[..text.len() / 2].rsplit_once('\n').unwrap();
    place.write("a", format!("{whole}\n12 3"));
    let count = "count 12 --quiet --checkpoint a";
    let (total, stderr) = run(0, &mut in_shell(&place, "ulimit -f 0", count));
    assert_eq!(total.trim(), published(12));
    assert_contains(&stderr, &["File too large", "itself is complete"]);
    assert!(!stderr.contains("another program"), "{stderr}");
    assert!(place.read("a").starts_with(whole));
    assert_eq!(place.stdout("count 12 --quiet --checkpoint a").trim(), published(12));
    // A shard without its file has to be counted again. A part of a line frees its space.
    let shard = "count 14 --shard 1/2 --checkpoint b";
    let (_, stderr) = run(1, &mut in_shell(&place, "ulimit -f 1", shard));
    assert_contains(&stderr, &["error: 'b' cannot be used: File too large"]);
    assert!(place.read("b").ends_with('\n'));
    let (_, stderr) = run(1, &mut in_shell(&place, "ulimit -f 0", "8 --checkpoint new"));
    assert_contains(&stderr, &["--checkpoint: 'new' cannot be used: File too large"]);
}

/// A failing save is repeated, and its success is reported.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_no_longer_full_is_reported() {
    let place = Place::new();
    let mut child = place.start(&format!("{SLOW} --checkpoint a"));
    child.wait_for(|_| place.entries("a") > 0);
    let id = child.process().id() as i32;
    let mut stderr = BufReader::new(child.process().stderr.take().unwrap()).lines();
    let failing = (0, "File too large (os error 27) (will retry)");
    for (size, says) in [failing, (libc::RLIM_INFINITY, "'a' could be saved again"), failing] {
        let limit = libc::rlimit { rlim_cur: size, rlim_max: libc::RLIM_INFINITY };
        // SAFETY: the limit is only read.
        let set = unsafe { libc::prlimit(id, libc::RLIMIT_FSIZE, &limit, std::ptr::null_mut()) };
        assert_eq!(set, 0);
        let line = stderr.next().unwrap().unwrap();
        assert!(line.ends_with(says), "{line}");
    }
}

/// Makes a system call fail in a program, by a filter that the kernel asks at each call.
#[cfg(target_os = "linux")]
fn without(call: i64, error: i32, command: &mut Command) -> &mut Command {
    let jump = |code, k, jf| libc::sock_filter { code, jt: 0, jf, k };
    let filter = [
        jump((libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16, 0, 0), // the number of the call
        jump((libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16, call as u32, 1),
        jump((libc::BPF_RET | libc::BPF_K) as u16, libc::SECCOMP_RET_ERRNO | error as u32, 0),
        jump((libc::BPF_RET | libc::BPF_K) as u16, libc::SECCOMP_RET_ALLOW, 0),
    ];
    let install = move || {
        let filter = libc::sock_fprog { len: 4, filter: filter.as_ptr().cast_mut() };
        let filter = std::ptr::from_ref(&filter);
        // SAFETY: the kernel copies the filter, which lives until the call returns.
        let failed = unsafe {
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
                | libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, filter)
        };
        if failed == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
    };
    // SAFETY: the function makes system calls, and does not allocate.
    unsafe { command.pre_exec(install) }
}

/// Some network file systems have no locks. A report replaces an older one only once it is synced.
#[cfg(target_os = "linux")]
#[rstest]
#[case("8 --checkpoint a", libc::SYS_flock, libc::ENOLCK, 0, &["'a' cannot be locked (No locks available", "no other process"])]
#[case("8 -f text -o old", libc::SYS_fsync, libc::EIO, 1, &["Q(8) = 92", "'old': Input/output error"])]
fn missing_locks_and_syncs_are_reported(
    #[case] arguments: &str,
    #[case] call: i64,
    #[case] error: i32,
    #[case] code: i32,
    #[case] says: &[&str],
) {
    let place = Place::new();
    place.write("old", "older");
    let mut count = queens(arguments, &place.at(""));
    assert_contains(&run(code, without(call, error, &mut count)).1, says);
    assert_eq!(place.read("old"), "older");
}

/// The pipe stands for any file that is not a regular file. Opening one without a writer would wait
/// for it. A symbolic link shares the lock of its target.
#[cfg(unix)]
#[test]
fn pipes_are_rejected_and_links_are_followed() {
    let place = Place::new();
    assert!(Command::new("mkfifo").arg(place.at("pipe")).status().unwrap().success());
    for command in
        ["8 --checkpoint pipe", "merge pipe", "merge .", "8 -o pipe", "bench --compare pipe"]
    {
        place.fails(2, command, &["pipe'", "accepted"]);
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
