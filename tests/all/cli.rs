//! The binary end to end.

use std::fs;
use std::process::{Command, Stdio};

use predicates::prelude::*;
use queens::known::known;
use rstest::rstest;
use serde_json::Value;

use super::program::{queens, stdout};

fn json(arguments: &str) -> Value {
    serde_json::from_str(&stdout(&format!("{arguments} --format json"))).unwrap()
}

#[test]
fn count_tells_the_total_and_how_it_came_about() {
    let text = stdout("count 12 --threads 2 --kernel scalar --engine bitboard");
    for part in [
        "Q(12) = 14,200\n",
        "verified",
        "A000170",
        "solutions/s",
        "engine bitboard, kernel scalar, symmetry eightfold, 2 threads (as asked)",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn stats_tell_what_the_join_engine_did() {
    let text = stdout("count 13 --stats");
    for part in ["Q(13) = 73,712\n", "engine join", "visits", "of 512 full"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let stats = json("count 13 --stats");
    // Of the 1716 ways to choose 7 of 13 rows, 20 are their own reversal; of the others one of two is counted.
    assert_eq!(stats["row_sets"], (1716 + 20) / 2);
    assert!(stats["visits"].as_u64().unwrap() > 0);
    assert!(stats["tables_seconds"].as_f64().unwrap() > 0.0);
    assert!(json("count 13").get("row_sets").is_none());
}

#[test]
fn memory_that_the_machine_does_not_have_is_named_and_refused() {
    queens("count 24 --engine join --threads 4096")
        .code(1)
        .stdout("")
        .stderr(predicate::str::contains("memory"));
}

#[rstest]
#[case(0, "1\n")]
#[case(1, "1\n")]
#[case(2, "0\n")]
#[case(3, "0\n")]
#[case(10, "724\n")]
fn quiet_prints_the_bare_number(#[case] n: u32, #[case] printed: &str) {
    assert_eq!(stdout(&format!("count {n} --quiet")), printed);
}

#[test]
fn every_format_says_the_same() {
    let json = json("count 9");
    for (field, value) in [
        ("solutions", "352"),
        ("fundamental", "46"),
        ("check", "verified"),
    ] {
        assert_eq!(json[field], value);
    }
    assert!(json["n"] == 9 && json["seconds"].as_f64().unwrap() > 0.0);
    for field in ["engine", "kernel", "version", "compiler", "cpu", "platform"] {
        assert!(json[field].is_string(), "{field} in {json}");
    }

    let csv = stdout("count 9 --format csv");
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let names: Vec<_> = reader
        .headers()
        .unwrap()
        .iter()
        .map(str::to_owned)
        .collect();
    assert!(names.iter().eq(json.as_object().unwrap().keys()), "{csv}");
    let row = reader.records().next().unwrap().unwrap();
    assert_eq!((&row[0], &row[1], &row[2]), ("9", "352", "46"));

    let markdown = stdout("count 9 --format markdown");
    let row = markdown.lines().nth(2).unwrap();
    let cells: Vec<_> = row.split('|').map(str::trim).collect();
    assert_eq!(cells[1..4], ["9", "352", "46"]);
}

#[test]
fn the_table_has_a_row_for_each_size() {
    let text = stdout("table 1-10");
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows.len(), 11);
    assert_eq!(rows[0][..3], ["N", "Solutions", "Fundamental"]);
    for (n, row) in (1..).zip(&rows[1..]) {
        let known = known(n).unwrap();
        let expected =
            [n.into(), known.solutions, known.fundamental].map(|value| value.to_string());
        assert_eq!(row[..3], expected);
        assert_eq!(row.last(), Some(&"verified"));
    }
    let mut ends = text.lines().map(|line| line.chars().count());
    let end = ends.next().unwrap();
    assert!(ends.all(|other| other == end), "the rows line up: {text}");
}

#[test]
fn the_table_is_machine_readable_too() {
    let json = json("table 4,6,8");
    let csv = stdout("table 4,6,8 --format csv");
    let records = csv::Reader::from_reader(csv.as_bytes()).into_records();
    let rows: Vec<_> = json.as_array().unwrap().iter().zip(records).collect();
    let expected = [(4, "2"), (6, "4"), (8, "92")];
    assert_eq!(rows.len(), expected.len());
    for ((row, record), (n, solutions)) in rows.into_iter().zip(expected) {
        assert!(row["n"] == n && row["solutions"] == solutions, "{row}");
        assert_eq!(record.unwrap()[1], *solutions);
    }
}

#[test]
fn the_reference_times_are_the_published_ones() {
    let rows = json("table 6,12,16 --reference --engine bitboard");
    assert_eq!(rows[0]["reference_milliseconds"], 0);
    assert!(
        rows[0]["reference_ratio"].is_null(),
        "nothing can be said of 0 ms"
    );
    assert_eq!(rows[1]["reference_milliseconds"], 2198);
    let ratio = rows[1]["reference_ratio"].as_f64().unwrap();
    let expected = 2.198 / rows[1]["seconds"].as_f64().unwrap();
    assert!((ratio / expected - 1.0).abs() < 1e-4);
    assert!(
        rows[2]["reference_milliseconds"].is_null(),
        "the guide ends at 15"
    );
}

#[test]
fn a_file_gets_the_result_and_nothing_else_does() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("result.json");
    fs::write(&file, "older").unwrap();
    let printed = stdout(&format!(
        "count 8 --format json --output {}",
        file.display()
    ));
    assert_eq!(printed, "");
    let json: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(json["solutions"], "92");
    let left: Vec<_> = fs::read_dir(&folder).unwrap().collect();
    assert_eq!(left.len(), 1, "no temporary file is left: {left:?}");
}

#[rstest]
#[case("count", &["<N>", "Usage: queens count"])]
#[case("count eight", &["<N>", "'eight'"])]
#[case("count -1", &["<N>", "'-1'", "0..=32"])]
#[case("count 33", &["<N>", "'33'", "0..=32"])]
#[case("count 8 --threads 0", &["--threads", "'0'", "1..=4096"])]
#[case("count 8 --threads -2", &["--threads", "'-2'"])]
#[case("count 8 --stats --engine bitboard", &["--stats: ", "no statistics"])]
#[case("count 8 --stats --format markdown", &["--stats: ", "Markdown"])]
#[case("count 8 --threds 2", &["--threds", "tip", "--threads"])]
#[case("count 8 --engine steam", &["--engine", "'steam'", "auto", "bitboard"])]
#[case("count 8 --kernel turbo", &["--kernel", "'turbo'", "reference", "scalar"])]
#[case("count 8 --symmetry round", &["--symmetry", "'round'", "none", "mirror", "eightfold"])]
#[case("count 8 --format xml", &["--format", "'xml'", "text", "json", "csv", "markdown"])]
#[case("count 8 --progress maybe", &["--progress", "auto", "always", "never"])]
#[case("count 8 --output no/such/folder/file", &["--output: 'no/such/folder/file'", "accepted"])]
#[case("count 8 --output /", &["--output: '/'", "accepted"])]
#[case("count 8 --quiet --format json", &["--quiet", "--format"])]
#[case("count 8 --double-check -5", &["--double-check", "'-5'", "accepted", "up to 100"])]
#[case("table 5-3", &["[RANGE]", "'5-3'", "0 to 32"])]
#[case("completions cobol", &["<SHELL>", "bash"])]
#[case("man cobol", &["COMMAND: 'cobol'", "count, table"])]
#[case("cuont", &["'cuont'", "tip", "'count'"])]
fn bad_input_is_named_with_what_is_accepted(#[case] arguments: &str, #[case] named: &[&str]) {
    let assert = queens(arguments).code(2).stdout("");
    let message = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(message.starts_with("error: "), "{message}");
    for word in named {
        assert!(message.contains(word), "{word} in {message}");
    }
}

/// Runs the binary with its standard output somewhere: exit code and standard error.
#[cfg(unix)]
fn run_into(stdout: impl Into<Stdio>, arguments: &str) -> (Option<i32>, String) {
    let output = Command::new(assert_cmd::cargo::cargo_bin!("queens"))
        .args(arguments.split_whitespace())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .and_then(std::process::Child::wait_with_output)
        .unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), message)
}

/// A full disk is found out, where the system has a device that plays one.
#[cfg(target_os = "linux")]
#[rstest]
#[case("count 8")]
#[case("count 8 --output /dev/full")]
#[case("--help")]
fn a_result_that_cannot_be_written_is_a_failure(#[case] arguments: &str) {
    let full = fs::OpenOptions::new().write(true).open("/dev/full");
    let (code, message) = run_into(full.unwrap(), arguments);
    assert_eq!(code, Some(1), "{message}");
    assert!(message.starts_with("error: "), "{message}");
    assert!(message.contains("space"), "{message}");
}

#[cfg(unix)]
#[rstest]
#[case("table 1-12")]
#[case("--help")]
fn a_closed_pipe_ends_quietly(#[case] arguments: &str) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    assert_eq!(run_into(writer, arguments), (Some(0), String::new()));
}

#[test]
fn completions_and_manual_know_the_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = stdout(&format!("completions {shell}"));
        assert!(script.contains("table"), "{shell}");
    }
    for (arguments, words) in [
        ("man", ["queens\\-count(1)", "queens\\-table(1)"]),
        ("man count", ["threads", "double\\-check"]),
    ] {
        let page = stdout(arguments);
        for word in words {
            assert!(page.contains(word), "{word} in {page}");
        }
        assert_eq!(page.matches(".SH \"EXIT STATUS\"").count(), 1, "{page}");
    }
    // The pages that the program's page refers to can be had.
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("pages");
    stdout(&format!("man --out {}", pages.display()));
    assert!(pages.join("queens.1").exists() && pages.join("queens-count.1").exists());
}
