//! Interrupted and asked to terminate.
#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::{field, published, queens, run_to};

const N: u32 = 16;

/// A count that takes seconds, so that a signal meets it half-way.
const SLOW: &str = "count 16 --engine bitboard --kernel reference --threads 2";

/// Starts a count, waits until `ready`, sends a signal, and waits for the end.
fn interrupted(arguments: &str, signal: &str, folder: &Path, ready: impl Fn() -> bool) -> Output {
    let mut child = queens(arguments, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !ready() {
        assert!(child.try_wait().unwrap().is_none(), "it ended too early");
        std::thread::yield_now();
    }
    let kill = format!("kill -{signal} {}", child.id());
    assert!(
        Command::new("sh")
            .args(["-c", &kill])
            .status()
            .unwrap()
            .success()
    );
    child.wait_with_output().unwrap()
}

/// Whether a process catches interrupts yet, by its own word that its checkpoint is locked.
fn locked(folder: &Path) -> bool {
    std::fs::read_to_string(folder.join("a.lock")).is_ok_and(|text| text.ends_with('\n'))
}

#[test]
fn what_is_done_is_saved_and_the_count_goes_on() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        let arguments = format!("{SLOW} --checkpoint a --checkpoint-every 0.01");
        let saved = || file.exists();
        let output = interrupted(&arguments, signal, folder.path(), saved);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{stderr}");
        assert!(output.stdout.is_empty());
        assert!(stderr.contains("stopping"), "{stderr}");
        assert!(field(&file, "done").as_u64().unwrap() > 0);

        let (_, command) = stderr.trim().rsplit_once("to go on: ").unwrap();
        assert!(command.ends_with(&arguments), "{command}");
        // As said, but with another kernel and other threads.
        let arguments = format!("count {N} --engine bitboard --threads 3 --quiet --checkpoint a");
        let (total, _) = run_to(0, &arguments, folder.path());
        assert_eq!(total.trim(), published(N));
    }
}

#[test]
fn without_a_checkpoint_nothing_is_claimed() {
    let folder = tempfile::tempdir().unwrap();
    let output_file = folder.path().join("out");
    // The output file is opened once signals are caught.
    let arguments = format!("{SLOW} --output out");
    let output = interrupted(&arguments, "INT", folder.path(), || {
        std::fs::read_dir(folder.path()).unwrap().count() > 0
    });
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(output.stdout.is_empty() && !output_file.exists());
    assert!(stderr.contains("nothing is saved"), "{stderr}");
}

#[test]
fn an_interrupt_before_anything_is_done_saves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    // The first subproblems of this board take minutes.
    let arguments = "count 22 --engine bitboard --kernel reference --threads 1 --checkpoint a";
    let output = interrupted(arguments, "TERM", folder.path(), || locked(folder.path()));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(143), "{stderr}");
    assert!(stderr.contains("stopped with 0 of"), "{stderr}");
    assert!(stderr.contains("nothing to save"), "{stderr}");
    assert!(stderr.contains("to go on: "), "{stderr}");
}
