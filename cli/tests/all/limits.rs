//! Limits of threads and memory, and what a terminal shows: progress, but no control characters.

use std::fs::File;
use std::io::{BufReader, Read};
use std::os::fd::FromRawFd;
use std::process::Stdio;

use rstest::rstest;

use super::program::{Place, Running, assert_contains, in_shell, queens, resealed, run};

/// The address space is too small for the stacks of all threads. They are so large that when one
/// does not fit, enough memory is left for the threads already started.
#[rstest]
fn threads_that_cannot_be_started_are_reported(#[values("count", "estimate")] command: &str) {
    let before = "export RUST_MIN_STACK=100000000; ulimit -v 1000000";
    let command = format!("{command} 10 --threads 50");
    let (_, message) = run(1, &mut in_shell(&Place::new(), before, &command));
    assert_contains(&message, &["error: --threads: cannot start threads (50 needed)"]);
    assert_eq!(message.lines().count(), 1, "{message}");
}

/// Others may use the cores that the process may not.
#[test]
fn threads_are_as_many_as_the_cores_of_the_process() {
    let first = r"sed -n 's/Cpus_allowed_list:\s*\([0-9]*\).*/\1/p' /proc/self/status";
    let one_core = format!("taskset -cp $({first}) $$ >&2");
    let (text, _) = run(0, &mut in_shell(&Place::new(), &one_core, "14 --format json"));
    assert_contains(&text, &["\"threads\": 1,"]);
}

/// The smallest accepted limit is the one that the refusal of a lower one names. The peak includes
/// the program itself, which is 3 MiB larger if it is not optimized.
#[rstest]
fn resident_memory_stays_below_the_limit(
    #[values((8, 1), (14, 2), (15, 1), (16, 2))] (n, threads): (u32, usize),
    #[values("bitboard", "join")] engine: &str,
) {
    let place = Place::new();
    let count = format!("count {n} --engine {engine} --threads {threads} --memory");
    let refusal = place.fails(1, &format!("{count} 1B"), &["not enough memory: "]);
    let (_, least) = refusal.split_once("not enough memory: ").unwrap();
    let least: u64 = least.split_once(" MiB needed").unwrap().0.parse().unwrap();
    let mut child = place.start(&format!("{count} {least}MiB"));
    let (status, mut peak) = (format!("/proc/{}/status", child.process().id()), 0);
    while child.is_running() {
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        if let Some((_, kib)) = status.split_once("VmHWM:") {
            peak = kib.split_whitespace().next().unwrap().parse().unwrap();
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    assert!(child.output().status.success());
    let allowed = least + if cfg!(debug_assertions) { 3 } else { 0 };
    assert!(peak <= 1024 * allowed, "{peak} KiB, {least} MiB allowed");
}

/// Control characters may come from names and contents of files.
#[test]
fn control_characters_are_not_printed() {
    let place = Place::new();
    place.stdout("8 --checkpoint a");
    let saved = place.read("a");
    let time = saved.lines().last().unwrap().rsplit_once(' ').unwrap().0;
    let forged = resealed(&saved, time, "time \u{1b}[2J\u{9b}2J");
    place.write("a", forged);
    place.write("\x1b[2J", "Dear diary");
    let unusual =
        ["merge a", "8 --checkpoint \x1b[2J", "8 --checkpoint \u{9b}2J/a", "check \x1b[2J"];
    for arguments in unusual {
        let (stdout, stderr) = place.run(2, arguments);
        let text = (stdout + &stderr).replace('\n', "");
        assert!(!text.contains(char::is_control), "{text:?}");
    }
    let long = format!("check {}", "x".repeat(100_000));
    assert!(place.fails(2, &long, &["'xxx"]).len() < 500);
}

/// Opens a pseudo-terminal and returns both sides: that of the user and that of programs.
fn pseudo_terminal(columns: u16) -> [File; 2] {
    let (mut user, mut program) = (-1, -1);
    let null = std::ptr::null_mut::<libc::c_void>();
    let size = libc::winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: this opens two file descriptors, which nothing else owns.
    unsafe {
        let size = std::ptr::from_ref(&size).cast_mut();
        assert_eq!(libc::openpty(&mut user, &mut program, null.cast(), null.cast(), size), 0);
        // A program that inherited it would wait for itself to read.
        assert_eq!(libc::fcntl(user, libc::F_SETFD, libc::FD_CLOEXEC), 0);
        [user, program].map(|opened| File::from_raw_fd(opened))
    }
}

/// In a narrow terminal, progress is one line, which is erased before it is drawn again.
#[rstest]
#[case(20, "solve 64 --all --queen a1 --strategy backtrack")]
#[case(35, "20 --threads 1 --checkpoint a")]
#[case(50, "bench --size 13 --threads 1")]
fn progress_is_one_line(#[case] columns: u16, #[case] command: &str) {
    const ERASE: &str = "\u{1b}[2K";
    let (place, [terminal, stderr]) = (Place::new(), pseudo_terminal(columns));
    let mut program = queens(command, &place.at(""));
    program.env("TERM", "xterm").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(stderr);
    let _child = Running::start(&mut program);
    let (mut terminal, mut bytes) = (BufReader::new(terminal).bytes(), Vec::new());
    let mut text = String::new();
    while text.rsplit(ERASE).filter(|line| line.trim().len() > 8).count() <= 2 {
        bytes.push(terminal.next().unwrap().unwrap());
        text = String::from_utf8_lossy(&bytes).into_owned();
    }
    let drawn = text.split(ERASE).skip(1);
    for line in drawn.filter_map(|line| line.split(['\r', '\n', '\u{1b}']).next()) {
        assert!(line.chars().count() <= columns.into(), "{line:?} in {text:?}");
    }
    assert!(!text.contains("\u{1b}[1A"), "several lines: {text:?}");
    assert!(!command.contains("checkpoint") || text.contains(" %"), "{text:?}");
}
