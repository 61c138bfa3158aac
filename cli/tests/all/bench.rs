//! The benchmark: with planted times and totals, since real ones depend on the machine, and end to end.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use queens::known::known;
use queens::{Engine, Kernel, Threads};
use queens_cli::bench::{
    Benchmark, Level, LoadError, Next, Purpose, Sample, Saved, Status, Suite, Verdict, Workload,
    load,
};
use queens_cli::report::Format;
use queens_cli::report::page::Page;
use rstest::rstest;
use serde_json::{Value, json};

use super::program::{Place, assert_says};
use super::{paths_below, root};

const THREADS: usize = 4;

/// A suite on four threads, whatever the machine has.
fn suite() -> Suite {
    Suite::new(Level::Quick, Threads::exactly(THREADS).unwrap())
}

fn truth(workload: &Workload) -> u128 {
    known(workload.n).unwrap().solutions
}

/// A suite's benchmark when each run takes what `seconds` says.
fn timed(suite: &Suite, mut seconds: impl FnMut(&Workload) -> f64) -> Benchmark {
    let time = |next: &Next| Ok(sample(seconds(&next.workload), truth(&next.workload)));
    suite.run(&mut { time }).unwrap()
}

fn sample(seconds: f64, total: u128) -> Sample {
    Sample {
        seconds,
        total,
        symmetry: None,
    }
}

/// A machine whose threads take a quarter more each than they would alone.
fn plain(workload: &Workload) -> f64 {
    let busy = if workload.threads == 1 { 1.0 } else { 1.25 };
    0.2 * busy / workload.threads as f64
}

/// Noise of up to `part` in either direction, the same at each call of the test.
fn noise(part: f64, seed: u64) -> impl FnMut() -> f64 {
    let mut random = fastrand::Rng::with_seed(seed);
    move || 1.0 + part * (2.0 * random.f64() - 1.0)
}

fn written(format: Format, benchmark: &Benchmark) -> String {
    let mut out = Vec::new();
    benchmark.write(&mut out, format, None).unwrap();
    String::from_utf8(out).unwrap()
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

/// What is read of a fixture with another value in a field.
fn with(name: &str, field: &str, value: &Value) -> Result<Saved, LoadError> {
    let text = fs::read_to_string(fixture(name)).unwrap();
    let mut content: Value = serde_json::from_str(&text).unwrap();
    *content.pointer_mut(field).unwrap() = value.clone();
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), content.to_string()).unwrap();
    Saved::load(file.path())
}

/// Whether a measurement or a comparison is one of this workload.
fn same(workload: &Workload, key: (&str, &str, u32, usize)) -> bool {
    let (engine, kernel, n, threads) = key;
    workload.engine.to_string() == engine
        && workload.kernel.to_string() == kernel
        && (workload.n, workload.threads) == (n, threads)
}

mod measuring {
    use super::*;

    #[test]
    fn every_engine_is_timed_with_every_kernel_on_one_thread_and_on_all() {
        let workloads = suite().workloads();
        for engine in Suite::ENGINES {
            for kernel in engine.available_kernels() {
                for threads in [1, THREADS] {
                    let found = workloads.iter().any(|one| {
                        (one.engine, one.kernel, one.threads) == (engine, kernel, threads)
                    });
                    assert!(found, "{engine} {kernel} {threads}");
                }
            }
        }
        let distinct: HashSet<_> = workloads.iter().collect();
        assert_eq!(distinct.len(), workloads.len());
    }

    /// What the program may run on, the record has to name.
    #[test]
    fn a_kernel_that_runs_has_its_instruction_set_listed() {
        let sets = timed(&suite(), plain).environment.instruction_sets;
        let sets: Vec<_> = sets.split(' ').collect();
        for (kernel, set) in [(Kernel::Avx2, "avx2"), (Kernel::Avx512, "avx512f")] {
            if Engine::Bitboard.can_run(kernel) {
                assert!(sets.contains(&set), "{set} in {sets:?}");
            }
        }
    }

    #[test]
    fn scaling_doubles_the_threads_up_to_all_of_them() {
        let mut suite = Suite::new(Level::Quick, Threads::exactly(6).unwrap());
        suite.scaling = true;
        let mut measured = suite.workloads();
        measured.retain(|one| one.engine == Engine::Bitboard && one.purpose != Purpose::Kernels);
        let mut threads: Vec<_> = measured.iter().map(|one| one.threads).collect();
        threads.sort_unstable();
        assert_eq!(threads, [1, 2, 4, 6]);
    }

    #[test]
    fn runs_are_interleaved_after_a_warm_up() {
        let mut order = Vec::new();
        let benchmark = timed(&suite(), |workload| {
            order.push(*workload);
            plain(workload)
        });
        assert!(order.windows(2).all(|pair| pair[0] != pair[1]));
        let mut calls = HashMap::<Workload, usize>::new();
        for workload in order {
            *calls.entry(workload).or_default() += 1;
        }
        for measured in &benchmark.measurements {
            let key = measured.key();
            let made = calls.iter().find(|(workload, _)| same(workload, key));
            let warm_up = usize::from(measured.purpose == Purpose::Score);
            assert_eq!(measured.runs.len() + warm_up, *made.unwrap().1);
            assert!(measured.runs.len() >= 3);
        }
    }

    #[test]
    fn times_speed_up_and_score_follow_from_the_runs() {
        let near = |figure: f64, expected: f64| (figure / expected - 1.0).abs() < 1e-4;
        let mut call = 0;
        let benchmark = timed(&suite(), |workload| {
            call += 1;
            // One stray run in a while moves no median.
            plain(workload) * if call % 9 == 0 { 3.0 } else { 1.0 }
        });
        for one in &benchmark.measurements {
            let alone = one.threads == 1;
            let seconds = if alone { 0.2 } else { 0.0625 };
            let efficiency = if alone { 1.0 } else { 0.8 };
            let solutions: f64 = one.solutions.parse().unwrap();
            assert!(near(one.seconds, seconds) && near(one.least, seconds));
            assert!(near(one.solutions_per_second, solutions / seconds));
            let speedup = efficiency * one.threads as f64;
            assert!(near(one.speedup.unwrap(), speedup), "{one:?}");
        }
        assert_eq!(benchmark.scores.len(), Suite::ENGINES.len());
        for (score, engine) in benchmark.scores.iter().zip(Suite::ENGINES) {
            assert_eq!(score.engine, engine.to_string());
            assert_eq!(score.kernel, engine.fastest_kernel().to_string());
            let solutions = known(score.n).unwrap().solutions as f64;
            assert!(near(score.one_thread.unwrap(), solutions / 0.2));
            assert!(near(score.efficiency().unwrap(), 0.8));
        }
    }

    /// Runs that are too short, and a machine whose speed changes from run to run, are no reason to lose the figures.
    #[rstest]
    #[case::steady(|_, threads| 0.2 / threads as f64, &[])]
    #[case::short(|_, threads| if threads == 1 { 0.5 } else { 0.001 }, &["short on 4 threads: a run took 1.00 ms"])]
    // A machine that is seldom as fast as it can be.
    #[case::noisy(|run, _| if run == 2 { 0.2 } else { 0.3 }, &["noisy on 1 thread: most runs", "noisy on 4 threads: most runs"])]
    #[case::disturbed(|run, _| if run % 2 == 0 { 0.2 } else { 0.3 }, &[])]
    fn scores_are_marked_with_reasons(
        #[case] seconds: fn(usize, usize) -> f64,
        #[case] expected: &[&str],
    ) {
        let mut runs = HashMap::<Workload, usize>::new();
        let benchmark = timed(&suite(), |workload| {
            let run = runs.entry(*workload).or_default();
            *run += 1;
            seconds(*run, workload.threads)
        });
        for score in &benchmark.scores {
            let is_marked = score.status == Status::Marked;
            assert_eq!(is_marked, !expected.is_empty());
            assert!(is_marked || score.status == Status::Quotable);
            assert!(score.one_thread.is_some());
            let reasons = score.reasons.iter().zip(expected);
            assert_eq!(score.reasons.len(), expected.len(), "{score:?}");
            for (reason, start) in reasons {
                assert!(reason.starts_with(start), "{reason}");
            }
        }
    }

    /// One wrong total among hundreds of runs, in the warm-up or later.
    #[rstest]
    #[case(1)]
    #[case(40)]
    fn a_wrong_total_voids_the_score_of_its_engine_alone(#[case] wrong: usize) {
        let mut call = 0;
        let mut culprit = None;
        let mut time = |Next { workload, .. }: &Next| {
            call += 1;
            let mut total = truth(workload);
            if call == wrong {
                culprit = Some(*workload);
                total -= 1;
            }
            Ok(sample(plain(workload), total))
        };
        let benchmark = suite().run(&mut time).unwrap();
        let culprit = culprit.expect("there were that many runs");
        assert!(benchmark.is_void());
        for score in &benchmark.scores {
            let void = score.engine == culprit.engine.to_string();
            assert_eq!(score.status == Status::Void, void);
            assert_eq!(score.one_thread.is_none(), void);
            assert_eq!(score.all_threads.is_none(), void);
            if void {
                assert!(score.reasons[0].contains(&culprit.kernel.to_string()));
            }
        }
    }

    /// The table goes on with the fastest engine on all threads alone where the others would take too long.
    #[test]
    fn the_table_has_every_size_and_loses_no_time_on_slow_rows() {
        let suite = suite().table(&[10, 12, 14, 16, 18]).unwrap();
        let benchmark = timed(&suite, |workload| {
            let rate = workload.threads as f64 * 1e6;
            (truth(workload) as f64 / rate).max(1e-4)
        });
        let rows: Vec<_> = benchmark.of(Purpose::Table).collect();
        for n in [10, 12, 14, 16, 18] {
            let is_there = rows.iter().any(|row| row.n == n && row.threads == THREADS);
            assert!(is_there, "N = {n}");
        }
        // 666,090,624 solutions at a million a second take eleven minutes.
        assert!(!rows.iter().any(|row| row.n == 18 && row.threads == 1));
        assert!(rows.iter().any(|row| row.n == 14 && row.threads == 1));
    }
}

mod comparing {
    use super::*;

    #[test]
    fn a_planted_difference_is_flagged_and_nothing_else() {
        let slower = *suite().workloads().last().unwrap();
        let faster = suite().workloads()[0];
        let (mut before, mut after) = (noise(0.02, 5), noise(0.02, 6));
        let baseline = timed(&suite(), |workload| plain(workload) * before());
        let benchmark = timed(&suite(), |workload| {
            let planted = match *workload {
                one if one == slower => 1.2,
                one if one == faster => 0.8,
                _ => 1.0,
            };
            plain(workload) * after() * planted
        });
        for one in benchmark.compare_with(&baseline) {
            let expected = match (same(&slower, one.key()), same(&faster, one.key())) {
                (true, _) => Verdict::Slower,
                (_, true) => Verdict::Faster,
                _ => Verdict::Same,
            };
            assert_eq!(one.verdict, expected, "{one:?}");
        }
    }

    /// On a machine whose speed varies by a third, a tenth says nothing.
    #[test]
    fn what_is_noise_depends_on_the_spread() {
        let unsteady = |factor: f64| {
            let mut runs = HashMap::<Workload, usize>::new();
            timed(&suite(), |workload| {
                let run = runs.entry(*workload).or_default();
                *run += 1;
                factor * plain(workload) * [0.7, 1.0, 1.3][*run % 3]
            })
        };
        let (baseline, benchmark) = (unsteady(1.0), unsteady(1.1));
        for one in benchmark.compare_with(&baseline) {
            assert_eq!(one.verdict, Verdict::Same, "{one:?}");
        }
    }
}

#[test]
fn every_format_has_every_measurement() {
    let mut suite = suite().table(&[1, 2, 8, 12]).unwrap();
    suite.scaling = true;
    let mut benchmark = timed(&suite, plain);
    benchmark.comparison = Some(benchmark.compare_with(&timed(&suite, plain)));

    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), written(Format::Json, &benchmark)).unwrap();
    assert_eq!(load(file.path()).unwrap(), benchmark);

    let csv = written(Format::Csv, &benchmark);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows: Vec<HashMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    assert_eq!(rows.len(), benchmark.measurements.len());
    // Cells apart from what stands between them.
    let tables = [Format::Markdown, Format::Text]
        .map(|format| written(format, &benchmark).replace(['|', ',', ' '], ""));
    for (measured, row) in benchmark.measurements.iter().zip(&rows) {
        let (engine, kernel, n, threads) = measured.key();
        let cells = ["engine", "kernel", "n", "threads"].map(|name| row[name].as_str());
        assert_eq!(cells.concat(), format!("{engine}{kernel}{n}{threads}"));
        assert_eq!(row["seconds"].parse(), Ok(measured.seconds));
        assert_eq!(row["runs"], measured.runs.len().to_string());
        assert_eq!(row["cpu"], benchmark.environment.cpu);
        let cells = cells.concat() + &measured.solutions;
        for table in &tables {
            let is_there = table.lines().any(|line| line.starts_with(&cells));
            assert!(is_there, "{cells} in {table}");
        }
    }
}

mod pages {
    use super::*;

    fn page(names: &[&str]) -> Page {
        let load = |name: &&str| Saved::load(&fixture(name)).unwrap();
        Page::new(&names.iter().map(load).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn the_page_shows_every_chart_that_it_has_and_no_other() {
        let page = page(&["bench-one.json", "bench-two.json", "solvers.json"]);
        let (_, markdown) = page.files().next().unwrap();
        let pictures = markdown.lines().filter(|line| line.starts_with("!["));
        let shown: HashSet<_> = pictures
            .map(|line| line.rsplit_once("](").unwrap().1.trim_end_matches(')'))
            .collect();
        let made: HashSet<_> = page.files().skip(1).map(|(name, _)| name).collect();
        assert_eq!(shown, made);
        // For each machine, and for the solvers, time against N.
        assert_eq!(made.len(), 2 + 1);
    }

    #[test]
    fn files_of_one_machine_are_told_apart_and_strays_left_out() {
        let place = Place::new();
        fs::create_dir(place.at("theirs")).unwrap();
        for name in ["theirs/one.json", "theirs/again.json"] {
            place.fixture("bench-one.json", name);
        }
        place.write("theirs/stray.json", "{}");
        let (_, said) = place.run(0, "report theirs -o page");
        assert_says(&said, &["warning: ", "stray.json"]);
        let page = place.read("page/README.md");
        let titles: Vec<_> = page
            .lines()
            .filter(|line| line.starts_with("## "))
            .collect();
        let different: HashSet<_> = titles.iter().collect();
        assert_eq!(
            (titles.len(), different.len()),
            (3, 3),
            "scores, and each file"
        );
    }

    /// Others' results in a folder are ranked: the faster machine is the first of each table.
    #[test]
    fn a_folder_is_ranked() {
        let place = Place::new();
        fs::create_dir(place.at("theirs")).unwrap();
        for name in ["bench-one.json", "bench-two.json", "solvers.json"] {
            place.fixture(name, &format!("theirs/{name}"));
        }
        place.stdout("report theirs --out page");
        let page = place.read("page/README.md");
        let rates = ["bench-one.json", "bench-two.json"].map(|name| {
            let saved = load(&fixture(name)).unwrap();
            let best = saved.best().unwrap().clone();
            (
                best.engine,
                best.n,
                best.all_threads.unwrap(),
                saved.environment.cpu,
            )
        });
        let [one, two] = &rates;
        assert_eq!((&one.0, one.1), (&two.0, two.1), "they compare");
        let faster = if one.2 > two.2 { one } else { two };
        let (_, table) = page
            .split_once(&format!("engine {}, N = {}", one.0, one.1))
            .unwrap();
        let row = table
            .lines()
            .find(|line| line.contains("Example CPU"))
            .unwrap();
        assert!(row.contains(&faster.3), "{row}");
    }

    /// Nothing is lost where the same machine comes twice.
    #[test]
    fn two_files_of_one_day_keep_their_charts_apart() {
        let alone = page(&["bench-one.json"]).files().count();
        let twice = page(&["bench-one.json", "bench-one.json"]);
        assert_eq!(twice.files().count(), 1 + 2 * (alone - 1));
    }

    /// Texts that a page could mistake for something else.
    fn odd() -> Vec<Value> {
        let long = "W".repeat(300);
        let texts = ["<b>a|b</b> `c` [d](e) & \\", &long, "../..", "漢字", ""];
        texts.map(|text| json!(text)).to_vec()
    }

    /// Whatever is in a file, also possible values that do not fit together, there is a page: it shows that and nothing
    /// else, and its files have short plain names.
    #[rstest]
    #[case("bench-one.json", "/environment/cpu", odd())]
    #[case("bench-one.json", "/environment/date", odd())]
    #[case("bench-one.json", "/measurements/0/engine", odd())]
    #[case("bench-one.json", "/measurements/0/solutions", odd())]
    #[case("bench-one.json", "/measurements/0/marks/0/kind", odd())]
    #[case("bench-one.json", "/scores/0/engine", odd())]
    #[case("bench-one.json", "/scores/0/reasons/0", odd())]
    #[case("solvers.json", "/solvers/0/name", odd())]
    #[case("solvers.json", "/solvers/0/how", odd())]
    #[case("bench-one.json", "/settings/threads", vec![json!(1)])]
    #[case("bench-one.json", "/measurements", vec![json!([])])]
    #[case("bench-one.json", "/measurements/0/engine", vec![json!("steam")])]
    #[case("bench-one.json", "/measurements/0/seconds", vec![json!(1e9)])]
    #[case("solvers.json", "/solvers", vec![json!([])])]
    #[case("solvers.json", "/rows", vec![json!([])])]
    fn odd_values_are_shown_as_they_are(
        #[case] file: &str,
        #[case] field: &str,
        #[case] values: Vec<Value>,
    ) {
        for value in values {
            let page = Page::new(&[with(file, field, &value).unwrap()]).unwrap();
            assert!(page.files().count() > 0);
            for (name, text) in page.files() {
                let is_plain = |c: char| c.is_ascii_alphanumeric() || "-.".contains(c);
                assert!(name.len() < 250 && name.chars().all(is_plain), "{name}");
                assert!(!name.contains(".."), "{name}");
                assert!(!text.contains("<b>"), "{text}");
                let is_page = name == "README.md";
                assert!(!is_page || !text.contains("[d](e)"), "{text}");
                assert!(!is_page || !text.contains("a|b"), "{text}");
            }
        }
    }
}

/// What was recorded on real machines.
mod recorded {
    use super::*;

    /// The files below a folder whose names end so.
    fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
        let paths = paths_below(folder).into_iter();
        let is_asked_for = |path: &PathBuf| path.is_file() && path.to_str().unwrap().ends_with(end);
        paths.filter(is_asked_for).collect()
    }

    /// The page and its charts are those that the saved benchmarks give.
    #[test]
    fn the_page_is_made_from_the_files_beside_it() {
        let results = root().join("results");
        let saved = files(&results, ".json").into_iter();
        let saved: Vec<_> = saved.map(|path| Saved::load(&path).unwrap()).collect();
        let page = Page::new(&saved).unwrap();
        for (name, text) in page.files() {
            let kept = fs::read_to_string(results.join(name)).unwrap_or_default();
            assert!(kept == text, "results/{name}");
        }
        let charts = files(&results, ".svg").len();
        assert_eq!(charts, page.files().count() - 1, "a chart of no file");
    }

    /// No figure in the README that a file under `results/` does not hold: tables of six columns or more are such figures.
    #[test]
    fn the_readme_shows_what_was_recorded() {
        let results = root().join("results");
        let pages = files(&results, ".md").into_iter();
        let held: String = pages
            .map(|path| fs::read_to_string(path).unwrap())
            .collect();
        let readme = fs::read_to_string(root().join("README.md")).unwrap();
        let rows = readme
            .lines()
            .filter(|line| line.starts_with('|') && line.matches('|').count() > 6);
        assert!(rows.clone().count() > 0);
        for row in rows {
            assert!(held.lines().any(|line| line == row), "{row}");
        }
    }
}

mod command_line {
    use super::*;

    const BENCH: &str = "bench --quick --n 8 --threads 2";

    #[test]
    fn a_benchmark_is_saved_compared_and_made_a_page_of() {
        let place = Place::new();
        let saving = "--scaling --table 1..=9 --format json --save saved.json";
        let (printed, told) = place.run(0, &format!("{BENCH} {saving}"));
        assert_eq!(told, "saved in 'saved.json'\n");
        assert_eq!(printed, place.read("saved.json"));
        let measurements = place.field("saved.json", "measurements");
        for measured in measurements.as_array().unwrap() {
            assert_eq!(measured["correct"], true, "{measured}");
        }
        assert_eq!(place.field("saved.json", "settings")["threads"], 2);

        place.stdout(&format!(
            "{BENCH} --baseline saved.json --format json --output compared.json"
        ));
        let comparison = place.field("compared.json", "comparison");
        assert!(!comparison.as_array().unwrap().is_empty());

        assert_eq!(place.stdout("report saved.json --out deep/out"), "");
        assert!(place.at("deep/out/README.md").exists());

        // What one quotes is in the first line, and the details are left out.
        let (brief, _) = place.run(0, &format!("{BENCH} --engine join --save folder/"));
        let first = brief.lines().next().unwrap();
        assert_says(
            first,
            &["Score: ", "on 1 thread, ", "on 2 (", "N = 8", "workload 1"],
        );
        assert!(!brief.contains("Median"), "{brief}");
        let (_, said) = place.run(0, &format!("{BENCH} --engine join --save folder/"));
        assert_says(&said, &["saved in 'folder/"]);
        let saved = place.at("folder").read_dir().unwrap().count();
        assert_eq!(saved, 2, "no file is replaced");
    }

    /// A file that is cut off, of another version or of another kind, and no page is begun.
    #[rstest]
    #[case(|text: &str| text[..text.len() / 2].to_owned(), "damaged")]
    #[case(|text: &str| text.replace("\"schema_version\": 2", "\"schema_version\": 7"), "schema version 7")]
    #[case(|text: &str| text.replace("queens-bench", "other"), "not a benchmark")]
    #[case(|text: &str| text.replacen("\"purpose\": \"score\"", "\"purpose\": \"fun\"", 1), "damaged")]
    #[case(|text: &str| text.replacen("\"purpose\"", "\"more\": 1, \"purpose\"", 1), "damaged")]
    fn damaged_files_are_refused(#[case] spoil: fn(&str) -> String, #[case] named: &str) {
        let place = Place::new();
        let good = place.fixture("bench-one.json", "spoilt.json");
        place.write("spoilt.json", spoil(&good));
        let report = "report spoilt.json --out out";
        place.fails(2, report, &["spoilt.json", named]);
        assert!(!place.at("out").exists());
    }
}

/// Numbers and texts that no measurement gives.
#[rstest]
#[case("/measurements/0/seconds", json!(5e-324))]
#[case("/measurements/0/n", json!(33))]
#[case("/measurements/0/threads", json!(0))]
#[case("/measurements/0/threads", json!(4097))]
#[case("/measurements/0/runs", json!([]))]
#[case("/measurements/0/runs", json!(vec![1; 10_001]))]
#[case("/measurements/0/runs/0", json!(1e30))]
#[case("/measurements/0/speedup", json!(-5.0))]
#[case("/environment/cpu", json!("X\u{1b}[31m"))]
#[case("/environment/cpu", json!("X".repeat(5_000)))]
fn impossible_values_are_refused(#[case] field: &str, #[case] value: Value) {
    let outcome = with("bench-one.json", field, &value);
    assert!(matches!(outcome, Err(LoadError::Damaged(_))));
}
