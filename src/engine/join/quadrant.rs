//! Lists of all placements of non-attacking queens on a quadrant, grouped by the rows and columns
//! that they use.
//!
//! A quadrant is the north or south part of a half-board. For each set of its rows and each set of
//! its columns of the same size, there is a list of the placements that use exactly these rows and
//! columns. Placements are stored as patterns. In the west, each list is divided into two
//! **kinds**: placements without a queen on a long diagonal, followed by those with one. A queen on
//! the centre square of an odd board does not count as being on a long diagonal. The east has only
//! the first kind, because it never occupies a long diagonal.
//!
//! On an odd board, the middle row belongs to the north. Placements with a queen in that row are
//! ordered by the queen's column: each list is divided into **slices**, one for each column in
//! ascending order. If the list uses the centre column, the first slice contains the placements
//! with a queen on the centre square.
//!
//! Lists are built from smaller lists. A placement on rows R and columns C consists of a placement
//! on all but the last row of R and all but one column of C, and a queen on the remaining square.
//! So each list is built from smaller lists, one for each column of C. The patterns of the smaller
//! list are tested against the queen's diagonals, one vector at a time. No sorting is needed.
//!
//! All lists together take 1 GiB at N = 22, and nine times as much each time N grows by two. A row
//! set needs only a fraction 2^-(N/2) of them, so lists are built on demand. The lists of the first
//! rows are kept in memory and shared by all threads. The others are built from these in a few
//! steps, which takes little time compared with counting.

use std::ops::Range;
use std::sync::OnceLock;

use super::list::{List, ListWriter, PAD, Patterns, Vector};
use super::pattern::{Layout, Part, Side};
use super::subsets::subsets;
use crate::engine::interruption::Interruption;
use crate::engine::simd::{InstructionSet, Isa, LaneMask, task};

/// Occupancy of the long diagonals by a placement on a quadrant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LongDiagonals {
    /// No queen is on a long diagonal, except on the centre square.
    Unoccupied,
    /// A queen is on one of them.
    Occupied,
}

/// Placements on a quadrant that use exactly one set of rows. There is a list for each column set.
#[derive(Debug, Default)]
pub(crate) struct RowLists {
    /// Start of each slice, followed by the end of the last one. Slices are ordered by column set,
    /// kind and column.
    starts: Vec<u32>,
    /// Number of kinds: 2 in the west and 1 in the east.
    kinds: usize,
    /// Whether the lists are divided into slices by the column of the queen in the last row.
    is_sliced: bool,
    /// Number of slices of each list.
    slices: usize,
    /// Patterns, which also contain a **key** in their unused bits: the occupied diagonals that
    /// have no pattern bit. Both are needed to build larger lists. The key of narrow patterns is in
    /// the high word.
    patterns: List,
    /// Mask of the pattern bits, without the key.
    pub(crate) pattern_bits: u64,
}

impl RowLists {
    /// Whether the lists are divided into slices by the column of the queen in the middle row.
    #[inline(always)]
    pub(crate) fn is_sliced(&self) -> bool {
        self.is_sliced
    }

    /// Returns the lists of the given kind. `column_sets` is the number of column sets. Panics if
    /// there are no lists of this kind, or if `W` words were not kept.
    #[inline(always)]
    pub(crate) fn of<const W: usize>(
        &self,
        long: LongDiagonals,
        column_sets: usize,
    ) -> Lists<'_, W> {
        let kind = long as usize;
        let stride = self.kinds * self.slices;
        assert!(kind < self.kinds && self.starts.len() > column_sets * stride);
        let words = self.patterns.words::<W>(0..self.patterns.len() + PAD);
        Lists {
            starts: &self.starts[kind * self.slices..],
            stride,
            slices: self.slices,
            words: words.map(<[u32]>::as_ptr),
        }
    }

    /// Returns the size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self) + 4 * self.starts.capacity() + self.patterns.bytes()
    }
}

/// Lists of one kind, indexed by the rank of their column set.
#[derive(Clone)]
pub(crate) struct Lists<'a, const W: usize> {
    /// Starts of the slices, beginning with the first list of this kind.
    starts: &'a [u32],
    /// Stride in `starts` between adjacent column sets.
    stride: usize,
    /// Number of slices of each list.
    pub(crate) slices: usize,
    words: [*const u32; W],
}

impl<'a, const W: usize> Lists<'a, W> {
    /// Returns the given slices of the list of the column set with this rank. Bounds are not
    /// checked, because the lists are so short that the checks took measurable time at N = 16 and
    /// 17 (docs/BENCHMARKING.md).
    ///
    /// # Safety
    ///
    /// `rank` must be below the number of column sets passed to [`RowLists::of`], and `slices` must
    /// be within `0..self.slices`.
    #[inline(always)]
    pub(crate) unsafe fn list(&self, rank: usize, slices: Range<usize>) -> Patterns<'a, W> {
        debug_assert!(slices.start <= slices.end && slices.end <= self.slices);
        let first = rank * self.stride;
        // SAFETY: the caller guarantees that the indices are in bounds. `grow` writes starts that
        // never decrease, and the last one is the number of placements. `of` has checked that `PAD`
        // more words follow the last placement in each word array that is read.
        unsafe {
            let from = *self.starts.get_unchecked(first + slices.start) as usize;
            let to = *self.starts.get_unchecked(first + slices.end) as usize;
            Patterns::new(self.words.map(|words| words.add(from)), to - from)
        }
    }
}

/// A square of a quadrant, with the diagonals that a queen on it occupies.
#[derive(Clone, Copy, Debug, Default)]
struct Square {
    /// Pattern and key of a queen on the square, as in [`RowLists`].
    diagonals: u64,
    /// Whether the lists include placements with a queen on the square.
    allowed: bool,
    /// Whether the square is on a long diagonal but is not the centre square.
    on_long_diagonal: bool,
}

/// A quadrant with its kept lists.
#[derive(Debug)]
pub(crate) struct Quadrant {
    isa: Isa,
    /// Number of words of a pattern.
    pattern_width: usize,
    width: usize,
    height: usize,
    /// Squares by row and column.
    squares: Vec<Vec<Square>>,
    /// Middle row of an odd board, if this quadrant has it.
    middle: Option<usize>,
    /// Column sets of each size, in ascending order of their masks.
    column_sets: Vec<Vec<u32>>,
    /// Rank of each column set among those of its size.
    rank: Vec<u32>,
    /// Number of kinds: see [`RowLists`].
    kinds: usize,
    /// Mask of the pattern bits that the quadrant uses.
    pattern_bits: u64,
    /// Kept lists, indexed by the set of rows and built on demand.
    kept: Box<[OnceLock<RowLists>]>,
}

impl Quadrant {
    /// Creates a quadrant that keeps the lists for all subsets of the first `kept_rows` rows.
    pub(crate) fn new(layout: &Layout, side: Side, part: Part, isa: Isa, kept_rows: usize) -> Self {
        let (width, height) = (layout.width(side), layout.height(part));
        let top = match part {
            Part::North => 0,
            Part::South => layout.height(Part::North),
        };
        let all = || (top..top + height).flat_map(|r| (0..width).map(move |x| (r, x)));
        let pattern_bits =
            all().fold(0, |pattern_bits, (r, x)| pattern_bits | layout.square(side, r, x));
        // Each diagonal without a pattern bit gets a key bit, which is a bit that no pattern of the
        // quadrant uses. Key bits are assigned in order of appearance, from the highest bit down.
        let free: Vec<u32> = (0..64).rev().filter(|bit| pattern_bits >> bit & 1 == 0).collect();
        let mut unnamed = Vec::new();
        let mut squares = vec![vec![Square::default(); width]; height];
        for (r, x) in all() {
            let (long, centre) = layout.long(side, r, x);
            let square = &mut squares[r - top][x];
            square.diagonals = layout.square(side, r, x);
            for diagonal in layout.diagonals_without_bit(side, r, x) {
                let found = unnamed.iter().position(|&other| other == diagonal);
                let place = found.unwrap_or_else(|| {
                    unnamed.push(diagonal);
                    unnamed.len() - 1
                });
                square.diagonals |= 1 << free[place];
            }
            square.allowed = side == Side::West || !long || centre;
            square.on_long_diagonal = long && !centre;
        }
        let in_high_word = free.get(unnamed.len().wrapping_sub(1)).is_none_or(|&bit| bit >= 32);
        assert!(
            layout.pattern_width() == 2 || in_high_word,
            "low words that are read alone contain only patterns"
        );
        let of_size = |size| subsets(width, size).collect();
        let column_sets: Vec<Vec<u32>> = (0..=width).map(of_size).collect();
        let mut rank = vec![0; 1 << width];
        for (i, &set) in column_sets.iter().flat_map(|sets| sets.iter().enumerate()) {
            rank[set as usize] = i as u32;
        }
        let is_north_of_odd = part == Part::North && layout.n % 2 == 1;
        let kept = 1 << kept_rows.min(height);
        Self {
            isa,
            pattern_width: layout.pattern_width(),
            width,
            height,
            squares,
            middle: is_north_of_odd.then_some(height - 1),
            column_sets,
            rank,
            kinds: if side == Side::West { 2 } else { 1 },
            pattern_bits,
            kept: (0..kept).map(|_| OnceLock::new()).collect(),
        }
    }

    /// Builds the lists for the given rows, where bit i stands for row i of the quadrant. They are
    /// stored in `lists`, unless the quadrant keeps them itself. Returns `false` if they were not
    /// built because they would probably take more than `max_bytes` bytes with scratch memory.
    pub(crate) fn build(
        &self,
        rows: u32,
        lists: &mut RowLists,
        spare: &mut RowLists,
        max_bytes: usize,
    ) -> Result<bool, Interruption> {
        let mut done = rows & (self.kept.len() - 1) as u32;
        let mut left = rows ^ done;
        let mut from = self.keep(done, lists)?;
        while left != 0 {
            let next = left & left.wrapping_neg();
            // The other queens attack about half of the columns that they do not use.
            let columns = self.width.saturating_sub(done.count_ones() as usize);
            if size_of::<u64>() * from.patterns.len() * (1 + columns / 2) > max_bytes {
                return Ok(false);
            }
            (left, done) = (left ^ next, done | next);
            grow(self.isa, self, done, from, lists)?;
            if left != 0 {
                std::mem::swap(lists, spare);
                from = spare;
            }
        }
        Ok(true)
    }

    /// Returns the lists for the given rows. [`build`](Self::build) must have been called with the
    /// same rows and lists.
    pub(crate) fn built<'a>(&'a self, rows: u32, lists: &'a RowLists) -> &'a RowLists {
        let kept = self.kept.get(rows as usize);
        kept.map_or(lists, |kept| kept.get().expect("it was built"))
    }

    /// Returns the kept lists for the given rows. On first use, they are built in `temporary` and
    /// copied.
    fn keep(&self, rows: u32, temporary: &mut RowLists) -> Result<&RowLists, Interruption> {
        let kept = &self.kept[rows as usize];
        if let Some(lists) = kept.get() {
            return Ok(lists);
        }
        let lists = match rows.checked_ilog2() {
            None => self.empty()?,
            Some(last) => {
                let height = self.height as u32;
                let from = self.keep(rows & !(1 << last), temporary)?;
                grow(self.isa, self, rows, from, temporary)?;
                RowLists {
                    starts: temporary.starts.clone(),
                    kinds: temporary.kinds,
                    is_sliced: temporary.is_sliced,
                    slices: temporary.slices,
                    // The keys of narrow patterns are needed only to build larger lists.
                    patterns: temporary.patterns.exact_copy(if last + 1 < height {
                        2
                    } else {
                        self.pattern_width
                    })?,
                    pattern_bits: temporary.pattern_bits,
                }
            }
        };
        // Another thread may have built the same lists in the meantime.
        Ok(kept.get_or_init(|| lists))
    }

    /// Builds all lists that are kept. Returns `true` if no others are needed.
    pub(crate) fn build_kept(&self) -> Result<bool, Interruption> {
        let mut temporary = RowLists::default();
        for rows in 0..self.kept.len() as u32 {
            if !self.column_sets(rows).is_empty() {
                self.keep(rows, &mut temporary)?;
            }
        }
        Ok(self.kept.len() == 1 << self.height)
    }

    /// Returns the lists for the empty set of rows. They contain only the empty placement.
    fn empty(&self) -> Result<RowLists, Interruption> {
        let mut patterns = List::default();
        patterns.resize(1, 2)?;
        Ok(RowLists {
            // The unoccupied list has one placement, and the occupied list has none.
            starts: [0, 1, 1][..=self.kinds].to_vec(),
            kinds: self.kinds,
            is_sliced: false,
            slices: 1,
            patterns,
            pattern_bits: self.pattern_bits,
        })
    }
    /// Returns the column sets of the same size as `rows`, ordered by rank.
    pub(crate) fn column_sets(&self, rows: u32) -> &[u32] {
        let sets = self.column_sets.get(rows.count_ones() as usize);
        sets.map_or(&[], Vec::as_slice)
    }
}

task! {
    /// Builds the lists for a set of rows from those for the same rows without the last one. The
    /// high words are also needed for narrow patterns, because they contain the keys.
    fn grow(
        isa, quadrant: &Quadrant, rows: u32, from: &RowLists, lists: &mut RowLists
    ) -> Result<(), Interruption>, W = 2 => {
        let size = rows.count_ones() as usize;
        let last = rows.ilog2() as usize;
        let RowLists { starts, kinds, is_sliced, slices, patterns, pattern_bits } = lists;
        *pattern_bits = quadrant.pattern_bits;
        *kinds = quadrant.kinds;
        *is_sliced = quadrant.middle == Some(last);
        *slices = if *is_sliced { size } else { 1 };
        starts.clear();
        patterns.resize(0, 2)?;
        if size > quadrant.width {
            return Ok(());
        }
        let row = &quadrant.squares[last][..];
        let column_sets = quadrant.column_sets[size - 1].len();
        let longs = &[LongDiagonals::Unoccupied, LongDiagonals::Occupied][..*kinds];
        assert!(!from.is_sliced);
        // `occupied` is not used if there is only one kind.
        let unoccupied = from.of::<W>(LongDiagonals::Unoccupied, column_sets);
        let occupied = longs.get(1).map(|&long| from.of(long, column_sets));
        let occupied = occupied.unwrap_or_else(|| unoccupied.clone());
        let mut grown = patterns.end::<W>();
        for &columns in &quadrant.column_sets[size] {
            for &long in longs {
                let mut left = columns;
                while left != 0 {
                    if *is_sliced || left == columns {
                        starts.push(start(grown.len()));
                    }
                    let x = left.trailing_zeros() as usize;
                    left &= left - 1;
                    let square = &row[x];
                    // Adding a queen on a long diagonal turns an unoccupied placement into an
                    // occupied one.
                    let of = match (long, square.on_long_diagonal) {
                        _ if !square.allowed => continue,
                        (LongDiagonals::Unoccupied, true) => continue,
                        (_, true) | (LongDiagonals::Unoccupied, false) => &unoccupied,
                        _ => &occupied,
                    };
                    let rank = quadrant.rank[(columns & !(1 << x)) as usize] as usize;
                    // SAFETY: `columns` without `x` is one of the smaller column sets, whose lists
                    // have one slice.
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

/// Adds a queen on the given diagonals to the placements of a list, and appends the valid results.
#[inline(always)]
fn append<I: InstructionSet, const W: usize>(
    isa: I,
    mut from: Patterns<'_, W>,
    diagonals: u64,
    grown: &mut ListWriter<'_, W>,
) -> Result<(), Interruption> {
    grown.reserve(from.len())?;
    let queen = Vector::splat(isa, diagonals);
    while let Some((vector, lanes)) = from.next(isa) {
        grown.append(vector.or(queen), vector.disjoint(queen).and(lanes));
    }
    Ok(())
}
