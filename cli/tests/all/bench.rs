//! Tests of the benchmark. Most use preset times, because real ones depend on the machine. The
//! others run the program.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use queens::known;
use queens::machine::Threads;
use queens::{Engine, Kernel};
use queens_cli::measure::{Benchmark, Level, Purpose, Suite, Workload, load};
use queens_cli::report::{Format, PAGE, Report, WEB_PAGE, page};
use rstest::rstest;
use serde_json::{Value, json};

use super::program::{Place, assert_contains};
use super::{paths_below, root};

const THREADS: usize = 4;

/// Returns a suite for four threads, however many the machine has.
fn suite() -> Suite {
    Suite::new(Level::Quick, Threads::exactly(THREADS).unwrap())
}

fn truth(workload: &Workload) -> u128 {
    known::values(workload.n).unwrap().solutions
}

/// Runs a suite in which each run takes the time returned by `seconds`.
fn timed(suite: &Suite, seconds: impl FnMut(&Workload) -> f64) -> Benchmark {
    timed_on(suite, 1.0, seconds)
}

/// Runs a suite in which each thread has its core only for the fraction `part` of the time.
fn timed_on(suite: &Suite, part: f64, mut seconds: impl FnMut(&Workload) -> f64) -> Benchmark {
    let time = |workload: &Workload, _, _| {
        let wall = seconds(workload);
        Ok((wall, part * workload.threads as f64 * wall, truth(workload)))
    };
    suite.run(&mut { time }).unwrap()
}

/// Returns the time of a run on a machine whose threads take 25 % longer if they do not run alone.
fn plain(workload: &Workload) -> f64 {
    let busy = if workload.threads == 1 { 1.0 } else { 1.25 };
    0.2 * busy / workload.threads as f64
}

/// Returns a generator of random factors from `1 - part` to `1 + part`, which depend only on the
/// seed.
fn noise(part: f64, seed: u64) -> impl FnMut() -> f64 {
    let mut random = fastrand::Rng::with_seed(seed);
    move || 1.0 + part * (2.0 * random.f64() - 1.0)
}

fn written(format: Format, benchmark: &Benchmark) -> String {
    let mut out = Vec::new();
    benchmark.write(&mut out, format).unwrap();
    String::from_utf8(out).unwrap()
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// Loads a fixture in which a field has been given another value.
fn with(name: &str, field: &str, value: &Value) -> anyhow::Result<Benchmark> {
    let text = fs::read_to_string(fixture(name)).unwrap();
    let mut content: Value = serde_json::from_str(&text).unwrap();
    *content.pointer_mut(field).unwrap() = value.clone();
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), content.to_string()).unwrap();
    load(file.path())
}

/// Returns the files below a folder whose names end in `end`.
fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let paths = paths_below(folder).into_iter();
    let is_asked_for = |path: &PathBuf| path.is_file() && path.to_str().unwrap().ends_with(end);
    paths.filter(is_asked_for).collect()
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

    /// The recorded instruction sets include those of all kernels that can run.
    #[test]
    fn instruction_sets_of_kernels_are_recorded() {
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
        measured.retain(|one| one.engine == Engine::Bitboard && one.purpose == Purpose::Score);
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
            let made = calls[&measured.workload];
            let warm_up = usize::from(measured.workload.purpose == Purpose::Score);
            assert_eq!(measured.runs.len() + warm_up, made);
            assert!(measured.runs.len() >= 5);
        }
    }

    #[test]
    fn times_speed_up_and_score_are_derived_from_the_runs() {
        let near = |figure: f64, expected: f64| (figure / expected - 1.0).abs() < 1e-4;
        let mut call = 0;
        let mut suite = suite();
        suite.table = [16, 17].into();
        let benchmark = timed(&suite, |workload| {
            call += 1;
            match workload.purpose {
                Purpose::Table => 0.7,
                // Occasional slow runs do not change the median.
                _ => plain(workload) * if call % 9 == 0 { 3.0 } else { 1.0 },
            }
        });
        for one in &benchmark.measurements {
            if one.workload.purpose == Purpose::Table {
                assert_eq!((one.figures.least, one.figures.speedup), (0.7, None));
                continue;
            }
            let alone = one.workload.threads == 1;
            let seconds = if alone { 0.2 } else { 0.0625 };
            let efficiency = if alone { 1.0 } else { 0.8 };
            let solutions = one.solutions as f64;
            let figures = &one.figures;
            assert!(near(figures.seconds, seconds) && near(figures.least, seconds));
            assert!(near(figures.solutions_per_second.unwrap(), solutions / seconds));
            let speedup = efficiency * one.workload.threads as f64;
            assert!(near(figures.speedup.unwrap(), speedup), "{one:?}");
        }
        assert_eq!(benchmark.scores.len(), Suite::ENGINES.len());
        for (score, engine) in benchmark.scores.iter().zip(Suite::ENGINES) {
            let counted = score.workload;
            assert_eq!(counted.engine, engine);
            assert_eq!(counted.kernel, engine.fastest_kernel());
            let solutions = known::values(counted.n).unwrap().solutions as f64;
            assert!(near(score.one_thread.unwrap(), solutions / 0.2));
            assert!(near(score.efficiency().unwrap(), 0.8));
        }
    }

    /// Short runs, unsteady machines and shared cores make a score noisy, but its figures are kept.
    #[rstest]
    #[case::steady("", 1.0, |_, threads| 0.2 / threads as f64)]
    #[case::short("runs of 1.00 ms are too short; use a larger --n", 1.0, |_, threads| if threads == 1 { 0.5 } else { 0.001 })]
    // The machine rarely reaches its full speed.
    #[case::noisy("over 50.0 % longer than the fastest; close", 1.0, |run, _| if run == 2 { 0.2 } else { 0.3 })]
    #[case::disturbed("", 1.0, |run, _| if run % 2 == 0 { 0.2 } else { 0.3 })]
    #[case::shared_cores("each thread got 50.0 % of a core; close", 0.5, |_, threads| 0.2 / threads as f64)]
    #[case::own_cores("", 0.97, |_, threads| 0.2 / threads as f64)]
    fn unreliable_scores_are_marked_as_noisy(
        #[case] why: &str,
        #[case] part: f64,
        #[case] seconds: fn(usize, usize) -> f64,
    ) {
        let mut runs = HashMap::<Workload, usize>::new();
        let benchmark = timed_on(&suite(), part, |workload| {
            let run = runs.entry(*workload).or_default();
            *run += 1;
            seconds(*run, workload.threads)
        });
        for score in &benchmark.scores {
            assert_eq!(score.noisy, !why.is_empty(), "{score:?}");
            assert!(score.one_thread.is_some());
        }
        assert_contains(&written(Format::Text, &benchmark), &[why]);
    }

    /// Only the fastest engine on all threads continues the table once the other combinations take
    /// too long.
    #[test]
    fn the_table_has_every_size_and_skips_slow_rows() {
        let mut suite = suite();
        suite.table = [10, 12, 14, 16, 18].into();
        let benchmark = timed(&suite, |workload| {
            let rate = workload.threads as f64 * 1e6;
            (truth(workload) as f64 / rate).max(1e-4)
        });
        let rows: Vec<_> = benchmark.of(Purpose::Table).collect();
        for n in [10, 12, 14, 16, 18] {
            let is_there =
                rows.iter().any(|row| row.workload.n == n && row.workload.threads == THREADS);
            assert!(is_there, "N = {n}");
        }
        // At a million solutions per second, 666,090,624 solutions take eleven minutes.
        assert!(!rows.iter().any(|row| row.workload.n == 18 && row.workload.threads == 1));
        assert!(rows.iter().any(|row| row.workload.n == 14 && row.workload.threads == 1));
    }
}

/// A slowdown changes the ratio of its workload, and noise increases the spread.
#[test]
fn a_baseline_gives_ratios_and_their_spread() {
    let slower = *suite().workloads().last().unwrap();
    let (mut before, mut after) = (noise(0.02, 5), noise(0.02, 6));
    let baseline = timed(&suite(), |workload| plain(workload) * before());
    let mut benchmark = timed(&suite(), |workload| {
        let slowdown = if *workload == slower { 1.25 } else { 1.0 };
        plain(workload) * after() * slowdown
    });
    benchmark.compare_with(&baseline);
    for one in &benchmark.measurements {
        let is_slower = one.workload == slower;
        let expected = if is_slower { 0.8 } else { 1.0 };
        let (ratio, spread) = (one.figures.baseline_ratio, one.figures.baseline_spread);
        assert!((ratio.unwrap() / expected - 1.0).abs() < 0.03, "{one:?}");
        assert!((0.01..0.09).contains(&spread.unwrap()), "{one:?}");
    }
}

#[test]
fn every_format_has_every_measurement() {
    let mut suite = suite();
    suite.table = [1, 2, 8, 12].into();
    suite.scaling = true;
    let benchmark = timed(&suite, plain);

    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), written(Format::Json, &benchmark)).unwrap();
    let read = load(file.path()).unwrap();
    assert_eq!(read.measurements, benchmark.measurements);
    assert_eq!(read.scores, benchmark.scores);

    let csv = written(Format::Csv, &benchmark);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows: Vec<HashMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    assert_eq!(rows.len(), benchmark.measurements.len());
    // Separators are removed so that adjacent cells can be searched for as one string.
    let tables = [Format::Markdown, Format::Text]
        .map(|format| written(format, &benchmark).replace(['|', ',', ' '], ""));
    for (measured, row) in benchmark.measurements.iter().zip(&rows) {
        let Workload { engine, kernel, n, threads, .. } = measured.workload;
        let cells = ["engine", "kernel", "n", "threads"].map(|name| row[name].as_str());
        assert_eq!(cells.concat(), format!("{engine}{kernel}{n}{threads}"));
        assert_eq!(row["seconds"].parse(), Ok(measured.figures.seconds));
        assert_eq!(row["runs"], measured.runs.len().to_string());
        assert_eq!(row["cpu"], benchmark.environment.cpu);
        let cells = cells.concat() + &measured.solutions.to_string();
        for table in &tables {
            let is_there = table.lines().any(|line| line.starts_with(&cells));
            assert!(is_there, "{cells} in {table}");
        }
    }
}

mod pages {
    use super::*;

    fn page_of(names: &[&str]) -> BTreeMap<String, String> {
        let load = |name: &&str| load(&fixture(name)).unwrap();
        page(&names.iter().map(load).collect::<Vec<_>>())
    }

    #[test]
    fn the_page_shows_every_chart_and_no_other() {
        let mut files = page_of(&["bench-one.json", "bench-two.json"]);
        let markdown = files.remove(PAGE).unwrap();
        let html = files.remove(WEB_PAGE).unwrap();
        let pictures = markdown.lines().filter(|line| line.starts_with("!["));
        let shown: HashSet<_> =
            pictures.map(|line| line.rsplit_once("](").unwrap().1.trim_end_matches(')')).collect();
        let made: HashSet<_> = files.keys().map(String::as_str).collect();
        assert_eq!(shown, made);
        assert_eq!(made.len(), 2, "one for each machine");
        assert!(files.values().all(|chart| html.contains(chart)) && !html.contains("<img"));
        // Every heading and every cell of a table is in both pages.
        let strip = |line: &str| line.trim_matches(['#', '|', ' ']).replace("&#8288;", "\u{2060}");
        let parts = markdown.lines().filter(|line| line.starts_with(['#', '|']));
        for part in
            parts.flat_map(|line| strip(line).split(" | ").map(str::to_owned).collect::<Vec<_>>())
        {
            let is_rule = part.starts_with([':', '-']) && part.len() > 1;
            assert!(is_rule || html.contains(&format!(">{}</", part.trim())), "{part}");
        }
    }

    /// Two benchmarks from the same machine and day are both shown. A file that is not a benchmark
    /// causes a warning.
    #[test]
    fn a_folder_of_files_makes_a_page() {
        let place = Place::new();
        fs::create_dir(place.at("theirs")).unwrap();
        for name in ["theirs/one.json", "theirs/again.json"] {
            place.fixture("bench-one.json", name);
        }
        place.write("theirs/stray.json", "{}");
        let (_, stderr) = place.run(0, "report theirs -o page");
        assert_contains(&stderr, &["warning: ", "stray.json"]);
        let page = place.read("page/README.md");
        let titles: HashSet<_> = page.lines().filter(|line| line.starts_with("## ")).collect();
        assert_eq!(titles.len(), 1 + 2, "the scores and each file");
        assert_eq!(files(&place.at("page"), ".svg").len(), 2);
    }

    #[test]
    fn the_faster_machine_comes_first() {
        let names = ["bench-one.json", "bench-two.json"];
        let mut scores = names.map(|name| {
            let benchmark = load(&fixture(name)).unwrap();
            let score = benchmark.scores[0].clone();
            (score.all_threads.unwrap(), benchmark.environment.cpu)
        });
        scores.sort_by(|one, other| other.0.total_cmp(&one.0));
        let files = page_of(&names);
        let place = |cpu: &str| files[PAGE].find(&format!("\n| {cpu}")).unwrap();
        assert!(place(&scores[0].1) < place(&scores[1].1));
    }

    /// Strings in a file are shown as plain text. They cannot add tags or links to the page or
    /// formulas to the CSV output, and the names of the generated files are short and plain.
    #[rstest]
    #[case("/environment/cpu")]
    #[case("/settings/threads_reason")]
    fn strings_are_shown_as_plain_text(#[case] field: &str) {
        let texts = [
            "<b>a|b</b> `c` [d](e) & \\",
            "https://e.example www.e.example e@e.example",
            "=1+1",
            "@SUM(1)",
            "\u{1b}[31m\n## title",
            &"W".repeat(30_000),
            "../..",
            "漢字",
            "",
        ];
        for text in texts {
            let saved = with("bench-one.json", field, &json!(text)).unwrap();
            let csv = written(Format::Csv, &saved);
            for row in csv::Reader::from_reader(csv.as_bytes()).records() {
                let row = row.unwrap();
                let is_formula = |cell: &str| cell.starts_with(['=', '+', '-', '@']);
                assert!(!row.iter().any(is_formula), "{csv}");
            }
            for (name, text) in page(&[saved]) {
                let is_plain = |c: char| c.is_ascii_alphanumeric() || "-.".contains(c);
                assert!(name.len() < 250 && name.chars().all(is_plain), "{name}");
                assert!(!name.contains(".."), "{name}");
                assert!(!text.contains("<b>") && !text.contains('\u{1b}'), "{text}");
                if name == PAGE {
                    for sign in ["[d](e)", "a|b", "://", "www.", "e@e", "\n## title"] {
                        assert!(!text.contains(sign), "{text}");
                    }
                }
            }
        }
    }

    /// Values that are valid individually but inconsistent still give a page.
    #[rstest]
    #[case("/settings/threads", json!(1))]
    #[case("/measurements", json!([]))]
    #[case("/measurements/0/runs", json!([1e9]))]
    fn inconsistent_values_give_a_page(#[case] field: &str, #[case] value: Value) {
        let files = page(&[with("bench-one.json", field, &value).unwrap()]);
        assert!(files[PAGE].starts_with("# "));
    }
}

/// Results recorded on real machines.
mod recorded {
    use super::*;

    /// The page and its charts are those generated from the saved benchmarks.
    #[test]
    fn the_recorded_page_is_current() {
        let results = root().join("results");
        let beside = |end| {
            let files = files(&results, end).into_iter();
            files.filter(|path| path.parent() == Some(&results))
        };
        let saved: Vec<_> = beside(".json").map(|path| load(&path).unwrap()).collect();
        let page = page(&saved);
        let charts = beside(".svg").count();
        assert_eq!(charts, page.len() - 2, "a chart without a benchmark");
        for (name, text) in page {
            let kept = fs::read_to_string(results.join(&name)).unwrap_or_default();
            assert!(kept == text, "results/{name}");
        }
    }

    /// Returns the cells of a table's rows: the columns with these headings, in a text with one
    /// table that has them.
    fn columns(text: &str, headings: [&str; 4]) -> Vec<[String; 4]> {
        let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect();
        let lines = text.lines().filter(|line| line.starts_with('|'));
        let mut lines = lines.map(|line| -> Vec<String> { cells(line) });
        let indices = lines.find_map(|line| {
            let index = |heading| line.iter().position(|cell| cell == heading);
            let found: Vec<_> = headings.into_iter().filter_map(index).collect();
            <[usize; 4]>::try_from(found).ok()
        });
        let rows = lines.skip(1).take_while(|line| line[1].parse::<u32>().is_ok());
        indices.map_or(Vec::new(), |indices| {
            rows.map(|row| indices.map(|index| row[index].clone())).collect()
        })
    }

    /// The README's table has columns of some rows of one machine's table.
    #[test]
    fn the_readme_shows_recorded_results() {
        let read = |path| fs::read_to_string(root().join(path)).unwrap();
        let headings = |time| ["N", "Solutions", time, "OR-Tools guide"];
        let shown = columns(&read("README.md"), headings("`queens`"));
        assert!(!shown.is_empty());
        let machines = read("results/README.md");
        assert!(machines.split("\n## ").any(|machine| {
            let recorded = columns(machine, headings("Fastest"));
            shown.iter().all(|row| recorded.contains(row))
        }));
    }
}

mod command_line {
    use super::*;

    const BENCH: &str = "bench --quick --n 8 --threads 2";

    #[test]
    fn a_benchmark_is_saved_as_it_is_printed() {
        let place = Place::new();
        let saving = "--scaling --table 1..=9 --format json --save saved.json";
        let (printed, stderr) = place.run(0, &format!("{BENCH} {saving}"));
        assert_eq!(stderr, "saved in 'saved.json'\n");
        assert_eq!(printed, place.read("saved.json"));
        assert_eq!(place.field("saved.json", "settings")["threads"], 2);
        let wrote = place.stdout("report saved.json --out deep/out");
        assert_eq!(wrote, "wrote 'deep/out/README.md', 'deep/out/index.html' and 1 chart\n");
        let before = place.files();
        assert!(before.contains_key(&place.at("deep/out/index.html")));
        place.stdout("report saved.json --out deep/out");
        assert_eq!(place.files(), before, "a page of its own is replaced");
        place.write("index.html", "<h1>Mine</h1>");
        place.fails(2, "report saved.json --out .", &["--out", "index.html", "exists"]);
        let comparing = "--baseline saved.json --format json --output compared.json";
        place.stdout(&format!("{BENCH} {comparing}"));
        let measured = place.field("compared.json", "measurements");
        assert!(measured[0]["baseline_ratio"].is_number(), "{measured}");
    }

    #[test]
    fn a_file_without_a_table_has_no_chart_and_the_report_says_why() {
        let place = Place::new();
        place.run(0, &format!("{BENCH} --table 8 --save saved.json"));
        let (wrote, warned) = place.run(0, "report saved.json");
        assert_eq!(wrote, "wrote 'report/README.md', 'report/index.html' and 0 charts\n");
        assert_contains(&warned, &["no chart for 'saved.json'", "--table"]);
    }

    /// The first line has the score to quote, and details are omitted.
    #[test]
    fn the_score_comes_first_and_no_file_of_a_folder_is_replaced() {
        let place = Place::new();
        for files in [1, 2] {
            let (brief, stderr) = place.run(0, &format!("{BENCH} --engine join --save folder/"));
            let quoted = ["Score: ", "on 1 thread, ", "on 2 (", "N = 8", "workload 1"];
            assert_contains(brief.lines().next().unwrap(), &quoted);
            assert!(!brief.contains("Median"), "{brief}");
            assert_contains(&stderr, &["saved in 'folder/"]);
            assert_eq!(place.at("folder").read_dir().unwrap().count(), files);
        }
    }

    /// Truncated files and files of another version or kind are rejected, and no page is created.
    #[rstest]
    #[case(|text: &str| text[..text.len() / 2].to_owned(), "damaged")]
    #[case(|text: &str| text.replace("\"schema_version\": 2", "\"schema_version\": 7"), "schema version 7")]
    #[case(|text: &str| text.replace("queens-bench", "other"), "not a benchmark")]
    fn damaged_files_are_rejected(#[case] spoil: fn(&str) -> String, #[case] named: &str) {
        let place = Place::new();
        let good = place.fixture("bench-one.json", "spoilt.json");
        place.write("spoilt.json", spoil(&good));
        let report = "report spoilt.json --out out";
        place.fails(2, report, &["spoilt.json", named]);
        assert!(!place.at("out").exists());
    }
}

/// Numbers and strings that no measurement can produce are rejected.
#[rstest]
#[case("/measurements/0/n", json!(33))]
#[case("/measurements/0/runs", json!([]))]
#[case("/measurements/0/runs/0", json!(1e30))]
#[case("/measurements/0/runs/0", json!(5e-324))]
#[case("/measurements/0/solutions", json!("<script>"))]
#[case("/measurements/0/solutions", json!(92))]
#[case("/measurements/0/engine", json!("steam"))]
#[case("/measurements/0/kernel", json!("<b>"))]
fn impossible_values_are_rejected(#[case] field: &str, #[case] value: Value) {
    let error = with("bench-one.json", field, &value).unwrap_err();
    assert!(error.to_string().starts_with("is damaged"), "{error}");
}

/// Figures are recomputed from the runs, so those in the file have no effect.
#[rstest]
#[case("/measurements/0/least", json!(1e-9))]
#[case("/measurements/0/solutions_per_second", json!(1e30))]
#[case("/scores/0/all_threads", json!(1e30))]
fn figures_that_do_not_follow_from_the_runs_are_ignored(#[case] field: &str, #[case] value: Value) {
    let honest = load(&fixture("bench-one.json")).unwrap();
    assert_eq!(with("bench-one.json", field, &value).unwrap(), honest);
}
