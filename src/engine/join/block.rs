//! Blocks: 512 east patterns, made into tables that tell a query's verdict on all of them in a few look-ups.
//!
//! The patterns are transposed to bit planes (plane b: which of the 512 lack bit b). For every chunk of 7 bits, for all
//! values of the chunk, the and of the planes that the value names is tabulated, as in the Method of Four Russians
//! (Arlazarov, Dinic, Kronrod and Faradzev, 1970): the patterns that have no bit in common with that value. A **visit**
//! is the and of one table row for each chunk of a query; its set bits are counted.

use std::ops::Range;

use super::list::{List, together};
use super::pattern::{CHUNKS, HIGH_CHUNK, Layout};
use crate::engine::simd::{BitSum, Bits512, InstructionSet, Row, U32s};

/// Table rows of the low word's chunks.
const LOW_ROWS: usize = 528;
/// Look-ups that the high word may need.
const MAX_HIGH_CHUNKS: usize = 5;
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
    let ones = isa.splat(!0);
    // Bits that all have, and bits that none has.
    let (mut all, mut none) = ((ones, ones), (ones, ones));
    for vector in list.patterns::<WIDE>(range).vectors(isa) {
        let ((low, high), lanes) = (vector.load(), vector.lanes());
        all.0 = all.0.and_where(lanes, low);
        none.0 = none.0.and_where(lanes, ones.and_not(low));
        if WIDE {
            all.1 = all.1.and_where(lanes, high);
            none.1 = none.1.and_where(lanes, ones.and_not(high));
        }
    }
    let in_use = if WIDE {
        !decided
    } else {
        !decided & u64::from(u32::MAX)
    };
    Summary {
        all: together((all_of(all.0), all_of(all.1))) & in_use,
        any: !together((all_of(none.0), all_of(none.1))) & in_use,
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
        // Short lists of large boards, where hardly a bit is settled: too seldom to have code for each number.
        3.. => 5 + MAX_HIGH_CHUNKS as u32,
        more => 5 + more,
    }
}

/// Builds the tables of the block of `size` patterns that begins at `at`, a multiple of [`BLOCK`](super::list::BLOCK).
#[inline(always)]
pub(crate) fn build<I: InstructionSet, const WIDE: bool>(
    isa: I,
    layout: &Layout,
    list: &List,
    at: usize,
    size: usize,
    lookups: u32,
    tables: &mut BlockTables,
) {
    let high_chunks = lookups.saturating_sub(5);
    // What is behind the last pattern takes part in the transposition, but the first row of the first chunk rules it
    // out.
    let words = [list.low(), list.high()];
    let used = if high_chunks > 0 { 2 } else { 1 };
    for (words, planes) in words.into_iter().zip(&mut tables.planes).take(used) {
        let block = words.lines()[at / 16..].first_chunk();
        isa.planes(block.expect("lists have room for whole blocks"), planes);
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
        let bits = layout.high_bits.saturating_sub(shift).min(HIGH_CHUNK);
        build_chunk(isa, tables, base, Row::FULL, 32 + shift, bits);
        base += 1 << HIGH_CHUNK;
    }
    #[cfg(feature = "faults")]
    if let Some((row, word, change)) = crate::machine::faults::rows(base) {
        tables.rows[row].0[word] ^= change;
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
pub(crate) fn scan<I: InstructionSet, const WIDE: bool>(
    isa: I,
    tables: &BlockTables,
    lookups: u32,
    queries: (&[u32], &[u32]),
) -> u64 {
    match lookups {
        4 => scan_with::<I, 4>(isa, tables, queries),
        5 => scan_with::<I, 5>(isa, tables, queries),
        6 if WIDE => scan_with::<I, 6>(isa, tables, queries),
        7 if WIDE => scan_with::<I, 7>(isa, tables, queries),
        10 if WIDE => scan_with::<I, 10>(isa, tables, queries),
        _ => unreachable!("a query takes no more look-ups than it has chunks"),
    }
}

/// [`scan`] with a number of look-ups that the compiler knows.
#[inline(always)]
fn scan_with<I: InstructionSet, const LOOKUPS: usize>(
    isa: I,
    tables: &BlockTables,
    (low, high): (&[u32], &[u32]),
) -> u64 {
    let none = isa.bits(&Row::EMPTY);
    let mut sum = <I::Bits as Bits512>::Sum::new(none);
    let (eights, rest) = low.as_chunks::<8>();
    let (high_eights, high_rest) = high.as_chunks::<8>();
    for (low, high) in eights.iter().zip(high_eights) {
        let mut bits = [none; 8];
        for i in 0..8 {
            bits[i] = visit::<I, LOOKUPS>(isa, tables, low[i], high[i]);
        }
        sum = sum.add(bits);
    }
    if !rest.is_empty() {
        let mut bits = [none; 8];
        for ((bits, &low), &high) in bits.iter_mut().zip(rest).zip(high_rest) {
            *bits = visit::<I, LOOKUPS>(isa, tables, low, high);
        }
        sum = sum.add(bits);
    }
    sum.total()
}

/// The patterns of the block that go with a query. The high word matters with more than five look-ups. (No index can be
/// out of bounds, whatever the query, and the compiler sees it: pointers gave the same instructions.)
#[inline(always)]
fn visit<I: InstructionSet, const LOOKUPS: usize>(
    isa: I,
    tables: &BlockTables,
    low: u32,
    high: u32,
) -> I::Bits {
    let row = |base: usize, value: u32| &tables.rows[base + value as usize];
    let mut bits = isa.bits(row(0, low & 127));
    bits = bits.and(isa.bits(row(128, low >> 7 & 127)));
    bits = bits.and(isa.bits(row(256, low >> 14 & 127)));
    bits = bits.and(isa.bits(row(384, low >> 21 & 127)));
    if LOOKUPS > 4 {
        bits = bits.and(isa.bits(row(512, low >> 28)));
    }
    for chunk in 0..LOOKUPS.saturating_sub(5) {
        let value = high >> (HIGH_CHUNK * chunk as u32) & 63;
        bits = bits.and(isa.bits(row(LOW_ROWS + 64 * chunk, value)));
    }
    bits
}

/// The bits that all words of a vector have.
#[inline(always)]
fn all_of<V: U32s>(words: V) -> u32 {
    words
        .to_array()
        .into_iter()
        .fold(!0, |all, word| all & word)
}
