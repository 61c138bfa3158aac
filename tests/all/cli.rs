//! The binary end to end.

use std::fs;
use std::process::{Command, Stdio};

use predicates::prelude::*;
use queens::known::known;
use rstest::rstest;
use serde_json::Value;

use super::program::{queens, stdout};

#[test]
fn count_tells_the_total_and_how_it_came_about() {
    let text = stdout(&[
        "count",
        "12",
        "--threads",
        "2",
        "--kernel",
        "scalar",
        "--engine",
        "bitboard",
    ]);
    for part in ["Q(12) = 14,200\n", "verified", "A000170", "solutions/s"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(
        text.contains("engine bitboard, kernel scalar, symmetry eightfold, 2 threads (as asked)"),
        "{text}"
    );
}

#[test]
fn stats_tell_what_the_join_engine_did() {
    let text = stdout(&["count", "13", "--stats"]);
    assert!(text.contains("Q(13) = 73,712\n"), "{text}");
    for part in [
        "engine join",
        "row sets",
        "visits",
        "of 512 full",
        "scanning",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let json = stdout(&["count", "13", "--stats", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["row_sets"], 868);
    assert!(json["visits"].as_u64().unwrap() > 0);
    assert!(json["tables_seconds"].as_f64().unwrap() > 0.0);
    let plain = stdout(&["count", "13", "--format", "json"]);
    assert!(!plain.contains("row_sets"), "{plain}");
}

#[rstest]
#[case(&["--engine", "bitboard"], "no statistics")]
#[case(&["--format", "markdown"], "Markdown")]
fn stats_that_nobody_could_give_are_refused(#[case] more: &[&str], #[case] reason: &str) {
    let arguments = [&["count", "13", "--stats"], more].concat();
    queens(&arguments).code(2).stdout("").stderr(
        predicate::str::starts_with("error: --stats: ").and(predicate::str::contains(reason)),
    );
}

#[test]
fn memory_that_the_machine_has_not_got_is_named_and_refused() {
    queens(&["count", "24", "--engine", "join", "--threads", "4096"])
        .code(1)
        .stdout("")
        .stderr(predicate::str::contains("MiB of memory are needed"));
}

#[rstest]
#[case("0", "1\n")]
#[case("1", "1\n")]
#[case("2", "0\n")]
#[case("3", "0\n")]
#[case("10", "724\n")]
fn quiet_prints_the_bare_number(#[case] n: &str, #[case] printed: &str) {
    queens(&["count", n, "--quiet"])
        .success()
        .stdout(printed.to_owned())
        .stderr("");
}

#[test]
fn every_format_says_the_same() {
    let json: Value = serde_json::from_str(&stdout(&["count", "9", "--format", "json"])).unwrap();
    assert_eq!(json["n"], 9);
    assert_eq!(json["solutions"], "352");
    assert_eq!(json["fundamental"], "46");
    assert_eq!(json["check"], "verified");
    assert!(json["seconds"].as_f64().unwrap() > 0.0);
    for field in ["engine", "kernel", "version", "compiler", "cpu", "platform"] {
        assert!(json[field].is_string(), "{field} in {json}");
    }

    let csv = stdout(&["count", "9", "--format", "csv"]);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let names = reader.headers().unwrap().clone();
    let fields: Vec<&str> = json
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(names.iter().collect::<Vec<_>>(), fields);
    let row = reader.records().next().unwrap().unwrap();
    assert_eq!((&row[0], &row[1], &row[2]), ("9", "352", "46"));

    let markdown = stdout(&["count", "9", "--format", "markdown"]);
    let row = markdown.lines().nth(2).unwrap();
    let cells: Vec<_> = row.split('|').map(str::trim).collect();
    assert_eq!(cells[1..4], ["9", "352", "46"]);
}

#[test]
fn the_table_has_a_row_for_each_size() {
    let text = stdout(&["table", "1-10"]);
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows.len(), 11);
    assert_eq!(rows[0][..3], ["N", "Solutions", "Fundamental"]);
    for (n, row) in (1..).zip(&rows[1..]) {
        let known = known(n).unwrap();
        assert_eq!(row[0], n.to_string());
        assert_eq!(row[1], known.solutions.to_string());
        assert_eq!(row[2], known.fundamental.to_string());
        assert_eq!(row.last(), Some(&"verified"));
    }
    let ends: Vec<_> = text.lines().map(|line| line.chars().count()).collect();
    assert!(
        ends.iter().all(|&end| end == ends[0]),
        "the rows line up: {text}"
    );
}

#[test]
fn the_table_is_machine_readable_too() {
    let json: Value =
        serde_json::from_str(&stdout(&["table", "4,6,8", "--format", "json"])).unwrap();
    let sizes: Vec<_> = json
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["n"].as_u64().unwrap())
        .collect();
    assert_eq!(sizes, [4, 6, 8]);

    let csv = stdout(&["table", "4,6,8", "--format", "csv"]);
    let rows: Vec<_> = csv::Reader::from_reader(csv.as_bytes())
        .into_records()
        .map(Result::unwrap)
        .collect();
    let counts: Vec<_> = rows.iter().map(|row| row[1].to_owned()).collect();
    assert_eq!(counts, ["2", "4", "92"]);
}

#[test]
fn the_reference_times_are_the_published_ones() {
    let arguments = [
        "table",
        "6,12,16",
        "--reference",
        "--format",
        "json",
        "--engine",
        "bitboard",
    ];
    let json: Value = serde_json::from_str(&stdout(&arguments)).unwrap();
    assert_eq!(json[0]["reference_milliseconds"], 0);
    assert!(
        json[0]["reference_ratio"].is_null(),
        "nothing can be said of 0 ms"
    );
    assert_eq!(json[1]["reference_milliseconds"], 2198);
    let ratio = json[1]["reference_ratio"].as_f64().unwrap();
    let expected = 2.198 / json[1]["seconds"].as_f64().unwrap();
    assert!((ratio / expected - 1.0).abs() < 1e-4);
    assert!(
        json[2]["reference_milliseconds"].is_null(),
        "the guide ends at 15"
    );
}

#[test]
fn a_file_gets_the_result_and_nothing_else_does() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("result.json");
    fs::write(&file, "older").unwrap();
    queens(&[
        "count",
        "8",
        "--format",
        "json",
        "--output",
        file.to_str().unwrap(),
    ])
    .success()
    .stdout("")
    .stderr("");
    let json: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(json["solutions"], "92");
    let left: Vec<_> = fs::read_dir(&folder).unwrap().collect();
    assert_eq!(left.len(), 1, "no temporary file is left: {left:?}");
}

#[test]
fn progress_goes_to_standard_error_only() {
    // Long enough for a line or two; how many there are is not asked.
    let arguments = [
        "count",
        "13",
        "--kernel",
        "reference",
        "--engine",
        "bitboard",
    ];
    let always: Vec<_> = arguments
        .iter()
        .copied()
        .chain(["--quiet", "--progress", "always"])
        .collect();
    queens(&always).success().stdout("73712\n");
    let automatic: Vec<_> = arguments.iter().copied().chain(["--quiet"]).collect();
    queens(&automatic).success().stdout("73712\n").stderr("");
}

#[rstest]
#[case(&["count"], &["<N>"])]
#[case(&["count", "eight"], &["<N>", "'eight'", "0 to 32"])]
#[case(&["count", "-1"], &["<N>", "'-1'", "0 to 32"])]
#[case(&["count", "33"], &["<N>", "'33'", "0 to 32"])]
#[case(&["count", "99999999999999999999"], &["<N>", "0 to 32"])]
#[case(&["count", "8", "--threads", "0"], &["--threads", "'0'", "1 to 4096"])]
#[case(&["count", "8", "--threads", "many"], &["--threads", "'many'", "1 to 4096"])]
#[case(&["count", "8", "--threads", "-2"], &["--threads", "'-2'", "1 to 4096"])]
#[case(&["count", "8", "--engine", "steam"], &["--engine", "'steam'", "auto", "bitboard"])]
#[case(&["count", "8", "--kernel", "turbo"], &["--kernel", "'turbo'", "reference", "scalar"])]
#[case(&["count", "8", "--symmetry", "round"], &["--symmetry", "'round'", "none", "mirror", "eightfold"])]
#[case(&["count", "8", "--format", "xml"], &["--format", "'xml'", "text", "json", "csv", "markdown"])]
#[case(&["count", "8", "--progress", "maybe"], &["--progress", "auto", "always", "never"])]
#[case(&["count", "8", "--output", "no/such/folder/file"], &["--output", "no/such/folder/file", "accepted"])]
#[case(&["count", "8", "--output", "/"], &["--output", "'/'", "accepted"])]
#[case(&["count", "8", "--quiet", "--format", "json"], &["--quiet", "--format"])]
#[case(&["table", "5-3"], &["[RANGE]", "5-3", "accepted"])]
#[case(&["table", ""], &["[RANGE]", "accepted"])]
#[case(&["table", "1..=40"], &["[RANGE]", "'40'", "0 to 32"])]
#[case(&["completions", "cobol"], &["<SHELL>", "bash"])]
#[case(&["dance"], &["dance"])]
fn bad_input_is_one_clear_line(#[case] arguments: &[&str], #[case] named: &[&str]) {
    let assert = queens(arguments).code(2).stdout("");
    let message = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(message.starts_with("error: "), "{message}");
    for word in named {
        assert!(message.contains(word), "{word} in {message}");
    }
}

/// A full disk is found out, where the system has a device that plays one.
#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_written_is_a_failure() {
    queens(&["count", "8", "--output", "/dev/full"])
        .code(1)
        .stdout("")
        .stderr(predicate::str::starts_with("error: ").and(predicate::str::contains("space")));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_quietly() {
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("queens"))
        .args(["table", "1-12"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn completions_and_manual_know_the_sub_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(stdout(&["completions", shell]).contains("table"), "{shell}");
    }
    let page = stdout(&["man"]);
    for word in ["queens\\-count(1)", "queens\\-table(1)", "EXIT STATUS"] {
        assert!(page.contains(word), "{word} in {page}");
    }
    let page = stdout(&["man", "count"]);
    for word in ["threads", "double\\-check", "EXIT STATUS"] {
        assert!(page.contains(word), "{word} in {page}");
    }
    // The pages that the program's page refers to can be had.
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("pages");
    stdout(&["man", "--out", pages.to_str().unwrap()]);
    assert!(pages.join("queens.1").exists() && pages.join("queens-count.1").exists());
}
