//! Runs the fuzz targets without libFuzzer, on their seeds and on a few mutations of each. The
//! mutations are the same on every run.
//!
//! These tests are a process of their own. A process that another test starts would inherit the
//! lock of a file for a moment.

#[path = "../../fuzz/targets.rs"]
mod targets;

use std::fs;
use std::path::{Path, PathBuf};

use rstest::rstest;

/// Returns a copy of a seed with one to three random mutations, of kinds that parsers of files and
/// names must handle.
fn changed(seed: &[u8], random: &mut fastrand::Rng) -> Vec<u8> {
    const WORDS: &str = "-1 0 99999999999999999999 1e400 null \"\" [] {} \u{1b}[2J <script>";
    let mut bytes = seed.to_vec();
    for _ in 0..random.usize(1..=3) {
        let at = random.usize(..=bytes.len());
        let end = (at + random.usize(..12)).min(bytes.len());
        match random.u8(..5) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => bytes.insert(at, random.u8(..)),
            3 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << random.u8(..8)),
            _ => {
                // Replace everything up to the end of a value, which is often a whole number or
                // string.
                let word = random.choice(WORDS.split(' ').collect::<Vec<_>>()).unwrap();
                let is_end = |byte: &u8| b",]}\n".contains(byte);
                let length = bytes[at..].iter().position(is_end).unwrap_or(0);
                drop(bytes.splice(at..at + length, word.bytes()));
            }
        }
    }
    bytes
}

/// Returns the folder of the seeds.
fn seeds() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds")
}

#[rstest]
fn seeds_and_their_mutations(#[values("board", "ledger", "names", "puzzle")] name: &str) {
    const CHANGES: usize = 12;
    let (_, target) = targets::TARGETS.into_iter().find(|(of, _)| *of == name).unwrap();
    let folder = seeds().join(name);
    let mut random = fastrand::Rng::with_seed(1);
    let mut seeds: Vec<_> =
        fs::read_dir(folder).unwrap().map(|seed| seed.unwrap().path()).collect();
    seeds.sort();
    assert!(!seeds.is_empty());
    for seed in seeds {
        let seed = fs::read(seed).unwrap();
        target(&seed);
        (0..CHANGES).for_each(|_| target(&changed(&seed, &mut random)));
    }
}

/// A seed that is rejected would test nothing, so the seeds must be valid files.
#[test]
fn seeds_are_valid_files() {
    let ledger = targets::ledger_of_six(&fs::read(seeds().join("ledger/six")).unwrap());
    let mut merged = queens::store::Merged::default();
    merged.add_bytes(&ledger).unwrap();
    assert_eq!(merged.ledger().unwrap().total().unwrap().0, 4);
}
