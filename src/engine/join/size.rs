//! Memory use of a count, and the division of row sets that do not fit.
//!
//! The number of half-boards grows sixfold from N to N + 2. A row set that does not fit in memory is counted in shares
//! of its east half-boards, and in classes of its west half-boards that agree on the most frequent bits. Both cost
//! little: half-boards are generated again, but the number of visits stays the same.

use super::pairs::Prefix;
use super::pattern::Side;

/// Number of bytes per half-board: the pattern, scratch memory to sort or split it, and copies that remain after each
/// step that splits queries.
const PER_HALF_BOARD: usize = 64;
/// Minimum number of half-boards of either side that a thread can hold.
const LEAST: usize = 1 << 16;

/// Returns the half that gets the centre column of an odd board.
///
/// With equal widths, there are three times as many west half-boards as east ones. With the centre column in the west,
/// there are nine times as many, so fewer are sorted and more are queries. With the centre column in the east, the
/// numbers are about equal, which fills blocks and saves visits. This is faster up to N = 23. From N = 25 on, sorting
/// and filtering the east patterns is most of the work. See docs/BENCHMARKING.md for measurements.
pub(super) fn centre(n: usize) -> Side {
    if n <= 23 { Side::East } else { Side::West }
}

/// Memory use of a count in bytes, measured up to N = 28 and extrapolated beyond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Memory {
    /// Memory shared by all threads.
    shared: u64,
    /// Memory per thread if there is enough.
    usual: u64,
    /// Minimum memory per thread, for quadrant lists, which cannot be divided.
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

    /// Returns the memory that a count uses if it may use `at_most`. It exceeds `at_most` if the count needs more.
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

/// The lists that are kept, and the division of row sets to fit memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// Number of first rows of a quadrant whose lists are kept.
    pub(super) kept_rows: usize,
    /// Number of shares of the half-boards of either side, one of which is a sample.
    pub(super) sample_shares: usize,
    /// Memory limit per thread in bytes.
    room: usize,
    /// Number of half-boards of either side that are always allowed in memory.
    least: usize,
    /// Whether every row set fits in memory.
    pub(super) holds_all: bool,
}

impl Shape {
    /// Creates the shape for a count of N with a limit on memory.
    pub(super) fn new(n: usize, threads: usize, at_most: u64) -> Self {
        let shared = Memory::of(n).shared;
        let room = (Memory::taken(n, threads, at_most) - shared) / threads as u64;
        Self {
            // Keep all lists if there are few. Loading more of them from memory would take longer than building them
            // again.
            kept_rows: if n <= 20 { 10 } else { 7 },
            // A sample of a large row set must fit in memory. A row set of N = 28 can have 850 million east
            // half-boards.
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

    /// Creates a shape that divides row sets so that few half-boards are in memory at a time.
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

    /// Number of samples of a row set.
    pub(super) fn samples(self) -> usize {
        self.sample_shares * self.sample_shares
    }

    /// Maximum number of half-boards of either side in memory, beside quadrant lists of `lists` bytes.
    fn most(self, lists: usize) -> usize {
        // A few row sets, with all rows crowded in the north or the south, have lists that take all memory. They exceed
        // the limit, because the alternative is thousands of pieces.
        let room = self.room.saturating_sub(lists).max(self.room / 3);
        (room / PER_HALF_BOARD).max(self.least)
    }

    /// Whether quadrant lists of `lists` bytes are so large that their memory should be freed before the next row set.
    /// Otherwise each list would keep the largest capacity that any row set needed.
    pub(super) fn is_crowded(self, lists: usize) -> bool {
        !self.holds_all && lists > self.room / 4
    }

    /// Returns the number of shares into which `east` half-boards are divided.
    pub(super) fn shares(self, east: usize, lists: usize) -> usize {
        east.div_ceil(self.most(lists)).max(1)
    }

    /// Divides `class` by up to `bits` bits until each part fits in memory, and calls `add` with the parts. `size`
    /// returns the approximate number of west half-boards in a class.
    pub(super) fn cut(
        self,
        class: Prefix,
        size: &impl Fn(Prefix) -> usize,
        lists: usize,
        bits: &[u8],
        add: &mut impl FnMut(Prefix),
    ) {
        if class.bits == bits.len() || size(class) <= self.most(lists) {
            add(class);
        } else {
            for class in class.split(bits[class.bits]) {
                self.cut(class, size, lists, bits, add);
            }
        }
    }
}
