//! Reports that cannot be written. A total that was counted is never lost, and a verdict is kept.

use std::io;

use rstest::rstest;

use super::program::{Place, assert_contains, queens, run};
#[cfg(target_os = "linux")]
use super::program::{Running, in_shell};

/// Runs the program with standard output on a device without space.
#[cfg(target_os = "linux")]
#[rstest]
#[case("14", &["Q(14) = 365,596", "verified"])]
#[case("14 --quiet", &["365,596"])]
#[case("8 --format json --queen c5", &["N = 8, queen c5: "])]
#[case("8 --shard 1/2", &["N = 8, shard 1/2: "])]
#[case("table 8-9 --format csv", &["Q(8) = 92"])]
#[case("merge a", &["Q(14) = 365,596", "verified"])]
fn totals_go_to_standard_error(#[case] arguments: &str, #[case] says: &[&str]) {
    let place = Place::new();
    if arguments.starts_with("merge") {
        place.stdout("14 --checkpoint a");
    }
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let (_, stderr) = run(1, queens(arguments, &place.at("")).stdout(full));
    assert_contains(&stderr, says);
    assert_contains(&stderr, &["standard output", "No space left"]);
}

/// A closed pipe ends the output, but the exit code of a check is its verdict.
#[cfg(unix)]
#[rstest]
#[case(0, "check 1,3,0,2")]
#[case(1, "check 0,1,2,3")]
#[case(0, "table 1-12")]
#[case(0, "--help")]
#[case(0, "solve 13 --all --format board")]
fn exit_codes_survive_a_broken_pipe(#[case] code: i32, #[case] arguments: &str) {
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    let (_, stderr) = run(code, queens(arguments, &Place::new().at("")).stdout(writer));
    assert_eq!(stderr.is_empty(), code == 0, "{stderr}");
}

/// A lack of file descriptors is neither a wrong argument nor a reason to advise another file.
#[cfg(target_os = "linux")]
#[test]
fn too_few_descriptors_are_not_blamed_on_files() {
    let place = Place::new();
    let mut refused = false;
    for limit in 3.. {
        let count = "8 -q --checkpoint file --output total";
        let mut shell = in_shell(&place, &format!("ulimit -n {limit}"), count);
        let output = Running::start(&mut shell).output();
        let stderr = String::from_utf8(output.stderr).unwrap();
        match output.status.code() {
            Some(0) => break,
            // The shell or the dynamic loader needs descriptors too.
            _ if !stderr.starts_with("error: ") => {}
            code => {
                assert_eq!(code, Some(1), "{stderr}");
                assert_contains(&stderr, &["Too many open files"]);
                assert!(!stderr.contains("regular file"), "{stderr}");
                refused = true;
            }
        }
    }
    assert!(refused);
    assert_eq!(place.read("total"), "92\n");
}
