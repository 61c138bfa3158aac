//! Invalid command lines. The program must print no result, leave all files unchanged, and report
//! the invalid value and what is accepted.

use std::fs;
use std::sync::LazyLock;

use queens::{Ledger, Shard};
use rstest::{fixture, rstest};

use super::program::{Place, stdout};

/// Asserts that the program fails with a message that contains the given parts, and leaves all
/// files unchanged.
fn assert_refused(place: &Place, code: i32, arguments: &str, named: &[&str]) {
    let before = place.files();
    place.fails(code, arguments, named);
    assert_eq!(place.files(), before, "{arguments}");
}

#[rstest]
#[case("count", &["<N>", "Usage: queens count"])]
#[case("-q table 5", &["cannot be used with", "--quiet"])]
#[case("merge", &["<FILE|DIR>", "Usage: queens merge"])]
#[case("table 4-6 -f json -o r.csv", &["--format", "'json'", "'r.csv'", "accepted: csv"])]
#[case("count 8 --block a1 --symmetry eightfold", &["--symmetry", "does not have"])]
fn invalid_arguments(#[case] arguments: &str, #[case] named: &[&str]) {
    assert_refused(&Place::new(), 2, arguments, named);
}

#[rstest]
#[case("20000 --all", &["20000", "5000"])]
#[case("20000 --queen a1", &["20000", "5000"])]
#[case("5001 --random", &["5001", "0 to 5000"])]
#[case("8 --random --all", &["--random", "--all"])]
#[case("8 -o board.png", &["--output", "'board.png'", "svg", "html"])]
#[case("500 -o board.SVG", &["--format", "500", "200"])]
#[case("8 --strategy x,min,value", &["--strategy", "'x' is not a variable", "smallest-lowest-min"])]
#[case("8 --strategy first,x,value", &["--strategy", "'x' is not a value", "min, middle, median, max"])]
#[case("8 --strategy first,min,x", &["--strategy", "'x' is not a propagation", "none, value, bounds"])]
#[case("8 --strategy smallest,min,none", &["--strategy", "'smallest' needs propagation", "first"])]
fn invalid_arguments_of_solve(#[case] arguments: &str, #[case] named: &[&str]) {
    assert_refused(&Place::new(), 2, &format!("solve {arguments}"), named);
}

#[rstest]
#[case("tree 8", &["--output"])]
fn invalid_arguments_of_trace_and_tree(#[case] arguments: &str, #[case] named: &[&str]) {
    assert_refused(&Place::new(), 2, arguments, named);
}

#[rstest]
#[case("8 --queen c5 --queen e3", &["--queen", "c5", "e3"])]
#[case("8 --queen c5 --block c5", &["--block", "c5"])]
fn invalid_squares(#[case] arguments: &str, #[case] named: &[&str]) {
    assert_refused(&Place::new(), 2, &format!("count {arguments}"), named);
}

/// Creates a folder with valid and invalid files. `part` is a shard, `newer` has a later format,
/// and `other` another plan version. `diary` is an unrelated text file.
#[fixture]
fn place() -> Place {
    let place = Place::new();
    fs::create_dir(place.at("folder")).unwrap();
    place.write("diary", "Dear diary");
    let counter = queens::Counter::new(8).unwrap().engine(queens::Engine::Bitboard);
    let plan = counter.prepare().unwrap().plan().clone();
    let ledger = |shard| Ledger::new(&plan, shard).to_bytes();
    place.write("part", ledger(Shard::new(2, 4).unwrap()));
    let eight = String::from_utf8(ledger(Shard::WHOLE)).unwrap();
    place.write("newer", eight.replace("\"format\":3", "\"format\":9"));
    let (header, _) = eight.split_once('\n').unwrap();
    let mut other: serde_json::Value = serde_json::from_str(header).unwrap();
    other["plan"]["version"] = 9.into();
    let id: queens::PlanId = serde_json::from_value(other["plan"].clone()).unwrap();
    let checksum = crc32fast::hash(format!("{id}, shard 1/1").as_bytes());
    other["checksum"] = format!("{checksum:08x}").into();
    place.write("other", format!("{other}\n"));
    place
}

#[rstest]
#[case("--output no/such/file", &["--output: 'no/such/file'", "accepted"])]
#[case("--output /", &["--output: '/'", "accepted"])]
#[case("--checkpoint nowhere/a", &["nowhere/a", "No such file"])]
#[case("--checkpoint /proc/a", &["/proc/a"])]
#[case("--checkpoint folder", &["folder"])]
#[case("--checkpoint diary", &["diary"])]
#[case("--checkpoint newer", &["has format 9 (accepted: format 3"])]
#[case("--checkpoint other", &["plan version 9, not", "plan version 6"])]
#[case("--checkpoint part", &["is for shard 2/4, not the whole plan"])]
#[case("--checkpoint part --shard 3/4", &["is for shard 2/4, not shard 3/4"])]
#[case("--output /dev/null", &["--output: '/dev/null'", "not a regular file", "accepted"])]
fn unusable_files_for_count(place: Place, #[case] files: &str, #[case] named: &[&str]) {
    let arguments = format!("count 8 --engine bitboard {files}");
    assert_refused(&place, 2, &arguments, named);
}

/// A checkpoint cannot be resumed with another board. The message describes the difference.
#[rstest]
#[case("8", "9", &["is for the 8 x 8 board, not the 9 x 9 board"])]
#[case(
    "13 --block a1 --block a13 --symmetry none",
    "13 --block a1 --block a13",
    &["symmetry none, plan version 6, not engine bitboard, symmetry mirror"]
)]
#[case(
    "12 --block d10 --block j1 --block h11",
    "12 --block f2 --block g5 --block l4 --block h12",
    &["board with d10, h11, j1 blocked, not the 12 x 12 board with f2,"]
)]
#[case("6 --queen b6", "6 --queen b6 --block a1", &["the 6 x 6 board with queens on b6, not the 6 x 6 board with queens on b6 with a1 blocked"])]
fn a_checkpoint_of_another_board(
    #[case] first: &str,
    #[case] second: &str,
    #[case] named: &[&str],
) {
    let place = Place::new();
    place.stdout(&format!("count {first} --quiet --checkpoint c"));
    assert_refused(&place, 2, &format!("count {second} --checkpoint c"), named);
}

#[rstest]
#[case("newer", &["'newer' has format 9 (accepted: format 3"])]
#[case("part other", &["plan version 9, not", "plan version 6"])]
#[case("part diary", &["'diary' is not a checkpoint"])]
#[case("part folder nowhere", &["'nowhere'", "No such file", "accepted: a checkpoint"])]
#[case(".", &["'./diary' is not a checkpoint"])]
#[case("part -o no/such/file", &["no/such/file"])]
fn unusable_files_for_merge(place: Place, #[case] paths: &str, #[case] named: &[&str]) {
    assert_refused(&place, 2, &format!("merge {paths}"), named);
}

/// Creates saved benchmarks: a valid one, one with a wrong count, and a file of another kind.
#[fixture]
fn benchmarks() -> Place {
    static BENCH: LazyLock<String> = LazyLock::new(|| stdout("bench --size 8 --runs 1 -f json"));
    let place = Place::new();
    place.write("diary", "Dear diary");
    place.write("bench.json", &*BENCH);
    let wrong = BENCH.replacen("\"correct\": true", "\"correct\": false", 1);
    place.write("wrong.json", wrong);
    place.write("other.json", "{}");
    place
}

#[rstest]
#[case("--compare no-such-file", &["--compare", "no-such-file", "No such file"])]
#[case("--fail-if-slower 5%", &["--compare"])]
#[case("--compare bench.json --fail-if-slower fast", &["--fail-if-slower", "such as 5%"])]
#[case("--compare other.json", &["--compare", "not a saved benchmark"])]
#[case("--compare bench.json", &["--compare", "bench.json' and 'this run'", "no measurement in common"])]
#[case("--compare bench.json diary", &["--compare", "'diary'", "not a saved benchmark"])]
#[case("--compare bench.json wrong.json", &["--compare", "'wrong.json'", "a wrong count"])]
#[case("--compare bench.json bench.json --size 8", &["--compare", "without measuring", "one file"])]
fn invalid_arguments_of_bench(
    #[from(benchmarks)] place: Place,
    #[case] arguments: &str,
    #[case] named: &[&str],
) {
    assert_refused(&place, 2, &format!("bench {arguments}"), named);
}
