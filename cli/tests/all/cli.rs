//! End-to-end tests of the program's output and exit codes.

use queens::known;
use rstest::rstest;

use super::program::{Place, assert_contains, json, stdout};

/// Without a command, the options are those of `count`.
#[rstest]
#[case("8 -q", &["92\n"])]
#[case("-q 8", &["92\n"])]
#[case("-q --queen a1 8", &["4\n"])]
#[case("-- 8", &["Q(8) = 92\n  12 fundamental\n"])]
#[case(
    "count 12 --threads 2 --kernel scalar --engine bitboard",
    &["Q(12) = 14,200\n", "\n  engine bitboard, kernel scalar, symmetry eightfold, 2 threads\n"]
)]
fn count_is_the_default_command(#[case] arguments: &str, #[case] parts: &[&str]) {
    let text = stdout(arguments);
    assert!(text.starts_with(parts[0]), "{text}");
    assert_contains(&text, parts);
}

/// However long the time, an estimate ends after enough samples.
#[test]
fn estimates_of_other_boards_have_no_published_value() {
    let options = "--block c5 --engine bitboard --kernel scalar --seconds 1000000";
    let text = stdout(&format!("estimate 10 {options}"));
    assert_contains(&text, &["N = 10", "c5", "kernel scalar"]);
    for absent in ["OEIS", "core hours", "shard"] {
        assert!(!text.contains(absent), "{text}");
    }
}

/// Returns the rows of a CSV file, including the header.
fn csv_rows(text: &str) -> Vec<csv::StringRecord> {
    let mut reader = csv::ReaderBuilder::new();
    let reader = reader.has_headers(false).from_reader(text.as_bytes());
    reader.into_records().map(Result::unwrap).collect()
}

#[test]
fn all_formats_agree() {
    assert!(json("2")["solutions_per_second"].is_null());
    let json = json("count 9");
    assert!(json["n"] == 9 && json["solutions"] == "352" && json["fundamental"] == "46");
    let [seconds, cpu, rate] =
        ["seconds", "cpu_seconds", "solutions_per_second"].map(|name| json[name].as_f64().unwrap());
    assert!(json["checks"]["check"] == "verified" && 0.0 < cpu && cpu <= seconds);
    assert!((rate * seconds / 352.0 - 1.0).abs() < 1e-4, "{json}");
    for field in ["version", "compiler", "cpu", "date"] {
        assert!(json["environment"][field].is_string(), "{field} in {json}");
    }
    let csv = csv_rows(&stdout("count 9 --format csv"));
    for field in ["n", "solutions", "fundamental", "check", "engine", "kernel", "cpu"] {
        let found = json.get(field).or(json["checks"].get(field));
        let found = found.unwrap_or(&json["environment"][field]);
        let column = csv[0].iter().position(|name| name == field).unwrap();
        assert_eq!(csv[1][column], found.to_string().replace('"', ""));
    }
    let markdown = stdout("count 9 -f md");
    assert!(markdown.starts_with("| N |"), "{markdown}");
    let row: Vec<_> = markdown.lines().nth(2).unwrap().split('|').map(str::trim).collect();
    assert_eq!(row[1..4], ["9", "352", "46"]);
}

#[test]
fn the_table_has_a_row_for_each_size() {
    let text = stdout("table 0-10");
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!((rows.len(), &rows[0][..3]), (12, &["N", "Solutions", "Fundamental"][..]));
    let mut ends = text.lines().map(|line| line.chars().count());
    let end = ends.next().unwrap();
    assert!(ends.all(|other| other == end), "rows are ragged: {text}");
    let (json, csv) = (json("table 0-10"), csv_rows(&stdout("table 0-10 --format csv")));
    assert_eq!((json.as_array().unwrap().len(), csv.len()), (11, 12));
    for n in 0..=10 {
        let known = known::values(n).unwrap();
        let numbers = [n.into(), known.solutions, known.fundamental].map(|one| one.to_string());
        let n = n as usize;
        let row = &rows[n + 1];
        assert!(row[..3] == numbers && row.last() == Some(&"verified"), "{text}");
        // A rate of few solutions would be that of starting.
        assert_eq!(row.contains(&"-"), known.solutions <= 10, "{text}");
        assert!(json[n]["n"] == n && json[n]["solutions"] == numbers[1]);
        assert_eq!(csv[n + 1][1], numbers[1]);
    }
}

/// There is no ratio to 0 ms, and the guide ends at N = 15.
#[test]
fn the_reference_times_are_the_published_ones() {
    let rows = json("table 6,12,16 --reference --engine bitboard");
    let times = [0, 1, 2].map(|i| rows[i]["reference_milliseconds"].as_u64());
    assert_eq!(times, [Some(0), Some(2198), None]);
    assert!(rows[0]["reference_ratio"].is_null() && rows[2]["reference_ratio"].is_null());
    let times = ["least_seconds", "seconds", "greatest_seconds"].map(|name| rows[1][name].as_f64());
    assert!(times.is_sorted() && times[0] > Some(0.0) && rows[1]["runs"].as_u64() <= Some(25));
    let ratio = rows[1]["reference_ratio"].as_f64().unwrap();
    assert!((ratio * rows[1]["seconds"].as_f64().unwrap() / 2.198 - 1.0).abs() < 1e-4);
    let text = stdout("table 8,15 --reference");
    assert!(text.lines().all(|line| line.len() <= 80), "{text}");
}

/// A report replaces an older file. Links and file modes are kept.
#[test]
fn only_the_output_file_is_written() {
    let place = Place::new();
    place.write("result.json", "older");
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let mode = PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(place.at("result.json"), mode).unwrap();
        symlink("result.json", place.at("link.json")).unwrap();
        place.stdout("count 9 --output link.json");
        assert!(place.at("link.json").is_symlink() && place.read("result.json").contains("352"));
        let mode = place.at("result.json").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        std::fs::remove_file(place.at("link.json")).unwrap();
    }
    assert_eq!(place.stdout("count 8 --output result.json"), "");
    assert_eq!(place.field("result.json", "solutions"), "92");
    assert_eq!(place.files().len(), 1, "a temporary file is left");
}

#[test]
fn completions_and_manual_list_the_commands() {
    let words = "count merge estimate table bench solve trace tree check completions man \
        checkpoint timeout eightfold";
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = stdout(&format!("completions {shell}"));
        assert_contains(&script, &words.split(' ').collect::<Vec<_>>());
    }
    let place = Place::new();
    place.stdout("man pages");
    assert_contains(&place.read("pages/queens.1"), &["queens\\-count(1)", "queens\\-table(1)"]);
    assert_contains(&place.read("pages/queens-count.1"), &["threads", "checkpoint"]);
}
