//! Blocks of 512 east patterns, with look-up tables that match a query against the whole block.
//!
//! The patterns are transposed into bit planes: plane b marks the patterns without bit b. A bit is
//! *open* if some patterns have it and others do not. The open bits are divided into **fields** of
//! up to seven bits. As in the Method of Four Russians (Arlazarov, Dinic, Kronrod and Faradzev,
//! 1970), each field has a table with a row for each value of the field. The row is the AND of the
//! planes of the value's bits, so it marks the patterns that have none of these bits. A **visit**
//! looks up each field of a query, ANDs the rows and counts the set bits.

use std::ops::Range;

use super::list::{BLOCK, List, PAD, Ranges};
use super::pattern::MAX_N;
use crate::engine::simd::{BitSum, Bits512, InstructionSet, Isa, Row, U32s, task};

/// Maximum number of bits in a field.
const FIELD: usize = 7;
/// Largest value of a field.
const LAST: usize = (1 << FIELD) - 1;
/// Maximum number of fields.
const MAX_LOOKUPS: usize = 9;

/// Number of queries that are compressed at a time.
const CHUNK: usize = 256;

/// Number of zeros appended to a query before its fields are extracted. Each value is then a
/// multiple of eight, so an addressing mode with a scale of eight reaches its row of 64 bytes.
const ZEROS: u32 = 3;
const _: () = assert!(2 * MAX_N - 4 + ZEROS as usize <= 64, "a pattern has room for zeros");

/// Look-up tables and bit planes of a block. There are 32 planes for the low words and 32 for the
/// high words.
#[derive(Debug)]
pub(crate) struct BlockTables {
    rows: [[Row; LAST + 1]; MAX_LOOKUPS],
    planes: [[Row; 32]; 2],
    fields: Fields,
}

impl Default for BlockTables {
    fn default() -> Self {
        Self {
            rows: [[Row::EMPTY; LAST + 1]; MAX_LOOKUPS],
            planes: [[Row::EMPTY; 32]; 2],
            fields: Fields::default(),
        }
    }
}

/// Positions of the fields in a query.
#[derive(Debug, Clone, Copy, Default)]
struct Fields {
    /// Number of fields, which is also the number of look-ups per visit.
    lookups: usize,
    /// Mask of the bits of each field.
    bits: [u64; MAX_LOOKUPS],
}

impl Fields {
    /// Divides the open bits into fields of nearly equal width. Their number is the smallest
    /// possible or one more, whichever is faster for `queries` queries.
    fn equal(open: u64, queries: usize) -> Self {
        let bits = open.count_ones() as usize;
        let cost = |&lookups: &usize| queries * lookups + (lookups << bits.div_ceil(lookups));
        let min_fields = bits.div_ceil(FIELD).max(2);
        let lookups = (min_fields..=MAX_LOOKUPS.min(min_fields + 1)).min_by_key(cost);
        let mut fields = Self {
            lookups: lookups.expect("a pattern has no more bits than all fields"),
            ..Self::default()
        };
        let mut left = open;
        for field in 0..fields.lookups {
            let mut rest = left;
            for _ in 0..(bits + field) / fields.lookups {
                rest &= rest - 1;
            }
            fields.bits[field] = left ^ rest;
            left = rest;
        }
        fields
    }
}

/// Steps that pack the bits of a word that are in a mask into the low bits, as PEXT does (Warren,
/// Hacker's Delight, 2nd edition, 2013, section 7-4).
#[derive(Debug, Clone, Copy, Default)]
struct Compression {
    mask: u32,
    /// Bits that step i moves to the right by 2^i.
    moves: [u32; 5],
}

impl Compression {
    fn new(mask: u32) -> Self {
        let (mut bits, mut gaps, mut moves) = (mask, !mask << 1, [0; 5]);
        for (i, moved) in moves.iter_mut().enumerate() {
            // Bit k is the parity of the gaps up to bit k.
            let parity = (0..5).fold(gaps, |parity, by| parity ^ parity << (1 << by));
            *moved = bits & parity;
            bits = bits ^ *moved | *moved >> (1 << i);
            gaps &= !parity;
        }
        Self { mask, moves }
    }

    /// Compresses `len` words. Both slices have room for a whole vector at the end.
    #[inline(always)]
    fn apply<I: InstructionSet>(&self, isa: I, len: usize, from: &[u32], to: &mut [u32]) {
        let [a, b, c, d, e] = self.moves;
        let (a, b, c, d, e) =
            (isa.splat(a), isa.splat(b), isa.splat(c), isa.splat(d), isa.splat(e));
        let mask = isa.splat(self.mask);
        for at in (0..len).step_by(I::Words::LANES) {
            let (from, to) = (&from[at..][..I::Words::LANES], &mut to[at..][..I::Words::LANES]);
            // SAFETY: the slices are as long as a vector.
            unsafe {
                let word = isa.load(from.as_ptr()).and(mask);
                let word = word.move_right::<1>(a).move_right::<2>(b).move_right::<4>(c);
                let word = word.move_right::<8>(d).move_right::<16>(e);
                to.as_mut_ptr().cast::<I::Words>().write_unaligned(word);
            }
        }
    }
}

/// The AND and the OR of all patterns of a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Summary {
    pub(crate) all: u64,
    pub(crate) any: u64,
}

impl Summary {
    /// Combines the summaries of several blocks.
    pub(crate) fn of(blocks: &[Self]) -> Self {
        let (all, any) =
            blocks.iter().fold((!0, 0), |(all, any), block| (all & block.all, any | block.any));
        Self { all, any }
    }
}

task! {
    /// Computes a summary of each block of a range.
    pub(crate) fn summarize(
        isa, list: &List, range: Range<usize>, to: &mut Vec<Summary>
    ) -> (), W = list.width() => {
        let _ = isa; // the compiler vectorizes the inner loop
        to.clear();
        for at in range.clone().step_by(BLOCK) {
            let mut block = Summary { all: 0, any: 0 };
            let words = list.words::<W>(at..range.end.min(at + BLOCK));
            for (i, words) in words.into_iter().enumerate() {
                let (mut all, mut any) = (!0, 0);
                for word in words {
                    (all, any) = (all & word, any | word);
                }
                block.all |= u64::from(all) << (32 * i);
                block.any |= u64::from(any) << (32 * i);
            }
            to.push(block);
        }
    }
}

task! {
    /// Builds the tables of a block that will be matched with `queries` queries, and returns the
    /// number of look-ups per query. `range` must start at a multiple of [`BLOCK`]. The tables
    /// cover only the `open` bits, which some patterns of the block have and others do not.
    pub(crate) fn build(
        isa, list: &List, range: Range<usize>, open: u64, queries: usize, tables: &mut BlockTables
    ) -> usize, W = 1 => {
        // The padding after the last pattern is transposed too. The first row of the first field
        // masks it out.
        for (i, (lines, planes)) in list.lines().into_iter().zip(&mut tables.planes).enumerate() {
            let open = (open >> (32 * i)) as u32;
            if open != 0 {
                let block = lines[range.start / 16..].first_chunk();
                let block = block.expect("lists have room for whole blocks");
                I::Bits::planes(isa, block, open, planes);
            }
        }
        let fields = Fields::equal(open, queries);
        tables.fields = fields;
        for (field, mut bits) in fields.bits.into_iter().enumerate().take(fields.lookups) {
            let first = if field == 0 { valid(range.len()) } else { Row::FULL };
            let rows = &mut tables.rows[field];
            let planes = tables.planes.as_flattened();
            rows[0] = first;
            let mut done = 1;
            while bits != 0 {
                let plane = isa.bits(&planes[bits.trailing_zeros() as usize]);
                bits &= bits - 1;
                let (before, after) = rows.split_at_mut(done);
                for (row, with_bit) in before.iter().zip(after) {
                    isa.bits(row).and(plane).store(with_bit);
                }
                done *= 2;
            }
        }
        fields.lookups
    }
}

/// Returns a row with the first `size` bits set.
fn valid(size: usize) -> Row {
    let mut row = Row::EMPTY;
    for (i, word) in row.0.iter_mut().enumerate() {
        let bits = size.saturating_sub(64 * i).min(64);
        *word = ((1_u128 << bits) - 1) as u64;
    }
    row
}

task! {
    /// Counts the disjoint pairs of a query and a pattern of the block, separately for each weight
    /// class of queries.
    pub(crate) fn scan(
        isa, tables: &BlockTables, list: &List, ranges: &Ranges
    ) -> [u64; 3], W = list.width() => {
        // Both are constants in the loop.
        macro_rules! scan_with {
            ($($lookups:literal $(if $wide:expr)?),+) => {
                match (isa.has_fast_pext(), tables.fields.lookups) {
                    $((true, $lookups) $(if $wide)? => {
                        scan_with::<I, W, true, $lookups>(isa, tables, list, ranges)
                    }
                    (false, $lookups) $(if $wide)? => {
                        scan_with::<I, W, false, $lookups>(isa, tables, list, ranges)
                    })+
                    _ => unreachable!("a query takes no more look-ups than it has fields"),
                }
            };
        }
        scan_with!(2, 3, 4, 5, 6, 7 if W == 2, 8 if W == 2, 9 if W == 2)
    }
}

/// Runs [`scan`] with or without PEXT, and with the number of look-ups as a constant.
#[inline(always)]
fn scan_with<I: InstructionSet, const W: usize, const EXTRACT: bool, const LOOKUPS: usize>(
    isa: I,
    tables: &BlockTables,
    list: &List,
    ranges: &Ranges,
) -> [u64; 3] {
    let none = isa.bits(&Row::EMPTY);
    let fields = tables.fields;
    // A compressed query consists of the open bits only. Each field has a position and a mask.
    let open = fields.bits.iter().fold(0, |open, bits| open | bits);
    let positions: [_; LOOKUPS] = std::array::from_fn(|field| {
        let bits = fields.bits[field];
        let below = (bits & bits.wrapping_neg()).wrapping_sub(1);
        ((open & below).count_ones(), ((1 << bits.count_ones()) - 1) << ZEROS)
    });
    let words = [open as u32, (open >> 32) as u32];
    let compressions = words.map(Compression::new);
    let (chunk, high_at) = if EXTRACT { (usize::MAX, 32) } else { (CHUNK, words[0].count_ones()) };
    let mut compressed = [[0; CHUNK]; W];
    let mut totals = [0; 3];
    for (total, range) in totals.iter_mut().zip(ranges) {
        let mut sum = <I::Bits as Bits512>::Sum::new(none);
        for at in range.clone().step_by(chunk) {
            let len = chunk.min(range.end - at);
            let mut words = list.words::<W>(at..at + len);
            if !EXTRACT {
                let padded = list.words::<W>(at..at + len + PAD);
                for i in 0..W {
                    compressions[i].apply(isa, len, padded[i], &mut compressed[i]);
                }
                words = compressed.each_ref().map(|words| &words[..len]);
            }
            // The high words are not used if `W` is 1.
            let (eights, rest) = words[0].as_chunks::<8>();
            let (high_eights, high_rest) = words[W - 1].as_chunks::<8>();
            for (low, high) in eights.iter().zip(high_eights) {
                let mut bits = [none; 8];
                for i in 0..8 {
                    let query = query::<W>(low[i], high[i], high_at);
                    bits[i] = visit::<I, EXTRACT, LOOKUPS>(isa, tables, &fields, &positions, query);
                }
                sum = sum.add(bits);
            }
            if !rest.is_empty() {
                let mut bits = [none; 8];
                for ((bits, &low), &high) in bits.iter_mut().zip(rest).zip(high_rest) {
                    let query = query::<W>(low, high, high_at);
                    *bits = visit::<I, EXTRACT, LOOKUPS>(isa, tables, &fields, &positions, query);
                }
                sum = sum.add(bits);
            }
        }
        *total = sum.total();
    }
    totals
}

/// Combines the two words of a query. The high word starts at bit `high_at`.
#[inline(always)]
fn query<const W: usize>(low: u32, high: u32, high_at: u32) -> u64 {
    let high = if W == 2 { u64::from(high) << high_at } else { 0 };
    high | u64::from(low)
}

/// Returns the patterns of the block that are disjoint from a query.
#[allow(clippy::needless_range_loop, reason = "the loop indexes three arrays")]
#[inline(always)]
fn visit<I: InstructionSet, const EXTRACT: bool, const LOOKUPS: usize>(
    isa: I,
    tables: &BlockTables,
    fields: &Fields,
    positions: &[(u32, u64); LOOKUPS],
    query: u64,
) -> I::Bits {
    let mut bits = isa.bits(&Row::FULL);
    for field in 0..LOOKUPS {
        let rows = &tables.rows[field];
        let value = if EXTRACT {
            let zeros = (1 << ZEROS) - 1;
            isa.extract(query << ZEROS, fields.bits[field] << ZEROS | zeros)
        } else {
            let (shift, mask) = positions[field];
            query << ZEROS >> shift & mask
        };
        // SAFETY: a field has at most seven bits, with `ZEROS` zeros below them. So the offset is
        // that of one of the 128 rows.
        let row = unsafe { &*rows.as_ptr().byte_add(value as usize * (size_of::<Row>() >> ZEROS)) };
        bits = if field == 0 { isa.bits(row) } else { bits.and(isa.bits(row)) };
    }
    bits
}
