use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use super::format::{Codec, Contents, Header};
use super::*;
use crate::board::{Board, Square};
use crate::count::tests::plan;
use crate::count::{Counter, Ledger, Plan, PlanId, Shard};
use crate::engine::{Engine, Symmetry};
use fastrand::Rng;
use strum::VariantArray;

thread_local! {
    /// Folders that this thread has synced.
    pub(super) static SYNCED: RefCell<Vec<PathBuf>> = const { RefCell::new(Vec::new()) };
}

/// Returns the artificial result that these tests use for subproblem `index`.
fn count_of(index: usize) -> u64 {
    1000 + index as u64
}

fn open(path: &Path, plan: &Plan) -> Result<LedgerFile, FileError> {
    LedgerFile::open(path, plan, Shard::WHOLE)
}

/// Opens a file and saves the missing results of the first `done` subproblems.
fn resume(path: &Path, plan: &Plan, done: usize) -> LedgerFile {
    let mut file = open(path, plan).unwrap();
    let missing = (0..done).filter(|&index| file.ledger().get(index).is_none());
    let missing: Vec<_> = missing.map(|index| (index, count_of(index))).collect();
    file.record(missing).unwrap();
    file.save().unwrap();
    file
}

/// Returns a folder and the path of a complete ledger in it, which two runs have written.
fn finished(plan: &Plan) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    drop(resume(&path, plan, plan.len() / 2));
    drop(resume(&path, plan, plan.len()));
    (folder, path)
}

fn read(bytes: &[u8], plan: &Plan) -> Result<Contents, Problem> {
    Codec::new(plan, Shard::WHOLE).read(bytes)
}

/// Returns the text of a ledger with the given lines, which get valid checksums.
fn sealed(codec: &Codec, lines: &[&str]) -> String {
    let lines = lines.iter().map(|line| codec.sealed(line));
    codec.header() + &lines.collect::<String>()
}

fn random_plan(random: &mut Rng) -> Plan {
    let mut board = Board::new(random.u32(0..10)).unwrap();
    for _ in 0..random.u32(0..4) {
        add_square(&mut board, random.bool(), random);
    }
    Plan::new(board, Engine::Bitboard).unwrap()
}

/// Preplaces a queen on a random square or blocks it, if possible.
fn add_square(board: &mut Board, is_queen: bool, random: &mut Rng) {
    let n = board.n().max(1);
    let square = Square::new(random.u32(0..n), random.u32(0..n));
    let _ = if is_queen { board.place(square) } else { board.block(square) };
}

/// Returns a plan that differs in one field. Its symmetry also differs if the board does not allow
/// the same one.
fn with_another_field(id: &PlanId, random: &mut Rng) -> Plan {
    let mut other = id.clone();
    match random.u8(0..5) {
        0 => other.board = Board::new((id.board.n() + 1) % 10).unwrap(),
        kind @ (1 | 2) => add_square(&mut other.board, kind == 1, random),
        3 => other.engine = *random.choice(Engine::VARIANTS).unwrap(),
        _ => other.symmetry = random.choice(Symmetry::VARIANTS).copied(),
    }
    let without = || PlanId { symmetry: None, ..other.clone() };
    match other.plan().or_else(|_| without().plan()) {
        Ok(plan) if plan.id() != id => plan,
        _ => with_another_field(id, random),
    }
}

/// Neither a file nor a single line of another plan is accepted.
#[test]
fn files_of_other_boards_are_rejected() {
    let mut random = Rng::with_seed(1);
    for _ in 0..200 {
        let plan = random_plan(&mut random);
        let other = with_another_field(plan.id(), &mut random);
        let pair = format!("{} / {}", plan.id(), other.id());
        let (folder, path) = finished(&plan);
        let good = fs::read(&path).unwrap();
        let assert_rejected = |path: &Path, shard| {
            let error = LedgerFile::open(path, &other, shard).unwrap_err();
            assert!(matches!(error.problem, Problem::Other { .. }), "{pair}: {error}");
        };
        assert_rejected(&path, Shard::WHOLE);
        assert_eq!(fs::read(&path).unwrap(), good);
        let mut mixed = Codec::new(&other, Shard::WHOLE).header().into_bytes();
        mixed.extend(&good[Codec::new(&plan, Shard::WHOLE).header().len()..]);
        let read = read(&mixed, &other).unwrap();
        assert!(read.ledger.done() == 0 && read.damaged > 0 || plan.is_empty(), "{pair}");
        // The same is true of a folder of shards.
        let Some(most) = [plan.len(), other.len()].into_iter().min().filter(|&len| len > 0) else {
            continue;
        };
        let of = random.usize(1..=most.min(4));
        let shards = Shards::create(folder.path(), &plan, of).unwrap();
        shards.open_shard(of - 1).unwrap();
        assert_rejected(&shards.path(of - 1), Shard::new(of - 1, of).unwrap());
        let error = Shards::create(folder.path(), &other, of).unwrap_err();
        let ShardsError::File(FileError { problem: Problem::Other { .. }, .. }) = error else {
            panic!("{pair}: {error}");
        };
    }
}

/// A rejected request leaves no folder behind.
#[test]
fn every_board_can_be_counted_in_shards() {
    let mut random = Rng::with_seed(2);
    for _ in 0..50 {
        let (folder, plan) = (tempfile::tempdir().unwrap(), random_plan(&mut random));
        let path = folder.path().join("d");
        assert!(Shards::create(&path, &plan, plan.len() + 1).is_err() && !path.exists());
        if plan.is_empty() {
            continue;
        }
        let shards = Shards::create(&path, &plan, plan.len().min(3)).unwrap();
        assert_eq!(Shards::open(&path).unwrap().plan().board(), plan.board());
        (0..shards.count()).for_each(|index| count(&shards, index));
        let total = Counter::on(plan.board().clone()).run().unwrap().total;
        assert_eq!(shards.merge().unwrap().total, total, "{}", plan.id());
    }
}

/// Runs of another plan, or of a whole plan in the file of a shard, would record wrong results.
#[test]
fn runs_of_other_plans_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let shards = Shards::create(folder.path(), &plan(7), 4).unwrap();
    let mut file = shards.open_shard(1).unwrap();
    let run = |n| Counter::following(plan(n)).prepare().unwrap();
    let whole = run(7).verify(file.ledger(), Duration::ZERO).unwrap_err().to_string();
    assert_eq!(whole, "the ledger is for shard 1 of 4, not the whole plan");
    let other = run(8).missing(file.ledger()).err().unwrap().to_string();
    assert_eq!(other, "the ledger is for the 7 x 7 board, not the 8 x 8 board");
    assert!(file.record([(2, 1)]).is_err());
    assert_eq!(file.ledger().done(), 0);
}

/// Results, their order and the time survive, and so does a save without new results.
#[test]
fn saved_results_are_read_back() {
    let (_folder, path) = finished(&plan(7));
    let before = fs::read_to_string(&path).unwrap();
    let mut file = resume(&path, &plan(7), plan(7).len());
    assert!(file.ledger().is_complete() && file.damaged() == 0);
    assert!(file.ledger().entries().all(|(index, count)| count == count_of(index)));
    file.save().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
    let lines: Vec<_> = before.lines().filter(|line| line.starts_with("3 1003 ")).collect();
    assert_eq!(lines.len(), 1, "{before}");
}

/// The checksum is the CRC-32 of the plan's identity and the line. It is computed here bit by bit.
#[test]
fn checksums_are_crc_32() {
    let codec = Codec::new(&plan(8), Shard::WHOLE);
    let text = format!("{}17 4", plan(8).id());
    let mut crc = u32::MAX;
    for byte in text.bytes() {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
        }
    }
    assert_eq!(codec.sealed("17 4"), format!("17 4 {:08x}\n", !crc));
}

/// The same counts give the same lines, in any shard and order.
#[test]
fn sorted_ledgers_of_two_counts_are_equal() {
    let sorted = |of| {
        let parts = parts(&plan(7), of).concat();
        let text = String::from_utf8(parts).unwrap();
        let counts = text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
        let mut counts: Vec<_> = counts.map(str::to_owned).collect();
        counts.sort_unstable();
        counts
    };
    assert_eq!(sorted(1), sorted(4));
}

/// Every bit of a ledger is flipped in turn. No count is wrong or added, at most two are lost, and
/// the damage is reported unless it is in the last line, which looks incomplete.
#[test]
fn damage_never_changes_a_count() {
    let plan = plan(6);
    let (_folder, path) = finished(&plan);
    let good = fs::read(&path).unwrap();
    let header = Codec::new(&plan, Shard::WHOLE).header().len();
    for (at, bit) in (0..good.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
        let mut bytes = good.clone();
        bytes[at] ^= 1 << bit;
        let found = match read(&bytes, &plan) {
            Ok(found) => found,
            Err(error) => {
                assert!(at < header, "{at}: {error}");
                continue;
            }
        };
        assert!(at >= header, "{at}");
        assert!(found.ledger.entries().all(|(index, count)| count == count_of(index)));
        assert!(found.ledger.done() + 2 >= plan.len());
        assert!(found.damaged > 0 || at + 1 == good.len(), "{at} {bit}");
    }
}

/// A process may be killed at any moment, and a power failure may also leave zeros. The next run
/// keeps all complete lines and counts the others.
#[test]
fn a_file_can_be_resumed_from_any_length() {
    let plan = plan(6);
    let (folder, path) = finished(&plan);
    let good = fs::read(&path).unwrap();
    let path = folder.path().join("cut");
    for (length, zeros) in (0..=good.len()).flat_map(|length| [(length, 0), (length, 7)]) {
        let header = Codec::new(&plan, Shard::WHOLE).header().len();
        let zeros = if length < header { zeros.min(header - length) } else { zeros };
        let whole = good[..length].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let lines = read(&good[..whole], &plan).unwrap().ledger.done();
        fs::write(&path, [&good[..length], &vec![0; zeros]].concat()).unwrap();
        let mut file = open(&path, &plan).unwrap();
        assert_eq!((file.ledger().done(), file.damaged()), (lines, 0), "{length}");
        let missing = (0..plan.len()).filter(|&index| file.ledger().get(index).is_none());
        let missing: Vec<_> = missing.map(|index| (index, count_of(index))).collect();
        file.record(missing).unwrap();
        file.save().unwrap();
        drop(file);
        let again = read(&fs::read(&path).unwrap(), &plan).unwrap();
        assert!(again.ledger.is_complete() && again.damaged == 0, "{length}");
    }
}

/// Other programs may remove, replace, truncate or extend the file. That is an error, and the file
/// is left as it is.
#[cfg(unix)]
#[rstest::rstest]
#[case("removed", |path: &Path, _: &[u8]| fs::remove_file(path).unwrap())]
#[case("replaced", |path: &Path, older: &[u8]| {
    fs::rename(path, path.with_extension("old")).unwrap();
    fs::write(path, older).unwrap();
})]
#[case("changed", |path: &Path, _: &[u8]| fs::write(path, "").unwrap())]
#[case("changed", |path: &Path, older: &[u8]| fs::write(path, older).unwrap())]
#[case("changed", |path: &Path, _: &[u8]| {
    let mut bytes = fs::read(path).unwrap();
    bytes.extend(b"9 1 00000000\n");
    fs::write(path, bytes).unwrap();
})]
fn a_file_changed_by_others_is_an_error(#[case] how: &str, #[case] change: fn(&Path, &[u8])) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    drop(resume(&path, &plan(7), 3));
    let older = fs::read(&path).unwrap();
    let mut file = resume(&path, &plan(7), 7);
    change(&path, &older);
    let after = fs::read(&path).ok();
    file.record([(7, 1)]).unwrap();
    for _ in 0..2 {
        let error = file.save().unwrap_err().to_string();
        assert!(error.ends_with(&format!("was {how} by another program")), "{error}");
        assert_eq!(fs::read(&path).ok(), after);
    }
}

/// Covers contradictory lines with valid checksums, which cannot arise by accident.
#[rstest::rstest]
#[case("0 8", "subproblem 0 has two counts, 7 and 8")]
#[case("1 7", "subproblem 1 is not in shard 0 of 2")]
#[case("40 7", "subproblem 40 is not in shard 0 of 2")]
#[case("2 -1", "'2 -1' is not a count")]
#[case("time -1", "'-1' is not a time")]
fn contradictions_are_rejected(#[case] line: &str, #[case] reason: &str) {
    let codec = Codec::new(&plan(6), Shard::new(0, 2).unwrap());
    let read = |lines: &[&str]| codec.read(sealed(&codec, lines).as_bytes());
    let error = read(&["0 7", "2 8", line]).unwrap_err().to_string();
    assert!(error.contains(reason), "{error}");
    let repeated = read(&["0 7", "2 8", "0 7"]).unwrap().ledger;
    assert_eq!((repeated.done(), repeated.sum()), (2, 15));
}

#[rstest::rstest]
#[case(|_| "Dear diary".into(), "is not a ledger")]
#[case(|_| "Dear diary\n".into(), "is not a ledger")]
#[case(|_| "{\"begin\":{\"format\":3,\"plan\":{}}} 5c0a\n".into(), "has format 1 (accepted: format 2")]
#[case(|_| "{\n  \"queens\": \"checkpoint\",\n  \"format\": 1\n}\n".into(), "has format 1")]
#[case(|good: String| good.replace("\"format\":2", "\"format\":4"), "has format 4 (accepted: format 2")]
#[case(|good: String| good.replace("\"n\":6", "\"n\":7"), "the checksum of its plan is wrong")]
#[case(|good: String| good.replace("\"plan\":{", "\"plan\": {"), "the first line was edited")]
#[case(|good: String| good[1..].to_owned(), "is not a ledger")]
#[case(|_| Header::new(plan(6).id(), None, 1).line(), "is not a ledger")]
#[case(|_| Codec::new(&plan(7), Shard::WHOLE).header(), "is for the 7 x 7 board, not the 6 x 6 board")]
#[case(
    |_| Codec::new(&plan(6), Shard::new(1, 2).unwrap()).header(),
    "is for shard 1 of 2, not shard 0 of 1"
)]
fn rejected_files_are_left_unchanged(#[case] text: fn(String) -> String, #[case] reason: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    let text = text(Codec::new(&plan(6), Shard::WHOLE).header());
    fs::write(&path, &text).unwrap();
    let error = open(&path, &plan(6)).unwrap_err().to_string();
    assert!(error.contains(reason), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn a_file_has_one_user() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    let first = resume(&path, &plan(6), 2);
    assert!(matches!(open(&path, &plan(6)).unwrap_err().problem, Problem::InUse));
    drop(first);
    assert_eq!(open(&path, &plan(6)).unwrap().ledger().done(), 2);
}

/// Otherwise, a power failure could remove a synced file from its folder.
#[cfg(unix)]
#[test]
fn folders_of_new_files_are_synced() {
    let folder = tempfile::tempdir().unwrap();
    let (outer, inner) = (folder.path().canonicalize().unwrap(), folder.path().join("d"));
    let synced = || SYNCED.take();
    drop(open(&folder.path().join("ledger"), &plan(6)).unwrap());
    assert_eq!(synced(), std::slice::from_ref(&outer));
    let shards = Shards::create(&inner, &plan(6), 2).unwrap();
    assert_eq!(synced().len(), 2, "the new folder, and the one that contains it");
    drop(shards.open_shard(1).unwrap());
    assert_eq!(synced(), [outer.join("d")]);
    drop(shards.open_shard(1).unwrap());
    assert!(synced().is_empty());
    NewFile::create(inner.join("x")).unwrap().replace(inner.join("x")).unwrap();
    assert_eq!(synced(), [inner]);
}

fn count(shards: &Shards, index: usize) {
    let mut file = shards.open_shard(index).unwrap();
    let mut run = Counter::following(shards.plan().clone()).threads(1).prepare().unwrap();
    let work = run.missing(file.ledger()).unwrap();
    run.count(work, |results| file.record(results)).unwrap();
    file.save().unwrap();
}

/// Returns a folder with four completed shards of N = 7.
fn complete() -> (TempDir, Shards) {
    let folder = tempfile::tempdir().unwrap();
    let shards = Shards::create(folder.path(), &plan(7), 4).unwrap();
    (0..4).for_each(|index| count(&shards, index));
    (folder, shards)
}

#[test]
fn a_shard_is_never_added_twice() {
    let (folder, shards) = complete();
    assert_eq!(shards.merge().unwrap().total, 40);
    let copy = folder.path().join("shard-000002 (copy).ledger");
    fs::copy(shards.path(2), copy).unwrap();
    assert_eq!(shards.merge().unwrap().total, 40);
    fs::copy(shards.path(2), shards.path(1)).unwrap();
    let error = shards.merge().unwrap_err().to_string();
    assert!(error.contains("is for shard 2 of 4, not shard 1 of 4"), "{error}");
    assert_eq!(shards.status().missing, [1]);
}

/// A damaged line is a gap, and is counted again.
#[test]
fn damaged_lines_are_gaps() {
    let (_folder, shards) = complete();
    let text = fs::read_to_string(shards.path(1)).unwrap();
    fs::write(shards.path(1), text.replacen("\n1 ", "\n2 ", 1)).unwrap();
    let status = shards.status();
    assert_eq!((status.missing, status.shards[&1].damaged), (vec![1], 1));
    let error = shards.merge().unwrap_err();
    assert!(matches!(error, ShardsError::Gaps { .. }), "{error}");
    count(&shards, 1);
    assert_eq!(shards.merge().unwrap().total, 40);
}

/// If several threads prepare the same folder concurrently, only those whose plan was written
/// succeed.
#[test]
fn concurrent_plans_do_not_replace_each_other() {
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

#[rstest::rstest]
#[case("\"n\":7", "\"n\":8", "the checksum of its plan is wrong")]
#[case("\"blocked\":[]", "\"blocked\":[\"a1\"]", "the checksum of its plan is wrong")]
#[case("\"of\":4", "\"of\":5", "the checksum of its plan is wrong")]
#[case("\"of\":4", "\"of\":\"4\"", "is damaged")]
#[case("\"of\":4", "\"sheep\":4", "is damaged")]
#[case("\"format\":2", "\"format\":3", "has format 1 (accepted: format 2")]
#[case("\"format\":2", "\"format\":4", "has format 4")]
#[case("\"format\":2,", "", "is not a plan")]
#[case("{", "[", "is not a plan")]
fn invalid_plans_are_rejected(#[case] from: &str, #[case] to: &str, #[case] reason: &str) {
    let folder = tempfile::tempdir().unwrap();
    Shards::create(folder.path(), &plan(7), 4).unwrap();
    let file = folder.path().join("plan.json");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(&file, text.replacen(from, to, 1)).unwrap();
    let error = Shards::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains(reason), "{error}");
    assert!(Shards::create(folder.path(), &plan(7), 4).is_err());
}

/// Counts all shards and returns their ledgers in memory.
fn parts(plan: &Plan, of: usize) -> Vec<Vec<u8>> {
    let part = |index| {
        let mut ledger = Ledger::of_shard(plan, Shard::new(index, of).unwrap());
        let mut run = Counter::following(plan.clone()).threads(1).prepare().unwrap();
        let work = run.missing(&ledger).unwrap();
        let done = run.count(work, |results| ledger.record(results)).unwrap();
        plan.shard_to_bytes(&ledger, done)
    };
    (0..of).map(part).collect()
}

/// Ledgers in memory and in a folder are interchangeable.
#[test]
fn ledgers_in_memory_equal_files() {
    let (folder, shards) = complete();
    let (plan, of) = (shards.plan(), shards.count());
    let read = |index| fs::read(shards.path(index)).unwrap();
    let there = shards.merge().unwrap();
    assert_eq!(plan.merge(of, (0..of).rev().map(read)).unwrap(), there);
    for (index, part) in parts(plan, of).iter().enumerate().skip(1) {
        fs::write(shards.path(index), part).unwrap();
    }
    let merged = Shards::open(folder.path()).unwrap().merge().unwrap();
    assert_eq!((merged.total, merged.check), (there.total, there.check));
}

#[test]
fn ledgers_in_memory_are_added_exactly_once() {
    let (plan, of) = (plan(7), 4);
    let parts = parts(&plan, of);
    assert_eq!(plan.merge(of, &parts).unwrap().total, 40);
    assert_eq!(plan.status(of, &parts[1..3]).unwrap().missing, [0, 3]);
    let (all, other) = (&parts[..], super::tests::plan(8));
    let twice = [all, &parts[2..3]].concat();
    let cut = [vec![parts[0][..parts[0].len() - 60].to_vec()], parts[1..].to_vec()].concat();
    for (plan, of, parts, reason) in [
        (&plan, of, &parts[..3], "1 of 4 shards is not done: shard 3"),
        (&plan, of, &twice, "'part 4' repeats shard 2"),
        (&plan, of, &cut, "counts are intact"),
        (&plan, 5, all, "is for shard 0 of 4, not shard 0 of 5"),
        (&plan, 2, all, "is for shard 3 of 4, not shard 1 of 2"),
        (&other, of, all, "is for the 7 x 7 board, not the 8 x 8 board"),
    ] {
        let error = plan.merge(of, parts).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    for shards in [0, plan.len() + 1] {
        let error = plan.status(shards, &parts).unwrap_err();
        assert!(matches!(error, ShardsError::Split { .. }), "{error}");
    }
}

/// Times beyond the range of the clock do not end a count.
#[test]
fn long_times_are_added() {
    let codec = Codec::new(&plan(6), Shard::WHOLE);
    let text = sealed(&codec, &["0 1", "time 18000000000000000000"]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    fs::write(&path, text).unwrap();
    let mut file = open(&path, &plan(6)).unwrap();
    file.record([(1, 1)]).unwrap();
    file.save().unwrap();
    assert!(file.ledger().resumed().unwrap().elapsed > Duration::from_secs(1 << 60));
}
