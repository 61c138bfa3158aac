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
    let score = ["Score: ", "on 1 thread, ", "on 2 (", "N = 8", "workload 2"];
    assert_contains(place.stdout(BENCH).lines().next().unwrap(), &score);
    let csv = place.stdout(&format!("{BENCH} --compare saved.json --format csv"));
    // The table has not been measured again.
    assert_eq!(csv.lines().count(), 1 + saved.len() - 9, "{csv}");
    let same = place.stdout("bench --compare saved.json saved.json --format json");
    let same: Value = serde_json::from_str(&same).unwrap();
    let rows = same["workloads"].as_array().unwrap();
    assert!(rows.len() == saved.len() && rows.iter().all(|row| row["result"] == "~"), "{same}");
}

/// A file in which one count takes three times as long, one in which it takes a tenth longer, and
/// one whose times vary.
#[test]
fn slower_counts_fail_if_requested() {
    let place = Place::new();
    place.run(0, &format!("{BENCH} --save saved.json"));
    let mut saved: Value = serde_json::from_str(&place.read("saved.json")).unwrap();
    for (name, factor, spread) in
        [("plain", 1.0, 0.001), ("slow", 3.0, 0.001), ("tenth", 1.1, 0.001), ("noisy", 1.0, 0.1)]
    {
        for (i, one) in saved["measurements"].as_array_mut().unwrap().iter_mut().enumerate() {
            let factor = if i == 0 { factor } else { 1.0 };
            let seconds = (0..20).map(|k| factor * (1.0 + spread * f64::from(k)));
            let run =
                |time| json!({ "seconds": time, "cpu_seconds": time, "thread_seconds": time });
            one["runs"] = seconds.map(run).collect();
        }
        place.write(name, saved.to_string());
    }
    let compare = |code, limit: &str, old: &str, new: &str| {
        place.run(code, &format!("bench --compare {old} {new} --fail-if-slower {limit}")).1
    };
    let error = compare(1, "99%", "plain", "slow");
    assert_contains(&error, &["--fail-if-slower: slower by more than 99%: engine "]);
    assert_eq!(error.matches("engine ").count(), 1, "{error}");
    // An interval below the limit, around it, and above it.
    assert_eq!(compare(0, "1", "slow", "plain"), "");
    assert_eq!(compare(0, "11", "plain", "tenth"), "");
    let error = compare(0, "10", "plain", "tenth");
    let says = "--fail-if-slower: too noisy, too few or too busy to tell at 10%: engine ";
    assert_contains(&error, &[says]);
    compare(1, "9", "plain", "tenth");
    let error = compare(0, "10", "noisy", "noisy");
    assert!(error.matches("engine ").count() > 1, "{error}");
}
