use super::super::faulty::{Faulty, plan, with_faults};
use super::super::merge::Merged;
use super::*;
use crate::count::Counter;

const FOLDER: &str = "/shared";
const N: u32 = 7;
const SHARDS: usize = 4;

fn create(disk: &Faulty, n: u32, shards: usize) -> Result<Shards, ShardsError> {
    Shards::create_on(Box::new(disk.clone()), Path::new(FOLDER), &plan(n), shards)
}

fn open(disk: &Faulty) -> Result<Shards, ShardsError> {
    Shards::open_on(Box::new(disk.clone()), Path::new(FOLDER))
}

fn count(shards: &Shards, index: usize) -> ShardCount {
    let counter = Counter::following(shards.plan().clone()).threads(1);
    counter.run_shard(shards.shard(index).unwrap()).unwrap()
}

/// A folder with all results.
fn complete() -> Faulty {
    let disk = Faulty::default();
    let shards = create(&disk, N, SHARDS).unwrap();
    for index in 0..SHARDS {
        shards.put(index, &count(&shards, index)).unwrap();
    }
    disk
}

fn shard_file(index: usize) -> PathBuf {
    Path::new(FOLDER).join(format!("shard-{index:06}.json"))
}

/// The file of shard 1, written by a program with other values.
fn forge(disk: &Faulty, change: impl FnOnce(&mut ShardResult)) {
    let mut result = open(disk).unwrap().get(1).unwrap().unwrap();
    change(&mut result);
    disk.put(shard_file(1), &document::seal(ShardResult::KIND, &result));
}

fn merge(disk: &Faulty) -> Result<Merged, ShardsError> {
    open(disk).unwrap().merge()
}

/// What is wrong with the only result that cannot be used.
fn the_unusable(disk: &Faulty) -> String {
    match merge(disk) {
        Err(ShardsError::Unusable(results)) if results.len() == 1 => results[0].to_string(),
        other => panic!("not one unusable result: {other:?}"),
    }
}

#[test]
fn a_shard_is_never_added_twice() {
    let disk = complete();
    let second = disk.files()[&shard_file(2)].clone();
    disk.put(shard_file(1), &second);
    assert!(the_unusable(&disk).contains("holds shard 2 of 4"));
    for stray in ["000004", "2", "000002 (copy)"].map(|name| format!("shard-{name}.json")) {
        let disk = complete();
        disk.put(Path::new(FOLDER).join(&stray), &second);
        let wrong = the_unusable(&disk);
        assert!(wrong.contains(&stray) && wrong.contains("is not a shard"));
    }
}

#[test]
fn results_that_cannot_be_are_refused() {
    let changes: [fn(&mut ShardResult); 4] = [
        |result| result.fingerprint = plan(8).fingerprint(),
        |result| result.shards += 1,
        |result| result.subproblems += 1,
        |result| result.solutions = u128::from(u64::MAX) * result.subproblems as u128 + 1,
    ];
    for change in changes {
        let disk = complete();
        forge(&disk, change);
        the_unusable(&disk);
        let shards = open(&disk).unwrap();
        assert_eq!(shards.status().unwrap().missing, [1]);
    }
}

/// Of several processes that prepare one folder at the same moment, those with the plan that is there then succeed.
#[test]
fn two_plans_at_once_do_not_replace_each_other() {
    for _ in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let prepare = |n| Shards::create(folder.path(), &plan(n), SHARDS).map(drop);
        let outcomes = std::thread::scope(|scope| {
            [7, 8, 7, 8]
                .map(|n| (n, scope.spawn(move || prepare(n))))
                .map(|(n, thread)| (n, thread.join().unwrap()))
        });
        let there = Shards::open(folder.path()).unwrap().plan().board().n();
        for (n, outcome) in outcomes {
            assert_eq!(outcome.is_ok(), n == there, "{outcome:?}");
        }
    }
}

#[test]
fn a_place_that_cannot_be_written_to_is_known_beforehand() {
    let disk = Faulty::default();
    let shards = create(&disk, N, SHARDS).unwrap();
    let before = disk.files();
    shards.expect_writable(1).unwrap();
    disk.fail(0..1, io::ErrorKind::ReadOnlyFilesystem);
    assert!(shards.expect_writable(1).is_err());
    assert_eq!(disk.files(), before);

    let folder = tempfile::tempdir().unwrap();
    let shards = Shards::create(folder.path(), &plan(N), SHARDS).unwrap();
    std::fs::create_dir(shards.path(1)).unwrap();
    assert!(shards.expect_writable(0).is_ok() && shards.expect_writable(1).is_err());
}

#[test]
fn the_plan_of_another_program_is_refused() {
    let changes: [fn(&mut PlanFile); 5] = [
        |file| file.fingerprint = plan(8).fingerprint(),
        |file| file.subproblems += 1,
        |file| file.plan_version += 1,
        |file| file.shards = 0,
        |file| file.n = 99,
    ];
    for change in changes {
        let disk = Faulty::default();
        create(&disk, N, SHARDS).unwrap();
        let mut file = read_plan(&disk, Path::new(FOLDER)).unwrap().unwrap();
        change(&mut file);
        disk.put("/shared/plan.json", &document::seal(PlanFile::KIND, &file));
        let refused = open(&disk);
        assert!(matches!(refused, Err(ShardsError::File(_))), "{refused:?}");
    }
}

/// Whatever step of writing a plan fails: it is there or not, and can be written again.
#[test]
fn a_plan_is_there_or_not() {
    let make = |disk: &Faulty| create(disk, N, SHARDS).is_ok();
    with_faults(&Faulty::default(), make, |disk, &was_made| {
        let is_there = || match open(disk) {
            Err(ShardsError::NoPlan(_)) => false,
            found => found.unwrap().count() == SHARDS,
        };
        assert!(is_there() || !was_made);
        assert!(make(disk) && is_there());
    });
}

/// Whatever step of writing a result fails: all of the result is there, or nothing, and it can be written again.
#[test]
fn a_result_is_there_or_not() {
    let start = Faulty::default();
    let result = count(&create(&start, N, SHARDS).unwrap(), 1);
    let put = |disk: &Faulty| open(disk).unwrap().put(1, &result).is_ok();
    with_faults(&start, put, |disk, &was_put| {
        let found = || Some(open(disk).unwrap().get(1).unwrap()?.solutions);
        let all = Some(result.solutions);
        assert!(found() == all || !was_put && found().is_none());
        assert!(put(disk) && found() == all);
    });
    // Nothing is left of a file that could not be written.
    let before = start.files();
    start.fail(2..3, io::ErrorKind::StorageFull);
    assert!(!put(&start) && start.files() == before);
}
