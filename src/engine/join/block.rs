//! Blocks: 512 east patterns, made into tables that tell a query's verdict on all of them in a few look-ups.
//!
//! The patterns are transposed to bit planes (plane b: which of the 512 lack bit b). For every chunk of 7 bits, for all
//! values of the chunk, the and of the planes that the value names is tabulated: the patterns that have no bit in common
//! with that value. A **visit** is the and of one table row for each chunk of a query; its set bits are counted.

use super::list::List;
use super::pattern::{CHUNKS, HIGH_CHUNK, Layout};
use super::select::Summary;
use crate::engine::simd::{Bits512, InstructionSet};

/// Patterns in a block.
pub const BLOCK: usize = 512;
/// Table rows of the low word's chunks.
const LOW_ROWS: usize = 528;
/// Look-ups that the high word may need.
const MAX_HIGH_CHUNKS: usize = 2;
/// All table rows.
const ROWS: usize = LOW_ROWS + MAX_HIGH_CHUNKS * (1 << HIGH_CHUNK);

/// The tables of a block, and its bit planes.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Tables {
    rows: [[u64; 8]; ROWS],
    planes: [[u64; 8]; 64],
}

impl Default for Tables {
    fn default() -> Self {
        Self {
            rows: [[0; 8]; ROWS],
            planes: [[0; 8]; 64],
        }
    }
}

/// The look-ups that a query takes: chunks whose bits are all settled, because the whole block has them and queries that
/// do too are left out, or because nobody in the block has them, need none.
#[inline(always)]
pub fn lookups<const WIDE: bool>(Summary { all, any }: Summary) -> u32 {
    let open = (any.0 & !all.0, any.1 & !all.1);
    let high_chunks = if WIDE {
        (32 - open.1.leading_zeros()).div_ceil(HIGH_CHUNK)
    } else {
        0
    };
    match high_chunks {
        0 if open.0 >> CHUNKS[4].0 == 0 => 4,
        more => 5 + more,
    }
}

/// Builds the tables of the block of `size` patterns that begins at `at`.
#[inline(always)]
pub fn build<I: InstructionSet>(
    isa: I,
    layout: &Layout,
    list: &mut List,
    at: usize,
    size: usize,
    lookups: u32,
    tables: &mut Tables,
) {
    let high_chunks = lookups.saturating_sub(5);
    // What is behind the last pattern takes part in the transposition, but the first row of the first chunk rules it
    // out.
    list.reserve::<true>(BLOCK);
    let (low, high) = list.words();
    let planes = tables.planes.as_mut_ptr().cast::<u64>();
    // SAFETY: room was made for a block behind the end. Blocks begin at multiples of their size, so they are aligned as
    // lists are. There are 64 planes. The CPU has the instruction set, as `isa` proves; so here and below.
    unsafe {
        I::Bits::planes(low.add(at), planes);
        if high_chunks > 0 {
            I::Bits::planes(high.add(at), planes.add(32 * 8));
        }
    }
    let mut base = 0;
    for (chunk, (shift, width)) in CHUNKS.into_iter().enumerate().take(lookups as usize) {
        let first = if chunk == 0 { valid(size) } else { [!0; 8] };
        build_chunk::<I>(
            isa,
            tables,
            base,
            first,
            shift as usize,
            layout.used[chunk] as usize,
        );
        base += 1 << width;
    }
    for chunk in 0..high_chunks {
        // All five chunks of the low word come before it.
        let bits = (layout.high_bits - chunk * HIGH_CHUNK).min(HIGH_CHUNK);
        build_chunk::<I>(
            isa,
            tables,
            base,
            [!0; 8],
            (32 + chunk * HIGH_CHUNK) as usize,
            bits as usize,
        );
        base += 1 << HIGH_CHUNK;
    }
}

/// A set bit for each of the first `size`.
fn valid(size: usize) -> [u64; 8] {
    std::array::from_fn(|i| match size.saturating_sub(64 * i) {
        0 => 0,
        more if more >= 64 => !0,
        some => (1 << some) - 1,
    })
}

/// Tabulates the and of `first` and the planes that a value names, for all values of `width` bits.
#[inline(always)]
fn build_chunk<I: InstructionSet>(
    _: I,
    tables: &mut Tables,
    base: usize,
    first: [u64; 8],
    plane: usize,
    width: usize,
) {
    assert!(base + (1 << width) <= ROWS && plane + width <= 64);
    tables.rows[base] = first;
    let rows = tables.rows[base..].as_mut_ptr().cast::<u64>();
    let planes = tables.planes[plane..].as_ptr().cast::<u64>();
    for bit in 0..width {
        // SAFETY: rows and planes are in bounds by the assertion, and both are aligned.
        unsafe {
            let plane = I::Bits::load(planes.add(8 * bit));
            for value in 0..1 << bit {
                let row = I::Bits::load(rows.add(8 * value)).and(plane);
                row.store(rows.add(8 * (value | 1 << bit)));
            }
        }
    }
}

/// Adds up, over queries, the patterns of a block that go with each.
#[inline(always)]
pub fn scan<I: InstructionSet>(
    isa: I,
    tables: &Tables,
    lookups: u32,
    list: &List,
    range: std::ops::Range<usize>,
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
    tables: &Tables,
    list: &List,
    range: std::ops::Range<usize>,
) -> u64 {
    let (low, high) = list.words();
    let whole = range.start + range.len() / 8 * 8;
    let mut tally = isa.tally();
    for at in (range.start..whole).step_by(8) {
        let mut bits = [isa.no_bits(); 8];
        for (i, bits) in bits.iter_mut().enumerate() {
            // SAFETY: within the list.
            *bits = unsafe {
                visit::<I, LOOKUPS>(isa, tables, low.add(at + i), high.wrapping_add(at + i))
            };
        }
        tally = I::Bits::add(tally, bits);
    }
    if whole < range.end {
        let mut bits = [isa.no_bits(); 8];
        for (i, bits) in bits[..range.end - whole].iter_mut().enumerate() {
            // SAFETY: within the list.
            *bits = unsafe {
                visit::<I, LOOKUPS>(
                    isa,
                    tables,
                    low.add(whole + i),
                    high.wrapping_add(whole + i),
                )
            };
        }
        tally = I::Bits::add(tally, bits);
    }
    I::Bits::total(tally)
}

/// The patterns of the block that go with a query.
///
/// # Safety
///
/// `low`, and where `LOOKUPS` is more than five `high`, is valid for reading.
#[inline(always)]
unsafe fn visit<I: InstructionSet, const LOOKUPS: usize>(
    _: I,
    tables: &Tables,
    low: *const u32,
    high: *const u32,
) -> I::Bits {
    // A row takes 64 bytes, so a chunk's value shifted left by six is its row's offset. All offsets are those of rows
    // of their chunk's table, whose sizes add up to `ROWS`.
    let rows = tables.rows.as_ptr().cast::<u8>();
    // SAFETY: the caller vouches for the query, and rows are in bounds and aligned.
    unsafe {
        let query = low.read() as usize;
        let mut bits = I::Bits::load(rows.add(query << 6 & 127 << 6).cast());
        bits = bits.and(I::Bits::load(
            rows.add(64 * 128 + (query >> 1 & 127 << 6)).cast(),
        ));
        bits = bits.and(I::Bits::load(
            rows.add(64 * 256 + (query >> 8 & 127 << 6)).cast(),
        ));
        bits = bits.and(I::Bits::load(
            rows.add(64 * 384 + (query >> 15 & 127 << 6)).cast(),
        ));
        if LOOKUPS > 4 {
            bits = bits.and(I::Bits::load(
                rows.add(64 * 512 + (query >> 22 & 15 << 6)).cast(),
            ));
        }
        if LOOKUPS > 5 {
            let query = high.read() as usize;
            bits = bits.and(I::Bits::load(
                rows.add(64 * LOW_ROWS + (query << 6 & 63 << 6)).cast(),
            ));
            if LOOKUPS > 6 {
                bits = bits.and(I::Bits::load(
                    rows.add(64 * (LOW_ROWS + 64) + (query & 63 << 6)).cast(),
                ));
            }
        }
        bits
    }
}
