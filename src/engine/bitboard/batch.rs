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
use crate::engine::simd::{LaneMask, U32s, portable::Words};
#[cfg(target_arch = "x86_64")]
use crate::engine::simd::{avx2::Avx2, avx512::Avx512};

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
pub struct Scratch {
    words: Box<[u32]>,
}

impl Scratch {
    /// Memory for boards of any size.
    pub fn new() -> Self {
        Scratch {
            words: vec![0; COLUMN * MAX_N as usize].into_boxed_slice(),
        }
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}

/// The number of ways to complete the `positions`, all of the same column and at most a batch of them.
///
/// # Safety
/// The CPU has `V`'s instruction set.
#[inline(always)]
unsafe fn count<V: U32s>(squares: &Squares, positions: &[Position], scratch: &mut Scratch) -> u64 {
    const { assert!(V::LANES <= MAX_LANES && BATCH.is_multiple_of(V::LANES)) };
    assert!(positions.len() <= BATCH);
    let Some(first) = positions.first() else {
        return 0;
    };
    if squares.n as usize <= first.column as usize + FEW_COLUMNS {
        return positions
            .iter()
            .map(|&position| reference::count(squares, position).count)
            .sum();
    }
    let mut search = Search {
        squares,
        words: &mut scratch.words,
        len: [0; MAX_N as usize],
    };
    for position in positions {
        debug_assert_eq!(position.column, first.column);
        search.push(position);
    }
    // SAFETY: the CPU has the instruction set, by the caller's promise.
    unsafe { search.run::<V>(first.column as usize) }
}

/// A search under way.
struct Search<'a> {
    squares: &'a Squares,
    /// Column after column, its four lists.
    words: &'a mut [u32],
    /// States listed for each column: those whose next queen goes there.
    len: [usize; MAX_N as usize],
}

impl Search<'_> {
    /// Lists a position, unless its next column offers nothing.
    fn push(&mut self, position: &Position) {
        let free = position.free(self.squares);
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
    ///
    /// # Safety
    /// The CPU has `V`'s instruction set.
    #[inline(always)]
    unsafe fn run<V: U32s>(&mut self, mut top: usize) -> u64 {
        let columns = self.squares.n as usize;
        let last = columns - FEW_COLUMNS;
        let mut column = top;
        let mut solutions = 0;
        loop {
            // Unrolling the look-ahead where nearly all of the work is makes the whole an eighth faster.
            // SAFETY: the CPU has the instruction set, by the caller's promise. The next column's lists hold less than
            // a batch: the loop goes on to a column as soon as it holds one, and leaves it only when it does not.
            solutions += unsafe {
                match columns - column {
                    FEW_COLUMNS => self.step_batch::<V, FEW_COLUMNS>(column),
                    4 => self.step_batch::<V, 4>(column),
                    5 => self.step_batch::<V, 5>(column),
                    6 => self.step_batch::<V, 6>(column),
                    7 => self.step_batch::<V, 7>(column),
                    8 => self.step_batch::<V, 8>(column),
                    _ => self.step_batch::<V, 0>(column),
                }
            };
            if column < last && self.len[column + 1] >= BATCH {
                column += 1;
                continue;
            }
            while column > top && self.len[column] < BATCH {
                column -= 1;
            }
            if column == top {
                // Nothing can add to the topmost list: use it falling, then the next one is the topmost.
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
    /// # Safety
    /// The CPU has `V`'s instruction set; `column` is at most the board's size less [`FEW_COLUMNS`], and the next
    /// column's lists hold less than a batch.
    #[inline(always)]
    unsafe fn step_batch<V: U32s, const LEFT: usize>(&mut self, column: usize) -> u64 {
        let left = if LEFT == 0 {
            self.squares.n as usize - column
        } else {
            LEFT
        };
        let closed = &self.squares.closed[column + 1..column + left];
        let here = Lists::of(self.words, column);
        let next = Lists::of(self.words, column + 1);
        let end = self.len[column];
        let start = end - end.min(BATCH);
        let mut siblings_end = start;
        let mut next_end = self.len[column + 1];
        let mut solutions = 0;
        // SAFETY: for the whole block, the CPU has the instruction set, by the caller's promise. `end` is below two
        // batches and `next_end` below one by the contract of this function; each step adds as many states as it has
        // lanes at most, and a store reaches less than a vector further. `siblings_end` never passes the vector just
        // read, so no state is overwritten unread.
        unsafe {
            let board_rows = V::splat(self.squares.rows());
            for at in (start..end).step_by(V::LANES) {
                let [rows, falling, rising, free] = here.load::<V>(at);
                let free = free.and(first_lanes(end - at));
                let rest = free.clear_lowest();
                let queen = free.and_not(rest);
                let placed = queen.not_zero();
                siblings_end +=
                    here.store([rows, falling, rising, rest], rest.not_zero(), siblings_end);

                let rows = rows.or(queen);
                let falling = falling.or(queen).shl1();
                let rising = rising.or(queen).shr1();
                let open = board_rows.and_not(rows);
                if LEFT == FEW_COLUMNS {
                    solutions += u64::from(complete_two(
                        open,
                        falling,
                        rising,
                        [closed[0], closed[1]],
                        placed,
                    ));
                } else {
                    let (free, alive) = prune(open, falling, rising, closed, placed);
                    next_end += next.store([rows, falling, rising, free], alive, next_end);
                }
            }
        }
        self.len[column] = siblings_end;
        self.len[column + 1] = next_end;
        solutions
    }
}

/// The rows that the next queen can take, and the lanes, of those in `valid`, that can still lead to a solution.
///
/// `open` are the rows without a queen, as many as there are columns left; `closed` tells of each of these columns
/// which rows are closed. Two things are looked at, both exact, neither complete:
///
/// - every column needs a row: a lane is dead if a column has none that is open and not attacked;
/// - every row needs a column: an open row that is attacked in all later columns must take the next queen. If there is
///   one such row, no other need be tried; with two, or with one that is attacked in the next column too, the lane is
///   dead.
///
/// On a board of 15 this leaves 45 % of the children that looking at the next column alone leaves.
///
/// # Safety
/// The CPU has `V`'s instruction set.
#[inline(always)]
unsafe fn prune<V: U32s>(
    open: V,
    mut falling: V,
    mut rising: V,
    closed: &[u32],
    valid: V::Mask,
) -> (V, V::Mask) {
    // SAFETY: the CPU has the instruction set, by the caller's promise.
    let attacked =
        |falling: V, rising: V, closed: u32| falling.or(rising).or(unsafe { V::splat(closed) });

    let free = open.and_not(attacked(falling, rising, closed[0]));
    let mut urgent = open;
    let mut alive = valid;
    for &closed in &closed[1..] {
        falling = falling.shl1();
        rising = rising.shr1();
        let attacked = attacked(falling, rising, closed);
        alive = alive.and(open.and_not(attacked).not_zero());
        urgent = urgent.and(attacked);
    }
    let free = free.and_where(urgent.not_zero(), urgent);
    let alive = alive
        .and(urgent.clear_lowest().is_zero())
        .and(free.not_zero());
    (free, alive)
}

/// The number of ways to fill the last two columns, all lanes together, of the lanes in `valid`.
///
/// Two rows are `open`. With both ways round possible, each column offers both rows: 2. With one, the columns offer
/// both rows between them, and each offers one at least. Neighbouring rows are on a common diagonal.
///
/// # Safety
/// The CPU has `V`'s instruction set.
#[inline(always)]
unsafe fn complete_two<V: U32s>(
    open: V,
    falling: V,
    rising: V,
    closed: [u32; 2],
    valid: V::Mask,
) -> u32 {
    // SAFETY: the CPU has the instruction set, by the caller's promise.
    let closed = closed.map(|closed| unsafe { V::splat(closed) });
    let first = open.and_not(falling.or(rising).or(closed[0]));
    let second = open.and_not(falling.shl1().or(rising.shr1()).or(closed[1]));
    let apart = open.and(open.shr1()).is_zero();
    let one_way = valid
        .and(apart)
        .and(first.not_zero())
        .and(second.not_zero())
        .and(open.and_not(first.or(second)).is_zero());
    let both_ways = one_way.and(open.and_not(first.and(second)).is_zero());
    one_way.count() + both_ways.count()
}

/// All bits set in the first `lanes` lanes, none in the others.
///
/// # Safety
/// The CPU has `V`'s instruction set.
#[inline(always)]
unsafe fn first_lanes<V: U32s>(lanes: usize) -> V {
    static EDGE: [u32; 2 * MAX_LANES] = {
        let mut edge = [0; 2 * MAX_LANES];
        let mut lane = 0;
        while lane < MAX_LANES {
            edge[lane] = u32::MAX;
            lane += 1;
        }
        edge
    };
    // SAFETY: `MAX_LANES` words can be read from any of the first `MAX_LANES`.
    unsafe { V::load(EDGE.as_ptr().add(MAX_LANES - lanes.min(V::LANES))) }
}

/// The four lists of one column.
#[derive(Clone, Copy)]
struct Lists {
    start: *mut u32,
}

impl Lists {
    /// The lists of `column` in a search's words.
    #[inline(always)]
    fn of(words: &mut [u32], column: usize) -> Self {
        // A pointer and not a slice: a step reads and writes two columns' lists at once.
        assert!((column + 1) * COLUMN <= words.len());
        Lists {
            start: words.as_mut_ptr().wrapping_add(column * COLUMN),
        }
    }

    /// Where state `at` is in each list.
    ///
    /// # Safety
    /// The lists are alive, and a vector from `at` on lies within them: `at` is at most two batches.
    #[inline(always)]
    unsafe fn pointers(self, at: usize) -> [*mut u32; WORDS] {
        debug_assert!(at + MAX_LANES <= CAPACITY);
        // SAFETY: within the lists, by the caller's promise.
        unsafe {
            [
                self.start.add(at),
                self.start.add(CAPACITY + at),
                self.start.add(2 * CAPACITY + at),
                self.start.add(3 * CAPACITY + at),
            ]
        }
    }

    /// Reads a vector of states.
    ///
    /// # Safety
    /// As for [`pointers`](Self::pointers), and the CPU has `V`'s instruction set.
    #[inline(always)]
    unsafe fn load<V: U32s>(self, at: usize) -> [V; WORDS] {
        // SAFETY: readable and supported, by the caller's promise.
        unsafe { self.pointers(at).map(|from| V::load(from)) }
    }

    /// Writes the lanes in `keep` from state `at` on, and says how many these are. Up to a vector may be overwritten.
    ///
    /// # Safety
    /// As for [`pointers`](Self::pointers).
    #[inline(always)]
    unsafe fn store<V: U32s>(self, state: [V; WORDS], keep: V::Mask, at: usize) -> usize {
        // SAFETY: writable, by the caller's promise.
        unsafe { V::compress_store(state, keep, self.pointers(at)) };
        keep.count() as usize
    }
}

/// [`count`] with one word at a time.
pub(super) fn count_scalar(
    squares: &Squares,
    positions: &[Position],
    scratch: &mut Scratch,
) -> u64 {
    // SAFETY: needs nothing of the CPU.
    unsafe { count::<u32>(squares, positions, scratch) }
}

/// [`count`] with arrays.
pub(super) fn count_portable(
    squares: &Squares,
    positions: &[Position],
    scratch: &mut Scratch,
) -> u64 {
    // SAFETY: needs nothing of the CPU.
    unsafe { count::<Words>(squares, positions, scratch) }
}

/// [`count`] with AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(super) fn count_avx2(squares: &Squares, positions: &[Position], scratch: &mut Scratch) -> u64 {
    // SAFETY: the CPU has AVX2, or this function could not be called.
    unsafe { count::<Avx2>(squares, positions, scratch) }
}

/// [`count`] with AVX-512.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,bmi1,bmi2,popcnt")]
pub(super) fn count_avx512(
    squares: &Squares,
    positions: &[Position],
    scratch: &mut Scratch,
) -> u64 {
    // SAFETY: the CPU has AVX-512 F, or this function could not be called.
    unsafe { count::<Avx512>(squares, positions, scratch) }
}

/// Whether the CPU has what [`count_avx2`] needs.
#[cfg(target_arch = "x86_64")]
pub(super) fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && has_bit_instructions()
}

/// Whether the CPU has what [`count_avx512`] needs.
#[cfg(target_arch = "x86_64")]
pub(super) fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f") && has_bit_instructions()
}

#[cfg(target_arch = "x86_64")]
fn has_bit_instructions() -> bool {
    is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

#[cfg(test)]
mod tests {
    use super::super::{KERNELS, can_run, complete};
    use super::*;
    use crate::board::Board;

    fn squares(n: u32) -> Squares {
        Squares::of(&Board::new(n).unwrap())
    }

    /// All positions with `queens` queens on an empty board.
    fn positions(squares: &Squares, queens: u32) -> Vec<Position> {
        (0..queens).fold(vec![Position::EMPTY], |positions, _| {
            let children = |position: Position| position.children(squares);
            positions.into_iter().flat_map(children).collect()
        })
    }

    fn completions(squares: &Squares, positions: &[Position]) -> u64 {
        let count = |&position| reference::count(squares, position).count;
        positions.iter().map(count).sum()
    }

    /// Lists that start with any number of states around the sizes that matter: a vector, a batch.
    #[test]
    fn partly_filled_and_exactly_full() {
        let squares = squares(11);
        let all = positions(&squares, 4);
        let mut scratch = Scratch::new();
        let vectors = [1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33];
        for len in vectors.into_iter().chain([BATCH - 17, BATCH - 1, BATCH]) {
            for few in all.chunks_exact(len).step_by(37) {
                let truth = completions(&squares, few);
                for &kernel in KERNELS.iter().filter(|&&kernel| can_run(kernel)) {
                    let count = complete(kernel, &squares, few, &mut scratch).count;
                    assert_eq!(count, truth, "{kernel} with {len} positions");
                }
            }
        }
    }

    /// Small enough for an interpreter that checks every access (miri); nothing here is for one CPU only.
    #[test]
    fn small_boards_without_special_instructions() {
        let mut scratch = Scratch::new();
        for n in 4..=6 {
            let squares = squares(n);
            for few in positions(&squares, 1)
                .chunks(4)
                .chain([&[Position::EMPTY][..]])
            {
                let truth = completions(&squares, few);
                assert_eq!(count_scalar(&squares, few, &mut scratch), truth);
                assert_eq!(count_portable(&squares, few, &mut scratch), truth);
            }
        }
    }

    /// Two columns' lists as full as they ever get, and every state leaves a child: the next list reaches its limit.
    #[test]
    fn the_fullest_lists_fit() {
        fn grows<V: U32s>(squares: &Squares, here: &[Position], next: &[Position]) -> (u64, u64) {
            let column = here[0].column as usize;
            let listed = |scratch: &mut Scratch, go: &dyn Fn(Search<'_>) -> u64| {
                let mut search = Search {
                    squares,
                    words: &mut scratch.words,
                    len: [0; MAX_N as usize],
                };
                here.iter()
                    .chain(next)
                    .for_each(|position| search.push(position));
                go(search)
            };
            let mut scratch = Scratch::new();
            let most = listed(&mut scratch, &|mut search| {
                // SAFETY: the caller has seen that the CPU has the instruction set; the column is far from the last,
                // and fewer than a batch of positions are listed for the next one.
                unsafe { search.step_batch::<V, 0>(column) };
                search.len[column + 1] as u64
            });
            // SAFETY: the same.
            let solutions = listed(&mut scratch, &|mut search| unsafe {
                search.run::<V>(column)
            });
            (most, solutions)
        }
        let squares = squares(12);
        // Only positions whose first child survives, so that the number of states is known.
        let here: Vec<_> = positions(&squares, 3)
            .into_iter()
            .filter(|&position| grows::<u32>(&squares, &[position], &[]).0 == 1)
            .take(BATCH)
            .collect();
        let next = &positions(&squares, 4)[..BATCH - 1];
        assert_eq!(here.len(), BATCH);
        let truth = completions(&squares, &here) + completions(&squares, next);
        let listed = next
            .iter()
            .filter(|position| position.free(&squares) != 0)
            .count();
        let full = ((BATCH + listed) as u64, truth);
        assert_eq!(grows::<u32>(&squares, &here, next), full);
        assert_eq!(grows::<Words>(&squares, &here, next), full);
        #[cfg(target_arch = "x86_64")]
        {
            if has_avx2() {
                assert_eq!(grows::<Avx2>(&squares, &here, next), full);
            }
            if has_avx512() {
                assert_eq!(grows::<Avx512>(&squares, &here, next), full);
            }
        }
    }
}
