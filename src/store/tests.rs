#![cfg_attr(
    not(target_os = "linux"),
    allow(unused_imports, dead_code, reason = "some tests run on Linux alone")
)]

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::format::{Codec, Contents};
use super::*;
use crate::board::{Board, Square, tests::solutions};
use crate::count::{CountError, Counter, Ledger, Plan, Shard, plan};
use crate::engine::{Engine, Symmetry};
use fastrand::Rng;

thread_local! {
    /// Names and lengths of the files that this thread has synced, and names of folders.
    static SYNCED: RefCell<Vec<(PathBuf, Option<u64>)>> = const { RefCell::new(Vec::new()) };
}

/// Records that a file was synced, and the name that it had.
#[cfg(target_os = "linux")]
pub(super) fn record(file: &File, synced: &io::Result<()>) {
    use std::os::fd::AsRawFd;
    let name = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).unwrap();
    let found = file.metadata().unwrap();
    let entry = (name, found.is_file().then_some(found.len()));
    SYNCED.with_borrow_mut(|entries| entries.extend(synced.is_ok().then_some(entry)));
}

/// Returns the artificial result that these tests use for subproblem `index`.
fn count_of(index: usize) -> u64 {
    1000 + index as u64
}

/// Returns an empty folder, and the path of a ledger in it.
fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    (folder, path)
}

fn open(path: &Path, plan: &Plan) -> Result<LedgerFile, FileError> {
    LedgerFile::open(path, plan, Shard::WHOLE)
}

fn enter(file: &mut LedgerFile, results: impl IntoIterator<Item = (usize, u64)>) {
    results.into_iter().for_each(|(index, count)| file.as_mut().enter(index, count).unwrap());
}

/// Opens a file and saves the missing results of the first `done` subproblems.
fn resume(path: &Path, plan: &Plan, done: usize) -> LedgerFile {
    let mut file = open(path, plan).unwrap();
    enter(&mut file, (0..done).map(|index| (index, count_of(index))));
    file.save().unwrap();
    file
}

/// Returns a folder and the path of a complete ledger in it, which two runs have written.
fn finished(plan: &Plan) -> (TempDir, PathBuf) {
    let (folder, path) = folder();
    drop(resume(&path, plan, plan.len() / 2));
    drop(resume(&path, plan, plan.len()));
    (folder, path)
}

fn codec(plan: &Plan, shard: Shard) -> Codec {
    Codec::new(Ledger::new(plan, shard))
}

fn read(bytes: &[u8], plan: &Plan) -> Result<Contents, FileErrorKind> {
    let contents = Codec::read(bytes, Some(plan))?;
    Ok(contents.expect("the first line is complete").1)
}

fn shard(number: usize, of: usize) -> Shard {
    Shard::new(number, of).unwrap()
}

/// Returns the text of a ledger with the given lines, which get valid checksums.
fn sealed(codec: &Codec, lines: &[&str]) -> String {
    let lines = lines.iter().map(|line| codec.sealed(line));
    codec.header().to_owned() + &lines.collect::<String>()
}

/// Returns plans that differ in the board, the engine or the symmetry.
fn plans() -> Vec<Plan> {
    let empty = || Board::new(6).unwrap();
    let boards = [empty().with_queens(["b1"]), empty().with_queens(["c1"])];
    let blocked = [empty().with_blocked(["b1"]), empty().with_blocked(["c1"])];
    let boards = boards.into_iter().chain(blocked).chain([Board::new(5)]).map(Result::unwrap);
    let of = |board, engine, symmetry| Plan::with_symmetry(board, engine, symmetry).unwrap();
    let symmetries = Symmetry::ALL.map(|symmetry| of(empty(), Engine::Bitboard, Some(symmetry)));
    let others = boards.map(|board| of(board, Engine::Bitboard, None));
    others.chain(symmetries).chain([of(empty(), Engine::Join, None)]).collect()
}

/// Neither a file nor a single line of another plan is accepted.
#[test]
fn files_of_other_plans_are_rejected() {
    let plans = plans();
    let pairs = plans.iter().flat_map(|plan| plans.iter().map(move |other| (plan, other)));
    for (plan, other) in pairs.filter(|(plan, other)| plan.id() != other.id()) {
        let pair = format!("{} / {}", plan.id(), other.id());
        let assert_rejected = |error: FileError| {
            assert!(matches!(error.kind, FileErrorKind::Other { .. }), "{pair}: {error}");
        };
        let (_folder, path) = finished(plan);
        let good = fs::read(&path).unwrap();
        assert_rejected(open(&path, other).unwrap_err());
        assert_eq!(fs::read(&path).unwrap(), good);
        let lines = &good[codec(plan, Shard::WHOLE).header().len()..];
        let mixed = [codec(other, Shard::WHOLE).header().as_bytes(), lines].concat();
        let read = read(&mixed, other).unwrap();
        assert!(read.ledger.done() == 0 && read.damaged > 0, "{pair}");
        let mut merged = Merged::default();
        merged.add_bytes(&good).unwrap();
        assert_rejected(merged.add_path(&finished(other).1).unwrap_err());
    }
}

/// Counts a shard of a board and returns its ledger.
fn count(board: &Board, shard: Shard) -> Ledger {
    let mut run = Counter::on(board.clone()).threads(1).prepare().unwrap();
    let mut ledger = Ledger::new(run.plan(), shard);
    run.fill(&mut ledger, |_| Ok::<_, CountError>(())).unwrap();
    ledger
}

/// Returns the lines of a ledger that have a count.
fn count_lines(ledger: &Ledger) -> BTreeSet<String> {
    let text = String::from_utf8(ledger.to_bytes()).unwrap();
    let counts = text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    counts.map(str::to_owned).collect()
}

/// Every board can be counted in shards, more than it has subproblems included, in any order and
/// with some shards twice. The same counts give the same lines.
#[test]
fn shards_add_up_to_the_total() {
    let mut random = Rng::with_seed(2);
    for _ in 0..50 {
        let mut board = Board::new(random.u32(0..10)).unwrap();
        for _ in 0..random.u32(0..4) {
            let n = board.n().max(1);
            let square = Square::new(random.u32(0..n), random.u32(0..n));
            let _ = if random.bool() { board.place(square) } else { board.block(square) };
        }
        let of = random.usize(1..40);
        let mut numbers: Vec<_> = (1..=of).chain([random.usize(1..=of)]).collect();
        random.shuffle(&mut numbers);
        let (mut merged, mut lines) = (Merged::default(), BTreeSet::new());
        for number in numbers {
            let ledger = count(&board, shard(number, of));
            lines.append(&mut count_lines(&ledger));
            merged.add_bytes(&ledger.to_bytes()).unwrap();
        }
        assert_eq!(lines, count_lines(&count(&board, Shard::WHOLE)));
        let total = merged.ledger().unwrap().total().unwrap().0;
        assert_eq!(total, solutions(&board).len() as u128, "{board}");
        assert_eq!(merged.missing_shards().unwrap(), []);
    }
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

/// Every byte of a ledger is changed to each of the other values. No count is wrong or added, at
/// most two are lost, and the damage is reported unless it is in the last line, which looks
/// incomplete.
#[test]
fn damage_never_changes_a_count() {
    let plan = plan(4);
    let (_folder, path) = finished(&plan);
    let good = fs::read(&path).unwrap();
    let header = codec(&plan, Shard::WHOLE).header().len();
    for (at, bits) in (0..good.len()).flat_map(|at| (1..=255).map(move |bits| (at, bits))) {
        let mut bytes = good.clone();
        bytes[at] ^= bits;
        let found = read(&bytes, &plan);
        assert_eq!(found.is_err(), at < header, "{at}");
        let Ok(found) = found else { continue };
        assert!(found.ledger.entries().all(|(index, count)| count == count_of(index)));
        assert!(found.ledger.done() + 2 >= plan.len());
        assert!(found.damaged > 0 || at + 1 == good.len(), "{at} {bits}");
    }
}

/// A process may be killed at any moment, and a power failure may also leave zeros, more than the
/// next lines have. The next run keeps all complete lines and counts the others.
#[test]
fn a_file_can_be_resumed_from_any_length() {
    let plan = plan(4);
    let (folder, path) = finished(&plan);
    let good = fs::read(&path).unwrap();
    let path = folder.path().join("cut");
    let header = codec(&plan, Shard::WHOLE).header().len();
    let lengths = (0..header).step_by(8).chain(header - 2..=good.len());
    for (length, zeros) in lengths.flat_map(|length| [(length, 0), (length, 500)]) {
        let zeros = if length < header { zeros.min(header - length) } else { zeros };
        let whole = good[..length].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let kept = Codec::read(&good[..whole], Some(&plan)).unwrap();
        let lines = kept.map_or(0, |(_, kept)| kept.ledger.done());
        fs::write(&path, [&good[..length], &vec![0; zeros]].concat()).unwrap();
        let mut file = open(&path, &plan).unwrap();
        assert_eq!((file.ledger().done(), file.damaged()), (lines, 0), "{length}");
        enter(&mut file, (0..plan.len()).map(|index| (index, count_of(index))));
        file.save().unwrap();
        drop(file);
        let bytes = fs::read(&path).unwrap();
        let again = read(&bytes, &plan).unwrap();
        assert!(again.ledger.is_complete() && again.damaged == 0, "{length}");
        // A complete ledger is not written again.
        let is_whole = again.end == bytes.len() as u64 || lines == plan.len();
        assert!(is_whole, "{length}: a part of a line is left");
    }
}

/// Other programs may remove, replace, truncate or extend the file. That is an error, and the file
/// is left as it is.
#[cfg(unix)]
#[test]
fn a_file_changed_by_others_is_an_error() {
    for (how, kind) in [
        ("removed", 0),
        ("replaced", 1),
        ("replaced", 4),
        ("changed", 1),
        ("changed", 2),
        ("changed", 3),
    ] {
        let (_folder, path) = folder();
        drop(resume(&path, &plan(7), 3));
        let older = fs::read(&path).unwrap();
        let mut file = resume(&path, &plan(7), 7);
        let longer = [&fs::read(&path).unwrap()[..], b"9 1 00000000\n"].concat();
        if how != "changed" {
            fs::rename(&path, path.with_extension("old")).unwrap();
        }
        match kind {
            1 => fs::write(&path, &older).unwrap(),
            2 => fs::write(&path, "").unwrap(),
            3 => fs::write(&path, &longer).unwrap(),
            4 => drop(fs::copy(path.with_extension("old"), &path).unwrap()),
            _ => {}
        }
        let after = fs::read(&path).ok();
        enter(&mut file, [(7, 1)]);
        for _ in 0..2 {
            let error = file.save().unwrap_err().to_string();
            assert!(error.ends_with(&format!("was {how} by another program")), "{error}");
            assert_eq!(fs::read(&path).ok(), after);
        }
    }
}

/// Covers contradictory lines with valid checksums, which cannot arise by accident.
#[rstest::rstest]
#[case("0 8", "subproblem 0 has two counts, 7 and 8")]
#[case("1 7", "subproblem 1 is not in shard 1/2")]
#[case("40 7", "subproblem 40 is not in shard 1/2")]
#[case("2 -1", "'2 -1' is not a count")]
#[case("time -1", "'-1' is not a time")]
fn contradictions_are_rejected(#[case] line: &str, #[case] reason: &str) {
    let codec = codec(&plan(6), shard(1, 2));
    let read = |lines: &[&str]| read(sealed(&codec, lines).as_bytes(), &plan(6));
    let error = read(&["0 7", "2 8", line]).unwrap_err().to_string();
    assert!(error.contains(reason), "{error}");
    // A later time includes the earlier one.
    let repeated = read(&["0 7", "time 3", "2 8", "0 7", "time 5"]).unwrap().ledger;
    let found = (repeated.done(), repeated.sum(), repeated.elapsed());
    assert_eq!(found, (2, 15, Duration::from_secs(5)));
}

#[rstest::rstest]
#[case(|_| "Dear diary".into(), "is not a checkpoint")]
#[case(|_| "Dear diary\n".into(), "is not a checkpoint")]
#[case(|good: String| good.replace("\"format\":3", "\"format\":4"), "has format 4 (accepted: format 3")]
#[case(|good: String| good.replace("\"n\":6", "\"n\":7"), "the checksum of its plan is wrong")]
#[case(|good: String| good.replace("\"plan\":{", "\"plan\": {"), "the first line was edited")]
#[case(|good: String| good[1..].to_owned(), "is not a checkpoint")]
#[case(|good: String| good.replace("\"shard\":\"1/1\"", "\"shard\":\"0/1\""), "accepted: K/M")]
#[case(|_| codec(&plan(7), Shard::WHOLE).header().to_owned(), "is for the 7 x 7 board, not the 6 x 6 board")]
#[case(
    |_| codec(&plan(6), shard(2, 2)).header().to_owned(),
    "is for shard 2/2, not the whole plan"
)]
fn rejected_files_are_left_unchanged(#[case] text: fn(String) -> String, #[case] reason: &str) {
    let (_folder, path) = folder();
    let text = text(codec(&plan(6), Shard::WHOLE).header().to_owned());
    fs::write(&path, &text).unwrap();
    let error = open(&path, &plan(6)).unwrap_err().to_string();
    assert!(error.contains(reason), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn every_square_fits_in_a_header() {
    let mut board = Board::new(32).unwrap();
    let squares = (0..32).flat_map(|column| (0..32).map(move |row| Square::new(column, row)));
    squares.for_each(|square| board.block(square).unwrap());
    let plan = Plan::new(board, Engine::Bitboard).unwrap();
    read(codec(&plan, Shard::WHOLE).header().as_bytes(), &plan).unwrap();
}

/// A checksum has eight digits, even if it begins with zeros.
#[test]
fn checksums_have_eight_digits() {
    for number in 1..=100 {
        let codec = codec(&plan(6), shard(number, 100));
        let header: serde_json::Value = serde_json::from_str(codec.header()).unwrap();
        assert_eq!(header["checksum"].as_str().unwrap().len(), 8);
        assert_eq!(codec.sealed("0 7").len(), "0 7 01234567\n".len());
    }
}

/// A crash loses at most a twentieth of the time that the program has run.
#[test]
fn short_runs_are_saved_often() {
    let (_folder, path) = folder();
    let mut file = open(&path, &plan(6)).unwrap();
    for index in 0..2 {
        enter(&mut file, [(index, 1)]);
        assert!(file.due <= Instant::now() + file.opened.elapsed() / 20);
        while !file.save_when_due().unwrap() {}
    }
}

#[test]
fn a_file_has_one_user() {
    let (_folder, path) = folder();
    let first = resume(&path, &plan(6), 2);
    assert!(matches!(open(&path, &plan(6)).unwrap_err().kind, FileErrorKind::InUse));
    drop(first);
    assert_eq!(open(&path, &plan(6)).unwrap().ledger().done(), 2);
}

/// A power failure leaves what was synced: all lines of a ledger, and names in a folder, to which a
/// link may lead. A new file is synced while it has its temporary name, which is then replaced.
#[cfg(target_os = "linux")]
#[test]
fn files_and_their_folders_are_synced() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().canonicalize().unwrap();
    let path = place.join("ledger");
    let ledger = || (path.clone(), Some(fs::metadata(&path).unwrap().len()));
    let (_links, link) = self::folder();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let mut file = open(&link, &plan(6)).unwrap();
    assert_eq!(SYNCED.take(), [ledger(), (place.clone(), None)]);
    enter(&mut file, [(0, 1)]);
    file.save().unwrap();
    assert_eq!(SYNCED.take(), [ledger()]);
    drop(file);
    drop(open(&path, &plan(6)).unwrap());
    assert_eq!(SYNCED.take(), []);
    let mut new = NewFile::create(place.join("x")).unwrap();
    new.file.write_all(b"12345").unwrap();
    new.replace(place.join("x")).unwrap();
    let [(temporary, len), last] = &SYNCED.take()[..] else { panic!("two syncs") };
    let name = temporary.file_name().unwrap().to_string_lossy();
    assert!(name.starts_with(".queens-") && *len == Some(5), "{name}");
    assert_eq!(*last, (place, None));
}

/// Writes four shards of N = 7 into a folder and one below it, with files that are left out, and a
/// link to the folder itself. The system would refuse a path with forty such links.
fn folder_of_shards() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (board, place) = (Board::new(7).unwrap(), folder.path());
    fs::create_dir(place.join("more")).unwrap();
    for (number, name) in [(1, "1"), (2, "2"), (3, "more/3"), (4, "more/4")] {
        fs::write(place.join(name), count(&board, shard(number, 4)).to_bytes()).unwrap();
    }
    fs::write(place.join(".hidden"), "Dear diary").unwrap();
    fs::write(place.join("empty"), "").unwrap();
    fs::write(place.join("begun"), "{\"queens\":\"led\0\0\0").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(".", place.join("loop")).unwrap();
    folder
}

fn merged(paths: &[&Path]) -> Result<Merged, FileError> {
    let mut merged = Merged::default();
    paths.iter().try_for_each(|path| merged.add_path(path))?;
    Ok(merged)
}

/// Files of any shards and folders are added up, and each subproblem counts once.
#[test]
fn folders_are_merged() {
    let folder = folder_of_shards();
    let place = folder.path();
    let whole = merged(&[place]).unwrap();
    assert_eq!(whole.ledger().unwrap().total().unwrap().0, 40);
    assert_eq!((whole.parts().len(), whole.missing_shards()), (6, Some(Vec::new())));
    fs::copy(place.join("2"), place.join("2 (copy)")).unwrap();
    fs::write(place.join("half"), count(&Board::new(7).unwrap(), shard(2, 2)).to_bytes()).unwrap();
    let mixed = merged(&[place, &place.join("1")]).unwrap();
    assert_eq!(mixed.ledger().unwrap().total().unwrap().0, 40);
    assert_eq!(mixed.missing_shards(), None); // of two or of four?
}

/// A missing file and a damaged line are gaps. A checkpoint of the whole plan may fill some.
#[test]
fn gaps_are_missing_shards() {
    let folder = folder_of_shards();
    let place = folder.path();
    fs::remove_file(place.join("1")).unwrap();
    let three = place.join("more/3");
    let text = fs::read_to_string(&three).unwrap();
    fs::write(&three, text.replacen("\n2 ", "\n6 ", 1)).unwrap();
    let found = merged(&[place]).unwrap();
    assert_eq!(found.missing_shards().unwrap(), [shard(1, 4), shard(3, 4)]);
    assert_eq!(found.parts().iter().map(|part| part.damaged).sum::<usize>(), 1);
    let error = found.ledger().unwrap().total().unwrap_err();
    assert!(matches!(error, CountError::Incomplete { missing: 5 }), "{error}");
    let two = count(&Board::new(7).unwrap(), Shard::WHOLE);
    let mut whole = Ledger::new(&plan(7), Shard::WHOLE);
    whole.enter(2, two.get(2).unwrap()).unwrap();
    fs::write(place.join("whole"), whole.to_bytes()).unwrap();
    assert_eq!(merged(&[place]).unwrap().missing_shards().unwrap(), [shard(1, 4)]);
}

/// Times beyond the range of the clock do not end a count.
#[test]
fn long_times_are_added() {
    let codec = codec(&plan(6), Shard::WHOLE);
    let text = sealed(&codec, &["0 1", "time 18000000000000000000"]);
    let (_folder, path) = folder();
    fs::write(&path, text).unwrap();
    let mut file = open(&path, &plan(6)).unwrap();
    enter(&mut file, [(1, 1)]);
    file.save().unwrap();
    assert!(file.ledger().resumed().unwrap().elapsed > Duration::from_secs(1 << 60));
}
