//! The benchmark: with planted times and totals, since real ones depend on the machine, and end to end.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::assert::Assert;
use assert_cmd::cargo::cargo_bin_cmd;
use queens::bench::{Benchmark, Level, Purpose, Sample, Status, Suite, Verdict, Workload, load};
use queens::known::known;
use queens::report::page::{Page, Saved};
use queens::report::{BenchWriter, Format};
use queens::{Engine, Threads};
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
            symmetry: Some("eightfold"),
        })
    };
    suite.run(&mut time, &mut |_| ()).unwrap()
}

/// A machine whose threads take a quarter more each than they would alone.
fn plain(workload: &Workload) -> f64 {
    let busy = if workload.threads == 1 { 1.0 } else { 1.25 };
    0.2 * busy / workload.threads as f64
}

/// Noise of up to `part` in either direction, the same at each call of the test. SplitMix64: of a simpler generator every
/// sixteenth number, say, would be far from random, and workloads take turns.
fn noise(part: f64, seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        1.0 + part * ((mixed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0)
    }
}

fn written(format: Format, benchmark: &Benchmark) -> String {
    let mut out = Vec::new();
    BenchWriter(format).write(&mut out, benchmark).unwrap();
    String::from_utf8(out).unwrap()
}

fn fixture(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    folder.join(name)
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The documented form.
fn schema(name: &str) -> jsonschema::Validator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("docs")
        .join(name);
    jsonschema::validator_for(&json(&path)).unwrap()
}

mod measuring {
    use super::*;

    #[test]
    fn every_engine_is_timed_with_every_kernel_on_one_thread_and_on_all() {
        let workloads = suite().workloads();
        for engine in Engine::VARIANTS {
            for &kernel in engine.available_kernels() {
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
            let made = calls.iter().find(|(workload, _)| {
                let key = (
                    workload.engine.name(),
                    workload.kernel.name(),
                    workload.n,
                    workload.threads,
                );
                key == measured.key()
            });
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
        for (score, engine) in benchmark.scores.iter().zip(Engine::VARIANTS) {
            assert_eq!(score.engine, engine.name());
            assert_eq!(score.kernel, engine.fastest_kernel().name());
            let solutions = known(score.n).unwrap().solutions as f64;
            assert!((score.one_thread.unwrap() * 0.2 / solutions - 1.0).abs() < 1e-4);
            assert!((score.efficiency.unwrap() - 0.8).abs() < 1e-4);
        }
        assert_eq!(benchmark.scores.len(), Engine::VARIANTS.len());
    }

    #[test]
    fn steady_runs_of_some_length_are_quotable() {
        for score in timed(&suite(), plain).scores {
            assert_eq!(score.status, Status::Quotable, "{:?}", score.reasons);
            assert!(score.reasons.is_empty());
        }
    }

    #[test]
    fn a_run_that_is_too_short_is_marked_with_what_to_do() {
        let benchmark = timed(
            &suite(),
            |workload| {
                if workload.threads == 1 { 0.5 } else { 0.001 }
            },
        );
        for score in &benchmark.scores {
            assert_eq!(score.status, Status::Marked);
            assert!(
                score.one_thread.is_some(),
                "a marked score still has its figures"
            );
            assert_eq!(score.reasons.len(), 1);
            assert!(score.reasons[0].starts_with("4 threads: a run took 1.00 ms"));
            assert!(score.reasons[0].contains("--full"));
        }
        for measured in &benchmark.measurements {
            let short = measured.marks.iter().any(|mark| mark.kind == "short");
            assert_eq!(short, measured.threads != 1);
        }
    }

    #[test]
    fn a_machine_that_wavers_is_marked() {
        let mut call = 0;
        let benchmark = timed(&suite(), |_| {
            call += 1;
            // Not in step with the number of workloads, so that each sees both speeds.
            if call % 5 < 2 { 0.2 } else { 0.3 }
        });
        for score in &benchmark.scores {
            assert_eq!(score.status, Status::Marked);
            assert!(
                score.reasons.iter().all(|reason| reason.contains("spread")),
                "{score:?}"
            );
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
            let void = score.engine == culprit.engine.name();
            assert_eq!(score.status == Status::Void, void);
            assert_eq!(score.one_thread.is_none(), void);
            assert_eq!(score.all_threads.is_none(), void);
            if void {
                assert!(score.reasons[0].contains(culprit.kernel.name()));
                assert!(score.quote().ends_with("void"));
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
            let is = |workload: Workload| {
                let Workload {
                    engine,
                    kernel,
                    n,
                    threads,
                    ..
                } = workload;
                (engine.name(), kernel.name(), n, threads)
                    == (&*one.engine, &*one.kernel, one.n, one.threads)
            };
            let expected = match (is(slower), is(faster)) {
                (true, _) => Verdict::Slower,
                (_, true) => Verdict::Faster,
                _ => Verdict::Same,
            };
            assert_eq!(one.verdict, expected, "{one:?}");
        }
    }

    /// On a machine that wavers by a third, a tenth says nothing.
    #[test]
    fn what_is_noise_depends_on_the_spread() {
        let (mut before, mut after) = (noise(0.3, 7), noise(0.3, 8));
        let baseline = timed(&suite(), |workload| plain(workload) * before());
        let benchmark = timed(&suite(), |workload| plain(workload) * after() * 1.1);
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
    fn json_is_of_the_documented_form_and_is_read_back() {
        let benchmark = whole();
        let text = written(Format::Json, &benchmark);
        let value: Value = serde_json::from_str(&text).unwrap();
        let errors: Vec<_> = schema("bench-format.schema.json")
            .iter_errors(&value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        assert_eq!(load(file.path()).unwrap(), benchmark);
    }

    /// The documented form is no sieve: it refuses what lacks a field, has one too many, or has one of another kind.
    #[test]
    fn the_documented_form_refuses_everything_else() {
        let good: Value = serde_json::to_value(whole()).unwrap();
        let schema = schema("bench-format.schema.json");
        let spoil: [fn(&mut Value); 7] = [
            |value| value["schema_version"] = json!(2),
            |value| value["measurements"][0]["n"] = json!("16"),
            |value| value["measurements"][0]["solutions"] = json!(92),
            |value| value["measurements"][0]["runs"] = json!([]),
            |value| value["environment"]["date"] = json!("today"),
            |value| value["scores"][0]["extra"] = json!(1),
            |value| {
                value["settings"].as_object_mut().unwrap().remove("pin");
            },
        ];
        assert!(schema.is_valid(&good));
        for (i, spoil) in spoil.into_iter().enumerate() {
            let mut bad = good.clone();
            spoil(&mut bad);
            assert!(!schema.is_valid(&bad), "spoilt by {i}");
        }
    }

    #[test]
    fn csv_markdown_text_and_json_agree() {
        let benchmark = whole();
        let csv = written(Format::Csv, &benchmark);
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let names: Vec<_> = reader
            .headers()
            .unwrap()
            .iter()
            .map(str::to_owned)
            .collect();
        let rows: Vec<HashMap<_, _>> = reader
            .records()
            .map(|row| {
                names
                    .iter()
                    .cloned()
                    .zip(row.unwrap().iter().map(str::to_owned))
                    .collect()
            })
            .collect();
        assert_eq!(rows.len(), benchmark.measurements.len());
        let tables = [Format::Markdown, Format::Text].map(|format| {
            let text = written(format, &benchmark);
            let rows: Vec<Vec<String>> = text
                .lines()
                .map(|line| line.replace('|', " "))
                .map(|line| line.split_whitespace().map(str::to_owned).collect())
                .collect();
            rows
        });
        for (measured, row) in benchmark.measurements.iter().zip(&rows) {
            assert_eq!(row["engine"], measured.engine);
            assert_eq!(row["kernel"], measured.kernel);
            assert_eq!(row["n"], measured.n.to_string());
            assert_eq!(row["threads"], measured.threads.to_string());
            assert_eq!(row["seconds"].parse(), Ok(measured.seconds));
            assert_eq!(row["runs"], measured.runs.len().to_string());
            assert_eq!(row["cpu"], benchmark.environment.cpu);
            let solutions: u128 = measured.solutions.parse().unwrap();
            let people = [
                measured.engine.clone(),
                measured.kernel.clone(),
                measured.n.to_string(),
                measured.threads.to_string(),
                queens::report::human::integer(solutions),
            ];
            let time = queens::report::human::seconds(measured.seconds);
            for table in &tables {
                let found = table
                    .iter()
                    .any(|row| row.starts_with(&people) && row[5..].join(" ").starts_with(&time));
                assert!(found, "{people:?} {time}");
            }
        }
        for score in &benchmark.scores {
            for format in [Format::Markdown, Format::Text] {
                assert!(written(format, &benchmark).contains(&score.quote()));
            }
        }
    }
}

mod pages {
    use super::*;

    fn page(names: &[&str]) -> Page {
        let saved: Vec<_> = names
            .iter()
            .map(|name| Saved::load(&fixture(name)).unwrap())
            .collect();
        Page::new(&saved).unwrap()
    }

    fn files(page: &Page) -> HashMap<&str, &str> {
        page.files().collect()
    }

    #[test]
    fn the_fixtures_are_of_the_documented_forms() {
        for (name, form) in [
            ("bench-one.json", "bench-format.schema.json"),
            ("bench-two.json", "bench-format.schema.json"),
            ("solvers.json", "solvers-format.schema.json"),
        ] {
            let value = json(&fixture(name));
            if let Err(error) = schema(form).validate(&value) {
                panic!("{name}: {}: {error}", error.instance_path());
            }
        }
    }

    #[test]
    fn the_page_shows_every_chart_that_it_has_and_no_other() {
        let page = page(&["bench-one.json", "bench-two.json", "solvers.json"]);
        let files = files(&page);
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
            .filter(|name| *name != "README.md")
            .collect();
        assert_eq!(shown, made);
        // For each machine time, speed-up and two engines' kernels; the two engines' scores; the solvers.
        assert_eq!(made.len(), 2 * 4 + 2 + 1);
        for n in 1..=18 {
            let solutions = queens::report::human::integer(known(n).unwrap().solutions);
            let row = format!("{n} {solutions}");
            let plain = markdown.replace('|', " ");
            let found = plain.lines().any(|line| {
                line.split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" ")
                    .starts_with(&row)
            });
            assert!(found, "{row}");
        }
    }

    #[test]
    fn charts_have_axes_units_a_legend_and_a_background() {
        let page = page(&["bench-one.json", "bench-two.json", "solvers.json"]);
        for (name, svg) in page.files().filter(|(name, _)| *name != "README.md") {
            let expected: &[&str] = match name {
                _ if name.contains("time-against-n") => {
                    &["Board size N", "(log scale)", "10 ms", "1 s"]
                }
                _ if name.contains("speed-up") => {
                    &["Threads", "Speed-up", "as many times as threads"]
                }
                _ => &["Solutions per second", "1 thread"],
            };
            let texts: Vec<_> = svg
                .split("</text>")
                .filter_map(|part| Some(part.rsplit_once('>')?.1.trim()))
                .collect();
            for expected in expected {
                assert!(
                    texts.iter().any(|text| text.contains(expected)),
                    "{expected} in {name}: {texts:?}"
                );
            }
            // The first thing drawn covers all of it.
            let first = svg.split("<rect").nth(1).unwrap();
            assert!(
                first.contains("width=\"860\"") && first.contains("fill=\"#"),
                "{name}: {first}"
            );
        }
    }

    /// On a logarithmic scale equal ratios are equal distances.
    #[test]
    fn points_lie_where_their_figures_say() {
        let page = page(&["solvers.json"]);
        let files = files(&page);
        let (_, svg) = files
            .iter()
            .find(|(name, _)| name.ends_with(".svg"))
            .unwrap();
        let Saved::Solvers(solvers) = Saved::load(&fixture("solvers.json")).unwrap() else {
            panic!("the fixture holds solvers")
        };
        // Solver A's line is the first of the polylines with as many points as there are boards.
        let line = svg
            .split("points=\"")
            .skip(1)
            .map(|part| part.split('"').next().unwrap())
            .map(|points| {
                points
                    .split_whitespace()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            })
            .find(|points| points.len() == 9)
            .unwrap();
        let y = |point: &String| point.split_once(',').unwrap().1.parse::<f64>().unwrap();
        let seconds: Vec<_> = solvers.rows[..9].iter().map(|row| row.seconds).collect();
        let scale = (y(&line[8]) - y(&line[0])) / (seconds[8] / seconds[0]).ln();
        for (point, seconds_here) in line.iter().zip(&seconds) {
            let expected = y(&line[0]) + scale * (seconds_here / seconds[0]).ln();
            assert!((y(point) - expected).abs() <= 2.0, "{point} {expected}");
        }
    }

    /// In two processes, into a folder that was not there.
    #[test]
    fn the_same_files_give_the_same_page() {
        let folder = tempfile::tempdir().unwrap();
        let out = ["one", "deep/two"].map(|name| folder.path().join(name));
        for out in &out {
            cargo_bin_cmd!("queens")
                .arg("report")
                .args(["bench-one.json", "bench-two.json", "solvers.json"].map(fixture))
                .arg("--out")
                .arg(out)
                .assert()
                .success()
                .stdout("")
                .stderr("");
        }
        let page = page(&["bench-one.json", "bench-two.json", "solvers.json"]);
        for (name, text) in page.files() {
            for out in &out {
                assert_eq!(fs::read_to_string(out.join(name)).unwrap(), text, "{name}");
            }
        }
        assert_eq!(fs::read_dir(&out[0]).unwrap().count(), page.files().count());
    }

    /// Nothing is lost where the same machine comes twice.
    #[test]
    fn two_files_of_one_day_keep_their_charts_apart() {
        let alone = page(&["bench-one.json"]).files().count();
        let twice = page(&["bench-one.json", "bench-one.json"]);
        assert_eq!(twice.files().count(), 1 + 2 * (alone - 1) + 2);
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
        cargo_bin_cmd!("queens")
            .args(fixed)
            .args(arguments)
            .assert()
    }

    #[test]
    fn a_benchmark_is_saved_compared_and_made_a_page_of() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let (saved, out) = (path("saved.json"), path("out"));
        let arguments = [
            "--scaling",
            "--table",
            "1..=9",
            "--format",
            "json",
            "--save",
            &saved,
        ];
        let printed = bench(&arguments).success().stderr("");
        let printed = String::from_utf8(printed.get_output().stdout.clone()).unwrap();
        assert_eq!(printed, fs::read_to_string(&saved).unwrap());
        let value = json(saved.as_ref());
        if let Err(error) = schema("bench-format.schema.json").validate(&value) {
            panic!("{}: {error}", error.instance_path());
        }
        for measured in value["measurements"].as_array().unwrap() {
            assert_eq!(measured["correct"], true, "{measured}");
        }
        assert_eq!(value["settings"]["threads"], 2);

        let compared = bench(&["--baseline", &saved, "--format", "json"])
            .success()
            .stderr("");
        let compared: Value = serde_json::from_slice(&compared.get_output().stdout).unwrap();
        assert!(!compared["comparison"].as_array().unwrap().is_empty());

        let mut report = cargo_bin_cmd!("queens");
        report
            .args(["report", &saved, "--out", &out])
            .assert()
            .success()
            .stderr("");
        assert!(Path::new(&out).join("README.md").exists());
    }

    #[test]
    fn threads_beyond_the_machine_are_allowed_and_said() {
        let threads = (Threads::usable().count() + 3).to_string();
        let fixed = ["bench", "--quick", "--n", "6", "--engine", "bitboard"];
        let mut command = cargo_bin_cmd!("queens");
        let printed = command
            .args(fixed)
            .args(["--threads", &threads])
            .assert()
            .success();
        let text = String::from_utf8(printed.get_output().stdout.clone()).unwrap();
        let said = format!("{threads} (as asked; this process may use");
        assert!(text.contains(&said), "{text}");
    }

    #[test]
    fn threads_can_be_tied_to_processors() {
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
    #[case(&["--baseline", "no-such-file"], &["--baseline", "no-such-file", "cannot be read"])]
    #[case(&["--baseline", "Cargo.toml"], &["--baseline", "damaged"])]
    #[case(&["--baseline", "docs/bench-format.schema.json"], &["--baseline", "no saved benchmark"])]
    #[case(&["--baseline", "tests/fixtures/bench-one.json"], &["--baseline", "N = 8", "N = 17"])]
    fn bad_input_is_named_with_what_is_accepted(
        #[case] arguments: &[&str],
        #[case] named: &[&str],
    ) {
        refused(bench(arguments), named);
    }

    #[rstest]
    #[case("0", &["--n", "published"])]
    #[case("28", &["--n", "published"])]
    #[case("33", &["--n", "0..=32"])]
    fn boards_that_cannot_be_checked_are_refused(#[case] n: &str, #[case] named: &[&str]) {
        let assert = cargo_bin_cmd!("queens").args(["bench", "--n", n]).assert();
        refused(assert, named);
    }

    fn refused(assert: Assert, named: &[&str]) {
        let assert = assert.code(2).stdout("");
        let message = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(message.starts_with("error: "), "{message}");
        for word in named {
            assert!(message.contains(word), "{word} in {message}");
        }
    }

    /// A file that is cut off, of another version, of another kind or with figures that cannot be: neither a baseline nor
    /// a part of a page, and no page is begun.
    #[rstest]
    #[case(|text: &str| text[..text.len() / 2].to_owned(), "damaged")]
    #[case(|text: &str| text.replace("\"schema_version\": 1", "\"schema_version\": 7"), "schema version 7")]
    #[case(|text: &str| text.replace("queens-bench", "other"), "no saved benchmark")]
    #[case(|text: &str| text.replacen("\"seconds\": ", "\"seconds\": -", 1), "damaged")]
    #[case(|text: &str| text.replacen("\"purpose\": \"score\"", "\"purpose\": \"fun\"", 1), "damaged")]
    #[case(|_: &str| String::new(), "damaged")]
    fn damaged_files_are_refused(#[case] spoil: fn(&str) -> String, #[case] named: &str) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("spoilt.json");
        let good = fs::read_to_string(fixture("bench-one.json")).unwrap();
        let bad = spoil(&good);
        assert_ne!(good, bad);
        fs::write(&file, bad).unwrap();
        let out = folder.path().join("out");
        let report = cargo_bin_cmd!("queens")
            .arg("report")
            .args([&fixture("bench-two.json"), &file])
            .arg("--out")
            .arg(&out)
            .assert();
        refused(report, &["spoilt.json", named]);
        assert!(!out.exists());
        refused(
            bench(&["--baseline", file.to_str().unwrap()]),
            &["--baseline", named],
        );
    }

    /// Figures that contradict each other or what is published, names that mean nothing, texts that no page could show.
    #[rstest]
    #[case("/measurements/0/solutions", json!("7"), "published")]
    #[case("/measurements/0/n", json!(28), "impossible board")]
    #[case("/measurements/0/threads", json!(1_000_000_000_000_000_u64), "number of threads")]
    #[case("/measurements/0/engine", json!("steam"), "unknown engine")]
    #[case("/measurements/0/kernel", json!("steam"), "unknown kernel")]
    #[case("/measurements/0/runs", json!([]), "no valid runs")]
    #[case("/measurements/0/runs/0", json!(1e30), "no valid runs")]
    #[case("/measurements/0/seconds", json!(99.0), "median")]
    #[case("/measurements/0/spread", json!(0.5), "spread")]
    #[case("/measurements/0/solutions_per_second", json!(5.0), "rates")]
    #[case("/measurements/0/per_thread", json!(5.0), "rates")]
    #[case("/measurements/0/efficiency", json!(-5.0), "efficiency")]
    #[case("/measurements/0/correct", json!(false), "score")]
    #[case("/measurements", json!([]), "nothing is measured")]
    #[case("/scores/0/one_thread", json!(5.0), "score")]
    #[case("/scores/0/all_threads", json!(null), "score")]
    #[case("/scores/0/status", json!("void"), "score")]
    #[case("/scores/0/engine", json!("join"), "score")]
    #[case("/settings/level", json!("endless"), "level 'endless'")]
    #[case("/settings/pin", json!("bar"), "pinning 'bar'")]
    #[case("/environment/date", json!("../../../../x"), "date")]
    #[case("/environment/cores", json!(0), "cores")]
    #[case("/environment/cpu", json!("X\u{1b}[31m"), "control characters")]
    #[case("/environment/cpu", json!("X".repeat(5_000)), "letters")]
    fn contradictory_files_are_refused(
        #[case] field: &str,
        #[case] value: Value,
        #[case] named: &str,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("spoilt.json");
        let mut content = json(&fixture("bench-one.json"));
        *content.pointer_mut(field).unwrap() = value;
        fs::write(&file, content.to_string()).unwrap();
        let out = folder.path().join("out");
        let report = cargo_bin_cmd!("queens")
            .arg("report")
            .arg(&file)
            .arg("--out")
            .arg(&out)
            .assert();
        refused(report, &["spoilt.json", "damaged", named]);
        assert!(!out.exists());
    }

    #[test]
    fn nothing_is_measured_twice() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("spoilt.json");
        for (name, list) in [
            ("bench-one.json", "measurements"),
            ("bench-one.json", "scores"),
            ("solvers.json", "rows"),
            ("solvers.json", "solvers"),
        ] {
            let mut content = json(&fixture(name));
            let rows = content[list].as_array_mut().unwrap();
            rows.push(rows[0].clone());
            fs::write(&file, content.to_string()).unwrap();
            let mut report = cargo_bin_cmd!("queens");
            let report = report.arg("report").arg(&file).arg("--out");
            refused(report.arg(folder.path().join("out")).assert(), &["damaged"]);
        }
    }

    #[rstest]
    #[case("/rows/0/solutions", json!("99"), "published")]
    #[case("/rows/0/seconds", json!(99.0), "median")]
    #[case("/rows/0/solver", json!("nobody"), "nobody")]
    #[case("/rows/0/n", json!(1_000_000_000), "published")]
    #[case("/rows", json!([]), "missing")]
    #[case("/solvers", json!([]), "missing")]
    fn contradictory_comparisons_are_refused(
        #[case] field: &str,
        #[case] value: Value,
        #[case] named: &str,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("spoilt.json");
        let mut content = json(&fixture("solvers.json"));
        *content.pointer_mut(field).unwrap() = value;
        fs::write(&file, content.to_string()).unwrap();
        let mut report = cargo_bin_cmd!("queens");
        let report = report.arg("report").arg(&file).arg("--out");
        refused(
            report.arg(folder.path().join("out")).assert(),
            &["damaged", named],
        );
    }

    /// Whatever a CPU is called, the page shows that and nothing else, and its files have short plain names.
    #[test]
    fn odd_names_stay_names() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("odd.json");
        for name in ["<b>a|b</b> `c` [d](e) & \\", &"W".repeat(300), "..", "漢字"] {
            let mut content = json(&fixture("bench-one.json"));
            content["environment"]["cpu"] = json!(name);
            fs::write(&file, content.to_string()).unwrap();
            let out = folder.path().join("out");
            let mut report = cargo_bin_cmd!("queens");
            let report = report.arg("report").arg(&file).arg("--out").arg(&out);
            report.assert().success();
            let page = fs::read_to_string(out.join("README.md")).unwrap();
            assert!(!page.contains("<b>") && !page.contains("[d](e)"), "{page}");
            for entry in fs::read_dir(&out).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                assert!(
                    name.len() < 100 && name.starts_with(char::is_alphanumeric),
                    "{name}"
                );
            }
            fs::remove_dir_all(&out).unwrap();
        }
    }

    #[test]
    fn the_report_is_not_written_over_the_saved_benchmark() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("both").to_str().unwrap().to_owned();
        refused(
            bench(&["--save", &file, "--output", &file]),
            &["--save", "--output", "accepted"],
        );
        assert!(!Path::new(&file).exists());
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "in the way").unwrap();
        let report = cargo_bin_cmd!("queens")
            .arg("report")
            .arg(fixture("bench-one.json"))
            .arg("--out")
            .arg(&file)
            .assert();
        refused(report, &["--out", "accepted"]);
        assert_eq!(fs::read_to_string(&file).unwrap(), "in the way");
    }
}
