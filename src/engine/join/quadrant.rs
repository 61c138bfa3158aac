//! Quadrant lists: all placements of non-attacking queens on a quarter board, by rows and columns used.
//!
//! A quadrant is the north or south part of a half-board. For every set of its rows and every set of as many of its
//! columns there is a list of the placements that use exactly those, each as a pattern. A list is split in two: first
//! the placements on no long diagonal, then those on one. In the east the second part holds placements with a queen on
//! the centre square only, because others on a long diagonal are never counted.
//!
//! Lists grow from smaller ones: a placement on rows R and columns C is one on R without its last row and C without one
//! column, and a queen where they meet. So each list is put together from one list for each column of C, whose patterns
//! go against the queen's a vector at a time, and comes out in its place without any sorting.
//!
//! All lists together take 1 GiB at N = 22 and nine times as much for each step of two in N, but a row set needs just one
//! part in 2^(N/2) of them. So they are made when they are asked for. Those of the first rows are kept, for everybody: from
//! them others grow in few steps, which takes little beside what a row set then costs.

use std::sync::OnceLock;

use super::list::{End, List, Patterns};
use super::pattern::{Layout, Part, Side};
use super::subsets::subsets;
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
pub(crate) struct RowLists {
    /// The list of the column set of rank i (in the order of their masks) begins at `starts[2 i]`, its taken part at
    /// `starts[2 i + 1]`.
    starts: Vec<u32>,
    /// Pattern bits and, in other places, a **key**: the diagonals that are occupied and have no pattern bit. Lists grow by
    /// both. The words of narrow patterns have it in the high one.
    patterns: List,
    /// The pattern bits in use.
    pub(crate) named: u64,
}

impl RowLists {
    /// The list of a column set's rank.
    #[inline(always)]
    fn list<const WIDE: bool>(&self, rank: usize, long: Long) -> Patterns<'_, WIDE> {
        let at = 2 * rank + long as usize;
        // SAFETY: the two are neighbours.
        unsafe { self.between([self.starts[at], self.starts[at + 1]]) }
    }

    /// The lists of all column sets, in the order of their ranks.
    #[inline(always)]
    pub(crate) fn lists<const WIDE: bool>(
        &self,
        long: Long,
    ) -> impl DoubleEndedIterator<Item = Patterns<'_, WIDE>> + ExactSizeIterator {
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
    unsafe fn between<const WIDE: bool>(&self, bounds: [u32; 2]) -> Patterns<'_, WIDE> {
        let [from, to] = bounds.map(|start| start as usize);
        debug_assert!(from <= to && to <= self.patterns.len());
        // SAFETY: as `Grow` makes them, starts never decrease, and the last of them is the number of placements, behind
        // which a list has `PAD` words more of either kind.
        unsafe {
            let [low, high] = self.patterns.pointers();
            Patterns::new(low.add(from), high.wrapping_add(from), to - from)
        }
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self) + 4 * self.starts.capacity() + self.patterns.bytes()
    }
}

/// The lists of one quadrant.
#[derive(Debug)]
pub(crate) struct Quadrant {
    kernel: Kernel,
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
        kernel: Kernel,
        kept_rows: usize,
    ) -> Self {
        let squares = QuadrantSquares::new(layout, side, part);
        let kept = 1 << kept_rows.min(squares.height);
        Self {
            kernel,
            squares,
            wide: layout.is_wide(),
            kept: (0..kept).map(|_| OnceLock::new()).collect(),
        }
    }

    /// Makes the lists of the placements on exactly these rows (bit i: row i of the quadrant), in `lists` unless they are
    /// kept.
    pub(crate) fn make(&self, rows: u32, lists: &mut RowLists, spare: &mut RowLists) {
        let mut done = rows & (self.kept.len() - 1) as u32;
        let mut left = rows ^ done;
        let mut from = self.keep(done, lists);
        while left != 0 {
            let next = left & left.wrapping_neg();
            (left, done) = (left ^ next, done | next);
            self.grow(done, from, lists);
            if left != 0 {
                std::mem::swap(lists, spare);
                from = spare;
            }
        }
    }

    /// The placements on exactly these rows, for which `lists` was [made](Self::make).
    pub(crate) fn made<'a>(&'a self, rows: u32, lists: &'a RowLists) -> &'a RowLists {
        let kept = self.kept.get(rows as usize);
        kept.map_or(lists, |kept| kept.get().expect("it was made"))
    }

    /// The placements on these of the rows whose lists are kept, made in `temporary` if nobody did before.
    fn keep(&self, rows: u32, temporary: &mut RowLists) -> &RowLists {
        self.kept[rows as usize].get_or_init(|| match rows.checked_ilog2() {
            None => self.squares.of_nothing(),
            Some(last) => {
                let height = self.squares.height as u32;
                let from = self.keep(rows & !(1 << last), temporary);
                self.grow(rows, from, temporary);
                RowLists {
                    starts: temporary.starts.clone(),
                    // Only what grows needs the keys of narrow patterns.
                    patterns: temporary
                        .patterns
                        .exact_copy(self.wide || last + 1 < height),
                    named: temporary.named,
                }
            }
        })
    }

    /// Makes the lists of a row set from those of the same without its last row.
    fn grow(&self, rows: u32, from: &RowLists, lists: &mut RowLists) {
        let task = Grow {
            squares: &self.squares,
            rows,
            from,
            lists,
        };
        with_blocks(self.kernel, task).expect("the kernel was chosen for this CPU");
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
    /// The rank of each column set among those of its size.
    rank: Vec<u32>,
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
            square.taken = long;
        }
        let in_high_word = free
            .get(unnamed.len().wrapping_sub(1))
            .is_none_or(|&bit| bit >= 32);
        assert!(
            layout.is_wide() || in_high_word,
            "nothing but patterns is in low words that are read alone"
        );
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
            named,
        }
    }

    /// The one placement of no queens.
    fn of_nothing(&self) -> RowLists {
        RowLists {
            starts: vec![0, 1, 1],
            patterns: List::of_nothing(),
            named: self.named,
        }
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
    type Output = ();

    #[inline(always)]
    fn run<I: InstructionSet>(self, isa: I) {
        let QuadrantSquares { width, rank, .. } = self.squares;
        let (width, size) = (*width, self.rows.count_ones() as usize);
        let RowLists {
            starts,
            patterns,
            named,
        } = self.lists;
        *named = self.squares.named;
        starts.clear();
        patterns.truncate(0);
        if size > width {
            return;
        }
        let row = &self.squares.squares[self.rows.ilog2() as usize][..];
        let mut grown = patterns.end::<true>();
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
                    append(isa, self.from.list(rank, of), square.diagonals, &mut grown);
                }
                starts
                    .push(u32::try_from(grown.len()).expect("a list has less than 2^32 patterns"));
            }
        }
        grown.finish();
    }
}

/// Appends the placements of a list to which a queen with these diagonals can be added.
#[inline(always)]
fn append<I: InstructionSet>(
    isa: I,
    from: Patterns<'_, true>,
    diagonals: u64,
    grown: &mut End<'_, true>,
) {
    grown.reserve(from.len());
    let (queen_low, queen_high) = (
        isa.splat(diagonals as u32),
        isa.splat((diagonals >> 32) as u32),
    );
    for vector in from.vectors(isa) {
        let (low, high) = vector.load();
        let keep = low.disjoint(queen_low).and(vector.lanes());
        let keep = high.disjoint(queen_high).and(keep);
        // SAFETY: room was made for all placements of the list, and each is appended once.
        unsafe { grown.append((low.or(queen_low), high.or(queen_high)), keep) };
    }
}
