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

use super::list::{List, Words, store};
use super::pattern::{Layout, Part, Side};
use crate::engine::CancelToken;
use crate::engine::Kernel;
use crate::engine::simd::{InstructionSet, LaneMask, U32s, portable::Any};
#[cfg(target_arch = "x86_64")]
use crate::engine::simd::{avx2::WithAvx2, avx512::WithAvx512};
use rayon::prelude::*;

/// What a placement of a quadrant has to do with the long diagonals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Long {
    /// No queen on either.
    Free = 0,
    /// West: a queen on one of them. East: a queen on the centre square.
    Taken = 1,
}

/// The placements of a quadrant that use exactly certain rows, by column set.
#[derive(Debug, Default)]
pub struct RowLists {
    /// The list of the column set of rank i (in the order of their masks) begins at `starts[2 i]`, its taken part at
    /// `starts[2 i + 1]`.
    starts: Box<[u32]>,
    low: Box<[u32]>,
    /// Bits 32 and up, where patterns have so many; else empty.
    high: Box<[u16]>,
    /// The diagonals that are occupied and have no bit in patterns. Emptied when the quadrant is complete.
    keys: Box<[u16]>,
}

/// A list of patterns. Reading [`PAD`] words from any of it stays within the allocation.
#[derive(Debug, Clone, Copy)]
pub struct Patterns<'a> {
    /// Low words, then padding.
    low: &'a [u32],
    high: &'a [u16],
    len: usize,
}

/// How many words past the end of a list may be read.
pub const PAD: usize = 16;

impl RowLists {
    /// The one placement of no queens.
    fn of_nothing(wide: bool) -> Self {
        Self {
            starts: [0, 1, 1].into(),
            low: [0; 1 + PAD].into(),
            high: vec![0; if wide { 1 + PAD } else { 0 }].into(),
            keys: [0; 1 + PAD].into(),
        }
    }

    /// How many column sets there are.
    pub fn column_sets(&self) -> usize {
        self.starts.len() / 2
    }

    /// How many placements.
    pub fn len(&self) -> usize {
        self.starts.last().map_or(0, |&end| end as usize)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether patterns have more than 32 bits.
    pub fn is_wide(&self) -> bool {
        !self.high.is_empty()
    }

    /// The list of a column set's rank.
    #[inline(always)]
    pub fn list(&self, rank: usize, long: Long) -> Patterns<'_> {
        let at = 2 * rank + long as usize;
        let bounds = &self.starts[at..at + 2];
        let (from, to) = (bounds[0] as usize, bounds[1] as usize);
        debug_assert!(from <= to && to + PAD <= self.low.len());
        // SAFETY: starts never decrease, and the last of them is the number of placements, behind which there are `PAD`
        // words more in either array in use.
        unsafe {
            Patterns {
                low: self.low.get_unchecked(from..to + PAD),
                high: if self.high.is_empty() {
                    &[]
                } else {
                    self.high.get_unchecked(from..to + PAD)
                },
                len: to - from,
            }
        }
    }

    fn bytes(&self) -> usize {
        4 * self.starts.len() + 4 * self.low.len() + 2 * self.high.len()
    }
}

impl<'a> Patterns<'a> {
    /// How many patterns.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The low words, with [`PAD`] more behind them.
    #[inline(always)]
    pub fn low(&self) -> &'a [u32] {
        self.low
    }

    /// The high words, likewise; empty where patterns have 32 bits.
    #[inline(always)]
    pub fn high(&self) -> &'a [u16] {
        self.high
    }

    /// The patterns.
    pub fn iter(&self) -> impl Iterator<Item = u64> + use<'a> {
        let list = *self;
        (0..list.len).map(move |i| {
            u64::from(list.low[i]) | list.high.get(i).map_or(0, |&high| u64::from(high) << 32)
        })
    }
}

/// All lists of one quadrant.
#[derive(Debug)]
pub struct Quadrant {
    by_rows: Vec<RowLists>,
}

impl Quadrant {
    /// Tabulates a quadrant on the threads of the current rayon pool. Once told to stop it leaves lists out.
    pub fn build(
        layout: &Layout,
        side: Side,
        part: Part,
        kernel: Kernel,
        cancel: &CancelToken,
    ) -> Self {
        let squares = Squares::new(layout, side, part);
        let mut by_rows = vec![RowLists::of_nothing(squares.wide)];
        for last in 0..squares.height {
            // Row sets with this last row, from all those of the rows before it.
            let grown: Vec<_> = by_rows
                .par_iter()
                .with_min_len(4)
                .enumerate()
                .map_init(Grown::default, |grown, (rows, lists)| {
                    if cancel.is_cancelled() {
                        return RowLists::default();
                    }
                    let rows = rows as u32 | 1 << last;
                    let mut lists = grow(kernel, &squares, rows, lists, grown);
                    if last + 1 == squares.height {
                        // Nothing grows from the last ones, which are more than half of all.
                        lists.keys = Box::default();
                    }
                    lists
                })
                .collect();
            by_rows.extend(grown);
        }
        for lists in &mut by_rows {
            lists.keys = Box::default();
        }
        Self { by_rows }
    }

    /// The placements on exactly these rows (bit i: row i of the quadrant).
    #[inline(always)]
    pub fn rows(&self, rows: u32) -> &RowLists {
        &self.by_rows[rows as usize]
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        self.by_rows
            .iter()
            .map(|lists| lists.bytes() + size_of::<RowLists>())
            .sum()
    }

    /// How many placements.
    pub fn len(&self) -> usize {
        self.by_rows.iter().map(RowLists::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What a queen on a square occupies.
#[derive(Clone, Copy, Default)]
struct Square {
    pattern: u64,
    /// Diagonals that have no bit in patterns.
    key: u32,
    /// Whether a placement with this queen is listed at all.
    allowed: bool,
    /// Whether this queen makes a placement [`Long::Taken`].
    taken: bool,
}

/// The squares of a quadrant.
struct Squares {
    width: usize,
    height: usize,
    /// Whether patterns have more than 32 bits.
    wide: bool,
    /// By row and column.
    squares: Vec<Vec<Square>>,
    /// The rank of each column set among those of its size.
    rank: Vec<u32>,
}

impl Squares {
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
                    square.key |= 1 << bit;
                }
                square.pattern = layout.square(side, r, x);
                square.allowed = side == Side::West || !long || centre;
                square.taken = long;
            }
        }
        assert!(unnamed.len() <= 16, "keys have 16 bits");
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
            wide: layout.high_bits > 0,
            squares,
            rank,
        }
    }
}

/// Memory for the lists of one row set while they grow.
#[derive(Debug, Default)]
struct Grown {
    patterns: List,
    keys: Words,
}

/// The lists of a row set, from those of the same without its last row.
fn grow(
    kernel: Kernel,
    squares: &Squares,
    rows: u32,
    from: &RowLists,
    grown: &mut Grown,
) -> RowLists {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx512 => {
            let isa = WithAvx512::detect().expect("the kernel was chosen for this CPU");
            // SAFETY: the CPU has the instruction set.
            unsafe { grow_avx512(isa, squares, rows, from, grown) }
        }
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 => {
            let isa = WithAvx2::detect().expect("the kernel was chosen for this CPU");
            // SAFETY: the CPU has the instruction set.
            unsafe { grow_avx2(isa, squares, rows, from, grown) }
        }
        _ => grow_with(Any, squares, rows, from, grown),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(
    enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vpopcntdq,gfni,bmi1,bmi2,popcnt"
)]
fn grow_avx512(
    isa: WithAvx512,
    squares: &Squares,
    rows: u32,
    from: &RowLists,
    grown: &mut Grown,
) -> RowLists {
    grow_with(isa, squares, rows, from, grown)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn grow_avx2(
    isa: WithAvx2,
    squares: &Squares,
    rows: u32,
    from: &RowLists,
    grown: &mut Grown,
) -> RowLists {
    grow_with(isa, squares, rows, from, grown)
}

#[inline(always)]
fn grow_with<I: InstructionSet>(
    isa: I,
    squares: &Squares,
    rows: u32,
    from: &RowLists,
    grown: &mut Grown,
) -> RowLists {
    if squares.wide {
        grow_lists::<I, true>(isa, squares, rows, from, grown)
    } else {
        grow_lists::<I, false>(isa, squares, rows, from, grown)
    }
}

#[inline(always)]
fn grow_lists<I: InstructionSet, const WIDE: bool>(
    isa: I,
    squares: &Squares,
    rows: u32,
    from: &RowLists,
    grown: &mut Grown,
) -> RowLists {
    let (width, size) = (squares.width, rows.count_ones() as usize);
    if size > width {
        return RowLists::default();
    }
    let row = &squares.squares[rows.ilog2() as usize][..];
    // Each placement meets each of the columns that it leaves open once.
    let most = from.len() * (width + 1 - size);
    grown.patterns.clear();
    grown.patterns.reserve::<WIDE>(most);
    grown.keys.grow(most + PAD);
    let mut starts = Vec::with_capacity(2 * binomial(width, size) + 1);
    starts.push(0);
    let mut columns = (1u32 << size) - 1;
    while columns >> width == 0 {
        for long in [Long::Free, Long::Taken] {
            let mut left = columns;
            while left != 0 {
                let x = left.trailing_zeros() as usize;
                left &= left - 1;
                let square = &row[x];
                let rank = squares.rank[(columns & !(1 << x)) as usize] as usize;
                // A queen on a long diagonal takes a free placement to the taken ones; another leaves it where it is.
                let of = match (long, square.taken) {
                    (Long::Free, true) => continue,
                    (Long::Taken, true) if !square.allowed => continue,
                    (Long::Taken, true) => Long::Free,
                    (long, false) => long,
                };
                append::<I, WIDE>(isa, from, 2 * rank + of as usize, square, grown);
            }
            starts.push(grown.patterns.len() as u32);
        }
        // The next mask with as many bits.
        let lowest = columns & columns.wrapping_neg();
        let carried = columns + lowest;
        columns = carried | ((columns ^ carried) / lowest) >> 2;
    }
    grown.to_lists::<WIDE>(starts)
}

/// Appends the placements of a list (an index into `starts`) to which a queen can be added.
#[inline(always)]
fn append<I: InstructionSet, const WIDE: bool>(
    isa: I,
    from: &RowLists,
    list: usize,
    square: &Square,
    grown: &mut Grown,
) {
    let (begin, end) = (from.starts[list] as usize, from.starts[list + 1] as usize);
    let queen_low = isa.splat(square.pattern as u32);
    let queen_high = isa.splat((square.pattern >> 32) as u32);
    let queen_key = isa.splat(square.key);
    let mut len = grown.patterns.len();
    let to = grown.patterns.words_mut();
    let keys = grown.keys.as_mut_ptr();
    for at in (begin..end).step_by(I::Words::LANES) {
        // SAFETY: a list may be read up to `PAD >= LANES` words past its end, and `grow_lists` made room for all
        // placements that there can be and a vector more.
        unsafe {
            let low = I::Words::load(from.low.as_ptr().add(at));
            let mut high = low;
            let key = I::Words::load_u16(from.keys.as_ptr().add(at));
            let mut keep = low.disjoint(queen_low).and(isa.first(end - at));
            keep = key.disjoint(queen_key).and(keep);
            if WIDE {
                high = I::Words::load_u16(from.high.as_ptr().add(at));
                keep = high.disjoint(queen_high).and(keep);
            }
            I::Words::compress_store([key.or(queen_key)], keep, [keys.add(len)]);
            let with_queen = (low.or(queen_low), high.or(queen_high));
            len += store::<I::Words, WIDE>(with_queen, keep, to, len);
        }
    }
    // SAFETY: so many have been written.
    unsafe { grown.patterns.set_len(len) };
}

impl Grown {
    /// A copy that takes no more memory than it needs.
    #[inline(always)]
    fn to_lists<const WIDE: bool>(&self, starts: Vec<u32>) -> RowLists {
        let len = self.patterns.len() + PAD;
        let (low, high) = self.patterns.words();
        // SAFETY: lists have been written up to their lengths and have room, which is initialised, for `PAD` more.
        let (low, high, keys) = unsafe {
            (
                std::slice::from_raw_parts(low, len),
                std::slice::from_raw_parts(high, if WIDE { len } else { 0 }),
                std::slice::from_raw_parts(self.keys.as_ptr(), len),
            )
        };
        RowLists {
            starts: starts.into(),
            low: low.into(),
            high: high.iter().map(|&word| word as u16).collect(),
            keys: keys.iter().map(|&word| word as u16).collect(),
        }
    }
}

/// n choose k.
pub fn binomial(n: usize, k: usize) -> usize {
    (0..k).fold(1, |product, i| product * (n - i) / (i + 1))
}
