//! Solutions, classes, preplaced queens and blocked squares, end to end.

use std::collections::HashSet;
use std::fs;
use std::process::{Command, Stdio};

use predicates::prelude::*;
use proptest::prelude::*;
use queens::known::{known, torus_solutions};
use queens::{Board, Counter, Placement, Solutions, Square};
use rstest::rstest;
use serde_json::Value;

use super::program::{queens, stdout};

fn placement(line: &str) -> Placement {
    let rows = line.split(' ').map(|row| row.parse().unwrap());
    Placement::new(rows.collect()).unwrap()
}

/// The solutions that `solve` prints as a list.
fn listed(arguments: &[&str]) -> Vec<Placement> {
    let arguments = [&["solve", "--format", "list"], arguments].concat();
    stdout(&arguments).lines().map(placement).collect()
}

#[test]
fn one_solution_is_shown_as_a_board() {
    let text = stdout(&["solve", "8"]);
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with("Solution 1, found after "), "{text}");
    let columns: Vec<_> = lines[1..9].iter().map(|line| line.split(' ')).collect();
    let row_of = |column: usize| {
        let mut rows = columns.iter().map(|row| row.clone().nth(column).unwrap());
        rows.position(|square| square == "Q").unwrap() as u32
    };
    let placement = Placement::new((0..8).map(row_of).collect()).unwrap();
    assert!(placement.is_solution(), "{text}");
    assert_eq!(text.matches('_').count(), 56);
}

#[rstest]
#[case("1")]
#[case("26")]
#[case("1000")]
#[case("99999")]
#[case("1000000")]
fn one_solution_for_any_size(#[case] n: &str) {
    let found = listed(&[n]);
    assert_eq!((found.len(), found[0].n()), (1, n.parse().unwrap()));
    assert!(found[0].is_solution());
}

#[rstest]
#[case(&["solve", "2"])]
#[case(&["solve", "3", "--all"])]
#[case(&["solve", "3", "--strategy", "first-fail"])]
#[case(&["solve", "9", "--torus"])]
#[case(&["solve", "6", "--queen", "a6"])]
fn no_solution_has_a_code_of_its_own(#[case] arguments: &[&str]) {
    let no_solution = predicate::str::starts_with("error: there is no solution ");
    queens(arguments).code(1).stdout("").stderr(no_solution);
}

#[test]
fn all_solutions_come_in_order() {
    for n in [1_u32, 4, 6, 10, 12] {
        let found = listed(&[&n.to_string(), "--all"]);
        assert!(found.iter().all(|p| p.n() == n && p.is_solution()));
        assert!(found.is_sorted_by(|a, b| a < b));
        assert_eq!(found.len() as u128, known(n).unwrap().solutions);
        let limited = listed(&[&n.to_string(), "--limit", "3"]);
        assert_eq!(limited, found[..found.len().min(3)]);
        for strategy in ["backtrack", "first-unbound"] {
            assert_eq!(
                listed(&[&n.to_string(), "--all", "--strategy", strategy]),
                found
            );
        }
    }
}

#[test]
fn fundamental_solutions_stand_for_all() {
    for n in [5_u32, 8, 9] {
        let found = listed(&[&n.to_string(), "--fundamental"]);
        assert_eq!(found.len() as u128, known(n).unwrap().fundamental);
        let mut images: Vec<_> = found.iter().flat_map(Placement::symmetries).collect();
        images.sort();
        images.dedup();
        assert_eq!(images.len() as u128, known(n).unwrap().solutions);
    }
}

#[test]
fn statistics_go_to_standard_error() {
    let assert = queens(&["solve", "8", "--all", "--strategy", "backtrack", "--stats"]).success();
    let text = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(text.contains("branches:        2,056"), "{text}");
    assert!(text.contains("solutions found: 92"), "{text}");
    assert!(text.contains("failures: ") && text.contains("wall time: "));
}

#[rstest]
#[case("30", "--max-branches", "500")]
#[case("60", "--timeout", "0.05")]
fn limits_are_reported(#[case] n: &str, #[case] option: &str, #[case] limit: &str) {
    let says = |text| predicate::str::contains(text);
    queens(&["solve", n, "--strategy", "backtrack", option, limit])
        .code(1)
        .stdout("")
        .stderr(says(option).and(says("not complete")));
    // A limit that is not reached is no reason to complain.
    stdout(&["solve", "6", "--all", "--max-branches", "152"]);
}

#[test]
fn trees_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let drawn = |file: &str, arguments: &[&str]| {
        let path = folder.path().join(file);
        let tree = ["--all", "--tree", path.to_str().unwrap()];
        stdout(&[&["solve"], arguments, &tree].concat());
        fs::read_to_string(path).unwrap()
    };
    for strategy in ["backtrack", "first-fail", "first-unbound"] {
        let six = ["6", "--strategy", strategy];
        assert_eq!(drawn("tree.svg", &six).matches(": solution<").count(), 4);
        assert_eq!(drawn("tree.dot", &six).matches("diamond").count(), 4);
    }
    assert!(!drawn("tree.svg", &["9"]).contains("Cut at "));
    assert!(drawn("tree.svg", &["10"]).contains("Cut at 5,000 nodes: "));
}

#[test]
fn completions_are_counted_and_listed() {
    let constraints = ["--queen", "c5", "--block", "0,0", "--block", "h1"];
    let list = listed(&[&["8", "--all"], &constraints[..]].concat());
    let kept = |p: &Placement| p.rows()[2] == 3 && p.rows()[0] != 0 && p.rows()[7] != 7;
    let truth = queens::solutions(8).unwrap().filter(kept);
    assert!(truth.eq(list.iter().cloned()));
    let count = stdout(&[&["count", "8", "--quiet"], &constraints[..]].concat());
    assert_eq!(count, format!("{}\n", list.len()));
    let text = stdout(&[&["count", "8", "--format", "json"], &constraints[..]].concat());
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["board"], "queen c5, blocked a8 h1");
    assert_eq!(json["check"], "unverified");
    assert_eq!(json["fundamental"], Value::Null);
    let first = listed(&[&["8"], &constraints[..]].concat());
    assert!(first.len() == 1 && list.contains(&first[0]));
}

#[test]
fn the_torus_is_counted_and_solved() {
    for n in 1..=13 {
        let count = stdout(&["count", &n.to_string(), "--torus", "--quiet"]);
        let published = torus_solutions(n).unwrap();
        assert_eq!(count, format!("{published}\n"), "N = {n}");
    }
    let text = stdout(&["count", "7", "--torus"]);
    assert!(text.starts_with("N = 7, torus: 28 solutions\n") && text.contains("verified"));
    assert!(listed(&["35", "--torus"])[0].is_torus_solution());
    // Where N has a factor in common with 6 that is known without a search.
    assert_eq!(stdout(&["count", "32", "--torus", "--quiet"]), "0\n");
    queens(&["solve", "27", "--torus", "--all", "--queen", "a1"])
        .code(1)
        .stderr(predicate::str::contains(
            "no solution for N = 27, torus, queen a1",
        ));
    let all = listed(&["11", "--torus", "--all"]);
    assert!(all.len() == 88 && all.iter().all(Placement::is_torus_solution));
}

/// Of each class, the solution that the strategy meets first, in the order in which it meets them.
#[test]
fn fundamental_solutions_are_the_first_of_their_class() {
    for strategy in ["backtrack", "first-fail", "first-unbound"] {
        let blocked = ["--block", "d8", "--block", "a5"];
        for constraints in [&[][..], &["--queen", "c7"], &blocked] {
            let search = [&["8", "--strategy", strategy], constraints].concat();
            let mut met = HashSet::new();
            let mut expected = listed(&[&search, &["--all"][..]].concat());
            expected.retain(|solution| met.insert(solution.canonical()));
            let printed = listed(&[&search, &["--fundamental"][..]].concat());
            assert_eq!(printed, expected, "{search:?}");
            let two = listed(&[&search, &["--fundamental", "--limit", "2"][..]].concat());
            assert_eq!(two, expected[..2], "{search:?}");
        }
    }
}

#[test]
fn a_sheet_says_whether_it_is_whole() {
    let title = |arguments: &[&str]| {
        let svg = stdout(&[&["solve", "6", "--format", "svg"], arguments].concat());
        let title = svg.split("<title>").nth(1).unwrap();
        title.split('<').next().unwrap().to_owned()
    };
    assert_eq!(title(&["--all"]), "N = 6: 4 solutions");
    assert_eq!(title(&["--limit", "5"]), "N = 6: 4 solutions");
    assert_eq!(title(&["--limit", "3"]), "N = 6: first 3 solutions");
    assert_eq!(title(&[]), "N = 6: a solution");
}

/// A square that a preplaced queen attacks is crossed too if it was blocked.
#[test]
fn every_blocked_square_is_drawn() {
    let constraints = ["--queen", "c5", "--block", "d4", "--block", "a8"];
    let svg = stdout(&[&["solve", "8", "--format", "svg"], &constraints[..]].concat());
    assert_eq!(svg.matches("href=\"#blocked\"").count(), 2);
    assert_eq!(svg.matches("href=\"#preplaced\"").count(), 1);
}

/// What others have written to an open file stays, and so does what they write afterwards.
#[cfg(unix)]
#[test]
fn an_open_file_is_written_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let queens = assert_cmd::cargo::cargo_bin!("queens");
    let script = "echo before; \"$0\" solve 4 --format list --output /dev/stdout; echo after";
    let status = Command::new("sh")
        .args(["-c", script])
        .arg(queens)
        .stdout(fs::File::create(&path).unwrap())
        .status()
        .unwrap();
    assert!(status.success());
    let written = fs::read_to_string(&path).unwrap();
    assert_eq!(written, "before\n1 3 0 2\nafter\n");
}

#[test]
fn classes_add_up() {
    for n in [1_u32, 4, 8, 12, 13] {
        let text = stdout(&["classes", &n.to_string(), "--format", "json"]);
        let json: Value = serde_json::from_str(&text).unwrap();
        let row = known(n).unwrap();
        for (name, value) in [
            ("solutions", row.solutions),
            ("fundamental", row.fundamental),
            ("half_turn", row.half_turn),
            ("quarter_turn", row.quarter_turn),
        ] {
            assert_eq!(json[name], value.to_string(), "{name} of N = {n}");
        }
        let number = |value: &Value| value.as_str().unwrap().parse::<u128>().unwrap();
        let rows = json["classes"].as_array().unwrap();
        let classes: u128 = rows.iter().map(|row| number(&row["classes"])).sum();
        assert_eq!(classes, row.fundamental);
    }
    // The published Q(N) gives the published fundamental count, without counting.
    let text = stdout(&["classes", "20", "--published"]);
    assert!(text.contains("4,878,666,808 fundamental"), "{text}");
}

/// The drawings in the documentation are what the program draws.
#[rstest]
#[case("fundamental-8", &["--fundamental", "--format", "svg", "--output"])]
#[case("tree-8-backtrack", &["--strategy", "backtrack", "--tree"])]
#[case("tree-8-first-fail", &["--strategy", "first-fail", "--tree"])]
fn the_documented_drawings_are_up_to_date(#[case] name: &str, #[case] arguments: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let drawn = folder.path().join("drawn.svg");
    stdout(&[&["solve", "8"], arguments, &[drawn.to_str().unwrap()]].concat());
    let path = format!("{}/docs/{name}.svg", env!("CARGO_MANIFEST_DIR"));
    let is_same = fs::read(&path).unwrap() == fs::read(drawn).unwrap();
    assert!(is_same, "{path} differs");
}

#[test]
fn a_full_sheet_says_that_it_is() {
    let thousand = ["solve", "12", "--limit", "1000", "--format", "svg"];
    assert_eq!(stdout(&thousand).matches("<g ").count(), 1000);
    queens(&["solve", "12", "--all", "--format", "svg"])
        .code(1)
        .stderr(predicate::str::contains("full sheet"))
        .stdout(predicate::str::contains("1,000 solutions"));
}

#[rstest]
#[case(&["solve", "1000001"], &["1000001", "1000000"])]
#[case(&["solve", "-1"], &["-1"])]
#[case(&["solve", "8", "--limit", "0"], &["--limit", "0"])]
#[case(&["solve", "8", "--strategy", "random"], &["random", "first-fail"])]
#[case(&["solve", "8", "--max-branches", "-5"], &["--max-branches", "-5"])]
#[case(&["solve", "8", "--timeout", "nan"], &["--timeout", "nan"])]
#[case(&["solve", "8", "--format", "png"], &["png", "unicode"])]
#[case(&["solve", "500", "--format", "svg"], &["--format", "500", "200"])]
#[case(&["solve", "8", "--tree", "tree.png"], &["--tree", "tree.png", ".dot"])]
#[case(&["solve", "8", "--tree", "nowhere/tree.svg"], &["--tree", "nowhere"])]
#[case(&["solve", "20000", "--all"], &["20000", "5000"])]
#[case(&["solve", "20000", "--queen", "a1"], &["20000", "5000"])]
#[case(&["solve", "8", "--queen", "c5", "--queen", "e3"], &["--queen", "c5", "e3"])]
#[case(&["solve", "8", "--queen", "i1"], &["--queen", "i1", "a1 to h8"])]
#[case(&["solve", "8", "--block", "8,0"], &["--block", "8,0"])]
#[case(&["solve", "8", "--block", "5"], &["--block", "'5'"])]
#[case(&["count", "8", "--queen", "c5", "--queen", "2,0"], &["--queen", "c5", "c8"])]
#[case(&["count", "8", "--queen", "c5", "--block", "2,3"], &["--block", "c5"])]
#[case(&["count", "0", "--queen", "a1"], &["--queen", "a1"])]
#[case(&["count", "8", "--torus", "--queen", "c5", "--queen", "h8"], &["--queen", "c5", "h8"])]
#[case(&["count", "8", "--torus", "--kernel", "scalar"], &["--kernel", "torus", "scalar"])]
#[case(&["count", "8", "--torus", "--symmetry", "none"], &["--symmetry", "torus"])]
#[case(&["classes", "33"], &["33"])]
#[case(&["classes", "28", "--published"], &["--published", "28"])]
fn bad_input_is_named(#[case] arguments: &[&str], #[case] named: &[&str]) {
    let assert = queens(arguments).code(2).stdout("");
    let text = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(text.starts_with("error: "), "{text}");
    assert!(named.iter().all(|part| text.contains(part)), "{text}");
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_quietly() {
    let program = assert_cmd::cargo::cargo_bin!("queens");
    let mut child = Command::new(program)
        .args(["solve", "13", "--all", "--format", "board"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(output.stderr.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Completions counted by the engine, against the solutions of the empty board filtered by hand.
    #[test]
    fn the_engine_counts_completions(
        (n, torus, queens, blocked) in (1..=9_u32).prop_flat_map(|n| {
            let square = (0..n, 0..n).prop_map(|(column, row)| Square::new(column, row));
            let squares = |most| proptest::collection::vec(square.clone(), 0..most);
            (Just(n), any::<bool>(), squares(3), squares(9))
        })
    ) {
        let plain = if torus { Board::torus(n) } else { Board::new(n) }.unwrap();
        let mut board = plain.clone();
        let queens: Vec<_> = queens.into_iter().filter(|&q| board.place(q).is_ok()).collect();
        let blocked: Vec<_> = blocked.into_iter().filter(|&s| board.block(s).is_ok()).collect();
        let keep = |p: &Placement| {
            let has = |square: &Square| p.rows()[square.column as usize] == square.row;
            queens.iter().all(has) && !blocked.iter().any(has)
        };
        let truth = Solutions::new(&plain).unwrap().filter(keep).count();
        prop_assert_eq!(Counter::on(board).run().unwrap().total, truth as u128);
    }

    /// Boards that all symmetries leave as they are: the total is checked, and passes.
    #[test]
    fn symmetric_boards_are_checked_by_symmetry(
        (n, column, row) in (4..=9_u32).prop_flat_map(|n| (Just(n), 0..n, 0..n))
    ) {
        let last = n - 1;
        let mut board = Board::new(n).unwrap();
        for (c, r) in [(column, row), (row, column)] {
            for (c, r) in [(c, r), (last - c, r), (c, last - r), (last - c, last - r)] {
                board.block(Square::new(c, r)).unwrap();
            }
        }
        let count = Counter::on(board.clone()).run().unwrap();
        prop_assert_eq!(count.check.word(), "consistent");
        let solutions = Solutions::new(&board).unwrap();
        let firsts = solutions.filter(|p| board.is_first_of_class(p)).count();
        prop_assert_eq!(count.classes.unwrap().fundamental(), firsts as u128);
    }
}

/// A search that ends short of what was asked for leaves an older file as it was.
#[test]
fn a_file_appears_only_when_all_is_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("boards");
    std::fs::write(&file, "older").unwrap();
    let path = file.to_str().unwrap();
    for search in [&["3"][..], &["8", "--all", "--max-branches", "500"]] {
        queens(&[&["solve", "--output", path], search].concat()).code(1);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "older");
    }
    let tree = folder.path().join("tree.svg");
    let tree = tree.to_str().unwrap();
    queens(&["solve", "6", "--tree", tree, "--output", tree]).code(2);
}
