//! Memory use of a count, and the division of row sets that do not fit in memory.
//!
//! From N to N + 2, the number of half-boards grows sixfold. If a row set does not fit in memory,
//! its east half-boards are divided into shares. Its west half-boards are divided into buckets
//! whose members agree on the most frequent bits. Both divisions are cheap: half-boards are
//! generated several times, but the number of visits stays the same.

/// Number of bytes per half-board, including scratch memory for sorting or partitioning and the
/// copies at each level of the recursion.
const PER_HALF_BOARD: usize = 64;
/// Number of half-boards of either side that a thread may always keep in memory.
const MIN_HALF_BOARDS: usize = 1 << 16;

/// Memory use of a count in MiB. Values are peaks of the resident memory up to N = 22. Beyond, they
/// are the sizes of all kept lists and of the largest lists of a row set, which were measured for
/// random row sets with each number of northern rows up to N = 31: see docs/VERIFICATION.md.
struct Memory {
    /// Memory shared by all threads, including the 9 MiB of the program itself.
    shared: u64,
    /// Memory per thread if the limit allows it.
    usual: u64,
    /// Minimum memory per thread. It is needed for the quadrant lists, which cannot be divided.
    min: u64,
}

impl Memory {
    fn for_size(n: usize) -> Self {
        let (shared, usual, min) = match n {
            ..=16 => (9, 3, 3),
            17 => (14, 3, 3),
            18 => (21, 4, 4),
            19 => (72, 8, 8),
            20 => (168, 10, 10),
            21 => (20, 30, 30),
            22 => (20, 48, 48),
            23 => (32, 64, 16),
            24 => (40, 64, 24),
            25 => (56, 248, 56),
            26 => (68, 236, 96),
            27 => (100, 716, 300),
            28 => (122, 710, 480),
            29 => (180, 1700, 1700),
            30 => (216, 2952, 2900),
            31 => (312, 10500, 10500),
            _ => (376, 17000, 17000),
        };
        Self { shared, usual, min }
    }
}

/// Returns the memory used by a count with the limit `max_bytes`, in bytes. It exceeds the limit if
/// the count needs more.
pub(crate) fn memory(n: usize, threads: usize, max_bytes: u64) -> u64 {
    let (Memory { shared, usual, min }, threads) = (Memory::for_size(n), threads as u64);
    max_bytes.clamp((shared + threads * min) << 20, (shared + threads * usual) << 20)
}

/// Settings that decide which lists are kept and how row sets are divided to fit in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MemoryLimits {
    /// Number of leading rows of a quadrant. Lists that use only these rows are kept.
    pub(super) kept_rows: usize,
    /// Memory limit per thread in bytes.
    limit: usize,
    /// Number of half-boards of either side that are allowed in memory regardless of the limit.
    min: usize,
    /// Whether every row set fits in memory.
    pub(super) holds_all: bool,
}

impl MemoryLimits {
    /// Creates the limits for a count of size `n` with a memory limit of `max_bytes` bytes.
    pub(super) fn new(n: usize, threads: usize, max_bytes: u64) -> Self {
        let shared = Memory::for_size(n).shared << 20;
        let limit = (memory(n, threads, max_bytes) - shared) / threads as u64;
        Self {
            // Keep all lists if there are few of them. Beyond that, loading a list from memory
            // takes longer than building it again.
            kept_rows: if n <= 20 { 10 } else { 7 },
            limit: limit as usize,
            min: MIN_HALF_BOARDS,
            holds_all: n <= 22,
        }
    }

    /// Creates limits that divide row sets so finely that only about `half_boards` are in memory
    /// at a time.
    #[cfg(test)]
    pub(super) fn tight(half_boards: usize) -> Self {
        Self { kept_rows: 3, limit: 0, min: half_boards, holds_all: false }
    }

    /// Returns the maximum number of half-boards of either side in memory, given `lists` bytes of
    /// quadrant lists.
    pub(super) fn max_half_boards(self, lists: usize) -> usize {
        (self.limit.saturating_sub(lists) / PER_HALF_BOARD).max(self.min)
    }

    /// Returns the maximum number of bytes for building the lists of one quadrant, given
    /// `half_boards` bytes of half-boards in memory. Two quadrants of a row set can be large.
    pub(super) fn most_lists(self, half_boards: usize) -> usize {
        self.limit.saturating_sub(half_boards) / 2
    }

    /// Whether quadrant lists of `lists` bytes are so large that their memory should be freed
    /// before the next row set.
    pub(super) fn is_crowded(self, lists: usize) -> bool {
        lists > self.limit / 4
    }
}
