//! Blocks: 512 east patterns, made into tables that tell a query's verdict on all of them in a few look-ups.
//!
//! The patterns are transposed to bit planes (plane b: which of the 512 lack bit b). For every chunk of 7 bits, for all
//! values of the chunk, the and of the planes that the value names is tabulated, as in the Method of Four Russians
//! (Arlazarov, Dinic, Kronrod and Faradzev, 1970): the patterns that have no bit in common with that value. A **visit**
//! is the and of one table row for each chunk of a query; its set bits are counted.

use std::ops::Range;

use super::list::List;
use super::pattern::{CHUNKS, HIGH_CHUNK, Layout};
use crate::engine::simd::{BitSum, Bits512, InstructionSet, Row, U32s};

/// Patterns in a block.
pub(crate) const BLOCK: usize = 512;
/// Table rows of the low word's chunks.
const LOW_ROWS: usize = 528;
/// Look-ups that the high word may need.
const MAX_HIGH_CHUNKS: usize = 2;
/// All table rows.
const ROWS: usize = LOW_ROWS + MAX_HIGH_CHUNKS * (1 << HIGH_CHUNK);

/// The tables of a block, and its bit planes: 32 of the low words, 32 of the high words.
#[derive(Debug)]
pub(crate) struct BlockTables {
    rows: [Row; ROWS],
    planes: [[Row; 32]; 2],
}

impl Default for BlockTables {
    fn default() -> Self {
        Self {
            rows: [Row::EMPTY; ROWS],
            planes: [[Row::EMPTY; 32]; 2],
        }
    }
}

/// Bits that all, and that any, patterns of a block have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Summary {
    pub(crate) all: u64,
    pub(crate) any: u64,
}

/// The bits, other than those decided, that all and that any of some patterns have.
#[inline(always)]
pub(crate) fn summary<I: InstructionSet, const WIDE: bool>(
    isa: I,
    list: &List,
    range: Range<usize>,
    decided: u64,
) -> Summary {
    let zero = isa.splat(0);
    let (mut all, mut any) = ((isa.splat(!0), isa.splat(!0)), (zero, zero));
    let whole = range.len() - range.len() % I::Words::LANES;
    let (whole, rest) = (
        range.start..range.start + whole,
        range.start + whole..range.end,
    );
    let vectors = list.vectors::<I, WIDE>(isa, whole);
    for at in vectors.starts() {
        let (low, high) = vectors.load(at);
        all = (all.0.and(low), all.1.and(high));
        any = (any.0.or(low), any.1.or(high));
    }
    let together = |of_low: u32, of_high: u32| {
        u64::from(of_low) | if WIDE { u64::from(of_high) << 32 } else { 0 }
    };
    let mut summary = Summary {
        all: together(all_of(all.0), all_of(all.1)),
        any: together(any_of(any.0), any_of(any.1)),
    };
    for (&low, &high) in list.low().words()[rest.clone()]
        .iter()
        .zip(&list.high().words()[rest])
    {
        let pattern = together(low, high);
        summary.all &= pattern;
        summary.any |= pattern;
    }
    Summary {
        all: summary.all & !decided,
        any: summary.any & !decided,
    }
}

/// The look-ups that a query takes: chunks whose bits are all settled, because the whole block has them and queries that
/// do too are left out, or because nobody in the block has them, need none.
#[inline(always)]
pub(crate) fn lookups(Summary { all, any }: Summary) -> u32 {
    let open = any & !all;
    let high_chunks = (64 - open.leading_zeros())
        .saturating_sub(32)
        .div_ceil(HIGH_CHUNK);
    match high_chunks {
        0 if open >> CHUNKS[4].0 == 0 => 4,
        more => 5 + more,
    }
}

/// Builds the tables of the block of `size` patterns that begins at `at`, a multiple of [`BLOCK`].
#[inline(always)]
pub(crate) fn build<I: InstructionSet>(
    isa: I,
    layout: &Layout,
    list: &mut List,
    at: usize,
    size: usize,
    lookups: u32,
    tables: &mut BlockTables,
) {
    let high_chunks = lookups.saturating_sub(5);
    // What is behind the last pattern takes part in the transposition, but the first row of the first chunk rules it
    // out.
    list.reserve(BLOCK);
    let words = [list.low(), list.high()];
    let used = if high_chunks > 0 { 2 } else { 1 };
    for (words, planes) in words.into_iter().zip(&mut tables.planes).take(used) {
        let block = words.lines()[at / 16..].first_chunk();
        isa.planes(block.expect("room was made for a block"), planes);
    }
    let mut base = 0;
    for (chunk, (shift, width)) in CHUNKS.into_iter().enumerate().take(lookups as usize) {
        let first = if chunk == 0 { valid(size) } else { Row::FULL };
        let width_used = layout.used[chunk];
        build_chunk(isa, tables, base, first, shift, width_used);
        base += 1 << width;
    }
    for chunk in 0..high_chunks {
        // All five chunks of the low word come before it.
        let shift = chunk * HIGH_CHUNK;
        let bits = (layout.high_bits - shift).min(HIGH_CHUNK);
        build_chunk(isa, tables, base, Row::FULL, 32 + shift, bits);
        base += 1 << HIGH_CHUNK;
    }
}

/// A set bit for each of the first `size`.
fn valid(size: usize) -> Row {
    let mut row = Row::EMPTY;
    for (i, word) in row.0.iter_mut().enumerate() {
        *word = match size.saturating_sub(64 * i) {
            0 => 0,
            more if more >= 64 => !0,
            some => (1 << some) - 1,
        };
    }
    row
}

/// Tabulates, from row `base` on, the and of `first` and the planes that a value names, for all values of `width` bits.
#[inline(always)]
fn build_chunk<I: InstructionSet>(
    isa: I,
    tables: &mut BlockTables,
    base: usize,
    first: Row,
    plane: u32,
    width: u32,
) {
    let rows = &mut tables.rows[base..][..1 << width];
    let planes = &tables.planes.as_flattened()[plane as usize..][..width as usize];
    rows[0] = first;
    for (bit, plane) in planes.iter().enumerate() {
        let plane = isa.bits(plane);
        let (done, more) = rows.split_at_mut(1 << bit);
        for (row, with_bit) in done.iter().zip(more) {
            isa.bits(row).and(plane).store(with_bit);
        }
    }
}

/// Adds up, over queries, the patterns of a block that go with each.
#[inline(always)]
pub(crate) fn scan<I: InstructionSet>(
    isa: I,
    tables: &BlockTables,
    lookups: u32,
    list: &List,
    range: Range<usize>,
) -> u64 {
    match lookups {
        4 => scan_with::<I, 4>(isa, tables, list, range),
        5 => scan_with::<I, 5>(isa, tables, list, range),
        6 => scan_with::<I, 6>(isa, tables, list, range),
        _ => scan_with::<I, 7>(isa, tables, list, range),
    }
}

/// [`scan`] with a number of look-ups that the compiler knows.
#[inline(always)]
fn scan_with<I: InstructionSet, const LOOKUPS: usize>(
    isa: I,
    tables: &BlockTables,
    list: &List,
    range: Range<usize>,
) -> u64 {
    let low = list.low().words()[range.clone()].as_ptr();
    let high = list.high().words()[range.clone()].as_ptr();
    let whole = range.len() / 8 * 8;
    let none = isa.bits(&Row::EMPTY);
    let mut sum = <I::Bits as Bits512>::Sum::new(none);
    for at in (0..whole).step_by(8) {
        let mut bits = [none; 8];
        for (i, bits) in bits.iter_mut().enumerate() {
            // SAFETY: within the range, which is within the list, or it could not have been sliced.
            *bits = unsafe { visit::<I, LOOKUPS>(isa, tables, low.add(at + i), high.add(at + i)) };
        }
        sum = sum.add(bits);
    }
    if whole < range.len() {
        let mut bits = [none; 8];
        for (at, bits) in (whole..range.len()).zip(&mut bits) {
            // SAFETY: as above.
            *bits = unsafe { visit::<I, LOOKUPS>(isa, tables, low.add(at), high.add(at)) };
        }
        sum = sum.add(bits);
    }
    sum.total()
}

/// The patterns of the block that go with a query. The high word matters with more than five look-ups.
///
/// (Shifting a query straight to the offset of a row, through pointers, keeps the compiler from vectorising the index
/// arithmetic of eight queries, which costs more than it saves.)
///
/// # Safety
///
/// `low` and `high` can be read.
#[inline(always)]
unsafe fn visit<I: InstructionSet, const LOOKUPS: usize>(
    isa: I,
    tables: &BlockTables,
    low: *const u32,
    high: *const u32,
) -> I::Bits {
    // A row takes 64 bytes, so a chunk's value shifted left by six is its row's offset.
    let rows = tables.rows.as_ptr().cast::<u8>();
    // SAFETY: the caller vouches for the query. Whatever it is, all offsets are those of rows of their chunk's table,
    // whose sizes add up to `ROWS`.
    unsafe {
        let query = low.read() as usize;
        let row = |offset: usize| &*rows.add(offset).cast::<Row>();
        let mut bits = isa.bits(row(query << 6 & 127 << 6));
        bits = bits.and(isa.bits(row(64 * 128 + (query >> 1 & 127 << 6))));
        bits = bits.and(isa.bits(row(64 * 256 + (query >> 8 & 127 << 6))));
        bits = bits.and(isa.bits(row(64 * 384 + (query >> 15 & 127 << 6))));
        if LOOKUPS > 4 {
            bits = bits.and(isa.bits(row(64 * 512 + (query >> 22 & 15 << 6))));
        }
        if LOOKUPS > 5 {
            let query = high.read() as usize;
            bits = bits.and(isa.bits(row(64 * LOW_ROWS + (query << 6 & 63 << 6))));
            if LOOKUPS > 6 {
                bits = bits.and(isa.bits(row(64 * (LOW_ROWS + 64) + (query & 63 << 6))));
            }
        }
        bits
    }
}

/// The bits that all words of a vector have.
#[inline(always)]
fn all_of<V: U32s>(words: V) -> u32 {
    words
        .to_array()
        .into_iter()
        .fold(!0, |all, word| all & word)
}

/// The bits that any word of a vector has.
#[inline(always)]
fn any_of<V: U32s>(words: V) -> u32 {
    words.to_array().into_iter().fold(0, |any, word| any | word)
}
