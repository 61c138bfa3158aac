//! Batched expansion: many states side by side in vector lanes, without a branch that depends on a state.
//!
//! A **state** is a partial placement and what it has still to try: the words rows, falling and rising of a
//! [`Position`], and `free`, the rows of the next column where a queen has yet to be tried, never none. The states of
//! one column are kept in four parallel lists. One **step** takes a vector of states of one column and
//!
//! 1. places a queen on the lowest free row of every lane, which gives the *children*, states of the next column;
//! 2. appends the children that survive [`prune`] to the next column's lists;
//! 3. puts the *siblings*, the lanes that have other rows to try, back on their own lists without that row.
//!
//! Every lane of a step has work, however uneven the numbers of free rows are. (A loop over the rows of a vector of
//! states runs as often as its fullest lane needs: a third to a half of the lanes had work, and where it ends is hard
//! to predict. Measured, it took twice as long.) A state leaves at most one child and one sibling, so a list never
//! outgrows two batches, whatever the board.
//!
//! The last two columns are counted in place and never stored.
//!
//! What to step next is chosen by [`Search::run`]: as deep as possible, but never a column that holds less than a
//! batch while one above could still add to it. So vectors are full but for the very last ones, changes of column are
//! rare, and no list is read so soon after it was written that the load has to wait for the stores.

use super::position::{Position, Squares};
use super::reference;
use crate::board::MAX_N;
use crate::engine::simd::{InstructionSet, LaneMask, Task, U32s};

/// States stepped at a time. Two columns' lists, the ones a step works on, take 16 KiB and stay in the L1 cache.
pub(super) const BATCH: usize = 256;

/// Lanes of the widest vector.
const MAX_LANES: usize = 16;

/// Words in one list: less than a batch before a step adds one, and a vector that a store may scribble on.
const CAPACITY: usize = 2 * BATCH + MAX_LANES;

/// Words in a state: rows, falling, rising, free.
const WORDS: usize = 4;

/// The four lists of one column.
const COLUMN: usize = WORDS * CAPACITY;

/// With this many columns left or fewer, the position is left to plain recursion: there is nothing to batch.
const FEW_COLUMNS: usize = 3;

/// A worker's memory: every column's lists, 264 KiB, used again for each subproblem.
#[derive(Debug)]
pub(crate) struct StateLists {
    words: Box<[u32]>,
}

impl Default for StateLists {
    /// Memory for boards of any size.
    fn default() -> Self {
        Self {
            words: vec![0; COLUMN * MAX_N as usize].into_boxed_slice(),
        }
    }
}

/// The task to count the ways to complete `positions`, all of the same column and at most a batch of them.
pub(super) struct Complete<'a> {
    pub(super) squares: &'a Squares,
    pub(super) positions: &'a [Position],
    pub(super) lists: &'a mut StateLists,
}

impl Task for Complete<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<I: InstructionSet, const WIDE: bool>(self, isa: I) -> u64 {
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

/// A search under way.
struct Search<'a> {
    /// A copy: the compiler then sees that stores to the lists leave it as it is, and keeps its words in registers.
    squares: Squares,
    /// Column after column, its four lists.
    words: &'a mut [u32],
    /// States listed for each column: those whose next queen goes there.
    len: [usize; MAX_N as usize],
}

impl<'a> Search<'a> {
    /// Lists positions of one column, but for those whose next column offers nothing.
    fn new(squares: &Squares, positions: &[Position], lists: &'a mut StateLists) -> Self {
        assert!(positions.len() <= BATCH);
        assert!(positions.iter().all(|p| p.column == positions[0].column));
        let mut search = Self {
            squares: *squares,
            words: &mut lists.words,
            len: [0; MAX_N as usize],
        };
        for position in positions {
            search.push(position);
        }
        search
    }

    /// Lists a position, unless its next column offers nothing.
    fn push(&mut self, position: &Position) {
        let free = position.free(&self.squares);
        if free == 0 {
            return;
        }
        let column = position.column as usize;
        let state = [position.rows, position.falling, position.rising, free];
        for (list, word) in state.into_iter().enumerate() {
            self.words[column * COLUMN + list * CAPACITY + self.len[column]] = word;
        }
        self.len[column] += 1;
    }

    /// Counts the completions of all states listed, none of them above column `top`, and empties the lists.
    #[inline(always)]
    fn run<I: InstructionSet>(&mut self, isa: I, mut top: usize) -> u64 {
        let columns = self.squares.n as usize;
        let last = columns - FEW_COLUMNS;
        let mut column = top;
        let mut solutions = 0;
        loop {
            // The next column's lists hold less than a batch: the loop goes on to a column as soon as it holds one, and
            // leaves it only when it does not. Unrolling the look-ahead where nearly all of the work is makes the whole
            // an eighth faster.
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
                // Nothing can add to the topmost list: use it up, then the next one is the topmost.
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

    /// Steps the last batch of states of `column`, or all if there are fewer. `LEFT` is the number of columns left,
    /// this one included, or 0 where the compiler need not know. With [`FEW_COLUMNS`] left the children are not listed:
    /// the number of their completions is returned.
    ///
    /// # Panics
    ///
    /// If the next column's lists hold a batch or more, or `column` is one of the last two.
    #[inline(always)]
    fn step_batch<I: InstructionSet, const LEFT: usize>(&mut self, isa: I, column: usize) -> u64 {
        const { assert!(I::Words::LANES <= MAX_LANES && BATCH.is_multiple_of(I::Words::LANES)) };
        let left = if LEFT == 0 {
            self.squares.n as usize - column
        } else {
            LEFT
        };
        let blocked = &self.squares.blocked[column + 1..column + left];
        let (end, mut next_end) = (self.len[column], self.len[column + 1]);
        // What the steps below rely on, once for all of them.
        assert!(end <= 2 * BATCH && next_end < BATCH && left >= FEW_COLUMNS);
        let (here, next) = self.words[column * COLUMN..][..2 * COLUMN].split_at_mut(COLUMN);
        let (here, next) = (Lists(here.as_mut_ptr()), Lists(next.as_mut_ptr()));
        let start = end - end.min(BATCH);
        let mut siblings_end = start;
        let mut solutions = 0;
        let board_rows = isa.splat(self.squares.rows());
        for at in (start..end).step_by(I::Words::LANES) {
            // SAFETY: `at` is below two batches, as asserted.
            let [rows, falling, rising, free] = unsafe { here.load(isa, at) };
            let lanes = isa.first(end - at);
            let rest = free.clear_lowest();
            let queen = free.and_not(rest);
            let placed = queen.not_zero().and(lanes);
            let siblings = [rows, falling, rising, rest];
            // SAFETY: a step adds no more states than it has lanes. So `siblings_end` never passes `at`, and what is
            // overwritten has been read.
            siblings_end +=
                unsafe { here.store(siblings, rest.not_zero().and(lanes), siblings_end) };

            let rows = rows.or(queen);
            let falling = falling.or(queen).shl1();
            let rising = rising.or(queen).shr1();
            let open = board_rows.and_not(rows);
            if LEFT == FEW_COLUMNS {
                let blocked = [blocked[0], blocked[1]];
                solutions += u64::from(complete_two(isa, open, falling, rising, blocked, placed));
            } else {
                let (free, alive) = prune(isa, open, falling, rising, blocked, placed);
                // SAFETY: at first less than a batch, as asserted, and for the same reason never more than a batch
                // longer.
                next_end += unsafe { next.store([rows, falling, rising, free], alive, next_end) };
            }
        }
        self.len[column] = siblings_end;
        self.len[column + 1] = next_end;
        solutions
    }
}

/// The rows that the next queen can take, and the lanes, of those in `valid`, that can still lead to a solution.
///
/// `open` are the rows without a queen, as many as there are columns left; `blocked` tells of each of these columns
/// which rows are blocked. Two things are looked at, both exact, neither complete:
///
/// - every column needs a row: a lane is dead if a column has none that is open and not attacked;
/// - every row needs a column: an open row that is attacked in all later columns must take the next queen. If there is
///   one such row, no other need be tried; with two, or with one that is attacked in the next column too, the lane is
///   dead.
///
/// On a board of 15 this leaves 45 % of the children that looking at the next column alone leaves.
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
    let alive = alive
        .and(urgent.clear_lowest().is_zero())
        .and(free.not_zero());
    (free, alive)
}

/// A verdict per lane of an instruction set's words.
type Mask<I> = <<I as InstructionSet>::Words as U32s>::Mask;

/// The number of ways to fill the last two columns, all lanes together, of the lanes in `valid`.
///
/// Two rows are `open`. With both ways round possible, each column offers both rows: 2. With one, the columns offer
/// both rows between them, and each offers one at least. Neighbouring rows are on a common diagonal.
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

/// The four lists of one column. A pointer and not a slice: a step reads and writes two columns' lists at once.
#[derive(Clone, Copy)]
struct Lists(*mut u32);

impl Lists {
    /// Where state `at` is in each list.
    ///
    /// # Safety
    /// The lists are alive, and `at` is at most two batches: a vector from there on lies within them.
    #[inline(always)]
    unsafe fn pointers(self, at: usize) -> [*mut u32; WORDS] {
        debug_assert!(at + MAX_LANES <= CAPACITY);
        // SAFETY: within the lists, by the caller's promise.
        unsafe {
            [
                self.0.add(at),
                self.0.add(CAPACITY + at),
                self.0.add(2 * CAPACITY + at),
                self.0.add(3 * CAPACITY + at),
            ]
        }
    }

    /// Reads a vector of states.
    ///
    /// # Safety
    /// As for [`pointers`](Self::pointers).
    #[inline(always)]
    unsafe fn load<I: InstructionSet>(self, isa: I, at: usize) -> [I::Words; WORDS] {
        // SAFETY: readable, by the caller's promise.
        let [rows, falling, rising, free] = unsafe { self.pointers(at).map(|list| &*list.cast()) };
        [
            isa.load(rows),
            isa.load(falling),
            isa.load(rising),
            isa.load(free),
        ]
    }

    /// Writes the lanes in `keep` from state `at` on, and says how many these are. Up to a vector may be overwritten.
    ///
    /// # Safety
    /// As for [`pointers`](Self::pointers).
    #[inline(always)]
    unsafe fn store<V: U32s>(self, state: [V; WORDS], keep: V::Mask, at: usize) -> usize {
        // SAFETY: writable, by the caller's promise.
        unsafe { V::compress_store(state, keep, self.pointers(at)) }
    }
}

#[cfg(test)]
mod tests;
