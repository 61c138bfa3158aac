//! Batched expansion of many states in vector lanes, without data-dependent branches.
//!
//! A **state** of column c has queens in columns 0 to c - 1. It consists of the `rows`, `falling`
//! and `rising` words of a [`Position`], and of a word `free`, which marks the rows of column c
//! still to be tried. `free` is never zero. The states of each column are stored in four parallel
//! lists. One **step** processes a vector of states of column c:
//!
//! 1. It places a queen on the lowest free row of every lane, which yields the *children*, states
//!    of column c + 1.
//! 2. It appends the children that survive [`prune`] to the lists of column c + 1.
//! 3. It removes the row from `free` and writes the lanes with other rows to try, the *siblings*,
//!    back to their lists.
//!
//! All lanes of a step have work, no matter how much their numbers of free rows differ. The
//! alternative would be a loop over the free rows of a vector of states, which runs until the lane
//! with the most free rows is done. In an experiment, only a third to a half of the lanes had work
//! in such a loop, its end was hard to predict, and the search took twice as long. A state leaves
//! at most one child and one sibling, so no list ever exceeds two batches.
//!
//! The last two columns are counted immediately instead of being stored.
//!
//! [`Search::run`] chooses the column to step next. This is the deepest one, unless it has less
//! than a batch of states and an earlier column can still add to it. So nearly all vectors are
//! full, and the search rarely moves to another column. There is enough time between writing and
//! reading a list that loads do not have to wait for stores.

use super::position::{Position, Squares};
use super::reference;
use crate::board::MAX_N;
use crate::engine::simd::{InstructionSet, LaneMask, Mask, Task, U32s};

/// Number of states stepped at a time. The lists of both columns of a step take 16 KiB and stay in
/// the L1 cache.
pub(super) const BATCH: usize = 256;

/// Number of lanes of the widest vector.
const MAX_LANES: usize = 16;

/// Stride between the lists of one column, in words. A list needs space for two batches, and for
/// one vector that a store may overwrite. With this stride, the first batches of the four lists
/// cover each set of a 4 KiB cache way once.
const CAPACITY: usize = 3 * BATCH;

/// Number of words in a state: rows, falling, rising, free.
const WORDS: usize = 4;

/// Stride between the lists of adjacent columns, in words. The extra half batch ensures that loads
/// from one column and stores to the next do not have the same offset within a page. With the lists
/// packed as densely as possible, the search took up to 8 % longer, depending on the address of the
/// allocation.
const COLUMN: usize = WORDS * CAPACITY + BATCH / 2;

/// Maximum number of remaining columns for which plain recursion is used.
const FEW_COLUMNS: usize = 3;

/// The lists of all columns of a search, 13 KiB each. A worker reuses this scratch memory for each
/// subproblem. It is allocated on first use.
#[derive(Debug, Default)]
pub(crate) struct StateLists {
    words: Vec<u32>,
}

/// Task that counts the ways to complete `positions`. There may be at most a batch of them, all in
/// the same column.
pub(super) struct Complete<'a> {
    pub(super) squares: &'a Squares,
    pub(super) positions: &'a [Position],
    pub(super) lists: &'a mut StateLists,
}

impl Task for Complete<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<I: InstructionSet>(self, isa: I) -> u64 {
        let Some(first) = self.positions.first() else {
            return 0;
        };
        if self.squares.n as usize <= first.column as usize + FEW_COLUMNS {
            let count = |&position| reference::count(self.squares, position);
            return self.positions.iter().map(count).sum();
        }
        let mut search = Search::new(self.squares, self.positions, self.lists);
        search.run(isa, first.column as usize)
    }
}

/// A search in progress.
struct Search<'a> {
    /// A copy rather than a reference, so that the compiler can keep its words in registers across
    /// stores to the lists.
    squares: Squares,
    /// The four lists of each column, stored column by column.
    words: &'a mut [u32],
    /// Column of the first lists.
    first: usize,
    /// Number of states in the lists of each column.
    len: [usize; MAX_N as usize],
}

impl<'a> Search<'a> {
    /// Creates a search from positions in the same column. Drops positions that have no free row in
    /// the next column.
    fn new(squares: &Squares, positions: &[Position], lists: &'a mut StateLists) -> Self {
        assert!(positions.len() <= BATCH);
        assert!(positions.iter().all(|p| p.column == positions[0].column));
        let first = positions[0].column as usize;
        // The last two columns are not stored.
        let columns = (squares.n as usize - 1).saturating_sub(first);
        if lists.words.len() < COLUMN * columns {
            lists.words.resize(COLUMN * columns, 0);
        }
        let (words, len) = (&mut lists.words[..], [0; MAX_N as usize]);
        let mut search = Self { squares: *squares, words, first, len };
        for position in positions {
            search.push(position);
        }
        search
    }

    /// Appends a position, unless it has no free row in the next column.
    fn push(&mut self, position: &Position) {
        let free = position.free(&self.squares);
        if free == 0 {
            return;
        }
        let column = position.column as usize;
        let state = [position.rows, position.falling, position.rising, free];
        for (list, word) in state.into_iter().enumerate() {
            let lists = (column - self.first) * COLUMN;
            self.words[lists + list * CAPACITY + self.len[column]] = word;
        }
        self.len[column] += 1;
    }

    /// Counts the completions of all states and empties the lists. Columns before `top` must not
    /// have states.
    #[inline(always)]
    fn run<I: InstructionSet>(&mut self, isa: I, mut top: usize) -> u64 {
        let columns = self.squares.n as usize;
        let last = columns - FEW_COLUMNS;
        let mut column = top;
        let mut solutions = 0;
        loop {
            // The next column has less than a batch of states here, because the loop moves to a
            // column as soon as that column has a batch and stays there until it no longer does.
            // Nearly all of the work is in the last columns, so the look-ahead is unrolled for
            // these. This makes the search an eighth faster.
            solutions += match columns - column {
                FEW_COLUMNS => self.step_batch::<I, FEW_COLUMNS>(isa, column),
                4 => self.step_batch::<I, 4>(isa, column),
                5 => self.step_batch::<I, 5>(isa, column),
                6 => self.step_batch::<I, 6>(isa, column),
                7 => self.step_batch::<I, 7>(isa, column),
                8 => self.step_batch::<I, 8>(isa, column),
                _ => self.step_batch::<I, 0>(isa, column),
            };
            if column < last && self.len[column + 1] >= BATCH {
                column += 1;
                continue;
            }
            while column > top && self.len[column] < BATCH {
                column -= 1;
            }
            if column == top {
                // Nothing can add to the topmost list. Drain it, then continue with the next column
                // as the topmost.
                while self.len[top] == 0 {
                    if top == last {
                        return solutions;
                    }
                    top += 1;
                }
                column = top;
            }
        }
    }

    /// Steps the last batch of states of `column`, or all of them if there are fewer. `LEFT` is the
    /// number of remaining columns including this one, or 0 if it is not known at compile time. If
    /// it is [`FEW_COLUMNS`], the completions of the children are counted and returned, and no
    /// children are stored. Panics if the next column has a batch of states or more, or if `column`
    /// is one of the last two.
    #[inline(always)]
    fn step_batch<I: InstructionSet, const LEFT: usize>(&mut self, isa: I, column: usize) -> u64 {
        const { assert!(I::Words::LANES <= MAX_LANES && BATCH.is_multiple_of(I::Words::LANES)) };
        let left = if LEFT == 0 { self.squares.n as usize - column } else { LEFT };
        let blocked = &self.squares.blocked[column + 1..column + left];
        let (end, mut next_end) = (self.len[column], self.len[column + 1]);
        // The SAFETY comments below rely on this assertion: a vector that starts within two batches
        // is within its list.
        assert!(end <= 2 * BATCH && next_end < BATCH && left >= FEW_COLUMNS);
        const { assert!(2 * BATCH + MAX_LANES <= CAPACITY) };
        // These are pointers because a step reads and writes the lists of two columns at a time.
        let here = self.words[(column - self.first) * COLUMN..][..2 * COLUMN].as_mut_ptr();
        let next = here.wrapping_add(COLUMN);
        let start = end - end.min(BATCH);
        let mut siblings_end = start;
        let mut solutions = 0;
        let board_rows = isa.splat(self.squares.rows());
        for at in (start..end).step_by(I::Words::LANES) {
            let [rows, falling, rising, free] = state(here, at);
            // SAFETY: `at` is below two batches, as asserted.
            let [rows, falling, rising, free] =
                unsafe { [isa.load(rows), isa.load(falling), isa.load(rising), isa.load(free)] };
            let lanes = isa.first(end - at);
            let rest = free.clear_lowest();
            let queen = free.and_not(rest);
            let placed = queen.not_zero().and(lanes);
            let siblings = [rows, falling, rising, rest];
            let keep = rest.not_zero().and(lanes);
            // SAFETY: a step adds at most as many states as it has lanes, so `siblings_end` never
            // exceeds `at`, and only states that have already been read are overwritten.
            siblings_end +=
                unsafe { I::Words::compress_store(siblings, keep, state(here, siblings_end)) };

            let rows = rows.or(queen);
            let falling = falling.or(queen).shl1();
            let rising = rising.or(queen).shr1();
            let open = board_rows.and_not(rows);
            if LEFT == FEW_COLUMNS {
                let blocked = [blocked[0], blocked[1]];
                solutions += u64::from(complete_two(isa, open, falling, rising, blocked, placed));
            } else {
                let (free, alive) = prune(isa, open, falling, rising, blocked, placed);
                let children = [rows, falling, rising, free];
                // SAFETY: `next_end` starts below a batch, as asserted, and grows by at most one
                // per state of the batch.
                next_end +=
                    unsafe { I::Words::compress_store(children, alive, state(next, next_end)) };
            }
        }
        self.len[column] = siblings_end;
        self.len[column + 1] = next_end;
        solutions
    }
}

/// Returns pointers to the words of a state, given a pointer to the lists of its column.
#[inline(always)]
fn state(lists: *mut u32, index: usize) -> [*mut u32; WORDS] {
    [0, 1, 2, 3].map(|list| lists.wrapping_add(list * CAPACITY + index))
}

/// Returns the rows to try in the next column, and the lanes of `valid` that may still lead to a
/// solution.
///
/// `open` marks the rows without a queen, as many as there are columns left. `blocked` contains the
/// blocked rows of each of these columns. Two tests detect dead lanes. They miss some, but never
/// drop a solution:
///
/// - Every column needs a row. A lane is dead if all open rows of some column are attacked.
/// - Every row needs a column. If an open row is attacked in all later columns, it needs a queen in
///   the next column. If there is one such row, no other row is tried. The lane is dead if there
///   are two, or if the only one is also attacked in the next column.
///
/// At N = 15, these tests keep 45 % of the children that a test of only the next column would keep.
#[inline(always)]
fn prune<I: InstructionSet>(
    isa: I,
    open: I::Words,
    mut falling: I::Words,
    mut rising: I::Words,
    blocked: &[u32],
    valid: Mask<I>,
) -> (I::Words, Mask<I>) {
    let free = open.and_not(falling.or(rising).or(isa.splat(blocked[0])));
    let mut urgent = open;
    let mut alive = valid;
    for &blocked in &blocked[1..] {
        falling = falling.shl1();
        rising = rising.shr1();
        let attacked = falling.or(rising).or(isa.splat(blocked));
        alive = alive.and(open.and_not(attacked).not_zero());
        urgent = urgent.and(attacked);
    }
    let free = free.and_where(urgent.not_zero(), urgent);
    let alive = alive.and(urgent.clear_lowest().is_zero()).and(free.not_zero());
    (free, alive)
}

/// Returns the number of ways to fill the last two columns, summed over the lanes of `valid`.
///
/// Two rows of each lane are `open`. There are two ways if both rows are free in both columns.
/// Otherwise, there is one way if each column has a free row and each row is free in some column.
/// Adjacent rows allow none, because the queens would share a diagonal.
#[inline(always)]
fn complete_two<I: InstructionSet>(
    isa: I,
    open: I::Words,
    falling: I::Words,
    rising: I::Words,
    blocked: [u32; 2],
    valid: Mask<I>,
) -> u32 {
    let first = open.and_not(falling.or(rising).or(isa.splat(blocked[0])));
    let second = falling.shl1().or(rising.shr1()).or(isa.splat(blocked[1]));
    let second = open.and_not(second);
    let apart = open.and(open.shr1()).is_zero();
    let one_way = valid
        .and(apart)
        .and(first.not_zero())
        .and(second.not_zero())
        .and(open.and_not(first.or(second)).is_zero());
    let both_ways = one_way.and(open.and_not(first.and(second)).is_zero());
    one_way.count() + both_ways.count()
}

#[cfg(test)]
mod tests;
