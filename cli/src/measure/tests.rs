//! Tests of the benchmark with preset times, because real ones depend on the machine.

use std::collections::HashMap;
use std::fs;

use queens::known;
use queens::workloads::{Purpose, Workload, workloads};
use rstest::rstest;
use serde_json::{Value, json};

use super::benchmark::{Pace, Score, Times};
use super::{Benchmark, Comparison};
use crate::report::{Format, Report};

const THREADS: usize = 4;

/// Runs the workloads for four threads, however many the machine has. Each run takes the time
/// returned by `seconds`.
fn timed(mut seconds: impl FnMut(&Workload) -> f64) -> Benchmark {
    measured(None, 1.0, |workload, _| seconds(workload))
}

/// Runs the workloads in the same way, on threads that get a share of the cores.
fn measured(
    runs: Option<usize>,
    share: f64,
    mut seconds: impl FnMut(&Workload, Pace) -> f64,
) -> Benchmark {
    let mut time = |workload: &Workload, pace: Pace| {
        let seconds = seconds(workload, pace);
        let thread_seconds = seconds * workload.threads as f64;
        let times = Times { seconds, cpu_seconds: share * thread_seconds, thread_seconds };
        Ok((times, known::values(workload.n).unwrap().solutions))
    };
    Benchmark::run(&workloads(THREADS), THREADS, runs, &mut time).unwrap()
}

/// Returns the time of a run on a machine whose threads take 25 % longer if they do not run alone.
fn plain(workload: &Workload) -> f64 {
    let busy = if workload.threads == 1 { 1.0 } else { 1.25 };
    0.2 * busy / workload.threads as f64
}

fn written(format: Format, report: &impl Report) -> String {
    let mut out = Vec::new();
    report.write(&mut out, format).unwrap();
    String::from_utf8(out).unwrap()
}

fn parsed(text: &str) -> Result<Benchmark, String> {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), text).unwrap();
    Benchmark::load(file.path())
}

/// Loads a benchmark in which a field has been given another value.
fn with(field: &str, value: &Value) -> Result<Benchmark, String> {
    let mut content: Value = serde_json::from_str(&written(Format::Json, &timed(plain))).unwrap();
    *content.pointer_mut(field).unwrap() = value.clone();
    parsed(&content.to_string())
}

#[test]
fn runs_are_interleaved_after_a_warm_up() {
    let mut order = Vec::new();
    let benchmark = timed(|workload| {
        order.push(*workload);
        plain(workload)
    });
    assert!(order.windows(2).all(|pair| pair[0] != pair[1]));
    for one in &benchmark.measurements {
        let calls = order.iter().filter(|workload| **workload == one.workload).count();
        assert_eq!(one.runs.len() + 1, calls);
    }
}

/// Repeating a run of minutes to warm up would waste them.
#[test]
fn a_long_run_needs_no_warm_up() {
    let benchmark = timed(|_| 100.0);
    assert!(benchmark.measurements.iter().all(|one| one.seconds() == [100.0]));
}

/// The duration that is announced after the first round is that of the other rounds.
#[test]
fn the_duration_is_known_after_the_warm_up() {
    let (mut announced, mut spent) = (0.0, 0.0);
    measured(None, 1.0, |workload, pace| {
        if pace.round > 0 {
            announced = pace.expected;
            spent += plain(workload);
        }
        plain(workload)
    });
    assert!((announced / spent - 1.0_f64).abs() < 1e-9, "{announced} {spent}");
}

/// Threads that get less than 95 % of the cores share them with other work.
#[rstest]
#[case(0.96, false)]
#[case(0.94, true)]
fn a_busy_machine_is_marked(#[case] share: f64, #[case] expected: bool) {
    let benchmark = measured(None, share, |workload, _| plain(workload));
    for one in &benchmark.measurements {
        assert_eq!((one.core_share, one.busy), (Some(share), expected));
    }
    assert!(benchmark.scores.iter().all(|score| score.busy == expected));
    let comparison = Comparison::new(("old", &timed(plain)), ("new", &benchmark)).unwrap();
    let [alone, both] = [written(Format::Text, &benchmark), written(Format::Text, &comparison)];
    let lines = benchmark.measurements.len();
    // The rows, the scores and the explanation.
    assert_eq!(alone.matches("busy").count(), if expected { lines + 3 } else { 0 }, "{alone}");
    let marked = both.matches("new busy 94 %").count();
    assert_eq!(marked, if expected { lines } else { 0 }, "{both}");
    assert!(!both.contains("old busy"), "{both}");
    // One of the two measurements of a score is enough.
    let run = json!([{ "seconds": 0.2, "cpu_seconds": 0.1, "thread_seconds": 0.2 }]);
    let saved = with("/measurements/0/runs", &run).unwrap();
    let is_its = |score: &Score| score.workload.engine == saved.measurements[0].workload.engine;
    assert!(saved.scores.iter().all(|score| score.busy == is_its(score)), "{:?}", saved.scores);
}

/// A thread may have waited for a core before it had work. A few short runs do not matter.
#[test]
fn the_share_of_the_cores_is_unknown_for_short_runs() {
    let mut call = 0;
    let mut measured_with_short = |every| {
        measured(None, 0.5, |one, _| {
            call += 1;
            plain(one) * if call % every == 0 { 1e-3 } else { 1.0 }
        })
    };
    let (short, mixed) = (measured_with_short(1), measured_with_short(9));
    assert!(short.measurements.iter().all(|one| one.core_share.is_none() && !one.busy));
    assert!(mixed.measurements.iter().all(|one| one.core_share == Some(0.5) && one.busy));
}

#[test]
fn figures_and_scores_are_derived_from_the_runs() {
    let near = |figure: f64, expected: f64| (figure / expected - 1.0).abs() < 1e-4;
    let mut call = 0;
    let benchmark = timed(|workload| {
        call += 1;
        // Occasional slow runs change neither the fastest nor the median run.
        plain(workload) * if call % 9 == 0 { 3.0 } else { 1.0 }
    });
    for one in &benchmark.measurements {
        let seconds = if one.workload.threads == 1 { 0.2 } else { 0.0625 };
        assert!(near(one.median, seconds) && near(one.fastest, seconds));
        assert!(near(one.solutions_per_second.unwrap(), one.solutions as f64 / seconds));
    }
    assert_eq!(benchmark.scores.len(), 2, "one for each engine");
    for score in &benchmark.scores {
        assert_eq!(score.workload.kernel, score.workload.engine.fastest_kernel());
        let solutions = known::values(score.workload.n).unwrap().solutions as f64;
        assert!(near(score.one_thread.unwrap(), solutions / 0.2));
        assert!(near(score.all_threads.unwrap(), solutions / 0.0625));
    }
}

fn compared(old: &Benchmark, new: &Benchmark) -> Comparison {
    Comparison::new(("old.json", old), ("new.json", new)).unwrap()
}

/// Among changed counts, the ratio is within its interval, and the others are told from them.
#[test]
fn differences_are_told() {
    let [slower, faster] = [0, 1].map(|i| workloads(THREADS)[i]);
    let mut random = fastrand::Rng::with_seed(5);
    // A run takes up to 4 % longer.
    let mut noisy = |changes: [f64; 2]| {
        measured(Some(25), 1.0, |workload, _| {
            let change = match workload {
                _ if *workload == slower => changes[0],
                _ if *workload == faster => changes[1],
                _ => 1.0,
            };
            plain(workload) * change * (1.0 + 0.04 * random.f64())
        })
    };
    let (old, new) = (noisy([1.0, 1.0]), noisy([1.05, 0.8]));
    let comparison = compared(&old, &new);
    assert_eq!(comparison.workloads.len(), new.measurements.len());
    let text = written(Format::Text, &comparison);
    for one in &comparison.workloads {
        let (ratio, result) = match one.workload {
            workload if workload == slower => (1.0 / 1.05, "slower"),
            workload if workload == faster => (1.25, "faster"),
            _ => (1.0, "~"),
        };
        assert_eq!(one.result, result, "{one:?}");
        let (low, high) = (one.ratio.low.unwrap(), one.ratio.high.unwrap());
        assert!((low..=high).contains(&ratio), "{one:?}");
        assert!((one.ratio.value / ratio - 1.0).abs() < 0.02, "{one:?}");
        assert_eq!(one.p < 0.05, result != "~", "{one:?}");
        assert!(text.contains(&format!("{:.3}", one.ratio.value)), "{one:?} in {text}");
    }
    for result in ["slower", "faster"] {
        assert_eq!(text.lines().filter(|line| line.ends_with(result)).count(), 1, "{text}");
    }
}

/// Three runs cannot show a difference, however large, and a busy machine says nothing about a
/// change.
#[rstest]
#[case(3, [1.0, 1.0])]
#[case(9, [1.0, 0.5])]
#[case(9, [0.5, 1.0])]
fn few_runs_and_busy_counts_are_not_judged(#[case] runs: usize, #[case] shares: [f64; 2]) {
    let old = measured(Some(runs), shares[0], |one, _| plain(one));
    let new = measured(Some(runs), shares[1], |one, _| 3.0 * plain(one));
    let comparison = compared(&old, &new);
    let [slower, unclear] = comparison.slower_than(5.0);
    assert_eq!((slower.len(), unclear.len()), (0, workloads(THREADS).len()));
    assert!(runs > 3 || comparison.workloads.iter().all(|one| one.result == "~"));
}

/// The means are those of the ratios with each purpose.
#[test]
fn ratios_are_averaged() {
    let change = |workload: &Workload| match (workload.purpose, workload.threads) {
        (Purpose::Score, 1) => 2.0,
        (Purpose::Score, _) => 0.5,
        _ => 1.25,
    };
    let exact = |change: fn(&Workload) -> f64| {
        measured(Some(6), 1.0, |workload, _| plain(workload) * change(workload))
    };
    let comparison = compared(&exact(|_| 1.0), &exact(change));
    let means: Vec<_> = comparison.means.iter().map(|one| (one.purpose, one.ratio)).collect();
    assert_eq!(means, [(Purpose::Score, 1.0), (Purpose::Kernels, 0.8)]);
}

/// A count that was measured for two purposes is compared with the one of its own.
#[test]
fn purposes_are_not_mixed() {
    let mut old = json!(timed(plain));
    let mut other = old["measurements"][0].clone();
    (other["purpose"], other["runs"][0]["seconds"]) = (json!("table"), json!(9.0));
    other["runs"].as_array_mut().unwrap().truncate(1);
    old["measurements"].as_array_mut().unwrap().push(other);
    old["measurements"].as_array_mut().unwrap().remove(1);
    let comparison = compared(&parsed(&old.to_string()).unwrap(), &timed(plain));
    assert!(comparison.workloads.iter().all(|one| one.ratio.value == 1.0));
    assert_eq!((comparison.only_old, comparison.only_new), (0, 1));
}

/// Counts of other workloads and purposes are compared, and both machines are named.
#[test]
fn files_of_different_workloads_are_compared() {
    let old = with("/workload", &json!(1)).unwrap();
    let comparison = compared(&old, &timed(plain));
    assert_eq!(comparison.workloads.len(), old.measurements.len());
    let text = written(Format::Text, &comparison);
    let (head, _) = text.split_once("Comparison").unwrap();
    for named in ["Old: old.json", "New: new.json", "workload 1)", "workload 2)"] {
        assert!(head.contains(named), "{text}");
    }
    let version = concat!("queens ", env!("CARGO_PKG_VERSION"));
    assert_eq!(head.matches(version).count(), 2, "{text}");
    assert_eq!(head.matches("4 threads").count(), 2, "{text}");
}

#[test]
fn every_format_has_every_measurement() {
    let benchmark = timed(plain);
    assert_eq!(parsed(&written(Format::Json, &benchmark)).unwrap(), benchmark);

    let csv = written(Format::Csv, &benchmark);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows: Vec<HashMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    assert_eq!(rows.len(), benchmark.measurements.len());
    // Separators are removed so that adjacent cells can be searched for as one string.
    let tables = [Format::Markdown, Format::Text]
        .map(|format| written(format, &benchmark).replace(['|', ',', ' '], ""));
    for (measured, row) in benchmark.measurements.iter().zip(&rows) {
        let Workload { engine, kernel, n, threads, .. } = measured.workload;
        let cells = format!("{engine}{kernel}{n}{threads}");
        assert_eq!(["engine", "kernel", "n", "threads"].map(|name| &*row[name]).concat(), cells);
        assert_eq!(row["median"].parse(), Ok(measured.median));
        assert_eq!(row["workload"], benchmark.workload.to_string());
        for table in &tables {
            assert!(table.lines().any(|line| line.starts_with(&cells)), "{cells} in {table}");
        }
    }
}

/// Strings in a file are shown as plain text. They cannot steer a terminal, or add tags or links to
/// Markdown or formulas to CSV.
#[rstest]
#[case("<b>a|b</b> `c` [d](e) & \\")]
#[case("https://e.example www.e.example e@e.example")]
#[case("=1+1")]
#[case("@SUM(1)")]
#[case("\u{1b}[31m\n## title")]
#[case("")]
fn strings_are_shown_as_plain_text(#[case] text: &str) {
    let saved = with("/environment/cpu", &json!(text)).unwrap();
    let csv = written(Format::Csv, &saved);
    let is_formula = |cell: &str| cell.starts_with(['=', '+', '-', '@']);
    let mut rows = csv::Reader::from_reader(csv.as_bytes()).into_records();
    assert!(rows.all(|row| !row.unwrap().iter().any(is_formula)), "{csv}");
    let markdown = written(Format::Markdown, &saved);
    for sign in ["<b>", "\u{1b}", "[d](e)", "a|b", "://", "www.", "e@e", "\n## title"] {
        assert!(!markdown.contains(sign), "{markdown}");
    }
    assert!(!written(Format::Text, &saved).contains('\u{1b}'));
}

#[test]
fn recorded_benchmarks_are_readable() {
    let files = fs::read_dir("../results").unwrap().map(|file| file.unwrap().path());
    let mut read = 0;
    for file in files.filter(|file| file.extension().is_some_and(|end| end == "json")) {
        let saved = Benchmark::load(&file).unwrap();
        // The figures in the file are those that follow from its runs.
        let content: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!(json!(saved), content, "{}", file.display());
        assert!(saved.wrong().next().is_none() && file.with_extension("svg").exists());
        read += 1;
    }
    assert!(read > 0);
}

/// The rows of the README's table have published totals and times of the OR-Tools guide, and the
/// ratio of the two measured times.
#[test]
fn the_readme_compares_published_totals() {
    let readme = fs::read_to_string("../README.md").unwrap();
    let digits = |cell: &str| cell.replace([',', ' '], "").replace("ms", "");
    let rows = readme.lines().filter(|line| line.starts_with('|'));
    let rows = rows.map(|row| row.split('|').map(digits).collect::<Vec<_>>());
    let mut checked = 0;
    for row in rows.filter(|row| row[1].parse::<u32>().is_ok()) {
        let n = row[1].parse().unwrap();
        assert_eq!(row[2], known::values(n).unwrap().solutions.to_string());
        let [ours, other, ratio] = [3, 4, 5].map(|i| row[i].parse::<f64>().unwrap());
        assert!((other / ours / ratio - 1.0).abs() < 0.15, "{row:?}");
        assert_eq!(row[6], known::or_tools(n).map_or("-".to_owned(), |ms| ms.to_string()));
        checked += 1;
    }
    assert!(checked > 0);
}

/// Repeats the first measurement.
fn repeated(text: &str) -> String {
    let mut all: Value = serde_json::from_str(text).unwrap();
    let first = all["measurements"][0].clone();
    all["measurements"].as_array_mut().unwrap().push(first);
    all.to_string()
}

/// Truncated files, files of another version or kind, and values that no measurement can produce
/// are rejected.
#[rstest]
#[case(|text: &str| text[..text.len() / 2].to_owned(), "damaged")]
#[case(|text: &str| text.replace("\"schema_version\": 6", "\"schema_version\": 4"), "schema version 4")]
#[case(|text: &str| text.replace("queens-bench", "other"), "not a saved benchmark")]
#[case(repeated, "each once")]
#[case(|_: &str| "N,Solutions\n".to_owned(), "not a saved benchmark")]
fn damaged_files_are_rejected(#[case] spoil: fn(&str) -> String, #[case] named: &str) {
    let error = parsed(&spoil(&written(Format::Json, &timed(plain)))).unwrap_err();
    assert!(error.contains(named), "{error}");
}

#[rstest]
#[case("/measurements/0/n", json!(33))]
#[case("/measurements/0/runs", json!([]))]
#[case("/measurements/0/runs/0/seconds", json!(1e30))]
#[case("/measurements/0/runs/0/thread_seconds", json!(0))]
#[case("/measurements/0/runs/0/cpu_seconds", json!(-1))]
#[case("/measurements/0/solutions", json!("<script>"))]
#[case("/measurements/0/solutions", json!(92))]
#[case("/measurements/0/engine", json!("steam"))]
fn impossible_values_are_rejected(#[case] field: &str, #[case] value: Value) {
    let error = with(field, &value).unwrap_err();
    assert!(error.to_string().starts_with("is damaged"), "{error}");
}

/// The figures in a file have no effect.
#[rstest]
#[case("/measurements/0/fastest")]
#[case("/measurements/0/solutions_per_second")]
#[case("/measurements/0/core_share")]
#[case("/scores/0/all_threads")]
fn figures_are_recomputed_from_the_runs(#[case] field: &str) {
    let (found, honest) = (with(field, &json!(0.5)).unwrap(), timed(plain));
    assert_eq!((found.measurements, found.scores), (honest.measurements, honest.scores));
}
