//! Streams that are closed, full or endless. A total that was counted is never lost, and a verdict
//! is kept.

use std::io;

use rstest::rstest;

use super::program::{Place, assert_contains, in_shell, queens, run};

/// Output that cannot be written is a failure, and totals go to standard error.
#[rstest]
#[case("14", "Q(14) = 365,596 (verified")]
#[case("14 --quiet", "365,596")]
#[case("8 --format json --queen c5", "N = 8, queen c5: ")]
#[case("8 --shard 1/2", "N = 8, shard 1/2: ")]
#[case("table 8-9 --format csv", "Q(8) = 92")]
#[case("merge ledger", "Q(8) = 92 (verified")]
#[case("bench --size 8 --runs 1", "")]
#[case("check 1,3,0,2", "")]
#[case("--version", "")]
#[case("--help", "")]
fn totals_go_to_standard_error(
    #[values((">/dev/full", "No space left on device"), (">&-", "closed"))] full: (&str, &str),
    #[case] arguments: &str,
    #[case] total: &str,
) {
    let place = Place::new();
    if arguments.starts_with("merge") {
        place.stdout("8 --checkpoint ledger");
    }
    let (_, stderr) = run(1, &mut in_shell(&place, "true", &format!("{arguments} {}", full.0)));
    assert_contains(&stderr, &[total]);
    let last = stderr.trim_end().lines().last().unwrap();
    assert!(last.starts_with("error: standard output: ") && last.contains(full.1), "{stderr}");
}

/// A full standard error does not change the exit code.
#[rstest]
fn exit_codes_survive_a_full_disk(#[values("8 --checkpoint nowhere/a", "count x")] count: &str) {
    run(2, &mut in_shell(&Place::new(), "true", &format!("{count} 2>/dev/full")));
}

/// A benchmark that cannot be saved is printed.
#[test]
fn a_benchmark_survives_a_full_disk() {
    let bench = "bench --size 8 --runs 1 --save saved.json";
    let (text, stderr) = run(1, &mut in_shell(&Place::new(), "ulimit -f 0", bench));
    assert_contains(&text, &["Score: "]);
    assert_contains(&stderr, &["error: --save", "File too large"]);
}

/// A closed pipe ends the output, but the exit code of a check is its verdict.
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

/// An endless line is rejected, and memory use stays bounded.
#[rstest]
#[case("true", "check <&-", &["standard input", "no board"])]
#[case("yes 'Q ' | tr -d '\\n' | (ulimit -v 300000", "check)", &["line 1: the block of this line is too long"])]
#[case("cat /dev/zero | (ulimit -v 300000", "check)", &["line 1: the block of this line is too long"])]
fn unreadable_input(#[case] before: &str, #[case] command: &str, #[case] says: &[&str]) {
    let (_, stderr) = run(2, &mut in_shell(&Place::new(), before, command));
    assert_contains(&stderr, says);
}

/// A lack of file descriptors is neither a wrong argument nor a reason to advise another file.
#[test]
fn too_few_descriptors_are_not_blamed_on_files() {
    let place = Place::new();
    let limited = |limit| {
        let count = "8 -q --checkpoint file --output total";
        in_shell(&place, &format!("ulimit -n {limit}"), count).output().unwrap()
    };
    let failed = (3..).map(limited).take_while(|output| !output.status.success());
    // The shell or the dynamic loader needs descriptors too.
    let failed: Vec<_> = failed.filter(|output| output.stderr.starts_with(b"error: ")).collect();
    assert!(!failed.is_empty());
    for output in failed {
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert_contains(&stderr, &["Too many open files"]);
        assert!(!stderr.contains("regular file"), "{stderr}");
    }
    assert_eq!(place.read("total"), "92\n");
}
