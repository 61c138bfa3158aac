//! Every byte of a checkpoint and of a shard's result changed, and every length that they can be cut to.

use std::time::Duration;

use queens::{Board, Engine, Ledger, Plan, Solver};

use super::{published, run, run_to};

const N: u32 = 6;

/// The true counts of all subproblems.
fn counts(plan: &Plan) -> Vec<u64> {
    let kernel = plan.engine().best_kernel();
    let solver = Solver::new(plan, kernel, 1).unwrap();
    let mut scratch = solver.scratch();
    let count = |index| solver.solve(index, &mut scratch).count;
    (0..plan.len()).map(count).collect()
}

fn plan(n: u32) -> Plan {
    Plan::new(Board::new(n).unwrap(), Engine::Bitboard).unwrap()
}

/// The bytes of a checkpoint with these entries.
fn checkpoint(plan: &Plan, entries: Vec<Option<u64>>) -> Vec<u8> {
    super::checkpoint_of(
        &Ledger::resumed_from(plan, entries, Duration::from_secs(1)),
        plan,
    )
}

/// Every truncation of some bytes, and every byte changed in its lowest, its highest, or all of its bits in turn.
fn damages(good: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let cuts = (0..good.len()).map(|length| good[..length].to_vec());
    let flips = (0..good.len()).map(|position| {
        let mut bytes = good.to_vec();
        bytes[position] ^= [0x01, 0x80, 0xff][position % 3];
        bytes
    });
    cuts.chain(flips)
}

#[test]
fn a_damaged_checkpoint_never_makes_a_wrong_total() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let plan = plan(N);
    let counts = counts(&plan);
    let first = |done: usize| {
        (0..plan.len())
            .map(|i| (i < done).then_some(counts[i]))
            .collect()
    };
    let older = checkpoint(&plan, first(2));
    let newest = checkpoint(&plan, first(4));

    for (number, bytes) in damages(&newest).enumerate() {
        std::fs::write(at("a"), &bytes).unwrap();
        std::fs::write(at("a.previous"), &older).unwrap();
        let arguments = format!("count {N} --quiet --threads 1 --engine bitboard --checkpoint a");
        let (stdout, stderr) = run_to(0, &arguments, folder.path());
        assert_eq!(stdout.trim(), published(N), "damage {number}");
        assert!(stderr.contains("a.damaged"), "damage {number}: {stderr}");
        assert!(stderr.contains("generation before"), "{stderr}");
        assert_eq!(std::fs::read(at("a.damaged")).unwrap(), bytes);
        std::fs::remove_file(at("a.damaged")).unwrap();
    }

    // With no older generation it is counted from the start, or refused, if nothing says that it ever was a checkpoint.
    for (number, bytes) in damages(&newest).enumerate().step_by(7) {
        std::fs::write(at("b"), &bytes).unwrap();
        let arguments = "count 6 --quiet --threads 1 --engine bitboard --checkpoint b";
        let output = run(arguments, folder.path());
        let stdout = String::from_utf8_lossy(&output.stdout);
        match output.status.code() {
            Some(0) => assert_eq!(stdout.trim(), published(N), "damage {number}"),
            Some(2) => assert_eq!(stdout, "", "damage {number}"),
            other => panic!("damage {number}: {other:?}"),
        }
        for name in ["b", "b.previous", "b.damaged"] {
            let _ = std::fs::remove_file(at(name));
        }
    }
}

#[test]
fn a_damaged_result_never_makes_a_wrong_total() {
    let folder = tempfile::tempdir().unwrap();
    run_to(0, "plan d 6 --shards 3 --engine bitboard", folder.path());
    for index in 0..3 {
        run_to(0, &format!("shard d {index}"), folder.path());
    }
    let file = folder.path().join("d/shard-000001.json");
    let good = std::fs::read(&file).unwrap();
    for (number, bytes) in damages(&good).enumerate() {
        std::fs::write(&file, &bytes).unwrap();
        let (stdout, stderr) = run_to(4, "merge d", folder.path());
        assert_eq!(stdout, "", "damage {number}");
        assert!(stderr.contains("shard-000001.json"), "{stderr}");
        // Once in a while, what heals it.
        if number % 50 == 0 {
            let (stdout, _) = run_to(0, "missing d", folder.path());
            assert_eq!(stdout, "1\n");
            run_to(0, "shard d 1", folder.path());
            let (stdout, _) = run_to(0, "merge d --quiet", folder.path());
            assert_eq!(stdout.trim(), published(N));
        }
    }
}

#[test]
fn a_damaged_plan_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    run_to(0, "plan d 6 --shards 3 --engine bitboard", folder.path());
    let file = folder.path().join("d/plan.json");
    let good = std::fs::read(&file).unwrap();
    for bytes in damages(&good).step_by(5) {
        std::fs::write(&file, &bytes).unwrap();
        run_to(4, "merge d", folder.path());
        run_to(1, "shard d 0", folder.path());
        run_to(1, "missing d", folder.path());
        run_to(2, "plan d 6 --shards 3 --engine bitboard", folder.path());
        assert_eq!(
            std::fs::read_dir(folder.path().join("d")).unwrap().count(),
            1
        );
        assert_eq!(std::fs::read(&file).unwrap(), bytes);
    }
}

/// Counts in a file that are wrong but fit together, as no accident makes them: only counting twice can tell.
#[test]
fn counting_twice_finds_wrong_counts_that_fit_together() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(10);
    let mut counts = counts(&plan);
    let file = folder.path().join("a");
    let plain = "count 10 --engine bitboard --checkpoint a --quiet";

    let forge = |counts: &[u64]| {
        let entries = counts.iter().copied().map(Some).collect();
        std::fs::write(&file, checkpoint(&plan, entries)).unwrap();
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
    assert!(stderr.contains("looks like the hardware"), "{stderr}");
}
