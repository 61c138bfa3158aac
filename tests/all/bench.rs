//! The benchmark: with planted times and totals, since real ones depend on the machine, and end to end.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::assert::Assert;
use assert_cmd::cargo::cargo_bin_cmd;
use queens::bench::{
    Benchmark, Level, Purpose, Sample, Saved, Status, Suite, Verdict, Workload, load,
};
use queens::known::known;
use queens::report::Format;
use queens::report::page::Page;
use queens::{Engine, Kernel, Threads};
use rstest::rstest;
use serde_json::{Value, json};

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
    let mut time = |workload: &Workload| {
        Ok(Sample {
            seconds: seconds(workload),
            total: truth(workload),
            symmetry: None,
        })
    };
    suite.run(&mut time, &mut |_| ()).unwrap()
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
    benchmark.write(&mut out, format).unwrap();
    String::from_utf8(out).unwrap()
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Runs `queens report` on a file.
fn report(file: &Path, out: &Path) -> Assert {
    let mut report = cargo_bin_cmd!("queens");
    report
        .arg("report")
        .arg(file)
        .arg("--out")
        .arg(out)
        .assert()
}

/// Whether a measurement or a comparison is one of this workload.
fn same(workload: &Workload, key: (&str, &str, u32, usize)) -> bool {
    let Workload {
        engine,
        kernel,
        n,
        threads,
        ..
    } = *workload;
    (&*engine.to_string(), &*kernel.to_string(), n, threads) == key
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
        let suite = Suite::new(Level::Quick, Threads::exactly(6).unwrap()).scaling(true);
        let mut threads: Vec<_> = suite
            .workloads()
            .iter()
            .filter(|one| one.engine == Engine::Bitboard && one.purpose != Purpose::Kernels)
            .map(|one| one.threads)
            .collect();
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
            let made = calls
                .iter()
                .find(|(workload, _)| same(workload, measured.key()));
            let warm_up = usize::from(measured.purpose == Purpose::Score);
            assert_eq!(measured.runs.len() + warm_up, *made.unwrap().1);
            assert!(measured.runs.len() >= 3);
        }
    }

    #[test]
    fn median_efficiency_and_score_follow_from_the_runs() {
        let mut call = 0;
        let benchmark = timed(&suite().scaling(true), |workload| {
            call += 1;
            // One stray run in a while moves no median.
            plain(workload) * if call % 9 == 0 { 3.0 } else { 1.0 }
        });
        for measured in &benchmark.measurements {
            let expected = if measured.threads == 1 {
                0.2
            } else {
                0.25 / measured.threads as f64
            };
            assert!(
                (measured.seconds / expected - 1.0).abs() < 1e-4,
                "{measured:?}"
            );
            let efficiency = if measured.threads == 1 { 1.0 } else { 0.8 };
            assert!((measured.efficiency.unwrap() - efficiency).abs() < 1e-4);
            let solutions: f64 = measured.solutions.parse().unwrap();
            let per_thread = solutions / expected / measured.threads as f64;
            assert!((measured.per_thread / per_thread - 1.0).abs() < 1e-4);
        }
        for (score, engine) in benchmark.scores.iter().zip(Suite::ENGINES) {
            assert_eq!(score.engine, engine.to_string());
            assert_eq!(score.kernel, engine.fastest_kernel().to_string());
            let solutions = known(score.n).unwrap().solutions as f64;
            assert!((score.one_thread.unwrap() * 0.2 / solutions - 1.0).abs() < 1e-4);
            assert!((score.efficiency.unwrap() - 0.8).abs() < 1e-4);
        }
        assert_eq!(benchmark.scores.len(), Suite::ENGINES.len());
    }

    #[test]
    fn steady_runs_of_some_length_are_quotable() {
        for score in timed(&suite(), plain).scores {
            assert_eq!(score.status, Status::Quotable, "{:?}", score.reasons);
            assert!(score.reasons.is_empty());
        }
    }

    #[test]
    fn runs_that_are_too_short_are_marked() {
        let seconds = |workload: &Workload| if workload.threads == 1 { 0.5 } else { 0.001 };
        let benchmark = timed(&suite(), seconds);
        for score in &benchmark.scores {
            assert_eq!(score.status, Status::Marked);
            assert!(
                score.one_thread.is_some(),
                "a marked score still has its figures"
            );
            let [reason] = &score.reasons[..] else {
                panic!("{score:?}")
            };
            assert!(
                reason.starts_with("4 threads: a run took 1.00 ms"),
                "{reason}"
            );
        }
        for measured in &benchmark.measurements {
            let short = measured.marks.iter().any(|mark| mark.kind == "short");
            assert_eq!(short, measured.threads != 1);
        }
    }

    #[test]
    fn an_unsteady_machine_is_marked() {
        let mut call = 0;
        let benchmark = timed(&suite(), |_| {
            call += 1;
            // Not in step with the number of workloads, so that each sees both speeds.
            if call % 5 < 2 { 0.2 } else { 0.3 }
        });
        for score in &benchmark.scores {
            assert_eq!(score.status, Status::Marked);
            let is_spread = |reason: &String| reason.contains("spread");
            assert!(score.reasons.iter().all(is_spread), "{score:?}");
        }
    }

    /// One wrong total among hundreds of runs, in the warm-up or later.
    #[rstest]
    #[case(1)]
    #[case(40)]
    fn a_wrong_total_voids_the_score_of_its_engine_alone(#[case] wrong: usize) {
        let mut call = 0;
        let mut culprit = None;
        let mut time = |workload: &Workload| {
            call += 1;
            let mut total = truth(workload);
            if call == wrong {
                culprit = Some(*workload);
                total -= 1;
            }
            Ok(Sample {
                seconds: plain(workload),
                total,
                symmetry: None,
            })
        };
        let benchmark = suite().run(&mut time, &mut |_| ()).unwrap();
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
        let text = written(Format::Text, &benchmark);
        assert!(text.contains("WRONG") && text.contains("void"), "{text}");
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
            assert!(
                rows.iter().any(|row| row.n == n && row.threads == THREADS),
                "N = {n}"
            );
        }
        // 666,090,624 solutions at a million a second take eleven minutes.
        assert!(!rows.iter().any(|row| row.n == 18 && row.threads == 1));
        assert!(rows.iter().any(|row| row.n == 14 && row.threads == 1));
        for row in rows {
            assert_eq!(row.solutions, known(row.n).unwrap().solutions.to_string());
        }
    }
}

mod comparing {
    use super::*;

    #[test]
    fn noise_is_not_flagged() {
        for seed in 1..20 {
            let (mut before, mut after) = (noise(0.02, seed), noise(0.02, 1000 + seed));
            let baseline = timed(&suite(), |workload| plain(workload) * before());
            let benchmark = timed(&suite(), |workload| plain(workload) * after());
            let compared = benchmark.compare_with(&baseline);
            assert_eq!(compared.len(), benchmark.measurements.len());
            for one in compared {
                assert_eq!(one.verdict, Verdict::Same, "{one:?}");
            }
        }
    }

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

    #[test]
    fn a_baseline_of_other_boards_or_engines_is_refused() {
        let baseline = timed(&suite().board(9).unwrap(), plain);
        let same = suite().board(9).unwrap().workloads();
        assert!(baseline.is_baseline_for(&same).is_ok());
        let other = suite().board(10).unwrap().workloads();
        let message = baseline.is_baseline_for(&other).unwrap_err().to_string();
        assert!(
            message.contains("N = 10") && message.contains("N = 9"),
            "{message}"
        );
    }
}

mod formats {
    use super::*;

    fn whole() -> Benchmark {
        let mut wobble = noise(0.02, 3);
        let suite = suite().scaling(true).table(&[1, 2, 8, 12]).unwrap();
        let mut benchmark = timed(&suite, |workload| plain(workload) * wobble());
        let mut wobble = noise(0.02, 4);
        let baseline = timed(&suite, |workload| plain(workload) * wobble());
        benchmark.comparison = Some(benchmark.compare_with(&baseline));
        benchmark
    }

    #[test]
    fn json_is_read_back() {
        let benchmark = whole();
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), written(Format::Json, &benchmark)).unwrap();
        assert_eq!(load(file.path()).unwrap(), benchmark);
    }

    #[test]
    fn every_format_has_every_measurement() {
        let benchmark = whole();
        let csv = written(Format::Csv, &benchmark);
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let rows: Vec<HashMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
        assert_eq!(rows.len(), benchmark.measurements.len());
        // Cells apart from what stands between them.
        let tables = [Format::Markdown, Format::Text].map(|format| {
            let text = written(format, &benchmark).replace(['|', ','], " ");
            let lines = text
                .lines()
                .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
            lines.collect::<Vec<_>>()
        });
        for (measured, row) in benchmark.measurements.iter().zip(&rows) {
            let (engine, kernel, n, threads) = measured.key();
            let key = format!("{engine} {kernel} {n} {threads} ");
            let cells = ["engine", "kernel", "n", "threads"].map(|name| row[name].as_str());
            assert_eq!(cells.join(" ") + " ", key);
            assert_eq!(row["seconds"].parse(), Ok(measured.seconds));
            assert_eq!(row["runs"], measured.runs.len().to_string());
            assert_eq!(row["cpu"], benchmark.environment.cpu);
            for table in &tables {
                let same = table.iter().filter(|line| line.starts_with(&key));
                let digits = |line: &String| line[key.len()..].replace(' ', "");
                let found = same
                    .clone()
                    .any(|line| digits(line).starts_with(&measured.solutions));
                assert!(found, "{key} in {table:?}");
            }
        }
    }
}

mod pages {
    use super::*;

    fn page(names: &[&str]) -> Page {
        let load = |name: &&str| Saved::load(&fixture(name)).unwrap();
        Page::new(&names.iter().map(load).collect::<Vec<_>>()).unwrap()
    }

    fn all() -> Page {
        page(&["bench-one.json", "bench-two.json", "solvers.json"])
    }

    #[test]
    fn the_page_shows_every_chart_that_it_has_and_no_other() {
        let page = all();
        let files: HashMap<_, _> = page.files().collect();
        let markdown = files["README.md"];
        let shown: HashSet<_> = markdown
            .lines()
            .filter_map(|line| {
                line.strip_prefix("![")?
                    .split_once("](")?
                    .1
                    .strip_suffix(')')
            })
            .collect();
        let made: HashSet<_> = files
            .keys()
            .copied()
            .filter(|name| name.ends_with(".svg"))
            .collect();
        assert_eq!(shown, made);
        // For each machine time, speed-up and two engines' kernels; the two engines' scores; the solvers.
        assert_eq!(made.len(), 2 * 4 + 2 + 1);
        let plain = markdown.replace(['|', ',', ' '], "");
        for n in 1..=18 {
            let row = format!("{n}{}", known(n).unwrap().solutions);
            assert!(plain.lines().any(|line| line.starts_with(&row)), "{row}");
        }
    }

    #[test]
    fn charts_have_axes_units_a_legend_and_a_background() {
        let page = all();
        for (name, svg) in page.files().filter(|(name, _)| *name != "README.md") {
            let expected: &[&str] = match name {
                _ if name.contains("time-against-n") => {
                    &["Board size N", "(log scale)", "10 ms", "1 s"]
                }
                _ if name.contains("speed-up") => &["Threads", "Speed-up", "linear speed-up"],
                _ => &["Solutions per second", "1 thread"],
            };
            let texts = svg.split("</text>");
            let texts: Vec<_> = texts
                .filter_map(|part| Some(part.rsplit_once('>')?.1))
                .collect();
            for expected in expected {
                let found = texts.iter().any(|text| text.contains(expected));
                assert!(found, "{expected} in {name}: {texts:?}");
            }
            // The first thing drawn covers all of it.
            let first = svg.split("<rect").nth(1).unwrap();
            assert!(
                first.contains("width=\"860\"") && first.contains("fill=\"#"),
                "{name}"
            );
        }
    }

    /// On a logarithmic scale equal ratios are equal distances.
    #[test]
    fn points_lie_where_their_figures_say() {
        let page = page(&["solvers.json"]);
        let (_, svg) = page
            .files()
            .find(|(name, _)| name.ends_with(".svg"))
            .unwrap();
        let Saved::Solvers(solvers) = Saved::load(&fixture("solvers.json")).unwrap() else {
            panic!("the fixture holds solvers")
        };
        // Solver A's line is the first of the polylines with as many points as there are boards.
        let lines = svg
            .split("points=\"")
            .skip(1)
            .map(|part| part.split('"').next().unwrap());
        let y = |point: &str| point.split_once(',').unwrap().1.parse::<f64>().unwrap();
        let heights = lines.map(|points| points.split_whitespace().map(y).collect::<Vec<_>>());
        let heights = heights
            .into_iter()
            .find(|heights| heights.len() == 9)
            .unwrap();
        let seconds: Vec<_> = solvers.rows[..9].iter().map(|row| row.seconds).collect();
        let scale = (heights[8] - heights[0]) / (seconds[8] / seconds[0]).ln();
        for (height, time) in heights.iter().zip(&seconds) {
            let expected = heights[0] + scale * (time / seconds[0]).ln();
            assert!((height - expected).abs() <= 2.0, "{height} {expected}");
        }
    }

    /// Nothing is lost where the same machine comes twice.
    #[test]
    fn two_files_of_one_day_keep_their_charts_apart() {
        let alone = page(&["bench-one.json"]).files().count();
        let twice = page(&["bench-one.json", "bench-one.json"]);
        assert_eq!(twice.files().count(), 1 + 2 * (alone - 1) + 2);
    }

    /// Whatever the texts of a file are, the page shows that and nothing else, and its files have short plain names.
    #[rstest]
    #[case("bench-one.json", "/environment/cpu")]
    #[case("bench-one.json", "/environment/date")]
    #[case("bench-one.json", "/measurements/0/engine")]
    #[case("bench-one.json", "/measurements/0/solutions")]
    #[case("bench-one.json", "/scores/0/engine")]
    #[case("solvers.json", "/solvers/0/name")]
    #[case("solvers.json", "/solvers/0/how")]
    fn odd_texts_stay_texts(#[case] file: &str, #[case] field: &str) {
        let folder = tempfile::tempdir().unwrap();
        for text in [
            "<b>a|b</b> `c` [d](e) & \\",
            &"W".repeat(300),
            "../..",
            "漢字",
            "",
        ] {
            let mut content = json(&fixture(file));
            *content.pointer_mut(field).unwrap() = json!(text);
            let file = folder.path().join("odd.json");
            fs::write(&file, content.to_string()).unwrap();
            let page = Page::new(&[Saved::load(&file).unwrap()]).unwrap();
            for (name, text) in page.files() {
                let is_plain = |c: char| c.is_ascii_alphanumeric() || "-.".contains(c);
                assert!(name.len() < 150 && name.chars().all(is_plain), "{name}");
                assert!(!name.contains(".."), "{name}");
                assert!(!text.contains("<b>"), "{text}");
                assert!(name != "README.md" || !text.contains("[d](e)"), "{text}");
            }
        }
    }

    /// What a program of this version never writes is escaped like all else.
    #[test]
    fn marks_and_reasons_are_escaped() {
        let mut benchmark = load(&fixture("bench-one.json")).unwrap();
        benchmark.scores[0].reasons = vec!["<script>|".to_owned()];
        benchmark.measurements[0].marks = vec![queens::bench::Mark {
            kind: "<script>|".to_owned(),
            reason: String::new(),
            hint: String::new(),
        }];
        let page = Page::new(&[Saved::Benchmark(Box::new(benchmark))]).unwrap();
        let (_, markdown) = page.files().next().unwrap();
        assert!(!markdown.contains("<script>"), "{markdown}");
        assert_eq!(markdown.matches("&lt;script>\\|").count(), 2, "{markdown}");
    }
}

/// What was recorded on real machines.
mod recorded {
    use super::*;

    /// The files below a folder whose names end so.
    fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files.extend(self::files(&path, end));
            } else if path.to_str().unwrap().ends_with(end) {
                files.push(path);
            }
        }
        files.sort();
        files
    }

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR"))
    }

    /// The page and its charts are those that the saved benchmarks give.
    #[test]
    fn the_page_is_made_from_the_files_beside_it() {
        let results = root().join("results");
        let machines = fs::read_dir(&results)
            .unwrap()
            .map(|one| one.unwrap().path());
        let mut saved: Vec<_> = machines
            .filter(|path| path.is_dir())
            .flat_map(|path| fs::read_dir(path).unwrap())
            .map(|file| file.unwrap().path())
            .filter(|path| path.extension().is_some_and(|end| end == "json"))
            .collect();
        saved.sort();
        assert!(!saved.is_empty());
        let out = tempfile::tempdir().unwrap();
        cargo_bin_cmd!("queens")
            .arg("report")
            .args(&saved)
            .arg("--out")
            .arg(out.path())
            .assert()
            .success();
        let made = files(out.path(), "");
        for path in &made {
            let name = path.file_name().unwrap();
            let kept = fs::read_to_string(results.join(name)).unwrap_or_default();
            assert!(
                kept == fs::read_to_string(path).unwrap(),
                "results/{name:?}"
            );
        }
        let charts = |folder: &Path| files(folder, ".svg").len();
        assert_eq!(charts(&results), charts(out.path()), "a chart of no file");
    }

    /// No figure in the README that a file under `results/` does not hold: tables of six columns or more are such figures.
    #[test]
    fn the_readme_shows_what_was_recorded() {
        let results = root().join("results");
        let held: Vec<_> = files(&results, ".md")
            .iter()
            .map(|path| fs::read_to_string(path).unwrap())
            .collect();
        let readme = fs::read_to_string(root().join("README.md")).unwrap();
        let mut rows = readme
            .lines()
            .filter(|line| line.starts_with('|') && line.matches('|').count() > 6)
            .peekable();
        assert!(rows.peek().is_some());
        for row in rows {
            let is_held = |text: &String| text.lines().any(|line| line == row);
            assert!(held.iter().any(is_held), "{row}");
        }
    }
}

mod command_line {
    use super::*;

    fn bench(arguments: &[&str]) -> Assert {
        let fixed = ["bench", "--quick", "--n", "8", "--threads", "2"];
        let mut command = cargo_bin_cmd!("queens");
        command.args(fixed).args(arguments).assert()
    }

    #[test]
    fn a_benchmark_is_saved_compared_and_made_a_page_of() {
        let folder = tempfile::tempdir().unwrap();
        let saved = folder.path().join("saved.json");
        let name = saved.to_str().unwrap();
        let more = [
            "--scaling",
            "--table",
            "1..=9",
            "--format",
            "json",
            "--save",
            name,
        ];
        let printed = bench(&more).success().stderr("");
        assert_eq!(printed.get_output().stdout, fs::read(&saved).unwrap());
        let value = json(&saved);
        for measured in value["measurements"].as_array().unwrap() {
            assert_eq!(measured["correct"], true, "{measured}");
        }
        assert_eq!(value["settings"]["threads"], 2);

        let compared = bench(&["--baseline", name, "--format", "json"])
            .success()
            .stderr("");
        let compared: Value = serde_json::from_slice(&compared.get_output().stdout).unwrap();
        assert!(!compared["comparison"].as_array().unwrap().is_empty());

        let out = folder.path().join("deep/out");
        report(&saved, &out).success().stdout("").stderr("");
        assert!(out.join("README.md").exists());
    }

    #[test]
    fn threads_can_be_pinned() {
        for pin in ["cores", "all"] {
            let printed = bench(&["--pin", pin, "--engine", "bitboard"]).success();
            let text = String::from_utf8(printed.get_output().stdout.clone()).unwrap();
            assert!(text.contains(&format!("pinning {pin}")), "{text}");
        }
    }

    #[rstest]
    #[case(&["--format", "xml"], &["--format", "'xml'"])]
    #[case(&["--full"], &["--quick", "--full"])]
    #[case(&["--pin", "some"], &["--pin", "'some'", "cores"])]
    #[case(&["--engine", "steam"], &["--engine", "'steam'", "bitboard"])]
    #[case(&["--table", "1..=30"], &["--table", "28", "published"])]
    #[case(&["--save", "no/such/folder/file"], &["--save", "no/such/folder/file"])]
    #[case(&["--save", "-"], &["--save", "'-'"])]
    #[case(&["--save", "both", "--output", "both"], &["--save", "--output"])]
    #[case(&["--baseline", "no-such-file"], &["--baseline", "no-such-file", "cannot be read"])]
    #[case(&["--baseline", "Cargo.toml"], &["--baseline", "damaged"])]
    #[case(&["--baseline", "tests/fixtures/solvers.json"], &["--baseline", "not a benchmark"])]
    #[case(&["--baseline", "tests/fixtures/bench-one.json"], &["--baseline", "N = 8", "N = 17"])]
    fn bad_input_is_refused(#[case] arguments: &[&str], #[case] named: &[&str]) {
        refused(bench(arguments), named);
    }

    #[rstest]
    fn boards_that_cannot_be_checked_are_refused(#[values("0", "28", "33")] n: &str) {
        refused(
            cargo_bin_cmd!("queens").args(["bench", "--n", n]).assert(),
            &["--n"],
        );
    }

    fn refused(assert: Assert, named: &[&str]) {
        let assert = assert.code(2).stdout("");
        let message = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(message.starts_with("error: "), "{message}");
        for word in named {
            assert!(message.contains(word), "{word} in {message}");
        }
    }

    /// A file that is cut off, of another version or of another kind, and no page is begun.
    #[rstest]
    #[case(|text: &str| text[..text.len() / 2].to_owned(), "damaged")]
    #[case(|text: &str| text.replace("\"schema_version\": 1", "\"schema_version\": 7"), "schema version 7")]
    #[case(|text: &str| text.replace("queens-bench", "other"), "not a benchmark")]
    #[case(|text: &str| text.replacen("\"purpose\": \"score\"", "\"purpose\": \"fun\"", 1), "damaged")]
    #[case(|text: &str| text.replacen("\"purpose\"", "\"more\": 1, \"purpose\"", 1), "damaged")]
    fn damaged_files_are_refused(#[case] spoil: fn(&str) -> String, #[case] named: &str) {
        let folder = tempfile::tempdir().unwrap();
        let (file, out) = (folder.path().join("spoilt.json"), folder.path().join("out"));
        let good = fs::read_to_string(fixture("bench-one.json")).unwrap();
        fs::write(&file, spoil(&good)).unwrap();
        refused(report(&file, &out), &["spoilt.json", named]);
        assert!(!out.exists());
    }

    /// Numbers and texts that no measurement gives.
    #[rstest]
    #[case("/measurements/0/seconds", json!(5e-324))]
    #[case("/measurements/0/seconds", json!(-1.0))]
    #[case("/measurements/0/n", json!(33))]
    #[case("/measurements/0/threads", json!(0))]
    #[case("/measurements/0/threads", json!(1_000_000_000_000_000_u64))]
    #[case("/measurements/0/runs", json!([]))]
    #[case("/measurements/0/runs", json!(vec![1; 10_001]))]
    #[case("/measurements/0/runs/0", json!(1e30))]
    #[case("/measurements/0/efficiency", json!(-5.0))]
    #[case("/settings/threads", json!(4097))]
    #[case("/environment/cores", json!(0))]
    #[case("/environment/cpu", json!("X\u{1b}[31m"))]
    #[case("/environment/cpu", json!("X".repeat(5_000)))]
    fn impossible_values_are_refused(#[case] field: &str, #[case] value: Value) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("spoilt.json");
        let mut content = json(&fixture("bench-one.json"));
        *content.pointer_mut(field).unwrap() = value;
        fs::write(&file, content.to_string()).unwrap();
        let message = load(&file).unwrap_err().to_string();
        assert!(message.contains("damaged"), "{message}");
    }

    /// Possible values that do not fit together: a page, whatever it shows.
    #[rstest]
    #[case("bench-one.json", "/settings/threads", json!(1))]
    #[case("bench-one.json", "/measurements", json!([]))]
    #[case("bench-one.json", "/measurements/0/engine", json!("steam"))]
    #[case("bench-one.json", "/measurements/0/seconds", json!(1e9))]
    #[case("solvers.json", "/solvers", json!([]))]
    #[case("solvers.json", "/rows", json!([]))]
    fn contradictions_are_shown_as_they_are(
        #[case] file: &str,
        #[case] field: &str,
        #[case] value: Value,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut content = json(&fixture(file));
        *content.pointer_mut(field).unwrap() = value;
        let file = folder.path().join("odd.json");
        fs::write(&file, content.to_string()).unwrap();
        let page = Page::new(&[Saved::load(&file).unwrap()]).unwrap();
        assert!(page.files().count() > 0);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "in the way").unwrap();
        refused(
            report(&fixture("bench-one.json"), &file),
            &["--out", "accepted"],
        );
        assert_eq!(fs::read_to_string(&file).unwrap(), "in the way");
    }
}
