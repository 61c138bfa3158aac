//! The binary end to end: what it prints, where, and what it refuses.

use std::fs::{self, File};
use std::process::Stdio;

use queens::known::known;

use super::program::{Place, assert_says, json, queens, resealed, run, stdout};

#[test]
fn count_tells_the_total_and_how_it_came_about() {
    for (arguments, parts) in [
        (
            "count 12 --threads 2 --kernel scalar --engine bitboard",
            "Q(12) = 14,200\n|verified|A000170|solutions/s|\
             engine bitboard, kernel scalar, symmetry eightfold, 2 threads (as asked)",
        ),
        (
            "count 13 --stats",
            "Q(13) = 73,712\n|engine join|visits|of 512 full",
        ),
        ("count 7 --torus", "N = 7, torus: 28 solutions\n|verified"),
        (
            "count 20 --classes --published",
            "4,878,666,808 fundamental",
        ),
        (
            "count 10 --engine bitboard --double-check 50",
            "18 of 36 subproblems agree with their mirror images",
        ),
        (
            "count 2 --engine bitboard --double-check 100",
            "nothing to check",
        ),
        // A torus has one kernel only.
        ("count 7 --torus --double-check 100", "may not show"),
    ] {
        assert_says(&stdout(arguments), &parts.split('|').collect::<Vec<_>>());
    }
    for n in [0, 1, 2, 3, 10] {
        let printed = stdout(&format!("count {n} --quiet"));
        assert_eq!(printed, format!("{}\n", known(n).unwrap().solutions));
    }
}

#[test]
fn estimates_have_intervals() {
    let estimate = |arguments: &str| json(&format!("estimate {arguments}"));
    let twelve = estimate("12 --seconds 0.01 --shard-time 1h30m");
    assert!(twelve["published"] == "14200" && twelve["holds_published"].is_boolean());
    assert!(twelve["shards"] == 1 && twelve["shard_seconds"] == 5400.0);
    let [low, value, high] = ["_low", "", "_high"].map(|end| {
        let number = &twelve[format!("solutions{end}")];
        number.as_f64().unwrap()
    });
    assert!(low <= value && value <= high && twelve["seconds"].as_f64().unwrap() > 0.0);
    let text = stdout("estimate 10 --seconds 0.01 --block c5 --engine bitboard --kernel scalar");
    assert_says(&text, &["N = 10", "c5", "kernel scalar"]);
    for absent in ["OEIS", "core hours", "shard"] {
        assert!(!text.contains(absent), "{text}");
    }
    let long =
        stdout("estimate 18 --seconds 0.3 --engine bitboard --kernel scalar --shard-time 2s");
    assert_says(&long, &["core hours", "shards of about"]);
}

#[test]
fn stats_are_in_the_record() {
    let stats = json("count 13 --stats");
    // Of the 1716 ways to choose 7 of 13 rows, 20 are their own reversal; of the others one of two is counted.
    assert_eq!(stats["row_sets"], (1716 + 20) / 2);
    assert!(stats["visits"].as_u64().unwrap() > 0);
    assert!(stats["lists_seconds"].as_f64().unwrap() > 0.0);
    assert!(json("count 13").get("row_sets").is_none());
}

/// The rows of a CSV file, its heading among them.
fn csv_rows(text: &str) -> Vec<csv::StringRecord> {
    let mut reader = csv::ReaderBuilder::new();
    let reader = reader.has_headers(false).from_reader(text.as_bytes());
    reader.into_records().map(Result::unwrap).collect()
}

#[test]
fn every_format_says_the_same() {
    let json = json("count 9");
    assert_eq!(json["solutions"], "352");
    assert_eq!(json["fundamental"], "46");
    assert_eq!(json["check"], "verified");
    assert!(json["n"] == 9 && json["seconds"].as_f64().unwrap() > 0.0);
    for field in ["engine", "kernel", "version", "compiler", "cpu", "platform"] {
        assert!(json[field].is_string(), "{field} in {json}");
    }
    let csv = csv_rows(&stdout("count 9 --format csv"));
    assert!(csv[0].iter().eq(json.as_object().unwrap().keys()));
    assert_eq!((&csv[1][0], &csv[1][1], &csv[1][2]), ("9", "352", "46"));
    let markdown = stdout("count 9 --format markdown");
    let row = markdown.lines().nth(2).unwrap();
    let cells: Vec<_> = row.split('|').map(str::trim).collect();
    assert_eq!(cells[1..4], ["9", "352", "46"]);
}

#[test]
fn the_table_has_a_row_for_each_size() {
    let text = stdout("table 1-10");
    let rows = text.lines().map(|line| line.split_whitespace().collect());
    let rows: Vec<Vec<&str>> = rows.collect();
    assert_eq!(rows.len(), 11);
    assert_eq!(rows[0][..3], ["N", "Solutions", "Fundamental"]);
    for (n, row) in (1..).zip(&rows[1..]) {
        let known = known(n).unwrap();
        let numbers = [n.into(), known.solutions, known.fundamental];
        assert_eq!(row[..3], numbers.map(|number| number.to_string()));
        assert_eq!(row.last(), Some(&"verified"));
    }
    let mut ends = text.lines().map(|line| line.chars().count());
    let end = ends.next().unwrap();
    assert!(ends.all(|other| other == end), "the rows line up: {text}");

    let json = json("table 4,6,8");
    let csv = csv_rows(&stdout("table 4,6,8 --format csv"));
    assert_eq!((json.as_array().unwrap().len(), csv.len()), (3, 4));
    for (i, (n, solutions)) in [(4, "2"), (6, "4"), (8, "92")].into_iter().enumerate() {
        assert_eq!(json[i]["n"], n);
        assert_eq!(json[i]["solutions"], solutions);
        assert_eq!(csv[i + 1][1], *solutions);
    }
}

#[test]
fn the_reference_times_are_the_published_ones() {
    let rows = json("table 6,12,16 --reference --engine bitboard");
    assert_eq!(rows[0]["reference_milliseconds"], 0);
    // Nothing can be said of 0 ms.
    assert!(rows[0]["reference_ratio"].is_null());
    assert_eq!(rows[1]["reference_milliseconds"], 2198);
    let ratio = rows[1]["reference_ratio"].as_f64().unwrap();
    let expected = 2.198 / rows[1]["seconds"].as_f64().unwrap();
    assert!((ratio / expected - 1.0).abs() < 1e-4);
    // The guide ends at 15.
    assert!(rows[2]["reference_milliseconds"].is_null());
}

#[test]
fn a_file_gets_the_result_and_nothing_else_does() {
    let place = Place::new();
    place.write("result.json", "older");
    let printed = place.stdout("count 8 --format json --output result.json");
    assert_eq!(printed, "");
    assert_eq!(place.field("result.json", "solutions"), "92");
    assert_eq!(place.files().len(), 1, "no temporary file is left");
}

/// What others have written to an open file stays, and so does what they write afterwards; links and modes stay too.
#[cfg(unix)]
#[test]
fn outputs_are_what_they_were() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = Place::new();
    let log = File::create(place.at("log")).unwrap();
    let script = "echo before; \"$0\" solve 4 --format list --output /dev/stdout; echo after";
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_queens")]);
    run(0, shell.stdout(log));
    assert_eq!(place.read("log"), "before\n1 3 0 2\nafter\n");

    place.write("out", "older");
    fs::set_permissions(place.at("out"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink("out", place.at("link")).unwrap();
    place.stdout("count 8 --quiet --output link");
    assert!(place.at("link").is_symlink() && place.read("out") == "92\n");
    let mode = place.at("out").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn completions_and_manual_know_the_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert_says(&stdout(&format!("completions {shell}")), &["table"]);
    }
    let place = Place::new();
    place.stdout("man --out pages");
    let commands = ["queens\\-count(1)", "queens\\-table(1)"];
    let options = ["threads", "double\\-check"];
    for (arguments, file, words) in [
        ("man", "pages/queens.1", commands),
        ("man count", "pages/queens-count.1", options),
    ] {
        let page = stdout(arguments);
        assert_says(&page, &words);
        assert_eq!(place.read(file), page);
    }
}

/// A full disk is found out, where the system has a device that plays one; a closed pipe ends quietly.
#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_written_is_a_failure() {
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    let place = Place::new();
    place.stdout("shards plan d 8 --shards 2");
    for arguments in [
        "count 8",
        "--help",
        "shards status --missing d",
        "selftest",
        "count 8 --output /dev/full",
    ] {
        let (_, message) = run(1, queens(arguments, &place.at("")).stdout(full()));
        let is_file = arguments.ends_with("/dev/full");
        let named = ["standard output: ", "--output: '/dev/full': "][usize::from(is_file)];
        assert!(message.starts_with("error: "), "{message}");
        assert_says(&message, &[named, "No space left on device"]);
    }
    for arguments in ["table 1-12", "--help", "solve 13 --all --format board"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let (_, message) = run(0, queens(arguments, &place.at("")).stdout(writer));
        assert_eq!(message, "");
    }
    // Nor does standard error change the outcome.
    for arguments in ["count 8 --checkpoint nowhere/a", "count x"] {
        run(2, queens(arguments, &place.at("")).stderr(full()));
    }
}

/// Each line has an exit code, a command line, and what the message names.
const REFUSED: &str = "\
# Numbers and names
2 | count | <N> | Usage: queens count
2 | count eight | <N> | 'eight'
2 | count -1 | <N> | '-1' | 0 to 32
2 | count 33 | <N> | '33' | 0 to 32
2 | count 8 --threads 0 | --threads | '0' | 1 to 4096
2 | count 8 --stats --engine bitboard | --stats: | no statistics
2 | count 8 --stats --format markdown | --stats: | Markdown
2 | count 8 --threds 2 | --threds | tip | --threads
2 | count 8 --engine steam | --engine | 'steam' | auto | bitboard
2 | count 8 --kernel turbo | --kernel | 'turbo' | reference | scalar
2 | count 8 --symmetry round | --symmetry | 'round' | none | mirror | eightfold
2 | count 8 --format xml | --format | 'xml' | text | json | csv | markdown
2 | count 8 --progress maybe | --progress | auto | always | never
2 | count 8 --quiet --format json | --quiet | --format
2 | count 8 --double-check -5 | --double-check | '-5' | accepted | up to 100
2 | shards run d 1 --double-check 101 | --double-check | '101' | up to 100
2 | table 5-3 | [RANGE] | '5-3' | 0 to 32
2 | completions cobol | <SHELL> | bash
2 | man cobol | 'cobol' is not a command | count, estimate
2 | cuont | 'cuont' | <N>
2 | -q table 5 | stand behind it
2 | count 28 --classes --published | --published | 28
2 | count 8 --classes --queen a1 | --classes | --queen
2 | count 8 --published | --classes
2 | selftest --minutes -1 | --minutes | above 0
2 | solve 1000001 | 1000001 | 1000000
2 | solve 8 --limit 0 | --limit | a whole number from 1
2 | solve 8 --strategy random | random | first-fail
2 | solve 8 --variable last | last | smallest
2 | solve 8 --variable smallest --propagation none | --variable | smallest | random
2 | solve 8 --strategy naive --propagation value | --propagation | value | none
2 | solve 7 --torus --propagation bounds | --propagation | bounds | domain
2 | solve 8 --strategy backtrack --seed 5 | --seed | 5 | value random
2 | solve 8 --trace --format csv | --format | csv | json
2 | solve 100 --trace | --trace | 100 | 64
2 | solve 8 --trace --fundamental | --trace | --fundamental
2 | solve 8 --trace-limit 5 | --trace
2 | solve 8 --trace --trace-limit 0 | --trace-limit | 0
2 | solve 8 --max-branches -5 | --max-branches | -5
2 | solve 8 --timeout nan | --timeout | nan
2 | solve 8 --format png | png | unicode
2 | solve 500 --format svg | --format | 500 | 200
2 | solve 12 --all --format svg | --format | 1,000 boards | --limit up to 1000
2 | solve 28 --all --format html | --format | 20,000 boards
2 | solve 8 --random --all | --random | --all
2 | solve 5001 --random | 5001 | 0 to 5000
2 | check 0,1,x | ROWS | 'x' | whole numbers
2 | solve 8 --tree tree.png | --tree | tree.png | .html or .svg
2 | solve 65 --tree tree.html | --tree | N = 65 | 0 to 64
2 | solve 20000 --all | 20000 | 5000
2 | solve 20000 --queen a1 | 20000 | 5000
# Squares
2 | solve 8 --queen c5 --queen e3 | --queen | c5 | e3
2 | solve 8 --queen i1 | --queen | i1 | a1 to h8
2 | solve 8 --block 8,0 | --block | 8,0
2 | solve 8 --block 5 | --block | '5'
2 | count 8 --queen c5 --block 2,3 | --block | c5
2 | count 0 --queen a1 | --queen | a1
2 | count 8 --torus --queen c5 --queen h8 | --queen | c5 | h8
2 | count 8 --torus --kernel avx2 | --kernel | torus | avx2
2 | count 8 --torus --symmetry eightfold | --symmetry | does not have
# Files and folders that are missing or cannot be written to
2 | count 8 --output no/such/file | --output: 'no/such/file' | accepted
2 | count 8 --output / | --output: '/' | accepted
2 | solve 8 --tree nowhere/tree.svg | --tree | nowhere
2 | solve 8 --tree tree.svg --output tree.svg | --tree | tree.svg
2 | count 8 --checkpoint nowhere/a | nowhere/a | No such file
2 | count 8 --checkpoint /proc/a | /proc/a
2 | shards plan nowhere/d 8 --shards 4 | nowhere/d
2 | shards plan /proc/d 8 --shards 4 | /proc/d
2 | shards plan diary 8 --shards 4 | diary | accepted: a
2 | shards run nowhere 0 | nowhere
2 | shards run folder 0 | plan.json
2 | shards run diary 0 | accepted: a folder
2 | shards status --missing diary | accepted: a folder
2 | shards merge nowhere | nowhere
# Shards out of range, and other plans
2 | shards run d 4 | 0 to 3
2 | shards run d -1 | '-1' | a whole number from 0
2 | shards plan e 8 --shards 0 | --shards
2 | shards plan e 8 | --shards
2 | shards plan e 8 --shards 2 --shard-time 1h | --shard-time
2 | shards plan e 8 --shard-time 5 | --shard-time | '5' | 30m
2 | estimate 33 | '33' | 0 to 32
2 | estimate 8 --seconds 0 | --seconds
2 | estimate 8 --seed -1 | --seed | a whole number from 0 to
2 | shards plan e 8 --shards 22 | 1 to 21
2 | shards plan e 2 --shards 1 | nothing to cut
2 | shards plan d 8 --shards 5 --engine bitboard | n8-bitboard
2 | shards plan d 9 --shards 4 --engine bitboard | n9-bitboard
2 | shards run older 0 | format 1, of another version
2 | shards status --missing older | format 1
2 | shards merge older | format 1
2 | shards plan older 8 --shards 4 --engine bitboard | format 1
1 | shards run other 0 | -v9-
1 | shards status --missing other | -v9-
4 | shards merge other | -v9-
# Files that are not checkpoints, and results where the checkpoint is, or where it will be
2 | count 8 --checkpoint folder | folder
2 | count 8 --checkpoint diary | diary
2 | count 8 --engine bitboard --checkpoint newer.ckpt | format 9
2 | count 8 --engine bitboard --checkpoint older.ckpt | format 1, of another version
2 | count 9 --engine bitboard --checkpoint eight.ckpt | n8-bitboard | n9-bitboard
2 | count 8 --engine bitboard --checkpoint d/shard-000000.ledger | shard 0 of 4 | shard 0 of 1
2 | count 8 --checkpoint d/plan.json | not a ledger written by this program
2 | count 8 --checkpoint-every 5 | --checkpoint
2 | count 8 --checkpoint a --checkpoint-every 0 | --checkpoint-every
2 | count 8 --checkpoint a --output a | --output
2 | count 8 --checkpoint a --output d/../a | --output
# Benchmarks
2 | bench --quick --format xml | --format | 'xml'
2 | bench --quick --full | --quick | --full
2 | bench --quick --engine steam | --engine | 'steam' | bitboard
2 | bench --quick --table 1..=30 | --table | 28 | published
2 | bench --quick --save no/such/folder/file | --save | no/such/folder/file
2 | bench --quick --save - | --save | '-'
2 | bench --quick --save both --output both | --save | --output
2 | bench --quick --baseline no-such-file | --baseline | no-such-file | read: No such file or directory
2 | bench --quick --baseline diary | --baseline | damaged
2 | bench --quick --baseline solvers.json | --baseline | not a benchmark
2 | bench --quick --n 8 --baseline bench-one.json | --baseline | N = 8 | N = 17
2 | bench --n 0 | --n
2 | bench --n 28 | --n
2 | bench --n 33 | --n
2 | report bench-one.json --out diary | --out | accepted
2 | report folder --out page | 'folder' | it has no benchmark
2 | bench --quick --save bench-one.json | --save | another machine | accepted: another file
2 | bench --quick --save diary | --save | 'diary' | accepted: another file
2 | bench --quick --save solvers.json | --save | 'solvers.json' | accepted: another file
# Repeated runs, ranges and colours
2 | count 8 --runs 0 | --runs | '0' | 1 to 10000
2 | count 8 --runs 2 --checkpoint a | --runs | --checkpoint
2 | table 5..5 | [RANGE] | '5..5' | 1..16
2 | count 8 --color blue | --color | 'blue' | never
2 | 33 | <N> | '33' | 0 to 32
2 | 27x | <N> | '27x' | a whole number from 0 to 32
2 | -5 | <N> | '-5' | a whole number from 0 to 32
2 | --engine join 3.5 | <N> | '3.5' | a whole number from 0 to 32
2 | -t 0 8 | --threads | '0'
# More than any machine has
1 | count 24 --memory 20MiB | not enough memory
2 | count 24 --memory lots | accepted: a size such as 512MiB
";

/// Nothing is printed, and nothing is changed.
#[test]
fn what_cannot_be_done_is_named_with_what_is_accepted() {
    let place = Place::new();
    place.stdout("shards plan d 8 --shards 4 --engine bitboard");
    place.stdout("shards run d 0");
    for folder in ["folder", "older", "other"] {
        fs::create_dir(place.at(folder)).unwrap();
    }
    let plan = place.read("d/plan.json");
    place.write("other/plan.json", plan.replace("-bitboard-", "-v9-"));
    place.fixture("saved/shards/plan.json", "older/plan.json");
    place.write("diary", "Dear diary");
    place.fixture("saved/eight.ckpt", "older.ckpt");
    place.stdout("count 8 --engine bitboard --checkpoint eight.ckpt");
    let newer = resealed(&place.read("eight.ckpt"), "ledger 2", "ledger 9");
    place.write("newer.ckpt", newer);
    for benchmark in ["bench-one.json", "solvers.json"] {
        place.fixture(benchmark, benchmark);
    }
    let before = place.files();
    for line in REFUSED.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<_> = line.split(" | ").collect();
        place.fails(cells[0].parse().unwrap(), cells[1], &cells[2..]);
        assert_eq!(place.files(), before, "{line}");
    }
    // A usage line would show one of the two options alone.
    let conflict = place.fails(2, "count 8 --quiet --format json", &[]);
    assert!(!conflict.contains("Usage"), "{conflict}");
}

#[test]
fn the_machine_is_found_sound() {
    let text = stdout("selftest");
    for engine in queens::Engine::all_for(&queens::Board::new(8).unwrap()) {
        for kernel in engine.kernels() {
            let line = format!("engine {engine}, kernel {kernel}: ");
            assert!(text.contains(&line), "{text}");
        }
    }
}
