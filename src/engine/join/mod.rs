//! The `join` engine, which counts solutions as pairs of half-boards.
//!
//! A solution consists of an east and a west half-board that use complementary sets of rows. The
//! **pattern** of a half-board is a bit mask of the occupied diagonals that cross the centre line.
//! Two half-boards on complementary rows form a solution if their patterns are disjoint. The engine
//! counts these pairs, one row set at a time:
//!
//! 1. [`quadrant`] lists the placements on a quadrant for each set of rows and columns.
//! 2. [`half`] joins placements on the north and south quadrants into half-boards.
//! 3. [`symmetry`] selects the half-boards to count and determines their weights.
//! 4. [`pairs`] counts the disjoint pairs of two lists of patterns, using [`census`],
//!    [`passes`] and [`block`].

mod block;
mod census;
mod half;
mod list;
mod pairs;
mod passes;
mod pattern;
mod quadrant;
mod row_set;
mod size;
pub(crate) mod stats;
mod subsets;
mod symmetry;
#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;

use super::choice::Kernel;
pub(super) use row_set::{Scratch, Solver};
pub(super) use size::memory;
pub(super) use symmetry::RowSets;

/// Board sizes that this engine can count.
pub(super) const SIZES: RangeInclusive<u32> = pattern::MIN_N as u32..=pattern::MAX_N as u32;

/// Kernels from slowest to fastest.
#[cfg(not(target_feature = "simd128"))]
pub(super) const KERNELS: &[Kernel] =
    &[Kernel::Portable, Kernel::Neon, Kernel::Avx2, Kernel::Avx512];
#[cfg(target_feature = "simd128")]
pub(super) const KERNELS: &[Kernel] = &[Kernel::Wasm];

/// Smallest N for which this engine is faster than `bitboard`.
pub(super) const FASTEST_FROM: u32 = 16;

/// Number of consecutive row sets that one thread counts together. Most of them share their
/// southern rows. At N = 18, counting row sets in random order takes 5 % more CPU time than
/// counting them in sequence. Random runs of 11 row sets take 2 % more, and runs of 64 take no
/// more.
pub(super) const STRETCH_LEN: usize = 64;
