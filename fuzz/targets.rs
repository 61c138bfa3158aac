//! Fuzz targets: functions that accept arbitrary bytes and panic if a property does not hold.
//! `fuzz_targets/` runs them under libFuzzer, and `cli/tests/fuzz.rs` runs them on the seeds
//! and on 60 mutations of each seed.

use std::fs;
use std::path::Path;

use queens::store::{LedgerFile, Merged};
use queens::{Board, CountError, Counter, Engine, Kernel, Ledger, Plan, Shard, Square, Symmetry};
use queens_search::{Limits, Propagation, Search, Solutions, Strategy};

/// A fuzz target.
pub(crate) type Target = fn(&[u8]);

/// All targets, with the names of their seed folders.
pub(crate) const TARGETS: [(&str, Target); 4] =
    [("board", board), ("ledger", ledger), ("names", names), ("puzzle", puzzle)];

/// Builds a ledger for N = 6 from fuzzed lines. Adds the header and valid checksums, because a
/// fuzzer would not guess them.
pub(crate) fn ledger_of_six(data: &[u8]) -> Vec<u8> {
    let plan = six();
    let mut bytes = Ledger::new(&plan, Shard::WHOLE).to_bytes();
    for line in data.split(|&byte| byte == b'\n') {
        let checksum = crc32fast::hash(&[plan.id().to_string().as_bytes(), line].concat());
        bytes.extend(line);
        bytes.extend(format!(" {checksum:08x}\n").into_bytes());
    }
    bytes
}

/// Runs a closure with the path of an empty temporary folder.
fn in_folder<T>(work: impl FnOnce(&Path) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    work(folder.path())
}

fn six() -> Plan {
    Plan::new(Board::new(6).unwrap(), Engine::Bitboard).unwrap()
}

/// Checks that an accepted ledger can be resumed and read back, that it is merged as it is resumed,
/// and that its total is Q(6) or rejected. Also checks that a rejected ledger is left unchanged.
pub(crate) fn ledger(data: &[u8]) {
    for bytes in [data.to_vec(), ledger_of_six(data)] {
        in_folder(|folder| {
            let file = folder.join("ledger");
            fs::write(&file, &bytes).unwrap();
            let mut merged = Merged::default();
            let is_merged = merged.add_path(&file).is_ok();
            let Ok(mut opened) = LedgerFile::open(&file, &six(), Shard::WHOLE) else {
                assert_eq!(fs::read(&file).unwrap(), bytes);
                return;
            };
            let before: Vec<_> = opened.ledger().entries().collect();
            let sum: u128 = before.iter().map(|&(_, count)| u128::from(count)).sum();
            assert_eq!(opened.ledger().sum(), sum);
            assert!(is_merged);
            let added: Vec<_> =
                merged.ledger().map(|ledger| ledger.entries().collect()).unwrap_or_default();
            assert_eq!(added, before);
            if let Some(Ok((total, _))) = merged.ledger().map(Ledger::total) {
                assert_eq!(total, 4);
            }
            let mut run = Counter::new(6).unwrap().kernel(Kernel::Reference).prepare().unwrap();
            run.fill(&mut opened, |_| Ok::<_, CountError>(())).unwrap();
            opened.save().unwrap();
            drop(opened);
            let again = LedgerFile::open(&file, &six(), Shard::WHOLE).unwrap();
            assert!(again.ledger().is_complete());
            for (index, count) in before {
                assert_eq!(again.ledger().get(index), Some(count));
            }
        });
    }
}

/// Checks that the names of squares round-trip.
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
}

/// Decodes a board with N up to 6. The first byte is the size, and the others are blocked squares
/// or queens.
fn decode_board(data: &[u8]) -> Option<Board> {
    let (&size, squares) = data.split_first()?;
    let mut board = Board::new(u32::from(size % 7)).unwrap();
    for &byte in squares.iter().take(12) {
        let (place, is_queen) = (u32::from(byte & 0x3f), byte & 0x80 != 0);
        let square = Square::new(place % 8, place / 8);
        // Invalid squares are rejected.
        let _ = if is_queen { board.place(square) } else { board.block(square) };
    }
    Some(board)
}

/// Counts the solutions of a board by trying every row in every column.
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
            down == 0 || across == down
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

/// Checks that every engine, kernel and symmetry agrees with brute force. All run on this thread,
/// to keep runs short.
pub(crate) fn board(data: &[u8]) {
    let Some(board) = decode_board(data) else {
        return;
    };
    let expected = brute_force(&board);
    for engine in Engine::all_for(&board) {
        for kernel in engine.available_kernels() {
            let symmetries =
                [None, Some(Symmetry::None), Some(Symmetry::Mirror), Some(Symmetry::Eightfold)];
            for symmetry in symmetries {
                let counter = Counter::on(board.clone()).engine(engine);
                match counter.symmetry(symmetry).prepare() {
                    Ok(run) => {
                        let solver = run.plan().solver(kernel, 1).unwrap();
                        let mut worker = solver.worker();
                        let counts = (0..run.plan().len()).map(|i| worker.try_count(i).unwrap());
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

/// Checks that every search finds exactly the enumerated solutions.
pub(crate) fn puzzle(data: &[u8]) {
    let Some(board) = decode_board(data) else {
        return;
    };
    let expected = brute_force(&board);
    let listed: Vec<_> = Solutions::new(&board).unwrap().collect();
    assert_eq!(listed.len() as u128, expected, "{board:?}");
    let presets =
        [Strategy::NAIVE, Strategy::BACKTRACK, Strategy::FIRST_UNBOUND, Strategy::FIRST_FAIL];
    let strong = Strategy { propagation: Propagation::Bounds, ..Strategy::FIRST_FAIL };
    for strategy in presets.into_iter().chain([strong]) {
        let search = Search::new(&board, strategy, Limits::default()).unwrap();
        let mut found: Vec<_> = search.collect();
        assert!(found.iter().all(|placement| board.is_solved_by(placement)));
        found.sort_unstable_by(|a, b| a.rows().cmp(b.rows()));
        assert_eq!(found, listed, "{strategy:?} {board:?}");
    }
}
