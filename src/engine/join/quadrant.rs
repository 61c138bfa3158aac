//! Quadrant tables: all placements of non-attacking queens on a quarter board, by rows and columns used.
//!
//! A quadrant is the north or south part of a half-board. For every set of its rows and every set of as many of its
//! columns there is a list of the placements that use exactly those, each as a pattern. A list is split in two: first
//! the placements on no long diagonal, then those on one. In the east the second part holds placements with a queen on
//! the centre square only, because others on a long diagonal are never counted.
//!
//! Lists grow from smaller ones: a placement on rows R and columns C is one on R without its last row and C without one
//! column, and a queen where they meet. So each list is put together from one list for each column of C, whose patterns
//! go against the queen's a vector at a time, and comes out in its place without any sorting.

use rayon::prelude::*;

use super::list::{End, HighWord, List, PAD, Patterns};
use super::pattern::{Layout, Part, Side};
use super::subsets::subsets;
use crate::engine::cancel::CancelToken;
use crate::engine::choice::Kernel;
use crate::engine::simd::{InstructionSet, LaneMask, Task, U32s, with_blocks};

/// What a placement of a quadrant has to do with the long diagonals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Long {
    /// No queen on either.
    Free = 0,
    /// West: a queen on one of them. East: a queen on the centre square.
    Taken = 1,
}

/// The placements of a quadrant that use exactly certain rows, by column set.
#[derive(Debug, Default)]
pub(crate) struct RowLists<H = u16> {
    /// The list of the column set of rank i (in the order of their masks) begins at `starts[2 i]`, its taken part at
    /// `starts[2 i + 1]`.
    starts: Box<[u32]>,
    /// Low words, then [`PAD`] more.
    low: Box<[u32]>,
    /// Bits 32 and up, likewise; empty where patterns have none.
    high: Box<[H]>,
}

/// Lists from which larger ones grow. High words always are there. Their upper half is a key: the diagonals that are
/// occupied and have no bit in patterns.
type GrowingLists = RowLists<u32>;

impl<H: HighWord> RowLists<H> {
    /// How many column sets there are.
    pub(crate) fn column_sets(&self) -> usize {
        self.starts.len() / 2
    }

    /// How many placements there are.
    fn len(&self) -> usize {
        self.starts.last().map_or(0, |&end| end as usize)
    }

    /// The list of a column set's rank.
    #[inline(always)]
    fn list<const WIDE: bool>(&self, rank: usize, long: Long) -> Patterns<'_, H, WIDE> {
        let at = 2 * rank + long as usize;
        // SAFETY: the two are neighbours.
        unsafe { self.between([self.starts[at], self.starts[at + 1]]) }
    }

    /// The lists of all column sets, in the order of their ranks.
    #[inline(always)]
    pub(crate) fn lists<const WIDE: bool>(
        &self,
        long: Long,
    ) -> impl DoubleEndedIterator<Item = Patterns<'_, H, WIDE>> + ExactSizeIterator {
        let starts = self.starts.get(long as usize..).unwrap_or_default();
        let (bounds, _) = starts.as_chunks();
        // SAFETY: pairs of a slice's elements are neighbours.
        bounds.iter().map(|&bounds| unsafe { self.between(bounds) })
    }

    /// The list with these bounds. (Not checked: lists are so short that checks
    /// showed in the time of generation at N = 16 and 17, see docs/BENCHMARKING.md.)
    ///
    /// # Safety
    ///
    /// The bounds are neighbours in `starts`.
    #[inline(always)]
    unsafe fn between<const WIDE: bool>(&self, bounds: [u32; 2]) -> Patterns<'_, H, WIDE> {
        assert!(!WIDE || !self.high.is_empty());
        let [from, to] = bounds.map(|start| start as usize);
        debug_assert!(from <= to && to + PAD <= self.low.len());
        // SAFETY: as `Grow` makes them, starts never decrease, and the last of them is the number of placements, behind
        // which there are `PAD` words more in either array in use.
        unsafe {
            let low = self.low.as_ptr().add(from);
            Patterns::new(low, self.high.as_ptr().wrapping_add(from), to - from)
        }
    }
}

impl GrowingLists {
    /// The one placement of no queens.
    fn of_nothing() -> Self {
        Self {
            starts: [0, 1, 1].into(),
            low: [0; 1 + PAD].into(),
            high: [0; 1 + PAD].into(),
        }
    }

    /// The lists without what only growing needs.
    fn finish(self, wide: bool) -> RowLists {
        let high = if wide { &*self.high } else { &[] };
        RowLists {
            starts: self.starts,
            low: self.low,
            high: high.iter().map(|&word| word as u16).collect(),
        }
    }
}

impl RowLists {
    fn bytes(&self) -> usize {
        size_of_val(self) + 4 * self.starts.len() + 4 * self.low.len() + 2 * self.high.len()
    }
}

/// All lists of one quadrant.
#[derive(Debug)]
pub(crate) struct Quadrant {
    by_rows: Vec<RowLists>,
}

impl Quadrant {
    /// Tabulates a quadrant, on this thread or on those of the current rayon pool. Once cancelled it leaves lists out.
    pub(crate) fn build(
        layout: &Layout,
        side: Side,
        part: Part,
        kernel: Kernel,
        in_parallel: bool,
        cancel: &CancelToken,
    ) -> Self {
        let squares = &QuadrantSquares::new(layout, side, part);
        let wide = layout.high_bits > 0;
        // Row sets with this last row, from all those of the rows before it.
        let grow = |last: usize, rows: usize, from: &GrowingLists, grown: &mut List| {
            if cancel.is_cancelled() {
                return GrowingLists::default();
            }
            let task = Grow {
                squares,
                rows: rows as u32 | 1 << last,
                from,
                grown,
            };
            with_blocks(kernel, task).expect("the kernel was chosen for this CPU")
        };
        let mut growing = vec![GrowingLists::of_nothing()];
        let last = squares.height - 1;
        for last in 0..last {
            let grown = map_lists(in_parallel, &growing, |rows, from, grown| {
                grow(last, rows, from, grown)
            });
            growing.extend(grown);
        }
        // Nothing grows from the last ones, which are more than half of all.
        let grown = map_lists(in_parallel, &growing, |rows, from, grown| {
            grow(last, rows, from, grown).finish(wide)
        });
        let mut by_rows: Vec<_> = growing
            .into_iter()
            .map(|lists| lists.finish(wide))
            .collect();
        by_rows.extend(grown);
        Self { by_rows }
    }

    /// The placements on exactly these rows (bit i: row i of the quadrant).
    #[inline(always)]
    pub(crate) fn rows(&self, rows: u32) -> &RowLists {
        &self.by_rows[rows as usize]
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        self.by_rows.iter().map(RowLists::bytes).sum()
    }
}

/// What `grow` makes of all lists, by their row sets, on this thread or on those of the current rayon pool. It is given
/// memory to use again and again.
fn map_lists<R: Send>(
    in_parallel: bool,
    lists: &[GrowingLists],
    grow: impl Fn(usize, &GrowingLists, &mut List) -> R + Sync,
) -> Vec<R> {
    if in_parallel {
        let each = lists.par_iter().with_min_len(4).enumerate();
        each.map_init(List::default, |grown, (rows, from)| grow(rows, from, grown))
            .collect()
    } else {
        let mut grown = List::default();
        let each = lists.iter().enumerate();
        each.map(|(rows, from)| grow(rows, from, &mut grown))
            .collect()
    }
}

/// What a queen on a square occupies.
#[derive(Clone, Copy, Default)]
struct Square {
    low: u32,
    /// The high word of the pattern and the key, as in [`GrowingLists`].
    high: u32,
    /// Whether a placement with this queen is listed at all.
    allowed: bool,
    /// Whether this queen makes a placement [`Long::Taken`].
    taken: bool,
}

/// The squares of a quadrant.
struct QuadrantSquares {
    width: usize,
    height: usize,
    /// By row and column.
    squares: Vec<Vec<Square>>,
    /// The rank of each column set among those of its size.
    rank: Vec<u32>,
}

impl QuadrantSquares {
    fn new(layout: &Layout, side: Side, part: Part) -> Self {
        let (width, height) = (layout.width(side), layout.height(part));
        let top = match part {
            Part::North => 0,
            Part::South => layout.height(Part::North),
        };
        // Diagonals u and v that have no bit in patterns get one in keys, in the order in which they turn up.
        let mut unnamed = Vec::new();
        let mut squares = vec![vec![Square::default(); width]; height];
        for (row, r) in squares.iter_mut().zip(top..) {
            for (x, square) in row.iter_mut().enumerate() {
                let (long, centre) = layout.long(side, r, x);
                for diagonal in layout.unnamed(side, r, x) {
                    let bit = unnamed.iter().position(|&other| other == diagonal);
                    let bit = bit.unwrap_or_else(|| {
                        unnamed.push(diagonal);
                        unnamed.len() - 1
                    });
                    assert!(bit < 16, "keys have 16 bits");
                    square.high |= 1 << (16 + bit);
                }
                let pattern = layout.square(side, r, x);
                square.low = pattern as u32;
                square.high |= (pattern >> 32) as u32;
                square.allowed = side == Side::West || !long || centre;
                square.taken = long;
            }
        }
        let mut seen = vec![0; width + 1];
        let rank = (0..1u32 << width)
            .map(|set| {
                let of_size = &mut seen[set.count_ones() as usize];
                *of_size += 1;
                *of_size - 1
            })
            .collect();
        Self {
            width,
            height,
            squares,
            rank,
        }
    }
}

/// The task to make the lists of a row set from those of the same without its last row.
struct Grow<'a> {
    squares: &'a QuadrantSquares,
    rows: u32,
    from: &'a GrowingLists,
    /// Memory for the lists while they grow.
    grown: &'a mut List,
}

impl Task for Grow<'_> {
    type Output = GrowingLists;

    #[inline(always)]
    fn run<I: InstructionSet>(self, isa: I) -> GrowingLists {
        let QuadrantSquares { width, rank, .. } = self.squares;
        let (width, size) = (*width, self.rows.count_ones() as usize);
        if size > width {
            return GrowingLists::default();
        }
        let row = &self.squares.squares[self.rows.ilog2() as usize][..];
        self.grown.truncate(0);
        let mut grown = self.grown.end::<true>();
        // Each placement meets each of the columns that it leaves open once, and each set of columns, these likewise.
        let left_open = width + 1 - size;
        grown.reserve(self.from.len() * left_open);
        let mut starts = Vec::with_capacity(2 * self.from.column_sets() * left_open / size + 1);
        starts.push(0);
        for columns in subsets(width, size) {
            for long in [Long::Free, Long::Taken] {
                let mut left = columns;
                while left != 0 {
                    let x = left.trailing_zeros() as usize;
                    left &= left - 1;
                    let square = &row[x];
                    let rank = rank[(columns & !(1 << x)) as usize] as usize;
                    // A queen on a long diagonal takes a free placement to the taken ones; another leaves it where it
                    // is.
                    let of = match (long, square.taken) {
                        (Long::Free, true) => continue,
                        (Long::Taken, true) if !square.allowed => continue,
                        (Long::Taken, true) => Long::Free,
                        (long, false) => long,
                    };
                    // SAFETY: room was made for all placements of all lists, each with a queen in any column.
                    unsafe { append(isa, self.from.list(rank, of), square, &mut grown) };
                }
                starts.push(grown.len() as u32);
            }
        }
        grown.finish();
        let (low, high) = self.grown.words::<true>(0..self.grown.len() + PAD);
        GrowingLists {
            starts: starts.into(),
            low: low.into(),
            high: high.into(),
        }
    }
}

/// Appends the placements of a list to which a queen can be added.
///
/// # Safety
///
/// There is room for all placements of the list.
#[inline(always)]
unsafe fn append<I: InstructionSet>(
    isa: I,
    from: Patterns<'_, u32, true>,
    square: &Square,
    grown: &mut End<'_, true>,
) {
    let (queen_low, queen_high) = (isa.splat(square.low), isa.splat(square.high));
    for vector in from.vectors(isa) {
        let (low, high) = vector.load();
        let keep = low.disjoint(queen_low).and(vector.lanes());
        let keep = high.disjoint(queen_high).and(keep);
        // SAFETY: by the caller's promise; each placement is appended once.
        unsafe { grown.append((low.or(queen_low), high.or(queen_high)), keep) };
    }
}
