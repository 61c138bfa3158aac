//! What is fuzzed: functions that take any bytes and panic if the program does not do what it promises. `fuzz_targets/` calls
//! them with what libFuzzer makes up, `cli/tests/all/fuzz.rs` with the seeds and a few hundred changes of each.

use std::fs;
use std::path::Path;
use std::time::Duration;

use queens::solve::{Limits, Propagation, Search, Settings, Solutions, Strategy};
use queens::store::{Checkpoint, Shards};
use queens::{Board, Counter, Engine, Kernel, Ledger, Plan, Solver, Square, Symmetry};
use queens_cli::bench::Saved;
use queens_cli::report::page;

/// A function that is fuzzed.
pub(crate) type Target = fn(&[u8]);

/// All of them, by the names of their seeds' folders.
pub(crate) const TARGETS: [(&str, Target); 7] = [
    ("board", board),
    ("checkpoint", checkpoint),
    ("names", names),
    ("plan", plan),
    ("puzzle", puzzle),
    ("saved", saved),
    ("shard", shard),
];

/// The bytes of a file: what was made up or, where that does not end like a file of the program, the same with an ending whose
/// checksum fits, since none would be guessed.
fn sealed(data: &[u8]) -> Vec<u8> {
    let ending = b",\n  \"checksum\"";
    if data.windows(ending.len()).any(|part| part == ending) {
        return data.to_vec();
    }
    let checksum = crc32fast::hash(data);
    let ending = format!(",\n  \"checksum\": \"crc32 {checksum:08x}\"\n}}\n");
    [data, ending.as_bytes()].concat()
}

/// Does something in an empty folder.
fn in_folder<T>(work: impl FnOnce(&Path) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    work(folder.path())
}

fn six() -> Plan {
    Plan::new(Board::new(6).unwrap(), Engine::Bitboard).unwrap()
}

/// A checkpoint is read as it was written, or refused and left alone, or set aside.
pub(crate) fn checkpoint(data: &[u8]) {
    in_folder(|folder| {
        let (file, bytes, plan) = (folder.join("six"), sealed(data), six());
        fs::write(&file, &bytes).unwrap();
        let Ok((checkpoint, ledger, notices)) = Checkpoint::open(&file, &plan) else {
            assert_eq!(fs::read(&file).unwrap(), bytes);
            return;
        };
        if !notices.is_empty() {
            assert_eq!(ledger.done(), 0);
            assert_eq!(fs::read(folder.join("six.damaged")).unwrap(), bytes);
            return;
        }
        let entries: Vec<_> = ledger.entries().collect();
        let sum: u128 = entries.iter().map(|&(_, count)| u128::from(count)).sum();
        assert_eq!((ledger.sum(), ledger.done()), (sum, entries.len()));
        assert!(ledger.done() <= plan.len());
        checkpoint.save(&ledger, Duration::ZERO).unwrap();
        drop(checkpoint);
        let (_, again, notices) = Checkpoint::open(&file, &plan).unwrap();
        let same = |one: &Ledger, other: &Ledger| one.entries().eq(other.entries());
        assert!(same(&again, &ledger) && notices.is_empty());
    });
}

/// A plan that is taken is the one that this program makes.
pub(crate) fn plan(data: &[u8]) {
    in_folder(|folder| {
        let (file, bytes) = (folder.join("plan.json"), sealed(data));
        fs::write(&file, &bytes).unwrap();
        if let Ok(shards) = Shards::open(folder) {
            let there = shards.plan();
            let made = Plan::new(there.board().clone(), there.engine()).unwrap();
            assert_eq!(made.fingerprint(), there.fingerprint());
            assert!((1..=made.len()).contains(&shards.count()));
            Shards::create(folder, there, shards.count()).unwrap();
        }
        let _ = Shards::create(folder, &six(), 2);
        assert_eq!(fs::read(&file).unwrap(), bytes);
    });
}

/// A result that is taken is one of its shard, and a total of all is Q(6) or refused.
pub(crate) fn shard(data: &[u8]) {
    in_folder(|folder| {
        let shards = Shards::create(folder, &six(), 1).unwrap();
        fs::write(shards.path(0), sealed(data)).unwrap();
        let (found, status) = (shards.get(0), shards.status().unwrap());
        match found {
            Ok(result) => {
                let result = result.expect("there is a file");
                assert_eq!(
                    (result.shard, result.shards, result.subproblems),
                    (0, 1, six().len())
                );
                assert_eq!(result.fingerprint, six().fingerprint());
                assert!(status.missing.is_empty());
            }
            Err(_) => assert_eq!((status.missing.len(), status.unusable.len()), (1, 1)),
        }
        if let Ok(merged) = shards.merge() {
            assert_eq!(merged.sum.solutions, 4);
        }
    });
}

/// A saved benchmark that is taken can be drawn, and no text in it is more than text on the page.
pub(crate) fn saved(data: &[u8]) {
    in_folder(|folder| {
        let file = folder.join("saved.json");
        fs::write(&file, data).unwrap();
        let Ok(saved) = Saved::load(&file) else {
            return;
        };
        if let Saved::Benchmark(one) = &saved {
            let _ = one.compare_with(one);
        }
        let twice = [saved.clone(), saved];
        let Ok(page) = page(&twice) else {
            return;
        };
        for (name, text) in page {
            assert!(!name.contains('/') && !text.contains("<script"));
            let steers = |c: char| c.is_control() && c != '\n';
            assert!(!text.contains(steers), "{name}");
        }
    });
}

/// Squares and ranges of board sizes, as they are typed.
pub(crate) fn names(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    for n in [0, 1, 8, 27, 32, 5000, 1_000_000] {
        if let Ok(square) = Square::parse(text, n) {
            assert!(square.column < n && square.row < n);
            assert_eq!(Square::parse(&square.name(n), n), Ok(square));
            let numbers = format!("{},{}", square.column, square.row);
            assert_eq!(Square::parse(&numbers, n), Ok(square));
        }
    }
    if let Ok(sizes) = text.parse::<queens_cli::Sizes>() {
        assert!(!sizes.is_empty() && sizes.iter().all(|&n| n <= queens::MAX_N));
        let list: Vec<_> = sizes.iter().map(ToString::to_string).collect();
        assert_eq!(list.join(",").parse::<queens_cli::Sizes>(), Ok(sizes));
    }
}

/// A board of N up to 6 that bytes describe: its kind, then its squares, each with a queen or blocked.
fn made(data: &[u8]) -> Option<Board> {
    let (&kind, squares) = data.split_first()?;
    let n = u32::from(kind % 7);
    let new = if kind & 0x80 == 0 {
        Board::new
    } else {
        Board::torus
    };
    let mut board = new(n).unwrap();
    for &byte in squares.iter().take(12) {
        let (place, is_queen) = (u32::from(byte & 0x3f), byte & 0x80 != 0);
        let square = Square::new(place % 8, place / 8);
        // One that cannot be is refused.
        let _ = if is_queen {
            board.place(square)
        } else {
            board.block(square)
        };
    }
    Some(board)
}

/// All solutions of a board, by trying all rows in all columns.
fn brute_force(board: &Board) -> u128 {
    let n = board.n();
    let blocked: Vec<_> = board.blocked_squares().collect();
    let required: Vec<_> = board.queens().collect();
    let mut found = 0;
    let mut rows = vec![0; n as usize];
    'all: loop {
        let queens: Vec<_> = (0..).zip(&rows).map(|(c, &r)| Square::new(c, r)).collect();
        let attacks = |a: &Square, b: &Square| {
            let (across, down) = (a.column.abs_diff(b.column), a.row.abs_diff(b.row));
            let wraps = board.is_torus();
            let meets = |x: u32| x == 0 || (wraps && x.is_multiple_of(n));
            down == 0 || meets(across.abs_diff(down)) || (wraps && meets(across + down))
        };
        let mut pairs = (0..queens.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        let is_good = required.iter().all(|queen| queens.contains(queen))
            && !queens.iter().any(|queen| blocked.contains(queen))
            && !pairs.any(|(i, j)| attacks(&queens[i], &queens[j]));
        found += u128::from(is_good);
        for row in &mut rows {
            *row += 1;
            if *row < n {
                continue 'all;
            }
            *row = 0;
        }
        return found;
    }
}

/// Every engine, kernel and symmetry counts what trying everything does, on this thread, so that a run takes little.
pub(crate) fn board(data: &[u8]) {
    let Some(board) = made(data) else {
        return;
    };
    let expected = brute_force(&board);
    for engine in Engine::all_for(&board) {
        let counts = |kernel: &Kernel| engine.choose_kernel(&board, Some(*kernel)).is_ok();
        for kernel in engine.available_kernels().filter(counts) {
            let symmetries = [
                None,
                Some(Symmetry::None),
                Some(Symmetry::Mirror),
                Some(Symmetry::Eightfold),
                Some(Symmetry::Translation),
            ];
            for symmetry in symmetries {
                let counter = Counter::on(board.clone()).engine(engine);
                match counter.symmetry(symmetry).prepare() {
                    Ok(run) => {
                        let solver = Solver::new(run.plan(), kernel, 1).unwrap();
                        let mut worker = solver.worker();
                        let counts = (0..run.plan().len()).map(|i| worker.count(i).count);
                        assert_eq!(
                            u128::from(counts.sum::<u64>()),
                            expected,
                            "{engine} {kernel} {symmetry:?} {board:?}"
                        );
                    }
                    Err(_) => assert!(symmetry.is_some()),
                }
            }
        }
    }
}

/// Every search finds as many solutions as trying everything does, all of them solutions.
pub(crate) fn puzzle(data: &[u8]) {
    let Some(board) = made(data) else {
        return;
    };
    let expected = brute_force(&board);
    let listed: Vec<_> = Solutions::new(&board).unwrap().collect();
    assert_eq!(listed.len() as u128, expected, "{board:?}");
    let presets = [
        Strategy::Naive,
        Strategy::Backtrack,
        Strategy::FirstUnbound,
        Strategy::FirstFail,
    ];
    let strong = [Propagation::Bounds, Propagation::Domain].map(|propagation| Settings {
        propagation,
        ..Settings::from(Strategy::FirstFail)
    });
    for settings in presets.map(Settings::from).into_iter().chain(strong) {
        let Ok(search) = Search::new(&board, settings, Limits::default()) else {
            continue; // a torus has no diagonals to be consistent on
        };
        let mut found: Vec<_> = search.collect();
        assert!(found.iter().all(|placement| board.is_solved_by(placement)));
        found.sort_unstable_by(|a, b| a.rows().cmp(b.rows()));
        assert_eq!(found, listed, "{settings:?} {board:?}");
    }
}
