//! Runs the fuzz targets without libFuzzer, on their seeds and on a few mutations of each. The
//! mutations are the same on every run.
//!
//! These tests are a process of their own. A process that another test starts would inherit the
//! lock of a file for a moment.

#[path = "../../fuzz/targets.rs"]
mod targets;

use std::fs;
use std::path::Path;

use rstest::rstest;

const SEEDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/seeds");

/// Returns a copy of a seed with one to three random mutations, of kinds that parsers of files and
/// names must handle.
fn changed(seed: &[u8], random: &mut fastrand::Rng) -> Vec<u8> {
    const WORDS: &str = "-1 0 99999999999999999999 1e400 null \"\" [] {} \u{1b}[2J <script>";
    let mut bytes = seed.to_vec();
    for _ in 0..random.usize(1..=3) {
        let at = random.usize(..=bytes.len());
        let word = random.choice(WORDS.split(' ').collect::<Vec<_>>()).unwrap();
        let value = bytes[at..].iter().position(|byte| b",]}\n".contains(byte)).unwrap_or(0);
        // The rest of a value is often a whole number or string.
        let (length, new) = match random.u8(..5) {
            0 => (bytes.len() - at, vec![]),
            1 => (random.usize(..12), vec![]),
            2 => (0, vec![random.u8(..)]),
            3 => (1, vec![random.u8(..)]),
            _ => (value, word.into()),
        };
        drop(bytes.splice(at..bytes.len().min(at + length), new));
    }
    bytes
}

#[rstest]
fn seeds_and_their_mutations(#[values("board", "ledger", "names", "puzzle")] name: &str) {
    let (_, target) = targets::TARGETS.into_iter().find(|(of, _)| *of == name).unwrap();
    let mut random = fastrand::Rng::with_seed(1);
    let seeds = fs::read_dir(Path::new(SEEDS).join(name)).unwrap();
    let mut seeds: Vec<_> = seeds.map(|seed| seed.unwrap().path()).collect();
    seeds.sort();
    assert!(!seeds.is_empty());
    for seed in seeds {
        let seed = fs::read(seed).unwrap();
        target(&seed);
        (0..12).for_each(|_| target(&changed(&seed, &mut random)));
    }
}

/// A seed that is rejected would test nothing, so the seeds must be valid files.
#[test]
fn seeds_are_valid_files() {
    let six = fs::read(Path::new(SEEDS).join("ledger/six")).unwrap();
    let mut merged = queens::store::Merged::default();
    merged.add_bytes(&targets::ledger_of_six(&six)).unwrap();
    assert_eq!(merged.ledger().unwrap().total().unwrap().0, 4);
}
