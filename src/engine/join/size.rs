//! How much memory a count takes, and how row sets are cut to fit.
//!
//! From N to N + 2 half-boards become six times as many. A row set of which there are too many to hold at a time is
//! counted in shares of its east half-boards, and in classes of its west ones that agree on the most frequent bits.
//! Either costs little: half-boards are generated again, but queries of a class meet the same blocks as before.

use super::pairs::Prefix;
use super::pattern::Side;

/// Bytes that a thread has for each half-board that is there: the pattern, a place to sort or split it, and what is
/// left of it after each step in which queries are split.
const PER_HALF_BOARD: usize = 64;
/// Half-boards of either side for which a thread has room at least.
const LEAST: usize = 1 << 16;

/// The half that has the centre column of an odd board. West half-boards are three times as many as east ones where
/// both halves are as wide, and nine times where the west has the centre column: fewer are sorted, more are queries. Up
/// to N = 23 they are as many if the east has it, which fills blocks and saves visits; from 25 on sorting and leaving
/// out, class by class, the patterns of the side that is made into blocks is most of the work. Figures in
/// docs/BENCHMARKING.md.
pub(super) fn centre(n: usize) -> Side {
    if n <= 23 { Side::East } else { Side::West }
}

/// Bytes of memory that counting takes. Measured up to N = 28, beyond that extrapolated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Memory {
    /// For all threads together.
    shared: u64,
    /// For a thread, where there is enough.
    usual: u64,
    /// For a thread at least: quadrant lists, which cannot be cut.
    least: u64,
}

impl Memory {
    fn of(n: usize) -> Self {
        let (shared, usual, least) = match n {
            ..=16 => (4, 3, 3),
            17 => (9, 3, 3),
            18 => (21, 4, 4),
            19 => (60, 8, 8),
            20 => (130, 10, 10),
            21 => (20, 30, 30),
            22 => (20, 48, 48),
            23 => (32, 64, 16),
            24 => (40, 64, 24),
            25 => (48, 256, 48),
            26 => (48, 256, 96),
            27 => (48, 768, 160),
            28 => (64, 768, 320),
            29 => (64, 1536, 640),
            30 => (96, 3072, 1280),
            31 => (96, 6144, 2560),
            _ => (128, 12288, 5120),
        };
        let [shared, usual, least] = [shared, usual, least].map(|mib: u64| mib << 20);
        Self {
            shared,
            usual,
            least,
        }
    }

    /// What counting on some threads takes where it may take `at_most`: more than that if it cannot do with as much.
    pub(super) fn taken(n: usize, threads: usize, at_most: u64) -> u64 {
        let Self {
            shared,
            usual,
            least,
        } = Self::of(n);
        let threads = threads as u64;
        at_most.clamp(shared + threads * least, shared + threads * usual)
    }
}

/// What is kept, and how row sets are cut to fit memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// The lists of sets of so many of a quadrant's first rows are kept.
    pub(super) kept_rows: usize,
    /// A sample of a row set is made of one in so many half-boards of either side.
    pub(super) sample_shares: usize,
    /// Bytes for a thread.
    room: usize,
    /// Half-boards of either side that may be there at a time even where there is no room.
    least: usize,
    /// Whether that is more than any row set takes.
    pub(super) holds_all: bool,
}

impl Shape {
    /// The shape for counting N where threads may take so much memory.
    pub(super) fn new(n: usize, threads: usize, at_most: u64) -> Self {
        let shared = Memory::of(n).shared;
        let room = (Memory::taken(n, threads, at_most) - shared) / threads as u64;
        Self {
            // All lists where there are few; more would save less than it costs to fetch them from memory.
            kept_rows: if n <= 20 { 10 } else { 7 },
            // So that a sample of a large row set fits too: one of N = 28 may have 850 million east half-boards.
            sample_shares: match n {
                ..=24 => 1,
                25..=26 => 32,
                27 => 64,
                28..=29 => 128,
                _ => 512,
            },
            room: room as usize,
            least: LEAST,
            holds_all: n <= 22,
        }
    }

    /// One that cuts row sets so that few half-boards are there at a time.
    #[cfg(test)]
    pub(super) fn tight(half_boards: usize) -> Self {
        Self {
            kept_rows: 3,
            sample_shares: 3,
            room: 0,
            least: half_boards,
            holds_all: false,
        }
    }

    /// Samples of a row set.
    pub(super) fn samples(self) -> usize {
        self.sample_shares * self.sample_shares
    }

    /// Half-boards of either side that may be there at a time, beside lists of so many bytes.
    fn most(self, lists: usize) -> usize {
        // A few row sets, all of whose rows are crowded in the north or the south, have lists that leave no room. They
        // go beyond it rather than be cut into thousands of pieces.
        let room = self.room.saturating_sub(lists).max(self.room / 3);
        (room / PER_HALF_BOARD).max(self.least)
    }

    /// Whether lists of so many bytes take so much of the room that memory is better given back before the next row
    /// set, whose lists are seldom as long: it would keep, of each of its lists, the most that any row set needed.
    pub(super) fn is_crowded(self, lists: usize) -> bool {
        !self.holds_all && lists > self.room / 4
    }

    /// Into how many shares so many east half-boards are cut.
    pub(super) fn shares(self, east: usize, lists: usize) -> usize {
        east.div_ceil(self.most(lists)).max(1)
    }

    /// Calls `add` with classes that make up `class` and may each be there at a time, as far as they can be cut by the
    /// first `bits` bits, where `size` says about how many west half-boards a class has.
    pub(super) fn cut(
        self,
        class: Prefix,
        size: &impl Fn(Prefix) -> usize,
        lists: usize,
        bits: u32,
        add: &mut impl FnMut(Prefix),
    ) {
        if class.bits == bits as usize || size(class) <= self.most(lists) {
            add(class);
        } else {
            for class in class.cut() {
                self.cut(class, size, lists, bits, add);
            }
        }
    }
}
