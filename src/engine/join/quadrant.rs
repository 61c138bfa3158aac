//! Lists of all placements of non-attacking queens on a quadrant of the board, by the rows and columns used.
//!
//! A quadrant is the north or south part of a half-board. For each set of its rows and each equally large set of its
//! columns, there is a list of the placements that use exactly these rows and columns, stored as patterns. In the west,
//! a list has two kinds: first the placements without a queen on a long diagonal, then those with one. A queen on the
//! centre square of an odd board does not count as one on a long diagonal. The east has only the first kind, because it
//! never occupies a long diagonal.
//!
//! On an odd board, north-quadrant placements with a queen in the middle row are grouped by its column: each list is
//! divided into **slices**, one for each column in ascending order. If the half has the centre column and a list uses
//! this column, the first slice holds the placements with a queen on the centre square.
//!
//! Lists are built from smaller lists. A placement on rows R and columns C consists of a placement on R without its
//! last row and C without one column, and a queen on the remaining square. Each list is therefore concatenated from one
//! list for each column of C, whose patterns are tested against the queen's one vector at a time. No sorting is needed.
//! All lists together take 1 GiB at N = 22 and nine times as much for each step of two in N, but a row set only needs a
//! fraction 2^-(N/2) of them, so they are built on demand. Lists of the first rows are kept and shared by all threads.
//! The others are built from them in a few steps, which takes little time compared with counting a row set.

use std::ops::Range;
use std::sync::OnceLock;

use super::list::{End, List, PAD, Patterns};
use super::pattern::{Layout, Part, Side};
use super::subsets::subsets;
use crate::engine::Stopped;
use crate::engine::simd::{Blocks, InstructionSet, LaneMask, Task, U32s};

/// Occupation of the long diagonals by a placement on a quadrant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LongDiagonals {
    /// No queen on either, except on the centre square.
    Unoccupied,
    /// A queen on one of them.
    Occupied,
    /// Either of the above.
    Any,
}

impl LongDiagonals {
    /// Returns the first and the last kind of list: 0 is unoccupied, 1 is occupied.
    #[inline(always)]
    fn kinds(self) -> (usize, usize) {
        match self {
            Self::Unoccupied => (0, 0),
            Self::Occupied => (1, 1),
            Self::Any => (0, 1),
        }
    }
}

/// Placements on a quadrant that use exactly one set of rows, by column set.
#[derive(Debug, Default)]
pub(crate) struct RowLists {
    /// Start of each list, followed by the end of the last one. Lists are ordered by the rank of the column set's mask,
    /// then by kind, then by slice.
    starts: Vec<u32>,
    /// Number of kinds of lists: 2 in the west, 1 in the east.
    kinds: usize,
    /// Whether the lists are divided into slices by the column of the queen in the last row.
    is_cut: bool,
    /// Number of slices of each list.
    slices: usize,
    /// Pattern bits and, in unused bits, a **key**: the occupied diagonals that have no pattern bit. Lists are built
    /// with both. Narrow patterns have their key in the high word.
    patterns: List,
    /// Pattern bits in use, without the key.
    pub(crate) named: u64,
}

impl RowLists {
    /// Whether the lists are divided into slices by the column of the queen in the middle row.
    #[inline(always)]
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns the lists of one kind. `column_sets` is the number of column sets. Panics if there are no such lists, or
    /// if `WIDE` is set and their high words were not kept.
    #[inline(always)]
    pub(crate) fn of<const WIDE: bool>(
        &self,
        long: LongDiagonals,
        column_sets: usize,
    ) -> Lists<'_, WIDE> {
        let (first, last) = long.kinds();
        let stride = self.kinds * self.slices;
        assert!(last < self.kinds && self.starts.len() > column_sets * stride);
        let (low, high) = self.patterns.words::<WIDE>(0..self.patterns.len() + PAD);
        Lists {
            starts: &self.starts[first * self.slices..],
            stride,
            whole: 0..(last - first + 1) * self.slices,
            low: low.as_ptr(),
            high: high.as_ptr(),
        }
    }

    /// Size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self) + 4 * self.starts.capacity() + self.patterns.bytes()
    }
}

/// Lists of one kind, indexed by the rank of their column sets.
#[derive(Clone)]
pub(crate) struct Lists<'a, const WIDE: bool> {
    /// Starts of the slices, from the first list of this kind on.
    starts: &'a [u32],
    /// Distance in `starts` from one column set to the next.
    stride: usize,
    /// Range of all slices of a list.
    pub(crate) whole: Range<usize>,
    low: *const u32,
    high: *const u32,
}

impl<'a, const WIDE: bool> Lists<'a, WIDE> {
    /// Returns slices of the list of a column set, given by its rank. Bounds are not checked, because lists are so
    /// short that checks took measurable time at N = 16 and 17 (docs/BENCHMARKING.md).
    ///
    /// # Safety
    ///
    /// `rank` must be below the number of column sets passed to [`RowLists::of`], and `slices` must be within `whole`.
    #[inline(always)]
    pub(crate) unsafe fn list(&self, rank: usize, slices: Range<usize>) -> Patterns<'a, WIDE> {
        debug_assert!(slices.start <= slices.end && slices.end <= self.whole.end);
        let first = rank * self.stride;
        // SAFETY: the indices are in bounds by the caller's contract. `Grow` writes starts that never decrease and end
        // with the number of placements. `of` has checked that `PAD` more words follow for each word array that is
        // read.
        unsafe {
            let from = *self.starts.get_unchecked(first + slices.start) as usize;
            let to = *self.starts.get_unchecked(first + slices.end) as usize;
            Patterns::new(self.low.add(from), self.high.add(from), to - from)
        }
    }
}

/// A quadrant with its kept lists.
#[derive(Debug)]
pub(crate) struct Quadrant {
    isa: Blocks,
    squares: QuadrantSquares,
    /// Whether patterns have more than 32 bits.
    wide: bool,
    /// Kept lists, indexed by sets of the first rows and built on demand.
    kept: Box<[OnceLock<RowLists>]>,
}

impl Quadrant {
    /// Creates a quadrant that keeps the lists of sets of the first `kept_rows` rows.
    pub(crate) fn new(
        layout: &Layout,
        side: Side,
        part: Part,
        isa: Blocks,
        kept_rows: usize,
    ) -> Self {
        let squares = QuadrantSquares::new(layout, side, part);
        let kept = 1 << kept_rows.min(squares.height);
        Self {
            isa,
            squares,
            wide: layout.is_wide(),
            kept: (0..kept).map(|_| OnceLock::new()).collect(),
        }
    }

    /// Builds the lists of placements on exactly these rows, with bit i for row i of the quadrant. They are stored in
    /// `lists` unless they are kept.
    pub(crate) fn build(
        &self,
        rows: u32,
        lists: &mut RowLists,
        spare: &mut RowLists,
    ) -> Result<(), Stopped> {
        let mut done = rows & (self.kept.len() - 1) as u32;
        let mut left = rows ^ done;
        let mut from = self.keep(done, lists)?;
        while left != 0 {
            let next = left & left.wrapping_neg();
            (left, done) = (left ^ next, done | next);
            self.grow(done, from, lists)?;
            if left != 0 {
                std::mem::swap(lists, spare);
                from = spare;
            }
        }
        Ok(())
    }

    /// Returns the placements on exactly these rows, after `lists` was [built](Self::build) for them.
    pub(crate) fn built<'a>(&'a self, rows: u32, lists: &'a RowLists) -> &'a RowLists {
        let kept = self.kept.get(rows as usize);
        kept.map_or(lists, |kept| kept.get().expect("it was built"))
    }

    /// Returns kept lists. Builds them in `temporary` on first use.
    fn keep(&self, rows: u32, temporary: &mut RowLists) -> Result<&RowLists, Stopped> {
        let kept = &self.kept[rows as usize];
        if let Some(lists) = kept.get() {
            return Ok(lists);
        }
        let lists = match rows.checked_ilog2() {
            None => self.squares.of_nothing()?,
            Some(last) => {
                let height = self.squares.height as u32;
                let from = self.keep(rows & !(1 << last), temporary)?;
                self.grow(rows, from, temporary)?;
                RowLists {
                    starts: temporary.starts.clone(),
                    kinds: temporary.kinds,
                    is_cut: temporary.is_cut,
                    slices: temporary.slices,
                    // Keys of narrow patterns are only needed to build larger lists.
                    patterns: temporary
                        .patterns
                        .exact_copy(self.wide || last + 1 < height)?,
                    named: temporary.named,
                }
            }
        };
        // Another thread may have built the same lists in the meantime.
        Ok(kept.get_or_init(|| lists))
    }

    /// Builds all kept lists. Returns whether no other lists are needed.
    pub(crate) fn build_kept(&self) -> Result<bool, Stopped> {
        let mut temporary = RowLists::default();
        for rows in 0..self.kept.len() as u32 {
            if !self.column_sets(rows).is_empty() {
                self.keep(rows, &mut temporary)?;
            }
        }
        Ok(self.kept.len() == 1 << self.squares.height)
    }

    /// Builds the lists of a set of rows from those without its last row.
    fn grow(&self, rows: u32, from: &RowLists, lists: &mut RowLists) -> Result<(), Stopped> {
        let task = Grow {
            squares: &self.squares,
            rows,
            from,
            lists,
        };
        // Narrow patterns have keys in the high words.
        self.isa.run(true, task)
    }

    /// Returns the column sets with as many columns as `rows` has rows, ordered by rank.
    pub(crate) fn column_sets(&self, rows: u32) -> &[u32] {
        let sets = self.squares.column_sets.get(rows.count_ones() as usize);
        sets.map_or(&[], Vec::as_slice)
    }

    /// Size of the kept lists in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let kept = self.kept.iter().filter_map(OnceLock::get);
        kept.map(RowLists::bytes).sum()
    }
}

/// Diagonals occupied by a queen on a square.
#[derive(Clone, Copy, Debug, Default)]
struct Square {
    /// Pattern and key, as in [`RowLists`].
    diagonals: u64,
    /// Whether placements with this queen are listed.
    allowed: bool,
    /// Whether the square is on a long diagonal, except the centre square.
    taken: bool,
}

/// The squares of a quadrant.
#[derive(Debug)]
struct QuadrantSquares {
    width: usize,
    height: usize,
    /// Squares by row and column.
    squares: Vec<Vec<Square>>,
    /// Middle row of an odd board, if it is in this quadrant.
    middle: Option<usize>,
    /// Column sets of each size, in ascending order of their masks.
    column_sets: Vec<Vec<u32>>,
    /// Rank of each column set among those of its size.
    rank: Vec<u32>,
    /// Number of kinds of lists: see [`RowLists`].
    kinds: usize,
    /// Pattern bits in use.
    named: u64,
}

impl QuadrantSquares {
    fn new(layout: &Layout, side: Side, part: Part) -> Self {
        let (width, height) = (layout.width(side), layout.height(part));
        let top = match part {
            Part::North => 0,
            Part::South => layout.height(Part::North),
        };
        let all = || (top..top + height).flat_map(|r| (0..width).map(move |x| (r, x)));
        let named = all().fold(0, |named, (r, x)| named | layout.square(side, r, x));
        // Each diagonal without a pattern bit gets a key bit: an unused bit of the quadrant, from the highest down, in
        // order of appearance.
        let free: Vec<u32> = (0..64).rev().filter(|bit| named >> bit & 1 == 0).collect();
        let mut unnamed = Vec::new();
        let mut squares = vec![vec![Square::default(); width]; height];
        for (r, x) in all() {
            let (long, centre) = layout.long(side, r, x);
            let square = &mut squares[r - top][x];
            square.diagonals = layout.square(side, r, x);
            for diagonal in layout.unnamed(side, r, x) {
                let found = unnamed.iter().position(|&other| other == diagonal);
                let place = found.unwrap_or_else(|| {
                    unnamed.push(diagonal);
                    unnamed.len() - 1
                });
                square.diagonals |= 1 << free[place];
            }
            square.allowed = side == Side::West || !long || centre;
            square.taken = long && !centre;
        }
        let in_high_word = free
            .get(unnamed.len().wrapping_sub(1))
            .is_none_or(|&bit| bit >= 32);
        assert!(
            layout.is_wide() || in_high_word,
            "low words that are read alone contain only patterns"
        );
        let of_size = |size| subsets(width, size).collect();
        let column_sets: Vec<Vec<u32>> = (0..=width).map(of_size).collect();
        let mut rank = vec![0; 1 << width];
        for (i, &set) in column_sets.iter().flat_map(|sets| sets.iter().enumerate()) {
            rank[set as usize] = i as u32;
        }
        let is_north_of_odd = part == Part::North && layout.n % 2 == 1;
        Self {
            width,
            height,
            squares,
            middle: is_north_of_odd.then_some(height - 1),
            column_sets,
            rank,
            kinds: if side == Side::West { 2 } else { 1 },
            named,
        }
    }

    /// Returns the lists for no rows, with a single empty placement.
    fn of_nothing(&self) -> Result<RowLists, Stopped> {
        Ok(RowLists {
            // One placement in the unoccupied list and none in the occupied list.
            starts: [0, 1, 1][..=self.kinds].to_vec(),
            kinds: self.kinds,
            is_cut: false,
            slices: 1,
            patterns: List::of_nothing()?,
            named: self.named,
        })
    }
}

/// Task that builds the lists of a set of rows from those without its last row.
struct Grow<'a> {
    squares: &'a QuadrantSquares,
    rows: u32,
    from: &'a RowLists,
    lists: &'a mut RowLists,
}

impl Task for Grow<'_> {
    type Output = Result<(), Stopped>;

    #[inline(always)]
    fn run<I: InstructionSet, const WIDE: bool>(self, isa: I) -> Result<(), Stopped> {
        let QuadrantSquares { width, rank, .. } = self.squares;
        let size = self.rows.count_ones() as usize;
        let last = self.rows.ilog2() as usize;
        let RowLists {
            starts,
            kinds,
            is_cut,
            slices,
            patterns,
            named,
        } = self.lists;
        *named = self.squares.named;
        *kinds = self.squares.kinds;
        *is_cut = self.squares.middle == Some(last);
        *slices = if *is_cut { size } else { 1 };
        starts.clear();
        patterns.truncate(0);
        if size > *width {
            return Ok(());
        }
        let row = &self.squares.squares[last][..];
        let column_sets = self.squares.column_sets[size - 1].len();
        let longs = &[LongDiagonals::Unoccupied, LongDiagonals::Occupied][..*kinds];
        assert!(!self.from.is_cut);
        // `taken` is ignored if there is only one kind.
        let free = self.from.of::<true>(LongDiagonals::Unoccupied, column_sets);
        let taken = longs.get(1).map(|&taken| self.from.of(taken, column_sets));
        let taken = taken.unwrap_or_else(|| free.clone());
        let mut grown = patterns.end::<true>();
        for &columns in &self.squares.column_sets[size] {
            for &long in longs {
                let mut left = columns;
                while left != 0 {
                    if *is_cut || left == columns {
                        starts.push(start(grown.len()));
                    }
                    let x = left.trailing_zeros() as usize;
                    left &= left - 1;
                    let square = &row[x];
                    // A queen on a long diagonal turns an unoccupied placement into an occupied one.
                    let of = match (long, square.taken) {
                        _ if !square.allowed => continue,
                        (LongDiagonals::Unoccupied, true) => continue,
                        (_, true) | (LongDiagonals::Unoccupied, false) => &free,
                        _ => &taken,
                    };
                    let rank = rank[(columns & !(1 << x)) as usize] as usize;
                    // SAFETY: the columns without one are one of the smaller column sets, whose lists have one slice.
                    let from = unsafe { of.list(rank, 0..1) };
                    append(isa, from, square.diagonals, &mut grown)?;
                }
            }
        }
        starts.push(start(grown.len()));
        grown.finish();
        Ok(())
    }
}

fn start(len: usize) -> u32 {
    u32::try_from(len).expect("a list has less than 2^32 patterns")
}

/// Appends the placements of a list that remain valid with an additional queen on these diagonals.
#[inline(always)]
fn append<I: InstructionSet>(
    isa: I,
    from: Patterns<'_, true>,
    diagonals: u64,
    grown: &mut End<'_, true>,
) -> Result<(), Stopped> {
    grown.reserve(from.len())?;
    let (queen_low, queen_high) = (
        isa.splat(diagonals as u32),
        isa.splat((diagonals >> 32) as u32),
    );
    for vector in from.vectors(isa) {
        let (low, high) = vector.load();
        let keep = low.disjoint(queen_low).and(vector.lanes());
        let keep = high.disjoint(queen_high).and(keep);
        grown.append((low.or(queen_low), high.or(queen_high)), keep);
    }
    Ok(())
}
