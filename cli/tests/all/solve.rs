//! End-to-end tests of solutions, classes, preplaced queens and blocked squares.

use std::collections::HashSet;
use std::fs::File;

use queens::Placement;
use rstest::rstest;

use super::ROOT;
use super::program::{Place, assert_contains, json, queens, run, stdout};

/// Returns the solutions that `solve` prints as a list.
fn listed(arguments: &str) -> Vec<Placement> {
    let placement = |line: &str| {
        let rows = line.split(' ').map(|row| row.parse().unwrap());
        Placement::new(rows.collect()).unwrap()
    };
    let list = stdout(&format!("solve --format list {arguments}"));
    list.lines().map(placement).collect()
}

/// Returns the steps that `trace` prints, without the statistics.
fn traced(arguments: &str) -> String {
    Place::new().run(0, &format!("trace {arguments}")).0
}

#[test]
fn one_solution_is_shown_as_a_board() {
    let text = stdout("solve");
    let (board, end) = text.split_once("\n\n").unwrap();
    assert!(end.starts_with("N = 8: first solution in lexicographic order, in "), "{text}");
    let first = queens_search::solutions(8).unwrap().next().unwrap();
    assert_eq!(format!("Solution 1\n{first}").trim(), board);
    for search in ["", "8 --limit 1", "8 --strategy backtrack", "8 --stats", "8 --timeout 30m"] {
        let (list, _) = Place::new().run(0, &format!("solve {search} -f list"));
        assert_eq!(list, "0 4 7 5 2 6 1 3\n", "{search}");
    }
}

/// A search without a solution, or one that is stopped, leaves files as they were.
#[rstest]
#[case("solve 2", "there is no solution for")]
#[case("solve 3 --random", "there is no solution for")]
#[case("solve 6 --queen a6", "there is no solution for")]
#[case("solve 8 --max-branches 5", "--max-branches: stopped after 5 branches, 0 found")]
#[case("solve 60 --strategy backtrack --timeout 0.05", "--timeout: stopped")]
#[case("solve 300 --limit 99999 -f list --timeout 0.05", "--timeout: stopped")]
#[case("solve 300 --limit 99999 --random -f list --timeout 0.05", "--timeout: stopped")]
#[case("solve 30 --all -f list --timeout 0.05", "--timeout: stopped")]
#[case("solve 8 --all --max-branches 300 -f list", "--max-branches: stopped after 300 branches")]
#[case("solve 8 --all --max-branches 300 -f html", "not complete")]
#[case("solve 12 --block a1 --all -f svg", "full page")]
#[case("tree 30 --strategy first-fail --against naive --timeout 0.05", "--timeout: stopped")]
fn incomplete_results_do_not_become_files(#[case] search: &str, #[case] says: &str) {
    let place = Place::new();
    place.write("old.html", "older");
    place.write("old", "older");
    let end = if search.starts_with("tree") { ".html" } else { "" };
    for (file, what) in [("old", "replaced"), ("new", "written")] {
        let (_, stderr) = place.run(1, &format!("{search} --output {file}{end}"));
        assert_contains(&stderr, &[says, &format!("'{file}{end}' is not {what}\n")]);
    }
    assert_eq!(place.files().into_values().collect::<Vec<_>>(), ["older"; 2].map(Vec::from));
}

/// Solutions found before a limit are printed. A limit that is not reached has no effect. The first
/// solution for N = 8 takes 218 branches, and all for N = 6 take 304.
#[test]
fn incomplete_results_are_printed() {
    let (list, _) = Place::new().run(1, "solve 8 --all --max-branches 300 -f list");
    assert!(list.starts_with("0 4 7 5 2 6 1 3\n"));
    stdout("solve 6 --all --max-branches 304");
    // The number of solutions of this board is not published, so the limit is noticed only when
    // the sheet is full.
    let (sheet, _) = Place::new().run(1, "solve 12 --block a1 --all --format svg");
    assert_contains(&sheet, &["1,000 solutions"]);
    let says = ["\nStep ", "--timeout: stopped"];
    let (text, message) = Place::new().run(1, "trace 30 --all --timeout 0.05");
    assert_contains(&(text + &message), &says);
}

/// Checks boards that are given by standard input.
fn checked(code: i32, boards: &[u8]) -> (String, String) {
    let place = Place::new();
    place.write("input", boards);
    let input = File::open(place.at("input")).unwrap();
    run(code, queens("check", &place.at("")).stdin(input))
}

/// Blocked squares are marked in drawn boards, which can be checked.
#[test]
fn blocked_squares_are_marked() {
    let text = stdout("solve 8 --queen b2,f1 --block a8-c8,c3 --all");
    let boards = text.matches("Solution").count();
    assert!(boards > 0 && text.matches('Q').count() == 8 * boards);
    assert_eq!(text.matches('#').count(), 4 * boards);
    let (verdicts, _) = checked(0, text.as_bytes());
    assert_eq!(verdicts, "valid\n".repeat(boards));
}

/// A board in a file has the solutions and the total of the same board given by options.
#[test]
fn boards_are_read_from_files() {
    let place = Place::new();
    let puzzle = "__#_____ ________ ________ ___Q____ ________ __##____ ________ ____#___";
    place.write("puzzle", puzzle.replace(' ', "\n"));
    let options = "--queen d5 --block c3-d3,c8 --block e1";
    for rest in ["--all", "--fundamental"] {
        let list = |board: &str| place.stdout(&format!("solve {board} {rest} --format list"));
        assert_eq!(list("--board puzzle"), list(&format!("8 {options}")));
    }
    let total = place.stdout(&format!("count 8 {options} --quiet"));
    assert_eq!(place.stdout("count --board puzzle --quiet"), total);
    assert_eq!(place.stdout("8 --board puzzle --quiet"), total);
    place.stdout("estimate --board puzzle --seconds 0.1");
    place.fails(2, "count 7 --board puzzle", &["N", "'puzzle'", "8 x 8", "accepted: 8"]);
    // A solution is a board whose queens are all given.
    place.write("matrix", "Statistics\n0 1 0 0\n0 0 0 1\n1 0 0 0\n0 0 1 0\n");
    let (total, says) = place.run(0, "count --board matrix -q");
    assert_eq!((&*total, &*says), ("1\n", "skipped a line of words\n"));
}

/// `*` is a queen for some programs, and a blocked square for others.
#[rstest]
#[case("_*\n*_\n", &["--board", "'file': line 1: '*'", "accepted: Q or #"])]
#[case("1,3,0,2\n2,0,3,1\n", &["--board", "'file' has 2 boards (accepted: one)"])]
#[case("Q Q\n_ _\n", &["--board", "a2", "b2"])]
#[case(&format!("{}\n", "_".repeat(33)).repeat(33), &["N = 33", "0 to 32"])]
fn unusable_boards_in_files(#[case] board: &str, #[case] says: &[&str]) {
    let place = Place::new();
    place.write("file", board);
    place.fails(2, "count --board file", says);
}

/// Only the beginning of a long list of squares is printed, except in JSON.
#[test]
fn descriptions_of_boards_are_short() {
    let place = Place::new();
    let message = place.fails(1, "solve 50 --block a1-a50", &["blocked a50 a49", "(50 in all)"]);
    assert!(message.len() < 400, "{message}");
    let text = place.stdout("count 12 --block a1-d10");
    assert!(text.contains("(40 in all): ") && text.lines().next().unwrap().len() < 200);
    let board = json("count 12 --block a1-d10")["board"].to_string();
    assert_eq!(board.split_whitespace().count(), 41);
}

/// The output names two queens that attack each other, or the line that is not a board.
#[rstest]
#[case(
    1,
    "1,3,0,2\n0 2 3 1\n0 0 3 1\n",
    "error: 2 of 3 boards are not valid\n",
    "valid (rows counted from 0)
not valid (rows counted from 0): b2 and c1 attack each other along a diagonal
not valid (rows counted from 0): a4 and b4 attack each other along a row
"
)]
#[case(
    2,
    "0 2 3 1\n\nx\n",
    "line 3: 'x': 'x' is not a square or a row",
    "not valid (rows counted from 0): b2 and c1 attack each other along a diagonal\n"
)]
#[case(
    0,
    "1 board\n2,4,1,3\nStatistics\n",
    "skipped 2 lines of words\n",
    "valid (rows counted from 1)\n"
)]
#[case(0, "one\nQ\n", "skipped a line of words\n", "valid\n")]
#[case(0, &stdout("solve 4 --all --format matrix"), "", "valid\nvalid\n")]
#[case(2, "\n", "no board", "")]
fn invalid_boards_and_lines_are_rejected(
    #[case] code: i32,
    #[case] boards: &str,
    #[case] says: &str,
    #[case] lines: &str,
) {
    let (stdout, stderr) = checked(code, boards.as_bytes());
    assert_eq!(stdout, lines);
    assert_contains(&stderr, &[says]);
    assert!(stderr.matches("accepted").count() <= 1, "{stderr}");
}

#[test]
fn boards_are_checked_as_arguments() {
    let valid = "valid (rows counted from 0)\n";
    let place = Place::new();
    place.write("board", "_Q__\n___Q\nQ___\n__Q_\n");
    assert_eq!(place.stdout("check board 1,3,0,2 board"), format!("valid\n{valid}valid\n"));
    let (given, says) = place.run(2, "check 1,3,0,2 boards.txt");
    assert_eq!(given, valid);
    assert_contains(&says, &["BOARD: 'boards.txt': no such file (accepted: a file, -, or"]);
    place.fails(2, "check a2,b4", &["BOARD: 'a2,b4': no such file"]);
    // Blanks separate arguments.
    place.fails(2, "check 1 3 0 2", &["BOARD: '1' is a single square (accepted: a board in each"]);
    place.write("1302", "Q");
    place.fails(2, "check 1302", &["BOARD: '1302' is a board and a file (accepted: a file with"]);
    assert_eq!(place.stdout("check ./1302"), "valid\n");
    place.write("words", "Solution 1\nQ\n");
    assert_eq!(place.run(0, "check words --quiet"), <(String, String)>::default());
    assert_eq!(place.run(0, "check words words").1, "skipped 2 lines of words\n");
    // One fact is reported once.
    let attack =
        "error: not valid (rows counted from 0): a4 and b3 attack each other along a diagonal\n";
    assert_eq!(place.fails(1, "check 0,1,2,3", &[]), attack);
}

/// The last line, or the title of a drawing, states the number of solutions and how they were
/// found.
#[rstest]
#[case("", "first solution in lexicographic order")]
#[case("--random", "1 solution at random, seed ")]
#[case("--all", "4 solutions in lexicographic order")]
#[case("--limit 5", "4 solutions in lexicographic order")]
#[case("--limit 3", "first 3 solutions in lexicographic order")]
#[case("--limit 1 --strategy first-fail", "first solution with first-fail")]
fn the_solutions_are_described(#[case] search: &str, #[case] how: &str) {
    let text = stdout(&format!("solve 6 {search}"));
    let last = text.lines().last().unwrap();
    assert!(last.starts_with(&format!("N = 6: {how}")), "{text}");
    assert!(last.contains(", in "), "{text}");
    let svg = stdout(&format!("solve 6 --format svg {search}"));
    assert_contains(&svg, &[&format!("<title>N = 6: {how}")]);
}

/// Distinct solutions of large boards are found, even if the first in lexicographic order are out
/// of reach.
#[rstest]
#[case("30 --limit 3", 3)]
#[case("97 --limit 20 --queen c5 --block a1", 20)]
#[case("300 --limit 20", 20)]
#[case("48 --block a1", 1)]
#[case("78 --random --block a1 --limit 2", 2)]
#[case("99999", 1)]
#[case("1000000", 1)]
#[case("50 --fundamental --limit 3", 3)]
fn large_boards_have_several_solutions(#[case] search: &str, #[case] count: usize) {
    let found = listed(search);
    let classes: HashSet<_> = found.iter().map(Placement::canonical).collect();
    assert_eq!(found.iter().collect::<HashSet<_>>().len(), count);
    assert!(found.len() == count && found.iter().all(Placement::is_solution));
    assert!(found.iter().all(|p| search.starts_with(&p.n().to_string())));
    assert!(!search.contains("--fundamental") || classes.len() == count);
    assert!(!search.contains("--block") || found.iter().all(|p| p.rows()[0] != p.n() - 1));
}

/// A trace names variables, domains and constraints. No queen fits in the first row of the last
/// board, which a matching of columns and rows shows at once.
#[rstest]
#[case(
    "8 --strategy first,min,bounds",
    &[
        "variables: xi, the row of the queen in column i",
        "\ndomains: the free squares of the column\n",
        "constraints: all-different(xi), all-different(xi + i), all-different(xi - i)\n",
        "search: variable first, value min, propagation bounds\n",
    ]
)]
#[case("8 --strategy first-unbound --queen c5 --block a8", &["xi + i != xj + j, ", "i < j\n"])]
#[case(
    "4 --strategy backtrack",
    &[
        "queen a4\nQ - . .\n| \\ . .\n| . . .\n| . . .\nchoice: b2\n",
        "queen b2\nQ - - .\n| \\ / .\n| Q \\ .\n| | \\ .\nfailure: column c has no free square\n",
    ]
)]
#[case(
    "8 --block a8-h8",
    &["# blocked\n", "failure: too few rows are left for the columns\n", "\n1 step\n"]
)]
fn a_trace_shows_the_model_and_the_steps(#[case] search: &str, #[case] says: &[&str]) {
    assert_contains(&traced(search), says);
}

/// Three rows have free squares only in a block of 3 x 3 squares, where no three queens fit. The
/// restarts take 511 x 20 x 16 branches, too few for a whole tree, and then a complete search shows
/// that there is no solution.
#[test]
fn a_complete_search_follows_the_restarts() {
    let search = "solve 15 --block a7-f9 --block j7-o9";
    Place::new().fails(1, search, &["there is no solution for N = 15"]);
    let says = "--max-branches: stopped after 163,520 branches of random searches and 6,480 branches \
        of a complete one, 0 found by random search with restarts, then first-fail: the search";
    Place::new().fails(1, &format!("{search} --max-branches 170000"), &[says]);
}

/// The output is one value, even if the search was stopped.
#[test]
fn solutions_are_an_array() {
    let place = Place::new();
    place.stdout("solve 6 --all -o six.json");
    let array: Vec<serde_json::Value> = serde_json::from_str(&place.read("six.json")).unwrap();
    assert!((1..).zip(&array).all(|(number, solution)| solution["solution"] == number));
    let rows = |solution: &serde_json::Value| serde_json::from_value(solution["rows"].clone());
    let found = array.iter().map(|solution| Placement::new(rows(solution).unwrap()).unwrap());
    assert_eq!(found.collect::<Vec<_>>(), listed("6 --all"));
    let part = place.run(1, "solve 8 --all --max-branches 300 -f json").0;
    assert_eq!(serde_json::from_str::<serde_json::Value>(&part).unwrap()[0]["n"], 8);
    // Without solutions, only a complete search prints an array.
    assert_eq!(place.run(1, "solve 30 --all --max-branches 9 -f json").0, "");
    assert_eq!(place.run(1, "solve 3 --all -f json").0, "[]\n");
}

/// The figures for N = 200 are those in SOLVERS.md. Each column of it occupies several words.
#[rstest]
#[case("28", &["construction (Pauls 1874)", "branches:        0\nfailures:        0\n"])]
#[case("8 --all", &["first-unbound: variable first, value min, propagation value\n", "found: 92"])]
#[case("200 --strategy first-fail", &["branches:        207\nfailures:        6\n"])]
#[case("200 --strategy smallest,middle,bounds", &["branches:        198\nfailures:        2\n"])]
#[case("28 --limit 1", &["solutions found: 1"])]
fn statistics_do_not_change_the_solutions(#[case] search: &str, #[case] says: &[&str]) {
    let search = format!("solve {search} --format list");
    let (found, text) = Place::new().run(0, &format!("{search} --stats"));
    assert_eq!(stdout(&search), found);
    assert_contains(&text, says);
    assert_contains(&text, &["wall time: "]);
}

/// `search/src/random.rs` tests the solutions of a seed.
#[test]
fn a_seed_repeats_random_solutions() {
    let found = |seed| listed(&format!("40 --random={seed} --limit 20"));
    assert_eq!(found(1), found(1));
    assert!((2..6).any(|seed| found(seed) != found(1)));
}

/// Preplaced queens are on the board at every step, even before the search reaches their columns.
#[rstest]
fn traces_mark_preplaced(#[values("backtrack", "first-unbound", "first-fail")] by: &str) {
    let text = traced(&format!("5 --queen c3 --strategy {by}"));
    let says = ["P preplaced queen", "Step 1: start\n\\ . | . /\n. \\ | / .\n- - P - -\n"];
    assert_contains(&text, &says);
    let middle: Vec<_> = text.lines().filter(|line| line.starts_with("- - ")).collect();
    assert!(middle.len() >= 2 && middle.iter().all(|line| line.starts_with("- - P")), "{text}");
}

/// The statistics of a trace are published, and its steps are as many as it says.
#[rstest]
#[case("8", "branches:        50\nfailures:        24\n", 1)]
#[case("2 --all", "branches:        2\nfailures:        2\n", 0)]
fn a_trace_ends_with_figures(#[case] search: &str, #[case] figures: &str, #[case] solutions: u64) {
    let (text, says) = Place::new().run(0, &format!("trace {search}"));
    let steps = text.matches("\nStep ").count();
    assert!(text.ends_with(&format!("\n{steps} steps\n")), "{text}");
    assert_contains(&says, &[figures]);
    assert!(says.ends_with(&format!("solutions found: {solutions}\n")), "{says}");
    let outcomes = ["\nchoice: ", "\nfailure: ", "\nsolution "];
    assert_eq!(outcomes.map(|outcome| text.matches(outcome).count()).iter().sum::<usize>(), steps);
    assert!(!text.contains('\x1b'), "no colours in a pipe");
}

/// Returns the heading and the number of nodes of each tree of a page.
fn trees(page: &str) -> Vec<(String, usize)> {
    let (_, data) = page.split_once(" id=\"data\">").unwrap();
    let trees = serde_json::from_str::<Vec<(String, serde_json::Value)>>(
        data.split("</script>").next().unwrap(),
    );
    let nodes = |tree: serde_json::Value| tree["nodes"].as_array().unwrap().len();
    trees.unwrap().into_iter().map(|(title, tree)| (title, nodes(tree))).collect()
}

/// Returns the figures of the statistics that are printed for a tree.
fn figures(says: &str) -> Vec<u64> {
    let lines = says.lines().filter_map(|line| line.split_once(": "));
    let figures = lines.skip_while(|(name, _)| *name != "branches");
    figures.filter_map(|(_, number)| number.trim().replace(',', "").parse().ok()).collect()
}

/// The figures of a tree are those of the search.
#[rstest]
#[case("8 --all --strategy naive", [4112, 1965, 92])]
#[case("8 --strategy first-fail", [7, 2, 1])]
#[case("2", [2, 2, 0])]
fn a_written_tree_is_reported(#[case] search: &str, #[case] found: [u64; 3]) {
    let place = Place::new();
    let (_, says) = place.run(0, &format!("tree {search} -o tree.html"));
    assert!(says.starts_with("saved in 'tree.html'\nstrategy: "));
    assert_eq!(figures(&says), found, "{says}");
    let page = place.read("tree.html");
    assert_contains(&page, &["<title>N = ", "Save SVG"]);
    assert_eq!(trees(&page)[0].1 as u64, found[0] + 1);
}

/// A page that is cut says how many nodes are missing.
#[test]
fn large_trees_are_cut() {
    let (page, says) = Place::new().run(0, "tree 11 --all -o -");
    let cut = says.lines().last().unwrap();
    let numbers = cut.split(' ').filter_map(|word| word.replace(',', "").parse::<u64>().ok());
    assert_eq!(figures(&says)[0] + 1, numbers.sum::<u64>(), "{says}");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains(cut));
}

/// Both searches begin on the same board, and each has its own figures.
#[test]
fn two_trees_are_on_one_page() {
    let place = Place::new();
    let (_, says) = place.run(0, "tree 8 --strategy backtrack --against first-fail -o two.html");
    assert_contains(&says, &["branches:        218\n", "branches:        7\n"]);
    let page = place.read("two.html");
    assert_contains(&page, &["<title>N = 8, first solution, backtrack against first-fail<"]);
    let title = |strategy, figures| format!("{strategy}: branches {figures}, solutions 1");
    let both =
        [(title("backtrack", "218, failures 105"), 219), (title("first-fail", "7, failures 2"), 8)];
    assert_eq!(trees(&page), both);
}

/// Traces and trees end after as many branches as wanted. Such a tree becomes a file.
#[test]
fn the_beginning_of_a_search_is_shown() {
    let place = Place::new();
    let limit = "28 --strategy backtrack --max-branches 9";
    let (text, says) = place.run(1, &format!("trace {limit}"));
    assert_contains(&text, &["\nStep 10: "]);
    assert_contains(&says, &["branches:        9\n", "--max-branches: stopped: the trace is not"]);
    let (_, says) = place.run(1, &format!("tree {limit} -o tree.html"));
    assert_contains(&says, &["saved in 'tree.html'", "--max-branches: stopped: the tree is not"]);
    let beginning = "backtrack, stopped early: branches 9, failures 0, solutions 0".to_owned();
    assert_eq!(trees(&place.read("tree.html")), [(beginning, 10)]);
}

#[test]
fn totals_of_other_boards_are_unverified() {
    let place = Place::new();
    let json = place.json("count 8 --queen c5 --block a8 --block h1 --checkpoint a");
    assert_eq!(json["board"], "queen c5, blocked a8 h1");
    assert_eq!(json["checks"]["check"], "unverified");
    assert!(json["fundamental"].is_null());
    assert_eq!(place.json("merge a")["board"], json["board"]);
    assert!(place.stdout("merge a").starts_with("N = 8, queen c5, blocked a8 h1: "));
}

/// Each class is represented by the first of its solutions that the strategy finds, in the order
/// found.
#[rstest]
#[case("8")]
#[case("8 --queen c7")]
#[case("8 --block d8 --block a5")]
#[case("8 --strategy backtrack")]
#[case("8 --strategy first-fail")]
#[case("8 --strategy first-unbound --block d8 --block a5")]
fn fundamental_solutions_are_the_first_of_their_class(#[case] search: &str) {
    let (mut met, mut expected) = (HashSet::new(), listed(&format!("{search} --all")));
    expected.retain(|solution| met.insert(solution.canonical()));
    assert_eq!(listed(&format!("{search} --fundamental")), expected);
    assert_eq!(listed(&format!("{search} --fundamental --limit 2")), expected[..2]);
}

/// `scripts/test page` tests the page in a browser.
#[test]
fn a_page_contains_all_solutions() {
    let page = stdout("solve 6 --all --format html --block a1");
    let title = "<title>N = 6, blocked a1: 4 solutions in lexicographic order<";
    assert_contains(&page, &[title, "[1,3,5,0,2,4]"]);
    assert!(!page.contains("http"), "nothing is fetched");
}

/// The pattern of squares is aligned so that a1 is dark.
#[test]
fn a_single_board_is_drawn_large() {
    for (n, begin) in [(7, 69), (8, 0)] {
        let svg = stdout(&format!("solve {n} --format svg"));
        let width = format!(r#"<rect width="{}""#, 480_u32.div_ceil(n) * n);
        assert_contains(&svg, &[&width, &format!(r#"id="squares" y="{begin}""#)]);
    }
}

/// The drawing and the trace in the documentation are the program's output. The trace has the same
/// states as the OR-Tools guide to this problem, in the same order.
#[test]
fn documented_drawings_are_current() {
    let document = |name: &str| std::fs::read_to_string(format!("{ROOT}/docs/{name}")).unwrap();
    let trace = traced("4");
    assert_contains(&document("SOLVERS.md"), &[&trace]);
    let is_same = document("fundamental-8.svg") == stdout("solve 8 --fundamental --format svg");
    assert!(is_same, "docs/fundamental-8.svg differs");
}
