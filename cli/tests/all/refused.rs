//! Command lines that cannot be run. The program must print no result, leave all files unchanged,
//! and report the invalid value and what is accepted. `src/cli.rs` tests the errors that need no
//! files.

use std::fs;
use std::sync::LazyLock;

use queens::{Ledger, Shard};
use rstest::rstest;

use super::program::{Place, stdout};

/// Creates a folder with valid and invalid files. `part` is a shard, `newer` has a later format,
/// and `other` another plan version. `bench.json` is a benchmark, and that in `wrong.json` has a
/// wrong count. `diary` is an unrelated text file.
fn place() -> Place {
    static BENCH: LazyLock<String> = LazyLock::new(|| stdout("bench --size 8 --runs 1 -f json"));
    let place = Place::new();
    fs::create_dir(place.at("folder")).unwrap();
    place.write("diary", "Dear diary");
    let counter = queens::Counter::new(8).unwrap().engine(queens::Engine::Bitboard);
    let plan = counter.prepare().unwrap().plan().clone();
    let ledger = |shard| String::from_utf8(Ledger::new(&plan, shard).to_bytes()).unwrap();
    place.write("part", ledger(Shard::new(2, 4).unwrap()));
    let eight = ledger(Shard::WHOLE);
    place.write("newer", eight.replace("\"format\":3", "\"format\":9"));
    let mut other: serde_json::Value = serde_json::from_str(eight.lines().next().unwrap()).unwrap();
    other["plan"]["version"] = 9.into();
    let id: queens::PlanId = serde_json::from_value(other["plan"].clone()).unwrap();
    let checksum = crc32fast::hash(format!("{id}, shard 1/1").as_bytes());
    other["checksum"] = format!("{checksum:08x}").into();
    place.write("other", format!("{other}\n"));
    place.write("bench.json", &*BENCH);
    place.write("wrong.json", BENCH.replacen("\"correct\": true", "\"correct\": false", 1));
    place.write("other.json", "{}");
    place
}

const COUNT: &str = "count 8 --engine bitboard";

#[rstest]
#[case(COUNT, "--output /", &["--output: '/'", "accepted"])]
#[case(COUNT, "--checkpoint /proc/a", &["/proc/a"])]
#[case(COUNT, "--checkpoint folder", &["folder"])]
#[case(COUNT, "--checkpoint diary", &["diary", "accepted: a checkpoint"])]
#[case(COUNT, "--checkpoint newer", &["has format 9 (accepted: format 3"])]
#[case(COUNT, "--checkpoint other", &["plan version 9, not", "plan version 6"])]
#[case(COUNT, "--checkpoint part", &["is for shard 2/4, not the whole plan"])]
#[case(COUNT, "--checkpoint part --shard 3/4", &["is for shard 2/4, not shard 3/4"])]
#[case("merge", "newer", &["'newer' has format 9 (accepted: format 3"])]
#[case("merge", "part other", &["plan version 9, not", "plan version 6"])]
#[case("merge", "part folder nowhere", &["'nowhere'", "No such file", "accepted: a checkpoint"])]
#[case("merge", ".", &["'./bench.json' is not a checkpoint"])]
#[case("merge", "folder", &["no results in 'folder'"])]
#[case("merge", "part -o no/such/file", &["no/such/file"])]
#[case("bench --compare", "other.json", &["--compare", "not a saved benchmark"])]
#[case("bench --compare", "bench.json", &["bench.json' and 'this run'", "in common"])]
#[case("bench --compare", "bench.json diary", &["--compare", "'diary'", "not a saved benchmark"])]
#[case("bench --compare", "bench.json wrong.json", &["--compare", "'wrong.json'", "a wrong count"])]
#[case("bench --compare", "bench.json bench.json --size 8", &["without measuring", "one file"])]
fn unusable_files(#[case] command: &str, #[case] files: &str, #[case] named: &[&str]) {
    let place = place();
    let before = place.files();
    place.fails(2, &format!("{command} {files}"), named);
    assert_eq!(place.files(), before);
}

/// A checkpoint cannot be resumed with another board. The message describes the difference.
#[rstest]
#[case("9 --block a1,a9 --symmetry none", "9 --block a1,a9", "engine bitboard, symmetry mirror")]
#[case("12 --block d10,j1", "12 --block f2,h12", "d10, j1 blocked, not the 12 x 12 board with f2,")]
#[case(
    "6 --queen b6",
    "6 --queen b6 --block a1",
    "b6, not the 6 x 6 board with queens on b6 with a1"
)]
fn a_checkpoint_of_another_board(#[case] first: &str, #[case] second: &str, #[case] named: &str) {
    let place = Place::new();
    place.stdout(&format!("count {first} --quiet --checkpoint c"));
    let before = place.files();
    place.fails(2, &format!("count {second} --checkpoint c"), &[named]);
    assert_eq!(place.files(), before);
}
