//! Tests of `queens bench` as a program.

use serde_json::{Value, json};

use super::program::{Place, assert_contains};

const BENCH: &str = "bench --size 8 --threads 2 --runs 2";

#[test]
fn a_benchmark_is_saved_as_it_is_printed_and_compared() {
    let place = Place::new();
    let saving = "--table 1-9 --format json --save saved.json";
    let (printed, stderr) = place.run(0, &format!("{BENCH} {saving}"));
    assert_eq!(stderr, "saved in 'saved.json'\n");
    assert_eq!(printed, place.read("saved.json"));
    assert_eq!(place.field("saved.json", "threads"), 2);
    let saved = place.field("saved.json", "measurements");
    let saved = saved.as_array().unwrap();
    assert!(saved.iter().all(|one| one["runs"].as_array().unwrap().len() == 2));
    let table = saved.iter().filter(|one| one["purpose"] == "table");
    assert!(table.map(|one| one["n"].as_u64().unwrap()).eq(1..=9));
    let csv = place.stdout(&format!("{BENCH} --compare saved.json --format csv"));
    // The table has not been measured again.
    assert_eq!(csv.lines().count(), 1 + saved.len() - 9, "{csv}");
    let same = place.stdout("bench --compare saved.json saved.json");
    assert_eq!(same.matches("no difference").count(), saved.len(), "{same}");
}

/// A file in which every run takes three times as long, and one with a slower run among fast
/// ones, which shows no difference.
#[test]
fn slower_counts_fail_if_requested() {
    let place = Place::new();
    place.run(0, &format!("{BENCH} --save saved.json"));
    let mut saved: Value = serde_json::from_str(&place.read("saved.json")).unwrap();
    let all = saved["measurements"].as_array().unwrap().len();
    for (name, first, others) in
        [("slow.json", [2.0, 2.2], [1.0, 3.0]), ("fast.json", [1.0, 1.1], [1.1, 2.9])]
    {
        for (i, one) in saved["measurements"].as_array_mut().unwrap().iter_mut().enumerate() {
            one["runs"] = json!(if i == 0 { first } else { others });
        }
        place.write(name, saved.to_string());
    }
    let compare = |code, limit: &str, files: &str| {
        let command = format!("bench --compare {files} --fail-if-slower {limit}");
        place.run(code, &command)
    };
    let (text, error) = compare(1, "99%", "fast.json slow.json");
    assert_contains(&error, &["--fail-if-slower: slower by more than 99%: engine "]);
    assert_eq!(error.matches("engine ").count(), 1, "{error}");
    assert_eq!(text.matches("no difference").count(), all - 1, "{text}");
    compare(0, "0", "slow.json fast.json");
    compare(0, "99", "fast.json fast.json");
    // Two is slower by 100 %, which the limit does not exceed.
    let same = place.stdout("bench --compare fast.json slow.json");
    assert!(same.contains("slower"), "{same}");
}

/// The first line has the score to quote.
#[test]
fn the_score_comes_first() {
    let printed = Place::new().stdout(BENCH);
    let quoted = ["Score: ", "on 1 thread, ", "on 2 (", "N = 8", "workload 2"];
    assert_contains(printed.lines().next().unwrap(), &quoted);
}
