//! Growing lists of patterns, as the vector code likes them.

use std::ops::Range;

use crate::engine::simd::{Aligned, InstructionSet, LaneMask, U32s};

/// How many words past the end of a list may be read and written: a vector of the widest kind.
pub(crate) const PAD: usize = 16;

/// Words in a cache line.
const LINE: usize = 16;

/// Words aligned to 64 bytes.
#[derive(Debug, Default)]
pub(crate) struct AlignedWords(Vec<Aligned<[u32; LINE]>>);

impl AlignedWords {
    /// Makes sure that there are `n`; new ones are zeros.
    pub(crate) fn grow(&mut self, n: usize) {
        let lines = n.next_power_of_two().div_ceil(LINE);
        self.0.resize(lines.max(self.0.len()), Aligned([0; LINE]));
    }

    /// The words, cache line by cache line.
    pub(crate) fn lines(&self) -> &[Aligned<[u32; LINE]>] {
        &self.0
    }

    /// The words.
    #[inline(always)]
    pub(crate) fn words(&self) -> &[u32] {
        // SAFETY: a line is sixteen words and nothing else.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), LINE * self.0.len()) }
    }

    /// The words, to be written.
    #[inline(always)]
    pub(crate) fn words_mut(&mut self) -> &mut [u32] {
        // SAFETY: a line is sixteen words and nothing else.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), LINE * self.0.len()) }
    }
}

/// A list of patterns: their low words and their high words. The latter are used only where patterns have more than 32
/// bits: functions have a constant `WIDE` that says so.
///
/// There is always room for [`PAD`] more than `len` patterns, so whole vectors may be read and written at the end.
#[derive(Debug)]
pub(crate) struct List {
    low: AlignedWords,
    high: AlignedWords,
    len: usize,
}

impl Default for List {
    fn default() -> Self {
        let mut list = Self {
            low: AlignedWords::default(),
            high: AlignedWords::default(),
            len: 0,
        };
        list.grow(PAD);
        list
    }
}

impl List {
    /// How many patterns.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Forgets all patterns but the first `len`, and keeps the memory.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Makes room for `n` more patterns.
    #[inline(always)]
    pub(crate) fn reserve(&mut self, n: usize) {
        let needed = self.len + n + PAD;
        if needed > self.low.words().len() {
            self.grow(needed);
        }
    }

    /// Makes room for `n` patterns in all.
    #[inline(never)]
    fn grow(&mut self, n: usize) {
        self.low.grow(n);
        self.high.grow(n);
    }

    /// Low words, and the unused ones behind them.
    #[inline(always)]
    pub(crate) fn low(&self) -> &AlignedWords {
        &self.low
    }

    /// High words, and the unused ones behind them: as many as low ones.
    #[inline(always)]
    pub(crate) fn high(&self) -> &AlignedWords {
        &self.high
    }

    /// Patterns of the list, a vector at a time.
    #[inline(always)]
    pub(crate) fn vectors<I: InstructionSet, const WIDE: bool>(
        &self,
        isa: I,
        range: Range<usize>,
    ) -> Vectors<'_, I, u32, WIDE> {
        let (low, high) = (self.low.words(), self.high.words());
        Vectors::new(isa, &low[range.start..], &high[range.start..], range.len())
    }

    /// The end of the list, with room for `n` more patterns.
    #[inline(always)]
    pub(crate) fn end<const WIDE: bool>(&mut self, n: usize) -> End<'_, WIDE> {
        self.reserve(n);
        End {
            low: self.low.words_mut().as_mut_ptr(),
            high: self.high.words_mut().as_mut_ptr(),
            at: self.len,
            most: self.len + n,
            len: &mut self.len,
        }
    }

    /// Appends another list.
    pub(crate) fn extend<const WIDE: bool>(&mut self, other: &Self) {
        self.reserve(other.len);
        let to = self.len..self.len + other.len;
        self.low.words_mut()[to.clone()].copy_from_slice(&other.low.words()[..other.len]);
        if WIDE {
            self.high.words_mut()[to].copy_from_slice(&other.high.words()[..other.len]);
        }
        self.len += other.len;
    }
}

/// A word with the bits of a pattern from 32 on.
pub(crate) trait HighWord: Copy {
    /// A vector of the words from `from` on.
    ///
    /// # Safety
    /// All lanes are readable.
    unsafe fn load<I: InstructionSet>(isa: I, from: *const Self) -> I::Words;
}

impl HighWord for u32 {
    #[inline(always)]
    unsafe fn load<I: InstructionSet>(isa: I, from: *const Self) -> I::Words {
        // SAFETY: readable, by the caller's promise.
        unsafe { isa.load(from) }
    }
}

impl HighWord for u16 {
    #[inline(always)]
    unsafe fn load<I: InstructionSet>(isa: I, from: *const Self) -> I::Words {
        // SAFETY: readable, by the caller's promise.
        unsafe { isa.load_u16(from) }
    }
}

/// Patterns, to be read a vector at a time. The high words are nothing in particular unless `WIDE`.
///
/// (Not an iterator: what it would return, an option of several vectors, keeps arrays out of registers.)
pub(crate) struct Vectors<'a, I, H, const WIDE: bool> {
    isa: I,
    low: &'a [u32],
    high: &'a [H],
    len: usize,
}

impl<'a, I: InstructionSet, H: HighWord, const WIDE: bool> Vectors<'a, I, H, WIDE> {
    /// The first `len` patterns of some.
    ///
    /// # Panics
    ///
    /// If there are not [`PAD`] words more.
    #[inline(always)]
    pub(crate) fn new(isa: I, low: &'a [u32], high: &'a [H], len: usize) -> Self {
        assert!(len + PAD <= low.len() && (!WIDE || len + PAD <= high.len()));
        Self {
            isa,
            low,
            high,
            len,
        }
    }

    /// Where vectors begin.
    #[inline(always)]
    pub(crate) fn starts(&self) -> impl Iterator<Item = usize> + use<I, H, WIDE> {
        (0..self.len).step_by(I::Words::LANES)
    }

    /// The lanes of the vector that begins at `at` that are patterns of these.
    #[inline(always)]
    pub(crate) fn lanes(&self, at: usize) -> <I::Words as U32s>::Mask {
        self.isa.first(self.len - at)
    }

    /// The vector that begins at `at`: low words and high words.
    #[inline(always)]
    pub(crate) fn load(&self, at: usize) -> (I::Words, I::Words) {
        const { assert!(I::Words::LANES <= PAD) };
        assert!(at < self.len);
        // SAFETY: behind `len` there are `PAD` more words, as `new` asserts, and a vector has no more.
        unsafe {
            let low = self.isa.load(self.low.as_ptr().add(at));
            let high = if WIDE {
                H::load(self.isa, self.high.as_ptr().add(at))
            } else {
                low
            };
            (low, high)
        }
    }
}

/// The end of a list, where patterns are appended. They belong to the list when that [is said](Self::finish).
pub(crate) struct End<'a, const WIDE: bool> {
    low: *mut u32,
    high: *mut u32,
    at: usize,
    /// How many patterns there is room for.
    most: usize,
    len: &'a mut usize,
}

impl<const WIDE: bool> End<'_, WIDE> {
    /// Appends those patterns of a vector that are in `keep`.
    ///
    /// # Safety
    ///
    /// No more patterns were appended than room was made for.
    #[inline(always)]
    pub(crate) unsafe fn append<V: U32s>(&mut self, (low, high): (V, V), keep: V::Mask) {
        debug_assert!(self.at <= self.most);
        // SAFETY: of either word there is room for `PAD` more than `most`, and a vector has no more; there are no more
        // than `most` yet, by the caller's promise.
        unsafe {
            let to = [self.low.add(self.at), self.high.add(self.at)];
            if WIDE {
                V::compress_store([low, high], keep, to);
            } else {
                V::compress_store([low], keep, [to[0]]);
            }
        }
        self.at += keep.count() as usize;
    }

    /// Makes what was appended part of the list.
    #[inline(always)]
    pub(crate) fn finish(self) {
        assert!(self.at <= self.most);
        *self.len = self.at;
    }
}

#[cfg(test)]
impl List {
    /// Appends a pattern.
    pub(crate) fn push(&mut self, pattern: u64) {
        self.reserve(1);
        self.low.words_mut()[self.len] = pattern as u32;
        self.high.words_mut()[self.len] = (pattern >> 32) as u32;
        self.len += 1;
    }

    /// The patterns.
    pub(crate) fn iter<const WIDE: bool>(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.len).map(|i| {
            let high = if WIDE { self.high.words()[i] } else { 0 };
            u64::from(self.low.words()[i]) | u64::from(high) << 32
        })
    }
}
