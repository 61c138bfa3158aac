//! Quadrant lists: all placements of non-attacking queens on a quarter board, by rows and columns used.
//!
//! A quadrant is the north or south part of a half-board. For every set of its rows and every set of as many of its
//! columns there is a list of the placements that use exactly those, each as a pattern. In the west a list is split in
//! two: first the placements on no long diagonal, then those on one; a queen on the centre square of an odd board does
//! not count for this. In the east there are none of the latter, because they are never counted.
//!
//! On an odd board, norths with a queen in the middle row are listed by its column: each list is cut into **slices**,
//! one for each column, in their order. Where the half has the centre column, the first slice of a list whose columns
//! include it holds the placements with a queen on the centre square.
//!
//! Lists grow from smaller ones: a placement on rows R and columns C is one on R without its last row and C without one
//! column, and a queen where they meet. So each list is put together from one list for each column of C, whose patterns
//! go against the queen's a vector at a time, and comes out in its place without any sorting.
//!
//! All lists together take 1 GiB at N = 22 and nine times as much for each step of two in N, but a row set needs just
//! one part in 2^(N/2) of them. So they are made when they are asked for. Those of the first rows are kept, for
//! everybody: from them others grow in few steps, which takes little beside what a row set then costs.

use std::ops::Range;
use std::sync::OnceLock;

use super::list::{End, List, PAD, Patterns};
use super::pattern::{Layout, Part, Side};
use super::subsets::subsets;
use crate::engine::Stopped;
use crate::engine::simd::{Blocks, InstructionSet, LaneMask, Task, U32s};

/// What a placement of a quadrant has to do with the long diagonals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Long {
    /// No queen on either, but for the centre square.
    Free,
    /// A queen on one of them.
    Taken,
    /// The one or the other.
    Any,
}

impl Long {
    /// The first and the last kind of list: free ones are kind 0, taken ones kind 1.
    #[inline(always)]
    fn kinds(self) -> (usize, usize) {
        match self {
            Self::Free => (0, 0),
            Self::Taken => (1, 1),
            Self::Any => (0, 1),
        }
    }
}

/// The placements of a quadrant that use exactly certain rows, by column set.
#[derive(Debug)]
pub(crate) struct RowLists {
    /// Where each list begins, and at last where all end: by the rank of the column set (in the order of their masks),
    /// then free before taken, then by slices.
    starts: Vec<u32>,
    /// Lists of a column set: free and taken ones, or free ones alone.
    kinds: usize,
    /// Whether the lists are cut into slices, by the column of the queen in the last row; else each is one.
    is_cut: bool,
    /// Slices of each list.
    slices: usize,
    /// Pattern bits and, in other places, a **key**: the diagonals that are occupied and have no pattern bit. Lists
    /// grow by both. The words of narrow patterns have it in the high one.
    patterns: List,
    /// The pattern bits in use.
    pub(crate) named: u64,
}

impl Default for RowLists {
    fn default() -> Self {
        Self {
            starts: Vec::new(),
            kinds: 0,
            is_cut: false,
            slices: 0,
            patterns: List::new(true),
            named: 0,
        }
    }
}

impl RowLists {
    /// Whether the lists are cut into slices, by the column of the queen in the middle row.
    #[inline(always)]
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The lists of one kind of so many column sets.
    ///
    /// # Panics
    ///
    /// If there are none, or if `WIDE` and their high words were not kept.
    #[inline(always)]
    pub(crate) fn of<const WIDE: bool>(&self, long: Long, column_sets: usize) -> Lists<'_, WIDE> {
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

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self) + 4 * self.starts.capacity() + self.patterns.bytes()
    }
}

/// Lists of one kind, by the rank of their column sets.
#[derive(Clone)]
pub(crate) struct Lists<'a, const WIDE: bool> {
    /// Where the slices of the first begin, and all behind them.
    starts: &'a [u32],
    /// Starts from one column set to the next.
    stride: usize,
    /// All slices of a list.
    pub(crate) whole: Range<usize>,
    low: *const u32,
    high: *const u32,
}

impl<'a, const WIDE: bool> Lists<'a, WIDE> {
    /// Some slices of the list of a column set's rank. (Not checked: lists are so short that checks showed in the time
    /// of generation at N = 16 and 17, see docs/BENCHMARKING.md.)
    ///
    /// # Safety
    ///
    /// The rank is one of the column sets for which there were lists, and `slices` is a range of the whole.
    #[inline(always)]
    pub(crate) unsafe fn list(&self, rank: usize, slices: Range<usize>) -> Patterns<'a, WIDE> {
        debug_assert!(slices.start <= slices.end && slices.end <= self.whole.end);
        let first = rank * self.stride;
        // SAFETY: there are so many starts by the caller's promise. As `Grow` makes them, they never decrease, and the
        // last of them is the number of placements. `of` has checked that `PAD` more words of each kind that is read
        // follow these.
        unsafe {
            let from = *self.starts.get_unchecked(first + slices.start) as usize;
            let to = *self.starts.get_unchecked(first + slices.end) as usize;
            Patterns::new(self.low.add(from), self.high.add(from), to - from)
        }
    }
}

/// The lists of one quadrant.
#[derive(Debug)]
pub(crate) struct Quadrant {
    isa: Blocks,
    squares: QuadrantSquares,
    /// Whether patterns have more than 32 bits.
    wide: bool,
    /// By sets of the first rows: those that are kept, as far as they were asked for.
    kept: Box<[OnceLock<RowLists>]>,
}

impl Quadrant {
    /// The quadrant, which keeps the lists of sets of the first `kept_rows` rows.
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

    /// Makes the lists of the placements on exactly these rows (bit i: row i of the quadrant), in `lists` unless they
    /// are kept.
    pub(crate) fn make(
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

    /// The placements on exactly these rows, for which `lists` was [made](Self::make).
    pub(crate) fn made<'a>(&'a self, rows: u32, lists: &'a RowLists) -> &'a RowLists {
        let kept = self.kept.get(rows as usize);
        kept.map_or(lists, |kept| kept.get().expect("it was made"))
    }

    /// The placements on these of the rows whose lists are kept, made in `temporary` if nobody did before.
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
                    // Only what grows needs the keys of narrow patterns.
                    patterns: temporary
                        .patterns
                        .exact_copy(self.wide || last + 1 < height)?,
                    named: temporary.named,
                }
            }
        };
        // Another thread may have made the same in the meantime.
        Ok(kept.get_or_init(|| lists))
    }

    /// Builds all lists that are kept; returns whether no others are needed.
    pub(crate) fn build_kept(&self) -> Result<bool, Stopped> {
        let mut temporary = RowLists::default();
        for rows in 0..self.kept.len() as u32 {
            if !self.column_sets(rows).is_empty() {
                self.keep(rows, &mut temporary)?;
            }
        }
        Ok(self.kept.len() == 1 << self.squares.height)
    }

    /// Makes the lists of a row set from those of the same without its last row.
    fn grow(&self, rows: u32, from: &RowLists, lists: &mut RowLists) -> Result<(), Stopped> {
        let task = Grow {
            squares: &self.squares,
            rows,
            from,
            lists,
        };
        // The high words of narrow patterns have keys.
        self.isa.run(true, task)
    }

    /// The column sets of as many columns as `rows` has rows, by rank.
    pub(crate) fn column_sets(&self, rows: u32) -> &[u32] {
        let sets = self.squares.column_sets.get(rows.count_ones() as usize);
        sets.map_or(&[], Vec::as_slice)
    }

    /// Bytes of memory of the lists that are kept.
    pub(crate) fn bytes(&self) -> usize {
        let kept = self.kept.iter().filter_map(OnceLock::get);
        kept.map(RowLists::bytes).sum()
    }
}

/// What a queen on a square occupies.
#[derive(Clone, Copy, Debug, Default)]
struct Square {
    /// Its pattern, and its key as in [`RowLists`].
    diagonals: u64,
    /// Whether a placement with this queen is listed at all.
    allowed: bool,
    /// Whether this queen makes a placement [`Long::Taken`].
    taken: bool,
}

/// The squares of a quadrant.
#[derive(Debug)]
struct QuadrantSquares {
    width: usize,
    height: usize,
    /// By row and column.
    squares: Vec<Vec<Square>>,
    /// The middle row of an odd board, where it is one of this part's.
    middle: Option<usize>,
    /// The column sets of each size, in the order of their masks.
    column_sets: Vec<Vec<u32>>,
    /// The rank of each column set among those of its size.
    rank: Vec<u32>,
    /// Lists of a column set: see [`RowLists`].
    kinds: usize,
    /// The pattern bits in use.
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
        // Diagonals u and v that have no pattern bit get one of those that the quadrant leaves free, from the top
        // downwards, in the order in which they turn up.
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
            "nothing but patterns is in low words that are read alone"
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

    /// The one placement of no queens.
    fn of_nothing(&self) -> Result<RowLists, Stopped> {
        Ok(RowLists {
            // One that is free, and none that is taken.
            starts: [0, 1, 1][..=self.kinds].to_vec(),
            kinds: self.kinds,
            is_cut: false,
            slices: 1,
            patterns: List::of_nothing()?,
            named: self.named,
        })
    }
}

/// The task to make the lists of a row set from those of the same without its last row.
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
        let longs = &[Long::Free, Long::Taken][..*kinds];
        assert!(!self.from.is_cut);
        // Where there are no taken ones, those that are free stand in for them.
        let free = self.from.of::<true>(Long::Free, column_sets);
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
                    // A queen on a long diagonal takes a free placement to the taken ones; another leaves it where it
                    // is.
                    let of = match (long, square.taken) {
                        _ if !square.allowed => continue,
                        (Long::Free, true) => continue,
                        (_, true) | (Long::Free, false) => &free,
                        _ => &taken,
                    };
                    let rank = rank[(columns & !(1 << x)) as usize] as usize;
                    // SAFETY: the columns but one are one of those column sets, whose lists are not cut.
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

/// Where a list begins, as it is kept.
fn start(len: usize) -> u32 {
    u32::try_from(len).expect("a list has less than 2^32 patterns")
}

/// Appends the placements of a list to which a queen with these diagonals can be added.
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
