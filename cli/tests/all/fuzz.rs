//! The functions that are fuzzed, on their seeds and on changes of these: a short run without libFuzzer, the same each
//! time.

#[path = "../../../fuzz/targets.rs"]
mod targets;

use std::fs;

use rstest::rstest;

/// One change of some bytes: what readers of files and names have to expect.
fn changed(seed: &[u8], random: &mut fastrand::Rng) -> Vec<u8> {
    const WORDS: [&str; 10] = [
        "-1",
        "0",
        "99999999999999999999",
        "1e400",
        "null",
        "\"\"",
        "[]",
        "{}",
        "\u{1b}[2J",
        "<script>",
    ];
    let mut bytes = seed.to_vec();
    for _ in 0..random.usize(1..=3) {
        let at = random.usize(..=bytes.len());
        let end = (at + random.usize(..12)).min(bytes.len());
        match random.u8(..5) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => bytes.insert(at, random.u8(..)),
            3 => bytes
                .iter_mut()
                .skip(at)
                .take(1)
                .for_each(|byte| *byte ^= 1 << random.u8(..8)),
            _ => {
                // In the place of a whole number or string, if there is one.
                let word = random.choice(WORDS).unwrap();
                let is_end = |byte: &u8| b",]}\n".contains(byte);
                let length = bytes[at..].iter().position(is_end).unwrap_or(0);
                drop(bytes.splice(at..at + length, word.bytes()));
            }
        }
    }
    bytes
}

#[rstest]
fn seeds_and_changes_of_them(
    #[values("board", "ledger", "names", "plan", "puzzle", "saved")] name: &str,
) {
    const CHANGES: usize = 60;
    let (_, target) = targets::TARGETS
        .into_iter()
        .find(|(of, _)| *of == name)
        .unwrap();
    let folder = super::root().join("fuzz/seeds").join(name);
    let mut random = fastrand::Rng::with_seed(1);
    let mut seeds: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|seed| seed.unwrap().path())
        .collect();
    seeds.sort();
    assert!(!seeds.is_empty());
    for seed in seeds {
        let seed = fs::read(seed).unwrap();
        target(&seed);
        (0..CHANGES).for_each(|_| target(&changed(&seed, &mut random)));
    }
}

/// A seed that is refused would try nothing: each file is taken, and a change in it is seen.
#[test]
fn seeds_are_good_files() {
    let seeds = super::root().join("fuzz/seeds");
    assert!(queens_cli::measure::load(&seeds.join("saved/benchmark")).is_ok());
    let folder = tempfile::tempdir().unwrap();
    fs::copy(seeds.join("plan/six"), folder.path().join("plan.json")).unwrap();
    let shards = queens::store::Shards::open(folder.path()).unwrap();
    let ledger = targets::ledger_of_six(&fs::read(seeds.join("ledger/six")).unwrap());
    fs::write(shards.path(0), ledger).unwrap();
    assert_eq!(shards.merge().unwrap().total, 4);
}
