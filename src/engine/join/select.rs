//! Passes over lists of patterns that sort them or pick some out, a vector at a time.

use super::block::BLOCK;
use super::list::{List, load, store};
use super::quadrant::PAD;
use crate::engine::simd::{InstructionSet, LaneMask, U32s};

/// Lists of west patterns of three weights, one after the other.
#[derive(Debug, Default)]
pub struct Queries {
    /// All patterns.
    pub list: List,
    /// Where each class ends.
    pub ends: [usize; 3],
}

impl Queries {
    /// Forgets all classes but the first.
    pub fn keep_first(&mut self) {
        self.ends = [self.ends[0]; 3];
        // SAFETY: the list is shortened.
        unsafe { self.list.set_len(self.ends[0]) };
    }

    /// Where the queries of a class are.
    pub fn range(&self, class: usize) -> std::ops::Range<usize> {
        (if class == 0 { 0 } else { self.ends[class - 1] })..self.ends[class]
    }
}

/// Bits that all, and that any, patterns of a block have.
#[derive(Debug, Clone, Copy)]
pub struct Summary {
    /// Low and high word of the bits that all have.
    pub all: (u32, u32),
    /// Of those that any has.
    pub any: (u32, u32),
}

/// Low and high words of bits.
pub fn words_of(bits: u64) -> (u32, u32) {
    (bits as u32, (bits >> 32) as u32)
}

/// Sorts patterns by as many of their most frequent bits as it takes for blocks to have some in common.
///
/// A radix sort: one stable partition for each bit, the least of them first.
#[inline(always)]
pub fn sort<I: InstructionSet, const WIDE: bool>(
    isa: I,
    priority: &[u32],
    list: &mut List,
    spare: &mut List,
    ones: &mut List,
) {
    if list.len() <= BLOCK / 2 {
        return;
    }
    let bits = (list.len().div_ceil(BLOCK).ilog2() as usize + 2).min(priority.len());
    for &bit in priority[..bits].iter().rev() {
        partition::<I, WIDE>(isa, list, bit, spare, ones);
        std::mem::swap(list, spare);
    }
}

/// Copies to `to` the patterns that have a bit, then those that lack it, each in the order in which they are.
#[inline(always)]
fn partition<I: InstructionSet, const WIDE: bool>(
    isa: I,
    from: &List,
    bit: u32,
    to: &mut List,
    lacking: &mut List,
) {
    to.clear();
    lacking.clear();
    to.reserve::<WIDE>(from.len());
    lacking.reserve::<WIDE>(from.len());
    let in_high = bit >= 32;
    let mask = isa.splat(1 << (bit % 32));
    let (mut with, mut without) = (0, 0);
    let (to_words, lacking_words) = (to.words_mut(), lacking.words_mut());
    // SAFETY: lists may be read and written up to `PAD >= LANES` words past their end, and both lists have room for all
    // patterns.
    unsafe {
        for at in (0..from.len()).step_by(I::Words::LANES) {
            let lanes = isa.first(from.len() - at);
            let patterns = load::<I::Words, WIDE>(from.words(), at);
            let word = if in_high { patterns.1 } else { patterns.0 };
            let lack = word.disjoint(mask).and(lanes);
            with += store::<I::Words, WIDE>(patterns, lanes.and_not(lack), to_words, with);
            without += store::<I::Words, WIDE>(patterns, lack, lacking_words, without);
        }
        std::ptr::copy_nonoverlapping(lacking_words.0, to_words.0.add(with), without);
        if WIDE {
            std::ptr::copy_nonoverlapping(lacking_words.1, to_words.1.add(with), without);
        }
        to.set_len(with + without);
    }
}

/// The bits, other than those decided, that all and that any of some patterns have.
#[inline(always)]
pub fn summary<I: InstructionSet, const WIDE: bool>(
    isa: I,
    list: &List,
    at: usize,
    size: usize,
    decided: (u32, u32),
) -> Summary {
    let (low, high) = list.words();
    // SAFETY: within the list.
    let low = unsafe { summary_of_words::<I>(isa, low.add(at), size) };
    let high = if WIDE {
        // SAFETY: within the list, whose high words are in use.
        unsafe { summary_of_words::<I>(isa, high.add(at), size) }
    } else {
        (0, 0)
    };
    let open = (!decided.0, !decided.1);
    Summary {
        all: (low.0 & open.0, high.0 & open.1),
        any: (low.1 & open.0, high.1 & open.1),
    }
}

/// The and and the or of some words.
///
/// # Safety
///
/// `words` is valid for reading `size` words.
#[inline(always)]
unsafe fn summary_of_words<I: InstructionSet>(
    isa: I,
    words: *const u32,
    size: usize,
) -> (u32, u32) {
    let (mut all, mut any) = (isa.splat(!0), isa.splat(0));
    let whole = size - size % I::Words::LANES;
    for i in (0..whole).step_by(I::Words::LANES) {
        // SAFETY: the caller vouches for it.
        let lanes = unsafe { I::Words::load(words.add(i)) };
        (all, any) = (all.and(lanes), any.or(lanes));
    }
    let (mut all, mut any) = (all.reduce_and(), any.reduce_or());
    for i in whole..size {
        // SAFETY: the caller vouches for it.
        let word = unsafe { words.add(i).read() };
        (all, any) = (all & word, any | word);
    }
    (all, any)
}

/// Copies to `to` the patterns that have none of some bits, in the same order.
#[inline(always)]
pub fn lacking<I: InstructionSet, const WIDE: bool>(
    isa: I,
    from: &List,
    bits: (u32, u32),
    to: &mut List,
) {
    to.clear();
    to.reserve::<WIDE>(from.len());
    select::<I, WIDE>(isa, from, 0..from.len(), bits, (0, 0), to);
}

/// Copies to `to` the queries that have, of some bits, exactly those in `having`.
#[inline(always)]
pub fn filter<I: InstructionSet, const WIDE: bool>(
    isa: I,
    from: &Queries,
    bits: (u32, u32),
    having: (u32, u32),
    to: &mut Queries,
) {
    to.list.clear();
    to.list.reserve::<WIDE>(from.list.len());
    for class in 0..3 {
        select::<I, WIDE>(
            isa,
            &from.list,
            from.range(class),
            bits,
            having,
            &mut to.list,
        );
        to.ends[class] = to.list.len();
    }
}

/// Appends to `to`, which has room, the patterns of a range that have, of some bits, exactly those in `having`.
#[inline(always)]
fn select<I: InstructionSet, const WIDE: bool>(
    isa: I,
    from: &List,
    range: std::ops::Range<usize>,
    bits: (u32, u32),
    having: (u32, u32),
    to: &mut List,
) {
    let (low_bits, high_bits) = (isa.splat(bits.0), isa.splat(bits.1));
    let (low_having, high_having) = (isa.splat(having.0), isa.splat(having.1));
    let mut len = to.len();
    let to_words = to.words_mut();
    for at in range.clone().step_by(I::Words::LANES) {
        // SAFETY: lists may be read and written up to `PAD >= LANES` words past their end, and the caller made room for
        // all patterns of the range.
        unsafe {
            let patterns = load::<I::Words, WIDE>(from.words(), at);
            let mut keep = patterns.0.xor(low_having).disjoint(low_bits);
            if WIDE {
                keep = keep.and(patterns.1.xor(high_having).disjoint(high_bits));
            }
            let keep = keep.and(isa.first(range.end - at));
            len += store::<I::Words, WIDE>(patterns, keep, to_words, len);
        }
    }
    // SAFETY: so many have been written.
    unsafe { to.set_len(len) };
}

const _: () = assert!(PAD >= 16, "lists are padded for the widest vector");
