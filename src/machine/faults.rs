//! Faults on purpose: one bit of a table, a list, a weight or a count is flipped at a moment that chance decides, to see what the
//! checks find. In debug builds with feature `faults` alone; `docs/VERIFICATION.md` has what came of it.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

#[cfg(not(debug_assertions))]
compile_error!("feature faults is for debug builds: no release may flip bits");

/// What a bit is flipped in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Memory {
    /// Tables that kernels look up.
    Tables,
    /// Lists of partial placements.
    Lists,
    /// Counts of subproblems.
    Counts,
    /// What engine `join` counts, and how often: the rows that columns are compared with, and the weights of classes.
    Weights,
}

impl Memory {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Tables, Self::Lists, Self::Counts, Self::Weights];
}

/// For each memory, how many chances there were, and how many there will be until one is taken.
static CHANCES: [AtomicU64; 4] = [const { AtomicU64::new(0) }; 4];
static LEFT: [AtomicI64; 4] = [const { AtomicI64::new(-1) }; 4];
static SEED: AtomicU64 = AtomicU64::new(0);

/// Flips a bit of this memory when there will have been so many more chances; `seed` says which.
pub fn arm(memory: Memory, chances: u64, seed: u64) {
    SEED.store(seed, Relaxed);
    LEFT[memory as usize].store(chances as i64, Relaxed);
}

/// Flips nothing from now on. How many chances there were for each memory since this was called last.
pub fn disarm() -> [u64; 4] {
    LEFT.iter().for_each(|left| left.store(-1, Relaxed));
    CHANCES.each_ref().map(|chances| chances.swap(0, Relaxed))
}

/// A chance to flip a bit: which word of so many, and the bit, if it is taken.
fn chance(memory: Memory, words: usize, bits: u32) -> Option<(usize, u32)> {
    CHANCES[memory as usize].fetch_add(1, Relaxed);
    let is_armed = LEFT[memory as usize].load(Relaxed) >= 0;
    if words == 0 || !is_armed || LEFT[memory as usize].fetch_sub(1, Relaxed) != 0 {
        return None;
    }
    let mut random = fastrand::Rng::with_seed(SEED.load(Relaxed));
    Some((random.usize(..words), random.u32(..bits)))
}

/// A chance for words.
pub(crate) fn words(memory: Memory, words: &mut [u32]) {
    if let Some((word, bit)) = chance(memory, words.len(), 32) {
        words[word] ^= 1 << bit;
    }
}

/// A chance for 64 bits of a table's row, of which there are `rows`: which row, and what is changed in which of its words.
pub(crate) fn rows(rows: usize) -> Option<(usize, usize, u64)> {
    let (word, bit) = chance(Memory::Tables, 8 * rows, 64)?;
    Some((word / 8, word % 8, 1 << bit))
}

/// A chance for a number. Its upper half is left out: that it is wrong would be plain to see.
pub(crate) fn number(memory: Memory, number: &mut u64) {
    if let Some((_, bit)) = chance(memory, 1, 32) {
        *number ^= 1 << bit;
    }
}
