//! Damaged files never make a wrong total. That every flipped bit and every cut is seen is tested where files are read;
//! here it is what the commands do then.

use std::path::Path;
use std::time::Duration;

use queens::store::Checkpoint;
use queens::{Counter, Engine, Ledger, Plan};

use super::{published, run_to};

/// Damages a file, in one of its bytes or by cutting it to half: what is in it then.
fn damage(file: &Path, flipped: Option<usize>) -> Vec<u8> {
    let mut bytes = std::fs::read(file).unwrap();
    match flipped {
        Some(position) => bytes[position] ^= 1,
        None => bytes.truncate(bytes.len() / 2),
    }
    std::fs::write(file, &bytes).unwrap();
    bytes
}

const DAMAGES: [Option<usize>; 3] = [Some(0), Some(100), None];

#[test]
fn a_damaged_checkpoint_gives_way_to_the_previous() {
    for flipped in DAMAGES {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let count = "count 8 --quiet --checkpoint a";
        run_to(0, count, folder.path());
        std::fs::copy(at("a"), at("a.previous")).unwrap();
        let damaged = damage(&at("a"), flipped);
        let (stdout, stderr) = run_to(0, count, folder.path());
        assert_eq!(stdout.trim(), published(8));
        assert!(stderr.contains("previous checkpoint"), "{stderr}");
        assert_eq!(std::fs::read(at("a.damaged")).unwrap(), damaged);

        // With no previous one it is counted from the start, or refused, if nothing says that it ever was a checkpoint.
        std::fs::write(at("b"), &damaged).unwrap();
        let count = "count 8 --quiet --checkpoint b";
        let is_foreign = flipped == Some(0);
        let (stdout, _) = run_to(if is_foreign { 2 } else { 0 }, count, folder.path());
        assert_eq!(stdout.is_empty(), is_foreign);
    }
}

#[test]
fn a_damaged_folder_of_shards_makes_no_total() {
    for flipped in DAMAGES {
        let folder = tempfile::tempdir().unwrap();
        let plan = "plan d 6 --shards 2 --engine bitboard";
        for command in [plan, "shard d 0", "shard d 1"] {
            run_to(0, command, folder.path());
        }
        damage(&folder.path().join("d/shard-000001.json"), flipped);
        let (stdout, stderr) = run_to(4, "merge d", folder.path());
        assert_eq!(stdout, "");
        assert!(stderr.contains("shard-000001.json"), "{stderr}");
        assert_eq!(run_to(0, "missing d", folder.path()).0, "1\n");
        run_to(0, "shard d 1", folder.path());
        let (stdout, _) = run_to(0, "merge d --quiet", folder.path());
        assert_eq!(stdout.trim(), published(6));

        damage(&folder.path().join("d/plan.json"), flipped);
        let before = super::files(folder.path());
        for (code, command) in [
            (4, "merge d"),
            (1, "shard d 0"),
            (1, "missing d"),
            (2, plan),
        ] {
            assert_eq!(run_to(code, command, folder.path()).0, "");
        }
        assert_eq!(super::files(folder.path()), before);
    }
}

/// Counts in a file that are wrong but fit together, as no accident makes them: only counting twice can tell.
#[test]
fn counting_twice_finds_wrong_counts_that_fit_together() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a");
    let plain = "count 10 --engine bitboard --checkpoint a --quiet";
    run_to(0, plain, folder.path());

    let counter = Counter::new(10).unwrap().engine(Engine::Bitboard);
    let plan: Plan = super::plan(counter);
    let (_, ledger, _) = Checkpoint::open(&file, &plan).unwrap();
    let mut counts: Vec<_> = (0..plan.len()).map(|i| ledger.get(i).unwrap()).collect();
    let forge = |counts: &[u64]| {
        let entries = counts.iter().copied().map(Some).collect();
        let ledger = Ledger::resumed_from(&plan, entries, Duration::ZERO);
        std::fs::write(&file, super::checkpoint_of(&ledger, &plan)).unwrap();
    };

    counts[3] += 2;
    forge(&counts);
    run_to(4, plain, folder.path()); // the total contradicts the published one

    *counts[4..].iter_mut().find(|count| **count >= 2).unwrap() -= 2;
    forge(&counts);
    run_to(0, plain, folder.path()); // the total is right, though two of its parts are not
    let (stdout, stderr) = run_to(4, &format!("{plain} --double-check 100"), folder.path());
    assert_eq!(stdout, "");
    assert!(stderr.contains("2 of 36 subproblems"), "{stderr}");
    assert!(stderr.contains("subproblem 3 "), "{stderr}");
    assert!(stderr.contains("looks like a hardware fault"), "{stderr}");
    // The file no longer holds them, nor does the previous one.
    for name in ["a", "a.previous"] {
        let done = super::field(&folder.path().join(name), "done");
        assert_eq!(done, 34, "{name}");
    }
    run_to(0, &format!("{plain} --double-check 100"), folder.path());
}
