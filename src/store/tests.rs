use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use super::format::{Codec, Completion, Contents, Line};
use super::*;
use crate::board::{Board, Square};
use crate::count::tests::plan;
use crate::count::{Counter, Done as RunDone, DoubleCheck, Ledger, Plan, PlanId, Shard};
use crate::engine::{CancelToken, Engine, Kernel, Symmetry};
use fastrand::Rng;
use strum::VariantArray;

/// Returns the artificial result that these tests use for subproblem `index`.
fn count_of(index: usize) -> u64 {
    1000 + index as u64
}

fn open(path: &Path, plan: &Plan) -> Result<LedgerFile, FileError> {
    LedgerFile::open(path, plan, Shard::WHOLE, Duration::ZERO, &CancelToken::new())
}

fn save(file: &mut LedgerFile, counts: &[(usize, u64)]) -> std::io::Result<()> {
    for &(index, count) in counts {
        file.ledger.enter(index, count).unwrap();
    }
    file.save()
}

/// Returns the events since the last call.
fn events(file: &mut LedgerFile) -> Vec<String> {
    file.events().iter().map(ToString::to_string).collect()
}

fn finish(file: &mut LedgerFile, kernel: Kernel) -> std::io::Result<()> {
    let counter = Counter::new(4).unwrap().kernel(kernel).threads(1);
    file.finish(&counter.run().unwrap().method, None)
}

/// Opens a file and appends the missing results of the first `done` subproblems. There must be no
/// events.
fn resume(path: &Path, plan: &Plan, done: usize) -> LedgerFile {
    let mut file = open(path, plan).unwrap();
    assert_eq!(events(&mut file), [""; 0]);
    let missing = (0..done).filter(|&index| file.ledger.get(index).is_none());
    let missing: Vec<_> = missing.map(|index| (index, count_of(index))).collect();
    save(&mut file, &missing).unwrap();
    assert_eq!(events(&mut file), [""; 0]);
    file
}

fn random_plan(random: &mut Rng) -> Plan {
    let new = if random.bool() { Board::new } else { Board::torus };
    let mut board = new(random.u32(0..10)).unwrap();
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
    let n = id.board.n();
    let new = if id.board.is_torus() { Board::torus } else { Board::new };
    let removed = id.board.queens().last();
    match random.u8(0..6) {
        0 if id.board.is_torus() => other.board = Board::new(n).unwrap(),
        0 => other.board = Board::torus(n).unwrap(),
        kind @ (1 | 2) => add_square(&mut other.board, kind == 1, random),
        3 => other.engine = *random.choice(Engine::VARIANTS).unwrap(),
        4 => other.symmetry = random.choice(Symmetry::VARIANTS).copied(),
        _ => {
            // Block the square of the last queen instead, or remove all blocked squares.
            other.board = new(n).unwrap();
            for queen in id.board.queens().filter(|&queen| Some(queen) != removed) {
                other.board.place(queen).unwrap();
            }
            removed.into_iter().for_each(|square| other.board.block(square).unwrap());
        }
    }
    let without = || PlanId { symmetry: None, ..other.clone() };
    let plan = other.plan().or_else(|_| without().plan());
    match plan {
        Ok(plan) if plan.id() != id => plan,
        _ => with_another_field(id, random),
    }
}

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
            let error = LedgerFile::open(path, &other, shard, Duration::ZERO, &CancelToken::new())
                .unwrap_err();
            assert!(matches!(error.problem, Problem::Other { .. }), "{pair}: {error}");
        };
        assert_rejected(&path, Shard::WHOLE);
        assert_eq!(fs::read(&path).unwrap(), good);
        // Damage the first line, then append or prepend lines of the other plan.
        assert!(read(&[b"x", &good[1..]].concat(), &other).is_err(), "{pair}");
        let theirs = sealed(&Codec::new(&other, Shard::WHOLE), [counts(&[])]);
        assert!(read(&[&*good, &theirs].concat(), &other).is_err(), "{pair}");
        let read = read(&[&*theirs, &good].concat(), &other).unwrap();
        assert!(read.ledger.done() == 0 && read.damaged > 0, "{pair}");
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

/// Covers tori and boards with preplaced queens. A rejected request leaves no folder behind.
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

/// Returns a folder and the path of a ledger in it, which was completed in two runs.
fn finished(plan: &Plan) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    resume(&path, plan, plan.len() / 2);
    finish(&mut resume(&path, plan, plan.len()), Kernel::Reference).unwrap();
    (folder, path)
}

fn read(bytes: &[u8], plan: &Plan) -> Result<Contents, Problem> {
    Codec::new(plan, Shard::WHOLE).read(bytes, &CancelToken::new())
}

fn codec(n: u32, index: usize, of: usize) -> Codec {
    Codec::new(&plan(n), Shard::new(index, of).unwrap())
}

/// Encodes a file that consists of a header and the given lines.
fn sealed(codec: &Codec, lines: impl IntoIterator<Item = Line>) -> Vec<u8> {
    codec.encode(0, [codec.header()].into_iter().chain(lines)).into_bytes()
}

fn counts(counts: &[(usize, u64)]) -> Line {
    Line::Counts(1, counts.to_vec())
}

fn entries(codec: &Codec, bytes: &[u8]) -> Vec<(usize, u64)> {
    codec.read(bytes, &CancelToken::new()).unwrap().ledger.entries().collect()
}

#[test]
fn a_finished_count_has_one_completion_record() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    let run = || Counter::new(9).unwrap().threads(2).prepare().unwrap();
    let mut file = open(&path, run().plan()).unwrap();
    let mut counting = run();
    let work = counting.missing(&file.ledger).unwrap();
    let done = counting.count(work, |results| file.record(results)).unwrap();
    let saved = file.events().iter().any(|event| matches!(event, Event::Saved));
    assert!(saved && counting.verify(&file.ledger, done).unwrap().total == 352);
    file.finish(&counting.method(), None).unwrap();
    let ledger = file.ledger.clone();
    drop(file);
    let before = fs::read(&path).unwrap();
    let mut file = open(&path, run().plan()).unwrap();
    assert!(file.ledger.is_complete() && file.ledger.entries().eq(ledger.entries()));
    assert_eq!(events(&mut file), [""; 0]);
    let completion = file.completion().unwrap();
    assert_eq!((completion.solutions, completion.threads), (352, 2));
    finish(&mut file, Kernel::Scalar).unwrap();
    assert_eq!(fs::read(&path).unwrap(), before);
}

/// Runs of another plan, or of a whole plan in the file of a shard, would record wrong results.
#[test]
fn runs_of_other_plans_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let shards = Shards::create(folder.path(), &plan(7), 4).unwrap();
    let mut file = shards.open_shard(1).unwrap();
    let run = |n| Counter::following(plan(n)).prepare().unwrap();
    let whole = run(7).verify(&file.ledger, RunDone::default()).unwrap_err().to_string();
    assert_eq!(whole, "the ledger is for shard 1 of 4, not the whole plan");
    let other = run(8).missing(&file.ledger).err().unwrap().to_string();
    assert_eq!(other, "the ledger is for the 7 x 7 board, not the 8 x 8 board");
    assert_eq!(file.ledger.done(), 0);
    assert!(finish(&mut file, Kernel::Reference).is_err());
}

/// A failure to save is reported once, and so is the end of the failures.
#[cfg(unix)]
#[test]
fn failures_to_save_are_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    let mut file = resume(&path, &plan(7), 2);
    fs::remove_file(&path).unwrap();
    let other = resume(&path, &plan(8), 2);
    for _ in 0..3 {
        file.log.update(&file.ledger);
    }
    let in_use = "could not be saved: another process is using it (will retry)";
    assert_eq!(events(&mut file), [in_use]);
    drop(other);
    fs::remove_file(&path).unwrap();
    for _ in 0..2 {
        file.log.update(&file.ledger);
    }
    let rewritten = Event::Rewritten.to_string();
    assert_eq!(events(&mut file), [&*rewritten, "could be saved again", "was saved", "was saved"]);
}

fn touch(path: &Path) {
    let file = fs::OpenOptions::new().append(true).open(path).unwrap();
    file.set_modified(std::time::UNIX_EPOCH).unwrap();
}

/// Other programs may remove, replace, truncate or damage the file. The next save restores all
/// results.
#[cfg(unix)]
#[test]
fn a_file_changed_by_others_is_rewritten() {
    let plan = plan(7);
    type Change = fn(&Path, &[u8]);
    let changes: [(&str, Change); 5] = [
        ("removed", |path, _| fs::remove_file(path).unwrap()),
        ("replaced", |path, older| {
            fs::remove_file(path).unwrap();
            fs::write(path, older).unwrap();
        }),
        ("emptied", |path, _| fs::write(path, "").unwrap()),
        ("cut", |path, older| fs::write(path, older).unwrap()),
        ("overwritten", |path, _| {
            let zeros = vec![0; fs::read(path).unwrap().len()];
            fs::write(path, zeros).unwrap();
            touch(path); // the clock of the file system may be coarse
        }),
    ];
    for (name, change) in changes {
        for is_last in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("ledger");
            drop(resume(&path, &plan, 3));
            let older = fs::read(&path).unwrap();
            let mut file = resume(&path, &plan, 7);
            change(&path, &older);
            if !is_last {
                save(&mut file, &[(7, 1)]).unwrap();
                assert_eq!(file.events().len(), 1, "{name}");
                let found = read(&fs::read(&path).unwrap(), &plan);
                assert_eq!(found.unwrap().ledger.done(), 8, "{name}");
            }
            for index in file.ledger.done()..plan.len() {
                file.ledger.enter(index, 1).unwrap();
            }
            finish(&mut file, Kernel::Reference).unwrap();
            assert_eq!(file.events().len(), usize::from(is_last), "{name}");
            assert!(open(&path, &plan).is_ok(), "{name}");
            fs::remove_file(&path).unwrap(); // a complete file is rewritten too
            finish(&mut file, Kernel::Reference).unwrap();
            let ledger = file.ledger.clone();
            drop(file);
            let mut file = open(&path, &plan).unwrap();
            assert_eq!(events(&mut file), [""; 0]);
            assert!(file.completion().is_some() && file.ledger.entries().eq(ledger.entries()));
        }
    }
}

/// Some results of a completed ledger may be damaged later. Counting them again must give the sum
/// that was recorded.
#[test]
fn another_sum_is_not_recorded() {
    let codec = codec(4, 0, 1);
    let (folder, path) = finished(&plan(4));
    let record = read(&fs::read(path).unwrap(), &plan(4)).unwrap().completions.remove(0);
    let path = folder.path().join("incomplete");
    for (missing, is_right) in [(count_of(2), true), (0, false)] {
        let lines = [counts(&[(0, count_of(0)), (1, count_of(1))]), Line::Done(record.clone())];
        fs::write(&path, sealed(&codec, lines)).unwrap();
        let mut file = open(&path, &plan(4)).unwrap();
        assert!(file.completion().is_none());
        save(&mut file, &[(2, missing)]).unwrap();
        assert_eq!(finish(&mut file, Kernel::Reference).is_ok(), is_right);
    }
}

/// Changing only the modification time, as a backup program might do, is harmless.
#[test]
fn a_touched_file_is_not_rewritten() {
    let plan = plan(7);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    let mut file = resume(&path, &plan, 7);
    touch(&path);
    save(&mut file, &[(7, 1)]).unwrap();
    assert_eq!(events(&mut file), [""; 0]);
    let found = read(&fs::read(&path).unwrap(), &plan).unwrap();
    assert_eq!((found.ledger.done(), found.damaged), (8, 0));
}

/// Results that another process has appended are kept. This can happen on a file system without
/// locks.
#[test]
fn results_of_another_writer_are_merged() {
    let plan = plan(7);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    let mut file = resume(&path, &plan, 3);
    let before = fs::read(&path).unwrap();
    let codec = Codec::new(&plan, Shard::WHOLE);
    let theirs = codec.encode(before.len() as u64, [codec.header(), counts(&[(9, 5)])]);
    fs::write(&path, [&before, theirs.as_bytes()].concat()).unwrap();
    for index in [4, 5] {
        save(&mut file, &[(index, 1)]).unwrap();
    }
    let found = read(&fs::read(&path).unwrap(), &plan).unwrap();
    let indices = found.ledger.entries().map(|(index, _)| index);
    assert!(indices.eq([0, 1, 2, 4, 5, 9]));
}

/// Only an earlier version of the same file may be replaced.
#[cfg(unix)]
#[test]
fn files_of_others_are_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    let (ours, theirs) = (plan(6), plan(7));
    let mut file = resume(&path, &ours, 2);
    let mut assert_rejected = |reason: &str| {
        let before = fs::read(&path).unwrap();
        let error = file.save().unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
        assert!(!file.is_intact());
        assert_eq!(fs::read(&path).unwrap(), before);
    };
    fs::remove_file(&path).unwrap();
    let other = resume(&path, &theirs, 2);
    assert_rejected("another process is using it");
    drop(other);
    assert_rejected("is for the 7 x 7 board, not the 6 x 6 board");
    fs::write(&path, "Dear diary").unwrap();
    assert_rejected("is not a ledger");
    fs::remove_file(&path).unwrap();
    save(&mut file, &[(2, 1)]).unwrap();
    assert_eq!(read(&fs::read(&path).unwrap(), &ours).unwrap().ledger.done(), 3);
    fs::remove_file(&path).unwrap();
    fs::write(&path, "Dear diary").unwrap();
    assert!(file.discard(&[0]).is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), "Dear diary");
}

#[test]
fn reading_is_cancelled_and_limited() {
    let (plan, cancel) = (plan(6), CancelToken::new());
    let (_folder, path) = finished(&plan);
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(3 << 30).unwrap(); // sparse
    let error = open(&path, &plan).unwrap_err().to_string();
    assert!(error.contains("its plan needs"), "{error}");
    cancel.cancel();
    let every = Duration::ZERO;
    file.set_len(4 << 20).unwrap();
    let error = LedgerFile::open(&path, &plan, Shard::WHOLE, every, &cancel).unwrap_err();
    assert!(matches!(error.problem, Problem::Cancelled));
}

/// Changing any byte or truncating the file leads to an error or to fewer entries, but never to
/// different entries. A ledger in memory is accepted as a whole or not at all.
#[test]
fn damage_never_changes_entries() {
    let plan = plan(5);
    let good = parts(&plan, 1).swap_remove(0);
    let all = read(&good, &plan).unwrap();
    assert_eq!(all.ledger.done(), plan.len());
    let assert_unusable = |bytes: &[u8]| {
        let error = plan.merge(1, [bytes]).unwrap_err();
        assert!(matches!(error, ShardsError::Unusable(_)), "{error}");
    };
    let mut bytes = good.clone();
    for position in 0..good.len() {
        let flipped = (0..8).map(|bit| good[position] ^ 1 << bit);
        for value in flipped.chain(*b"\n\" 0") {
            if value == good[position] {
                continue;
            }
            bytes[position] = value;
            let found = read(&bytes, &plan).unwrap(); // the other lines are intact
            assert!(found.damaged > 0 || found.end < all.end, "{position} {value}");
            let is_right = |(index, count)| all.ledger.get(index) == Some(count);
            assert!(found.ledger.entries().all(is_right), "{position} {value}");
            assert!(found.completions.iter().all(|done| all.completions.contains(done)));
            assert_unusable(&bytes);
        }
        bytes[position] = good[position];
        let cut = read(&good[..position], &plan);
        assert!(cut.is_err() || all.ledger.done() >= cut.unwrap().ledger.done());
        assert_unusable(&good[..position]);
    }
}

/// A count resumed from a file that was truncated anywhere after the first line has the correct
/// result.
#[test]
fn truncated_files_are_resumed() {
    let plan = plan(4);
    let (_folder, path) = finished(&plan);
    let good = fs::read(&path).unwrap();
    let sum = read(&good, &plan).unwrap().ledger.sum();
    let first = 1 + good.iter().position(|&byte| byte == b'\n').unwrap();
    for (zeros, step) in [(0, 5), (1, 37), (10_000, 41)] {
        for length in (first..good.len()).step_by(step) {
            fs::write(&path, [&good[..length], &vec![0; zeros]].concat()).unwrap();
            finish(&mut resume(&path, &plan, plan.len()), Kernel::Reference).unwrap();
            let found = read(&fs::read(&path).unwrap(), &plan).unwrap();
            assert_eq!((found.ledger.sum(), found.damaged), (sum, 0), "{length}");
            assert!(!found.completions.is_empty());
        }
    }
}

#[test]
fn moved_repeated_and_foreign_lines_are_damaged() {
    let (ours, other) = (codec(6, 0, 3), codec(6, 1, 3));
    let file = |codec: &Codec, place| {
        let lines = [counts(&[(place, 7)]), counts(&[(place + 3, 8)])];
        sealed(codec, lines)
    };
    let (whole, foreign) = (file(&ours, 0), file(&other, 1));
    assert_eq!(entries(&ours, &whole), [(0, 7), (3, 8)]);
    let lines = |bytes: &[u8]| -> Vec<Vec<u8>> {
        let lines = bytes.split_inclusive(|&byte| byte == b'\n');
        lines.map(<[u8]>::to_vec).collect()
    };
    let (mine, theirs) = (lines(&whole), lines(&foreign));
    for (order, expected) in [
        ([&mine[0], &mine[1], &mine[1]], vec![(0, 7)]),
        ([&mine[0], &mine[2], &mine[2]], vec![(3, 8)]),
        ([&mine[0], &mine[2], &mine[1]], vec![]),
        ([&mine[0], &mine[1], &theirs[2]], vec![(0, 7)]),
    ] {
        let bytes: Vec<u8> = order.into_iter().flatten().copied().collect();
        assert_eq!(entries(&ours, &bytes), expected);
    }
    // A file with an intact header of another shard belongs to that shard.
    let bytes = [&*theirs[0], &mine[1], &mine[2]].concat();
    let error = ours.read(&*bytes, &CancelToken::new()).unwrap_err().to_string();
    assert_eq!(error, "is for shard 1 of 3, not shard 0 of 3");
}

/// Covers contradictory lines with valid checksums, which cannot arise by accident.
#[test]
fn contradictions_are_rejected() {
    let codec = codec(4, 0, 2);
    let (_folder, path) = finished(&plan(4));
    let contents = read(&fs::read(path).unwrap(), &plan(4)).unwrap();
    let record = contents.completions[0].clone();
    let done = |subproblems, solutions| Completion { subproblems, solutions, ..record.clone() };
    let twice = |checked, seconds| Completion {
        seconds,
        double_check: Some(DoubleCheck {
            checked,
            of: 2,
            kernel: Kernel::Scalar,
            second: Kernel::Reference,
        }),
        ..done(2, 15)
    };
    let both = || counts(&[(0, 7), (2, 8)]);
    let read = |lines: Vec<Line>| codec.read(&*sealed(&codec, lines), &CancelToken::new());
    for (more, reason) in [
        (counts(&[(0, 8)]), "subproblem 0 has two counts, 7 and 8"),
        (counts(&[(1, 7)]), "subproblem 1 is not in plan n4-"),
        (counts(&[(4, 7)]), "subproblem 4 is not in plan n4-"),
        (Line::Done(done(2, 16)), "it has 2 subproblems with 15 solutions, but records 2 with 16"),
        (Line::Done(done(3, 15)), "but records 3 with 15"),
        (Line::Done(twice(3, 1.0)), "it records 3 of 2 subproblems as counted twice"),
        (Line::Done(twice(1 << 63, 1.0)), "of 2 subproblems as counted twice"),
        (Line::Done(twice(2, -1.0)), "it records -1 seconds"),
    ] {
        let error = read(vec![both(), more]).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    let records = [14, 15].map(|solutions| Line::Done(done(2, solutions)));
    let [wrong, right] = records;
    let error = read(vec![both(), wrong, right]).unwrap_err().to_string();
    assert!(error.contains("but records 2 with 14"), "{error}");
    let repeated = vec![both(), counts(&[(0, 7)]), Line::Done(done(2, 15))];
    assert_eq!(read(repeated).unwrap().ledger.sum(), 15);
}

#[test]
fn rejected_files_are_left_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    let good = sealed(&codec(6, 0, 1), []);
    let text = String::from_utf8(good.clone()).unwrap();
    let newer = text.replace("\"format\":3", "\"format\":4");
    let oldest = "{\n  \"queens\": \"checkpoint\",\n  \"format\": 1\n}\n";
    let previous =
        "{\"begin\":{\"format\":2,\"plan\":\"n6-bitboard-eightfold-v4-beb02fbc\"}} 5c0ad21f\n";
    let cases: [(&[u8], &str); 8] = [
        (b"Dear diary", "is not a ledger"),
        (oldest.as_bytes(), "written by an earlier version"),
        (previous.as_bytes(), "written by an earlier version"),
        (newer.as_bytes(), "written by a later version"),
        (&good[1..], "is not a ledger"),
        (&good[..good.len() - 2], "none of its lines is intact"),
        (&sealed(&codec(7, 0, 1), []), "is for the 7 x 7 board, not the 6 x 6 board"),
        (&sealed(&codec(6, 1, 2), []), "is for shard 1 of 2, not shard 0 of 1"),
    ];
    for (bytes, reason) in cases {
        fs::write(&path, bytes).unwrap();
        let error = open(&path, &plan(6)).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}

#[test]
fn incomplete_files_have_one_user_and_complete_ones_several() {
    let plan = plan(6);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    let mut first = resume(&path, &plan, plan.len());
    let error = open(&path, &plan).unwrap_err();
    assert!(matches!(error.problem, Problem::InUse));
    finish(&mut first, Kernel::Reference).unwrap();
    let second = open(&path, &plan).unwrap();
    assert!(second.ledger.is_complete() && second.completion() == first.completion());
}

#[test]
fn discarded_results_are_counted_again() {
    let plan = plan(6);
    let (_folder, path) = finished(&plan);
    open(&path, &plan).unwrap().discard(&[0, 3]).unwrap();
    let mut file = open(&path, &plan).unwrap();
    assert!(file.completion().is_none() && file.events().is_empty());
    assert_eq!((file.ledger.done(), file.ledger.get(3)), (plan.len() - 2, None));
    // The completion record contains the new sum.
    save(&mut file, &[(0, 1), (3, 1)]).unwrap();
    finish(&mut file, Kernel::Reference).unwrap();
    drop(file);
    let file = open(&path, &plan).unwrap();
    assert_eq!(file.completion().unwrap().solutions, file.ledger.sum());
    assert_eq!(file.ledger.get(3), Some(1));
}

fn count(shards: &Shards, index: usize) {
    let mut file = shards.open_shard(index).unwrap();
    let mut run = Counter::following(shards.plan().clone()).threads(1).prepare().unwrap();
    let work = run.missing(&file.ledger).unwrap();
    run.count(work, |results| file.record(results)).unwrap();
    file.finish(&run.method(), None).unwrap();
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

#[test]
fn invalid_plans_are_rejected() {
    for (from, to, reason) in [
        ("\"n\": 7", "\"n\": 8", "is damaged: its fingerprint"),
        ("\"torus\": false", "\"torus\": true", "is damaged"),
        ("\"blocked\": []", "\"blocked\": [\"a1\"]", "is damaged"),
        ("n7-bitboard", "n8-bitboard", "is damaged"),
        ("\"shards\": 4", "\"shards\": 0", "into 0 shards"),
        ("\"shards\": 4", "\"shards\": \"4\"", "is damaged"),
        ("\"shards\": 4", "\"sheep\": 4", "is damaged"),
        ("\"format\": 3", "\"format\": 2", "was written by an earlier version"),
        ("\"format\": 3", "\"format\": 4", "was written by a later version"),
        ("\"format\": 3,", "", "is not a plan"),
        ("{", "[", "is damaged"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        Shards::create(folder.path(), &plan(7), 4).unwrap();
        let file = folder.path().join("plan.json");
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(&file, text.replace(from, to)).unwrap();
        let error = Shards::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
        assert!(Shards::create(folder.path(), &plan(7), 4).is_err());
    }
}

/// Counts all shards and returns their ledgers in memory.
fn parts(plan: &Plan, of: usize) -> Vec<Vec<u8>> {
    let part = |index| {
        let mut ledger = Ledger::of_shard(plan, Shard::new(index, of).unwrap());
        let mut run = Counter::following(plan.clone()).threads(1).prepare().unwrap();
        let work = run.missing(&ledger).unwrap();
        let done = run.count(work, |results| ledger.record(results)).unwrap();
        plan.shard_to_bytes(&ledger, done.elapsed, &run.method())
    };
    (0..of).map(part).collect()
}

/// Ledgers in memory and in a folder are interchangeable.
#[test]
fn ledgers_in_memory_equal_files() {
    let (folder, shards) = complete();
    let (plan, of) = (shards.plan(), shards.count());
    let read = |index| fs::read(shards.path(index)).unwrap();
    let merged = plan.merge(of, (0..of).rev().map(read)).unwrap();
    let there = shards.merge().unwrap();
    assert_eq!(merged, there);
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
    for (plan, of, parts, reason) in [
        (&plan, of, &parts[..3], "1 of 4 shards are not done: 3"),
        (&plan, of, &twice, "'part 4' repeats shard 2"),
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

/// Folders with random counts of random subproblems, in different numbers of shards.
#[test]
fn comparisons_find_every_difference() {
    let (mut random, plan) = (Rng::with_seed(6), plan(8));
    for _ in 0..50 {
        let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let mut known = [(); 2].map(|()| vec![None; plan.len()]);
        let shards = [0, 1].map(|side| {
            let shards = Shards::create(folders[side].path(), &plan, random.usize(1..9)).unwrap();
            for index in 0..shards.count() {
                let shard = shards.shard(index).unwrap();
                let some = plan.shard(shard).filter(|_| random.bool()).collect::<Vec<_>>();
                let some = some.into_iter().map(|index| (index, random.u64(0..3)));
                let some: Vec<_> = some.collect();
                some.iter().for_each(|&(index, count)| known[side][index] = Some(count));
                let bytes = sealed(&Codec::new(&plan, shard), [counts(&some)]);
                fs::write(shards.path(index), bytes).unwrap();
            }
            shards
        });
        let found = shards[0].compare(&shards[1]).unwrap();
        assert!(found.unusable.is_empty());
        let pairs = || (0..plan.len()).map(|index| [known[0][index], known[1][index]]);
        let number = |is_counted| {
            pairs().filter(move |pair| pair.map(|count| count.is_some()) == is_counted)
        };
        assert_eq!(found.compared, number([true, true]).count());
        assert_eq!(found.only, [[true, false], [false, true]].map(|is| number(is).count()));
        let differ = pairs().enumerate().filter_map(|(index, pair)| match pair {
            [Some(a), Some(b)] if a != b => Some((index, [a, b])),
            _ => None,
        });
        let differences = found.differences.iter().map(|found| (found.index, found.counts));
        assert!(differences.eq(differ));
        for found in &found.differences {
            for (shards, origin) in shards.iter().zip(&found.origins) {
                let path = shards.path(found.index % shards.count());
                assert!(origin.contains(&path.display().to_string()), "{origin}");
            }
        }
    }
}

/// The header that a run writes when it creates the file is not one of another run.
#[test]
fn comparisons_name_all_runs_of_a_ledger() {
    let (plan, folders) = (plan(7), [(); 2].map(|()| tempfile::tempdir().unwrap()));
    let codec = codec(7, 0, 1);
    let run = |host: &str| match codec.header() {
        Line::Begin(header) => Line::Begin(Header { host: host.into(), ..header }),
        line => line,
    };
    let shards = folders.each_ref().map(|folder| Shards::create(folder, &plan, 1).unwrap());
    let lines = [run("x"), run("one"), counts(&[(0, 5)]), run("two"), counts(&[(1, 6)])];
    fs::write(shards[0].path(0), codec.encode(0, lines)).unwrap();
    let lines = [run("three"), counts(&[(1, 7)])];
    fs::write(shards[1].path(0), codec.encode(0, lines)).unwrap();
    let found = shards[0].compare(&shards[1]).unwrap();
    let [difference] = &found.differences[..] else {
        panic!("{:?}", found.differences);
    };
    let version = env!("CARGO_PKG_VERSION");
    let by = |host: &str| format!("host {host}, version {version}");
    let text = difference.to_string();
    assert!(text.starts_with("subproblem 1: 6 in '"), "{text}");
    assert!(text.contains(&format!("({} or {}, last kernel unknown)", by("one"), &by("two")[5..])));
    assert!(text.ends_with(&format!("({}, kernel unknown)", by("three"))), "{text}");
}
