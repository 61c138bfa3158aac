use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use proptest::prelude::*;
use tempfile::TempDir;

use super::format::{Contents, Form, checksum};
use super::*;
use crate::count::plan::tests::plan;
use crate::count::{Counter, Ledger, Plan, Progress, Shard};
use crate::engine::Kernel;

/// What subproblem `index` contributes in these tests.
fn count_of(index: usize) -> u64 {
    1000 + index as u64
}

fn open(path: &Path, plan: &Plan) -> Result<(LedgerFile, Ledger, Vec<String>), FileError> {
    LedgerFile::open(path, plan, Shard::WHOLE, Duration::ZERO)
}

/// Opens a file without a word, and appends what is missing of the first `done` subproblems.
fn go_on(path: &Path, plan: &Plan, done: usize) -> LedgerFile {
    let (mut file, ledger, notices) = open(path, plan).unwrap();
    assert_eq!(notices, [""; 0]);
    for index in (0..done).filter(|&index| ledger.get(index).is_none()) {
        file.append(index, count_of(index)).unwrap();
    }
    file.sync().unwrap();
    file
}

/// A folder, and in it the file of a count that was finished in two runs.
fn finished(plan: &Plan) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    go_on(&path, plan, plan.len() / 2);
    let mut file = go_on(&path, plan, plan.len());
    file.finish(Kernel::Reference, 2, None).unwrap();
    (folder, path)
}

fn read(bytes: &[u8], plan: &Plan) -> Result<Contents, Problem> {
    Form::new(plan, Shard::WHOLE).read(bytes)
}

/// A file with these texts as its lines, sealed as they should be.
fn sealed<'a>(form: &'a Form, texts: impl IntoIterator<Item = &'a str>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for text in [form.header.as_str()].into_iter().chain(texts) {
        bytes.extend(form.seal(bytes.len() as u64, text).into_bytes());
    }
    bytes
}

/// What a message says of a file with these lines that is refused.
fn refused(texts: &[&str]) -> String {
    let form = Form::new(&plan(4), Shard::new(0, 2).unwrap());
    let bytes = sealed(&form, texts.iter().copied());
    form.read(bytes.as_slice()).unwrap_err().to_string()
}

#[test]
fn what_is_appended_comes_back_and_the_end_is_said_once() {
    let plan = plan(6);
    let (_folder, path) = finished(&plan);
    let (mut file, ledger, notices) = open(&path, &plan).unwrap();
    assert!(ledger.is_complete() && notices.is_empty());
    assert!((0..plan.len()).all(|index| ledger.get(index) == Some(count_of(index))));
    let completion = file.completion().unwrap();
    assert_eq!(completion.solutions, ledger.sum().to_string());
    assert_eq!(
        (completion.subproblems, completion.threads),
        (plan.len(), 2)
    );
    let before = fs::read(&path).unwrap();
    file.finish(Kernel::Scalar, 1, None).unwrap();
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_running_count_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    for of_earlier_runs in [false, true] {
        let run = Counter::new(9).unwrap().prepare().unwrap();
        let (mut file, ledger, _) = open(&path, run.plan()).unwrap();
        assert_eq!(ledger.is_complete(), of_earlier_runs);
        let watch = |progress: &Progress<'_>| {
            file.update(progress).unwrap();
        };
        assert_eq!(run.on_progress(watch).resume(ledger).unwrap().total, 352);
        file.finish(Kernel::Reference, 1, None).unwrap();
    }
}

#[test]
fn results_of_others_are_not_taken() {
    let folder = tempfile::tempdir().unwrap();
    let shards = Shards::create(folder.path(), &plan(7), 4).unwrap();
    let (mut file, ..) = shards.open_shard(1).unwrap();
    for index in [0, 2, plan(7).len() + 1] {
        let error = file.append(index, 1).unwrap_err();
        assert!(error.to_string().contains("shard 1 of 4"), "{error}");
    }
    let refuses = |plan: &Plan, file: &mut LedgerFile| {
        let run = Counter::following(plan.clone()).prepare().unwrap();
        let run = run.on_progress(|progress| assert!(file.update(progress).is_err()));
        run.run().unwrap();
    };
    refuses(&plan(8), &mut file); // another plan
    refuses(&plan(7), &mut file); // other shards
    assert!(file.finish(Kernel::Reference, 1, None).is_err());
}

/// Whatever byte of a file is changed, and however: it is refused, or has fewer entries, and never others.
#[test]
fn every_change_of_every_byte_costs_entries_at_most() {
    let plan = plan(5);
    let (_folder, path) = finished(&plan);
    let good = fs::read(path).unwrap();
    let all = read(&good, &plan).unwrap().entries;
    assert_eq!(all.len(), plan.len());
    let mut bytes = good.clone();
    for position in 0..good.len() {
        for value in (0..=255).filter(|&value| value != good[position]) {
            bytes[position] = value;
            let Ok(found) = read(&bytes, &plan) else {
                panic!("{position} {value}: the other lines are whole");
            };
            assert!(found.entries.iter().all(|entry| all.contains(entry)));
            assert!(
                found.entries.len() < all.len()
                    || found.completion.is_none()
                    || found.damaged > 0
                    || value == b'#'
            );
        }
        bytes[position] = good[position];
    }
}

/// A file that ends anywhere, be it in zeros, goes on to the right end.
#[test]
fn whatever_is_lost_at_the_end_is_counted_again() {
    let plan = plan(5);
    let (_folder, path) = finished(&plan);
    let good = fs::read(&path).unwrap();
    let sum = read(&good, &plan).unwrap().sum;
    for length in 0..good.len() {
        for zeros in [0, 1, 100] {
            let bytes = [&good[..length], &vec![0; zeros]].concat();
            fs::write(&path, bytes).unwrap();
            let mut file = go_on(&path, &plan, plan.len());
            file.finish(Kernel::Reference, 1, None).unwrap();
            drop(file);
            let found = read(&fs::read(&path).unwrap(), &plan).unwrap();
            assert_eq!((found.sum, found.damaged), (sum, 0), "{length}");
            assert!(found.completion.is_some());
        }
    }
}

#[test]
fn lines_that_were_moved_repeated_or_are_of_others_do_not_count() {
    let (form, other) = [(0, 3), (1, 3)]
        .map(|(i, of)| Form::new(&plan(6), Shard::new(i, of).unwrap()))
        .into();
    let whole = sealed(&form, ["5 0:7", "6 3:8"]);
    let entries = |bytes: &[u8]| form.read(bytes).unwrap().entries;
    assert_eq!(entries(&whole), [(0, 7), (3, 8)]);
    let lines: Vec<_> = whole.split_inclusive(|&byte| byte == b'\n').collect();
    let [first, one, two] = lines[..] else {
        unreachable!()
    };
    assert_eq!(entries(&[first, one, one].concat()), [(0, 7)]);
    assert_eq!(entries(&[first, two, two].concat()), [(3, 8)]);
    assert_eq!(entries(&[first, two, one].concat()), []);
    let foreign = sealed(&other, ["5 1:7", "6 4:8"]);
    let mixed = [&whole[..foreign.len() - 11], &foreign[foreign.len() - 11..]].concat();
    assert_eq!(entries(&mixed), [(0, 7)]);
    assert!(form.read(foreign.as_slice()).is_err());
}

/// Lines that are whole, as no accident makes them.
#[test]
fn what_contradicts_itself_or_the_plan_is_refused() {
    let done = |subproblems, solutions| {
        format!(
            r#"done {{"subproblems":{subproblems},"solutions":"{solutions}","date":"","seconds":1.0,"threads":1,"kernel":"","double_check":null}}"#
        )
    };
    for (texts, says) in [
        (
            vec!["1 0:7", "2 0:8"],
            "two counts of subproblem 0, 7 and 8",
        ),
        (vec!["1 1:7"], "subproblem 1, which is not in"),
        (vec!["1 0:7,8,9"], "subproblem 4, which is not in"),
        (vec!["1 0:99999999999999999999"], "what no program writes"),
        (vec!["1 18446744073709551615:1,2"], "what no program writes"),
        (vec!["done {}"], "what no program writes"),
        (
            vec!["1 0:7,8", &done(2, 16)],
            "come to 15, and it says 16 of 2",
        ),
        (
            vec!["1 0:7,8", &done(3, 15)],
            "come to 15, and it says 15 of 3",
        ),
        (vec!["1 0:7,8", &done(2, 14), &done(2, 15)], "come to 15"),
    ] {
        assert!(
            refused(&texts).contains(says),
            "{texts:?}: {}",
            refused(&texts)
        );
    }
    let form = Form::new(&plan(4), Shard::new(0, 2).unwrap());
    let good = sealed(&form, ["1 0:7,8", "1 0:7", &done(2, 15)]);
    assert_eq!(form.read(good.as_slice()).unwrap().sum, 15);
}

#[test]
fn files_of_others_are_refused_and_left_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    let newer = "queens ledger 3 of another form";
    let seal = checksum(crc32fast::hash(newer.as_bytes()), 0, newer);
    let newer = format!("{newer} {seal:08x}\n");
    let other_plan = sealed(&Form::new(&plan(7), Shard::WHOLE), []);
    let other_shard = sealed(&Form::new(&plan(6), Shard::new(1, 2).unwrap()), []);
    let cases: [(&[u8], &str); 7] = [
        (b"Dear diary", "written by this program"),
        (b"queens\nledger\n", "written by this program"),
        (b"{\n  \"queens\": \"checkpoint\",\n", "has format 1"),
        (newer.as_bytes(), "has format 3"),
        (
            b"queens ledger 2 plan of mine\n",
            "none of its lines is whole",
        ),
        (&other_plan, "holds plan n7-"),
        (&other_shard, "shard 1 of 2, not plan n6-"),
    ];
    for (bytes, says) in cases {
        fs::write(&path, bytes).unwrap();
        let error = open(&path, &plan(6)).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}

#[test]
fn two_do_not_write_one_file() {
    let plan = plan(6);
    let (_folder, path) = finished(&plan);
    let first = open(&path, &plan).unwrap();
    let refused = open(&path, &plan).unwrap_err().to_string();
    assert!(refused.contains(&format!("in use by process {} on ", std::process::id())));
    drop(first);
    assert!(open(&path, &plan).is_ok());
}

#[test]
fn what_is_struck_out_is_counted_again() {
    let plan = plan(6);
    let (_folder, path) = finished(&plan);
    let (mut file, ..) = open(&path, &plan).unwrap();
    file.strike_out(&[0]).unwrap();
    drop(file);
    let (mut file, ledger, notices) = open(&path, &plan).unwrap();
    assert!(file.completion().is_none() && notices.is_empty());
    assert!(ledger.get(0).is_none() && ledger.done() >= plan.len() / 2);
    // What it comes to now is another sum, and the file says so.
    for index in (0..plan.len()).filter(|&index| ledger.get(index).is_none()) {
        file.append(index, 1).unwrap();
    }
    file.finish(Kernel::Reference, 1, None).unwrap();
    drop(file);
    let (file, ledger, _) = open(&path, &plan).unwrap();
    assert_eq!(
        file.completion().unwrap().solutions,
        ledger.sum().to_string()
    );
    assert_eq!(ledger.get(0), Some(1));
}

proptest! {
    #[test]
    fn entries_come_back(of in 1..5_usize, index in 0..5_usize, counts in proptest::collection::btree_map(0..500_usize, any::<u64>(), 1..300)) {
        let form = Form::new(&plan(25), Shard::new(index % of, of).unwrap());
        let entries: Vec<_> = counts.into_iter().map(|(place, count)| (index % of + place * of, count)).collect();
        let texts = form.texts(entries.clone(), Duration::from_millis(12_345));
        let bytes = sealed(&form, texts.iter().map(String::as_str));
        let found = form.read(bytes.as_slice()).unwrap();
        prop_assert_eq!(found.entries, entries);
        prop_assert_eq!(found.elapsed, Duration::from_millis(12_345));
    }
}

/// Counts a shard and says how.
fn count(shards: &Shards, index: usize) {
    let (mut file, ledger, _) = shards.open_shard(index).unwrap();
    let run = Counter::following(shards.plan().clone()).threads(1);
    let run = run.prepare().unwrap().on_progress(|progress| {
        file.update(progress).unwrap();
    });
    let shard = shards.shard(index).unwrap();
    let count = run.resume_shard(shard, ledger).unwrap();
    file.finish(count.kernel, 1, None).unwrap();
}

/// A folder of four shards of N = 7 that are all done.
fn complete() -> (TempDir, Shards) {
    let folder = tempfile::tempdir().unwrap();
    let shards = Shards::create(folder.path(), &plan(7), 4).unwrap();
    (0..4).for_each(|index| count(&shards, index));
    (folder, shards)
}

/// What is wrong with the only ledger that cannot be used.
fn the_unusable(shards: &Shards) -> String {
    match shards.merge() {
        Err(ShardsError::Unusable(wrong)) if wrong.len() == 1 => wrong[0].to_string(),
        other => panic!("not one unusable ledger: {other:?}"),
    }
}

#[test]
fn a_shard_is_never_added_twice() {
    let (folder, shards) = complete();
    assert_eq!(shards.merge().unwrap().sum.solutions, 40);
    for stray in ["000004", "2", "000002 (copy)"] {
        let stray = folder.path().join(format!("shard-{stray}.ledger"));
        fs::copy(shards.path(2), &stray).unwrap();
        assert!(the_unusable(&shards).contains("is not a shard"));
        fs::remove_file(stray).unwrap();
    }
    fs::copy(shards.path(2), shards.path(1)).unwrap();
    assert!(the_unusable(&shards).contains("shard 2 of 4, not plan"));
    assert_eq!(shards.status().unwrap().missing, [1]);
}

#[test]
fn a_shard_that_is_not_done_makes_no_total_and_goes_on() {
    let (_folder, shards) = complete();
    let good = fs::read_to_string(shards.path(1)).unwrap();
    let end = good.find("\ndone ").unwrap() + 1;
    // As a killed task leaves it; with its last line, as damage does.
    fs::write(shards.path(1), &good[..end]).unwrap();
    assert!(matches!(shards.merge(), Err(ShardsError::Gaps { missing, .. }) if missing == [1]));
    assert_eq!(shards.status().unwrap().begun[0].shard, 1);
    let number = good.find(':').unwrap();
    let number = number + good[number..].find("\n").unwrap() + 3;
    let damaged = [&good[..number], "x", &good[number + 1..]].concat();
    fs::write(shards.path(1), damaged).unwrap();
    assert!(the_unusable(&shards).contains("is damaged"));
    assert_eq!(shards.status().unwrap().missing, [1]);
    count(&shards, 1);
    assert_eq!(shards.merge().unwrap().sum.solutions, 40);
}

#[test]
fn a_status_is_brought_up_to_date() {
    let (_folder, shards) = complete();
    let mut status = shards.status().unwrap();
    assert_eq!((status.done.shards, status.done.solutions), (4, 40));
    fs::remove_file(shards.path(3)).unwrap();
    for (count_again, missing) in [(false, vec![3]), (true, vec![])] {
        if count_again {
            count(&shards, 3);
        }
        shards.update(&mut status).unwrap();
        assert_eq!(status.missing, missing);
        assert_eq!(status.done.shards, 4 - missing.len());
    }
}

/// Of several processes that prepare one folder at the same moment, those with the plan that is there then succeed.
#[test]
fn two_plans_at_once_do_not_replace_each_other() {
    for _ in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let prepare = |n| Shards::create(folder.path(), &plan(n), 4).map(drop);
        let outcomes = std::thread::scope(|scope| {
            [7, 8, 7, 8]
                .map(|n| (n, scope.spawn(move || prepare(n))))
                .map(|(n, thread)| (n, thread.join().unwrap()))
        });
        let there = Shards::open(folder.path()).unwrap().plan().board().n();
        for (n, outcome) in outcomes {
            assert_eq!(outcome.is_ok(), n == there, "{outcome:?}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn the_plan_of_another_program_is_refused() {
    for (from, to, says) in [
        ("\"n\": 7", "\"n\": 8", "holds plan n7-"),
        ("\"n\": 7", "\"n\": 99", "is damaged"),
        ("n7-bitboard", "n8-bitboard", "holds plan n8-"),
        ("\"subproblems\": ", "\"subproblems\": 1", "holds plan"),
        ("\"shards\": 4", "\"shards\": 0", "in 0 shards"),
        ("\"shards\": 4", "\"shards\": \"4\"", "is damaged"),
        ("\"shards\": 4", "\"sheep\": 4", "is damaged"),
        ("\"format\": 2", "\"format\": 1", "has format 1"),
        ("{", "[", "written by this program"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        Shards::create(folder.path(), &plan(7), 4).unwrap();
        let file = folder.path().join("plan.json");
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(&file, text.replace(from, to)).unwrap();
        let error = Shards::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
        assert!(Shards::create(folder.path(), &plan(7), 4).is_err());
    }
}
