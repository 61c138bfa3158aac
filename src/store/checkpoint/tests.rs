use super::super::faulty::{FILE, Faulty, ledger, open, plan, with_faults};
use super::*;

fn save(disk: &Faulty, plan: &Plan, done: usize) {
    let (checkpoint, ..) = open(disk, plan).unwrap();
    let elapsed = Duration::from_secs(done as u64);
    checkpoint.save(&ledger(plan, done), elapsed).unwrap();
}

/// A disk with a checkpoint of five subproblems and the previous one of four.
fn with_two(plan: &Plan) -> Faulty {
    let disk = Faulty::default();
    save(&disk, plan, 4);
    save(&disk, plan, 5);
    disk
}

/// Whether the ledger is that of a count with the first `done` subproblems done.
fn holds(found: &Ledger, plan: &Plan, done: usize) -> bool {
    let expected = ledger(plan, done);
    found.done() == done && (0..plan.len()).all(|i| found.get(i) == expected.get(i))
}

#[test]
fn what_is_saved_comes_back_and_time_adds_up() {
    let (disk, plan) = (Faulty::default(), plan(6));
    let (_, found, notices) = open(&disk, &plan).unwrap();
    assert!(found.resumed().is_none() && notices.is_empty());
    save(&disk, &plan, 4);
    let (checkpoint, found, notices) = open(&disk, &plan).unwrap();
    assert!(holds(&found, &plan, 4) && notices.is_empty());
    assert_eq!(found.resumed().unwrap().elapsed, Duration::from_secs(4));
    checkpoint.save(&found, Duration::from_secs(3)).unwrap();
    let (_, found, _) = open(&disk, &plan).unwrap();
    assert_eq!(found.resumed().unwrap().elapsed, Duration::from_secs(7));
}

/// That every damage is seen is tested where files are read.
#[test]
fn damaged_files_are_set_aside_and_the_previous_used_or_all_counted_again() {
    let plan = plan(6);
    let good = with_two(&plan).files()[Path::new(FILE)].clone();
    for bytes in [&good[..good.len() / 2], &[]] {
        let disk = with_two(&plan);
        let damaged = Path::new("/run/six.ckpt.damaged");
        disk.put(FILE, bytes);
        let (checkpoint, found, notices) = open(&disk, &plan).unwrap();
        assert!(holds(&found, &plan, 4));
        assert_eq!(notices.len(), 2, "{notices:?}");
        assert_eq!(disk.files()[damaged], bytes);
        assert!(!disk.files().contains_key(Path::new(FILE)));
        // A second damaged file does not push out the first.
        checkpoint.save(&found, Duration::ZERO).unwrap();
        drop(checkpoint);
        for name in [FILE.to_owned(), format!("{FILE}.previous")] {
            disk.put(name, &good[..good.len() - 1]);
        }
        let (_, found, notices) = open(&disk, &plan).unwrap();
        assert_eq!(disk.files()[damaged], bytes);
        assert!(holds(&found, &plan, 0) && notices.len() == 3);
        assert!(notices[2].contains("from the start"), "{notices:?}");
    }
}

#[test]
fn counts_that_do_not_add_up_are_damage() {
    let (disk, plan) = (Faulty::default(), plan(6));
    let len = plan.len();
    for (good, done, solutions, len) in [
        (true, 1, 9, len),
        (false, 1, 8, len),
        (false, 2, 9, len),
        (false, 1, 9, len + 1),
    ] {
        let contents = Contents {
            fingerprint: plan.fingerprint(),
            subproblems: plan.len(),
            done,
            solutions,
            seconds: 1.0,
            version: "1".to_owned(),
            counts: packed::pack([(1, 9)].into_iter(), len),
        };
        disk.put(FILE, &document::seal(KIND, &contents));
        let (_, found, notices) = open(&disk, &plan).unwrap();
        assert_eq!((found.done() == 1, notices.is_empty()), (good, good));
    }
}

/// Every number as long as it can be: no good file is refused as too long, and a longer one is left alone.
#[test]
fn the_longest_of_files_is_read() {
    let board = crate::board::Board::new(16).unwrap();
    let large = Plan::new(board, crate::engine::Engine::Join).unwrap();
    for every in [1, 2] {
        let disk = Faulty::default();
        let places = (0..large.len()).step_by(every);
        let entries = places.map(|index| (index, u64::MAX));
        let ledger = Ledger::resumed_from(&large, entries, Duration::ZERO).unwrap();
        let (checkpoint, ..) = open(&disk, &large).unwrap();
        let elapsed = Duration::from_secs(u64::MAX / 2);
        checkpoint.save(&ledger, elapsed).unwrap();
        let (_, found, notices) = open(&disk, &large).unwrap();
        assert_eq!((found.sum(), notices.len()), (ledger.sum(), 0));
        let before = disk.files();
        assert!(open(&disk, &plan(6)).is_err());
        assert_eq!(disk.files(), before);
    }
}

/// Saves one file after another until one cannot be written: what was saved is there, and saving works again.
#[test]
fn whatever_fails_nothing_saved_is_missing() {
    let plan = plan(6);
    let work = |disk: &Faulty| {
        let Ok((checkpoint, ..)) = open(disk, &plan) else {
            return 0;
        };
        let save = |done| checkpoint.save(&ledger(&plan, done), Duration::ZERO);
        (1..=4).take_while(|&done| save(done).is_ok()).count()
    };
    with_faults(&Faulty::default(), work, |disk, &saved| {
        let (checkpoint, found, notices) = open(disk, &plan).unwrap();
        let done = found.done();
        let is_right = (saved..=saved + 1).contains(&done) && holds(&found, &plan, done);
        assert!(is_right, "{saved} saved, {done} found, {notices:?}");
        checkpoint.save(&ledger(&plan, 5), Duration::ZERO).unwrap();
        assert!(holds(&open(disk, &plan).unwrap().1, &plan, 5));
    });
}
