//! How much memory a count takes, and how row sets are cut to fit.
//!
//! From N to N + 2 half-boards become six times as many. A row set of which there are too many to hold at a time is counted
//! in shares of its east half-boards, and in classes of its west ones that agree on the most frequent bits. Either costs
//! little: half-boards are generated again, but queries of a class meet the same blocks as before.

use super::pairs::Prefix;

const MIB: u64 = 1 << 20;

/// Bytes that a thread has for each half-board that is there: the pattern, a place to sort it, and for those of the east
/// what is left of it after each step in which queries are split.
const PER_HALF_BOARD: usize = 45;
/// Half-boards of either side for which a thread has room at least.
const LEAST: usize = 1 << 16;

/// What is kept, and into how many parts row sets are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// The lists of sets of so many of a quadrant's first rows are kept.
    pub(super) kept_rows: usize,
    /// Parts of a row set have west half-boards that agree on so many bits.
    class_bits: usize,
    /// Bytes for a thread.
    room: usize,
    /// Whether that is more than any row set takes.
    pub(super) holds_all: bool,
}

impl Shape {
    /// The shape for counting N where each thread has so much memory.
    pub(super) fn new(n: usize, room: u64) -> Self {
        Self {
            // All lists where there are few; more would save less than it costs to fetch them from memory.
            kept_rows: if n <= 20 { 10 } else { 7 },
            class_bits: match n {
                ..=25 => 0,
                26 => 2,
                27 => 5,
                _ => 6,
            },
            room: room as usize,
            holds_all: n <= 22,
        }
    }

    /// Bytes that all threads share, and bytes for each where nothing else is asked for.
    pub(super) fn memory(n: usize) -> (u64, u64) {
        match n {
            ..=16 => (4 * MIB, 2 * MIB),
            17 => (9 * MIB, 3 * MIB),
            18 => (21 * MIB, 4 * MIB),
            19 => (80 * MIB, 8 * MIB),
            20 => (130 * MIB, 10 * MIB),
            21 => (20 * MIB, 30 * MIB),
            22 => (20 * MIB, 48 * MIB),
            23..=24 => (40 * MIB, 64 * MIB),
            25 => (40 * MIB, 128 * MIB),
            26 => (60 * MIB, 256 * MIB),
            27 => (60 * MIB, 512 * MIB),
            28 => (60 * MIB, 768 * MIB),
            29 => (100 * MIB, 2048 * MIB),
            30 => (100 * MIB, 4096 * MIB),
            _ => (200 * MIB, 12288 * MIB),
        }
    }

    /// Parts of a row set.
    pub(super) fn parts(self) -> usize {
        1 << self.class_bits
    }

    /// The class of west half-boards that makes a part.
    pub(super) fn class(self, part: usize) -> Prefix {
        let bits = self.class_bits;
        Prefix { class: part, bits }
    }

    /// Half-boards of either side that may be there at a time, beside lists of so many bytes.
    fn most(self, lists: usize) -> usize {
        (self.room.saturating_sub(lists) / PER_HALF_BOARD).max(LEAST)
    }

    /// Into how many shares so many east half-boards are cut.
    pub(super) fn shares(self, east: usize, lists: usize) -> usize {
        east.div_ceil(self.most(lists)).max(1)
    }

    /// On how many of the first `of` bits the west half-boards agree that are there at a time, if there are so many in all.
    pub(super) fn prefix_bits(self, west: usize, lists: usize, of: u32) -> usize {
        let bits = self.class_bits..of as usize;
        let most = self.most(lists);
        bits.clone()
            .find(|&bits| largest_class(west, bits) <= most)
            .unwrap_or(bits.end)
    }
}

/// The largest of the classes of so many west half-boards that agree on some bits: that of those which lack them all. About
/// a quarter have a bit.
pub(super) fn largest_class(west: usize, bits: usize) -> usize {
    (west as f64 * 0.75f64.powi(bits as i32)) as usize
}
